import pytest

from ctxlab.messages.grammar import answer_fault
from ctxlab.scenarios.stand_ins import (
    ANSWER,
    NEXT_CALL,
    MemoryArchive,
    failing_archive,
    failing_summariser,
    fixed_summariser,
    read_file,
    receipt_of,
    stand_in_model,
)


def test_receipts_follow_each_other_and_name_their_snapshots() -> None:
    archive = MemoryArchive()
    first, second = [{"role": "user", "content": "a"}], [{"role": "user", "content": "b"}]

    assert [archive(first), archive(second)] == ["context-000000000001.jsonl", "context-000000000002.jsonl"]
    assert archive.snapshots == {"context-000000000001.jsonl": first, "context-000000000002.jsonl": second}
    assert repr(archive) == "MemoryArchive(2 snapshots)"


def test_a_snapshot_is_a_copy() -> None:
    archive = MemoryArchive()
    history = [{"role": "user", "content": [{"type": "text", "text": "before"}]}]
    receipt = archive(history)
    history[0]["content"][0]["text"] = "after"  # type: ignore[index]

    assert archive.snapshots[receipt] == [{"role": "user", "content": [{"type": "text", "text": "before"}]}]


def test_receipts_have_twelve_hex_digits() -> None:
    assert receipt_of(26) == "context-00000000001a.jsonl"


def test_the_failing_archive_fails() -> None:
    with pytest.raises(OSError, match="the disk is full"):
        failing_archive([])


def test_the_failing_summariser_fails() -> None:
    with pytest.raises(TimeoutError, match="the model gave no answer"):
        failing_summariser([])


def test_the_summariser_says_one_thing() -> None:
    summarize = fixed_summariser("All is well.")

    assert summarize([]) == summarize([{"role": "user", "content": "?"}]) == "All is well."


def result(call_id: str) -> dict[str, object]:
    block = {"type": "tool_result", "tool_use_id": call_id, "content": "ok", "is_error": False}
    return {"role": "user", "content": [block]}


@pytest.mark.parametrize(
    "messages",
    [
        [{"role": "user", "content": "Go on."}],
        [result("call_1")],
        # What was done earlier, or what a summary says of it, changes nothing.
        [result(NEXT_CALL), result("call_1")],
        [{"role": "user", "content": f"Summary: {NEXT_CALL} is done."}],
    ],
)
def test_the_model_calls_read_file_where_the_newest_results_are_others(messages: list) -> None:
    answer = stand_in_model(messages)

    call = {"type": "tool_use", "id": "call_next", "name": "read_file", "input": {"path": "notes.txt"}}
    assert answer == {"role": "assistant", "content": [call]}
    assert answer_fault(answer, 1) is None
    assert read_file(**call["input"]) == "Nothing has changed."


def test_the_model_answers_once_it_has_its_result() -> None:
    answer = stand_in_model([{"role": "user", "content": "Go on."}, result(NEXT_CALL)])

    assert answer == {"role": "assistant", "content": [{"type": "text", "text": ANSWER}]}
    assert answer_fault(answer, 2) is None


def test_each_answer_is_a_new_one() -> None:
    stand_in_model([result("call_1")])["content"][0]["input"].clear()

    assert stand_in_model([result("call_1")])["content"][0]["input"] == {"path": "notes.txt"}
