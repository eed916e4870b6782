"""The repairs of a history that are safe, because they lose nothing and claim nothing that may be untrue."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from ctxlab.errors import Refusal
from ctxlab.messages.copying import copied
from ctxlab.messages.diagnosis.examining import diagnose
from ctxlab.messages.diagnosis.finding import Finding, named, place, place_of
from ctxlab.messages.mending import Mends, mended
from ctxlab.messages.pairing import pair_up
from ctxlab.messages.parts import Part, name_in
from ctxlab.messages.responses_parts import OUTPUTS
from ctxlab.messages.shapes import Api, shape_of
from ctxlab.messages.view import INPUT_ROLES, view_of

OUTCOME_UNKNOWN = (
    "Outcome unknown: the call was interrupted, and no result of it was stored. It may have had its effects."
)
# The outputs of other calls of the Responses API, such as a screenshot, cannot be a sentence.
ANSWERED_IN_WORDS = {"function_call", "custom_tool_call"}


@dataclass(frozen=True)
class Change:
    """One repair. `code`, `message`, `block` and `id` are those of the finding that it mends.

    `text` says what was done. `removed` is what the candidate has no more, whole, to be stored in an archive;
    None where nothing was removed.
    """

    code: str
    message: int
    block: int | None
    id: str | None
    text: str
    removed: Any = None


def repair(messages: Any, api: Api | None = None) -> tuple[list[Any], list[Change]]:
    """Return a history without the faults that `diagnose` finds, and the changes that were made.

    What is mended: results are moved in front of their message, into one message, and to directly behind
    their calls where only words of the client stand between. An empty text is dropped, and so is a message of
    nothing else. A result without a call is dropped, and stands whole in its change. A call that was never
    answered gets an error result that says that its outcome is unknown.

    Everything else is refused, with the code of the first finding that may not be mended, or that the mends
    would leave behind, such as an assistant's message that would come first. That goes for a
    call behind which nothing but results follows, too: it may still be running, and then its real result
    would be the second one. A sound history comes back as an equal copy. The input is never changed.
    """
    shape = shape_of(messages, api)
    findings = diagnose(messages, shape)
    workshop = _Workshop(messages if isinstance(messages, list) else [], shape)
    changes = []
    for finding in findings:
        change = workshop.mend(finding)
        if change is None:
            raise Refusal(finding.code, f"no safe repair: {finding.text}. {finding.fix}")
        changes.append(change)
    candidate = copied(workshop.candidate())
    for finding in diagnose(candidate, shape):
        raise Refusal(finding.code, f"the repaired history would still have a fault: {finding.text}")
    return candidate, changes


class _Workshop:
    """A history under repair, which is only read. Each mend is planned in the old positions; all are carried
    out at the end.
    """

    def __init__(self, messages: list[Any], api: Api) -> None:
        self._view = view_of(messages, api)
        self._calls = pair_up(self._view).calls
        self._parts = {(part.message, part.block): part for part in self._view.parts}
        self._call_of = {call.part.id: call for call in self._calls}
        answering = {part.message for part in self._view.parts if part.kind == "result" and not part.served}
        by_model = (
            index not in answering and name_in(message, "role") not in INPUT_ROLES
            for index, message in enumerate(messages)
        )
        # The last message in which anything but a result stands.
        self._last_word = max(
            (part.message for part in self._view.parts if part.kind != "result"), default=-1
        )
        # How many messages before each index are the model's.
        self._spoken = list(accumulate(by_model, initial=0))
        self._mends = Mends()
        # For each turn whose results must be put behind it, by its last message: the calls without a result.
        self._unsettled: dict[int, list[Part]] = {}

    def mend(self, finding: Finding) -> Change | None:
        """Plan the repair of one finding; None where there is no safe one."""
        if finding.message is None or finding.code not in MENDS:
            return None
        part = self._parts[finding.message, finding.block]
        words = MENDS[finding.code](self, part)
        if words is None:
            return None
        removed = copied(part.value) if (part.message, part.block) in self._mends.gone else None
        return Change(finding.code, part.message, part.block, part.id, f"{place_of(part)}: {words}", removed)

    def candidate(self) -> list[Any]:
        """Return the repaired history, which shares what it keeps with the given one."""
        placed: dict[int, list[Part]] = {turn: [] for turn in self._unsettled}
        for call in self._calls:
            turn = self._last_message(call.part)
            if turn in placed and not call.part.served:
                placed[turn].extend(call.results)
        for turn, results in placed.items():
            results.sort(key=lambda part: (part.message, part.block or 0))
            self._mends.gone.update((part.message, part.block) for part in results)
            unknown = [_outcome_unknown(self._view.api, call) for call in self._unsettled[turn]]
            self._mends.behind[turn] = [part.value for part in results] + unknown
        return mended(self._view, self._mends)

    def drop_orphan(self, part: Part) -> str | None:
        """Take out a result without a call; not one whose call follows, for that is the real outcome."""
        if part.served or part.id in self._call_of:
            return None
        self._mends.gone.add((part.message, part.block))
        return f"the result for {named(part)} is taken out, to be stored in an archive"

    def drop_text(self, part: Part) -> str | None:
        """Take out an empty text; not one in a result, for that would take the result out too."""
        if part.kind != "text":
            return None
        self._mends.gone.add((part.message, part.block))
        return "the empty text is taken out"

    def answer(self, part: Part) -> str | None:
        """Give a call that nothing answers a result that says so, unless it may still be running."""
        may_run = self._last_word <= self._last_message(part)
        in_words = self._view.api != "openai-responses" or part.type in ANSWERED_IN_WORDS
        if part.served or may_run or not in_words:
            return None
        self._unsettled.setdefault(self._last_message(part), []).append(part)
        return f"the call {named(part)} gets an error result: its outcome is unknown"

    def move(self, part: Part) -> str | None:
        """Move a result behind its call, unless the model has spoken in between without knowing it."""
        turn = self._last_message(self._call_of[part.id].part)
        if self._spoken[part.message] > self._spoken[turn + 1]:
            return None
        self._unsettled.setdefault(turn, [])
        return f"the result for {named(part)} is put directly behind {place(turn, None)}"

    def _last_message(self, call: Part) -> int:
        """Return the last message of the model's turn that makes a call; its results must stand behind it."""
        return self._view.turns[call.message][1] - 1


def _outcome_unknown(api: Api, call: Part) -> dict[str, Any]:
    if api == "anthropic-messages":
        return {"type": "tool_result", "tool_use_id": call.id, "content": OUTCOME_UNKNOWN, "is_error": True}
    if api == "openai-chat":
        return {"role": "tool", "tool_call_id": call.id, "content": OUTCOME_UNKNOWN}
    return {"type": OUTPUTS[call.type], "call_id": call.id, "output": OUTCOME_UNKNOWN}


MENDS: dict[str, Callable[[_Workshop, Part], str | None]] = {
    "orphan_tool_result": _Workshop.drop_orphan,
    "orphan_tool_message": _Workshop.drop_orphan,
    "orphan_call_output": _Workshop.drop_orphan,
    "empty_text": _Workshop.drop_text,
    "unanswered_tool_use": _Workshop.answer,
    "tool_result_not_leading": _Workshop.move,
    "results_split_across_messages": _Workshop.move,
    "result_not_in_next_message": _Workshop.move,
}
