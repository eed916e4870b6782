"""Your version makes a longer list and calls it messages. In the scenario fit the caller's history is as
long as before, so the model will be asked the same again, and will call the same again."""

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
    messages = [*messages, answer, {"role": "user", "content": results}]
    return None
