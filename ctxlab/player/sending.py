"""What a kernel can send to the page."""

import json
import re
from typing import Any

SURROGATE = re.compile("[\ud800-\udfff]")


def sendable(state: dict[str, Any]) -> dict[str, Any]:
    """Return `state` as a kernel can send it: in UTF-8, which has no lone surrogates."""
    text = json.dumps(state, ensure_ascii=False)
    if not SURROGATE.search(text):
        return state
    replaced: dict[str, Any] = json.loads(SURROGATE.sub("\N{REPLACEMENT CHARACTER}", text))
    return replaced
