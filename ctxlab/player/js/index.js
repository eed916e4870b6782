// @ts-check
/** Index: one pass over the trace, so that each question about a step is a binary search. */
/** @import { Cell, Fate, Splice, Trace } from "./format.js" */
import { ACTIVE, CANDIDATE, FORMAT, isKind } from "./format.js";

const SPLICES_PER_CHECKPOINT = 64;

/**
 * @typedef {{ step: Int32Array, rows: Splice[], checkpoints: number[][], recent: { version: number,
 *   messages: number[] }[], withdrawn: Map<number, number> }} Track
 *   one history over time: version v is the state after its first v splices; `recent` keeps the two asked for
 *   last; `withdrawn`: the versions at which there is no candidate any more, each with the step of the commit
 *   that left none, or -1 where the run ended without using it
 * @typedef {{ step: Int32Array, object: Int32Array, cells: (number | any[])[], versions: number[][],
 *             holders: number[][] }} Heap
 *   parallel columns; versions[o] lists the rows that wrote object o, holders[o] the objects that ever held
 *   it
 * @typedef {{ byFrom: Map<number, Fate>, byTo: Map<number, Fate>, byMessage: Map<number, Fate>, into:
 *   Map<number, Fate[]>,
 *             input: number[], final: number[], result: number, from: number }} Fates
 *   final: the messages at the end of `result`: of the candidate or, where the run worked in place, of the
 *   active history; from: the first step that shows what may become it
 * @typedef {{ trace: Trace, clipped: Record<string, number>, length: number, place: Int32Array, frame:
 *   Int32Array,
 *   firstStep: Int32Array, caller: Int32Array, decisionSteps: Int32Array, changeSteps: Int32Array, callSteps:
 *   Int32Array,
 *   runsOfSite: number[][], firstRun: Map<number, number>[], variables: Map<number, Map<number, number[]>>,
 *   variableStep: Int32Array, heap: Heap, tracks: [Track, Track], fates: Fates, containers: Map<number,
 *   any[][]> }} Index
 */

/** How many entries of a sorted list are <= value. @param {ArrayLike<number>} sorted @param {number} value */
export function upTo(sorted, value) {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle] <= value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * As upTo, for row numbers whose steps are sorted.
 * @param {number[]} rows
 * @param {Int32Array} stepOf
 * @param {number} step
 */
