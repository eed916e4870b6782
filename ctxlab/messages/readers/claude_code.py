"""Session files of Claude Code: ~/.claude/projects/<folder>/<session>.jsonl, and its stream-json output.

There is no official description. Learned from the schemas of https://github.com/oneryalcin/agent-schemas
(claude-code/), https://github.com/microsoft/amplifier (ai_working/claude_code_logging) and the reports named
below. Each line is a record with a type. user and assistant hold a message of Anthropic's API; every other
type is bookkeeping and never sent. parentUuid links a record to the one before it.

- One answer of the model is written as a record for each content block; they share message.id. The results of
  parallel calls are branches of that chain (anthropics/claude-code#31330, #37779), so whoever follows only
  the links loses them. Here each answer becomes one message again, and so do its results.
- A link may name a record that was never written (#58554). Then the record before it in the file is taken.
- Going back to an earlier prompt starts a new branch; the one that was left stays in the file.
- A compaction writes system/compact_boundary without a parent, then a summary. What came before is no longer
  sent, but for the segment that compactMetadata.preservedSegment names.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from ctxlab.messages.blocks import call_ids, result_ids
from ctxlab.messages.parts import name_in
from ctxlab.messages.readers.transcript import Draft, Record, at_lines, counted, kind_of

NAME = "Claude Code session"

MESSAGES = {"assistant", "user"}
BOUNDARY = "system/compact_boundary"
# What a record of a session has beside its type; the first three are also in stream-json.
MARKS = ("message", "session_id", "uuid", "sessionId", "leafUuid", "messageId")
TYPES = {
    "agent-name",
    "ai-title",
    "attachment",
    "custom-title",
    "file-history-snapshot",
    "last-prompt",
    "permission-mode",
    "pr-link",
    "progress",
    "queue-operation",
    "summary",
    "system",
} | MESSAGES

BEFORE = "message before a compaction"
LEFT = "message on a branch that was left"
SIDE = "message of a sub-agent"


@dataclass(slots=True)
class Entry:
    """One record of the chain. `message` is None for what is not sent."""

    key: str
    line: int
    parent: str | None
    message: dict[str, Any] | None = None
    side: bool = False
    used: bool = False


def recognises(value: Any) -> bool:
    """Tell whether this is a record of a session."""
    kind = name_in(value, "type")
    if kind in MESSAGES and isinstance(value.get("message"), dict):
        return True
    known = kind in TYPES and "role" not in value and "content" not in value
    return (known and any(mark in value for mark in MARKS)) or (kind != "" and "sessionId" in value)


def read(records: Iterable[Record], draft: Draft) -> None:
    """Take the messages of the last branch since the last compaction, as they would be sent next."""
    draft.api = "anthropic-messages"
    session = _Session(draft)
    for record in records:
        session.take(record)
    session.write()
    draft.notes.append("A session file has neither the system text nor the tools.")


class _Session:
    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self.entries: dict[str, Entry] = {}
        # The last record of the session itself, and of its sub-agents.
        self.last_key: dict[bool, str | None] = {False: None, True: None}
        self.boundary: Entry | None = None
        # Where the messages begin that are still sent; 0 without a compaction.
        self.start = 0
        self.segment: dict[str, Any] | None = None

    def take(self, record: Record) -> None:
        """Keep what a record says about the chain, and count it if it is not sent."""
        value, line = record.value, (record.origin.lines or (len(self.entries),))[0]
        kind, name = name_in(value, "type"), kind_of(value)
        message = value.get("message") if isinstance(value, dict) else None
        sent = kind in MESSAGES and isinstance(message, dict)
        if isinstance(message, dict) and value.get("isApiErrorMessage") is True:
            self.draft.notes.append(f"Line {line}: the API answered with an error: {_text_of(message)}")
            sent, name = False, "error message of the API"
        key = name_in(value, "uuid")
        if key in self.entries:
            self.draft.skipped["record that repeats another"] += 1
            return
        if not sent:
            self.draft.skipped[name] += 1
            if not key and name != BOUNDARY:
                return
        side = value.get("isSidechain") is True or bool(value.get("parent_tool_use_id"))
        # A record without links, as in stream-json, goes on from the one before it.
        parent = (name_in(value, "parentUuid") or None) if "parentUuid" in value else self.last_key[side]
        entry = Entry(key or f"line {line}", line, parent, message if sent else None, side)
        self.entries[entry.key] = entry
        self.last_key[side] = entry.key
        if name == BOUNDARY and not side:
            entry.parent = None
            self.boundary, self.start = entry, line
            metadata = value.get("compactMetadata")
            segment = metadata.get("preservedSegment") if isinstance(metadata, dict) else None
            self.segment = segment if isinstance(segment, dict) else None

    def write(self) -> None:
        """Add the messages to the draft."""
        main = [entry for entry in self.entries.values() if entry.message is not None and not entry.side]
        if not main:
            main = [entry for entry in self.entries.values() if entry.message is not None]
            if not main:
                return
            self.draft.notes.append("The session of a sub-agent; the one that started it is another file.")
        self._link_segment()
        path = self._path(main)
        if path[0] is not self.boundary:
            self.start = 0
        for group in _joined(list(self._with_siblings(path, main))):
            self.draft.add(_one_message(group), at_lines([entry.line for entry in group]))
        self._count_rest()

    def _link_segment(self) -> None:
        """Put the segment that a compaction kept between its anchor and what follows."""
        if self.segment is None or self.boundary is None:
            return
        head, anchor, tail = (name_in(self.segment, f"{end}Uuid") for end in ("head", "anchor", "tail"))
        if not {head, anchor, tail} <= set(self.entries):
            self.draft.notes.append(
                f"Line {self.boundary.line}: the compaction kept a segment of which the file lacks a part."
            )
            return
        for entry in self.entries.values():
            if entry.parent == anchor and entry.line > self.entries[anchor].line:
                entry.parent = tail
        self.entries[head].parent = anchor
        self.start = self.entries[head].line
        self.draft.notes.append(
            f"Line {self.boundary.line}: the compaction kept the messages of lines {self.entries[head].line} "
            f"to {self.entries[tail].line}; they follow its summary."
        )

    def _path(self, main: list[Entry]) -> list[Entry]:
        """Return the records from the start, or the last compaction, to the last message."""
        before = dict(zip((entry.key for entry in main[1:]), main, strict=False))
        path: list[Entry] = []
        broken: list[int] = []
        at: Entry | None = main[-1]
        while at is not None and not at.used:
            at.used = True
            path.append(at)
            if at.parent is None:
                break
            if at.parent in self.entries:
                at = self.entries[at.parent]
            else:
                broken.append(at.line)
                at = before.get(at.key)
        if broken:
            self.draft.notes.append(
                f"What {at_lines(broken).place} should follow is not in the file; the "
                "message before it in the file is taken."
            )
        return path[::-1]

    def _with_siblings(self, path: list[Entry], main: list[Entry]) -> Iterator[Entry]:
        """Yield the messages of the path, and beside each the parts of its answer and their results."""
        answers: dict[str, list[Entry]] = {}
        results: dict[str, list[Entry]] = {}
        for entry in main:
            if not entry.used:
                for answered in result_ids(entry.message):
                    results.setdefault(answered, []).append(entry)
            if answer := _answer_id(entry):
                answers.setdefault(answer, []).append(entry)
        done: set[str] = set()
        for entry in path:
            if entry.message is None or entry.key in done:
                continue
            parts = answers.get(_answer_id(entry), [entry])
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

    def _count_rest(self) -> None:
        rest = [entry for entry in self.entries.values() if entry.message is not None and not entry.used]
        side = [entry.line for entry in rest if entry.side]
        before = [entry.line for entry in rest if not entry.side and entry.line < self.start]
        left = [entry.line for entry in rest if not entry.side and entry.line >= self.start]
        for kind, lines in ((SIDE, side), (BEFORE, before), (LEFT, left)):
            if lines:
                self.draft.skipped[kind] += len(lines)
        if before:
            self.draft.notes.append(
                f"A compaction: {counted(len(before), 'message')} before line {self.start} no longer sent."
            )
        if left:
            self.draft.notes.append(
                f"{counted(len(left), 'message')} on branches that were left: {at_lines(left).place}."
            )


def _answer_id(entry: Entry) -> str:
    """Return the id of the answer that an assistant's record is a part of, or ""."""
    return name_in(entry.message, "id") if name_in(entry.message, "role") == "assistant" else ""


