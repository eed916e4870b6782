// The map: what the run did on the diagrams, where their lines run, and the map on the page; then the facts.
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { openPlayer, payload, player } from "./support/player.mjs";

const { buildIndex, neighbour, nodeStory, placeAt, planOf, stopAfter, takenAt, tallyAt, walkDiagrams } =
  player;

const NAMES = readdirSync(process.env.CTXLAB_PAYLOADS)
  .filter((file) => file.endsWith(".json"))
  .map((file) => file.replace(".json", ""))
  .filter((name) => payload(name).maps);

/** A payload's index, diagrams and walk, and one diagram found by the name of its source. */
function walkOf(name, source) {
  const { trace, clipped, maps } = payload(name);
  const index = buildIndex(trace, clipped);
  const walk = walkDiagrams(index, maps);
  const number = trace.sources.findIndex((one) => one.name === source);
  return { index, maps, walk, diagram: maps[number], walked: walk.walked[number] };
}

const nodeNumber = ({ nodes }, part) =>
  nodes.findIndex(({ label, code }) => `${label} ${code}`.includes(part));
const edgeNumber = ({ edges }, from, to, answer) =>
  edges.findIndex((edge) => edge[0] === from && edge[1] === to && edge[2] === answer);

/** A player with its map open, at a step. */
function openMap(name, changes) {
  const open = openPlayer(name, changes);
  const look = (word) =>
    open
      .all(".ctx-looks .ctx-tab")
      .find((tab) => tab.textContent === word)
      .click();
  look("Map");
  const nodes = () => open.all(".ctx-node");
  const node = (label) =>
    nodes().find((one) => one.querySelector(".ctx-node-label").textContent.startsWith(label));
  return { ...open, look, nodes, node };
}

test("there are diagrams of every kind of function", () => {
  const kinds = new Set(
    NAMES.flatMap((name) => payload(name).maps).flatMap(({ nodes }) => nodes.map(({ kind }) => kind)),
  );
  for (const kind of ["start", "decision", "loop", "call", "step", "refusal", "return"])
    assert.ok(kinds.has(kind), kind);
  assert.ok(NAMES.includes("tangled") && NAMES.includes("recursive") && NAMES.includes("checks-100"));
});

for (const name of NAMES) {
  test(`${name}: each node is reached by an edge, from the node before it in its frame`, () => {
    const { index, maps, walk } = walkOf(name);
    maps.forEach((diagram, number) => {
      const { arrived, crossed } = walk.walked[number];
      const into = diagram.nodes.map(() => new Set());
      crossed.forEach((steps, edge) => steps.forEach((step) => into[diagram.edges[edge][1]].add(step)));
      arrived.forEach((steps, node) => {
        for (const step of steps) {
          assert.equal(walk.nodeAt[step], node);
          assert.ok(diagram.nodes[node].places.includes(index.place[step]));
          if (diagram.nodes[node].kind === "start") assert.equal(placeAt(index, step)[0], "call");
          else assert.ok(into[node].has(step), `${diagram.nodes[node].label} at step ${step}`);
        }
      });
    });
  });

  test(`${name}: decisions are tallied as the trace tells them`, () => {
    const { index, maps, walk } = walkOf(name);
    maps.forEach((diagram, number) => {
      diagram.nodes.forEach(({ site, code }, node) => {
        // A pattern that does not fit is not recorded; the map tells it by where the run went.
        if (site === null || code.startsWith("match ")) return;
        for (const step of [Math.floor(index.length / 2), index.length - 1]) {
          const answers = index.runsOfSite[site]
            .filter((decision) => index.decisionSteps[decision] <= step)
            .map((decision) => (index.trace.decisions.outcome[decision] ? "yes" : "no"));
          const { latest, counts } = tallyAt(diagram, walk.walked[number], node, step);
          assert.equal(latest, answers.at(-1) ?? "");
          const yes = answers.filter((answer) => answer === "yes").length;
          if (yes && yes < answers.length)
            assert.equal(counts, `${player.grouped(yes)} yes, ${player.grouped(answers.length - yes)} no`);
          else assert.equal(counts, answers.length > 1 ? `${player.grouped(answers.length)} times` : "");
        }
      });
    });
  });

  test(`${name}: no lane runs through a node or along another`, () => {
    for (const diagram of payload(name).maps) {
      const { aside, strips, routes } = planOf(diagram);
      const { nodes } = diagram;
      const taken = new Map();
      for (const { from, to, way, strip, slot } of routes) {
        const [above, below] = [nodes[from].row, nodes[to].row];
        if (way === "down") assert.equal(below, above + 1);
        if (way === "across") assert.ok(above === below && aside[to] && !aside[from]);
        if (slot < 0) continue;
        const back = below <= above;
        const rows = back ? [below, above + 0.5] : [above, below];
        const inside = nodes.filter(
          ({ row }, n) => !aside[n] && row > Math.min(above, below) && row < Math.max(above, below),
        );
        if (way === "left") {
          assert.ok(slot < strips[strip]);
          assert.ok(
            inside.every(({ column }) => column >= strip),
            "its strip is left of what it passes",
          );
        } else assert.ok(aside[from]);
        const key = `${way} ${strip} ${slot}`;
        for (const other of taken.get(key) ?? [])
          assert.ok(
            (other.to === to && other.back === back) || rows[1] <= other.rows[0] || other.rows[1] <= rows[0],
            `${key}: ${nodes[from].label} and another`,
          );
        taken.set(key, [...(taken.get(key) ?? []), { to, back, rows }]);
      }
    }
  });
}

