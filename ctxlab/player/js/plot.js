// @ts-check
/** Plot: where lines, their signs and their names stand in a chart. */

const STEPS = [1, 2, 5, 10];

/**
 * Round numbers from 0 up to `most`, at most `count` of them after the 0.
 * @param {number} most @param {number} count
 */
export function ticks(most, count) {
  const least = Math.max(1, most / count);
  const power = 10 ** Math.floor(Math.log10(least));
  const step = power * /** @type {number} */ (STEPS.find((factor) => factor * power >= least * (1 - 1e-9)));
  return Array.from({ length: Math.floor(most / step) + 1 }, (_, i) => i * step);
}

/**
 * Heights as near as can be to those that are wanted, in the same order and `gap` apart, in a range that has
 * room for all of them.
 * @param {number[]} wanted in rising order @param {number} gap @param {number} low @param {number} high
 */
export function spread(wanted, gap, low, high) {
  /** @type {number[]} */
  const placed = [];
  for (const height of wanted) placed.push(Math.max(height, low, (placed.at(-1) ?? -Infinity) + gap));
  for (let i = placed.length - 1, most = high; i >= 0; i--, most = placed[i + 1] - gap)
    placed[i] = Math.min(placed[i], most);
  return placed;
}

/**
 * The turns at which a line carries its sign: not those of the other lines, so that lines which run in one
 * place can be told apart.
 * @param {number} line @param {number} lines @param {number} turns @param {number} [signs] about how many
 */
export function signTurns(line, lines, turns, signs = 6) {
  const every = Math.max(1, Math.round(turns / signs));
  const first = Math.floor((line * every) / lines);
  return Array.from({ length: Math.ceil((turns - first) / every) }, (_, i) => first + i * every);
}

/**
 * Items in runs: each belongs to the run of the one before it if `joins` says so.
 * @template T @param {T[]} items @param {(before: T, after: T) => boolean} joins
 */
export function runsOf(items, joins) {
  /** @type {T[][]} */
  const runs = [];
  for (const item of items) {
    const run = runs.at(-1);
    if (run && joins(run[run.length - 1], item)) run.push(item);
    else runs.push([item]);
  }
  return runs;
}

/** A line through points of x and y. @param {number[][]} points */
export const pathThrough = (points) =>
  points.map(([x, y], i) => `${i ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");

/** The dashes of a line, by its number. */
export const DASHES = ["", "8 3", "2 3", "10 3 2 3", "5 5", "14 4", "2 6", "10 3 2 3 2 3", "6 2"];

/** The outline of its sign, around 0 0. */
export const SIGNS = [
  "M-4 0A4 4 0 1 1 4 0A4 4 0 1 1-4 0Z",
  "M-3.5-3.5H3.5V3.5H-3.5Z",
  "M0-5 5 0 0 5-5 0Z",
  "M0-4.6 4.6 3.6H-4.6Z",
  "M0 4.6 4.6-3.6H-4.6Z",
  "M-1.5-4.5H1.5V-1.5H4.5V1.5H1.5V4.5H-1.5V1.5H-4.5V-1.5H-1.5Z",
  "M-4.2-2.2-2.2-4.2 0-2 2.2-4.2 4.2-2.2 2 0 4.2 2.2 2.2 4.2 0 2-2.2 4.2-4.2 2.2-2 0Z",
  "M-5-1.8H5V1.8H-5Z",
  "M-1.8-5H1.8V5H-1.8Z",
];
const INKS = 6; // colours of lines in the style sheet

/** How a line looks, by its number. @param {number} line */
export const lookOf = (line) => ({
  ink: `ctx-ink-${line % INKS}`,
  dashes: DASHES[line % DASHES.length],
  sign: SIGNS[line % SIGNS.length],
});