def _joined(entries: list[Entry]) -> Iterator[list[Entry]]:
    """Yield the records of each message: the parts of one answer, or the results of its calls."""
    group: list[Entry] = []
    for entry in entries:
        if group and not _one_answer(group[0], entry) and not (_answers(group[0]) and _answers(entry)):
            yield group
            group = []
        group.append(entry)
    if group:
        yield group


def _one_answer(first: Entry, entry: Entry) -> bool:
    return _answer_id(first) != "" and _answer_id(first) == _answer_id(entry)


def _answers(entry: Entry) -> bool:
    return name_in(entry.message, "role") == "user" and bool(result_ids(entry.message))


def _one_message(group: list[Entry]) -> dict[str, Any]:
    """Return the message that these records are: its role and content, which is all that is sent."""
    messages = [entry.message or {} for entry in sorted(group, key=lambda entry: entry.line)]
    if len(messages) == 1:
        return {key: messages[0][key] for key in ("role", "content") if key in messages[0]}
    blocks = [block for message in messages for block in _content(message)]
    if messages[0].get("role") == "user":
        # In one message the results lead.
        blocks.sort(key=lambda block: name_in(block, "type") != "tool_result")
    return {"role": messages[0].get("role"), "content": blocks}


def _content(message: dict[str, Any]) -> list[Any]:
    content = message.get("content")
    return content if isinstance(content, list) else [{"type": "text", "text": content}]


def _text_of(message: dict[str, Any]) -> str:
    texts = [name_in(block, "text") for block in _content(message)]
    return " ".join(" ".join(texts).split())[:300]
