"""Functions that the player's tests trace besides the reference."""

from dataclasses import dataclass
from typing import Any

from ctxlab.errors import Refusal


def delete_oldest_result(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return a copy without its first result: the naive way to save space."""
    candidate = list(messages)
    # Is there a result to delete?
    if len(candidate) > 2:
        # Its call stays behind.
        del candidate[2]
    return candidate


def spin(messages: list[dict[str, Any]]) -> int:
    """Count for ever."""
    turns = 0
    # Is there anything to count?
    while messages:
        turns += 1
    return turns


def sizes(messages: list[dict[str, Any]], least: int = 50) -> dict[str, Any]:
    """Return several kinds of values, so that each has to be shown."""
    seen = {
        "least": least,
        "ratio": 0.5,
        "huge": 2**70,
        "pair": (1, "a"),
        "set": {"b"},
        "quote": 'say "no"\\\n\t',
    }
    for message in messages:
        length = len(message["content"])
        # Is it between the limits, and not the last?
        if least < length < 5000 and not (message is messages[-1] or length == 7):
            seen[f"{message['role']} {length}"] = [length, [length]]
    return seen


def window(messages: list[dict[str, Any]], most: int = 4) -> list[dict[str, Any]]:
    """Return the newest messages, with a note before them: the naive window."""
    candidate = list(messages)
    # Are there more than the window holds?
    while len(candidate) > most:
        candidate.pop(0)
    candidate.insert(0, {"role": "user", "content": "Go on."})
    # Were there any?
    if not candidate[1:]:
        return []
    candidate[1:3] = []
    return candidate


def pops_the_newest(messages: list[dict[str, Any]]) -> None:
    """Take the newest message out of the history itself."""
    messages.pop()


def empties_and_refuses(messages: list[dict[str, Any]]) -> None:
    """Empty the history itself before it is certain that there is another."""
    messages.clear()
    raise Refusal("summaries_spent", "no attempt is left")


def tangled(numbers: list[int]) -> list[str]:
    """Return a word for some of the numbers, by ways that cross, jump and end early."""
    words = []
    # Is there a number to look at?
    while numbers:
        numbers = numbers[1:]
        head = numbers[0] if numbers else -1
        # Is it even?
        if head % 2 == 0:
            # Is it zero?
            if head == 0:
                words.append("zero")
                continue
            try:
                words.append(named(8 // (head - 2)))
            except ZeroDivisionError:
                words.append("two")
        elif head > 8:
            for digit in range(head):
                # Is the digit large?
                if digit > 6:
                    words.append("large")
                    break
            else:
                words.append("small")
        elif head == 5:
            words += [named(item) for item in numbers if item > 5]
        else:
            match head:
                case 1:
                    return words
                case number if number > 6:
                    words.append("seven")
                case _:
                    pass
    for _ in words:
        pass
    if not words:
        words = ["none"]
    if len(words) > 100:
        # Nobody reads a list as long as that, so what is left of it here ends after the first hundred words.
        words = words[:100]
    return words


def first_over(numbers: list[int], limit: int) -> int:
    """Return the first number over the limit, or the last one that was looked at."""
    number = 0
    for number in numbers:
        # Is it over the limit?
        if number > limit:
            break
    return number


def named(number: int) -> str:
    """Return the number as a word, or a digit."""
    return "one" if number == 1 else str(number)


def halved(number: int) -> int:
    """Return how often the number can be halved."""
    # Is there nothing left to halve?
    if number < 1:
        return 0
    return 1 + halved(number // 2)


@dataclass(frozen=True)
class Rule:
    """What a desk keeps to."""

    most: int
    name: str = "newest first"


class Desk:
    """Keeps the newest messages."""

    def __init__(self, most: int, messages: list[dict[str, Any]]) -> None:
        self.rule = Rule(most)
        self.messages = messages
        self.left = 0

    @property
    def full(self) -> bool:
        """Whether it holds more than it may."""
        return len(self.messages) > self.rule.most

    def take(self, message: dict[str, Any]) -> None:
        """Take one message, and let the oldest go where there are too many."""
        self.messages.append(message)
        # Is there one too many?
        if self.full:
            self.drop(1)

    def drop(self, count: int) -> None:
        """Let the oldest messages go."""
        self.messages = self.messages[count:]
        self.left += count
