// @ts-check
/** The step in one sentence, and the answer about a message. */
/** @import { Cell, Finding } from "../format.js" */
/** @import { Index } from "../index.js" */
/** @import { Asked, Player } from "../player.js" */
import { ACTIVE, CANDIDATE, RESULTS, classOf } from "../format.js";
import { isObject } from "../index.js";
import { counted, grouped, head } from "../text.js";
import {
  cellsAt,
  changedFields,
  changedObjects,
  commitBefore,
  fateAt,
  fieldsAt,
  hasChanged,
  historyAt,
  isEnd,
  isRejected,
  isWhole,
  mergedInto,
  placeAt,
  stackAt,
  variablesAt,
} from "../state.js";
import {
  decisionAt,
  decisionParts,
  fieldName,
  labelOf,
  lineText,
  sizeText,
  stepSentence,
  valueList,
  why,
} from "../words.js";
import { element, icon, setText } from "../elements.js";
import { predictionFor } from "../predict.js";
import { kindWord } from "./card.js";
import { codeWords } from "./mark.js";
import { details } from "./message.js";
import { verdictMark } from "./question.js";

const CHARACTERS_OF_A_LINE = 160;

/** The step in one sentence, and below it what the reader asked about a message. */
export class SentenceView {
  /** @param {Player} player */
  constructor(player) {
    this.player = player;
    this.where = element("p", { class: "ctx-where" });
    this.said = element("p", { class: "ctx-said" });
    this.says = element("p", { class: "ctx-says" });
    this.next = element("p", { class: "ctx-next" });
    this.aside = element("p", { class: "ctx-aside" });
    this.answer = element("div", { class: "ctx-answer" });
    this.node = element(
      "div",
      { class: "ctx-sentence" },
      this.where,
      this.said,
      this.says,
      this.next,
      this.aside,
      this.answer,
    );
  }

  update() {
    const { index, step, asked } = this.player;
    const [, number, line] = placeAt(index, step);
    const label = labelOf(index.trace.sources[number], line);
    const names = stackAt(index, step).map((frame) => index.trace.frames[frame][2]);
    const under = label && !stepSentence(index, step).includes(label) ? ` · ${label}` : "";
    setText(this.where, `${names.reverse().join(" › ")}, line ${line}${under}`);
    this.saySaid();
    this.say();
    const remark = this.remark();
    setText(this.aside, remark);
    this.aside.hidden = !remark;
    this.aside.classList.toggle("ctx-begin", step === 0);
    this.answer.hidden = !asked;
    if (asked) this.explain(asked);
    else this.answer.replaceChildren();
  }

  /** What is said aloud of a step. */
  get spoken() {
    const nodes = [this.said, this.says, this.next, this.aside];
    const texts = nodes.map((node) => (node.textContent ?? "").trim());
    return texts.filter(Boolean).join(" ");
  }

  say() {
    const { index, step } = this.player;
    const number = decisionAt(index, step);
    const next = this.nextLine();
    const said = number >= 0 ? this.sayDecision(number) : this.sayStep();
    // A line without a comment of its own speaks for itself, in the place of the sentence.
    const silent = next !== null && !said.textContent;
    this.says.replaceChildren(...(silent ? next : [said]));
    this.next.replaceChildren(...(silent || !next ? [] : next));
    this.next.hidden = !this.next.hasChildNodes();
  }

  /** What the reader predicted of the decision at this step. */
  saySaid() {
    const { questions, predictions, step } = this.player;
    const question = questions.find(({ ask, opens }) => ask === "decisions" && opens === step);
    const made = question ? predictionFor(question, predictions) : null;
    this.said.replaceChildren(...(made ? [verdictMark(made.right), `You said ${made.answer}.`] : []));
    this.said.hidden = !made;
  }

  /** @param {number} number */
  sayDecision(number) {
    const { question, saw, link, answer, consequence } = decisionParts(this.player.index, number);
    const values = element("span", { class: "ctx-values" }, saw);
    return element(
      "span",
      {},
      question && element("b", {}, question),
      " ",
      values,
      link,
      element("b", { class: `ctx-${answer}` }, answer),
      `. ${consequence}`,
    );
  }

  /** The sentence of any other step; what a call was given stands back behind its name. */
  sayStep() {
    const { index, step } = this.player;
    const said = stepSentence(index, step);
    if (placeAt(index, step)[0] !== "call") return element("span", {}, said);
    const begins = `${index.trace.frames[index.frame[step]][2]} begins`;
    const given = element("span", { class: "ctx-given" }, said.slice(begins.length));
    return element("span", {}, element("b", {}, begins), given);
  }

  /** What runs next, where the step is a stop before a line or the end of a call. */
  nextLine() {
    const { index, step } = this.player;
    const [event, source, line] = placeAt(index, step);
    if (event === "line") {
      const code = head(lineText(index.trace.sources[source], line), CHARACTERS_OF_A_LINE);
      return ["Next: ", element("code", { class: "ctx-values" }, code)];
    }
    const caller = stackAt(index, step)[1];
    if (caller === undefined || (event !== "return" && event !== "raise")) return null;
    return [`Back to ${index.trace.frames[caller][2]}.`];
  }

