"""The compact JSON form in which a history is measured and stored."""

import json
from typing import Any

from ctxlab.errors import Refusal


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
