// Every strategy on one history, on a page without layout: table, chart, detail, keys and words.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { module, openStrategies, strategies } from "./support/strategies.mjs";

const { DASHES, SIGNS, lookOf, runsOf, signTurns, spread, ticks } = module;
const NEW_FINDING = {
  code: "orphan_tool_result",
  message: 1,
  text: "message 1 has <b>no</b> call",
  fix: "Drop it.",
};

test("ticks are round numbers, few, and never beyond the largest", () => {
  assert.deepEqual(ticks(3272, 5), [0, 1000, 2000, 3000]);
  assert.deepEqual(ticks(500, 5), [0, 100, 200, 300, 400, 500]);
  for (const most of [1, 2, 3, 7, 99, 100, 101, 2378, 999_999, 12_345_678]) {
    const found = ticks(most, 5);
    assert.ok(found.length >= 2 && found.length <= 6, `${most}: ${found}`);
    assert.ok(found.at(-1) <= most && found.at(-1) > most / 3, `${most}: ${found}`);
  }
});

test("names are moved apart, in their order and within the chart", () => {
  assert.deepEqual(spread([10, 50, 90], 14, 0, 100), [10, 50, 90]);
  for (const wanted of [[0, 0, 0], [95, 96, 97, 98], [5, 40, 41, 42, 100], Array(7).fill(50)]) {
    const placed = spread(wanted, 14, 0, 100);
    placed.slice(1).forEach((y, i) => assert.ok(y - placed[i] >= 14, `${placed}`));
    assert.ok(placed[0] >= 0 && placed.at(-1) <= 100, `${placed}`);
  }
});

test("lines differ without their colours, and carry their signs at other turns", () => {
  const looks = Array.from({ length: 9 }, (_, line) => `${lookOf(line).dashes}|${lookOf(line).sign}`);
  assert.equal(new Set(looks).size, 9);
  assert.equal(new Set(DASHES).size, DASHES.length);
  assert.equal(new Set(SIGNS).size, SIGNS.length);
  const turns = Array.from({ length: 9 }, (_, line) => signTurns(line, 9, 200));
  assert.equal(new Set(turns.flat()).size, turns.flat().length, "no two in one place");
  for (const own of turns) assert.ok(own.length >= 5 && own.at(-1) < 200);
  for (const line of [0, 8]) assert.deepEqual(signTurns(line, 9, 1), [0]);
});

test("runs join what belongs to the one before", () => {
  assert.deepEqual(runsOf([1, 2, 4, 5, 9], (a, b) => b === a + 1), [[1, 2], [4, 5], [9]]);
});

test("the table says of each strategy what Python counted", () => {
  const page = openStrategies("steady");
  const state = strategies("steady");
  assert.equal(page.text(".ctx-report-head"), state.heading.headline);
  assert.deepEqual(page.texts(".ctx-about-lines li"), state.heading.lines);
  assert.match(state.heading.lines.at(-1), /stand-in/);
  state.strategies.forEach((strategy, number) => {
    const cells = [...page.row(number).querySelectorAll("td")].map((cell) => cell.textContent);
    const [last, largest, refused, facts, reused, summaries, findings] = cells;
    const grouped = (n) => n.toLocaleString("en-US");
    assert.ok(page.row(number).querySelector("th").textContent.startsWith(strategy.name));
    assert.equal(last, `${grouped(strategy.last)}${strategy.last_share} %`);
    const over = strategy.over ? `${strategy.over} over` : "";
    assert.equal(largest, `${grouped(strategy.largest)}${strategy.largest_share} %${over}`);
    const lost = strategy.lost.length;
    assert.equal(facts, `${17 - lost} of 17${lost ? `${lost} lost` : ""}`);
    assert.equal(reused, `${strategy.reused_share} %`);
    assert.equal(refused, strategy.name === "prepare" ? "22 of 43from request 22: recent too large" : "0");
    const tokens = `${grouped(strategy.tokens_in)} tokens in, ${strategy.tokens_out} out`;
    assert.equal(summaries, strategy.summaries ? `${strategy.summaries}${tokens}` : "0");
    assert.equal(findings, "0");
  });
  assert.ok(state.strategies.some(({ summaries }) => summaries > 0));
  page.cleanup();
});

