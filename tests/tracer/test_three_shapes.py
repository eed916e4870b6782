"""A learner's own function, traced on a history of OpenAI Chat and on items of OpenAI Responses."""

from typing import Any

import pytest

from ctxlab.tracer.run import trace
from ctxlab.tracer.traces import Trace

Message = dict[str, Any]
CLEARED = "[cleared]"


def chat(exchanges: int) -> list[Message]:
    history: list[Message] = [
        {"role": "system", "content": "Be short."},
        {"role": "user", "content": "Mend the notes."},
    ]
    for number in range(exchanges):
        ids = [f"a{number}", f"b{number}"]
        function = {"name": "read_file", "arguments": '{"path": "notes.txt"}'}
        calls = [{"id": one, "type": "function", "function": function} for one in ids]
        history.append({"role": "assistant", "content": None, "tool_calls": calls})
        history += [{"role": "tool", "tool_call_id": one, "content": "line " * 40} for one in ids]
    return [*history, {"role": "assistant", "content": "Done."}]


def items(exchanges: int) -> list[Message]:
    history: list[Message] = [{"role": "user", "content": "Mend the notes."}]
    for number in range(exchanges):
        history += [
            {"type": "reasoning", "id": f"rs_{number}", "summary": []},
            {"type": "function_call", "call_id": f"c{number}", "name": "read_file", "arguments": "{}"},
            {"type": "function_call_output", "call_id": f"c{number}", "output": "line " * 40},
        ]
    said = [{"type": "output_text", "text": "Done."}]
    return [*history, {"type": "message", "role": "assistant", "content": said}]


def shorten(messages, keep):
    candidate = []
    for at, message in enumerate(messages):
        if at < len(messages) - keep:
            for field in ("content", "output"):
                if message.get(field, "").__class__ is str and len(message.get(field, "")) > 100:
                    message = {**message, field: "[cleared]"}
        candidate.append(message)
    return candidate


def window(messages, keep):
    return messages[-keep:]


def without_oldest(messages, most):
    while len(messages) > most:
        del messages[1]
    return messages


def folded(messages, summarise):
    return [messages[0], {"role": "user", "content": summarise(messages[1:-1])}, messages[-1]]


def answered(messages):
    output = {}
    output["type"] = "function_call_output"
    output["call_id"] = "c0"
    output["output"] = "done"
    return [*messages, output]


def fates(run: Trace) -> list[tuple[str, int | None, int | None]]:
    return [(fate.fate, fate.source, fate.target) for fate in run.provenance]


@pytest.mark.parametrize(("history", "trimmed"), [(chat(2), {3, 4}), (items(2), {3})], ids=["chat", "items"])
def test_a_text_that_was_replaced_is_trimmed(history: list[Message], trimmed: set[int]) -> None:
    run = trace(shorten, history, 4)
    expected = ["trimmed" if at in trimmed else "kept" for at in range(len(history))]
    assert fates(run) == [(fate, at, at) for at, fate in enumerate(expected)]
    assert run.data["checks"]["pairs_complete"] is True
    assert run.data["checks"]["input_unchanged"] is True


@pytest.mark.parametrize("history", [chat(2), items(2)], ids=["chat", "items"])
def test_a_window_that_parts_a_pair_breaks_it_from_its_step_on(history: list[Message]) -> None:
    whole, parted = trace(window, history, 4), trace(window, history, 2)
    assert whole.data["checks"]["pairs_complete"] is True
    assert parted.data["checks"]["pairs_complete"] is False
    assert parted.data["checks"]["first_broken_step"] == 2
    *_, last = (row for row in parted.data["histories"] if row[1] == 1)
    assert last[6:] == [0, 1], "no open call, one orphan"
    assert [fate for fate, *_ in fates(parted)] == ["kept"] * 2 + ["dropped"] * (len(history) - 2)


@pytest.mark.parametrize(
    ("history", "counts"),
    [
        # The question goes, then the calls, then their results one by one.
        (chat(2), [(0, 0), (0, 0), (0, 2), (0, 1), (0, 0)]),
        (items(2), [(0, 0), (0, 0), (0, 1), (0, 0)]),
    ],
    ids=["chat", "items"],
)
def test_open_calls_and_orphans_are_those_of_each_step(
    history: list[Message], counts: list[tuple[int, int]]
) -> None:
    run = trace(without_oldest, history, len(history) - len(counts) + 1)
    assert run.data["checks"]["in_place"] is None  # it returned the history that it worked on
    assert [tuple(row[6:]) for row in run.data["histories"] if row[1] == 0] == counts
    assert [fate for fate, *_ in fates(run)].count("dropped") == len(counts) - 1


@pytest.mark.parametrize("history", [chat(2), items(2)], ids=["chat", "items"])
def test_what_went_into_a_summary_is_summarised(history: list[Message]) -> None:
    run = trace(folded, history, lambda part: f"{len(part)} messages were here")
    middle = range(1, len(history) - 1)
    assert [fate for fate in fates(run) if fate[0] == "summarised"] == [
        ("summarised", at, 1) for at in middle
    ]


def test_the_table_names_role_and_ids_of_each_message() -> None:
    rows = trace(shorten, items(1), 0).text()
    assert 'user "Mend the notes."' in rows
    assert "assistant rs_0" in rows
    assert "assistant c0" in rows
    assert "tool c0" in rows
    assert 'assistant "Done."' in rows
    assert "assistant a0, b0" in trace(shorten, chat(1), 0).text()


def test_a_list_of_content_blocks_is_no_history() -> None:
    def last_blocks(messages: list[Message]) -> list[Any]:
        blocks: list[Any] = messages[-1]["content"]
        return blocks

    run = trace(last_blocks, items(1))
    assert run.provenance == []
    assert [row[1] for row in run.data["histories"]] == [0]


def test_an_item_that_is_built_key_by_key_is_a_message_in_the_end() -> None:
    run = trace(answered, items(1)[:3])
    assert fates(run)[-1] == ("added", None, 3)
    assert run.data["checks"]["pairs_complete"] is True
