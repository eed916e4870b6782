"""Your version says the same of every failure. In the scenario fit, where the answer holds a call that raises
OSError, the model reads that there was an error, and not that the file could not be read. It can only try
the same again."""

from copy import deepcopy

from ctxlab.reference.loop import called, said


def result_of(call, tools):
    block = {"type": "tool_result", "tool_use_id": call["id"], "content": "", "is_error": False}
    try:
        return block | {"content": tools[call["name"]](**call["input"])}
    except Exception:
        return block | {"content": "error", "is_error": True}


def one_round(ask, tools, messages):
    answer = deepcopy(ask(deepcopy(messages)))
    if not called(answer):
        return said(answer)
    results = [result_of(call, tools) for call in called(answer)]
    messages.extend([answer, {"role": "user", "content": results}])
    return None
