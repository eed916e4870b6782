"""Diagnosis as a widget: what it takes and refuses, its faces, and the page that it saves."""

import json
import re
from html import unescape
from pathlib import Path
from typing import Any

import pytest

import ctxlab
from ctxlab.errors import CtxlabError, HistoryError, Refusal
from ctxlab.messages.report import report_on
from ctxlab.player.diagnosis import Diagnosis
from ctxlab.player.disclosing import SecretsError
from ctxlab.player.module import joined_module

VIEW = "application/vnd.jupyter.widget-view+json"
PARTS = ["heading", "cards", "texts", "origins", "splits", "findings", "place"]
TRANSCRIPTS = Path(__file__).parent.parent / "data" / "transcripts"
KEY = "AKIA" + "IOSFODNN7ABCDEFG"

History = list[dict[str, Any]]


def call(name: str = "toolu_1", **given: str) -> dict[str, Any]:
    block = {"type": "tool_use", "id": name, "name": "read_file", "input": given}
    return {"role": "assistant", "content": [block]}


def result(name: str = "toolu_1", text: str = "1 2 3") -> dict[str, Any]:
    return {"role": "user", "content": [{"type": "tool_result", "tool_use_id": name, "content": text}]}


def faulty() -> History:
    return [{"role": "user", "content": "Read it."}, call(path="a.txt"), result(), result("toolu_9")]


def sent(diagnosis: Diagnosis) -> dict[str, Any]:
    """What the page gets, packed as a kernel packs it."""
    packed = json.dumps(diagnosis.get_state(PARTS), ensure_ascii=False, allow_nan=False).encode("utf-8")
    state: dict[str, Any] = json.loads(packed)
    return state


def scripts(html: str) -> list[str]:
    return re.findall(r"<script[^>]*>(.*?)</script>", html, re.DOTALL)


def test_is_public() -> None:
    assert ctxlab.Diagnosis is Diagnosis


def test_opens_at_the_first_finding() -> None:
    diagnosis = Diagnosis(faulty())
    assert diagnosis.place == [3, 0]
    finding = sent(diagnosis)["findings"][0]
    expected = diagnosis.report.findings[0]
    assert (finding["code"], finding["text"], finding["fix"]) == (expected.code, expected.text, expected.fix)
    assert finding["code"] == "orphan_tool_result"


def test_a_sound_history_opens_at_its_start_and_says_so() -> None:
    diagnosis = Diagnosis(faulty()[:3])
    assert diagnosis.place == [0, -1]
    assert diagnosis.heading["headline"] == "No findings in 3 messages."
    assert repr(diagnosis) == "<Diagnosis of a list of messages: No findings in 3 messages.>"


def test_a_finding_in_no_message_opens_without_one() -> None:
    diagnosis = Diagnosis([])
    assert diagnosis.place == [-1, 0]
    assert diagnosis.heading["headline"] == "1 finding, in no single message."


@pytest.mark.parametrize("file", sorted(TRANSCRIPTS.glob("*.json*")), ids=lambda file: file.name)
def test_shows_a_file_of_each_format(file: Path) -> None:
    state = sent(Diagnosis(file))
    report = report_on(file)
    assert state["heading"]["name"] == str(file)
    assert state["heading"]["facts"][:2] == [report.transcript.format, report.transcript.api]
    assert len(state["cards"]) == len(state["texts"]) == len(state["origins"])
    assert [finding["code"] for finding in state["findings"]] == [f.code for f in report.findings]


def test_takes_a_report_as_it_is() -> None:
    report = report_on(faulty())
    assert Diagnosis(report).report is report
    with pytest.raises(
        CtxlabError, match=r"^a Report is made already; give api and session where it is made$"
    ):
        Diagnosis(report, api="openai-chat")


def test_reads_in_the_shape_that_it_is_told() -> None:
    plain = [{"role": "user", "content": "Hello"}]
    assert Diagnosis(plain, api="openai-responses").heading["facts"][1] == "openai-responses"
    with pytest.raises(Refusal, match="there is no api 'openai'"):
        Diagnosis(plain, api="openai")  # type: ignore[arg-type]


@pytest.mark.parametrize(("source", "why"), [(None, "not None"), ("missing.json", "no file missing.json")])
def test_refuses_what_is_no_history(source: Any, why: str) -> None:
    with pytest.raises(HistoryError, match=why):
        Diagnosis(source)


def test_has_a_live_a_static_and_a_text_face() -> None:
    diagnosis = Diagnosis(faulty())
    data, _ = diagnosis._repr_mimebundle_()
    assert data.keys() == {VIEW, "text/html", "text/plain"}
    fix = diagnosis.report.findings[0].fix
    for face in (data["text/plain"], unescape(data["text/html"])):
        assert "Diagnosis of a list of messages: 1 finding, in message 3." in face
        assert fix in face
    assert "<script" not in data["text/html"]


