// @ts-check
/** How a line of the chart looks: its dashes and its sign, as beside its name. */
import { svgElement } from "../elements.js";
import { lookOf } from "../plot.js";

/** A piece of the line of a strategy. @param {number} strategy */
export function swatch(strategy) {
  const { ink, dashes, sign } = lookOf(strategy);
  const svg = svgElement("svg", {
    class: `ctx-swatch ${ink}`,
    viewBox: "0 0 34 12",
    "aria-hidden": "true",
    focusable: "false",
  });
  svg.append(
    svgElement("path", { class: "ctx-line", d: "M0 6H34", "stroke-dasharray": dashes }),
    svgElement("path", { class: "ctx-sign", d: sign, transform: "translate(17 6)" }),
  );
  return svg;
}
