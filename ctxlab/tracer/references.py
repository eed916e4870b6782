"""Whether every number in trace data that stands for something points to something.

A reader of the data may then follow any place, string, container or step without looking. The data has
already the types that `schema` describes.
"""

from collections.abc import Iterator
from itertools import accumulate
from typing import Any

from ctxlab.tracer.heap import expand
from ctxlab.tracer.objects import has_names, is_kind, is_object

KINDS = ("d", "l", "t", "s")
CHANGING = "list, dict or object"

Fault = tuple[str, str]


def misplaced(data: dict[str, Any]) -> Fault | None:
    """Return the place of the first number that points to nothing and what is wrong with it, or None."""
    return next(_faults(data), None)


def _faults(data: dict[str, Any]) -> Iterator[Fault]:
    # In an order in which each check may rely on the ones before it.
    yield from _tables(data)
    yield from _run(data)
    yield from _messages(data)
    yield from _values(data)
    yield from _histories(data)


def _outside(place: str, number: int, length: int, first: int = 0) -> Iterator[Fault]:
    if not first <= number < length:
        yield place, f"{number} is outside its range, {first} to {length - 1}"


def _tables(data: dict[str, Any]) -> Iterator[Fault]:
    """Check sites, places and frames, which point to sources and to each other."""
    sources, sites = len(data["sources"]), len(data["sites"])
    for at, site in enumerate(data["sites"]):
        yield from _outside(f"sites[{at}].function", site["function"], sources)
        for number, part in enumerate(site["parts"]):
            operands = [piece for piece in part["pieces"] if isinstance(piece, int)]
            for operand in operands:
                yield from _outside(f"sites[{at}].parts[{number}].pieces", operand, len(operands))
    for at, (event, function, _, site) in enumerate(data["places"]):
        yield from _outside(f"places[{at}][1]", function, sources)
        yield from _outside(f"places[{at}][3]", site, sites, 0 if event == "decision" else -1)
    for at, (function, _, _) in enumerate(data["frames"]):
        yield from _outside(f"frames[{at}][0]", function, sources)


def _run(data: dict[str, Any]) -> Iterator[Fault]:
    """Check that each step has a place and a frame, and each decision its values."""
    steps = data["steps"]["place"]
    for step, place in enumerate(steps):
        yield from _outside(f"steps.place[{step}]", place, len(data["places"]))
    turns = data["steps"]["turns"]
    starts = [start for start, _ in turns]
    if steps and starts[:1] != [0]:
        yield "steps.turns", "the first turn must begin at step 0"
    if sorted(set(starts)) != starts:
        yield "steps.turns", "the steps must ascend"
    for at, (start, frame) in enumerate(turns):
        yield from _outside(f"steps.turns[{at}][0]", start, len(steps))
        yield from _outside(f"steps.turns[{at}][1]", frame, len(data["frames"]))
    sites = [site for event, _, _, site in (data["places"][place] for place in steps) if event == "decision"]
    outcomes, values = data["decisions"]["outcome"], data["decisions"]["values"]
    if not len(sites) == len(outcomes) == len(values):
        yield (
            "decisions",
            f"{len(sites)} steps are decisions, but {len(outcomes)} have outcomes and {len(values)} values",
        )
        return
    for at, (site, row) in enumerate(zip(sites, values, strict=True)):
        parts = data["sites"][site]["parts"]
        due = sum(1 + sum(isinstance(piece, int) for piece in part["pieces"]) for part in parts)
        if len(row) != due:
            yield f"decisions.values[{at}]", f"{len(row)} values for a condition that has {due}"


