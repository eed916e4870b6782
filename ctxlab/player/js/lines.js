// @ts-check
/** Lines: the outlines of nodes and the lines between them, in pixels. */
/** @import { Plan, Route } from "./lanes.js" */

/**
 * @typedef {{ left: number, top: number, right: number, bottom: number }} Box
 * @typedef {[x: number, y: number]} Point
 * @typedef {{ points: Point[], word: Point }} Line  word: the middle of the answer that stands on it
 */

/** Between two rows there is room for a line's answer and its head. */
export const ROW_GAP = 28;
const LANE = 24;
const INDENT = 30;
const CORNER = 6;
const HEAD = 7;
/** From a node's edge to a line that comes down beside it, past any cut corner. */
const INSET = 22;
/** Departures stand a little below arrivals on the same side of a node. */
const BELOW_ARRIVALS = 8;
const WORD_HEIGHT = 15;
/** Of one character, about. */
const WORD_WIDTH = 7;

/** The width of the strip left of a nesting. @param {Plan} plan @param {number} strip */
export const stripWidth = ({ strips }, strip) =>
  strip > 0 ? Math.max(INDENT, LANE * strips[strip] + 14) : strips[0] && LANE * strips[0] + 8;

/** The width between the two sides. @param {Plan} plan */
export const sidesGap = ({ right }) => 46 + 20 * right;

/** @param {Box} box */
const middle = ({ top, bottom }) => (top + bottom) / 2;

/**
 * Where a line runs.
 * @param {Route} route @param {Plan} plan @param {Box} from @param {Box} to
 * @param {{ aside: number, rows: [Box, Box], starts: number[] }} around  aside: where the nodes aside begin;
 *   rows: those of `from` and of `to`; starts: per nesting, where its nodes begin
 * @returns {Line}
 */
export function lineOf(route, plan, from, to, around) {
  if (route.way === "down") return lineDown(route, from, to);
  if (route.way === "across") {
    const y = middle(from);
    return {
      points: [
        [from.right, y],
        [to.left, y],
      ],
      word: [from.right + 20, y],
    };
  }
  return route.way === "left"
    ? lineOnTheLeft(route, plan, from, to, around.starts)
    : lineOnTheRight(route, from, to, around);
}

/** @param {Route} route @param {Box} from @param {Box} to @returns {Line} */
function lineDown({ twin, answer }, from, to) {
  const x = Math.max(from.left, to.left) + INSET + 40 * twin;
  return {
    points: [
      [x, from.bottom],
      [x, to.top],
    ],
    word: [x + 8 + (WORD_WIDTH * answer.length) / 2, from.bottom + ROW_GAP / 2 - 1],
  };
}

/**
 * @param {Route} route @param {Plan} plan @param {Box} from @param {Box} to @param {number[]} starts
 * @returns {Line}
 */
function lineOnTheLeft(route, plan, from, to, starts) {
  const x =
    starts[route.strip] - stripWidth(plan, route.strip) + LANE * route.slot + (route.strip ? 16 : LANE / 2);
  const up = to.top <= from.top;
  // A node that is indented less than the lane stands over it or under it.
  const end = /** @type {Point[]} */ (
    x > to.left
      ? [[x, up ? to.bottom : to.top]]
      : [
          [x, middle(to)],
          [to.left, middle(to)],
        ]
  );
  if (x > from.left && !up)
    return { points: [[x, from.bottom], ...end], word: [x, from.bottom + WORD_HEIGHT / 2 + 2] };
  const y = middle(from) + BELOW_ARRIVALS;
  // Along the lane; that of a line which leads back to its own node stands below it.
  const along = (up && route.from !== route.to ? -WORD_HEIGHT : WORD_HEIGHT) * (1 + route.twin);
  return { points: [[from.left, y], [x, y], ...end], word: [x, y + along] };
}

/**
 * @param {Route} route @param {Box} from @param {Box} to @param {{ aside: number, rows: [Box, Box] }} around
 * @returns {Line}
 */
