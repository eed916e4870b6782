"""Packing: rebuild a context for each request, out of what must be in it and as much history as fits.

A history here is in the form of OpenAI's Chat Completions, as in `groups`. Nothing is kept between two
requests: each context is built anew from the whole history. Groups are loaded newest first, whole or not at
all, and what is left out is reported. Positions are counted from 0.
"""

from dataclasses import dataclass
from typing import Any

from ctxlab.errors import Refusal
from ctxlab.messages.copying import copied
from ctxlab.messages.encoding import compact_json
from ctxlab.messages.wording import shown
from ctxlab.reference.costs import Cost, check_limit, checked_cost, cost_of
from ctxlab.reference.groups import Group, groups_of

Message = dict[str, Any]
History = list[Message]


@dataclass(frozen=True)
class LeftOut:
    """Messages of the history from `start` up to `stop`, which is not one of them, that are not in a context.

    `reason` is "over_budget", or the fault of the group: "open", "unanswered", "orphaned" or "foreign".
    """

    start: int
    stop: int
    reason: str


class ContextManager:
    """Builds contexts of at most `max_tokens` less `reserve_output_tokens`, the room for the answer.

    `cost(message)` returns the tokens of a message; left out, a tokenizer counts what it says (cl100k_base).
    Refuses `bad_argument`.
    """

    def __init__(
        self, max_tokens: int = 8000, reserve_output_tokens: int = 1500, *, cost: Cost | None = None
    ) -> None:
        check_limit("max_tokens", max_tokens)
        check_limit("reserve_output_tokens", reserve_output_tokens, 0)
        # Does the answer take all the room?
        if reserve_output_tokens >= max_tokens:
            raise Refusal(
                "bad_argument",
                f"reserve_output_tokens is {reserve_output_tokens}, and max_tokens {max_tokens}; "
                "reserve less than the maximum",
            )
        self.budget = max_tokens - reserve_output_tokens
        self.cost = checked_cost(cost)

    def build_safe_context(
        self,
        system_prompt: str,
        initial_user_goal: str,
        current_state_summary: str | None,
        raw_history: History,
    ) -> tuple[History, list[LeftOut]]:
        """Return the messages to send, and which groups of the history are not among them.

        The anchors come first: the system prompt, the goal and the state (None or blank: there is none).
        After them come the newest whole groups of the history that fit, without a gap but for broken groups,
        which no provider accepts. System messages in the history are groups like any other.

        Refuses `bad_argument`, `not_a_history`, `anchors_too_large` and `newest_too_large`.
        """
        # 1. The anchors have room before anything else.
        messages = anchors(system_prompt, initial_user_goal, current_state_summary)
        used = self.tokens_of(messages)
        # Do the anchors leave no room for the history?
        if used >= self.budget:
            # Leaving out history does not help here.
            raise Refusal(
                "anchors_too_large",
                f"system prompt, goal and state have {used} tokens, and the budget is {self.budget}; "
                "shorten one of them, or raise max_tokens",
            )

        # 2. Go back from the newest group, and stop at the first one that does not fit.
        packed: list[Group] = []
        left_out: list[LeftOut] = []
        full = False
        for group in reversed(groups_of(raw_history)):
            # Is the group broken?
            if group.fault:
                # It is never sent, whole or in part. It takes no room, and older groups may still be packed.
                left_out.append(LeftOut(group.start, group.stop, group.fault))
                continue
            # Has a newer group not fitted?
            if full:
                # This one might fit, but there would be a hole in the history behind it.
                left_out.append(LeftOut(group.start, group.stop, "over_budget"))
                continue
            tokens = self.tokens_of(raw_history[group.start : group.stop], group.start)
            # Does the group fit?
            if used + tokens <= self.budget:
                used += tokens
                packed.append(group)
            # Is a newer group in the context?
            elif packed:
                # It is left out, and so is everything that is older.
                full = True
                left_out.append(LeftOut(group.start, group.stop, "over_budget"))
            else:
                # Without its newest group a history says nothing about the present.
                raise Refusal(
                    "newest_too_large",
                    f"messages {group.start} to {group.stop - 1}, the newest whole group, have {tokens} "
                    f"tokens; beside the anchors there is room for {self.budget - used}; shorten a result, "
                    "or raise max_tokens",
                )

        # 3. Put the groups back into their order.
        for group in reversed(packed):
            messages.extend(copied(raw_history[group.start : group.stop]))
        return messages, left_out[::-1]

    def tokens_of(self, messages: History, first: int = 0) -> int:
        """Return the tokens of these messages together. `first` is the position of the first one."""
        return sum(cost_of(message, self.cost, index) for index, message in enumerate(messages, first))


def anchors(system_prompt: str, goal: str, state: str | None) -> History:
    """Return the messages that are in every context. Refuses `bad_argument`, `not_a_history`."""
    for name, text in (("system_prompt", system_prompt), ("initial_user_goal", goal)):
        # Is this text missing or blank?
        if not isinstance(text, str) or not text.strip():
            raise Refusal("bad_argument", f"{name} is {shown(text)}; it must be text that is not blank")
    # Is the state anything but a text?
    if not isinstance(state, str | None):
        raise Refusal("bad_argument", f"current_state_summary is {shown(state)}; it must be text, or None")
    texts = {
        "system_prompt": system_prompt,
        "initial_user_goal": goal,
        "current_state_summary": state,
    }
    for name, given in texts.items():
        try:
            compact_json(given)
        except Refusal as refusal:
            problem = f"{name} has no UTF-8 JSON form: {refusal.__cause__}"
            raise Refusal("not_a_history", problem) from refusal
    messages = [
        {"role": "system", "content": system_prompt},
        {"role": "user", "content": f"Goal of the task:\n{goal}"},
    ]
    # Is there a state?
    if state and state.strip():
        # It is no system message: it may repeat what tools returned, and that must give no orders.
        messages.append({"role": "user", "content": f"State of the work, for reference only:\n{state}"})
    return messages
