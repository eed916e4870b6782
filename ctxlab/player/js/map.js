// @ts-check
/** Map: what a run did on the diagrams of its sources. */
/** @import { Diagram, DiagramNode } from "./format.js" */
/** @import { Index } from "./index.js" */
import { counted, grouped } from "./text.js";
import { upTo } from "./index.js";
import { isWhole } from "./state.js";

/**
 * What the run did on one diagram, as steps in ascending order. By node: `arrived`, when it came there;
 * `stops`, when it stands at the node's own line, not at one that only leads there; `asked`, when the node
 * gave an answer, and `yes`, how many of these were yes, counted up. By edge: `crossed`, when it was taken.
 * @typedef {{ arrived: number[][], stops: number[][], asked: number[][], yes: number[][], crossed: number[][]
 *   }} Walked
 * @typedef {{ nodeAt: Int32Array, walked: Walked[] }} Walk  nodeAt: per step, where its frame is, or -1
 * @typedef {"taken" | "later" | "never"} Taken
 * @typedef {{ latest: string, counts: string }} Tally  how a node has answered, in words
 */

const YES = 1;
const NO = 2;

/**
 * Follows the run over the diagrams, in one pass.
 * @param {Index} index @param {Diagram[]} diagrams one for each source
 * @returns {Walk}
 */
export function walkDiagrams(index, diagrams) {
  const { trace } = index;
  const marks = markedPlaces(index, diagrams);
  const nodeAt = new Int32Array(index.length).fill(-1);
  const walked = diagrams.map(emptyWalk);
  const ways = diagrams.map((diagram) => new Ways(diagram));
  /** Per frame: the node that it has come to, and the places seen and the answers given there. */
  const visits = trace.frames.map(() => ({ node: -1, places: new Set(), answers: 0 }));
  let decisions = 0;
  index.place.forEach((place, step) => {
    const [event, source] = trace.places[place];
    const answer = event === "decision" ? (trace.decisions.outcome[decisions++] ? YES : NO) : 0;
    const visit = visits[index.frame[step]];
    const node = marks.node[place];
    if (node >= 0) {
      const of = walked[source];
      const moved = node !== visit.node;
      const way =
        moved || visit.places.has(place) ? ways[source].between(visit.node, node, visit.answers) : [];
      // A node that leads to itself by no edge asks for each item of a comprehension, all in one visit.
      if (moved || way.length) {
        const implied = way.length && !visit.answers ? diagrams[source].edges[way[0]][2] : "";
        if (implied === "yes" || implied === "no") note(of, visit.node, step, implied === "yes");
        of.arrived[node].push(step);
        for (const edge of way) of.crossed[edge].push(step);
        Object.assign(visit, { node, places: new Set(), answers: 0 });
      }
      visit.places.add(place);
      visit.answers |= answer;
      if (marks.stop[place]) of.stops[node].push(step);
      if (answer === NO || (answer === YES && marks.last[place])) note(of, node, step, answer === YES);
    }
    nodeAt[step] = visit.node;
  });
  return { nodeAt, walked };
}

/**
 * Notes an answer. One that was not recorded, of a pattern that did not fit, shows in where the run went.
 * @param {Walked} walked @param {number} node @param {number} step @param {boolean} isYes
 */
function note({ asked, yes }, node, step, isYes) {
  asked[node].push(step);
  yes[node].push((yes[node].at(-1) ?? 0) + Number(isYes));
}

/** @param {Diagram} diagram @returns {Walked} */
function emptyWalk({ nodes, edges }) {
  const [arrived, stops, asked, yes] = [0, 1, 2, 3].map(() => nodes.map(() => /** @type {number[]} */ ([])));
  return { arrived, stops, asked, yes, crossed: edges.map(() => []) };
}

/**
 * What each place of the trace is for the diagrams: its node or -1; whether a reader who asks for the node
 * is led there; whether its answer is the last that the node waits for.
 * @param {Index} index @param {Diagram[]} diagrams
 */
