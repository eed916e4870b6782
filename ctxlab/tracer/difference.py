"""The first place at which two values differ."""

from typing import Any

from ctxlab.messages.wording import shown

Difference = tuple[str, str, str]


def first_difference(left: Any, right: Any) -> Difference | None:
    """Return the first place at which two values differ, such as `['older'][0]`, and what stands there.

    True is not 1 and 1 is not 1.0, but NaN is NaN; the order of keys does not count. The values may be nested
    deeper than Python can follow, or contain themselves.
    """
    waiting = [("", left, right)]
    met: set[tuple[int, int]] = set()
    while waiting:
        path, one, other = waiting.pop()
        if type(one) is not type(other):
            return path, _described(one), _described(other)
        if not isinstance(one, (dict, list, tuple)):
            if one != other and one == one:  # NaN alone differs from itself
                return path, _described(one), _described(other)
            continue
        if (id(one), id(other)) in met:
            continue
        met.add((id(one), id(other)))
        if len(one) != len(other) or (isinstance(one, dict) and one.keys() != other.keys()):
            return path, _described(one), _described(other)
        keys = list(one) if isinstance(one, dict) else range(len(one))
        waiting.extend((f"{path}[{shown(key)}]", one[key], other[key]) for key in reversed(keys))
    return None


def _described(value: Any) -> str:
    if isinstance(value, dict):
        return f"a dict with the keys {', '.join(map(shown, value))}" if value else "an empty dict"
    if isinstance(value, (list, tuple)):
        return f"a {type(value).__name__} of {len(value)}"
    return shown(value)
