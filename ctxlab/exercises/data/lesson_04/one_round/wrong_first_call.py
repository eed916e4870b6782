"""Your version runs the first call only. In the scenario fit, where the answer holds two calls, the second
has no result. One answer may hold several calls, and each needs its own."""

from copy import deepcopy

from ctxlab.reference.loop import called, said


def result_of(call, tools):
    block = {"type": "tool_result", "tool_use_id": call["id"], "content": "", "is_error": False}
    try:
        return block | {"content": tools[call["name"]](**call["input"])}
    except Exception as error:
        return block | {"content": repr(error), "is_error": True}


def one_round(ask, tools, messages):
    answer = deepcopy(ask(deepcopy(messages)))
    if not called(answer):
        return said(answer)
    results = [result_of(called(answer)[0], tools)]
    messages.extend([answer, {"role": "user", "content": results}])
    return None
