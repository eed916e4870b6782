"""Which decisions stand beside each other, in short runs and in long ones."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxlab.tracer.alignment import MOST_BESIDE_SHORT, WINDOW, paired, weighing
from ctxlab.tracer.likeness import Asked, Part, asked, likeness
from ctxlab.tracer.run import trace


def decisions(text):
    """One decision per letter: a letter is a condition, a capital its other answer."""
    made = {letter: decision(letter) for letter in set(text)}
    return [made[letter] for letter in text]


def decision(letter):
    term = letter.lower()
    part = Part(term, ((term, None),), letter.islower())
    return Asked("", (term,), letter.islower(), (part,))


def shown(left, right):
    """The pairing as two lines with gaps, lone decisions of the left first."""
    pairs = paired(decisions(left), decisions(right), weighing())
    lines = ["", ""]
    begin = (0, 0)
    for one, other in [*pairs, (len(left), len(right))]:
        lone, others = left[begin[0] : one], right[begin[1] : other]
        lines[0] += lone + "." * len(others) + left[one : one + 1]
        lines[1] += "." * len(lone) + others + right[other : other + 1]
        begin = one + 1, other + 1
    return tuple(lines)


@pytest.mark.parametrize(
    ("left", "right", "lines"),
    [
        ("abc", "abc", ("abc", "abc")),
        ("abc", "", ("abc", "...")),
        ("", "", ("", "")),
        ("abc", "aBc", ("abc", "aBc")),
        ("abcd", "acd", ("abcd", "a.cd")),
        ("acd", "abcd", ("a.cd", "abcd")),
        ("ab", "ba", ("ab.", ".ba")),
        ("abcxyz", "abcdxyz", ("abc.xyz", "abcdxyz")),
        ("aaA", "aA", ("aaA", "a.A")),
        ("xaby", "qabr", ("x.aby.", ".qab.r")),
    ],
)
def test_the_best_pairing_keeps_the_order(left, right, lines):
    assert shown(left, right) == lines


def best(left, right, weigh):
    """The greatest weight of any pairing, by trying all."""
    if not left or not right:
        return 0
    together = weigh(left[0], right[0])
    paired_here = together + best(left[1:], right[1:], weigh) if together else 0
    return max(paired_here, best(left[1:], right, weigh), best(left, right[1:], weigh))


@given(st.text("abAB", max_size=6), st.text("abAB", max_size=6))
def test_no_pairing_weighs_more(left, right):
    left, right, weigh = decisions(left), decisions(right), weighing()
    pairs = paired(left, right, weigh)
    assert pairs == sorted(pairs)
    assert len({one for one, _ in pairs}) == len({other for _, other in pairs}) == len(pairs)
    assert sum(weigh(left[one], right[other]) for one, other in pairs) == best(left, right, weigh)


def test_a_long_stretch_of_one_run_alone_does_not_part_what_belongs_together():
    checks, after = "pq" * 300, "xyz"
    left, right = "a" + checks + "m" + checks + after, "b" + checks + "m" + "n" + after
    pairs = paired(decisions(left), decisions(right), weighing())
    assert (0, 0) not in pairs
    assert pairs[:601] == [(at, at) for at in range(1, 602)]
    assert pairs[-3:] == [(1202, 603), (1203, 604), (1204, 605)]


def test_an_anchor_holds_long_stretches_that_follow_it_together():
    left, right = "p" * 300 + "m" + "rs" * 150 + "x", "q" * 600 + "m" + "rs" * 150 + "y"
    pairs = paired(decisions(left), decisions(right), weighing())
    assert pairs == [(at, at + 300) for at in range(300, 601)]


def test_of_anchors_that_cross_the_most_are_kept():
    letters = [chr(0x4E00 + at) for at in range(300)]
    moved = [*letters[50:], *letters[:50]]
    pairs = paired(decisions(letters), decisions(moved), weighing())
    assert pairs == [(at + 50, at) for at in range(250)]


def test_an_equal_end_is_paired_however_long_what_comes_before():
    left, right = "p" * 300 + "ab" * 300, "q" * 600 + "ab" * 300
    pairs = paired(decisions(left), decisions(right), weighing())
    assert pairs == [(at, at + 300) for at in range(300, 900)]


def test_a_short_run_beside_a_long_one_is_paired_exactly():
    left, right = "c" * 3000 + "abab" + "c" * 3000, "d" * 10 + "abab" + "d" * 10
    pairs = paired(decisions(left), decisions(right), weighing())
    assert pairs == [(at + 3000, at + 10) for at in range(4)]


def test_beside_a_short_run_the_beginning_of_a_long_one_is_weighed():
    long, short = decisions("c" * (4 * MOST_BESIDE_SHORT)), decisions("d" * (WINDOW - 1) + "c")
    counted = []
    assert paired(long, short[:-1], lambda *two: counted.append(two) or 0) == []
    assert len(counted) == (WINDOW - 1) * MOST_BESIDE_SHORT
    assert paired(long, short, weighing()) == [(len(long) - 1, WINDOW - 1)]


def test_long_runs_without_anchors_are_paired_in_order():
    left, right = "ab" * 500, "aB" * 500
    assert paired(decisions(left), decisions(right), weighing()) == [(at, at) for at in range(1000)]
    left, right = "ab" * 500, "abc" * 500
    pairs = paired(decisions(left), decisions(right), weighing())
    assert [left[one] + right[other] for one, other in pairs] == ["aa", "bb"] * 500


def sifts(items, limit):
    found = []
    for item in items:
        if item > limit:
            found.append(item)
        if item % 3 == 0:
            found.append(limit)
    return found


def sieves(things, most):
    found = []
    for thing in things:
        if thing % 3 == 0:
            found.append(most)
        if thing >= most:
            found.append(thing)
    return found


@pytest.mark.parametrize("other", [sifts, sieves])
@pytest.mark.parametrize("values", [7, 10**9])
def test_the_work_grows_with_the_length_of_the_runs(other, values):
    def work(length):
        items = [at * 7919 % values for at in range(length)]
        counted = []
        left, right = asked(trace(sifts, items, 300)), asked(trace(other, items, 301))
        assert len(left) == 2 * length

        def weigh(one, twin):
            counted.append(None)
            found = likeness(one, twin)
            return found.weight if found else 0

        paired(left, right, weigh)
        return len(counted)

    short, long = work(300), work(1200)
    assert short > 0
    assert long < 5 * short
