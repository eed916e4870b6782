// @ts-check
/** Two runs on one page. */
/** @import { Model } from "./player.js" */
/** @import { Alignment, Pair, Steps } from "./alignment.js" */
import { SHARED_MOVES, alignRuns, rowAt, rowOfSide, sameSteps, stepsOfRow } from "./alignment.js";
import { closest, element, setAttribute } from "./elements.js";
import { Saver } from "./saving.js";
import { watchSize } from "./sizing.js";
import { LiveRegion } from "./speech.js";
import { Toolbar } from "./toolbar.js";
import { PairsView } from "./views/pairs.js";
import { PartingView } from "./views/parting.js";
import { Side } from "./views/side.js";

/**
 * Where two runs part, as Python found it.
 * @typedef {{ kind: string, left: number, right: number, left_decision: number | null,
 *   right_decision: number | null, row: number | null }} Divergence  row: the pair there, null between pairs
 */

/** @type {Record<string, string>} */
const SHARED_KEYS = {
  ArrowLeft: "back",
  ArrowRight: "step",
  Home: "start",
  End: "end",
  n: "nextDecision",
  p: "previousDecision",
  d: "nextDifference",
  D: "previousDifference",
};

/** What to say where a move leads nowhere. @type {Record<string, string>} */
const NOWHERE_SHARED = {
  previousDecision: "No decision before this one.",
  nextDecision: "No decision after this one.",
  previousDifference: "No difference before this one.",
  nextDifference: "No difference after this one.",
};

/** @type {import("./toolbar.js").MoveGroup[]} */
const SHARED_TRANSPORT = [
  {
    name: "",
    buttons: [
      ["start", "Start", "Home", "start", "both at their first step"],
      ["back", "Step back", "left arrow", "back", "both one step earlier"],
      ["step", "Step", "right arrow", "step", "both one line on; at a decision one waits for the other"],
      ["end", "End", "End", "end", "both at their last step"],
    ],
  },
  {
    name: "decision",
    buttons: [
      ["previousDecision", "Previous decision", "p", "previous", "both at the decision before"],
      ["nextDecision", "Next decision", "n", "next", "both at the next decision"],
    ],
  },
  {
    name: "difference",
    buttons: [
      ["previousDifference", "Previous difference", "D", "previous", "where they differed last before"],
      ["nextDifference", "Next difference", "d", "next", "where they differ next"],
    ],
  },
];

/** From here on the two sentences of a pair stand beside each other. */
const BESIDE_FROM_PX = 720;

/** Two runs on the page, and the reader's place in both. */
export class Comparison {
  /** @param {Model} model @param {HTMLElement} host */
  constructor(model, host) {
    this.model = model;
    /** @type {[string, string]} */
    this.names = model.get("names");
    /** @type {Pair[]} */
    this.pairs = model.get("pairs");
    /** @type {string[]} */
    this.verdicts = model.get("verdicts");
    /** @type {Divergence | null} */
    this.divergence = model.get("divergence");
    this.firstDifference = this.divergence?.row ?? -1;
    /** @type {Steps} */
    this.steps = model.get("steps");
    /** The side that the reader moved alone, or -1 while they go together. */
    this.apart = -1;
    this.saver = new Saver(model);
    this.live = new LiveRegion();

    this.root = element("section", {
      class: "ctx-player ctx-compare",
      tabindex: -1,
      "aria-label": `${this.names[0]} and ${this.names[1]}, step by step`,
    });
    const parting = new PartingView(this);
    this.rejoin = element(
      "button",
      {
        class: "ctx-button ctx-rejoin",
        title: "Together again (t): both at the decision of the side that was moved last",
      },
      "Together again",
    );
    this.rejoin.addEventListener("click", () => this.goTogether());
    this.toolbar = new Toolbar("Stepping both", SHARED_TRANSPORT, this, this.rejoin);
    this.table = new PairsView(this);
    this.switches = this.names.map((name, which) => {
      const button = element("button", { class: "ctx-switch", "aria-pressed": "false" }, name);
      button.addEventListener("click", () => this.choose(which));
      return button;
    });
    const switcher = element(
      "div",
      { class: "ctx-side-switcher", role: "group", "aria-label": "Side" },
      ...this.switches,
    );
    this.columns = element("div", { class: "ctx-sides" });
    this.root.append(
      parting.node,
      element("div", { class: "ctx-transport" }, this.toolbar.node),
      this.table.node,
      switcher,
      this.columns,
      this.live.node,
    );
    host.replaceChildren(this.root);
    this.sides = [0, 1].map((which) => new Side(this, which, this.columns));
    this.steps = /** @type {Steps} */ (this.sides.map((side) => side.step));
    const last = /** @type {Steps} */ (this.sides.map((side) => side.last));
    const found = this.divergence;
    /** @type {Alignment["parting"]} */
    const shown = found && { row: found.row, steps: [found.left, found.right] };
    this.alignment = alignRuns(model.get("stops"), this.verdicts, last, shown);
    this.choose(1);
    this.root.addEventListener("keydown", (event) => this.onKey(event));
    this.root.addEventListener("mousedown", (event) => this.keepFocus(event));
    this.resizing = watchSize(this.root, () => this.measure());
    this.measure();
    this.update();
  }
  close() {
    this.resizing?.disconnect();
    this.live.close();
    for (const side of this.sides) side.close();
    this.saver.close(true);
    this.root.remove();
  }