function markedPlaces({ trace }, diagrams) {
  const node = new Int32Array(trace.places.length).fill(-1);
  const stop = new Uint8Array(trace.places.length);
  const last = new Uint8Array(trace.places.length);
  for (const { nodes } of diagrams) {
    nodes.forEach(({ line, places }, number) => {
      const decided = places.filter((place) => trace.places[place][0] === "decision");
      const own = places.filter(
        (place) => ["line", "call"].includes(trace.places[place][0]) && trace.places[place][2] === line,
      );
      for (const place of places) node[place] = number;
      for (const place of [decided, own, places].find((found) => found.length) ?? []) stop[place] = 1;
      // A pattern and its guard are one decision: a yes to the pattern alone does not let the run in.
      if (decided.length) last[decided[decided.length - 1]] = 1;
    });
  }
  return { node, stop, last };
}

/** Finds the edges by which a run came from one node of a diagram to another. */
class Ways {
  /** @param {Diagram} diagram */
  constructor({ nodes, edges }) {
    this.nodes = nodes;
    this.edges = edges;
    /** @type {number[][]} */
    this.leaving = nodes.map(() => []);
    edges.forEach(([from], number) => this.leaving[from].push(number));
    /** @type {Map<string, number[]>} */
    this.known = new Map();
  }

  /**
   * The edges taken, given the answers at `from`: two where both answers were given and lead to one node.
   * @param {number} from @param {number} to @param {number} answers
   * @returns {number[]}
   */
  between(from, to, answers) {
    if (from < 0) return [];
    const key = `${from} ${to} ${answers}`;
    let found = this.known.get(key);
    if (!found) this.known.set(key, (found = this.search(from, to, answers)));
    return found;
  }

  /** @param {number} from @param {number} to @param {number} answers */
  search(from, to, answers) {
    const first = this.leaving[from].filter((edge) => this.agrees(edge, answers));
    const direct = first.filter((edge) => this.edges[edge][1] === to);
    if (direct.length) return direct;
    const passed = new Set();
    const paths = first.map((edge) => [edge]);
    for (const path of paths) {
      const at = this.edges[path[path.length - 1]][1];
      if (at === to) return path;
      if (passed.has(at)) continue;
      passed.add(at);
      for (const edge of this.silent(at)) paths.push([...path, edge]);
    }
    return [];
  }

  /** Whether an edge agrees with the answers of its node. @param {number} edge @param {number} answers */
  agrees(edge, answers) {
    const [from, , answer] = this.edges[edge];
    if (this.nodes[from].site === null || !answers) return true;
    return answer === "yes" ? (answers & YES) > 0 : answer === "no" ? (answers & NO) > 0 : true;
  }

  /**
   * The edges by which a run leaves a node without a stop there: a `for` stops for each item, and not where
   * there is none left; where nothing is recorded, nothing stops.
   * @param {number} node
   */
  silent(node) {
    const { kind, site, places } = this.nodes[node];
    if (!places.length) return this.leaving[node];
    if (kind !== "loop" || site !== null) return [];
    return this.leaving[node].filter((edge) => this.edges[edge][2] === "done");
  }
}

/**
 * Whether something that happened at these steps has happened, will happen, or never does in this run.
 * While the run's end may not be known, nothing is said never to happen.
 * @param {Index} index @param {number[]} steps @param {number} step
 * @returns {Taken}
 */
export function takenAt(index, steps, step) {
  if (steps.length && steps[0] <= step) return "taken";
  return steps.length || !isWhole(index) ? "later" : "never";
}

/**
 * How a decision or a loop has answered up to a step; other nodes say how often the run came.
 * @param {Diagram} diagram @param {Walked} walked @param {number} node @param {number} step
 * @returns {Tally}
 */
export function tallyAt(diagram, walked, node, step) {
  const { kind, site } = diagram.nodes[node];
  const passes = upTo(walked.asked[node], step);
  if (passes) return answersTally(walked.yes[node], passes);
  if (kind === "loop" && site === null) return roundsTally(diagram, walked, node, step);
  const times = upTo(walked.arrived[node], step);
  return { latest: "", counts: times > 1 ? `${grouped(times)} times` : "" };
}

