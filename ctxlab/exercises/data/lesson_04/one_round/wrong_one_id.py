"""Your version gives every result the id of the first call. In the scenario fit, where the answer holds
two calls, the first is answered twice and the second not at all. The id says which call a result belongs
to."""

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
    results = [result_of(call, tools) for call in called(answer)]
    for result in results:
        result["tool_use_id"] = called(answer)[0]["id"]
    messages.extend([answer, {"role": "user", "content": results}])
    return None
