"""Thirty histories rebuilt from public reports of broken ones, each with one fault."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from ctxlab.errors import Refusal
from ctxlab.messages.diagnosis.examining import diagnose
from ctxlab.messages.repairing import repair
from ctxlab.messages.shapes import recognised

FOLDER = Path(__file__).parents[1] / "data" / "cases"
CASES = {path.stem: json.loads(path.read_text("utf-8")) for path in sorted(FOLDER.glob("*.json"))}

# Faults that lie in a fold or in a file and not in a history: the tests of folds and readers use these cases.
OF_LATER_PARTS = {
    "26-error-text-taken-as-summary": {"bad_summary"},
    "27-summary-cut-at-max-tokens": {"bad_summary"},
    "28-summary-larger-than-source": {"candidate_not_smaller"},
    "29-only-the-old-summary-is-foldable": {"nothing_to_fold"},
    "38-torn-checkpoint-line": {"torn_record"},
    "39-sqlite-locked-during-fold": {"fold_not_saved"},
}

each_case = pytest.mark.parametrize("case", CASES.values(), ids=CASES)


def test_all_thirty_are_here_and_those_of_later_parts_are_named() -> None:
    assert len(CASES) == 30
    assert {name: set(case["later"]) for name, case in CASES.items() if "later" in case} == OF_LATER_PARTS
    without_finding = {name for name, case in CASES.items() if not case["findings"]}
    assert without_finding < set(OF_LATER_PARTS)


@each_case
def test_the_shape_is_recognised(case: dict[str, Any]) -> None:
    assert recognised(case["messages"]) == case["api"]


@pytest.mark.parametrize("given", [True, False], ids=["api given", "api recognised"])
@each_case
def test_diagnose_finds_the_fault_and_nothing_else(case: dict[str, Any], given: bool) -> None:
    before = copy.deepcopy(case["messages"])

    found = diagnose(case["messages"], case["api"] if given else None, **case.get("context", {}))

    assert case["messages"] == before
    assert [(finding.code, finding.message, finding.block) for finding in found] == [
        (wanted["code"], wanted["message"], wanted["block"]) for wanted in case["findings"]
    ]
    for finding, wanted in zip(found, case["findings"], strict=True):
        assert wanted.get("id") in (None, finding.id)
        assert finding.text.startswith(f"message {finding.message}")
        assert finding.fix


@each_case
def test_repair_mends_it_or_refuses_with_its_code(case: dict[str, Any]) -> None:
    before = copy.deepcopy(case["messages"])
    if case["repair"] in ("sound", "mended"):
        candidate, changes = repair(case["messages"])
        assert diagnose(candidate, case["api"]) == []
        assert (candidate == before) == (changes == []) == (case["repair"] == "sound")
    else:
        with pytest.raises(Refusal) as refused:
            repair(case["messages"])
        assert refused.value.code == case["repair"]
    assert case["messages"] == before
