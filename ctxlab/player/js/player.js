// @ts-check
/** One player on the page. */
/** @import { Card, Finding, Heading, Trace } from "./format.js" */
/** @import { Prediction, Question } from "./predict.js" */
import { buildIndex } from "./index.js";
import { faultsByVersion, versionKey } from "./faults.js";
import { fateAt, historyAt, isWhole, placeAt } from "./state.js";
import { FORWARD, MOVES, breakpointSteps } from "./moves.js";
import { isSettled, knownPart, waitingQuestion, withAnswer } from "./predict.js";
import { stepNumber } from "./words.js";
import { closest, element, setAttribute, uniqueId } from "./elements.js";
import { Saver } from "./saving.js";
import { watchSize } from "./sizing.js";
import { LiveRegion } from "./speech.js";
import { HeaderView } from "./views/header.js";
import { NotesView } from "./views/notes.js";
import { TransportView } from "./views/transport.js";
import { HelpView } from "./views/help.js";
import { TimelineView } from "./views/timeline.js";
import { FunctionView } from "./views/function.js";
import { SentenceView } from "./views/sentence.js";
import { HistoryView } from "./views/history.js";
import { OutcomeView } from "./views/outcome.js";
import { QuestionView } from "./views/question.js";
import { PanelsView } from "./views/panels.js";

