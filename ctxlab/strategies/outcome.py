"""What came of a comparison."""

from dataclasses import asdict, dataclass, replace
from typing import Any

from ctxlab.messages.diagnosis.finding import Finding
from ctxlab.messages.masking import Mask
from ctxlab.messages.wording import visible
from ctxlab.strategies.facts import Fact
from ctxlab.strategies.table import lines

FORMAT = "ctxlab.strategies/1"


@dataclass(frozen=True)
class Turn:
    """One request.

    `at` is the number of messages of the whole history that had been there by then. `messages` and `tokens`
    are those of the request. Where the strategy made none, `refused` is the code or the class of what it
    raised and `reason` what that says; the request is then the active history as it was. `same_prefix` are
    the tokens of the whole messages at its start that are equal to those of the request before: what a prompt
    cache could take from there.
    """

    at: int
    messages: int
    tokens: int
    refused: str
    reason: str
    same_prefix: int


@dataclass(frozen=True)
class Outcome:
    """What one strategy did from the first request to the last.

    `kept` and `lost` are the facts that the last request still says, and those that it does not.
    `new_findings` are those of `diagnose` in the last request that the whole history lacks; their positions
    are in `final`, which is that request. `summaries` counts the calls for one, `summary_tokens_in` and
    `summary_tokens_out` what they would have been given and what the stand-in returned.
    """

    name: str
    says: str
    turns: tuple[Turn, ...]
    kept: tuple[Fact, ...]
    lost: tuple[Fact, ...]
    new_findings: tuple[Finding, ...]
    summaries: int
    summary_tokens_in: int
    summary_tokens_out: int
    notes: tuple[str, ...]
    final: list[dict[str, Any]]

    @property
    def summary_tokens(self) -> int:
        """The tokens of all calls for a summary, in and out."""
        return self.summary_tokens_in + self.summary_tokens_out

    @property
    def last(self) -> int:
        """The tokens of the last request."""
        return self.turns[-1].tokens if self.turns else 0

    @property
    def largest(self) -> int:
        """The tokens of the largest request."""
        return max((turn.tokens for turn in self.turns), default=0)

    @property
    def sent(self) -> int:
        """The tokens of all requests together."""
        return sum(turn.tokens for turn in self.turns)

    @property
    def reused(self) -> int:
        """The tokens of all requests that a prompt cache could take from the request before."""
        return sum(turn.same_prefix for turn in self.turns)

    @property
    def refusals(self) -> list[Turn]:
        """The turns at which the strategy made no request."""
        return [turn for turn in self.turns if turn.refused]

    def over(self, limit: int) -> int:
        """Return how many requests are over the limit."""
        return sum(turn.tokens > limit for turn in self.turns)

    def masked(self, mask: Mask) -> "Outcome":
        """Return the outcome with the secrets masked in what it says. Its final history stays as it is."""
        return replace(
            self,
            turns=tuple(replace(turn, reason=mask.text(turn.reason)) for turn in self.turns),
            kept=masked_facts(self.kept, mask),
            lost=masked_facts(self.lost, mask),
            new_findings=tuple(
                replace(finding, text=mask.text(finding.text), id=mask.value(finding.id))
                for finding in self.new_findings
            ),
            notes=tuple(map(mask.text, self.notes)),
        )

    def to_json(self, limit: int) -> dict[str, Any]:
        """Return the outcome as JSON values, without its final history."""
        return {
            "name": self.name,
            "says": self.says,
            "last": self.last,
            "largest": self.largest,
            "over": self.over(limit),
            "refused": len(self.refusals),
            "sent": self.sent,
            "reused": self.reused,
            "summaries": self.summaries,
            "summary_tokens_in": self.summary_tokens_in,
            "summary_tokens_out": self.summary_tokens_out,
            "kept": [asdict(fact) for fact in self.kept],
            "lost": [asdict(fact) for fact in self.lost],
            "new_findings": [asdict(finding) for finding in self.new_findings],
            "notes": list(self.notes),
            "turns": [asdict(turn) for turn in self.turns],
        }


@dataclass(frozen=True)
class Comparison:
    """What each strategy did to one history.

    `api` is the shape in which it came, `messages` the number of its messages in Chat form, and `limit` that
    of a request in tokens. `facts` are those looked for. `notes` are sentences on how it was done.
    """

    source: str
    api: str
    messages: int
    limit: int
    facts: tuple[Fact, ...]
    outcomes: tuple[Outcome, ...]
    notes: tuple[str, ...]

    def masked(self, mask: Mask) -> "Comparison":
        """Return the comparison with the secrets masked in what it says. Final histories stay as they are.

        This comes before `text`, which breaks lines, and a secret with them.
        """
        return replace(
            self,
            source=mask.text(self.source),
            facts=masked_facts(self.facts, mask),
            outcomes=tuple(outcome.masked(mask) for outcome in self.outcomes),
            notes=tuple(map(mask.text, self.notes)),
        )

    def text(self) -> str:
        """Return the comparison as a table and what explains it."""
        return "".join(f"{visible(line)}\n" for line in lines(self))

    def to_json(self) -> dict[str, Any]:
        """Return the comparison as JSON values, without the histories."""
        return {
            "format": FORMAT,
            "source": self.source,
            "api": self.api,
            "messages": self.messages,
            "limit": self.limit,
            "facts": [asdict(fact) for fact in self.facts],
            "notes": list(self.notes),
            "strategies": [outcome.to_json(self.limit) for outcome in self.outcomes],
        }


def masked_facts(facts: tuple[Fact, ...], mask: Mask) -> tuple[Fact, ...]:
    """Return facts with the secrets masked in their texts."""
    return tuple(replace(fact, text=mask.text(fact.text)) for fact in facts)
