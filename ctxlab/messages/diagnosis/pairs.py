"""Faults in the pairs of calls and results: one is missing, doubled, or of another kind."""

from collections.abc import Iterator

from ctxlab.messages.chat_parts import DEPRECATED
from ctxlab.messages.diagnosis.context import Context
from ctxlab.messages.diagnosis.finding import Finding, at_part, named, place_of
from ctxlab.messages.diagnosis.remedies import REMEDIES
from ctxlab.messages.pairing import Call, Pairs, answers
from ctxlab.messages.parts import Part, name_in
from ctxlab.messages.responses_parts import NO_RESULT_DUE
from ctxlab.messages.shapes import Api
from ctxlab.messages.view import View

ORPHAN_CODES: dict[Api, str] = {
    "anthropic-messages": "orphan_tool_result",
    "openai-chat": "orphan_tool_message",
    "openai-responses": "orphan_call_output",
}


def pair_findings(view: View, pairs: Pairs, context: Context) -> Iterator[Finding]:
    """Yield what is wrong with the pairs of a history."""
    yield from _orphans(view, pairs)
    with_own_calls = {call.part.message for call in pairs.calls if not call.part.served}
    last_word = max((part.message for part in view.parts if part.kind != "result"), default=-1)
    for call in pairs.calls:
        yield from _id_findings(call, view.api)
        if call.part.id is None:
            continue
        if not call.results:
            yield from _unanswered(view, call.part, with_own_calls, last_word)
        yield from _surplus(call, context)


def _orphans(view: View, pairs: Pairs) -> Iterator[Finding]:
    """Find results whose call does not stand before them.

    Anthropic answers 400, "unexpected `tool_use_id` found in `tool_result` blocks" (openclaw/openclaw#8525),
    and the same for the results of server tools (anthropics/claude-code#65726). OpenAI: "messages with role
    'tool' must be a response to a preceding message with 'tool_calls'" (simonw/llm#937), and "No tool call
    found for function call output" (earendil-works/pi#4570). A reference to a stored item may be the call: an
    output after one is not reported.
    """
    code = ORPHAN_CODES[view.api]
    later = _first_places(pairs.calls)
    references = [part.message for part in view.parts if part.type == "item_reference"]
    for part in pairs.orphans:
        if part.id is None:
            # A function call output may name its tool in the place of a call.
            names_tool = part.family == "function_call" and part.value.get("name")
            if not names_tool and part.family not in NO_RESULT_DUE:
                yield at_part("missing_id", part, "is a result without the id of the call that it answers")
        elif part.family == DEPRECATED or (references and references[0] < part.message):
            continue
        elif part.id in later:
            words = f"answers {named(part)}, whose call stands only after it, at {place_of(later[part.id])}"
            yield at_part(code, part, words)
        else:
            yield at_part(code, part, f"answers {named(part)}, and no message before it makes that call")


def _first_places(calls: list[Call]) -> dict[str | None, Part]:
    places: dict[str | None, Part] = {}
    for call in calls:
        places.setdefault(call.part.id, call.part)
    return places


def _id_findings(call: Call, api: Api) -> Iterator[Finding]:
    """Find calls without an id, and ids that two calls share.

    Anthropic answers 400, "`tool_use` ids must be unique" (ducks/claux#40, anthropics/claude-code#29779).
    With OpenAI's shapes it is provider-dependent across turns: several servers reject it
    (NousResearch/hermes-agent#11722, openclaw/openclaw#40996), and within one turn all do.
    """
    if call.part.id is None and call.part.family in NO_RESULT_DUE:
        return
    if call.part.id is None:
        yield at_part("missing_id", call.part, "is a call without an id, so no result can name it")
    elif call.earlier is not None and call.part.family != DEPRECATED:
        unsure = "" if api == "anthropic-messages" else "; in a later turn that is provider-dependent"
        yield _same_id(call.part, call.earlier, unsure)
    for twin in call.twins:
        yield _same_id(twin, call.part)


def _same_id(part: Part, first: Part, unsure: str = "") -> Finding:
    words = f"calls with the id {named(part)}, which {place_of(first)} has used already{unsure}"
    return at_part("duplicate_tool_use_id", part, words)


def _unanswered(view: View, part: Part, with_own_calls: set[int], last_word: int) -> Iterator[Finding]:
    """Find calls without a result: unanswered where anything follows their turn, else open.

    Where only results follow, up to `last_word`, the call may still be running, and the remedy is to wait.

    Anthropic answers 400, "`tool_use` ids were found without `tool_result` blocks immediately after"; OpenAI,
    "An assistant message with 'tool_calls' must be followed by tool messages" and "No tool output found for
    function call" (anomalyco/opencode#17065, HKUDS/OpenHarness#191, openai/openai-agents-python#2317).

    The provider may still owe the result of its own tool where calls of the client stand beside it, or where
    its turn was paused and goes on in the next message:
    https://platform.claude.com/docs/en/agents-and-tools/tool-use/server-tools
    """
    stop = view.turns[part.message][1]
    at_the_end = stop == len(view.messages)
    if part.served:
        owed = (
            at_the_end
            or part.message in with_own_calls
            or name_in(view.messages[stop], "role") == "assistant"
        )
        if part.family in ("server", "mcp") and not owed:
            words = f"makes the call {named(part)}, which the provider ran, and its result is gone"
            yield at_part("unanswered_tool_use", part, words)
    elif not at_the_end:
        fix = REMEDIES["open_exchange"] if last_word < stop else None
        words = f"makes the call {named(part)}, and no result answers it"
        yield at_part("unanswered_tool_use", part, words, fix)
    else:
        code = "open_call" if view.api == "openai-responses" else "open_exchange"
        yield at_part(code, part, f"makes the call {named(part)}, and the history ends before its result")


def _surplus(call: Call, context: Context) -> Iterator[Finding]:
    """Find a second result for one call, and a result that is written for another kind of call.

    Anthropic answers 400, "each tool_use must have a single result"; OpenAI, "Duplicate value for
    'tool_call_id'" (CopilotKit/CopilotKit#6201, agno-agi/agno#5116).
    """
    for result in call.results:
        if not any(answers(result, part) for part in (call.part, *call.twins)):
            words = (
                f"is of type {result.type!r} and answers {named(result)}, "
                f"which {place_of(call.part)} makes as {call.part.type!r}"
            )
            yield at_part("result_of_other_kind", result, words)
    if call.part.family == DEPRECATED:
        return
    for result in call.results[1 + len(call.twins) :]:
        first = call.results[0]
        words = f"answers {named(result)} a second time; {place_of(first)} has answered it"
        yield at_part("duplicate_tool_result", result, words, _which_is_real(first, result, context))


def _which_is_real(first: Part, second: Part, context: Context) -> str:
    made_up = [part for part in (first, second) if (part.message, part.block) in context.made_up_results]
    if len(made_up) != 1:
        return REMEDIES["duplicate_tool_result"]
    real = second if made_up[0] is first else first
    return (
        f"Keep {place_of(real)}, the real result, and store the made-up one of {place_of(made_up[0])} in the "
        "archive. Do not keep the first one because it is the first."
    )
