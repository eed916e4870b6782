"""Your version makes new messages of the old blocks. In the scenario text_first each block of the result is
the very block of the input. Whoever shortens a text in one history has shortened it in both. Copy deeply."""


def results_first(messages):
    mended = []
    for message in messages:
        content = message["content"]
        if isinstance(content, list):
            content = sorted(content, key=lambda block: block["type"] != "tool_result")
        mended.append({**message, "content": content})
    return mended
