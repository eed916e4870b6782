"""What a kernel can send: everything that has a UTF-8 form, and the rest replaced."""

import json

from ctxlab.player.sending import sendable


def test_a_lone_surrogate_is_replaced_wherever_it_stands() -> None:
    state = {"texts": ["a\ud800b", {"\udfff": 1}], "step": 3}
    assert sendable(state) == {"texts": ["a\ufffdb", {"\ufffd": 1}], "step": 3}
    json.dumps(sendable(state), ensure_ascii=False).encode("utf-8")


def test_anything_else_stays_as_it_is() -> None:
    state = {"text": "\N{GRINNING FACE} \u202e \\ud800", "none": None}
    assert sendable(state) is state
