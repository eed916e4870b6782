// @ts-check
/** Words: values, decisions and reasons as sentences. */
/** @import { Cell, Part, Source } from "./format.js" */
/** @import { Index } from "./index.js" */
import { KINDS, classOf } from "./format.js";
import { characters, counted, grouped, quoted, visibleText } from "./text.js";
import { isObject, upTo } from "./index.js";
import { cellsAt, fieldsAt, isWhole, placeAt, sizeAt, variablesAt } from "./state.js";

/** The names of the two histories, ACTIVE and CANDIDATE. */
export const COLUMN_NAMES = ["Active history", "Candidate"];
export const CHARACTERS_OF_A_VARIABLE = 160;
const CHARACTERS_OF_A_VALUE = 40;
const ITEMS_OF_A_VALUE = 3;
// What a run returned has a place of its own, with more room.
const CHARACTERS_OF_A_RESULT = 200;
const ITEMS_OF_A_RESULT = 6;
const DEPTH_OF_A_RESULT = 2; // of lists in a dict

/**
 * A value in a few words, the same as in the trace's other faces.
 * @param {Index} index
 * @param {Cell} cell
 * @param {number} step
 * @param {number} [limit] characters of a string to show
 * @returns {string}
 */
export function describe(index, cell, step, limit = CHARACTERS_OF_A_VALUE) {
  if (cell === null) return "None";
  if (cell === true) return "True";
  if (cell === false) return "False";
  if (typeof cell === "string") return cell;
  if (isObject(cell)) return describeContainer(index, cell / 2, step);
  if (typeof cell === "number") {
    const number = (cell - 1) / 2;
    const text = index.trace.strings[number];
    return quoted(text, index.clipped[number] ?? characters(text), limit);
  }
  if (cell[0] === "~") return quoted(cell[1], cell[2], limit);
  return String(cell[0] === "#" ? cell[1] : cell[0]);
}

/**
 * A few numbers and texts in full, anything else by its length.
 * @param {Index} index
 * @param {number} object
 * @param {number} step
 */
function describeContainer(index, object, step) {
  const { kind, size } = sizeAt(index, object, step);
  if (classOf(kind)) return describeObject(index, object, step);
  if (kind !== "d" && size > 0 && size <= ITEMS_OF_A_VALUE) {
    const cells = cellsAt(index, object, step).slice(1);
    const items = cells.some(isObject) ? "" : cells.map((cell) => describe(index, cell, step)).join(", ");
    if (items && characters(items) <= CHARACTERS_OF_A_VALUE)
      return kind === "l" ? `[${items}]` : kind === "t" ? `(${items})` : `{${items}}`;
  }
  return `a ${KINDS[kind]} of ${size}`;
}

/**
 * An object of few short fields in full, as its class is called; any other by their number.
 * @param {Index} index @param {number} object @param {number} step
 */
function describeObject(index, object, step) {
  const name = visibleText(classOf(cellsAt(index, object, step)[0]));
  const fields = fieldsAt(index, object, step);
  if (fields.length <= ITEMS_OF_A_VALUE && !fields.some(([, value]) => isObject(value))) {
    const shown = fields.map(([field, value]) => `${fieldName(index, field)}=${describe(index, value, step)}`);
    if (characters(shown.join(", ")) <= CHARACTERS_OF_A_VALUE) return `${name}(${shown.join(", ")})`;
  }
  return `${name} with ${counted(fields.length, "field")}`;
}

/** The name of a field of an object. @param {Index} index @param {Cell} cell */
export const fieldName = (index, cell) => visibleText(textOf(index, cell));

/**
 * What was returned: as any value, but a dict of plain values and lists with all of them.
 * @param {Index} index @param {Cell} cell @param {number} step
 */
