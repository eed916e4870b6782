// @ts-check
/** All findings, in the order of the messages. */
/** @import { Diagnosis } from "../diagnosis.js" */
import { closest, element } from "../elements.js";
import { VirtualRows } from "../rows.js";
import { blamed, whySentence } from "./finding.js";
import { codeWords } from "./mark.js";

const FINDING_ROW = 48;
const FINDING_ROW_NARROW = 96;

/** One row for each finding; of only one nothing is listed, since it stands above. */
export class FindingsView {
  /** @param {Diagnosis} diagnosis */
  constructor(diagnosis) {
    this.diagnosis = diagnosis;
    const list = element("div", {
      class: "ctx-list ctx-finding-list",
      role: "list",
      "aria-label": "Findings",
    });
    this.scroller = element("div", { class: "ctx-scroller" }, list);
    const heads = ["Finding", "Why", "What to do"].map((name) => element("span", {}, name));
    this.node = element(
      "div",
      { class: "ctx-findings" },
      element("div", { class: "ctx-list-head ctx-finding-row", "aria-hidden": "true" }, ...heads),
      this.scroller,
    );
    this.node.hidden = diagnosis.findings.length < 2;
    this.latest = -1;
    this.rows = new VirtualRows(
      this.scroller,
      list,
      FINDING_ROW,
      (row) => (row === diagnosis.finding ? "now" : "other"),
      (row) => this.draw(row),
    );
    list.addEventListener("click", (event) => {
      const row = closest(event.target, "[data-row]");
      if (row) diagnosis.chooseFinding(Number(row.dataset.row));
    });
  }

  settle() {
    this.rows.settle();
  }

  /** @param {boolean} wide */
  measure(wide) {
    this.rows.setRowHeight(wide ? FINDING_ROW : FINDING_ROW_NARROW);
    this.rows.measure();
  }

  update() {
    const { findings, finding } = this.diagnosis;
    const moved = finding >= 0 && finding !== this.latest;
    this.latest = finding;
    this.rows.update(findings.length);
    if (moved) this.rows.show(finding);
  }

  /** @param {number} row */
  draw(row) {
    const finding = this.diagnosis.findings[row];
    const now = row === this.diagnosis.finding;
    const button = element(
      "button",
      {
        class: `ctx-row ctx-finding-row${now ? " ctx-when-now" : ""}`,
        "data-part": "row",
        tabindex: -1,
        "aria-current": now ? "true" : null,
      },
      element(
        "span",
        { class: "ctx-finding-name" },
        element("b", {}, codeWords(finding.code)),
        element("span", { class: "ctx-aside" }, [blamed(finding), finding.place].filter(Boolean).join(", ")),
      ),
      element("span", { class: "ctx-two-lines" }, whySentence(finding)),
      element("span", { class: "ctx-two-lines ctx-aside" }, finding.fix),
    );
    return element("div", { class: "ctx-item", role: "listitem", "aria-posinset": row + 1 }, button);
  }
}
