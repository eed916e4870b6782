"""What a compactor may not do: cut through an exchange, lose a pinned text, nest or mislay a summary."""

import re
from collections.abc import Iterator

from ctxlab.messages.diagnosis.context import Context
from ctxlab.messages.diagnosis.finding import Finding, at_history, at_message, at_part
from ctxlab.messages.pairing import Pairs, cuts_of
from ctxlab.messages.parts import Part, name_in, text_of
from ctxlab.messages.view import INPUT_ROLES, View
from ctxlab.messages.wording import shown

# How a message begins that is a summary, such as "Summary of earlier work:", "[ctxlab summary 2]" or
# "<summary>". A request for a summary has no colon or bracket there, and a summary of something else says so.
SUMMARY = re.compile(
    r"""[\[(<*\#\s]*
    (?: (?:(?:here|this)\s+is\s+)?
        (?:(?:the|an?|earlier|previous|prior|older?|new|newest|latest|conversation|context|session|chat
          |history|running|rolling|compacted|ctxlab)\s+){0,3}
        summary\b
        (?: \s+(?:of|from)\s+(?:the\s+|our\s+)?
            (?:earlier|previous|prior|past|older|conversation|session|work|chat|history|context|messages)\b
            [^:\n\]>]{0,40}
          | \s+[a-z0-9]{1,3}\b
          | \s*\([^)\n]{1,20}\)
          | \s+so\s+far
        ){0,3}
        \s*[:\]>]
      | (?:earlier|previous)\s+(?:work|conversation|context)\s*[:\]>]
      | this\s+session\s+is\s+being\s+continued\s+from\s+a\s+previous\s+conversation
    )""",
    re.IGNORECASE | re.VERBOSE,
)
# A report of a user's own may begin so too; this alone does not tell that a compactor wrote it.
BARE = re.compile(r"\s*summary\s*:", re.IGNORECASE)
# What stands in front of the words of a line: indents, list and quote marks, numbers, headings, brackets.
LINE_MARKS = " \t-*+>#•.[(<_0123456789"
# More levels than any report has, so that a hostile text takes no time.
MOST_LEVELS = 1000


def compaction_findings(view: View, pairs: Pairs, context: Context) -> Iterator[Finding]:
    """Yield what is wrong with a cut, a pinned text or a summary."""
    yield from _cuts(view, pairs, context)
    yield from _pinned(view, context)
    yield from _nested(view, context)
    yield from _older_summaries(view, context)
    yield from _nothing_to_fold(view, context)


def _cuts(view: View, pairs: Pairs, context: Context) -> Iterator[Finding]:
    """Find a cut, or the beginning of a protected tail, that separates a call from its result.

    Reports: HKUDS/OpenHarness#191, langchain-ai/langchain#34184.
    """
    asked = [(context.cut, "a cut"), (context.protected_from, "a protected tail")]
    wanted = {index: name for index, name in reversed(asked) if index is not None}
    if not wanted:
        return
    legal = cuts_of(view, pairs)
    for index, name in wanted.items():
        if index not in legal:
            back = max(cut for cut in legal if cut < index)
            on = min(cut for cut in legal if cut > index)
            words = f"is inside an exchange, so {name} may not begin there; {back} and {on} are legal"
            yield at_message("illegal_cut", index, words)


def _pinned(view: View, context: Context) -> Iterator[Finding]:
    """Find pinned texts that no text holds word for word; with a cut, no text from the cut on.

    Reports: anomalyco/opencode#49463, anthropics/claude-code#9796. The place is where the text stands, if it
    is in front of the cut, and else the first summary, which should have carried it.
    """
    start = context.cut or 0
    for pin in context.pinned:
        holders = [part for part in view.parts if pin in (text_of(part) or "")]
        if any(part.message >= start for part in holders):
            continue
        if holders:
            words = f"holds the pinned text {shown(pin)}, and nothing from the cut at {start} on holds it"
            yield at_part("pinned_text_missing", holders[-1], words)
            continue
        summary = _text_in(view, context.summary_messages[0]) if context.summary_messages else None
        if summary is not None:
            words = f"is a summary without the pinned text {shown(pin)}, which stands nowhere else"
            yield at_part("pinned_text_missing", summary, words)
        else:
            yield at_history("pinned_text_missing", f"the pinned text {shown(pin)} stands in no message")


