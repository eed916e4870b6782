"""A trace: the record of one real run, and its faces."""

import json
import os
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any

from ctxlab.errors import TraceError
from ctxlab.tracer.assemble import FORMAT, assemble, sums
from ctxlab.tracer.heap import Cell, Cells, expand
from ctxlab.tracer.provenance import Fate
from ctxlab.tracer.record import Outcome, Recording
from ctxlab.tracer.restore import value_of
from ctxlab.tracer.values import describe

if TYPE_CHECKING:
    from ctxlab.scenarios import Scenario, SystemScenario


@dataclass(frozen=True)
class Step:
    """A stop of the run. `event` is call, line, decision, return or raise; `depth` is 0 in the entry call."""

    event: str
    function: str
    line: int
    depth: int


@dataclass(frozen=True)
class PartValue:
    """A part of a condition: its text in the source, and with its values. `truth` is None if skipped."""

    source: str
    text: str
    truth: bool | None


@dataclass(frozen=True)
class Decision:
    """A condition that was evaluated: at which step, as written, with which values, and how it came out.

    `comment` is the author's question beside it, `sentence` all of it in words.
    """

    step: int
    source: str
    comment: str
    parts: tuple[PartValue, ...]
    outcome: bool
    sentence: str


@dataclass(frozen=True)
class Survival:
    """A fact that must survive, of a kind such as rule or path; is it in the history at the end?"""

    kind: str
    text: str
    kept: bool


class Trace:
    """The record of one run. Every face of it is made from the same data: `to_json`, `text`, and the player.

    `outcome` has kind (returned, refused, error or step_limit), code, message and value; `steps`, `decisions`
    and `provenance` are lists in the order of the run; `facts` says what was kept and lost.
    """

    def __init__(self, data: dict[str, Any], outcome: Outcome | None = None) -> None:
        self._data = data
        self._outcome = outcome

    def __repr__(self) -> str:
        return f"<Trace of {self.function}: {self.outcome.kind}, {len(self._data['steps']['place'])} steps>"

    @classmethod
    def of(
        cls, recording: Recording, scenario: "Scenario | SystemScenario | None", notes: list[str]
    ) -> "Trace":
        """Return the trace of a recording."""
        return cls(assemble(recording, scenario, notes), recording.outcome)

    @classmethod
    def from_json(cls, data: Any) -> "Trace":
        """Return the trace that `to_json` gave. Raises TraceError for anything else, also another version."""
        from ctxlab.tracer.schema import checked  # pydantic takes longer to import than everything else here

        return cls(checked(data))

    def to_json(self) -> dict[str, Any]:
        """Return the trace in its JSON form, described by `trace.schema.json`. The result is a copy."""
        copy: dict[str, Any] = json.loads(json.dumps(self._data, ensure_ascii=False))
        return copy

    def dumps(self) -> str:
        """Return the JSON form as compact text, which has a UTF-8 form whatever the texts of the run hold."""
        text = json.dumps(self._data, ensure_ascii=False, separators=(",", ":"))
        try:
            text.encode()
        except UnicodeEncodeError:  # half a surrogate pair, which JSON can name
            return json.dumps(self._data, separators=(",", ":"))
        return text

    def text(self, calls: bool = False) -> str:
        """Return the text face: outcome, decisions, what became of every message, checks.

        `calls` adds the decisions of the functions that were called.
        """
        from ctxlab.tracer.text import text_face

        return text_face(self, calls)

    def save_html(self, path: str | os.PathLike[str], secrets: str = "refuse") -> None:
        """Write a page to `path` that replays the trace with no network and no kernel.

        A page is made to be passed on. So where something in it looks like a secret, such as an API key,
        `secrets` says what happens: "refuse" raises CtxlabError and writes nothing, "mask" writes the page
        with all of it masked, "keep" writes it as it is.
        """
        # The player stands on the floor above and is looked up by name only when a page is asked for.
        import_module("ctxlab.player.export").save_page(path, self, 0, [], secrets=secrets)

    @property
    def data(self) -> dict[str, Any]:
        """The JSON form itself, for readers that do not change it."""
        return self._data

    @property
    def function(self) -> str:
        """The name of the entry function."""
        name: str = self._data["function"]
        return name

    @cached_property
    def outcome(self) -> Outcome:
        """How the run ended, and what it returned; after `from_json`, with labels for what is not data."""
        if self._outcome is not None:
            return self._outcome
        kept = self._data["outcome"]
        value = self.value(kept["value"], len(self._data["steps"]["place"]))
        return Outcome(kept["kind"], kept["code"], kept["type"], kept["message"], value)

    @cached_property
    def frame_at(self) -> "Turns":
        """The number of the frame to which each step belongs: `frame_at[step]`."""
        return Turns(self._data["steps"]["turns"])

    @cached_property
    def steps(self) -> list[Step]:
        """Every stop of the run, in order."""
        data = self._data
        names = [name for _, _, name in data["frames"]]
        depths = [depth for _, depth, _ in data["frames"]]
        found = []
        for step, place in enumerate(data["steps"]["place"]):
            frame = self.frame_at[step]
            event, _, line, _ = data["places"][place]
            found.append(Step(event, names[frame], line, depths[frame]))
        return found

    @cached_property
    def decisions(self) -> list[Decision]:
        """Every condition that was evaluated, in order."""
        data = self._data
        found = []
        rows = iter(zip(data["decisions"]["outcome"], data["decisions"]["values"], strict=True))
        moments = self.moments()
        for step, place in enumerate(data["steps"]["place"]):
            event, _, _, site = data["places"][place]
            if event == "decision":
                outcome, values = next(rows)
                found.append(
                    self._decision(step, data["sites"][site], bool(outcome), values, moments.at(step))
                )
        return found

    @cached_property
    def provenance(self) -> list[Fate]:
        """What became of each message: first those of the history at the end, then those that are gone."""
        rows = self._data["provenance"]
        return [Fate(row["message"], row["fate"], row["step"], row["from"], row["to"]) for row in rows]

    @cached_property
    def facts(self) -> list[Survival] | None:
        """The facts of the scenario that the input says, each kept by the history at the end or lost.

        That is the candidate that was returned, or the active history where the run worked in place. None
        when there is nothing to judge: no scenario, no such fact, or no such history, as after a refusal.
        """
        rows = self._data["checks"]["facts"]
        return rows and [Survival(row["kind"], row["text"], row["kept"]) for row in rows]

    def _decision(
        self, step: int, site: dict[str, Any], outcome: bool, values: list[Cell], contents: dict[int, Cells]
    ) -> Decision:
        parts = []
        rest = iter(values)
        for part in site["parts"]:
            truth = next(rest)
            slots = [next(rest) for piece in part["pieces"] if isinstance(piece, int)]
            if truth not in (True, False):
                parts.append(PartValue(part["source"], f"{part['source']} (skipped)", None))
                continue
            shown = ["(skipped)" if cell in ([], ()) else self.describe(cell, contents) for cell in slots]
            text = "".join(shown[piece] if isinstance(piece, int) else piece for piece in part["pieces"])
            parts.append(
                PartValue(part["source"], f"{text} is {_yes(truth)}" if part["compare"] else text, truth)
            )
        sentence = _sentence(site, parts, outcome)
        return Decision(step, site["source"], site["question"], tuple(parts), outcome, sentence)

    def describe(self, cell: Cell, contents: dict[int, Cells]) -> str:
        """Return a value in a few words."""
        return describe(cell, self._data["strings"], contents)

    def moments(self) -> "Moments":
        """Return the heap, to be followed forwards."""
        return Moments(self._data)

    def variables(self, step: int, frame: int = 0) -> dict[str, Any]:
        """Return the variables of a frame at a stop, as values."""
        columns = self._data["variables"]
        names = (self._data["strings"][name] for name in columns["name"])
        rows = zip(sums(columns["step"]), sums(columns["frame"]), names, columns["value"], strict=True)
        cells = {name: cell for at, owner, name, cell in rows if at <= step and owner == frame}
        contents = self.moments().at(step)
        return {
            name: value_of(cell, contents, self._data["strings"])
            for name, cell in cells.items()
            if cell != "<unbound>"
        }

    def value(self, cell: Cell, step: int) -> Any:
        """Return the value of a cell at a stop. What is not data comes back as its label."""
        return value_of(cell, self.moments().at(step), self._data["strings"])


