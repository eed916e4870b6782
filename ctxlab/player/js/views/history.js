// @ts-check
/** The two histories side by side. */
/** @import { Card, Fate } from "../format.js" */
/** @import { Player } from "../player.js" */
import { ACTIVE, CANDIDATE } from "../format.js";
import { grouped } from "../text.js";
import { commitBefore, fateAt, historyAt, isEnd, isRejected, isWhole, mergedInto } from "../state.js";
import { COLUMN_NAMES, sizeText } from "../words.js";
import { NO_IDS, alignedRows, destinations, matchMessages, missingHalves, splitIds } from "../histories.js";
import { chip, closest, element, setAttribute, setText, svgElement } from "../elements.js";
import { codesToMark } from "../faults.js";
import { VirtualRows } from "../rows.js";
import { bracketOf, drawMessageCard, ruler } from "./card.js";
import { findingMark } from "./mark.js";

const CARD_HEIGHT = 46;
const HISTORY_ROW = 64;
const GUTTER = 52;

/**
 * @typedef {{ messages: number[], splits: string[][], missing: string[], codes: Map<number, string[]>,
 *   itemAt: Int32Array, rowOf: Int32Array }} Column  codes: of the findings to mark, by position
 * @typedef {{ to: Int32Array, start: Float64Array, share: Float64Array }} Ribbons
 *   per active message: where it went, and which part of the other end is its own, from 0 to 1
 * @typedef {{ rows: number, columns: [Column, Column], ribbons: Ribbons }} Layout
 */

/** Active history and candidate side by side, with ribbons from each message to what it became. */
export class HistoryView {
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
    const commit = commitBefore(index, step);
    if (commit >= 0) {
      const next = isEnd(index, step) ? "" : " The next one will stand here.";
      return `Committed at step ${grouped(commit)}: the candidate has become the active history.${next}`;
    }
    const { in_place: changed } = index.trace.checks;
    if (changed !== null && step > changed)
      return `No candidate: the history itself changed, first at step ${grouped(changed)}.`;
    if (!isEnd(index, step))
      return "No candidate yet. What may take the place of the active history will stand here.";
    if (index.trace.outcome.kind === "returned")
      return index.tracks[CANDIDATE].rows.length
        ? "The candidate is not used: what the run returned holds no history."
        : "This run made no candidate.";
    return index.trace.checks.input_unchanged === false
      ? "No candidate: the run ended before it had one, but the active history has changed."
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
      // Before a prediction, whether a pair is whole is for the reader to see.
      const missing = isWhole(index) ? missingHalves(own) : own.map(() => "");
      /** @type {Map<number, string[]>} */
      const codes = new Map();
      for (const [position, findings] of this.player.faultsOf(which)?.of ?? [])
        codes.set(position, codesToMark(findings, missing[position]));
      return { ...rows, splits: splitIds(own), missing, codes };
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
    const { messages, splits, missing, codes, itemAt } = this.layout.columns[which];
    const position = itemAt[row];
    if (position === undefined || position < 0) return null;
    const { state, fate } = fateAt(this.player.index, which, position, messages[position], this.player.step);
    const around = [splits[position], splits[position + 1] ?? NO_IDS].map((ids) => ids.join(" "));
    const last = position + 1 === messages.length;
    const marks = [missing[position], ...(codes.get(position) ?? [])].join(" ");
    return [messages[position], position, last, marks, state, fate?.fate, ...around].join("|");
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
    const above = listOfIds(splits[position]);
    const below = listOfIds(splits[position + 1] ?? NO_IDS);
    const bracket = bracketOf(above, below);
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
    const { missing: halves, codes } = this.layout.columns[which];
    const missing = halves[position];
    const { state, fate } = fateAt(this.player.index, which, position, message, this.player.step);
    const merged = mergedInto(this.player.index, which, position, message);
    const gone = state === "done" && which === ACTIVE && fate && ["summarised", "dropped"].includes(fate.fate);
    const node = drawMessageCard(card, {
      position,
      mostBytes: this.mostBytes,
      class: gone ? "ctx-gone" : "",
      attributes: { "data-which": which },
      marks: [missing && element("span", { class: "ctx-error" }, missing)],
      chips: [this.drawChip(state, fate)],
      fault: findingMark(codes.get(position) ?? []),
      holds: state === "done" && merged > 0 && chip("summarised", `holds ${merged}`),
    });
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

  /** @param {string} state @param {Fate | null} fate */
  drawChip(state, fate) {
    if (state === "none" || state === "undecided" || !fate) return null;
    return state === "now" ? chip("now", "this line") : chip(fate.fate, fate.fate);
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
/** @type {Column} */
const NO_COLUMN = {
  messages: [],
  splits: [],
  missing: [],
  codes: new Map(),
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

/** The ids that a cut would split, in short. @param {string[]} ids */
function listOfIds(ids) {
  const more = ids.length > 2 ? ` and ${ids.length - 2} more` : "";
  return `${ids.slice(0, 2).join(", ")}${more}`;
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
