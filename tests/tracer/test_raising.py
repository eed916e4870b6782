"""Where what ended a run was raised."""

import pytest

from ctxlab.errors import Refusal
from ctxlab.reference import run_loop
from ctxlab.tracer.raising import code_at, is_raise_statement, raised_at
from ctxlab.tracer.run import trace


def fails(*_):
    raise OSError("the disk is full")


def works():
    return "fine"


def lets_it_through(call):
    call()


def lets_it_through_below(call):
    return lets_it_through(call)


def says_so(call):
    try:
        call()
    except OSError:
        return "failed"
    return "worked"


def says_so_at_the_end(call):
    status = "worked"
    try:
        lets_it_through(call)
    except OSError:
        status = "failed"
    return status


def goes_on(call):
    status = "worked"
    try:
        call()
    except OSError:
        status = "failed"
    # Has it failed?
    if status == "failed":
        return None
    return status


def tries_twice(call):
    status = "worked"
    for attempt in (1, 2):
        try:
            call(attempt)
        except OSError:
            status = "failed"
    return status


def first_time_only(attempt):
    if attempt == 1:
        raise OSError


def refuses(call):
    if call:
        raise Refusal("no", "no call is wanted")


@pytest.mark.parametrize(
    ("function", "call", "code"),
    [
        (lets_it_through, fails, "call()"),
        (lets_it_through_below, fails, "call()"),
        (says_so, fails, "call()"),
        (says_so_at_the_end, fails, "call()"),
        (refuses, fails, 'raise Refusal("no", "no call is wanted")'),
        (goes_on, fails, None),
        (tries_twice, first_time_only, None),
        (tries_twice, fails, "call(attempt)"),
        (says_so, works, None),
        (says_so_at_the_end, works, None),
    ],
)
def test_the_innermost_line_that_raised(function, call, code):
    # Given as an object that can be called, it is none of the functions that are traced.
    recorded = trace(function, Opaque(call))
    found = raised_at(recorded)
    assert (found if found is None else code_at(recorded, found)) == code
    assert found is None or is_raise_statement(recorded, found) == (function is refuses)


class Opaque:
    def __init__(self, call):
        self.call = call

    def __call__(self, *arguments):
        return self.call(*arguments)


def test_the_call_of_a_model_that_failed():
    recorded = trace(run_loop, scenario="trim", ask=Opaque(fails))
    assert recorded.outcome.value["status"] == "model_error"
    assert code_at(recorded, raised_at(recorded)) == "answer = copied(ask(copied(messages)))"


def endless():
    while True:
        pass


def test_a_run_that_was_stopped_was_ended_by_nothing_of_its_own():
    assert raised_at(trace(endless, step_limit=20)) is None
