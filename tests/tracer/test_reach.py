"""Which functions are traced besides the entry."""

import functools
import json
import types

from ctxlab.reference import archive_writer, preparer
from ctxlab.reference.history import history_bytes, prepare_context
from ctxlab.scenarios import load_scenario
from ctxlab.tracer.reach import reachable
from ctxlab.tracer.run import trace


def names(function):
    functions, _ = reachable(function)
    return [traced.source.name for traced in functions]


def leaf(x):
    return x


def twig(x):
    return leaf(x)


def uses(x):
    return twig(history_bytes([x])), json.dumps(x)


def test_functions_of_the_module_and_of_the_reference_are_traced_and_others_are_not():
    assert names(uses) == ["uses", "twig", "history_bytes", "leaf"]


def test_the_reference_reaches_its_own():
    assert names(prepare_context)[0] == "prepare_context"
    assert {"split_history", "trim_results", "history_bytes", "checked_exchange"} <= set(
        names(prepare_context)
    )


def test_a_foreign_function_does_not_pull_in_its_module():
    others = types.ModuleType("others")
    exec("def foreign(x):\n    return x\n", others.__dict__)
    holds.__globals__["foreign"] = others.foreign
    assert names(holds) == ["holds"]
    assert [call[2] for call in trace(holds, 1).data["calls"]] == ["foreign"]


def holds(x):
    return foreign(x)  # noqa: F821


def own_names(leaf, twig=None):
    def uses():
        return leaf

    import json as history_bytes

    return uses(), history_bytes


def test_a_name_of_its_own_is_not_that_of_the_module():
    assert names(own_names) == ["own_names"]


def attribute(thing):
    return thing.leaf


def test_an_attribute_is_no_name():
    assert names(attribute) == ["attribute"]


def passes(xs):
    return list(map(leaf, xs))


def test_a_function_that_is_only_passed_on_is_traced():
    assert names(passes) == ["passes", "leaf"]
    assert [step.function for step in trace(passes, [1, 2]).steps if step.event == "call"] == [
        "passes",
        "leaf",
        "leaf",
    ]


def test_what_cannot_be_traced_is_noted():
    module = types.ModuleType("made")
    exec("def untold(x):\n    return x\n", module.__dict__)
    untold = module.untold
    calls_untold.__globals__["untold"] = types.FunctionType(untold.__code__, globals(), "untold")
    functions, notes = reachable(calls_untold)
    assert len(functions) == 1
    assert notes == [
        "not traced: untold: there is no source text; define it with def in a file or a notebook cell"
    ]


def calls_untold(x):
    return untold(x)  # noqa: F821


def applied(function, messages):
    return function(messages)


def applied_by_name(messages, *, function):
    return function(messages)


def called(recorded):
    return [step.function for step in recorded.steps if step.event == "call"]


def test_an_argument_of_the_reference_is_traced():
    recorded = trace(applied, history_bytes, [])
    assert called(recorded) == ["applied", "history_bytes"]
    assert called(trace(applied_by_name, [], function=history_bytes)) == ["applied_by_name", "history_bytes"]
    assert recorded.data["notes"] == []


def twice(messages, first, second):
    return first(messages), second(messages), history_bytes(messages)


def test_one_function_that_is_given_twice_and_named_is_one_source():
    recorded = trace(twice, [], history_bytes, history_bytes)
    assert [source["name"] for source in recorded.data["sources"]] == ["twice", "history_bytes"]
    assert called(recorded) == ["twice", *["history_bytes"] * 3]


def test_an_argument_from_elsewhere_is_opaque_even_from_the_same_module():
    recorded = trace(applied, leaf, [])
    assert called(recorded) == ["applied"]
    assert [call[2] for call in recorded.data["calls"]] == ["leaf"]


def summarize(messages):
    return f"{len(messages)} messages"


def test_what_a_function_of_the_reference_was_given_stays_opaque(tmp_path):
    """Also where it stands in the module of the entry function, as all of a notebook does."""
    scenario = load_scenario("summary")
    state = {"archives": [], "summaries": 0, "max_summaries": 1}
    save = archive_writer(tmp_path, new_id=lambda: "0" * 12)
    prepare = preparer(scenario.question, state, save, summarize, budget=1600)
    recorded = trace(applied, prepare, scenario.messages)
    assert called(recorded)[:3] == ["applied", "prepare", "prepare_context"]
    assert not {"save", "summarize"} & set(called(recorded))
    assert [call[2] for call in recorded.data["calls"]] == ["save", "summarize"]
    assert [fate.fate for fate in recorded.provenance].count("summarised") == 8


@functools.wraps(history_bytes)
def wrapped(messages):
    return history_bytes(messages)


def test_an_argument_that_cannot_be_traced_is_noted_and_called():
    recorded = trace(applied, wrapped, [])
    assert recorded.outcome.value == 2
    assert recorded.data["notes"] == ["not traced: history_bytes: a decorated function is called as it is"]