export function describeResult(index, cell, step) {
  const [kind, ...cells] = isObject(cell) ? cellsAt(index, cell / 2, step) : [""];
  const hasDicts = cells.some((part) => isObject(part) && sizeAt(index, part / 2, step).kind === "d");
  if (kind !== "d" || !cells.length || cells.length > 2 * ITEMS_OF_A_RESULT || hasDicts)
    return describe(index, cell, step);
  const words = cells.map((part) => partOfResult(index, part, step, DEPTH_OF_A_RESULT));
  const pairs = words.flatMap((word, i) => (i % 2 ? [] : [`${word}: ${words[i + 1]}`]));
  return `{${pairs.join(", ")}}`;
}

/**
 * A part of a result: texts with more room, and short lists and tuples down to `depth` in full.
 * @param {Index} index @param {Cell} cell @param {number} step @param {number} depth
 * @returns {string}
 */
function partOfResult(index, cell, step, depth) {
  if (!isObject(cell)) return describe(index, cell, step, CHARACTERS_OF_A_RESULT);
  const [kind, ...cells] = cellsAt(index, cell / 2, step);
  if ((kind !== "l" && kind !== "t") || cells.length > ITEMS_OF_A_RESULT || !depth)
    return describe(index, cell, step);
  const inner = cells.map((part) => partOfResult(index, part, step, depth - 1)).join(", ");
  return kind === "l" ? `[${inner}]` : `(${inner})`;
}

/**
 * The word by which the run says how it ended: the text that it returned, or that under "status"; else "".
 * @param {Index} index
 */
export function resultWord(index) {
  const { kind, value } = index.trace.outcome;
  if (kind !== "returned") return "";
  const cells = isObject(value) ? cellsAt(index, value / 2, index.length) : [value];
  const at = cells.findIndex((cell, i) => i % 2 && textOf(index, cell) === "status");
  const word = textOf(index, cells[0] === "d" ? cells[at + 1] : cells[0]);
  return characters(word) <= CHARACTERS_OF_A_VALUE && visibleText(word) === word ? word : "";
}

/** @param {Index} index @param {Cell} cell */
const textOf = (index, cell) =>
  typeof cell === "number" && cell % 2 ? index.trace.strings[(cell - 1) / 2] : "";

/** @param {unknown} truth */
export const yesNo = (truth) => (truth ? "yes" : "no");

/**
 * One part of a condition with the values that it saw.
 * @param {Index} index @param {Part} part @param {Cell} truth @param {Cell[]} operands @param {number} step
 */
function partText(index, part, truth, operands, step) {
  if (Array.isArray(truth)) return `${part.source} (skipped)`;
  const seen = operands.map((cell) =>
    Array.isArray(cell) && cell.length === 0 ? "(skipped)" : describe(index, cell, step),
  );
  return part.pieces.map((piece) => (typeof piece === "number" ? seen[piece] : piece)).join("");
}

/**
 * A decision of the run, taken apart: the author's question, the values it saw, its answer and what follows.
 * `link` joins values and answer: the answer to a single comparison belongs to it, any other stands apart.
 * @param {Index} index @param {number} number counts the decisions of the run
 */
export function decisionParts(index, number) {
  const step = index.decisionSteps[number];
  const site = index.trace.sites[placeAt(index, step)[3]];
  const values = index.trace.decisions.values[number];
  const outcome = Boolean(index.trace.decisions.outcome[number]);
  const simple = site.parts.length === 1 && site.parts[0].compare && values[0] === outcome;
  let next = 0;
  const saw = site.parts.map((part) => {
    const truth = values[next++];
    const operands = part.pieces.filter((piece) => typeof piece === "number").map(() => values[next++]);
    const text = partText(index, part, truth, operands, step);
    return part.compare && !simple && !Array.isArray(truth) ? `${text} is ${yesNo(truth)}` : text;
  });
  return {
    step,
    site,
    question: site.question,
    saw: saw.join("; "),
    link: simple ? " is " : ": ",
    answer: yesNo(outcome),
    consequence: outcome ? site.yes : site.no,
  };
}

