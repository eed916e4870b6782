"""Your version runs the calls from the last to the first. In the scenario fit, where the answer holds two
calls, the ids still match, and no provider would complain. But a model that writes a file and then reads
it means that order."""

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
    results = [result_of(call, tools) for call in reversed(called(answer))]
    messages.extend([answer, {"role": "user", "content": results}])
    return None
