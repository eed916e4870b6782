"""Histories in Chat form for strategies: parallel calls, null content, huge results, no open exchange."""

import json
import random

from .workload import History, text

SYSTEM = "You look after the files of this project. Ask before you delete anything."
MOST_EXCHANGES = 5  # of one question, in a conversation
RESULT_CHARS = (100, 1500)
# Three results have so many characters for each message of the history: 6 or 7 % of it each.
HUGE_CHARS = 60


def conversation(size: int, seed: int = 0) -> History:
    """Return a sound history of so many messages, at least 9: questions, exchanges, answers.

    It ends with the results of an exchange. The same `size` and `seed` give the same history.
    """
    return _history(size, seed, (1, MOST_EXCHANGES))


def one_question(size: int, seed: int = 0) -> History:
    """Return such a history of one question, which all exchanges belong to."""
    return _history(size, seed, (size, size))


def _history(size: int, seed: int, exchanges: tuple[int, int]) -> History:
    """`exchanges` are the least and the most of them that belong to one question."""
    rng = random.Random(f"{size} {seed}")  # noqa: S311 - the same history in each run
    found: History = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": text(rng, 120)}]
    huge = [size * part // 5 for part in (1, 2, 4)]
    planned = rng.randint(*exchanges)
    while len(found) < size:
        left = size - len(found)
        calls = min(rng.choice((1, 1, 1, 2, 3)), left - 1)
        # An exchange has at least two messages, so one alone may not be left.
        if left - 1 - calls == 1:
            calls += 1
        chars = [rng.randint(*RESULT_CHARS) for _ in range(calls)]
        if huge and len(found) >= huge[0]:
            del huge[0]
            chars[0] = HUGE_CHARS * size
        found += _exchange(rng, len(found), chars)
        planned -= 1
        # An answer, a question and an exchange need four messages.
        if planned < 1 and size - len(found) >= 4:
            found.append({"role": "assistant", "content": text(rng, 300)})
            found.append({"role": "user", "content": text(rng, 120)})
            planned = rng.randint(*exchanges)
    return found


def _exchange(rng: random.Random, at: int, chars: list[int]) -> History:
    """Return calls and their results, of so many characters each. `at` is the place of the calls."""
    calls, results = [], []
    for number, size in enumerate(chars):
        call_id = f"call_{at:05d}_{number}"
        arguments = json.dumps({"path": f"src/mod_{at}.py", "first": number * 10})
        called = {"name": "read_file", "arguments": arguments}
        calls.append({"id": call_id, "type": "function", "function": called})
        line = text(rng, min(size, 1000)) + "\n"
        result = (line * (size // len(line) + 1))[:size].rstrip()
        results.append({"role": "tool", "tool_call_id": call_id, "content": result})
    # About every second message with calls says nothing beside them.
    said = text(rng, 80) if rng.random() < 0.5 else None
    return [{"role": "assistant", "content": said, "tool_calls": calls}, *results]