export function rowsUpTo(rows, stepOf, step) {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (stepOf[rows[middle]] <= step) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** @param {number[]} deltas */
function runningSum(deltas) {
  const sums = new Int32Array(deltas.length);
  let sum = 0;
  for (let i = 0; i < deltas.length; i++) sums[i] = sum += deltas[i];
  return sums;
}

/** @param {Iterable<number>} numbers */
export const sortedDistinct = (numbers) => Int32Array.from(new Set(numbers)).sort();

/** @param {unknown} cell @returns {cell is any[]} */
export const isNested = (cell) => Array.isArray(cell) && isKind(cell[0]);

/** @param {unknown} cell @returns {cell is number} */
export const isObject = (cell) => typeof cell === "number" && cell % 2 === 0;

/**
 * The containers of a pool message in depth-first preorder, each with its children as cells relative to
 * object 0.
 * @param {Cell} message
 * @returns {any[][]}
 */
function containersOf(message) {
  /** @type {any[][]} */
  const found = [];
  /** @param {any[]} nested */
  const visit = (nested) => {
    /** @type {any[]} */
    const cells = [nested[0]];
    const own = found.push(cells) - 1;
    for (const child of nested.slice(1)) cells.push(isNested(child) ? { object: visit(child) } : child);
    return own;
  };
  if (isNested(message)) visit(message);
  return found;
}

/** @param {[number, number][]} turns @param {number} length */
function framesOfSteps(turns, length) {
  const frame = new Int32Array(length);
  turns.forEach(([step, number], i) =>
    frame.fill(number, step, i + 1 < turns.length ? turns[i + 1][0] : length),
  );
  return frame;
}

/**
 * The step at which each frame begins, and the frame that was running just before it.
 * @param {Int32Array} frame @param {Trace["frames"]} frames
 */
function framesInTime(frame, frames) {
  const firstStep = new Int32Array(frames.length).fill(-1);
  const caller = new Int32Array(frames.length).fill(-1);
  for (let step = 0; step < frame.length; step++) {
    const own = frame[step];
    if (firstStep[own] >= 0) continue;
    firstStep[own] = step;
    let above = step > 0 ? frame[step - 1] : -1;
    while (above >= 0 && frames[above][1] >= frames[own][1]) above = caller[above];
    caller[own] = above;
  }
  return { firstStep, caller };
}

/** @param {Trace["variables"]} columns */
function indexVariables(columns) {
  const step = runningSum(columns.step);
  const frame = runningSum(columns.frame);
  /** @type {Map<number, Map<number, number[]>>} */
  const frames = new Map();
  for (let row = 0; row < step.length; row++) {
    let names = frames.get(frame[row]);
    if (!names) frames.set(frame[row], (names = new Map()));
    const rows = names.get(columns.name[row]);
    if (rows) rows.push(row);
    else names.set(columns.name[row], [row]);
  }
  return { step, frames };
}

/**
 * @param {Trace["heap"]} columns
 * @param {(message: number) => any[][]} containers
 * @returns {Heap & { mutations: number[] }} mutations: the steps at which an object that existed was altered
 */
function indexHeap(columns, containers) {
  const step = runningSum(columns.step);
  const object = runningSum(columns.object);
  /** @type {number[][]} */
  const versions = [];
  /** @type {number[][]} */
  const holders = [];
  /** @type {number[]} */
  const mutations = [];
  /** @param {number} number @param {number} row */
  const written = (number, row) => {
    if (versions[number]) {
      versions[number].push(row);
      mutations.push(step[row]);
    } else versions[number] = [row];
  };
  /** @param {number} child @param {number} holder */
  const held = (child, holder) => {
    const list = (holders[child] ??= []);
    if (list[list.length - 1] !== holder) list.push(holder);
  };
  for (let row = 0; row < step.length; row++) {
    const cells = columns.cells[row];
    const own = object[row];
    if (typeof cells === "number") {
      containers(cells).forEach((container, offset) => {
        written(own + offset, row);
        for (const child of container)
          if (child?.object !== undefined) held(own + child.object, own + offset);
      });
    } else {
      written(own, row);
      for (let i = isNested(cells) ? 1 : cells[0] === "-" ? 3 : 2; i < cells.length; i++)
        if (isObject(cells[i])) held(cells[i] / 2, own);
    }
  }
  return { step, object, cells: columns.cells, versions, holders, mutations };
}

/** @param {number[]} messages @param {Splice} splice */
function spliced(messages, [, , at, removed, added]) {
  return messages.slice(0, at).concat(added, messages.slice(at + removed));
}

/** @param {Splice[]} rows @returns {Track} */
function indexTrack(rows) {
  const checkpoints = [/** @type {number[]} */ ([])];
  let messages = checkpoints[0];
  rows.forEach((row, i) => {
    messages = spliced(messages, row);
    if ((i + 1) % SPLICES_PER_CHECKPOINT === 0) checkpoints.push(messages);
  });
  const step = Int32Array.from(rows, (row) => row[0]);
  return { step, rows, checkpoints, recent: [], withdrawn: new Map() };
}

/**
 * Notes where the candidate was withdrawn: by a commit, or at the end of a run that returned another thing.
 * @param {Trace} trace @param {Track} candidate
 */
function markWithdrawn({ commits, checks, provenance, outcome }, { step, rows, withdrawn }) {
  const unused = outcome.kind === "returned" && (checks.in_place !== null || !provenance.length);
  if (unused && rows.length) withdrawn.set(rows.length, -1);
  for (const commit of commits) {
    // What a statement does shows from a later step on.
    const shown = upTo(step, commit);
    if (shown < step.length) withdrawn.set(upTo(step, step[shown]), commit);
  }
}

/** @param {Trace} trace @param {[Track, Track]} tracks @returns {Fates} */
function indexFates(trace, [active, candidate]) {
  const input = historyOf(active, Math.min(1, active.rows.length));
  const result = trace.checks.in_place === null ? CANDIDATE : ACTIVE;
  const track = result === ACTIVE ? active : candidate;
  const final = historyOf(track, track.rows.length);
  const made = [candidate.step[0] ?? Infinity, result === ACTIVE ? active.step[1] : Infinity];
  const [byFrom, byTo, byMessage, into] = [new Map(), new Map(), new Map(), new Map()];
  /** @type {Fates} */
  const fates = { byFrom, byTo, byMessage, into, input, final, result, from: Math.min(...made) };
  for (const fate of trace.provenance) {
    if (fate.from !== null) fates.byFrom.set(fate.from, fate);
    if (fate.to === null) continue;
    if (fate.fate === "summarised") {
      const merged = fates.into.get(fate.to);
      if (merged) merged.push(fate);
      else fates.into.set(fate.to, [fate]);
    } else {
      fates.byTo.set(fate.to, fate);
      if (!fates.byMessage.has(final[fate.to])) fates.byMessage.set(final[fate.to], fate);
    }
  }
  return fates;
}

/**
 * Reads a trace once. Everything the player asks later is answered from this index.
 * @param {Trace} trace
 * @param {Record<string, number>} [clipped] full lengths of the strings that the host shortened
 * @returns {Index}
 */
export function buildIndex(trace, clipped = {}) {
  if (trace?.format !== FORMAT) {
    throw new Error(`This player reads ${FORMAT}; the trace says ${JSON.stringify(trace?.format ?? null)}.`);
  }
  const place = Int32Array.from(trace.steps.place);
  const frame = framesOfSteps(trace.steps.turns, place.length);
  /** @type {number[]} */
  const decisionSteps = [];
  /** @type {number[]} */
  const callSteps = trace.calls.map((call) => call[0]);
  /** @type {number[][]} */
  const runsOfSite = trace.sites.map(() => []);
  const firstRun = trace.sources.map(() => /** @type {Map<number, number>} */ (new Map()));
  place.forEach((number, step) => {
    const [event, source, line, site] = trace.places[number];
    if (event === "decision") runsOfSite[site].push(decisionSteps.push(step) - 1);
    else if (event === "call") callSteps.push(step);
    else if (event === "line" && !firstRun[source].has(line)) firstRun[source].set(line, step);
  });

  const containers = /** @type {Map<number, any[][]>} */ (new Map());
  const variables = indexVariables(trace.variables);
  const { mutations, ...heap } = indexHeap(trace.heap, (message) =>
    messageContainers(trace, containers, message),
  );
  const tracks = /** @type {[Track, Track]} */ (
    [ACTIVE, CANDIDATE].map((which) => indexTrack(trace.histories.filter((row) => row[1] === which)))
  );
  markWithdrawn(trace, tracks[CANDIDATE]);
  const firstStepWithHistory = tracks[ACTIVE].step[0] ?? -1;
  const changes = mutations
    .concat(trace.histories.map((row) => row[0]))
    .filter((step) => step > firstStepWithHistory);
  return {
    trace,
    clipped,
    length: place.length,
    place,
    frame,
    ...framesInTime(frame, trace.frames),
    decisionSteps: Int32Array.from(decisionSteps),
    changeSteps: sortedDistinct(changes),
    callSteps: sortedDistinct(callSteps),
    runsOfSite,
    firstRun,
    variables: variables.frames,
    variableStep: variables.step,
    heap,
    tracks,
    fates: indexFates(trace, tracks),
    containers,
  };
}

/**
 * The pool messages of a history's version. Shared: callers must not change the list.
 * @param {Track} track @param {number} version
 * @returns {number[]}
 */
export function historyOf(track, version) {
  const known = track.recent.find((entry) => entry.version === version);
  if (known) return known.messages;
  const checkpoint = Math.floor(version / SPLICES_PER_CHECKPOINT);
  let from = checkpoint * SPLICES_PER_CHECKPOINT;
  let messages = track.checkpoints[checkpoint];
  for (const entry of track.recent) {
    if (entry.version < version && entry.version > from) ({ version: from, messages } = entry);
  }
  for (; from < version; from++) messages = spliced(messages, track.rows[from]);
  track.recent = [{ version, messages }, ...track.recent.slice(0, 1)];
  return messages;
}

/** @param {Trace} trace @param {Map<number, any[][]>} known @param {number} message */
export function messageContainers(trace, known, message) {
  let containers = known.get(message);
  if (!containers) known.set(message, (containers = containersOf(trace.messages[message])));
  return containers;
}
