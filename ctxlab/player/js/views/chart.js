// @ts-check
/** The tokens of every request, a line for each strategy, and the figures of one request. */
/** @import { StrategiesPage } from "../outcomes.js" */
import { element, setAttribute, svgElement } from "../elements.js";
import { lookOf, pathThrough, runsOf, signTurns, spread, ticks } from "../plot.js";
import { counted, grouped } from "../text.js";
import { ReadingView } from "./reading.js";
import { RequestTable } from "./request_table.js";

const WIDTH_BEFORE_LAYOUT = 640;
const HEIGHT = 300;
const EDGE = { top: 18, right: 78, bottom: 30, left: 58 };
const NAME_GAP = 14; // pixels from name to name
const TICK_WIDTH = 70; // pixels for a number below the chart
// Beyond this many times the limit, what happens near it is hard to see.
const FAR = 4;
const NEAR = 2;

export class ChartView {
  /** @param {StrategiesPage} page */
  constructor(page) {
    this.page = page;
    const { limit, moments, strategies } = page;
    this.most = strategies.reduce((most, { largest }) => Math.max(most, largest), limit);
    this.top = this.most;
    this.width = 0;
    /** @type {number | null} the turn under the pointer */
    this.pointed = null;
    this.svg = svgElement("svg", { class: "ctx-plot", role: "img", "aria-label": this.label() });
    this.slider = element("input", {
      class: "ctx-slider",
      type: "range",
      min: 0,
      max: Math.max(0, moments.length - 1),
      "aria-label": "Request",
    });
    this.refused = element("span", { class: "ctx-refused-key" });
    this.reading = new ReadingView(page);
    this.node = element(
      "div",
      { class: "ctx-chart" },
      element(
        "div",
        { class: "ctx-chart-main" },
        element(
          "div",
          { class: "ctx-chart-title" },
          element("b", {}, "Tokens of each request"),
          this.zooms(),
          this.refused,
        ),
        this.svg,
        element("div", { class: "ctx-track" }, this.slider),
      ),
      element("div", { class: "ctx-chart-side" }, this.reading.node),
      new RequestTable(page).node,
    );
    this.node.hidden = moments.length === 0;
    this.slider.addEventListener("input", () => page.chooseTurn(Number(this.slider.value)));
    this.svg.addEventListener("pointermove", (event) => this.point(/** @type {PointerEvent} */ (event)));
    this.svg.addEventListener("pointerleave", () => this.point(null));
    this.svg.addEventListener("click", (event) =>
      page.chooseTurn(this.turnAt(/** @type {MouseEvent} */ (event))),
    );
  }

  /** What the chart shows, in a sentence; its figures stand in the table below it. */
  label() {
    const { limit, moments, strategies } = this.page;
    const lines = strategies.map(({ name, last }) => `${name} ends at ${grouped(last)}`).join(", ");
    return (
      `Lines of the tokens of ${counted(moments.length, "request")}, with the limit at ` +
      `${grouped(limit)}: ${lines}.`
    );
  }

  /** The buttons that show all or what is near the limit, where the one hides the other. */
  zooms() {
    const { limit } = this.page;
    if (this.most <= FAR * limit) return null;
    const choices = /** @type {[string, number][]} */ ([
      ["Whole", this.most],
      [`Up to ${grouped(NEAR * limit)}`, NEAR * limit],
    ]);
    const buttons = choices.map(([name, top]) => {
      const pressed = String(top === this.top);
      const button = element("button", { class: "ctx-switch", "aria-pressed": pressed }, name);
      button.addEventListener("click", () => {
        this.top = top;
        for (const other of buttons) setAttribute(other, "aria-pressed", String(other === button));
        this.draw();
      });
      return button;
    });
    return element("span", { class: "ctx-zooms", role: "group", "aria-label": "Height" }, ...buttons);
  }

  measure() {
    const width = Math.floor(this.svg.getBoundingClientRect().width) || WIDTH_BEFORE_LAYOUT;
    if (width === this.width) return;
    this.width = width;
    this.draw();
  }