test("opens at the first that lost or refused something, and shows why", () => {
  const page = openStrategies("steady");
  assert.deepEqual(page.place(), [2, 42]);
  assert.ok(page.row(2).classList.contains("ctx-when-now"));
  assert.equal(page.text('.ctx-tab[aria-selected="true"]'), "prepare");
  assert.match(page.text(".ctx-strategy-said"), /Refused: 22 of 43 requests.*Requests 22 to 24: recent too/);
  assert.equal(page.text(".ctx-refused-key"), "refused by prepare");
  assert.equal(page.find(".ctx-refused").getAttribute("d").match(/M/g).length, 1, "one bar for 22 in a row");
  assert.match(page.text(".ctx-strategy-final"), /^The last request: 86 messages, 3,314 tokens/);
  page.cleanup();
});

test("a row, a tab and the keys choose a strategy", () => {
  const page = openStrategies("steady");
  page.row(3).querySelector("button").click();
  assert.deepEqual(page.place(), [3, 42]);
  assert.match(page.text(".ctx-messages-title"), /^The last request: 43 messages, 1,\d{3} tokens$/);
  const { lost } = strategies("steady").strategies[3];
  const chips = page.texts(".ctx-fact-list .ctx-chip");
  assert.deepEqual(chips, [...Array(lost.length).fill("lost"), ...Array(17 - lost.length).fill("kept")]);
  assert.equal(page.text(".ctx-refused-key"), "");
  page.all(".ctx-strategy .ctx-tab")[6].click();
  assert.deepEqual(page.place(), [6, 42]);
  assert.match(page.text(".ctx-messages-title"), /; 9 made by fold$/);
  assert.equal(page.texts(".ctx-still .ctx-is-added")[0], "made");
  page.press("n");
  page.press("p");
  page.press("p");
  assert.deepEqual(page.place(), [5, 42]);
  for (let i = 0; i < 20; i++) page.press("n");
  assert.deepEqual(page.place(), [8, 42]);
  assert.equal(page.press("n", { ctrlKey: true }).defaultPrevented, false);
  assert.equal(page.all('[aria-pressed="true"]').length, 1);
  page.cleanup();
});

test("the arrows and the slider choose a request, and every figure of it is told", async () => {
  const page = openStrategies("steady");
  const { strategies: all, moments } = strategies("steady");
  const turns = { Home: 0, ArrowLeft: 0, ArrowRight: 1, End: 42 };
  for (const [key, turn] of [...Object.entries(turns), ["ArrowRight", 42]]) {
    page.press(key);
    assert.deepEqual(page.place(), [2, turn], key);
  }
  page.slide(30);
  assert.deepEqual(page.place(), [2, 30]);
  assert.equal(page.text(".ctx-reading caption"), `Request 31 of 43, after ${moments[30]} messages`);
  const told = page.all(".ctx-reading tbody tr").map((row) => row.textContent);
  all.forEach(({ name, tokens, messages }, number) => {
    const grouped = tokens[30].toLocaleString("en-US");
    assert.ok(told[number].startsWith(`${name}${grouped}${messages[30]}`), told[number]);
  });
  assert.match(told[2], /refused$/);
  assert.match(told[0], /over$/);
  const spoken = page.find(".ctx-slider").getAttribute("aria-valuetext");
  assert.match(spoken, /^Request 31 of 43, after \d+ messages, tokens: prepare 2,\d+, refused; none /);
  for (const { name, tokens } of all)
    assert.ok(spoken.includes(`${name} ${tokens[30].toLocaleString("en-US")}`));
  // On the slider these keys are its own.
  assert.equal(page.press("Home", {}, page.find(".ctx-slider")).defaultPrevented, false);
  await wait(300);
  assert.equal(page.text(".ctx-live"), spoken);
  page.press("n");
  await wait(300);
  assert.match(page.text(".ctx-live"), /^window: 1,\d+ tokens in the last request, 9 of 17 facts lost\.$/);
  page.cleanup();
});

