"""Check pairs: which call or which result would make a provider reject a history.

The history is in the block form of the Anthropic Messages API, as in `history`, and may have any fault. This
check is small: it looks at pairs alone. `ctxlab.diagnose` looks at everything in a history, in three shapes.
"""

from typing import Any

from ctxlab.messages.blocks import kinds_and_ids

Message = dict[str, Any]
History = list[Message]
Fault = tuple[int, int, str]  # message, block, code


def check_pairs(messages: History) -> dict[str, Any]:
    """Say what is wrong with the pairs: {"status": word, "faults": [(message, block, code), ...]}.

    The status is "sound", "open" (all that is missing are results of calls in the last message) or "broken".
    The faults are sorted by place, counted from 0. Their codes and places are those of `diagnose`, with one
    code less: results of one round in two messages are `result_not_in_next_message` here. Left to `diagnose`
    are calls and results without an id or in a message of the wrong role, and two calls of one message with
    the same id. Nothing is changed, and no JSON value in the list makes this raise.
    """
    made: dict[str, int] = {}  # the id of a call: the message with the newest call of that id
    waiting: dict[tuple[int, str], int] = {}  # message and id of a call without a result: its block
    faults: list[Fault] = []
    for index, message in enumerate(messages):
        behind_others = False  # whether anything but a result has stood in this message
        for block, (kind, call_id) in enumerate(kinds_and_ids(message)):
            # Is this block a call?
            if kind == "call":
                # 1. Each call opens a pair, under an id of its own.
                # Has an earlier call this id?
                if call_id in made:
                    # Who looks for the call of a result by its id finds two.
                    faults.append((index, block, "duplicate_tool_use_id"))
                made[call_id] = index
                waiting[index, call_id] = block
            # Is it a result?
            elif kind == "result":
                # 2. A result closes the pair of a call before it, and a pair is closed once.
                asked = made.get(call_id, -1)
                # Does no call before it have this id?
                if call_id not in made:
                    # It answers nothing.
                    faults.append((index, block, "orphan_tool_result"))
                # Is the pair of its call closed already?
                elif (asked, call_id) not in waiting:
                    # Only one of the two results can be the real one.
                    faults.append((index, block, "duplicate_tool_result"))
                # 3. A result stands in the message directly after its call, in front of everything else.
                # Is this another message than the next one?
                elif index != asked + 1:
                    # Where the result must be, something else stands.
                    faults.append((index, block, "result_not_in_next_message"))
                # Does anything else stand before it in this message?
                elif behind_others:
                    # Nothing is missing; the order is wrong.
                    faults.append((index, block, "tool_result_not_leading"))
                waiting.pop((asked, call_id), None)
            behind_others = behind_others or kind != "result"

    # 4. A pair that nothing has closed is open at the end of the history, and broken before it.
    for (index, _), block in waiting.items():
        # Is this call in the last message?
        if index == len(messages) - 1:
            # Its result may still come.
            faults.append((index, block, "open_exchange"))
        else:
            # The history went on without it.
            faults.append((index, block, "unanswered_tool_use"))

    # 5. Only an open end may wait. All other faults must be mended before the next request.
    # Are there no faults?
    if not faults:
        return {"status": "sound", "faults": []}
    # Are all of them calls that may still get their results?
    if {code for _, _, code in faults} == {"open_exchange"}:
        return {"status": "open", "faults": sorted(faults)}
    return {"status": "broken", "faults": sorted(faults)}
