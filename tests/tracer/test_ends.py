"""The ways in which a function can end, by a refusal or by a word that it returns."""

import pytest

from ctxlab.reference.history import prepare_context
from ctxlab.reference.loop import run_loop
from ctxlab.tracer.ends import ending, ends, returned_words
from ctxlab.tracer.run import trace


def test_ends_of_prepare_context():
    run = trace(prepare_context, scenario="exhausted")
    assert ends(run) == [
        "returns",
        "refuses: bad_receipt",
        "refuses: recent_too_large",
        "refuses: summaries_spent",
        "refuses: bad_summary",
        "refuses: not_smaller",
        "refuses: bad_argument",
        "refuses: not_a_history",
        "refuses: pending",
        "refuses: mismatch",
    ]
    assert ending(run) == "refuses: summaries_spent"


def test_the_step_limit_is_an_end_that_no_source_names(module_of):
    text = """
        def program():
            while True:
                pass
    """
    run = trace(module_of(text).program, step_limit=10)
    assert ending(run) == "reaches the step limit"
    assert ends(run) == ["returns"]


LOOP_ENDS = [
    "returns: context_error",
    "returns: model_error",
    "returns: answered",
    "returns: max_requests",
    "refuses: bad_argument",
]


@pytest.mark.parametrize(
    ("scenario", "given", "end"),
    [
        ("trim", {}, "returns: answered"),
        ("pending", {}, "returns: context_error"),
        ("trim", {"max_requests": 1}, "returns: max_requests"),
        ("trim", {"ask": lambda messages: None}, "returns: model_error"),
        ("trim", {"max_requests": 0}, "refuses: bad_argument"),
    ],
)
def test_the_loop_ends_with_a_status_or_its_own_refusal(scenario, given, end):
    run = trace(run_loop, scenario=scenario, **given)
    assert ends(run) == LOOP_ENDS, "what it calls refuses too, but that is no end of the loop"
    assert ending(run) == end


WORDS = """
    def ended(status, text):
        return {"status": status, "text": text}

    def other(status):
        status = status.upper()
        return {"status": status}

    def program(x):
        def inner():
            return "inner"
        if x == 0:
            return "a word"
        if x == 1:
            return {"status": "written", "text": inner()}
        if x == 2:
            return ended("by place", "")
        if x == 3:
            return ended(text="", status="by name")
        if x == 4:
            return ended(str(x), "computed")
        if x == 5:
            return other("not this")
        if x == 6:
            return "a text that is far too long to be an option beside others"
        if x == 7:
            return {"text": "no status"}
        if x == 8:
            return ["a word"]
"""


def test_words_are_those_that_the_source_writes_down(module_of):
    program = module_of(WORDS).program
    run = trace(program, 0)
    assert [word for word in returned_words(run).values() if word] == [
        "a word",
        "written",
        "by place",
        "by name",
    ]
    options = ["returns", *(f"returns: {word}" for word in ("a word", "written", "by place", "by name"))]
    assert ends(run) == options
    found = [ending(trace(program, x)) for x in range(10)]
    assert found == [*options[1:], *["returns"] * 6]


def test_a_run_that_says_a_word_of_another_return_by_chance_is_given_that_word(module_of):
    program = module_of("""
        def program(x):
            return "yes" if x is None else x
    """).program
    assert ends(trace(program, "yes")) == ["returns"]
    program = module_of("""
        def program(x):
            if x is None:
                return "yes"
            return x
    """).program
    assert ending(trace(program, "yes")) == "returns: yes"
    assert ending(trace(program, "no")) == "returns"


GUARDED = """
    def inner():
        raise Refusal("deep", "no")

    def outside(x):
        raise Refusal("outside", "no")

    def inside():
        inner()
        raise Refusal("inside", "no")

    def program(x):
        if x > 2:
            raise Refusal("own", "no")
        try:
            if x == 1:
                inside()
        except ValueError:
            return "caught"
        finally:
            print(x)
        try:
            if x == 2:
                outside(x)
        finally:
            print(x)
        return "done"
"""


def test_what_is_raised_inside_a_try_is_no_end_of_a_function_with_words(module_of):
    program = module_of(GUARDED).program
    run = trace(program, 0)
    assert ends(run) == ["returns: caught", "returns: done", "refuses: own", "refuses: outside"]
    # As it happens, no name of the module means anything to it.
    assert ending(trace(program, 1)) == "raises NameError"


def test_of_a_function_without_words_every_refusal_below_it_is_an_end():
    assert "refuses: pending" in ends(trace(prepare_context, scenario="trim"))
    assert returned_words(trace(prepare_context, scenario="trim")) == {}
