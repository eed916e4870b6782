// @ts-check
/** State: what held at a step. Variables, objects, histories. */
/** @import { Cell, Fate, Place } from "./format.js" */
/** @import { Index } from "./index.js" */
import { ACTIVE, CANDIDATE, UNBOUND, hasNames } from "./format.js";
import { historyOf, isNested, isObject, messageContainers, rowsUpTo, sortedDistinct, upTo } from "./index.js";

/** @param {Index} index @param {number} step @returns {Place} */
export const placeAt = (index, step) => index.trace.places[index.place[step]];

/** Whether the index reaches to the run's end: before a prediction it does not. @param {Index} index */
export const isWhole = (index) => index.trace.outcome.kind !== "open";

/** Whether the run ends at this step. @param {Index} index @param {number} step */
export const isEnd = (index, step) => step === index.length - 1 && isWhole(index);

/** @param {Index} index @param {number} step */
export const depthAt = (index, step) => index.trace.frames[index.frame[step]][1];

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
 * The cells of a list, a dict or an object after one more change; they are altered.
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
export function sizeAt(index, object, step) {
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
    return { kind, size: before + (hasNames(kind) ? written / 2 : written) + exchanged };
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
export const hasChanged = ({ value, since }, changed, step) =>
  since === step || (isObject(value) && changed.has(value / 2));

/**
 * Which fields of an object have another value, or their value another content, than one step before: their
 * places among its fields. None where the object itself is new.
 * @param {Index} index @param {number} object @param {Set<number>} changed @param {number} step
 */
export function changedFields(index, object, changed, step) {
  if (versionCount(index, object, step - 1) === 0) return [];
  const before = new Map(fieldsAt(index, object, step - 1));
  return fieldsAt(index, object, step).flatMap(([name, value], i) => {
    const isNew = JSON.stringify(before.get(name)) !== JSON.stringify(value);
    return isNew || (isObject(value) && changed.has(value / 2)) ? [i] : [];
  });
}

/**
 * The names of an object's fields, and what they hold.
 * @param {Index} index @param {number} object @param {number} step
 * @returns {[name: Cell, value: Cell][]}
 */
export function fieldsAt(index, object, step) {
  const [, ...cells] = cellsAt(index, object, step);
  return Array.from({ length: cells.length / 2 }, (_, i) => [cells[2 * i], cells[2 * i + 1]]);
}

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
 * A history at a step; `present` is false before the run has one, and after a commit has left none.
 * @param {Index} index @param {number} which ACTIVE or CANDIDATE @param {number} step
 */
export function historyAt(index, which, step) {
  const track = index.tracks[which];
  const version = upTo(track.step, step);
  const [, , , , , bytes, open, orphans] = version ? track.rows[version - 1] : [0, 0, 0, 0, [], 0, 0, 0];
  const present = version > 0 && !track.withdrawn.has(version);
  return { present, version, messages: historyOf(track, version), bytes, open, orphans };
}

/**
 * The step that committed the latest candidate, where no other one has come since, or -1.
 * @param {Index} index @param {number} step
 */
export function commitBefore(index, step) {
  const track = index.tracks[CANDIDATE];
  return track.withdrawn.get(upTo(track.step, step)) ?? -1;
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
  const { byFrom, byTo, byMessage, input, final, result, from } = index.fates;
  const asInput = which === ACTIVE && input[position] === message ? byFrom.get(position) : undefined;
  const asResult = final[position] === message ? byTo.get(position) : byMessage.get(message);
  const fate = asInput ?? (which === result || result === ACTIVE ? asResult : undefined);
  if (!fate) return { state: index.trace.provenance.length ? "undecided" : "none", fate: null };
  // What stays is shown as decided only once there is a candidate to look at, or a change of the history
  // itself. There each commit puts what is kept in its place again.
  const stays = fate.to !== null && fate.fate !== "summarised";
  const again = fate.fate === "kept" && result === ACTIVE;
  const shown = Math.max(again ? 0 : fate.step + 1, stays ? from : 0);
  if (step >= shown || isEnd(index, step)) return { state: "done", fate };
  return { state: step === fate.step ? "now" : "undecided", fate };
}

/**
 * How many messages the one at this place of a history holds the summary of.
 * @param {Index} index @param {number} which @param {number} position @param {number} message
 */
export function mergedInto(index, which, position, message) {
  const { into, final, result } = index.fates;
  const isResult = (which === result || result === ACTIVE) && final[position] === message;
  return isResult ? (into.get(position)?.length ?? 0) : 0;
}

/** Whether the run ended here without using its candidate. @param {Index} index @param {number} step */
export const isRejected = (index, step) =>
  isEnd(index, step) &&
  index.trace.outcome.kind !== "returned" &&
  historyAt(index, CANDIDATE, step).present;
