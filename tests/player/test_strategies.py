"""Strategies as a widget: what it takes and refuses, its state and faces, and the page that it saves."""

import json
import re
from html import unescape
from pathlib import Path
from typing import Any

import pytest

import ctxlab
from ctxlab.errors import CtxlabError, HistoryError, Refusal
from ctxlab.messages.report import report_on
from ctxlab.player.disclosing import SecretsError
from ctxlab.player.module import joined_module
from ctxlab.player.strategies import Strategies
from ctxlab.player.strategies_state import headline
from ctxlab.strategies.facts import Fact
from ctxlab.strategies.registry import STRATEGIES

VIEW = "application/vnd.jupyter.widget-view+json"
PARTS = ["heading", "limit", "moments", "facts", "strategies", "cards", "place"]
TRANSCRIPTS = Path(__file__).parent.parent / "data" / "transcripts"
KEY = "AKIA" + "IOSFODNN7ABCDEFG"

History = list[dict[str, Any]]


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def exchange(number: int, result: str) -> History:
    function = {"name": "read_file", "arguments": json.dumps({"path": f"part_{number}.py"})}
    call = {"id": f"call_{number}", "type": "function", "function": function}
    return [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": f"call_{number}", "content": result},
    ]


def asked(exchanges: int) -> History:
    history = [user("Ask before you delete anything. What did ORD-2231 cost?")]
    for number in range(exchanges):
        history += exchange(number, f"part {number}\n" + "read and noted " * 30)
    return history


def sent(page: Strategies) -> dict[str, Any]:
    """What the page gets, packed as a kernel packs it."""
    packed = json.dumps(page.get_state(PARTS), ensure_ascii=False, allow_nan=False).encode("utf-8")
    state: dict[str, Any] = json.loads(packed)
    return state


def scripts(html: str) -> list[str]:
    return re.findall(r"<script[^>]*>(.*?)</script>", html, re.DOTALL)


def test_is_public() -> None:
    assert ctxlab.Strategies is Strategies


def test_the_state_has_the_figures_of_the_comparison() -> None:
    made = Strategies(asked(9), limit=400)
    state = sent(made)
    assert (state["limit"], state["moments"]) == (400, [1, 3, 5, 7, 9, 11, 13, 15, 17, 19])
    assert [strategy["name"] for strategy in state["strategies"]] == [*STRATEGIES]
    for strategy, outcome in zip(state["strategies"], made.comparison.outcomes, strict=True):
        assert strategy["tokens"] == [turn.tokens for turn in outcome.turns]
        assert (strategy["last"], strategy["largest"]) == (strategy["tokens"][-1], max(strategy["tokens"]))
        assert strategy["last_share"] == strategy["last"] * 100 // 400
        assert strategy["reused_share"] == 100 * sum(strategy["same"]) // sum(strategy["tokens"])
        assert [state["facts"][number]["text"] for number in strategy["lost"]] == [
            fact.text for fact in outcome.lost
        ]
        shown = [state["cards"][number] for number in strategy["final"]]
        assert [card["role"] for card in shown] == [message["role"] for message in outcome.final]
        assert strategy["messages"][-1] == len(shown)
        assert [refusal["turn"] for refusal in strategy["refusals"]] == [
            turn for turn, made_of in enumerate(outcome.turns) if made_of.refused
        ]
    names = [strategy["name"] for strategy in state["strategies"]]
    made_by = {
        name: sum(state["cards"][number]["made"] for number in strategy["final"])
        for name, strategy in zip(names, state["strategies"], strict=True)
    }
    assert made_by["none"] == made_by["window"] == 0
    assert made_by["shrink"] == 9, "every result is cut"
    # Each message is there once, however many strategies kept it.
    assert len(state["cards"]) < sum(len(strategy["final"]) for strategy in state["strategies"]) / 2


def test_opens_at_the_first_strategy_that_lost_something() -> None:
    made = Strategies(asked(9), limit=400)
    strategy, turn = made.place
    outcomes = made.comparison.outcomes
    assert turn == 9
    assert outcomes[strategy].lost or outcomes[strategy].refusals
    assert not any(outcome.lost or outcome.refusals for outcome in outcomes[:strategy])
    assert Strategies(asked(1)).place == [0, 1]


