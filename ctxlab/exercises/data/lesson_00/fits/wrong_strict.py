"""Your version says no to a history of exactly the budget. A budget is what may be used, all of it: in the
scenario exact the history has 1734 bytes and the budget is 1734, so it may be sent as it is. A version that
is too strict shortens a history that needed nothing."""

import json


def fits(messages, budget):
    text = json.dumps(messages, ensure_ascii=False, separators=(",", ":"))
    return len(text.encode("utf-8")) < budget
