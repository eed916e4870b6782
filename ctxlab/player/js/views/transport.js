// @ts-check
/** The toolbar with the moves. */
/** @import { Player } from "../player.js" */
/** @import { MoveGroup } from "../toolbar.js" */
import { element } from "../elements.js";
import { Toolbar } from "../toolbar.js";

/** @type {MoveGroup[]} */
export const TRANSPORT = [
  {
    name: "",
    buttons: [
      ["start", "Start", "Home", "start", "the first step"],
      ["back", "Step back", "left arrow", "back", "one step earlier"],
      ["step", "Step", "right arrow", "step", "the next line, also inside a call"],
      ["over", "Step over", "o or F10", "over", "the next line here, past any call"],
      ["out", "Step out", "u", "out", "back to the caller"],
      ["end", "End", "End", "end", "the last step"],
    ],
  },
  {
    name: "decision",
    buttons: [
      ["previousDecision", "Previous decision", "p", "previous", "the condition before this step"],
      ["nextDecision", "Next decision", "n", "next", "the next condition of the run"],
    ],
  },
  {
    name: "change",
    buttons: [
      ["previousChange", "Previous change", "[", "previous", "the change before this step"],
      ["nextChange", "Next change", "]", "next", "where a history or an object is altered next"],
    ],
  },
  {
    name: "breakpoint",
    buttons: [
      [
        "previousBreakpoint",
        "Back to breakpoint",
        "Shift+left arrow",
        "runBack",
        "the marked line before this step",
      ],
      [
        "nextBreakpoint",
        "Run to breakpoint",
        "Shift+right arrow",
        "run",
        "the next marked line; a click on a line’s number marks it",
      ],
    ],
  },
];

/** The transport: the moves, and the button for help. */
export class TransportView {
  /** @param {Player} player */
  constructor(player) {
    this.help = element(
      "button",
      {
        class: "ctx-button",
        title: "Keys and signs (?)",
        "aria-label": "Keys and signs",
        "aria-expanded": "false",
        "aria-controls": player.id("help"),
        tabindex: -1,
      },
      "?",
    );
    this.help.addEventListener("click", () => player.toggleHelp());
    this.toolbar = new Toolbar("Stepping", TRANSPORT, player, this.help);
    this.node = element("div", { class: "ctx-transport" }, this.toolbar.node);
  }

  update() {
    this.toolbar.update();
  }
}
