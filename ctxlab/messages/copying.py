"""Copies that share nothing mutable with their source."""

import copy
from typing import Any

from ctxlab.errors import Refusal

IMMUTABLE = (str, int, float, bool, type(None))


def copied(value: Any) -> Any:
    """Return a copy of `value` that shares no mutable object with it.

    Dicts and lists are copied by their structure, which is several times faster than `copy.deepcopy`; anything else
    that could change goes through `copy.deepcopy`. Nesting that Python cannot follow is refused (`not_a_history`).
    """
    try:
        return _copied(value)
    except RecursionError as error:
        raise Refusal("not_a_history", "the value is nested too deeply, or contains itself") from error


def _copied(value: Any) -> Any:
    if isinstance(value, IMMUTABLE):
        return value
    if isinstance(value, list):
        return [_copied(item) for item in value]
    if isinstance(value, dict):
        return {key: _copied(item) for key, item in value.items()}
    return copy.deepcopy(value)
