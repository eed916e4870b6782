// @ts-check
/** One diagram on the page. */
/** @import { Diagram } from "../format.js" */
/** @import { Index } from "../index.js" */
/** @import { Taken, Walked } from "../map.js" */
/** @import { Route } from "../lanes.js" */
/** @import { Box } from "../lines.js" */
import { visibleText } from "../text.js";
import { KIND_NAMES, isWaiting, nodeStory, takenAt, tallyAt } from "../map.js";
import { planOf } from "../lanes.js";
import { ROW_GAP, headPath, linePath, lineOf, outlinePath, sidesGap, stripWidth } from "../lines.js";
import { element, setAttribute, setText, svgElement } from "../elements.js";

/**
 * @typedef {{ node: HTMLButtonElement, outline: SVGElement, latest: HTMLElement, counts: HTMLElement, badge:
 *   HTMLElement, story: HTMLElement, key: string }} DrawnNode  story: for who cannot see the map
 * @typedef {{ node: SVGElement, line: SVGElement, head: SVGElement, word: SVGElement, state: Taken | "" }}
 *   DrawnLine
 * @typedef {{ current: number, waiting: number[] }} Standing  the node of the current step, or -1, and those
 *   at which callers of its frame wait
 */

/** Later layers lie on top: the path taken is never hidden by another line. @type {Taken[]} */
const LAYERS = ["never", "later", "taken"];

/** The nodes and lines of one source, built once; a step changes what has changed. */
export class Drawing {
  /** @param {Index} index @param {Diagram} diagram @param {Walked} walked @param {string} label */
  constructor(index, diagram, walked, label) {
    this.index = index;
    this.diagram = diagram;
    this.walked = walked;
    this.plan = planOf(diagram);
    this.stop = -1;
    /** The height for which the lines were drawn. */
    this.height = -1;
    this.layers = LAYERS.map((state) => svgElement("g", { class: `ctx-lines-${state}` }));
    this.svg = svgElement("svg", { class: "ctx-flow", "aria-hidden": "true", focusable: "false" });
    const outlines = svgElement("g", {});
    this.svg.append(...this.layers, outlines);
    this.nodes = diagram.nodes.map((_, number) => this.drawNode(number));
    this.lines = this.plan.routes.map((route) => this.drawLine(route));
    outlines.append(...this.nodes.map(({ outline }) => outline));
    this.grid = element("div", { class: "ctx-nodes" }, ...this.nodes.map(({ node }) => node));
    this.grid.style.gridTemplateColumns = this.columns();
    this.grid.style.rowGap = `${ROW_GAP}px`;
    this.node = element("div", { class: "ctx-drawing", role: "group", "aria-label": label });
    this.node.append(this.svg, this.grid);
  }

  columns() {
    const { plan } = this;
    const strips = plan.strips.map((_, strip) => `${stripWidth(plan, strip)}px`);
    const least = strips.length > 1 ? 210 : 160;
    const aside = plan.aside.includes(true)
      ? ` ${sidesGap(plan)}px minmax(max(132px, min(170px, 29%)), 0.6fr)`
      : "";
    return `${strips.join(" ")} minmax(${least}px, 1fr)${aside}`;
  }

  /** @param {number} number @returns {DrawnNode} */
  drawNode(number) {
    const { kind, line, label, code, row, column } = this.diagram.nodes[number];
    const latest = element("b", {});
    const counts = element("span", {});
    const badge = element("span", { class: "ctx-badge", "aria-hidden": "true" }, latest, counts);
    const story = spoken("");
    // What a refusal raises is its label already.
    const under = kind === "refusal" || code === label ? "" : code;
    const node = element(
      "button",
      { class: "ctx-node", "data-node": number, "data-kind": kind, title: visibleText(code), tabindex: -1 },
      spoken(`${KIND_NAMES[kind]}, line `),
      element("span", { class: "ctx-node-line" }, String(line), spoken(": ")),
      element(code === label ? "code" : "span", { class: "ctx-node-label" }, label),
      spoken(" "),
      element(
        "span",
        { class: "ctx-node-under" },
        under !== "" && element("code", { class: "ctx-node-code" }, under),
        badge,
      ),
      story,
    );
    const { strips, aside } = this.plan;
    node.style.gridRow = String(row + 1);
    node.style.gridColumn = aside[number]
      ? String(strips.length + 3)
      : `${column + 2} / ${strips.length + 2}`;
    const outline = svgElement("path", { class: "" });
    return { node, outline, latest, counts, badge, story, key: "" };
  }

  /** @param {Route} route @returns {DrawnLine} */
  drawLine({ from, to, answer }) {
    const line = svgElement("path", { class: "ctx-flow-line" });
    const head = svgElement("path", { class: "ctx-flow-head" });
    const word = svgElement("text", { class: "ctx-flow-word" });
    word.append(answer);
    const node = svgElement("g", { "data-from": String(from), "data-to": String(to) });
    node.append(line, head, word);
    return { node, line, head, word, state: "" };
  }

