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
  sent, but for the messages that its compactMetadata keeps: preservedMessages lists them, and in older
  files preservedSegment names their two ends (meawoppl/rust-code-agent-sdks#188).
- Nothing is ever taken out of the file. A record with snipMetadata names messages that are no longer sent,
  and content-replacement gives the shorter text that is sent in place of a long result.
"""

from collections.abc import Iterable
from typing import Any

from ctxlab.messages.parts import name_in
from ctxlab.messages.readers.claude_code_chain import (
    Entry,
    between,
    content_of,
    groups_on,
    message_of,
    move_behind,
    path_to_last,
)
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
REMOVED = "message that was removed"
API_ERROR = "error message of the API"
REPEATS = "record that repeats another"
# So many errors of the API are told each by itself.
MAX_ERRORS = 5


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
        self.order = 0
        # The last record of the session itself, and of its sub-agents.
        self.last_key: dict[bool, str | None] = {False: None, True: None}
        # The last compaction, what it says of itself, and the keys of messages that are no longer sent.
        self.boundary: Entry | None = None
        self.metadata: Any = None
        self.removed: list[Any] = []
        # By the id of a call, what is sent in place of the content of its result.
        self.replaced: dict[str, Any] = {}
        self.shortened = 0

    def take(self, record: Record) -> None:
        """Keep what a record says about the chain, and count it if it is not sent."""
        self.order += 1
        value, line = record.value, (record.origin.lines or (self.order,))[0]
        kind, name = name_in(value, "type"), kind_of(value)
        message = value.get("message") if isinstance(value, dict) else None
        sent = kind in MESSAGES and isinstance(message, dict)
        if isinstance(message, dict) and value.get("isApiErrorMessage") is True:
            if self.draft.skipped[API_ERROR] < MAX_ERRORS:
                self.draft.notes.append(f"Line {line}: the API answered with an error: {_text_of(message)}")
            sent, name = False, API_ERROR
        key = name_in(value, "uuid")
        if key in self.entries:
            self.draft.skipped[REPEATS] += 1
            return
        self.removed += _list_under(_under(value, "snipMetadata"), "removedUuids")
        for replacement in _list_under(value, "replacements"):
            self.replaced[name_in(replacement, "toolUseId")] = _under(replacement, "replacement")
        if not sent:
            self.draft.skipped[name] += 1
            if not key and name != BOUNDARY:
                return
        side = value.get("isSidechain") is True or bool(value.get("parent_tool_use_id"))
        # A record without links, as in stream-json, goes on from the one before it.
        parent = (name_in(value, "parentUuid") or None) if "parentUuid" in value else self.last_key[side]
        key = key or f"record {self.order}"
        self.entries[key] = Entry(key, self.order, line, parent, message if sent else None, side)
        self.last_key[side] = key
        if name == BOUNDARY and not side:
            self.boundary, self.metadata = self.entries[key], _under(value, "compactMetadata")
            self.boundary.parent = None

    def write(self) -> None:
        """Add the messages to the draft."""
        self._take_out()
        held = [entry for entry in self.entries.values() if entry.message is not None]
        messages = [entry for entry in held if not entry.side] or held
        if not messages:
            return
        if messages[0].side:
            self.draft.notes.append("The session of a sub-agent; the one that started it is another file.")
        self._move_kept()
        path, broken = path_to_last(messages, self.entries)
        if broken:
            self.draft.notes.append(
                f"What {at_lines([entry.line for entry in broken]).place} should follow is not in the file; "
                "the message before it in the file is taken."
            )
        if path[0] is not self.boundary:
            self.boundary = None
        for group in groups_on(path, messages):
            origin = at_lines([entry.line for entry in group])
            self.draft.add(self._as_sent(message_of(group)), origin)
        self._count_rest()

    def _take_out(self) -> None:
        """Let the records that were removed hold no message; the chain still leads through them."""
        for key in self.removed:
            entry = self.entries.get(key) if isinstance(key, str) else None
            if entry is not None and entry.message is not None:
                entry.message = None
                self.draft.skipped[REMOVED] += 1

    def _move_kept(self) -> None:
        """Put the messages that the last compaction kept behind their anchor, which is its summary."""
        kept = _under(self.metadata, "preservedMessages")
        if isinstance(kept, dict):
            keys = [key for key in _list_under(kept, "uuids") if isinstance(key, str)]
        else:
            kept = _under(self.metadata, "preservedSegment")
            keys = between(_name_under(kept, "headUuid"), _name_under(kept, "tailUuid"), self.entries)
        anchor = _name_under(kept, "anchorUuid")
        if self.boundary is None or not anchor:
            return
        if not keys or not {anchor, *keys} <= set(self.entries):
            self.draft.notes.append(
                f"Line {self.boundary.line}: the compaction kept messages of which the file lacks a part."
            )
            return
        move_behind(anchor, keys, self.entries)
        self.draft.notes.append(
            f"Line {self.boundary.line}: the compaction kept the messages of lines "
            f"{self.entries[keys[0]].line} to {self.entries[keys[-1]].line}; they follow its summary."
        )

    def _as_sent(self, message: dict[str, Any]) -> dict[str, Any]:
        """Return the message with what is sent in place of long results."""
        if not self.replaced or not isinstance(message.get("content"), list):
            return message
        blocks = []
        for block in message["content"]:
            content = self.replaced.get(name_in(block, "tool_use_id"))
            self.shortened += content is not None
            blocks.append(block if content is None else {**block, "content": content})
        return {**message, "content": blocks}

    def _count_rest(self) -> None:
        rest = [entry for entry in self.entries.values() if entry.message is not None and not entry.used]
        cut = self.boundary.order if self.boundary else 0
        side = [entry.line for entry in rest if entry.side]
        before = [entry.line for entry in rest if not entry.side and entry.order < cut]
        left = [entry.line for entry in rest if not entry.side and entry.order >= cut]
        for kind, lines in ((SIDE, side), (BEFORE, before), (LEFT, left)):
            if lines:
                self.draft.skipped[kind] += len(lines)
        if self.boundary and before:
            self.draft.notes.append(
                f"Line {self.boundary.line}: a compaction; {counted(len(before), 'message')} before it no "
                "longer sent."
            )
        if left:
            self.draft.notes.append(
                f"{counted(len(left), 'message')} on branches that were left: {at_lines(left).place}."
            )
        if self.shortened:
            self.draft.notes.append(
                f"{counted(self.shortened, 'result')} shortened as the content-replacement records say; the "
                "file also has the whole text."
            )


def _text_of(message: dict[str, Any]) -> str:
    texts = [name_in(block, "text") for block in content_of(message)]
    return " ".join(" ".join(texts).split())[:300]


def _under(value: Any, key: str) -> Any:
    """Return what stands under `key`, which stream-json writes in snake case; None where there is nothing."""
    if not isinstance(value, dict):
        return None
    snake = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in key)
    return value.get(key, value.get(snake))


def _name_under(value: Any, key: str) -> str:
    found = _under(value, key)
    return found if isinstance(found, str) else ""


def _list_under(value: Any, key: str) -> list[Any]:
    found = _under(value, key)
    return found if isinstance(found, list) else []
