"""Values in the texts of refusals."""

from typing import Any

SHOWN_CHARS = 100


def shown(value: Any) -> str:
    """Return `value` as one short line, as Python writes it; whatever it is, this never fails and never floods."""
    try:
        text = repr(value)
    except (RecursionError, ValueError):  # endless nesting, or an int of more than some thousand digits
        return f"a value of type {type(value).__name__}"
    size = len(value) if isinstance(value, str) else len(text)
    return text if len(text) <= SHOWN_CHARS else f"{text[:SHOWN_CHARS]}... ({size} characters)"
