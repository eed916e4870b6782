"""Your version writes the error into the result, and does not mark it. In the scenario fit, where the
answer holds a call that raises OSError, is_error says false. A program that counts failures finds none,
and the model may take the words for the text of the file."""

from copy import deepcopy

from ctxlab.reference.loop import called, said


def result_of(call, tools):
    block = {"type": "tool_result", "tool_use_id": call["id"], "content": "", "is_error": False}
    try:
        return block | {"content": tools[call["name"]](**call["input"])}
    except Exception as error:
        return block | {"content": repr(error)}


def one_round(ask, tools, messages):
    answer = deepcopy(ask(deepcopy(messages)))
    if not called(answer):
        return said(answer)
    results = [result_of(call, tools) for call in called(answer)]
    messages.extend([answer, {"role": "user", "content": results}])
    return None
