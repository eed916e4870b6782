"""What the modules for the form of one shape share."""

import json
import re
from collections.abc import Iterator
from typing import Any

from ctxlab.messages.diagnosis.finding import Finding, at_message, at_part, named
from ctxlab.messages.parts import Part
from ctxlab.messages.wording import shown, type_words


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


# What all three APIs take in the name of a tool, and Anthropic in an id.
PLAIN = re.compile("[a-zA-Z0-9_-]+")
PLAIN_WORDS = "A to Z, a to z, 0 to 9, _ and -"

# The types of a text in the list of a result.
TEXT_TYPES = {"text", "input_text", "output_text"}

_DECODER = json.JSONDecoder(parse_constant=_refuse_constant)


def role_findings(index: int, message: dict[str, Any], roles: tuple[str, ...]) -> Iterator[Finding]:
    """Find a role that is missing, or that the API does not have."""
    role = message.get("role")
    if not isinstance(role, str):
        found = "has no role" if role is None else f"has {type_words(role)} as its role"
        yield at_message("missing_role", index, found)
    elif role not in roles:
        known = ", ".join(roles)
        yield at_message("unknown_role", index, f"has the role {shown(role)}; this API knows {known}")


def type_finding(part: Part, known: set[str]) -> Finding | None:
    """Return what is wrong with the type of a content block, if anything."""
    if not isinstance(part.value, dict):
        return at_part("wrong_type", part, f"is {type_words(part.value)}, not an object")
    if not part.type:
        return at_part("wrong_type", part, "has no type")
    if part.type not in known:
        words = f"has the type {shown(part.type)}, which this API does not list"
        return at_part("unknown_block_type", part, f"{words}; whether it passes is provider-dependent")
    return None


def entry_fault(number: int, entry: Any, field: str = "content") -> str | None:
    """Return what is wrong with an entry of the list that a result has as `field`, in words that go on from
    its place; None for nothing.
    """
    if not isinstance(entry, dict) or not isinstance(entry.get("type"), str):
        return f"has {shown(entry)} as entry {number} of its {field}"
    if entry["type"] in TEXT_TYPES and not isinstance(entry.get("text"), str):
        return f"has {type_words(entry.get('text'))} as the text of entry {number} of its {field}"
    return None


def argument_findings(part: Part, arguments: Any) -> Iterator[Finding]:
    """Find arguments that are not the text of one JSON object.

    A reply that hits its limit of tokens leaves them cut off, and strict servers answer 400
    (pydantic/pydantic-ai#3118).
    """
    if not isinstance(arguments, str):
        yield at_part("wrong_type", part, f"has {type_words(arguments)} as its arguments, not a text")
        return
    try:
        value = _DECODER.decode(arguments)
    except (ValueError, RecursionError) as error:
        yield at_part("arguments_not_json", part, f"has arguments that are not JSON: {error}")
        return
    if not isinstance(value, dict):
        yield at_part(
            "arguments_not_object", part, f"has arguments that are {type_words(value)}, not an object"
        )


def input_findings(part: Part, given: Any) -> Iterator[Finding]:
    """Find the input of a custom tool that is no text."""
    if not isinstance(given, str):
        yield at_part("wrong_type", part, f"has {type_words(given)} as its input, not a text")


def name_findings(part: Part, name: Any, longest: int | None) -> Iterator[Finding]:
    """Find a call whose tool has no name, or one that no tool may have; `longest` None takes any name.

    The APIs answer 400, "string does not match pattern" (mcp-use/mcp-use#94).
    """
    if not isinstance(name, str) or not name:
        yield at_part("wrong_type", part, f"calls a tool with the name {shown(name)}")
    elif longest is not None and not (len(name) <= longest and PLAIN.fullmatch(name)):
        words = f"calls a tool with the name {shown(name)}; at most {longest} of {PLAIN_WORDS} are accepted"
        yield at_part("bad_name", part, words)


def plain_id_findings(part: Part) -> Iterator[Finding]:
    """Find a call with an id that holds other characters, as the ids of other servers do.

    Anthropic answers 400, "tool_use.id: String should match pattern" (cline/cline#8942).
    """
    if part.id is not None and not PLAIN.fullmatch(part.id):
        yield at_part("bad_id", part, f"has the id {named(part)}; only {PLAIN_WORDS} are accepted")


def long_id_findings(part: Part, longest: int) -> Iterator[Finding]:
    """Find a call with an id that is too long, as the ids of other servers are.

    OpenAI answers 400, "string too long. Expected a string with maximum length 40" (agno-agi/agno#5382), and
    64 in the Responses API (NousResearch/hermes-agent#73538).
    """
    if part.id is not None and len(part.id) > longest:
        words = f"has the id {named(part)} of {len(part.id)} characters; at most {longest} are accepted"
        yield at_part("bad_id", part, words)
