"""Reports in SARIF, the form in which code hosts take the findings of a checker.

Version 2.1.0: https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html. What a code host reads of it:
https://docs.github.com/en/code-security/reference/code-scanning/sarif-support-for-code-scanning
"""

import hashlib
import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from importlib.metadata import version
from pathlib import PurePath
from typing import Any
from urllib.parse import quote

from ctxlab.messages.diagnosis.finding import Finding, place
from ctxlab.messages.diagnosis.remedies import REMEDIES
from ctxlab.messages.readers.reading import TORN, TORN_FIX
from ctxlab.messages.report import Report

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
HELP = REMEDIES | {TORN: TORN_FIX}
# Its name in `partialFingerprints`; a change of what it is made from needs a new number.
FINGERPRINT = "ctxlabFinding/v1"


def sarif(reports: Iterable[Report], unusable: Sequence[str] = ()) -> dict[str, Any]:
    """Return the findings of these reports as one SARIF log, as JSON values.

    `unusable` are the texts of the errors about files of which there is no report. Nothing is masked here; so
    give what `Report.masked` returns.
    """
    reports = list(reports)
    codes = sorted({finding.code for report in reports for finding in report.findings})
    results = [result for report in reports for result in _results(report, codes)]
    driver = {"name": "ctxlab", "version": version("ctxlab"), "rules": [_rule(code) for code in codes]}
    invocation = {
        "executionSuccessful": not unusable,
        "toolExecutionNotifications": [{"level": "error", "message": {"text": text}} for text in unusable],
    }
    run = {"tool": {"driver": driver}, "invocations": [invocation], "results": results}
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _results(report: Report, codes: list[str]) -> Iterator[dict[str, Any]]:
    # Many findings can be in one message, so each message is read once.
    digests = {
        index: None if index is None else _digest(report.transcript.messages[index])
        for index in {finding.message for finding in report.findings}
    }
    seen: Counter[str] = Counter()
    for finding in report.findings:
        # It stays the same when messages are put before or behind this one.
        identity = _digest([finding.code, finding.block, finding.id, digests[finding.message]])
        seen[identity] += 1
        yield {
            "ruleId": finding.code,
            "ruleIndex": codes.index(finding.code),
            "level": "error",
            "message": {"text": f"{finding.text}. {finding.fix}"},
            "locations": [_location(report, finding)],
            # The count parts findings that are alike in all but their place.
            "partialFingerprints": {FINGERPRINT: f"{identity}:{seen[identity]}"},
        }


def _rule(code: str) -> dict[str, Any]:
    return {
        "id": code,
        "shortDescription": {"text": code.replace("_", " ").capitalize()},
        "help": {"text": HELP[code]},
        "defaultConfiguration": {"level": "error"},
    }


def _location(report: Report, finding: Finding) -> dict[str, Any]:
    physical: dict[str, Any] = {"artifactLocation": {"uri": _uri(report.name)}}
    line = report.line(finding)
    if line is not None:
        physical["region"] = {"startLine": line}
    location: dict[str, Any] = {"physicalLocation": physical}
    if finding.message is not None:
        name = place(finding.message, finding.block)
        location["logicalLocations"] = [{"fullyQualifiedName": name, "kind": "object"}]
    return location


def _uri(name: str) -> str:
    path = PurePath(name)
    return path.as_uri() if path.is_absolute() else quote(os.fsencode(path.as_posix()))


def _digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:32]
