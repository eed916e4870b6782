"""Your version counts characters where the budget counts bytes. In English text the two are the same, so
nobody notices. In the scenario chinese most characters take three bytes each: the history passes your check,
and the request is far over its budget."""

import json


def fits(messages, budget):
    text = json.dumps(messages, ensure_ascii=False, separators=(",", ":"))
    return len(text) <= budget
