"""Compaction by a policy: trim results, replace old exchanges with a record of the steps, pin conclusions.

The host keeps a log of steps, one for each call that has its result. So the record can be built without a
model: it says what the log says. The history is in the form of OpenAI's Chat Completions, as in `groups`.
"""

import hashlib
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ctxlab.errors import Refusal
from ctxlab.messages.copying import copied
from ctxlab.messages.wording import shown, type_words
from ctxlab.reference.costs import check_limit
from ctxlab.reference.groups import Group, groups_of
from ctxlab.reference.loop import sendable
from ctxlab.reference.marked import PIN_MARK, SUMMARY_MARK, placed, without_mark
from ctxlab.reference.shrinking import MIN_LIMIT_CHARS, finished_text, trim_single_observation

Message = dict[str, Any]
History = list[Message]
Event = dict[str, Any]
Entry = tuple[str, str]  # the tool of a step, and its line in the record

CHARACTERS_PER_TOKEN = 2
MAX_WINDOW = 1_000_000_000
MAX_PINNED = 10
OK = "ok"

# What the record of the steps may have of the window. It must not grow with the run: a run has no end.
RECORD_RATIO = 0.20
# The longest line of a step, and the longest that counts the steps without a line of their own.
LINE_CHARS = 300
COUNT_CHARS = 200
COUNTED_TOOLS = 5


@dataclass(frozen=True)
class CompactionPolicy:
    """When a history is compacted, and how far. Refuses `bad_argument`.

    `window` is in tokens, estimated as characters of content / 2. Over `trigger_ratio` of it old exchanges
    are replaced, and the last `keep_recent_turns` stay. A single result may have `max_single_obs_ratio` of
    the window, in characters twice that figure. `summarize(text)` may rewrite the record of the steps; its
    answer is a text, or {"text": text, "stop_reason": word} as in `compress_tool_result`.
    """

    window: int = 128_000
    trigger_ratio: float = 0.60
    keep_recent_turns: int = 4
    max_single_obs_ratio: float = 0.10
    summarize: Callable[[str], Any] | None = None

    def __post_init__(self) -> None:
        for name, most in (("window", MAX_WINDOW), ("keep_recent_turns", MAX_WINDOW)):
            value = getattr(self, name)
            # Is it anything but a whole number of at least 1?
            if type(value) is not int or not 1 <= value <= most:
                raise Refusal("bad_argument", f"{name} is {shown(value)}, not an int from 1 to {most}")
        for name in ("trigger_ratio", "max_single_obs_ratio"):
            value = getattr(self, name)
            # Is it anything but a share?
            if type(value) not in (int, float) or not 0 < value <= 1:
                raise Refusal("bad_argument", f"{name} is {shown(value)}, not a number over 0, at most 1")
        summarize: Any = self.summarize
        # Is there a summariser that cannot be asked?
        if summarize is not None and not callable(summarize):
            raise Refusal(
                "bad_argument", f"summarize is {type_words(summarize)}, neither None nor a function of a text"
            )

    @property
    def trigger(self) -> float:
        """The size over which old exchanges are replaced, in tokens."""
        return self.window * self.trigger_ratio

    @property
    def result_limit(self) -> int:
        """What a single result may have, in characters."""
        return int(self.window * self.max_single_obs_ratio * CHARACTERS_PER_TOKEN)

    @property
    def record_limit(self) -> int:
        """What the record of the steps may have, in characters."""
        return int(self.window * RECORD_RATIO * CHARACTERS_PER_TOKEN)


@dataclass(frozen=True)
class Step:
    """One call that has its result, in the host's log.

    `turn` is the number of its exchange in the run. The status is "ok" for a step that is done; any other
    word says how it failed or why it was given up. `brief` says in a sentence what it found out; record and
    pin hold one line of it, at most 300 characters with the tool. `result_fingerprint` is the `fingerprint`
    of the result, `full_output` its text; None where not kept. Refuses `bad_argument`.
    """

    turn: int
    tool: str
    status: str
    brief: str = ""
    result_fingerprint: str | None = None
    full_output: str | None = None

    def __post_init__(self) -> None:
        # Is the turn anything but a whole number?
        if type(self.turn) is not int:
            raise Refusal("bad_argument", f"the turn of a step is {shown(self.turn)}, not an int")
        for name in ("tool", "status", "brief"):
            value = getattr(self, name)
            # Is it anything but a text?
            if not isinstance(value, str):
                raise Refusal("bad_argument", f"the {name} of a step is {type_words(value)}, not a str")
        for name in ("result_fingerprint", "full_output"):
            value = getattr(self, name)
            # Is it anything but a text, or left out?
            if not isinstance(value, str | None):
                problem = f"is {type_words(value)}, neither None nor a str"
                raise Refusal("bad_argument", f"the {name} of a step {problem}")