  /** @param {PointerEvent | null} event */
  point(event) {
    const pointed = event && this.turnAt(event);
    if (pointed === this.pointed) return;
    this.pointed = pointed;
    this.mark();
  }

  /** The request nearest to the pointer. @param {MouseEvent} event */
  turnAt(event) {
    const { turns } = this;
    const inner = this.width - EDGE.left - EDGE.right;
    const at = (event.clientX - this.svg.getBoundingClientRect().left - EDGE.left) / inner;
    return Math.max(0, Math.min(turns - 1, Math.round(at * (turns - 1)) || 0));
  }

  get turns() {
    return this.page.moments.length;
  }

  /** @param {number} turn */
  x(turn) {
    const inner = this.width - EDGE.left - EDGE.right;
    return EDGE.left + (turn / Math.max(1, this.turns - 1)) * inner;
  }

  /** @param {number} tokens */
  y(tokens) {
    return HEIGHT - EDGE.bottom - (tokens / this.top) * (HEIGHT - EDGE.top - EDGE.bottom);
  }

  update() {
    const { strategies, strategy } = this.page;
    const { name, refusals } = strategies[strategy];
    this.refused.textContent = refusals.length ? `refused by ${name}` : "";
    this.draw();
  }

  draw() {
    if (!this.width || !this.turns) return;
    const { width } = this;
    for (const [name, value] of Object.entries({ width, height: HEIGHT, viewBox: `0 0 ${width} ${HEIGHT}` }))
      setAttribute(this.svg, name, String(value));
    this.cursor = svgElement("g", {});
    // Of a line that leaves the chart, the rest does not show.
    const window = svgElement("svg", {
      x: "0",
      y: String(EDGE.top - 6),
      width: String(width - EDGE.right + 8),
      height: String(HEIGHT - EDGE.top - EDGE.bottom + 12),
      viewBox: `0 ${EDGE.top - 6} ${width - EDGE.right + 8} ${HEIGHT - EDGE.top - EDGE.bottom + 12}`,
    });
    window.append(...this.inOrder().map((strategy) => this.drawLine(strategy)));
    this.svg.replaceChildren(this.drawAxes(), this.cursor, window, this.drawRefused(), this.drawNames());
    this.mark();
  }

  /** The strategies as they are drawn: the chosen one last, so that it is on top. */
  inOrder() {
    const { strategies, strategy } = this.page;
    return [...strategies.keys()].filter((other) => other !== strategy).concat(strategy);
  }

  drawAxes() {
    const { limit } = this.page;
    const right = this.width - EDGE.right;
    const across = ticks(this.top, 5).map((tokens) => {
      const y = this.y(tokens);
      const grid = straightLine("ctx-grid", EDGE.left, y, right, y);
      return [grid, textAt("ctx-tick", EDGE.left - 8, y + 4, grouped(tokens), "end")];
    });
    const room = Math.max(2, Math.floor((right - EDGE.left) / TICK_WIDTH));
    const last = this.turns;
    const inner = ticks(last, room).filter(
      (number) => number > 1 && this.x(last - 1) - this.x(number - 1) > TICK_WIDTH / 2,
    );
    const below = [...new Set([1, ...inner, last])].map((number) =>
      textAt("ctx-tick", this.x(number - 1), HEIGHT - EDGE.bottom + 18, grouped(number), "middle"),
    );
    const y = this.y(limit);
    const group = svgElement("g", {});
    group.append(
      ...across.flat(),
      ...below,
      straightLine("ctx-limit", EDGE.left, y, right, y),
    );
    return group;
  }

