// @ts-check
/** Lanes: how the nodes of a diagram are placed, and where the lines between them run. */
/** @import { Diagram } from "./format.js" */

/**
 * The nodes stand in rows. In each, the leftmost is indented by its nesting, and all of these end at one
 * right edge; a second one, the single statement of an arm, stands aside, right of that edge. So the lines
 * have free lanes: left of each nesting, in the strip by which its nodes are indented, and between the two
 * sides.
 *
 * A line runs "down" to the next row, "across" to the node beside, or by a lane on the "left" or the "right".
 * @typedef {{ from: number, to: number, answer: string, way: "down" | "across" | "left" | "right",
 *   strip: number, slot: number, twin: number }} Route
 *   strip: for "left", the nesting whose strip the lane is in; slot: counts the lanes there, or is -1 for a
 *   line that needs none; twin: counts the lines between the same two nodes
 * @typedef {{ aside: boolean[], strips: number[], right: number, routes: Route[] }} Plan
 *   strips: per nesting, the lanes left of it; right: the lanes between the two sides
 * @typedef {{ to: number, strip: number, from: number, until: number, routes: Route[] }} Lane
 */

const ON_THE_RIGHT = -1;

/** @param {Diagram} diagram @returns {Plan} */
export function planOf({ nodes, edges }) {
  /** @type {number[]} */
  const indents = [];
  for (const { row, column } of nodes) indents[row] = Math.min(indents[row] ?? Infinity, column);
  const aside = nodes.map(({ row, column }) => column > indents[row]);
  const least = (/** @type {number} */ first, /** @type {number} */ last) =>
    Math.min(...indents.slice(first, last + 1));

  /** @type {Lane[]} */
  const lanes = [];
  const routes = edges.map(([from, to, answer], number) => {
    const [above, below] = [nodes[from].row, nodes[to].row];
    const back = below <= above;
    /** @type {Route} */
    const route = { from, to, answer, way: "down", strip: 0, slot: -1, twin: 0 };
    route.twin = edges.slice(0, number).filter((other) => other[0] === from && other[1] === to).length;
    if (aside[to]) route.way = "across";
    else if (aside[from]) {
      route.way = "right";
      if (below !== above + 1) share(lanes, ON_THE_RIGHT, route, above, below, back);
    } else if (below !== above + 1) {
      route.way = "left";
      const passed = back ? least(below + 1, above) : least(above + 1, below - 1);
      route.strip = from === to ? nodes[from].column : passed;
      share(lanes, route.strip, route, above, below, back);
    }
    return route;
  });

  const strips = Array.from({ length: Math.max(0, ...indents) + 1 }, (_, strip) => slots(lanes, strip));
  return { aside, strips, right: slots(lanes, ON_THE_RIGHT), routes };
}

/**
 * Puts a route into the lane of those that lead to the same node from the same side. A line back also takes
 * the room below its first row.
 * @param {Lane[]} lanes @param {number} strip @param {Route} route @param {number} above @param {number}
 *   below @param {boolean} back
 */
function share(lanes, strip, route, above, below, back) {
  const [from, until] = back ? [below, above + 0.5] : [above, below];
  const lane = lanes.find(
    (other) => other.strip === strip && other.to === route.to && isBack(other) === back,
  );
  if (!lane) lanes.push({ to: route.to, strip, from, until, routes: [route] });
  else {
    lane.from = Math.min(lane.from, from);
    lane.until = Math.max(lane.until, until);
    lane.routes.push(route);
  }
}

/** @param {Lane} lane */
const isBack = ({ until }) => until % 1 !== 0;

/**
 * Gives the lanes of a strip their slots, the longest the outermost, and returns how many there are.
 * @param {Lane[]} lanes @param {number} strip
 */
function slots(lanes, strip) {
  /** @type {Lane[][]} */
  const placed = [];
  const own = lanes.filter((lane) => lane.strip === strip);
  for (const lane of own.sort((a, b) => b.until - b.from - (a.until - a.from))) {
    const free = placed.findIndex((others) =>
      others.every((other) => lane.until <= other.from || other.until <= lane.from),
    );
    const slot = free < 0 ? placed.push([]) - 1 : free;
    placed[slot].push(lane);
    for (const route of lane.routes) route.slot = slot;
  }
  return placed.length;
}
