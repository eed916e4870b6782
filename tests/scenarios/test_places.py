"""Places of messages in the history that they come from."""

from ctxlab.scenarios.systems.places import places_of

ONE, TWO = {"role": "user", "content": "one"}, {"role": "user", "content": "two"}


def test_the_places_are_in_order_and_the_later_ones_of_equal_messages():
    assert places_of([ONE, TWO], [ONE, TWO, ONE, TWO]) == [2, 3]
    assert places_of([TWO, ONE], [ONE, TWO, ONE, TWO]) == [1, 2]
    assert places_of([], [ONE]) == []
