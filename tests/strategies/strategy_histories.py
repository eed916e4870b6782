"""Histories in Chat form for the tests of strategies."""

from typing import Any

Message = dict[str, Any]
History = list[Message]

RULE = "Ask before you delete anything."
# Arguments as no serializer of ours would write them: they must come back to the letter.
ARGUMENTS = '{ "path" : "notes.txt" }'


def user(text: str) -> Message:
    return {"role": "user", "content": text}


def answer(text: str) -> Message:
    return {"role": "assistant", "content": text}


def exchange(number: int, result: str) -> History:
    call = {
        "id": f"call_{number}",
        "type": "function",
        "function": {"name": "read_file", "arguments": ARGUMENTS},
    }
    return [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": f"call_{number}", "content": result},
    ]


def one_question(exchanges: int, result: str = "line one\n" + "read and noted " * 60) -> History:
    """A rule, a question, and exchanges: the last request is made after them."""
    history = [{"role": "system", "content": RULE}, user("Read it all, and tell me what ORD-2231 cost.")]
    for number in range(exchanges):
        history += exchange(number, result)
    return history


def many_questions(questions: int) -> History:
    """A rule, then for each question two exchanges and an answer; the last question is open."""
    history: History = [{"role": "system", "content": RULE}]
    for number in range(questions):
        history.append(user(f"Question {number}: what does part {number} say?"))
        for which in (0, 1):
            history += exchange(100 + 10 * number + which, f"part {number}\n" + "read and noted " * 30)
        history.append(answer(f"Part {number} says what was noted."))
    return [*history, user("And all together?")]
