// @ts-check
/** What was read, and what it comes to. */
/** @import { Diagnosis } from "../diagnosis.js" */
import { element, icon } from "../elements.js";

/** The head of a diagnosis: its one sentence, the file, and what a reader must know of it. */
export class ReportView {
  /** @param {Diagnosis} diagnosis */
  constructor({ heading, findings }) {
    const sound = findings.length === 0;
    const holds = "Every call has its result, and nothing else was found that a provider would reject.";
    this.node = element(
      "div",
      { class: `ctx-report ctx-is-${sound ? "sound" : "faulty"}` },
      element(
        "p",
        { class: "ctx-report-head" },
        icon(sound ? "kept" : "refused"),
        element("b", {}, heading.headline),
      ),
      sound && element("p", {}, holds),
      element(
        "p",
        { class: "ctx-report-facts" },
        heading.name && element("code", {}, heading.name),
        ...heading.facts.map((fact) => element("span", {}, fact)),
      ),
      ...heading.lines.map((line) => element("p", { class: "ctx-aside" }, line)),
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
