"""Methods of classes: which are traced, and that objects show their fields as they were at every step."""

import functools
import linecache
from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace
from enum import Enum, StrEnum
from typing import Any

import pytest
from pydantic import BaseModel, PrivateAttr, field_validator

from ctxlab import Trace, trace
from ctxlab.errors import TraceError
from ctxlab.reference import history_bytes
from ctxlab.reference.packing import ContextManager
from ctxlab.reference.window import ContextWindow, windowed
from ctxlab.tracer.diagram import diagrams
from ctxlab.tracer.ends import ends

Message = dict[str, Any]


def message(number: int) -> Message:
    return {"role": "user", "content": f"message {number}"}


def called(recorded: Trace) -> list[str]:
    """The traced calls in order."""
    return [step.function for step in recorded.steps if step.event == "call"]


def opaque(recorded: Trace) -> list[str]:
    """The calls that were not followed."""
    return [call[2] for call in recorded.data["calls"]]


def fields(recorded: Trace, name: str, number: str) -> list[Any]:
    """Each value of a field of a variable of the entry function, in order."""
    found: list[Any] = []
    for step in range(len(recorded.steps)):
        held = recorded.variables(step).get(name, {}).get(number)
        if not found or found[-1] != held:
            found.append(held)
    return found


# Which methods are traced


class Shelf:
    """Keeps the newest messages."""

    made = 0

    def __init__(self, most: int, messages: list[Message] | None = None) -> None:
        # Is there anything to begin with?
        self.messages = list(messages) if messages else []
        self.most = most
        self.__left = 0
        self.note_of = {"made by": self.name()}

    @staticmethod
    def name() -> str:
        return "shelf"

    @classmethod
    def of(cls, messages: list[Message]) -> "Shelf":
        shelf = cls(3)
        for one in messages:
            shelf.add(one)
        return shelf

    def add(self, one: Message) -> int:
        self.messages.append(one)
        # Is there one too many?
        while self.too_many:
            self._drop()
        return self.left

    def _drop(self) -> None:
        self.messages = self.messages[1:]
        self.__count(1)

    def __count(self, more: int) -> None:
        self.__left += more

    @property
    def too_many(self) -> bool:
        over = False
        # Is it over its limit?
        if len(self.messages) > self.most:
            over = True
        return over

    @property
    def left(self) -> int:
        return self.__left

    @left.setter
    def left(self, value: int) -> None:
        # Is it less than nothing?
        if value < 0:
            value = 0
        self.__left = value

    def __len__(self) -> int:
        return len(self.messages)


class Loud(Shelf):
    """A shelf that says how much it holds."""

    def add(self, one: Message) -> int:
        said = super().add(one)
        self.said = [said, len(self)]
        return said

    def rated(self) -> list[Message]:
        return sorted(self.messages, key=self.rate)

    def rate(self, one: Message) -> int:
        # Is it the first one?
        return 0 if one["content"].endswith("0") else 1


def fills(messages: list[Message]) -> tuple[int, int]:
    shelf = Loud(2)
    for one in messages:
        shelf.add(one)
    shelf.left = -1
    shelf.left += 3
    return shelf.left, len(shelf.rated())


def messages(count: int) -> list[Message]:
    return [message(number) for number in range(count)]


def test_what_a_function_makes_and_calls_is_traced_with_every_state_on_the_way(same: Any) -> None:
    recorded = same(fills, make=lambda: [messages(3)])
    assert recorded.outcome.value == (3, 2)
    found = called(recorded)
    assert found[:4] == ["fills", "Shelf.__init__", "Shelf.name", "Loud.add"]
    # The getters and the setters of a property, and a method that is only passed on.
    assert found.count("Shelf.too_many") == 4
    assert found.count("Shelf._drop") == found.count("Shelf.__count") == 1
    assert found.count("Shelf.left") == 3 + 2 + 1
    assert found[-2:] == ["Loud.rate", "Loud.rate"]
    assert opaque(recorded) == []
    asked = [decision.comment for decision in recorded.decisions]
    assert {"Is there one too many?", "Is it over its limit?", "Is it less than nothing?"} <= set(asked)
    assert "not traced: Shelf: Python itself calls __len__" in recorded.data["notes"]
    assert fields(recorded, "shelf", "_Shelf__left") == [None, 0, 1, 0, 3]


