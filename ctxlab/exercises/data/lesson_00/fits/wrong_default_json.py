"""Your version counts JSON, but in its roomy form: a space after each comma and colon, and six characters for
each one that is not English. The scenario exact then looks too large, and so does chinese_fits, by two
thousand bytes. Both fit in the form that the task names."""

import json


def fits(messages, budget):
    return len(json.dumps(messages)) <= budget
