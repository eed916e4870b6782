"""The strings inside a JSON value."""

from collections.abc import Iterator
from typing import Any


def texts(value: Any) -> Iterator[str]:
    """Yield every string in `value`, in order: itself, list items and dict values, but no dict keys."""
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            yield item
        elif isinstance(item, dict):
            waiting.extend(reversed(item.values()))
        elif isinstance(item, list):
            waiting.extend(reversed(item))
