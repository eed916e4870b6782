"""The histories of a run: which messages the active history and the candidate held, from which step on.

The active history is the first argument of the entry call that is one; else the one that an argument keeps in
a field, such as `self.messages`. The candidate is the newest other one in a variable of the entry function;
else the one that an object in a variable keeps.
"""

from collections import deque
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby
from operator import itemgetter
from typing import Any

from ctxlab.errors import Refusal
from ctxlab.messages.encoding import compact_json
from ctxlab.messages.texts import texts
from ctxlab.tracer.halves import Ends, Halves, ends_of
from ctxlab.tracer.heap import Cell, common_start
from ctxlab.tracer.kept import Field, history_field, is_object_cell, value_of_field, values_of
from ctxlab.tracer.record import OpaqueCall, Recording
from ctxlab.tracer.replay import Replay, is_container
from ctxlab.tracer.values import message_value

ACTIVE, CANDIDATE = 0, 1


@dataclass(frozen=True)
class Splice:
    """From `step` on, at position `at`, `removed` messages of a history are replaced by `added` (pool
    indices).

    `size` is the whole history's size in bytes then; `open` counts calls without a result where it must
    stand, `orphans` results without a call.
    """

    step: int
    which: int
    at: int
    removed: int
    added: list[int]
    size: int
    open: int
    orphans: int


class Pool:
    """The pool messages as values, each looked at once."""

    def __init__(self, pool: list[Any], strings: list[str]) -> None:
        self._pool = pool
        self._strings = strings
        self._sizes: dict[int, int] = {}
        self._ends: dict[int, Ends] = {}
        self._values: dict[int, Any] = {}

    def value(self, index: int) -> Any:
        """Return a message as a value."""
        if index not in self._values:
            self._values[index] = message_value(self._pool[index], self._strings)
        return self._values[index]

    def size(self, index: int) -> int:
        """Return how many bytes a message has."""
        if index not in self._sizes:
            self._sizes[index] = message_bytes(self.value(index))
        return self._sizes[index]

    def ends(self, index: int) -> Ends:
        """Return the ids in a message that need another one."""
        if index not in self._ends:
            self._ends[index] = ends_of(self.value(index))
        return self._ends[index]


def message_bytes(value: Any) -> int:
    """Return the compact JSON bytes of a message; one with no such form counts as its text.

    Where it has no text as a whole, for its depth or a number of thousands of digits, the texts in it count.
    """
    try:
        return len(compact_json(value))
    except Refusal:
        pass
    try:
        return _utf8_bytes(str(value))
    except (RecursionError, ValueError):
        return sum(map(_utf8_bytes, texts(value)))


