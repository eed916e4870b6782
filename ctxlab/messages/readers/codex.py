"""Session files of Codex CLI: ~/.codex/sessions/YYYY/MM/DD/rollout-*.jsonl.

Each line is {timestamp, type, payload}. A response_item is an item of the Responses API; session_meta has the
instructions; compacted replaces the history so far; the event thread_rolled_back takes turns off its end.
event_msg and turn_context are never sent. Before 2025-09 the items stood on their lines without an envelope.
Source: RolloutItem and CompactedItem in codex-rs/protocol/src/protocol.rs, and the way Codex itself resumes,
codex-rs/core/src/codex/rollout_reconstruction.rs, both of https://github.com/openai/codex.
"""

from collections.abc import Iterable
from typing import Any

from ctxlab.messages.parts import name_in
from ctxlab.messages.readers.plain import is_item
from ctxlab.messages.readers.transcript import Draft, Origin, Record, counted, kind_of

NAME = "Codex CLI session"

ENVELOPES = {"compacted", "event_msg", "response_item", "session_meta", "turn_context"}
# Kept by Codex for undoing; not sent.
LOCAL_ITEMS = {"ghost_snapshot", "other"}
# Messages in the user's role that Codex writes itself. They begin no turn of the user.
WRITTEN_BY_CODEX = (
    "# agents.md",
    "<environment_context>",
    "<skill>",
    "<subagent_notification>",
    "<turn_aborted>",
    "<user_instructions>",
    "<user_shell_command>",
)

Item = tuple[Any, Origin]


def recognises(value: Any) -> bool:
    """Tell whether this is a record of a session file, of today or of before the envelopes."""
    if not isinstance(value, dict):
        return False
    if name_in(value, "type") in ENVELOPES:
        return isinstance(value.get("payload"), dict)
    return _first_of_old(value) or value.get("record_type") == "state"


def read(records: Iterable[Record], draft: Draft) -> None:
    """Replay the records into the history that Codex would send next."""
    draft.api = "openai-responses"
    history: list[Item] = []
    for record in records:
        value, origin = record
        payload = value.get("payload") if isinstance(value, dict) else None
        kind = kind_of(value)
        if is_item(value):
            history.append((value, origin))
        elif _first_of_old(value):
            draft.skipped["session_meta"] += 1
            _take_settings(value, draft)
        elif not isinstance(payload, dict):
            draft.skipped[kind] += 1
        elif kind == "response_item" and name_in(payload, "type") not in LOCAL_ITEMS:
            history.append((payload, origin))
        elif kind == "compacted":
            history = _compacted(history, payload, origin, draft)
        elif kind == "event_msg" and payload.get("type") == "thread_rolled_back":
            history = _rolled_back(history, payload.get("num_turns"), origin, draft)
        elif kind == "session_meta":
            draft.skipped[kind] += 1
            _take_settings(payload, draft)
        elif kind in ENVELOPES:
            draft.skipped[f"{kind}/{kind_of(payload)}" if "type" in payload else kind] += 1
        else:
            draft.skipped[kind] += 1
    for item, origin in history:
        draft.add(item, origin)
    draft.notes.append("A session file has no definitions of the tools.")


def _first_of_old(value: Any) -> bool:
    return (
        isinstance(value, dict) and {"id", "timestamp", "instructions"} <= set(value) and "type" not in value
    )


def _take_settings(meta: dict[str, Any], draft: Draft) -> None:
    base = meta.get("base_instructions")
    text = base.get("text") if isinstance(base, dict) else base or meta.get("instructions")
    if draft.system is None and isinstance(text, str):
        draft.system = text
    source = meta.get("source")
    if isinstance(source, dict) and "subagent" in source:
        draft.notes.append("This is the session of a sub-agent; the session that started it is another file.")


def _compacted(history: list[Item], payload: dict[str, Any], origin: Origin, draft: Draft) -> list[Item]:
    """Return the history after a compaction."""
    replacement = payload.get("replacement_history")
    draft.skipped["compacted"] += 1
    before = counted(len(history), "item")
    if isinstance(replacement, list):
        draft.skipped["item replaced by a compaction"] += len(history)
        draft.notes.append(
            f"{_capital(origin)}: a compaction replaced the {before} before it by {len(replacement)}."
        )
        return [(item, origin) for item in replacement]
    # So does Codex where the record has only the summary; it also shortens very long texts of the user.
    kept = [(item, place) for item, place in history if _begins_turn(item)]
    summary = {
        "type": "message",
        "role": "user",
        "content": [{"type": "input_text", "text": str(payload.get("message", ""))}],
    }
    draft.skipped["item replaced by a compaction"] += len(history) - len(kept)
    draft.notes.append(
        f"{_capital(origin)}: a compaction replaced the {before} before it by the user's messages and a "
        "summary. Codex also sends its instructions for the session again, which the file lacks there."
    )
    return [*kept, (summary, origin)]


def _rolled_back(history: list[Item], turns: Any, origin: Origin, draft: Draft) -> list[Item]:
    """Return the history without the last `turns` turns of the user."""
    starts = [index for index, (item, _) in enumerate(history) if _begins_turn(item)]
    draft.skipped["event_msg/thread_rolled_back"] += 1
    if not starts or not isinstance(turns, int) or turns < 1:
        return history
    cut = starts[max(0, len(starts) - turns)]
    draft.skipped["item rolled back"] += len(history) - cut
    draft.notes.append(f"{_capital(origin)}: {counted(len(history) - cut, 'item')} rolled back.")
    return history[:cut]


def _capital(origin: Origin) -> str:
    return origin.place.capitalize()


def _begins_turn(item: Any) -> bool:
    if not isinstance(item, dict) or item.get("role") != "user" or item.get("type", "message") != "message":
        return False
    content = item.get("content")
    first = content[0] if isinstance(content, list) and content else content
    text = first.get("text") if isinstance(first, dict) else first
    return not (isinstance(text, str) and text.lstrip().lower().startswith(WRITTEN_BY_CODEX))
