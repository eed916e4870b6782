"""Which decision of one run stands beside which decision of another.

The pairing keeps the order of both runs and is the best one by the weight of its pairs. What is equal at
both ends is paired at once. Between them the best pairing of two short stretches is found exactly, that of
long ones from one anchor (a decision that occurs once in each run) to the next, and in windows where there is
none. Of a long stretch beside a very short one, the beginning is looked at. So time and memory grow with
the length of the runs, not with its square.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import pairwise

from ctxlab.tracer.likeness import Asked, likeness

# Two stretches whose lengths multiply to no more than this are paired exactly.
MOST_CELLS = 40_000
WINDOW = 32
# Beside a stretch that is no longer than a window, no more of a long one is looked at.
MOST_BESIDE_SHORT = 5_000
MOST_REMEMBERED = 100_000

Pair = tuple[int, int]
Weigh = Callable[[Asked, Asked], int]


def weighing() -> Weigh:
    """Return a function that weighs two decisions, 0 if they are not alike.

    It remembers by identity what it has weighed: the decisions must live as long as it does.
    """
    known: dict[tuple[int, int], int] = {}

    def weigh(one: Asked, other: Asked) -> int:
        key = id(one), id(other)
        if key not in known:
            if len(known) == MOST_REMEMBERED:
                known.clear()
            found = likeness(one, other)
            known[key] = found.weight if found else 0
        return known[key]

    return weigh


def paired(left: Sequence[Asked], right: Sequence[Asked], weigh: Weigh) -> list[Pair]:
    """Return the places of the decisions that stand beside each other, in order."""
    return _between_equal_ends(left, right, lambda some, others: _by_anchors(some, others, weigh))


def _between_equal_ends(
    left: Sequence[Asked],
    right: Sequence[Asked],
    middle: Callable[[Sequence[Asked], Sequence[Asked]], list[Pair]],
) -> list[Pair]:
    """Pair what is equal at the beginning and at the end, and what lies between as `middle` does."""
    shorter = min(len(left), len(right))
    start = 0
    while start < shorter and left[start].key == right[start].key:
        start += 1
    end = 0
    while end < shorter - start and left[-1 - end].key == right[-1 - end].key:
        end += 1
    stop_left, stop_right = len(left) - end, len(right) - end
    found = middle(left[start:stop_left], right[start:stop_right])
    return [
        *((at, at) for at in range(start)),
        *_moved(found, start, start),
        *((stop_left + at, stop_right + at) for at in range(end)),
    ]


def _by_anchors(left: Sequence[Asked], right: Sequence[Asked], weigh: Weigh) -> list[Pair]:
    if not _is_long(len(left), len(right)):
        return _best(left, right, weigh)
    found: list[Pair] = []
    anchors = [(-1, -1), *_anchors(left, right), (len(left), len(right))]
    for (last_left, last_right), (next_left, next_right) in pairwise(anchors):
        some, others = left[last_left + 1 : next_left], right[last_right + 1 : next_right]
        inner = _between_equal_ends(some, others, lambda some, others: _by_windows(some, others, weigh))
        found += [*_moved(inner, last_left + 1, last_right + 1), (next_left, next_right)]
    return found[:-1]


def _anchors(left: Sequence[Asked], right: Sequence[Asked]) -> list[Pair]:
    """Return as many pairs as keep the order, of equal decisions that occur once on each side."""
    once_left, once_right = _places_of_unique(left), _places_of_unique(right)
    candidates = [(at, once_right[key]) for key, at in once_left.items() if key in once_right]
    # The longest ascending subsequence: `ends[n]` is the smallest end of one of n + 1 candidates.
    ends: list[int] = []
    last: list[int] = []
    before: list[int | None] = []
    for number, (_, place) in enumerate(candidates):
        length = bisect_left(ends, place)
        before.append(last[length - 1] if length else None)
        ends[length : length + 1] = [place]
        last[length : length + 1] = [number]
    found = []
    number_of = last[-1] if last else None
    while number_of is not None:
        found.append(candidates[number_of])
        number_of = before[number_of]
    return found[::-1]


def _places_of_unique(decisions: Sequence[Asked]) -> dict[tuple[object, ...], int]:
    counts = Counter(one.key for one in decisions)
    return {one.key: at for at, one in enumerate(decisions) if counts[one.key] == 1}


def _by_windows(left: Sequence[Asked], right: Sequence[Asked], weigh: Weigh) -> list[Pair]:
    found: list[Pair] = []
    half = WINDOW // 2
    at_left = at_right = 0
    while _is_long(len(left) - at_left, len(right) - at_right):
        window = left[at_left : at_left + WINDOW], right[at_right : at_right + WINDOW]
        pairs = _best(*window, weigh)
        # What stands near the end of a window may have a better partner behind it.
        beyond = [at for at, pair in enumerate(pairs) if max(pair) >= half]
        kept = pairs[: beyond[0] + 1] if beyond else pairs
        found += _moved(kept, at_left, at_right)
        last_left, last_right = kept[-1] if beyond else (half, half)
        at_left, at_right = at_left + last_left + 1, at_right + last_right + 1
    return found + _moved(_best(left[at_left:], right[at_right:], weigh), at_left, at_right)


def _is_long(left: int, right: int) -> bool:
    """Say whether two stretches are too long to be paired exactly; beside a short one, none is."""
    return min(left, right) > WINDOW and left * right > MOST_CELLS


def _best(left: Sequence[Asked], right: Sequence[Asked], weigh: Weigh) -> list[Pair]:
    """Return the pairing of the greatest weight; of several, the one whose pairs come first."""
    left, right = left[:MOST_BESIDE_SHORT], right[:MOST_BESIDE_SHORT]
    length = len(left) + len(right)
    unit = length * min(len(left), len(right)) + 1  # more than all places together count
    # worth[i][j]: of the pair alone; totals[i][j]: of the best pairing of left[i:] with right[j:].
    worth = [
        [
            weight and weight * unit + length - i - j
            for j, weight in enumerate(weigh(one, other) for other in right)
        ]
        for i, one in enumerate(left)
    ]
    totals = [[0] * (len(right) + 1) for _ in range(len(left) + 1)]
    for i in reversed(range(len(left))):
        row, below = totals[i], totals[i + 1]
        for j in reversed(range(len(right))):
            row[j] = max(below[j], row[j + 1], below[j + 1] + worth[i][j] if worth[i][j] else 0)
    found = []
    i = j = 0
    while i < len(left) and j < len(right):
        if worth[i][j] and totals[i][j] == totals[i + 1][j + 1] + worth[i][j]:
            found.append((i, j))
            i, j = i + 1, j + 1
        elif totals[i][j] == totals[i + 1][j]:
            i += 1
        else:
            j += 1
    return found


def _moved(pairs: list[Pair], left: int, right: int) -> list[Pair]:
    return [(left + one, right + other) for one, other in pairs]