test("the last round of a loop leads on by its done, though nothing stops there", () => {
  const { diagram, walked } = walkOf("split-normal", "split_history");
  const loop = nodeNumber(diagram, "for at in");
  const [call, end] = [loop + 1, loop + 2];
  const times = (from, to, answer) => walked.crossed[edgeNumber(diagram, from, to, answer)].length;
  assert.deepEqual([times(loop, call, "each"), times(call, loop, ""), times(loop, end, "done")], [2, 2, 1]);
  assert.deepEqual(tallyAt(diagram, walked, loop, 1e6), { latest: "done", counts: "2 rounds" });
});

test("a loop that ends by break is not done, and one that never runs has no rounds", () => {
  const { diagram, walked } = walkOf("tangled", "tangled");
  const digits = nodeNumber(diagram, "for digit");
  const done = diagram.edges.findIndex(([from, , answer]) => from === digits && answer === "done");
  assert.equal(walked.crossed[done].length, 0);
  assert.deepEqual(tallyAt(diagram, walked, digits, 1e6), { latest: "", counts: "8 rounds" });
  const words = nodeNumber(diagram, "for _ in words");
  assert.deepEqual(tallyAt(diagram, walked, words, 1e6), { latest: "done", counts: "5 rounds" });
  const early = walkOf("tangled-early", "tangled");
  assert.deepEqual(tallyAt(early.diagram, early.walked, words, 1e6), { latest: "", counts: "" });
});

test("a loop that was not broken ends by its done, not by the way of its break", () => {
  const { diagram, walked } = walkOf("unbroken", "first_over");
  const taken = diagram.edges.filter((_, edge) => walked.crossed[edge].length);
  const [loop, over, end] = ["for number", "number > limit", "return"].map((part) =>
    nodeNumber(diagram, part),
  );
  assert.deepEqual(taken.slice(1), [
    [loop, over, "each"],
    [over, loop, "no"],
    [loop, end, "done"],
  ]);
  assert.equal(walked.crossed[edgeNumber(diagram, over, end, "yes")].length, 0);
});

test("a condition asked for each item keeps both answers, and an error leads to its handler", () => {
  const { diagram, walked } = walkOf("tangled", "tangled");
  const items = diagram.nodes.findIndex(({ code }) => code === "item > 5");
  assert.deepEqual(tallyAt(diagram, walked, items, 1e6), { latest: "yes", counts: "1 yes, 1 no" });
  assert.equal(walked.arrived[items].length, 1);
  const leaving = diagram.edges.flatMap(([from], edge) =>
    from === items ? [walked.crossed[edge].length] : [],
  );
  assert.deepEqual(leaving, [1, 1]);
  const handler = nodeNumber(diagram, "except ZeroDivisionError");
  assert.equal(walked.arrived[handler].length, 1);
});

test("a pattern that fits but whose guard says no is a no", () => {
  const { diagram, walked } = walkOf("tangled", "tangled");
  const guarded = nodeNumber(diagram, "case number if number > 6");
  assert.deepEqual(tallyAt(diagram, walked, guarded, 1e6), { latest: "no", counts: "1 yes, 1 no" });
  assert.equal(tallyAt(diagram, walked, nodeNumber(diagram, "case 1"), 1e6).latest, "no");
});