@pytest.mark.parametrize(
    ("history", "given", "said"),
    [
        (
            asked(9),
            {"limit": 400, "names": ["none"]},
            "None of 1 strategy keeps every request within 400 tokens.",
        ),
        (
            asked(9),
            {"limit": 400, "names": ["none", "window"]},
            "1 of 2 strategies keeps every request within 400 tokens. "
            "Of these, none still says all 10 facts at the end.",
        ),
        (
            asked(1),
            {"names": ["none", "trim"]},
            "2 of 2 strategies keep every request within 500 tokens. "
            "Of these, all still say all 3 facts at the end.",
        ),
        (
            asked(1),
            {"names": ["none"], "facts": [{"kind": "id", "text": "ORD-2231"}]},
            "1 of 1 strategy keeps every request within 500 tokens. "
            "Of these, 1 still says the one fact at the end.",
        ),
        ([user("Go.")], {}, "9 of 9 strategies keep every request within 500 tokens."),
        (
            [{"role": "assistant", "content": "Hm."}],
            {},
            "No request was made in this history, so no strategy had anything to do.",
        ),
    ],
)
def test_the_headline(history: History, given: dict[str, Any], said: str) -> None:
    made = Strategies(history, **given)
    assert headline(made.comparison) == made.heading["headline"] == said
    assert repr(made) == f"<Strategies on a list of messages: {said}>"


@pytest.mark.parametrize("file", sorted(TRANSCRIPTS.glob("*.json*")), ids=lambda file: file.name)
def test_shows_a_file_of_each_format(file: Path) -> None:
    state = sent(Strategies(file, limit=40, names=["none", "window"]))
    report = report_on(file)
    assert state["heading"]["name"] == str(file)
    assert state["heading"]["facts"][0] == report.transcript.api
    assert state["heading"]["lines"][: len(report.transcript.notes)] == report.transcript.notes
    assert len(state["moments"]) > 0


def test_facts_are_a_list_or_a_file(tmp_path: Path) -> None:
    facts = [{"kind": "figure", "text": "part 0"}, Fact("id", "ORD-2231"), {"kind": "other", "text": "part"}]
    state = sent(Strategies(asked(9), limit=400, names=["window"], facts=facts))
    assert [fact["text"] for fact in state["facts"]] == ["part 0", "ORD-2231", "part"]
    assert state["strategies"][0]["lost"] == [0, 1]
    (tmp_path / "facts.yaml").write_text("- {kind: figure, text: part 0}\n", encoding="utf-8")
    read = Strategies(asked(9), limit=400, names=["window"], facts=tmp_path / "facts.yaml")
    assert read.facts == [{"kind": "figure", "text": "part 0"}]


@pytest.mark.parametrize(
    ("facts", "why"),
    [
        (7, "facts is 7; give a list of {kind, text}, or the path of a file"),
        ([{"text": "x"}], "fact 0 is {'text': 'x'}; write it as {kind: KIND, text: TEXT}"),
        ("none.yaml", "there is no file none.yaml; check the path"),
    ],
)
def test_refuses_facts_that_are_none(facts: Any, why: str) -> None:
    with pytest.raises(CtxlabError, match=re.escape(why)):
        Strategies(asked(1), facts=facts)


def test_refuses_what_cannot_be_compared() -> None:
    with pytest.raises(HistoryError, match=r"no file missing\.json"):
        Strategies("missing.json")
    with pytest.raises(Refusal, match="there is no strategy 'nine'"):
        Strategies(asked(1), names=["nine"])
    with pytest.raises(Refusal, match="limit is 0"):
        Strategies(asked(1), limit=0)
    with pytest.raises(Refusal, match="has no UTF-8 JSON form"):
        Strategies([user("\ud800")])
    report = report_on(asked(1))
    assert Strategies(report).report is report
    with pytest.raises(CtxlabError, match=r"^a Report is made already; give api and session"):
        Strategies(report, session="a")


def test_has_a_live_a_static_and_a_text_face() -> None:
    made = Strategies(asked(9), limit=60)
    data, _ = made._repr_mimebundle_()
    assert data.keys() == {VIEW, "text/html", "text/plain"}
    assert data["text/plain"] == made.text() == made.comparison.text()
    html = unescape(data["text/html"])
    assert "<script" not in html
    assert f"Strategies on a list of messages: {made.heading['headline']}" in html
    for outcome in made.comparison.outcomes:
        assert outcome.says in html
        for said in (*outcome.notes, *(turn.refused for turn in outcome.refusals)):
            assert said in html
    for fact in made.comparison.facts:
        assert fact.text in html
    assert ">lost<" in html
    assert f">{made.comparison.outcomes[0].last:,} (" in html


def test_hostile_text_reaches_the_page_and_leaves_no_markup(hostile: str, tmp_path: Path) -> None:
    said = hostile.removesuffix("\ud800")
    history = [user(f"You must {said}"), *exchange(1, said * 9), *exchange(2, "x" * 9000), user(said)]
    history[1]["tool_calls"][0]["function"]["name"] = said
    made = Strategies(history, limit=200, facts=[Fact("other", said)])
    assert sent(made)["facts"][0]["text"] == said
    assert sent(made)["cards"][0]["preview"] == f"You must {said}"
    assert "<img" not in made.html()
    made.save_html(tmp_path / "page.html")
    html = (tmp_path / "page.html").read_text(encoding="utf-8")
    found = scripts(html)
    assert len(found) == 3
    assert "<" not in found[0] + found[1]
    assert "<img" not in html.replace(found[2], "")