/** A decision as one sentence. @param {Index} index @param {number} number */
export function sentence(index, number) {
  const { question, saw, link, answer, consequence } = decisionParts(index, number);
  return [question, `${saw}${link}${answer}.`, consequence].filter(Boolean).join(" ");
}

/** The number of the decision that a step is, or -1. @param {Index} index @param {number} step */
export function decisionAt(index, step) {
  const number = upTo(index.decisionSteps, step) - 1;
  return number >= 0 && index.decisionSteps[number] === step ? number : -1;
}

/**
 * The source text of a line, without its indentation. Of what a comment says to a linter only the reason
 * stays.
 * @param {Source} source @param {number} line
 */
export function lineText(source, line) {
  const text = source.text.split("\n")[line - source.first_line] ?? "";
  return text.replace(/# noqa\b[^-]*- /, "# ").replace(/# noqa\b.*/, "").trim();
}

/** The numbered label that a line stands under, or "". @param {Source} source @param {number} line */
export function labelOf(source, line) {
  let label = "";
  for (const [at, text] of source.labels) if (at <= line) label = text;
  return label;
}

/**
 * What a step shows, as the sentence a reader sees and hears.
 * @param {Index} index @param {number} step
 */
export function stepSentence(index, step) {
  const number = decisionAt(index, step);
  if (number >= 0) return sentence(index, number);
  const [event, sourceNumber, line] = placeAt(index, step);
  const frame = index.frame[step];
  const name = index.trace.frames[frame][2];
  const values = variablesAt(index, frame, step);
  const result = values.find((variable) => variable.name === event);
  if (event === "call")
    return `${name} begins${values.length ? ` with ${valueList(index, values, step)}` : ""}.`;
  if (event === "return")
    return `${name} returns${result ? ` ${describeResult(index, result.value, step)}` : ""}.`;
  if (event === "raise") return `${name} raises${result ? ` ${describe(index, result.value, step)}` : ""}.`;
  return index.trace.sources[sourceNumber].lines[line] ?? "";
}

/**
 * "receipt = "a", older = a list of 2".
 * @param {Index} index
 * @param {{ name: string, value: Cell }[]} variables
 * @param {number} step
 */
export const valueList = (index, variables, step) =>
  variables.map(({ name, value }) => `${name} = ${describe(index, value, step)}`).join(", ");

/**
 * Why something happened at a step: the decision that controls its line, else the author's comment on the
 * line.
 * @param {Index} index @param {number} step
 */
export function why(index, step) {
  const [, sourceNumber, line, site] = placeAt(index, step);
  if (site >= 0) {
    const runs = index.runsOfSite[site];
    for (let i = runs.length - 1; i >= 0; i--) {
      const decided = index.decisionSteps[runs[i]];
      if (decided < step && index.frame[decided] === index.frame[step]) return sentence(index, runs[i]);
    }
  }
  return index.trace.sources[sourceNumber].lines[line] ?? "";
}

/**
 * "12 of 48"; how many there are is not told before the run may be known.
 * @param {Index} index @param {number} step
 */
export const stepNumber = (index, step) =>
  isWhole(index) ? `${grouped(step)} of ${grouped(index.length - 1)}` : grouped(step);

/** A step in the words of the slider. @param {Index} index @param {number} step */
export function stepValueText(index, step) {
  const [event, , line] = placeAt(index, step);
  const number = decisionAt(index, step);
  const where = `step ${stepNumber(index, step)}, line ${line}`;
  if (number < 0) return event === "line" ? where : `${where}: ${stepSentence(index, step)}`;
  const { saw, link, answer } = decisionParts(index, number);
  return `${where}: ${saw}${link}${answer}`;
}

/** "11 messages, 3,351 bytes". @param {{ messages: number[], bytes: number }} history */
export const sizeText = ({ messages, bytes }) => `${counted(messages.length, "message")}, ${grouped(bytes)} bytes`;
