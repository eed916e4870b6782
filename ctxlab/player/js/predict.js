// @ts-check
/** Predictions: which question waits, what a reader may know until then, and how an answer is judged. */
/** @import { Trace } from "./format.js" */

/**
 * @typedef {{ ask: string, step: number, opens: number, question: string, line: number | null, code: string,
 *   options: string[], answer: string | number[], tries: number, look: string,
 *   looks: Record<string, string> }} Question
 *   as Python asks it: step is the last that may be known before the answer, opens the one to show after it
 * @typedef {{ ask: string, step: number, answer: string | number[], reason: string, tries: number,
 *   right: boolean }} Prediction
 */

/** What was answered to a question, or null. @param {Question} question @param {Prediction[]} predictions */
export const predictionFor = (question, predictions) =>
  predictions.find(({ ask, step }) => ask === question.ask && step === question.step) ?? null;

/** @param {Question} question @param {Prediction[]} predictions */
export function isSettled(question, predictions) {
  const made = predictionFor(question, predictions);
  return made !== null && (made.right || made.tries >= question.tries);
}

/**
 * The first question that is still to be answered, or null.
 * @param {Question[]} questions @param {Prediction[]} predictions
 */
export const waitingQuestion = (questions, predictions) =>
  questions.find((question) => !isSettled(question, predictions)) ?? null;

/**
 * The predictions after one more answer.
 * @param {Question} question @param {Prediction[]} predictions @param {string | number[]} answer
 * @param {string} reason
 * @returns {Prediction[]}
 */
export function withAnswer(question, predictions, answer, reason) {
  const before = predictionFor(question, predictions);
  const { ask, step } = question;
  const right = String(answer) === String(question.answer);
  const made = { ask, step, answer, reason, tries: (before?.tries ?? 0) + 1, right };
  return [...predictions.filter((prediction) => prediction !== before), made];
}

/**
 * How many of the positions given are wrong, and how many are missing.
 * @param {number[]} given @param {number[]} right
 */
export const differences = (given, right) => ({
  wrong: given.filter((position) => !right.includes(position)).length,
  missing: right.filter((position) => !given.includes(position)).length,
});

/**
 * The trace as far as a reader may know it: what a step after `last` brought is not in it, nor what was made
 * of the whole run. So no view can show it.
 * @param {Trace} trace @param {number} last
 * @returns {Trace}
 */
export function knownPart(trace, last) {
  const { steps, decisions, checks } = trace;
  const place = steps.place.slice(0, last + 1);
  const decided = place.filter((number) => trace.places[number][0] === "decision").length;
  return {
    ...trace,
    steps: { place, turns: steps.turns.filter(([step]) => step <= last) },
    variables: columnsUntil(trace.variables, last),
    heap: columnsUntil(trace.heap, last),
    decisions: { outcome: decisions.outcome.slice(0, decided), values: decisions.values.slice(0, decided) },
    // A call is made after the stop before its line.
    calls: trace.calls.filter(([step]) => step < last),
    histories: trace.histories.filter(([step]) => step <= last),
    commits: trace.commits.filter((step) => step < last),
    provenance: [],
    checks: { ...NO_CHECKS, budget: checks.budget },
    outcome: { kind: "open", code: null, type: null, message: null, value: null },
    notes: [],
  };
}

const NO_CHECKS = {
  input_unchanged: null,
  in_place: null,
  pairs_complete: null,
  within_budget: null,
  first_broken_step: null,
  facts: null,
};

/**
 * The rows of parallel columns until a step; the column `step` holds differences.
 * @template {{ step: number[] }} T
 * @param {T} columns @param {number} last
 * @returns {T}
 */
function columnsUntil(columns, last) {
  let rows = 0;
  for (let step = 0; rows < columns.step.length; rows++) {
    step += columns.step[rows];
    if (step > last) break;
  }
  return /** @type {T} */ (
    Object.fromEntries(Object.entries(columns).map(([name, column]) => [name, column.slice(0, rows)]))
  );
}

/** An answer in words. @param {string | number[]} answer */
export function answerText(answer) {
  if (!Array.isArray(answer)) return answer;
  if (!answer.length) return "no message changes or goes";
  return answer.length === 1
    ? `message ${answer[0]} changes or goes`
    : `messages ${ranges(answer)} change or go`;
}

/** "1 to 4, 7". @param {number[]} numbers ascending */
function ranges(numbers) {
  /** @type {[number, number][]} */
  const found = [];
  for (const number of numbers) {
    const latest = found[found.length - 1];
    if (latest && latest[1] === number - 1) latest[1] = number;
    else found.push([number, number]);
  }
  return found.map(([from, to]) => (from === to ? from : `${from} to ${to}`)).join(", ");
}

/**
 * What to say after a wrong try that is not the last.
 * @param {Question} question @param {string | number[]} answer
 */
export function tryAgain({ answer: right, look, looks }, answer) {
  let said = "Not so.";
  if (Array.isArray(answer) && Array.isArray(right)) {
    const { wrong, missing } = differences(answer, right);
    said = `Not so: ${wrong} wrongly ticked, ${missing} missing.`;
  }
  const place = typeof answer === "string" && Object.hasOwn(looks, answer) ? looks[answer] : look;
  return `${said} One more try. ${place}`;
}
