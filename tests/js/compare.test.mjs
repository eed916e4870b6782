// Two runs on one page without layout: where it opens, how both sides move, what it shows and says.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { compare, comparison, openComparison } from "./support/compare.mjs";

const { SHARED_MOVES, alignRuns, rowAt, sentence, stepsOfRow, buildIndex } = compare;

// Where moves lead, without a page

const STOPS = [
  [2, 3],
  [5, 4],
  [6, 9],
  [8, 9],
];
const VERDICTS = ["same", "answer", "right", "same"];
const small = (parting = null) => alignRuns(STOPS, VERDICTS, [10, 12], parting);

test("the latest pair is the one that both runs have reached", () => {
  const runs = small();
  assert.equal(rowAt(runs, [0, 0]), -1);
  assert.equal(rowAt(runs, [2, 2]), -1);
  assert.equal(rowAt(runs, [2, 3]), 0);
  assert.equal(rowAt(runs, [5, 3]), 0);
  assert.equal(rowAt(runs, [8, 4]), 1);
  assert.equal(rowAt(runs, [10, 12]), 3);
});

test("decisions: from pair to pair, and nowhere beyond the last one", () => {
  const runs = small();
  const way = [[0, 0]];
  for (let at = way[0]; (at = SHARED_MOVES.nextDecision(runs, at)); ) way.push(at);
  assert.deepEqual(way.slice(1), STOPS);
  for (let at = [10, 12]; (at = SHARED_MOVES.previousDecision(runs, at)); )
    assert.deepEqual(at, way.pop(), "the same way back");
  assert.deepEqual(way, [[0, 0]]);
  assert.deepEqual(SHARED_MOVES.previousDecision(runs, [6, 5]), STOPS[1], "the start of this stretch");
});

test("differences: only pairs that are not the same", () => {
  const runs = small();
  assert.deepEqual(SHARED_MOVES.nextDifference(runs, [0, 0]), STOPS[1]);
  assert.deepEqual(SHARED_MOVES.nextDifference(runs, STOPS[1]), STOPS[2]);
  assert.equal(SHARED_MOVES.nextDifference(runs, STOPS[2]), null);
  assert.deepEqual(SHARED_MOVES.previousDifference(runs, [10, 12]), STOPS[2]);
  assert.equal(SHARED_MOVES.previousDifference(runs, STOPS[1]), null);
});

test("differences: where the runs part between two pairs is one, at its place among the others", () => {
  const between = [7, 12];
  const runs = small({ row: null, steps: between });
  assert.equal(rowAt(runs, between), 2);
  const way = [];
  for (let at = [0, 0]; (at = SHARED_MOVES.nextDifference(runs, at)); ) way.push(at);
  assert.deepEqual(way, [STOPS[1], STOPS[2], between]);
  const back = [];
  for (let at = [10, 12]; (at = SHARED_MOVES.previousDifference(runs, at)); ) back.push(at);
  assert.deepEqual(back, way.reverse());
  assert.deepEqual(SHARED_MOVES.nextDifference(runs, [7, 10]), between, "one of them is there already");
  assert.deepEqual(SHARED_MOVES.previousDifference(runs, [8, 12]), between);
  // One run may be at its end already, while the other has most of its decisions before it.
  const early = small({ row: null, steps: [3, 12] });
  const all = [];
  for (let at = [0, 0]; (at = SHARED_MOVES.nextDifference(early, at)); ) all.push(at);
  assert.deepEqual(all, [[3, 12], STOPS[1], STOPS[2]]);
});

test("differences: ends that alone differ are one, with no decision at all", () => {
  const runs = alignRuns([], [], [3, 4], { row: null, steps: [3, 4] });
  assert.deepEqual(SHARED_MOVES.nextDifference(runs, [0, 0]), [3, 4]);
  assert.equal(SHARED_MOVES.nextDifference(runs, [3, 4]), null);
  assert.equal(SHARED_MOVES.previousDifference(runs, [3, 4]), null);
});

