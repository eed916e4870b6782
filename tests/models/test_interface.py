from dataclasses import FrozenInstanceError

import pytest

from ctxlab.errors import CtxlabError
from ctxlab.models import Brief, ModelError


def test_the_plan_comes_after_the_system_text() -> None:
    assert Brief("You work.", plan=lambda: "1. Read.").system_texts() == ["You work.", "1. Read."]


def test_the_plan_is_read_afresh() -> None:
    steps = ["read"]
    brief = Brief("You work.", plan=lambda: ", ".join(steps))
    assert brief.system_texts()[1] == "read"
    steps.append("run")
    assert brief.system_texts()[1] == "read, run"


def test_blank_texts_are_left_out() -> None:
    assert Brief(" ", plan=lambda: "\n").system_texts() == []
    assert Brief("You work.").system_texts() == ["You work."]


def test_a_brief_cannot_be_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        Brief("You work.").system = "You rest."  # type: ignore[misc]


def test_a_model_error_is_shown_without_a_traceback() -> None:
    assert issubclass(ModelError, CtxlabError)
