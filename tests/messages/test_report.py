"""The report on one history: places, order, and what of a secret may show."""

import json
import os
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from ctxlab.errors import HistoryError, Refusal
from ctxlab.messages.report import report_on

DATA = Path(__file__).parents[1] / "data"
# Longer than what a text quotes of a value, so that every quotation of it is cut.
LONG = "sk-ant-api03-" + "aB1" * 40
SHORT = "ghp_" + "aB1c" * 9


def result(call_id: Any, text: str = "x") -> dict[str, Any]:
    return {"role": "user", "content": [{"type": "tool_result", "tool_use_id": call_id, "content": text}]}


def everything(report: Any) -> str:
    """All that can be printed of a report."""
    return report.text() + json.dumps(report.to_json()) + str(report.transcript) + str(report.warning())


class TestSources:
    def test_a_list(self) -> None:
        messages = [{"role": "user", "content": "go"}, result("toolu_1")]
        report = report_on(messages)
        (finding,) = report.findings
        assert (report.name, report.transcript.format, report.transcript.api) == (
            "",
            "a list",
            "anthropic-messages",
        )
        assert report.transcript.messages is messages
        assert (report.line(finding), report.place(finding)) == (None, "message 1")
        assert report.at(finding) == "a list"
        assert report.text().splitlines()[:2] == [
            "a list: anthropic-messages, 2 messages",
            f"a list: orphan_tool_result: {finding.text}",
        ]

    def test_a_file_in_a_path_of_either_kind(self, tmp_path: Path) -> None:
        path = tmp_path / "mine.jsonl"
        path.write_text('{"role": "user", "content": "go"}\n\n' + json.dumps(result("toolu_1")))
        report = report_on(path)
        (finding,) = report.findings
        assert (report.name, report.line(finding)) == (str(path), 3)
        assert report_on(str(path)) == report
        assert f"{path}:3: orphan_tool_result: {finding.text}\n    {finding.fix}\n" in report.text()

    def test_the_shape_that_is_given(self) -> None:
        messages = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "go"}]
        assert report_on(messages).findings == []
        assert report_on(messages, "openai-responses").findings == []
        anthropic = report_on(messages, "anthropic-messages")
        assert anthropic.transcript.api == "anthropic-messages"
        assert [finding.message for finding in anthropic.findings] == [0]

    @pytest.mark.parametrize("source", [{"messages": []}, None, 7, b"x.json"])
    def test_what_is_no_source(self, source: Any) -> None:
        with pytest.raises(HistoryError, match="a history is a list of messages or a path, not "):
            report_on(source)

    def test_an_unknown_api(self) -> None:
        with pytest.raises(Refusal, match="there is no api 'x'"):
            report_on([], "x")  # type: ignore[arg-type]

    def test_an_empty_list_has_its_finding(self) -> None:
        assert [finding.code for finding in report_on([]).findings] == ["empty_history"]

    def test_a_list_that_contains_itself(self) -> None:
        messages: list[Any] = []
        messages.append(messages)
        with pytest.raises(Refusal) as refused:
            report_on(messages)
        assert refused.value.code == "not_a_history"


class TestFaultsOfTheFile:
    def test_stand_in_the_order_of_the_messages(self, tmp_path: Path) -> None:
        lines = ['{"role": "user", "content": "go"}', '{"role": "assis', json.dumps(result("toolu_1"))]
        path = tmp_path / "torn.jsonl"
        path.write_text("\n".join(lines) + '{"role": "user", "content": "and"}\n')
        report = report_on(path)
        places = [(finding.code, finding.message, report.line(finding)) for finding in report.findings]
        assert places[0] == ("torn_record", None, 2)
        assert sorted(places[1:], key=str) == [("orphan_tool_result", 1, 3), ("torn_record", 2, 3)]
        assert [place[1] for place in places[1:]] == [1, 2]
        assert f"{path}:2: torn_record: line 2: " in report.text()

    def test_a_row_has_no_line(self, tmp_path: Path) -> None:
        path = tmp_path / "s.db"
        lost = json.dumps({"type": "function_call_output", "call_id": "lost", "output": "x"})
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.executescript((DATA / "transcripts" / "agents_session.sql").read_text("utf-8"))
            for row in ("{", lost):
                connection.execute(
                    "INSERT INTO agent_messages (session_id, message_data) VALUES ('tower', ?)", [row]
                )
        report = report_on(path, session="tower")
        at = {finding.code: report.at(finding) for finding in report.findings}
        assert at["torn_record"] == str(path)
        assert at["orphan_call_output"].startswith(f"{path}: row ")
        assert {report.line(finding) for finding in report.findings} == {None}


