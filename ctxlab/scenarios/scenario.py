"""A scenario: one history with everything a run on it needs."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ctxlab.messages.copying import copied
from ctxlab.messages.texts import texts
from ctxlab.reference.loop import preparer
from ctxlab.scenarios.fields import Expect, Fact, Settings
from ctxlab.scenarios.stand_ins import (
    MemoryArchive,
    count_tokens,
    failing_archive,
    failing_summariser,
    fixed_archive,
    fixed_summariser,
    read_file,
    receipt_of,
    stand_in_model,
)

History = list[dict[str, Any]]


@dataclass(frozen=True)
class Scenario:
    """A named history, its settings and the stand-ins for disk, tools and model.

    name          the file's name without .yaml
    promise       one line: what the scenario shows
    question      the user's question, which is also the host's own
    settings      budget (bytes), keep_recent (exchanges), max_chars (characters), max_summaries (attempts),
                  window, max_output and per_message (tokens)
    must_survive  facts, each with a kind and an exact text, that a smaller history should still say
    expect        the outcomes that the tests compare with real runs, or None
    summaries     attempts that the state counts before the run
    archives      receipts that the state names before the run
    system, tool_definitions
                  what is sent beside the messages

    What a run takes (`messages`, `state()`, `archive`, `summarize`) is made afresh each time it is asked for,
    so nothing that a run does to it reaches the scenario or another run.
    """

    name: str
    promise: str
    question: str
    settings: Settings
    must_survive: tuple[Fact, ...]
    expect: Expect | None = field(repr=False)
    history: History = field(repr=False)
    summary: str = field(repr=False)
    archive_fails: bool = field(repr=False)
    summarizer_fails: bool = field(default=False, repr=False)
    receipt: str = field(default=receipt_of(1), repr=False)
    summaries: int = field(default=0, repr=False)
    archives: tuple[str, ...] = field(default=(), repr=False)
    system: str = field(default="", repr=False)
    tool_definitions: tuple[dict[str, Any], ...] = field(default=(), repr=False)

    @property
    def messages(self) -> History:
        """A copy of the history."""
        messages: History = copied(self.history)
        return messages

    @property
    def archive(self) -> Callable[[History], str]:
        """A new stand-in archive. It keeps snapshots in memory, unless the scenario wants something else."""
        if self.archive_fails:
            return failing_archive
        return MemoryArchive() if self.receipt == receipt_of(1) else fixed_archive(self.receipt)

    @property
    def summarize(self) -> Callable[[History], str]:
        """The stand-in summariser. It returns one fixed text, or raises TimeoutError."""
        return failing_summariser if self.summarizer_fails else fixed_summariser(self.summary)

    def state(self) -> dict[str, Any]:
        """Return a new state for `prepare_context`: what happened before, and the limit of the settings."""
        return {
            "archives": list(self.archives),
            "summaries": self.summaries,
            "max_summaries": self.settings.max_summaries,
        }

    def with_settings(self, changes: Mapping[str, int]) -> "Scenario":
        """Return the scenario with other values for these settings."""
        return replace(self, settings=self.settings.model_copy(update=dict(changes)))

    def arguments(self, archive: Callable[[History], str] | None = None) -> dict[str, Any]:
        """Return new values for every parameter of split, trim, prepare, the loop and count, by name.

        `archive` takes the place of the stand-in. `prepare` archives with it, and records what happens in
        `state`. `receipt` is that of the stand-in archive's first snapshot.
        """
        archive = archive or self.archive
        state, summarize = self.state(), self.summarize
        limits = {"budget": self.settings.budget, "keep_recent": self.settings.keep_recent}
        return {
            "messages": self.messages,
            "question": self.question,
            "state": state,
            "archive": archive,
            "summarize": summarize,
            "receipt": self.receipt,
            **limits,
            "max_chars": self.settings.max_chars,
            "ask": stand_in_model,
            "tools": {"read_file": read_file},
            "prepare": preparer(self.question, state, archive, summarize, **limits),
            "count": count_tokens,
            "system": self.system,
            "tool_definitions": copied(list(self.tool_definitions)),
            "window": self.settings.window,
            "max_output": self.settings.max_output,
            "per_message": self.settings.per_message,
        }

    def surviving(self, messages: History) -> list[Fact]:
        """Return the facts of `must_survive` that `messages` still says, each within one of its texts."""
        said = list(texts(messages))
        return [fact for fact in self.must_survive if any(fact.text in text for text in said)]