def test_an_entry_may_be_any_kind_of_method(same: Any) -> None:
    for recorded in (
        same(lambda_free_add, make=lambda: [Shelf(1, messages(1)), message(1)]),
        trace(Shelf(1, messages(1)).add, message(1)),
        trace(Shelf.add, Shelf(1, messages(1)), one=message(1)),
    ):
        assert recorded.outcome.value == 1
        assert "Shelf._drop" in called(recorded)
        assert (
            recorded.variables(0)["self" if recorded.function != "lambda_free_add" else "shelf"]["most"] == 1
        )
    recorded = trace(Loud.of, messages(4))
    assert recorded.function == "Shelf.of"
    assert called(recorded)[1:3] == ["Shelf.__init__", "Shelf.name"]
    assert recorded.variables(len(recorded.steps))["shelf"].class_name == "Loud"
    assert trace(Shelf.name).outcome.value == "shelf"
    assert trace(Shelf.name).function == "Shelf.name"
    with pytest.raises(TraceError, match="only a function written in Python"):
        trace(functools.partial(Shelf.add, Shelf(1)), message(1))


def lambda_free_add(shelf: Shelf, one: Message) -> int:
    return shelf.add(one)


SHARED = Shelf(9)


def through_names(kept: dict[str, Any], made: type[Shelf]) -> list[int]:
    other = made(1)
    wanted = getattr(kept["shelves"][0], "add")  # noqa: B009 - found by a name
    return [SHARED.add(message(0)), wanted(message(1)), other.add(message(2)), Shelf.add(other, message(3))]


def test_classes_are_reached_through_globals_arguments_and_what_is_in_them(same: Any) -> None:
    recorded = same(
        through_names,
        make=lambda: [{"shelves": [Shelf(5)]}, Loud],
        again=lambda: SHARED.messages.clear(),
    )
    assert called(recorded).count("Shelf.add") == 4
    assert called(recorded).count("Shelf.__init__") == 1
    assert opaque(recorded) == ["getattr"]


