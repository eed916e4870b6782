"""What became of every message: the input matched with the history at the end.

That is the candidate which was returned or, where the run worked in place, the active history.
"""

from collections import defaultdict, deque
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ctxlab.messages.links import links_of
from ctxlab.messages.texts import texts
from ctxlab.tracer.histories import Histories


@dataclass(frozen=True)
class Fate:
    """What became of one message.

    `fate`: kept (equal; or, for the first message, whole at the start of the first at the end, as a question
    before its summary), trimmed (same role and ids, other text), summarised (gone, and passed to an untraced
    callable whose text stands in the history at the end, or was summarised in turn), dropped (gone otherwise)
    or added (no counterpart). `message` is its place in the pool, `source` its index in the input, `target`
    that of its successor at the end; `step` the step whose statement did it.
    """

    message: int
    fate: str
    step: int
    source: int | None
    target: int | None


def provenance(histories: Histories) -> list[Fate]:
    """Return the fate of each message at the end, in order, then of each input message that is gone."""
    if not histories.result.indices and not histories.emptied and histories.in_place is None:
        return []
    return _Matching(histories).fates()


class _Matching:
    def __init__(self, histories: Histories) -> None:
        self.histories = histories
        self.values = histories.pool.value
        self.before = histories.input
        self.after = histories.result.indices
        self.source: dict[int, int] = {}  # index at the end -> index in the input
        self.kinds: dict[int, str] = {}  # index at the end -> fate
        self.left = set(range(len(self.before)))
        self.identities: dict[int, Any] = {}  # by pool index

    def fates(self) -> list[Fate]:
        self._match("kept", lambda index: index, lambda index: index)
        self._match("trimmed", self._identity, self._identity)
        self._match_opening()
        fates = []
        for target, index in enumerate(self.after):
            kind = self.kinds.get(target, "added")
            fates.append(Fate(index, kind, self._step(kind, target), self.source.get(target), target))
        for source in sorted(self.left):
            fates.append(self._gone(source))
        return fates

    def _step(self, kind: str, target: int) -> int:
        """Return the step whose statement made a message of the history at the end what it is."""
        view, index = self.histories.result, self.after[target]
        placed = view.placed[target]
        if kind == "kept":
            return placed
        if self.histories.in_place is None:
            return self.histories.replay.changed_at.get(view.numbers[target], placed)
        # Each commit may put another copy of the message there.
        if kind == "trimmed":
            return self.histories.made_at.get(index, placed)
        return view.first_placed[index]

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
        if index not in self.identities:
            links = links_of(self.values(index))
            self.identities[index] = (links.role, links.ids) if links.ids else None
        return self.identities[index]

    def _match_opening(self) -> None:
        """Count the first message as kept when the first at the end begins with all that it says."""
        if 0 not in self.left or 0 in self.kinds or not self.after:
            return
        before, after = self.before[0], self.after[0]
        if self._identity(before) or self._identity(after):
            return
        said, now = self._said(before), self._said(after)
        same_role = links_of(self.values(before)).role == links_of(self.values(after)).role
        if same_role and said and now.startswith(said) and now[len(said) :][:1].isspace():
            self.left.remove(0)
            self.source[0] = 0
            self.kinds[0] = "kept"

    def _said(self, index: int) -> str:
        return "\n\n".join(texts(self.values(index).get("content")))

    @cached_property
    def _summaries(self) -> list[tuple[int, set[Any], int]]:
        """The calls whose text stands in the history at the end, the latest first: step, what was passed, and
        where it stands.

        The latest counts: an archive, whose receipt may stand there too, comes before a summary. The text may
        also stand in a message that was summarised in turn.
        """
        found: list[tuple[int, set[Any], int]] = []
        later: list[tuple[list[str], int]] = []  # the texts that a later call got, and where its own stands
        for call, passed in reversed(self.histories.passed):
            text = self._text_of(call.result)
            if not text:
                continue
            target = self._home_of(text)
            if target is None:
                homes = (home for held, home in later if any(text in part for part in held))
                target = next(homes, None)
            if target is not None:
                # Before it is summarised, a message may be trimmed; its ids stay.
                found.append((call.step, {*passed, *map(self._identity, passed)} - {None}, target))
                later.append(([part for index in passed for part in texts(self.values(index))], target))
        return found

    def _gone(self, source: int) -> Fate:
        index = self.before[source]
        active, candidate = self.histories.active, self.histories.candidate
        for step, passed, target in self._summaries:
            if index in passed or self._identity(index) in passed:
                return Fate(index, "summarised", step, source, target)
        if self.histories.in_place is not None:
            return Fate(index, "dropped", active.removed_at[index], source, None)
        # What left the input itself was never in a candidate that was made later.
        step = candidate.set_at if index in self._stays else active.removed_at.get(index, candidate.set_at)
        return Fate(index, "dropped", candidate.removed_at.get(index, step), source, None)

    @cached_property
    def _stays(self) -> set[int]:
        """The messages that the active history still holds at the end."""
        return set(self.histories.active.indices)

    def _text_of(self, result: Any) -> str:
        """Return the text that a call returned, without space around it, or ""."""
        is_text = type(result) is int and result % 2 == 1
        return self.histories.replay.strings[result // 2].strip() if is_text else ""

    def _home_of(self, text: str) -> int | None:
        """Return the index at the end of the message in which a returned text stands, or None."""
        for target, index in enumerate(self.after):
            as_it_was = self.kinds.get(target) == "kept" and self.before[self.source[target]] == index
            if not as_it_was and any(text in held for held in texts(self.values(index))):
                return target
        return None
