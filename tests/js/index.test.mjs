// The pure functions of the player: what they say about real traces must be what Python says.
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { test } from "node:test";
import { indexOf, payload, player, stepsWhere } from "./support/player.mjs";

const {
  alignedRows,
  breakpointSteps,
  buildIndex,
  cellsAt,
  changedObjects,
  decisionParts,
  describe,
  fateAt,
  hasNames,
  historyAt,
} = player;
const {
  MOVES,
  missingHalves,
  placeAt,
  pythonLines,
  sentence,
  splitIds,
  stackAt,
  stepValueText,
  variableChange,
  variablesAt,
  visibleParts,
  why,
} = player;
const NAMES = readdirSync(process.env.CTXLAB_PAYLOADS)
  .filter((file) => file.endsWith(".json"))
  .map((file) => file.replace(".json", ""));
const SMALL = NAMES.filter((name) => payload(name).expected.variables);

/** A cell at a step as a plain value, in the JSON form of the Python value. */
function plain(index, cell, step) {
  if (cell === null || typeof cell === "boolean" || typeof cell === "string") return cell;
  if (Array.isArray(cell))
    return cell[0] === "#" ? Number(cell[1]) : cell[0] === "~" ? `${cell[1]}…` : cell[0];
  if (cell % 2) return index.trace.strings[(cell - 1) / 2];
  const [kind, ...cells] = cellsAt(index, cell / 2, step);
  const values = cells.map((child) => plain(index, child, step));
  if (!hasNames(kind)) return values;
  return Object.fromEntries(
    Array.from({ length: values.length / 2 }, (_, i) => [values[2 * i], values[2 * i + 1]]),
  );
}

test("there are payloads of every kind", () => {
  assert.ok(SMALL.length >= 40 && NAMES.includes("trim-1001") && NAMES.includes("hostile"));
});

for (const name of NAMES) {
  test(`${name}: every decision is told in the words of Python`, () => {
    const index = indexOf(name);
    const { sentences } = payload(name).expected;
    assert.equal(index.decisionSteps.length, sentences.length);
    // The cut of a history shortened for the page is told with its full length, so the sentences agree there too.
    sentences.forEach((expected, number) => assert.equal(sentence(index, number), expected));
  });
}

test("the variables of the entry function are those that Python replays", () => {
  for (const name of SMALL) {
    const index = indexOf(name);
    for (const [step, expected] of Object.entries(payload(name).expected.variables)) {
      const found = variablesAt(index, 0, Number(step)).map((variable) => [
        variable.name,
        plain(index, variable.value, Number(step)),
      ]);
      assert.deepEqual(Object.fromEntries(found), expected, `${name}, step ${step}`);
    }
  }
});

test("a history at any step is what its splices give one after the other", () => {
  for (const name of ["prepare-summary", "trim-trim", "trim-1001", "broken"]) {
    const index = indexOf(name);
    const steps = stepsWhere(index, (step) => step % 97 === 0 || step === index.length - 1);
    for (const step of [...steps, ...steps.reverse()]) {
      for (const which of [0, 1]) {
        const messages = [];
        let bytes = 0;
        for (const [at, of, position, removed, added, size] of index.trace.histories) {
          if (of !== which || at > step) continue;
          messages.splice(position, removed, ...added);
          bytes = size;
        }
        const history = historyAt(index, which, step);
        assert.deepEqual([...history.messages], messages, `${name}, history ${which} at ${step}`);
        assert.equal(history.bytes, bytes);
      }
    }
  }
});

test("a cut is illegal exactly where a call before it has its result after it", () => {
  const call = (...calls) => ({ kind: "call", calls, results: [], served: [] });
  const result = (...results) => ({ kind: "result", calls: [], results, served: [] });
  const text = { kind: "text", calls: [], results: [], served: [] };
  const cuts = (...cards) => splitIds(cards).map((ids) => ids.join(" "));
  assert.deepEqual(cuts(text, call("a"), result("a"), text), ["", "", "a", ""]);
  assert.deepEqual(cuts(call("a", "b"), result("b"), result("a")), ["", "b a", "a"]);
  assert.deepEqual(cuts(call("a"), text, call("b"), result("b"), result("a")), ["", "a", "a", "a b", "a"]);
  assert.deepEqual(cuts(call("a"), text, text), ["", "", ""], "an open call can be cut off");
  assert.deepEqual(cuts(result("a"), call("a")), ["", ""], "a result before its call is no pair");
  assert.deepEqual(
    cuts(call("a"), result("a"), call("a"), result("a")),
    ["", "a", "", "a"],
    "an id may come again",
  );
  assert.deepEqual(cuts(call("a"), result("a"), result("a")), ["", "a", "a"], "a call may be answered twice");
});

test("in every shape a cut is legal where Python says so", () => {
  const cases = payload("cuts/all");
  for (const { name, cards, legal } of cases) {
    const found = splitIds(cards).flatMap((ids, cut) => (ids.length ? [] : [cut]));
    assert.deepEqual([...found, cards.length], legal, name);
  }
  const turns = cases.filter(({ cards }) => splitIds(cards).flat().includes("the model's turn"));
  assert.ok(turns.length > 5, "turns of several items are among them");
});

