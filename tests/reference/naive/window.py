"""A sliding window as it is often written: it evicts by position and looks at the content for calls."""

from collections.abc import Iterable
from typing import Any

Message = dict[str, Any]
History = list[Message]


class ContextWindow:
    """The newest messages of a conversation, and an archive of the others."""

    def __init__(self, max_messages: int = 20, max_tokens: int = 8000) -> None:
        self.max_messages = max_messages
        self.max_tokens = max_tokens
        self.messages: History = []
        self.archived: History = []

    def add(self, message: Message) -> None:
        """Add a message, and evict from the start while there are too many."""
        self.messages.append(message)
        while len(self.messages) > self.max_messages:
            oldest = self.messages.pop(0)
            self.archived.append(oldest)
            # A call takes its result with it: the message behind it.
            content = oldest.get("content")
            if isinstance(content, Iterable) and oldest.get("tool_calls") and self.messages:
                self.archived.append(self.messages.pop(0))

    def search_archived(self, keyword: str) -> History:
        """Return the evicted messages that hold the keyword."""
        return [one for one in self.archived if keyword.lower() in str(one.get("content")).lower()]
