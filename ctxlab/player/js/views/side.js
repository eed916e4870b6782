// @ts-check
/** One of two runs, as a player of its own. */
/** @import { Comparison } from "../comparison.js" */
import { grouped } from "../text.js";
import { placeAt } from "../state.js";
import { element, setText } from "../elements.js";
import { Player } from "../player.js";
import { Toolbar } from "../toolbar.js";
import { VariablesPanel } from "./variables.js";

const REGIONS = ["notes", "header", "sentence", "source", "history", "outcome"];

/** @type {import("../toolbar.js").MoveGroup[]} */
const OWN_TRANSPORT = [
  {
    name: "",
    buttons: [
      ["back", "Step back", "left arrow", "back", "this side alone, one step earlier"],
      ["step", "Step", "right arrow", "step", "this side alone, one line on"],
    ],
  },
];

/** One side: its name and place, and a player without what both sides share. */
export class Side {
  /** @param {Comparison} comparison @param {number} which @param {HTMLElement} columns */
  constructor(comparison, which, columns) {
    this.name = comparison.names[which];
    this.state = comparison.model.get("sides")[which];
    const host = element("div", { class: `ctx-side ctx-side-${which}` });
    columns.append(host);
    /** @type {Player | null} */
    this.player = null;
    if (this.state.trace.steps?.place.length === 0) {
      host.append(sideTitle(this.name), element("p", { class: "ctx-panel-text" }, "This run has no steps."));
      return;
    }
    const part = {
      regions: REGIONS,
      label: this.name,
      voice: { say: (/** @type {string} */ text) => comparison.live.say(`${this.name}: ${text}`) },
    };
    this.player = new Player(this.model(comparison, which), host, { panel: 0 }, part);
    this.position = element("span", { class: "ctx-position" });
    this.toolbar = new Toolbar(`Stepping ${this.name} alone`, OWN_TRANSPORT, this.player);
    const head = element(
      "div",
      { class: "ctx-side-head" },
      sideTitle(this.name),
      this.toolbar.node,
      this.position,
    );
    const variables = new VariablesPanel(this.player);
    this.player.root.prepend(head);
    const title = element("p", { class: "ctx-side-title" }, element("b", {}, "Variables"));
    this.player.root.append(title, variables.node);
    this.player.views.push(variables);
    variables.update();
  }

  /**
   * What this side's player takes for its model: its part of the shared one.
   * @param {Comparison} comparison @param {number} which
   */
  model(comparison, which) {
    /** @type {[number, number][]} */
    let breakpoints = [];
    return {
      get: (/** @type {string} */ name) => {
        if (name === "step") return comparison.steps[which];
        return name === "breakpoints" ? breakpoints : this.state[name];
      },
      set: (/** @type {string} */ name, /** @type {any} */ value) => {
        if (name === "step") comparison.moveSide(which, value);
        else if (name === "breakpoints") breakpoints = value;
      },
      save_changes: () => comparison.saver.save(),
      on() {},
      off() {},
    };
  }

  close() {
    this.player?.close(false);
  }

  get step() {
    return this.player?.step ?? 0;
  }

  get last() {
    return this.player ? this.player.index.length - 1 : 0;
  }

  /** @param {unknown} step */
  clamped(step) {
    return this.player?.clamped(step) ?? 0;
  }

  /** Where this side is, for the live region. */
  get spoken() {
    if (!this.player) return `${this.name}: no steps.`;
    const { index, step, sentence } = this.player;
    return `${this.name}: step ${step}, line ${placeAt(index, step)[2]}. ${sentence.spoken}`;
  }

  /** Both sides were moved. */
  follow() {
    this.player?.followHost();
  }

  update() {
    if (!this.player || !this.position) return;
    this.toolbar?.update();
    setText(this.position, `step ${grouped(this.step)} of ${grouped(this.last)}`);
  }
}

/** @param {string} name */
const sideTitle = (name) => element("b", { class: "ctx-side-name" }, name);
