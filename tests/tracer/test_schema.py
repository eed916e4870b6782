"""The JSON form: its schema is current, every trace has it, damage is refused and named by its place."""

import copy
import json
import runpy

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxlab.errors import TraceError
from ctxlab.reference import prepare_context, run_loop, split_history, trim_results
from ctxlab.scenarios import scenario_names
from ctxlab.tracer import schema as trace_schema
from ctxlab.tracer.run import trace
from ctxlab.tracer.traces import Trace


@pytest.fixture(scope="module")
def published(root):
    return json.loads((root / "ctxlab" / "tracer" / "trace.schema.json").read_text(encoding="utf-8"))


def test_the_schema_in_the_repository_is_current(root):
    tool = runpy.run_path(str(root / "tools" / "schema.py"))
    text = (root / "ctxlab" / "tracer" / "trace.schema.json").read_text(encoding="utf-8")
    assert text == tool["schema_text"](trace_schema.TraceForm)


@pytest.mark.parametrize("name", scenario_names())
@pytest.mark.parametrize("function", [split_history, trim_results, prepare_context, run_loop])
def test_every_trace_of_the_reference_has_the_form(function, name, published):
    recorded = trace(function, scenario=name)
    data = recorded.to_json()
    jsonschema.Draft202012Validator(published).validate(data)
    assert Trace.from_json(data).to_json() == data


def odd(messages, call):
    held = {"a": (1, {2, "x"}, [None, True, 1.5, 2**80, float("nan")]), "call": call, (1, 2): "\ud800"}
    long = "x" * 3000
    if call and held["a"]:
        messages.append({"role": "user", "content": [held]})
    messages[0]["content"] = long
    held["b"] = long
    held["b"] = messages
    many = list(range(9))
    del many[2:4]
    call(messages, [held])
    del held
    return messages


@pytest.fixture
def odd_trace():
    """A trace that uses every form of a cell."""
    return trace(odd, [{"role": "user", "content": "a"}], lambda messages, more: messages.append("b"))


def test_a_trace_with_every_kind_of_cell_has_the_form(odd_trace, published):
    data = odd_trace.to_json()
    jsonschema.Draft202012Validator(published).validate(data)
    cells = [row for row in data["heap"]["cells"] if isinstance(row, list)]
    assert {row[0] for row in cells} == {"d", "l", "t", "s", "+", "=", "-"}
    assert Trace.from_json(data).text(calls=True) == odd_trace.text(calls=True)


def test_another_version_names_both():
    data = trace(split_history, scenario="normal").to_json()
    data["format"] = "ctxlab.trace/9"
    data["steps"] = "something else"
    with pytest.raises(
        TraceError, match=r"has the format 'ctxlab\.trace/9', but only 'ctxlab\.trace/1' can be read"
    ):
        Trace.from_json(data)


@pytest.mark.parametrize("data", [None, 3, [], "trace", {}, {"format": None}, {"format": {1, 2}}, b"x"])
def test_what_is_no_trace_at_all(data):
    with pytest.raises(TraceError, match="this is no trace"):
        Trace.from_json(data)


def test_the_caller_keeps_the_data():
    data = trace(split_history, scenario="normal").to_json()
    recorded = Trace.from_json(data)
    before = recorded.dumps()
    data["steps"]["place"].clear()
    assert recorded.dumps() == before


REMOVE = object()

