// @ts-check
/** What must survive, kept or lost. */
/** @import { Trace } from "../format.js" */
import { visibleText } from "../text.js";
import { yesNo } from "../words.js";
import { element, icon } from "../elements.js";

/**
 * The facts of the scenario, one line each, or one line that says why none is judged; null where no fact must
 * survive.
 * @param {Trace} trace
 */
export function factList({ scenario, checks, provenance }) {
  if (!checks.facts?.length && !scenario?.must_survive.length) return null;
  const lines = checks.facts?.length
    ? checks.facts.map(({ kind, text, kept }) => [
        element(
          "span",
          { class: `ctx-check ctx-${yesNo(kept)}` },
          icon(kept ? "kept" : "dropped"),
          `${kind} ${kept ? "kept" : "LOST"}`,
        ),
        element("span", { class: "ctx-cell", title: visibleText(text) }, text),
      ])
    : [[element("span", {}, whyNotJudged(provenance.length > 0, checks.input_unchanged))]];
  return element(
    "div",
    { class: "ctx-facts-kept" },
    element("p", {}, element("b", {}, "Facts that must survive")),
    element("ul", {}, ...lines.map((parts) => element("li", {}, ...parts))),
  );
}

/** @param {boolean} hasCandidate @param {boolean | null} inputUnchanged */
function whyNotJudged(hasCandidate, inputUnchanged) {
  if (hasCandidate) return "The input says none of them.";
  return inputUnchanged
    ? "Nothing is lost, for the input stays as it was."
    : "Not judged: no candidate, and the input was changed.";
}