def _text_in(view: View, message: int) -> Part | None:
    return next((part for part in view.parts if part.message == message and text_of(part)), None)


def _nested(view: View, context: Context) -> Iterator[Finding]:
    """Find summaries that hold earlier summaries with their headings.

    Reports: sudoprivacy/sudocode#408, ultraworkers/claw-code#3050, adolfousier/opencrabs#1649. A level is a
    place that begins like the summary itself, or as summaries begin.
    """
    summaries = set(context.summary_messages)
    for part in view.parts if summaries else ():
        text = text_of(part)
        if part.message not in summaries or not text:
            continue
        levels = _levels(text)
        if levels > 1:
            words = f"is a summary of {levels} levels: summaries were wrapped in summaries"
            yield at_part("nested_summary", part, words)


def _levels(text: str) -> int:
    """Count the places of a summary that begin like it, or as summaries begin: 1 for one that is flat."""
    lines = [line.lstrip(LINE_MARKS) for line in text.strip().splitlines()]
    heading = re.match(r"[^:\n\]>]{1,80}[:\]>]", lines[0]) if lines else None
    own = heading[0].casefold() if heading else None
    levels = 0
    for line in lines:
        # One line may hold several headings, such as "Earlier work: Earlier work: tank drained".
        rest = line
        while levels < MOST_LEVELS:
            match = SUMMARY.match(rest)
            if own is not None and rest.casefold().startswith(own):
                end = len(own)
            elif match is not None:
                end = match.end()
            else:
                break
            levels += 1
            rest = rest[end:].lstrip(LINE_MARKS)
    return levels


def _older_summaries(view: View, context: Context) -> Iterator[Finding]:
    """Find a summary behind messages that are none: a fold kept a tail that reaches back before an older one.

    Report: earendil-works/pi#4570. Where the caller does not say which messages are summaries, those of the
    client are taken that begin as summaries do.
    """
    if context.summary_messages:
        summaries = set(context.summary_messages)
    else:
        first = {part.message: part for part in reversed(view.parts)}
        summaries = {
            index
            for index, part in first.items()
            if part.role in INPUT_ROLES and _begins_as_one(text_of(part) or "")
        }
    front = [
        index
        for index, message in enumerate(view.messages)
        if index not in summaries and name_in(message, "role") not in ("system", "developer")
    ]
    end = front[0] if front else len(view.messages)
    if not any(index < end for index in summaries):
        return
    for index in sorted(summaries):
        if index > end:
            words = f"is a summary, and so is one before message {end}: an older fold came back into view"
            yield at_message("older_summary_inside_tail", index, words)


def _begins_as_one(text: str) -> bool:
    return SUMMARY.match(text) is not None and BARE.match(text) is None


def _nothing_to_fold(view: View, context: Context) -> Iterator[Finding]:
    """Find a history whose only part outside the protected tail is an earlier summary.

    Report: deepseek-ai/deepseek-harness, discussion 7212.
    """
    tail = context.protected_from or 0
    summaries = {index for index in context.summary_messages if index < tail}
    others = (
        index
        for index in range(tail)
        if index not in summaries and name_in(view.messages[index], "role") not in ("system", "developer")
    )
    part = _text_in(view, min(summaries)) if summaries and next(others, None) is None else None
    if part is not None:
        words = f"is an earlier summary, and all from message {tail} on is protected: nothing to fold"
        yield at_part("nothing_to_fold", part, words)
