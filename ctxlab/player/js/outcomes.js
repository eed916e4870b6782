// @ts-check
/** Every strategy on one history: a table, a chart of the requests, and what stands behind one row. */
/** @import { Card, Fact } from "./format.js" */
/** @import { Model } from "./player.js" */
import { closest, element } from "./elements.js";
import { Saver } from "./saving.js";
import { watchSize } from "./sizing.js";
import { LiveRegion } from "./speech.js";
import { counted, grouped } from "./text.js";
import { AboutView } from "./views/about.js";
import { ChartView } from "./views/chart.js";
import { StrategyView } from "./views/strategy.js";
import { StrategyTable } from "./views/strategy_table.js";

/**
 * @typedef {{ name: string, headline: string, facts: string[], lines: string[], warning: string }} About
 * @typedef {{ turn: number, code: string, reason: string }} RefusedTurn
 * @typedef {{ code: string, message: number | null, text: string, fix: string }} NewFinding  message: of the
 *   last request
 * @typedef {Card & { made: boolean }} FinalCard  made: by a strategy, for the history has no such message
 * @typedef {{ name: string, says: string, notes: string[], last: number, last_share: number,
 *   largest: number, largest_share: number, over: number, sent: number, reused_share: number | null,
 *   summaries: number, tokens_in: number, tokens_out: number,
 *   tokens: number[], messages: number[], same: number[], refusals: RefusedTurn[], lost: number[],
 *   findings: NewFinding[], final: number[] }} Strategy  tokens, messages, same: of each request, the last
 *   equal at its start to the one before; lost: numbers of facts; final: numbers of cards; shares in percent
 */

/** @type {Record<string, [strategy: number, turn: number]>} */
const PLACE_KEYS = {
  p: [-1, 0],
  n: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
  Home: [0, -Infinity],
  End: [0, Infinity],
};

/** The reader's place in a comparison: a strategy, and a request, which is -1 where there is none. */
export class StrategiesPage {
  /** @param {Model} model @param {HTMLElement} host */
  constructor(model, host) {
    this.model = model;
    /** @type {About} */
    this.heading = model.get("heading");
    /** @type {number} */
    this.limit = model.get("limit");
    /** @type {number[]} */
    this.moments = model.get("moments");
    /** @type {Fact[]} */
    this.facts = model.get("facts");
    /** @type {Strategy[]} */
    this.strategies = model.get("strategies");
    /** @type {FinalCard[]} */
    this.cards = model.get("cards");
    this.refusedAt = this.strategies.map(
      ({ refusals }) => new Map(refusals.map((refusal) => [refusal.turn, refusal])),
    );
    const [strategy, turn] = this.checkedPlace();
    this.strategy = strategy;
    this.turn = turn;
    this.saver = new Saver(model);
    this.live = new LiveRegion();

    this.root = element("section", {
      class: "ctx-player ctx-strategies",
      tabindex: -1,
      "aria-label": `Strategies on ${this.heading.name || "a list of messages"}`,
    });
    this.table = new StrategyTable(this);
    this.chart = new ChartView(this);
    this.detail = new StrategyView(this);
    this.root.append(
      new AboutView(this).node,
      this.table.node,
      this.chart.node,
      this.detail.node,
      this.live.node,
    );
    host.replaceChildren(this.root);
    this.root.addEventListener("keydown", (event) => this.onKey(event));
    this.root.addEventListener("mousedown", (event) => this.keepFocus(event));
    this.resizing = watchSize(this.root, () => this.measure());
    this.update();
    this.measure();
  }

  close() {
    this.resizing?.disconnect();
    this.live.close();
    this.saver.close(true);
    this.root.remove();
  }

  /** What the host has, as a place that is there. @returns {[number, number]} */
  checkedPlace() {
    const [strategy, turn] = this.model.get("place");
    return [within(strategy, this.strategies.length), within(turn, this.moments.length)];
  }

  /** @param {number} strategy */
  chooseStrategy(strategy) {
    this.go(strategy, this.turn);
  }

  /** @param {number} turn */
  chooseTurn(turn) {
    this.go(this.strategy, turn);
  }

  /** Every move leads through here. @param {number} strategy @param {number} turn */
  go(strategy, turn) {
    if (strategy === this.strategy && turn === this.turn) return;
    this.show(strategy, turn);
    this.model.set("place", [strategy, turn]);
    this.saver.save();
  }

  /** @param {number} strategy @param {number} turn */
  show(strategy, turn) {
    const said = strategy === this.strategy ? this.spokenTurn(turn) : this.spokenStrategy(strategy);
    this.strategy = strategy;
    this.turn = turn;
    this.update();
    this.live.say(said);
  }

  /** The host moved the place. */
  followHost() {
    const [strategy, turn] = this.checkedPlace();
    if (strategy !== this.strategy || turn !== this.turn) this.show(strategy, turn);
  }

  /** A strategy in words, for the ear. @param {number} strategy */
  spokenStrategy(strategy) {
    const { name, last, refusals, lost } = this.strategies[strategy];
    const words = [`${counted(last, "token")} in the last request`];
    if (refusals.length) words.push(`${grouped(refusals.length)} refused`);
    if (this.facts.length) words.push(`${grouped(lost.length)} of ${counted(this.facts.length, "fact")} lost`);
    return `${name}: ${words.join(", ")}.`;
  }

  /** The request of every strategy in words, that of the chosen one first. @param {number} turn */
  spokenTurn(turn) {
    if (turn < 0) return "";
    const others = this.strategies.map((_, strategy) => strategy).filter((i) => i !== this.strategy);
    const words = [this.strategy, ...others].map((strategy) => {
      const { name, tokens } = this.strategies[strategy];
      const refused = this.refusedAt[strategy].has(turn) ? ", refused" : "";
      return `${name} ${grouped(tokens[turn])}${refused}`;
    });
    return `${this.turnWords(turn)}, tokens: ${words.join("; ")}.`;
  }

  /** "Request 3 of 9, after 5 messages". @param {number} turn */
  turnWords(turn) {
    const { moments } = this;
    const number = `${grouped(turn + 1)} of ${grouped(moments.length)}`;
    return `Request ${number}, after ${counted(moments[turn], "message")}`;
  }

  update() {
    for (const view of [this.table, this.chart, this.detail]) view.update();
    this.detail.settle();
  }

  /** Takes over a new size. A page without width is hidden, in a notebook tab behind another one. */
  measure() {
    const hidden = this.root.isConnected && this.resizing !== null && this.root.clientWidth === 0;
    this.root.classList.toggle("ctx-hidden", hidden);
    if (hidden) return;
    this.chart.measure();
    this.detail.measure();
    this.detail.settle();
  }

  /** A press with the mouse leaves the focus on the page, as in the player. @param {MouseEvent} event */
  keepFocus(event) {
    if (event.defaultPrevented || !closest(event.target, "button")) return;
    event.preventDefault();
    this.root.focus({ preventScroll: true });
  }

  /** @param {KeyboardEvent} event */
  onKey(event) {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    const move = PLACE_KEYS[event.key];
    // The slider and what scrolls have uses of their own for these keys.
    if (!move || (event.key.length > 1 && closest(event.target, "input, [tabindex='0']:not(button)"))) return;
    this.go(
      within(this.strategy + move[0], this.strategies.length),
      within(this.turn + move[1], this.moments.length),
    );
    event.preventDefault();
    event.stopPropagation();
  }
}

/** A number among `count`, or the nearest there is; -1 of none. @param {number} number @param {number} count */
const within = (number, count) => Math.max(count ? 0 : -1, Math.min(count - 1, number));
