// @ts-check
/** One player on the page. */
/** @import { Card, Heading, Trace } from "./format.js" */
import { buildIndex } from "./index.js";
import { fateAt, historyAt, placeAt } from "./state.js";
import { MOVES, breakpointSteps } from "./moves.js";
import { closest, element, setAttribute, setText, uniqueId } from "./elements.js";
import { HeaderView } from "./views/header.js";
import { NotesView } from "./views/notes.js";
import { TransportView } from "./views/transport.js";
import { HelpView } from "./views/help.js";
import { TimelineView } from "./views/timeline.js";
import { SourceView } from "./views/source.js";
import { SentenceView } from "./views/sentence.js";
import { HistoryView } from "./views/history.js";
import { OutcomeView } from "./views/outcome.js";
import { PanelsView } from "./views/panels.js";

/**
 * A view is one region of the player. Its `update` brings the view up to the player's step; `settle` then scrolls (after every view has made its
 * changes, so that the browser lays the page out once); `measure` takes over a new size.
 * @typedef {{ node: HTMLElement, update(): void, settle?(): void, measure?(): void }} View
 * @typedef {{ get(name: string): any, set(name: string, value: unknown): void, save_changes(): void,
 *             on(event: string, handler: () => void): void, off(event: string, handler: () => void): void }}
 *             Model
 * @typedef {{ which: number, position: number, message: number, from: number }} Asked  a message that the
 *   reader asked about, and the step at which that was
 */

/** @type {Record<string, string>} */
const KEYS = {
  ArrowLeft: "back",
  ArrowRight: "step",
  "Shift+ArrowLeft": "previousBreakpoint",
  "Shift+ArrowRight": "nextBreakpoint",
  Home: "start",
  End: "end",
  n: "nextDecision",
  p: "previousDecision",
  "]": "nextChange",
  "[": "previousChange",
  o: "over",
  u: "out",
  F10: "over",
  "Shift+F10": "overBack",
};

/** What to say where a move leads nowhere. @type {Record<string, string>} */
const NOWHERE = {
  previousDecision: "No decision before this step.",
  nextDecision: "No decision after this step.",
  previousChange: "No change before this step.",
  nextChange: "No change after this step.",
  previousBreakpoint: "No breakpoint before this step.",
  nextBreakpoint: "No breakpoint after this step.",
};

const SAVE_EVERY_MS = 150;
const SAY_AFTER_MS = 200;
const WIDE_FROM_PX = 620;

/** One player on the page: the reader's place in one trace, and the views that show it. */
export class Player {
  /**
   * @param {Model} model
   * @param {HTMLElement} host
   * @param {{ panel: number }} kept what stays when another trace comes
   */
  constructor(model, host, kept) {
    this.model = model;
    this.host = host;
    this.prefix = uniqueId();
    this.index = buildIndex(model.get("trace"), model.get("clipped") ?? {});
    /** @type {Card[]} */
    this.cards = model.get("cards") ?? [];
    /** @type {string} */
    this.encoding = model.get("encoding") ?? "";
    this.heading = headingOf(model.get("heading"), this.index.trace);
    this.step = this.clamped(model.get("step"));
    /** @type {[number, number][]} */
    this.breakpoints = model.get("breakpoints") ?? [];
    this.breaks = breakpointSteps(this.index, this.breakpoints);
    /** @type {Asked | null} */
    this.asked = null;
    this.wide = true;
    /** @type {Map<number, { version: number, sum: number | null }>} */
    this.tokenSums = new Map();
    this.saving = 0;
    this.saveAgain = false;
    this.saying = 0;

    this.live = element("div", { class: "ctx-live", role: "status", "aria-live": "polite" });
    this.root = element("section", { class: "ctx-player", tabindex: -1, "aria-label": this.title() });
    this.source = new SourceView(this);
    this.timeline = new TimelineView(this);
    this.helpView = new HelpView(this);
    this.transport = new TransportView(this);
    this.panels = new PanelsView(this, kept.panel);
    this.sentence = new SentenceView(this);
    const historyView = new HistoryView(this);
    const header = new HeaderView(this);
    const notes = new NotesView(this);
    const outcome = new OutcomeView(this);
    /** @type {View[]} */
    // The source comes after the sentence, whose height decides how much of the source shows.
    this.views = [
      notes,
      header,
      this.transport,
      this.helpView,
      this.timeline,
      this.sentence,
      this.source,
      historyView,
      outcome,
      this.panels,
    ];
    const left = element("div", { class: "ctx-left" }, this.sentence.node, this.source.node);
    const main = element("div", { class: "ctx-main" }, left, historyView.node);
    this.root.append(
      notes.node,
      header.node,
      this.transport.node,
      this.helpView.node,
      this.timeline.node,
      main,
      outcome.node,
      this.panels.node,
      this.live,
    );
    this.root.addEventListener("keydown", (event) => this.onKey(event));
    this.root.addEventListener("mousedown", (event) => this.keepFocus(event));
    host.replaceChildren(this.root);
    this.resizing = watchSize(this.root, () => this.measure());
    this.measure();
    this.update();
  }