def test_saves_a_page_with_its_own_module_at_this_place(tmp_path: Path) -> None:
    made = Strategies(asked(5), limit=200)
    made.place = [3, 2]
    made.save_html(tmp_path / "page.html")
    html = (tmp_path / "page.html").read_text(encoding="utf-8")
    state, module, _ = scripts(html)
    assert json.loads(state) == sent(made)
    assert json.loads(state)["place"] == [3, 2]
    assert json.loads(module) == joined_module("strategies.js")
    assert "<title>Strategies on a list of messages</title>" in html
    assert "the oldest groups go to an archive" in html.partition("<noscript>")[2]


def with_secrets() -> History:
    """A history with a key in a rule, in arguments, and in a result that a refusal may quote."""
    history = asked(3)
    history[0] = user(f"You must never show {KEY} to anybody.")
    history[1]["tool_calls"][0]["function"]["arguments"] = json.dumps({"password": "correct-horse-battery"})
    return [*history, user(f"Log in with correct-horse-battery and {KEY}.")]


def test_a_page_with_secrets_is_refused_masked_or_keeps_them(tmp_path: Path) -> None:
    made = Strategies(with_secrets(), limit=150)
    page = tmp_path / "page.html"
    with pytest.raises(SecretsError, match="the page is not written") as refused:
        made.save_html(page)
    assert KEY not in str(refused.value)
    assert list(tmp_path.iterdir()) == []
    made.save_html(page, secrets="keep")
    kept = page.read_text(encoding="utf-8")
    made.save_html(page, secrets="mask")
    masked = page.read_text(encoding="utf-8")
    for secret in (KEY, KEY[:8], "correct-horse"):
        assert secret in kept
        assert secret not in masked
    whole, shown = (json.loads(scripts(text)[0]) for text in (kept, masked))
    assert "You must never show [AWS access key id masked, 20 characters] to anybody." in (
        card["preview"] for card in shown["cards"]
    )
    assert [card["bytes"] for card in shown["cards"]] == [card["bytes"] for card in whole["cards"]]
    for before, after in zip(whole["strategies"], shown["strategies"], strict=True):
        assert (before["tokens"], before["final"], before["lost"]) == (
            after["tokens"],
            after["final"],
            after["lost"],
        )
    assert "Masked on this page: " in shown["heading"]["lines"][-1]
    assert whole["heading"]["warning"].startswith("3 texts look like secrets: AWS access key id")
    with pytest.raises(CtxlabError, match="secrets is 'hide'; give one of 'refuse', 'mask', 'keep'"):
        made.save_html(page, secrets="hide")


def test_a_secret_that_a_strategy_cuts_is_masked(tmp_path: Path) -> None:
    secret = "Zq7!kP2x&Wm9vT4^rL8*nB3%yH6@jD1$cF5"
    history = asked(0)
    # At both ends of each result, so that every way to cut one meets some part of the secret.
    secrets = f'password="{secret}"\n' * 40
    for number in range(24):
        history += exchange(
            number, f"{'x' * (64 + 2 * number)} {secrets}{'y' * 4000}\n{secrets}{'z' * number}"
        )
    made = Strategies(history, limit=1500)
    made.save_html(tmp_path / "page.html", secrets="mask")
    cards = json.dumps(json.loads(scripts((tmp_path / "page.html").read_text(encoding="utf-8"))[0])["cards"])
    assert [at for at in range(len(secret) - 7) if secret[at : at + 8] in cards] == []
    assert [size for size in range(4, 9) if secret[:size] in cards] == []


def test_a_secret_that_only_a_given_fact_holds_is_no_way_out(tmp_path: Path) -> None:
    made = Strategies(asked(1), facts=[Fact("id", "ORD-2231"), Fact("id", KEY)])
    assert KEY in made.heading["lines"][-1]
    with pytest.raises(SecretsError, match="the page is not written"):
        made.save_html(tmp_path / "page.html")
    made.save_html(tmp_path / "page.html", secrets="mask")
    assert KEY not in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_a_large_history_has_each_message_once() -> None:
    state = Strategies(asked(600), names=["none", "pack"]).get_state(PARTS)
    assert len(state["moments"]) == 200
    none, pack = (strategy["final"] for strategy in state["strategies"])
    assert len(none) == 1201
    assert 300 < len(pack) < 1201
    # Nearly all that pack keeps is in the whole history.
    assert 1201 <= len(state["cards"]) < 1210


def test_nothing_is_changed() -> None:
    messages = with_secrets()
    before = json.dumps(messages)
    Strategies(messages, limit=150)
    assert json.dumps(messages) == before
