"""The question and the tool exchanges of any history, in the strict block form of `ctxlab.messages.grammar`.

Split, trim and prepare take nothing else: one question, then exchanges of an assistant's message with calls
and a user's message with their results.
"""

from collections import defaultdict
from dataclasses import dataclass
from typing import Any, NamedTuple

from ctxlab.messages.block_form import call_block, result_block, text_block
from ctxlab.messages.chat_parts import DEPRECATED
from ctxlab.messages.copying import copied
from ctxlab.messages.grammar import call_fault, is_text_question, pair_fault, result_fault
from ctxlab.messages.pairing import Call, answers, pair_up
from ctxlab.messages.parts import Part, text_of
from ctxlab.messages.shapes import Api, shape_of
from ctxlab.messages.view import View, view_of

Message = dict[str, Any]

# Where a history holds no words of the user, these stand in for the question.
NO_QUESTION = "Go on."

# Why something is left out. The names are plural: they stand in front of a count.
SYSTEM_TEXTS = "system texts"
FURTHER_WORDS = "further words of the user"
ASSISTANT_TEXTS = "texts of the assistant without a call"
OTHER_TEXTS = "texts of another role"
EMPTY_TEXTS = "texts without words"
THINKING = "thinking"
SERVED_CALLS = "calls that the provider runs itself, and what they returned"
OLDER_CALLS = "calls of the older form without an id, and what they returned"
CALLS_WITHOUT_ID = "calls without an id"
REPEATED_CALLS = "calls with the id of another call in the same answer"
UNANSWERED_CALLS = "calls without a result"
ORPHANS = "results without a call"
SECOND_RESULTS = "further results of a call that has one"
OTHER_BLOCKS = "images, documents and other blocks that are no text"
EMPTY_MESSAGES = "messages with nothing in them that fits"

ROLES = {
    "assistant": ASSISTANT_TEXTS,
    "user": FURTHER_WORDS,
    "system": SYSTEM_TEXTS,
    "developer": SYSTEM_TEXTS,
}
# Fields of an OpenAI Chat message that say something, and are no parts of it.
BESIDE = {"refusal": ASSISTANT_TEXTS, "reasoning_content": THINKING}


class LeftOut(NamedTuple):
    """What did not come along as it is. `message` and `block` are its place in the history that was given.

    `reason` says, in the plural, what it is, and what was done where it stayed in other words.
    """

    message: int
    block: int | None
    reason: str


@dataclass(frozen=True)
class ToolExchanges:
    """The question and the exchanges of a history, in block form.

    `sources` has, for each message, the positions of those that it was made from; () for a question that
    stands in for a missing one. `left` is in the order of the history that was given.
    """

    messages: list[Message]
    sources: list[tuple[int, ...]]
    left: list[LeftOut]


def tool_exchanges(messages: Any, api: Api | None = None) -> ToolExchanges:
    """Return the question and the whole exchanges of a history in any of the three shapes.

    The first words of the user are the question. Ids, names, inputs, result texts and error marks are kept as
    they are; arguments written as JSON are read, and several texts of one result are joined. Of a call that
    was never answered nothing stays, unless only results follow its message: then the exchange is still open,
    and stays so. Whatever else is left out is named. A history that is in block form already is returned as
    it is, also where its calls and results do not pair up.

    The result shares nothing with what was given. Where it has no open end, `split_history` accepts it.
    Refuses `bad_argument` an api that does not exist, and `not_a_history` what is no JSON value.
    """
    shape = shape_of(messages, api)
    # A message that stands twice in the list would be in two places of the result; so copy first.
    history = copied(messages) if isinstance(messages, list) else []
    if shape == "anthropic-messages" and _is_block_form(history):
        return ToolExchanges(history, [(index,) for index in range(len(history))], [])
    return _Selection(view_of(history, shape)).made()


def _is_block_form(history: list[Any]) -> bool:
    """Say whether each message has its place in the grammar, whatever the ids are."""
    if not history or not is_text_question(history[0]):
        return False
    open_end = [{"role": "user", "content": []}] if len(history) % 2 == 0 else []
    rest = history[1:] + open_end
    for at in range(0, len(rest), 2):
        request, response = rest[at : at + 2]
        if pair_fault(request, response, at):
            return False
        fault = call_fault(request, at)
        if (fault and fault.code != "mismatch") or result_fault(response, at):
            return False
    return True