  /** @param {boolean} replaced whether another trace takes its place: then its last step is of no use to the host */
  close(replaced) {
    this.resizing?.disconnect();
    clearTimeout(this.saying);
    if (this.saving) {
      clearTimeout(this.saving);
      if (this.saveAgain && !replaced) this.model.save_changes();
    }
    this.root.remove();
  }

  /** @param {string} name */
  id(name) {
    return `${this.prefix}-${name}`;
  }

  title() {
    const { function: name, scenario } = this.heading;
    return `Step through ${name}${scenario ? `, scenario ${scenario}` : ""}`;
  }

  /** @param {unknown} step */
  clamped(step) {
    return Math.max(0, Math.min(this.index.length - 1, Math.trunc(Number(step)) || 0));
  }

  /** Tokens of a history at this step; null where a message was not counted. @param {number} which */
  tokens(which) {
    const { version, messages } = historyAt(this.index, which, this.step);
    const known = this.tokenSums.get(which);
    if (known?.version === version) return known.sum;
    let sum = /** @type {number | null} */ (this.encoding ? 0 : null);
    for (const message of messages) {
      const tokens = this.cards[message].tokens;
      sum = sum === null || tokens === null ? null : sum + tokens;
    }
    this.tokenSums.set(which, { version, sum });
    return sum;
  }

  update() {
    for (const view of this.views) view.update();
    for (const view of this.views) view.settle?.();
  }

  /** Takes over a new size. A player without width is hidden, in a notebook tab behind another one. */
  measure() {
    const hidden = this.root.isConnected && this.resizing !== null && this.root.clientWidth === 0;
    this.root.classList.toggle("ctx-hidden", hidden);
    if (hidden) return;
    const wide = (this.root.clientWidth || WIDE_FROM_PX) >= WIDE_FROM_PX;
    const turned = wide !== this.wide;
    this.wide = wide;
    if (turned) this.update();
    for (const view of this.views) view.measure?.();
    for (const view of this.views) view.settle?.();
  }

  /** Where a move leads from here, or -1. @param {string} move */
  target(move) {
    return MOVES[move]?.(this.index, this.step, this.breaks) ?? -1;
  }

  /** @param {string} move */
  move(move) {
    const to = this.target(move);
    if (to >= 0) this.go(to);
    else if (NOWHERE[move]) this.say(NOWHERE[move]);
  }

  /** Every way to another step leads through here. @param {number} step @param {Asked | null} asked */
  go(step, asked = null) {
    const to = this.clamped(step);
    if (to === this.step && asked === this.asked) return;
    this.show(to, asked);
    if (this.model.get("step") !== to) {
      this.model.set("step", to);
      this.save();
    }
  }

