// @ts-check
/** What was compared, and what it comes to. */
/** @import { StrategiesPage } from "../outcomes.js" */
import { element, icon } from "../elements.js";

/** The head of a comparison: its sentence, the history, and what a reader must know of the figures. */
export class AboutView {
  /** @param {StrategiesPage} page */
  constructor({ heading }) {
    this.node = element(
      "div",
      { class: "ctx-report" },
      element("p", { class: "ctx-report-head" }, element("b", {}, heading.headline)),
      element(
        "p",
        { class: "ctx-report-facts" },
        heading.name && element("code", {}, heading.name),
        ...heading.facts.map((fact) => element("span", {}, fact)),
      ),
      heading.lines.length > 0 &&
        element(
          "ul",
          { class: "ctx-about-lines ctx-aside" },
          ...heading.lines.map((line) => element("li", {}, line)),
        ),
      heading.warning &&
        element(
          "p",
          { class: "ctx-warning" },
          icon("other"),
          element("span", {}, element("b", {}, "Before you share this: "), `${heading.warning}.`),
        ),
    );
  }
}
