// @ts-check
/** What stands behind the row of one strategy: facts, refusals, findings, and its last request. */
/** @import { RefusedTurn, StrategiesPage } from "../outcomes.js" */
import { chip, cutText, element, icon, setAttribute, setText, uniqueId } from "../elements.js";
import { runsOf } from "../plot.js";
import { VirtualRows } from "../rows.js";
import { Tabs } from "../tabs.js";
import { characters, counted, grouped } from "../text.js";
import { drawMessageCard } from "./card.js";
import { whySentence } from "./finding.js";
import { codeWords, findingMark } from "./mark.js";

const FINAL_ROW = 52;

export class StrategyView {
  /** @param {StrategiesPage} page */
  constructor(page) {
    this.page = page;
    this.shown = -1;
    const id = uniqueId();
    const names = page.strategies.map(({ name }) => name);
    this.tabs = new Tabs("Strategy", names, id, (number) => page.chooseStrategy(number));
    this.head = element("div", { class: "ctx-strategy-head" });
    this.said = element("div", {
      class: "ctx-strategy-said",
      role: "region",
      "aria-label": "What became of the history",
      tabindex: 0,
    });
    this.title = element("p", { class: "ctx-messages-title" });
    const list = element("div", { class: "ctx-finals", role: "list", "aria-label": "Last request" });
    this.scroller = element(
      "div",
      { class: "ctx-cards", role: "region", "aria-label": "Messages of the last request", tabindex: 0 },
      list,
    );
    this.rows = new VirtualRows(
      this.scroller,
      list,
      FINAL_ROW,
      () => String(this.shown),
      (row) => this.drawCard(row),
    );
    this.mostBytes = page.cards.reduce((most, { bytes }) => Math.max(most, bytes), 1);
    this.panel = element(
      "div",
      { id, role: "tabpanel" },
      this.head,
      element(
        "div",
        { class: "ctx-strategy-body" },
        this.said,
        element("div", { class: "ctx-strategy-final" }, this.title, this.scroller),
      ),
    );
    this.node = element("div", { class: "ctx-strategy" }, this.tabs.node, this.panel);
  }

  get strategy() {
    return this.page.strategies[this.shown];
  }

  update() {
    if (this.shown === this.page.strategy) return;
    this.shown = this.page.strategy;
    const { name, says, notes, final, last } = this.strategy;
    this.tabs.select(this.shown);
    setAttribute(this.panel, "aria-labelledby", `${this.panel.id}-tab${this.shown}`);
    this.head.replaceChildren(
      element("p", {}, element("b", {}, name), ": ", says, "."),
      ...(notes.length ? [element("p", { class: "ctx-aside" }, notes.join(" "))] : []),
    );
    this.said.replaceChildren(...this.drawFacts(), ...this.drawRefusals(), ...this.drawFindings());
    this.said.scrollTop = 0;
    const made = final.filter((number) => this.page.cards[number].made).length;
    const size = `The last request: ${counted(final.length, "message")}, ${counted(last, "token")}`;
    const words = made ? `${size}; ${grouped(made)} made by ${name}` : size;
    setText(this.title, this.page.moments.length ? words : "No request was made.");
    this.rows.update(final.length);
    this.rows.showFrom(0);
  }

  settle() {
    this.rows.settle();
  }

  measure() {
    this.rows.measure();
  }

  drawFacts() {
    const { facts } = this.page;
    const { lost } = this.strategy;
    const numbers = [...facts.keys()];
    const kept = numbers.filter((number) => !lost.includes(number));
    if (!facts.length) return [heading("Facts"), muted("No facts were looked for.")];
    const rows = [...lost, ...kept].map((number) => {
      const { kind, text } = facts[number];
      return element(
        "li",
        {},
        lost.includes(number) ? chip("dropped", "lost") : chip("kept", "kept"),
        element("span", { class: "ctx-aside" }, kind),
        element("span", {}, cutText(text, characters(text))),
      );
    });
    const title = `Facts: ${grouped(kept.length)} of ${grouped(facts.length)} kept`;
    return [heading(title), element("ul", { class: "ctx-fact-list", "aria-label": title }, ...rows)];
  }

  drawRefusals() {
    const { refusals } = this.strategy;
    const turns = this.page.moments.length;
    if (!refusals.length) return [heading("Refusals"), muted("It refused no request.")];
    const title = `Refused: ${grouped(refusals.length)} of ${counted(turns, "request")}`;
    const all =
      "It refused every request, so nothing became smaller: each went out with the history as it was.";
    const some = "Each of these went out with the history as it was before.";
    const rows = runsOf(refusals, saysTheSame).map((run) => {
      const [{ turn: first, code, reason }] = run;
      const words = run.length > 1 ? `Requests ${first + 1} to ${first + run.length}` : `Request ${first + 1}`;
      return element(
        "li",
        {},
        element("b", {}, words),
        `: ${codeWords(code)}`,
        reason && element("span", { class: "ctx-refusal-text" }, cutText(reason, characters(reason))),
      );
    });
    return [
      heading(title),
      element("p", { class: "ctx-refused-note" }, icon("refused"), refusals.length === turns ? all : some),
      element("ul", { class: "ctx-said-list", "aria-label": title }, ...rows),
    ];
  }

  drawFindings() {
    const { findings } = this.strategy;
    if (!findings.length)
      return [
        heading("New findings"),
        muted("None: nothing in its last request is broken that was whole before."),
      ];
    const title = `New findings: ${grouped(findings.length)}`;
    const rows = findings.map((finding) =>
      element(
        "li",
        {},
        element("b", {}, finding.message === null ? "The history as a whole" : `Message ${finding.message}`),
        `: ${codeWords(finding.code)}`,
        element("span", { class: "ctx-refusal-text" }, `${whySentence(finding)} ${finding.fix}`),
      ),
    );
    return [heading(title), element("ul", { class: "ctx-said-list", "aria-label": title }, ...rows)];
  }

  /** @param {number} row */
  drawCard(row) {
    const { final, findings } = this.strategy;
    const mark = findingMark(findings.filter(({ message }) => message === row).map(({ code }) => code));
    const message = this.page.cards[final[row]];
    const card = drawMessageCard(message, {
      position: row,
      mostBytes: this.mostBytes,
      class: mark ? "ctx-still ctx-blamed" : "ctx-still",
      chips: [mark, message.made && chip("added", "made")],
      still: true,
    });
    return element("div", { class: "ctx-item", role: "listitem", "aria-posinset": row + 1 }, card);
  }
}

/** @param {string} text */
const heading = (text) => element("p", { class: "ctx-said-title" }, element("b", {}, text));
/** @param {string} text */
const muted = (text) => element("p", { class: "ctx-aside" }, text);

/** @param {RefusedTurn} before @param {RefusedTurn} after */
const saysTheSame = (before, after) =>
  before.turn === after.turn - 1 && before.code === after.code && before.reason === after.reason;
