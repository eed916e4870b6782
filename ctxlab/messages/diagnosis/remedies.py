"""What a careful repair of each fault would be, and what it must not do."""

_ORPHAN = (
    "Store the result in the archive and drop it, with nothing else of its message; better, move the cut "
    "that lost the call to the start of the exchange. Do not invent a call for it, and do not turn it into "
    "text that looks like the user's."
)
_UNANSWERED = (
    "Take the result from the archive or the journal of effects. Where there is none, add an error result "
    "that says that the outcome is unknown. Do not run the call again by itself, do not call it done, and do "
    "not drop the call without a word."
)
_OPEN = (
    "Wait: store the result first, or close the call on purpose with an error result, and only then send, "
    "cut or fold. Do not count the exchange as complete, and do not end the run over it."
)

REMEDIES = {
    # Pairs
    "orphan_tool_result": _ORPHAN,
    "orphan_tool_message": _ORPHAN,
    "orphan_call_output": _ORPHAN,
    "unanswered_tool_use": _UNANSWERED,
    "open_exchange": _OPEN,
    "open_call": _OPEN,
    "duplicate_tool_use_id": (
        "Give the later call a new id, and the results directly after it, nothing else; or refuse the "
        "history. Do not pair by id over the whole history: the first result would answer both calls."
    ),
    "duplicate_tool_result": (
        "Keep exactly one of the two, the real one, and store the other in the archive. Position does not "
        "tell which is real: a made-up result must carry a mark. Do not keep the first one unseen."
    ),
    "result_of_other_kind": (
        "Find out which kind of call was meant, and write the result in the form that answers it. Do not "
        "change the type of the call to fit."
    ),
    "missing_id": (
        "Take the id from the log of the answer that made the call. Where it is lost, archive and drop the "
        "call together with its result. Do not make up an id for only one of the two."
    ),
    "bad_id": (
        "Give the call another id, and its result the same, in the whole history. Do not cut ids off: two "
        "may become equal."
    ),
    "bad_name": (
        "Use the name under which the tool is declared in the request. Do not drop the call or its result."
    ),
    # Order
    "result_not_in_next_message": (
        "Move the result to directly behind its call, and keep what stood between, after it. Do not add a "
        "second result, and do not drop the text between."
    ),
    "tool_result_not_leading": (
        "Move the results of the message in front of everything else in it, and keep all blocks. Nothing is "
        "missing: do not delete the result as an orphan, and do not add a made-up one."
    ),
    "results_split_across_messages": (
        "Move all results of the batch into the message directly after the calls, and treat the whole as "
        "one exchange. Do not cut between the two messages."
    ),
    # Texts
    "empty_text": (
        "Drop the empty text and keep everything else at its place. Do not drop a message that holds a call "
        "or a result, and do not fill the text with a space."
    ),
    "empty_error_result": (
        "Say in the result that the tool failed and gave no text. Do not clear the error mark to get rid of "
        "it."
    ),
    "trailing_whitespace_final_assistant": (
        "Strip the end of this one text, because it is the last; or drop the message, if no prefill was "
        "meant. Do not strip earlier texts: that would change the cached prefix for nothing."
    ),
    "lone_surrogate": (
        "Put U+FFFD in the place of the half character, and keep the original in the archive. Cut texts "
        "between code points. Do not hide it behind ASCII escapes: strict parsers refuse those too."
    ),
    "arguments_not_json": (
        "Put a valid object in the place of the arguments, one that says that they were cut off, and keep "
        "the error result. Do not run the call, and do not repair the arguments to {}."
    ),
    "arguments_not_object": (
        "Write the arguments as one JSON object, as the model gave them, or as one that says that they are "
        "damaged. Do not guess names for them."
    ),
    # Thinking
    "thinking_missing_before_tool_use": (
        "Put the original thinking block back in front of the call, unchanged, or refuse this step. Do not "
        "make one up: it is signed."
    ),
    "thinking_not_leading": (
        "Put the blocks back in the order in which the model gave them. Do not change the thinking itself: "
        "it is signed."
    ),
    "unsigned_thinking": (
        "Put the original block back, with its signature; or leave the thinking out, if its turn is over. Do "
        "not make a signature up, and do not turn the thinking into text."
    ),
    "thinking_last_in_message": (
        "Put back what followed the thinking, or drop the message if nothing did. Do not add an empty text."
    ),
    "reasoning_without_follower": (
        "Drop the reasoning item, or put back the item that followed it. Do not keep it alone because it is "
        "small."
    ),
    # Structure
    "not_a_history": "Give the list of messages itself, such as what stands under 'messages' or 'input'.",
    "empty_history": "Send at least the question. Do not fill the place with an empty message.",
    "not_a_message": (
        "Find out what was stored here, and put the message back. Do not drop it before it is in the archive."
    ),
    "not_json": (
        "Take the value that has no JSON form out, and keep it in the archive. Do not send its Python form "
        "as text."
    ),
    "missing_role": "Set the role that the sender had. Do not guess it from the neighbours.",
    "unknown_role": (
        "Use a role that this API knows, and say whose words they are. Do not pass them off as the user's."
    ),
    "empty_message": "Drop the message, if nothing belongs to it. Do not fill it with made-up words.",
    "wrong_type": "Write the value in the form that this API takes. Do not drop the message that holds it.",
    "unknown_block_type": (
        "Check that the provider knows this type; convert what was written for another API. Do not drop it "
        "without a word."
    ),
    "block_in_wrong_role": (
        "Move it to a message of the role that it belongs to. Do not change the role of the whole message."
    ),
    "first_message_not_user": (
        "Begin with the user's question: move the cut, or put the question back in front. Do not make one up."
    ),
    "bad_role_order": (
        "Move the system text to behind a user's message, or into the system parameter. Do not turn it into "
        "the user's words."
    ),
    "empty_tool_calls": "Leave `tool_calls` out. Do not drop the message, if it has text.",
    # Compaction
    "illegal_cut": (
        "Move the cut back to the start of the exchange, forward to its end, or refuse. Find the call by "
        "its id, however far back it is. Do not keep a tail that begins with a result."
    ),
    "pinned_text_missing": (
        "Put the sentence into the candidate word for word, or refuse. Do not trust a summary to carry it."
    ),
    "nested_summary": (
        "Merge all levels into one flat summary, and keep their facts. Do not wrap it once more, and do not "
        "drop the inner facts."
    ),
    "older_summary_inside_tail": (
        "Build the visible window from the newest summary only, and check the pairs of the whole candidate. "
        "Do not check only around the newest cut."
    ),
    "nothing_to_fold": (
        "Refuse at once, and do not try again before there are new complete exchanges outside the protected "
        "tail. Do not summarise a summary."
    ),
    "oversize_block": (
        "Archive the text, then cut this block to its beginning, a mark that says how much is gone and "
        "where it is, and its end; or refuse and name the block. Do not cut without a mark, and do not send "
        "it to a summariser whole."
    ),
    "undercount": (
        "Count with a tokenizer, or take at least 0.6 token for each character of a script without spaces. "
        "Do not use characters / 4 for every script."
    ),
}
