// @ts-check
/** The panels below, one at a time. */
/** @import { Player, View } from "../player.js" */
import { element, setAttribute } from "../elements.js";
import { Tabs } from "../tabs.js";
import { DecisionsPanel } from "./decisions.js";
import { VariablesPanel } from "./variables.js";
import { CallsPanel } from "./calls.js";
import { ChecksPanel } from "./checks.js";
import { InputPanel } from "./input.js";

/** The panels below, one at a time; only the one that shows is brought up to date. */
export class PanelsView {
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
