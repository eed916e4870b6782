"""Values in the texts of refusals."""

from typing import Any

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


def one_line(text: str) -> str:
    """Return a text as one line that steers no terminal: control characters are written as escapes."""
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape", "surrogatepass").decode("ascii")
        for char in text
    )
