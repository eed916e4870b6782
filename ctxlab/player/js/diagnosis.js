// @ts-check
/** One history on the page, and what is wrong with it. */
/** @import { Card } from "./format.js" */
/** @import { Model } from "./player.js" */
import { closest, element } from "./elements.js";
import { Saver } from "./saving.js";
import { watchSize } from "./sizing.js";
import { LiveRegion } from "./speech.js";
import { grouped } from "./text.js";
import { Toolbar } from "./toolbar.js";
import { kindWord } from "./views/card.js";
import { FindingView, placeWords } from "./views/finding.js";
import { FindingsView } from "./views/findings.js";
import { MessageView } from "./views/chosen.js";
import { MessagesView } from "./views/messages.js";
import { ReportView } from "./views/report.js";

/**
 * @typedef {{ code: string, message: number | null, block: number | null, path: string, place: string,
 *   text: string, fix: string }} Finding  path: of the block in the message; place: in the file
 * @typedef {{ name: string, headline: string, facts: string[], lines: string[], warning: string }}
 *   ReportHeading
 * @typedef {[path: string, text: string, leftOut: number]} MessageText  leftOut: characters
 */

/** @type {Record<string, string>} */
const DIAGNOSIS_KEYS = {
  p: "previousFinding",
  n: "nextFinding",
  ArrowLeft: "previousMessage",
  ArrowRight: "nextMessage",
  Home: "firstMessage",
  End: "lastMessage",
};

/** What to say where a move leads nowhere. @type {Record<string, string>} */
const NOWHERE_TO_GO = {
  previousFinding: "No finding before this place.",
  nextFinding: "No finding after this place.",
  previousMessage: "This is the first message.",
  nextMessage: "This is the last message.",
};

/** @type {import("./toolbar.js").MoveGroup[]} */
const DIAGNOSIS_MOVES = [
  {
    name: "finding",
    buttons: [
      ["previousFinding", "Previous finding", "p", "previous", "what is wrong before this place"],
      ["nextFinding", "Next finding", "n", "next", "what is wrong after this place"],
    ],
  },
  {
    name: "message",
    buttons: [
      ["previousMessage", "Previous message", "left arrow", "previous", "the message before"],
      ["nextMessage", "Next message", "right arrow", "next", "the message after"],
    ],
  },
];

/** From here on what is wrong stands beside what to do. The style sheet changes over at the same width. */
const ROWS_FROM_PX = 720;