test("a step: one line each, and who comes first to a pair waits for the other", () => {
  const runs = small();
  const way = [];
  for (let at = [0, 0]; at; at = SHARED_MOVES.step(runs, at)) way.push(at);
  assert.deepEqual(way.slice(0, 8), [
    [0, 0],
    [1, 1],
    [2, 2],
    [2, 3],
    [3, 4],
    [4, 4],
    [5, 4],
    [6, 5],
  ]);
  assert.deepEqual(way.at(-1), [10, 12]);
  for (const stop of STOPS) assert.ok(way.some((at) => String(at) === String(stop)), `passes ${stop}`);
});

test("a step back leads to the pair before, then before that", () => {
  const runs = small();
  const way = [];
  for (let at = [10, 12]; at; at = SHARED_MOVES.back(runs, at)) way.push(at);
  assert.deepEqual(way.at(-1), [0, 0]);
  for (const stop of STOPS) assert.ok(way.some((at) => String(at) === String(stop)), `passes ${stop}`);
  way.forEach((at, i) => i && assert.ok(at[0] <= way[i - 1][0] && at[1] <= way[i - 1][1], "never forwards"));
});

test("where the runs part, the steps that show it best stand in place of the usual ones", () => {
  const runs = small({ row: 2, steps: [5, 9] });
  assert.deepEqual(stepsOfRow(runs, 2), [5, 9]);
  assert.equal(rowAt(runs, [5, 9]), 2);
  assert.deepEqual(SHARED_MOVES.nextDecision(runs, [5, 9]), STOPS[3]);
  assert.deepEqual(SHARED_MOVES.previousDecision(runs, [5, 9]), STOPS[1]);
  for (let at = [10, 12], before = at; at; at = SHARED_MOVES.back(runs, at)) {
    assert.ok(at[0] <= before[0] && at[1] <= before[1], "never forwards");
    before = at;
  }
});

// On the page

test("the first thing it says is where the runs part, with both sentences", () => {
  const { text, find, root, cleanup } = openComparison("slip");
  assert.equal(root.firstElementChild, find(".ctx-parting"));
  assert.equal(text(".ctx-parting-head"), "They part here: the same question, another answer.");
  const { lines, unlike } = comparison("slip");
  assert.match(lines[0], /^reference, line \d+: Are there enough\? 1 >= 1 is yes\./);
  assert.match(lines[1], /^yours, line \d+: Are there enough\? 1 > 1 is no\./);
  assert.equal(text(".ctx-parting"), [text(".ctx-parting-head"), ...lines, ...unlike].join(""));
  cleanup();
});

test("it opens both sides there, and marks the first difference in a word and a shape", () => {
  const { sides, all, find, steps, cleanup } = openComparison("slip");
  assert.deepEqual(steps(), [12, 12]);
  assert.match(sides[0].querySelector(".ctx-says").textContent, /^Are there enough\? 1 >= 1 is yes/);
  assert.match(sides[1].querySelector(".ctx-says").textContent, /^Are there enough\? 1 > 1 is no/);
  const row = find(".ctx-pair[aria-current]");
  assert.equal(row.querySelector(".ctx-pair-verdict").textContent, " other answer first difference");
  assert.equal(row.querySelectorAll(".ctx-pair-verdict .ctx-icon").length, 2);
  assert.equal(all(".ctx-first").length, 1);
  cleanup();
});

test("runs that do not part say so, and open at their first steps", () => {
  for (const name of ["same", "harmless"]) {
    const { text, steps, all, button, cleanup } = openComparison(name);
    const [head, more] = comparison(name).lines;
    assert.deepEqual([text(".ctx-parting-head"), text(".ctx-parting-line")], [head, more]);
    assert.match(text(".ctx-parting-head"), /^No decision tells the two runs apart/);
    assert.deepEqual(steps(), [0, 0]);
    assert.equal(all(".ctx-first").length, 0);
    assert.equal(button("previousDifference").getAttribute("aria-disabled"), "true");
    cleanup();
  }
});

