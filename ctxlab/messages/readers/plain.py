"""Messages as they are sent: a JSON list of them, or one a line, in any of the three shapes."""

from collections.abc import Iterable
from typing import Any

from ctxlab.messages.readers.transcript import Draft, Record, kind_of

NAME = "list of messages"

# Items of the Responses API that have no role:
# https://platform.openai.com/docs/api-reference/responses/create
ITEM_TYPES = {"additional_tools", "compaction", "item_reference", "program", "reasoning"}
ITEM_ENDS = ("_call", "_output", "_approval_request", "_approval_response", "_list_tools")


def recognises(value: Any) -> bool:
    """Tell whether this is a message or an item, or one that has lost its role."""
    if not isinstance(value, dict):
        return False
    return "role" in value or is_item(value) or ("content" in value and "type" not in value)


def is_item(value: Any) -> bool:
    """Tell whether this is an item of the Responses API."""
    item_type = value.get("type") if isinstance(value, dict) else None
    if not isinstance(item_type, str):
        return False
    return (
        item_type in ITEM_TYPES
        or item_type.endswith(ITEM_ENDS)
        or ("role" in value and item_type == "message")
    )


def read(records: Iterable[Record], draft: Draft) -> None:
    """Take every record that can be a message; a record with a type of its own and no role is counted."""
    for record in records:
        value = record.value
        if isinstance(value, dict) and not recognises(value) and "content" not in value:
            draft.skipped[kind_of(value)] += 1
        else:
            # Even what is no dict stays: `diagnose` names it with its place.
            draft.add(value, record.origin)
