"""SARIF: what the standard requires of a log, and what a code host reads of it.

Checked here by a schema of our own, with names and requirements from
https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json: each object that
the log has, its required properties, and no property that the standard does not know.
"""

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from ctxlab.messages.diagnosis.remedies import REMEDIES
from ctxlab.messages.report import report_on
from ctxlab.messages.sarif import sarif

DATA = Path(__file__).parents[1] / "data"


def closed(required: str, **properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "additionalProperties": False,
        "required": required.split(),
        "properties": properties,
    }


TEXT = {"type": "string", "minLength": 1}
MESSAGE = closed("text", text=TEXT)
LEVEL = {"enum": ["none", "note", "warning", "error"]}
PHYSICAL = closed(
    "artifactLocation",
    artifactLocation=closed("uri", uri={"type": "string", "pattern": r"^[A-Za-z0-9._~:/?#@!$&'()*+,;=%-]+$"}),
    region=closed("startLine", startLine={"type": "integer", "minimum": 1}),
)
# The kinds of parts of a JSON document are object, array, property and value.
LOGICAL = closed("fullyQualifiedName", fullyQualifiedName=TEXT, kind={"const": "object"})
RESULT = closed(
    "ruleId ruleIndex level message locations partialFingerprints",
    ruleId=TEXT,
    ruleIndex={"type": "integer", "minimum": 0},
    level=LEVEL,
    message=MESSAGE,
    locations={
        "type": "array",
        "minItems": 1,
        "items": closed(
            "physicalLocation",
            physicalLocation=PHYSICAL,
            logicalLocations={"type": "array", "minItems": 1, "items": LOGICAL},
        ),
    },
    partialFingerprints={"type": "object", "minProperties": 1, "additionalProperties": TEXT},
)
RULE = closed(
    "id shortDescription help",
    id=TEXT,
    shortDescription=MESSAGE,
    help=MESSAGE,
    defaultConfiguration=closed("", level=LEVEL),
)
LOG = closed(
    "version runs",
    **{"$schema": {"type": "string", "pattern": "^https://.*sarif-schema-2.1.0.json$"}},
    version={"const": "2.1.0"},
    runs={
        "type": "array",
        "minItems": 1,
        "items": closed(
            "tool results",
            tool=closed(
                "driver",
                driver=closed(
                    "name",
                    name=TEXT,
                    version=TEXT,
                    rules={"type": "array", "uniqueItems": True, "items": RULE},
                ),
            ),
            invocations={
                "type": "array",
                "items": closed(
                    "executionSuccessful",
                    executionSuccessful={"type": "boolean"},
                    toolExecutionNotifications={
                        "type": "array",
                        "items": closed("message", level=LEVEL, message=MESSAGE),
                    },
                ),
            },
            results={"type": "array", "items": RESULT},
        ),
    },
)


def run_of(log: dict[str, Any]) -> dict[str, Any]:
    jsonschema.validate(json.loads(json.dumps(log)), LOG)
    run: dict[str, Any] = log["runs"][0]
    for result in run["results"]:
        assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
    return run


def results_of(path: Path, text: str) -> list[dict[str, Any]]:
    path.write_text(text, encoding="utf-8")
    results: list[dict[str, Any]] = run_of(sarif([report_on(path)]))["results"]
    return results


def test_every_case_is_a_log_with_its_findings() -> None:
    reports = []
    for path in sorted((DATA / "cases").glob("*.json")):
        messages = json.loads(path.read_text(encoding="utf-8"))["messages"]
        reports.append(report_on(messages))
    run = run_of(sarif(reports))
    assert len(run["results"]) == sum(len(report.findings) for report in reports) > 20
    assert [rule["help"]["text"] for rule in run["tool"]["driver"]["rules"]] == [
        REMEDIES[rule["id"]] for rule in run["tool"]["driver"]["rules"]
    ]


def test_a_sound_history_is_a_log_without_results() -> None:
    run = run_of(sarif([report_on(DATA / "transcripts" / "list.json")]))
    assert (run["results"], run["tool"]["driver"]["rules"]) == ([], [])
    assert run["invocations"][0]["executionSuccessful"] is True


def test_a_file_that_cannot_be_used_is_named() -> None:
    (invocation,) = run_of(sarif([], ["there is no file x.json"]))["invocations"]
    assert invocation["executionSuccessful"] is False
    assert invocation["toolExecutionNotifications"][0]["message"]["text"] == "there is no file x.json"


def test_the_place_is_the_line_of_the_file_and_the_block_of_the_message(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "logs of today").mkdir()
    orphan = '{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": "x"}]}'
    (result,) = results_of(Path("logs of today/ü.jsonl"), '{"role": "user", "content": "go"}\n' + orphan)
    (location,) = result["locations"]
    assert location["physicalLocation"] == {
        "artifactLocation": {"uri": "logs%20of%20today/%C3%BC.jsonl"},
        "region": {"startLine": 2},
    }
    assert location["logicalLocations"] == [{"fullyQualifiedName": "message 1, block 0", "kind": "object"}]
    (result,) = results_of(tmp_path / "x.json", f"[{orphan}]")
    assert (
        result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == f"file://{tmp_path}/x.json"
    )


def test_a_torn_line_has_its_line_and_no_message(tmp_path: Path) -> None:
    results = results_of(tmp_path / "x.jsonl", '{"role": "user", "content": "go"}\n{"role": "us\n')
    (location,) = results[0]["locations"]
    assert results[0]["ruleId"] == "torn_record"
    assert location["physicalLocation"]["region"] == {"startLine": 2}
    assert "logicalLocations" not in location


def test_fingerprints_stay_when_messages_come_before_and_part_what_is_alike(tmp_path: Path) -> None:
    orphan = '{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": "x"}]}\n'
    other = orphan.replace('"x"', '"y"')
    before = '{"role": "user", "content": "go"}\n{"role": "assistant", "content": "yes"}\n'

    def fingerprints(text: str) -> list[str]:
        found = [result["partialFingerprints"] for result in results_of(tmp_path / "x.jsonl", text)]
        return [fingerprint["ctxlabFinding/v1"] for fingerprint in found]

    alone = fingerprints(orphan + orphan + other)
    assert len(set(alone)) == 3
    assert fingerprints(before + orphan + orphan + other) == alone
