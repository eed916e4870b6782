"""Objects that a recording shows with their fields: those of the learner's own classes and of the reference.

No object is asked for anything. What a class defines is read from the class itself, what an object holds from
its slots and its `__dict__`: no property runs, no `__getattr__`, no `__eq__`.
"""

import types
from enum import Enum
from functools import lru_cache
from typing import Any

# The kind of an object's cells is this and the name of its class.
OBJECT = "o:"
# A value of these, or of a class made from one, holds more than its fields, or is no data.
_OTHER = (
    *(bool, int, float, complex, str, bytes, bytearray, list, tuple, dict, set, frozenset),
    *(type, BaseException, Enum, types.ModuleType),
)
# Where a pydantic model keeps those of its fields that are not in its `__dict__`.
_MORE_FIELDS = ("__pydantic_extra__", "__pydantic_private__")


def is_kind(word: Any) -> bool:
    """Say whether a word is what the cells of a container begin with."""
    return isinstance(word, str) and (word in ("d", "l", "t", "s") or is_object(word))


def is_object(kind: str) -> bool:
    """Say whether cells of this kind are the fields of an object."""
    return kind.startswith(OBJECT)


def has_names(kind: str) -> bool:
    """Say whether cells of this kind are names and values in turn: those of a dict or of an object."""
    return kind == "d" or is_object(kind)


def class_name(kind: str) -> str:
    """Return the name of an object's class."""
    return kind.removeprefix(OBJECT)


def has_fields(kind: type) -> bool:
    """Say whether the values of a class are objects whose fields are all there is to show."""
    return not issubclass(kind, _OTHER)


def static(kind: type, name: str) -> Any:
    """Return what a class or one of its bases defines under a name, as it is written there; or None."""
    return next((vars(base)[name] for base in kind.__mro__ if name in vars(base)), None)


@lru_cache(maxsize=256)
def _slots_of(kind: type) -> tuple[tuple[str, Any], ...]:
    """Return the slots of a class and its bases, the bases' first: their names, and what reads them."""
    slots = {
        name: slot
        for base in reversed(kind.__mro__)
        for name, slot in vars(base).items()
        if type(slot) is types.MemberDescriptorType and (not name.startswith("__") or name in _MORE_FIELDS)
    }
    return tuple(slots.items())


def dict_of(value: Any) -> dict[str, Any] | None:
    """Return the `__dict__` of an object, the very same one; None where it has slots only."""
    try:
        held: dict[str, Any] = object.__getattribute__(value, "__dict__")
    except AttributeError:
        return None
    return held


def fields_of(value: Any) -> dict[str, Any]:
    """Return the fields of an object by name, in the order in which they were set; slots come first."""
    found: dict[str, Any] = {}
    more: list[dict[str, Any]] = []
    for name, slot in _slots_of(type(value)):  # type: ignore[arg-type] # every class is hashable
        try:
            held = slot.__get__(value)
        except AttributeError:  # not set
            continue
        if name not in _MORE_FIELDS:
            found[name] = held
        elif type(held) is dict:
            more.append(held)
    for held in (dict_of(value) or {}, *more):
        found.update(held)
    return {name: held for name, held in found.items() if type(name) is str}
