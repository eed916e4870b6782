// @ts-check
/** The panel with the calls. */
/** @import { Index } from "../index.js" */
/** @import { Player } from "../player.js" */
import { grouped } from "../text.js";
import { upTo } from "../index.js";
import { depthAt, variablesAt } from "../state.js";
import { describe, valueList } from "../words.js";
import { closest, element } from "../elements.js";
import { LIST_ROW, VirtualRows } from "../rows.js";

/** @typedef {{ step: number, depth: number, name: string, opaque: boolean, text: string }} CallRow */

/** Every call: of the functions that were recorded, and of those that were not. */
export class CallsPanel {
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
    if (moved && latest >= 0) this.rows.show(latest);
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
