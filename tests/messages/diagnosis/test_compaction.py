"""Cuts, pinned texts and summaries."""

from typing import Any

import pytest

from ctxlab.messages.diagnosis.examining import diagnose
from ctxlab.messages.pairing import legal_cuts

Message = dict[str, Any]


def user(words: str) -> Message:
    return {"role": "user", "content": words}


def answer(words: str = "Done.") -> Message:
    return {"role": "assistant", "content": words}


def told(history: list[Any], **context: Any) -> list[tuple[str, int | None, int | None]]:
    return [(finding.code, finding.message, finding.block) for finding in diagnose(history, **context)]


def exchange(*ids: str) -> list[Message]:
    calls = [{"type": "tool_use", "id": call_id, "name": "look", "input": {}} for call_id in ids]
    results = [{"type": "tool_result", "tool_use_id": call_id, "content": "dry"} for call_id in ids]
    return [{"role": "assistant", "content": calls}, {"role": "user", "content": results}]


REASONED = [
    {"type": "message", "role": "user", "content": "Look."},
    {"type": "reasoning", "id": "rs", "summary": []},
    {"type": "function_call", "call_id": "a", "name": "look", "arguments": "{}"},
    {"type": "function_call", "call_id": "b", "name": "look", "arguments": "{}"},
    {"type": "function_call_output", "call_id": "b", "output": "dry"},
    {"type": "function_call_output", "call_id": "a", "output": "dry"},
    {"type": "message", "role": "assistant", "content": "Dry."},
]


@pytest.mark.parametrize("name", ["cut", "protected_from"])
@pytest.mark.parametrize(
    "history",
    [
        pytest.param(
            [user("Look."), *exchange("a", "b"), answer(), user("Again."), *exchange("c")], id="blocks"
        ),
        pytest.param(REASONED, id="responses"),
    ],
)
def test_every_cut_that_is_not_legal_is_found(history: list[Any], name: str) -> None:
    found = [index for index in range(len(history) + 1) if told(history, **{name: index})]
    assert found == [index for index in range(len(history) + 1) if index not in legal_cuts(history)]
    assert found
    for index in found:
        assert told(history, **{name: index}) == [("illegal_cut", index, None)]


def test_the_text_names_the_nearest_legal_cuts() -> None:
    finding = diagnose([user("Look."), *exchange("a"), answer()], cut=2)[0]
    assert finding.text == "message 2 is inside an exchange, so a cut may not begin there; 1 and 3 are legal"


RULE = "Never open the valve."


def test_a_pinned_text_in_any_text_of_the_history_is_kept() -> None:
    for words in (RULE, f"First: {RULE} Then go on."):
        assert told([user(words), answer()], pinned=[RULE]) == []
        assert (
            told([user("Go."), {"role": "user", "content": [{"type": "text", "text": words}]}], pinned=[RULE])
            == []
        )


def test_a_pinned_text_that_stands_nowhere() -> None:
    changed = "never open the valve."
    assert told([user(changed), answer()], pinned=[RULE]) == [("pinned_text_missing", None, None)]
    assert told([user("Summary: go on."), answer()], pinned=[RULE], summary_messages=[0]) == [
        ("pinned_text_missing", 0, None)
    ]
    # A tool that says it does not make it a rule of the user.
    history = [user("Look."), *exchange("a")]
    history[2]["content"][0]["content"] = RULE
    assert told(history, pinned=[RULE]) == [("pinned_text_missing", None, None)]


def test_a_pinned_text_in_front_of_the_cut_only() -> None:
    history = [user(RULE), answer(), user("Go on."), answer()]
    assert told(history, pinned=[RULE]) == []
    assert told(history, pinned=[RULE], cut=0) == []
    assert told(history, pinned=[RULE], cut=2) == [("pinned_text_missing", 0, None)]
    assert told([*history, user(RULE)], pinned=[RULE], cut=2) == []


