"""Checks of arguments that several functions take. Each refuses `bad_argument` and names the argument."""

from typing import Any

from ctxlab.errors import Refusal
from ctxlab.messages.wording import shown, type_words
from ctxlab.reference.loop import sendable


def check_text(name: str, value: Any, *, blank: bool = False) -> None:
    """Refuse (`bad_argument`) what is no text that can be sent. `blank`: it may be empty."""
    # Is it no text, or does it say nothing?
    if not isinstance(value, str) or not (blank or value.strip()):
        raise Refusal("bad_argument", f"{name} is {shown(value)}, not a text that says something")
    # Can UTF-8 not hold it?
    if sendable(value) != value:
        raise Refusal("bad_argument", f"{name} holds half a surrogate pair, which cannot be sent; remove it")


def check_function(name: str, value: Any) -> None:
    """Refuse (`bad_argument`) what cannot be called."""
    # Is it anything but a function?
    if not callable(value):
        raise Refusal("bad_argument", f"{name} is {type_words(value)}, not a function")