test("half of a pair is missing where no later result answers, or no earlier call asked", () => {
  const call = (...calls) => ({ kind: "call", calls, results: [], served: [] });
  const result = (...results) => ({ kind: "result", calls: [], results, served: [] });
  assert.deepEqual(missingHalves([call("a"), result("a")]), ["", ""]);
  assert.deepEqual(missingHalves([call("a", "b"), result("a")]), ["no result", ""]);
  assert.deepEqual(missingHalves([result("a"), call("a")]), ["no call", "no result"]);
  const twice = missingHalves([call("a"), call("a"), result("a")]);
  assert.deepEqual(twice, ["no result", "", ""], "a result answers the nearest call");
  assert.deepEqual(missingHalves([call("a"), result("a"), result("a")]), ["", "", ""]);
  const served = { ...call("a"), served: ["a"] };
  assert.deepEqual(missingHalves([served]), [""], "the provider answers it");
  assert.deepEqual(missingHalves([{ ...result("a"), served: ["a"] }]), [""]);
});

test("matched messages share a row, and no message is lost", () => {
  const { rows, itemAt, rowOf } = alignedRows(Int32Array.of(0, -1, -1, 1, -1), 3);
  assert.equal(rows, 5);
  assert.deepEqual([...itemAt[0].slice(0, rows)], [0, 1, 2, 3, 4]);
  assert.deepEqual([...itemAt[1].slice(0, rows)], [0, -1, -1, 1, 2]);
  assert.deepEqual([...rowOf[1]], [0, 3, 4]);
  const crossed = alignedRows(Int32Array.of(2, 0, 1), 3);
  assert.deepEqual([...crossed.rowOf[0]].length, 3);
  assert.deepEqual(
    [...crossed.itemAt[1].slice(0, crossed.rows)].filter((item) => item >= 0),
    [0, 1, 2],
  );
});

test("moves lead where they say", () => {
  const index = indexOf("prepare-summary");
  const none = new Int32Array(0);
  const depth = (step) => index.trace.frames[index.frame[step]][1];
  for (let step = 0; step < index.length; step++) {
    const over = MOVES.over(index, step, none);
    assert.ok(over === -1 ? step === index.length - 1 : depth(over) <= depth(step));
    for (let between = step + 1; between < over; between++) assert.ok(depth(between) > depth(step));
    const out = MOVES.out(index, step, none);
    if (depth(step) > 0) assert.ok(depth(out) < depth(step));
    const decision = MOVES.nextDecision(index, step, none);
    assert.equal(
      decision,
      stepsWhere(index, (at) => at > step && placeAt(index, at)[0] === "decision")[0] ?? -1,
    );
    if (decision >= 0) assert.ok(MOVES.previousDecision(index, decision, none) <= step);
  }
  assert.equal(MOVES.back(index, 0, none), -1);
  assert.equal(MOVES.start(index, 0, none), -1);
  assert.equal(MOVES.step(index, index.length - 1, none), -1);
});

test("breakpoints stop before their line, on every visit", () => {
  const index = indexOf("prepare-summary");
  const checked = index.trace.sources.findIndex(({ name }) => name === "checked_exchange");
  // On a condition's line: the decision is a second stop there, but no second visit.
  const { function: source, line } = index.trace.sites.find((site) => site.function === checked);
  const steps = breakpointSteps(index, [[source, line]]);
  assert.deepEqual(
    [...steps],
    stepsWhere(index, (step) => placeAt(index, step).slice(0, 3).join() === `line,${source},${line}`),
  );
  assert.ok(steps.length > 1);
  assert.equal(MOVES.nextBreakpoint(index, steps[0], steps), steps[1]);
  assert.equal(MOVES.previousBreakpoint(index, steps[0], steps), -1);
});

test("a change of a text deep inside a list is a change of the list's variable", () => {
  const index = indexOf("trim-trim");
  const { step } = index.trace.provenance.find(({ fate }) => fate === "trimmed");
  const next = variableChange(index, 0, "candidate", step, 1);
  assert.equal(next, step + 1, "the change shows one step after the line that makes it");
  const candidate = variablesAt(index, 0, next).find(({ name }) => name === "candidate");
  assert.ok(changedObjects(index, next).has(candidate.value / 2));
  assert.ok(!changedObjects(index, step).has(candidate.value / 2));
  assert.ok([...index.changeSteps].includes(next));
});

test("a fate is not told before the step that decides it", () => {
  const index = indexOf("trim-trim");
  const trimmed = index.trace.provenance.find(({ fate }) => fate === "trimmed");
  const at = (step) => fateAt(index, 0, trimmed.from, index.fates.input[trimmed.from], step);
  assert.equal(at(trimmed.step - 1).state, "undecided");
  assert.equal(at(trimmed.step).state, "now");
  assert.equal(at(trimmed.step + 1).state, "done");
  assert.equal(at(trimmed.step + 1).fate.fate, "trimmed");
  const refused = indexOf("prepare-pending");
  assert.equal(fateAt(refused, 0, 0, refused.fates.input[0], refused.length - 1).state, "none");
});

