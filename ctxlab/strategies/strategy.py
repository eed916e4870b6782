"""What a strategy is, and what it has to work with."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ctxlab.messages.counting import TokenCounter
from ctxlab.messages.spoken import spoken
from ctxlab.strategies.stand_in import StandIn

Message = dict[str, Any]
History = list[Message]

# More tokens than any model reads. At 128 characters for each, the most, policy's window still holds them.
MOST_LIMIT = 10_000_000

# The fields of a message that says one text.
ONE_TEXT = {"role", "content", "tool_call_id"}

# Gives the history for the next request, in place of the one that it gets: of its messages it may take any
# over, and change none. What it raises means that there is none; the other then stays.
Prepare = Callable[[History], History]


@dataclass(frozen=True)
class Limits:
    """What a request may hold. `tokens` are those of its messages, counted by cl100k_base."""

    tokens: int


class Tokens:
    """Counts messages as TokenCounter does, each text once, however often it comes back."""

    def __init__(self) -> None:
        self._counter = TokenCounter()
        self._of_text: dict[str, int] = {}

    def of(self, message: Message) -> int:
        """Return the tokens of a message."""
        content = message.get("content")
        # A long history is counted some hundred times, and most of its messages are no more than this.
        if isinstance(content, str) and message.keys() <= ONE_TEXT:
            return self.of_text(content)
        return sum(map(self.of_text, spoken(message)))

    def of_all(self, messages: History) -> int:
        """Return the tokens of messages together."""
        return sum(map(self.of, messages))

    def of_text(self, text: str) -> int:
        """Return the tokens of a text."""
        if text not in self._of_text:
            self._of_text[text] = self._counter.count(text)
        return self._of_text[text]


@dataclass(frozen=True)
class Run:
    """One strategy on one history, from its first request to its last.

    `goal` is the first text of the user, "" where there is none. What a token is in other measures is taken
    from the whole history, for strategies that count something else: the characters of what its messages say,
    and the characters and the bytes of its compact JSON form. `notes` are sentences for a reader on how the
    strategy was used here; it adds its own.
    """

    limits: Limits
    tokens: Tokens
    goal: str
    characters_per_token: float
    json_characters_per_token: float
    bytes_per_token: float
    summarize: StandIn
    notes: list[str] = field(default_factory=list)

    def count(self, messages: History) -> int:
        """Return the tokens of messages together."""
        return self.tokens.of_all(messages)

    def note(self, *sentences: str) -> None:
        """Add sentences for a reader."""
        self.notes.extend(sentences)

    def fits(self, messages: History) -> bool:
        """Say whether a history is within the limit."""
        return self.count(messages) <= self.limits.tokens


@dataclass(frozen=True)
class Strategy:
    """A way to keep a history within a limit.

    `says` is what it does, in a line. `begin(run)` is called once for a history, and returns the function
    that is called before each of its requests; what it must remember between them it keeps itself.
    """

    name: str
    says: str
    begin: Callable[[Run], Prepare]
