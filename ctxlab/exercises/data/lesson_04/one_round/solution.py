from copy import deepcopy

from ctxlab.reference.loop import called, said


def result_of(call, tools):
    block = {"type": "tool_result", "tool_use_id": call["id"], "content": "", "is_error": False}
    try:
        return block | {"content": tools[call["name"]](**call["input"])}
    except Exception as error:
        # A call that fails has a result too: the reason, marked.
        reason = repr(error) if call["name"] in tools else f"there is no tool {call['name']}"
        return block | {"content": reason, "is_error": True}


def one_round(ask, tools, messages):
    """Ask once, and append the exchange that follows to `messages`, which changes in place.

    Returns the text of an answer that calls no tool; then nothing is appended. Returns None otherwise.
    """
    # 1. Ask with a copy, and copy the answer, so that nobody else holds a part of the history.
    answer = deepcopy(ask(deepcopy(messages)))
    # Does the answer call no tool?
    if not called(answer):
        # The work is done.
        return said(answer)
    # 2. Run every call, in order.
    results = [result_of(call, tools) for call in called(answer)]
    # 3. Append both halves of the exchange at once.
    messages.extend([answer, {"role": "user", "content": results}])
    return None
