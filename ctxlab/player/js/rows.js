// @ts-check
/** Rows: a long list of which only the visible part is in the page. */
import { closest, setAttribute } from "./elements.js";

export const LIST_ROW = 30;
export const LIST_ROW_NARROW = 50;

const ROWS_OUTSIDE = 4;
const HEIGHT_BEFORE_LAYOUT = 480;

/**
 * Draws only the rows in view, of one height each, and draws a row again only when its key has changed. The
 * list is one tab stop; the up and down arrows go from row to row. Elements that take the focus carry
 * `data-part`.
 */
export class VirtualRows {
  /**
   * @param {HTMLElement} scroller @param {HTMLElement} content @param {number} rowHeight
   * @param {(row: number) => string | null} keyOf null for a row without content
   * @param {(row: number) => HTMLElement} draw
   */
  constructor(scroller, content, rowHeight, keyOf, draw) {
    this.scroller = scroller;
    this.content = content;
    this.rowHeight = rowHeight;
    this.keyOf = keyOf;
    this.draw = draw;
    this.count = 0;
    this.items = 0;
    this.top = 0;
    this.height = HEIGHT_BEFORE_LAYOUT;
    this.laidOut = false;
    this.awaited = -1;
    this.first = 0;
    this.last = 0;
    this.current = 0;
    this.unsettled = false;
    /** @type {Map<number, { key: string, node: HTMLElement }>} */
    this.drawn = new Map();
    content.classList.add("ctx-rows");
    content.addEventListener("keydown", (event) => this.onKey(event));
    content.addEventListener("focusin", (event) => this.onFocus(event));
    scroller.addEventListener("scroll", () => this.onScroll(), { passive: true });
  }

  /** @param {number} count rows @param {number} [items] rows that are not empty */
  update(count, items = count) {
    this.items = items;
    if (count !== this.count) {
      this.count = count;
      this.content.style.height = `${count * this.rowHeight}px`;
    }
    this.render();
  }

  /** @param {number} rowHeight */
  setRowHeight(rowHeight) {
    if (rowHeight === this.rowHeight) return;
    this.rowHeight = rowHeight;
    this.clear();
    this.content.style.height = `${this.count * rowHeight}px`;
    this.render();
  }

  clear() {
    for (const { node } of this.drawn.values()) node.remove();
    this.drawn.clear();
  }

  /** Takes over how much the scroller shows. One that was hidden has lost its position: it gets it back. */
  measure() {
    this.height = this.scroller.clientHeight || HEIGHT_BEFORE_LAYOUT;
    this.laidOut ||= this.scroller.clientHeight > 0;
    if (this.scroller.scrollTop !== this.top) this.scroller.scrollTop = this.top;
    this.render();
    if (this.laidOut && this.awaited >= 0) this.show(this.awaited);
  }

  /**
   * Scrolls, as little as possible, so that a row shows. The height of a list that was never laid out is a
   * guess: there `measure` does it once more.
   * @param {number} row
   */
  show(row) {
    this.awaited = this.laidOut ? -1 : row;
    this.showFrom(this.topFor(row, 0));
  }

  /** Follows the reader's scrolling, but not a scroller that lost its position by being hidden. */
  onScroll() {
    if (closest(this.scroller, ".ctx-hidden") || !this.scroller.clientHeight) return;
    this.top = this.scroller.scrollTop;
    this.render();
  }

  /**
   * Where to scroll, as little as possible, so that a row shows, at least its beginning; null where it shows
   * already.
   * @param {number} row @param {number} covered height of a head that stays on top
   */
  topFor(row, covered) {
    const from = row * this.rowHeight;
    const visible = this.height - covered;
    if (from >= this.top && from + this.rowHeight <= this.top + visible) return null;
    const most = Math.max(0, this.count * this.rowHeight - visible);
    const least = from < this.top ? from : from + this.rowHeight - visible;
    return Math.min(most, Math.max(0, Math.min(least, from)));
  }

