"""Secrets in a run: found wherever they stand, and on no page that masks them."""

import json
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ctxlab.errors import CtxlabError
from ctxlab.messages.wording import shown
from ctxlab.player.compare import Compare
from ctxlab.player.disclosing import SecretsError
from ctxlab.player.export import page
from ctxlab.player.masking import RunMask
from ctxlab.player.payload import payload
from ctxlab.player.widget import Player
from ctxlab.reference import (
    check_pairs,
    count_request,
    prepare_context,
    run_loop,
    split_history,
    trim_results,
)
from ctxlab.scenarios import load_scenario, scenario_names
from ctxlab.scenarios.fields import Fact
from ctxlab.tracer.run import trace
from ctxlab.tracer.traces import Trace

History = list[dict[str, Any]]

BODY = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0"
KEY_LINE = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSj"

# Each stands in the place that its name says.
SECRETS = {
    "text": f"sk-ant-api03-{BODY}",
    "preview": f"sk-proj-{BODY}",  # where the preview on a card ends
    "key of an object": "AKIAABCDEFGHIJKLMNOP",
    "id": "ghp_" + "aB3" * 12,
    "other id": "ghp_" + "bC4" * 12,
    "password": "tr0ub4dor&3",  # only the name beside it tells that it is one
    "in the outcome": "xoxb-" + "123456789012-abcDEFghi",
    "cut short": f"sk-proj-{BODY * 3}",
    "private key": f"-----BEGIN PRIVATE KEY-----\n{KEY_LINE}\n-----END PRIVATE KEY-----",
    "line of a private key": KEY_LINE,
    "setting": "correct-horse-battery",
    "variable": "wrong-horse-battery",
    "start of a long text": "glpat-aB3dE6gH9jK2mN5pQ8sT",
    "operand": "hf_" + "aBcDeFgHiJ" * 3 + "abcd",
    "comment": "s3cr3t-in-a-comment",
    "literal": "s3cr3t-in-a-literal",
    "scenario": "sk_live_" + "abcDEF1234567890",
    "promise": "npm_" + "aB3" * 12,
    "fact": "AIza" + "Ab3-_" * 7,
    "caught": "gsk_" + BODY,
}


def leaky(messages: History, config: dict[str, str], token: str, long: str) -> None:
    address = "postgres://ada:s3cr3t-in-a-literal@db.local/x"
    # It was postgres://ada:s3cr3t-in-a-comment@db.local/x before.
    if token == address:
        return
    password = config["client_secret"].replace("correct", "wrong")
    lines = messages[0]["content"].splitlines()
    if lines[1] == password:
        return
    long = long + "."
    try:
        fail(messages[0]["content"][-48:])
    except ValueError:
        lines = []
    copy = []
    for message in messages:
        copy.append(dict(message))
    fail(messages[2]["content"][0]["content"])


def fail(text: str) -> None:
    raise ValueError(text)


def renewed(messages: History) -> History:
    copy = []
    for message in messages:
        copy.append(dict(message))
    return copy


