"""The static face: what it shows is what the trace and the text face say, and it is nothing but tables."""

from html.parser import HTMLParser

import pytest

from ctxlab.player.static import MOST_ROWS, static_html
from ctxlab.reference import prepare_context, run_loop, split_history, trim_results
from ctxlab.scenarios import scenario_names
from ctxlab.tracer.run import trace
from ctxlab.tracer.traces import Trace

TAGS = {"div", "p", "strong", "details", "summary", "table", "thead", "tbody", "tr", "th", "td"}
ATTRIBUTES = {"style", "scope", "open"}


class Face(HTMLParser):
    """Reads a static face: its rows of cells and its texts. Fails where an element is not closed in order."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.texts: list[str] = []
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.open: list[str] = []
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("th", "td"):
            self.rows[-1].append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)
        if self.open and self.open[-1] in ("th", "td"):
            self.rows[-1][-1] += data

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f"a comment: {data}")


def words(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize("function", [split_history, trim_results, prepare_context])
@pytest.mark.parametrize("scenario", scenario_names())
def test_says_what_the_text_face_says(function: object, scenario: str) -> None:
    run = trace(function, scenario=scenario)
    face = Face(static_html(run))
    lines = [words(line) for line in run.text().splitlines()]
    for row in face.rows:
        if row[0] in ("step", "before", "check"):
            continue
        line = ": ".join(row) if len(row) == 2 else " ".join(row)
        assert words(line) in lines
    shown = sum(1 for line in run.text().splitlines() if line.startswith("  "))
    tables = sum(1 for row in face.rows if row[0] not in ("step", "before", "check"))
    besides = [text for text in face.texts if text.startswith(("and ", "no candidate"))]
    assert shown == tables + len(besides)
    assert face.texts[0] == run.text().splitlines()[0]


def test_says_what_the_trace_says() -> None:
    run = trace(prepare_context, scenario="summary")
    rows = Face(static_html(run)).rows
    fates = [row[:4] for row in rows if len(row) == 6][1:]
    expected = [
        ["-" if fate[end] is None else str(fate[end]) for end in ("from", "to")]
        + [fate["fate"], str(fate["step"])]
        for fate in run.to_json()["provenance"]
    ]
    assert fates == expected
    decisions = [row[2] for row in rows if len(row) == 3][1:]
    assert decisions == [each.sentence for each in run.decisions if run.steps[each.step].depth == 0]
    assert [row for row in rows if len(row) == 2][1:] == [
        ["input unchanged", "yes"],
        ["pairs complete", "yes"],
        ["within budget", "yes"],
        ["rule kept", "Ask before you delete anything"],
        ["rule LOST", "请勿删日志"],
        ["path kept", "notes.txt"],
        ["id LOST", "call_1"],
    ]


def test_hostile_text_is_text(hostile_trace: Trace) -> None:
    face = Face(static_html(hostile_trace))
    assert face.tags <= TAGS
    assert face.attributes <= ATTRIBUTES
    shown = " ".join(face.texts)
    assert "<img src=x onerror=alert(1)></script>" in shown
    assert "\\u202e\\u2066\\u2028\\u0000\\u001b[2J\\ud800" in shown
    assert shown.isprintable()
    (fact,) = [row for row in face.rows if row[0] == "other kept"]
    assert fact[1].startswith("<img src=x onerror=alert(1)></script>")
    assert fact[1].endswith("\\u2028\\u0000\\u001b[2J")


def test_odd_runs_have_a_face(odd_trace: Trace) -> None:
    face = Face(static_html(odd_trace))
    assert face.tags <= TAGS
    assert "".join(face.texts).isprintable()
    assert odd_trace.text().replace("\n", "").isprintable()
    said = " ".join(face.texts)
    assert "no candidate" in said or "no history in this run" in said or len(face.rows) > 4


def test_a_run_that_hit_the_step_limit_says_so_at_the_top() -> None:
    run = trace(prepare_context, scenario="summary", step_limit=30)
    texts = Face(static_html(run)).texts
    assert texts[0] == "prepare_context on summary: stopped at the step limit"
    assert texts[1] == "Note: The run reached the step limit: only its first 30 steps were recorded."
    assert run.text().splitlines()[:2] == texts[:2]


def spoiled(messages: list[str]) -> None:
    messages.append("one more")
    raise KeyError


def test_an_input_that_was_changed_is_not_said_to_be_as_it_was() -> None:
    run = trace(spoiled, [{"role": "user", "content": "hello"}])
    assert "no candidate, and the input was changed" in static_html(run)
    assert "no candidate, and the input was changed" in run.text()
    assert run.text().startswith("spoiled: error KeyError: no message\n")


def taken_out(messages: list[str]) -> dict[str, object]:
    messages.pop()
    return {"status": "taken out", "reason": 'it says "no"\u202e', "left": len(messages), "why": None}


def test_a_run_that_worked_in_place_says_so() -> None:
    run = trace(taken_out, [{"role": "user", "content": text} for text in ("one", "two")])
    face = Face(static_html(run))
    assert face.texts[0] == (
        'taken_out: returned {"status": "taken out", "reason": "it says \\"no\\"\\u202e", "left": 1, '
        '"why": None}; worked in place: 1 message, 33 bytes'
    )
    assert ["worked in place", "yes, the history itself changed, first at step 1"] in face.rows
    assert [row[:3] for row in face.rows if len(row) == 6][1:] == [["0", "0", "kept"], ["1", "-", "dropped"]]


def test_the_commits_of_the_loop_are_listed() -> None:
    run = trace(run_loop, scenario="trim")
    first, second = run.data["commits"]
    said = f"first at step {first}; a candidate was committed at steps {first} and {second}"
    assert ["worked in place", f"yes, the history itself changed, {said}"] in Face(static_html(run)).rows


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (None, "None"),
        ("committed", '"committed"'),
        ("x" * 50, f'"{"x" * 40}…" (50 characters)'),
        ({"text": "x" * 300}, f'{{"text": "{"x" * 200}…" (300 characters)}}'),
        ({(1, 2): 3}, "{(1, 2): 3}"),
        ({"a": [1]}, '{"a": [1]}'),
        ({"a": {"b": 1}}, "a dict of 1"),
        ({}, "a dict of 0"),
        (dict.fromkeys("abcdefg"), "a dict of 7"),
        ([1, 2], "[1, 2]"),
    ],
)
def test_what_else_a_run_returned_is_told_in_a_few_words(value: object, said: str) -> None:
    assert trace(given_back, value).text().startswith(f"given_back: returned {said}\n")


def given_back(value: object) -> object:
    return value


def test_a_long_history_is_cut_with_a_count(large_trace: Trace) -> None:
    html = static_html(large_trace)
    face = Face(html)
    assert f"… {5001 - MOST_ROWS} more" in face.texts
    assert sum(1 for row in face.rows if len(row) == 6) == MOST_ROWS + 1
    assert len(html) < 200_000


def test_a_long_line_is_cut_with_its_length(long_line: str) -> None:
    html = static_html(trace(failing, long_line))
    assert f"({len(long_line) + len('failing: error ValueError: ')} characters)" in html
    assert len(html) < 5000


def failing(text: str) -> None:
    raise ValueError(text)


def test_sets_no_colour_and_reads_without_styles(hostile_trace: Trace) -> None:
    html = static_html(hostile_trace)
    assert "color" not in html
    assert "background" not in html
    assert "<style" not in html