class Summarizer:
    """Can be called, as a model can."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, text: str) -> str:
        self.calls += 1
        return text.upper()


def asks(given: Summarizer, text: str) -> str:
    return given(text)


def makes_and_asks(text: str) -> tuple[str, str]:
    summarizer = Summarizer()
    return summarizer(text), summarizer.__call__(text)


def test_an_object_that_can_be_called_is_opaque_as_an_argument_and_traced_where_it_is_made(same: Any) -> None:
    recorded = same(asks, make=lambda: [Summarizer(), "a"])
    assert called(recorded) == ["asks"]
    assert opaque(recorded) == ["Summarizer"]
    assert fields(recorded, "given", "calls") == [0, 1]
    recorded = same(makes_and_asks, "a")
    assert called(recorded)[1:] == ["Summarizer.__init__", "Summarizer.__call__", "Summarizer.__call__"]


def applies(function: Any, one: Message) -> Any:
    return function(one)


class Meter:
    """Counts every message as ten tokens."""

    def __call__(self, one: Message) -> int:
        return 10

    def count(self, one: Message) -> int:
        return self(one)


def measures(given: list[Message]) -> tuple[int, list[Message]]:
    meter = Meter()
    return meter.count(given[0]), windowed(given, cost=meter)


def test_what_the_reference_was_given_stays_opaque() -> None:
    recorded = trace(measures, messages(2))
    # Also where it has the name of a method of str or list.
    assert called(recorded)[:3] == ["measures", "Meter.count", "Meter.__call__"]
    assert called(recorded).count("Meter.__call__") == 1
    assert opaque(recorded).count("Meter") == 1 + 2  # made, then called by the reference


def test_a_method_of_the_reference_is_traced_also_where_it_is_an_argument() -> None:
    assert called(trace(applies, ContextWindow(3, cost=len).add, message(0)))[1] == "ContextWindow.add"
    assert called(trace(applies, Shelf(3).add, message(0))) == ["applies"]


class Plain:
    pass


class Abstract(ABC):
    def __init__(self) -> None:
        self.ready = True

    @abstractmethod
    def go(self) -> str: ...


class Concrete(Abstract):
    def go(self) -> str:
        return "gone"


class Returning:
    def __init__(self) -> None:
        return 1  # type: ignore[return-value]


class Single:
    only: "Single | None" = None

    def __new__(cls) -> "Single":
        cls.only = cls.only or super().__new__(cls)
        return cls.only

    def __init__(self) -> None:
        self.made = getattr(self, "made", 0) + 1


class Counted(type):
    def __call__(cls, *given: Any) -> Any:
        return super().__call__(*given)


class Metered(metaclass=Counted):
    def __init__(self, x: int) -> None:
        self.x = x


class OwnError(ValueError):
    def __init__(self, x: int) -> None:
        super().__init__(f"failed with {x}")
        self.x = x


def makes(kind: type, *given: Any) -> Any:
    made = kind(*given)
    return made.go() if isinstance(made, Concrete) else vars(made)


def raises_own(x: int) -> None:
    raise OwnError(x)


def names_all() -> tuple[type, ...]:
    return Plain, Concrete, Abstract, Returning, Single, Metered, OwnError


def test_a_class_is_called_as_without_the_tracer(same: Any) -> None:
    same(makes, Plain)
    assert called(same(makes, Concrete))[1:] == ["Abstract.__init__", "Concrete.go"]
    for wrong in ((Abstract,), (Shelf,), (Shelf, 1, None, 3), (Plain, 1)):
        assert same(makes, *wrong).outcome.type == "TypeError"
    assert trace(makes, Returning).outcome.message == "__init__() should return None, not 'int'"
    # Where a class has its own way to make objects, that is opaque.
    assert opaque(same(makes, Single, again=lambda: setattr(Single, "only", None)))[0] == "Single"
    assert opaque(same(makes, Metered, 1))[0] == "Metered"
    assert same(raises_own, 3).outcome.message == "failed with 3"


class Careful:
    """Looks at what is set."""

    def __init__(self) -> None:
        self.goal = "first"

    def __setattr__(self, name: str, value: Any) -> None:
        # Is the goal set a second time?
        if name == "goal" and "goal" in vars(self):
            raise AttributeError("the goal stays")
        super().__setattr__(name, value)


def sets(careful: Careful, names: list[str]) -> dict[str, Any]:
    for name in names:
        setattr(careful, name, 1)
    careful.count, (careful.other, *careful.rest) = 1, [2, 3]
    careful.count += 1
    del careful.other
    return vars(careful)


def sets_again(careful: Careful) -> None:
    careful.goal = "second"


def test_setting_an_attribute_is_traced_where_the_class_does_it_itself(same: Any) -> None:
    recorded = trace(sets_again, Careful())
    assert recorded.outcome.message == "the goal stays"
    assert [decision.comment for decision in recorded.decisions] == ["Is the goal set a second time?"]
    recorded = same(sets, make=lambda: [Careful(), ["one"]])
    assert called(recorded) == ["sets", *["Careful.__setattr__"] * 4]
    last = recorded.variables(len(recorded.steps))["careful"]
    assert last == {"goal": "first", "one": 1, "count": 2, "rest": [3]}


# What is opaque, and said to be


class Mixed:
    """Has what cannot be traced."""

    def __init__(self) -> None:
        self.items: dict[str, int] = {}
        self.entered = 0

    @functools.cached_property
    def cached(self) -> int:
        return len(self.items)

    @functools.lru_cache  # noqa: B019 - the test keeps no object
    def wrapped(self) -> str:
        return "wrapped"

    async def awaited(self) -> None: ...

    def __setitem__(self, key: str, value: int) -> None:
        self.items[key] = value

    def __getitem__(self, key: str) -> int:
        return self.items[key]

    def __enter__(self) -> "Mixed":
        return self

    def __exit__(self, *error: object) -> None: ...


def mixes(mixed: Mixed) -> Any:
    mixed["a"] = 1
    mixed["a"] += 1
    with mixed as same:
        pass
    return same.wrapped(), same["a"], same.cached


def test_what_python_calls_itself_is_opaque_but_what_it_changes_shows() -> None:
    recorded = trace(mixes, Mixed())
    assert recorded.outcome.value == ("wrapped", 2, 1)
    assert called(recorded) == ["mixes"]
    assert opaque(recorded) == ["__setitem__", "__setitem__", "method"]
    assert fields(recorded, "mixed", "items") == [{}, {"a": 1}, {"a": 2}]
    notes = "\n".join(recorded.data["notes"])
    assert "Mixed: Python itself calls __setitem__, __getitem__, __enter__, __exit__" in notes


def changes_through_vars(shelf: Shelf) -> dict[str, Any]:
    held = vars(shelf)
    held["first"] = 1
    shelf.second = 2  # type: ignore[attr-defined]
    held.update(first=3)
    shelf.__dict__["second"] = 4
    setattr(shelf, "third", 5)  # noqa: B010 - as a program does with names from data
    return held


def test_an_object_and_its_dict_change_together(same: Any) -> None:
    recorded = same(changes_through_vars, make=lambda: [Shelf(1)])
    assert fields(recorded, "shelf", "first") == fields(recorded, "held", "first") == [None, 1, 3]
    assert fields(recorded, "shelf", "second") == fields(recorded, "held", "second") == [None, 2, 4]
    assert fields(recorded, "shelf", "third") == fields(recorded, "held", "third") == [None, 5]


def hides(shelf: Shelf, later: Any) -> int:
    later()
    RAN.append(1)
    return len(RAN)


RAN: list[int] = []


def test_a_run_is_never_repeated_not_even_where_a_change_was_not_seen() -> None:
    RAN.clear()
    shelf = Shelf(1)
    recorded = trace(hides, shelf, functools.partial(shelf.messages.append, message(0)))
    assert RAN == [1]
    assert any("without being seen" in note for note in recorded.data["notes"])
    assert recorded.variables(len(recorded.steps))["shelf"]["messages"] == [message(0)]


# Fields


@dataclass
class Task:
    name: str
    done: list[str] = field(default_factory=list)

    def finish(self, step: str) -> "Task":
        # Is it done already?
        if step in self.done:
            return self
        self.done += [step]
        return self

    def __post_init__(self) -> None:
        self.name = self.name.strip()


@dataclass(frozen=True, slots=True)
class Point:
    x: int
    y: int = 0

    def moved(self, by: int) -> "Point":
        # Does it stay?
        if not by:
            return self
        point = replace(self, x=self.x + by)
        object.__setattr__(point, "y", by)
        return point


class Slotted:
    __slots__ = ("__dict__", "a", "b")

    def __init__(self) -> None:
        self.a = 1
        self.other = self


class State(StrEnum):
    OPEN = "open"
    CLOSED = "closed"

    def is_over(self) -> bool:
        # Is it closed?
        return self is State.CLOSED


def works() -> tuple[Any, ...]:
    task = Task(" one ")
    task.finish("a").finish("b").finish("a")
    point = Point(1).moved(0).moved(2)
    slotted = Slotted()
    slotted.b = point
    del slotted.a
    keyed = {point: task, "all": {point}, "pair": (slotted, [task])}
    state = State.OPEN
    over = state.is_over()
    setattr(slotted, "state", State.CLOSED)  # noqa: B010 - as a program does with names from data
    return keyed, over, slotted


def test_fields_of_dataclasses_slots_and_inheritance_are_right_at_every_step(same: Any) -> None:
    recorded = same(works)
    assert called(recorded).count("Task.finish") == 3
    assert "State.is_over" in called(recorded)
    assert opaque(recorded) == ["Task", "Point", "replace", "__setattr__", "setattr"]
    assert fields(recorded, "task", "done") == [None, [], ["a"], ["a", "b"]]
    assert fields(recorded, "slotted", "a") == [None, 1, None]
    ends = recorded.variables(len(recorded.steps))
    assert ends["slotted"]["other"] is ends["slotted"]
    assert ends["slotted"]["state"] == "State.CLOSED"
    sentences = [decision.sentence for decision in recorded.decisions]
    assert "Is it closed? State.OPEN is State.CLOSED is no." not in sentences  # a return is no decision
    assert "not traced: Task: Python itself calls __post_init__" in recorded.data["notes"]
    back = Trace.from_json(recorded.to_json())
    assert back.variables(len(back.steps))["keyed"]["<Point>"] == {"name": "one", "done": ["a", "b"]}


class Model(BaseModel):
    steps: list[str] = []
    inner: Task | None = None
    _secret: int = PrivateAttr(default=7)

    @field_validator("steps")
    @classmethod
    def each_named(cls, steps: list[str]) -> list[str]:
        # Has each a name?
        if not all(steps):
            raise ValueError("no name")
        return steps

    def advance(self, step: str) -> "Model":
        # Is it unknown?
        if step not in self.steps:
            return self
        state = self.model_copy(deep=True)
        state.steps.remove(step)
        state._secret += 1
        return state


def models() -> Any:
    model = Model(steps=["a", "b"], inner=Task("x"))
    return model.advance("c").advance("a")


def test_fields_of_a_pydantic_model_show_and_its_validation_is_opaque() -> None:
    recorded = trace(models)
    assert called(recorded) == ["models", "Model.advance", "Model.advance"]
    assert opaque(recorded) == ["Task", "Model", "model_copy"]
    held = recorded.variables(len(recorded.steps))["model"]
    assert held == {"steps": ["a", "b"], "inner": {"name": "x", "done": []}, "_secret": 7}
    kept = Trace.from_json(recorded.to_json()).outcome.value
    assert (kept.class_name, kept["steps"], kept["_secret"]) == ("Model", ["b"], 8)


class Colour(Enum):
    RED = 1


class Turning:
    def turn(self) -> str:
        self.__class__ = Turned  # type: ignore[assignment]
        self.x = 1
        return type(self).__name__


class Turned(Turning):
    pass


def compares(colour: Colour, point: Point, shelf: Shelf, turning: Turning) -> str:
    # Is it red?
    if colour is Colour.RED and point.x and point and shelf:
        return turning.turn()
    return ""


def test_objects_in_words() -> None:
    recorded = trace(compares, Colour.RED, Point(1), Shelf(1, messages(1)), Turning())
    assert recorded.decisions[0].sentence == (
        "Is it red? Colour.RED is Colour.RED is yes; point.x is 1; point is Point(x=1, y=0); "
        "shelf is Shelf with 4 fields: yes."
    )
    assert recorded.variables(len(recorded.steps))["turning"].class_name == "Turned"
    assert "returned Point(x=3, y=2)\n" in trace(Point(1).moved, 2).text()


# Histories that objects keep


class Agent:
    """Keeps its history, in itself or in another object."""

    def __init__(self, kept: list[Message]) -> None:
        self.tools = ["read"]
        self.messages = kept
        self.older: list[Message] = []

    def ask(self, question: str) -> str:
        self.messages.append({"role": "user", "content": question})
        self.messages += [{"role": "assistant", "content": "Yes."}]
        return "Yes."

    def shrink(self, most: int) -> None:
        kept = self.messages[-most:]
        # Is there anything to do?
        if len(kept) < len(self.messages):
            self.older.extend(self.messages[:-most])
            self.messages = kept

    def cleared(self) -> "Agent":
        self.older.append(self.messages[0])
        self.messages = []
        return self

    def begin_again(self) -> None:
        first = self.messages[:1]
        newest = self.messages[-1:]
        self.messages = newest
        self.messages.append(first[0])


class Owner:
    def __init__(self, agent: Agent) -> None:
        self.agent = agent

    def run(self) -> int:
        self.agent.ask("Really?")
        return len(self.agent.messages)


def test_a_history_that_an_object_keeps_is_the_active_one() -> None:
    recorded = trace(Agent(messages(2)).ask, "Well?")
    assert [fate.fate for fate in recorded.provenance] == ["kept", "kept", "added", "added"]
    assert recorded.data["checks"]["in_place"] == 1
    assert "worked in place: 4 messages" in recorded.text()
    # Also where another object keeps the one that keeps it, and where it began empty.
    assert [fate.fate for fate in trace(Owner(Agent(messages(1))).run).provenance] == [
        "kept",
        "added",
        "added",
    ]
    recorded = trace(Agent([]).ask, "Well?")
    assert recorded.data["histories"][0] == [0, 0, 0, 0, [], 2, 0, 0]
    assert [fate.fate for fate in recorded.provenance] == ["added", "added"]


def test_another_list_in_the_field_is_the_active_history_from_then_on() -> None:
    agent = Agent(messages(3))
    recorded = trace(agent.shrink, 1)
    assert [(fate.fate, fate.source, fate.target) for fate in recorded.provenance] == [
        ("kept", 2, 0),
        ("dropped", 0, None),
        ("dropped", 1, None),
    ]
    line = recorded.steps[recorded.data["commits"][0]].line
    source = recorded.data["sources"][0]
    assert "self.messages = kept" in source["text"].splitlines()[line - source["first_line"]]
    # What the object keeps besides is no candidate.
    assert [row[1] for row in recorded.data["histories"]] == [0, 1, 0, 1]
    recorded = trace(Agent(messages(2)).cleared)
    assert [fate.fate for fate in recorded.provenance] == ["dropped", "dropped"]
    assert recorded.data["checks"]["in_place"] is not None
    assert {row[1] for row in recorded.data["histories"]} == {0}
    # After the commit there is no candidate, however the history goes on.
    recorded = trace(Agent(messages(3)).begin_again)
    changes = [(row[3], len(row[4])) for row in recorded.data["histories"] if row[1] == 1]
    assert changes == [(0, 1), (1, 1), (1, 0)]
    assert len(recorded.data["commits"]) == 1


@dataclass
class Packed:
    messages: list[Message]
    left_out: int


def collects(given: list[Message]) -> tuple[list[Message], list[Point]]:
    agent = Agent([])
    for one in given[1:]:
        agent.messages.append(one)
    return agent.messages, [Point(1)]


def packs(given: list[Message]) -> Packed:
    return Packed(given[1:], 1)


def packs_and_goes_on(given: list[Message]) -> list[Message]:
    kept = given[1:]
    packed = [Packed(kept, 1)]
    kept.pop()
    return packed[0].messages


def counts(given: list[Message]) -> int:
    agent = Agent(given[:1])
    return len(agent.messages)


def test_a_candidate_may_be_kept_by_an_object_and_returned_beside_other_things() -> None:
    recorded = trace(collects, messages(3))
    grown = [row for row in recorded.data["histories"] if row[1] == 1]
    assert [len(row[4]) for row in grown] == [1, 1]
    assert [fate.fate for fate in recorded.provenance] == ["kept", "kept", "dropped"]
    assert [fate.fate for fate in trace(packs, messages(3)).provenance] == ["kept", "kept", "dropped"]
    # To be kept by an object makes a history no part of another one.
    recorded = trace(packs_and_goes_on, messages(3))
    shrunk = next(row for row in recorded.data["histories"] if row[1] == 1 and row[3])
    assert shrunk[0] == len(recorded.steps) - 2
    # What was kept on the way and not returned was no result.
    assert trace(counts, messages(2)).provenance == []


# Notebooks, and what is made of a trace


CELL = """
class Counter:
    def __init__(self):
        self.words = []

    def add(self, word):
        # Is it new?
        if word in self.words:
            raise ValueError(word)
        self.words.append(word)
        return {"status": "added"}

