"""The turns, the figures and the checks of a comparison."""

import json
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from strategy_histories import RULE, History, answer, exchange, many_questions, one_question, user

from ctxlab.errors import Refusal
from ctxlab.messages.counting import TokenCounter
from ctxlab.messages.report import report_on
from ctxlab.messages.secrets import found_secrets
from ctxlab.strategies.comparison import LONG_MESSAGES, MOST_LONG_TURNS, MOST_TURNS, compare_strategies
from ctxlab.strategies.facts import Fact
from ctxlab.strategies.registry import STRATEGIES
from ctxlab.strategies.reported import compare_reported
from ctxlab.strategies.stand_in import SAID
from ctxlab.strategies.strategy import MOST_LIMIT, Prepare, Run, Strategy

COUNTER = TokenCounter()


def tokens(history: History) -> int:
    return sum(map(COUNTER.count_message, history))


@pytest.fixture
def added(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Add a strategy by one entry."""

    def add(prepare: Prepare) -> str:
        monkeypatch.setitem(STRATEGIES, "own", Strategy("own", "a strategy of one's own", lambda _: prepare))
        return "own"

    return add


class TestTurns:
    def test_one_before_each_answer_and_one_at_an_open_end(self) -> None:
        history = [
            user("One?"),
            answer("Yes."),
            user("Two?"),
            *exchange(0, "seen"),
            answer("Yes."),
            user("Three?"),
        ]
        (none,) = compare_strategies(history, names=["none"]).outcomes
        assert [turn.at for turn in none.turns] == [1, 3, 5, 7]
        assert [turn.messages for turn in none.turns] == [1, 3, 5, 7]
        assert [turn.tokens for turn in none.turns] == [tokens(history[:at]) for at in (1, 3, 5, 7)]
        assert [turn.same_prefix for turn in none.turns] == [0, *(tokens(history[:at]) for at in (1, 3, 5))]
        assert (none.last, none.largest) == (tokens(history), tokens(history))
        assert none.sent == sum(tokens(history[:at]) for at in (1, 3, 5, 7))
        assert none.reused == none.sent - none.last

    def test_what_changes_at_the_start_cannot_be_reused(self, added: Any) -> None:
        def prepare(history: History) -> History:
            return [*history[:1], user(f"Before: {history[-1]['content']}"), *history[-1:]]

        history = [user("One?"), answer("Yes."), user("Two?"), answer("Yes."), user("Three?")]
        (own,) = compare_strategies(history, api="openai-chat", names=[added(prepare)]).outcomes
        # Of the second request the first message is as before, of the third too.
        assert [turn.same_prefix for turn in own.turns] == [0, tokens(history[:1]), tokens(history[:1])]

    def test_a_refusal_keeps_the_active_history(self, added: Any) -> None:
        def prepare(history: History) -> Any:
            if len(history) == 3:
                raise Refusal("not_smaller", "it is as it is")
            if len(history) == 5:
                raise OSError("no disk: sorry")
            return history[-1:] if len(history) == 7 else None

        history = [user("One?")]
        for number in range(4):
            history += [answer("Yes."), user(f"{number}?")]
        (own,) = compare_strategies(history[:7], api="openai-chat", names=[added(prepare)]).outcomes
        assert [(turn.refused, turn.reason) for turn in own.turns] == [
            ("not_a_history", "it returned None, not a list"),
            ("not_smaller", "it is as it is"),
            ("OSError", "no disk: sorry"),
            ("", ""),
        ]
        assert [turn.messages for turn in own.turns] == [1, 3, 5, 1]
        assert own.final == history[6:7]
        assert len(own.refusals) == 3

    def test_one_that_cannot_begin_refuses_each_request(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def begin(_: Run) -> Prepare:
            raise Refusal("bad_argument", "no room")

        monkeypatch.setitem(STRATEGIES, "own", Strategy("own", "a strategy of one's own", begin))
        none, own = compare_strategies(one_question(1), names=["none", "own"]).outcomes
        assert [(turn.refused, turn.reason) for turn in own.turns] == [("bad_argument", "no room")] * 2
        assert own.final == none.final

    def test_of_a_long_history_fewer_are_made(self) -> None:
        history = [user("Start.")]
        for number in range(LONG_MESSAGES // 2):
            history += exchange(number, "x")
        (none,) = compare_strategies(history, names=["none"]).outcomes
        assert len(none.turns) == MOST_LONG_TURNS
        assert none.turns[-1].at == len(history)

    def test_of_many_some_are_made_spread_evenly(self) -> None:
        history = [user("Start.")]
        for number in range(450):
            history += exchange(number, f"result {number}")
        compared = compare_strategies(history)
        assert f"Of the 451 requests in it {MOST_TURNS} are made again" in " ".join(compared.notes)
        for outcome in compared.outcomes:
            ats = [turn.at for turn in outcome.turns]
            assert len(ats) == MOST_TURNS
            assert ats[-1] == len(history)
            assert {later - earlier for earlier, later in pairwise(ats)} == {4, 6}

    @pytest.mark.parametrize(
        ("history", "requests"),
        [
            ([], 0),
            ([answer("Hello.")], 0),
            ([user("漢字" * 2000)], 1),
            ([{"role": "system", "content": RULE}] * 2, 1),
            ([user("Go."), *exchange(0, "0123456789" * 20_000)], 2),
            ([*exchange(0, "seen")[1:], user("What?"), *exchange(1, "seen")[:1]], 1),
        ],
    )
    def test_no_history_is_too_odd(self, history: History, requests: int) -> None:
        compared = compare_strategies(history, api="openai-chat", limit=100)
        assert {len(outcome.turns) for outcome in compared.outcomes} == {requests}
        assert {outcome.new_findings for outcome in compared.outcomes} == {()}
        assert compared.text().startswith(f"a list: openai-chat, {len(history)} message")
        json.dumps(compared.to_json())


class TestFindings:
    def test_what_a_strategy_breaks_is_found(self, added: Any) -> None:
        history = one_question(3)
        name = added(lambda history: [message for message in history if message["role"] != "tool"])
        (own,) = compare_strategies(history, names=[name]).outcomes
        assert {finding.code for finding in own.new_findings} == {"unanswered_tool_use", "open_exchange"}
        assert own.new_findings[0].message == 2
        assert (
            f"own: {own.new_findings[0].code}: message 2" in compare_strategies(history, names=[name]).text()
        )

    def test_an_exchange_that_was_open_before_the_last_answer_is_not_new(self) -> None:
        history = [user("Go."), *exchange(0, "seen")[:1], answer("Done.")]
        assert compare_strategies(history, names=["none"]).outcomes[0].new_findings == ()

    def test_what_was_there_before_is_not_new(self, added: Any) -> None:
        orphan = exchange(7, "lost")[1:]
        history = [*one_question(1), *orphan, answer("So far."), user("Go on.")]
        compared = compare_strategies(history, names=["none", added(lambda history: [*history, *orphan])])
        none, own = compared.outcomes
        assert none.new_findings == ()
        # The same orphan once more for each request.
        assert [finding.code for finding in own.new_findings] == ["orphan_tool_message"] * 3
        assert "Findings in the history itself, which are not new here: 1." in compared.notes


class TestArguments:
    def test_the_limit(self) -> None:
        short, long = compare_strategies([user("Go.")]), compare_strategies(one_question(30))
        assert short.limit == 500
        assert long.limit == tokens(one_question(30)) // 2
        assert long.notes[0].startswith(f"The limit is half of the {tokens(one_question(30)):,} tokens")
        assert compare_strategies([user("Go.")], limit=7).limit == 7
        assert "The limit is 500 tokens, the least by default, since" in short.notes[0]
        for limit in (0, True, 1.5, "7", MOST_LIMIT + 1, 10**5000):
            with pytest.raises(Refusal, match=rf"^limit is .*, not an int from 1 to {MOST_LIMIT}$"):
                compare_strategies([], limit=limit)  # type: ignore[arg-type]

    def test_the_largest_limit_is_one_for_every_strategy(self) -> None:
        # Many characters for a token, so that in characters it is over what policy takes.
        compared = compare_strategies([user("Go." + " " * 1_000_000), *exchange(0, "x")], limit=MOST_LIMIT)
        assert [outcome.refusals for outcome in compared.outcomes] == [[]] * len(STRATEGIES)

    def test_the_names(self) -> None:
        chosen = compare_strategies([user("Go.")], names=["state", "none", "state"])
        assert [outcome.name for outcome in chosen.outcomes] == ["state", "none"]
        for names, told in (
            (["nine"], "there is no strategy 'nine'; there are none, trim,"),
            ([], "no strategy"),
        ):
            with pytest.raises(Refusal, match=told) as refused:
                compare_strategies([user("Go.")], names=names)
            assert refused.value.code == "bad_argument"

    def test_the_facts(self) -> None:
        facts = [
            Fact("rule", RULE),
            Fact("id", "ORD-2231"),
            Fact("figure", "42.50"),
            Fact("other", "the end"),
        ]
        history = [*one_question(9), answer("That is the end.")]
        compared = compare_strategies(history, facts=facts, limit=400, names=["none", "window"])
        none, window = compared.outcomes
        assert compared.facts == none.kept == tuple(facts[:2])
        assert (window.kept, window.lost) == ((facts[0],), (facts[1],))
        # Neither what stands nowhere nor what only the last answer says was in a request.
        assert [note for note in compared.notes if "no request says it" in note] == [
            "Left out, since no request says it: figure '42.50'.",
            "Left out, since no request says it: other 'the end'.",
        ]

    def test_a_history_that_is_none(self) -> None:
        for history in ("text", [1], [{"role": "boss", "content": "x"}], [user("\ud83d")]):
            with pytest.raises(Refusal) as refused:
                compare_strategies(history, api="openai-chat")
            assert refused.value.code == "not_a_history"


def test_other_shapes_are_converted_and_what_is_left_out_is_told() -> None:
    thinking = {"type": "thinking", "thinking": "Hm.", "signature": "c2ln"}
    history = [user("Go.")]
    for _ in range(3):
        history += [
            {"role": "assistant", "content": [thinking, {"type": "text", "text": "Yes."}]},
            user("On."),
        ]
    compared = compare_strategies(history, system=RULE)
    assert (compared.api, compared.messages) == ("anthropic-messages", 8)
    assert compared.outcomes[0].final[0] == {"role": "system", "content": RULE}
    assert compared.notes[0] == (
        "Converted to Chat Completions: a block of type 'thinking' is left out; Chat Completions have none "
        "there (message 1, block 0 and 2 more places)."
    )
    item = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Go."}]}
    assert compare_strategies([item]).outcomes[0].final == [user("Go.")]


def test_the_text_and_the_json() -> None:
    compared = compare_strategies(many_questions(9), limit=900, source="session.json")
    text = compared.text()
    head, _, columns, *rows = text.splitlines()
    assert head == "session.json: openai-chat, 56 messages in Chat form, 28 requests; limit 900 tokens"
    assert columns.split() == [
        *("strategy", "last", "largest", "over", "refused", "reused", "kept", "summaries", "tokens", "new")
    ]
    table = rows[: len(STRATEGIES)]
    # Aligned: each figure ends where the word above it does.
    assert {len(row) for row in table} == {len(columns)}
    assert [row.split()[0] for row in table] == [*STRATEGIES]
    assert all(f"\n  {column:9}  " in text for column in columns.split()[1:])
    assert SAID.split(".")[0] in " ".join(text.split())
    data = json.loads(json.dumps(compared.to_json()))
    assert (data["format"], data["limit"], data["messages"]) == ("ctxlab.strategies/1", 900, 56)
    fold = data["strategies"][[*STRATEGIES].index("fold")]
    assert fold["summaries"] == compared.outcomes[[*STRATEGIES].index("fold")].summaries > 0
    assert fold["turns"][-1]["tokens"] == fold["last"]
    assert len(fold["kept"]) + len(fold["lost"]) == len(data["facts"])
    assert "final" not in fold


def test_a_run_counts_and_remembers_its_own() -> None:
    seen: list[Run] = []

    def begin(run: Run) -> Prepare:
        seen.append(run)
        return lambda history: [user(run.summarize(history))] if not run.fits(history) else history

    strategy = Strategy("own", "summarise all", begin)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(STRATEGIES, "own", strategy)
        first, second = (
            compare_strategies(one_question(6), names=["own"], limit=300).outcomes[0] for _ in range(2)
        )
    assert first == second
    assert first.summaries == seen[0].summarize.calls > 1
    assert seen[0].goal == one_question(1)[1]["content"]
    assert seen[0].count(one_question(6)) == tokens(one_question(6))


def test_the_text_breaks_no_word() -> None:
    path = "/srv/" + "-".join(["part"] * 15)
    for size in range(20):
        facts = [Fact("other", f"{'x' * size} {path}")]
        assert path in compare_strategies([user("Go.")], names=["none"], facts=facts).text()


def test_a_secret_that_only_the_tools_show_is_no_fact() -> None:
    password = "Tr0ub4dor-x77qzk"
    report = report_on([user(f"Take {password}.")])
    assert compare_reported(report).facts == (Fact("id", password),)
    tools = [{"password": password}]
    transcript = replace(report.transcript, tools=tools)
    report = replace(report, transcript=transcript, secrets=found_secrets({"tools": tools}))
    assert compare_reported(report).facts == ()
