// @ts-check
/** The panel with all decisions. */
/** @import { Player } from "../player.js" */
import { grouped } from "../text.js";
import { upTo } from "../index.js";
import { decisionParts, sentence } from "../words.js";
import { closest, element } from "../elements.js";
import { LIST_ROW, LIST_ROW_NARROW, VirtualRows } from "../rows.js";

/** All decisions of the run; a click goes there. */
export class DecisionsPanel {
  /** @param {Player} player */
  constructor(player) {
    this.player = player;
    this.name = `Decisions ${grouped(player.index.decisionSteps.length)}`;
    const list = element("div", { class: "ctx-list ctx-decisions", role: "list", "aria-label": "Decisions" });
    this.scroller = element("div", { class: "ctx-scroller" }, list);
    this.head = element(
      "div",
      { class: "ctx-list-head ctx-decision", "aria-hidden": "true" },
      ...["step", "in", "question", "what it saw", "so"].map((word) =>
        element("span", { class: word === "in" && "ctx-in" }, word),
      ),
    );
    this.node = element("div", {}, this.head, this.scroller);
    this.rows = new VirtualRows(
      this.scroller,
      list,
      LIST_ROW,
      (row) => this.keyOf(row),
      (row) => this.draw(row),
    );
    this.latest = -1;
    list.addEventListener("click", (event) => {
      const row = closest(event.target, "[data-row]");
      if (row) player.go(player.index.decisionSteps[Number(row.dataset.row)]);
    });
  }

  settle() {
    this.rows.settle();
  }

  measure() {
    this.rows.setRowHeight(this.player.wide ? LIST_ROW : LIST_ROW_NARROW);
    this.rows.measure();
  }

  update() {
    const { index, step } = this.player;
    const latest = upTo(index.decisionSteps, step) - 1;
    const moved = latest !== this.latest;
    this.latest = latest;
    this.rows.update(index.decisionSteps.length);
    if (moved && latest >= 0) this.rows.show(latest);
  }

  /** @param {number} row */
  keyOf(row) {
    return row > this.latest
      ? "ahead"
      : row < this.latest
        ? "past"
        : this.player.index.decisionSteps[row] === this.player.step
          ? "now"
          : "latest";
  }

  /** @param {number} row */
  draw(row) {
    const { index } = this.player;
    const { step, site, question, saw, answer, consequence } = decisionParts(index, row);
    const [, depth, name] = index.trace.frames[index.frame[step]];
    const when = this.keyOf(row);
    const button = element(
      "button",
      {
        class: `ctx-row ctx-decision ctx-when-${when}`,
        "data-part": "row",
        tabindex: -1,
        "aria-current": when === "now" ? "step" : null,
        title: sentence(index, row),
      },
      element("span", { class: "ctx-when" }, grouped(step)),
      element("code", { class: "ctx-cell ctx-in" }, name),
      element("span", { class: "ctx-cell" }, question || element("code", {}, site.source)),
      element("code", { class: "ctx-cell" }, saw),
      element(
        "span",
        { class: "ctx-cell" },
        element("b", { class: `ctx-${answer}` }, answer),
        consequence && ` ${consequence}`,
      ),
    );
    button.style.setProperty("--ctx-depth", String(depth));
    return element("div", { class: "ctx-item", role: "listitem", "aria-posinset": row + 1 }, button);
  }
}
