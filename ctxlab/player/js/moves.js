// @ts-check
/** Moves: where each transport button leads. */
/** @import { Index } from "./index.js" */
import { upTo } from "./index.js";
import { depthAt } from "./state.js";

/** The first entry after a step, or -1. @param {Int32Array} sorted @param {number} step */
const following = (sorted, step) => sorted[upTo(sorted, step)] ?? -1;

/** The last entry before a step, or -1. @param {Int32Array} sorted @param {number} step */
const preceding = (sorted, step) => sorted[upTo(sorted, step - 1) - 1] ?? -1;

/**
 * The nearest step in a direction whose call depth is at most `depth`, or -1.
 * @param {Index} index
 * @param {number} step
 * @param {number} depth
 * @param {1 | -1} direction
 */
function stepAtDepth(index, step, depth, direction) {
  for (let at = step + direction; at >= 0 && at < index.length; at += direction) {
    if (depthAt(index, at) <= depth) return at;
  }
  return -1;
}

/**
 * The steps that stop at a breakpoint.
 * @param {Index} index @param {[number, number][]} breakpoints
 */
export function breakpointSteps(index, breakpoints) {
  const stops = index.trace.places.map(
    ([event, source, line]) =>
      (event === "line" || event === "call") && breakpoints.some(([s, l]) => s === source && l === line),
  );
  const steps = [];
  for (let step = 0; step < index.length; step++) if (stops[index.place[step]]) steps.push(step);
  return Int32Array.from(steps);
}

/** The moves that lead to later steps. */
export const FORWARD = new Set([
  "step",
  "over",
  "out",
  "end",
  "nextDecision",
  "nextChange",
  "nextBreakpoint",
]);

/**
 * Where each move leads from a step, or -1 where there is nowhere to go.
 * @type {Record<string, (index: Index, step: number, breaks: Int32Array) => number>}
 */
export const MOVES = {
  start: (_, step) => (step > 0 ? 0 : -1),
  back: (_, step) => step - 1,
  step: (index, step) => (step + 1 < index.length ? step + 1 : -1),
  over: (index, step) => stepAtDepth(index, step, depthAt(index, step), 1),
  overBack: (index, step) => stepAtDepth(index, step, depthAt(index, step), -1),
  out: (index, step) =>
    depthAt(index, step) > 0
      ? stepAtDepth(index, step, depthAt(index, step) - 1, 1)
      : MOVES.end(index, step, index.changeSteps),
  end: (index, step) => (step < index.length - 1 ? index.length - 1 : -1),
  previousDecision: (index, step) => preceding(index.decisionSteps, step),
  nextDecision: (index, step) => following(index.decisionSteps, step),
  previousChange: (index, step) => preceding(index.changeSteps, step),
  nextChange: (index, step) => following(index.changeSteps, step),
  previousBreakpoint: (_, step, breaks) => preceding(breaks, step),
  nextBreakpoint: (_, step, breaks) => following(breaks, step),
};