class _Selection:
    """Takes from a view what fits, and names the rest."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._messages: list[Message] = []
        self._sources: list[tuple[int, ...]] = []
        self._left: list[LeftOut] = []
        # The parts that are dealt with, by their places.
        self._done: set[tuple[int, int | None, str]] = set()
        self._parts: dict[int, list[Part]] = defaultdict(list)
        for part in view.parts:
            self._parts[part.message].append(part)

    def made(self) -> ToolExchanges:
        pairs = pair_up(self._view)
        self._take_question()
        turns: dict[tuple[int, int], list[Call]] = defaultdict(list)
        for call in pairs.calls:
            turns[self._view.turns[call.part.message]].append(call)
        # The last message in which anything but a result stands.
        last_word = max((part.message for part in self._view.parts if part.kind != "result"), default=-1)
        for turn, calls in turns.items():
            self._take_exchange(turn, calls, is_open=last_word < turn[1])
        for orphan in pairs.orphans:
            self._leave(orphan, ORPHANS)
        self._leave_rest()
        return ToolExchanges(self._messages, self._sources, sorted(self._left, key=_position))

    def _take_question(self) -> None:
        for index, parts in self._parts.items():
            words = [part for part in parts if part.role == "user" and (text_of(part) or "").strip()]
            if words:
                self._done.update(map(_key, words))
                whole = words[0].block is None
                content = text_of(words[0]) if whole else [text_block(part) for part in words]
                self._add("user", content, [index])
                return
        self._add("user", NO_QUESTION, [])

    def _take_exchange(self, turn: tuple[int, int], calls: list[Call], *, is_open: bool) -> None:
        kept, results = [], []
        for call in calls:
            for twin in call.twins:
                self._leave(twin, REPEATED_CALLS)
            if call.part.served or call.part.id is None:
                continue  # `_leave_rest` names it
            answered = False
            for result in call.results:
                if not answers(result, call.part):
                    self._leave(result, ORPHANS)
                elif answered:
                    self._leave(result, SECOND_RESULTS)
                else:
                    results.append(result)
                    answered = True
            if answered or is_open:
                kept.append(call.part)
            else:
                self._leave(call.part, UNANSWERED_CALLS)
        if kept:
            self._add_request(turn, kept)
        if results:
            self._add_results(results)

    def _add_request(self, turn: tuple[int, int], calls: list[Part]) -> None:
        wanted = set(map(_key, calls))
        blocks, sources = [], []
        for part in (part for index in range(*turn) for part in self._parts[index]):
            if _key(part) in wanted:
                blocks.append(self._said(part, *call_block(part)))
            elif text_of(part) and _key(part) not in self._done:
                blocks.append(text_block(part))
            else:
                continue
            self._done.add(_key(part))
            sources.append(part.message)
        self._add("assistant", blocks, sources)

    def _add_results(self, results: list[Part]) -> None:
        results.sort(key=lambda part: (part.message, part.block or 0))
        blocks = [self._said(part, *result_block(part)) for part in results]
        self._done.update(map(_key, results))
        self._add("user", blocks, [part.message for part in results])

    def _said(self, part: Part, block: Message, in_other_words: list[str]) -> Message:
        self._left.extend(LeftOut(part.message, part.block, reason) for reason in in_other_words)
        return block

    def _add(self, role: str, content: Any, sources: list[int]) -> None:
        self._messages.append({"role": role, "content": content})
        self._sources.append(tuple(dict.fromkeys(sources)))

    def _leave(self, part: Part, reason: str) -> None:
        self._done.add(_key(part))
        self._left.append(LeftOut(part.message, part.block, reason))

    def _leave_rest(self) -> None:
        """Name everything that has not been dealt with."""
        for index, message in enumerate(self._view.messages):
            beside = [reason for field, reason in BESIDE.items() if _has(message, field)]
            self._left.extend(LeftOut(index, None, reason) for reason in beside)
            if not self._parts[index] and not beside:
                self._left.append(LeftOut(index, None, EMPTY_MESSAGES))
            for part in self._parts[index]:
                if _key(part) not in self._done:
                    self._leave(part, _reason(part))


def _key(part: Part) -> tuple[int, int | None, str]:
    # A chat message may have a content part and a call with the same number.
    return part.message, part.block, part.kind


def _position(left: LeftOut) -> tuple[int, int]:
    return left.message, -1 if left.block is None else left.block


def _has(message: Any, field: str) -> bool:
    return isinstance(message, dict) and bool(message.get(field))


def _reason(part: Part) -> str:
    """Say what a part is that no exchange has taken."""
    if part.kind == "text":
        return ROLES.get(part.role, OTHER_TEXTS) if text_of(part) else EMPTY_TEXTS
    if part.kind in ("thinking", "reasoning"):
        return THINKING
    if part.kind == "other":
        return OTHER_BLOCKS
    if part.served:
        return OLDER_CALLS if part.family == DEPRECATED else SERVED_CALLS
    return CALLS_WITHOUT_ID if part.kind == "call" else ORPHANS
