"""What a message costs in tokens: counted by a tokenizer, or estimated from its length."""

import sys
from collections.abc import Callable
from typing import Any

from ctxlab.errors import Refusal
from ctxlab.messages.copying import copied
from ctxlab.messages.counting import TokenCounter
from ctxlab.messages.spoken import spoken
from ctxlab.messages.wording import shown, type_words

Message = dict[str, Any]
Cost = Callable[[Message], int]

# No limit and no cost is larger. Python refuses to write out a number of some thousand digits.
MOST = sys.maxsize


def estimated_tokens(message: Message) -> int:
    """Estimate the tokens of a message as half its characters, and one.

    It needs no tokenizer. For English prose it is about double the true figure, which only wastes room. For
    Chinese, Japanese and Korean it is about half, and what "fits" does not fit.
    """
    return len("".join(spoken(message))) // 2 + 1


def checked_cost(cost: Cost | None) -> Cost:
    """Return the function that counts: `cost`, or the tokens of cl100k_base where it is None."""
    # Is there no function given?
    if cost is None:
        return TokenCounter().count_message
    # Is it anything but a function?
    if not callable(cost):
        raise Refusal("bad_argument", f"cost is {type_words(cost)}, not a function of a message")

    def cost_of_copy(message: Message) -> int:
        """Count a copy: a function from outside may change or keep what it is given."""
        return cost(copied(message))

    return cost_of_copy


def cost_of(message: Message, cost: Cost, index: int) -> int:
    """Return the tokens of message `index`. Refuses (`bad_argument`) a cost that is no number of tokens."""
    tokens = cost(message)
    # Did `cost` return anything but a whole number of tokens?
    if type(tokens) is not int or not 0 <= tokens <= MOST:
        raise Refusal(
            "bad_argument", f"cost returned {shown(tokens)} for message {index}, not a number of tokens"
        )
    return tokens


def check_limit(name: str, value: int, least: int = 1) -> None:
    """Refuse (`bad_argument`) a limit that is no int of at least `least`, or is over `MOST`."""
    # Is the limit anything but a whole number that is large enough?
    if type(value) is not int or value < least:
        raise Refusal("bad_argument", f"{name} is {shown(value)}, not an int of at least {least}")
    # Is it larger than any limit can mean?
    if value > MOST:
        raise Refusal("bad_argument", f"{name} is {shown(value)}; the most is {MOST}")
