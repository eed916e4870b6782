"""What became of every message: the input matched with the final candidate."""

from collections import defaultdict, deque
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ctxlab.messages.blocks import call_ids, result_ids
from ctxlab.messages.texts import texts
from ctxlab.tracer.histories import Histories


@dataclass(frozen=True)
class Fate:
    """What became of one message.

    `fate`: kept (equal; or, for the first message, whole at the start of the candidate's first, as a question
    before its summary), trimmed (same role and ids, other text), summarised (gone, and passed to an untraced
    callable whose text stands in the candidate), dropped (gone otherwise) or added (no counterpart).
    `message` is its place in the pool, `source` its index in the input, `target` that of its successor in the
    candidate; `step` the step whose statement did it.
    """

    message: int
    fate: str
    step: int
    source: int | None
    target: int | None


def provenance(histories: Histories) -> list[Fate]:
    """Return the fate of each message of the candidate, in order, then of each input message that is gone."""
    if not histories.candidate.indices and not histories.emptied:
        return []
    return _Matching(histories).fates()


class _Matching:
    def __init__(self, histories: Histories) -> None:
        self.histories = histories
        self.values = histories.pool.value
        self.before = histories.input
        self.after = histories.candidate.indices
        self.source: dict[int, int] = {}  # index in the candidate -> index in the input
        self.kinds: dict[int, str] = {}  # index in the candidate -> fate
        self.left = set(range(len(self.before)))

    def fates(self) -> list[Fate]:
        self._match("kept", lambda index: index, lambda index: index)
        self._match("trimmed", self._identity, self._identity)
        self._match_opening()
        view = self.histories.candidate
        fates = []
        for target, index in enumerate(self.after):
            kind = self.kinds.get(target, "added")
            changed = self.histories.replay.changed_at.get(view.numbers[target], view.placed[target])
            step = view.placed[target] if kind == "kept" else changed
            fates.append(Fate(index, kind, step, self.source.get(target), target))
        for source in sorted(self.left):
            fates.append(self._gone(source))
        return fates

    def _match(self, kind: str, key_before: Any, key_after: Any) -> None:
        """Pair messages that are still unmatched and have the same key, in order. None matches nothing."""
        waiting: dict[Any, deque[int]] = defaultdict(deque)
        for source in sorted(self.left):
            key = key_before(self.before[source])
            if key is not None:
                waiting[key].append(source)
        for target, index in enumerate(self.after):
            key = None if target in self.kinds else key_after(index)
            if key is not None and waiting.get(key):
                source = waiting[key].popleft()
                self.left.remove(source)
                self.source[target] = source
                self.kinds[target] = kind

    def _identity(self, index: int) -> Any:
        """Return role and ids of a message, or None when it has no ids."""
        value = self.values(index)
        calls, results = tuple(call_ids(value)), tuple(result_ids(value))
        return (value.get("role"), calls, results) if calls or results else None

    def _match_opening(self) -> None:
        """Count the first message as kept when the candidate's first message begins with all that it says."""
        if 0 not in self.left or 0 in self.kinds or not self.after:
            return
        before, after = self.before[0], self.after[0]
        if self._identity(before) or self._identity(after):
            return
        said, now = self._said(before), self._said(after)
        same_role = self.values(before).get("role") == self.values(after).get("role")
        if same_role and said and now.startswith(said) and now[len(said) :][:1].isspace():
            self.left.remove(0)
            self.source[0] = 0
            self.kinds[0] = "kept"

    def _said(self, index: int) -> str:
        return "\n\n".join(texts(self.values(index).get("content")))

    @cached_property
    def _summaries(self) -> list[tuple[int, set[int], int]]:
        """The calls whose text stands in the candidate, the latest first: step, messages passed, and where it
        stands.

        The latest counts: an archive, whose receipt may stand in the candidate too, comes before a summary.
        """
        calls = [
            (call.step, set(passed), self._home_of(call.result)) for call, passed in self.histories.passed
        ]
        return [(step, passed, target) for step, passed, target in reversed(calls) if target is not None]

    def _gone(self, source: int) -> Fate:
        index = self.before[source]
        active, candidate = self.histories.active, self.histories.candidate
        for step, passed, target in self._summaries:
            if index in passed:
                return Fate(index, "summarised", step, source, target)
        # What left the input itself was never in a candidate that was made later.
        step = candidate.set_at if index in self._stays else active.removed_at.get(index, candidate.set_at)
        return Fate(index, "dropped", candidate.removed_at.get(index, step), source, None)

    @cached_property
    def _stays(self) -> set[int]:
        """The messages that the active history still holds at the end."""
        return set(self.histories.active.indices)

    def _home_of(self, result: Any) -> int | None:
        """Return the index of the candidate message in which a returned text stands, or None."""
        if type(result) is not int or result % 2 == 0:
            return None
        text = self.histories.replay.strings[result // 2].strip()
        if not text:
            return None
        for target, index in enumerate(self.after):
            as_it_was = self.kinds.get(target) == "kept" and self.before[self.source[target]] == index
            if not as_it_was and any(text in held for held in texts(self.values(index))):
                return target
        return None
