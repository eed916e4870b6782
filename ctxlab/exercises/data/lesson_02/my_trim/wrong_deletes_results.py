"""Your version takes the whole result away where only its text should go. In the scenario normal the call of
call_1 is left without an answer, and the provider refuses the request. The history has to go on saying that
there was an answer, even when it no longer says what it was."""

from copy import deepcopy

from ctxlab import Refusal
from ctxlab.reference import split_history


def my_trim(messages, receipt, keep_recent=1, max_chars=600):
    if not receipt:
        raise Refusal("bad_receipt", "archive the history first")
    older = split_history(messages, keep_recent)["older"]
    candidate = deepcopy(messages)
    for index in range(2, 1 + 2 * len(older), 2):
        blocks = candidate[index]["content"]
        candidate[index]["content"] = [block for block in blocks if len(block["content"]) <= max_chars]
    return candidate
