"""The lines that a condition decides about."""

import pytest

from ctxlab.tracer.arms import branches
from ctxlab.tracer.run import trace

TEXT = """
class Box:
    def look(self, items):
        note = '''
left of the margin'''
        if items:
            first = items[0]
            count = 1
        elif note:
            return None
        else:
            items.append(1)
        while len(items) > 3:
            items[0] = items.pop()
        match items:
            case []:
                pass
        return [x for x in items if x]
"""


@pytest.fixture
def found(module_of):
    made = module_of(TEXT)
    return branches(trace(made.Box().look, [1]).data["sources"][0])


def test_arms_are_found_by_line_and_text_of_the_condition(found):
    assert list(found) == [
        (6, "items"),
        (13, "len(items) > 3"),
        (16, "match items: case []"),
        (9, "note"),
    ]


def test_an_arm_has_the_lines_of_the_file(found):
    assert found[6, "items"].yes.lines == range(7, 9)
    assert found[9, "note"].yes.lines == range(10, 11)
    assert found[9, "note"].no.lines == range(12, 13)
    assert found[13, "len(items) > 3"].no.lines == range(0)
    assert found[16, "match items: case []"].yes.lines == range(17, 18)


def test_an_arm_that_only_sets_variables_is_plain(found):
    assert found[6, "items"].yes.plain
    assert not found[9, "note"].yes.plain
    assert not found[9, "note"].no.plain
    assert found[16, "match items: case []"].yes.plain
    assert not found[13, "len(items) > 3"].yes.plain


def test_only_a_while_is_a_loop(found):
    assert [branch.loop for branch in found.values()] == [False, True, False, False]


def test_a_text_that_cannot_be_read_has_no_arms():
    assert branches({"text": "def f(:\n", "first_line": 1}) == {}
    assert branches({"text": "\0", "first_line": 1}) == {}


RETURNS = """
def look(items):
    if not items:
        return 0
    if items[0] is None:
        raise ValueError(items)
    for item in items:
        if item:
            return item
        items = None
    return 1
"""


def test_what_stands_after_an_early_return_is_what_a_no_leads_to(module_of):
    found = branches(trace(module_of(RETURNS).look, [1]).data["sources"][0])
    assert found[3, "not items"].no.lines == range(5, 12)
    assert found[3, "not items"].no.plain
    assert found[8, "item"].no.lines == range(10, 11)
    # After a check that only raises, the run goes on as it would have without it.
    assert found[5, "items[0] is None"].no.lines == range(0)
