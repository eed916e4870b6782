// @ts-check
/** The map: the diagram of a source, and the way that the run takes through it. */
/** @import { Diagram } from "../format.js" */
/** @import { Player } from "../player.js" */
/** @import { Walk } from "../map.js" */
import { grouped } from "../text.js";
import { isWhole, placeAt, stackAt } from "../state.js";
import { neighbour, stopAfter, walkDiagrams } from "../map.js";
import { closest, element, reveal, setText, svgElement } from "../elements.js";
import { Drawing } from "./drawing.js";

const NODES_AROUND_PX = 48;

/** The diagram of one source at a time. A click on a node goes to the next time that the run is there. */
export class MapView {
  /** @param {Player} player */
  constructor(player) {
    this.player = player;
    /** @type {Diagram[]} */
    this.diagrams = player.model.get("maps") ?? [];
    /** @type {Walk | null} made when the map is first asked for */
    this.walk = null;
    /** @type {Map<number, Drawing>} */
    this.drawings = new Map();
    this.source = -1;
    this.step = -1;
    this.scroller = element("div", { class: "ctx-map" });
    this.notice = element("p", { class: "ctx-map-notice" });
    const states = isWhole(player.index)
      ? [
          ["taken", "taken"],
          ["later", "later in this run"],
          ["never", "not in this run"],
        ]
      : [
          ["taken", "taken"],
          ["later", "not taken yet"],
        ];
    const legend = states.map(([state, words]) => element("span", {}, lineSample(state), words));
    this.node = element(
      "div",
      { class: "ctx-map-pane" },
      this.scroller,
      element(
        "div",
        { class: "ctx-map-foot" },
        element("div", { class: "ctx-signs" }, ...legend),
        this.notice,
      ),
    );
    this.scroller.addEventListener("click", (event) => this.follow(this.numberOf(event.target)));
    this.scroller.addEventListener("keydown", (event) => this.onKey(event));
    this.scroller.addEventListener("focusin", (event) => this.drawing?.setStop(this.numberOf(event.target)));
  }

  /** @returns {Drawing | undefined} */
  get drawing() {
    return this.drawings.get(this.source);
  }

  /** Shows the diagram of a source, as far as the run has come. @param {number} source */
  show(source) {
    if (source !== this.source) {
      this.source = source;
      if (this.scroller.contains(document.activeElement)) this.player.root.focus({ preventScroll: true });
      this.scroller.replaceChildren(this.drawn(source)?.node ?? nothingToShow());
      this.measure();
    }
    if (this.step !== this.player.step) setText(this.notice, "");
    this.step = this.player.step;
    this.drawing?.update(this.step, this.standing());
  }

  /** @param {number} source @returns {Drawing | undefined} */
  drawn(source) {
    const { index } = this.player;
    const diagram = this.diagrams[source];
    if (!diagram?.nodes.length) return undefined;
    this.walk ??= walkDiagrams(index, this.diagrams);
    let drawing = this.drawings.get(source);
    if (!drawing) {
      const label = `Map of ${index.trace.sources[source].name}`;
      drawing = new Drawing(index, diagram, this.walk.walked[source], label);
      this.drawings.set(source, drawing);
    }
    return drawing;
  }

  /** Where the run stands on the diagram that shows, and where callers of the running frame wait. */
  standing() {
    const { index, step } = this.player;
    const nodeAt = this.walk?.nodeAt ?? [];
    const inside = (/** @type {number} */ at) => placeAt(index, at)[1] === this.source;
    const waiting = stackAt(index, step)
      .slice(0, -1)
      .map((frame) => index.firstStep[frame] - 1)
      .filter(inside)
      .map((at) => nodeAt[at]);
    return { current: inside(step) ? nodeAt[step] : -1, waiting };
  }

  measure() {
    this.drawing?.measure();
  }

  settle() {
    const { drawing } = this;
    if (!drawing) return;
    drawing.settle();
    const { current, waiting } = this.standing();
    const shown = drawing.nodes[current] ?? drawing.nodes[waiting[0]];
    if (shown) reveal(this.scroller, shown.node, NODES_AROUND_PX);
  }

  /** @param {EventTarget | null} target */
  numberOf(target) {
    return Number(closest(target, "[data-node]")?.dataset.node ?? -1);
  }

  /** Goes to where the run is at a node. @param {number} node */
  follow(node) {
    if (node < 0 || !this.walk) return;
    const { player } = this;
    const { step } = player;
    const to = stopAfter(this.walk.walked[this.source], node, step);
    const moves = to >= 0 && to !== step;
    let notice = "";
    if (to < 0)
      notice = isWhole(player.index) ? "This run does not reach it." : "It is not reached yet: answer first.";
    else if (!moves) notice = "The run is there now, and not again.";
    else if (to < step) notice = `Not again after step ${grouped(step)}: back to the first time.`;
    if (moves) player.go(to);
    if (notice && moves) player.tell(notice);
    else if (notice) player.say(notice);
    setText(this.notice, notice);
  }

  /** @param {KeyboardEvent} event */
  onKey(event) {
    const from = this.numberOf(event.target);
    if (from < 0 || !event.key.startsWith("Arrow")) return;
    if (event.shiftKey || event.ctrlKey || event.metaKey || event.altKey) return;
    // Where there is no node in that direction, the arrow still is the map's: it does not step.
    event.preventDefault();
    event.stopPropagation();
    const to = this.drawing?.nodes[neighbour(this.diagrams[this.source].nodes, from, event.key)];
    if (!to) return;
    to.node.focus({ preventScroll: true });
    reveal(this.scroller, to.node, NODES_AROUND_PX);
  }
}

const nothingToShow = () =>
  element(
    "p",
    { class: "ctx-panel-text" },
    "No map: the Python that made this page could not read this source.",
  );

/** @param {string} state */
function lineSample(state) {
  const svg = svgElement("svg", {
    class: "ctx-line-sample",
    viewBox: "0 0 26 8",
    "aria-hidden": "true",
    focusable: "false",
  });
  const layer = svgElement("g", { class: `ctx-lines-${state}` });
  layer.append(svgElement("path", { class: "ctx-flow-line", d: "M1 4H25" }));
  svg.append(layer);
  return svg;
}
