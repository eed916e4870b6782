"""The compact JSON form in which a history is measured and stored, and one for files that people read too."""

import json
from typing import Any

from ctxlab.errors import Refusal

MAX_DEPTH = 100


def compact_json(value: Any) -> bytes:
    """Return `value` as UTF-8 JSON without spaces, non-ASCII characters kept.

    Refuses (`not_a_history`) what has no such form: a lone surrogate, NaN, a type that JSON lacks, endless
    nesting.
    """
    try:
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
        return text.encode("utf-8")
    except (TypeError, ValueError, RecursionError) as error:
        raise Refusal("not_a_history", f"the history has no UTF-8 JSON form: {error}") from error


def indented_json(value: Any) -> bytes:
    """Return `value` as UTF-8 JSON with a line for each part, non-ASCII characters kept.

    Raises ValueError for what has no such form, and for nesting over 100 levels deep: how deep Python itself
    can go depends on where it is called, and what was written must be read from anywhere.
    """
    try:
        text = json.dumps(value, ensure_ascii=False, indent=1, allow_nan=False)
    except (TypeError, RecursionError) as error:
        raise ValueError(str(error)) from error
    _check_depth(value, MAX_DEPTH)
    return text.encode("utf-8") + b"\n"


def _check_depth(value: Any, left: int) -> None:
    if not isinstance(value, dict | list | tuple):
        return
    if left == 0:
        raise ValueError(f"nested over {MAX_DEPTH} levels deep")
    for item in value.values() if isinstance(value, dict) else value:
        _check_depth(item, left - 1)
