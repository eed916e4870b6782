// @ts-check
/** The chosen message: its findings, the other half of its pairs, and its texts. */
/** @import { Diagnosis } from "../diagnosis.js" */
import { counted, grouped } from "../text.js";
import { closest, element, icon } from "../elements.js";
import { kindWord } from "./card.js";
import { codeWords } from "./mark.js";
import { pathTerm } from "./path.js";

const MOST_PAIRS = 20;

export class MessageView {
  /** @param {Diagnosis} diagnosis */
  constructor(diagnosis) {
    this.diagnosis = diagnosis;
    this.calledIn = placesOf(diagnosis.cards.map((card) => card.calls));
    this.answeredIn = placesOf(diagnosis.cards.map((card) => card.results));
    this.node = element("div", {
      class: "ctx-chosen",
      role: "region",
      "aria-label": "Chosen message",
      tabindex: 0,
    });
    this.drawn = "";
    this.node.addEventListener("click", (event) => {
      const target = closest(event.target, "button");
      if (target?.dataset.finding) diagnosis.chooseFinding(Number(target.dataset.finding));
      else if (target?.dataset.message) diagnosis.chooseMessage(Number(target.dataset.message));
    });
  }

  update() {
    const { message, finding } = this.diagnosis;
    const key = `${message} ${finding}`;
    if (key === this.drawn) return;
    const moved = this.drawn.split(" ")[0] !== String(message);
    this.drawn = key;
    this.node.replaceChildren(...(message < 0 ? drawNoMessage() : this.draw(message)));
    if (moved) this.node.scrollTop = 0;
  }

  /** @param {number} message */
  draw(message) {
    const { cards, origins, texts } = this.diagnosis;
    const card = cards[message];
    const kind = kindWord(card);
    const facts = [
      kind === card.role ? kind : `${card.role}, ${kind}`,
      origins[message],
      `${grouped(card.bytes)} bytes`,
      card.tokens !== null && counted(card.tokens, "token"),
    ];
    const paths = this.blamedPaths(message);
    return [
      element(
        "p",
        { class: "ctx-chosen-head" },
        element("b", {}, `Message ${message}`),
        " ",
        element("span", { class: "ctx-aside" }, facts.filter(Boolean).join(" · ")),
      ),
      ...this.drawFindings(message),
      ...this.drawPairs(message),
      element(
        "dl",
        { class: "ctx-texts" },
        ...texts[message].map(([path, text, leftOut]) =>
          element(
            "div",
            { class: paths.some((blamed) => startsPath(path, blamed)) && "ctx-blamed-text" },
            pathTerm(path),
            element("dd", {}, leftOut ? `${text}… (${counted(leftOut, "more character")})` : text),
          ),
        ),
      ),
    ];
  }

  /**
   * The findings of the message, where there are several: each leads to its text above.
   * @param {number} message
   */
  drawFindings(message) {
    const { findings, findingsOf, finding } = this.diagnosis;
    const own = findingsOf.get(message) ?? [];
    if (own.length < 2) return [];
    const buttons = own.map((number) => {
      const { code, block } = findings[number];
      const where = block === null ? "" : `block ${block}: `;
      return element(
        "button",
        {
          class: "ctx-switch ctx-finding-switch",
          "data-finding": number,
          "aria-pressed": String(number === finding),
        },
        icon("refused"),
        `${where}${codeWords(code)}`,
      );
    });
    const label = "Findings of this message";
    return [
      element("div", { class: "ctx-finding-switches", role: "group", "aria-label": label }, ...buttons),
    ];
  }

  /** Where the other halves of the message's calls and results are. @param {number} message */
  drawPairs(message) {
    const { calls, results } = this.diagnosis.cards[message];
    const answered = calls.map((id) => {
      const at = this.answeredIn.get(id)?.find((place) => place >= message);
      return pairLine(id, at, "is answered in message", "is answered nowhere after this message");
    });
    const called = results.map((id) => {
      const at = this.calledIn.get(id)?.filter((place) => place <= message).at(-1);
      return pairLine(id, at, "is called in message", "is called nowhere before this message");
    });
    const lines = [...answered, ...called];
    const more = lines.length - MOST_PAIRS;
    if (more <= 0) return lines;
    const rest = element("p", { class: "ctx-pair-line" }, `and ${counted(more, "more id")}`);
    return [...lines.slice(0, MOST_PAIRS), rest];
  }

  /**
   * The paths of the blocks that the current finding blames, or else those of the message.
   * @param {number} message
   */
  blamedPaths(message) {
    const { findings, findingsOf, finding } = this.diagnosis;
    const own = finding >= 0 ? [finding] : (findingsOf.get(message) ?? []);
    return own.map((number) => findings[number].path).filter(Boolean);
  }
}

const drawNoMessage = () => [
  element("p", { class: "ctx-aside" }, "No message is chosen. Choose a card to read it."),
];

/** @param {string} path @param {string} start */
const startsPath = (path, start) =>
  path.startsWith(start) && (path.length === start.length || ".[".includes(path[start.length]));

/**
 * The messages that have each id, in order.
 * @param {string[][]} ids of each message @returns {Map<string, number[]>}
 */
function placesOf(ids) {
  /** @type {Map<string, number[]>} */
  const places = new Map();
  ids.forEach((own, message) => {
    for (const id of own) {
      const known = places.get(id);
      if (known) known.push(message);
      else places.set(id, [message]);
    }
  });
  return places;
}

/** @param {string} id @param {number | undefined} at @param {string} there @param {string} nowhere */
const pairLine = (id, at, there, nowhere) =>
  element(
    "p",
    { class: "ctx-pair-line" },
    element("code", {}, id),
    ` ${at === undefined ? nowhere : `${there} `}`,
    at !== undefined && element("button", { class: "ctx-link", "data-message": at }, String(at)),
  );
