"""A sliding window: the newest messages stay, the oldest go to an archive that can be searched.

A history here is in the form of OpenAI's Chat Completions, as in `groups`. The window gets it one message
at a time, and evicts the oldest groups, each as a whole, as soon as it is over a limit. Positions in texts
are counted from 0, over everything that was added.
"""

import json
from bisect import bisect_left, bisect_right
from typing import Any

from ctxlab.errors import Refusal
from ctxlab.messages.chat_grammar import HEAD_ROLES, chat_fault
from ctxlab.messages.copying import copied
from ctxlab.messages.spoken import spoken
from ctxlab.messages.texts import texts
from ctxlab.messages.wording import shown, type_words
from ctxlab.reference.costs import Cost, check_limit, checked_cost, cost_of

Message = dict[str, Any]
History = list[Message]


class ContextWindow:
    """The newest groups of a conversation, within two limits, and an archive of what was evicted.

    `max_messages` and `max_tokens` are limits of the whole window. Leading system messages count and are
    never evicted. `cost(message)` returns the tokens of a message; left out, a tokenizer counts what it says
    (cl100k_base). Refuses `bad_argument`.
    """

    def __init__(self, max_messages: int = 20, max_tokens: int = 8000, *, cost: Cost | None = None) -> None:
        check_limit("max_messages", max_messages)
        check_limit("max_tokens", max_tokens)
        self._max_messages = max_messages
        self._max_tokens = max_tokens
        self._cost = checked_cost(cost)
        self._messages: History = []  # the window: the leading system messages, then whole groups
        self._archived: History = []
        self._tokens = 0  # those of the window
        self._head = 0  # the number of leading system messages
        self._starts: list[int] = []  # for each group in the window, the position of its first message
        self._calls: dict[str, int] = {}  # for the id of each call, the position of its message
        self._sums = [0]  # the tokens of the first 0, 1, 2, ... messages, so that none is counted twice

    @property
    def messages(self) -> History:
        """A copy of the window: the history to send."""
        return copied(self._messages)

    @property
    def archived(self) -> History:
        """A copy of the evicted messages, in order, each once."""
        return copied(self._archived)

    def add(self, message: Message) -> None:
        """Add one message, and evict the oldest groups until the limits are met again.

        An add that is refused changes nothing. Refuses `not_a_history`, `newest_too_large` (the newest group
        and the leading system messages alone are over a limit; the newest group is never evicted, and an open
        exchange is always the newest) and `bad_result` (a late result, whose call is archived).
        """
        # 1. Look at the message before anything changes.
        position = len(self._archived) + len(self._messages)
        problem = chat_fault(message)
        # Is this anything but a Chat message?
        if problem:
            raise Refusal("not_a_history", f"message {position} {problem}")
        message = copied(message)
        tokens = cost_of(message, self._cost, position)

        # 2. Find its group, and see whether that fits at all.
        start = self._start_of_group(message, position)
        needed = self._head + position + 1 - start
        needed_tokens = self._sums[self._head] + self._sums[-1] - self._sums[start] + tokens
        # Is its group over a limit even if all other groups are evicted?
        if needed > self._max_messages or needed_tokens > self._max_tokens:
            # There is nothing left to evict: this message has to become shorter before it is added.
            raise Refusal(
                "newest_too_large",
                f"the newest group (messages {start} to {position}) and the leading system messages "
                f"({self._head}) have {needed} messages and {needed_tokens} tokens; the limits are "
                f"{self._max_messages} messages and {self._max_tokens} tokens; shorten message {position} "
                "before you add it",
            )

        # 3. Add it. Nothing refuses from here on.
        self._messages.append(message)
        self._tokens += tokens
        self._sums.append(self._sums[-1] + tokens)
        for call in message.get("tool_calls") or []:
            # Can a result name this call?
            if isinstance(call.get("id"), str):
                self._calls[call["id"]] = position
        # Is it one of the leading system messages?
        if message["role"] in HEAD_ROLES and not self._starts:
            self._head += 1
        else:
            # Its group is the newest now, and a group that began later has become part of it.
            del self._starts[bisect_left(self._starts, start) :]
            self._starts.append(start)

        # 4. Evict the oldest group, whole, until both limits are met.
        # Is the window over a limit?
        while len(self._messages) > self._max_messages or self._tokens > self._max_tokens:
            self._evict_oldest()

    def search_archived(self, keyword: str) -> History:
        """Return copies of the evicted messages that say `keyword`, in order; case makes no difference.

        Searched are texts, tool names, arguments and results. Refuses `bad_argument`.
        """
        # Is there nothing to search for?
        if not isinstance(keyword, str) or not keyword.strip():
            raise Refusal("bad_argument", f"keyword is {shown(keyword)}; it must be text that is not blank")
        found = []
        for message in self._archived:
            # Does this message say the keyword?
            if says(message, keyword):
                found.append(copied(message))
        return found

    def _start_of_group(self, message: Message, position: int) -> int:
        """Return where the group of a new message begins. Refuses `bad_result`."""
        # Is this anything but a result?
        if message["role"] != "tool":
            # It begins a group of its own.
            return position
        answered = message.get("tool_call_id")
        # Did nothing that was added make its call?
        if not isinstance(answered, str) or answered not in self._calls:
            # Does it stand directly behind a call or another result?
            if self._starts and may_be_answered(self._messages[-1]):
                # It answers neither, and is part of their group, as in `groups`.
                return self._starts[-1]
            return position
        called = self._calls[answered]
        # Is its call evicted already?
        if called < self._starts[0]:
            # In the window it would answer nothing.
            raise Refusal(
                "bad_result",
                f"message {position} is a result of call {shown(answered)}, and that call (message {called}) "
                "is archived; add a result directly after its call, or leave this one out",
            )
        # It joins the group of its call, and so does whatever came in between.
        return self._starts[bisect_right(self._starts, called) - 1]

    def _evict_oldest(self) -> None:
        """Move the oldest group to the archive."""
        start, next_start = self._starts[:2]
        stop = self._head + next_start - start
        self._archived.extend(self._messages[self._head : stop])
        del self._messages[self._head : stop]
        del self._starts[0]
        self._tokens -= self._sums[next_start] - self._sums[start]