  /** The latest pair that the reader has reached, or -1. */
  get row() {
    return this.apart < 0
      ? rowAt(this.alignment, this.steps)
      : rowOfSide(this.alignment, this.apart, this.steps[this.apart]);
  }

  /** The pair at which both stand, or -1 between two decisions. */
  get exactRow() {
    const { row } = this;
    return row >= 0 && sameSteps(stepsOfRow(this.alignment, row), this.steps) ? row : -1;
  }

  /** Which side shows where there is room for one only. @param {number} which */
  choose(which) {
    this.columns.dataset.side = String(which);
    this.switches.forEach((button, i) => setAttribute(button, "aria-pressed", String(i === which)));
  }

  /** Where a shared move leads, or null. It begins where both sides are together. @param {string} move */
  destination(move) {
    const from = this.apart < 0 ? this.steps : stepsOfRow(this.alignment, this.row);
    return SHARED_MOVES[move]?.(this.alignment, from) ?? null;
  }

  /** @param {string} move */
  canMove(move) {
    return this.destination(move) !== null;
  }

  /** @param {string} move */
  move(move) {
    const to = this.destination(move);
    if (to) this.go(to);
    else if (NOWHERE_SHARED[move]) this.live.say(NOWHERE_SHARED[move]);
  }

  /** Both sides to where the one that was moved alone is. */
  goTogether() {
    if (this.apart >= 0) this.go(stepsOfRow(this.alignment, this.row));
  }

  /** Both sides to a pair. @param {number} row */
  goToRow(row) {
    this.go(stepsOfRow(this.alignment, row));
  }

  /** Every shared move leads through here. @param {Steps} steps */
  go(steps) {
    this.show(steps);
    if (sameSteps(this.model.get("steps"), steps)) return;
    this.model.set("steps", steps);
    this.saver.save();
  }

  /** @param {Steps} steps */
  show(steps) {
    this.apart = -1;
    this.steps = steps;
    for (const side of this.sides) side.follow();
    this.update();
    const word = this.exactRow < 0 ? "" : `${this.table.verdict(this.exactRow)}. `;
    this.live.say(word + this.sides.map((side) => side.spoken).join(" "));
  }

  /** One side was moved alone. @param {number} which @param {number} step */
  moveSide(which, step) {
    this.steps = which === 0 ? [step, this.steps[1]] : [this.steps[0], step];
    this.apart = which;
    this.model.set("steps", this.steps);
    this.update();
  }

  /** The host moved the steps. */
  followHost() {
    const steps = /** @type {Steps} */ (
      this.sides.map((side, which) => side.clamped(this.model.get("steps")[which]))
    );
    if (!sameSteps(steps, this.steps)) this.show(steps);
  }

  update() {
    this.toolbar.update();
    setAttribute(this.rejoin, "aria-disabled", this.apart < 0 ? "true" : null);
    for (const side of this.sides) side.update();
    this.table.update();
    this.table.settle();
  }

  /** Takes over a new size. A page without width is hidden, in a notebook tab behind another one. */
  measure() {
    const hidden = this.root.isConnected && this.resizing !== null && this.root.clientWidth === 0;
    this.root.classList.toggle("ctx-hidden", hidden);
    if (hidden) return;
    this.table.measure((this.root.clientWidth || BESIDE_FROM_PX) >= BESIDE_FROM_PX);
    this.table.settle();
  }

  /** A press with the mouse leaves the focus on the page, as in the player. @param {MouseEvent} event */
  keepFocus(event) {
    if (event.defaultPrevented || !closest(event.target, "button")) return;
    event.preventDefault();
    this.root.focus({ preventScroll: true });
  }

  /** @param {KeyboardEvent} event */
  onKey(event) {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key in SHARED_KEYS) this.move(SHARED_KEYS[event.key]);
    else if (event.key === "t") this.goTogether();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}