  /** What else is to say: how to begin, what the last step changed, how it ended. */
  remark() {
    const { index, step } = this.player;
    if (step === 0) return howToBegin(index);
    const changes = placeAt(index, step)[0] === "call" ? [] : this.changes();
    const commit = commitBefore(index, step);
    const committed = commit >= 0 && commit !== commitBefore(index, step - 1) ? howItCommitted(index, step) : "";
    const changed = changes.length ? `Just changed: ${valueList(index, changes, step)}.` : "";
    const ended = isEnd(index, step) ? howItEnded(index) : "";
    return [committed, changed, ended].filter(Boolean).join(" ");
  }

  /** Variables of the running frame that the last step changed; of an object, the fields that it changed. */
  changes() {
    const { index, step } = this.player;
    const changed = changedObjects(index, step);
    return variablesAt(index, index.frame[step], step)
      .filter((variable) => !(variable.name in RESULTS) && hasChanged(variable, changed, step))
      .flatMap((variable) =>
        variable.since === step ? [variable] : changedParts(index, variable, changed, step),
      );
  }

  /** Leads back to where the reader was before asking. @param {number} step */
  wayBack(step) {
    const back = element("button", { class: "ctx-link" }, `Back to step ${grouped(step)}`);
    back.addEventListener("click", () => {
      this.player.root.focus({ preventScroll: true });
      this.player.go(step);
    });
    return back;
  }

  /** @param {Asked} asked */
  explain({ which, position, message, findings, from }) {
    const { index, cards, step } = this.player;
    const card = cards[message];
    const { fate } = fateAt(index, which, position, message, index.length - 1);
    const ids = card.ids.join(", ");
    const became = fate ? `: ${fate.fate} at step ${fate.step}` : "";
    const title = `Message ${position}, ${[kindWord(card), ids].filter(Boolean).join(" ")}${became}.`;
    const undecided = isWhole(index)
      ? "Nothing in this run decides what becomes of it."
      : "What becomes of it shows once you have made your predictions.";
    const reason = fate ? why(index, fate.step) : undecided;
    const merged = mergedInto(index, which, position, message);
    const holds = merged ? `It holds the summary of ${counted(merged, "message")}.` : "";
    const trimmed = fate?.fate === "trimmed";
    const was = trimmed ? index.fates.input[fate.from ?? -1] : message;
    const other = was === message ? index.fates.final[fate?.to ?? -1] : was;
    // After a commit the active history holds what became of a message.
    const own = was === message ? "Its text" : "What it became";
    const texts = [details(which === ACTIVE ? own : "Its text in the candidate", index, message)];
    if (trimmed && other !== undefined)
      texts.push(details(was === message ? "What it became" : "What it was", index, other));
    const said = [reason, holds].filter(Boolean).join(" ");
    this.answer.replaceChildren(
      element("p", {}, element("b", {}, title), said && ` ${said}`),
      ...findings.map(drawFinding),
      ...texts,
      ...(from === step ? [] : [this.wayBack(from)]),
    );
  }
}

/** What is wrong with a message, and what to do. @param {Finding} finding */
const drawFinding = ({ code, text, fix }) =>
  element(
    "p",
    { class: "ctx-fault" },
    element("span", { class: "ctx-is-error" }, icon("refused"), element("b", {}, codeWords(code))),
    `: ${text}. ${fix}`,
  );

/**
 * A variable whose value has another content now; of an object, each field that has changed.
 * @param {Index} index @param {{ name: string, value: Cell }} variable @param {Set<number>} changed
 * @param {number} step
 */
function changedParts(index, { name, value }, changed, step) {
  if (!isObject(value) || !classOf(cellsAt(index, value / 2, step)[0])) return [{ name, value }];
  const fields = fieldsAt(index, value / 2, step);
  const places = changedFields(index, value / 2, changed, step);
  if (!places.length) return [{ name, value }]; // a field is gone
  return places.map((i) => ({ name: `${name}.${fieldName(index, fields[i][0])}`, value: fields[i][1] }));
}

/** What a reader needs to know at the first step. @param {Index} index */
function howToBegin(index) {
  const decisions = index.decisionSteps.length ? ", “decision” at the next condition" : "";
  const cards = index.tracks[ACTIVE].rows.length ? " Each card is one message of the history." : "";
  const extent = isWhole(index) ? `, steps 0 to ${grouped(index.length - 1)}` : "";
  const steps = `A recorded run${extent}.`;
  return `${steps} “Step” stops at the next line${decisions}.${cards}`;
}

/** What a commit has just done. @param {Index} index @param {number} step */
function howItCommitted(index, step) {
  const { messages, bytes } = historyAt(index, ACTIVE, step);
  return `Committed: the candidate is now the active history, ${sizeText({ messages, bytes })}.`;
}

/** The histories at the last step. @param {Index} index */
function howItEnded(index) {
  const last = index.length - 1;
  const { kind } = index.trace.outcome;
  const end = kind === "step_limit" ? "The recording ends here, at the step limit" : "The run ends here";
  const [active, candidate] = [ACTIVE, CANDIDATE].map((which) => historyAt(index, which, last));
  if (index.fates.result === ACTIVE)
    return `${end}. It worked in place: the active history has ${sizeText(active)}.`;
  if (!candidate.present) return `${end}.`;
  if (isRejected(index, last)) return `${end}; its candidate is not used.`;
  return `${end}. Active history: ${sizeText(active)}; candidate: ${sizeText(candidate)}.`;
}
