"""How much a decision of one run is like a decision of another."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from ctxlab.tracer.conditions import Condition, Operand, condition
from ctxlab.tracer.traces import Trace

SAME, ALIKE, RELATED, MEASURED = 4, 3, 2, 1
# One better likeness outweighs two worse ones, and any outweighs equal values or an equal answer.
WEIGHTS = {SAME: 12, ALIKE: 6, RELATED: 3, MEASURED: 1}
# With its sides exchanged, each of these is the opposite of the other.
EXCHANGED = {"<": "<=", "<=": "<"}

# An operand as written, and its value in words; None where it was skipped or is not known.
Value = tuple[str, str | None]


@dataclass(frozen=True)
class Part:
    """An atom of a condition as it was met in a run. `says`: what the answer makes of it, true or false."""

    operator: str
    values: tuple[Value, ...]
    says: bool

    def exchanged(self) -> "Part":
        """Return the same comparison with its sides exchanged."""
        operator = EXCHANGED.get(self.operator, self.operator)
        return Part(operator, self.values[::-1], self.says is not (self.operator in EXCHANGED))


@dataclass(frozen=True)
class Asked:
    """A decision as it is compared: its canonical terms, whether they all hold, and the parts with values.

    `function` is "" for the entry function: two versions of it may have different names. Values are compared
    as they are shown: a long text by its beginning and its length, a long list by its length.
    """

    function: str
    terms: tuple[str, ...]
    answer: bool
    parts: tuple[Part, ...]

    @cached_property
    def words(self) -> dict[str, str | None]:
        """The value of each operand."""
        return {text: words for part in self.parts for text, words in part.values}

    @cached_property
    def key(self) -> tuple[object, ...]:
        """Equal for two decisions that asked the same about the same values, with the same answer."""
        return self.function, self.terms, self.answer, frozenset(self.words.items())


@dataclass(frozen=True)
class Likeness:
    """In what two decisions are alike.

    `grade` is SAME: the same canonical condition in the same function; ALIKE: the same operator and the same
    values; RELATED: the same operands under another operator, or a part in common; or MEASURED: different
    things beside the same limit, such as `size <= budget` and `count <= budget`. `agree`: the answers are the
    same, once both conditions are folded. `operands` are those that stand for each other.
    """

    grade: int
    agree: bool
    operands: tuple[tuple[Value, Value], ...]

    @property
    def differing(self) -> list[tuple[Value, Value]]:
        """The operands whose values are known and differ."""
        return [
            (mine, their)
            for mine, their in self.operands
            if mine[1] != their[1] and mine[1] is not None and their[1] is not None
        ]

    @property
    def weight(self) -> int:
        """What the pair is worth in an alignment."""
        if self.grade == MEASURED:
            # Neither an equal answer nor an equal value makes the question the same; the order has to decide.
            return WEIGHTS[MEASURED]
        return WEIGHTS[self.grade] + (not self.differing) + self.agree


def asked(trace: Trace) -> list[Asked]:
    """Return the decisions of a run as they are compared. Equal ones are one object."""
    data = trace.data
    names = ["", *(source["name"] for source in data["sources"][1:])]
    sites = [(names[site["function"]], condition(site)) for site in data["sites"]]
    places = [data["places"][place] for place in data["steps"]["place"]]
    decided = [(step, site) for step, (event, _, _, site) in enumerate(places) if event == "decision"]
    rows = zip(decided, data["decisions"]["outcome"], data["decisions"]["values"], strict=True)
    moments = trace.moments()
    known: dict[tuple[object, ...], Asked] = {}
    found = []
    for (step, site), outcome, cells in rows:
        contents = moments.at(step)
        words = tuple(None if cell in ([], ()) else trace.describe(cell, contents) for cell in cells)
        key = site, outcome, words
        if key not in known:
            function, form = sites[site]
            known[key] = _asked(function, form, bool(outcome), words)
        found.append(known[key])
    return found


def _asked(function: str, form: Condition, outcome: bool, words: Sequence[str | None]) -> Asked:
    def value(operand: Operand) -> Value:
        return operand.text, operand.words if operand.slot is None else words[operand.slot]

    parts = tuple(
        Part(atom.operator, tuple(map(value, atom.operands)), outcome is atom.positive) for atom in form.atoms
    )
    return Asked(function, form.terms, outcome is form.positive, parts)


def likeness(one: Asked, other: Asked) -> Likeness | None:
    """Return in what two decisions are alike, or None when they have nothing to do with each other."""
    if one.function == other.function and one.terms == other.terms:
        common = [text for text in one.words if text in other.words]
        operands = tuple(((text, one.words[text]), (text, other.words[text])) for text in common)
        return Likeness(SAME, one.answer is other.answer, operands)
    alone = len(one.parts) == len(other.parts) == 1
    found = [_related(mine, their, alone) for mine in one.parts for their in other.parts]
    if alone and found == [None] and one.function == other.function:
        return _measured(one.parts[0], other.parts[0])
    return max(filter(None, found), key=lambda related: related.weight, default=None)


def _related(mine: Part, their: Part, alone: bool) -> Likeness | None:
    """Return in what two parts are alike. `alone`: each is the whole condition."""
    slip = mine.operator in EXCHANGED and their.operator in EXCHANGED
    if mine.operator != their.operator and not slip:
        return None
    fit = _fit(mine.values, their.values)
    if len(mine.values) == 2 and mine.operator != "in":
        exchanged = their.exchanged()
        # On equal terms, the order in which the sides are written decides.
        if _fit(mine.values, exchanged.values) > fit:
            their, fit = exchanged, _fit(mine.values, exchanged.values)
    if not fit:
        return None
    if len(mine.values) == 1 and not alone and mine.values[0][0] != their.values[0][0]:
        # That some part of each is true says nothing.
        return None
    operands = tuple(zip(mine.values, their.values, strict=True))
    equal = all(one[1] is not None and one[1] == other[1] for one, other in operands)
    grade = ALIKE if alone and equal and mine.operator == their.operator else RELATED
    return Likeness(grade, mine.says is their.says, operands)


def _measured(mine: Part, their: Part) -> Likeness | None:
    """Return that two parts hold different things against the same variable, which is written last."""
    if mine.operator not in EXCHANGED or their.operator not in EXCHANGED:
        return None
    (measured, words), (limit, _) = mine.values
    (other_measured, other_words), (other_limit, _) = their.values
    # Whether a limit is itself above a constant is another question than whether something keeps to it.
    constant = measured == words or other_measured == other_words
    if limit != other_limit or not limit.isidentifier() or constant:
        return None
    return Likeness(MEASURED, mine.says is their.says, tuple(zip(mine.values, their.values, strict=True)))


def _fit(some: Sequence[Value], others: Sequence[Value]) -> int:
    """Return how well operands fit: by their text better than by their value; 0 if one does not."""
    total = 0
    for (text, words), (other_text, other_words) in zip(some, others, strict=True):
        if text == other_text:
            total += 2
        elif words is not None and words == other_words:
            total += 1
        else:
            return 0
    return total
