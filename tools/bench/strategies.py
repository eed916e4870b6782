"""Each strategy on one history, beside its nearest public peer, and what both leave broken."""

import math
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from ctxlab.errors import Refusal
from ctxlab.messages.diagnosis.examining import diagnose
from ctxlab.messages.encoding import compact_json
from ctxlab.messages.spoken import spoken
from ctxlab.strategies.registry import STRATEGIES
from ctxlab.strategies.stand_in import StandIn
from ctxlab.strategies.strategy import Limits, Run, Tokens

from .chat_workload import SYSTEM, conversation, one_question
from .report import Table
from .strategy_peers import (
    AGENT,
    BUFFER,
    CAREFUL_TRIM,
    CLEAR,
    LAST_TEN,
    PLAIN_TRIM,
    SLICE,
    SUMMARISE,
    Case,
    Peer,
)
from .timing import in_turn, milliseconds, ratio
from .workload import History

# How many rounds are timed for each number of messages.
SIZES = {101: 9, 1001: 7, 10_001: 3}
# What is left broken depends on where a cut falls, so it is looked at in so many more histories.
SAMPLES = 40
SAMPLE_SIZE = 101

COLUMNS = ["messages", "ours", "peer", "ours / peer", "ours leaves", "peer leaves"]

INTRODUCTION = f"""\
  One preparation of a whole history for the next request. Histories in Chat form with parallel calls, null
  content and three huge results, each 6 or 7 % of it; they end with results, and no exchange is open.
  Both sides estimate tokens as characters / 4, so that rules are compared and not tokenizers. The limit is
  half of the history where nothing else is said. Broken is what diagnose finds where the system text and the
  newest question are pinned. The last row of each table is on {SAMPLES} more histories."""


@dataclass(frozen=True)
class Pair:
    """A strategy and a peer on the same work: histories, and a limit in percent of their tokens.

    `measured` says in a sentence what the time of the strategy is that of.
    """

    strategy: str
    peer: Peer | None
    histories: Callable[[int, int], History]
    measured: str
    percent: int = 50


FILLED = "Ours fills a new window message by message; in a loop only the new ones are added."
RUN = (
    "One question with all exchanges. Ours converts them to block form and back, and checks and copies them."
)
LOG = "Ours makes its log of all exchanges, and copies what it keeps; in a loop only new ones enter the log."

PAIRS = (
    Pair("none", None, conversation, "Ours returns the list that it is given."),
    Pair("trim", CLEAR, one_question, RUN),
    Pair("prepare", SUMMARISE, one_question, f"{RUN} Limit 10 %, so that a summary is needed.", 10),
    Pair("window", PLAIN_TRIM, conversation, FILLED),
    Pair("window", CAREFUL_TRIM, conversation, FILLED),
    Pair("window", CAREFUL_TRIM, one_question, f"One question with all exchanges. {FILLED}"),
    Pair("window", SLICE, conversation, FILLED),
    Pair("window", AGENT, conversation, FILLED),
    Pair("pack", BUFFER, conversation, "Ours builds the context of the whole history, as for each request."),
    Pair("shrink", None, conversation, "Ours cuts all long results at once; in a loop each as it enters."),
    Pair(
        "fold",
        SUMMARISE,
        conversation,
        "Ours stores all messages in a new database in memory, and folds once; in a loop only the new ones "
        "are stored. Limit 80 %: the session has just outgrown it.",
        80,
    ),
    Pair("policy", CLEAR, conversation, LOG),
    Pair("state", LAST_TEN, conversation, LOG),
)


class Estimated(Tokens):
    """Counts a text as a quarter of its characters, as the peers do."""

    def of_text(self, text: str) -> int:
        return math.ceil(len(text) / 4)


def rows() -> Iterator[Table]:
    """Measure each pair."""
    print(INTRODUCTION)
    for pair in PAIRS:
        yield measured(pair, SIZES, SAMPLES)


def measured(pair: Pair, sizes: dict[int, int], samples: int) -> Table:
    """Time a pair at each size, in so many rounds, and look at what it leaves in so many more histories."""
    name = f"{pair.strategy} / {pair.peer.name}" if pair.peer else f"{pair.strategy}, which has no peer here"
    differs = [pair.peer.differs] if pair.peer else []
    table = [COLUMNS, *(timed(pair, size, rounds) for size, rounds in sizes.items()), sampled(pair, samples)]
    return Table(name, table, [pair.measured, *differs])


