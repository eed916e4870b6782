// @ts-check
/** The figures of one request with every strategy; it tells which line is whose, too. */
/** @import { StrategiesPage } from "../outcomes.js" */
import { element, icon, setText } from "../elements.js";
import { grouped } from "../text.js";
import { codeWords } from "./mark.js";
import { swatch } from "./swatch.js";

export class ReadingView {
  /** @param {StrategiesPage} page */
  constructor(page) {
    this.page = page;
    this.turn = -1;
    this.caption = element("caption", {});
    this.rows = page.strategies.map(({ name }, number) => {
      const cells = ["ctx-reading-figure", "ctx-reading-figure", "ctx-reading-word"].map((kind) =>
        element("td", { class: kind }),
      );
      const head = element("th", { scope: "row" }, swatch(number), name);
      return { row: element("tr", {}, head, ...cells), cells };
    });
    const heads = ["Strategy", "tokens", "messages", ""].map((name) =>
      name ? element("th", { scope: "col" }, name) : element("td", {}),
    );
    this.node = element(
      "table",
      { class: "ctx-reading" },
      this.caption,
      element("thead", {}, element("tr", {}, ...heads)),
      element("tbody", {}, ...this.rows.map(({ row }) => row)),
    );
  }

  /** @param {number} turn */
  show(turn) {
    const { strategies, refusedAt, limit, strategy: chosen } = this.page;
    this.rows.forEach(({ row }, number) => row.classList.toggle("ctx-chosen-line", number === chosen));
    if (turn === this.turn) return;
    this.turn = turn;
    setText(this.caption, this.page.turnWords(turn));
    this.rows.forEach(({ cells: [tokens, messages, word] }, number) => {
      const strategy = strategies[number];
      const refused = refusedAt[number].get(turn);
      setText(tokens, grouped(strategy.tokens[turn]));
      setText(messages, grouped(strategy.messages[turn]));
      const over = strategy.tokens[turn] > limit ? "over" : "";
      word.replaceChildren(...(refused ? [icon("refused"), "refused"] : [over]));
      word.title = refused ? codeWords(refused.code) : "";
    });
  }
}
