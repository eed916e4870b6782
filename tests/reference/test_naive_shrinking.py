"""Each fault of the naive shrinking breaks a law that ours keeps, on the same input."""

import re
from types import ModuleType
from typing import Any

import pytest
from naive import shrinking as naive

from ctxlab.errors import Refusal
from ctxlab.messages.counting import TokenCounter
from ctxlab.reference import shrinking as ours

BOTH = pytest.mark.parametrize("module", [naive, ours], ids=["naive", "ours"])

LOG = "".join(f"{number} ok\n" for number in range(400))
NOTES = "会议记录：服务器的迁移推迟到周五晚上。" * 30


@BOTH
def test_the_mark_is_not_counted(module: ModuleType) -> None:
    trimmed = module.trim_single_observation("x" * 101, 100)
    again = module.trim_single_observation(trimmed, 100)
    if module is naive:
        # It has become longer, and a second pass cuts the mark out and counts anew.
        assert len(trimmed) == 115
        assert "[11 characters missing]" in trimmed
        assert "[25 characters missing]" in again
    else:
        assert len(trimmed) <= 100
        assert again == trimmed


@BOTH
@pytest.mark.parametrize(("limit", "count"), [(1, 0), (2, -1), (3, -1)])
def test_a_tiny_limit_returns_everything(module: ModuleType, limit: int, count: int) -> None:
    if module is naive:
        trimmed = module.trim_single_observation(LOG, limit)
        assert trimmed.endswith(LOG)
        assert f"[{count} characters missing]" in trimmed
    else:
        with pytest.raises(Refusal, match="allow at least 40"):
            module.trim_single_observation(LOG, limit)


@BOTH
def test_an_unspaced_script_counts_as_one_word(module: ModuleType) -> None:
    assert TokenCounter().count(NOTES) > 500

    shrunk = module.compress_tool_result("read_file", NOTES, "When?", lambda request: "周五晚上")
    assert shrunk == (NOTES if module is naive else "周五晚上")


@BOTH
@pytest.mark.parametrize(
    "answer",
    ["", None, LOG + "That is all.", {"text": "0 ok, 1 ok, 2", "stop_reason": "max_tokens"}],
    ids=["empty", "no text", "longer", "cut"],
)
def test_any_answer_takes_the_place_of_the_result(module: ModuleType, answer: Any) -> None:
    shrunk = module.compress_tool_result("read_log", LOG, "Which failed?", lambda request: answer)
    assert shrunk == (answer if module is naive else LOG)


@BOTH
def test_a_failing_summariser_loses_the_result(module: ModuleType) -> None:
    def summarize(request: str) -> str:
        raise TimeoutError("no answer")

    if module is naive:
        with pytest.raises(TimeoutError):
            module.compress_tool_result("read_log", LOG, "Which failed?", summarize)
    else:
        assert module.compress_tool_result("read_log", LOG, "Which failed?", summarize) == LOG


@BOTH
def test_the_model_is_asked_to_shorten_and_not_to_extract(module: ModuleType) -> None:
    requests: list[str] = []
    module.compress_tool_result("read_log", LOG, "Which failed?", requests.append)
    asked = re.search("word for word", requests[0])
    assert (asked is None) == (module is naive)
