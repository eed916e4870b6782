"""The chain of records in a session of Claude Code: which of its messages are sent, and in which order."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ctxlab.messages.blocks import call_ids, result_ids
from ctxlab.messages.parts import name_in

# What tells two blocks of one answer apart.
BLOCK_MARKS = ("type", "id", "text", "thinking", "data")


@dataclass(slots=True)
class Entry:
    """One record of the chain, the `order`-th of the file. `message` is None for what is not sent.

    `parent` is the key of the record before it, None at the start. `used` says that it is a part of the
    history.
    """

    key: str
    order: int
    line: int
    parent: str | None
    message: dict[str, Any] | None = None
    side: bool = False
    used: bool = False


Entries = dict[str, Entry]


def between(head: str, tail: str, entries: Entries) -> list[str]:
    """Return the keys from head to tail, in order; none where the links from the tail miss the head."""
    walked: dict[str, None] = {}
    at = tail
    while at in entries and at not in walked:
        walked[at] = None
        if at == head:
            return list(walked)[::-1]
        at = entries[at].parent or ""
    return []


def move_behind(anchor: str, keys: list[str], entries: Entries) -> None:
    """Link the records `keys`, in order, behind the anchor, and what followed the anchor behind them."""
    for entry in entries.values():
        if entry.parent == anchor and entry.order > entries[anchor].order:
            entry.parent = keys[-1]
    for parent, key in zip([anchor, *keys], keys, strict=False):
        entries[key].parent = parent


def path_to_last(messages: list[Entry], entries: Entries) -> tuple[list[Entry], list[Entry]]:
    """Return the records from the start to the last of `messages`, and those whose link leads nowhere.

    Behind such a link comes the message before it in the file.
    """
    before = dict(zip((entry.key for entry in messages[1:]), messages, strict=False))
    path: list[Entry] = []
    broken: list[Entry] = []
    at: Entry | None = messages[-1]
    while at is not None and not at.used:
        at.used = True
        path.append(at)
        if at.parent is None:
            break
        if at.parent in entries:
            at = entries[at.parent]
        else:
            broken.append(at)
            at = before.get(at.key)
    return path[::-1], broken


def groups_on(path: list[Entry], messages: list[Entry]) -> Iterator[list[Entry]]:
    """Yield the records of each message on the path: the parts of one answer, or the results of its calls."""
    group: list[Entry] = []
    for entry in list(_with_siblings(path, messages)):
        if group and not _one_answer(group[0], entry) and not (_answers(group[0]) and _answers(entry)):
            yield group
            group = []
        group.append(entry)
    if group:
        yield group


def message_of(group: list[Entry]) -> dict[str, Any]:
    """Return the message that these records are: its role and content, which is all that is sent."""
    messages = [entry.message or {} for entry in sorted(group, key=lambda entry: entry.order)]
    if len(messages) == 1:
        return {key: messages[0][key] for key in ("role", "content") if key in messages[0]}
    blocks = [block for message in messages for block in content_of(message)]
    if messages[0].get("role") == "user":
        # In one message the results lead.
        blocks.sort(key=lambda block: name_in(block, "type") != "tool_result")
    return {"role": messages[0].get("role"), "content": blocks}


def content_of(message: dict[str, Any]) -> list[Any]:
    """Return the content of a message as blocks."""
    content = message.get("content")
    return content if isinstance(content, list) else [{"type": "text", "text": content}]


def _with_siblings(path: list[Entry], messages: list[Entry]) -> Iterator[Entry]:
    """Yield the messages of the path, and beside each the parts of its answer and their results."""
    answers: dict[str, list[Entry]] = {}
    results: dict[str, list[Entry]] = {}
    answered = {call for entry in path for call in result_ids(entry.message)}
    for entry in messages:
        if not entry.used:
            for call in result_ids(entry.message):
                # A second result, on a branch that was left, is not sent.
                if call not in answered:
                    results.setdefault(call, []).append(entry)
        if answer := _answer_id(entry):
            answers.setdefault(answer, []).append(entry)
    done: set[str] = set()
    for entry in path:
        if entry.message is None or entry.key in done:
            continue
        parts = _without_copies(answers.get(_answer_id(entry), [entry]))
        found = [
            result
            for part in parts
            for call in call_ids(part.message)
            for result in results.get(call, [])
            if not result.used
        ]
        for one in (*parts, *found):
            if one.key not in done:
                done.add(one.key)
                one.used = True
                yield one


def _without_copies(parts: list[Entry]) -> list[Entry]:
    """Return the parts of an answer: those on the path, and beside it those that say something else.

    A session that was written into its file again has each part twice, under keys of its own.
    """
    said: set[tuple[str, ...]] = set()
    kept = []
    for part in sorted(parts, key=lambda part: not part.used):
        marks = tuple(name_in(block, key) for block in content_of(part.message or {}) for key in BLOCK_MARKS)
        if part.used or marks not in said:
            kept.append(part)
        said.add(marks)
    return kept


def _answer_id(entry: Entry) -> str:
    """Return the id of the answer that an assistant's record is a part of, or ""."""
    return name_in(entry.message, "id") if name_in(entry.message, "role") == "assistant" else ""


def _one_answer(first: Entry, entry: Entry) -> bool:
    return _answer_id(first) != "" and _answer_id(first) == _answer_id(entry)


def _answers(entry: Entry) -> bool:
    return name_in(entry.message, "role") == "user" and bool(result_ids(entry.message))
