"""Calling `trace`: arguments, scenarios, the step limit; and what must be left alone."""

import copy
import json
import subprocess
import sys
import types
from pathlib import Path

import pytest

from ctxlab.errors import ScenarioError, TraceError
from ctxlab.reference.history import history_bytes, prepare_context, split_history, trim_results
from ctxlab.scenarios import load_scenario, scenario_names
from ctxlab.tracer.run import trace


def shortened(history, limit=1, *more, budget, **named):
    return history[:limit], more, budget, named


def test_a_scenario_fills_what_is_not_given():
    scenario = load_scenario("normal")
    recorded = trace(shortened, scenario="normal")
    assert recorded.outcome.value == (scenario.messages[:1], (), scenario.settings.budget, {})
    about = recorded.data["scenario"]
    assert (about["name"], about["promise"]) == ("normal", scenario.promise)
    assert [fact["text"] for fact in about["must_survive"]] == [fact.text for fact in scenario.must_survive]
    recorded = trace(shortened, [5, 6], 2, 7, scenario=scenario, budget=9, other=1)
    assert recorded.outcome.value == ([5, 6], (7,), 9, {"other": 1})
    assert trace(shortened, [5], budget=1).data["scenario"] is None


def test_misuse_is_told():
    with pytest.raises(TraceError, match=r"shortened: missing a required (keyword-only )?argument: 'budget'"):
        trace(shortened, [1])
    with pytest.raises(TraceError, match="missing a required argument: 'history'"):
        trace(shortened)
    with pytest.raises(TraceError, match=r"argument 'unknown'; it takes messages, keep_recent$"):
        trace(split_history, [], unknown=1)
    with pytest.raises(TraceError, match=r"too many positional arguments; it takes messages, keep_recent$"):
        trace(split_history, [], 1, 2)
    with pytest.raises(TraceError, match="step_limit is 0; it must be an int of at least 1"):
        trace(split_history, [], step_limit=0)
    with pytest.raises(TraceError, match="step_limit is True"):
        trace(split_history, [], step_limit=True)
    with pytest.raises(ScenarioError, match="did you mean 'normal'"):
        trace(split_history, scenario="norml")
    with pytest.raises(ScenarioError, match=r"no file nowhere\.yaml"):
        trace(split_history, scenario=Path("nowhere.yaml"))
    with pytest.raises(ScenarioError, match="a scenario has a name or a path"):
        trace(split_history, scenario=5)


def result_of(function, arguments):
    try:
        return function(**arguments)
    except Exception as error:
        return type(error).__name__, str(error), getattr(error, "code", None)


@pytest.mark.parametrize("name", scenario_names())
@pytest.mark.parametrize("function", [split_history, trim_results, prepare_context])
def test_the_reference_does_the_same_when_it_is_traced(function, name):
    taken = function.__code__.co_varnames[: function.__code__.co_argcount]
    plain = {key: value for key, value in load_scenario(name).arguments().items() if key in taken}
    expected = result_of(function, plain)
    arguments = {key: value for key, value in load_scenario(name).arguments().items() if key in taken}
    before = copy.deepcopy(arguments["messages"])
    outcome = trace(function, **arguments).outcome
    found = outcome.value if outcome.kind == "returned" else (outcome.type, outcome.message, outcome.code)
    assert found == expected
    assert arguments["messages"] == before
    if "state" in taken:
        assert arguments["state"] == plain["state"]


@pytest.mark.parametrize("name", scenario_names())
@pytest.mark.parametrize("function", [split_history, trim_results, prepare_context])
def test_the_state_of_the_reference_is_right_at_every_line(same, function, name):
    taken = function.__code__.co_varnames[: function.__code__.co_argcount]
    same(function, make=lambda: [load_scenario(name).arguments()[key] for key in taken])


def test_two_runs_give_the_same_trace():
    first, second = (trace(prepare_context, scenario="summary") for _ in range(2))
    assert first.dumps() == second.dumps()


def test_sizes_of_the_text_face():
    recorded = trace(prepare_context, scenario="normal")
    size = history_bytes(recorded.outcome.value)
    assert recorded.text().startswith(f"prepare_context on normal: returned 5 messages, {size} bytes\n")


COVERAGE = """
import json, sys
import coverage
measured = coverage.Coverage(data_file=None, include=["*/ctxlab/reference/*"], branch={branch})
measured.start()
from ctxlab.reference.history import prepare_context
from ctxlab.scenarios import load_scenario
if sys.argv[1] == "traced":
    from ctxlab.tracer.run import trace
    run = lambda **arguments: trace(prepare_context, **arguments)
else:
    run = prepare_context
for name in ("normal", "summary", "recent_large", "pending"):
    offered = load_scenario(name).arguments()
    taken = ("messages", "question", "state", "archive", "summarize", "budget", "keep_recent")
    arguments = {{parameter: offered[parameter] for parameter in taken}}
    try:
        run(**arguments)
    except ValueError:
        pass
measured.stop()
found = {{}}
for file in measured.get_data().measured_files():
    _, statements, _, missing, _ = measured.analysis2(file)
    found[file.rsplit("/", 1)[1]] = [statements, missing]
print(json.dumps(found, sort_keys=True))
"""


@pytest.mark.parametrize("branch", [False, True])
def test_a_coverage_report_is_the_same_for_a_traced_run(branch):
    def measured(how):
        command = [sys.executable, "-c", COVERAGE.format(branch=branch), how]
        return subprocess.run(command, capture_output=True, text=True, check=True, timeout=120).stdout

    plain = measured("plain")
    assert json.loads(plain)["history.py"][0]
    assert measured("traced") == plain


def test_settrace_and_profile_are_left_alone():
    seen = []

    def watch(frame, event, arg):
        seen.append(event)

    sys.setprofile(watch)
    try:
        trace(prepare_context, scenario="normal")
        assert sys.getprofile() is watch
    finally:
        sys.setprofile(None)
    assert sys.gettrace() is not watch
    assert "call" in seen


def test_a_function_with_an_unusual_name(module_of):
    module = module_of("def größe(messages):\n    # Ist es groß?\n    return [m for m in messages if m]\n")
    assert isinstance(module, types.ModuleType)
    assert trace(module.größe, [1, 0]).function == "größe"
