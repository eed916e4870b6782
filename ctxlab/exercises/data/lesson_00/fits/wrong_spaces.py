"""Your version counts spaces that are not sent: one after each comma and each colon. It is never much, and so
it is only seen near the limit: the scenario exact fits to the byte, and your version says no."""

import json


def fits(messages, budget):
    text = json.dumps(messages, ensure_ascii=False)
    return len(text.encode("utf-8")) <= budget