/**
 * A view is one region of the player. Its `update` brings it up to the player's step; `settle` then scrolls
 * (after every view has made its changes, so that the browser lays the page out once); `measure` takes over
 * a new size.
 * @typedef {{ node: HTMLElement, update(): void, settle?(): void, measure?(): void }} View
 * @typedef {{ get(name: string): any, set(name: string, value: unknown): void, save_changes(): void,
 *             on(event: string, handler: () => void): void, off(event: string, handler: () => void): void }}
 *             Model
 * @typedef {{ which: number, position: number, message: number, findings: Finding[], from: number }} Asked  a
 *   message that the reader asked about, what was found in it, and the step at which that was
 * @typedef {{ regions: string[], label: string, voice: { say(text: string): void } }} Part  a player in a
 *   larger page: the regions that it draws, its label, and who speaks for it
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

const WIDE_FROM_PX = 620;

/** One player on the page: the reader's place in one trace, and the views that show it. */
export class Player {
  /**
   * @param {Model} model
   * @param {HTMLElement} host
   * @param {{ panel: number, map?: boolean }} kept what stays when another trace comes
   * @param {Part | null} part null for a player that stands alone
   */
  constructor(model, host, kept, part = null) {
    this.model = model;
    this.host = host;
    this.prefix = uniqueId();
    /** @type {Question[]} */
    this.questions = model.get("questions") ?? [];
    /** The question that waits for an answer, or null. */
    this.question = waitingQuestion(this.questions, this.predictions);
    const { question } = this;
    const trace = question ? knownPart(model.get("trace"), question.step) : model.get("trace");
    this.index = buildIndex(trace, model.get("clipped") ?? {});
    /** @type {Card[]} */
    this.cards = model.get("cards") ?? [];
    /** @type {string} */
    this.encoding = model.get("encoding") ?? "";
    // Before a prediction, what is wrong with a history is for the reader to see.
    this.faults = isWhole(this.index)
      ? faultsByVersion(model.get("findings") ?? [], model.get("diagnosed") ?? [])
      : new Map();
    this.heading = headingOf(model.get("heading"), this.index.trace);
    // Scenarios are named after what happens in them, and promise it.
    if (question) this.heading = { ...this.heading, scenario: null, promise: null };
    this.step = this.clamped(model.get("step"));
    /** @type {[number, number][]} */
    this.breakpoints = model.get("breakpoints") ?? [];
    this.breaks = breakpointSteps(this.index, this.breakpoints);
    /** @type {Asked | null} */
    this.asked = null;
    this.wide = true;
    /** @type {Map<number, { version: number, sum: number | null }>} */
    this.tokenSums = new Map();
    this.saver = new Saver(model);
    this.live = new LiveRegion();
    this.voice = part?.voice ?? this.live;

    const label = part?.label ?? this.title();
    this.root = element("section", { class: "ctx-player", tabindex: -1, "aria-label": label });
    this.source = new FunctionView(this, kept.map ?? false);
    this.timeline = new TimelineView(this);
    this.questionView = new QuestionView(this);
    this.helpView = new HelpView(this);
    this.transport = new TransportView(this);
    this.panels = new PanelsView(this, kept.panel);
    this.sentence = new SentenceView(this);
    const historyView = new HistoryView(this);
    const header = new HeaderView(this);
    const notes = new NotesView(this);
    const outcome = new OutcomeView(this);
    // The source comes after the sentence, whose height decides how much of the source shows.
    /** @type {Record<string, View>} */
    const regions = {
      notes,
      header,
      transport: this.transport,
      help: this.helpView,
      timeline: this.timeline,
      question: this.questionView,
      sentence: this.sentence,
      source: this.source,
      history: historyView,
      outcome,
      panels: this.panels,
    };
    /** @type {View[]} */
    this.views = [];
    const left = element("div", { class: "ctx-left" }, this.sentence.node, this.source.node);
    const main = element("div", { class: "ctx-main" }, left, historyView.node);
    this.root.append(
      notes.node,
      header.node,
      this.transport.node,
      this.helpView.node,
      this.timeline.node,
      this.questionView.node,
      main,
      outcome.node,
      this.panels.node,
    );
    if (!part) this.root.append(this.live.node);
    for (const [name, view] of Object.entries(regions)) {
      if (!part || part.regions.includes(name)) this.views.push(view);
      else view.node.remove();
    }
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
    this.live.close();
    this.saver.close(!replaced);
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

  /** The last step that the reader may know. */
  get horizon() {
    return this.index.length - 1;
  }

  /** @returns {Prediction[]} */
  get predictions() {
    return this.model.get("predictions") ?? [];
  }

  /** @param {unknown} step */
  clamped(step) {
    return Math.max(0, Math.min(this.horizon, Math.trunc(Number(step)) || 0));
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

  /**
   * What was found in a history as it stands at this step; null where it was not looked at.
   * @param {number} which @returns {import("./faults.js").Faults | null}
   */
  faultsOf(which) {
    const { version } = historyAt(this.index, which, this.step);
    return this.faults.get(versionKey(which, version)) ?? null;
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

  /**
   * Where a move leads from here, or -1. A question that waits stops every way forward.
   * @param {string} move
   */
  target(move) {
    const to = MOVES[move]?.(this.index, this.step, this.breaks) ?? -1;
    return to < 0 && this.question && FORWARD.has(move) ? this.horizon : to;
  }

  /** @param {string} move */
  canMove(move) {
    return this.target(move) >= 0;
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
    if (to !== this.step || asked !== this.asked) this.show(to, asked);
    if (this.model.get("step") !== to) {
      this.model.set("step", to);
      this.saver.save();
    }
    if (this.questionView.isOpen && !asked) this.questionView.focus();
  }

  /** Takes the answer to the question that waits. @param {string | number[]} answer @param {string} reason */
  predict(answer, reason) {
    const { model, question } = this;
    if (!question) return;
    const predictions = withAnswer(question, this.predictions, answer, reason);
    model.set("predictions", predictions);
    if (isSettled(question, predictions)) model.set("step", question.opens);
    else this.questionView.showTry(question);
    model.save_changes();
  }

  /** Whether the answers in the model have moved the horizon: then the player is to be drawn anew. */
  isOutdated() {
    return waitingQuestion(this.questions, this.predictions) !== this.question;
  }

  /** Gives the focus to a player that was drawn anew under the reader's hands, and says where it stands. */
  takeFocus() {
    if (this.questionView.isOpen) this.questionView.focus();
    else this.root.focus({ preventScroll: true });
    this.tell();
  }

  /** @param {number} step @param {Asked | null} asked */
  show(step, asked) {
    this.step = step;
    this.asked = asked;
    this.update();
    this.tell();
  }

  /** Says the step, and what there is to say at it. @param {string} notice what to say first */
  tell(notice = "") {
    const { index, step, asked } = this;
    const where = `Step ${stepNumber(index, step)}, line ${placeAt(index, step)[2]}.`;
    const answer = asked ? [...this.root.querySelectorAll(".ctx-answer > p")] : [];
    const said = answer.map((node) => node.textContent).join(" ") || this.sentence.spoken;
    this.say([notice, where, said, this.questionView.spoken].filter(Boolean).join(" "));
  }

  /**
   * Goes to the step that decided what became of a message, and says why.
   * @param {number} which @param {number} position @param {number} message
   */
  ask(which, position, message) {
    const { fate } = fateAt(this.index, which, position, message, this.index.length - 1);
    const from = this.asked?.from ?? this.step;
    const findings = this.faultsOf(which)?.of.get(position) ?? [];
    this.go(fate ? fate.step : this.step, { which, position, message, findings, from });
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

  /** Speaks through the live region. @param {string} text */
  say(text) {
    this.voice.say(text);
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
    else if (name === "m") this.source.turn();
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
