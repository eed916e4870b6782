from typing import Any

import pytest

from ctxlab.errors import Refusal
from ctxlab.messages.diagnosis.context import checked_context


def test_nothing_given() -> None:
    context = checked_context({}, 3)
    assert (context.cut, context.thinking, context.budget_tokens, context.pinned) == (None, False, None, ())


@pytest.mark.parametrize(
    ("given", "on"),
    [
        ("enabled", True),
        ("adaptive", False),
        ("disabled", False),
        ({"type": "enabled", "budget_tokens": 2000}, True),
        ({"type": "adaptive"}, False),
        (True, True),
        (False, False),
        (None, False),
    ],
)
def test_thinking_is_on_when_it_is_enabled(given: Any, on: bool) -> None:
    assert checked_context({"thinking": given}, 0).thinking is on


def test_places_are_dicts_or_pairs() -> None:
    given = [{"message": 2, "block": 0}, {"message": 3}, (4, None), [5, 1]]
    assert checked_context({"made_up_results": given}, 9).made_up_results == {
        (2, 0),
        (3, None),
        (4, None),
        (5, 1),
    }


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (
            {"cuts": 1},
            "diagnose knows no 'cuts'; it takes cut, thinking, budget_tokens, protected_from, pinned",
        ),
        ({"cut": 4}, "cut is 4; give an index from 0 to 3"),
        ({"cut": -1}, "cut is -1; give an index from 0 to 3"),
        ({"cut": True}, "cut is True; give an index"),
        ({"protected_from": "2"}, "protected_from is '2'; give an index"),
        ({"thinking": "on"}, "thinking is 'on'; give one of 'enabled', 'adaptive', 'disabled'"),
        ({"thinking": [1]}, r"thinking is \[1\]; give one of"),
        ({"budget_tokens": 0}, "budget_tokens is 0; give a number of tokens from 1"),
        ({"budget_tokens": 1.5}, "budget_tokens is 1.5"),
        ({"pinned": "a rule"}, "pinned is 'a rule'; give a list"),
        ({"pinned": [""]}, "pinned holds ''; give texts that are not blank"),
        ({"pinned": [3]}, "pinned holds 3"),
        ({"summary_messages": [3]}, "summary_messages holds 3; the history has 3 messages"),
        ({"summary_messages": [False]}, "summary_messages holds False"),
        ({"made_up_results": [{"block": 0}]}, "made_up_results holds {'block': 0}; give {\"message\": index"),
        ({"made_up_results": [(1, 2, 3)]}, r"made_up_results holds \(1, 2, 3\)"),
    ],
)
def test_what_fits_no_use_is_refused_with_the_remedy(given: dict[str, Any], words: str) -> None:
    with pytest.raises(Refusal, match=words) as refused:
        checked_context(given, 3)
    assert refused.value.code == "bad_argument"
