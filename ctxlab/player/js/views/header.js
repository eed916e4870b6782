// @ts-check
/** The head of the player: what ran, on what, and how large the history is now. */
/** @import { Player } from "../player.js" */
import { ACTIVE, CANDIDATE } from "../format.js";
import { counted, grouped } from "../text.js";
import { historyAt, isRejected, isWhole } from "../state.js";
import { resultWord } from "../words.js";
import { element, icon, setText } from "../elements.js";

/** What the run came to. */
export class HeaderView {
  /** @param {Player} player */
  constructor(player) {
    this.player = player;
    const { heading, index } = player;
    const { kind, code, type } = index.trace.outcome;
    /** @type {Record<string, string>} */
    const words = {
      returned: "returned",
      refused: `refused: ${code}`,
      error: `error: ${type}`,
      step_limit: "stopped at the step limit",
    };
    // How a run ended that says it by a word is for its author to judge.
    const word = resultWord(index);
    const outcome = { sign: word ? "now" : kind, said: word ? `returned: ${word}` : (words[kind] ?? kind) };
    this.fill = element("i", { class: "ctx-fill" });
    this.label = element("span", { class: "ctx-gauge-label" });
    this.figures = element("span", { class: "ctx-figures" });
    this.verdict = element("b", { class: "ctx-verdict" });
    const { budget } = index.trace.checks;
    this.most = 1.08 * index.trace.histories.reduce((most, row) => Math.max(most, row[5]), budget ?? 1);
    const bar = element("div", { class: "ctx-gauge-bar" }, this.fill);
    if (budget !== null) {
      const mark = element("i", { class: "ctx-budget", title: `budget: ${grouped(budget)} bytes` });
      mark.style.left = `${(100 * budget) / this.most}%`;
      bar.append(mark);
    }
    this.gauge = element(
      "div",
      { class: budget === null ? "ctx-gauge" : "ctx-gauge ctx-budgeted" },
      this.label,
      bar,
      element("span", { class: "ctx-gauge-text" }, this.figures, " ", this.verdict),
    );
    this.node = element(
      "header",
      { class: "ctx-head" },
      element("span", { class: "ctx-function" }, heading.function),
      heading.scenario &&
        element("span", { class: "ctx-setting" }, "scenario ", element("b", {}, heading.scenario)),
      ...heading.settings
        .filter(isShort)
        .map(([name, value, differs]) =>
          element(
            "span",
            { class: differs ? "ctx-setting ctx-differs" : "ctx-setting" },
            `${name} `,
            element("b", {}, shownSetting(value)),
            differs === true && icon("differs"),
            differs === true && " differs",
          ),
        ),
      isWhole(index) &&
        element(
          "span",
          { class: word ? "ctx-outcome" : `ctx-outcome ctx-is-${kind}` },
          icon(outcome.sign),
          element("span", {}, outcome.said),
        ),
      heading.promise && element("p", { class: "ctx-promise" }, heading.promise),
      this.gauge,
    );
  }

  update() {
    const { index, step } = this.player;
    const counts = historyAt(index, CANDIDATE, step).present && !isRejected(index, step);
    const which = counts ? CANDIDATE : ACTIVE;
    const history = historyAt(index, which, step);
    // Beside the budget the size would answer a question about it.
    this.gauge.hidden = !history.present || !isWhole(index);
    if (this.gauge.hidden) return;
    const { budget } = index.trace.checks;
    const over = budget === null ? 0 : history.bytes - budget;
    this.fill.style.width = `${(100 * history.bytes) / this.most}%`;
    this.gauge.classList.toggle("ctx-over", over > 0);
    setText(this.label, which === CANDIDATE ? "candidate now" : "active history");
    const tokens = this.player.tokens(which);
    const ofBudget = budget === null ? "" : ` of ${grouped(budget)}`;
    const inTokens = tokens === null ? "" : `, ${counted(tokens, "token")} (${this.player.encoding})`;
    setText(this.figures, `${grouped(history.bytes)}${ofBudget} bytes${inTokens}`);
    const verdict = over > 0 ? `over budget by ${grouped(over)}` : "fits the budget";
    setText(this.verdict, budget === null ? "" : verdict);
  }
}

const CHARACTERS_OF_A_SETTING = 24;

/** The others are found under "Input and call". @param {[string, string, boolean?]} setting */
const isShort = ([, value]) => String(value).length <= CHARACTERS_OF_A_SETTING;

/** A setting's figure with its thousands apart. @param {unknown} value */
const shownSetting = (value) => (/^\d{4,}$/.test(String(value)) ? grouped(Number(value)) : String(value));
