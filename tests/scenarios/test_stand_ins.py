import pytest

from ctxlab.scenarios.stand_ins import (
    MemoryArchive,
    failing_archive,
    failing_summariser,
    fixed_summariser,
    receipt_of,
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
