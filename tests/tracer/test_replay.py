"""The heap, replayed row by row: messages, histories, and what a change touches."""

import pytest

from ctxlab.tracer.heap import DEEPEST, Heap
from ctxlab.tracer.replay import MOST_PARTS, Replay


def said(text):
    return {"role": "user", "content": text}


class Both:
    """A heap and its replay, kept at the same moment."""

    def __init__(self):
        self.heap = Heap()
        self.replay = Replay(self.heap.pool, self.heap.strings, self.heap.pooled)
        self.done = 0

    def cell(self, value):
        cell = self.heap.cell(value)
        self.catch_up()
        return cell

    def catch_up(self, cause=0):
        changed = set()
        for _, number, cells in self.heap.rows[self.done :]:
            changed |= self.replay.apply(number, cells, cause)
        self.done = len(self.heap.rows)
        return changed


def test_a_message_is_known_by_its_place_in_the_pool():
    both = Both()
    a, b = said([{"type": "text"}]), said("b")
    cells = both.cell(a), both.cell(b)
    assert [both.replay.message(cell) for cell in cells] == [0, 1]
    assert both.replay.message(both.cell(["no message"])) is None
    assert both.replay.message((5,)) is None
    b["content"] = [{"type": "text"}]
    both.heap.rescan(b)
    both.catch_up()
    assert both.replay.message(cells[1]) == 0


def test_a_change_reaches_everything_that_holds_the_container():
    both = Both()
    block = {"type": "text", "text": "a"}
    message = said([block])
    history = [message, said("b")]
    cell = both.cell(history)
    block["text"] = "c"
    both.heap.rescan(history)
    changed = both.catch_up(cause=9)
    assert {both.heap.cell(value) // 2 for value in (block, message["content"], message, history)} == changed
    assert both.replay.changed_at[both.heap.cell(message) // 2] == 9
    assert both.replay.messages(cell) == [both.heap.cell(message) // 2, both.heap.cell(history[1]) // 2]


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ([], 0),
        ([said("a"), said("b")], 2),
        ((said("a"),), 1),
        ([[said("a"), said("b")], [said("c")]], 3),
        ([said("a"), "text"], None),
        ([said("a"), 5], None),
        (said("a"), None),
        ({"question": said("a")}, None),
        ([[[[said("a")]]]], None),
        ("text", None),
    ],
)
def test_what_is_a_history(value, found):
    both = Both()
    numbers = both.replay.messages(both.cell(value))
    assert (None if numbers is None else len(numbers)) == found


def test_the_parts_of_a_result():
    both = Both()
    value = {"question": said("a"), "older": [[said("b")]], "recent": []}
    assert len(both.replay.parts(both.cell(value))) == 2
    assert both.replay.parts(both.cell({"question": said("a"), "size": 5})) is None


def test_a_list_that_contains_itself_is_no_history():
    both = Both()
    history, other = [said("a")], []
    history.append(other)
    other.append(history)
    assert both.replay.messages(both.cell(history)) is None


def test_a_message_that_contains_itself_or_is_endless_is_none():
    both = Both()
    message = said([])
    message["content"].append(message)
    assert both.replay.message(both.cell(message)) is None
    deep = []
    for _ in range(DEEPEST + 1):
        deep = [deep]
    assert both.replay.message(both.cell(said(deep))) is None
    wide = []
    for _ in range(MOST_PARTS.bit_length()):
        wide = [wide, wide]
    assert both.replay.message(both.cell(said(wide))) is None
