"""Diagnosis of a whole history."""

from typing import Any

from ctxlab.messages.diagnosis.compaction import compaction_findings
from ctxlab.messages.diagnosis.context import checked_context
from ctxlab.messages.diagnosis.encodable import encoding_findings, without_json
from ctxlab.messages.diagnosis.finding import Finding
from ctxlab.messages.diagnosis.order import order_findings
from ctxlab.messages.diagnosis.pairs import pair_findings
from ctxlab.messages.diagnosis.sizes import size_findings
from ctxlab.messages.diagnosis.structure import structure_findings
from ctxlab.messages.diagnosis.texts import text_findings
from ctxlab.messages.diagnosis.thinking import thinking_findings
from ctxlab.messages.pairing import pair_up
from ctxlab.messages.shapes import Api, shape_of
from ctxlab.messages.view import view_of


def diagnose(messages: Any, api: Api | None = None, **context: Any) -> list[Finding]:
    """Return what a provider would reject in a history, and what a compactor may not do to it.

    `messages` is a list of messages of Anthropic Messages or OpenAI Chat, or of input items of OpenAI
    Responses. `api` names the shape, which is recognised when it is not given. The findings are sorted by
    place; a sound history has none. No JSON value makes this raise, and nothing is changed.

    What is known besides the history is given by keyword:

    - cut: the index at which a compactor means to cut; the messages from it on are kept
    - thinking: "enabled" when manual extended thinking is on, else "adaptive" or "disabled"; or the parameter
      of the request as it is
    - budget_tokens: how many tokens the whole history may have
    - protected_from: the index from which on nothing may be folded
    - pinned: texts that must stand in the history word for word
    - summary_messages: the indices of the messages that are summaries
    - made_up_results: the places, {"message": index, "block": index or None}, of results that no tool gave

    Refuses (`bad_argument`) another keyword, and a value that fits none of these.
    """
    view = view_of(messages, shape_of(messages, api))
    known = checked_context(context, len(view.messages))
    pairs = pair_up(view)
    problems = without_json(view)
    findings = [
        *structure_findings(messages, view),
        *encoding_findings(view, problems),
        *pair_findings(view, pairs, known),
        *order_findings(view, pairs),
        *text_findings(view),
        *thinking_findings(view, known),
        *compaction_findings(view, pairs, known),
        *size_findings(view, known, set(problems)),
    ]
    return sorted(findings, key=_place)


def _place(finding: Finding) -> tuple[int, int]:
    message = -1 if finding.message is None else finding.message
    return message, -1 if finding.block is None else finding.block
