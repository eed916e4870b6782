"""What a message costs: an estimate, and checks of what is given to count with."""

from copy import deepcopy

import pytest

from ctxlab.errors import Refusal
from ctxlab.messages.counting import TokenCounter
from ctxlab.reference.costs import check_limit, checked_cost, cost_of, estimated_tokens

CALL = {
    "role": "assistant",
    "content": None,
    "tool_calls": [{"id": "a", "function": {"name": "read_file", "arguments": '{"path": "notes.txt"}'}}],
}


def test_the_estimate_wastes_room_in_english_and_overflows_in_chinese():
    count = TokenCounter().count_message
    english = {"role": "user", "content": "The notes of the last meeting are in the second file. " * 20}
    chinese = {"role": "user", "content": "会议记录放在第二个文件里，请先检查，再删除旧的日志。" * 20}

    assert estimated_tokens(english) > 2 * count(english)
    assert estimated_tokens(chinese) < 0.6 * count(chinese)


def test_the_estimate_counts_content_and_calls():
    assert estimated_tokens({"role": "user", "content": None}) == 1
    assert estimated_tokens(CALL) == len('read_file{"path": "notes.txt"}') // 2 + 1
    assert estimated_tokens(CALL | {"content": "abcd"}) == estimated_tokens(CALL) + 2


def test_without_a_cost_the_tokenizer_counts():
    assert checked_cost(None)(CALL) == TokenCounter().count_message(CALL)
    assert checked_cost(estimated_tokens)(CALL) == estimated_tokens(CALL)
    with pytest.raises(Refusal, match="cost is an int, not a function of a message") as refusal:
        checked_cost(7)
    assert refusal.value.code == "bad_argument"


def test_a_cost_counts_a_copy():
    kept = []

    def careless(message):
        kept.append(message)
        message["content"] = "changed"
        message["tool_calls"][0]["id"] = "b"
        return 1

    before = deepcopy(CALL)
    assert checked_cost(careless)(CALL) == 1
    assert before == CALL
    assert kept[0]["tool_calls"] is not CALL["tool_calls"]


@pytest.mark.parametrize("odd", [-1, 1.0, True, None, "ten", 10**5000], ids=type)
def test_a_cost_is_a_number_of_tokens(odd):
    assert cost_of(CALL, lambda message: 0, 3) == 0
    with pytest.raises(Refusal, match=r"cost returned .* for message 3, not a number of tokens") as refusal:
        cost_of(CALL, lambda message: odd, 3)
    assert refusal.value.code == "bad_argument"


def test_a_limit_is_a_whole_number():
    check_limit("max_tokens", 1)
    check_limit("reserve_output_tokens", 0, 0)
    # Python does not write out so large a number, and the refusals that name a limit would fail.
    with pytest.raises(Refusal, match="max_tokens is a value of type int; the most is"):
        check_limit("max_tokens", 10**5000)
    for odd in (0, True, 2.0, None):
        with pytest.raises(Refusal, match=r"max_tokens is .*, not an int of at least 1"):
            check_limit("max_tokens", odd)
