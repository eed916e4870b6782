"""The form of an input item of OpenAI's Responses API.

Items and their fields: https://platform.openai.com/docs/api-reference/responses/create
"""

from collections.abc import Iterator
from typing import Any

from ctxlab.messages.diagnosis.finding import Finding, at_message, at_part
from ctxlab.messages.diagnosis.forms import (
    argument_findings,
    entry_fault,
    input_findings,
    long_id_findings,
    name_findings,
    role_findings,
    type_finding,
)
from ctxlab.messages.parts import Part
from ctxlab.messages.responses_parts import CALLS, OTHER_ITEMS, OUTPUTS, is_bare_reference
from ctxlab.messages.view import View
from ctxlab.messages.wording import shown, type_words

ROLES = ("user", "assistant", "system", "developer")
CLIENT_BLOCKS = {"input_text", "input_image", "input_file", "input_audio"}
MODEL_BLOCKS = {"output_text", "refusal"}
ITEMS = {"message"} | OTHER_ITEMS | set(OUTPUTS) | set(CALLS)
LONGEST_ID = 64
LONGEST_NAME = 128
TEXT_OUTPUTS = {"function_call_output", "custom_tool_call_output"}


def responses_form(view: View) -> Iterator[Finding]:
    """Yield what is wrong with items and their fields."""
    for index, item in enumerate(view.messages):
        if isinstance(item, dict):
            yield from _item(index, item)
    for part in view.parts:
        if part.kind == "call":
            yield from _call(part)
        elif part.type in TEXT_OUTPUTS:
            yield from _output(part, part.value.get("output"))
        elif part.block is not None:
            yield from _block(part)


def _item(index: int, item: dict[str, Any]) -> Iterator[Finding]:
    item_type = item.get("type")
    if is_bare_reference(item):
        return
    if item_type is None and "role" not in item:
        yield at_message("missing_role", index, "has neither a role nor a type")
    elif not isinstance(item_type, (str, type(None))):
        yield at_message("wrong_type", index, f"has {type_words(item_type)} as its type")
    elif item_type not in (None, "message"):
        if item_type not in ITEMS:
            words = f"has the type {shown(item_type)}, which this API does not list"
            yield at_message("unknown_block_type", index, f"{words}; whether it passes is provider-dependent")
    else:
        yield from role_findings(index, item, ROLES)
        content = item.get("content")
        if not isinstance(content, (str, list)):
            words = f"has {type_words(content)} as its content, not a text or a list"
            yield at_message("wrong_type", index, words)
        elif content == []:
            yield at_message("empty_message", index, "has no content")


def _call(part: Part) -> Iterator[Finding]:
    yield from long_id_findings(part, LONGEST_ID)
    if part.type == "function_call":
        yield from name_findings(part, part.value.get("name"), LONGEST_NAME)
        yield from argument_findings(part, part.value.get("arguments"))
    elif part.type == "custom_tool_call":
        yield from name_findings(part, part.value.get("name"), LONGEST_NAME)
        yield from input_findings(part, part.value.get("input"))


def _output(part: Part, output: Any) -> Iterator[Finding]:
    if not isinstance(output, (str, list)):
        yield at_part("wrong_type", part, f"has {type_words(output)} as its output, not a text or a list")
    for number, entry in enumerate(output if isinstance(output, list) else []):
        if fault := entry_fault(number, entry, "output"):
            yield at_part("wrong_type", part, fault)


def _block(part: Part) -> Iterator[Finding]:
    """Find blocks of the model in a client's message, and the other way round.

    The API answers 400, "Invalid value: 'input_text'. Supported values are: 'output_text' and 'refusal'".
    """
    finding = type_finding(part, CLIENT_BLOCKS | MODEL_BLOCKS | {"text"})
    if finding is not None:
        yield finding
        return
    if part.kind == "text" and part.type != "refusal" and not isinstance(part.value.get("text"), str):
        yield at_part("wrong_type", part, f"has {type_words(part.value.get('text'))} as its text")
    wrong = CLIENT_BLOCKS if part.role == "assistant" else MODEL_BLOCKS
    if part.type in wrong and part.role in ROLES:
        words = f"is of type {shown(part.type)}, which does not fit a message of role {shown(part.role)}"
        yield at_part("block_in_wrong_role", part, words)