def compact(
    messages: History, steps: Sequence[Step], policy: CompactionPolicy
) -> tuple[History, list[Event]]:
    """Return a history to use in place of `messages`, and the events: what was done, and what could not be.

    `steps` is the log of the whole run so far, in order. Only whole exchanges are removed: all that a user or
    the assistant said stays, and so does an exchange that is open or was torn before. The events, in order:

    {"event": "trimmed", "message": index, "before": characters, "after": characters}, one for each result;
    {"event": "summarised", "exchanges": number removed, "rewritten": whether by the model, "before": tokens,
    "after": tokens, "steps": the log without full outputs}, or {"event": "not_summarised", "reason":
    "no_old_exchange" or "record_not_smaller", "tokens": size} where the history should get shorter and
    cannot; {"event": "pinned", "conclusions": number}, 0 where a pin had to go; {"event": "not_pinned",
    "conclusions": number}, the older ones for which the window has no room. [] where nothing was to do.

    The record of the steps may have 20 % of the window, or some 600 characters if that is more. The steps
    passed in keep their `full_output`: a host that wants the space goes on with those of the event. Refuses
    `bad_argument`, `not_a_history`, and `not_smaller` where the result is over the window.
    """
    # Is the policy anything but a policy?
    if not isinstance(policy, CompactionPolicy):
        raise Refusal("bad_argument", f"policy is {type_words(policy)}, not a CompactionPolicy")
    check_steps(steps)
    groups_of(messages)
    candidate = copied(messages)

    # 1. Trim each result that is too long by itself.
    events = trim_long_results(candidate, policy.result_limit)

    # 2. Over the trigger, replace old exchanges with a record of the steps.
    lines = conclusions(steps)
    pin = "\n".join(lines)
    # A pin that is there already counts as little as one that comes: so a second call decides the same.
    size = size_of(without_mark(candidate, PIN_MARK))
    # Is the history over the trigger, or has the window no room for the pin?
    if size > policy.trigger or size_of(placed(candidate, PIN_MARK, pin)) > policy.window:
        old = old_exchanges(candidate, policy.keep_recent_turns)
        draft = structured_summary(steps, max_chars=policy.record_limit)
        shorter = placed(without(candidate, old), SUMMARY_MARK, draft)
        # Are all exchanges recent, open or torn?
        if not old:
            events.append({"event": "not_summarised", "reason": "no_old_exchange", "tokens": size})
        # Does it fit the window now, and would it be no smaller with a record and a pin?
        elif size <= policy.window and size_of(placed(shorter, PIN_MARK, pin)) >= size:
            events.append({"event": "not_summarised", "reason": "record_not_smaller", "tokens": size})
        else:
            # Only now is a model worth asking: what is taken of its answer is no longer than the draft.
            summary = structured_summary(steps, policy.summarize, max_chars=policy.record_limit)
            shorter = placed(shorter, SUMMARY_MARK, summary)
            events.append(
                {
                    "event": "summarised",
                    "exchanges": len(old),
                    "rewritten": summary != draft,
                    "before": size_of(candidate),
                    "after": size_of(shorter),
                    "steps": [replace(step, full_output=None) for step in steps],
                }
            )
            candidate = shorter

    # 3. Pin what was confirmed, on every call: one pin, in the place of an earlier one.
    result, count = pinned(candidate, lines, policy.window)
    # Does the pin say anything new, or had it to go?
    if result != candidate:
        events.append({"event": "pinned", "conclusions": count})
    # Has the window no room for all of it?
    if count < len(lines):
        events.append({"event": "not_pinned", "conclusions": len(lines) - count})

    # 4. Check the result like any other history.
    groups_of(result)
    # Is it still over the window?
    if size_of(result) > policy.window:
        # What is left is not to be cut, and a request with it would fail.
        raise Refusal(
            "not_smaller",
            f"compacted, the history has {size_of(result)} tokens (characters / 2); before "
            f"{size_of(messages)}, window {policy.window}; {remedy(result, policy)}",
        )
    return result, events


def pinned(messages: History, lines: list[str], window: int) -> tuple[History, int]:
    """Return the history with the newest of these lines that fit the window in its pin, and their number."""
    for first in range(len(lines)):
        result = placed(messages, PIN_MARK, "\n".join(lines[first:]))
        # Is there room for these lines?
        if size_of(result) <= window:
            return result, len(lines) - first
    # Does the history, with a pin that may be in it, fit as it is, and is there nothing to put there?
    if not lines and size_of(messages) <= window:
        return messages, 0
    # A pin is no reason to refuse a history.
    return without_mark(messages, PIN_MARK), 0