def timed(pair: Pair, size: int, rounds: int) -> list[str]:
    """Return the row of one size."""
    history = pair.histories(size, 0)
    sides, missing = cases(pair, history)
    leaves = {name: left(case, history) for name, case in sides.items()}
    times = in_turn(
        {name: case.prepare for name, case in sides.items() if not leaves[name].failed},
        rounds=rounds,
        repeat=max(1, 1000 // size),
    )
    took = {name: f"{milliseconds(times, name):,.2f} ms" for name in times}
    compared = f"{ratio(times, 'ours', 'peer'):,.2f}" if len(times) == 2 else ""
    words = {name: found.text() for name, found in leaves.items()}
    return [
        f"{size:,}",
        took.get("ours", ""),
        took.get("peer", ""),
        compared,
        words["ours"],
        words.get("peer", missing),
    ]


def sampled(pair: Pair, samples: int) -> list[str]:
    """Return the row of many histories, none of which is that of a timed row."""
    found: dict[str, list[Left]] = {"ours": [], "peer": []}
    missing = ""
    for seed in range(1, samples + 1):
        history = pair.histories(SAMPLE_SIZE, seed)
        sides, missing = cases(pair, history)
        for name, case in sides.items():
            found[name].append(left(case, history))
    peer = together(found["peer"]) if found["peer"] else missing
    return [f"{samples} x {SAMPLE_SIZE}", "", "", "", together(found["ours"]), peer]


def cases(pair: Pair, history: History) -> tuple[dict[str, Case], str]:
    """Return what is compared on a history, and why there is no peer, or ""."""
    tokens = Estimated()
    limit = tokens.of_all(history) * pair.percent // 100
    sides = {"ours": own(pair.strategy, history, limit, tokens)}
    if pair.peer is None:
        return sides, ""
    try:
        sides["peer"] = pair.peer.begin(history, limit)
    except ImportError:
        return sides, "not installed"
    return sides, ""


def own(name: str, history: History, limit: int, tokens: Tokens) -> Case:
    """Return a case of a strategy, which begins anew each time."""
    whole = tokens.of_all(history)
    form = compact_json(history)
    texts = [text for message in history for text in spoken(message)]
    run = Run(
        limits=Limits(limit),
        tokens=tokens,
        goal=next(message["content"] for message in history if message["role"] == "user"),
        characters_per_token=sum(map(len, texts)) / whole,
        json_characters_per_token=len(form.decode("utf-8")) / whole,
        bytes_per_token=len(form) / whole,
        summarize=StandIn(tokens.of_text),
    )
    strategy = STRATEGIES[name]
    return Case(lambda: strategy.begin(replace(run, notes=[]))(history), lambda made: made)


@dataclass(frozen=True)
class Left:
    """What a preparation leaves: messages, and what is broken in them; or why there are none."""

    messages: int = 0
    broken: Counter[str] = field(default_factory=Counter)
    failed: str = ""

    def text(self) -> str:
        if self.failed:
            return self.failed
        messages = f"{self.messages:,} message{'' if self.messages == 1 else 's'}"
        return ", ".join([messages, *_counts(self.broken)])


def left(case: Case, history: History) -> Left:
    """Prepare a history once, and look at the result."""
    try:
        made = case.in_chat(case.prepare())
    except Refusal as refusal:
        return Left(failed=f"refused {refusal.code}")
    except Exception as error:  # noqa: BLE001 - a peer may fail in any way, and its row then says so
        return Left(failed=f"failed {type(error).__name__}")
    questions = [message["content"] for message in history if message["role"] == "user"]
    found = diagnose(made, "openai-chat", pinned=[SYSTEM, questions[-1]])
    return Left(len(made), Counter(finding.code for finding in found))


def together(found: list[Left]) -> str:
    """Return in how many histories something is broken or missing, and what."""
    broken = sum(bool(one.broken) for one in found)
    codes = sum((one.broken for one in found), Counter[str]())
    failed = Counter(one.failed for one in found if one.failed)
    return ", ".join([f"{broken} broken", *_counts(codes), *_counts(failed)])


def _counts(numbers: Counter[str]) -> list[str]:
    return [f"{name} {number}" for name, number in sorted(numbers.items())]
