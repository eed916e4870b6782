"""Run every strategy on one history, turn by turn, as if each request in it were made again.

The history is taken in the form of OpenAI's Chat Completions. A turn is a moment at which a request was made:
before each message of the assistant, and at the end where the last message is not the assistant's. Then the
strategy makes a candidate of the active history, which takes its place, as at the commit point of a loop.
Where it refuses, the active history stays, and the request is taken to be made with that.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from ctxlab.errors import Refusal
from ctxlab.messages.chat_grammar import check_chat
from ctxlab.messages.conversion.in_chat import in_chat
from ctxlab.messages.conversion.leaving import Conversion
from ctxlab.messages.copying import copied
from ctxlab.messages.diagnosis.examining import diagnose
from ctxlab.messages.diagnosis.finding import Finding
from ctxlab.messages.encoding import compact_json
from ctxlab.messages.masking import Mask
from ctxlab.messages.readers.transcript import counted
from ctxlab.messages.shapes import Api, shape_of
from ctxlab.messages.spoken import spoken
from ctxlab.messages.wording import shown, type_words
from ctxlab.reference.loop import reason
from ctxlab.strategies.facts import Fact, found_facts
from ctxlab.strategies.outcome import Comparison, Outcome, Turn
from ctxlab.strategies.registry import STRATEGIES
from ctxlab.strategies.stand_in import SAID, StandIn
from ctxlab.strategies.strategy import MOST_LIMIT, History, Limits, Message, Prepare, Run, Strategy, Tokens

MOST_TURNS = 200
# A strategy may read all of a history at each request, so of a long one fewer are made.
LONG_MESSAGES, MOST_LONG_TURNS = 2000, 100
MIN_DEFAULT_LIMIT = 500

FOUND = (
    "The facts were found by their form: sentences that demand or forbid something, and some of the ids, "
    "paths and figures. Those that matter can be given in their place."
)
NONE_FOUND = "No facts were found by their form, so none can be seen to be lost; they can be given."


@dataclass(frozen=True)
class _Task:
    """What is the same for each strategy."""

    history: History
    moments: list[int]
    limit: int
    facts: tuple[Fact, ...]
    tokens: Tokens
    known: Counter[tuple[str, str | None]]


def compare_strategies(
    messages: Any,
    *,
    api: Api | None = None,
    limit: int | None = None,
    names: Iterable[str] | None = None,
    facts: Sequence[Fact] | None = None,
    system: Any = None,
    source: str = "a list",
    mask: Mask | None = None,
) -> Comparison:
    """Return what each strategy does to a history of any shape.

    `api` is its shape, recognised where it is not given, and `system` the system text beside it. `limit` is
    that of a request, in tokens of cl100k_base, up to `MOST_LIMIT`; by default half of the whole history, at
    least 500. `names` choose among the strategies. `facts` are what each should keep; by default some are
    found in the history, and `mask` knows the secrets of which no part may be found. `source` is the name of
    the history in what is said of it. No model is asked, and nothing is written.

    Refuses `bad_argument` and `not_a_history`.
    """
    shape = shape_of(messages, api)
    chosen = _chosen(names)
    conversion = in_chat(messages, shape, system)
    history = conversion.messages
    check_chat(history)
    tokens = Tokens()
    whole = tokens.of_all(history)
    notes = _notes_on(conversion)
    if limit is None:
        limit = min(max(MIN_DEFAULT_LIMIT, whole // 2), MOST_LIMIT)
        notes.append(_default_limit(limit, whole))
    elif type(limit) is not int or not 1 <= limit <= MOST_LIMIT:
        raise Refusal("bad_argument", f"limit is {shown(limit)}, not an int from 1 to {MOST_LIMIT}")
    moments = _moments(history)
    most = MOST_LONG_TURNS if len(history) > LONG_MESSAGES else MOST_TURNS
    if len(moments) > most:
        notes.append(
            f"Of the {len(moments):,} requests in it {most} are made again, spread evenly; the last is "
            "one of them. So more enters at a time than in the real run."
        )
        moments = _spread(moments, most)
    # What the last answer says was in no request, so none can keep it.
    asked = history[: moments[-1]] if moments else []
    wanted = _wanted(asked, facts, notes, mask)
    known = _codes(diagnose(history, "openai-chat"))
    if known:
        notes.append(f"Findings in the history itself, which are not new here: {known.total()}.")
    # Before the last answer, calls may be open that it would leave unanswered.
    known |= _codes(diagnose(asked, "openai-chat"))
    task = _Task(history, moments, limit, wanted, tokens, known)
    outcomes = tuple(_outcome(strategy, task) for strategy in chosen)
    if any(outcome.summaries for outcome in outcomes):
        notes.append(SAID)
    return Comparison(source, shape, len(history), limit, wanted, outcomes, tuple(notes))


def _chosen(names: Iterable[str] | None) -> list[Strategy]:
    if names is None:
        return [*STRATEGIES.values()]
    given = [names] if isinstance(names, str) else list(names)
    for name in given:
        if name not in STRATEGIES:
            known = ", ".join(STRATEGIES)
            raise Refusal("bad_argument", f"there is no strategy {shown(name)}; there are {known}")
    if not given:
        raise Refusal("bad_argument", f"no strategy is named; there are {', '.join(STRATEGIES)}")
    return [STRATEGIES[name] for name in dict.fromkeys(given)]


def _notes_on(conversion: Conversion) -> list[str]:
    """Return what a conversion left out, each kind once with its number and its first place."""
    kinds: dict[str, list[str]] = {}
    for left in conversion.left:
        place, words = left.text.split(": ", 1)
        kinds.setdefault(words, []).append(place)
    return [
        f"Converted to Chat Completions: {words} ({places[0]}"
        + (f" and {len(places) - 1:,} more places)." if len(places) > 1 else ").")
        for words, places in kinds.items()
    ]


def _moments(history: History) -> list[int]:
    """Return for each request the number of messages that stand before its answer."""
    moments = [at for at, message in enumerate(history) if message["role"] == "assistant" and at > 0]
    if history and history[-1]["role"] != "assistant":
        moments.append(len(history))
    return moments


def _spread(moments: list[int], most: int) -> list[int]:
    return [moments[(number + 1) * len(moments) // most - 1] for number in range(most)]


def _default_limit(limit: int, whole: int) -> str:
    if limit == MIN_DEFAULT_LIMIT:
        return (
            f"The limit is {limit} tokens, the least by default, since the whole history has "
            f"{counted(whole, 'token')}; another can be given."
        )
    return (
        f"The limit is half of the {whole:,} tokens of the whole history, and at least "
        f"{MIN_DEFAULT_LIMIT}; another can be given."
    )


def _wanted(
    history: History, facts: Sequence[Fact] | None, notes: list[str], mask: Mask | None
) -> tuple[Fact, ...]:
    """Return the facts to look for: those that the history says, for others cannot get lost."""
    if facts is None:
        found = tuple(found_facts(history, mask))
        notes.append(FOUND if found else NONE_FOUND)
        return found
    texts = _texts(history)
    for fact in facts:
        if not fact.stands_in(texts):
            notes.append(f"Left out, since no request says it: {fact.kind} {shown(fact.text)}.")
    return tuple(fact for fact in facts if fact.stands_in(texts))


def _outcome(strategy: Strategy, task: _Task) -> Outcome:
    """Run one strategy from the first request to the last."""
    run = _run(task)
    prepare = _begun(strategy, run)
    history = copied(task.history)
    active: History = []
    sent: History = []
    costs: list[int] = []
    turns = []
    start = 0
    for at in task.moments:
        active = [*active, *history[start:at]]
        start = at
        code = why = ""
        try:
            candidate = prepare(active)
            if not isinstance(candidate, list):
                raise Refusal("not_a_history", f"it returned {type_words(candidate)}, not a list")
            active = candidate
        except Exception as error:  # noqa: BLE001 - any failure means that there is no candidate
            code, _, why = reason(error).partition(": ")
        same = _same_start(sent, active)
        costs = [*costs[:same], *map(task.tokens.of, active[same:])]
        turns.append(Turn(at, len(active), sum(costs), code, why, sum(costs[:same])))
        sent = active
    texts = _texts(active)
    kept = {fact: fact.stands_in(texts) for fact in task.facts}
    return Outcome(
        name=strategy.name,
        says=strategy.says,
        turns=tuple(turns),
        kept=tuple(fact for fact in task.facts if kept[fact]),
        lost=tuple(fact for fact in task.facts if not kept[fact]),
        new_findings=tuple(_new(diagnose(active, "openai-chat"), task.known)),
        summaries=run.summarize.calls,
        summary_tokens_in=run.summarize.tokens_in,
        summary_tokens_out=run.summarize.tokens_out,
        notes=tuple(run.notes),
        final=active,
    )


def _begun(strategy: Strategy, run: Run) -> Prepare:
    """Return what a strategy begins with. Where it cannot begin, each of its requests fails for that."""
    try:
        return strategy.begin(run)
    except Exception as error:  # noqa: BLE001 - any failure means that there is no candidate
        failure = error

    def prepare(_: History) -> History:
        raise failure

    return prepare


def _run(task: _Task) -> Run:
    """Return what a strategy has to work with, with counts that begin anew."""
    history, count = task.history, task.tokens.of_text
    whole = max(1, task.tokens.of_all(history))
    form = compact_json(history)
    words = ("\n\n".join(spoken(message)) for message in history if message["role"] == "user")
    return Run(
        limits=Limits(task.limit),
        tokens=task.tokens,
        goal=next((text for text in words if text.strip()), ""),
        characters_per_token=sum(map(len, _texts(history))) / whole,
        json_characters_per_token=len(form.decode("utf-8")) / whole,
        bytes_per_token=len(form) / whole,
        summarize=StandIn(count),
    )


def _same_start(before: History, after: History) -> int:
    """Return how many messages at the start of two requests are equal."""
    same = 0
    for old, new in zip(before, after, strict=False):
        if old is not new and old != new:
            break
        same += 1
    return same


def _texts(messages: Iterable[Message]) -> list[str]:
    return [text for message in messages for text in spoken(message)]


def _codes(findings: list[Finding]) -> Counter[tuple[str, str | None]]:
    return Counter((finding.code, finding.id) for finding in findings)


def _new(findings: list[Finding], known: Counter[tuple[str, str | None]]) -> list[Finding]:
    """Return the findings that are not among the known ones, each of those taken once."""
    left = known.copy()
    new = []
    for finding in findings:
        if left[finding.code, finding.id] > 0:
            left[finding.code, finding.id] -= 1
        else:
            new.append(finding)
    return new