function lineOnTheRight({ slot }, from, to, { aside, rows: [row, toRow] }) {
  const out = (from.left + from.right) / 2;
  const lane = aside - 12 - 20 * slot;
  if (to.top <= row.top) {
    const above = row.top - ROW_GAP / 2;
    return {
      points: [
        [out, from.top],
        [out, above],
        [lane, above],
        [lane, middle(to)],
        [to.right, middle(to)],
      ],
      word: [out, from.top - WORD_HEIGHT / 2 - 2],
    };
  }
  const into = to.right - INSET;
  const over = toRow.top - ROW_GAP / 2;
  const by = /** @type {Point[]} */ (
    slot < 0
      ? [[out, over]]
      : [
          [out, row.bottom + ROW_GAP / 2],
          [lane, row.bottom + ROW_GAP / 2],
          [lane, over],
        ]
  );
  return {
    points: [[out, from.bottom], ...by, [into, over], [into, to.top]],
    word: [out, from.bottom + WORD_HEIGHT / 2 + 2],
  };
}

/** The path of a line with round corners, up to its head. @param {Point[]} points */
export function linePath(points) {
  const [first, ...rest] = points;
  let path = `M${first}`;
  rest.forEach((point, i) => {
    const next = rest[i + 1];
    if (!next) path += ` L${towards(point, points[i], HEAD - 2)}`;
    else path += ` L${towards(point, points[i], CORNER)} Q${point} ${towards(point, next, CORNER)}`;
  });
  return path;
}

/**
 * The point at a distance from one point on the way to another, at most halfway.
 * @param {Point} from @param {Point} to @param {number} distance
 * @returns {Point}
 */
function towards([x, y], [toX, toY], distance) {
  const length = Math.hypot(toX - x, toY - y) || 1;
  const share = Math.min(distance, length / 2) / length;
  return [x + (toX - x) * share, y + (toY - y) * share];
}

/** The head of a line. @param {Point[]} points */
export function headPath(points) {
  const [x, y] = points[points.length - 1];
  const [backX, backY] = towards([x, y], points[points.length - 2], HEAD);
  const [alongX, alongY] = [x - backX, y - backY];
  const half = 0.55;
  return polygon([
    [x, y],
    [backX - alongY * half, backY + alongX * half],
    [backX + alongY * half, backY - alongX * half],
  ]);
}

/** @param {Point[]} points */
const polygon = (points) => `M${points.join("L")}Z`;

const CUT = 9;
const POINTED = 12;
const ROUND = 18;

/**
 * The outline of a node: each kind has a shape of its own, that of flow charts.
 * @param {string} kind @param {Box} box
 */
export function outlinePath(kind, box) {
  if (kind === "decision")
    return cutBox(box, POINTED, (box.bottom - box.top) / 2, (box.bottom - box.top) / 2);
  if (kind === "loop") return cutBox(box, CUT, CUT, 0);
  if (kind === "refusal") return cutBox(box, CUT, CUT, CUT);
  if (kind === "step") return cutBox(box, 0, 0, 0);
  if (kind !== "call") return roundBox(box);
  const { left, top, right, bottom } = box;
  return `${cutBox(box, 0, 0, 0)}M${left + 5},${top}V${bottom}M${right - 5},${top}V${bottom}`;
}

/**
 * A box whose corners are cut, `across` pixels wide, and so many high above and below.
 * @param {Box} box @param {number} across @param {number} above @param {number} below
 */
function cutBox({ left, top, right, bottom }, across, above, below) {
  const under = below && across;
  return polygon([
    [left + across, top],
    [right - across, top],
    [right, top + above],
    [right, bottom - below],
    [right - under, bottom],
    [left + under, bottom],
    [left, bottom - below],
    [left, top + above],
  ]);
}

/** @param {Box} box */
function roundBox({ left, top, right, bottom }) {
  const r = Math.min(ROUND, (bottom - top) / 2);
  return (
    `M${left + r},${top}H${right - r}A${r},${r} 0 0 1 ${right},${top + r}` +
    `V${bottom - r}A${r},${r} 0 0 1 ${right - r},${bottom}` +
    `H${left + r}A${r},${r} 0 0 1 ${left},${bottom - r}V${top + r}A${r},${r} 0 0 1 ${left + r},${top}Z`
  );
}