def exchange(call: str, given: dict[str, Any], text: str) -> History:
    return [
        {"role": "assistant", "content": [{"type": "tool_use", "id": call, "name": "read", "input": given}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": call, "content": text}]},
    ]


def history() -> History:
    text = f"{SECRETS['private key']}\n{SECRETS['text']} {'of ' * 12}".ljust(190)
    text += f"{SECRETS['preview']} {SECRETS['caught']}"
    cut = f"{shown('x' * 78 + ' ' + SECRETS['cut short'])} and {SECRETS['cut short']}"
    return [
        {"role": "user", "content": text},
        *exchange(
            SECRETS["id"],
            {"password": SECRETS["password"], SECRETS["key of an object"]: 1},
            f"logged in with {SECRETS['password']}, {SECRETS['in the outcome']}, {cut}",
        ),
        *exchange(SECRETS["other id"], {}, SECRETS["fact"]),
    ]


@pytest.fixture(scope="module")
def run() -> Trace:
    scenario = replace(
        load_scenario("normal"),
        name=f"on {SECRETS['scenario']}",
        promise=f"of {SECRETS['promise']}",
        must_survive=(Fact(kind="id", text=SECRETS["fact"]),),
    )
    long = f"{SECRETS['start of a long text']} {'x ' * 1000}"
    config = {"client_secret": SECRETS["setting"]}
    return trace(leaky, history(), config, SECRETS["operand"], long, scenario=scenario)


def texts(value: Any) -> Iterator[str]:
    """Yield every text of a JSON value, keys included."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from value
        for item in value.values():
            yield from texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from texts(item)


def leaks(html: str) -> set[str]:
    """Return the names of the secrets that a page holds, in its state or outside of that."""
    state = re.findall(r'<script type="application/json"[^>]*>(.*?)</script>', html, re.DOTALL)[0]
    held = "\0".join([html, *texts(json.loads(state))])
    return {name for name, secret in SECRETS.items() if secret in held}


def player(run: Trace) -> Player:
    made = Player(run, predict="outcome")
    made.predictions = [
        {
            "ask": "outcome",
            "step": 0,
            "answer": "returns",
            "reason": SECRETS["text"],
            "tries": 1,
            "right": False,
        }
    ]
    return made


def compare(run: Trace) -> Compare:
    return Compare(run, run, names=(SECRETS["key of an object"], "mine"))


PAGES = [lambda run: run, player, compare]


@pytest.fixture(params=PAGES, ids=["trace", "player", "compare"])
def shown_run(request: pytest.FixtureRequest, run: Trace) -> Any:
    make: Callable[[Trace], Any] = request.param
    return make(run)


def test_a_page_that_masks_holds_no_secret_at_all(shown_run: Any, tmp_path: Path) -> None:
    file = tmp_path / "run.html"
    shown_run.save_html(file, secrets="mask")
    html = file.read_text(encoding="utf-8")
    assert leaks(html) == set()
    assert BODY[:12] not in html, "nor the beginning of one, where a text is cut short"
    assert html.count(" masked, ") > 20


def test_a_page_that_keeps_holds_them_all(shown_run: Any, tmp_path: Path) -> None:
    shown_run.save_html(tmp_path / "run.html", secrets="keep")
    assert leaks((tmp_path / "run.html").read_text(encoding="utf-8")) == set(SECRETS)


def test_no_page_is_written_unless_one_of_both_is_chosen(shown_run: Any, tmp_path: Path) -> None:
    with pytest.raises(SecretsError) as caught:
        shown_run.save_html(tmp_path / "run.html")
    said = str(caught.value)
    assert "message 0, content; message 1, content[0].id" in said
    assert "Anthropic key" in said
    assert "give secrets='mask'" in said
    assert not [name for name, secret in SECRETS.items() if secret in said]
    with pytest.raises(CtxlabError, match="secrets is 'hide'; give one of 'refuse', 'mask', 'keep'"):
        shown_run.save_html(tmp_path / "run.html", secrets="hide")
    assert list(tmp_path.iterdir()) == []


def test_what_is_beside_a_run_counts_too(tmp_path: Path) -> None:
    sound = trace(split_history, scenario="normal")
    page = Player(sound, predict="outcome")
    page.predictions = [{"reason": SECRETS["text"]}]
    with pytest.raises(SecretsError, match=re.escape("in predictions, [0].reason;")):
        page.save_html(tmp_path / "run.html")
    with pytest.raises(SecretsError, match=re.escape("in names, [1];")):
        Compare(sound, sound, names=("mine", SECRETS["in the outcome"])).save_html(tmp_path / "run.html")


def test_every_place_is_found(run: Trace) -> None:
    places = {(secret.path[0], secret.path[-1]) for secret in RunMask([run], {}).found}
    assert places >= {
        ("messages", "content"),
        ("messages", "id"),
        ("messages", "password"),
        ("messages", "tool_use_id"),
        ("the source", "leaky"),
        ("the scenario", "name"),
        ("the scenario", "promise"),
        ("the scenario", "text"),
        ("the outcome", "message"),
        ("named", "client_secret"),
        ("named", "password"),
        ("named", "token"),
    }


def test_figures_steps_and_pairs_stay_those_of_the_real_run(run: Trace) -> None:
    mask = RunMask([run], {})
    masked = mask.trace(run)
    real, made = payload(run), payload(run, mask=mask)
    for figure in ("bytes", "tokens", "chars"):
        assert [card[figure] for card in made["cards"]] == [card[figure] for card in real["cards"]]
    for part in ("steps", "places", "histories", "provenance"):
        assert masked.data[part] == run.data[part]
    assert [node["line"] for node in made["maps"][0]["nodes"]] == [
        node["line"] for node in real["maps"][0]["nodes"]
    ]
    calls = [card["calls"] for card in made["cards"] if card["calls"]]
    assert calls == [card["results"] for card in made["cards"] if card["results"]]
    assert calls[0] != calls[1], "two secrets of a kind stay two"
    assert Trace.from_json(masked.to_json()).text() == masked.text()


def test_findings_are_those_of_the_real_run_and_quote_no_secret() -> None:
    waiting = history()[:2]  # a call without its result, whose id is a secret
    run = trace(renewed, waiting)
    real, made = payload(run)["findings"], payload(run, mask=RunMask([run], {}))["findings"]
    assert real
    assert [finding["code"] for finding in made] == [finding["code"] for finding in real]
    assert SECRETS["id"] in json.dumps(real)
    assert SECRETS["id"] not in json.dumps(made)


def test_the_run_itself_is_unchanged(run: Trace) -> None:
    before = run.dumps()
    page(run, secrets="mask")
    assert run.dumps() == before


def with_private_key() -> str:
    return """-----BEGIN PRIVATE KEY-----
MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSj
-----END PRIVATE KEY-----"""


def test_lines_of_a_source_keep_their_numbers() -> None:
    run = trace(with_private_key)
    masked = RunMask([run], {}).trace(run)
    before, after = (made.data["sources"][0]["text"] for made in (run, masked))
    assert KEY_LINE in before
    assert KEY_LINE not in after
    assert len(after.splitlines()) == len(before.splitlines())
    assert [node["line"] for node in payload(masked)["maps"][0]["nodes"]] == [
        node["line"] for node in payload(run)["maps"][0]["nodes"]
    ]


@pytest.mark.parametrize("word", ["content", "renewed"])
def test_a_password_that_is_a_word_of_the_form_or_of_the_source_breaks_no_page(word: str) -> None:
    said = [{"role": "user", "content": "hello"}, *exchange("call_1", {"password": word}, "done")]
    run = trace(renewed, said)
    assert RunMask([run], {}).trace(run).to_json() == run.to_json()


def test_a_password_in_another_word_is_masked_only_where_it_stands_alone() -> None:
    said = [
        {"role": "user", "content": "sword and swordfishes"},
        *exchange("c", {"password": "swordfish"}, "x"),
    ]
    run = trace(renewed, said)
    masked = "\n".join(RunMask([run], {}).trace(run).data["strings"])
    assert "sword and swordfishes" in masked
    assert "[named secret masked, 9 characters]" in masked


def told(key: str) -> str:
    if key == "a":
        return "yes"
    return "no"


def test_two_runs_still_compare_as_they_did() -> None:
    runs = [trace(told, f"sk-ant-api03-{letter}{BODY}") for letter in "XY"]
    verdicts = Compare(*runs).compared.verdicts
    mask = RunMask(runs, {})
    assert Compare(*map(mask.trace, runs)).compared.verdicts == verdicts == ["values"]


def test_a_page_without_secrets_is_the_same_with_each_choice(
    hostile_trace: Trace, large_trace: Trace
) -> None:
    for run in (hostile_trace, large_trace):
        assert page(run) == page(run, secrets="keep") == page(run, secrets="mask")


class Odd(str):
    """No plain text: in a trace its label stands for it."""


def passed_on(messages: list[Any], odd: Odd, act: Callable[..., Any]) -> Any:
    if odd == messages[0]:
        return None
    messages.append([odd])
    act(odd)
    return odd


def test_labels_facts_and_notes_of_a_trace_from_elsewhere_are_masked_too(tmp_path: Path) -> None:
    scenario = replace(load_scenario("normal"), must_survive=(Fact(kind="id", text=SECRETS["fact"]),))
    kept = trace(renewed, history(), scenario=scenario)
    assert kept.facts
    assert SECRETS["fact"] not in RunMask([kept], {}).trace(kept).dumps()
    odd = trace(passed_on, [{"role": "user", "content": Odd()}], Odd(), act=lambda odd: None)
    data = json.loads(odd.dumps().replace("<Odd>", SECRETS["text"]))
    assert (
        json.dumps([data[part] for part in ("messages", "heap", "decisions", "calls", "outcome")]).count(
            SECRETS["text"]
        )
        >= 5
    )
    data["notes"] = [f"a note on {SECRETS['text']}"]
    elsewhere = Trace.from_json(data)
    with pytest.raises(SecretsError, match="message 0, content; the notes, "):
        elsewhere.save_html(tmp_path / "run.html")
    assert SECRETS["text"] not in page(elsewhere, secrets="mask")
    data["messages"], data["notes"] = odd.to_json()["messages"], []
    with pytest.raises(SecretsError, match="a value of the run"):
        Trace.from_json(data).save_html(tmp_path / "run.html")


def test_odd_runs_can_be_masked(odd_trace: Trace) -> None:
    # What is beside them holds a secret, so that every text is looked at.
    masked = RunMask([odd_trace], {"names": [SECRETS["text"]]}).trace(odd_trace)
    assert masked.to_json() == odd_trace.to_json()


@pytest.mark.parametrize(
    "function", [check_pairs, count_request, prepare_context, run_loop, split_history, trim_results]
)
def test_no_example_is_refused(function: Callable[..., Any]) -> None:
    runs = [trace(function, scenario=name) for name in scenario_names()]
    assert RunMask(runs, {}).found == []


def test_thousands_of_passwords_take_no_minutes() -> None:
    said: History = [{"role": "user", "content": "hello"}]
    for number in range(2000):
        text = f"{number}: {'a line of words ' * 30} hunter-{number}-x"
        said += exchange(f"call_{number}", {"password": f"hunter-{number}-x"}, text)
    run = trace(renewed, said)
    start = time.monotonic()
    mask = RunMask([run], {})
    masked = mask.trace(run)
    assert time.monotonic() - start < 20
    assert len(mask.found) == 2000
    assert "-1999-x" not in masked.dumps()


class Client:
    """Keeps what it needs to be let in."""

    def __init__(self, password: str) -> None:
        self.password = password

    def ready(self) -> bool:
        """Say whether it can be let in."""
        return bool(self.password)


def test_a_secret_in_a_field_of_an_object_is_masked(tmp_path: Path) -> None:
    client = Client(SECRETS["password"])
    recorded = trace(client.ready)
    with pytest.raises(SecretsError):
        recorded.save_html(tmp_path / "refused.html")
    recorded.save_html(tmp_path / "page.html", secrets="mask")
    assert SECRETS["password"] not in (tmp_path / "page.html").read_text("utf-8")


def test_a_secret_in_the_name_of_a_class_is_masked() -> None:
    recorded = trace(Client("").ready)
    elsewhere = Trace.from_json(json.loads(recorded.dumps().replace("o:Client", f"o:{SECRETS['text']}")))
    assert SECRETS["text"] in page(elsewhere, secrets="keep")
    assert SECRETS["text"] not in page(elsewhere, secrets="mask")