test("a function that calls itself: each frame goes its own way", () => {
  const { index, diagram, walked } = walkOf("recursive", "halved");
  const calls = index.trace.frames.length;
  assert.ok(calls > 4);
  assert.equal(walked.arrived[0].length, calls);
  assert.deepEqual(tallyAt(diagram, walked, 1, index.length), {
    latest: "yes",
    counts: `1 yes, ${calls - 1} no`,
  });
});

test("taken, later, never: as seen from a step", () => {
  const { index, diagram, walked } = walkOf("prepare-summary", "prepare_context");
  const summarize = nodeNumber(diagram, "summarize(");
  const [at] = walked.arrived[summarize];
  const state = (node, step) => takenAt(index, walked.arrived[node], step);
  assert.deepEqual([state(summarize, at - 1), state(summarize, at)], ["later", "taken"]);
  assert.equal(state(nodeNumber(diagram, "refuses: summaries_spent"), index.length - 1), "never");
});

test("a click leads to the next time at the node itself, not to what comes before it", () => {
  const { index, diagram, walked } = walkOf("prepare-summary", "prepare_context");
  const summarize = nodeNumber(diagram, "summarize(");
  const to = stopAfter(walked, summarize, 0);
  assert.deepEqual(placeAt(index, to).slice(0, 3), ["line", 0, diagram.nodes[summarize].line]);
  assert.ok(walked.arrived[summarize][0] < to, "an earlier line belongs to the node too");
  const fits = nodeNumber(diagram, "size <= budget");
  assert.equal(placeAt(index, stopAfter(walked, fits, 0))[0], "decision");
  assert.equal(
    stopAfter(walked, fits, index.length),
    stopAfter(walked, fits, 0),
    "after the last, the first",
  );
  assert.equal(stopAfter(walked, nodeNumber(diagram, "refuses: bad_summary"), 0), -1);
});

test("a node tells what it answered, and where its arms lead", () => {
  const { diagram } = walkOf("split-normal", "split_history");
  const pending = nodeNumber(diagram, "len(messages) % 2");
  assert.equal(
    nodeStory(diagram, pending, "taken", { latest: "no", counts: "" }),
    "Taken. Answer: no. Yes leads to: refuses: pending. " +
      "No leads to: 3. Group the pairs. A broken pair stops here.",
  );
  assert.equal(nodeStory(diagram, pending + 1, "never", { latest: "", counts: "" }), "Not in this run.");
  const often = nodeStory(diagram, pending, "taken", { latest: "no", counts: "1 yes, 2 no" });
  assert.match(often, /^Taken\. Answers: 1 yes, 2 no; the last is no\. Yes leads/);
});

test("arrow keys follow the layout", () => {
  const { nodes } = walkOf("split-normal", "split_history").diagram;
  const go = (from, key) => neighbour(nodes, from, `Arrow${key}`);
  const first = nodes.findIndex(({ kind }) => kind === "refusal");
  assert.equal(go(first - 1, "Right"), first);
  assert.equal(go(first, "Left"), first - 1);
  assert.equal(go(first, "Down"), first + 2, "aside, from refusal to refusal");
  assert.equal(go(first - 1, "Down"), first + 1);
  assert.equal(go(first + 1, "Up"), first - 1);
  assert.equal(go(0, "Up"), -1);
  assert.equal(go(0, "Right"), -1);
  assert.equal(go(nodes.length - 1, "Down"), -1);
});

test("the map takes the place of the source, by tab or by key, and follows the source tabs", () => {
  const { find, all, text, press, look, nodes, cleanup } = openMap("prepare-summary");
  assert.equal(find(".ctx-code"), null);
  assert.equal(find(".ctx-drawing").getAttribute("aria-label"), "Map of prepare_context");
  all(".ctx-tabs[aria-label=Sources] .ctx-tab")[2].click();
  assert.equal(find(".ctx-drawing").getAttribute("aria-label"), "Map of split_history");
  assert.ok(nodes().length > 5);
  press("n");
  assert.equal(
    find(".ctx-drawing").getAttribute("aria-label"),
    "Map of check_arguments",
    "it follows the run",
  );
  press("m");
  assert.equal(find(".ctx-map"), null);
  assert.equal(
    text('.ctx-code [aria-current="step"] .ctx-gutter'),
    String(text(".ctx-where").match(/line (\d+)/)[1]),
  );
  look("Map");
  assert.equal(find(".ctx-code"), null);
  cleanup();
});

