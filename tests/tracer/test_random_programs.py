"""Random programs over a history: the recorded state is the live one at every step, and survives JSON."""

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ctxlab.messages.blocks import call_ids, result_ids
from ctxlab.messages.encoding import compact_json
from ctxlab.tracer.run import trace
from ctxlab.tracer.traces import Trace

PRELUDE = """
def helper(items):
    for item in items:
        if len(item) > 2:
            item["seen"] = len(items)
    return items[:1]

def message(number):
    return {"role": "user", "content": [{"type": "text", "text": str(number)}]}

def program(messages, call):
    candidate = list(messages)
    other = messages
    block = {"type": "text", "text": "start"}
    table = {}
"""

# `{a}`, `{b}` are small numbers. Each statement works on whatever the ones before it have left.
STATEMENTS = [
    "candidate.append(message({a}))",
    "candidate.append(dict(messages[{a} % len(messages)])) if messages else None",
    "candidate[{a}:{b}] = [message({b})]",
    "candidate[{a} % len(candidate)] = message({b})",
    "candidate[{a} % len(candidate)]['content'] = [block]",
    "candidate[{a} % len(candidate)]['content'] = 'short {b}'",
    "candidate[{a} % len(candidate)]['content'][{b} % 2]['text'] = 'deep {a}'",
    "del candidate[{a}]",
    "del candidate[{a}:{b}]",
    "del candidate[{a} % len(candidate)]['content']",
    "candidate = [item for item in candidate if len(item) > {a} % 3]",
    "candidate = [{{**item, 'content': 'n'}} if len(item) == {a} else item for item in candidate]",
    "candidate = messages",
    "candidate = candidate[{a}:]",
    "candidate = candidate + [message({a})]",
    "candidate += [message({a}), message({b})]",
    "candidate *= 1",
    "candidate.insert({a}, candidate[{b} % len(candidate)])",
    "candidate.pop({a} % len(candidate))",
    "candidate.reverse()",
    "candidate.sort(key=lambda item: len(str(item.get('content'))))",
    "other = candidate",
    "other.extend(messages[:{a}])",
    "block['text'] = 'block {a}'",
    "block = candidate[{a} % len(candidate)]['content'][0]",
    "call(candidate)",
    "call(candidate[{a} % len(candidate)], {b})",
    "call(block, candidate=candidate)",
    "helper(candidate)",
    "table['k{a}'] = candidate[{b}:]",
    "table[{a}] = table.get('k{b}')",
    "table.setdefault('list', []).append(candidate[{a} % len(candidate)])",
    "table['list'] += [message({b})]",
    "table['list'][0] = block",
    "first, *rest = candidate",
    "messages[0], messages[-1] = messages[-1], messages[0]",
    "(candidate if {a} > 2 else messages).append(block)",
    "candidate[0] |= {{'extra': [{a}]}}",
    "candidate[-1].setdefault('extra', []).append({b})",
]


def opaque(*values, **named):
    """Change what is passed, in a way that depends on it alone."""
    for value in (*values, *named.values()):
        if isinstance(value, list) and value:
            value.append(value[0])
            del value[1:2]
        elif isinstance(value, dict):
            value["opaque"] = [len(value)]
            if isinstance(value.get("content"), list):
                value["content"].append({"type": "text", "text": "opaque"})


def history():
    return [
        {"role": "user", "content": "Why?"},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "n", "input": {"p": [1]}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": "r"}]},
        {"role": "assistant", "content": [{"type": "text", "text": "t"}, {"type": "text", "text": "u"}]},
    ]


@st.composite
def programs(draw):
    lines = []
    for template in draw(st.lists(st.sampled_from(STATEMENTS), min_size=1, max_size=12)):
        statement = template.format(a=draw(st.integers(0, 4)), b=draw(st.integers(0, 4)))
        block = draw(st.sampled_from(["plain", "try", "try", "if", "for"]))
        if block == "plain":
            lines.append(statement)
        elif block == "try":
            lines += [
                "try:",
                f"    {statement}",
                "except (LookupError, TypeError, AttributeError) as error:",
                "    pass",
            ]
        elif block == "if":
            lines += ["if candidate and len(candidate) > 1:", f"    {statement}"]
        else:
            lines += ["for index in range(2):", f"    {statement}"]
    lines.append(
        draw(st.sampled_from(["return candidate", "return [messages[:1], candidate]", "return None"]))
    )
    return PRELUDE + "".join(f"    {line}\n" for line in lines)


@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=programs())
def test_the_recorded_state_is_the_live_one_at_every_step(text, same, module_of):
    module = module_of(text)
    recorded = same(module.program, make=lambda: [history(), opaque])
    assert_histories_hold(recorded)


def assert_histories_hold(recorded):
    """Bytes, open calls and orphans of every splice are those of the history that it makes."""
    pool = [Value(recorded, index) for index in range(len(recorded.data["messages"]))]
    shown = [[], []]
    for _, which, at, removed, added, size, calls, results in recorded.data["histories"]:
        shown[which][at : at + removed] = added
        messages = [pool[index].value for index in shown[which]]
        assert size == len(compact_json(messages))
        assert (calls, results) == unpaired(messages)


class Value:
    def __init__(self, recorded, index):
        strings = recorded.data["strings"]
        self.value = plain(recorded.data["messages"][index], strings)


def plain(cell, strings):
    """Read a nested cell, independently of the tracer's own reader."""
    if isinstance(cell, (list, tuple)) and cell and cell[0] in ("d", "l", "t", "s"):
        items = [plain(item, strings) for item in cell[1:]]
        return dict(zip(items[::2], items[1::2], strict=True)) if cell[0] == "d" else items
    if isinstance(cell, bool) or cell is None or isinstance(cell, str):
        return cell
    return strings[cell // 2] if isinstance(cell, int) else cell[0]


def unpaired(messages):
    """Count calls without a result in the next message, and results without a call in the one before."""
    calls = [call_ids(message) for message in messages]
    results = [result_ids(message) for message in messages]
    after = [*results[1:], []][: len(calls)]
    before = [[], *calls[:-1]][: len(calls)]
    return (
        sum(call not in later for own, later in zip(calls, after, strict=True) for call in own),
        sum(result not in earlier for own, earlier in zip(results, before, strict=True) for result in own),
    )


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=programs())
def test_a_trace_read_back_has_the_same_faces(text, module_of):
    recorded = trace(module_of(text).program, history(), opaque)
    data = json.loads(recorded.dumps())
    back = Trace.from_json(data)
    assert back.text(calls=True) == recorded.text(calls=True)
    assert back.dumps() == recorded.dumps()
    assert back.decisions == recorded.decisions
    assert back.steps == recorded.steps
    assert back.provenance == recorded.provenance
    assert back.outcome.kind == recorded.outcome.kind
    assert back.outcome.message == recorded.outcome.message


def test_the_programs_are_worth_running(module_of):
    """Every statement can run: one that always fails would test nothing."""
    for template in STATEMENTS:
        statement = template.format(a=1, b=2)
        text = PRELUDE + f"    table['list'] = [1]\n    {statement}\n    return True\n"
        try:
            assert module_of(text).program(history(), opaque) is True
        except Exception as error:
            pytest.fail(f"{statement}: {error!r}")