def _utf8_bytes(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


@dataclass
class View:
    """One history while it changes: its messages by container number and by pool index, in order."""

    which: int
    replay: Replay
    pool: Pool
    numbers: list[int] = field(default_factory=list)
    indices: list[int] = field(default_factory=list)
    placed: list[int] = field(default_factory=list)  # for each message, the step that put it there
    removed_at: dict[int, int] = field(
        default_factory=dict
    )  # for a pool index, the step that last took it out
    first_placed: dict[int, int] = field(
        default_factory=dict
    )  # for a pool index, the step that first put it in
    first_change: int | None = None  # the first step that changed what the history began with
    splices: list[Splice] = field(default_factory=list)
    items: int = 0  # how many items the list has
    flat: bool = False  # whether each of them is one message, so that both count alike
    set_at: int = 0  # the step that last set the history as a whole
    size: int = 0
    _positions: dict[int, list[int]] | None = None

    def __post_init__(self) -> None:
        self.halves = Halves(self.indices, self.pool.ends)

    def show(self, numbers: list[int], step: int, cause: int) -> None:
        """Make the history consist of these messages."""
        self.set_at = cause
        indices = [self.index(number) for number in numbers]
        before, after = self.pairs(), list(zip(numbers, indices, strict=True))
        start = common_start(before, after)
        tail = common_start(before[start:][::-1], after[start:][::-1])
        removed, end = len(before) - start - tail, len(after) - tail
        if removed or end > start or not self.splices:
            self.splice(start, removed, numbers[start:end], indices[start:end], step, cause)

    def pairs(self) -> list[tuple[int, int]]:
        """Return the number and the pool index of each message."""
        return list(zip(self.numbers, self.indices, strict=True))

    def put(self, at: int, removed: int, numbers: list[int], step: int, cause: int) -> None:
        """Put these messages in the place of `removed` others, or of earlier values of their own."""
        self.splice(at, removed, numbers, [self.index(number) for number in numbers], step, cause)

    def refresh(self, differing: set[int], step: int, cause: int) -> None:
        """Show the messages among `differing` with their new values."""
        for number in sorted(differing & self.positions().keys()):
            index = self.index(number)
            for at in list(self.positions()[number]):
                if self.indices[at] != index:
                    self.put(at, 1, [number], step, cause)

    def index(self, number: int) -> int:
        """Return the pool index of a message."""
        index = self.replay.message(2 * number)
        assert index is not None
        return index

    def positions(self) -> dict[int, list[int]]:
        """Return where in the history each message stands."""
        if self._positions is None:
            self._positions = {}
            for at, number in enumerate(self.numbers):
                self._positions.setdefault(number, []).append(at)
        return self._positions

    def splice(
        self, at: int, removed: int, numbers: list[int], indices: list[int], step: int, cause: int
    ) -> None:
        """Put messages in the place of others, and write the splice down."""
        if self._positions is not None:
            if removed == len(numbers):
                for position, number in enumerate(numbers, at):
                    self._positions[self.numbers[position]].remove(position)
                    self._positions.setdefault(number, []).append(position)
            elif at == len(self.numbers):
                for position, number in enumerate(numbers, at):
                    self._positions.setdefault(number, []).append(position)
            else:
                self._positions = None
        for index in self.indices[at : at + removed]:
            self.removed_at[index] = cause
        for index in indices:
            self.first_placed.setdefault(index, cause)
        if self.splices and self.first_change is None:
            self.first_change = cause
        self.size -= sum(map(self.pool.size, self.indices[at : at + removed]))
        self.halves.leave(at, removed)
        self.numbers[at : at + removed] = numbers
        self.indices[at : at + removed] = indices
        self.placed[at : at + removed] = [cause] * len(numbers)
        self.size += sum(map(self.pool.size, indices))
        self.halves.enter(at, len(indices))
        size = 2 + self.size + max(0, len(self.indices) - 1)
        open_calls, orphans = self.halves.open, self.halves.orphans
        self.splices.append(Splice(step, self.which, at, removed, indices, size, open_calls, orphans))


class Histories:
    """Follows the active history and the candidate through a recording."""

    def __init__(self, recording: Recording) -> None:
        heap = recording.heap
        self.pool = Pool(heap.pool, heap.strings)
        self.replay = Replay(heap.pool, heap.strings, heap.pooled)
        self.active = View(ACTIVE, self.replay, self.pool)
        self.candidate = View(CANDIDATE, self.replay, self.pool)
        self.passed: list[
            tuple[OpaqueCall, list[int]]
        ] = []  # calls that got messages (pool indices) as arguments
        self.input: list[int] = []  # the pool indices of the history that came in
        self.emptied = False  # whether a history was returned that no longer holds a message
        # The steps that put the candidate in the place of the active history: from then on there is none.
        self.commits: list[int] = []
        # Where the run worked on the history itself and returned none, the first step that changed it.
        self.in_place: int | None = None
        self._heap = heap
        self._active_root: Cell = None
        self._root: Cell = None
        self._committed: Cell = None  # the list that was the candidate until the latest commit
        self._bound: dict[str, tuple[int, Cell]] = {}
        self._given: list[Cell] = []  # the objects among the arguments, where no argument is a history
        # Where an object keeps the active history, or the candidate.
        self._active_field: Field | None = None
        self._candidate_field: Field | None = None
        self._follow(recording)

    def _follow(self, recording: Recording) -> None:
        rows = enumerate(zip(recording.heap.rows, recording.heap.causes, strict=True))
        heap_events = ((row[0], 0, (row[1], row[2], cause, place)) for place, (row, cause) in rows)
        variable_events = ((row[0], 1, row) for row in recording.variables if row[1] == 0)
        # A stable sort: within one step, containers come before the variables that hold them.
        events = sorted([*heap_events, *variable_events], key=itemgetter(0, 1))
        calls = deque(sorted(recording.calls, key=lambda call: call.mark))
        for step, group in groupby(events, key=itemgetter(0)):
            self._moment(step, [event[1:] for event in group], calls)
        self._take_calls(calls, None)
        if recording.outcome.kind == "returned":
            self._end(recording)

    @property
    def result(self) -> View:
        """The history at the end: the candidate, or the active history where the run worked in place."""
        return self.candidate if self.in_place is None else self.active

    @cached_property
    def made_at(self) -> dict[int, int]:
        """For each message of the pool, the step whose statement first gave a container its value.

        A copy of a message is a container of its own: only the value leads back to who wrote it.
        """
        heap = self._heap
        known = {message: index for index, message in enumerate(heap.pool)}
        replay = Replay(heap.pool, heap.strings, lambda nested: known.get(nested, -1))
        made: dict[int, int] = {}
        rows = zip(heap.rows, heap.causes, strict=True)
        for _, group in groupby(rows, key=lambda row: row[0][0]):
            differing: set[int] = set()
            for (_, number, cells), cause in group:
                differing |= replay.apply(number, cells, cause)
            for number in sorted(differing):
                index = replay.message(2 * number)
                if index is not None:
                    made.setdefault(index, replay.changed_at[number])
        return made

    def _end(self, recording: Recording) -> None:
        """Take what was returned as the candidate, or find that the run worked in place."""
        last = max(0, len(recording.steps) - 1)
        returned = recording.returned
        numbers = self.replay.parts(returned)
        if numbers is None:
            returned = self._history_in(returned)
            numbers = self.replay.messages(returned)
        # Any other empty list may be anything, such as a list of faults.
        self.emptied = numbers == [] and returned in (self._active_root, self._root)
        if numbers is not None and (numbers or self.emptied):
            if returned != self._root or numbers != self.candidate.numbers:
                self.candidate.show(numbers, last, _last_line(recording))
            return
        if self.candidate.splices:
            # Something else was returned: what looked like a candidate was none.
            self.candidate.show([], last, last)
        held = self._holds_other_history(recording.returned)
        if self.replay.messages(self._active_root) is not None and not held:
            self.in_place = self.active.first_change

    def _history_in(self, cell: Cell) -> Cell:
        """Return the first history in a tuple or an object that holds other things too, or None.

        None also where the active history is in it: what the run worked on is no result of its own.
        """
        values = values_of(self.replay, cell)
        if is_container(cell) and self.replay.cells(cell // 2)[0] == "t":
            values = self.replay.cells(cell // 2)[1:]
        if is_container(self._active_root) and self._active_root in values:
            return None
        return next((value for value in values if self.replay.messages(value)), None)

    def _holds_other_history(self, cell: Cell) -> bool:
        """Say whether there is a history somewhere in a value, the active one and its object aside."""
        seen = {self._active_root}
        waiting = [cell]
        while waiting:
            item = waiting.pop()
            if not is_container(item) or item in seen:
                continue
            seen.add(item)
            if self._active_root in values_of(self.replay, item):
                continue
            if self.replay.messages(item):
                return True
            waiting.extend(self.replay.cells(item // 2)[1:])
        return False

    def _moment(self, step: int, events: list[Any], calls: deque[OpaqueCall]) -> None:
        differing: set[int] = set()
        touched: list[tuple[int, Any]] = []
        cause, rebound = 0, False
        for kind, event in events:
            if kind == 0:
                number, cells, cause, place = event
                self._take_calls(calls, place)
                differing |= self.replay.apply(number, cells, cause)
                touched.append((number, cells))
            else:
                _, _, name, cell, cause = event
                self._bound.pop(name, None)
                if is_container(cell) and name not in ("return", "raise"):
                    self._bound[name] = (cause, cell)
                rebound = True
        if step == 0:
            self._begin()
            return
        if self._is_kept_elsewhere(differing, step, cause):
            self._look_for_commit(step, cause)
        elif is_container(self._active_root) and self._active_root // 2 in differing:
            self._update(self.active, self._active_root, touched, differing, step, cause)
        if rebound or any(cell // 2 in differing for _, cell in self._bound.values()):
            self._choose(touched, differing, step, cause)
        if any(2 * number == self._active_root for number, _ in touched):
            self._look_for_commit(step, cause)

    def _look_for_commit(self, step: int, cause: int) -> None:
        """Note if the active history was just written to be what the candidate is."""
        candidate = self.candidate
        if candidate.indices and candidate.indices == self.active.indices:
            self.commits.append(cause)
            self._committed, self._root = self._root, None
            candidate.show([], step, cause)

    def _begin(self) -> None:
        for _, cell in self._bound.values():
            numbers = self.replay.messages(cell)
            if numbers:
                self._active_root = cell
                self._read(self.active, cell, numbers, 0, 0)
                self.input = self.active.indices[:]
                return
        self._given = [cell for _, cell in self._bound.values() if is_object_cell(self.replay, cell)]
        self._is_kept_elsewhere({cell // 2 for cell in self._given}, 0, 0)
        self.input = self.active.indices[:]

    def _is_kept_elsewhere(self, differing: set[int], step: int, cause: int) -> bool:
        """Show the active history if an object that keeps it in a field holds another list there now."""
        if self._active_root is None:
            changed = [cell for cell in self._given if cell // 2 in differing]
            fields = (history_field(self.replay, cell) for cell in changed)
            self._active_field = next(filter(None, fields), None)
        elif self._active_field is None or self._active_field[0] not in differing:
            return False
        if self._active_field is None:
            return False
        root = value_of_field(self.replay, self._active_field)
        numbers = None if root == self._active_root else self.replay.messages(root)
        if numbers is None:
            return False
        if step > 0 and self._active_root is None:
            self.active.show([], 0, 0)  # it began empty
        self._active_root = root
        self._read(self.active, root, numbers, step, cause)
        return True

    def _choose(self, touched: list[tuple[int, Any]], differing: set[int], step: int, cause: int) -> None:
        """Show as candidate the history that a variable of the entry frame was bound to last."""
        for bound_at, cell in reversed(self._bound.values()):
            if cell == self._committed and (
                cell == self._active_root or all(2 * number != cell for number, _ in touched)
            ):
                return
            # A list inside another container, such as one exchange of a list, is a part and no candidate.
            if cell == self._active_root or self.replay.is_held(cell // 2):
                continue
            if cell == self._root:
                self._update(self.candidate, cell, touched, differing, step, cause)
                return
            numbers = self.replay.messages(cell)
            if numbers:
                self._root = cell
                self._read(self.candidate, cell, numbers, step, max(bound_at, cause))
                return
        self._choose_kept(touched, differing, step, cause)

    def _choose_kept(
        self, touched: list[tuple[int, Any]], differing: set[int], step: int, cause: int
    ) -> None:
        """Show as candidate the history that an object in a variable keeps, where no variable holds one.

        Beside an active history that an object keeps, its other fields are no candidates.
        """
        if self._candidate_field is None:
            changed = [
                cell for at, cell in reversed(self._bound.values()) if cell // 2 in differing or at == cause
            ]
            if self._active_field:
                changed = [cell for cell in changed if cell not in self._given]
            fields = (history_field(self.replay, cell, self._active_root) for cell in changed)
            self._candidate_field = next(filter(None, fields), None)
        if self._candidate_field is None:
            return
        cell = value_of_field(self.replay, self._candidate_field)
        if not is_container(cell) or cell == self._active_root:
            return
        if cell == self._root:
            self._update(self.candidate, cell, touched, differing, step, cause)
            return
        numbers = self.replay.messages(cell)
        if numbers is not None:
            self._root = cell
            self._read(self.candidate, cell, numbers, step, cause)

    def _update(
        self,
        view: View,
        root: Cell,
        touched: list[tuple[int, Any]],
        differing: set[int],
        step: int,
        cause: int,
    ) -> None:
        """Bring a view up to date. Only a change of the list's own shape makes it read the list again."""
        spine = [cells for number, cells in touched if number == root // 2]
        gone = any(self.replay.message(2 * number) is None for number in differing & view.positions().keys())
        if not gone and not spine and not any(self._is_spine(number, view) for number, _ in touched):
            view.refresh(differing, step, cause)
            return
        if len(spine) != 1 or not self._small_change(view, spine[0], differing, step, cause):
            self._read(view, root, self.replay.messages(root) or [], step, cause)

    def _read(self, view: View, root: Cell, numbers: list[int], step: int, cause: int) -> None:
        """Show the list `root`, whose messages are `numbers`."""
        items = self.replay.cells(root // 2)[1:]
        view.show(numbers, step, cause)
        view.items = len(items)
        view.flat = all(self.replay.message(item) is not None for item in items)

    def _small_change(self, view: View, cells: Any, differing: set[int], step: int, cause: int) -> bool:
        """Show that the list grew, or that messages in it were replaced; return False for other changes."""
        if differing & view.positions().keys():
            return False
        if cells[0] not in ("+", "=", "-"):
            return False
        removed, written = (cells[2], cells[3:]) if cells[0] == "-" else (1, cells[2:])
        new = [self._messages_of(cell) for cell in written]
        if None in new:
            return False
        numbers = [number for found in new if found for number in found]
        single = all(self.replay.message(cell) is not None for cell in written)
        if cells[0] == "+" and cells[1] == view.items:
            view.put(len(view.numbers), 0, numbers, step, cause)
            view.items += len(written)
            view.flat = view.flat and single
            return True
        # An index in the list is one in the history only where each item is one message.
        if cells[0] != "+" and view.flat and single:
            view.put(cells[1], removed, numbers, step, cause)
            view.items += len(written) - removed
            return True
        return False

    def _messages_of(self, cell: Cell) -> list[int] | None:
        """Return the messages of one item of a history: a message, or an exchange."""
        return [cell // 2] if self.replay.message(cell) is not None else self.replay.messages(cell)

    def _is_spine(self, number: int, view: View) -> bool:
        """Say whether a container could be an exchange in the list: a list that is no part of a message."""
        return number not in view.positions() and self.replay.messages(2 * number) is not None

    def _take_calls(self, calls: deque[OpaqueCall], mark: int | None) -> None:
        """Note what the opaque calls got that began before heap row `mark`."""
        while calls and (mark is None or calls[0].mark <= mark):
            call = calls.popleft()
            indices: list[int] = []
            for cell in call.arguments:
                numbers = self._messages_of(cell) or self.replay.parts(cell) or []
                indices.extend(
                    index for number in numbers if (index := self.replay.message(2 * number)) is not None
                )
            if indices:
                self.passed.append((call, indices))


def _last_line(recording: Recording) -> int:
    """Return the step of the last line of the entry frame."""
    turns = iter(reversed(recording.turns))
    start, frame = next(turns, (0, 0))
    for step in range(len(recording.steps) - 1, -1, -1):
        while step < start:
            start, frame = next(turns)
        if frame == 0 and recording.places[recording.steps[step]].event == "line":
            return step
    return 0