def remedy(messages: History, policy: CompactionPolicy) -> str:
    """Return what makes a history fit that is over the window after all."""
    # Would another exchange be old if fewer counted as recent?
    if len(old_exchanges(messages, 1)) > len(old_exchanges(messages, policy.keep_recent_turns)):
        return f"lower keep_recent_turns, which is {policy.keep_recent_turns}, or raise window"
    return (
        "no exchange can go any more: raise window, shorten a message, or begin a new run with what is known"
    )


def structured_summary(
    steps: Sequence[Step], summarize: Callable[[str], Any] | None = None, *, max_chars: int | None = None
) -> str:
    """Return the record of the steps in four parts: goal, done, failed or given up, to do.

    It is built from the log alone. Over `max_chars` characters it names the newest steps and only counts
    older ones by their tools; failed ones, of which there are fewer, may take half of the room first. The
    counts and the parts themselves, some 600 characters, stand there in any case. `summarize(text)`, where
    given, may rewrite it: its answer is taken if it is whole and no longer. Refuses `bad_argument`.
    """
    check_steps(steps)
    # Is there a limit?
    if max_chars is not None:
        check_limit("max_chars", max_chars)
    # 1. Sort the steps by how they ended.
    done: list[Entry] = []
    failed: list[Entry] = []
    first: dict[str, int] = {}  # a fingerprint: the turn in which a result had it first
    for step in steps:
        # Is the step done?
        if step.status == OK:
            line = line_of(step.tool, step.brief)
            # Did an earlier step have the same result?
            if step.result_fingerprint in first:
                line += f" (the same result as in turn {shown(first[step.result_fingerprint])})"
            # Does the log say which result it had?
            elif step.result_fingerprint:
                first[step.result_fingerprint] = step.turn
            done.append((step.tool, line))
        else:
            failed.append((step.tool, line_of(step.tool, step.status)))

    # 2. Write the four parts. The goal is not told again, so it cannot change from summary to summary.
    head = ["Goal: see the task; it is unchanged.", f"Done: {len(done)}"]
    middle = f"Failed or given up: {len(failed)}"
    end = "To do: what no step above covers. Look before you repeat a call."
    failed_lines, done_lines = every_line(failed), every_line(done)
    # Is the record too long with a line for each step?
    if max_chars is not None and length_of([*head, *done_lines, middle, *failed_lines, end]) > max_chars:
        room = max_chars - length_of([*head, middle, end])
        failed_lines = newest_lines(failed, room // 2)
        done_lines = newest_lines(done, room - length_of(failed_lines))
    text = sendable("\n".join([*head, *done_lines, middle, *failed_lines, end]))

    # 3. A model may make it shorter.
    # Is there no model to ask?
    if summarize is None:
        return text
    try:
        answer = summarize(text)
    except Exception:  # noqa: BLE001 - a model can fail in any way, and the text is there in each
        return text
    rewritten = finished_text(answer)
    # Is the answer not whole, or longer than the text?
    if rewritten is None or len(rewritten) > len(text):
        # What was built from the log stays.
        return text
    return rewritten


def conclusions(steps: Sequence[Step]) -> list[str]:
    """Return a line for each of the last conclusions that a result confirmed: tool, brief."""
    lines = []
    for step in steps:
        # Is the step done, and is there something that it found out?
        if step.status == OK and step.brief.strip():
            lines.append(line_of(step.tool, step.brief))
    return lines[-MAX_PINNED:]


def line_of(tool: str, words: str) -> str:
    """Return the line of a step."""
    # Is there nothing to say but its name?
    if not words.strip():
        return on_one_line(f"- {tool}", LINE_CHARS)
    return on_one_line(f"- {tool}: {words}", LINE_CHARS)


def on_one_line(text: str, most: int) -> str:
    """Return a text without line breaks, so that it cannot pass for two lines, in at most `most` characters.

    "..." says that something is missing.
    """
    line = " ".join(text.strip().splitlines())
    # Is it short enough?
    return line if len(line) <= most else f"{line[: most - 3]}..."


def every_line(entries: list[Entry]) -> list[str]:
    """Return the lines of these steps."""
    return [line for _, line in entries]


def newest_lines(entries: list[Entry], room: int) -> list[str]:
    """Return the lines of the newest steps in `room` characters, below one that counts the earlier ones."""
    # Is there room for them all?
    if length_of(every_line(entries)) <= room:
        return every_line(entries)
    room -= COUNT_CHARS + 1
    start = len(entries)
    # Is there room for the line of the step before?
    while start > 0 and length_of([entries[start - 1][1]]) <= room:
        start -= 1
        room -= length_of([entries[start][1]])
    return [count_line(entries[:start]), *every_line(entries[start:])]


def count_line(entries: list[Entry]) -> str:
    """Return the line that stands for steps without one: how many, and how often the most frequent tools."""
    tools = Counter(tool for tool, _ in entries).most_common()
    counts = [f"{tool} {count}" for tool, count in tools[:COUNTED_TOOLS]]
    # Are there more tools?
    if len(tools) > COUNTED_TOOLS:
        counts.append(f"others {sum(count for _, count in tools[COUNTED_TOOLS:])}")
    return on_one_line(f"- and {len(entries)} earlier steps: {', '.join(counts)}", COUNT_CHARS)


def length_of(lines: list[str]) -> int:
    """Return the number of characters in these lines, with the end of each."""
    return sum(len(line) + 1 for line in lines)


def fingerprint(text: str) -> str:
    """Return the first 12 hex digits of the SHA-256 of a text. The same text has the same ones."""
    # Is it anything but a text?
    if not isinstance(text, str):
        raise Refusal("bad_argument", f"text is {type_words(text)}, not a str")
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def trim_long_results(messages: History, limit: int) -> list[Event]:
    """Trim the results over `limit` characters, in place. Returns an event for each."""
    events = []
    for index, message in enumerate(messages):
        text = text_of(message)
        # Is this a result over the limit?
        if message["role"] == "tool" and len(text) > limit:
            # Does the limit leave no room for the mark of a cut?
            if limit < MIN_LIMIT_CHARS:
                raise Refusal(
                    "bad_argument",
                    f"message {index} is a result of {len(text)} characters, and the policy allows {limit}, "
                    f"too few for a cut; raise window or max_single_obs_ratio until it allows "
                    f"{MIN_LIMIT_CHARS} (window x max_single_obs_ratio x 2)",
                )
            trimmed = trim_single_observation(text, limit)
            message["content"] = with_text(message["content"], trimmed)
            events.append({"event": "trimmed", "message": index, "before": len(text), "after": len(trimmed)})
    return events


def old_exchanges(messages: History, keep_recent: int) -> list[Group]:
    """Return the exchanges that may go: whole, not among the last `keep_recent`, and needed by no other."""
    whole, torn = [], set()
    for group in groups_of(messages):
        # Are results missing in this group, or out of place? An open exchange is such a group too.
        if group.fault:
            torn.update(ids_of(messages, group))
        # Is this an exchange?
        elif group.stop - group.start > 1:
            whole.append(group)
    old = []
    for group in whole[:-keep_recent]:
        # Has no torn group a result with one of its ids? Without its call that would be an orphan too.
        if torn.isdisjoint(ids_of(messages, group)):
            old.append(group)
    return old


def ids_of(messages: History, group: Group) -> list[Any]:
    """Return the ids of the results in a group."""
    members = messages[group.start : group.stop]
    return [message.get("tool_call_id") for message in members if message["role"] == "tool"]


def without(messages: History, groups: list[Group]) -> History:
    """Return the history without these groups."""
    gone = {index for group in groups for index in range(group.start, group.stop)}
    return [message for index, message in enumerate(messages) if index not in gone]


def size_of(messages: History) -> int:
    """Return the size in tokens, estimated as characters of content / 2. Arguments of calls are left out."""
    return sum(len(text_of(message)) for message in messages) // CHARACTERS_PER_TOKEN


def text_of(message: Message) -> str:
    """Return the content of a message as one text; parts that hold no text are left out."""
    content = message.get("content")
    # Is the content one text?
    if isinstance(content, str):
        return content
    return "\n".join(part["text"] for part in content or [] if isinstance(part.get("text"), str))


def with_text(content: Any, text: str) -> Any:
    """Return a content with `text` in the place of all its texts; parts of other kinds stay."""
    # Is the content one text?
    if isinstance(content, str):
        return text
    others = [part for part in content if not isinstance(part.get("text"), str)]
    return [{"type": "text", "text": text}, *others]


def check_steps(steps: Sequence[Step]) -> None:
    """Refuse (`bad_argument`) what is no list of steps."""
    # Is it anything but a list?
    if not isinstance(steps, list | tuple):
        raise Refusal("bad_argument", f"steps is {type_words(steps)}, not a list of steps")
    for index, step in enumerate(steps):
        # Is it anything but a step?
        if not isinstance(step, Step):
            raise Refusal("bad_argument", f"step {index} is {type_words(step)}, not a Step")
