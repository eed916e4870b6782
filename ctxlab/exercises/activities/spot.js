// @ts-check
/** Spot: a history at a time. The learner names the message to blame and the kind of its fault. */
/** @import { Model } from "./activity.js" */
import { element, icon, setText, uniqueId } from "../../player/js/elements.js";
import { activity, showVerdict } from "./activity.js";

/**
 * `answer` is the right message and the index of the right kind; what follows it is told once that is known.
 * @typedef {{ kind: string, id: string, text: string }} Part
 * @typedef {{ title: string, rows: { role: string, parts: Part[] }[], answer: [number, number],
 *   code: string, text: string, fix: string, story: string, source: string }} History
 * @typedef {{ node: HTMLElement, input: HTMLInputElement, mark: HTMLElement }} Choice
 */

const TRIES = 2;

/**
 * Whether a history is done with, and whether it was found.
 * @param {number[][]} tries @param {[number, number]} answer
 */
export function stateOf(tries, answer) {
  const isFound = tries.some((made) => String(made) === String(answer));
  return { isFound, isOver: isFound || tries.length >= TRIES };
}

/** What to say of a wrong try that is not the last. @param {number[]} made @param {[number, number]} answer */
export function tryAgain(made, answer) {
  if (made[0] === answer[0]) return "The message is right. What is wrong with it is something else.";
  if (made[1] === answer[1]) return "Such a fault is in this history, but another message is to blame.";
  return "Neither the message nor the kind.";
}

class Spot {
  /** @param {Model} model @param {(text: string) => void} say */
  constructor(model, say) {
    this.model = model;
    this.say = say;
    /** @type {History[]} */
    this.histories = model.get("histories");
    /** @type {string[]} */
    this.kinds = model.get("kinds");
    const first = this.histories.findIndex((_, at) => !this.state(at).isOver);
    /** The history that is shown. */
    this.at = Math.max(first, 0);

    this.title = element("p", { class: "act-spot-title" });
    this.score = element("p", { class: "act-aside" });
    this.choices = element("div", {});
    this.check = element("button", { class: "act-action" }, "Check");
    this.again = element("button", { class: "act-plain" }, "Try this one again");
    this.previous = element("button", { class: "act-plain" }, "Previous history");
    this.next = element("button", { class: "act-plain" }, "Next history");
    this.verdict = element("p");
    this.told = element("div", { class: "act-spot-told" });
    this.node = element(
      "div",
      {},
      element("p", { class: "act-asks" }, model.get("task")),
      element("div", { class: "act-spot-head" }, this.title, this.score),
      this.choices,
      element("div", { class: "act-actions" }, this.check, this.again, this.previous, this.next),
      this.verdict,
      this.told,
    );
    this.check.addEventListener("click", () => this.onCheck());
    this.again.addEventListener("click", () => this.onAgain());
    this.previous.addEventListener("click", () => this.open(this.at - 1));
    this.next.addEventListener("click", () => this.open(this.at + 1));
    this.draw();
  }

  get history() {
    return this.histories[this.at];
  }

  /** @returns {number[][][]} */
  get tried() {
    return this.model.get("tried");
  }

  /** @param {number} at */
  state(at) {
    return stateOf(this.tried[at], this.histories[at].answer);
  }

  /** Draws the history at `this.at` with nothing chosen, or with the latest try on it. */
  draw() {
    const { rows } = this.history;
    const id = uniqueId();
    this.messages = rows.map(({ role, parts }, number) =>
      choice(
        `${id}-message`,
        element("span", { class: "act-spot-number" }, String(number)),
        element("span", { class: "act-spot-role" }, role),
        element("span", { class: "act-spot-parts" }, ...parts.map(partNode)),
      ),
    );
    this.reasons = this.kinds.map((kind) => choice(`${id}-kind`, element("span", {}, kind)));
    this.choices.replaceChildren(
      group("The message to blame", this.messages),
      group("What is wrong with it", this.reasons),
    );
    const latest = this.tried[this.at].at(-1);
    if (latest) {
      this.messages[latest[0]].input.checked = true;
      this.reasons[latest[1]].input.checked = true;
    }
  }

