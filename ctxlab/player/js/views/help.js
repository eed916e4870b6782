// @ts-check
/** The keys and what they do. */
/** @import { Player } from "../player.js" */
import { chip, element } from "../elements.js";
import { TRANSPORT } from "./transport.js";

/** Keys and signs, opened by the question mark. */
export class HelpView {
  /** @param {Player} player */
  constructor(player) {
    const keys = TRANSPORT.flatMap(({ buttons }) =>
      buttons.map(([, label, key, , where]) => [key, `${label}: ${where}`]),
    );
    keys.push(
      ["Shift+F10", "Step over, backwards"],
      ["b", "Breakpoint on the current line"],
      ["m", "Map of the function, or its source"],
      ["?", "This help"],
    );
    const fates = ["kept", "trimmed", "summarised", "dropped", "added"];
    this.node = element(
      "div",
      { class: "ctx-help", id: player.id("help"), role: "region", "aria-label": "Keys and signs" },
      element(
        "p",
        {},
        "A stop on a line shows the state before that line runs; what it changes shows one step later. " +
          "“Change” counts histories, and objects that existed before they were altered. " +
          "The keys work while the player has the focus.",
      ),
      element(
        "dl",
        { class: "ctx-keys" },
        ...keys.map(([key, label]) => element("div", {}, element("dt", {}, key), element("dd", {}, label))),
      ),
      element(
        "p",
        {},
        "In the map a decision has six sides, a loop cut corners, a call double sides, a refusal eight sides, " +
          "the start and a return round ends. A click goes to the next time that the run is there.",
      ),
      element("p", { class: "ctx-legend" }, ...fates.map((fate) => chip(fate, fate))),
    );
    this.node.hidden = true;
  }

  update() {}
}