def test_hostile_text_reaches_the_page_and_leaves_no_markup(hostile: str, tmp_path: Path) -> None:
    messages = [{"role": hostile, "content": hostile}, call(hostile, **{hostile: hostile}), result(hostile)]
    diagnosis = Diagnosis(messages)
    assert sent(diagnosis)["cards"][0]["preview"] == hostile.replace("\ud800", "\N{REPLACEMENT CHARACTER}")
    assert "<img" not in diagnosis._repr_mimebundle_()[0]["text/html"]
    diagnosis.save_html(tmp_path / "page.html")
    html = (tmp_path / "page.html").read_text(encoding="utf-8")
    found = scripts(html)
    assert len(found) == 3
    assert "<" not in found[0] + found[1]
    assert "<img" not in html.replace(found[2], "")


def test_saves_a_page_with_its_own_module_at_this_place(tmp_path: Path) -> None:
    diagnosis = Diagnosis(faulty())
    diagnosis.place = [1, -1]
    diagnosis.save_html(tmp_path / "page.html")
    html = (tmp_path / "page.html").read_text(encoding="utf-8")
    state, module, _ = scripts(html)
    assert json.loads(state) == sent(diagnosis)
    assert json.loads(state)["place"] == [1, -1]
    assert json.loads(module) == joined_module("diagnose.js")
    assert "<title>Diagnosis of a list of messages</title>" in html
    assert "toolu_9" in html.partition("<noscript>")[2]


def with_secrets() -> History:
    """A history with a key in a text, in the name and the value of an argument, in an id and beyond a cut."""
    return [
        {"role": "user", "content": f"use {KEY}"},
        call(path="x", api_key="correct-horse-battery", **{KEY: "y"}),
        result(text="x" * 1990 + f" {KEY}"),
        result(KEY),
    ]


def test_a_page_with_secrets_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SecretsError, match="the page is not written") as refused:
        Diagnosis(with_secrets()).save_html(tmp_path / "page.html")
    assert KEY not in str(refused.value)
    assert list(tmp_path.iterdir()) == []


def test_a_page_with_secrets_is_masked_or_keeps_them(tmp_path: Path) -> None:
    pages = {}
    for choice in ("mask", "keep"):
        Diagnosis(with_secrets()).save_html(tmp_path / "page.html", secrets=choice)
        pages[choice] = (tmp_path / "page.html").read_text(encoding="utf-8")
    for secret in (KEY, KEY[:8], "correct-horse"):
        assert secret in pages["keep"]
        assert secret not in pages["mask"]
    state = json.loads(scripts(pages["mask"])[0])
    assert [finding["code"] for finding in state["findings"]] == [
        finding.code for finding in report_on(with_secrets()).findings
    ]
    with pytest.raises(CtxlabError, match="secrets is 'hide'; give one of 'refuse', 'mask', 'keep'"):
        Diagnosis(faulty()).save_html(tmp_path / "page.html", secrets="hide")


@pytest.mark.parametrize("password", ["correct-horse", 'a"quoted\\one'])
def test_a_password_is_masked_where_its_name_does_not_stand_beside_it(password: str, tmp_path: Path) -> None:
    said: History = [
        {"role": "user", "content": f"Log in with {password}."},
        call(password=password),
        result(text=f"logged in with {password} as sam"),
        result("toolu_9", json.dumps([json.dumps({"said": password})]) + f" {password!r}"),
    ]
    Diagnosis(said).save_html(tmp_path / "page.html", secrets="mask")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    state = json.loads(scripts(page)[0])
    assert len(state["findings"]) == 1
    for text in (unescape(page), json.dumps(state["texts"]), json.dumps(state["cards"])):
        assert f"named secret masked, {len(password)} characters" in text
        form = password
        for _ in range(4):
            assert form not in text
            form = json.dumps(form)[1:-1]
        assert repr(password)[1:-1] not in text


def test_a_masked_page_keeps_pairs_sizes_and_cuts(tmp_path: Path) -> None:
    keys = [f"ghp_{'a1B2' * 8}{end}" for end in ("wxyz", "stuv")]
    said: History = [
        {"role": "user", "content": "Go."},
        {"role": "assistant", "content": [call(key)["content"][0] for key in keys]},
        {"role": "user", "content": [result(key)["content"][0] for key in keys]},
    ]
    whole, masked = (state_of(said, tmp_path / f"{choice}.html", choice) for choice in ("keep", "mask"))
    first, second = masked["cards"][1]["ids"]
    assert first != second
    assert masked["cards"][2]["results"] == [first, second]
    assert [card["bytes"] for card in masked["cards"]] == [card["bytes"] for card in whole["cards"]]
    assert masked["heading"]["facts"] == whole["heading"]["facts"]
    assert [cut for cut, _ in masked["splits"]] == [cut for cut, _ in whole["splits"]]
    assert masked["heading"]["warning"] == ""
    assert "Masked on this page: 4 texts look like secrets" in masked["heading"]["lines"][-1]


def state_of(messages: History, page: Path, secrets: str) -> Any:
    Diagnosis(messages).save_html(page, secrets=secrets)
    return json.loads(scripts(page.read_text(encoding="utf-8"))[0])


def test_the_warning_names_no_secret() -> None:
    warning = Diagnosis(with_secrets()).heading["warning"]
    assert "AWS access key id (messages 0, 1, 2, 3)" in warning
    assert KEY not in warning


def test_nothing_is_changed() -> None:
    messages = with_secrets()
    before = json.dumps(messages)
    Diagnosis(messages)
    assert json.dumps(messages) == before
