// @ts-check
/** The panel with what the run was given. */
/** @import { Player } from "../player.js" */
import { variablesAt } from "../state.js";
import { CHARACTERS_OF_A_VARIABLE, describe } from "../words.js";
import { cutText, element } from "../elements.js";

/** What the run was given. */
export class InputPanel {
  /** @param {Player} player */
  constructor(player) {
    this.name = "Input and call";
    const { heading, index } = player;
    const { promise, stand_ins: standIns, scenario } = heading;
    const given = index.length
      ? variablesAt(index, 0, 0).map(
          ({ name, value }) =>
            /** @type {[string, string]} */ ([name, describe(index, value, 0, CHARACTERS_OF_A_VARIABLE)]),
        )
      : [];
    this.node = element(
      "div",
      { class: "ctx-panel-text" },
      promise && element("p", {}, scenario && element("b", {}, `${scenario}: `), promise),
      element("p", {}, element("b", {}, `${heading.function} was called with`)),
      pairList(given),
      standIns.length > 0 && element("p", {}, element("b", {}, "Stand-ins")),
      standIns.length > 0 && pairList(standIns),
    );
  }

  update() {}
}

/** @param {[string, string][]} pairs */
const pairList = (pairs) =>
  element(
    "dl",
    { class: "ctx-pairs" },
    ...pairs.map(([name, text]) =>
      element("div", {}, element("dt", {}, name), element("dd", {}, cutText(text, text.length))),
    ),
  );
