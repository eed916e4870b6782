// @ts-check
/** The slider over the whole run. */
/** @import { Player } from "../player.js" */
import { stepNumber, stepValueText } from "../words.js";
import { element, setAttribute, setText, svgElement } from "../elements.js";

const TIMELINE_WIDTH_BEFORE_LAYOUT = 800;
const THUMB = 16;
/** The marks of the timeline: their row, the room each takes, and its outline around (x, y). */
const MARKS = {
  decision: {
    y: 8,
    room: 9,
    outline: (/** @type {number} */ x, /** @type {number} */ y) => `M${x - 4} ${y}l4-5 4 5-4 5z`,
  },
  change: {
    y: 31,
    room: 6,
    outline: (/** @type {number} */ x, /** @type {number} */ y) =>
      `M${x - 2.5} ${y}a2.5 2.5 0 1 0 5 0 2.5 2.5 0 1 0-5 0z`,
  },
  call: {
    y: 41,
    room: 7,
    outline: (/** @type {number} */ x, /** @type {number} */ y) => `M${x - 2.5} ${y - 3.5}l6 3.5-6 3.5z`,
  },
  breakpoint: {
    y: 8,
    room: 9,
    outline: (/** @type {number} */ x, /** @type {number} */ y) => `M${x - 4.5} ${y - 4.5}h9v9h-9z`,
  },
};

/** The slider over the whole run, with marks that are merged where they would overlap. */
export class TimelineView {
  /** @param {Player} player */
  constructor(player) {
    this.player = player;
    this.width = TIMELINE_WIDTH_BEFORE_LAYOUT;
    this.slider = element("input", {
      type: "range",
      class: "ctx-slider",
      min: 0,
      max: Math.max(0, player.index.length - 1),
      step: 1,
      "aria-label": "Step of the run",
    });
    this.slider.addEventListener("input", () => player.go(Number(this.slider.value)));
    this.svg = svgElement("svg", { class: "ctx-marks", "aria-hidden": "true", focusable: "false" });
    /** @type {Record<string, Element>} */
    this.paths = {};
    for (const name of Object.keys(MARKS))
      this.svg.append((this.paths[name] = svgElement("path", { class: `ctx-mark-${name}` })));
    const legend = Object.entries(MARKS).map(([name, { outline }]) => {
      const sign = svgElement("svg", { class: "ctx-sign", viewBox: "0 0 12 12" });
      sign.append(svgElement("path", { class: `ctx-mark-${name}`, d: outline(6, 6) }));
      return element("span", {}, sign, name);
    });
    this.track = element("div", { class: "ctx-track" }, this.svg, this.slider);
    this.position = element("span", { class: "ctx-position" });
    const below = element(
      "div",
      { class: "ctx-below-track" },
      this.position,
      element("span", { class: "ctx-signs", "aria-hidden": "true" }, ...legend),
    );
    this.node = element("div", { class: "ctx-timeline" }, this.track, below);
    this.drawMarks();
  }

  measure() {
    const width = this.track.clientWidth;
    if (!width || width === this.width) return;
    this.width = width;
    this.drawMarks();
  }

  drawMarks() {
    const { index, breaks } = this.player;
    const steps = {
      decision: index.decisionSteps,
      change: index.changeSteps,
      call: index.callSteps,
      breakpoint: breaks,
    };
    const scale = (this.width - THUMB) / Math.max(1, index.length - 1);
    for (const [name, { y, room, outline }] of Object.entries(MARKS)) {
      let path = "";
      let free = -Infinity;
      for (const step of /** @type {Record<string, Int32Array>} */ (steps)[name]) {
        const x = Math.round(10 * (THUMB / 2 + step * scale)) / 10;
        if (x < free) continue;
        path += outline(x, y);
        free = x + room;
      }
      setAttribute(this.paths[name], "d", path);
    }
  }

  update() {
    const { index, step } = this.player;
    if (Number(this.slider.value) !== step) this.slider.value = String(step);
    this.track.style.setProperty("--ctx-at", String(step / Math.max(1, index.length - 1)));
    setAttribute(this.slider, "aria-valuetext", stepValueText(index, step));
    setText(this.position, `step ${stepNumber(index, step)}`);
  }
}
