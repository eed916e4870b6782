"""Values in the texts of refusals, and texts on one line."""

import unicodedata
from typing import Any

ESCAPES = {"\n": "\\n", "\t": "\\t"}
# Unicode's categories of what ends a line, steers a device, or is half a character.
BREAKING = ("Cc", "Zl", "Zp", "Cs")
# Its classes of what turns a text around, in the way from right to left.
TURNING = ("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI")
SHOWN_CHARS = 100


def type_words(value: Any) -> str:
    """Return the type of `value` with its article, such as "an int"; None is "None"."""
    if value is None:
        return "None"
    name = type(value).__name__
    return f"{'an' if name[0] in 'aeiouAEIO' else 'a'} {name}"


def shown(value: Any) -> str:
    """Return `value` as Python writes it, in one line of at most some 130 characters, whatever it is."""
    try:
        text = repr(value)
    except Exception:  # noqa: BLE001 - endless nesting, an int of some thousand digits, a broken __repr__
        return f"a value of type {type(value).__name__}"
    size = len(value) if isinstance(value, str) else len(text)
    return text if len(text) <= SHOWN_CHARS else f"{text[:SHOWN_CHARS]}... ({size} characters)"


def visible(text: str) -> str:
    """Return `text` on one line; characters that are not seen, or turn the text around, become escapes."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else ESCAPES.get(char, f"\\u{ord(char):04x}") for char in text)


def one_line(text: str) -> str:
    """Return `text` on one line for a model; what ends a line, steers or turns the text becomes an escape.

    All else stays, other than in `visible`: spaces and joiners that are not seen belong to Japanese, to
    Persian and to emoji.
    """
    if text.isprintable():
        return text
    return "".join(
        ESCAPES.get(char, f"\\u{ord(char):04x}")
        if unicodedata.category(char) in BREAKING or unicodedata.bidirectional(char) in TURNING
        else char
        for char in text
    )
