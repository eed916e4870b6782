// @ts-check
/**
 * The player: steps through one recorded run, forwards and backwards.
 *
 * One plain ES module in the shape that anywidget expects (`export default { render }`). Python computed
 * every figure; this file only looks things up and draws them. It has these parts, each using only the ones
 * before it:
 *
 *   1. Text            what a reader may see of any string, however hostile
 *   2. Index           one pass over the trace, so that each question about a step is a binary search
 *   3. State           what held at a step: variables, objects, histories
 *   4. Words           values, decisions and reasons as sentences
 *   5. Moves           where each transport button leads
 *   6. Histories       legal cuts, and how two histories line up
 *   7. Python source   tokens for colouring
 *   8. Elements        making DOM nodes, icons
 *   9. Lists           virtual rows, tabs
 *  10. Views           one class per region of the player
 *  11. Player          state, keys, and the traffic with the host
 *  12. Entry           render({ model, el })
 *
 * Positions and steps are 0-based, as in the other faces of a trace; source lines 1-based; sizes in UTF-8 bytes.
 */

/**
 * @typedef {null | boolean | number | string | any[]} Cell  a recorded value, see "Cells" in the trace's
 *   schema
 * @typedef {[event: string, source: number, line: number, site: number]} Place
 * @typedef {{ source: string, pieces: (string | number)[], compare: boolean }} Part
 * @typedef {{ function: number, line: number, source: string, question: string, yes: string, no: string,
 *   parts: Part[] }} Site
 * @typedef {{ name: string, file: string, first_line: number, text: string, labels: [number, string][],
 *             lines: Record<string, string> }} Source
 * @typedef {{ message: number, fate: string, step: number, from: number | null, to: number | null }} Fate
 * @typedef {[step: number, which: number, at: number, removed: number, added: number[], bytes: number,
 *   open: number,
 *            orphans: number]} Splice
 * @typedef {{ format: string, function: string, scenario: { name: string, promise: string } | null,
 *   sources: Source[],
 *   strings: string[], messages: Cell[], sites: Site[], places: Place[],
 *   steps: { place: number[], turns: [number, number][] }, frames: [source: number, depth: number, name:
 *   string][],
 *   variables: { step: number[], frame: number[], name: number[], value: Cell[] },
 *   heap: { step: number[], object: number[], cells: (number | any[])[] },
 *   decisions: { outcome: number[], values: Cell[][] }, calls: [number, number, string, Cell[], Cell][],
 *   histories: Splice[], provenance: Fate[],
 *   checks: { input_unchanged: boolean, pairs_complete: boolean | null, within_budget: boolean | null,
 *             budget: number | null, first_broken_step: number | null },
 *   outcome: { kind: string, code: string | null, type: string | null, message: string | null, value: Cell },
 *   notes: string[] }} Trace
 * @typedef {{ role: string, kind: string, ids: string[], calls: string[], results: string[], error: boolean,
 *             chars: number, bytes: number, tokens: number | null, preview: string }} Card
 * @typedef {{ function: string, scenario: string | null, promise: string | null, settings: [string,
 *   string][],
 *             stand_ins: [string, string][] }} Heading
 */

const FORMAT = "ctxlab.trace/1";
/** What the first cell of a container says it is. @type {Record<string, string>} */
const KINDS = { d: "dict", l: "list", t: "tuple", s: "set" };
const UNBOUND = "<unbound>";
/** Names under which a trace keeps what a call gave back. They are no variables of the function. */
const RESULTS = { return: "returned", raise: "raised" };
const ACTIVE = 0;
const CANDIDATE = 1;

// -----------------------------------------------------------------------------------------------------------
// 1. Text
// -----------------------------------------------------------------------------------------------------------

const GROUPED = new Intl.NumberFormat("en-US");

/** @param {number} n */
const grouped = (n) => GROUPED.format(n);

/** "1 message", "1,001 messages". @param {number} n @param {string} noun */
const counted = (n, noun) => `${grouped(n)} ${noun}${n === 1 ? "" : "s"}`;

/**
 * Characters that change how a line reads without being seen: controls, bidi overrides, zero-width spaces,
 * tags, lone surrogates. Joiners (U+200C, U+200D) stay: Persian, Hindi and emoji are written with them.
 */
const UNSEEN = new RegExp(
  "[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u00ad\\u061c\\u115f\\u1160\\u180e\\u200b\\u200e\\u200f" +
    "\\u2028-\\u202e\\u2060-\\u206f\\u3164\\ufe00-\\ufe0e\\ufeff\\uffa0\\ufff9-\\ufffb\\ud800-\\udfff" +
    "\\u{e0000}-\\u{e007f}]",
  "gu",
);

/** @param {string} character */
const codePoint = (character) =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;

/**
 * Splits a text into what can be shown as it is and what must be shown by its code point.
 * @param {string} text
 * @returns {{ text: string, unseen: boolean }[]}
 */
export function visibleParts(text) {
  const parts = [];
  let from = 0;
  for (const match of text.matchAll(UNSEEN)) {
    if (match.index > from) parts.push({ text: text.slice(from, match.index), unseen: false });
    parts.push({ text: codePoint(match[0]), unseen: true });
    from = match.index + match[0].length;
  }
  if (from < text.length) parts.push({ text: text.slice(from), unseen: false });
  return parts;
}

/** The length in characters as Python counts them. @param {string} text */
function characters(text) {
  let n = text.length;
  for (let i = 0; i < text.length - 1; i++) {
    if ((text.charCodeAt(i) & 0xfc00) === 0xd800 && (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00) n--;
  }
  return n;
}

/** The first characters of a text, never half of one. @param {string} text @param {number} limit */
function head(text, limit) {
  return text.length <= limit
    ? text
    : Array.from(text.slice(0, 2 * limit))
        .slice(0, limit)
        .join("");
}

/**
 * What Python's str.isprintable calls unprintable: all but letters, marks, numbers, signs and the plain
 * space.
 */
const UNPRINTABLE = /(?! )[\p{C}\p{Z}]/gu;

/** @param {string} character */
const escaped = (character) => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`;

/**
 * A string as a value in a sentence: in double quotes, on one line, cut with its length.
 * @param {string} text the string, or its first characters
 * @param {number} length characters of the whole string
 * @param {number} limit
 */
function quoted(text, length, limit) {
  const shown = JSON.stringify(head(text, limit)).replace(UNPRINTABLE, escaped);
  return length > limit ? `${shown.slice(0, -1)}…" (${length} characters)` : shown;
}

// -----------------------------------------------------------------------------------------------------------
// 2. Index
// -----------------------------------------------------------------------------------------------------------

const SPLICES_PER_CHECKPOINT = 64;

/**
 * @typedef {{ step: Int32Array, rows: Splice[], checkpoints: number[][], recent: { version: number,
 *   messages: number[] }[] }} Track
 *   one history over time: version v is the state after its first v splices; `recent` keeps the two asked for
 *   last
 * @typedef {{ step: Int32Array, object: Int32Array, cells: (number | any[])[], versions: number[][],
 *             holders: number[][] }} Heap
 *   parallel columns; versions[o] lists the rows that wrote object o, holders[o] the objects that ever held
 *   it
 * @typedef {{ byFrom: Map<number, Fate>, byTo: Map<number, Fate>, byMessage: Map<number, Fate>, into:
 *   Map<number, Fate[]>,
 *             input: number[], final: number[] }} Fates
 * @typedef {{ trace: Trace, clipped: Record<string, number>, length: number, place: Int32Array, frame:
 *   Int32Array,
 *   firstStep: Int32Array, caller: Int32Array, decisionSteps: Int32Array, changeSteps: Int32Array, callSteps:
 *   Int32Array,
 *   runsOfSite: number[][], firstRun: Map<number, number>[], variables: Map<number, Map<number, number[]>>,
 *   variableStep: Int32Array, heap: Heap, tracks: [Track, Track], fates: Fates, containers: Map<number,
 *   any[][]> }} Index
 */