class TestSecrets:
    def test_the_warning_names_kinds_and_places_and_no_secret(self) -> None:
        messages = [{"role": "user", "content": f"use {SHORT}"} for _ in range(8)]
        messages[3] = {"role": "user", "content": f"use {LONG}"}
        report = report_on(messages)
        assert report.warning() == (
            "8 texts look like secrets: GitHub token (messages 0, 1, 2, 4, 5 and 2 more), "
            "Anthropic key (message 3)"
        )
        assert report_on(messages[3:4]).warning() == "1 text looks like a secret: Anthropic key (message 0)"
        assert report_on(messages[:0]).warning() is None

    def test_the_system_text_and_the_tools_are_looked_at(self, tmp_path: Path) -> None:
        path = tmp_path / "body.json"
        tool = {"name": "look", "input_schema": {}, "description": f"key {LONG}"}
        body = {"system": f"key {SHORT}", "tools": [tool], "messages": [{"role": "user", "content": "go"}]}
        path.write_text(json.dumps(body))
        report = report_on(path)
        assert report.warning() == (
            "2 texts look like secrets: GitHub token (the system), Anthropic key (the tools)"
        )
        assert SHORT not in everything(report.masked())
        assert LONG not in everything(report.masked())

    @pytest.mark.parametrize("secret", [SHORT, LONG])
    def test_masked_in_every_place_that_a_finding_quotes(self, secret: str) -> None:
        messages = [
            result(secret),
            {"role": secret, "content": "x"},
            {"role": {"api_key": secret}, "content": "x"},
            {"role": "user", "content": [{"type": secret}, [secret, 7]]},
            {"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": secret, "input": {}}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": secret}]},
            {secret: {secret: "x"}},
        ]
        report = report_on(messages)
        whole = everything(report.masked())
        assert secret[:20] in everything(report)
        assert "masked, " in whole
        # Not even the beginning: a quotation is cut, and the rest would not look like a secret any more.
        assert secret[8:16] not in whole
        assert [finding.code for finding in report.masked().findings] == [
            finding.code for finding in report.findings
        ]
        assert secret in str(messages)

    def test_masked_where_only_the_key_tells_that_it_is_a_secret(self) -> None:
        call = {"type": "tool_use", "id": "a", "name": {"password": "hunter22"}, "input": {}}
        report = report_on([{"role": "user", "content": "go"}, {"role": "assistant", "content": [call]}])
        assert "hunter22" in report.text()
        assert "hunter22" not in everything(report.masked())

    def test_masked_in_a_note_though_it_is_in_no_message(self, tmp_path: Path) -> None:
        first, second = (DATA / "transcripts" / "claude_code.jsonl").read_text("utf-8").splitlines()[1:3]
        error = json.loads(second) | {"isApiErrorMessage": True, "uuid": "e"}
        error["message"] = {"role": "assistant", "content": [{"type": "text", "text": f"bad key {SHORT}"}]}
        path = tmp_path / "session.jsonl"
        path.write_text(f"{first}\n{json.dumps(error)}\n")
        report = report_on(path)
        assert report.secrets == []
        assert SHORT in report.text()
        assert SHORT not in everything(report.masked())


def test_json_holds_what_the_text_says() -> None:
    report = report_on(DATA / "transcripts" / "claude_code.jsonl")
    value = json.loads(json.dumps(report.to_json()))
    assert value["messages"] == 7
    assert value["skipped"] == report.transcript.skipped
    assert all(f"{count} x {kind}" in report.text() for kind, count in value["skipped"].items())
    assert all(note in report.text() for note in value["notes"])
    cut = report_on(DATA / "transcripts" / "langchain_dumpd.jsonl")
    (finding,) = cut.to_json()["findings"]
    assert (finding["code"], finding["message"], finding["block"]) == ("arguments_not_json", 2, 1)
    assert (finding["line"], finding["place"]) == (3, "line 3")
    assert f"{cut.name}:{finding['line']}: {finding['code']}: {finding['text']}" in cut.text()


def test_no_text_steers_a_terminal(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    evil = "\x1b[31m\x9b\nred"
    lines = [{"type": evil}, {"role": "user", "content": "go"}, result(evil)]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    text = report_on(path).text()
    assert "red" in text
    assert [char for char in text if not char.isprintable() and char != "\n"] == []
    assert len(text.splitlines()) == len(text.split("\n")) - 1
    assert os.fspath(path) in text
