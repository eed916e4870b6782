"""Your version estimates tokens, at four characters each, and the budget is one of bytes. In the scenario
normal a history of over 1700 bytes then counts as about 440. Providers do count tokens, but no rule of thumb
tells how many: in Chinese there are far more."""

import json


def fits(messages, budget):
    return len(json.dumps(messages)) // 4 <= budget