  update() {
    const { history, at } = this;
    const { isFound, isOver } = this.state(at);
    const done = this.histories.filter((_, number) => this.state(number).isOver).length;
    const found = this.histories.filter((_, number) => this.state(number).isFound).length;
    setText(this.title, history.title);
    setText(this.score, `${done} of ${this.histories.length} looked at, ${found} found`);
    /** @type {[Choice[] | undefined, number][]} */
    const groups = [
      [this.messages, history.answer[0]],
      [this.reasons, history.answer[1]],
    ];
    for (const [choices, right] of groups)
      choices?.forEach(({ node, input, mark }, number) => {
        input.disabled = isOver;
        mark.hidden = !isOver || number !== right;
        node.classList.toggle("act-spot-right", isOver && number === right);
      });
    this.check.hidden = isOver;
    this.again.hidden = !isOver;
    this.previous.hidden = at === 0;
    this.next.hidden = at === this.histories.length - 1;
    this.next.className = isOver ? "act-action" : "act-plain";
    this.updateVerdict(isFound, isOver);
  }

  /** @param {boolean} isFound @param {boolean} isOver */
  updateVerdict(isFound, isOver) {
    const { answer, code, text, fix, story, source } = this.history;
    const latest = this.tried[this.at].at(-1);
    this.verdict.hidden = !latest;
    this.told.hidden = !isOver;
    if (latest && isOver) {
      const words = `It is message ${answer[0]}: ${lowerFirst(this.kinds[answer[1]])}.`;
      showVerdict(this.verdict, isFound, isFound ? "Found." : "Not found.", words);
    } else if (latest) {
      showVerdict(this.verdict, false, "Not yet.", `${tryAgain(latest, answer)} One more try.`);
    }
    this.told.replaceChildren(
      ...(isOver
        ? [
            told("diagnose finds", element("code", {}, code), `: ${text}.`),
            told("Remedy", fix),
            told("How it came about", story),
            told("Rebuilt from a public report", source),
          ]
        : []),
    );
  }

  /** @param {number} at */
  open(at) {
    this.at = at;
    this.draw();
    this.update();
    this.say(this.history.title);
    // The button that was pressed may be gone, and the history is what comes next.
    const chosen = this.messages?.find(({ input }) => input.checked) ?? this.messages?.[0];
    if (chosen && !chosen.input.disabled) chosen.input.focus();
    else (this.next.hidden ? this.previous : this.next).focus();
  }

  /** @param {number[][]} tries on the history that is shown */
  keep(tries) {
    this.model.set(
      "tried",
      this.tried.map((earlier, at) => (at === this.at ? tries : earlier)),
    );
    this.model.save_changes();
    this.update();
  }

  onCheck() {
    const message = this.messages?.findIndex(({ input }) => input.checked) ?? -1;
    const kind = this.reasons?.findIndex(({ input }) => input.checked) ?? -1;
    if (message < 0 || kind < 0) {
      this.verdict.hidden = false;
      showVerdict(this.verdict, false, "Not checked.", "Choose a message, and what is wrong with it.");
      this.say(this.verdict.textContent ?? "");
      return;
    }
    this.keep([...this.tried[this.at], [message, kind]]);
    this.say(this.verdict.textContent ?? "");
    if (this.check.hidden) (this.next.hidden ? this.again : this.next).focus();
  }

  onAgain() {
    this.keep([]);
    this.draw();
    this.update();
    this.messages?.[0].input.focus();
  }
}

/**
 * One radio button with what it stands for.
 * @param {string} name @param {...HTMLElement} words
 * @returns {Choice}
 */
function choice(name, ...words) {
  const input = element("input", { type: "radio", name });
  const mark = element("span", { class: "act-spot-mark" }, icon("kept"), "this one");
  return { node: element("label", { class: "act-spot-choice" }, input, ...words, mark), input, mark };
}

/** @param {string} legend @param {Choice[]} choices */
const group = (legend, choices) =>
  element("fieldset", {}, element("legend", {}, legend), ...choices.map(({ node }) => node));

/** @param {Part} part */
const partNode = ({ kind, id, text }) =>
  element(
    "span",
    { class: "act-spot-part" },
    kind === "text" ? null : element("b", {}, kind),
    id ? element("code", {}, id) : null,
    text ? element("span", {}, text) : null,
  );

/** @param {string} label @param {...(HTMLElement | string)} words */
const told = (label, ...words) =>
  element("p", {}, element("span", { class: "act-label" }, label), element("span", {}, ...words));

/** @param {string} text */
const lowerFirst = (text) => text.charAt(0).toLowerCase() + text.slice(1);

export default { render: activity("spot", ["tried"], (model, say) => new Spot(model, say)) };
