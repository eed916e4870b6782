// @ts-check
/** The function that runs, as its source or as its map. */
/** @import { Player } from "../player.js" */
import { placeAt } from "../state.js";
import { element, setAttribute } from "../elements.js";
import { Tabs } from "../tabs.js";
import { MapView } from "./map.js";
import { SourceView } from "./source.js";

/**
 * The traced functions, one tab each, as source or as map. The two take the same place, so that the
 * transport, the sentence and the histories stand beside either.
 */
export class FunctionView {
  /** @param {Player} player @param {boolean} isMap whether the map shows at first */
  constructor(player, isMap) {
    this.player = player;
    this.isMap = isMap;
    this.number = -1;
    this.source = new SourceView(player);
    this.map = new MapView(player);
    const names = player.index.trace.sources.map((source) => source.name);
    const id = player.id("source");
    this.tabs = new Tabs("Sources", names, id, (number) => this.choose(number));
    this.looks = new Tabs("View", ["Source", "Map"], id, (look) => this.turn(look === 1), player.id("look"));
    this.looks.node.classList.add("ctx-looks");
    this.body = element("div", { class: "ctx-function-body", id, role: "tabpanel" });
    const head = element("div", { class: "ctx-source-head" }, this.tabs.node, this.looks.node);
    this.node = element("div", { class: "ctx-source" }, head, this.body);
  }

  get look() {
    return this.isMap ? this.map : this.source;
  }

  /** @param {number} number */
  choose(number) {
    this.show(number);
    this.settle();
  }

  /** Turns to the map or back to the source. */
  turn(isMap = !this.isMap) {
    if (this.body.contains(document.activeElement)) this.player.root.focus({ preventScroll: true });
    this.isMap = isMap;
    this.show(this.number);
    this.measure();
    this.settle();
  }

  /** @param {number} number */
  show(number) {
    const look = Number(this.isMap);
    this.number = number;
    this.tabs.select(number);
    this.looks.select(look);
    const labels = [this.tabs.tabs[number], this.looks.tabs[look]].map((tab) => tab.id);
    setAttribute(this.body, "aria-labelledby", labels.join(" "));
    if (this.body.firstChild !== this.look.node) this.body.replaceChildren(this.look.node);
    this.look.show(number);
  }

  update() {
    this.show(placeAt(this.player.index, this.player.step)[1]);
  }

  /** The breakpoints have changed. */
  mark() {
    if (!this.isMap) this.source.mark();
  }

  measure() {
    if (this.isMap) this.map.measure();
  }

  settle() {
    this.look.settle();
  }
}