test("one row per pair or lone decision: both sentences, and what the pair comes to", () => {
  const state = comparison("slip");
  const { all, cleanup } = openComparison("slip");
  const rows = all(".ctx-pair.ctx-row");
  assert.equal(rows.length, state.pairs.length);
  const indexes = state.sides.map(({ trace, clipped }) => buildIndex(trace, clipped));
  rows.forEach((row, number) => {
    state.pairs[number].forEach((decision, which) => {
      const shown = row.querySelectorAll(".ctx-pair-side")[which];
      assert.ok(shown.textContent.startsWith(state.names[which]));
      if (decision === null) assert.match(shown.textContent, /does not ask this$/);
      else assert.equal(shown.title, sentence(indexes[which], decision));
    });
  });
  const words = rows.map((row) => row.querySelector(".ctx-pair-verdict > span").textContent.trim());
  assert.deepEqual(words.slice(2, 5), ["same", "other answer", "only yours"]);
  cleanup();
});

test("the shared transport puts both sides at the same pair", () => {
  const { stops } = comparison("budget");
  const { button, steps, press, cleanup } = openComparison("budget");
  const row = 18;
  button("nextDecision").click();
  assert.deepEqual(steps(), stops[row + 1]);
  press("p");
  press("p");
  assert.deepEqual(steps(), stops[row - 1]);
  press("d");
  assert.deepEqual(steps(), stops[row]);
  press("D");
  assert.deepEqual(steps(), stops[0], "other values");
  press("End");
  assert.deepEqual(steps(), [243, 90]);
  assert.equal(button("step").getAttribute("aria-disabled"), "true");
  press("Home");
  assert.deepEqual(steps(), [0, 0]);
  press("ArrowRight");
  assert.deepEqual(steps(), [1, 1]);
  press("ArrowLeft");
  assert.deepEqual(steps(), [0, 0]);
  cleanup();
});

test("the budget that differs is marked on both sides, what is the same is not", () => {
  const { sides, cleanup } = openComparison("budget");
  for (const side of sides) {
    const differing = [...side.querySelectorAll(".ctx-differs")];
    assert.deepEqual(differing.map((node) => /^\w+/.exec(node.textContent)[0]), ["budget"]);
    assert.match(differing[0].textContent, / differs$/);
    assert.equal(differing[0].querySelectorAll(".ctx-icon").length, 1);
  }
  cleanup();
});

test("one side steps alone; together again brings the other there", () => {
  const { sides, steps, press, find, text, cleanup } = openComparison("budget");
  const rejoin = find(".ctx-rejoin");
  assert.equal(rejoin.getAttribute("aria-disabled"), "true");
  press("ArrowRight", sides[0]);
  assert.deepEqual(steps(), [89, 88]);
  sides[1].querySelector('.ctx-side-head [data-move="back"]').click();
  assert.deepEqual(steps(), [89, 87]);
  assert.equal(sides[1].querySelector(".ctx-position").textContent, "step 87 of 90");
  assert.equal(text(".ctx-side-0 .ctx-position"), "step 89 of 243");
  assert.equal(rejoin.getAttribute("aria-disabled"), null);
  rejoin.click();
  assert.deepEqual(steps(), comparison("budget").stops[17], "at the decision of the side moved last");
  assert.equal(rejoin.getAttribute("aria-disabled"), "true");
  cleanup();
});

test("a shared move goes on from the side that was moved last, and takes the other along", () => {
  const { stops } = comparison("budget");
  const { sides, steps, press, cleanup } = openComparison("budget");
  for (let i = 0; i < 3; i++) press("n", sides[0]);
  assert.deepEqual(steps(), [stops[21][0], 88]);
  press("n");
  assert.deepEqual(steps(), stops[22]);
  press("p", sides[1]);
  press("t");
  assert.deepEqual(steps(), stops[18]);
  cleanup();
});