def _yes(truth: bool) -> str:
    return "yes" if truth else "no"


def _sentence(site: dict[str, Any], parts: list[PartValue], outcome: bool) -> str:
    if len(parts) == 1 and site["parts"][0]["compare"] and parts[0].truth is outcome:
        body = parts[0].text
    else:
        body = f"{'; '.join(part.text for part in parts)}: {_yes(outcome)}"
    consequence = site["yes"] if outcome else site["no"]
    return " ".join(filter(None, (site["question"], f"{body}.", consequence)))


class Turns:
    """Which frame a step belongs to."""

    def __init__(self, turns: list[Any]) -> None:
        self._starts = [step for step, _ in turns]
        self._frames = [frame for _, frame in turns]

    def __getitem__(self, step: int) -> int:
        frame: int = self._frames[bisect_right(self._starts, step) - 1]
        return frame


class Moments:
    """The contents of every container, step by step. Ask for steps in ascending order."""

    def __init__(self, data: dict[str, Any]) -> None:
        self._pool = data["messages"]
        self._rows = self._read(data["heap"])
        self._next = next(self._rows, None)
        self._contents: dict[int, Cells] = {}

    def _read(self, heap: dict[str, Any]) -> Iterator[tuple[int, int, Any]]:
        return iter(zip(sums(heap["step"]), sums(heap["object"]), heap["cells"], strict=True))

    def at(self, step: int) -> dict[int, Cells]:
        """Return the cells of each container at this stop, by number."""
        while self._next is not None and self._next[0] <= step:
            _, number, cells = self._next
            if isinstance(cells, int):
                expand(self._pool[cells], number, self._contents)
            elif cells[0] == "+":
                self._contents[number] = [*self._contents[number], *cells[2:]]
            elif cells[0] == "=":
                changed = list(self._contents[number])
                changed[1 + cells[1]] = cells[2]
                self._contents[number] = changed
            elif cells[0] == "-":
                changed = list(self._contents[number])
                changed[1 + cells[1] : 1 + cells[1] + cells[2]] = cells[3:]
                self._contents[number] = changed
            else:
                self._contents[number] = cells
            self._next = next(self._rows, None)
        return self._contents


__all__ = ["FORMAT", "Decision", "Fate", "Outcome", "PartValue", "Step", "Survival", "Trace", "TraceError"]