  /**
   * Draws what shows at a scroll position. The scroller itself follows in `settle`.
   * @param {number | null} top
   */
  showFrom(top) {
    if (top === null) return;
    this.top = top;
    this.unsettled = true;
    this.render();
  }

  /**
   * Scrolls where that is still to be done: the browser lays the page out for it, so it comes after all
   * changes.
   */
  settle() {
    if (this.unsettled) this.scroller.scrollTop = this.top;
    this.unsettled = false;
  }

  render() {
    this.first = Math.max(0, Math.min(this.count, Math.floor(this.top / this.rowHeight)) - ROWS_OUTSIDE);
    this.last = Math.min(this.count, Math.ceil((this.top + this.height) / this.rowHeight) + ROWS_OUTSIDE);
    for (const [row, { node }] of this.drawn)
      if (row < this.first || row >= this.last) this.remove(row, node);
    /** @type {HTMLElement | null} */
    let next = null;
    for (let row = this.last - 1; row >= this.first; row--) next = this.place(row, next) ?? next;
    this.markRows();
  }

  /**
   * @param {number} row
   * @param {HTMLElement | null} next the row drawn below it
   * @returns {HTMLElement | null}
   */
  place(row, next) {
    const key = this.keyOf(row);
    const old = this.drawn.get(row);
    if (old && old.key === key) return old.node;
    if (key === null) {
      if (old) this.remove(row, old.node);
      return null;
    }
    const node = this.draw(row);
    node.dataset.row = String(row);
    node.style.top = `${row * this.rowHeight}px`;
    const part =
      old &&
      closest(old.node.contains(document.activeElement) ? document.activeElement : null, "[data-part]")
        ?.dataset.part;
    if (old) old.node.replaceWith(node);
    else this.content.insertBefore(node, next);
    this.drawn.set(row, { key, node });
    if (part) this.partOf(row, part)?.focus({ preventScroll: true });
    return node;
  }

  /** @param {number} row @param {HTMLElement} node */
  remove(row, node) {
    const focused = node.contains(document.activeElement);
    node.remove();
    this.drawn.delete(row);
    if (focused) closest(this.content, ".ctx-player")?.focus({ preventScroll: true });
  }

  /** @param {number} row @param {string} part @returns {HTMLElement | null} */
  partOf(row, part) {
    const node = this.drawn.get(row)?.node;
    return node?.querySelector(`[data-part="${part}"]`) ?? node?.querySelector("[data-part]") ?? null;
  }

  /**
   * Brings what changes without a row being drawn again up to date: the tab stop, and how many items there
   * are.
   */
  markRows() {
    const visible = Math.ceil(this.top / this.rowHeight);
    let stop = this.partOf(this.current, "") ? this.current : -1;
    for (let row = visible; stop < 0 && row < this.last; row++) if (this.partOf(row, "")) stop = row;
    for (const [row, { node }] of this.drawn) {
      setAttribute(node, "aria-setsize", String(this.items));
      for (const part of node.querySelectorAll("[data-part]"))
        setAttribute(part, "tabindex", row === stop ? "0" : "-1");
    }
  }

  /** @param {FocusEvent} event */
  onFocus(event) {
    const row = closest(event.target, "[data-row]");
    if (!row) return;
    this.current = Number(row.dataset.row);
    this.markRows();
  }

  /** @param {KeyboardEvent} event */
  onKey(event) {
    const direction = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    const from = closest(event.target, "[data-row]");
    if (!direction || !from || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    const wanted = closest(event.target, "[data-part]")?.dataset.part ?? "";
    for (let row = Number(from.dataset.row) + direction; row >= 0 && row < this.count; row += direction) {
      if (this.keyOf(row) === null) continue;
      this.show(row);
      const part = this.partOf(row, wanted);
      if (!part) continue;
      this.settle();
      part.focus({ preventScroll: true });
      return;
    }
  }
}
