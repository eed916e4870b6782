// @ts-check
/** The figures of the chart as a table. */
/** @import { StrategiesPage } from "../outcomes.js" */
import { element } from "../elements.js";
import { grouped } from "../text.js";

/** A folded table, a row for each request; it is made when it is first opened. */
export class RequestTable {
  /** @param {StrategiesPage} page */
  constructor(page) {
    this.page = page;
    const scroller = element("div", {
      class: "ctx-request-table",
      role: "region",
      "aria-label": "Tokens of each request as a table",
      tabindex: 0,
    });
    this.node = element(
      "details",
      { class: "ctx-chart-table" },
      element("summary", {}, "The same figures as a table"),
      scroller,
    );
    this.node.addEventListener("toggle", () => {
      if (!scroller.firstChild) scroller.append(this.draw());
    });
  }

  draw() {
    const { strategies, moments, refusedAt } = this.page;
    const names = ["Request", "Messages before it", ...strategies.map(({ name }) => name)];
    const rows = moments.map((moment, turn) =>
      element(
        "tr",
        {},
        element("th", { scope: "row" }, grouped(turn + 1)),
        element("td", {}, grouped(moment)),
        ...strategies.map(({ tokens }, number) =>
          element("td", {}, `${grouped(tokens[turn])}${refusedAt[number].has(turn) ? " refused" : ""}`),
        ),
      ),
    );
    const heads = names.map((name) => element("th", { scope: "col" }, name));
    return element(
      "table",
      {},
      element("thead", {}, element("tr", {}, ...heads)),
      element("tbody", {}, ...rows),
    );
  }
}
