"""Charts: bars from the rows of a table. The table is the text of a chart, so no figure is in bars alone."""

import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from io import BytesIO
from typing import TYPE_CHECKING, Any

from ctxlab.errors import CtxlabError
from ctxlab.messages.wording import shown, type_words

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Colours that people with any kind of colour blindness tell apart, on white, each with a pattern of its own.
COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00")
PATTERNS = ("", "//", "..", "xx", "\\\\", "++")

WIDTH = 7.5  # inches
DPI = 100
BAR = 0.2  # inches for one bar
MARGIN = 1.1  # inches for the title, the figures below the axis and the legend


class BarChart:
    """Bars side by side: a group for each row, a bar in it for each column.

    `rows` maps the name of each row to its figures, which map the name of each column to a number; all rows
    have the same columns, at most six. `unit` says what the numbers are. Names should be of letters that the
    font of matplotlib, DejaVu Sans, has. Raises CtxlabError for rows that make no table.

    The picture has a white ground of its own, so that it is readable in a dark theme too.
    """

    def __init__(self, title: str, rows: Mapping[str, Mapping[str, float]], *, unit: str) -> None:
        self.title = title
        self.unit = unit
        self.rows = _checked(rows)
        self.columns = list(next(iter(self.rows.values())))

    def text(self) -> str:
        """Return the table that the bars are drawn from."""
        table = [["", *self.columns], *([name, *map(str, row.values())] for name, row in self.rows.items())]
        widths = [max(map(len, column)) for column in zip(*table, strict=True)]
        lines = ["  ".join(_aligned(row, widths)).rstrip() for row in table]
        return "\n".join([f"{self.title} ({self.unit})", "", *lines])

    def figure(self) -> "Figure":
        """Return the picture, drawn anew."""
        with _quiet():
            from matplotlib.figure import Figure  # slow to import

            bars = len(self.rows) * (len(self.columns) + 1)
            figure = Figure(
                figsize=(WIDTH, MARGIN + BAR * bars), dpi=DPI, facecolor="white", layout="constrained"
            )
            axes = figure.add_subplot()
            height = 1 / (len(self.columns) + 1)
            for number, column in enumerate(self.columns):
                places = [row + number * height for row in range(len(self.rows))]
                drawn = axes.barh(
                    places,
                    [row[column] for row in self.rows.values()],
                    height,
                    label=column,
                    color=COLOURS[number],
                    hatch=PATTERNS[number],
                    edgecolor="white",
                )
                axes.bar_label(drawn, padding=3, fontsize="small")
            middle = (len(self.columns) - 1) * height / 2
            axes.set_yticks([row + middle for row in range(len(self.rows))], list(self.rows))
            axes.invert_yaxis()  # the first row of the table is the uppermost
            axes.margins(x=0.1, y=0.02)  # room for the figures at the ends of the bars
            axes.set_xlabel(self.unit)
            axes.set_title(self.title)
            axes.spines[["top", "right"]].set_visible(False)
            figure.legend(loc="outside lower center", ncols=len(self.columns), frameon=False)
            return figure

    def png(self) -> bytes:
        """Return the picture as a PNG file."""
        file = BytesIO()
        with _quiet():
            self.figure().savefig(file, format="png")
        return file.getvalue()

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return f"<BarChart {self.title!r}, {len(self.rows)} rows>"

    def _repr_mimebundle_(self, **_options: Any) -> dict[str, Any]:
        return {"text/plain": self.text(), "image/png": self.png()}


def _checked(rows: Any) -> dict[str, dict[str, float]]:
    """Return a copy of the rows. Raises CtxlabError where they are no table of numbers."""
    if not isinstance(rows, Mapping) or not rows:
        raise CtxlabError(f"a chart needs a dict of rows, not {type_words(rows) if rows else 'an empty one'}")
    columns = None
    for name, row in rows.items():
        if not isinstance(row, Mapping) or not 1 <= len(row) <= len(COLOURS):
            raise CtxlabError(f"row {shown(name)} has to be a dict of 1 to {len(COLOURS)} numbers, by column")
        if columns not in (None, list(row)):
            raise CtxlabError(f"row {shown(name)} has other columns than the first; give all rows the same")
        columns = list(row)
        for column, value in row.items():
            if isinstance(value, bool) or not isinstance(value, (int, float)):
                raise CtxlabError(
                    f"row {shown(name)}, column {shown(column)} is {shown(value)}, not a number"
                )
    return {str(name): {str(column): value for column, value in row.items()} for name, row in rows.items()}


def _aligned(row: list[str], widths: list[int]) -> list[str]:
    """Return the cells of a row, the name to the left and the numbers to the right."""
    name, *numbers = row
    return [
        name.ljust(widths[0]),
        *(cell.rjust(width) for cell, width in zip(numbers, widths[1:], strict=True)),
    ]


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep from the output what matplotlib tells about its font cache the first time that it draws."""
    logger = logging.getLogger("matplotlib")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(level)
