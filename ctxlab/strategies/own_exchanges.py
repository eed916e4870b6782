"""Trim and prepare, on the exchanges of the newest question.

They know one question and its exchanges, in block form. So that is what they get; what stands before it stays
as it is, and counts against the limit.
"""

from itertools import count
from typing import NamedTuple

from ctxlab.errors import Refusal
from ctxlab.messages.tool_exchanges import ToolExchanges, tool_exchanges
from ctxlab.reference.history import MIN_BUDGET, prepare_context, trim_results
from ctxlab.strategies.strategy import History, Prepare, Run

OWN = "It works on the exchanges of the newest question; what stands before them stays, and counts."
SNAPSHOTS = "Snapshots are only named here, and not written."


class Own(NamedTuple):
    """A history in Chat form, cut before its newest question, and what follows there in block form."""

    before: History
    own: History
    exchanges: ToolExchanges

    def with_candidate(self, candidate: History) -> History:
        """Return the whole history with `candidate`, which is in block form, in place of what is its own.

        A candidate has the last exchanges, whole, and behind the first message nothing else. So only texts
        of results can differ, and everything else is taken from the Chat form, to the letter.
        """
        given, sources = self.exchanges.messages, self.exchanges.sources
        question = self.own[0]
        if candidate[0] != given[0]:
            question = {"role": "user", "content": candidate[0]["content"]}
        made = [*self.before, question]
        offset = len(given) - len(candidate)
        for at in range(1, len(candidate)):
            made.extend(self.own[position] for position in sources[at + offset])
            if candidate[at] != given[at + offset]:
                blocks = candidate[at]["content"]
                texts = [block["content"] for block in blocks]
                made[-len(texts) :] = [
                    message | {"content": text}
                    for message, text in zip(made[-len(texts) :], texts, strict=True)
                ]
        return made


def own_of(history: History) -> Own:
    """Return a history cut before its newest question.

    Refuses `not_a_history` where there is none, or where more than exchanges follows it.
    """
    users = [index for index, message in enumerate(history) if message["role"] == "user"]
    if not users:
        raise Refusal("not_a_history", "there is no message of the user, so no question to start from")
    before, own = history[: users[-1]], history[users[-1] :]
    exchanges = tool_exchanges(own, "openai-chat")
    if exchanges.left:
        left = exchanges.left[0]
        raise Refusal(
            "not_a_history",
            f"message {users[-1] + left.message}: a question and its exchanges are expected from message "
            f"{users[-1]} on, and have no place for {left.reason}",
        )
    return Own(before, own, exchanges)


def begin_trim(run: Run) -> Prepare:
    """Trim old results once a history is over the limit."""
    run.note(OWN, SNAPSHOTS, "It limits each old result to 600 characters, not the history.")
    numbers = count(1)

    def prepare(history: History) -> History:
        if run.fits(history):
            return history
        own = own_of(history)
        return own.with_candidate(trim_results(own.exchanges.messages, _receipt(next(numbers))))

    return prepare


def begin_prepare(run: Run) -> Prepare:
    """Archive, trim and, where that is not enough, summarise."""
    run.note(
        OWN,
        SNAPSHOTS,
        f"Its budget is in bytes: {run.bytes_per_token:.1f} for a token, as measured on this history.",
    )
    numbers = count(1)
    # As many summaries as it takes: how many that is, the table shows.
    state = {"archives": [], "summaries": 0, "max_summaries": 10**9}
    # The host's own question, for each first message that was made of it.
    asked: dict[str, str] = {}

    def prepare(history: History) -> History:
        if run.fits(history):
            return history
        own = own_of(history)
        taken = run.count(own.before)
        budget = int((run.limits.tokens - taken) * run.bytes_per_token)
        if budget < MIN_BUDGET:
            raise Refusal(
                "recent_too_large",
                f"what stands before the newest question has {taken} tokens, and the limit is "
                f"{run.limits.tokens}: {max(budget, 0)} bytes are left, and {MIN_BUDGET} are needed",
            )
        first = own.exchanges.messages[0]["content"]
        text = first if isinstance(first, str) else "\n\n".join(block["text"] for block in first)
        question = asked.get(text, text)
        candidate = prepare_context(
            own.exchanges.messages,
            question,
            state,
            lambda _: _receipt(next(numbers)),
            run.summarize,
            budget,
        )
        if candidate[0]["content"] != first:
            asked[candidate[0]["content"]] = question
        return own.with_candidate(candidate)

    return prepare


def _receipt(number: int) -> str:
    """Return what names a snapshot, as `archive_writer` would."""
    return f"context-{number:012x}.jsonl"
