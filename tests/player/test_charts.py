"""Charts: the bars are drawn from the rows of the table, in every face the same figures."""

import os
import struct
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ctxlab.errors import CtxlabError
from ctxlab.player.charts import COLOURS, PATTERNS, BarChart

ROWS = {"English": {"bytes / 4": 45, "tokens": 38}, "Chinese": {"bytes / 4": 135, "tokens": 210.5}}


@pytest.fixture
def chart() -> BarChart:
    return BarChart("One text", ROWS, unit="tokens")


def test_the_table_holds_every_figure(chart: BarChart) -> None:
    assert chart.text().splitlines() == [
        "One text (tokens)",
        "",
        "         bytes / 4  tokens",
        "English         45      38",
        "Chinese        135   210.5",
    ]


def test_the_bars_are_as_long_as_the_figures_of_the_same_rows_and_columns(chart: BarChart) -> None:
    (axes,) = chart.figure().axes
    drawn = {bars.get_label(): [bar.get_width() for bar in bars] for bars in axes.containers}
    assert drawn == {"bytes / 4": [45, 135], "tokens": [38, 210.5]}
    assert [label.get_text() for label in axes.get_yticklabels()] == ["English", "Chinese"]
    # The first row is the uppermost, and each bar stands beside the name of its row.
    top, bottom = axes.get_yticks()
    assert axes.get_ylim()[0] > bottom > top > axes.get_ylim()[1]
    for bars in axes.containers:
        for bar, place in zip(bars, (top, bottom), strict=True):
            assert abs(bar.get_y() + bar.get_height() / 2 - place) < 0.5
    assert (axes.get_title(), axes.get_xlabel()) == ("One text", "tokens")
    (legend,) = chart.figure().legends
    assert [entry.get_text() for entry in legend.get_texts()] == ["bytes / 4", "tokens"]
    # The figures stand at the bars, too.
    assert [text.get_text() for text in axes.texts] == ["45", "135", "38", "210.5"]


def test_columns_differ_by_more_than_their_colour(chart: BarChart) -> None:
    (axes,) = chart.figure().axes
    looks = [(bars[0].get_facecolor(), bars[0].get_hatch()) for bars in axes.containers]
    assert len({colour for colour, _ in looks}) == len({hatch for _, hatch in looks}) == 2
    assert len(set(COLOURS)) == len(set(PATTERNS)) == len(COLOURS) == len(PATTERNS)


def test_the_picture_is_opaque_and_of_a_size_of_its_own(chart: BarChart) -> None:
    data = chart.png()
    assert data.startswith(b"\x89PNG")
    width, height = struct.unpack(">II", data[16:24])
    assert (width, height) == (750, 230)
    assert chart.figure().get_facecolor() == (1, 1, 1, 1)


def test_a_notebook_gets_the_picture_and_the_table(chart: BarChart) -> None:
    assert chart._repr_mimebundle_() == {"text/plain": chart.text(), "image/png": chart.png()}
    assert str(chart) == chart.text()
    assert repr(chart) == "<BarChart 'One text', 2 rows>"


def test_the_rows_are_copied() -> None:
    rows = {"a": {"b": 1}}
    chart = BarChart("One", rows, unit="things")
    rows["a"]["b"] = 2
    assert chart.rows == {"a": {"b": 1}}


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        ({}, "a chart needs a dict of rows, not an empty one"),
        ([1], "a chart needs a dict of rows, not a list"),
        ({"a": 3}, "row 'a' has to be a dict of 1 to 6 numbers"),
        ({"a": {}}, "row 'a' has to be a dict of 1 to 6 numbers"),
        ({"a": dict.fromkeys("abcdefg", 1)}, "row 'a' has to be a dict of 1 to 6 numbers"),
        ({"a": {"x": 1}, "b": {"y": 1}}, "row 'b' has other columns than the first"),
        ({"a": {"x": "1"}}, "row 'a', column 'x' is '1', not a number"),
        ({"a": {"x": True}}, "row 'a', column 'x' is True, not a number"),
    ],
)
def test_rows_that_make_no_table_are_refused(rows: Any, says: str) -> None:
    with pytest.raises(CtxlabError) as caught:
        BarChart("One", rows, unit="things")
    assert says in str(caught.value)


def test_the_first_chart_of_a_new_user_says_nothing_beside_it(tmp_path: Path) -> None:
    """No font cache and no place for one: matplotlib would tell that on standard error."""
    code = "from ctxlab.player.charts import BarChart; BarChart('One', {'a': {'b': 1}}, unit='things').png()"
    taken = tmp_path / "taken"
    taken.write_text("a file stands where the directory should be")
    environment = os.environ | {"MPLCONFIGDIR": str(taken)}
    run = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True, timeout=120
    )
    assert (run.stdout, run.stderr) == ("", "")
