// @ts-check
/** Alignment: two runs side by side, decision by decision, and where each shared move leads. */
import { upTo } from "./index.js";

/**
 * @typedef {[left: number | null, right: number | null]} Pair  decisions that belong together, counted in
 *   each run; null where one run decided alone
 * @typedef {[left: number, right: number]} Steps  one step of each run
 * @typedef {{ stops: [Int32Array, Int32Array], differing: Int32Array, last: Steps,
 *   parting: { row: number | null, steps: Steps } | null }} Alignment
 *   stops: the step of each run at each pair, neither ever going back; differing: the pairs that are not the
 *   same; parting: the steps that show best where the runs part, and the pair there, or null between pairs
 */

/**
 * @param {Steps[]} stops where both runs stand at each pair
 * @param {string[]} verdicts one per pair, "same" where the two agree
 * @param {Steps} last the last step of each run
 * @param {Alignment["parting"]} [parting]
 * @returns {Alignment}
 */
export function alignRuns(stops, verdicts, last, parting = null) {
  return {
    stops: [Int32Array.from(stops, ([left]) => left), Int32Array.from(stops, ([, right]) => right)],
    differing: Int32Array.from(verdicts.flatMap((verdict, row) => (verdict === "same" ? [] : [row]))),
    last,
    parting,
  };
}

/** The latest pair that both runs have reached, or -1. @param {Alignment} alignment @param {Steps} steps */
export function rowAt({ stops, parting }, steps) {
  if (parting && parting.row !== null && sameSteps(parting.steps, steps)) return parting.row;
  return Math.min(upTo(stops[0], steps[0]), upTo(stops[1], steps[1])) - 1;
}

/**
 * The latest pair that one run has reached, or -1.
 * @param {Alignment} alignment @param {number} which @param {number} step
 */
export const rowOfSide = ({ stops }, which, step) => upTo(stops[which], step) - 1;

/**
 * Where both runs stand at a pair; before the first one at their starts, after the last at their ends.
 * @param {Alignment} alignment @param {number} row
 * @returns {Steps}
 */
export function stepsOfRow({ stops, last, parting }, row) {
  if (row < 0) return [0, 0];
  if (row === parting?.row) return parting.steps;
  return row < stops[0].length ? [stops[0][row], stops[1][row]] : last;
}

/** @param {Steps} a @param {Steps} b */
export const sameSteps = (a, b) => a[0] === b[0] && a[1] === b[1];

/**
 * The latest pair before these steps, or -1.
 * @param {Alignment} alignment @param {Steps} steps
 */
function rowBefore(alignment, steps) {
  const row = rowAt(alignment, steps);
  return row >= 0 && sameSteps(stepsOfRow(alignment, row), steps) ? row - 1 : row;
}

/** @param {Alignment} alignment @param {number} row */
const stepsIfThere = (alignment, row) =>
  row >= 0 && row < alignment.stops[0].length ? stepsOfRow(alignment, row) : null;

/**
 * Where the runs part, if that is between two pairs and after these steps, or before them.
 * @param {Alignment} alignment @param {Steps} steps @param {boolean} after
 */
function partingBeside(alignment, steps, after) {
  const { parting } = alignment;
  if (!parting || parting.row !== null || sameSteps(parting.steps, steps)) return null;
  const [there, here] = [rowAt(alignment, parting.steps), rowAt(alignment, steps)];
  const reached = steps.every((step, which) => step >= parting.steps[which]);
  const isAfter = there === here ? !reached : there > here;
  return isAfter === after ? parting.steps : null;
}

/** @param {Steps} steps @param {Steps} to null where that leads nowhere */
const unlessSame = (steps, to) => (sameSteps(steps, to) ? null : to);

/**
 * Where each move leads, or null where there is nowhere to go. A step takes both runs one line on; the one
 * that comes first to the next pair waits there for the other.
 * @type {Record<string, (alignment: Alignment, steps: Steps) => Steps | null>}
 */
export const SHARED_MOVES = {
  start: (_, steps) => unlessSame(steps, [0, 0]),
  back(alignment, steps) {
    const to = stepsOfRow(alignment, rowBefore(alignment, steps));
    const [left, right] = steps.map((step, which) => (to[which] < step ? step - 1 : step));
    return unlessSame(steps, [left, right]);
  },
  step(alignment, steps) {
    const to = stepsOfRow(alignment, rowAt(alignment, steps) + 1);
    const [left, right] = steps.map((step, which) => (to[which] > step ? step + 1 : step));
    return unlessSame(steps, [left, right]);
  },
  end: (alignment, steps) => unlessSame(steps, alignment.last),
  previousDecision: (alignment, steps) => stepsIfThere(alignment, rowBefore(alignment, steps)),
  nextDecision: (alignment, steps) => stepsIfThere(alignment, rowAt(alignment, steps) + 1),
  previousDifference(alignment, steps) {
    const { differing } = alignment;
    const row = differing[upTo(differing, rowBefore(alignment, steps)) - 1] ?? -1;
    const parting = partingBeside(alignment, steps, false);
    return parting && row <= rowAt(alignment, parting) ? parting : stepsIfThere(alignment, row);
  },
  nextDifference(alignment, steps) {
    const { differing } = alignment;
    const row = differing[upTo(differing, rowAt(alignment, steps))] ?? Infinity;
    const parting = partingBeside(alignment, steps, true);
    return parting && row > rowAt(alignment, parting) ? parting : stepsIfThere(alignment, row);
  },
};
