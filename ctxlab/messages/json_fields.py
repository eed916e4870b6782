"""The fields of a JSON object: which one is missing, and which is not what it must be.

A fault is the rest of a sentence that begins with the object, such as "has no id, which is a text", or "".
"""

from collections.abc import Callable, Mapping
from typing import Any

from ctxlab.messages.encoding import indented_json
from ctxlab.messages.wording import shown, type_words


def is_text(value: Any) -> bool:
    """Say whether a value is a text that says something."""
    return isinstance(value, str) and bool(value.strip())


def is_texts(value: Any) -> bool:
    """Say whether a value is a list of such texts; it may be empty."""
    return isinstance(value, list) and all(map(is_text, value))


# What a field can be. The words stand in the fault, and a model can read them too.
KINDS: dict[str, Callable[[Any], bool]] = {
    "a text": is_text,
    "a text, perhaps empty": lambda value: isinstance(value, str),
    "a text or null": lambda value: value is None or is_text(value),
    "a text or a list of texts": lambda value: is_text(value) or (is_texts(value) and value != []),
    "a list of texts": is_texts,
    "a list of objects": lambda value: (
        isinstance(value, list) and all(isinstance(one, dict) for one in value)
    ),
    "true or false": lambda value: isinstance(value, bool),
}


def fields_fault(value: Any, fields: Mapping[str, str]) -> str:
    """Return the fault of an object that must have these fields, each with its kind. Others may be there."""
    if not isinstance(value, dict):
        return f"is {type_words(value)}, not an object"
    for name, kind in fields.items():
        if name not in value:
            return f"has no {name}, which is {kind}"
        if not KINDS[kind](value[name]):
            return f"has {shown(value[name])} as its {name}, not {kind}"
    return ""


def json_fault(value: Any) -> str:
    """Return why a value cannot be stored or sent: it has no JSON form, or is nested over 100 levels deep."""
    try:
        indented_json(value)
    except ValueError as error:
        return f"has no JSON form: {error}"
    return ""
