// @ts-check
/** The panel with the checks. */
/** @import { Player } from "../player.js" */
import { ACTIVE, CANDIDATE } from "../format.js";
import { grouped } from "../text.js";
import { historyAt, isWhole } from "../state.js";
import { COLUMN_NAMES } from "../words.js";
import { element, setText } from "../elements.js";
import { factList } from "./facts.js";
import { checkMarks } from "./outcome.js";

const COUNTED = ["messages", "bytes", "tokens"];
const JUDGED = ["open calls", "orphan results", "against the budget", "findings"];

/** Pairs and sizes at this step, and the checks of the whole run. */
export class ChecksPanel {
  /** @param {Player} player */
  constructor(player) {
    this.player = player;
    this.name = "Checks";
    const { checks } = player.index.trace;
    const whole = isWhole(player.index);
    // Before a prediction only what can be counted is told, and no verdict on it.
    this.cells = (whole ? [...COUNTED, ...JUDGED] : COUNTED).map((name) => ({
      name,
      values: COLUMN_NAMES.map(() => element("td", {})),
    }));
    const head = element(
      "tr",
      {},
      element("td", {}),
      ...COLUMN_NAMES.map((name) => element("th", { scope: "col" }, name)),
    );
    const rows = this.cells.map(({ name, values }) =>
      element("tr", {}, element("th", { scope: "row" }, name), ...values),
    );
    const table = element(
      "table",
      { class: "ctx-table" },
      element("caption", {}, "At this step"),
      element("thead", {}, head),
      element("tbody", {}, ...rows),
    );
    const broken = checks.first_broken_step;
    const jump = element(
      "button",
      { class: "ctx-link" },
      broken === null ? "" : `Step ${grouped(broken)}`,
    );
    jump.addEventListener("click", () => broken !== null && player.go(broken));
    const verdict =
      broken === null
        ? element("p", {}, "Calls and results stayed paired at every step.")
        : element("p", {}, jump, " is the first at which the pairing broke.");
    this.node = element(
      "div",
      { class: "ctx-panel-text ctx-checks" },
      table,
      whole && element(
        "div",
        {},
        element("p", {}, element("b", {}, "The whole run")),
        element("p", { class: "ctx-check-list" }, ...checkMarks(checks)),
        verdict,
      ),
      whole && factList(player.index.trace),
    );
  }

  update() {
    const { index, step } = this.player;
    const { budget } = index.trace.checks;
    [ACTIVE, CANDIDATE].forEach((which) => {
      const history = historyAt(index, which, step);
      const tokens = this.player.tokens(which);
      const over = budget === null ? 0 : history.bytes - budget;
      const faults = this.player.faultsOf(which);
      const failing = new Set([
        history.orphans > 0 && "orphan results",
        over > 0 && "against the budget",
        faults && faults.count > 0 && "findings",
      ]);
      const texts = [
        grouped(history.messages.length),
        grouped(history.bytes),
        tokens === null ? "not counted" : `${grouped(tokens)} (${this.player.encoding})`,
        grouped(history.open),
        grouped(history.orphans),
        budget === null
          ? "no budget"
          : over > 0
            ? `over by ${grouped(over)} bytes`
            : `fits, ${grouped(-over)} bytes left`,
        faults ? grouped(faults.count) : "not looked for",
      ];
      this.cells.forEach(({ values }, i) => {
        setText(values[which], history.present ? texts[i] : "–");
        values[which].classList.toggle(
          "ctx-no",
          history.present && failing.has(this.cells[i].name),
        );
      });
    });
  }
}