  /** @param {number} step @param {Asked | null} asked */
  show(step, asked) {
    this.step = step;
    this.asked = asked;
    this.update();
    const where = `Step ${step} of ${this.index.length - 1}, line ${placeAt(this.index, step)[2]}.`;
    const answer = asked && this.root.querySelector(".ctx-answer p");
    this.say(`${where} ${answer ? answer.textContent : this.sentence.spoken}`);
  }

  /**
   * Goes to the step that decided what became of a message, and says why.
   * @param {number} which @param {number} position @param {number} message
   */
  ask(which, position, message) {
    const { fate } = fateAt(this.index, which, position, message, this.index.length - 1);
    const from = this.asked?.from ?? this.step;
    this.go(fate ? fate.step : this.step, { which, position, message, from });
  }

  /** @param {number} source @param {number} line */
  toggleBreakpoint(source, line) {
    const others = this.breakpoints.filter(([s, l]) => s !== source || l !== line);
    const added = others.length === this.breakpoints.length;
    this.model.set("breakpoints", added ? [...others, [source, line]] : others);
    this.model.save_changes();
    this.showBreakpoints();
    this.say(`Breakpoint on line ${line} ${added ? "set" : "removed"}.`);
  }

  showBreakpoints() {
    this.breakpoints = this.model.get("breakpoints") ?? [];
    this.breaks = breakpointSteps(this.index, this.breakpoints);
    this.timeline.drawMarks();
    this.source.mark();
    this.transport.update();
  }

  /** The host moved the step. */
  followHost() {
    const step = this.clamped(this.model.get("step"));
    if (step !== this.step) this.show(step, null);
  }

  toggleHelp(open = this.helpView.node.hidden) {
    this.helpView.node.hidden = !open;
    setAttribute(this.transport.help, "aria-expanded", String(open));
  }

  /** Sends at most one message per interval while a key repeats; the last position is always sent. */
  save() {
    if (this.saving) {
      this.saveAgain = true;
      return;
    }
    this.model.save_changes();
    this.saving = setTimeout(() => {
      this.saving = 0;
      if (!this.saveAgain) return;
      this.saveAgain = false;
      this.save();
    }, SAVE_EVERY_MS);
  }

  /** Speaks through the live region, once the reader has come to rest. @param {string} text */
  say(text) {
    clearTimeout(this.saying);
    this.saying = setTimeout(() => setText(this.live, text), SAY_AFTER_MS);
  }

  /**
   * A press with the mouse leaves the focus on the player itself, so that the arrow keys go on stepping.
   * @param {MouseEvent} event
   */
  keepFocus(event) {
    if (!closest(event.target, "button")) return;
    event.preventDefault();
    this.root.focus({ preventScroll: true });
  }

  /** @param {KeyboardEvent} event */
  onKey(event) {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target))
      return;
    const name = event.shiftKey && event.key.length > 1 ? `Shift+${event.key}` : event.key;
    if (name in KEYS) this.move(KEYS[name]);
    else if (name === "b") this.breakHere();
    else if (name === "?") this.toggleHelp();
    else if (name === "Escape" && !this.helpView.node.hidden) this.toggleHelp(false);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  breakHere() {
    const [, source, line] = placeAt(this.index, this.step);
    this.toggleBreakpoint(source, line);
  }
}

/** @param {Partial<Heading> | null | undefined} heading @param {Trace} trace @returns {Heading} */
function headingOf(heading, trace) {
  const { scenario } = trace;
  return {
    function: trace.function,
    scenario: scenario?.name ?? null,
    promise: scenario?.promise ?? null,
    settings: [],
    stand_ins: [],
    ...heading,
  };
}

/** Whether keys belong to a text field. The slider is no text field. @param {EventTarget | null} target */
function isTyping(target) {
  const field = closest(target, "input, textarea, select, [contenteditable]");
  return field !== null && !field.classList.contains("ctx-slider");
}

/** @param {HTMLElement} node @param {() => void} measure */
function watchSize(node, measure) {
  if (typeof ResizeObserver === "undefined") return null;
  const observer = new ResizeObserver(measure);
  observer.observe(node);
  return observer;
}
