"""Write the payloads that the player's tests open (JSON), and its module: python make_payloads.py FOLDER

Each is a real run, recorded by ctxlab, in the form that the widget hands to the page. "expected" is what
Python says about it: the sentence of every decision, and the entry function's variables at some steps.
"""

import importlib.util
import json
import random
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import comparisons
import diagnoses
import sample_functions
import strategy_pages

from ctxlab import Trace, scenario_names, trace
from ctxlab.messages.pairing import legal_cuts
from ctxlab.player.cards import cards_of
from ctxlab.player.module import joined_module
from ctxlab.player.payload import payload
from ctxlab.reference import check_pairs, prepare_context, run_loop, split_history, trim_results
from ctxlab.tracer.values import described_result

RECEIPT = "context-000000000001.jsonl"
EVIL = (
    "<img src=x onerror='window.hacked = 1'></script><script>window.hacked = 1</script>"
    "\u202egpj.exe\u2066\u200b\x07"
)
SAMPLED_STEPS = 12


def history(
    exchanges: int, text: Any = lambda number: "word " * (300 if number % 3 else 4)
) -> list[dict[str, Any]]:
    """A question and so many exchanges; text(number) is the result of each."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": "What is left to do?"}]
    for number in range(1, exchanges + 1):
        call = {
            "type": "tool_use",
            "id": f"call_{number}",
            "name": "read_file",
            "input": {"path": "notes.txt"},
        }
        result = {
            "type": "tool_result",
            "tool_use_id": call["id"],
            "content": text(number),
            "is_error": False,
        }
        messages += [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]
    return messages


def faulty() -> list[dict[str, Any]]:
    """A history with a text that is blank, an id used twice, a result without its call, and one call open."""
    messages = history(3)
    messages[0]["content"] = [{"type": "text", "text": "What is left?"}, {"type": "text", "text": " "}]
    messages[5] = {"role": "assistant", "content": messages[3]["content"]}
    messages[6]["content"][0]["tool_use_id"] = "call_9"
    return messages


def prepared(messages: list[dict[str, Any]], budget: int) -> Trace:
    state = {"archives": [], "summaries": 0, "max_summaries": 2}
    return trace(
        prepare_context, messages, "What is left?", state, lambda _: RECEIPT, lambda _: "Read it.", budget
    )


def traces() -> Iterator[tuple[str, Trace]]:
    for name, function in (("split", split_history), ("trim", trim_results), ("prepare", prepare_context)):
        for scenario in scenario_names():
            yield f"{name}-{scenario}", trace(function, scenario=scenario)
    for exchanges in (4, 500):
        messages = 1 + 2 * exchanges
        yield f"trim-{messages}", trace(trim_results, history(exchanges), RECEIPT, 1, 600)
        yield f"prepare-{messages}", prepared(history(exchanges), 800)
    yield "hostile", prepared(history(3, lambda number: EVIL * 20 if number == 1 else "A" * 2_000_000), 1600)
    yield "broken", trace(sample_functions.delete_oldest_result, history(2))
    yield "faulty", trace(sample_functions.delete_oldest_result, faulty())
    yield "endless", trace(sample_functions.spin, history(1), step_limit=200)
    yield "window", trace(sample_functions.window, history(5))
    yield "values", trace(sample_functions.sizes, history(2), 10)
    yield "tangled", trace(sample_functions.tangled, [3, 0, 8, 2, 9, 5, 7])
    yield "tangled-early", trace(sample_functions.tangled, [3, 6, 1, 7])
    yield "unbroken", trace(sample_functions.first_over, [1, 2], 5)
    for scenario in ("trim", "summary", "pending", "exhausted"):
        yield f"loop-{scenario}", trace(run_loop, scenario=scenario)
    yield "loop-tuple", trace(run_loop, scenario="trim", prepare=tuple)
    yield "pairs-mismatch", trace(check_pairs, scenario="mismatch")
    yield "popped", trace(sample_functions.pops_the_newest, history(2))
    yield "emptied", trace(sample_functions.empties_and_refuses, history(2))
    yield "recursive", trace(sample_functions.halved, 21)
    yield "kept", trace(sample_functions.Desk(3, history(1)).take, history(2)[3])


def long(folder: Path) -> Iterator[tuple[str, Trace, str]]:
    """Yield runs of functions with few and with many decisions."""
    for checks in (4, 100):
        yield f"checks-{checks}", trace(long_function(folder, checks), -1), ""


def gated() -> Iterator[tuple[str, Trace, str]]:
    """Yield runs with what a player asks before it shows them."""
    yield "ask-decisions", trace(prepare_context, scenario="summary"), "decisions"
    yield "ask-no-decisions", trace(prepare_context, scenario="pending"), "decisions"
    yield "ask-outcome", trace(split_history, scenario="pending"), "outcome"
    yield "ask-faulty", trace(sample_functions.delete_oldest_result, faulty()), "messages"
    yield "ask-messages", trace(trim_results, scenario="trim"), "messages"
    yield "ask-loop-decisions", trace(run_loop, scenario="trim"), "decisions"
    yield "ask-loop-outcome", trace(run_loop, scenario="pending"), "outcome"


def long_function(folder: Path, checks: int) -> Callable[[int], int]:
    """Return a function with so many refusals, each behind a decision, from a file of its own."""
    lines = ["from ctxlab.errors import Refusal", "", "", "def long_function(value):"]
    for number in range(checks):
        lines += [f"    if value == {number}:", f'        raise Refusal("code_{number}", "no")']
    path = folder / "long_function.py"
    path.write_text("\n".join([*lines, "    return value", ""]), encoding="utf-8")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    function: Callable[[int], int] = module.long_function
    return function


def cuts() -> list[dict[str, Any]]:
    """Return histories in the three shapes as cards, with the cuts that are legal in them."""
    folder = Path(__file__).parents[2] / "data"
    histories = {}
    for path in sorted(folder.glob("*/*.json")):
        case = json.loads(path.read_text("utf-8"))
        if isinstance(case, dict) and "messages" in case and "api" in case:
            histories[path.stem] = (case["messages"], case["api"])
    chance = random.Random(3)
    for number in range(300):
        histories[f"items-{number}"] = ([item(chance) for _ in range(8)], "openai-responses")
    return [
        {"name": name, "cards": cards_of(messages, api)[0], "legal": legal_cuts(messages, api)}
        for name, (messages, api) in histories.items()
    ]


def item(chance: random.Random) -> dict[str, Any]:
    """Return a message, a call, an output or some reasoning, in no order at all."""
    one = chance.choice("abc")
    return chance.choice(
        [
            {"role": "user", "content": "Go on."},
            {"role": "assistant", "content": "I look."},
            {"type": "reasoning", "id": f"rs_{one}", "summary": []},
            {"type": "function_call", "call_id": one, "name": "read_file", "arguments": "{}"},
            {"type": "function_call_output", "call_id": one, "output": "x"},
            {"type": "tool_search_call", "call_id": f"s{one}", "arguments": {}},
            {"type": "tool_search_output", "call_id": f"s{one}", "tools": []},
        ]
    )


def sampled(made: Trace) -> dict[int, dict[str, Any]]:
    count = len(made.steps)
    return {step: made.variables(step) for step in range(0, count, max(1, count // SAMPLED_STEPS))}


def returned(made: Trace) -> str:
    contents = made.moments().at(len(made.steps))
    return described_result(made.data["outcome"]["value"], made.data["strings"], contents)


def main(folder: Path) -> None:
    (folder / "player.js").write_text(joined_module(), encoding="utf-8")
    for name, made, ask in [*((name, made, "") for name, made in traces()), *gated(), *long(folder)]:
        small = len(made.steps) < 1000
        expected = {"sentences": [decision.sentence for decision in made.decisions]}
        if made.outcome.kind == "returned":
            expected["returned"] = returned(made)
        # A dict with tuples as keys has no JSON form.
        if small and name not in ("hostile", "pairs-mismatch"):
            expected["variables"] = sampled(made)
        asked = {"predict": ask, "predictions": []}
        content = {**payload(made, ask), **asked, "step": 0, "breakpoints": [], "expected": expected}
        text = json.dumps(content, default=sorted)  # sets have no JSON form
        (folder / f"{name}.json").write_text(text, encoding="utf-8")
    (folder / "cuts").mkdir()
    (folder / "cuts" / "all.json").write_text(json.dumps(cuts()), encoding="utf-8")
    comparisons.write(folder)
    diagnoses.write(folder)
    strategy_pages.write(folder)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
