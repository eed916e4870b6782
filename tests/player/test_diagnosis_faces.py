"""The text and the static HTML of a diagnosis: what they show, and that both say the same."""

import re
from html import unescape
from pathlib import Path
from typing import Any

from ctxlab.messages.report import report_on
from ctxlab.player.diagnosis_faces import diagnosis_html, diagnosis_text
from ctxlab.player.diagnosis_state import diagnosis_state
from ctxlab.player.static import MOST_ROWS

DATA = Path(__file__).parent.parent / "data"


def cells(html: str) -> list[str]:
    return [unescape(cell) for cell in re.findall(r"<td[^>]*>(.*?)</td>", html)]


def orphans(count: int) -> list[dict[str, Any]]:
    block = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "x"}
    return [{"role": "user", "content": "Go."}, *({"role": "user", "content": [block]} for _ in range(count))]


def test_both_faces_show_each_finding_with_its_remedy() -> None:
    report = report_on(DATA / "cases" / "40-lone-surrogate.json")
    assert report.findings
    text, html = diagnosis_text(report), diagnosis_html(diagnosis_state(report))
    for finding in report.findings:
        assert f"{finding.code}: {finding.text}\n    {finding.fix}\n" in text
        for part in (finding.code, finding.text, finding.fix):
            assert part in cells(html)


def test_both_faces_say_that_a_history_is_sound() -> None:
    report = report_on(DATA / "transcripts" / "claude_code.jsonl")
    for face in (diagnosis_text(report), unescape(diagnosis_html(diagnosis_state(report)))):
        assert "claude_code.jsonl: No findings in 7 messages." in face
        assert "Claude Code session, anthropic-messages, 7 messages" in face
        assert all(note in face for note in report.transcript.notes)
    assert "<summary>Findings</summary><p>none</p>" in diagnosis_html(diagnosis_state(report))


def test_both_faces_warn_of_secrets_without_showing_them() -> None:
    key = "AKIA" + "IOSFODNN7ABCDEFG"
    report = report_on([{"role": "user", "content": f"use {key}"}])
    for face in (diagnosis_text(report), diagnosis_html(diagnosis_state(report))):
        assert "Before you share this: 1 text looks like a secret: AWS access key id" in face
    assert key not in diagnosis_text(report)


def test_of_very_many_findings_the_first_stand_there_and_the_rest_is_counted() -> None:
    report = report_on(orphans(MOST_ROWS + 50))
    text = diagnosis_text(report)
    assert len(report.findings) == MOST_ROWS + 50
    assert text.count("orphan_tool_result: ") == MOST_ROWS
    assert text.endswith("… 50 more findings\n")
    assert "<p>… 50 more</p>" in diagnosis_html(diagnosis_state(report))
