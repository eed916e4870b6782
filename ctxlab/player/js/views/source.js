// @ts-check
/** The source of every traced function. */
/** @import { Player } from "../player.js" */
/** @import { PythonLine, Token } from "../python.js" */
import { rowsUpTo } from "../index.js";
import { placeAt, stackAt } from "../state.js";
import { decisionParts, sentence } from "../words.js";
import { pythonLines } from "../python.js";
import { closest, element, reveal, setAttribute } from "../elements.js";

/**
 * @typedef {{ node: HTMLElement, gutter: HTMLElement, saw: HTMLElement | null, line: number, statement:
 *   number, code: boolean,
 *             sites: number[], state: string }} LineRow
 */

const LINES_AROUND = 2;

/** The spaces that a line of source begins with. @param {{ text: string }[]} tokens */
const indentation = (tokens) => /^ */.exec(tokens[0]?.text ?? "")?.[0] ?? "";

/** Tokens as elements; the indentation apart, so that no line breaks after it. @param {Token[]} tokens */
function colouredTokens(tokens) {
  const indent = indentation(tokens);
  const nodes = tokens.map(({ kind, text }, i) =>
    element("span", { class: kind && `ctx-${kind}` }, i === 0 ? text.slice(indent.length) : text),
  );
  return [element("span", { class: "ctx-indent" }, indent), ...nodes];
}

/** The source of every traced function: where the run is, where it was, and what each condition last saw. */
export class SourceView {
  /** @param {Player} player */
  constructor(player) {
    this.player = player;
    this.node = element("div", { class: "ctx-code" });
    /** @type {Map<number, { node: HTMLElement, rows: LineRow[] }>} */
    this.listings = new Map();
    this.shown = -1;
    this.tabStop = 0;
    /** @type {HTMLElement | null} */
    this.current = null;
    this.node.addEventListener("click", (event) => this.toggle(event.target));
    this.node.addEventListener("keydown", (event) => this.onKey(event));
    this.node.addEventListener("focusin", (event) => this.setTabStop(this.rowOf(event.target)));
  }

  /** @param {number} number @returns {{ node: HTMLElement, rows: LineRow[] }} */
  listing(number) {
    let listing = this.listings.get(number);
    if (!listing) this.listings.set(number, (listing = this.drawSource(number)));
    return listing;
  }

  /** @param {number} number */
  drawSource(number) {
    const source = this.player.index.trace.sources[number];
    const rows = pythonLines(source.text).map((line, i) => this.drawLine(number, line, i));
    const label = `Source of ${source.name}`;
    const lines = rows.map((row) => row.node);
    return {
      node: element("div", { class: "ctx-lines", role: "list", "aria-label": label }, ...lines),
      rows,
    };
  }

  /** @param {number} number of the source @param {PythonLine} python @param {number} i @returns {LineRow} */
  drawLine(number, { tokens, statement, code }, i) {
    const { sources, sites } = this.player.index.trace;
    const line = sources[number].first_line + i;
    const conditions = sites.flatMap((site, n) =>
      site.function === number && site.line === line ? [n] : [],
    );
    const label = `Breakpoint on line ${line}`;
    const attributes = { class: "ctx-gutter", tabindex: -1, "aria-pressed": "false", "aria-label": label };
    const gutter = element("button", attributes, String(line));
    const text = element("code", { class: conditions.length ? "ctx-text ctx-condition" : "ctx-text" });
    text.append(...colouredTokens(tokens));
    text.style.setProperty("--ctx-indent", String(indentation(tokens).length));
    const saw = conditions.length ? element("span", { class: "ctx-saw" }) : null;
    const node = element("div", { class: "ctx-line", role: "listitem", "data-line": i }, gutter, text, saw);
    return { node, gutter, saw, line, statement, code, sites: conditions, state: "" };
  }

  /** @param {number} number */
  show(number) {
    if (number !== this.shown) {
      this.shown = number;
      const { node } = this.listing(number);
      if (this.node.contains(document.activeElement)) this.player.root.focus({ preventScroll: true });
      this.node.replaceChildren(node);
      this.tabStop = -1;
    }
    this.mark();
  }