/** @param {number[]} yes counted up @param {number} passes @returns {Tally} */
function answersTally(yes, passes) {
  const agreed = yes[passes - 1];
  const latest = agreed > (yes[passes - 2] ?? 0) ? "yes" : "no";
  if (passes === 1) return { latest, counts: "" };
  const all = agreed === 0 || agreed === passes;
  return {
    latest,
    counts: all ? `${grouped(passes)} times` : `${grouped(agreed)} yes, ${grouped(passes - agreed)} no`,
  };
}

/**
 * @param {Diagram} diagram @param {Walked} walked @param {number} node @param {number} step
 * @returns {Tally}
 */
function roundsTally({ edges }, walked, node, step) {
  let rounds = 0;
  let ended = -1;
  let begun = -1;
  edges.forEach(([from, , answer], number) => {
    if (from !== node) return;
    const steps = walked.crossed[number];
    const times = upTo(steps, step);
    const latest = times ? steps[times - 1] : -1;
    if (answer === "each") [rounds, begun] = [times, latest];
    else if (answer === "done") ended = Math.max(ended, latest);
  });
  if (begun < 0 && ended < 0) return { latest: "", counts: "" };
  return { latest: ended > begun ? "done" : "", counts: counted(rounds, "round") };
}

/**
 * Whether the run stands at a node whose answer is still to come: what it says is that of an earlier time.
 * @param {Walked} walked @param {number} node @param {number} step
 */
export function isWaiting(walked, node, step) {
  const arrival = walked.arrived[node][upTo(walked.arrived[node], step) - 1] ?? -1;
  const answered = walked.asked[node][upTo(walked.asked[node], step) - 1] ?? -1;
  return answered < arrival;
}

/**
 * Where a click on a node leads: the next time that the run reaches it, else the first time, else -1.
 * @param {Walked} walked @param {number} node @param {number} step
 */
export function stopAfter({ stops }, node, step) {
  return stops[node][upTo(stops[node], step)] ?? stops[node][0] ?? -1;
}

/** What the kinds of nodes are called. @type {Record<string, string>} */
export const KIND_NAMES = {
  start: "Start",
  decision: "Decision",
  loop: "Loop",
  call: "Call",
  step: "Step",
  refusal: "Refusal",
  return: "Return",
  end: "End",
};
/** @type {Record<Taken, string>} */
const TAKEN_NAMES = { taken: "Taken.", later: "Not taken yet.", never: "Not in this run." };

/**
 * What happened at a node and where its answers lead, for who cannot see the map.
 * @param {Diagram} diagram @param {number} node @param {Taken} state @param {Tally} tally
 */
export function nodeStory({ nodes, edges }, node, state, { latest, counts }) {
  const answers =
    latest && counts
      ? `Answers: ${counts}; the last is ${latest}.`
      : latest
        ? `Answer: ${latest}.`
        : counts && `${counts}.`;
  const arms = edges
    .filter(([from, , answer]) => from === node && answer)
    .map(
      ([, to, answer]) =>
        `${answer[0].toUpperCase()}${answer.slice(1)} leads to: ${sentenceOf(nodes[to].label)}`,
    );
  return [TAKEN_NAMES[state], answers, ...arms].filter(Boolean).join(" ");
}

/** A label with a mark at its end. @param {string} label */
export const sentenceOf = (label) => (/[.?!…]$/.test(label) ? label : `${label}.`);

/**
 * The node that an arrow key leads to, or -1. Up and down go from row to row and stay on their side as far as
 * they can; left and right go between the two nodes of a row.
 * @param {DiagramNode[]} nodes @param {number} from @param {string} key
 */
export function neighbour(nodes, from, key) {
  const { row, column } = nodes[from];
  const across = key === "ArrowRight" ? 1 : key === "ArrowLeft" ? -1 : 0;
  const down = key === "ArrowDown" ? 1 : key === "ArrowUp" ? -1 : 0;
  let best = -1;
  nodes.forEach((node, number) => {
    const along = across ? (node.row === row ? (node.column - column) * across : 0) : (node.row - row) * down;
    if (along <= 0) return;
    const near =
      best < 0 ? Infinity : across ? (nodes[best].column - column) * across : (nodes[best].row - row) * down;
    const closer = best >= 0 && Math.abs(node.column - column) < Math.abs(nodes[best].column - column);
    if (along < near || (along === near && closer)) best = number;
  });
  return best;
}
