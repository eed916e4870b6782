// @ts-check
/** The toolbar with the moves. */
/** @import { Player } from "../player.js" */
import { closest, element, icon, setAttribute } from "../elements.js";

/**
 * The group's name stands on its second button, which goes forwards. `where` says where a move leads.
 * @type {{ name: string, buttons: [move: string, label: string, keys: string, icon: string, where: string][]
 *   }[]}
 */
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

/** The transport: a toolbar with one tab stop. */
export class TransportView {
  /** @param {Player} player */
  constructor(player) {
    this.player = player;
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
    const groups = TRANSPORT.map(({ name, buttons }) => {
      return element(
        "span",
        { class: name ? "ctx-group" : "ctx-main-group", role: name && "group", "aria-label": name || null },
        ...buttons.map((button, i) => this.button(button, i === 1 ? name : "")),
      );
    });
    const toolbar = element(
      "div",
      { class: "ctx-toolbar", role: "toolbar", "aria-label": "Stepping" },
      ...groups,
      this.help,
    );
    this.buttons = /** @type {HTMLElement[]} */ ([...toolbar.querySelectorAll("button")]);
    this.setTabStop(this.buttons[2]);
    toolbar.addEventListener("click", (event) =>
      player.move(closest(event.target, "[data-move]")?.dataset.move ?? ""),
    );
    toolbar.addEventListener("keydown", (event) => this.onKey(event));
    toolbar.addEventListener("focusin", (event) =>
      this.setTabStop(/** @type {HTMLElement} */ (event.target)),
    );
    this.node = element("div", { class: "ctx-transport" }, toolbar);
  }

  /** @param {[string, string, string, string, string]} button @param {string} word that stands on it */
  button([move, label, keys, shape, where], word) {
    const primary = move === "step";
    return element(
      "button",
      {
        class: `ctx-button${primary ? " ctx-primary" : ""}`,
        "data-move": move,
        title: `${label} (${keys}): ${where}`,
        "aria-label": label,
        tabindex: -1,
      },
      primary ? label : word,
      icon(shape),
    );
  }

  /** @param {HTMLElement} stop */
  setTabStop(stop) {
    for (const button of this.buttons) setAttribute(button, "tabindex", button === stop ? "0" : "-1");
  }

  /** @param {KeyboardEvent} event */
  onKey(event) {
    const direction = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (!direction || event.shiftKey || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    const at = this.buttons.indexOf(/** @type {HTMLElement} */ (event.target));
    this.buttons[(at + direction + this.buttons.length) % this.buttons.length].focus();
  }

  update() {
    for (const button of this.buttons) {
      const { move } = button.dataset;
      if (move) setAttribute(button, "aria-disabled", this.player.target(move) < 0 ? "true" : null);
    }
  }
}