/** How many entries of a sorted list are <= value. @param {ArrayLike<number>} sorted @param {number} value */
function upTo(sorted, value) {
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
function rowsUpTo(rows, stepOf, step) {
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
const sortedDistinct = (numbers) => Int32Array.from(new Set(numbers)).sort();

/** @param {unknown} cell @returns {cell is any[]} */
const isNested = (cell) => Array.isArray(cell) && cell.length > 0 && Object.hasOwn(KINDS, cell[0]);

/** @param {unknown} cell @returns {cell is number} */
const isObject = (cell) => typeof cell === "number" && cell % 2 === 0;

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
  return { step: Int32Array.from(rows, (row) => row[0]), rows, checkpoints, recent: [] };
}

/** @param {Trace} trace @param {[Track, Track]} tracks @returns {Fates} */
function indexFates(trace, [active, candidate]) {
  const input = historyOf(active, Math.min(1, active.rows.length));
  const final = historyOf(candidate, candidate.rows.length);
  /** @type {Fates} */
  const fates = { byFrom: new Map(), byTo: new Map(), byMessage: new Map(), into: new Map(), input, final };
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

// -----------------------------------------------------------------------------------------------------------
// 3. State
// -----------------------------------------------------------------------------------------------------------

/** @param {Trace} trace @param {Map<number, any[][]>} known @param {number} message */
function messageContainers(trace, known, message) {
  let containers = known.get(message);
  if (!containers) known.set(message, (containers = containersOf(trace.messages[message])));
  return containers;
}

/** @param {Index} index @param {number} step @returns {Place} */
export const placeAt = (index, step) => index.trace.places[index.place[step]];

/** @param {Index} index @param {number} step */
const depthAt = (index, step) => index.trace.frames[index.frame[step]][1];

/** The running frame and its callers, innermost first. @param {Index} index @param {number} step */
export function stackAt(index, step) {
  const stack = [];
  for (let frame = index.frame[step]; frame >= 0; frame = index.caller[frame]) stack.push(frame);
  return stack;
}

/**
 * How many versions the object has up to a step.
 * @param {Index} index
 * @param {number} object
 * @param {number} step
 */
function versionCount(index, object, step) {
  return rowsUpTo(index.heap.versions[object] ?? [], index.heap.step, step);
}

/**
 * An object's cells as a row wrote them.
 * @param {Index} index
 * @param {number} row
 * @param {number} object
 * @returns {any[]}
 */
function cellsOfRow(index, row, object) {
  const cells = index.heap.cells[row];
  if (typeof cells !== "number") return cells;
  const base = index.heap.object[row];
  const container = messageContainers(index.trace, index.containers, cells)[object - base];
  return container.map((cell) => (cell?.object === undefined ? cell : 2 * (base + cell.object)));
}

/**
 * What an object holds at a step: its kind, then its cells. An object that is not known yet is taken as it
 * first was.
 * @param {Index} index @param {number} object @param {number} step
 * @returns {any[]}
 */
export function cellsAt(index, object, step) {
  const rows = index.heap.versions[object] ?? [];
  /** @type {any[][]} */
  const changes = [];
  for (
    let version = Math.max(1, versionCount(index, object, step)) - 1;
    version >= 0 && version < rows.length;
    version--
  ) {
    const cells = cellsOfRow(index, rows[version], object);
    if (isNested(cells)) return changes.reduceRight(changedCells, cells.slice());
    changes.push(cells);
  }
  return ["l"];
}

/**
 * A list's or dict's cells after one more change; they are altered.
 * @param {any[]} cells
 * @param {any[]} change
 */
function changedCells(cells, change) {
  if (change[0] === "-") cells.splice(1 + change[1], change[2], ...change.slice(3));
  else if (change[0] === "+") for (let i = 2; i < change.length; i++) cells.push(change[i]);
  else cells[1 + change[1]] = change[2];
  return cells;
}

/**
 * An object's kind and number of items at a step.
 * @param {Index} index
 * @param {number} object
 * @param {number} step
 */
function sizeAt(index, object, step) {
  const rows = index.heap.versions[object] ?? [];
  let exchanged = 0;
  for (
    let version = Math.max(1, versionCount(index, object, step)) - 1;
    version >= 0 && version < rows.length;
    version--
  ) {
    const cells = cellsOfRow(index, rows[version], object);
    if (cells[0] === "=") continue;
    if (cells[0] === "-") {
      exchanged += cells.length - 3 - cells[2];
      continue;
    }
    // The first row of an object says what it is; a row for growth counts from what was there before.
    const kind = cellsOfRow(index, rows[0], object)[0];
    const [before, written] = cells[0] === "+" ? [cells[1], cells.length - 2] : [0, cells.length - 1];
    return { kind, size: before + (kind === "d" ? written / 2 : written) + exchanged };
  }
  return { kind: "l", size: 0 };
}

/**
 * The named values of a frame at a step, in the order in which the names first appeared.
 * @param {Index} index @param {number} frame @param {number} step
 * @returns {{ name: string, value: Cell, since: number }[]} since: the step at which the name got this value
 */
export function variablesAt(index, frame, step) {
  const found = [];
  for (const [name, rows] of index.variables.get(frame) ?? []) {
    const count = rowsUpTo(rows, index.variableStep, step);
    if (count === 0) continue;
    const row = rows[count - 1];
    const value = index.trace.variables.value[row];
    if (value !== UNBOUND)
      found.push({ name: index.trace.strings[name], value, since: index.variableStep[row] });
  }
  return found;
}

/**
 * The objects that are different after the change that a step shows, and all that hold one of them, however
 * deep.
 * @param {Index} index @param {number} step
 */
export function changedObjects(index, step) {
  const { heap } = index;
  const changed = new Set();
  const pending = [];
  const from = upTo(heap.step, step - 1);
  for (let row = from; row < heap.step.length && heap.step[row] === step; row++) {
    if (versionCount(index, heap.object[row], step - 1) > 0) pending.push(heap.object[row]);
  }
  for (let object = pending.pop(); object !== undefined; object = pending.pop()) {
    if (changed.has(object)) continue;
    changed.add(object);
    for (const holder of heap.holders[object] ?? []) {
      if (!changed.has(holder) && cellsAt(index, holder, step).includes(2 * object)) pending.push(holder);
    }
  }
  return changed;
}

/**
 * Whether a variable has another value, or its value another content, than one step before.
 * @param {{ value: Cell, since: number }} variable @param {Set<number>} changed @param {number} step
 */
const hasChanged = ({ value, since }, changed, step) =>
  since === step || (isObject(value) && changed.has(value / 2));

/**
 * The nearest other step at which a variable of a frame changes.
 * @param {Index} index
 * @param {number} frame
 * @param {string} name
 * @param {number} step
 * @param {1 | -1} direction
 */
export function variableChange(index, frame, name, step, direction) {
  const { heap, variableStep } = index;
  const number = index.trace.strings.indexOf(name);
  const own = (index.variables.get(frame)?.get(number) ?? []).map((row) => variableStep[row]);
  const rebound = new Set(own);
  const steps = sortedDistinct([...own, ...heap.step]);
  const first = direction > 0 ? upTo(steps, step) : upTo(steps, step - 1) - 1;
  for (let i = first; i >= 0 && i < steps.length; i += direction) {
    if (rebound.has(steps[i])) return steps[i];
    const variable = variablesAt(index, frame, steps[i]).find((candidate) => candidate.name === name);
    if (variable && isObject(variable.value) && changedObjects(index, steps[i]).has(variable.value / 2))
      return steps[i];
  }
  return -1;
}

/**
 * The pool messages of a history's version. Shared: callers must not change the list.
 * @param {Track} track @param {number} version
 * @returns {number[]}
 */
function historyOf(track, version) {
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

/**
 * A history at a step; `present` is false before the run has one.
 * @param {Index} index @param {number} which ACTIVE or CANDIDATE @param {number} step
 */
export function historyAt(index, which, step) {
  const track = index.tracks[which];
  const version = upTo(track.step, step);
  const [, , , , , bytes, open, orphans] = version ? track.rows[version - 1] : [0, 0, 0, 0, [], 0, 0, 0];
  return { present: version > 0, version, messages: historyOf(track, version), bytes, open, orphans };
}

/**
 * What became of a message of a history, as far as it is true at a step.
 * `state` is "none" (nothing became of it in this run), "undecided" (later), "now" (the current line does it)
 * or "done".
 * @param {Index} index
 * @param {number} which
 * @param {number} position
 * @param {number} message
 * @param {number} step
 * @returns {{ state: "none" | "undecided" | "now" | "done", fate: Fate | null }}
 */
export function fateAt(index, which, position, message, step) {
  const { byFrom, byTo, byMessage, input, final } = index.fates;
  const fate =
    which === ACTIVE
      ? input[position] === message
        ? byFrom.get(position)
        : undefined
      : final[position] === message
        ? byTo.get(position)
        : byMessage.get(message);
  if (!fate) return { state: index.trace.provenance.length ? "undecided" : "none", fate: null };
  // What stays in the candidate is shown as decided only once there is a candidate to look at.
  const stays = fate.to !== null && fate.fate !== "summarised";
  const shown = Math.max(fate.step + 1, stays ? index.tracks[CANDIDATE].step[0] : 0);
  if (step >= shown || step === index.length - 1) return { state: "done", fate };
  return { state: step === fate.step ? "now" : "undecided", fate };
}

/** Whether the run ended here without using its candidate. @param {Index} index @param {number} step */
const isRejected = (index, step) =>
  step === index.length - 1 &&
  index.trace.outcome.kind !== "returned" &&
  historyAt(index, CANDIDATE, step).present;

// -----------------------------------------------------------------------------------------------------------
// 4. Words
// -----------------------------------------------------------------------------------------------------------

const CHARACTERS_OF_A_VALUE = 40;
const ITEMS_OF_A_VALUE = 3;

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
  if (kind !== "d" && size > 0 && size <= ITEMS_OF_A_VALUE) {
    const cells = cellsAt(index, object, step).slice(1);
    const items = cells.some(isObject) ? "" : cells.map((cell) => describe(index, cell, step)).join(", ");
    if (items && characters(items) <= CHARACTERS_OF_A_VALUE)
      return kind === "l" ? `[${items}]` : kind === "t" ? `(${items})` : `{${items}}`;
  }
  return `a ${KINDS[kind]} of ${size}`;
}

/** @param {unknown} truth */
const yesNo = (truth) => (truth ? "yes" : "no");

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

/** The source text of a line, without its indentation. @param {Source} source @param {number} line */
const lineText = (source, line) => (source.text.split("\n")[line - source.first_line] ?? "").trim();

/** The numbered label that a line stands under, or "". @param {Source} source @param {number} line */
function labelOf(source, line) {
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
  if (event === "return") return `${name} returns${result ? ` ${describe(index, result.value, step)}` : ""}.`;
  if (event === "raise") return `${name} raises${result ? ` ${describe(index, result.value, step)}` : ""}.`;
  return index.trace.sources[sourceNumber].lines[line] ?? "";
}

/**
 * "receipt = "a", older = a list of 2".
 * @param {Index} index
 * @param {{ name: string, value: Cell }[]} variables
 * @param {number} step
 */
const valueList = (index, variables, step) =>
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

/** A step in the words of the slider. @param {Index} index @param {number} step */
export function stepValueText(index, step) {
  const [event, , line] = placeAt(index, step);
  const number = decisionAt(index, step);
  const where = `step ${step} of ${index.length - 1}, line ${line}`;
  if (number < 0) return event === "line" ? where : `${where}: ${stepSentence(index, step)}`;
  const { saw, link, answer } = decisionParts(index, number);
  return `${where}: ${saw}${link}${answer}`;
}

// -----------------------------------------------------------------------------------------------------------
// 5. Moves
// -----------------------------------------------------------------------------------------------------------

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

// -----------------------------------------------------------------------------------------------------------
// 6. Histories
// -----------------------------------------------------------------------------------------------------------

/**
 * Which cuts of a history are legal. A cut is illegal if a call before it has its result after it.
 * @param {Pick<Card, "calls" | "results">[]} cards
 * @returns {string[][]} entry c: the ids that a cut before message c would split; empty where the cut is
 *   legal
 */
export function splitIds(cards) {
  /** @type {Map<string, number>} */
  const openCalls = new Map();
  /** @type {[string, number][][]} */
  const pairsFrom = cards.map(() => []);
  cards.forEach((card, i) => {
    for (const id of card.results) {
      const at = openCalls.get(id);
      if (at !== undefined && at < i) pairsFrom[at].push([id, i]);
      openCalls.delete(id);
    }
    for (const id of card.calls) openCalls.set(id, i);
  });
  /** @type {Map<string, number>} */
  const spanning = new Map();
  return cards.map((_, cut) => {
    for (const [id, end] of spanning) if (end < cut) spanning.delete(id);
    if (cut > 0) for (const [id, end] of pairsFrom[cut - 1]) spanning.set(id, end);
    return spanning.size ? [...spanning.keys()] : NO_IDS;
  });
}

/** @type {string[]} */
const NO_IDS = [];

/**
 * Which messages hold half of a pair: a call that no later result answers, or a result that no call before it
 * asked for.
 * @param {Pick<Card, "calls" | "results">[]} cards
 * @returns {string[]} entry i: "no result", "no call" or ""
 */
export function missingHalves(cards) {
  const missing = cards.map(() => "");
  const called = new Set();
  /** @type {Map<string, number>} */
  const waiting = new Map();
  cards.forEach((card, i) => {
    for (const id of card.results) {
      if (!called.has(id)) missing[i] = "no call";
      waiting.delete(id);
    }
    for (const id of card.calls) {
      const earlier = waiting.get(id);
      if (earlier !== undefined) missing[earlier] = "no result";
      called.add(id);
      waiting.set(id, i);
    }
  });
  for (const i of waiting.values()) missing[i] = "no result";
  return missing;
}

/**
 * Pairs the messages of the active history with those of the candidate: equal ones in order, then ones with
 * the same role and ids, then what the run's provenance says.
 * @param {Index} index @param {Card[]} cards @param {number[]} active @param {number[]} candidate
 * @returns {Int32Array} for each active position the candidate's position, or -1
 */
function matchMessages(index, cards, active, candidate) {
  const match = new Int32Array(active.length).fill(-1);
  const taken = new Uint8Array(candidate.length);
  /** @param {number} i @param {number} j */
  const pair = (i, j) => {
    match[i] = j;
    taken[j] = 1;
  };
  for (let i = 0; i < active.length && i < candidate.length; i++) if (active[i] === candidate[i]) pair(i, i);
  /** @param {(message: number) => string | number | null} keyOf */
  const pairBy = (keyOf) => {
    /** @type {Map<string | number, number[]>} */
    const free = new Map();
    for (let j = candidate.length - 1; j >= 0; j--) {
      const key = taken[j] ? null : keyOf(candidate[j]);
      if (key === null) continue;
      const list = free.get(key);
      if (list) list.push(j);
      else free.set(key, [j]);
    }
    for (let i = 0; free.size && i < active.length; i++) {
      const key = match[i] < 0 ? keyOf(active[i]) : null;
      const j = key === null ? undefined : free.get(key)?.pop();
      if (j !== undefined) pair(i, j);
    }
  };
  pairBy((message) => message);
  pairBy((message) =>
    cards[message].ids.length ? `${cards[message].role} ${cards[message].ids.join(" ")}` : null,
  );
  const { byFrom, input, final } = index.fates;
  for (let i = 0; i < active.length; i++) {
    const fate = match[i] < 0 && input[i] === active[i] ? byFrom.get(i) : undefined;
    if (!fate || fate.to === null || fate.fate === "summarised") continue;
    const j = candidate[fate.to] === final[fate.to] ? fate.to : -1;
    if (j >= 0 && !taken[j]) pair(i, j);
  }
  return match;
}

/**
 * Lays two histories out in common rows, so that a message and what became of it stand side by side.
 * @param {Int32Array} match @param {number} lengthOfCandidate
 * @returns {{ rows: number, itemAt: [Int32Array, Int32Array], rowOf: [Int32Array, Int32Array] }}
 */
export function alignedRows(match, lengthOfCandidate) {
  const most = match.length + lengthOfCandidate;
  const itemAt = /** @type {[Int32Array, Int32Array]} */ ([
    new Int32Array(most).fill(-1),
    new Int32Array(most).fill(-1),
  ]);
  const rowOf = /** @type {[Int32Array, Int32Array]} */ ([
    new Int32Array(match.length),
    new Int32Array(lengthOfCandidate),
  ]);
  let rows = 0;
  let left = 0;
  let right = 0;
  /** @param {number} toLeft @param {number} toRight */
  const fill = (toLeft, toRight) => {
    for (; left < toLeft || right < toRight; rows++) {
      if (left < toLeft) itemAt[0][(rowOf[0][left] = rows)] = left++;
      if (right < toRight) itemAt[1][(rowOf[1][right] = rows)] = right++;
    }
  };
  for (let i = 0; i < match.length; i++) {
    if (match[i] < right) continue;
    fill(i, match[i]);
    fill(i + 1, match[i] + 1);
  }
  fill(match.length, lengthOfCandidate);
  return { rows, itemAt, rowOf };
}

/**
 * Where each active message went: the position in the candidate of what it became, or -1. Several go into one
 * summary.
 * @param {Index} index @param {number[]} active @param {number[]} candidate @param {Int32Array} match
 */
function destinations(index, active, candidate, match) {
  const { byFrom, input, final } = index.fates;
  return match.map((to, i) => {
    if (to >= 0 || input[i] !== active[i]) return to;
    const fate = byFrom.get(i);
    return fate && fate.to !== null && candidate[fate.to] === final[fate.to] ? fate.to : -1;
  });
}

/** The strings of a pool message with where each stands. @param {Index} index @param {number} message */
export function textsOf(index, message) {
  /** @type {{ path: string, text: string, length: number }[]} */
  const found = [];
  /** @param {any} cell @param {string} path */
  const visit = (cell, path) => {
    if (isNested(cell)) {
      const step = cell[0] === "d" ? 2 : 1;
      for (let i = 1; i < cell.length; i += step) {
        if (step === 2) visit(cell[i + 1], `${path}${path && "."}${rawText(index, cell[i])}`);
        else visit(cell[i], `${path}[${i - 1}]`);
      }
    } else {
      const number = typeof cell === "number" && cell % 2 ? (cell - 1) / 2 : -1;
      const text = rawText(index, cell);
      found.push({ path, text, length: index.clipped[number] ?? text.length });
    }
  };
  visit(index.trace.messages[message], "");
  return found;
}

/** A plain value as text: strings without quotes. @param {Index} index @param {Cell} cell */
function rawText(index, cell) {
  return typeof cell === "number" && cell % 2
    ? index.trace.strings[(cell - 1) / 2]
    : describe(index, cell, index.length);
}

// -----------------------------------------------------------------------------------------------------------
// 7. Python source
// -----------------------------------------------------------------------------------------------------------

const KEYWORDS = new Set(
  (
    "False None True and as assert async await break class continue def del elif else except finally for " +
    "from global if import in is lambda nonlocal not or pass raise return try while with yield"
  ).split(" "),
);
/** The colour of what a group of TOKEN matched; "" has none. @type {Record<string, string>} */
const KIND_OF_GROUP = {
  comment: "comment",
  text: "string",
  line: "string",
  number: "number",
  name: "",
  other: "",
};
const TOKEN = new RegExp(
  [
    /(?<comment>#[^\n]*)/,
    /(?<text>[rbuf]{0,2}(?:"""(?:\\[^]|(?!""")[^])*(?:"""|$)|'''(?:\\[^]|(?!''')[^])*(?:'''|$)))/,
    /(?<line>[rbuf]{0,2}(?:"(?:\\[^]|[^"\\\n])*"?|'(?:\\[^]|[^'\\\n])*'?))/,
    /(?<number>\.?\d[\w.]*)/,
    /(?<name>[\p{L}_][\p{L}\p{N}_]*)/u,
    /(?<newline>\n)/,
    /(?<other>[^])/,
  ]
    .map((part) => part.source)
    .join("|"),
  "giu",
);

/**
 * @typedef {{ kind: string, text: string }} Token  kind: keyword, string, comment, number or ""
 * @typedef {{ tokens: Token[], statement: number, code: boolean }} PythonLine
 */

/**
 * Cuts Python source into lines of coloured tokens. `statement` is the line (0-based) on which the line's
 * statement begins: an open bracket or a text in triple quotes carries one statement over several lines.
 * @param {string} text
 * @returns {PythonLine[]}
 */
export function pythonLines(text) {
  /** @type {PythonLine[]} */
  const lines = [];
  let depth = 0;
  let statement = 0;
  const newLine = (/** @type {boolean} */ continued) => {
    if (!continued) statement = lines.length;
    lines.push({ tokens: [], statement, code: false });
  };
  newLine(false);
  for (const { groups = {} } of text.matchAll(TOKEN)) {
    const [group, token] = /** @type {[string, string]} */ (
      Object.entries(groups).find(([, part]) => part !== undefined)
    );
    if (group === "newline") newLine(depth > 0);
    else {
      const kind = KEYWORDS.has(token) ? "keyword" : KIND_OF_GROUP[group];
      if ("([{".includes(token)) depth++;
      else if (")]}".includes(token)) depth = Math.max(0, depth - 1);
      token.split("\n").forEach((piece, i) => {
        if (i > 0) newLine(true);
        const line = lines[lines.length - 1];
        line.code ||= group !== "comment" && piece.trim() !== "";
        const before = line.tokens[line.tokens.length - 1];
        if (before?.kind === kind) before.text += piece;
        else line.tokens.push({ kind, text: piece });
      });
    }
  }
  return lines;
}

// -----------------------------------------------------------------------------------------------------------
// 8. Elements
// -----------------------------------------------------------------------------------------------------------

const SVG = "http://www.w3.org/2000/svg";

/** Outlines on a 16 x 16 grid. @type {Record<string, string>} */
const ICONS = {
  start: "M3 3h2v10H3zM13 3v10L6 8z",
  back: "M11 3v10L4 8z",
  step: "M5 3v10l7-5z",
  end: "M11 3h2v10h-2zM3 3v10l7-5z",
  over: "M2 11c0-3.6 2.4-6 5.5-6 2.2 0 4 1.2 5 3.1L14 7v5H9l2-1.9C10.3 8 9.1 7 7.5 7 5.3 7 3.8 8.6 3.8 11z",
  out: "M7.1 13V6.5H4L8 2l4 4.5H8.9V13z",
  previous: "M10.5 3.5 6 8l4.5 4.5-1.2 1.2L3.6 8l5.7-5.7z",
  next: "M5.5 3.5 10 8l-4.5 4.5 1.2 1.2L12.4 8 6.7 2.3z",
  runBack: "M8 3v10L2 8zM14 3v10L8 8z",
  run: "M8 3v10l6-5zM2 3v10l6-5z",
  kept: "M6.4 12.6 2.2 8.4l1.3-1.3 2.9 2.9 6.1-6.1 1.3 1.3z",
  trimmed: "M2 3.5h12v1.8H2zM2 7.1h7v1.8H2zM2 10.7h3.5v1.8H2z",
  summarised: "M2 2.5h1.8L8 7l4.2-4.5H14L8.9 8.4V14H7.1V8.4z",
  dropped: "M4 2.8 8 6.8l4-4L13.2 4l-4 4 4 4-1.2 1.2-4-4-4 4L2.8 12l4-4-4-4z",
  added: "M7.1 2.5h1.8v4.6h4.6v1.8H8.9v4.6H7.1V8.9H2.5V7.1h4.6z",
  now: "M2 7.1h7.2L6.4 4.3l1.3-1.2L12.5 8l-4.8 4.9-1.3-1.2 2.8-2.8H2z",
  text: "M8 3a5 5 0 1 1 0 10A5 5 0 0 1 8 3z",
  call: "M8 1.8 14.2 8 8 14.2 1.8 8z",
  result: "M3 3h10v10H3z",
  other: "M8 2.5 14 13H2z",
  returned: "M6.4 12.6 2.2 8.4l1.3-1.3 2.9 2.9 6.1-6.1 1.3 1.3z",
  refused: "M5.3 2h5.4L14 5.3v5.4L10.7 14H5.3L2 10.7V5.3zm-.8 5.1v1.8h7V7.1z",
  error: "M4 2.8 8 6.8l4-4L13.2 4l-4 4 4 4-1.2 1.2-4-4-4 4L2.8 12l4-4-4-4z",
  step_limit: "M3 3h3.5v10H3zM9.5 3H13v10H9.5z",
  open: "M5.5 3.5 10 8l-4.5 4.5 1.2 1.2L12.4 8 6.7 2.3z",
};

/**
 * Adds a text as it may be shown: what cannot be seen is marked by its code point.
 * @param {Element} node
 * @param {string} text
 */
function appendText(node, text) {
  for (const part of visibleParts(text)) {
    node.append(
      part.unseen ? element("span", { class: "ctx-unseen" }, document.createTextNode(part.text)) : part.text,
    );
  }
}

/**
 * A new element. Strings among the children may come from a trace: they are set as text, never as markup.
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag
 * @param {Record<string, string | number | boolean | null | undefined>} [attributes] true is "", false and
 *   null are left out
 * @param {...(Node | string | null | false)} children
 * @returns {HTMLElementTagNameMap[T]}
 */
function element(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== false && value !== null && value !== undefined)
      node.setAttribute(name, value === true ? "" : String(value));
  }
  // JupyterLab and Notebook take keys in the capture phase, unless the focused element says otherwise.
  if (tag === "button" || tag === "input" || tag === "summary" || "tabindex" in attributes)
    node.setAttribute("data-lm-suppress-shortcuts", "true");
  if (tag === "button") node.setAttribute("type", "button");
  for (const child of children) {
    if (typeof child === "string") appendText(node, child);
    else if (child) node.append(child);
  }
  return node;
}

/** @param {string} name @param {Record<string, string>} attributes */
function svgElement(name, attributes) {
  const node = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  return node;
}

/** @param {string} name a key of ICONS */
function icon(name) {
  const svg = svgElement("svg", {
    class: "ctx-icon",
    viewBox: "0 0 16 16",
    "aria-hidden": "true",
    focusable: "false",
  });
  svg.append(svgElement("path", { d: ICONS[name] ?? ICONS.other, "fill-rule": "evenodd" }));
  return svg;
}

/** @type {WeakMap<Element, string>} */
const SHOWN = new WeakMap();

/** Replaces a text, if it is another one. @param {Element} node @param {string} text */
function setText(node, text) {
  if (SHOWN.get(node) === text) return;
  SHOWN.set(node, text);
  node.replaceChildren();
  appendText(node, text);
}

/**
 * Sets an attribute, if it has another value; null removes it.
 * @param {Element} node
 * @param {string} name
 * @param {string | null} value
 */
function setAttribute(node, name, value) {
  if (node.getAttribute(name) === value) return;
  if (value === null) node.removeAttribute(name);
  else node.setAttribute(name, value);
}

/** @param {EventTarget | null} target @param {string} selector @returns {HTMLElement | null} */
const closest = (target, selector) => (target instanceof Element ? target.closest(selector) : null);

/** A number that no other player on the page has, whichever copy of this module drew it. */
const uniqueId = () => `ctx-${Math.random().toString(36).slice(2, 10)}`;

const CHARACTERS_OF_A_TEXT = 2000;

/** A long text cut for showing, with its length. @param {string} text @param {number} length */
function cutText(text, length) {
  return length > CHARACTERS_OF_A_TEXT
    ? `${head(text, CHARACTERS_OF_A_TEXT)}… (${counted(length, "character")} in all)`
    : text;
}

// -----------------------------------------------------------------------------------------------------------
// 9. Lists
// -----------------------------------------------------------------------------------------------------------

const ROWS_OUTSIDE = 4;
const HEIGHT_BEFORE_LAYOUT = 480;

/**
 * Draws only the rows in view, of one height each, and draws a row again only when its key has changed. The
 * list is one tab stop; the up and down arrows go from row to row. Elements that take the focus carry
 * `data-part`.
 */
class VirtualRows {
  /**
   * @param {HTMLElement} scroller @param {HTMLElement} content @param {number} rowHeight
   * @param {(row: number) => string | null} keyOf null for a row without content
   * @param {(row: number) => HTMLElement} draw
   */
  constructor(scroller, content, rowHeight, keyOf, draw) {
    this.scroller = scroller;
    this.content = content;
    this.rowHeight = rowHeight;
    this.keyOf = keyOf;
    this.draw = draw;
    this.count = 0;
    this.items = 0;
    this.top = 0;
    this.height = HEIGHT_BEFORE_LAYOUT;
    this.first = 0;
    this.last = 0;
    this.current = 0;
    this.unsettled = false;
    /** @type {Map<number, { key: string, node: HTMLElement }>} */
    this.drawn = new Map();
    content.classList.add("ctx-rows");
    content.addEventListener("keydown", (event) => this.onKey(event));
    content.addEventListener("focusin", (event) => this.onFocus(event));
    scroller.addEventListener("scroll", () => this.onScroll(), { passive: true });
  }

  /** @param {number} count rows @param {number} [items] rows that are not empty */
  update(count, items = count) {
    this.items = items;
    if (count !== this.count) {
      this.count = count;
      this.content.style.height = `${count * this.rowHeight}px`;
    }
    this.render();
  }

  /** @param {number} rowHeight */
  setRowHeight(rowHeight) {
    if (rowHeight === this.rowHeight) return;
    this.rowHeight = rowHeight;
    this.clear();
    this.content.style.height = `${this.count * rowHeight}px`;
    this.render();
  }

  clear() {
    for (const { node } of this.drawn.values()) node.remove();
    this.drawn.clear();
  }

  /** Takes over how much the scroller shows. One that was hidden has lost its position: it gets it back. */
  measure() {
    this.height = this.scroller.clientHeight || HEIGHT_BEFORE_LAYOUT;
    if (this.scroller.scrollTop !== this.top) this.scroller.scrollTop = this.top;
    this.render();
  }

  /** Follows the reader's scrolling, but not a scroller that lost its position by being hidden. */
  onScroll() {
    if (closest(this.scroller, ".ctx-hidden") || !this.scroller.clientHeight) return;
    this.top = this.scroller.scrollTop;
    this.render();
  }

  /**
   * Where to scroll, as little as possible, so that a row shows; null where it shows already.
   * @param {number} row @param {number} covered height of a head that stays on top
   */
  topFor(row, covered) {
    const from = row * this.rowHeight;
    const visible = this.height - covered;
    if (from >= this.top && from + this.rowHeight <= this.top + visible) return null;
    const most = Math.max(0, this.count * this.rowHeight - visible);
    return Math.min(most, Math.max(0, from < this.top ? from : from + this.rowHeight - visible));
  }

  /**
   * Draws what shows at a scroll position. The scroller itself follows in `settle`.
   * @param {number | null} top
   */
  showFrom(top) {
    if (top === null) return;
    this.top = top;
    this.unsettled = true;
    this.render();
  }

  /**
   * Scrolls where that is still to be done: the browser lays the page out for it, so it comes after all
   * changes.
   */
  settle() {
    if (this.unsettled) this.scroller.scrollTop = this.top;
    this.unsettled = false;
  }

  render() {
    this.first = Math.max(0, Math.min(this.count, Math.floor(this.top / this.rowHeight)) - ROWS_OUTSIDE);
    this.last = Math.min(this.count, Math.ceil((this.top + this.height) / this.rowHeight) + ROWS_OUTSIDE);
    for (const [row, { node }] of this.drawn)
      if (row < this.first || row >= this.last) this.remove(row, node);
    /** @type {HTMLElement | null} */
    let next = null;
    for (let row = this.last - 1; row >= this.first; row--) next = this.place(row, next) ?? next;
    this.markRows();
  }

  /**
   * @param {number} row
   * @param {HTMLElement | null} next the row drawn below it
   * @returns {HTMLElement | null}
   */
  place(row, next) {
    const key = this.keyOf(row);
    const old = this.drawn.get(row);
    if (old && old.key === key) return old.node;
    if (key === null) {
      if (old) this.remove(row, old.node);
      return null;
    }
    const node = this.draw(row);
    node.dataset.row = String(row);
    node.style.top = `${row * this.rowHeight}px`;
    const part =
      old &&
      closest(old.node.contains(document.activeElement) ? document.activeElement : null, "[data-part]")
        ?.dataset.part;
    if (old) old.node.replaceWith(node);
    else this.content.insertBefore(node, next);
    this.drawn.set(row, { key, node });
    if (part) this.partOf(row, part)?.focus({ preventScroll: true });
    return node;
  }

  /** @param {number} row @param {HTMLElement} node */
  remove(row, node) {
    const focused = node.contains(document.activeElement);
    node.remove();
    this.drawn.delete(row);
    if (focused) closest(this.content, ".ctx-player")?.focus({ preventScroll: true });
  }

  /** @param {number} row @param {string} part @returns {HTMLElement | null} */
  partOf(row, part) {
    const node = this.drawn.get(row)?.node;
    return node?.querySelector(`[data-part="${part}"]`) ?? node?.querySelector("[data-part]") ?? null;
  }

  /**
   * Brings what changes without a row being drawn again up to date: the tab stop, and how many items there
   * are.
   */
  markRows() {
    const visible = Math.ceil(this.top / this.rowHeight);
    let stop = this.drawn.has(this.current) ? this.current : -1;
    for (let row = visible; stop < 0 && row < this.last; row++) if (this.drawn.has(row)) stop = row;
    for (const [row, { node }] of this.drawn) {
      setAttribute(node, "aria-setsize", String(this.items));
      for (const part of node.querySelectorAll("[data-part]"))
        setAttribute(part, "tabindex", row === stop ? "0" : "-1");
    }
  }

  /** @param {FocusEvent} event */
  onFocus(event) {
    const row = closest(event.target, "[data-row]");
    if (!row) return;
    this.current = Number(row.dataset.row);
    this.markRows();
  }

  /** @param {KeyboardEvent} event */
  onKey(event) {
    const direction = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    const from = closest(event.target, "[data-row]");
    if (!direction || !from || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    let row = Number(from.dataset.row) + direction;
    while (row >= 0 && row < this.count && this.keyOf(row) === null) row += direction;
    if (row < 0 || row >= this.count) return;
    this.showFrom(this.topFor(row, 0));
    this.settle();
    this.partOf(row, closest(event.target, "[data-part]")?.dataset.part ?? "")?.focus({
      preventScroll: true,
    });
  }
}

/** A row of tabs: one tab stop, the left and right arrows choose. */
class Tabs {
  /**
   * @param {string} label
   * @param {string[]} names
   * @param {string} panelId
   * @param {(number: number) => void} onSelect
   */
  constructor(label, names, panelId, onSelect) {
    this.onSelect = onSelect;
    this.selected = -1;
    this.tabs = names.map((name, i) =>
      element(
        "button",
        { class: "ctx-tab", role: "tab", id: `${panelId}-tab${i}`, "aria-controls": panelId },
        element("span", {}, name),
      ),
    );
    this.node = element("div", { class: "ctx-tabs", role: "tablist", "aria-label": label }, ...this.tabs);
    this.node.addEventListener("click", (event) =>
      this.choose(this.tabs.findIndex((tab) => tab.contains(/** @type {Node} */ (event.target)))),
    );
    this.node.addEventListener("keydown", (event) => {
      const direction = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
      if (!direction || event.shiftKey || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      event.stopPropagation();
      this.choose((this.selected + direction + this.tabs.length) % this.tabs.length);
      this.tabs[this.selected].focus();
    });
  }

  /** @param {number} number */
  choose(number) {
    if (number < 0) return;
    this.select(number);
    this.onSelect(number);
  }

  /** @param {number} number */
  select(number) {
    if (number === this.selected) return;
    this.selected = number;
    this.tabs.forEach((tab, i) => {
      setAttribute(tab, "aria-selected", String(i === number));
      setAttribute(tab, "tabindex", i === number ? "0" : "-1");
    });
    const tab = this.tabs[number];
    // Not scrollIntoView: that would also scroll the notebook.
    const { offsetLeft, offsetWidth } = tab;
    if (offsetLeft < this.node.scrollLeft) this.node.scrollLeft = offsetLeft;
    else if (offsetLeft + offsetWidth > this.node.scrollLeft + this.node.clientWidth)
      this.node.scrollLeft = offsetLeft + offsetWidth - this.node.clientWidth;
  }
}

// -----------------------------------------------------------------------------------------------------------
// 10. Views: each builds its node once and brings it up to date for the player's step
// -----------------------------------------------------------------------------------------------------------

/**
 * `update` brings the view up to the player's step; `settle` then scrolls (after every view has made its
 * changes, so that the browser lays the page out once); `measure` takes over a new size.
 * @typedef {{ node: HTMLElement, update(): void, settle?(): void, measure?(): void }} View
 */

/** What the run came to. */
class HeaderView {
  /** @param {Player} player */
  constructor(player) {
    this.player = player;
    const { heading, index } = player;
    const { kind, code, type } = index.trace.outcome;
    /** @type {Record<string, string>} */
    const words = {
      returned: "returned",
      refused: `refused: ${code}`,
      error: `error: ${type}`,
      step_limit: "stopped at the step limit",
    };
    this.fill = element("i", { class: "ctx-fill" });
    this.label = element("span", { class: "ctx-gauge-label" });
    this.figures = element("span", { class: "ctx-figures" });
    this.verdict = element("b", { class: "ctx-verdict" });
    const { budget } = index.trace.checks;
    this.most = 1.08 * index.trace.histories.reduce((most, row) => Math.max(most, row[5]), budget ?? 1);
    const bar = element("div", { class: "ctx-gauge-bar" }, this.fill);
    if (budget !== null) {
      const mark = element("i", { class: "ctx-budget", title: `budget: ${grouped(budget)} bytes` });
      mark.style.left = `${(100 * budget) / this.most}%`;
      bar.append(mark);
    }
    this.gauge = element(
      "div",
      { class: budget === null ? "ctx-gauge" : "ctx-gauge ctx-budgeted" },
      this.label,
      bar,
      element("span", { class: "ctx-gauge-text" }, this.figures, " ", this.verdict),
    );
    this.node = element(
      "header",
      { class: "ctx-head" },
      element("span", { class: "ctx-function" }, heading.function),
      heading.scenario &&
        element("span", { class: "ctx-setting" }, "scenario ", element("b", {}, heading.scenario)),
      ...heading.settings
        .filter(isShort)
        .map(([name, value]) =>
          element("span", { class: "ctx-setting" }, `${name} `, element("b", {}, shownSetting(value))),
        ),
      element(
        "span",
        { class: `ctx-outcome ctx-is-${kind}` },
        icon(kind),
        element("span", {}, words[kind] ?? kind),
      ),
      heading.promise && element("p", { class: "ctx-promise" }, heading.promise),
      this.gauge,
    );
  }

  update() {
    const { index, step } = this.player;
    const counts = historyAt(index, CANDIDATE, step).present && !isRejected(index, step);
    const which = counts ? CANDIDATE : ACTIVE;
    const history = historyAt(index, which, step);
    this.gauge.hidden = !history.present;
    if (!history.present) return;
    const { budget } = index.trace.checks;
    const over = budget === null ? 0 : history.bytes - budget;
    this.fill.style.width = `${(100 * history.bytes) / this.most}%`;
    this.gauge.classList.toggle("ctx-over", over > 0);
    setText(this.label, which === CANDIDATE ? "candidate now" : "active history");
    const tokens = this.player.tokens(which);
    const ofBudget = budget === null ? "" : ` of ${grouped(budget)}`;
    const inTokens = tokens === null ? "" : `, ${counted(tokens, "token")} (${this.player.encoding})`;
    setText(this.figures, `${grouped(history.bytes)}${ofBudget} bytes${inTokens}`);
    const verdict = over > 0 ? `over budget by ${grouped(over)}` : "fits the budget";
    setText(this.verdict, budget === null ? "" : verdict);
  }
}

const CHARACTERS_OF_A_SETTING = 24;

/** The others are found under "Input and call". @param {[string, string]} setting */
const isShort = ([, value]) => String(value).length <= CHARACTERS_OF_A_SETTING;

/** A setting's figure with its thousands apart. @param {unknown} value */
const shownSetting = (value) => (/^\d{4,}$/.test(String(value)) ? grouped(Number(value)) : String(value));

/** What the reader must be told before anything else. */
class NotesView {
  /** @param {Player} player */
  constructor(player) {
    const { notes } = player.index.trace;
    this.node = element(
      "div",
      { class: "ctx-notes", role: "note", "aria-label": "About this recording" },
      ...notes.map((note) => element("p", {}, note)),
    );
    this.node.hidden = notes.length === 0;
  }

  update() {}
}

/**
 * The group's name stands on its second button, which goes forwards. `where` says where a move leads.
 * @type {{ name: string, buttons: [move: string, label: string, keys: string, icon: string, where: string][]
 *   }[]}
 */
const TRANSPORT = [
  {
    name: "",
    buttons: [
      ["start", "Start", "Home", "start", "the first step"],
      ["back", "Step back", "left arrow", "back", "one step earlier"],
      ["step", "Step", "right arrow", "step", "the next line, also inside a call"],
      ["over", "Step over", "o or F10", "over", "the next line here, past any call"],
      ["out", "Step out", "u", "out", "back to the caller"],
      ["end", "End", "End", "end", "the last step"],
    ],
  },
  {
    name: "decision",
    buttons: [
      ["previousDecision", "Previous decision", "p", "previous", "the condition before this step"],
      ["nextDecision", "Next decision", "n", "next", "the next condition of the run"],
    ],
  },
  {
    name: "change",
    buttons: [
      ["previousChange", "Previous change", "[", "previous", "the change before this step"],
      ["nextChange", "Next change", "]", "next", "where a history or an object is altered next"],
    ],
  },
  {
    name: "breakpoint",
    buttons: [
      [
        "previousBreakpoint",
        "Back to breakpoint",
        "Shift+left arrow",
        "runBack",
        "the marked line before this step",
      ],
      [
        "nextBreakpoint",
        "Run to breakpoint",
        "Shift+right arrow",
        "run",
        "the next marked line; a click on a line’s number marks it",
      ],
    ],
  },
];

/** The transport: a toolbar with one tab stop. */
class TransportView {
  /** @param {Player} player */
  constructor(player) {
    this.player = player;
    this.help = element(
      "button",
      {
        class: "ctx-button",
        title: "Keys and signs (?)",
        "aria-label": "Keys and signs",
        "aria-expanded": "false",
        "aria-controls": player.id("help"),
        tabindex: -1,
      },
      "?",
    );
    this.help.addEventListener("click", () => player.toggleHelp());
    const groups = TRANSPORT.map(({ name, buttons }) => {
      return element(
        "span",
        { class: name ? "ctx-group" : "ctx-main-group", role: name && "group", "aria-label": name || null },
        ...buttons.map((button, i) => this.button(button, i === 1 ? name : "")),
      );
    });
    const toolbar = element(
      "div",
      { class: "ctx-toolbar", role: "toolbar", "aria-label": "Stepping" },
      ...groups,
      this.help,
    );
    this.buttons = /** @type {HTMLElement[]} */ ([...toolbar.querySelectorAll("button")]);
    this.setTabStop(this.buttons[2]);
    toolbar.addEventListener("click", (event) =>
      player.move(closest(event.target, "[data-move]")?.dataset.move ?? ""),
    );
    toolbar.addEventListener("keydown", (event) => this.onKey(event));
    toolbar.addEventListener("focusin", (event) =>
      this.setTabStop(/** @type {HTMLElement} */ (event.target)),
    );
    this.node = element("div", { class: "ctx-transport" }, toolbar);
  }

  /** @param {[string, string, string, string, string]} button @param {string} word that stands on it */
  button([move, label, keys, shape, where], word) {
    const primary = move === "step";
    return element(
      "button",
      {
        class: `ctx-button${primary ? " ctx-primary" : ""}`,
        "data-move": move,
        title: `${label} (${keys}): ${where}`,
        "aria-label": label,
        tabindex: -1,
      },
      primary ? label : word,
      icon(shape),
    );
  }

  /** @param {HTMLElement} stop */
  setTabStop(stop) {
    for (const button of this.buttons) setAttribute(button, "tabindex", button === stop ? "0" : "-1");
  }

  /** @param {KeyboardEvent} event */
  onKey(event) {
    const direction = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (!direction || event.shiftKey || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    const at = this.buttons.indexOf(/** @type {HTMLElement} */ (event.target));
    this.buttons[(at + direction + this.buttons.length) % this.buttons.length].focus();
  }

  update() {
    for (const button of this.buttons) {
      const { move } = button.dataset;
      if (move) setAttribute(button, "aria-disabled", this.player.target(move) < 0 ? "true" : null);
    }
  }
}

/** Keys and signs, opened by the question mark. */
class HelpView {
  /** @param {Player} player */
  constructor(player) {
    const keys = TRANSPORT.flatMap(({ buttons }) =>
      buttons.map(([, label, key, , where]) => [key, `${label}: ${where}`]),
    );
    keys.push(
      ["Shift+F10", "Step over, backwards"],
      ["b", "Breakpoint on the current line"],
      ["?", "This help"],
    );
    const fates = ["kept", "trimmed", "summarised", "dropped", "added"];
    this.node = element(
      "div",
      { class: "ctx-help", id: player.id("help"), role: "region", "aria-label": "Keys and signs" },
      element(
        "p",
        {},
        "A stop on a line shows the state before that line runs; what it changes shows one step later. " +
          "“Change” counts histories, and objects that existed before they were altered. " +
          "The keys work while the player has the focus.",
      ),
      element(
        "dl",
        { class: "ctx-keys" },
        ...keys.map(([key, label]) => element("div", {}, element("dt", {}, key), element("dd", {}, label))),
      ),
      element("p", { class: "ctx-legend" }, ...fates.map((fate) => chip(fate, fate))),
    );
    this.node.hidden = true;
  }

  update() {}
}

/** @param {string} fate @param {string} word */
const chip = (fate, word) => element("span", { class: `ctx-chip ctx-is-${fate}` }, icon(fate), word);

const TIMELINE_WIDTH_BEFORE_LAYOUT = 800;
const THUMB = 16;
/** The marks of the timeline: their row, the room each takes, and its outline around (x, y). */
const MARKS = {
  decision: {
    y: 8,
    room: 9,
    outline: (/** @type {number} */ x, /** @type {number} */ y) => `M${x - 4} ${y}l4-5 4 5-4 5z`,
  },
  change: {
    y: 31,
    room: 6,
    outline: (/** @type {number} */ x, /** @type {number} */ y) =>
      `M${x - 2.5} ${y}a2.5 2.5 0 1 0 5 0 2.5 2.5 0 1 0-5 0z`,
  },
  call: {
    y: 41,
    room: 7,
    outline: (/** @type {number} */ x, /** @type {number} */ y) => `M${x - 2.5} ${y - 3.5}l6 3.5-6 3.5z`,
  },
  breakpoint: {
    y: 8,
    room: 9,
    outline: (/** @type {number} */ x, /** @type {number} */ y) => `M${x - 4.5} ${y - 4.5}h9v9h-9z`,
  },
};

/** The slider over the whole run, with marks that are merged where they would overlap. */
class TimelineView {
  /** @param {Player} player */
  constructor(player) {
    this.player = player;
    this.width = TIMELINE_WIDTH_BEFORE_LAYOUT;
    this.slider = element("input", {
      type: "range",
      class: "ctx-slider",
      min: 0,
      max: Math.max(0, player.index.length - 1),
      step: 1,
      "aria-label": "Step of the run",
    });
    this.slider.addEventListener("input", () => player.go(Number(this.slider.value)));
    this.svg = svgElement("svg", { class: "ctx-marks", "aria-hidden": "true", focusable: "false" });
    /** @type {Record<string, Element>} */
    this.paths = {};
    for (const name of Object.keys(MARKS))
      this.svg.append((this.paths[name] = svgElement("path", { class: `ctx-mark-${name}` })));
    const legend = Object.entries(MARKS).map(([name, { outline }]) => {
      const sign = svgElement("svg", { class: "ctx-sign", viewBox: "0 0 12 12" });
      sign.append(svgElement("path", { class: `ctx-mark-${name}`, d: outline(6, 6) }));
      return element("span", {}, sign, name);
    });
    this.track = element("div", { class: "ctx-track" }, this.svg, this.slider);
    this.position = element("span", { class: "ctx-position" });
    const below = element(
      "div",
      { class: "ctx-below-track" },
      this.position,
      element("span", { class: "ctx-signs", "aria-hidden": "true" }, ...legend),
    );
    this.node = element("div", { class: "ctx-timeline" }, this.track, below);
    this.drawMarks();
  }

  measure() {
    const width = this.track.clientWidth;
    if (!width || width === this.width) return;
    this.width = width;
    this.drawMarks();
  }

  drawMarks() {
    const { index, breaks } = this.player;
    const steps = {
      decision: index.decisionSteps,
      change: index.changeSteps,
      call: index.callSteps,
      breakpoint: breaks,
    };
    const scale = (this.width - THUMB) / Math.max(1, index.length - 1);
    for (const [name, { y, room, outline }] of Object.entries(MARKS)) {
      let path = "";
      let free = -Infinity;
      for (const step of /** @type {Record<string, Int32Array>} */ (steps)[name]) {
        const x = Math.round(10 * (THUMB / 2 + step * scale)) / 10;
        if (x < free) continue;
        path += outline(x, y);
        free = x + room;
      }
      setAttribute(this.paths[name], "d", path);
    }
  }

  update() {
    const { index, step } = this.player;
    if (Number(this.slider.value) !== step) this.slider.value = String(step);
    this.track.style.setProperty("--ctx-at", String(step / Math.max(1, index.length - 1)));
    setAttribute(this.slider, "aria-valuetext", stepValueText(index, step));
    setText(this.position, `step ${grouped(step)} of ${grouped(index.length - 1)}`);
  }
}

/**
 * @typedef {{ node: HTMLElement, gutter: HTMLElement, saw: HTMLElement | null, line: number, statement:
 *   number, code: boolean,
 *             sites: number[], state: string }} LineRow
 */

const LINES_AROUND = 2;

/** The spaces that a line of source begins with. @param {{ text: string }[]} tokens */
const indentation = (tokens) => /^ */.exec(tokens[0]?.text ?? "")?.[0] ?? "";

/** Tokens as elements; the indentation apart, so that no line breaks after it. @param {Token[]} tokens */
function colouredTokens(tokens) {
  const indent = indentation(tokens);
  const nodes = tokens.map(({ kind, text }, i) =>
    element("span", { class: kind && `ctx-${kind}` }, i === 0 ? text.slice(indent.length) : text),
  );
  return [element("span", { class: "ctx-indent" }, indent), ...nodes];
}

/** The source of every traced function: where the run is, where it was, and what each condition last saw. */
class SourceView {
  /** @param {Player} player */
  constructor(player) {
    this.player = player;
    const { sources } = player.index.trace;
    const id = player.id("source");
    this.tabs = new Tabs(
      "Sources",
      sources.map((source) => source.name),
      id,
      (number) => this.choose(number),
    );
    this.scroller = element("div", { class: "ctx-code", id, role: "tabpanel" });
    this.node = element("div", { class: "ctx-source" }, this.tabs.node, this.scroller);
    /** @type {Map<number, { node: HTMLElement, rows: LineRow[] }>} */
    this.listings = new Map();
    this.shown = -1;
    this.tabStop = 0;
    /** @type {HTMLElement | null} */
    this.current = null;
    this.scroller.addEventListener("click", (event) => this.toggle(event.target));
    this.scroller.addEventListener("keydown", (event) => this.onKey(event));
    this.scroller.addEventListener("focusin", (event) => this.setTabStop(this.rowOf(event.target)));
  }

  /** @param {number} number @returns {{ node: HTMLElement, rows: LineRow[] }} */
  listing(number) {
    let listing = this.listings.get(number);
    if (!listing) this.listings.set(number, (listing = this.drawSource(number)));
    return listing;
  }

  /** @param {number} number */
  drawSource(number) {
    const source = this.player.index.trace.sources[number];
    const rows = pythonLines(source.text).map((line, i) => this.drawLine(number, line, i));
    const label = `Source of ${source.name}`;
    const lines = rows.map((row) => row.node);
    return {
      node: element("div", { class: "ctx-lines", role: "list", "aria-label": label }, ...lines),
      rows,
    };
  }

  /** @param {number} number of the source @param {PythonLine} python @param {number} i @returns {LineRow} */
  drawLine(number, { tokens, statement, code }, i) {
    const { sources, sites } = this.player.index.trace;
    const line = sources[number].first_line + i;
    const conditions = sites.flatMap((site, n) =>
      site.function === number && site.line === line ? [n] : [],
    );
    const label = `Breakpoint on line ${line}`;
    const attributes = { class: "ctx-gutter", tabindex: -1, "aria-pressed": "false", "aria-label": label };
    const gutter = element("button", attributes, String(line));
    const text = element("code", { class: conditions.length ? "ctx-text ctx-condition" : "ctx-text" });
    text.append(...colouredTokens(tokens));
    text.style.setProperty("--ctx-indent", String(indentation(tokens).length));
    const saw = conditions.length ? element("span", { class: "ctx-saw" }) : null;
    const node = element("div", { class: "ctx-line", role: "listitem", "data-line": i }, gutter, text, saw);
    return { node, gutter, saw, line, statement, code, sites: conditions, state: "" };
  }

  /** @param {number} number */
  choose(number) {
    this.show(number);
    this.settle();
  }

  /** @param {number} number */
  show(number) {
    this.tabs.select(number);
    if (number !== this.shown) {
      this.shown = number;
      const { node } = this.listing(number);
      if (this.scroller.contains(document.activeElement)) this.player.root.focus({ preventScroll: true });
      this.scroller.replaceChildren(node);
      setAttribute(this.scroller, "aria-labelledby", `${this.player.id("source")}-tab${number}`);
      this.tabStop = -1;
    }
    this.mark();
  }

  update() {
    this.show(placeAt(this.player.index, this.player.step)[1]);
  }

  settle() {
    if (this.current) this.reveal(this.current);
  }

  /** The lines of this source at which a caller of the current frame waits. */
  waitingLines() {
    const { index, step } = this.player;
    return stackAt(index, step)
      .slice(0, -1)
      .map((frame) => placeAt(index, index.firstStep[frame] - 1))
      .filter(([, source]) => source === this.shown)
      .map(([, , line]) => line);
  }

  mark() {
    const { index, step, breakpoints } = this.player;
    const { rows } = this.listing(this.shown);
    const [event, source, currentLine] = placeAt(index, step);
    const firstRun = index.firstRun[this.shown];
    const waiting = this.waitingLines();
    let current = -1;
    rows.forEach((row, i) => {
      const isCurrent = source === this.shown && row.line === currentLine;
      if (isCurrent) current = i;
      const first = firstRun.get(rows[row.statement].line) ?? Infinity;
      const state = isCurrent
        ? "now"
        : waiting.includes(row.line)
          ? "waiting"
          : !row.code
            ? ""
            : first < step
              ? "ran"
              : "ahead";
      // Before the condition is evaluated, the outcome that stands here is that of an earlier time.
      row.saw?.classList.toggle("ctx-earlier", isCurrent && event === "line");
      const broken = breakpoints.some(([s, l]) => s === this.shown && l === row.line);
      if (row.state !== state) {
        row.state = state;
        row.node.className = `ctx-line${state && ` ctx-${state}`}`;
        setAttribute(row.node, "aria-current", isCurrent ? "step" : null);
      }
      setAttribute(row.gutter, "aria-pressed", String(broken));
      if (row.saw) this.markOutcomes(row, row.saw);
    });
    if (this.tabStop < 0) this.setTabStop(Math.max(0, current));
    this.current = current < 0 ? null : rows[current].node;
  }

  /** @param {LineRow} row @param {HTMLElement} node */
  markOutcomes(row, node) {
    const { index, step } = this.player;
    const latest = row.sites.map((site) => {
      const runs = index.runsOfSite[site];
      const count = rowsUpTo(runs, index.decisionSteps, step);
      return count ? runs[count - 1] : -1;
    });
    const key = latest.join();
    if (node.dataset.latest === key) return;
    node.dataset.latest = key;
    node.replaceChildren();
    for (const number of latest) {
      if (number < 0) continue;
      const { saw, answer } = decisionParts(index, number);
      node.append(
        element(
          "span",
          { class: `ctx-saw-one ctx-${answer}`, title: sentence(index, number) },
          element("span", { class: "ctx-saw-values" }, saw),
          " → ",
          element("b", {}, answer),
        ),
      );
    }
  }

  /**
   * Scrolls as little as possible to a line near by; one further away comes into the upper part of the view,
   * where what follows it shows too.
   * @param {HTMLElement} node
   */
  reveal(node) {
    const { offsetTop, offsetHeight } = node;
    const margin = LINES_AROUND * offsetHeight;
    const { scrollTop, clientHeight } = this.scroller;
    const above = scrollTop - (offsetTop - margin);
    const below = offsetTop + offsetHeight + margin - (scrollTop + clientHeight);
    if (above <= 0 && below <= 0) return;
    const third = clientHeight / 3;
    if (Math.max(above, below) > third) this.scroller.scrollTop = offsetTop - third;
    else this.scroller.scrollTop += above > 0 ? -above : below;
  }

  /** @param {EventTarget | null} target */
  rowOf(target) {
    return Number(closest(target, "[data-line]")?.dataset.line ?? -1);
  }

  /** @param {number} number */
  setTabStop(number) {
    if (number < 0) return;
    const { rows } = this.listing(this.shown);
    rows[this.tabStop]?.gutter.setAttribute("tabindex", "-1");
    this.tabStop = number;
    rows[number].gutter.setAttribute("tabindex", "0");
  }

  /** @param {EventTarget | null} target */
  toggle(target) {
    if (closest(target, ".ctx-gutter"))
      this.player.toggleBreakpoint(this.shown, this.stoppingLine(this.rowOf(target)));
  }

  /**
   * Where a run can stop: on the first line of the statement, and for a comment on that of the next one.
   * @param {number} number
   */
  stoppingLine(number) {
    const { rows } = this.listing(this.shown);
    const from = rows[number].code ? number : rows.findIndex((row, i) => i > number && row.code);
    return rows[from < 0 ? number : rows[from].statement].line;
  }

  /** @param {KeyboardEvent} event */
  onKey(event) {
    const direction = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    const row = this.listing(this.shown).rows[this.rowOf(event.target) + direction];
    if (!direction || !row || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    row.gutter.focus({ preventScroll: true });
    this.reveal(row.node);
  }
}

const CHARACTERS_OF_A_LINE = 160;

/** The step in one sentence, and below it what the reader asked about a message. */
class SentenceView {
  /** @param {Player} player */
  constructor(player) {
    this.player = player;
    this.where = element("p", { class: "ctx-where" });
    this.says = element("p", { class: "ctx-says" });
    this.next = element("p", { class: "ctx-next" });
    this.aside = element("p", { class: "ctx-aside" });
    this.answer = element("div", { class: "ctx-answer" });
    this.node = element(
      "div",
      { class: "ctx-sentence" },
      this.where,
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
    const texts = [this.says, this.next, this.aside].map((node) => (node.textContent ?? "").trim());
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
    const changed = changes.length ? `Just changed: ${valueList(index, changes, step)}.` : "";
    const ended = step === index.length - 1 ? howItEnded(index) : "";
    return [changed, ended].filter(Boolean).join(" ");
  }

  /** Variables of the running frame that the last step changed. */
  changes() {
    const { index, step } = this.player;
    const changed = changedObjects(index, step);
    return variablesAt(index, index.frame[step], step).filter(
      (variable) => !(variable.name in RESULTS) && hasChanged(variable, changed, step),
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
  explain({ which, position, message, from }) {
    const { index, cards, step } = this.player;
    const card = cards[message];
    const { fate } = fateAt(index, which, position, message, index.length - 1);
    const ids = card.ids.join(", ");
    const became = fate ? `: ${fate.fate} at step ${fate.step}` : "";
    const title = `Message ${position}, ${[kindWord(card), ids].filter(Boolean).join(" ")}${became}.`;
    const reason = fate ? why(index, fate.step) : "Nothing in this run decides what becomes of it.";
    const merged = which === CANDIDATE ? (index.fates.into.get(position)?.length ?? 0) : 0;
    const holds = merged ? `It holds the summary of ${counted(merged, "message")}.` : "";
    const texts = [details(which === ACTIVE ? "Its text" : "Its text in the candidate", index, message)];
    if (fate?.fate === "trimmed") {
      const other = which === ACTIVE ? index.fates.final[fate.to ?? -1] : index.fates.input[fate.from ?? -1];
      if (other !== undefined)
        texts.push(details(which === ACTIVE ? "What it became" : "What it was", index, other));
    }
    const said = [reason, holds].filter(Boolean).join(" ");
    this.answer.replaceChildren(
      element("p", {}, element("b", {}, title), said && ` ${said}`),
      ...texts,
      ...(from === step ? [] : [this.wayBack(from)]),
    );
  }
}

/** What a reader needs to know at the first step. @param {Index} index */
function howToBegin(index) {
  const decisions = index.decisionSteps.length ? ", “decision” at the next condition" : "";
  const cards = index.tracks[ACTIVE].rows.length ? " Each card is one message of the history." : "";
  const steps = `A recorded run, steps 0 to ${grouped(index.length - 1)}.`;
  return `${steps} “Step” stops at the next line${decisions}.${cards}`;
}

/** The histories at the last step. @param {Index} index */
function howItEnded(index) {
  const last = index.length - 1;
  const { kind } = index.trace.outcome;
  const end = kind === "step_limit" ? "The recording ends here, at the step limit" : "The run ends here";
  const [active, candidate] = [ACTIVE, CANDIDATE].map((which) => historyAt(index, which, last));
  if (!candidate.present) return `${end}.`;
  if (isRejected(index, last)) return `${end}; its candidate is not used.`;
  return `${end}. Active history: ${sizeText(active)}; candidate: ${sizeText(candidate)}.`;
}

/** "11 messages, 3,351 bytes". @param {{ messages: number[], bytes: number }} history */
const sizeText = ({ messages, bytes }) => `${counted(messages.length, "message")}, ${grouped(bytes)} bytes`;

/** The texts of a message, folded. @param {string} title @param {Index} index @param {number} message */
function details(title, index, message) {
  const texts = textsOf(index, message).map(({ path, text, length }) =>
    element("div", {}, element("dt", {}, path), element("dd", {}, cutText(text, length))),
  );
  return element(
    "details",
    { class: "ctx-details" },
    element("summary", {}, title),
    element("dl", { class: "ctx-texts" }, ...texts),
  );
}

/** @param {Card} card */
const kindWord = (card) => (card.kind === "text" || card.kind === "other" ? card.role : card.kind);

const CARD_HEIGHT = 46;
const HISTORY_ROW = 64;
const GUTTER = 52;
const COLUMN_NAMES = ["Active history", "Candidate"];

/**
 * @typedef {{ messages: number[], splits: string[][], missing: string[], itemAt: Int32Array, rowOf: Int32Array
 *   }} Column
 * @typedef {{ to: Int32Array, start: Float64Array, share: Float64Array }} Ribbons
 *   per active message: where it went, and which part of the other end is its own, from 0 to 1
 * @typedef {{ rows: number, columns: [Column, Column], ribbons: Ribbons }} Layout
 */

/** Active history and candidate side by side, with ribbons from each message to what it became. */
class HistoryView {
  /** @param {Player} player */
  constructor(player) {
    this.player = player;
    this.layoutKey = "";
    /** @type {Layout} */
    this.layout = {
      rows: 0,
      columns: [NO_COLUMN, NO_COLUMN],
      ribbons: ribbonShares([], new Int32Array(0), [], 0),
    };
    this.mostBytes = player.cards.reduce((most, card) => Math.max(most, card.bytes), 1);
    /** @type {[Set<number>, Set<number>]} */
    this.fresh = [new Set(), new Set()];
    this.versions = [0, 0];

    this.switches = COLUMN_NAMES.map((name) =>
      element("button", { class: "ctx-switch", "aria-pressed": "false" }, name),
    );
    const switcher = element(
      "div",
      { class: "ctx-switcher", role: "group", "aria-label": "Column" },
      ...this.switches,
    );
    this.switches.forEach((button, which) => button.addEventListener("click", () => this.choose(which)));

    this.facts = COLUMN_NAMES.map(() => element("span", { class: "ctx-facts" }));
    this.unused = element("span", { class: "ctx-aside" }, "not used");
    this.heads = COLUMN_NAMES.map((name, which) =>
      element(
        "div",
        { class: `ctx-column-head ctx-column-${which}` },
        element("span", {}, element("b", {}, name), " ", which === CANDIDATE && this.unused),
        this.facts[which],
      ),
    );
    this.lists = COLUMN_NAMES.map((name, which) =>
      element("div", { class: `ctx-column ctx-column-${which}`, role: "list", "aria-label": name }),
    );
    this.empty = element("p", { class: "ctx-empty" });
    this.svg = svgElement("svg", {
      class: "ctx-ribbons",
      "aria-hidden": "true",
      focusable: "false",
      preserveAspectRatio: "none",
    });
    const gutter = element("div", { class: "ctx-gutter-column" }, this.svg);
    const second = element("div", { class: "ctx-column-1" }, this.empty, this.lists[CANDIDATE]);
    const grid = element(
      "div",
      { class: "ctx-columns" },
      this.heads[0],
      element("div", { class: "ctx-column-head ctx-gutter-column" }),
      this.heads[1],
      this.lists[ACTIVE],
      gutter,
      second,
    );
    this.scroller = element("div", { class: "ctx-cards" }, grid);
    this.node = element("div", { class: "ctx-history" }, switcher, this.scroller);
    this.virtual = [ACTIVE, CANDIDATE].map(
      (which) =>
        new VirtualRows(
          this.scroller,
          this.lists[which],
          HISTORY_ROW,
          (row) => this.keyOf(which, row),
          (row) => this.draw(which, row),
        ),
    );
    this.scroller.addEventListener("scroll", () => this.drawRibbons(), { passive: true });
    this.scroller.addEventListener("click", (event) => this.ask(event.target));
    this.choose(ACTIVE);
  }

  /** In a narrow player one column shows at a time. @param {number} which */
  choose(which) {
    this.chosen = which;
    this.node.dataset.column = String(which);
    this.switches.forEach((button, i) => setAttribute(button, "aria-pressed", String(i === which)));
  }

  measure() {
    this.virtual.forEach((list) => list.measure());
    this.drawRibbons();
  }

  update() {
    const { index, step } = this.player;
    const histories = [ACTIVE, CANDIDATE].map((which) => historyAt(index, which, step));
    const key = `${histories[0].version} ${histories[1].version} ${this.player.wide}`;
    if (key !== this.layoutKey) {
      this.layoutKey = key;
      this.layout = this.computeLayout(histories[0].messages, histories[1].messages);
    }
    this.fresh = [this.freshPositions(ACTIVE), this.freshPositions(CANDIDATE)];
    this.unused.hidden = !isRejected(index, step);
    histories.forEach(({ present, messages, bytes }, which) => {
      setText(this.facts[which], present ? sizeText({ messages, bytes }) : "");
      this.virtual[which].update(this.player.wide ? this.layout.rows : messages.length, messages.length);
    });
    this.empty.hidden = histories[CANDIDATE].present;
    setText(this.empty, this.whyEmpty());
    for (const card of this.scroller.querySelectorAll(".ctx-card"))
      this.markCard(/** @type {HTMLElement} */ (card));
    this.revealFresh();
    this.drawRibbons();
  }

  whyEmpty() {
    const { index, step } = this.player;
    if (step < index.length - 1)
      return "No candidate yet. What may take the place of the active history will stand here.";
    return index.trace.outcome.kind === "returned"
      ? "This run made no candidate."
      : "No candidate: the run ended before it had one, and the active history stays.";
  }

  /** @param {number[]} active @param {number[]} candidate @returns {Layout} */
  computeLayout(active, candidate) {
    const { index, cards, wide } = this.player;
    const match = matchMessages(index, cards, active, candidate);
    const { rows, itemAt, rowOf } = wide
      ? alignedRows(match, candidate.length)
      : stackedRows(active.length, candidate.length);
    const column = (/** @type {number[]} */ messages, /** @type {number} */ which) => {
      const old = this.layout.columns[which];
      const rows = { messages, itemAt: itemAt[which], rowOf: rowOf[which] };
      if (old.messages === messages) return { ...old, ...rows };
      const own = messages.map((message) => cards[message]);
      return { ...rows, splits: splitIds(own), missing: missingHalves(own) };
    };
    const ribbons = ribbonShares(
      cards,
      destinations(index, active, candidate, match),
      active,
      candidate.length,
    );
    return { rows, columns: [column(active, ACTIVE), column(candidate, CANDIDATE)], ribbons };
  }

  /** @param {number} message */
  thickness(message) {
    return Math.max(1.5, ((CARD_HEIGHT - 6) * this.player.cards[message].bytes) / this.mostBytes);
  }

  /** Positions of a history that are not as they were one step before. @param {number} which */
  freshPositions(which) {
    const { index, step } = this.player;
    const positions = /** @type {Set<number>} */ (new Set());
    const now = historyAt(index, which, step);
    const before = step > 0 ? historyAt(index, which, step - 1) : now;
    if (before.version === now.version || !before.present) return positions;
    now.messages.forEach((message, i) => {
      if (message !== before.messages[i]) positions.add(i);
    });
    return positions;
  }

  /**
   * Brings the first changed card into view, else the one that the reader asked about, else, after a jump over
   * changes, the place of the latest.
   */
  revealFresh() {
    const { index, step, asked } = this.player;
    const versions = [ACTIVE, CANDIDATE].map((which) => historyAt(index, which, step).version);
    const fresh = [CANDIDATE, ACTIVE].find((column) => this.fresh[column].size);
    const moved = [CANDIDATE, ACTIVE].find((which) => versions[which] !== this.versions[which]);
    this.versions = versions;
    if (fresh !== undefined) this.reveal(fresh, this.fresh[fresh].values().next().value ?? 0);
    else if (asked) this.reveal(asked.which, asked.position);
    else if (moved !== undefined && versions[moved])
      this.reveal(moved, index.tracks[moved].rows[versions[moved] - 1][2]);
  }

  /** @param {number} which @param {number} position */
  reveal(which, position) {
    const row = this.layout.columns[which].rowOf[position];
    if (row === undefined) return;
    const top = this.virtual[which].topFor(row, HEAD_OF_COLUMN);
    for (const list of this.virtual) list.showFrom(top);
  }

  settle() {
    for (const list of this.virtual) list.settle();
  }

  /** @param {number} which @param {number} row */
  keyOf(which, row) {
    const { messages, splits, missing, itemAt } = this.layout.columns[which];
    const position = itemAt[row];
    if (position === undefined || position < 0) return null;
    const { state, fate } = fateAt(this.player.index, which, position, messages[position], this.player.step);
    const around = [splits[position], splits[position + 1] ?? NO_IDS].map((ids) => ids.join(" "));
    const last = position + 1 === messages.length;
    return [messages[position], position, last, missing[position], state, fate?.fate, ...around].join("|");
  }

  /** @param {number} which @param {number} position */
  isAsked(which, position) {
    const { asked } = this.player;
    return asked?.which === which && asked.position === position;
  }

  /** @param {number} which @param {number} row */
  draw(which, row) {
    const { messages, splits, itemAt } = this.layout.columns[which];
    const position = itemAt[row];
    const above = splits[position];
    const below = splits[position + 1] ?? NO_IDS;
    const bracket = above.length ? (below.length ? "middle" : "end") : below.length ? "start" : "none";
    return element(
      "div",
      { class: `ctx-item ctx-bracket-${bracket}`, role: "listitem", "aria-posinset": position + 1 },
      this.drawCard(which, position, messages[position]),
      position + 1 < messages.length && ruler(below),
    );
  }

  /** @param {number} which @param {number} position @param {number} message */
  drawCard(which, position, message) {
    const card = this.player.cards[message];
    const classes = [
      "ctx-card",
      `ctx-role-${["user", "assistant"].includes(card.role) ? card.role : "other"}`,
    ];
    const missing = this.layout.columns[which].missing[position];
    const { state, fate } = fateAt(this.player.index, which, position, message, this.player.step);
    if (state === "done" && which === ACTIVE && fate && ["summarised", "dropped"].includes(fate.fate))
      classes.push("ctx-gone");
    const bar = element("span", { class: "ctx-bar" });
    bar.style.width = `${Math.max(0.5, (100 * card.bytes) / this.mostBytes)}%`;
    const node = element(
      "button",
      {
        class: classes.join(" "),
        "data-part": "card",
        "data-which": which,
        "data-position": position,
        tabindex: -1,
      },
      element(
        "span",
        { class: "ctx-card-top" },
        element("span", { class: "ctx-number" }, String(position)),
        icon(card.kind),
        element("b", {}, kindWord(card)),
        card.error && element("span", { class: "ctx-error" }, "error"),
        missing && element("span", { class: "ctx-error" }, missing),
        element("code", {}, card.ids.join(" ")),
        element("span", { class: "ctx-chips" }, ...this.drawChips(which, position, state, fate)),
      ),
      element(
        "span",
        { class: "ctx-card-text" },
        element("span", { class: "ctx-preview" }, card.preview.slice(0, CHARACTERS_OF_A_PREVIEW)),
        element("span", { class: "ctx-size" }, `${grouped(card.bytes)} B`),
      ),
      bar,
    );
    this.markCard(node);
    return node;
  }

  /** Marks that come and go from step to step, without drawing the card again. @param {HTMLElement} card */
  markCard(card) {
    const which = Number(card.dataset.which);
    const position = Number(card.dataset.position);
    card.classList.toggle("ctx-fresh", this.fresh[which].has(position));
    card.classList.toggle("ctx-asked", this.isAsked(which, position));
  }

  /** @param {number} which @param {number} position @param {string} state @param {Fate | null} fate */
  drawChips(which, position, state, fate) {
    if (state === "none" || state === "undecided" || !fate) return [];
    if (state === "now") return [chip("now", "this line")];
    const merged = which === CANDIDATE ? (this.player.index.fates.into.get(position)?.length ?? 0) : 0;
    return merged
      ? [chip(fate.fate, fate.fate), chip("summarised", `holds ${merged}`)]
      : [chip(fate.fate, fate.fate)];
  }

  drawRibbons() {
    const { index, step, wide } = this.player;
    const { ribbons, columns } = this.layout;
    const { first, last } = this.virtual[ACTIVE];
    const height = Math.max(1, (last - first) * HISTORY_ROW);
    this.svg.toggleAttribute("hidden", !wide);
    this.svg.style.top = `${first * HISTORY_ROW}px`;
    this.svg.style.height = `${height}px`;
    setAttribute(this.svg, "viewBox", `0 0 ${GUTTER} ${height}`);
    let used = 0;
    const { itemAt, messages } = columns[ACTIVE];
    for (let row = first; wide && row < last; row++) {
      const from = itemAt[row];
      if (from < 0 || ribbons.to[from] < 0) continue;
      const { state, fate } = fateAt(index, ACTIVE, from, messages[from], step);
      const path = /** @type {Element} */ (
        this.svg.children[used] ?? this.svg.appendChild(svgElement("path", {}))
      );
      setAttribute(path, "class", state === "done" && fate ? `ctx-ribbon ctx-is-${fate.fate}` : "ctx-ribbon");
      setAttribute(path, "d", this.ribbonOutline(from, (row - first) * HISTORY_ROW, first));
      used++;
    }
    while (this.svg.children.length > used) this.svg.lastChild?.remove();
  }

  /**
   * The outline of an active message's ribbon.
   * @param {number} from
   * @param {number} top of its row
   * @param {number} first row drawn
   */
  ribbonOutline(from, top, first) {
    const { ribbons, columns } = this.layout;
    const to = ribbons.to[from];
    const height = this.thickness(columns[ACTIVE].messages[from]);
    const whole = this.thickness(columns[CANDIDATE].messages[to]);
    const a = top + (CARD_HEIGHT - height) / 2;
    const b = a + height;
    const c =
      (columns[CANDIDATE].rowOf[to] - first) * HISTORY_ROW +
      (CARD_HEIGHT - whole) / 2 +
      whole * ribbons.start[from];
    const d = c + whole * ribbons.share[from];
    const middle = GUTTER / 2;
    return `M0 ${a}C${middle} ${a} ${middle} ${c} ${GUTTER} ${c}V${d}C${middle} ${d} ${middle} ${b} 0 ${b}Z`;
  }

  /** @param {EventTarget | null} target */
  ask(target) {
    const card = closest(target, ".ctx-card");
    if (!card) return;
    const which = Number(card.dataset.which);
    const position = Number(card.dataset.position);
    this.player.ask(which, position, this.layout.columns[which].messages[position]);
  }
}

const HEAD_OF_COLUMN = 54;
const CHARACTERS_OF_A_PREVIEW = 120;
/** @type {Column} */
const NO_COLUMN = {
  messages: [],
  splits: [],
  missing: [],
  itemAt: new Int32Array(0),
  rowOf: new Int32Array(0),
};

/**
 * Rows of two histories that are not shown beside each other.
 * @param {number} active
 * @param {number} candidate
 */
function stackedRows(active, candidate) {
  const counting = (/** @type {number} */ length) => Int32Array.from({ length }, (_, i) => i);
  const rows = /** @type {[Int32Array, Int32Array]} */ ([counting(active), counting(candidate)]);
  return { rows: Math.max(active, candidate), itemAt: rows, rowOf: rows };
}

/** The cut between two messages. @param {string[]} ids those that it would split */
function ruler(ids) {
  const more = ids.length > 2 ? ` and ${ids.length - 2} more` : "";
  const text = ids.length ? `a cut would split ${ids.slice(0, 2).join(", ")}${more}` : "legal cut";
  return element(
    "span",
    { class: ids.length ? "ctx-ruler ctx-illegal" : "ctx-ruler" },
    element("span", { class: "ctx-cell" }, text),
  );
}

/**
 * Divides the end of every ribbon that several messages share, by their bytes.
 * @param {Card[]} cards @param {Int32Array} to @param {number[]} active @param {number} lengthOfCandidate
 * @returns {Ribbons}
 */
function ribbonShares(cards, to, active, lengthOfCandidate) {
  const whole = new Float64Array(lengthOfCandidate);
  const used = new Float64Array(lengthOfCandidate);
  const start = new Float64Array(to.length);
  const share = new Float64Array(to.length);
  to.forEach((j, i) => {
    if (j >= 0) whole[j] += Math.max(1, cards[active[i]].bytes);
  });
  to.forEach((j, i) => {
    if (j < 0) return;
    share[i] = Math.max(1, cards[active[i]].bytes) / whole[j];
    start[i] = used[j];
    used[j] += share[i];
  });
  return { to, start, share };
}

/** What the run gave back or said, in a place of its own. */
class OutcomeView {
  /** @param {Player} player */
  constructor(player) {
    const { index } = player;
    const { kind, code, type, message, value } = index.trace.outcome;
    /** @type {Record<string, string>} */
    const words = {
      returned: "The run returned",
      refused: `The run refused (${code})`,
      error: `The run ended with ${type}`,
      step_limit: "The recording stopped at the step limit",
    };
    const text = kind === "returned" ? `${describe(index, value, index.length)}.` : (message ?? "");
    this.node = element(
      "div",
      { class: "ctx-result" },
      element("b", {}, `${words[kind] ?? kind}${kind === "returned" ? "" : ":"} `),
      element("span", { class: "ctx-result-text" }, cutText(text, text.length)),
      element(
        "span",
        { class: "ctx-check-row" },
        element("span", { class: "ctx-aside" }, "At the end:"),
        ...checkMarks(index.trace.checks),
      ),
    );
  }

  update() {}
}

/** The checks of the whole run, in short. @param {Trace["checks"]} checks */
function checkMarks(checks) {
  /** @type {[boolean | null, string, string][]} */
  const marks = [
    [checks.input_unchanged, "input unchanged", "input changed"],
    [checks.pairs_complete, "pairs complete", "pairs broken"],
    [checks.within_budget, "within budget", "over budget"],
  ];
  return marks
    .filter(([holds]) => holds !== null)
    .map(([holds, yes, no]) =>
      element(
        "span",
        { class: `ctx-check ctx-${yesNo(holds)}` },
        icon(holds ? "kept" : "dropped"),
        holds ? yes : no,
      ),
    );
}

const LIST_ROW = 30;
const LIST_ROW_NARROW = 50;

/** All decisions of the run; a click goes there. */
class DecisionsPanel {
  /** @param {Player} player */
  constructor(player) {
    this.player = player;
    this.name = `Decisions ${grouped(player.index.decisionSteps.length)}`;
    const list = element("div", { class: "ctx-list ctx-decisions", role: "list", "aria-label": "Decisions" });
    this.scroller = element("div", { class: "ctx-scroller" }, list);
    this.head = element(
      "div",
      { class: "ctx-list-head ctx-decision", "aria-hidden": "true" },
      ...["step", "in", "question", "what it saw", "so"].map((word) =>
        element("span", { class: word === "in" && "ctx-in" }, word),
      ),
    );
    this.node = element("div", {}, this.head, this.scroller);
    this.rows = new VirtualRows(
      this.scroller,
      list,
      LIST_ROW,
      (row) => this.keyOf(row),
      (row) => this.draw(row),
    );
    this.latest = -1;
    list.addEventListener("click", (event) => {
      const row = closest(event.target, "[data-row]");
      if (row) player.go(player.index.decisionSteps[Number(row.dataset.row)]);
    });
  }

  settle() {
    this.rows.settle();
  }

  measure() {
    this.rows.setRowHeight(this.player.wide ? LIST_ROW : LIST_ROW_NARROW);
    this.rows.measure();
  }

  update() {
    const { index, step } = this.player;
    const latest = upTo(index.decisionSteps, step) - 1;
    const moved = latest !== this.latest;
    this.latest = latest;
    this.rows.update(index.decisionSteps.length);
    if (moved && latest >= 0) this.rows.showFrom(this.rows.topFor(latest, 0));
  }

  /** @param {number} row */
  keyOf(row) {
    return row > this.latest
      ? "ahead"
      : row < this.latest
        ? "past"
        : this.player.index.decisionSteps[row] === this.player.step
          ? "now"
          : "latest";
  }

  /** @param {number} row */
  draw(row) {
    const { index } = this.player;
    const { step, site, question, saw, answer, consequence } = decisionParts(index, row);
    const [, depth, name] = index.trace.frames[index.frame[step]];
    const when = this.keyOf(row);
    const button = element(
      "button",
      {
        class: `ctx-row ctx-decision ctx-when-${when}`,
        "data-part": "row",
        tabindex: -1,
        "aria-current": when === "now" ? "step" : null,
        title: sentence(index, row),
      },
      element("span", { class: "ctx-when" }, grouped(step)),
      element("code", { class: "ctx-cell ctx-in" }, name),
      element("span", { class: "ctx-cell" }, question || element("code", {}, site.source)),
      element("code", { class: "ctx-cell" }, saw),
      element(
        "span",
        { class: "ctx-cell" },
        element("b", { class: `ctx-${answer}` }, answer),
        consequence && ` ${consequence}`,
      ),
    );
    button.style.setProperty("--ctx-depth", String(depth));
    return element("div", { class: "ctx-item", role: "listitem", "aria-posinset": row + 1 }, button);
  }
}

const VARIABLE_ROW = 28;
const CHARACTERS_OF_A_VARIABLE = 160;
const CHILDREN_SHOWN = 2000;

/**
 * @typedef {{ key: string, depth: number, name: string, value: Cell, frame: number, kind: "frame" |
 *   "variable" | "child", changed: boolean,
 *             open: boolean | null }} VariableRow  open: null for a value without parts
 */

/** The variables of the running frame and of its callers; values open one level at a time. */
class VariablesPanel {
  /** @param {Player} player */
  constructor(player) {
    this.player = player;
    this.name = "Variables";
    /** @type {Set<string>} */
    this.opened = new Set();
    /** @type {VariableRow[]} */
    this.shown = [];
    const list = element("div", { class: "ctx-list", role: "list", "aria-label": "Variables" });
    this.scroller = element("div", { class: "ctx-scroller" }, list);
    this.node = element("div", {}, this.scroller);
    this.rows = new VirtualRows(
      this.scroller,
      list,
      VARIABLE_ROW,
      (row) => this.keyOf(row),
      (row) => this.draw(row),
    );
    list.addEventListener("click", (event) => this.onClick(event.target));
  }

  measure() {
    this.rows.measure();
  }

  update() {
    const { index, step } = this.player;
    const changed = changedObjects(index, step);
    this.shown = [];
    for (const frame of stackAt(index, step)) {
      this.shown.push({
        key: `frame ${frame}`,
        depth: 0,
        name: index.trace.frames[frame][2],
        value: null,
        frame,
        kind: "frame",
        changed: false,
        open: null,
      });
      for (const variable of variablesAt(index, frame, step)) {
        this.list(
          variable.name,
          variable.value,
          frame,
          0,
          `${frame} ${variable.name}`,
          hasChanged(variable, changed, step),
          changed,
        );
      }
    }
    this.rows.update(this.shown.length);
  }

  /**
   * @param {string} name @param {Cell} value @param {number} frame @param {number} depth @param {string} key
   * @param {boolean} isChanged @param {Set<number>} changed
   */
  list(name, value, frame, depth, key, isChanged, changed) {
    const { index, step } = this.player;
    const size = isObject(value) ? sizeAt(index, value / 2, step).size : 0;
    const open = size ? this.opened.has(key) : null;
    this.shown.push({
      key,
      depth,
      name,
      value,
      frame,
      kind: depth ? "child" : "variable",
      changed: isChanged,
      open,
    });
    if (!open || !isObject(value)) return;
    const cells = cellsAt(index, value / 2, step);
    const width = cells[0] === "d" ? 2 : 1;
    const children = Math.min((cells.length - 1) / width, CHILDREN_SHOWN);
    for (let i = 0; i < children; i++) {
      const child = cells[1 + i * width + width - 1];
      const label =
        cells[0] === "d" ? describe(index, cells[1 + 2 * i], step) : cells[0] === "s" ? "·" : `[${i}]`;
      this.list(
        label,
        child,
        frame,
        depth + 1,
        `${key}/${i}`,
        isObject(child) && changed.has(child / 2),
        changed,
      );
    }
    const left = (cells.length - 1) / width - children;
    if (left > 0)
      this.shown.push({
        key: `${key}/left`,
        depth: depth + 1,
        name: `… ${counted(left, "more item")}`,
        value: "",
        frame,
        kind: "child",
        changed: false,
        open: null,
      });
  }

  /** @param {VariableRow} row */
  text(row) {
    return row.kind === "frame"
      ? ""
      : describe(this.player.index, row.value, this.player.step, CHARACTERS_OF_A_VARIABLE);
  }

  /** @param {number} number */
  keyOf(number) {
    const row = this.shown[number];
    return `${row.key}|${row.open}|${row.changed}|${row.name}|${this.text(row)}`;
  }

  /** @param {number} number */
  draw(number) {
    const row = this.shown[number];
    const name = element("span", { class: "ctx-name" }, row.open !== null && icon("open"), row.name);
    const item = element("div", {
      class: `ctx-item ctx-variable ctx-kind-${row.kind}`,
      role: "listitem",
      "aria-posinset": number + 1,
    });
    item.style.setProperty("--ctx-depth", String(row.depth));
    if (row.kind === "frame") {
      item.append(
        element("b", {}, row.name),
        element("span", { class: "ctx-aside" }, number === 0 ? "running" : "waiting"),
      );
      return item;
    }
    const value = element("code", { class: "ctx-cell" }, this.text(row));
    if (row.open === null) item.append(element("span", { class: "ctx-leaf" }, name, value));
    else
      item.append(
        element(
          "button",
          { class: "ctx-leaf", "data-part": "open", "aria-expanded": String(row.open), tabindex: -1 },
          name,
          value,
        ),
      );
    item.append(element("span", { class: "ctx-changed" }, row.changed && "changed"));
    if (row.kind === "variable") {
      const turn = (/** @type {string} */ part, /** @type {string} */ label, /** @type {string} */ shape) =>
        element(
          "button",
          { class: "ctx-small", "data-part": part, title: label, "aria-label": label, tabindex: -1 },
          icon(shape),
        );
      item.append(
        turn("previous", `Previous change of ${row.name}`, "previous"),
        turn("next", `Next change of ${row.name}`, "next"),
      );
    }
    return item;
  }

  /** @param {EventTarget | null} target */
  onClick(target) {
    const button = closest(target, "[data-part]");
    const row = this.shown[Number(closest(target, "[data-row]")?.dataset.row)];
    if (!button || !row) return;
    const { index, step } = this.player;
    if (button.dataset.part !== "open") {
      const to = variableChange(index, row.frame, row.name, step, button.dataset.part === "next" ? 1 : -1);
      if (to >= 0) this.player.go(to);
      else this.player.say(`No ${button.dataset.part} change of ${row.name}.`);
    } else {
      if (!this.opened.delete(row.key)) this.opened.add(row.key);
      this.update();
    }
  }
}

/** @typedef {{ step: number, depth: number, name: string, opaque: boolean, text: string }} CallRow */

/** Every call: of the functions that were recorded, and of those that were not. */
class CallsPanel {
  /** @param {Player} player */
  constructor(player) {
    this.player = player;
    this.calls = listCalls(player.index);
    this.name = `Calls ${grouped(this.calls.length)}`;
    this.steps = Int32Array.from(this.calls, (call) => call.step);
    this.latest = -1;
    const list = element("div", { class: "ctx-list", role: "list", "aria-label": "Calls" });
    this.scroller = element("div", { class: "ctx-scroller" }, list);
    this.node = element("div", {}, this.scroller);
    this.rows = new VirtualRows(
      this.scroller,
      list,
      LIST_ROW,
      (row) => this.keyOf(row),
      (row) => this.draw(row),
    );
    list.addEventListener("click", (event) => {
      const row = closest(event.target, "[data-row]");
      if (row) player.go(this.steps[Number(row.dataset.row)]);
    });
  }

  settle() {
    this.rows.settle();
  }

  measure() {
    this.rows.measure();
  }

  update() {
    const latest = upTo(this.steps, this.player.step) - 1;
    const moved = latest !== this.latest;
    this.latest = latest;
    this.rows.update(this.calls.length);
    if (moved && latest >= 0) this.rows.showFrom(this.rows.topFor(latest, 0));
  }

  /** @param {number} row */
  keyOf(row) {
    return this.steps[row] > this.player.step
      ? "ahead"
      : this.steps[row] === this.player.step
        ? "now"
        : "past";
  }

  /** @param {number} row */
  draw(row) {
    const { step, depth, name, opaque } = this.calls[row];
    const text = callText(this.player.index, this.calls[row]);
    const when = this.keyOf(row);
    const called = element("span", { class: "ctx-cell" }, element("code", {}, element("b", {}, name), text));
    called.style.setProperty("--ctx-depth", String(depth));
    const button = element(
      "button",
      {
        class: `ctx-row ctx-call ctx-when-${when}`,
        "data-part": "row",
        tabindex: -1,
        "aria-current": when === "now" ? "step" : null,
      },
      element("span", { class: "ctx-when" }, grouped(step)),
      called,
      element("span", { class: "ctx-aside" }, opaque ? "not recorded inside" : ""),
    );
    return element("div", { class: "ctx-item", role: "listitem", "aria-posinset": row + 1 }, button);
  }
}

/**
 * @typedef {{ step: number, depth: number, name: string, opaque: boolean, number: number }} CallEntry
 *   number: the row in trace.calls for an opaque call, the frame for a recorded one
 */

/** @param {Index} index @returns {CallEntry[]} */
function listCalls(index) {
  const { trace } = index;
  const opaque = trace.calls.map(([step, , name], number) => ({
    step,
    depth: depthAt(index, step) + 1,
    name,
    opaque: true,
    number,
  }));
  const recorded = trace.frames.map(([, depth, name], number) => ({
    step: index.firstStep[number],
    depth,
    name,
    opaque: false,
    number,
  }));
  return [...recorded.filter((call) => call.step >= 0), ...opaque].sort((a, b) => a.step - b.step);
}

/** A call's arguments and, where it is known, its result. @param {Index} index @param {CallEntry} call */
function callText(index, { step, opaque, number }) {
  if (!opaque) {
    return `(${valueList(index, variablesAt(index, number, step), step)})`;
  }
  const [, , , given, result] = index.trace.calls[number];
  const values = given.map((value) => describe(index, value, step)).join(", ");
  return `(${values}) → ${describe(index, result, step)}`;
}

/** Pairs and sizes at this step, and the checks of the whole run. */
class ChecksPanel {
  /** @param {Player} player */
  constructor(player) {
    this.player = player;
    this.name = "Checks";
    const { checks } = player.index.trace;
    this.cells = ["messages", "open calls", "orphan results", "bytes", "tokens", "against the budget"].map(
      (name) => ({ name, values: COLUMN_NAMES.map(() => element("td", {})) }),
    );
    const head = element(
      "tr",
      {},
      element("td", {}),
      ...COLUMN_NAMES.map((name) => element("th", { scope: "col" }, name)),
    );
    const rows = this.cells.map(({ name, values }) =>
      element("tr", {}, element("th", { scope: "row" }, name), ...values),
    );
    const table = element(
      "table",
      { class: "ctx-table" },
      element("caption", {}, "At this step"),
      element("thead", {}, head),
      element("tbody", {}, ...rows),
    );
    const broken = checks.first_broken_step;
    const jump = element(
      "button",
      { class: "ctx-link" },
      broken === null ? "" : `Step ${grouped(broken)}`,
    );
    jump.addEventListener("click", () => broken !== null && player.go(broken));
    const verdict =
      broken === null
        ? element("p", {}, "Calls and results stayed paired at every step.")
        : element("p", {}, jump, " is the first at which the pairing broke.");
    this.node = element(
      "div",
      { class: "ctx-panel-text ctx-checks" },
      table,
      element(
        "div",
        {},
        element("p", {}, element("b", {}, "The whole run")),
        element("p", { class: "ctx-check-list" }, ...checkMarks(checks)),
        verdict,
      ),
    );
  }

  update() {
    const { index, step } = this.player;
    const { budget } = index.trace.checks;
    [ACTIVE, CANDIDATE].forEach((which) => {
      const history = historyAt(index, which, step);
      const tokens = this.player.tokens(which);
      const over = budget === null ? 0 : history.bytes - budget;
      const texts = [
        grouped(history.messages.length),
        grouped(history.open),
        grouped(history.orphans),
        grouped(history.bytes),
        tokens === null ? "not counted" : `${grouped(tokens)} (${this.player.encoding})`,
        budget === null
          ? "no budget"
          : over > 0
            ? `over by ${grouped(over)} bytes`
            : `fits, ${grouped(-over)} bytes left`,
      ];
      this.cells.forEach(({ values }, i) => {
        setText(values[which], history.present ? texts[i] : "–");
        values[which].classList.toggle(
          "ctx-no",
          history.present && ((i === 5 && over > 0) || (i === 2 && history.orphans > 0)),
        );
      });
    });
  }
}

/** What the run was given. */
class InputPanel {
  /** @param {Player} player */
  constructor(player) {
    this.name = "Input and call";
    const { heading, index } = player;
    const { promise, stand_ins: standIns, scenario } = heading;
    const given = index.length
      ? variablesAt(index, 0, 0).map(
          ({ name, value }) =>
            /** @type {[string, string]} */ ([name, describe(index, value, 0, CHARACTERS_OF_A_VARIABLE)]),
        )
      : [];
    this.node = element(
      "div",
      { class: "ctx-panel-text" },
      promise && element("p", {}, scenario && element("b", {}, `${scenario}: `), promise),
      element("p", {}, element("b", {}, `${heading.function} was called with`)),
      pairList(given),
      standIns.length > 0 && element("p", {}, element("b", {}, "Stand-ins")),
      standIns.length > 0 && pairList(standIns),
    );
  }

  update() {}
}

/** @param {[string, string][]} pairs */
const pairList = (pairs) =>
  element(
    "dl",
    { class: "ctx-pairs" },
    ...pairs.map(([name, text]) =>
      element("div", {}, element("dt", {}, name), element("dd", {}, cutText(text, text.length))),
    ),
  );

/** The panels below, one at a time; only the one that shows is brought up to date. */
class PanelsView {
  /** @param {Player} player @param {number} chosen */
  constructor(player, chosen) {
    this.panels = [
      new DecisionsPanel(player),
      new VariablesPanel(player),
      new CallsPanel(player),
      new ChecksPanel(player),
      new InputPanel(player),
    ];
    const id = player.id("panel");
    this.tabs = new Tabs(
      "Panels",
      this.panels.map((panel) => panel.name),
      id,
      (number) => this.choose(number),
    );
    this.body = element("div", { class: "ctx-panel", id, role: "tabpanel" });
    this.node = element("div", { class: "ctx-panels" }, this.tabs.node, this.body);
    this.id = id;
    this.chosen = -1;
    this.start = chosen;
  }

  /** @param {number} number */
  choose(number) {
    if (number === this.chosen) return;
    this.chosen = number;
    this.tabs.select(number);
    this.body.replaceChildren(this.panels[number].node);
    setAttribute(this.body, "aria-labelledby", `${this.id}-tab${number}`);
    this.update();
    this.measure();
    this.settle();
  }

  /** @returns {View | undefined} */
  get panel() {
    return this.panels[this.chosen];
  }

  measure() {
    this.panel?.measure?.();
  }

  settle() {
    this.panel?.settle?.();
  }

  update() {
    if (this.chosen < 0) this.choose(this.start);
    else this.panel?.update();
  }
}

// -----------------------------------------------------------------------------------------------------------
// 11. Player
// -----------------------------------------------------------------------------------------------------------

/**
 * @typedef {{ get(name: string): any, set(name: string, value: unknown): void, save_changes(): void,
 *             on(event: string, handler: () => void): void, off(event: string, handler: () => void): void }}
 *             Model
 * @typedef {{ which: number, position: number, message: number, from: number }} Asked  a message that the
 *   reader asked about, and the step at which that was
 */

/** @type {Record<string, string>} */
const KEYS = {
  ArrowLeft: "back",
  ArrowRight: "step",
  "Shift+ArrowLeft": "previousBreakpoint",
  "Shift+ArrowRight": "nextBreakpoint",
  Home: "start",
  End: "end",
  n: "nextDecision",
  p: "previousDecision",
  "]": "nextChange",
  "[": "previousChange",
  o: "over",
  u: "out",
  F10: "over",
  "Shift+F10": "overBack",
};

/** What to say where a move leads nowhere. @type {Record<string, string>} */
const NOWHERE = {
  previousDecision: "No decision before this step.",
  nextDecision: "No decision after this step.",
  previousChange: "No change before this step.",
  nextChange: "No change after this step.",
  previousBreakpoint: "No breakpoint before this step.",
  nextBreakpoint: "No breakpoint after this step.",
};

const SAVE_EVERY_MS = 150;
const SAY_AFTER_MS = 200;
const WIDE_FROM_PX = 620;

/** One player on the page: the reader's place in one trace, and the views that show it. */
class Player {
  /**
   * @param {Model} model
   * @param {HTMLElement} host
   * @param {{ panel: number }} kept what stays when another trace comes
   */
  constructor(model, host, kept) {
    this.model = model;
    this.host = host;
    this.prefix = uniqueId();
    this.index = buildIndex(model.get("trace"), model.get("clipped") ?? {});
    /** @type {Card[]} */
    this.cards = model.get("cards") ?? [];
    /** @type {string} */
    this.encoding = model.get("encoding") ?? "";
    this.heading = headingOf(model.get("heading"), this.index.trace);
    this.step = this.clamped(model.get("step"));
    /** @type {[number, number][]} */
    this.breakpoints = model.get("breakpoints") ?? [];
    this.breaks = breakpointSteps(this.index, this.breakpoints);
    /** @type {Asked | null} */
    this.asked = null;
    this.wide = true;
    /** @type {Map<number, { version: number, sum: number | null }>} */
    this.tokenSums = new Map();
    this.saving = 0;
    this.saveAgain = false;
    this.saying = 0;

    this.live = element("div", { class: "ctx-live", role: "status", "aria-live": "polite" });
    this.root = element("section", { class: "ctx-player", tabindex: -1, "aria-label": this.title() });
    this.source = new SourceView(this);
    this.timeline = new TimelineView(this);
    this.helpView = new HelpView(this);
    this.transport = new TransportView(this);
    this.panels = new PanelsView(this, kept.panel);
    this.sentence = new SentenceView(this);
    const historyView = new HistoryView(this);
    const header = new HeaderView(this);
    const notes = new NotesView(this);
    const outcome = new OutcomeView(this);
    /** @type {View[]} */
    // The source comes after the sentence, whose height decides how much of the source shows.
    this.views = [
      notes,
      header,
      this.transport,
      this.helpView,
      this.timeline,
      this.sentence,
      this.source,
      historyView,
      outcome,
      this.panels,
    ];
    const left = element("div", { class: "ctx-left" }, this.sentence.node, this.source.node);
    const main = element("div", { class: "ctx-main" }, left, historyView.node);
    this.root.append(
      notes.node,
      header.node,
      this.transport.node,
      this.helpView.node,
      this.timeline.node,
      main,
      outcome.node,
      this.panels.node,
      this.live,
    );
    this.root.addEventListener("keydown", (event) => this.onKey(event));
    this.root.addEventListener("mousedown", (event) => this.keepFocus(event));
    host.replaceChildren(this.root);
    this.resizing = watchSize(this.root, () => this.measure());
    this.measure();
    this.update();
  }

  /** @param {boolean} replaced whether another trace takes its place: then its last step is of no use to the host */
  close(replaced) {
    this.resizing?.disconnect();
    clearTimeout(this.saying);
    if (this.saving) {
      clearTimeout(this.saving);
      if (this.saveAgain && !replaced) this.model.save_changes();
    }
    this.root.remove();
  }

  /** @param {string} name */
  id(name) {
    return `${this.prefix}-${name}`;
  }

  title() {
    const { function: name, scenario } = this.heading;
    return `Step through ${name}${scenario ? `, scenario ${scenario}` : ""}`;
  }

  /** @param {unknown} step */
  clamped(step) {
    return Math.max(0, Math.min(this.index.length - 1, Math.trunc(Number(step)) || 0));
  }

  /** Tokens of a history at this step; null where a message was not counted. @param {number} which */
  tokens(which) {
    const { version, messages } = historyAt(this.index, which, this.step);
    const known = this.tokenSums.get(which);
    if (known?.version === version) return known.sum;
    let sum = /** @type {number | null} */ (this.encoding ? 0 : null);
    for (const message of messages) {
      const tokens = this.cards[message].tokens;
      sum = sum === null || tokens === null ? null : sum + tokens;
    }
    this.tokenSums.set(which, { version, sum });
    return sum;
  }

  update() {
    for (const view of this.views) view.update();
    for (const view of this.views) view.settle?.();
  }

  /** Takes over a new size. A player without width is hidden, in a notebook tab behind another one. */
  measure() {
    const hidden = this.root.isConnected && this.resizing !== null && this.root.clientWidth === 0;
    this.root.classList.toggle("ctx-hidden", hidden);
    if (hidden) return;
    const wide = (this.root.clientWidth || WIDE_FROM_PX) >= WIDE_FROM_PX;
    const turned = wide !== this.wide;
    this.wide = wide;
    if (turned) this.update();
    for (const view of this.views) view.measure?.();
    for (const view of this.views) view.settle?.();
  }

  /** Where a move leads from here, or -1. @param {string} move */
  target(move) {
    return MOVES[move]?.(this.index, this.step, this.breaks) ?? -1;
  }

  /** @param {string} move */
  move(move) {
    const to = this.target(move);
    if (to >= 0) this.go(to);
    else if (NOWHERE[move]) this.say(NOWHERE[move]);
  }

  /** Every way to another step leads through here. @param {number} step @param {Asked | null} asked */
  go(step, asked = null) {
    const to = this.clamped(step);
    if (to === this.step && asked === this.asked) return;
    this.show(to, asked);
    if (this.model.get("step") !== to) {
      this.model.set("step", to);
      this.save();
    }
  }

  /** @param {number} step @param {Asked | null} asked */
  show(step, asked) {
    this.step = step;
    this.asked = asked;
    this.update();
    const where = `Step ${step} of ${this.index.length - 1}, line ${placeAt(this.index, step)[2]}.`;
    const answer = asked && this.root.querySelector(".ctx-answer p");
    this.say(`${where} ${answer ? answer.textContent : this.sentence.spoken}`);
  }

  /**
   * Goes to the step that decided what became of a message, and says why.
   * @param {number} which @param {number} position @param {number} message
   */
  ask(which, position, message) {
    const { fate } = fateAt(this.index, which, position, message, this.index.length - 1);
    const from = this.asked?.from ?? this.step;
    this.go(fate ? fate.step : this.step, { which, position, message, from });
  }

  /** @param {number} source @param {number} line */
  toggleBreakpoint(source, line) {
    const others = this.breakpoints.filter(([s, l]) => s !== source || l !== line);
    const added = others.length === this.breakpoints.length;
    this.model.set("breakpoints", added ? [...others, [source, line]] : others);
    this.model.save_changes();
    this.showBreakpoints();
    this.say(`Breakpoint on line ${line} ${added ? "set" : "removed"}.`);
  }

  showBreakpoints() {
    this.breakpoints = this.model.get("breakpoints") ?? [];
    this.breaks = breakpointSteps(this.index, this.breakpoints);
    this.timeline.drawMarks();
    this.source.mark();
    this.transport.update();
  }

  /** The host moved the step. */
  followHost() {
    const step = this.clamped(this.model.get("step"));
    if (step !== this.step) this.show(step, null);
  }

  toggleHelp(open = this.helpView.node.hidden) {
    this.helpView.node.hidden = !open;
    setAttribute(this.transport.help, "aria-expanded", String(open));
  }

  /** Sends at most one message per interval while a key repeats; the last position is always sent. */
  save() {
    if (this.saving) {
      this.saveAgain = true;
      return;
    }
    this.model.save_changes();
    this.saving = setTimeout(() => {
      this.saving = 0;
      if (!this.saveAgain) return;
      this.saveAgain = false;
      this.save();
    }, SAVE_EVERY_MS);
  }

  /** Speaks through the live region, once the reader has come to rest. @param {string} text */
  say(text) {
    clearTimeout(this.saying);
    this.saying = setTimeout(() => setText(this.live, text), SAY_AFTER_MS);
  }

  /**
   * A press with the mouse leaves the focus on the player itself, so that the arrow keys go on stepping.
   * @param {MouseEvent} event
   */
  keepFocus(event) {
    if (!closest(event.target, "button")) return;
    event.preventDefault();
    this.root.focus({ preventScroll: true });
  }

  /** @param {KeyboardEvent} event */
  onKey(event) {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target))
      return;
    const name = event.shiftKey && event.key.length > 1 ? `Shift+${event.key}` : event.key;
    if (name in KEYS) this.move(KEYS[name]);
    else if (name === "b") this.breakHere();
    else if (name === "?") this.toggleHelp();
    else if (name === "Escape" && !this.helpView.node.hidden) this.toggleHelp(false);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  breakHere() {
    const [, source, line] = placeAt(this.index, this.step);
    this.toggleBreakpoint(source, line);
  }
}

/** @param {Partial<Heading> | null | undefined} heading @param {Trace} trace @returns {Heading} */
function headingOf(heading, trace) {
  const { scenario } = trace;
  return {
    function: trace.function,
    scenario: scenario?.name ?? null,
    promise: scenario?.promise ?? null,
    settings: [],
    stand_ins: [],
    ...heading,
  };
}

/** Whether keys belong to a text field. The slider is no text field. @param {EventTarget | null} target */
function isTyping(target) {
  const field = closest(target, "input, textarea, select, [contenteditable]");
  return field !== null && !field.classList.contains("ctx-slider");
}

/** @param {HTMLElement} node @param {() => void} measure */
function watchSize(node, measure) {
  if (typeof ResizeObserver === "undefined") return null;
  const observer = new ResizeObserver(measure);
  observer.observe(node);
  return observer;
}

// -----------------------------------------------------------------------------------------------------------
// 12. Entry
// -----------------------------------------------------------------------------------------------------------

/**
 * Draws a player into `el`, and again whenever the host puts another trace into the model.
 * @param {{ model: Model, el: HTMLElement }} host
 * @returns {() => void} takes everything back
 */
function render({ model, el }) {
  /** @type {Player | null} */
  let player = null;
  let stale = false;

  const open = () => {
    stale = false;
    const kept = { panel: player?.panels.chosen ?? 0 };
    const focused = el.contains(document.activeElement);
    player?.close(true);
    player = null;
    try {
      player = new Player(model, el, kept);
      if (focused) player.root.focus({ preventScroll: true });
    } catch (error) {
      el.replaceChildren(
        element(
          "div",
          { class: "ctx-player ctx-failed", role: "alert" },
          error instanceof Error ? error.message : String(error),
        ),
      );
    }
  };
  // A host that replaces the trace sets several traits at once: draw when all of them have arrived.
  const reopen = () => {
    if (stale) return;
    stale = true;
    queueMicrotask(() => stale && open());
  };
  /** @type {Record<string, () => void>} */
  const handlers = {
    "change:step": () => !stale && player?.followHost(),
    "change:breakpoints": () => !stale && player?.showBreakpoints(),
  };
  for (const name of ["trace", "clipped", "cards", "encoding", "heading"])
    handlers[`change:${name}`] = reopen;

  open();
  for (const [event, handler] of Object.entries(handlers)) model.on(event, handler);
  return () => {
    stale = false;
    for (const [event, handler] of Object.entries(handlers)) model.off(event, handler);
    player?.close(false);
    el.replaceChildren();
  };
}

export default { render };
