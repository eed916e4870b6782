// @ts-check
/** Tabs: one tab stop, arrow keys inside. */
import { element, setAttribute } from "./elements.js";

/** A row of tabs: one tab stop, the left and right arrows choose. */
export class Tabs {
  /**
   * @param {string} label
   * @param {string[]} names
   * @param {string} panelId
   * @param {(number: number) => void} onSelect
   * @param {string} [id] the beginning of the tabs' own ids, where two rows of tabs lead to one panel
   */
  constructor(label, names, panelId, onSelect, id = panelId) {
    this.onSelect = onSelect;
    this.selected = -1;
    this.tabs = names.map((name, i) =>
      element(
        "button",
        { class: "ctx-tab", role: "tab", id: `${id}-tab${i}`, "aria-controls": panelId },
        element("span", {}, name),
      ),
    );
    this.node = element("div", { class: "ctx-tabs", role: "tablist", "aria-label": label }, ...this.tabs);
    this.node.addEventListener("click", (event) =>
      this.choose(this.tabs.findIndex((tab) => tab.contains(/** @type {Node} */ (event.target)))),
    );
    this.node.addEventListener("keydown", (event) => {
      const direction = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
      if (!direction || event.shiftKey || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      event.stopPropagation();
      this.choose((this.selected + direction + this.tabs.length) % this.tabs.length);
      this.tabs[this.selected].focus();
    });
  }

  /** @param {number} number */
  choose(number) {
    if (number < 0) return;
    this.select(number);
    this.onSelect(number);
  }

  /** @param {number} number */
  select(number) {
    if (number === this.selected) return;
    this.selected = number;
    this.tabs.forEach((tab, i) => {
      setAttribute(tab, "aria-selected", String(i === number));
      setAttribute(tab, "tabindex", i === number ? "0" : "-1");
    });
    const tab = this.tabs[number];
    // Not scrollIntoView: that would also scroll the notebook.
    const { offsetLeft, offsetWidth, offsetTop, offsetHeight } = tab;
    if (offsetLeft < this.node.scrollLeft) this.node.scrollLeft = offsetLeft;
    else if (offsetLeft + offsetWidth > this.node.scrollLeft + this.node.clientWidth)
      this.node.scrollLeft = offsetLeft + offsetWidth - this.node.clientWidth;
    if (offsetTop < this.node.scrollTop) this.node.scrollTop = offsetTop;
    else if (offsetTop + offsetHeight > this.node.scrollTop + this.node.clientHeight)
      this.node.scrollTop = offsetTop + offsetHeight - this.node.clientHeight;
  }
}
