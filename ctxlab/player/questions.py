"""What a gated player asks before it shows a run, and the right answers. Both come from the trace."""

from collections.abc import Iterator
from typing import Any

from ctxlab.errors import CtxlabError
from ctxlab.messages.wording import shown
from ctxlab.tracer.diagram import diagrams
from ctxlab.tracer.ends import RETURNS, ending, ends, returned_words
from ctxlab.tracer.raising import code_at, is_raise_statement, raised_at
from ctxlab.tracer.tables import one_line
from ctxlab.tracer.traces import Trace

ASKS = ("decisions", "outcome", "messages")

# How a run may end that no source says: an error from outside, a code that is computed, the step limit.
OTHER_END = "another way: an error, another refusal, or no end"

MOST_CHARS = 200  # of an option; the ids in it are as long as the transcript makes them

Question = dict[str, Any]


def checked_ask(trace: Trace, predict: Any) -> str:
    """Return what `predict` asks for: one of ASKS (True is "decisions"), or "" for False.

    Raises CtxlabError for anything else, and for "messages" where the run was given no messages.
    """
    if isinstance(predict, bool):
        return "decisions" if predict else ""
    if not isinstance(predict, str) or predict not in ASKS:
        raise CtxlabError(f"predict is {shown(predict)}; give True, False or one of {', '.join(ASKS)}")
    if predict == "messages" and not _input(trace):
        raise CtxlabError(
            f"predict is 'messages', but {trace.function} was given no messages; "
            "'outcome' asks how the run ends"
        )
    return predict


def questions(trace: Trace, ask: str, cards: list[dict[str, Any]]) -> list[Question]:
    """Return the questions of `ask` (one of ASKS, or "" for none), in the order in which they are asked.

    `cards` are those of the trace's pool. A question holds ask; step, the last one that a reader may know
    before answering; opens, the step to show after that; question, line (or None) and code (or "");
    options and answer; tries, how often one may answer; look, where to look after a wrong try, and
    looks, the same for some of the options, where an option has a place of its own.
    `answer` is an option, or for messages the positions of those that do not come out as they are.
    """
    if ask == "decisions":
        return list(_decisions(trace))
    if ask == "outcome":
        return [_outcome(trace)]
    return [_messages(trace, cards)] if ask else []


def _decisions(trace: Trace) -> Iterator[Question]:
    """Yield a question for each decision of the traced function itself, not of those that it calls."""
    own = 0  # the last stop in the function itself: a call in a condition would give its values away
    decisions = iter(trace.decisions)
    for number, step in enumerate(trace.steps):
        decision = next(decisions) if step.event == "decision" else None
        if trace.frame_at[number] != 0:
            continue
        if decision:
            yield {
                "ask": "decisions",
                "step": own,
                "opens": number,
                "question": one_line(decision.comment) or "Does this condition hold?",
                "line": step.line,
                "code": one_line(decision.source),
                "options": ["yes", "no"],
                "answer": "yes" if decision.outcome else "no",
                # Of two answers a wrong one leaves only the right one, so a second try would teach nothing.
                "tries": 1,
                "look": "",
                "looks": {},
            }
        own = number


def _outcome(trace: Trace) -> Question:
    # An end that no source names would give itself away if it were listed where it is true.
    answer, options = ending(trace), ends(trace)
    return {
        **_OF_THE_WHOLE_RUN,
        "ask": "outcome",
        "question": "How will this run end?",
        "options": [*options, OTHER_END],
        "answer": answer if answer in options else OTHER_END,
        "look": _settling(trace),
        "looks": _ways_to(trace),
    }


def _ways_to(trace: Trace) -> dict[str, str]:
    """Return for each end that has a name where to look if it is expected: at the condition before it.

    Where the run does not come to that condition, it says so, and leads to what settled the end instead.
    """
    looks: dict[str, str] = {}
    settling = _settling(trace)
    reached = {_site(trace, decision.step) for decision in trace.decisions}

    def way(site: int) -> str:
        if site in reached:
            return _look(trace, site)
        line, asked = _place(trace, site)
        return f"This run does not come to {line} ({asked}). {settling}"

    words = returned_words(trace)
    for number, made in enumerate(diagrams(trace)):
        for before, after, _ in made.edges:
            site, end = made.nodes[before].site, made.nodes[after]
            if site is None:
                continue
            if end.kind == "refusal":
                looks.setdefault(end.label, way(site))
            elif end.kind == "return" and number == 0 and words.get(end.line):
                looks.setdefault(f"{RETURNS}: {words[end.line]}", way(site))
    return looks


def _messages(trace: Trace, cards: list[dict[str, Any]]) -> Question:
    given = _input(trace)
    fates = {fate.source: fate for fate in trace.provenance}
    # Without a candidate nothing takes the place of the input.
    changed = [at for at in range(len(given)) if fates and (at not in fates or fates[at].fate != "kept")]
    first = fates.get(changed[0]) if changed else None
    site = _site(trace, first.step) if first else -1
    return {
        **_OF_THE_WHOLE_RUN,
        "ask": "messages",
        "question": "Which messages of the input will not come out as they are?",
        "options": [_option(at, cards[message]) for at, message in enumerate(given)],
        "answer": changed,
        "look": _look(trace, site) if site >= 0 else _settling(trace),
    }


_OF_THE_WHOLE_RUN: Question = {"step": 0, "opens": 0, "line": None, "code": "", "tries": 2, "looks": {}}


def _input(trace: Trace) -> list[int]:
    """Return the pool indices of the messages that the run was given."""
    active = [row[4] for row in trace.data["histories"] if row[1] == 0]
    return active[0] if active else []


def _option(position: int, card: dict[str, Any]) -> str:
    words = [str(position), card["role"], card["kind"], *card["ids"], *(["error"] if card["error"] else [])]
    return f"{one_line(' '.join(words), MOST_CHARS)}, {card['bytes']:,} bytes"


def _settling(trace: Trace) -> str:
    """Return where to look for what settled how the run ended.

    Of a run that ended because a call raised, that is the call; else the last condition before the end: that
    of the run itself, or that before the statement that raised.
    """
    raised = raised_at(trace)
    if raised is not None and not is_raise_statement(trace, raised):
        step = trace.steps[raised]
        return f"Look at line {step.line} of {step.function}: {one_line(code_at(trace, raised))}"
    steps = [decision.step for decision in trace.decisions]
    if raised is not None:
        steps = [step for step in steps if step < raised]
    elif trace.outcome.kind == "returned":
        steps = [step for step in steps if trace.frame_at[step] == 0]
    return _look(trace, _site(trace, steps[-1]) if steps else -1)


def _site(trace: Trace, step: int) -> int:
    """Return the condition that is evaluated at a step, or that its line depends on; -1 for none."""
    site: int = trace.data["places"][trace.data["steps"]["place"][step]][3]
    return site


def _look(trace: Trace, number: int) -> str:
    if number < 0:
        return "Read the source from the top with this input."
    line, asked = _place(trace, number)
    return f"Look at {line}: {asked}"


def _place(trace: Trace, number: int) -> tuple[str, str]:
    """Return where a condition stands, and what it asks."""
    site = trace.data["sites"][number]
    function = trace.data["sources"][site["function"]]["name"]
    return f"line {site['line']} of {function}", one_line(site["question"] or site["source"])