test("why a message was trimmed is the decision that controls the line", () => {
  const index = indexOf("trim-trim");
  const { step } = index.trace.provenance.find(({ fate }) => fate === "trimmed");
  assert.match(why(index, step), /^Is the marker .* is yes\. /);
});

test("the slider's words name step, line and outcome", () => {
  const index = indexOf("prepare-summary");
  const fits = [...index.decisionSteps.keys()].find(
    (number) => decisionParts(index, number).site.source === "size <= budget",
  );
  const step = index.decisionSteps[fits];
  assert.match(
    stepValueText(index, step),
    new RegExp(`^step ${step} of ${index.length - 1}, line \\d+: \\d+ <= 1600 is no$`),
  );
});

test("callers are found from the running frame outwards", () => {
  const index = indexOf("prepare-trim");
  const deepest =
    stepsWhere(index, (step) => index.trace.frames[index.frame[step]][1] === 3)[0] ??
    stepsWhere(index, (step) => index.trace.frames[index.frame[step]][1] === 2)[0];
  const depths = stackAt(index, deepest).map((frame) => index.trace.frames[frame][1]);
  assert.deepEqual(
    depths,
    Array.from({ length: depths.length }, (_, i) => depths.length - 1 - i),
  );
});

test("values are described in few words", () => {
  const index = indexOf("hostile");
  const long = index.trace.strings.findIndex((text) => text.startsWith("AAAA"));
  assert.equal(describe(index, 2 * long + 1, 0), `"${"A".repeat(40)}…" (2000000 characters)`);
  assert.deepEqual(
    [null, true, [5], ["#", "0.5"], "<lambda>", ["~", "ab", 99]].map((cell) => describe(index, cell, 0)),
    ["None", "True", "5", "0.5", "<lambda>", '"ab…" (99 characters)'],
  );
});

for (const [payloadName, variable, kind] of [
  ["values", "seen", "dict"],
  ["window", "candidate", "list"],
])
  test(`a ${kind} that grows and shrinks is described by its size at each step`, () => {
    const index = indexOf(payloadName);
    const held = variablesAt(index, 0, index.length - 1).find(({ name }) => name === variable).value;
    const sizes = new Set();
    for (let step = 0; step < index.length; step++) {
      if (!variablesAt(index, 0, step).some(({ name }) => name === variable)) continue;
      const cells = cellsAt(index, held / 2, step).length - 1;
      const size = kind === "dict" ? cells / 2 : cells;
      assert.equal(describe(index, held, step), `a ${kind} of ${size}`);
      sizes.add(size);
    }
    assert.ok(sizes.size > 1, "it changed");
  });

test("what cannot be seen is shown by its code point", () => {
  const shown = (text) =>
    visibleParts(text)
      .map((part) => (part.unseen ? `<${part.text}>` : part.text))
      .join("");
  assert.equal(shown("a\u202eb\u2066\u200b\x07\n\t\ufeff"), "a<U+202E>b<U+2066><U+200B><U+0007>\n\t<U+FEFF>");
  assert.equal(shown("\ud800x\u{e0041}"), "<U+D800>x<U+E0041>");
  assert.equal(shown("日本語 é 👩\u200d💻 ✔\ufe0f"), "日本語 é 👩\u200d💻 ✔\ufe0f");
});

test("source is cut into tokens and loses nothing", () => {
  const text =
    'def f(x):  # note "quoted"\n    """Two\n    lines."""\n    return [x,\n            "#", r\'\\\\\', 0x1F, None]\nnext_one = 1\n';
  const lines = pythonLines(text);
  assert.equal(lines.map(({ tokens }) => tokens.map((token) => token.text).join("")).join("\n"), text);
  const kinds = (line) =>
    lines[line].tokens.filter(({ kind }) => kind).map(({ kind, text: token }) => `${kind} ${token}`);
  assert.deepEqual(kinds(0), ["keyword def", 'comment # note "quoted"']);
  assert.deepEqual(kinds(2), ['string     lines."""']);
  assert.deepEqual(lines.map(({ statement }) => statement).slice(0, 6), [0, 1, 1, 3, 3, 5]);
  for (const name of NAMES)
    for (const source of payload(name).trace.sources) {
      assert.equal(
        pythonLines(source.text)
          .map(({ tokens }) => tokens.map((token) => token.text).join(""))
          .join("\n"),
        source.text,
      );
    }
});

test("a trace of another version is refused by name", () => {
  assert.throws(
    () => buildIndex({ ...payload("split-fit").trace, format: "ctxlab.trace/9" }),
    /reads ctxlab\.trace\/1; the trace says "ctxlab\.trace\/9"/,
  );
  assert.throws(() => buildIndex(null), /the trace says null/);
});
