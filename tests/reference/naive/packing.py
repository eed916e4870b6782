"""Packing as it is often written: it groups by role, and never looks at an id."""

from typing import Any

Message = dict[str, Any]
History = list[Message]


class ContextManager:
    """Builds contexts of at most `max_tokens` less the room for the answer."""

    def __init__(self, max_tokens: int = 8000, reserve_output_tokens: int = 1500) -> None:
        self.budget = max_tokens - reserve_output_tokens

    def build_safe_context(
        self,
        system_prompt: str,
        initial_user_goal: str,
        current_state_summary: str | None,
        raw_history: History,
    ) -> History:
        """Return the anchors and as many of the newest groups as fit."""
        context = [
            {"role": "system", "content": system_prompt},
            {"role": "user", "content": f"Goal: {initial_user_goal}"},
        ]
        if current_state_summary:
            context.append({"role": "user", "content": f"State: {current_state_summary}"})
        used = sum(map(estimate, context))
        packed: list[History] = []
        for group in reversed(groups_of(raw_history)):
            needed = sum(map(estimate, group))
            if used + needed > self.budget:
                break
            used += needed
            packed.insert(0, group)
        return context + [message for group in packed for message in group]


def groups_of(messages: History) -> list[History]:
    """Put each call and the tool messages behind it into one group."""
    groups: list[History] = []
    for message in messages:
        if message["role"] == "tool" and groups and groups[-1][0].get("tool_calls"):
            groups[-1].append(message)
        else:
            groups.append([message])
    return groups


def estimate(message: Message) -> int:
    """Return about how many tokens a message has."""
    return len(str(message.get("content") or "")) // 2 + 1
