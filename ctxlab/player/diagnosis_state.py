"""What the page of a diagnosis needs: the whole history as cards and texts, and what is wrong with it."""

import json
from collections import defaultdict
from collections.abc import Collection, Iterator
from itertools import islice
from typing import Any

from ctxlab.messages.diagnosis.finding import Finding
from ctxlab.messages.pairing import cuts_of, pair_up
from ctxlab.messages.parts import usable_id
from ctxlab.messages.readers.transcript import Transcript
from ctxlab.messages.report import Report
from ctxlab.messages.shapes import Api
from ctxlab.messages.texts import texts
from ctxlab.messages.view import view_of
from ctxlab.messages.wording import shown
from ctxlab.player.cards import cards_of, with_figures_of
from ctxlab.tracer.tables import one_line

# How much is shown of a message: so many texts, each found at so many levels, with so long a path to it.
MOST_TEXTS = 200
MOST_LEVELS = 20
MOST_PATH_CHARS = 200
# Each text is cut to the first of these at which the texts of the history come to at most MOST_CHARS.
CUTS = (2000, 500, 100)
MOST_CHARS = 8_000_000
# The names of so many calls stand on a cut that would split them.
SHOWN_IDS = 2
MOST_ID_CHARS = 60


def diagnosis_state(report: Report, masked: bool = False) -> dict[str, Any]:
    """Return heading, cards, texts, origins, splits and findings, as JSON values.

    `texts` has, for each message, (path, beginning, characters left out) of each text in it, and `origins`
    the place where it stands in the file. `splits` are the cuts that are not legal, with what they would
    split. With `masked` every secret is masked, and the sizes stay those of the history as it is.
    """
    transcript = report.transcript
    cards, encoding = cards_of(transcript.messages, transcript.api)
    if masked:
        report = report.masked()
        transcript = report.transcript
        cards = with_figures_of(cards, cards_of(transcript.messages, transcript.api)[0])
    return {
        "heading": _heading(report, cards, encoding, masked),
        "cards": cards,
        "texts": _texts(transcript.messages),
        "origins": [origin.place for origin in transcript.origin] if report.name else [],
        "splits": splits(transcript.messages, transcript.api),
        "findings": [_finding(report, finding) for finding in report.findings],
    }


def headline(report: Report) -> str:
    """Return what the diagnosis comes to, in one sentence."""
    total = len(report.findings)
    if not total:
        return f"No findings in {_amount(len(report.transcript.messages), 'message')}."
    blamed = sorted({finding.message for finding in report.findings if finding.message is not None})
    found = _amount(total, "finding")
    if not blamed:
        return f"{found}, in no single message."
    if len(blamed) == 1:
        return f"{found}, in message {blamed[0]}."
    return f"{found} in {len(blamed):,} messages, the first in message {blamed[0]}."


def splits(messages: list[Any], api: Api) -> list[tuple[int, str]]:
    """Return each cut that is not legal, in order, with what it would split, in words."""
    view = view_of(messages, api)
    pairs = pair_up(view)
    legal = set(cuts_of(view, pairs))
    # A cut splits a call from the one behind its own message up to the one before its last result.
    begin: dict[int, list[int]] = defaultdict(list)
    end: dict[int, list[int]] = defaultdict(list)
    for number, call in enumerate(pairs.calls):
        last = max((result.message for result in call.results), default=-1)
        if last > call.part.message:
            begin[call.part.message + 1].append(number)
            end[last].append(number)
    found = []
    split: dict[int, str] = {}
    for cut in range(len(messages) + 1):
        for number in begin[cut]:
            split[number] = one_line(pairs.calls[number].part.id or "", MOST_ID_CHARS)
        if cut not in legal:
            found.append((cut, _words(split.values())))
        for number in end[cut]:
            del split[number]
    return found


def _words(ids: Collection[str]) -> str:
    if not ids:
        return "the model's turn"
    more = len(ids) - SHOWN_IDS
    return ", ".join(islice(ids, SHOWN_IDS)) + (f" and {more} more" if more > 0 else "")


