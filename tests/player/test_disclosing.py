"""What becomes of a page that would show secrets, and what is said of them."""

from typing import Any

import pytest

from ctxlab.errors import CtxlabError
from ctxlab.messages.secrets import Secret, found_secrets
from ctxlab.player.disclosing import SecretsError, must_mask, place

KEY = "sk-ant-api03-a1B2c3D4e5F6g7H8i9J0k1L2"
FOUND = found_secrets({"messages": [{"role": "user", "content": f"{KEY} and {KEY}"}]})


def test_masks_only_when_asked_and_when_there_is_something() -> None:
    assert must_mask("mask", FOUND) is True
    assert must_mask("mask", []) is False
    assert must_mask("keep", FOUND) is False
    assert must_mask("refuse", []) is False


def test_a_refusal_says_how_many_of_which_kind_where_and_the_remedy() -> None:
    with pytest.raises(SecretsError) as caught:
        must_mask("refuse", FOUND)
    assert caught.value.reason == (
        "the page is not written, for it would show what looks like a secret 2 times "
        "(Anthropic key: 2), in message 0, content"
    )
    assert str(caught.value) == (
        f"{caught.value.reason}; give secrets='mask' to mask them on the page, or 'keep' to show them"
    )


def test_a_refusal_names_only_the_first_places() -> None:
    many = [Secret(("messages", index, "content"), "named secret", "") for index in range(1000)]
    with pytest.raises(SecretsError, match="message 4, content; and 995 more") as caught:
        must_mask("refuse", many)
    assert "message 5" not in str(caught.value)


@pytest.mark.parametrize("choice", [None, True, "masked", ["mask"], "x" * 1000])
def test_another_choice_is_an_error_even_when_nothing_is_found(choice: Any) -> None:
    with pytest.raises(CtxlabError, match="give one of 'refuse', 'mask', 'keep'") as caught:
        must_mask(choice, [])
    assert not isinstance(caught.value, SecretsError)
    assert len(str(caught.value)) < 250


@pytest.mark.parametrize(
    ("path", "words"),
    [
        (("messages", 2, "content", 0, "input", "api_key"), "message 2, content[0].input.api_key"),
        (("messages", 2), "message 2"),
        (("system",), "system"),
        (("the source", "split"), "the source, split"),
        (("named", 7, "password"), "the value of password"),
        (("values", 7), "a value of the run"),
        (("messages", 0, "a\nb"), "message 0, a\\nb"),
    ],
)
def test_a_place_is_told_in_words(path: tuple[str | int, ...], words: str) -> None:
    assert place(path) == words


def test_a_long_key_makes_no_long_place() -> None:
    assert len(place(("messages", 0, "x" * 10_000))) < 150