  settle() {
    if (this.current) this.reveal(this.current);
  }

  /** The lines of this source at which a caller of the current frame waits. */
  waitingLines() {
    const { index, step } = this.player;
    return stackAt(index, step)
      .slice(0, -1)
      .map((frame) => placeAt(index, index.firstStep[frame] - 1))
      .filter(([, source]) => source === this.shown)
      .map(([, , line]) => line);
  }

  mark() {
    const { index, step, breakpoints } = this.player;
    const { rows } = this.listing(this.shown);
    const [event, source, currentLine] = placeAt(index, step);
    const firstRun = index.firstRun[this.shown];
    const waiting = this.waitingLines();
    let current = -1;
    rows.forEach((row, i) => {
      const isCurrent = source === this.shown && row.line === currentLine;
      if (isCurrent) current = i;
      const first = firstRun.get(rows[row.statement].line) ?? Infinity;
      const state = isCurrent
        ? "now"
        : waiting.includes(row.line)
          ? "waiting"
          : !row.code
            ? ""
            : first < step
              ? "ran"
              : "ahead";
      // Before the condition is evaluated, the outcome that stands here is that of an earlier time.
      row.saw?.classList.toggle("ctx-earlier", isCurrent && event === "line");
      const broken = breakpoints.some(([s, l]) => s === this.shown && l === row.line);
      if (row.state !== state) {
        row.state = state;
        row.node.className = `ctx-line${state && ` ctx-${state}`}`;
        setAttribute(row.node, "aria-current", isCurrent ? "step" : null);
      }
      setAttribute(row.gutter, "aria-pressed", String(broken));
      if (row.saw) this.markOutcomes(row, row.saw);
    });
    if (this.tabStop < 0) this.setTabStop(Math.max(0, current));
    this.current = current < 0 ? null : rows[current].node;
  }

  /** @param {LineRow} row @param {HTMLElement} node */
  markOutcomes(row, node) {
    const { index, step } = this.player;
    const latest = row.sites.map((site) => {
      const runs = index.runsOfSite[site];
      const count = rowsUpTo(runs, index.decisionSteps, step);
      return count ? runs[count - 1] : -1;
    });
    const key = latest.join();
    if (node.dataset.latest === key) return;
    node.dataset.latest = key;
    node.replaceChildren();
    for (const number of latest) {
      if (number < 0) continue;
      const { saw, answer } = decisionParts(index, number);
      node.append(
        element(
          "span",
          { class: `ctx-saw-one ctx-${answer}`, title: sentence(index, number) },
          element("span", { class: "ctx-saw-values" }, saw),
          " → ",
          element("b", {}, answer),
        ),
      );
    }
  }

  /** @param {HTMLElement} line */
  reveal(line) {
    reveal(this.node, line, LINES_AROUND * line.offsetHeight);
  }

  /** @param {EventTarget | null} target */
  rowOf(target) {
    return Number(closest(target, "[data-line]")?.dataset.line ?? -1);
  }

  /** @param {number} number */
  setTabStop(number) {
    if (number < 0) return;
    const { rows } = this.listing(this.shown);
    rows[this.tabStop]?.gutter.setAttribute("tabindex", "-1");
    this.tabStop = number;
    rows[number].gutter.setAttribute("tabindex", "0");
  }

  /** @param {EventTarget | null} target */
  toggle(target) {
    if (closest(target, ".ctx-gutter"))
      this.player.toggleBreakpoint(this.shown, this.stoppingLine(this.rowOf(target)));
  }

  /**
   * Where a run can stop: on the first line of the statement, and for a comment on that of the next one.
   * @param {number} number
   */
  stoppingLine(number) {
    const { rows } = this.listing(this.shown);
    const from = rows[number].code ? number : rows.findIndex((row, i) => i > number && row.code);
    return rows[from < 0 ? number : rows[from].statement].line;
  }

  /** @param {KeyboardEvent} event */
  onKey(event) {
    const direction = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    const row = this.listing(this.shown).rows[this.rowOf(event.target) + direction];
    if (!direction || !row || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    row.gutter.focus({ preventScroll: true });
    this.reveal(row.node);
  }
}