def _messages(data: dict[str, Any]) -> Iterator[Fault]:
    for at, message in enumerate(data["messages"]):
        waiting = [message]
        while waiting:
            kind, *cells = waiting.pop()
            if kind not in KINDS or (kind == "d" and len(cells) % 2):
                yield (
                    f"messages[{at}]",
                    "a container must begin with d, l, t or s; a dict needs a value for each key",
                )
                return
            for cell in cells:
                if isinstance(cell, list) and len(cell) > 0 and cell[0] in KINDS:
                    waiting.append(cell)
                elif isinstance(cell, int) and not isinstance(cell, bool):
                    if cell % 2 == 0:
                        yield f"messages[{at}]", f"{cell} is a container of the heap; a message holds its own"
                    yield from _outside(f"messages[{at}]", cell // 2, len(data["strings"]))


def _values(data: dict[str, Any]) -> Iterator[Fault]:
    """Replay the heap, and check at its step every cell that refers to a string or a container."""
    steps = len(data["steps"]["place"])
    heap, variables, decisions = data["heap"], data["variables"], data["decisions"]
    for name, columns in (("heap", heap), ("variables", variables)):
        if len({len(column) for column in columns.values()}) != 1:
            yield name, "its columns differ in length"
            return
    decided = [
        step for step, place in enumerate(data["steps"]["place"]) if data["places"][place][0] == "decision"
    ]
    uses = [
        (step, f"variables.value[{at}]", [cell])
        for at, (step, cell) in enumerate(zip(accumulate(variables["step"]), variables["value"], strict=True))
    ]
    uses += [
        (step, f"decisions.values[{at}]", row)
        for at, (step, row) in enumerate(zip(decided, decisions["values"], strict=True))
    ]
    uses += [(steps, f"calls[{at}]", [*call[3], call[4]]) for at, call in enumerate(data["calls"])]
    uses.append((steps, "outcome.value", [data["outcome"]["value"]]))
    for at, frame in enumerate(accumulate(variables["frame"])):
        yield from _outside(f"variables.frame[{at}]", frame, len(data["frames"]))
    for at, name in enumerate(variables["name"]):
        yield from _outside(f"variables.name[{at}]", name, len(data["strings"]))
    for at, call in enumerate(data["calls"]):
        yield from _outside(f"calls[{at}][0]", call[0], steps)

    sizes = _Sizes(data)
    for step, place, cells in sorted(uses, key=lambda use: use[0]):
        yield from _outside(place, step, steps + 1)
        yield from sizes.advance(step)
        yield from sizes.dangling(place, cells)
    yield from sizes.advance(steps)


class _Sizes:
    """The kind and the number of cells of every container, step by step."""

    def __init__(self, data: dict[str, Any]) -> None:
        heap = data["heap"]
        self.strings = len(data["strings"])
        self.pool = data["messages"]
        self.steps = len(data["steps"]["place"])
        self.sizes: dict[int, tuple[str, int]] = {}
        steps, numbers = accumulate(heap["step"]), accumulate(heap["object"])
        self.rows = enumerate(zip(steps, numbers, heap["cells"], strict=True))
        self.next = next(self.rows, None)

    def advance(self, step: int) -> Iterator[Fault]:
        """Apply the rows up to `step` and check them."""
        fresh: list[tuple[str, list[Any]]] = []
        while self.next is not None and (self.next[1][0] <= step or step == self.steps):
            at, (begins, number, cells) = self.next
            yield from _outside(f"heap.step[{at}]", begins, self.steps + 1)
            yield from _outside(f"heap.object[{at}]", number, 2**53, 1)
            place = f"heap.cells[{at}]"
            if isinstance(cells, int):
                yield from _outside(place, cells, len(self.pool))
                parts: dict[int, Any] = {}
                expand(self.pool[cells], number, parts)
                self.sizes.update({part: (held[0], len(held) - 1) for part, held in parts.items()})
            else:
                yield from self.change(place, number, cells)
                # What a container holds may be described by a later row of the same step.
                fresh.append((place, cells[1 if is_kind(cells[0]) else 3 if cells[0] == "-" else 2 :]))
            self.next = next(self.rows, None)
        for place, cells in fresh:
            yield from self.dangling(place, cells)

    def change(self, place: str, number: int, cells: list[Any]) -> Iterator[Fault]:
        kind, size = self.sizes.get(number, ("", 0))
        if is_kind(cells[0]):
            if has_names(cells[0]) and len(cells) % 2 == 0:
                yield place, "a dict needs a value for each key, an object for each field"
            yield from self.names(place, cells[0], cells[1::2])
            self.sizes[number] = (cells[0], len(cells) - 1)
        elif cells[0] == "+":
            each = 2 if has_names(kind) else 1
            if kind in ("t", "s", "") or each * cells[1] != size or len(cells) % each:
                yield place, f"container {number} is no {CHANGING} of {cells[1]} items at this step"
            yield from self.names(place, kind, cells[2::2])
            self.sizes[number] = (kind, size + len(cells) - 2)
        elif cells[0] == "=":
            if kind in ("t", "s", "") or not cells[1] < size:
                yield place, f"container {number} is no {CHANGING} with a cell {cells[1]} at this step"
            yield from self.names(place, kind, [] if cells[1] % 2 else cells[2:])
        elif cells[0] == "-":
            if kind != "l" or cells[1] + cells[2] > size:
                yield place, f"container {number} is no list of {cells[1] + cells[2]} items at this step"
            self.sizes[number] = (kind, size - cells[2] + len(cells) - 3)
        else:
            yield place, f"{cells[0]!r} is no kind of change"

    def names(self, place: str, kind: str, cells: list[Any]) -> Iterator[Fault]:
        """Check that the fields of an object have texts as names."""
        if is_object(kind) and not all(type(cell) is int and cell % 2 for cell in cells):
            yield place, "the name of a field is no text"

    def dangling(self, place: str, cells: list[Any]) -> Iterator[Fault]:
        for cell in cells:
            if not isinstance(cell, int) or isinstance(cell, bool):
                continue
            if cell % 2:
                yield from _outside(place, cell // 2, self.strings)
            elif cell // 2 not in self.sizes:
                yield place, f"container {cell // 2} does not exist at this step"


def _histories(data: dict[str, Any]) -> Iterator[Fault]:
    steps, messages = len(data["steps"]["place"]), len(data["messages"])
    lengths = [0, 0]
    arrived: int | None = None
    latest = 0
    for at, (step, which, start, removed, added, *_) in enumerate(data["histories"]):
        place = f"histories[{at}]"
        yield from _outside(f"{place}[0]", step, steps, latest)
        latest = step
        if start + removed > lengths[which]:
            yield place, f"it replaces messages {start} to {start + removed - 1} of {lengths[which]}"
        for index in added:
            yield from _outside(f"{place}[4]", index, messages)
        lengths[which] += len(added) - removed
        if which == 0 and arrived is None:
            arrived = lengths[0]
    for at, step in enumerate(data["commits"]):
        yield from _outside(f"commits[{at}]", step, steps)
    in_place = data["checks"]["in_place"]
    if in_place is not None:
        yield from _outside("checks.in_place", in_place, steps)
    result = 1 if in_place is None else 0
    for at, fate in enumerate(data["provenance"]):
        place = f"provenance[{at}]"
        yield from _outside(f"{place}.message", fate["message"], messages)
        yield from _outside(f"{place}.step", fate["step"], steps)
        if fate["from"] is not None:
            yield from _outside(f"{place}.from", fate["from"], arrived or 0)
        if fate["to"] is not None:
            yield from _outside(f"{place}.to", fate["to"], lengths[result])
    broken = data["checks"]["first_broken_step"]
    if broken is not None:
        yield from _outside("checks.first_broken_step", broken, steps)