def _heading(report: Report, cards: list[dict[str, Any]], encoding: str, masked: bool) -> dict[str, Any]:
    """Return what stands above the history: name, headline, short facts, further lines, and the warning."""
    transcript, warning = report.transcript, report.warning() or ""
    # As in a list: brackets around the messages, and a comma between two.
    size = sum(card["bytes"] for card in cards) + max(2, len(cards) + 1)
    facts = [transcript.format, transcript.api, _amount(len(cards), "message"), _amount(size, "byte")]
    if encoding:
        facts.append(f"{_amount(sum(card['tokens'] or 0 for card in cards), 'token')} ({encoding})")
    return {
        "name": report.name,
        "headline": headline(report),
        "facts": facts,
        "lines": [
            *_beside(transcript),
            *_skipped(transcript),
            *transcript.notes,
            *([f"Masked on this page: {warning}."] if masked else []),
        ],
        "warning": "" if masked else warning,
    }


def _beside(transcript: Transcript) -> list[str]:
    """Return a line on what is sent with the messages and is no part of the figures."""
    found = []
    if transcript.system is not None:
        size = sum(map(len, texts(transcript.system)))
        found.append(f"a system text of {_amount(size, 'character')}")
    if transcript.tools:
        found.append(_amount(len(transcript.tools), "tool"))
    return [f"Sent beside the messages, and not counted: {' and '.join(found)}."] if found else []


def _skipped(transcript: Transcript) -> list[str]:
    """Return a line on the records that are no part of the history."""
    kinds = ", ".join(f"{count:,} x {kind}" for kind, count in transcript.skipped.items())
    return [f"Not part of the history: {kinds}."] if kinds else []


def _amount(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def _finding(report: Report, finding: Finding) -> dict[str, Any]:
    message = None if finding.message is None else report.transcript.messages[finding.message]
    return {
        "code": finding.code,
        "message": finding.message,
        "block": finding.block,
        "path": _block_path(message, finding),
        "place": report.place(finding) if report.name else "",
        "text": finding.text,
        "fix": finding.fix,
    }


def _block_path(message: Any, finding: Finding) -> str:
    """Return the path to the block that a finding blames, as `texts` has it; "" for none."""
    if finding.block is None or not isinstance(message, dict):
        return ""
    calls, content = message.get("tool_calls"), message.get("content")
    if isinstance(calls, list) and finding.block < len(calls):
        call = calls[finding.block]
        named = usable_id(call.get("id")) if isinstance(call, dict) else None
        # A message of OpenAI Chat can have both, and the id says which is meant.
        if not isinstance(content, list) or named == finding.id:
            return f"tool_calls[{finding.block}]"
    return f"content[{finding.block}]"


def _texts(messages: list[Any]) -> list[list[tuple[str, str, int]]]:
    """Return, for each message, the path to each of its texts, the beginning, and how much is left out."""
    listed = [list(_first_leaves(message)) for message in messages]
    lengths = [len(text) for leaves in listed for _, text in leaves]
    most = next((cut for cut in CUTS if sum(min(size, cut) for size in lengths) <= MOST_CHARS), CUTS[-1])
    return [[(path, text[:most], max(0, len(text) - most)) for path, text in leaves] for leaves in listed]


def _first_leaves(message: Any) -> Iterator[tuple[str, str]]:
    leaves = _leaves(message, "", MOST_LEVELS)
    for path, text in islice(leaves, MOST_TEXTS):
        yield path[:MOST_PATH_CHARS], text
    if next(leaves, None) is not None:
        yield "…", "More stands in this message than is shown here."


def _leaves(value: Any, path: str, levels: int) -> Iterator[tuple[str, str]]:
    """Yield path and text of each plain value, and of what is empty or nested too deeply."""
    if isinstance(value, dict) and value and levels:
        for key, item in value.items():
            name = key if isinstance(key, str) else shown(key)
            yield from _leaves(item, f"{path}.{name}" if path else name, levels - 1)
    elif isinstance(value, (list, tuple)) and value and levels:
        for index, item in enumerate(value):
            yield from _leaves(item, f"{path}[{index}]", levels - 1)
    else:
        yield path, value if isinstance(value, str) else _as_json(value)


def _as_json(value: Any) -> str:
    try:
        return json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        return shown(value)
