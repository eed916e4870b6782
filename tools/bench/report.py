"""What a measurement found, beside what it is to reach."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from textwrap import wrap

WIDTH = 106  # of a sentence below a table


@dataclass(frozen=True)
class Row:
    """One figure and its limit. `least` says that the figure is to be at least the limit, not at most.

    `name` says what is divided by what, `unit` stands behind the figure, `details` are lines below it.
    """

    name: str
    figure: float
    limit: float
    unit: str = ""
    least: bool = False
    details: list[str] = field(default_factory=list)

    @property
    def reached(self) -> bool:
        return self.figure >= self.limit if self.least else self.figure <= self.limit

    def lines(self) -> list[str]:
        sign = ">=" if self.least else "<="
        by = f"by {abs(self.figure - self.limit):.2f}{self.unit}"
        verdict = "reached" if self.reached else f"not reached, {by}"
        figures = f"{self.figure:8.2f}{self.unit} {sign} {self.limit:g}{self.unit}"
        return [f"{figures:<26} {verdict:<26} {self.name}", *(f"{'':>10}{line}" for line in self.details)]


@dataclass(frozen=True)
class Table:
    """Figures that have nothing to reach. `rows` are texts, the names of the columns first."""

    name: str
    rows: list[list[str]]
    details: list[str] = field(default_factory=list)

    def lines(self) -> list[str]:
        widths = [max(map(len, column)) for column in zip(*self.rows, strict=True)]
        cells = [[f"{cell:{width}}" for cell, width in zip(row, widths, strict=True)] for row in self.rows]
        below = [*map("   ".join, cells), *(line for detail in self.details for line in wrap(detail, WIDTH))]
        return ["", self.name, *(f"{'':>4}{line}".rstrip() for line in below)]


def per_size(figures: dict[int, float], digits: int = 2) -> str:
    """Return figures by the number of messages as one line."""
    return "   ".join(f"{size:,}: {figure:.{digits}f}" for size, figure in figures.items())


def closing(rows: Iterable[Row]) -> str:
    found = list(rows)
    return f"{sum(row.reached for row in found)} of {len(found)} figures reached"
