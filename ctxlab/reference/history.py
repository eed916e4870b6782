"""Split, trim and prepare: how a history is made smaller without being broken.

A history here is one user question, then exchanges: an assistant message with tool calls and the user message
with all their results, in the block form of the Anthropic Messages API
(https://platform.claude.com/docs/en/agents-and-tools/tool-use/handle-tool-calls). It is the history at one
moment: every result of the last round is in, and the next request is not sent yet. Positions in texts are
counted from 0.
"""

from collections.abc import Callable
from typing import Any

from ctxlab.errors import Refusal
from ctxlab.messages.blocks import call_ids, result_ids
from ctxlab.messages.copying import copied
from ctxlab.messages.encoding import compact_json
from ctxlab.messages.grammar import call_fault, is_text_question, pair_fault, result_fault, unpaired
from ctxlab.messages.wording import shown

Message = dict[str, Any]
History = list[Message]
Exchange = list[Message]

MAX_KEEP_RECENT = 4
MIN_BUDGET = 400
MAX_SUMMARY_CHARS = 1000


def history_bytes(messages: History) -> int:
    """Return the size of the history in bytes: UTF-8, compact JSON, non-ASCII kept."""
    return len(compact_json(messages))


def checked_exchange(request: Message, response: Message, *, at: int = 0) -> Exchange:
    """Return copies of a call message and its result message, or refuse.

    `at` is the position of `request` in its history, for the text of a refusal.
    Refuses `not_a_history`, `unsupported_block`, `mismatch` or `bad_result`.
    """
    fault = pair_fault(request, response, at) or call_fault(request, at) or result_fault(response, at + 1)
    # Is one of the two messages malformed?
    if fault:
        raise Refusal(fault.code, fault.text)

    calls, results = call_ids(request), result_ids(response)
    # Is a call without its result, or a result without its call?
    if sorted(calls) != sorted(results):
        # A provider rejects a history in which one half of a pair is missing.
        raise Refusal("mismatch", unpaired(request, response, at))
    return [copied(request), copied(response)]


def split_history(messages: History, keep_recent: int = 1) -> dict[str, Any]:
    """Split a history at whole exchanges: {"question": message, "older": exchanges, "recent": exchanges}.

    The last `keep_recent` (1 to 4) exchanges are recent. Everything returned is a copy. Nothing is removed.
    Refuses `bad_argument`, `not_a_history`, `pending`, and whatever `checked_exchange` refuses.
    """
    # Is keep_recent anything but a whole number from 1 to 4?
    if type(keep_recent) is not int or not 1 <= keep_recent <= MAX_KEEP_RECENT:
        raise Refusal(
            "bad_argument", f"keep_recent is {shown(keep_recent)}, not an int from 1 to {MAX_KEEP_RECENT}"
        )

    # 1. The question stands first and is never part of an exchange.
    # Is the first message anything but a question in text?
    if not isinstance(messages, list) or not messages or not is_text_question(messages[0]):
        raise Refusal("not_a_history", "message 0 is not a user message of text")

    # 2. What follows comes in pairs: a call message, then its results.
    # Is the last call still waiting for its results?
    if len(messages) % 2 == 0:
        # Between a call and its results there is no safe place to cut.
        raise Refusal("pending", f"message {len(messages) - 1} has no partner: its exchange is open")

    # 3. Group the pairs. A broken pair stops here.
    exchanges = []
    for at in range(1, len(messages), 2):
        exchanges.append(checked_exchange(messages[at], messages[at + 1], at=at))

    # 4. Cut between two exchanges, never inside one.
    cut = max(0, len(exchanges) - keep_recent)
    return {"question": copied(messages[0]), "older": exchanges[:cut], "recent": exchanges[cut:]}


def trim_results(messages: History, receipt: str, keep_recent: int = 1, max_chars: int = 600) -> History:
    """Return a copy in which long old result texts have become one-line markers.

    `receipt` names the snapshot that still holds the texts. `max_chars` is a limit per text, in characters.
    Only texts of older exchanges change: no call, no id, no error mark, no short text, no recent exchange.
    Refuses `bad_receipt`, `bad_argument`, and whatever `split_history` refuses.
    """
    # 1. Nothing is cut without a receipt: the proof that a snapshot still holds the texts.
    # Is the receipt missing?
    if not isinstance(receipt, str) or not receipt.strip():
        # Without a snapshot the texts would be lost for good.
        raise Refusal("bad_receipt", f"the receipt is {shown(receipt)}; archive the history first")
    # Is max_chars anything but a whole number of at least 1?
    if type(max_chars) is not int or max_chars < 1:
        raise Refusal("bad_argument", f"max_chars is {shown(max_chars)}; it must be an int of at least 1")

    # 2. Split, so that a bad history stops here, and put the copies back into one list.
    parts = split_history(messages, keep_recent)
    candidate = [parts["question"]]
    for exchange in parts["older"] + parts["recent"]:
        candidate.extend(exchange)

    # 3. Look at the results of the older exchanges only. They stand at 2, 4, 6, ...
    for index in range(2, 1 + 2 * len(parts["older"]), 2):
        for number, block in enumerate(candidate[index]["content"]):
            # Is this old text over the limit?
            if len(block["content"]) > max_chars:
                # 4. Write a marker that says what stood here and where it is now.
                marker = result_marker(receipt, index, number, block["tool_use_id"])
                # Is the marker no longer than the text?
                if len(marker) <= len(block["content"]):
                    # 5. Only the text goes; the result, its id and its error mark stay.
                    block["content"] = marker
    return candidate