DAMAGE = [
    (["sources"], REMOVE, "sources: Field required"),
    (["steps", "turns"], REMOVE, "steps.turns: Field required"),
    (["extra"], 1, "extra: Extra inputs"),
    (["function"], 3, "function: Input should be a valid string"),
    (["sources", 0, "first_line"], 0, "sources[0].first_line: Input should be greater than or equal to 1"),
    (["sources", 0, "first_line"], "12", "sources[0].first_line: Input should be a valid integer"),
    (["sources"], [], "sources: List should have at least 1 item"),
    (["strings", 2], None, "strings[2]: Input should be a valid string"),
    (["outcome", "kind"], "finished", "outcome.kind: Input should be"),
    (["checks", "budget"], 1.5, "checks.budget: Input should be a valid integer"),
    (["checks", "facts"], REMOVE, "checks.facts: Field required"),
    (["checks", "facts"], [], "checks.facts: List should have at least 1 item"),
    (["checks", "facts", 0, "kept"], 1, "checks.facts[0].kept: Input should be a valid boolean"),
    (["checks", "facts", 0, "kind"], "<b>", "checks.facts[0].kind: Input should be 'rule'"),
    (["scenario", "must_survive"], REMOVE, "scenario.must_survive: Field required"),
    (["scenario", "must_survive", 0, "text"], 8443, "scenario.must_survive[0].text: Input should be"),
    (["variables", "value", 0], [1, 2, 3, 4], "variables.value[0]: it has none of the forms"),
    (["heap", "cells", 0], {}, "heap.cells[0]: it has none of the forms"),
    (["decisions", "outcome", 0], 2, "decisions.outcome[0]: Input should be less than or equal to 1"),
    (["decisions", "outcome", 0], True, "decisions.outcome[0]: Input should be a valid integer"),
    (["sites", 0, "function"], 99, "sites[0].function: 99 is outside its range"),
    (
        ["sites", 0, "parts", 0, "pieces"],
        [" is ", 7],
        "sites[0].parts[0].pieces: 7 is outside its range, 0 to 0",
    ),
    (["places", 0, 1], 99, "places[0][1]: 99 is outside its range"),
    (["places", 0, 3], 10_000, "places[0][3]: 10000 is outside its range"),
    (["steps", "place", 0], 10_000, "steps.place[0]: 10000 is outside its range"),
    (["steps", "turns", 0, 0], 1, "steps.turns: the first turn must begin at step 0"),
    (["steps", "turns", 1, 0], 10_000, "steps.turns"),
    (["steps", "turns", 0, 1], 99, "steps.turns[0][1]: 99 is outside its range"),
    (["frames", 0, 0], 99, "frames[0][0]: 99 is outside its range"),
    (["decisions", "values", 0], [], "decisions.values[0]: 0 values for a condition that has"),
    (["decisions", "outcome"], [], "decisions: "),
    (["messages", 0, 1], 100_001, "messages[0]: 50000 is outside its range"),
    (["messages", 0, 1], 4, "messages[0]: 4 is a container of the heap"),
    (["messages", 0, 0], "q", "messages[0]: a container must begin with d, l, t or s"),
    (["variables", "name", 0], 10_000, "variables.name[0]: 10000 is outside its range"),
    (["variables", "frame", 0], -1, "variables.frame[0]: -1 is outside its range"),
    (["variables", "step", 0], 10_000, "variables.value[0]: 10000 is outside its range"),
    (["variables", "value", 0], 20_000, "variables.value[0]: container 10000 does not exist at this step"),
    (["variables", "value", 0], 20_001, "variables.value[0]: 10000 is outside its range"),
    (["variables", "value"], [], "variables: its columns differ in length"),
    (["heap", "step"], [], "heap: its columns differ in length"),
    (["heap", "step", -1], 10_000, "is outside its range, 0 to"),
    (["heap", "object", 0], -5, "heap.object[0]: -5 is outside its range"),
    (["heap", "cells", 0], 10_000, "heap.cells[0]: 10000 is outside its range"),
    (["heap", "cells", 0], ["l", 20_000], "heap.cells[0]: container 10000 does not exist"),
    (["heap", "cells", 0], ["l", 20_001], "heap.cells[0]: 10000 is outside its range"),
    (["heap", "cells", 0], ["+", 3, 1], "heap.cells[0]: container 2 is no list, dict or object of 3 items"),
    (
        ["heap", "cells", 0],
        ["=", 3, None],
        "heap.cells[0]: container 2 is no list, dict or object with a cell 3",
    ),
    (["heap", "cells", 0], ["-", 3, 1], "heap.cells[0]: container 2 is no list of 4 items at this step"),
    (["heap", "cells", 0], ["d", None], "heap.cells[0]: a dict needs a value for each key"),
    (
        ["heap", "cells", 0],
        ["o:Window", 1],
        "heap.cells[0]: a dict needs a value for each key, an object for",
    ),
    (["heap", "cells", 0], ["o:Window", None, 1], "heap.cells[0]: the name of a field is no text"),
    (["heap", "cells", 0], ["x", None], "heap.cells[0]: 'x' is no kind of change"),
    (["calls", 0, 0], 10_000, "calls[0][0]: 10000 is outside its range"),
    (["calls", 0, 4], 20_000, "calls[0]: container 10000 does not exist"),
    (["outcome", "value"], 20_000, "outcome.value: container 10000 does not exist"),
    (["histories", 0, 0], 10_000, "histories[0][0]: 10000 is outside its range"),
    (["histories", 0, 3], 5, "histories[0]: it replaces messages 0 to 4 of 0"),
    (["histories", 0, 4], [10_000], "histories[0][4]: 10000 is outside its range"),
    (["provenance", 0, "message"], 10_000, "provenance[0].message: 10000 is outside its range"),
    (["provenance", 0, "step"], 10_000, "provenance[0].step: 10000 is outside its range"),
    (["provenance", 0, "from"], 10_000, "provenance[0].from: 10000 is outside its range"),
    (["provenance", 0, "to"], 10_000, "provenance[0].to: 10000 is outside its range"),
    (["commits"], REMOVE, "commits: Field required"),
    (["commits"], [10_000], "commits[0]: 10000 is outside its range"),
    (["checks", "in_place"], REMOVE, "checks.in_place: Field required"),
    (["checks", "in_place"], True, "checks.in_place: Input should be a valid integer"),
    (["checks", "in_place"], 10_000, "checks.in_place: 10000 is outside its range"),
    (["checks", "first_broken_step"], 10_000, "checks.first_broken_step: 10000 is outside its range"),
]


