"""What holds for each strategy on generated histories, sound and torn."""

from collections import Counter
from copy import deepcopy

from chat_histories import History, histories
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxlab.messages.counting import TokenCounter
from ctxlab.strategies.comparison import compare_strategies
from ctxlab.strategies.registry import STRATEGIES

COUNTER = TokenCounter()


@settings(max_examples=60, deadline=None)
@given(histories(), st.sampled_from([30, 300, 3000]))
def test_each_strategy_keeps_to_the_laws(history: History, limit: int) -> None:
    before = deepcopy(history)
    compared = compare_strategies(history, api="openai-chat", limit=limit)
    assert history == before
    assert [outcome.name for outcome in compared.outcomes] == [*STRATEGIES]
    moments = [turn.at for turn in compared.outcomes[0].turns]
    for outcome in compared.outcomes:
        assert outcome.new_findings == ()
        assert [turn.at for turn in outcome.turns] == moments
        assert outcome.last == sum(map(COUNTER.count_message, outcome.final))
        assert Counter(outcome.kept + outcome.lost) == Counter(compared.facts)
        assert all(0 <= turn.same_prefix <= turn.tokens for turn in outcome.turns)
        # A strategy whose limit is that of the whole request is within it, or has refused.
        if outcome.name in ("window", "pack"):
            assert all(turn.tokens <= limit or turn.refused for turn in outcome.turns)
    none = compared.outcomes[0]
    assert none.final == history[: moments[-1]]
    assert none.lost == ()
    assert compare_strategies(history, api="openai-chat", limit=limit) == compared
