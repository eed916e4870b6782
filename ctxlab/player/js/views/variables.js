// @ts-check
/** The panel with the variables. */
/** @import { Cell } from "../format.js" */
/** @import { Player } from "../player.js" */
import { classOf, hasNames } from "../format.js";
import { counted } from "../text.js";
import { isObject } from "../index.js";
import {
  cellsAt,
  changedFields,
  changedObjects,
  hasChanged,
  sizeAt,
  stackAt,
  variableChange,
  variablesAt,
} from "../state.js";
import { CHARACTERS_OF_A_VARIABLE, describe, fieldName } from "../words.js";
import { closest, element, icon } from "../elements.js";
import { VirtualRows } from "../rows.js";

const VARIABLE_ROW = 28;
const CHILDREN_SHOWN = 2000;

/**
 * @typedef {{ key: string, depth: number, name: string, value: Cell, frame: number, kind: "frame" |
 *   "variable" | "child", changed: boolean,
 *             open: boolean | null }} VariableRow  open: null for a value without parts
 */

/** The variables of the running frame and of its callers; values open one level at a time. */
export class VariablesPanel {
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
    const width = hasNames(cells[0]) ? 2 : 1;
    const fields = classOf(cells[0]) ? changedFields(index, value / 2, changed, step) : null;
    const children = Math.min((cells.length - 1) / width, CHILDREN_SHOWN);
    for (let i = 0; i < children; i++) {
      const child = cells[1 + i * width + width - 1];
      const isNew = fields ? fields.includes(i) : isObject(child) && changed.has(child / 2);
      this.list(
        this.label(cells, i),
        child,
        frame,
        depth + 1,
        `${key}/${i}`,
        isNew,
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

  /**
   * What stands before an item of a container: its key, the name of a field, or where it is.
   * @param {any[]} cells @param {number} i
   */
  label(cells, i) {
    const { index, step } = this.player;
    if (classOf(cells[0])) return fieldName(index, cells[1 + 2 * i]);
    if (cells[0] === "d") return describe(index, cells[1 + 2 * i], step);
    return cells[0] === "s" ? "·" : `[${i}]`;
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
