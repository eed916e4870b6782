"""The comparisons of strategies that the page's tests open, as the widget hands them over."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ctxlab.player.module import joined_module
from ctxlab.player.strategies import Strategies

PARTS = ["heading", "limit", "moments", "facts", "strategies", "cards", "place"]
EVIL = (
    "<img src=x onerror='window.hacked = 1'></script><script>window.hacked = 1</script>"
    "\u202egpj.exe\u2066\u200b\x07"
)

History = list[dict[str, Any]]


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def exchange(number: int, result: str, name: str = "read_file") -> History:
    function = {"name": name, "arguments": json.dumps({"path": f"part_{number}.py"})}
    call = {"id": f"call_{number}", "type": "function", "function": function}
    return [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": call["id"], "content": result},
    ]


def asked(questions: int) -> History:
    """A rule, and for each question two exchanges and an answer; the last question is open."""
    history: History = [{"role": "system", "content": "Ask before you delete anything."}]
    for number in range(questions):
        history.append(user(f"Question {number}: what does part {number} say of ticket #{4000 + number}?"))
        for which in (0, 1):
            history += exchange(100 + 10 * number + which, f"part {number}\n" + "read and noted " * 30)
        history.append({"role": "assistant", "content": f"Part {number} says what was noted."})
    return [*history, user("And all together?")]


def hostile() -> History:
    return [
        user(f"You must never run {EVIL}"),
        *exchange(1, EVIL * 50, name="look"),
        *exchange(2, "A" * 200_000),
        user(EVIL),
    ]


def pages() -> Iterator[tuple[str, Strategies]]:
    yield "steady", Strategies(asked(14))
    yield "tight", Strategies(asked(3), limit=1, names=["none", "window", "shrink"])
    # More than a chart has turns, colours, dashes and signs for.
    yield "long", Strategies(asked(70))
    yield (
        "hostile",
        Strategies(
            hostile(), limit=300, facts=[{"kind": "other", "text": EVIL}, {"kind": "id", "text": "x"}]
        ),
    )
    yield "single", Strategies([user("Go.")])
    yield "no-request", Strategies([{"role": "assistant", "content": "Hello."}])


def write(folder: Path) -> None:
    """Write every comparison as strategies/NAME.json, and the page's module."""
    (folder / "strategies").mkdir()
    (folder / "strategies.js").write_text(joined_module("strategies.js"), encoding="utf-8")
    for name, made in pages():
        text = json.dumps(made.get_state(PARTS))
        (folder / "strategies" / f"{name}.json").write_text(text, encoding="utf-8")
