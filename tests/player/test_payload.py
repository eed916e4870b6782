"""What the widget and the page hand to the player."""

import json
from dataclasses import replace

from ctxlab.player.payload import MOST_CHARS, payload
from ctxlab.reference import prepare_context, split_history
from ctxlab.scenarios import load_scenario
from ctxlab.scenarios.fields import Fact
from ctxlab.tracer.run import trace
from ctxlab.tracer.traces import Trace


def test_heading_names_function_scenario_settings_and_stand_ins() -> None:
    heading = payload(trace(prepare_context, scenario="summary", budget=1700))["heading"]
    assert heading["function"] == "prepare_context"
    assert heading["scenario"] == "summary"
    assert heading["promise"].startswith("No single text is long")
    assert dict(heading["settings"]) == {
        "question": '"Check notes.txt. Ask before you delete a…" (48 characters)',
        "budget": "1700",
        "keep_recent": "1",
    }
    assert [name for name, _ in heading["stand_ins"]] == ["archive", "summarize"]


def test_heading_without_a_scenario() -> None:
    heading = payload(trace(split_history, [{"role": "user", "content": "hello"}], 2))["heading"]
    assert (heading["scenario"], heading["promise"]) == ("", "")
    assert heading["settings"] == [["keep_recent", "2"]]


def test_a_long_text_is_shortened_and_its_length_kept(long_line_trace: Trace, long_line: str) -> None:
    made = payload(long_line_trace)
    whole = long_line_trace.data["strings"]
    place = whole.index(long_line)
    assert made["clipped"] == {str(place): len(long_line)}
    assert made["trace"]["strings"][place] == long_line[:MOST_CHARS]
    assert long_line_trace.data["strings"][place] == long_line, "the trace itself stays whole"
    assert len(json.dumps(made)) < 100_000


def failing(text: str) -> None:
    raise ValueError(text)


def test_the_long_message_of_an_exception_is_shortened() -> None:
    run = trace(failing, "x" * 1_000_000)
    made = payload(run)
    assert made["trace"]["outcome"]["message"] == f"{'x' * MOST_CHARS}… (1000000 characters)"
    assert run.outcome.message == "x" * 1_000_000, "the trace itself stays whole"
    assert len(json.dumps(made)) < 100_000


def test_facts_are_handed_over_and_a_long_one_is_shortened() -> None:
    facts = (Fact(kind="figure", text="8443"), Fact(kind="other", text="x" * 1_000_000))
    scenario = replace(load_scenario("normal"), must_survive=facts)
    said = [{"role": "user", "content": f"8443 {'x' * 1_000_000}"}]
    run = trace(split_history, said, scenario=scenario)
    made = payload(run)["trace"]
    listed = [
        {"kind": "figure", "text": "8443"},
        {"kind": "other", "text": f"{'x' * MOST_CHARS}… (1000000 characters)"},
    ]
    assert made["scenario"]["must_survive"] == listed
    assert made["checks"]["facts"] == [{**fact, "kept": True} for fact in listed]
    assert len(json.dumps(made)) < 100_000
    assert run.facts is not None
    assert len(run.facts[1].text) == 1_000_000, "the trace itself stays whole"


def test_a_text_at_the_limit_stays() -> None:
    text = "x" * MOST_CHARS
    made = payload(trace(split_history, [{"role": "user", "content": text}]))
    assert made["clipped"] == {}
    assert text in made["trace"]["strings"]


def test_is_json_whatever_was_run(odd_trace: Trace) -> None:
    made = payload(odd_trace)
    assert json.loads(json.dumps(made, allow_nan=False))["trace"]["format"] == "ctxlab.trace/1"
    assert len(made["cards"]) == len(made["trace"]["messages"])


def test_a_large_history_stays_whole(large_trace: Trace) -> None:
    made = payload(large_trace)
    assert made["clipped"] == {}
    assert len(made["cards"]) == 5001


def test_maps_are_the_diagrams_of_the_sources() -> None:
    run = trace(split_history, scenario="normal")
    maps = payload(run)["maps"]
    assert len(maps) == len(run.data["sources"]) == 2
    assert maps[0]["nodes"][5] == {
        "kind": "decision",
        "line": run.data["sites"][2]["line"],
        "label": "Is the last call still waiting for its results?",
        "code": "len(messages) % 2 == 0",
        "site": 2,
        "places": [7, 8],
        "column": 0,
        "row": 3,
    }
    assert maps[0]["edges"][5:7] == [[5, 6, "yes"], [5, 7, "no"]]
    assert payload(Trace.from_json(json.loads(run.dumps())))["maps"] == maps


def test_maps_do_not_grow_with_the_history(large_trace: Trace) -> None:
    small = trace(prepare_context, scenario="summary")
    assert len(json.dumps(payload(small)["maps"])) < 20_000
    assert len(json.dumps(payload(large_trace)["maps"])) < 20_000