test("each strategy has its line and its name, and the same figures stand in a table", () => {
  const page = openStrategies("steady");
  const { strategies: all } = strategies("steady");
  const names = all.map(({ name }) => name).sort();
  assert.deepEqual(page.texts(".ctx-plot .ctx-name").sort(), names);
  assert.equal(page.all(".ctx-plot .ctx-series > .ctx-line").length, 9);
  assert.ok(page.all(".ctx-plot .ctx-series")[8].classList.contains("ctx-chosen-line"), "on top");
  assert.equal(page.text(".ctx-limit-name"), "limit 1,657");
  const label = page.find(".ctx-plot").getAttribute("aria-label");
  assert.match(label, /^Lines of the tokens of 43 requests.*none ends at 3,314/);
  const details = page.find(".ctx-chart-table");
  details.open = true;
  details.dispatchEvent(new page.dom.window.Event("toggle"));
  const rows = page.all(".ctx-request-table tbody tr");
  assert.equal(rows.length, 43);
  const [request, , ...tokens] = [...rows[41].children].map((cell) => cell.textContent);
  assert.equal(request, "42");
  const mark = (name) => (name === "prepare" ? " refused" : "");
  const said = all.map(({ tokens: own, name }) => own[41].toLocaleString("en-US") + mark(name));
  assert.deepEqual(tokens, said);
  page.cleanup();
});

test("a strategy that refused every request says so everywhere", () => {
  const page = openStrategies("tight");
  assert.equal(page.row(1).querySelectorAll("td")[2].textContent, "all 10first: newest too large");
  assert.match(page.text(".ctx-refused-note"), /^It refused every request, so nothing became smaller/);
  assert.match(page.all(".ctx-reading tbody tr")[1].textContent, /refused$/);
  const [whole, near] = page.all(".ctx-zooms button");
  assert.equal(near.textContent, "Up to 2");
  assert.equal(page.texts(".ctx-plot .ctx-name").includes("none ↑"), false);
  near.click();
  assert.equal(whole.getAttribute("aria-pressed"), "false");
  assert.ok(page.texts(".ctx-plot .ctx-name").includes("none ↑"), "its line leaves the chart");
  page.cleanup();
});

test("one request is a line, and without one there is no chart", () => {
  const page = openStrategies("single");
  assert.equal(page.all(".ctx-plot .ctx-series").length, 9);
  assert.doesNotMatch(page.find(".ctx-plot").innerHTML, /NaN|Infinity/);
  const said = page.text(".ctx-strategy-said");
  assert.match(said, /No facts were looked for.*It refused no request.*None: nothing/);
  page.cleanup();
  const none = openStrategies("no-request");
  assert.equal(none.find(".ctx-chart").hidden, true);
  assert.match(none.text(".ctx-strategy-final"), /^No request was made\.$/);
  assert.equal(none.row(0).querySelectorAll("td")[4].textContent, "no request");
  for (const key of ["n", "Home", "End", "ArrowLeft", "ArrowRight"]) none.press(key);
  assert.deepEqual(none.place(), [1, -1]);
  none.cleanup();
});

test("new findings stand in the table, in the detail and on the card", () => {
  const state = strategies("steady");
  state.strategies[0].findings = [NEW_FINDING];
  const page = openStrategies("steady", { strategies: state.strategies, place: [0, 3] });
  assert.equal(page.row(0).querySelectorAll("td")[6].textContent, "1orphan tool result");
  const said = /Message 1: orphan tool resultMessage 1 has <b>no<\/b> call\. Drop it\./;
  assert.match(page.text(".ctx-strategy-said"), said);
  assert.match(page.find('.ctx-still[data-position="1"]').textContent, /orphan tool result/);
  page.cleanup();
});

test("hostile texts are texts", () => {
  const page = openStrategies("hostile");
  for (let i = 0; i < 9; i++) page.press("p");
  for (let i = 0; i < 9; i++) {
    assert.equal(page.el.querySelector("img, script"), null);
    page.press("n");
  }
  assert.ok(page.text(".ctx-fact-list").includes("<img src=x onerror='window.hacked = 1'>"));
  assert.ok(page.all(".ctx-fact-list .ctx-unseen").length > 0);
  page.cleanup();
});

test("follows the host, takes what is no place for the nearest, and leaves nothing behind", () => {
  const page = openStrategies("steady");
  page.model.set("place", [1, 3]);
  assert.equal(page.text('.ctx-tab[aria-selected="true"]'), "trim");
  page.model.set("place", [99, -99]);
  assert.equal(page.text('.ctx-tab[aria-selected="true"]'), "state");
  assert.match(page.text(".ctx-reading caption"), /^Request 1 of 43/);
  page.cleanup();
  assert.equal(page.model.listening(), 0);
  assert.equal(page.el.children.length, 0);
  const broken = openStrategies("steady", { strategies: null });
  assert.equal(broken.find(".ctx-failed").getAttribute("role"), "alert");
  broken.cleanup();
});
