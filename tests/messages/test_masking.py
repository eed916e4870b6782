"""Masking secrets in all texts of some values."""

import json

import pytest

from ctxlab.messages.masking import Mask

PASSWORD = 'tr0ub"4dor'
LOGIN = {"user": "ann", "password": PASSWORD}


@pytest.mark.parametrize(
    "text",
    [
        f"mysql -p{PASSWORD} birds",
        repr(f"mysql -p{PASSWORD}'"),
        json.dumps(LOGIN),
        json.dumps({"arguments": json.dumps(LOGIN)}),
        "mysql -ptr0ub…",
    ],
    ids=["in a command", "as Python shows it", "in JSON", "in JSON in JSON", "cut short"],
)
def test_a_password_is_masked_where_no_name_stands_beside_it(text: str) -> None:
    mask = Mask([{"input": LOGIN}])
    assert [secret.path for secret in mask.found] == [("input", "password")]
    assert "tr0ub" not in mask.text(text)
    assert "tr0ub" not in json.dumps(mask.throughout([{"text": text}]))


def test_parts_of_a_secret_are_masked_where_it_was_cut() -> None:
    mask = Mask([{"password": "Zq7!kP2x&Wm9vT4"}])
    masked = "[part of a secret masked, 8 characters]"
    for part in ("Zq7!kP2x", "7!kP2x&W", "&Wm9vT4"[-7:]):
        shown = masked if len(part) == 8 else part
        assert mask.pieces([{"text": f"see {part} and"}]) == [{"text": f"see {shown} and"}]
    assert mask.pieces("Zq7!kP2x, q7!kP2x&") == f"{masked}, {masked}"
    assert mask.text("see Zq7!k[39 characters missing]") == (
        "see [start of a secret masked, 5 characters][39 characters missing]"
    )
    # A mask is not masked again.
    whole = Mask([{"password": "characters-7"}]).pieces("see characters-7 and character, characters")
    assert (
        whole
        == "see [named secret masked, 12 characters] and [part of a secret masked, 9 characters], "
        + ("[part of a secret masked, 10 characters]")
    )


def test_what_only_looks_like_its_beginning_stays() -> None:
    mask = Mask([{"input": LOGIN}])
    assert mask.text("tr0uble in the tr0ub") == "tr0uble in the tr0ub"
    assert mask.value({"password": None, "n": [7, True]}) == {"password": None, "n": [7, True]}


def test_a_word_without_which_nothing_can_be_read_stays() -> None:
    assert Mask([{"password": "content"}]).value([{"content": "content"}]) == [{"content": "content"}]
    assert Mask([{"password": "plum-tree"}], words=["plum-tree"]).text("a plum-tree") == "a plum-tree"


def test_what_is_also_held_is_told_once() -> None:
    mask = Mask([{"input": LOGIN}], also=[{"values": [LOGIN]}, {"more": {"password": "hunter22"}}])
    assert [secret.path for secret in mask.found] == [("input", "password"), ("more", "password")]


def test_a_password_that_was_found_in_arguments_is_masked_without_its_escapes_too() -> None:
    mask = Mask([{"arguments": json.dumps(LOGIN)}])
    assert "tr0ub" not in mask.text(f"mysql -p{PASSWORD} birds")


def test_two_secrets_are_told_apart_by_their_masks() -> None:
    mask = Mask([[{"password": "plum-tree"}, {"password": "pear-tree"}]])
    shown = [mask.text(text) for text in ("plum-tree", "pear-tree", "plum-tree")]
    assert shown[0] == shown[2] != shown[1]