/** A history with its findings, and the reader's place in both: a message, a finding, either or none. */
export class Diagnosis {
  /** @param {Model} model @param {HTMLElement} host */
  constructor(model, host) {
    this.model = model;
    /** @type {ReportHeading} */
    this.heading = model.get("heading");
    /** @type {Card[]} */
    this.cards = model.get("cards");
    /** @type {MessageText[][]} */
    this.texts = model.get("texts");
    /** @type {string[]} */
    this.origins = model.get("origins");
    /** @type {Map<number, string>} */
    this.splits = new Map(model.get("splits"));
    /** @type {Finding[]} */
    this.findings = model.get("findings");
    this.findingsOf = findingsByMessage(this.findings);
    const [message, finding] = this.checkedPlace();
    this.message = message;
    this.finding = finding;
    this.saver = new Saver(model);
    this.live = new LiveRegion();

    this.root = element("section", {
      class: "ctx-player ctx-diagnosis",
      tabindex: -1,
      "aria-label": `Diagnosis of ${this.heading.name || "a list of messages"}`,
    });
    this.toolbar = new Toolbar("Findings and messages", DIAGNOSIS_MOVES, this);
    this.position = element("span", { class: "ctx-position" });
    this.detail = new FindingView(this);
    this.list = new FindingsView(this);
    this.messages = new MessagesView(this);
    this.chosen = new MessageView(this);
    const history = element("div", { class: "ctx-diagnosed" }, this.messages.node, this.chosen.node);
    history.hidden = this.cards.length === 0;
    this.root.append(
      new ReportView(this).node,
      element("div", { class: "ctx-transport" }, this.toolbar.node, this.position),
      this.detail.node,
      this.list.node,
      history,
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

  /** What the host has as [message, finding], each -1 where it is not there. @returns {[number, number]} */
  checkedPlace() {
    const [message, finding] = this.model.get("place");
    return [message in this.cards ? message : -1, finding in this.findings ? finding : -1];
  }

  /** Where a move leads: a message, or a finding; null for nowhere. @param {string} move */
  destination(move) {
    const { message, finding, cards, findings } = this;
    const inMessages = (/** @type {number} */ to) => (to >= 0 && to < cards.length ? to : null);
    const inFindings = (/** @type {number} */ to) => (to >= 0 && to < findings.length ? to : null);
    switch (move) {
      case "previousMessage":
        return inMessages(message - 1);
      case "nextMessage":
        return inMessages(message + 1);
      case "firstMessage":
        return inMessages(0);
      case "lastMessage":
        return inMessages(cards.length - 1);
      case "previousFinding":
        return inFindings((finding >= 0 ? finding : firstFrom(findings, message)) - 1);
      case "nextFinding":
        return inFindings(finding >= 0 ? finding + 1 : firstFrom(findings, message));
      default:
        return null;
    }
  }

  /** @param {string} move */
  canMove(move) {
    return this.destination(move) !== null;
  }

  /** @param {string} move */
  move(move) {
    const to = this.destination(move);
    if (to === null) {
      if (NOWHERE_TO_GO[move]) this.live.say(NOWHERE_TO_GO[move]);
    } else if (move.endsWith("Finding")) this.chooseFinding(to);
    else this.chooseMessage(to);
  }

  /** A finding and the message that it blames. @param {number} finding */
  chooseFinding(finding) {
    this.go(this.findings[finding].message ?? this.message, finding);
  }

  /** A message, and its first finding where it has one. @param {number} message */
  chooseMessage(message) {
    const own = this.findingsOf.get(message) ?? [];
    this.go(message, own.includes(this.finding) ? this.finding : (own[0] ?? -1));
  }

  /** Every move leads through here. @param {number} message @param {number} finding */
  go(message, finding) {
    if (message === this.message && finding === this.finding) return;
    this.show(message, finding);
    this.model.set("place", [message, finding]);
    this.saver.save();
  }

  /** @param {number} message @param {number} finding */
  show(message, finding) {
    this.message = message;
    this.finding = finding;
    this.update();
    this.live.say(this.spoken());
  }

  /** The host moved the place. */
  followHost() {
    const [message, finding] = this.checkedPlace();
    if (message !== this.message || finding !== this.finding) this.show(message, finding);
  }

  /** The place in words, for the ear. */
  spoken() {
    const { message, finding, findings, cards } = this;
    if (finding >= 0)
      return `Finding ${grouped(finding + 1)} of ${grouped(findings.length)}. ${findings[finding].text}`;
    return message < 0 ? "" : `Message ${message}, ${kindWord(cards[message])}. No finding.`;
  }

  update() {
    this.toolbar.update();
    this.position.textContent = placeWords(this);
    for (const view of [this.detail, this.list, this.messages, this.chosen]) view.update();
    for (const view of [this.list, this.messages]) view.settle();
  }

  /** Takes over a new size. A page without width is hidden, in a notebook tab behind another one. */
  measure() {
    const hidden = this.root.isConnected && this.resizing !== null && this.root.clientWidth === 0;
    this.root.classList.toggle("ctx-hidden", hidden);
    if (hidden) return;
    this.list.measure((this.root.clientWidth || ROWS_FROM_PX) >= ROWS_FROM_PX);
    this.messages.measure();
    for (const view of [this.list, this.messages]) view.settle();
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
    if (!(event.key in DIAGNOSIS_KEYS)) return;
    this.move(DIAGNOSIS_KEYS[event.key]);
    event.preventDefault();
    event.stopPropagation();
  }
}

/**
 * The numbers of the findings of each message.
 * @param {Finding[]} findings @returns {Map<number, number[]>}
 */
function findingsByMessage(findings) {
  /** @type {Map<number, number[]>} */
  const found = new Map();
  findings.forEach(({ message }, number) => {
    if (message === null) return;
    const others = found.get(message);
    if (others) others.push(number);
    else found.set(message, [number]);
  });
  return found;
}

/**
 * The first finding that blames this message or a later one.
 * @param {Finding[]} findings @param {number} message
 */
function firstFrom(findings, message) {
  const at = findings.findIndex((finding) => finding.message !== null && finding.message >= message);
  return at < 0 ? findings.length : at;
}
