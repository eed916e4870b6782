// @ts-check
/** Toolbar: buttons for moves, one tab stop, arrow keys inside. */
import { closest, element, icon, setAttribute } from "./elements.js";

/**
 * `where` says where a move leads. The group's name stands on its second button, which goes forwards.
 * @typedef {[move: string, label: string, keys: string, icon: string, where: string]} MoveButton
 * @typedef {{ name: string, buttons: MoveButton[] }} MoveGroup
 * @typedef {{ move(name: string): void, canMove(name: string): boolean }} Mover
 */

export class Toolbar {
  /**
   * @param {string} label
   * @param {MoveGroup[]} groups
   * @param {Mover} mover
   * @param {...HTMLElement} others buttons that are no moves
   */
  constructor(label, groups, mover, ...others) {
    this.mover = mover;
    const made = groups.map(({ name, buttons }) =>
      element(
        "span",
        { class: name ? "ctx-group" : "ctx-main-group", role: name && "group", "aria-label": name || null },
        ...buttons.map((button, i) => this.button(button, i === 1 ? name : "")),
      ),
    );
    this.node = element(
      "div",
      { class: "ctx-toolbar", role: "toolbar", "aria-label": label },
      ...made,
      ...others,
    );
    this.buttons = /** @type {HTMLElement[]} */ ([...this.node.querySelectorAll("button")]);
    this.setTabStop(this.buttons.find((button) => button.dataset.move === "step") ?? this.buttons[0]);
    this.node.addEventListener("click", (event) =>
      mover.move(closest(event.target, "[data-move]")?.dataset.move ?? ""),
    );
    this.node.addEventListener("keydown", (event) => this.onKey(event));
    this.node.addEventListener("focusin", (event) =>
      this.setTabStop(/** @type {HTMLElement} */ (event.target)),
    );
  }

  /** @param {MoveButton} button @param {string} word that stands on it */
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
      if (move) setAttribute(button, "aria-disabled", this.mover.canMove(move) ? null : "true");
    }
  }
}