def counting(words):
    counter = Counter()
    for word in words:
        counter.add(word)
    return counter.add("last")
"""


def test_a_class_of_a_notebook_cell() -> None:
    name = "<ipython-input-8-methods>"
    linecache.cache[name] = (len(CELL), None, CELL.splitlines(keepends=True), name)
    space: dict[str, Any] = {"__name__": "__main__"}
    exec(compile(CELL, name, "exec"), space)
    recorded = trace(space["counting"], ["a", "b"])
    assert called(recorded) == ["counting", "Counter.__init__", *["Counter.add"] * 3]
    assert {source["file"] for source in recorded.data["sources"]} == {"<cell>"}
    assert fields(recorded, "counter", "words")[1:] == [[], ["a"], ["a", "b"], ["a", "b", "last"]]
    # On the map, the calls of the class and of its method are nodes; a refusal in the method is an end.
    assert [node.kind for node in diagrams(recorded)[0].nodes].count("call") == 2
    assert ends(recorded) == ["returns", "raises ValueError"]
    assert called(trace(space["Counter"]().add, "a")) == ["Counter.add"]


def holds(given: list[Message]) -> list[Message]:
    given[0]["content"].append(Point(2))
    return given[:]


def test_an_object_in_a_message_is_its_label_there() -> None:
    recorded = trace(holds, [{"role": "user", "content": [Point(1)]}])
    assert recorded.variables(0)["given"][0]["content"] == [{"x": 1, "y": 0}]
    content = [message[-1] for message in Trace.from_json(recorded.to_json()).data["messages"]]
    assert content == [["l", "<Point>"], ["l", "<Point>", "<Point>"]]


# The reference


def cost(one: Message) -> int:
    return 10


def test_the_window_and_the_packing_show_the_decisions_of_their_methods() -> None:
    recorded = trace(windowed, messages(4), max_messages=2, cost=cost)
    assert recorded.outcome.value == messages(4)[2:]
    assert [fate.fate for fate in recorded.provenance] == ["kept", "kept", "dropped", "dropped"]
    assert called(recorded).count("ContextWindow.add") == 4
    assert called(recorded).count("ContextWindow._evict_oldest") == 2
    assert "Is the window over a limit?" in {decision.comment for decision in recorded.decisions}
    assert not [note for note in recorded.data["notes"] if "not traced" in note]

    manager = ContextManager(100, 60, cost=cost)
    recorded = trace(manager.build_safe_context, "system", "goal", None, messages(4))
    assert recorded.function == "ContextManager.build_safe_context"
    assert len(recorded.outcome.value[0]) == 4
    assert [fate.fate for fate in recorded.provenance].count("dropped") == 2
    assert "Does the group fit?" in {decision.comment for decision in recorded.decisions}
    assert (
        history_bytes(recorded.outcome.value[0])
        == [row[5] for row in recorded.data["histories"] if row[1] == 1][-1]
    )