def result_marker(receipt: str, index: int, number: int, tool_use_id: str) -> str:
    """Return the line that stands for a trimmed text. Quotes keep it one line, whatever the id holds."""
    place = f"message {index}, block {number}, call {tool_use_id!r}"
    return f"[Not a result: the text of {place} was archived in snapshot {receipt!r}.]"


def prepare_context(
    messages: History,
    question: str,
    state: dict[str, Any],
    archive: Callable[[History], str],
    summarize: Callable[[History], str],
    budget: int = 3200,
    keep_recent: int = 1,
) -> History:
    """Return a history of at most `budget` bytes to use in place of `messages`, or refuse.

    `state` is {"archives": [receipts], "summaries": attempts, "max_summaries": limit}; it records what
    happened even when the call refuses. `archive(messages)` stores a snapshot and returns its receipt,
    `summarize(messages)` returns a text of at most 1000 characters; what they raise passes through.
    `question` is the host's own question. Refuses `bad_argument`, `bad_receipt`, `recent_too_large`,
    `summaries_spent`, `bad_summary`, `not_smaller`, and whatever `split_history` refuses.
    """
    # 1. Check the arguments and the history before anything happens.
    check_arguments(question, state, budget)
    older = split_history(messages, keep_recent)["older"]

    # 2. A history that fits is left alone.
    size = history_bytes(messages)
    # Does the history fit the budget as it is?
    if size <= budget:
        # No archive, no summary.
        return copied(messages)

    # 3. Archive a copy before anything is removed.
    receipt = archive(copied(messages))
    # Did the archive give no receipt?
    if not isinstance(receipt, str) or not receipt.strip():
        # Without proof of a snapshot nothing may go.
        raise Refusal(
            "bad_receipt", f"the archive returned {shown(receipt)}, no receipt; nothing was removed"
        )
    state["archives"].append(receipt)

    # 4. Trim the old results: the cheapest loss.
    candidate = trim_results(messages, receipt, keep_recent)
    # Was trimming enough?
    if history_bytes(candidate) <= budget:
        # No summary is spent.
        return candidate

    # 5. Only older exchanges may be summarised.
    # Is there no older exchange?
    if not older:
        # The newest exchange alone is over budget, and it is never cut.
        raise Refusal("recent_too_large", f"what must stay has {size} bytes; the budget is {budget} bytes")

    # 6. A summary costs a model call, so the attempts are limited.
    # Are all summaries spent?
    if state["summaries"] >= state["max_summaries"]:
        raise Refusal(
            "summaries_spent", f"{state['summaries']} of {state['max_summaries']} attempts are spent"
        )
    # The attempt is counted before the call, so that a failing call cannot be repeated for ever.
    state["summaries"] += 1

    # 7. Summarise the first message (it carries any earlier summary) and the older exchanges.
    first_recent = 1 + 2 * len(older)
    summary = summarize(copied(candidate[:first_recent]))
    # Is the summary unusable?
    if not isinstance(summary, str) or not summary.strip() or len(summary) > MAX_SUMMARY_CHARS:
        # The snapshot and the spent attempt stay recorded.
        raise Refusal(
            "bad_summary", f"the summary is {shown(summary)}, not text of 1 to {MAX_SUMMARY_CHARS} characters"
        )

    # 8. Put a new first message before the recent exchanges.
    candidate = [first_message(question, summary.strip(), receipt), *candidate[first_recent:]]

    # 9. Check the result like any other history.
    split_history(candidate, keep_recent)
    rebuilt = history_bytes(candidate)
    # Is it still over the budget, or no smaller than before?
    if rebuilt > budget or rebuilt >= size:
        # A summary that saves too little is no way out.
        raise Refusal(
            "not_smaller", f"rebuilt, the history has {rebuilt} bytes; before {size}, budget {budget}"
        )
    return candidate


def check_arguments(question: str, state: dict[str, Any], budget: int) -> None:
    """Refuse (`bad_argument`) arguments of `prepare_context` that cannot be used."""
    # Is the budget anything but a whole number of at least 400 bytes?
    if type(budget) is not int or budget < MIN_BUDGET:
        raise Refusal(
            "bad_argument", f"budget is {shown(budget)}; it must be an int of {MIN_BUDGET} bytes or more"
        )
    # Is the question missing or blank?
    if not isinstance(question, str) or not question.strip():
        raise Refusal("bad_argument", f"question is {shown(question)}; it must be text that is not blank")
    # Is the state unable to record what happens?
    if not isinstance(state, dict) or not isinstance(state.get("archives"), list):
        raise Refusal("bad_argument", "state needs a list under 'archives'")
    for key in ("summaries", "max_summaries"):
        # Is this counter anything but a whole number?
        if type(state.get(key)) is not int or state[key] < 0:
            raise Refusal(
                "bad_argument", f"state[{key!r}] is {shown(state.get(key))}; it must be an int, 0 or more"
            )


def first_message(question: str, summary: str, receipt: str) -> Message:
    """Return the user message that opens a rebuilt history: the question, the summary, and where the rest is.

    The question is the host's own text, so it is never summarised and summaries never nest.
    """
    return {
        "role": "user",
        "content": (
            f"{question}\n\n"
            f"Summary of earlier work, for reference only:\n{summary}\n\n"
            f"The full text is in snapshot {receipt!r}. Load old rules again before you rely on them; "
            "a permission given earlier does not authorise this run."
        ),
    }