  /** @param {number} strategy */
  drawLine(strategy) {
    const { strategies, strategy: chosen } = this.page;
    const { tokens } = strategies[strategy];
    const { ink, dashes, sign } = lookOf(strategy);
    const mark = strategy === chosen ? " ctx-chosen-line" : "";
    const group = svgElement("g", { class: `ctx-series ${ink}${mark}` });
    const points = tokens.map((count, turn) => [this.x(turn), this.y(count)]);
    // A request alone is a line, too: its name stands at the end.
    const drawn = points.length > 1 ? points : [points[0], [this.width - EDGE.right, points[0][1]]];
    group.append(svgElement("path", { class: "ctx-line", d: pathThrough(drawn), "stroke-dasharray": dashes }));
    for (const turn of signTurns(strategy, strategies.length, this.turns))
      group.append(svgElement("path", { class: "ctx-sign", d: sign, transform: movedTo(points[turn]) }));
    return group;
  }

  /** A bar below the requests that the chosen strategy refused. */
  drawRefused() {
    const { strategies, strategy } = this.page;
    const half = (this.x(1) - this.x(0)) / 2;
    const y = HEIGHT - EDGE.bottom + 3;
    const bars = runsOf(strategies[strategy].refusals, (before, after) => before.turn === after.turn - 1);
    const path = bars.map((bar) =>
      pathThrough([
        [Math.max(EDGE.left, this.x(bar[0].turn) - half), y],
        [Math.min(this.width - EDGE.right, this.x(bar[bar.length - 1].turn) + half), y],
      ]),
    );
    return svgElement("path", { class: "ctx-refused", d: path.join("") });
  }

  /** The names at the ends of the lines, moved apart where the lines end close together. */
  drawNames() {
    const { strategies, strategy: chosen, limit } = this.page;
    const right = this.width - EDGE.right;
    const ends = strategies.map(({ last }, number) => ({ number, y: Math.max(EDGE.top, this.y(last)) }));
    ends.sort((a, b) => a.y - b.y || a.number - b.number);
    const placed = spread(
      ends.map(({ y }) => y),
      NAME_GAP,
      EDGE.top,
      HEIGHT - 10,
    );
    const group = svgElement("g", {});
    group.append(textAt("ctx-limit-name", EDGE.left + 6, this.y(limit) - 5, `limit ${grouped(limit)}`));
    ends.forEach(({ number, y }, i) => {
      const { name, last } = strategies[number];
      const { ink } = lookOf(number);
      const own = svgElement("g", { class: `${ink}${number === chosen ? " ctx-chosen-line" : ""}` });
      own.append(
        svgElement("path", { class: "ctx-leader", d: `M${right + 3} ${y}L${right + 14} ${placed[i]}` }),
        textAt("ctx-name", right + 17, placed[i] + 4, last > this.top ? `${name} ↑` : name),
      );
      group.append(own);
    });
    return group;
  }

  /** Marks the request that is pointed at or chosen, and tells its figures. */
  mark() {
    const turn = this.pointed ?? this.page.turn;
    if (turn < 0 || !this.cursor) return;
    const x = this.x(turn);
    const bottom = HEIGHT - EDGE.bottom;
    this.cursor.replaceChildren(straightLine("ctx-cursor", x, EDGE.top, x, bottom));
    this.reading.show(turn);
    this.slider.value = String(this.page.turn);
    setAttribute(this.slider, "aria-valuetext", this.page.spokenTurn(this.page.turn));
  }
}

/** @param {number[]} point */
const movedTo = ([x, y]) => `translate(${x.toFixed(1)} ${y.toFixed(1)})`;

/** @param {string} name @param {number} x1 @param {number} y1 @param {number} x2 @param {number} y2 */
const straightLine = (name, x1, y1, x2, y2) =>
  svgElement("path", {
    class: name,
    d: pathThrough([
      [x1, y1],
      [x2, y2],
    ]),
  });

/** @param {string} name @param {number} x @param {number} y @param {string} text @param {string} [anchor] */
function textAt(name, x, y, text, anchor = "start") {
  const node = svgElement("text", { class: name, x: x.toFixed(1), y: y.toFixed(1), "text-anchor": anchor });
  node.textContent = text;
  return node;
}
