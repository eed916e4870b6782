// @ts-check
/** The strategies as a table: what became of the history with each. */
/** @import { StrategiesPage, Strategy } from "../outcomes.js" */
import { closest, element, icon, setAttribute } from "../elements.js";
import { counted, grouped } from "../text.js";
import { codeWords } from "./mark.js";
import { swatch } from "./swatch.js";

/** Each column after the name: what it is called, in short where there is little room, and what it means. */
const COLUMNS = [
  ["Last request", "Last", "tokens of the last request, and their share of the limit"],
  ["Largest request", "Largest", "the same of the largest request, and how many are over the limit"],
  ["Refused", "Refused", "requests for which the strategy refused; they go out with the history as it was"],
  ["Facts kept", "Kept", "facts that the last request still says"],
  ["Start reused", "Reused", "share of all tokens sent that a prompt cache could take from the request before"],
  ["Summaries", "Summaries", "calls of a model for a summary, and the tokens of these calls"],
  ["New findings", "Findings", "what diagnose finds in the last request, and not in the whole history"],
];

/** One row for each strategy; its name chooses it. */
export class StrategyTable {
  /** @param {StrategiesPage} page */
  constructor(page) {
    this.page = page;
    this.rows = page.strategies.map((strategy, number) => this.draw(strategy, number));
    const heads = ["Strategy", ...COLUMNS.map(([name]) => name)].map((name) =>
      element("th", { scope: "col", role: "columnheader" }, name),
    );
    // Where the page is narrow a row is laid out in another way, and the roles say that it is a table still.
    const table = element(
      "table",
      { class: "ctx-strategy-table", role: "table", "aria-label": "Strategies" },
      element("thead", { role: "rowgroup" }, element("tr", { role: "row" }, ...heads)),
      element("tbody", { role: "rowgroup" }, ...this.rows.map(({ row }) => row)),
    );
    this.node = element("div", { class: "ctx-strategy-rows" }, table, columnMeanings());
    table.addEventListener("click", (event) => {
      const row = closest(event.target, "[data-strategy]");
      if (row) page.chooseStrategy(Number(row.dataset.strategy));
    });
  }

  update() {
    this.rows.forEach(({ row, button }, number) => {
      const chosen = number === this.page.strategy;
      row.classList.toggle("ctx-when-now", chosen);
      setAttribute(button, "aria-pressed", String(chosen));
    });
  }

  /** @param {Strategy} strategy @param {number} number */
  draw(strategy, number) {
    const button = element("button", { class: "ctx-strategy-name" }, swatch(number), strategy.name);
    const head = element(
      "th",
      { scope: "row", role: "rowheader" },
      button,
      element("span", { class: "ctx-aside" }, strategy.says),
    );
    const cells = this.cells(strategy).map((parts, i) =>
      element("td", { role: "cell", "data-label": COLUMNS[i][1] }, ...parts),
    );
    const row = element("tr", { role: "row", "data-strategy": number }, head, ...cells);
    return { row, button };
  }

  /** @param {Strategy} strategy @returns {HTMLElement[][]} */
  cells(strategy) {
    const { facts, moments } = this.page;
    const { refusals, lost, findings, summaries, reused_share: reused } = strategy;
    const kept = facts.length - lost.length;
    const largest = [figure(grouped(strategy.largest)), gauge(strategy.largest_share)];
    if (strategy.over) largest.push(warned("refused", `${grouped(strategy.over)} over`));
    return [
      [figure(grouped(strategy.last)), gauge(strategy.last_share)],
      largest,
      refusals.length ? refusedWords(strategy, moments.length) : [zero()],
      facts.length
        ? [figure(`${grouped(kept)} of ${grouped(facts.length)}`), aside(lostWords(lost.length))]
        : [aside("no facts")],
      [reused === null ? aside("no request") : figure(`${reused} %`)],
      summaries
        ? [
            figure(grouped(summaries)),
            aside(`${counted(strategy.tokens_in, "token")} in, ${grouped(strategy.tokens_out)} out`),
          ]
        : [zero()],
      findings.length
        ? [warned("error", grouped(findings.length)), aside(codeWords(findings[0].code))]
        : [zero()],
    ];
  }
}

/** What the columns mean, folded. */
const columnMeanings = () =>
  element(
    "details",
    { class: "ctx-meanings" },
    element("summary", {}, "What the columns mean"),
    element(
      "dl",
      {},
      ...COLUMNS.map(([name, , means]) =>
        element("div", {}, element("dt", {}, name), element("dd", {}, means)),
      ),
    ),
  );

/** @param {Strategy} strategy @param {number} turns */
function refusedWords({ refusals }, turns) {
  const [{ turn, code }] = refusals;
  const all = refusals.length === turns;
  const words = all ? `all ${grouped(turns)}` : `${grouped(refusals.length)} of ${grouped(turns)}`;
  const where = all && turns > 1 ? "first" : `from request ${grouped(turn + 1)}`;
  return [warned("refused", words), aside(`${where}: ${codeWords(code)}`)];
}

/** @param {number} lost */
const lostWords = (lost) => (lost ? `${grouped(lost)} lost` : "");

/** @param {string} text */
const figure = (text) => element("span", { class: "ctx-figure" }, text);
/** @param {string} text */
const aside = (text) => element("span", { class: "ctx-aside" }, text);
const zero = () => element("span", { class: "ctx-figure ctx-aside" }, "0");
/** @param {string} name of an icon @param {string} text */
const warned = (name, text) => element("span", { class: "ctx-figure ctx-warned" }, icon(name), text);

/** A share of the limit in percent, with a bar that is full at 100. @param {number} percent */
function gauge(percent) {
  const fill = element("span", { class: "ctx-fill" });
  fill.style.width = `${Math.min(100, percent)}%`;
  const bar = element("span", { class: "ctx-gauge-bar", "aria-hidden": "true" }, fill);
  return element(
    "span",
    { class: `ctx-share${percent > 100 ? " ctx-over" : ""}` },
    bar,
    `${grouped(percent)} %`,
  );
}
