// @ts-check
/** Histories: legal cuts, and how two histories line up. */
/** @import { Card, Cell } from "./format.js" */
/** @import { Index } from "./index.js" */
import { isNested } from "./index.js";
import { describe } from "./words.js";

/** What an illegal cut would split where no call has its result after it. */
const TURN = ["the model's turn"];

/**
 * Which cuts of a history are legal. A cut is illegal if the result of a call before it stands after it, or if
 * it would part the calls and the reasoning of one turn, which may be several items.
 * @param {Pick<Card, "kind" | "calls" | "results" | "served" | "in_turn">[]} cards
 * @returns {string[][]} entry c: the ids that a cut before message c would split; empty where the cut is
 *   legal
 */
export function splitIds(cards) {
  const { starts, ends } = turnsOf(cards);
  /** @type {Map<string, number>} */
  const calledAt = new Map();
  // By the message at which each begins: the pairs with the places of their ends, and the end of the turn.
  /** @type {[string, number][][]} */
  const pairsFrom = cards.map(() => []);
  const turnUntil = new Int32Array(cards.length);
  cards.forEach((card, i) => {
    for (const id of card.results) {
      const at = calledAt.get(id);
      if (at !== undefined && at < i) pairsFrom[starts[at]].push([id, i]);
    }
    const owed = card.kind === "call" && !card.calls.some((id) => card.served.includes(id));
    let until = card.kind === "reasoning" ? ends[i] : owed ? i : 0;
    for (const id of card.calls) {
      const at = calledAt.get(id);
      // One turn may call twice with the same id: then no result can tell the two apart.
      if (at !== undefined && starts[at] === starts[i]) until = Math.max(until, i);
      calledAt.set(id, i);
    }
    turnUntil[starts[i]] = Math.max(turnUntil[starts[i]], until);
  });
  /** @type {Map<string, number>} */
  const spanning = new Map();
  let turnEnd = 0;
  return cards.map((_, cut) => {
    for (const [id, end] of spanning) if (end < cut) spanning.delete(id);
    if (cut > 0) {
      for (const [id, end] of pairsFrom[cut - 1]) spanning.set(id, end);
      turnEnd = Math.max(turnEnd, turnUntil[cut - 1]);
    }
    if (spanning.size) return [...spanning.keys()];
    return cut <= turnEnd && cut > 0 ? TURN : NO_IDS;
  });
}

/**
 * For each message, where the model's turn that it is part of has its first reasoning or call up to here, and
 * where the turn ends. A message that is a turn of its own begins and ends at its own place.
 * @param {Pick<Card, "kind" | "in_turn">[]} cards
 */
function turnsOf(cards) {
  const starts = new Int32Array(cards.length);
  const ends = new Int32Array(cards.length);
  let start = -1;
  cards.forEach(({ kind, in_turn: inTurn }, i) => {
    if (!inTurn) start = -1;
    else if (start < 0 && (kind === "call" || kind === "reasoning")) start = i;
    starts[i] = start < 0 ? i : start;
  });
  for (let i = cards.length - 1; i >= 0; i--)
    ends[i] = cards[i].in_turn && cards[i + 1]?.in_turn ? ends[i + 1] : i;
  return { starts, ends };
}

/** @type {string[]} */
export const NO_IDS = [];

/**
 * Which messages hold half of a pair: a call that no later result answers, or a result that no call before it
 * asked for. What the provider answers itself is not missing.
 * @param {Pick<Card, "calls" | "results" | "served">[]} cards
 * @returns {string[]} entry i: "no result", "no call" or ""
 */
export function missingHalves(cards) {
  const missing = cards.map(() => "");
  const called = new Set();
  /** @type {Map<string, number>} */
  const waiting = new Map();
  cards.forEach((card, i) => {
    for (const id of card.results) {
      if (!called.has(id) && !card.served.includes(id)) missing[i] = "no call";
      waiting.delete(id);
    }
    for (const id of card.calls) {
      const earlier = waiting.get(id);
      if (earlier !== undefined) missing[earlier] = "no result";
      called.add(id);
      if (!card.served.includes(id)) waiting.set(id, i);
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
export function matchMessages(index, cards, active, candidate) {
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
export function destinations(index, active, candidate, match) {
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
