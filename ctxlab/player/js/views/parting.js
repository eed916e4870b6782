// @ts-check
/** Where two runs part, in words. */
/** @import { Comparison } from "../comparison.js" */
import { element, icon } from "../elements.js";

/** What a reader wants to know first. @type {Record<string, (names: [string, string]) => string>} */
const HEADLINES = {
  answer: () => "They part here: the same question, another answer.",
  only_left: ([left]) => `They part here: only ${left} does this.`,
  only_right: ([, right]) => `They part here: only ${right} does this.`,
  argument: () => "They part here: the same call, other arguments.",
  values: () => "They decide alike, but about other values, and end differently.",
  result: () => "They decide alike, but end differently.",
};

/** The first thing that a reader sees: where the runs part, and what differs in what was run. */
export class PartingView {
  /** @param {Comparison} comparison */
  constructor(comparison) {
    const { divergence, model, names } = comparison;
    const headline = divergence && HEADLINES[divergence.kind]?.(names);
    /** @type {string[]} */
    const lines = model.get("lines");
    /** @type {string[]} */
    const unlike = model.get("unlike");
    this.node = element(
      "div",
      { class: divergence ? "ctx-parting ctx-parted" : "ctx-parting" },
      element(
        "p",
        { class: "ctx-parting-head" },
        icon(divergence ? "differs" : "same"),
        element("b", {}, headline ?? lines[0]),
      ),
      ...(headline ? lines : lines.slice(1)).map((line) => lineAbout(line, names)),
      unlike.length > 0 && element("p", { class: "ctx-unlike" }, unlike.join(" ")),
    );
  }
}

/** A sentence about one side, whose name stands out. @param {string} line @param {string[]} names */
function lineAbout(line, names) {
  const name = names.find((one) => line.startsWith(one)) ?? "";
  return element(
    "p",
    { class: "ctx-parting-line" },
    name && element("b", {}, name),
    line.slice(name.length),
  );
}
