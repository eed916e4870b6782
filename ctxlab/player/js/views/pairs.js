// @ts-check
/** The decisions of two runs, side by side. */
/** @import { Comparison } from "../comparison.js" */
import { counted, grouped } from "../text.js";
import { placeAt } from "../state.js";
import { decisionParts, sentence } from "../words.js";
import { closest, element, icon } from "../elements.js";
import { VirtualRows } from "../rows.js";

/** The shape beside the word of a verdict. @type {Record<string, string>} */
const SHAPES = { same: "same", answer: "differs", values: "differs", left: "left", right: "right" };
const PAIR_ROW = 52;
const PAIR_ROW_NARROW = 116;

/** One row for each two decisions that belong together, and for each that one run made alone. */
export class PairsView {
  /** @param {Comparison} comparison */
  constructor(comparison) {
    this.comparison = comparison;
    const { names, pairs, verdicts } = comparison;
    const differing = verdicts.filter((verdict) => verdict !== "same").length;
    const list = element("div", {
      class: "ctx-list ctx-pair-list",
      role: "list",
      "aria-label": "Decisions side by side",
    });
    this.scroller = element("div", { class: "ctx-scroller" }, list);
    const head = element(
      "div",
      { class: "ctx-list-head ctx-pair", "aria-hidden": "true" },
      element("span", {}),
      ...names.map((name) => element("span", { class: "ctx-cell" }, name)),
    );
    const count = `${counted(pairs.length, "row")}, ${grouped(differing)} not the same`;
    this.node = element(
      "div",
      { class: "ctx-pairs-view" },
      element(
        "p",
        { class: "ctx-pairs-title" },
        element("b", {}, "Decisions side by side"),
        " ",
        element("span", { class: "ctx-aside" }, pairs.length ? count : "Neither run decided anything."),
      ),
      pairs.length > 0 && head,
      pairs.length > 0 && this.scroller,
    );
    this.rows = new VirtualRows(
      this.scroller,
      list,
      PAIR_ROW,
      (row) => this.keyOf(row),
      (row) => this.draw(row),
    );
    this.latest = -2;
    list.addEventListener("click", (event) => {
      const row = closest(event.target, "[data-row]");
      if (row) comparison.goToRow(Number(row.dataset.row));
    });
  }

  settle() {
    this.rows.settle();
  }

  /** @param {boolean} wide */
  measure(wide) {
    this.rows.setRowHeight(wide ? PAIR_ROW : PAIR_ROW_NARROW);
    this.rows.measure();
    this.reveal();
  }

  update() {
    const { row } = this.comparison;
    const moved = row !== this.latest;
    this.latest = row;
    this.rows.update(this.comparison.pairs.length);
    if (moved) this.reveal();
  }

  /** Brings the latest row into view, if it is not, with the one before it and those that follow. */
  reveal() {
    const { rows, latest } = this;
    if (rows.topFor(Math.max(0, latest), 0) === null) return;
    const most = rows.count * rows.rowHeight - rows.height;
    rows.showFrom(Math.max(0, Math.min(most, (latest - 1) * rows.rowHeight)));
  }

  /** What a row comes to, in words. @param {number} row */
  verdict(row) {
    const { names, verdicts } = this.comparison;
    /** @type {Record<string, string>} */
    const words = {
      same: "same",
      answer: "other answer",
      values: "other values",
      left: `only ${names[0]}`,
      right: `only ${names[1]}`,
    };
    return words[verdicts[row]];
  }

  /** @param {number} row */
  keyOf(row) {
    if (row === this.comparison.exactRow) return "now";
    return row === this.latest ? "latest" : "other";
  }

  /** @param {number} row */
  draw(row) {
    const { comparison } = this;
    const verdict = comparison.verdicts[row];
    const when = this.keyOf(row);
    const first = row === comparison.firstDifference;
    const button = element(
      "button",
      {
        class: `ctx-row ctx-pair ctx-when-${when} ctx-verdict-${verdict}`,
        "data-part": "row",
        tabindex: -1,
        "aria-current": when === "now" ? "step" : null,
      },
      element(
        "span",
        { class: "ctx-pair-verdict" },
        element("span", {}, icon(SHAPES[verdict]), " ", this.verdict(row)),
        first && element("b", { class: "ctx-first" }, icon("first"), " first difference"),
      ),
      this.drawSide(row, 0),
      this.drawSide(row, 1),
    );
    return element("div", { class: "ctx-item", role: "listitem", "aria-posinset": row + 1 }, button);
  }

  /** @param {number} row @param {number} which */
  drawSide(row, which) {
    const { comparison } = this;
    const number = comparison.pairs[row][which];
    const player = comparison.sides[which].player;
    const name = element("span", { class: "ctx-pair-name" }, comparison.names[which]);
    if (number === null || !player)
      return element("span", { class: "ctx-pair-side ctx-aside" }, name, " does not ask this");
    const { index } = player;
    const { step, site, question, saw, link, answer, consequence } = decisionParts(index, number);
    const [, depth, called] = index.trace.frames[index.frame[step]];
    const place = `line ${placeAt(index, step)[2]}${depth ? ` of ${called}` : ""} `;
    return element(
      "span",
      { class: "ctx-pair-side", title: sentence(index, number) },
      element(
        "span",
        { class: "ctx-cell" },
        name,
        " ",
        element("span", { class: "ctx-when" }, place),
        question || element("code", {}, site.source),
      ),
      element(
        "span",
        { class: "ctx-cell" },
        element("code", {}, saw),
        link,
        element("b", { class: `ctx-${answer}` }, answer),
        consequence && `. ${consequence}`,
      ),
    );
  }
}