NESTED = {
    "one heading three times": ("Earlier work:\n- Earlier work:\n  - Earlier work: tank dry\n- key KB-7", 3),
    "an unknown heading twice": ("What came before:\n> What came before:\n> - tank dry", 2),
    "on one line": ("Earlier work: Earlier work: tank dry", 2),
    "numbers": ("[ctxlab summary 2] Tank dry.\n[ctxlab summary 1] Tank wet.", 2),
    "tags": ("<summary>\n<summary>tank dry</summary>\nkey KB-7\n</summary>", 2),
    "headings": ("# Summary of the conversation:\ntank dry\n## Previous summary:\ntank wet", 2),
    "31 levels": ("\n".join("  " * level + "- So far:" for level in range(31)), 31),
}
FLAT = [
    "Earlier work: tank dry, key KB-7.",
    "Summary:\nGoal: dry the tank\nDone: tank dry\nTo do: valve\nSummary of decisions: none",
    "[ctxlab summary 2] Tank dry; the summary of the meeting is filed.",
    "Tank dry.\nTank dry.",
    "",
]


@pytest.mark.parametrize("name", NESTED)
def test_summaries_in_summaries(name: str) -> None:
    words, levels = NESTED[name]
    finding = diagnose([user(words), answer()], summary_messages=[0])[0]
    assert (finding.code, finding.message) == ("nested_summary", 0)
    assert f"of {levels} levels" in finding.text
    assert told([user(words), answer()]) == []


@pytest.mark.parametrize("words", FLAT)
def test_flat_summaries(words: str) -> None:
    assert "nested_summary" not in {
        code for code, _, _ in told([user(words), answer()], summary_messages=[0])
    }


def test_a_hostile_summary_takes_no_time() -> None:
    assert told([user("So far: " * 100_000), answer()], summary_messages=[0])[0][0] == "nested_summary"


@pytest.mark.parametrize(
    ("newest", "older"),
    [
        ("Summary B (newest): done.", "Summary A (older): begun."),
        ("[ctxlab summary 2] done", "[ctxlab summary 1] begun"),
        ("<summary>done</summary>", "<summary>begun</summary>"),
        ("Summary of earlier work: done.", "Summary of earlier work: begun."),
        ("Here is a summary of the conversation so far: done.", "Previous conversation: begun."),
        (
            "This session is being continued from a previous conversation. Done.",
            "Conversation summary: begun.",
        ),
    ],
)
def test_an_older_summary_behind_other_messages(newest: str, older: str) -> None:
    found = [("older_summary_inside_tail", 2, None)]
    assert told([user(newest), answer(), user(older), answer()]) == found
    assert told([{"role": "system", "content": "Rules."}, user(newest), answer(), user(older)]) == [
        ("older_summary_inside_tail", 3, None)
    ]
    # At the front, in a row, and alone they are no fault.
    assert told([user(newest), user(older), answer(), user("Go on.")]) == []
    assert told([user("Go."), answer(), user(older), answer()]) == []


@pytest.mark.parametrize("heading", ["Summary: ", "summary :", " SUMMARY:\n"])
def test_reports_of_a_user_that_begin_with_the_bare_word_are_no_folds(heading: str) -> None:
    said = [user(f"{heading}the build fails."), answer(), user(f"{heading}it passes now."), answer()]
    assert told(said) == []
    assert told(said, summary_messages=[0, 2]) == [("older_summary_inside_tail", 2, None)]


def test_summaries_that_the_caller_names() -> None:
    history = [user("Tank dry."), answer(), user("Tank wet."), answer()]
    assert told(history) == []
    assert told(history, summary_messages=[0, 2]) == [("older_summary_inside_tail", 2, None)]
    assert told(history, summary_messages=[0]) == []


def test_nothing_but_a_summary_is_left_to_fold() -> None:
    history = [user("Tank dry."), *exchange("a"), answer(), user("Go on.")]
    assert told(history, protected_from=1, summary_messages=[0]) == [("nothing_to_fold", 0, None)]
    assert told(history, protected_from=1) == []
    assert told(history, protected_from=3, summary_messages=[0]) == []
    assert told(history, protected_from=0, summary_messages=[0]) == []
    chat = [{"role": "system", "content": "Rules."}, user("Tank dry."), answer(), user("Go on.")]
    assert told(chat, protected_from=2, summary_messages=[1]) == [("nothing_to_fold", 1, None)]