def damaged(data, path, value):
    data = copy.deepcopy(data)
    held = data
    for key in path[:-1]:
        held = held[key]
    if value is REMOVE:
        del held[path[-1]]
    else:
        held[path[-1]] = value
    return data


@pytest.mark.parametrize(("path", "value", "told"), DAMAGE, ids=[told[:40] for _, _, told in DAMAGE])
def test_damage_is_named_by_its_place(path, value, told):
    data = trace(prepare_context, scenario="normal").to_json()
    with pytest.raises(TraceError) as raised:
        Trace.from_json(damaged(data, path, value))
    assert told in str(raised.value)
    assert "record the run again" in str(raised.value)


def places(data, path=()):
    """Every place in JSON data that holds a number."""
    items = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, value in items:
        if type(value) is int:
            yield (*path, key)
        yield from places(value, (*path, key))


def test_in_place_a_message_leads_to_the_active_history():
    data = trace(run_loop, scenario="normal").to_json()
    last = len([fate for fate in data["provenance"] if fate["to"] is not None]) - 1
    assert Trace.from_json(damaged(data, ["provenance", 0, "to"], last))
    with pytest.raises(
        TraceError, match=rf"provenance\[0\]\.to: {last + 1} is outside its range, 0 to {last}"
    ):
        Trace.from_json(damaged(data, ["provenance", 0, "to"], last + 1))


DATA = trace(prepare_context, scenario="normal").to_json()
NUMBERS = list(places(DATA))


@given(place=st.sampled_from(NUMBERS), value=st.integers(-3, 300))
def test_a_wrong_number_anywhere_is_refused_or_readable(place, value):
    """Whatever `from_json` lets pass can be read to its end, at every step."""
    try:
        recorded = Trace.from_json(damaged(DATA, place, value))
    except TraceError:
        return
    recorded.text(calls=True)
    assert recorded.outcome
    for step in range(0, len(recorded.steps), 7):
        recorded.variables(step, recorded.frame_at[step])


def test_a_tuple_that_contains_itself_is_damage():
    data = copy.deepcopy(DATA)
    for at, cells in enumerate(data["heap"]["cells"]):
        if isinstance(cells, list) and cells[0] == "l":
            number = sum(data["heap"]["object"][: at + 1])
            data["heap"]["cells"][at] = ["t", 2 * number]
            break
    with pytest.raises(TraceError, match="damaged"):
        Trace.from_json(data).value(2 * number, len(DATA["steps"]["place"]) - 1)