test("a row goes there by click, and keeps the focus", () => {
  const { stops } = comparison("budget");
  const { all, steps, dom, press, cleanup } = openComparison("budget");
  const row = all(".ctx-pair.ctx-row").find((node) => node.closest("[data-row]").dataset.row === "17");
  row.focus();
  row.click();
  assert.deepEqual(steps(), stops[17]);
  assert.equal(dom.window.document.activeElement.closest("[data-row]").dataset.row, "17");
  assert.equal(dom.window.document.activeElement.getAttribute("aria-current"), "step");
  press("n", dom.window.document.activeElement);
  assert.deepEqual(steps(), stops[18], "the shared keys work from the table");
  cleanup();
});

test("the live region says where both are, and which side was moved alone", async () => {
  const { press, sides, text, all, cleanup } = openComparison("slip");
  assert.equal(all('[role="status"]').length, 1, "one voice for the whole page");
  press("p");
  press("n");
  assert.equal(text(".ctx-live"), "");
  await wait(300);
  const [ours, theirs] = text(".ctx-live").split(" yours: ");
  assert.match(ours, /^other answer\. reference: step 12, line \d+\. Are there enough\? 1 >= 1 is yes\./);
  assert.match(theirs, /^step 12, line \d+\. Are there enough\? 1 > 1 is no\./);
  press("ArrowRight", sides[1]);
  await wait(300);
  assert.match(text(".ctx-live"), /^yours: Step 13 of 25, line \d+\./);
  press("Home");
  press("p");
  await wait(300);
  assert.equal(text(".ctx-live"), "No decision before this one.");
  cleanup();
});

test("a burst of moves sends few messages, and the last position always", async () => {
  const { press, model, sides, cleanup } = openComparison("long");
  const sent = [];
  model.save_changes = () => sent.push(model.get("steps"));
  for (let i = 0; i < 40; i++) press("n");
  assert.equal(sent.length, 1);
  await wait(400);
  assert.deepEqual(sent.at(-1), model.get("steps"));
  assert.ok(sent.length <= 3);
  press("ArrowRight", sides[0]);
  cleanup();
  assert.deepEqual(sent.at(-1), model.get("steps"), "taking the page away sends what was not sent");
});

test("the host moves both, and nothing is sent back", async () => {
  const { model, text, cleanup } = openComparison("budget");
  model.set("steps", [4, 100_000]);
  assert.equal(text(".ctx-side-0 .ctx-position"), "step 4 of 243");
  assert.equal(text(".ctx-side-1 .ctx-position"), "step 90 of 90");
  await wait(300);
  assert.equal(model.saves, 0);
  cleanup();
});

test("histories that alone differ: it opens where they were changed, and the difference leads there", () => {
  const { divergence, lines } = comparison("in-place");
  const { steps, text, all, press, button, cleanup } = openComparison("in-place");
  assert.equal(divergence.kind, "input");
  assert.deepEqual(steps(), [divergence.left, divergence.right]);
  assert.equal(text(".ctx-parting-head"), lines[0]);
  assert.equal(lines[0], "No decision tells the two runs apart; the histories differ at the end.");
  assert.deepEqual(all(".ctx-parting-line").map((node) => node.textContent), lines.slice(1));
  assert.match(text(".ctx-side-0 .ctx-code .ctx-now"), /messages\[:\] = candidate/);
  press("Home");
  assert.equal(button("nextDifference").getAttribute("aria-disabled"), null);
  press("d");
  assert.deepEqual(steps(), [divergence.left, divergence.right]);
  assert.equal(button("nextDifference").getAttribute("aria-disabled"), "true");
  press("End");
  press("D");
  assert.deepEqual(steps(), [divergence.left, divergence.right]);
  cleanup();
});

test("runs without decisions are stepped through all the same", () => {
  const { press, steps, text, find, cleanup } = openComparison("no-decision");
  assert.equal(text(".ctx-parting-head"), "They part here: only reference does this.");
  assert.match(text(".ctx-pairs-title"), /Neither run decided anything\.$/);
  assert.equal(find(".ctx-pair"), null);
  press("n");
  press("d");
  assert.deepEqual(steps(), [1, 1], "they part there already");
  press("ArrowRight");
  assert.deepEqual(steps(), [2, 2]);
  cleanup();
});

