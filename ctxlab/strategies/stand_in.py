"""A stand-in for the model that writes summaries: nothing is sent anywhere, and it is the same each time."""

from collections.abc import Callable
from typing import Any

from ctxlab.messages.spoken import spoken

TEXT = "[Stand-in for a summary: no model was asked. What one would have kept is not known.]"

SAID = (
    "Each summary is a stand-in of one sentence, for no model was asked. What a real one would keep of the "
    "facts is not known: here it keeps none. It would also be longer."
)


class StandIn:
    """Returns one fixed text that keeps nothing, and counts what a model would have been asked.

    `calls` is how often, `tokens_in` and `tokens_out` what went in and came out together.
    """

    def __init__(self, count: Callable[[str], int]) -> None:
        self._count = count
        self.calls = 0
        self.tokens_in = 0
        self.tokens_out = 0

    def __call__(self, asked: str | list[dict[str, Any]], text: str = TEXT) -> str:
        """Return `text`, the same where it needs a certain form. `asked` is what the model would get."""
        texts = [asked] if isinstance(asked, str) else [text for message in asked for text in spoken(message)]
        self.calls += 1
        self.tokens_in += sum(map(self._count, texts))
        self.tokens_out += self._count(text)
        return text