  /** @param {number} step @param {Standing} standing */
  update(step, standing) {
    this.nodes.forEach((drawn, number) => this.markNode(drawn, number, step, standing));
    this.lines.forEach((drawn, number) => {
      const state = takenAt(this.index, this.walked.crossed[number], step);
      if (state === drawn.state) return;
      drawn.state = state;
      this.layers[LAYERS.indexOf(state)].append(drawn.node);
    });
    if (!this.node.contains(document.activeElement)) this.setStop(Math.max(standing.current, 0));
  }

  /** @param {DrawnNode} drawn @param {number} number @param {number} step @param {Standing} standing */
  markNode(drawn, number, step, { current, waiting }) {
    const { diagram, walked } = this;
    const state = takenAt(this.index, walked.arrived[number], step);
    const tally = tallyAt(diagram, walked, number, step);
    const stands = number === current ? "now" : waiting.includes(number) ? "waiting" : "";
    const earlier = stands === "now" && isWaiting(walked, number, step);
    const key = [state, stands, earlier, tally.latest, tally.counts].join();
    if (key === drawn.key) return;
    drawn.key = key;
    drawn.node.dataset.state = stands || state;
    setAttribute(
      drawn.outline,
      "class",
      `ctx-outline ctx-outline-${state}${stands && ` ctx-outline-${stands}`}`,
    );
    setAttribute(drawn.node, "aria-current", stands === "now" ? "step" : null);
    const running = stands === "waiting" ? " A call made here is running." : "";
    setText(drawn.story, `. ${nodeStory(diagram, number, state, tally)}${running}`);
    setText(drawn.latest, tally.latest);
    drawn.latest.className = `ctx-${tally.latest === "done" ? "aside" : tally.latest}`;
    setText(drawn.counts, tally.counts);
    drawn.badge.classList.toggle("ctx-earlier", earlier);
  }

  /** @param {number} number the node that the tab key leads to */
  setStop(number) {
    if (number === this.stop) return;
    this.nodes[this.stop]?.node.setAttribute("tabindex", "-1");
    this.stop = number;
    this.nodes[number]?.node.setAttribute("tabindex", "0");
  }

  /** Draws outlines and lines where the nodes have come to stand. */
  measure() {
    const { nodes } = this.diagram;
    const { offsetHeight, offsetWidth } = this.grid;
    this.height = offsetHeight;
    setAttribute(this.svg, "width", String(offsetWidth));
    setAttribute(this.svg, "height", String(offsetHeight));
    const boxes = this.nodes.map(({ node }) => boxOf(node));
    const around = this.surroundings(boxes);
    this.nodes.forEach(({ outline }, number) =>
      setAttribute(outline, "d", outlinePath(nodes[number].kind, boxes[number])),
    );
    this.plan.routes.forEach((route, number) => {
      const { from, to } = route;
      const { points, word } = lineOf(route, this.plan, boxes[from], boxes[to], {
        ...around,
        rows: [around.rows[nodes[from].row], around.rows[nodes[to].row]],
      });
      const drawn = this.lines[number];
      setAttribute(drawn.line, "d", linePath(points));
      setAttribute(drawn.head, "d", headPath(points));
      setAttribute(drawn.word, "x", String(word[0]));
      setAttribute(drawn.word, "y", String(word[1]));
    });
  }

  /** A tally that needs a second line moves what stands below it. */
  settle() {
    if (this.grid.offsetHeight !== this.height) this.measure();
  }

  /** @param {Box[]} boxes */
  surroundings(boxes) {
    const { nodes } = this.diagram;
    const starts = this.plan.strips.map((_, strip) => {
      let start = 0;
      for (let i = 0; i <= strip; i++) start += stripWidth(this.plan, i);
      return start;
    });
    /** @type {Box[]} */
    const rows = [];
    let aside = 0;
    nodes.forEach(({ row }, number) => {
      const box = boxes[number];
      const known = rows[row];
      if (this.plan.aside[number]) aside = box.left;
      rows[row] = known
        ? { ...known, top: Math.min(known.top, box.top), bottom: Math.max(known.bottom, box.bottom) }
        : box;
    });
    return { rows, aside, starts };
  }
}

/** @param {string} text */
const spoken = (text) => element("span", { class: "ctx-spoken" }, text);

/** @param {HTMLElement} node @returns {Box} */
function boxOf({ offsetLeft, offsetTop, offsetWidth, offsetHeight }) {
  return {
    left: offsetLeft,
    top: offsetTop,
    right: offsetLeft + offsetWidth,
    bottom: offsetTop + offsetHeight,
  };
}