test("the map marks the step, what was taken, and the call that is running", () => {
  const { find, all, model, node, cleanup } = openMap("prepare-summary");
  const { index, diagram, walked, walk } = walkOf("prepare-summary", "prepare_context");
  for (let step = 0; step < index.length; step += 9) {
    model.set("step", step);
    const now = all('.ctx-node[aria-current="step"]');
    assert.equal(now.length, 1);
    assert.equal(now[0].dataset.node, String(walk.nodeAt[step]));
  }
  model.set("step", index.length - 1);
  const taken = all('.ctx-nodes .ctx-node:not([data-state="never"])').map((one) => Number(one.dataset.node));
  assert.deepEqual(
    taken,
    diagram.nodes.flatMap((_, n) => (walked.arrived[n].length ? [n] : [])),
  );
  assert.equal(
    find(".ctx-lines-taken").childElementCount,
    walked.crossed.filter((steps) => steps.length).length,
  );
  assert.equal(find(".ctx-lines-later").childElementCount, 0);
  const inCall = index.firstStep[1];
  model.set("step", inCall);
  all(".ctx-tabs[aria-label=Sources] .ctx-tab")[0].click();
  assert.equal(all(".ctx-node[aria-current]").length, 0);
  assert.match(node("1. Check the arguments").textContent, /A call made here is running\.$/);
  assert.equal(node("1. Check the arguments").dataset.state, "waiting");
  cleanup();
});

test("an answer of an earlier time is hidden while the condition is to come", () => {
  const { find, model, cleanup } = openMap("trim-trim");
  const { diagram, walked } = walkOf("trim-trim", "trim_results");
  const long = nodeNumber(diagram, "Is this old text over the limit?");
  const badge = () => find(`[data-node="${long}"] .ctx-badge`);
  const [, second] = walked.arrived[long];
  model.set("step", second);
  assert.ok(badge().classList.contains("ctx-earlier"));
  model.set("step", second + 1);
  assert.equal(badge().classList.contains("ctx-earlier"), false);
  assert.match(badge().textContent, /^yes2 times$/);
  cleanup();
});

test("a node goes to where the run is there; if it is not, that is said", async () => {
  const { model, node, text, cleanup } = openMap("prepare-summary");
  const { index, diagram, walked } = walkOf("prepare-summary", "prepare_context");
  const fits = nodeNumber(diagram, "size <= budget");
  node("Does the history fit").click();
  const [step] = walked.stops[fits];
  assert.equal(model.get("step"), step);
  assert.equal(text(".ctx-map-notice"), "");
  node("Does the history fit").click();
  assert.equal(model.get("step"), step);
  assert.equal(text(".ctx-map-notice"), "The run is there now, and not again.");
  const last = index.length - 1;
  model.set("step", last);
  node("Does the history fit").click();
  assert.equal(model.get("step"), step);
  await wait(300);
  assert.match(
    text(".ctx-live"),
    new RegExp(`^Not again after step ${last}: back to the first time\\. Step ${step} of`),
  );
  node("refuses: bad_summary").click();
  assert.equal(model.get("step"), step);
  await wait(300);
  assert.equal(text(".ctx-live"), "This run does not reach it.");
  assert.equal(text(".ctx-map-notice"), "This run does not reach it.");
  model.set("step", 0);
  assert.equal(text(".ctx-map-notice"), "");
  cleanup();
});

test("the map is one tab stop; arrows go from node to node and never step", () => {
  const { all, node, nodes, press, model, dom, cleanup } = openMap("split-normal", { step: 4 });
  const stops = () => nodes().filter((one) => one.getAttribute("tabindex") === "0");
  assert.deepEqual(stops(), all('.ctx-node[aria-current="step"]'));
  const decision = node("Is the last call still");
  decision.focus();
  assert.deepEqual(stops(), [decision]);
  press("ArrowRight", {}, decision);
  assert.equal(dom.window.document.activeElement, node("refuses: pending"));
  press("ArrowRight", {}, node("refuses: pending"));
  press("ArrowLeft", {}, node("refuses: pending"));
  press("ArrowLeft", {}, decision);
  press("ArrowUp", {}, decision);
  assert.equal(model.get("step"), 4, "nothing stepped");
  assert.equal(dom.window.document.activeElement, node("Is the first message"));
  press("n", {}, node("Is the first message"));
  assert.notEqual(model.get("step"), 4, "other keys are the player's");
  assert.equal(dom.window.document.activeElement, node("Is the first message"));
  for (const one of nodes()) assert.equal(one.getAttribute("data-lm-suppress-shortcuts"), "true");
  cleanup();
});