test("a run without steps says so, and the other one is shown", () => {
  const state = comparison("no-decision");
  const [whole, { trace, ...rest }] = state.sides;
  const steps = { place: [], turns: [] };
  const none = { step: [], frame: [], name: [], value: [] };
  const empty = { ...trace, steps, variables: none, calls: [], histories: [], frames: [] };
  const { text, press, all, cleanup } = openComparison("no-decision", {
    sides: [whole, { ...rest, trace: empty }],
    divergence: null,
    steps: [0, 0],
  });
  assert.equal(text(".ctx-side-1"), "yoursThis run has no steps.");
  assert.equal(all(".ctx-side .ctx-player").length, 1);
  press("End");
  assert.equal(text(".ctx-side-0 .ctx-position"), "step 2 of 2");
  cleanup();
});

test("other functions on other scenarios: what differs is said", () => {
  const { text, cleanup } = openComparison("unlike");
  const [functions, scenarios] = text(".ctx-unlike").split(". ");
  assert.equal(functions, "left ran split_history, right ran trim_results");
  assert.equal(scenarios, "left ran on scenario pending, right on scenario old");
  cleanup();
});

test("hostile text stays text", () => {
  const { el, press, cleanup } = openComparison("hostile");
  for (const key of ["Home", "n", "n", "d", "End"]) press(key);
  assert.equal(el.querySelectorAll("img, script, iframe").length, 0);
  assert.equal(globalThis.hacked, undefined);
  assert.ok(el.textContent.includes("<img src=x onerror"));
  assert.doesNotMatch(el.textContent, /[\u202a-\u202e\u2066-\u2069]/);
  cleanup();
});

test("of many decisions only those in view are drawn", () => {
  const { all, press, cleanup } = openComparison("long");
  assert.ok(all(".ctx-pair.ctx-row").length < 40);
  press("End");
  const rows = all(".ctx-item[data-row]").filter((node) => node.querySelector(".ctx-pair"));
  assert.ok(rows.length < 40);
  assert.ok(rows.some((node) => node.dataset.row === "2999"));
  cleanup();
});

test("everything that takes the focus keeps JupyterLab's shortcuts away", () => {
  const { root, all, cleanup } = openComparison("budget");
  for (const node of [root, ...all("button, summary, [tabindex]")])
    assert.equal(node.getAttribute("data-lm-suppress-shortcuts"), "true", node.outerHTML.slice(0, 80));
  cleanup();
});

test("each toolbar is one tab stop", () => {
  const { all, cleanup } = openComparison("budget");
  const bars = all('[role="toolbar"]');
  assert.deepEqual(
    bars.map((bar) => bar.getAttribute("aria-label")),
    ["Stepping both", "Stepping small budget alone", "Stepping large budget alone"],
  );
  for (const bar of bars) assert.equal(bar.querySelectorAll('button[tabindex="0"]').length, 1);
  cleanup();
});

test("one side shows at a time where there is no room: its button says which", () => {
  const { all, find, cleanup } = openComparison("slip");
  const [left, right] = all(".ctx-side-switcher .ctx-switch");
  assert.equal(right.getAttribute("aria-pressed"), "true");
  left.click();
  assert.deepEqual([left, right].map((node) => node.getAttribute("aria-pressed")), ["true", "false"]);
  assert.equal(find(".ctx-sides").dataset.side, "0");
  cleanup();
});

test("a trace that cannot be read is named", () => {
  const { sides } = comparison("slip");
  const later = { trace: { format: "ctxlab.trace/2" } };
  const { text, cleanup } = openComparison("slip", { sides: [sides[0], later] });
  assert.match(text('[role="alert"]'), /reads ctxlab\.trace\/1; the trace says "ctxlab\.trace\/2"/);
  cleanup();
});

test("cleanup takes everything back", async () => {
  const { el, model, press, cleanup } = openComparison("slip");
  assert.ok(model.listening() > 0);
  press("n");
  cleanup();
  assert.equal(model.listening(), 0);
  assert.equal(el.childNodes.length, 0);
  model.set("steps", [0, 0]);
  await wait(300);
  assert.equal(el.childNodes.length, 0);
});
