// @ts-check
/** How the run ended. */
/** @import { Trace } from "../format.js" */
/** @import { Player } from "../player.js" */
import { isWhole } from "../state.js";
import { describeResult, yesNo } from "../words.js";
import { grouped } from "../text.js";
import { cutText, element, icon } from "../elements.js";

/** What the run gave back or said, in a place of its own. */
export class OutcomeView {
  /** @param {Player} player */
  constructor(player) {
    const { index } = player;
    const { kind, code, type, message, value } = index.trace.outcome;
    /** @type {Record<string, string>} */
    const words = {
      returned: "The run returned",
      refused: `The run refused (${code})`,
      error: `The run ended with ${type}`,
      step_limit: "The recording stopped at the step limit",
    };
    const text = kind === "returned" ? `${describeResult(index, value, index.length)}.` : (message ?? "");
    this.node = element(
      "div",
      { class: "ctx-result" },
      element("b", {}, `${words[kind] ?? kind}${kind === "returned" ? "" : ":"} `),
      element("span", { class: "ctx-result-text" }, cutText(text, text.length)),
      element(
        "span",
        { class: "ctx-check-row" },
        element("span", { class: "ctx-aside" }, "At the end:"),
        ...checkMarks(index.trace.checks),
      ),
    );
    this.node.hidden = !isWhole(index);
  }

  update() {}
}

/** The checks of the whole run, in short. @param {Trace["checks"]} checks */
export function checkMarks(checks) {
  /** @type {[boolean | null, string, string][]} */
  const marks = [
    [checks.input_unchanged, "input unchanged", "input changed"],
    [checks.pairs_complete, "pairs complete", "pairs broken"],
    [checks.within_budget, "within budget", "over budget"],
  ];
  const verdicts = marks
    .filter(([holds]) => holds !== null)
    .map(([holds, yes, no]) =>
      element(
        "span",
        { class: `ctx-check ctx-${yesNo(holds)}` },
        icon(holds ? "kept" : "dropped"),
        holds ? yes : no,
      ),
    );
  const { in_place: changed } = checks;
  if (changed === null) return verdicts;
  const words = `worked in place: the history itself changed, first at step ${grouped(changed)}`;
  return [element("span", { class: "ctx-check ctx-in-place" }, icon("now"), words), ...verdicts];
}
