"""The text of every trace of the reference, compared with a file. `make golden` writes the files again."""

from pathlib import Path

import jsonschema
import pytest

from ctxlab.reference import (
    check_pairs,
    count_request,
    prepare_context,
    run_loop,
    split_history,
    trim_results,
)
from ctxlab.scenarios import SystemScenario, load_scenario, scenario_names
from ctxlab.scenarios.systems import NAMES
from ctxlab.tracer.run import trace
from ctxlab.tracer.schema import TraceForm
from ctxlab.tracer.traces import Trace

FOLDER = Path(__file__).parent
FUNCTIONS = {
    "split": split_history,
    "trim": trim_results,
    "prepare": prepare_context,
    "loop": run_loop,
    "count": count_request,
    "pairs": check_pairs,
}
# These also show every decision of the functions that were called.
IN_FULL = [
    *[("trim", "trim"), ("prepare", "summary"), ("loop", "trim"), ("count", "image")],
    *[("window", "parallel_results"), ("packing", "one_of_two"), ("shrinking", "extracted_facts")],
    *[("folding", "folded_boxes"), ("policy", "old_steps"), ("state", "forged_section")],
    *[("planning", "plan_holds"), ("checkpoint", "resumed_task")],
]

CASES = [(f"{short}-{name}", short, name, False) for short in FUNCTIONS for name in scenario_names()]
# A scenario of a system calls its own function.
CASES += [(f"{system}-{name}", system, name, False) for system in NAMES for name in scenario_names(system)]
CASES += [(f"{short}-{name}-calls", short, name, True) for short, name in IN_FULL]


@pytest.fixture(scope="module")
def form():
    return jsonschema.Draft202012Validator(TraceForm.model_json_schema())


@pytest.mark.parametrize(("stem", "short", "name", "calls"), CASES, ids=[case[0] for case in CASES])
def test_the_text_of_a_trace_is_that_of_its_file(stem, short, name, calls, form, pytestconfig):
    scenario = load_scenario(name)
    function = scenario.function if isinstance(scenario, SystemScenario) else FUNCTIONS[short]
    recorded = trace(function, scenario=scenario)
    text = recorded.text(calls=calls)
    path = FOLDER / f"{stem}.txt"
    if pytestconfig.getoption("--update-golden"):
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")
    data = recorded.to_json()
    form.validate(data)
    assert Trace.from_json(data).text(calls=calls) == text


def test_every_file_belongs_to_a_trace():
    assert {path.stem for path in FOLDER.glob("*.txt")} == {case[0] for case in CASES}