def windowed(
    messages: History, max_messages: int = 20, max_tokens: int = 8000, *, cost: Cost | None = None
) -> History:
    """Return what a new window holds after all messages were added to it, one by one.

    Refuses what `ContextWindow` and its `add` refuse.
    """
    # Is the history anything but a list?
    if not isinstance(messages, list):
        raise Refusal("not_a_history", f"the history is {type_words(messages)}, not a list of messages")
    window = ContextWindow(max_messages, max_tokens, cost=cost)
    for message in messages:
        window.add(message)
    return window.messages


def may_be_answered(message: Message) -> bool:
    """Say whether a result may stand directly behind a message: it makes calls, or is a result itself."""
    return message["role"] == "tool" or bool(message.get("tool_calls"))


def says(message: Message, keyword: str) -> bool:
    """Say whether a message says the keyword, whatever the case of both."""
    wanted = keyword.casefold()
    for text in spoken(message):
        # Does the keyword stand in this text?
        if wanted in text.casefold():
            return True
        # Is it hidden behind the escapes of JSON, as non-ASCII letters in arguments often are?
        if "\\" in text and any(wanted in part.casefold() for part in unescaped(text)):
            return True
    return False


def unescaped(text: str) -> list[str]:
    """Return the strings in a text that is JSON, names of fields too; [] for any other text."""
    try:
        # An object becomes a list of its names and values.
        return list(texts(json.loads(text, object_pairs_hook=lambda pairs: [list(pair) for pair in pairs])))
    except (ValueError, RecursionError):
        return []
