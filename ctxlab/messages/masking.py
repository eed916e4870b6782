"""Secrets masked in every text of some values, also where a text does not show that it holds one.

A password is found by the name beside it. It stands without that name in a command, in a result, in what a
person said. What looks like a secret nowhere is not masked: see `ctxlab.messages.secrets`.
"""

import json
import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from functools import cached_property
from typing import Any

from ctxlab.messages.secrets import Path, Secret, masked

MASK = re.compile(r"\[([^\[\]]+) masked, (\d+) characters\]")
RUN = re.compile(r"\\[a-z]|([^\W_]+)")  # "\n" in a JSON text parts words, and is no part of the next one
CUT = re.compile(r"…|\.\.\.|\[\d+ characters missing\]")
LEAST_CHARS = 6
LEAST_CUT_CHARS, MOST_CUT_CHARS = 4, 200
PIECE_CHARS = 8  # so many characters in a row tell a part of a secret from a word
JSON_IN_JSON = 3  # levels of JSON texts, such as a message with arguments that is written as a text

# A password that is one of these words cannot be told from the word, without which nothing can be read.
WORDS = frozenset(
    """arguments assistant call_id content custom decisions developer function function_call
    function_call_output is_error message messages outcome output output_text operation
    input input_text reasoning reasoning_content refusal result server_tool_use status stderr stdout summary
    system thinking tool_call_id tool_calls tool_result tool_use tool_use_id unbound""".split()
)


class Mask:
    """Masks the secrets of some JSON values in every text. Two different secrets get different masks.

    So ids still tell which call a result belongs to. `found` are the secrets in `said` by their places, and
    those that only `also` holds; the keys of each of these values say where it stands. A secret that is one
    of `words` is left.
    """

    def __init__(self, said: Iterable[Any], also: Iterable[Any] = (), words: Collection[str] = WORDS) -> None:
        self.found: list[Secret] = []
        self._masks: dict[str, str] = {}
        self._given: Counter[str] = Counter()
        for value in said:
            self._learn(value)
        for value in also:
            self._learn(value, told=set(self._masks))
        for word in words:
            self._masks.pop(word, None)
        self._sorted = sorted(self._masks)
        # Each under its rarest run of letters and digits, so that a text is searched for few of them.
        self._by_run: dict[str, list[str]] = defaultdict(list)
        count = Counter(run for secret in self._masks for run in _runs(secret))
        for secret in self._masks:
            rarest = min(_runs(secret), key=lambda run: (count[run], -len(run), run), default="")
            self._by_run[rarest].append(secret)

    def _learn(self, value: Any, told: set[str] | frozenset[str] = frozenset()) -> None:
        for path, text, hidden in _differing(value, masked(value), ()):
            for secret, kind, mask in _aligned(text, hidden):
                if secret not in told:
                    self.found.append(Secret(path, kind, mask))
                self._give(secret, kind, len(secret))
                # A private key may be taken apart into its lines, which say no more what they are.
                if "-----END" in secret:
                    for line in map(str.strip, re.split(r"\n|\\n", secret)):
                        if len(line) >= LEAST_CHARS:
                            self._give(line, kind, len(line))

    def _give(self, secret: str, kind: str, size: int) -> None:
        """Give a secret its mask, in every form in which a text may quote it."""
        if secret in self._masks:
            return
        mask = f"[{kind} masked, {size} characters]"
        self._given[mask] += 1
        if self._given[mask] > 1:
            mask = f"[{kind} no. {self._given[mask]} masked, {size} characters]"
        for form in (secret, *_quoted(secret)):
            self._masks.setdefault(form, mask)

    def throughout(self, value: Any) -> Any:
        """Return a copy of a JSON value with its texts masked, and keys where they look like a secret.

        Refuses as `ctxlab.messages.secrets.masked` does.
        """
        return masked(self.value(value))

    def value(self, value: Any) -> Any:
        """Return a copy of a JSON value with its texts masked, and its keys as they are."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, dict):
            return {key: self.value(item) for key, item in value.items()}
        return [self.value(item) for item in value] if isinstance(value, (list, tuple)) else value

    def text(self, text: str) -> str:
        """Return a text without the secrets, also those that stand at a mark of omission cut short."""
        if len(text) < LEAST_CUT_CHARS:
            return text
        likely = {secret for run in {*_runs(text), ""} for secret in self._by_run.get(run, ())}
        known = sorted((secret for secret in likely if secret in text), key=len, reverse=True)
        if known:
            # In one go and the longest first: a mask must not be masked again.
            alternatives = re.compile("|".join(map(re.escape, known)))
            text = alternatives.sub(lambda match: self._masks[match[0]], text)
        pieces = []
        end = 0
        for mark in CUT.finditer(text):
            pieces += [self.without_end(text[end : mark.start()]), mark[0]]
            end = mark.end()
        shown: str = masked("".join([*pieces, text[end:]]))
        return shown

    def pieces(self, value: Any) -> Any:
        """Return a copy of a JSON value in which parts of secrets are masked too, wherever they stand.

        It is for texts that were cut anywhere, with a mark or without one: of a secret at most 7 characters
        in a row are left. A word of so many characters that is part of a secret is masked with it.
        """
        if isinstance(value, str):
            return self._without_pieces(self.text(value))
        if isinstance(value, dict):
            return {key: self.pieces(item) for key, item in value.items()}
        return [self.pieces(item) for item in value] if isinstance(value, (list, tuple)) else value

    def _without_pieces(self, text: str) -> str:
        shown = []
        end = 0
        # What a mask says is no part of a secret, even where the secret says the same.
        for mask in [*MASK.finditer(text), None]:
            between = text[end : mask.start() if mask else len(text)]
            at = 0
            for start, stop in self._pieces_in(between):
                shown += [between[at:start], f"[part of a secret masked, {stop - start} characters]"]
                at = stop
            shown += [between[at:], mask[0] if mask else ""]
            end = mask.end() if mask else end
        return "".join(shown)

    def _pieces_in(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield where a text has characters of a secret, at least so many in a row."""
        start = stop = 0
        for at in range(len(text) - PIECE_CHARS + 1 if self._pieces else 0):
            if text[at : at + PIECE_CHARS] in self._pieces:
                if at > stop:
                    if stop:
                        yield start, stop
                    start = at
                stop = at + PIECE_CHARS
        if stop:
            yield start, stop

    @cached_property
    def _pieces(self) -> set[str]:
        return {
            secret[at : at + PIECE_CHARS]
            for secret in self._masks
            for at in range(len(secret) - PIECE_CHARS + 1)
        }

    def without_end(self, text: str) -> str:
        """Return a text that was cut off, without the beginning of a secret at its end."""
        for size in range(min(len(text), MOST_CUT_CHARS), LEAST_CUT_CHARS - 1, -1):
            end = text[-size:]
            at = bisect_left(self._sorted, end)
            if at < len(self._sorted) and self._sorted[at].startswith(end):
                return f"{text[:-size]}[start of a secret masked, {size} characters]"
        return text


