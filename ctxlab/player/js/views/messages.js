// @ts-check
/** The whole history as cards, with the cuts between them. */
/** @import { Diagnosis } from "../diagnosis.js" */
import { closest, element, setAttribute } from "../elements.js";
import { VirtualRows } from "../rows.js";
import { bracketOf, drawMessageCard, ruler } from "./card.js";
import { findingMark } from "./mark.js";

const MESSAGE_ROW = 64;

export class MessagesView {
  /** @param {Diagnosis} diagnosis */
  constructor(diagnosis) {
    this.diagnosis = diagnosis;
    this.mostBytes = diagnosis.cards.reduce((most, card) => Math.max(most, card.bytes), 1);
    const list = element("div", { class: "ctx-column", role: "list", "aria-label": "History" });
    this.scroller = element("div", { class: "ctx-cards" }, list);
    this.node = element(
      "div",
      { class: "ctx-messages" },
      element(
        "p",
        { class: "ctx-messages-title" },
        element("b", {}, "History"),
        " ",
        element("span", { class: "ctx-aside" }, "a bracket holds what no cut may part"),
      ),
      this.scroller,
    );
    this.latest = -1;
    this.rows = new VirtualRows(
      this.scroller,
      list,
      MESSAGE_ROW,
      () => "",
      (row) => this.draw(row),
    );
    list.addEventListener("click", (event) => {
      const card = closest(event.target, ".ctx-card");
      if (card) diagnosis.chooseMessage(Number(card.dataset.position));
    });
  }

  settle() {
    this.rows.settle();
  }

  measure() {
    this.rows.measure();
    if (this.latest >= 0) this.reveal(this.latest);
  }

  update() {
    const { cards, message } = this.diagnosis;
    const moved = message >= 0 && message !== this.latest;
    this.latest = message;
    this.rows.update(cards.length);
    if (moved) this.reveal(message);
    for (const card of this.scroller.querySelectorAll(".ctx-card")) this.markCard(card);
  }

  /**
   * Brings a message into view, if it is not, with some of those before and after it.
   * @param {number} message
   */
  reveal(message) {
    const { rows } = this;
    if (rows.topFor(message, 0) === null) return;
    const most = rows.count * MESSAGE_ROW - rows.height;
    rows.showFrom(Math.max(0, Math.min(most, message * MESSAGE_ROW - rows.height / 3)));
  }

  /** The mark of the one that is chosen comes and goes without a new drawing. @param {Element} card */
  markCard(card) {
    const chosen = Number(/** @type {HTMLElement} */ (card).dataset.position) === this.diagnosis.message;
    card.classList.toggle("ctx-asked", chosen);
    setAttribute(card, "aria-current", chosen ? "true" : null);
  }

  /** @param {number} row */
  draw(row) {
    const { cards, splits, findings, findingsOf } = this.diagnosis;
    const above = splits.get(row) ?? "";
    const below = splits.get(row + 1) ?? "";
    const own = findingsOf.get(row) ?? [];
    const mark = findingMark(own.map((number) => findings[number].code));
    const node = drawMessageCard(cards[row], {
      position: row,
      mostBytes: this.mostBytes,
      class: mark ? "ctx-blamed" : "",
      chips: [mark],
    });
    this.markCard(node);
    const bracket = bracketOf(above, below);
    return element(
      "div",
      { class: `ctx-item ctx-bracket-${bracket}`, role: "listitem", "aria-posinset": row + 1 },
      node,
      row + 1 < cards.length && ruler(below),
    );
  }
}
