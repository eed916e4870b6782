"""What a learner's function left behind, as values that are safe to look at.

A value of the learner's own class may answer `==`, `repr` or `len` with anything at all. So only the exact
types of JSON, and tuples, are taken over; everything else becomes a label.
"""

import types
from collections.abc import Container, Iterable, Iterator
from itertools import islice, zip_longest
from typing import Any, NamedTuple

from ctxlab.exercises.guard import name_of_type
from ctxlab.tracer.heap import is_message
from ctxlab.tracer.values import quoted

MOST_DEPTH = 60
MOST_VALUES = 100_000
MOST_ITEMS = 12  # that are shown of one container
MOST_CHARS = 120
MOST_REPEATED = 10  # of one character in a row

# What is shown around the place where two texts differ, in characters.
PIECE_BEFORE = 12
PIECE_AFTER = 24

SCALARS = (str, int, float, bool, type(None))
CONTAINERS = (dict, list, tuple)


class Other(NamedTuple):
    """What stands for a value that is no data, in words such as "a generator"."""

    words: str


NOTHING = Other("nothing")

KINDS = (
    (types.GeneratorType, "a generator (the function holds a yield; return a list)"),
    (types.CoroutineType, "a coroutine (it is an async function; write def alone)"),
    (types.AsyncGeneratorType, "an async generator (write def alone, and return a list)"),
    (types.FunctionType, "a function"),
    (types.BuiltinFunctionType, "a built-in function"),
    (type, "a class"),
)


def plain_value(value: Any) -> Any:
    """Return a copy of `value` made of exact JSON types, tuples, and `Other` for the rest."""
    return _Copier().copied(value, 0)


class _Copier:
    """Makes one copy. What is too deep, contains itself or is very large becomes `Other`."""

    def __init__(self) -> None:
        self.values = 0

    def copied(self, value: Any, depth: int) -> Any:
        kind = type(value)
        if _among(kind, SCALARS):
            return value
        if not _among(kind, CONTAINERS):
            return _labelled(value)
        self.values += 1 + len(value)
        if depth > MOST_DEPTH or self.values > MOST_VALUES:
            return Other(f"a {kind.__name__} that is too deep or too large, or contains itself")
        if kind is dict:
            if not all(_among(type(key), SCALARS) for key in value):
                return Other("a dict with a key that is no text or number")
            return {key: self.copied(item, depth + 1) for key, item in value.items()}
        items = [self.copied(item, depth + 1) for item in value]
        return tuple(items) if kind is tuple else items


def _among(kind: type, kinds: tuple[type, ...]) -> bool:
    # Not `in`, which compares: the class of a learner's class may answer `==` with anything.
    return any(kind is each for each in kinds)


def _labelled(value: Any) -> Other:
    kind = type(value)
    if kind is types.CoroutineType:
        value.close()  # else Python warns later that nobody awaited it
    for each, label in KINDS:
        if kind is each:
            return Other(label)
    base = next((base for base in (*CONTAINERS, *SCALARS) if issubclass(kind, base)), None)
    like = f", a kind of {base.__name__}, where a plain {base.__name__} is due" if base else ""
    return Other(f"a value of type {name_of_type(value)}{like}")


def same(left: Any, right: Any) -> bool:
    """Say whether two plain values are the same, types included: 1 is not True, and NaN is NaN."""
    return difference(left, right) is None


def difference(left: Any, right: Any, path: str = "") -> tuple[str, Any, Any] | None:
    """Return (path, part of left, part of right) of the first difference of two plain values, or None.

    A part that one of them lacks is `NOTHING`.
    """
    if type(left) is not type(right):
        return path, left, right
    if isinstance(left, Other) or not isinstance(left, CONTAINERS):
        equal = left == right or (left != left and right != right)
        return None if equal else (path, left, right)
    if isinstance(left, dict):
        keys = list({**left, **right})
        pairs = [(key, left.get(key, NOTHING), right.get(key, NOTHING)) for key in keys]
    else:
        pairs = [(at, *pair) for at, pair in enumerate(zip_longest(left, right, fillvalue=NOTHING))]
    for key, one, other in pairs:
        found = difference(one, other, f"{path}[{words(key)}]")
        if found:
            return found
    return None