def _runs(text: str) -> set[str]:
    """Return the runs of letters and digits in a text."""
    return set(RUN.findall(text)) - {""}


def _quoted(secret: str) -> Iterator[str]:
    """Yield how a secret stands where it is quoted: in the form of Python, or as JSON, also in JSON.

    One that was found in JSON stands elsewhere without its escapes.
    """
    yield repr(secret)[1:-1]
    with suppress(ValueError):
        yield json.loads(f'"{secret}"', strict=False)
    for ascii_only in (False, True):
        form = secret
        for _ in range(JSON_IN_JSON):
            form = json.dumps(form, ensure_ascii=ascii_only)[1:-1]
            yield form


def _differing(value: Any, hidden: Any, path: Path) -> Iterator[tuple[Path, str, str]]:
    """Yield (path, text, masked text) where a value differs from its masked copy, keys included."""
    if isinstance(value, str):
        if value != hidden:
            yield path, value, hidden
    elif isinstance(value, dict):
        for (key, item), (name, other) in zip(value.items(), hidden.items(), strict=True):
            if isinstance(key, str) and key != name:
                yield (*path, name), key, name
            yield from _differing(item, other, (*path, name))
    elif isinstance(value, (list, tuple)):
        for index, (item, other) in enumerate(zip(value, hidden, strict=True)):
            yield from _differing(item, other, (*path, index))


def _aligned(text: str, hidden: str) -> Iterator[tuple[str, str, str]]:
    """Yield (secret, kind, mask) for each mask that `hidden` has in the place of a part of `text`."""
    at = end = 0
    for mask in MASK.finditer(hidden):
        at += mask.start() - end
        end = mask.end()
        # A transcript may have been masked before.
        length = len(mask[0]) if text.startswith(mask[0], at) else int(mask[2])
        if text[at : at + length] != mask[0]:
            yield text[at : at + length], mask[1], mask[0]
        at += length
