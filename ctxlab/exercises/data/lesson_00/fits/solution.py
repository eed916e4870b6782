import json


def fits(messages, budget):
    """Return True if the history has at most `budget` bytes as compact JSON in UTF-8, else False."""
    # 1. Write the history as one text: no spaces, every character as itself.
    text = json.dumps(messages, ensure_ascii=False, separators=(",", ":"))
    # 2. Count bytes, not characters: one character may take several bytes.
    size = len(text.encode("utf-8"))
    # 3. Fits means at most.
    return size <= budget
