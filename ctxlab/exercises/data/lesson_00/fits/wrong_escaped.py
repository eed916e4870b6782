"""Your version leaves out the spaces, but writes each Chinese character as an escape, which takes six bytes
where the character itself takes three. The scenario chinese_fits then looks far over its budget, and would be
shortened although it fits. English text hides the mistake."""

import json


def fits(messages, budget):
    text = json.dumps(messages, separators=(",", ":"))
    return len(text.encode("utf-8")) <= budget