def shared(result: Any, given: Any) -> list[tuple[str, str]]:
    """Return the paths, in `result` and in `given`, of each list or dict that stands in both.

    What stands inside of one is not named again.
    """
    known = dict(_mutables(given, ()))
    found = _mutables(result, known)
    return [(_path(path), _path(known[number])) for number, path in found if number in known]


Path = tuple[Any, ...]


def _path(keys: Path) -> str:
    return "".join(f"[{words(plain_value(key))}]" for key in keys)


def _mutables(value: Any, closed: Container[int]) -> Iterator[tuple[int, Path]]:
    """Yield (id, path) of every list and dict in a value, those of the learner's own classes too.

    It does not look inside of those whose ids are in `closed`.
    """
    waiting: list[tuple[Path, Any]] = [((), value)]
    seen = set()
    for path, item in waiting:
        if id(item) in seen:
            continue
        seen.add(id(item))
        # Read by the built-in type itself: the methods of a learner's kind of list may do anything.
        kind = type(item)
        parts: Iterable[tuple[Any, Any]]
        if issubclass(kind, dict):
            parts = dict.items(item)
        elif issubclass(kind, list):
            parts = enumerate(list.__iter__(item))
        elif issubclass(kind, tuple):
            parts = enumerate(tuple.__iter__(item))
        else:
            continue
        if not issubclass(kind, tuple):
            yield id(item), path
            if id(item) in closed:
                continue
        room = MOST_VALUES - len(waiting)
        waiting.extend(((*path, key), part) for key, part in islice(parts, max(room, 0)))


def place_of_difference(left: str, right: str) -> tuple[int, str, str]:
    """Return the position of the first difference of two texts, and a piece of each from shortly before."""
    pairs = enumerate(zip_longest(left, right))
    at = next((at for at, (one, other) in pairs if one != other), len(left))
    start = max(0, at - PIECE_BEFORE)
    end = at + PIECE_AFTER
    return at, text_words(left[start:end]), text_words(right[start:end])


def words(value: Any) -> str:
    """Return a plain value in one line of limited length: in full, or what it is made of."""
    text = _words(value)
    if len(text) <= MOST_CHARS:
        return text
    if isinstance(value, list) and all(map(is_message, value)):
        return f"a history of {len(value)} message{'' if len(value) == 1 else 's'}"
    if isinstance(value, dict):
        return f"a dict with {_listed([_words(key) for key in islice(value, MOST_ITEMS)], value)}"
    if isinstance(value, (list, tuple)) and not isinstance(value, Other):
        return f"a {type(value).__name__} of {len(value)}"
    return f"{text[:MOST_CHARS]}…"


def _words(value: Any) -> str:
    if isinstance(value, Other):
        return value.words
    if isinstance(value, str):
        return text_words(value)
    if isinstance(value, dict):
        parts = [f"{_words(key)}: {_words(item)}" for key, item in islice(value.items(), MOST_ITEMS)]
        return f"{{{_listed(parts, value)}}}"
    if isinstance(value, list):
        return f"[{_listed(list(map(_words, value[:MOST_ITEMS])), value)}]"
    if isinstance(value, tuple):
        return f"({_listed(list(map(_words, value[:MOST_ITEMS])), value)})"
    try:
        return repr(value)
    except ValueError:  # an int of some thousand digits
        return f"an int of {value.bit_length()} bits"


def text_words(text: str) -> str:
    """Return a text in quotes: whole, or its start and its length; one character many times as a product."""
    if len(text) > MOST_REPEATED and text == text[0] * len(text):
        return f"{quoted(text[0], 1)} * {len(text)}"
    return quoted(text, len(text))


def _listed(parts: list[str], container: Any) -> str:
    return ", ".join([*parts, "…"] if len(container) > len(parts) else parts)