test("before a prediction the map says of nothing that it is never taken", async () => {
  const { all, find, node, model, text, cleanup } = openMap("ask-outcome");
  const stop = payload("ask-outcome").questions[0].step;
  model.set("step", stop);
  assert.equal(all('[data-state="never"]').length, 0);
  assert.equal(find(".ctx-lines-never").childElementCount, 0);
  assert.doesNotMatch(text(".ctx-map-foot"), /not in this run/);
  assert.ok(all(".ctx-map .ctx-lines-later > g").length > 2);
  node("refuses: pending").click();
  assert.equal(model.get("step"), stop);
  assert.equal(text(".ctx-map-notice"), "It is not reached yet: answer first.");
  cleanup();
});

test("the map stays open when another trace comes, and one that cannot be drawn says so", async () => {
  const { model, find, text, cleanup } = openMap("prepare-summary");
  const other = payload("split-mismatch");
  for (const name of ["clipped", "cards", "encoding", "heading", "maps"]) model.set(name, other[name]);
  model.set("step", 0);
  model.set("trace", other.trace);
  await Promise.resolve();
  assert.equal(find(".ctx-drawing").getAttribute("aria-label"), "Map of split_history");
  model.set(
    "maps",
    other.maps.map(() => ({ nodes: [], edges: [] })),
  );
  await Promise.resolve();
  assert.match(text(".ctx-map"), /^No map: the Python that made this page could not read this source\.$/);
  cleanup();
});

test("hostile text on a node stays text, also where it cannot be seen", () => {
  const { maps } = payload("split-normal");
  const evil = "<img src=x onerror='window.hacked = 1'>\u202egpj.exe\u200b";
  for (const node of maps[0].nodes) Object.assign(node, { label: evil, code: `${evil}()` });
  const { el, nodes, cleanup } = openMap("split-normal", { maps });
  assert.equal(el.querySelectorAll("img, script").length, 0);
  assert.doesNotMatch(el.querySelector(".ctx-map").outerHTML, /[\u202a-\u202e\u200b]/);
  assert.match(nodes()[0].title, /U\+202E/);
  cleanup();
});

test("the checks say of each fact whether it is kept or lost", () => {
  const { all, panel, text, find, cleanup } = openPlayer("prepare-summary");
  panel(3);
  const facts = payload("prepare-summary").trace.checks.facts;
  const told = all(".ctx-facts-kept li").map((line) => [...line.children].map((part) => part.textContent));
  assert.deepEqual(
    told,
    facts.map(({ kind, text: said, kept }) => [`${kind} ${kept ? "kept" : "LOST"}`, said]),
  );
  assert.ok(facts.some(({ kept }) => kept) && facts.some(({ kept }) => !kept));
  const shapes = all(".ctx-facts-kept li").map((line) => line.querySelector("path").getAttribute("d"));
  assert.equal(new Set(shapes).size, 2);
  assert.equal(find(".ctx-facts-kept li").querySelector("img"), null);
  assert.match(text(".ctx-facts-kept"), /^Facts that must survive/);
  cleanup();
});

test("where no fact is judged, the checks say why", () => {
  const said = (name, change = (trace) => trace) => {
    const { panel, text, cleanup } = openPlayer(name, { trace: change(payload(name).trace) });
    panel(3);
    const told = text(".ctx-facts-kept li");
    cleanup();
    return told;
  };
  assert.equal(said("prepare-pending"), "Nothing is lost, for the input stays as it was.");
  const altered = (trace) => ({ ...trace, checks: { ...trace.checks, input_unchanged: false } });
  assert.equal(said("prepare-pending", altered), "Not judged: no candidate, and the input was changed.");
  const none = (trace) => ({ ...trace, checks: { ...trace.checks, facts: [] } });
  assert.equal(said("prepare-summary", none), "The input says none of them.");
  assert.equal(said("window"), "", "no scenario, no facts");
});

test("unseen characters of a fact are marked, and before a prediction there is none", () => {
  const evil = { kind: "rule", text: "<b>no</b>\u202eelif", kept: false };
  const { trace } = payload("prepare-summary");
  const { panel, find, cleanup } = openPlayer("prepare-summary", {
    trace: { ...trace, checks: { ...trace.checks, facts: [evil] } },
  });
  panel(3);
  assert.equal(find(".ctx-facts-kept .ctx-cell").textContent, "<b>no</b>U+202Eelif");
  cleanup();
  const asked = openPlayer("ask-outcome");
  asked.panel(3);
  assert.equal(asked.find(".ctx-facts-kept"), null);
  asked.cleanup();
});
