"""Rebuilt functions do what the functions did: result, exception, traceback, number of evaluations."""

# ruff: noqa: A001, FURB110, PTH118, B007, B012, C416, E701, RET504, RET505, RUF005, RUF007, RUF012, RUF021, SIM107, SIM201 - the code under test is as odd as Python allows

import ast
import contextlib
import functools
import types

import pytest

from ctxlab.errors import TraceError
from ctxlab.tracer.instrument import copied_tree
from ctxlab.tracer.run import trace

TOTAL = 0


def sentences(recorded):
    return [decision.sentence for decision in recorded.decisions]


def outcomes(recorded):
    return [decision.outcome for decision in recorded.decisions]


def truths(recorded, number=0):
    return [part.truth for part in recorded.decisions[number].parts]


def lines(recorded):
    """The lines of the run, relative to the `def`."""
    first = recorded.data["sources"][0]["first_line"]
    return [step.line - first for step in recorded.steps if step.event == "line" and step.depth == 0]


# Conditions


def one_line(x):
    if x > 3: return "big"  # fmt: skip
    return "small"


def test_a_one_line_if_shows_its_condition(same):
    assert sentences(same(one_line, 5)) == ["5 > 3 is yes."]
    assert sentences(same(one_line, 1)) == ["1 > 3 is no."]


ONE_LINE = """
def size(x):
    # Is it large?
    if x > 3: return "big"  # Nothing else matters.
    # Nobody asks this.
    return "small"
"""


def test_a_one_line_if_has_its_question_once(same, module_of):
    size = module_of(ONE_LINE).size
    assert sentences(same(size, 5)) == ["Is it large? 5 > 3 is yes. Nothing else matters."]
    assert sentences(same(size, 1)) == ["Is it large? 1 > 3 is no. Nobody asks this."]


def test_a_function_that_is_nested_too_deeply_is_refused(module_of):
    choices = "".join(f"    elif x == {number}:\n        return {number}\n" for number in range(1, 500))
    many = module_of(f"def many(x):\n    if x == 0:\n        return 0\n{choices}").many
    with pytest.raises(TraceError, match="many: it is nested too deeply to be traced"):
        trace(many, 3)


def short_circuit(a, b):
    if a is not None and a["n"] > 0 or b:
        return 1
    if not (1 <= b < 5):
        return 2
    return 3


def test_parts_that_are_not_evaluated_are_skipped(same):
    assert truths(same(short_circuit, None, 0)) == [False, None, False]
    assert truths(same(short_circuit, {"n": 2}, 0)) == [True, True, None]
    assert truths(same(short_circuit, {"n": 0}, 3)) == [True, False, True]


def chain(a, b, c):
    return "inside" if a < b() < c() else "outside"


def test_a_chained_comparison_stops_where_python_stops(same):
    def counted(value):
        asked.append(value)
        return value

    asked: list[int] = []
    recorded = same(chain, 5, lambda: counted(3), lambda: counted(9))
    assert asked == [3, 3]  # once untraced, once traced
    assert sentences(recorded) == ["5 < 3 < (skipped) is no."]
    assert sentences(same(chain, 1, lambda: 3, lambda: 9)) == ["1 < 3 < 9 is yes."]


def nested_logic(a, b, c):
    return not (a and (b or not c)) or (a and not b and not c)


def nested_logic_in_if(a, b, c):
    if not (a and (b or not c)) or (a and not b and not c):
        return "yes"
    return "no"


@pytest.mark.parametrize("flags", [(a, b, c) for a in (0, 1) for b in (0, 1) for c in (0, 1)])
def test_nested_not_and_or_keep_their_short_circuits(same, flags):
    recorded = same(nested_logic_in_if, *flags)
    a, b, c = flags
    left = [bool(a), bool(b) if a else None, bool(c) if a and not b else None]
    first = not (a and (b or not c))
    right = [None] * 3 if first else [bool(a), bool(b) if a else None, bool(c) if a and not b else None]
    assert truths(recorded) == left + right
    same(nested_logic, *flags)


def skipped_walrus(xs, ask):
    if ask and (n := len(xs)) > 1:
        return n
    try:
        return n
    except UnboundLocalError:
        return "never bound"


def test_a_walrus_in_a_skipped_operand_binds_nothing(same):
    recorded = same(skipped_walrus, [1, 2, 3], False)
    assert "n" not in recorded.variables(len(recorded.steps) - 1)
    recorded = same(skipped_walrus, [1, 2, 3], True)
    assert recorded.variables(recorded.decisions[0].step)["n"] == 3


def walrus_everywhere(xs):
    if (n := len(xs)) > 2 and any((last := x) for x in xs):
        return n, last
    return [y := 1, y**2]


def test_a_walrus_in_a_generator_expression_binds_in_the_function(same):
    recorded = same(walrus_everywhere, [0, 4, 1])
    shown = recorded.variables(len(recorded.steps) - 1)
    assert (shown["n"], shown["last"]) == (3, 4)
    same(walrus_everywhere, [])


def ternaries(x):
    y = "pos" if x > 0 else "zero" if x == 0 else "neg"
    return y


def test_ternaries_are_decisions(same):
    assert outcomes(same(ternaries, 1)) == [True]
    assert outcomes(same(ternaries, 0)) == [False, True]
    assert outcomes(same(ternaries, -1)) == [False, False]


def side_effects(numbers):
    out = []
    while next(numbers) < 3:
        out.append(len(out))
    if out.pop() == 2:
        out.append("popped")
    return out


def test_operands_with_side_effects_are_evaluated_once(same):
    recorded = same(side_effects, make=lambda: [iter(range(8))])
    assert sentences(recorded)[:2] == ["0 < 3 is yes.", "1 < 3 is yes."]


def constants(x):
    if True:
        x += 1
    if 1:
        x += 1
    while True:
        x += 1
        if __debug__:
            break
    return x if 1 else 0


def test_a_constant_condition_is_no_decision(same):
    assert outcomes(same(constants, 1)) == [True]


def test_assertions_are_decisions(same, module_of):
    module = module_of("""
        def asserting(x):
            # Is it positive?
            assert x > 0, f"not {x}"
            assert isinstance(x, int)
            return x
        """)
    assert sentences(same(module.asserting, 1)) == [
        "Is it positive? 1 > 0 is yes.",
        "isinstance(x, int) is True: yes.",
    ]
    # Python 3.11 marks the comparison in the traceback of a failed assertion, so only its text is compared.
    recorded = trace(module.asserting, -1)
    assert (recorded.outcome.type, recorded.outcome.message) == ("AssertionError", "not -1")


def elif_chain(x):
    # Is it small?
    if x < 1:
        return "small"
    # Is it middling?
    elif x < 2:
        return "middling"
    else:
        # Then it is large.
        return "large"


def test_elif_has_its_own_question(same):
    recorded = same(elif_chain, 3)
    assert [decision.comment for decision in recorded.decisions] == ["Is it small?", "Is it middling?"]
    assert sentences(recorded)[1] == "Is it middling? 3 < 2 is no. Then it is large."


# Truth, equality and attributes are asked for as often as the program asks


class Counting:
    """Counts how often the program, or anyone else, asks it something."""

    asked: list[str] = []

    def __bool__(self):
        self.asked.append("bool")
        return True

    def __eq__(self, other):
        self.asked.append("eq")
        return True

    def __hash__(self):
        self.asked.append("hash")
        return 1

    def __len__(self):
        self.asked.append("len")
        return 1

    def __repr__(self):
        self.asked.append("repr")
        return "counting"

    def __getattribute__(self, name):
        if name != "asked":
            type(self).asked.append(name)
        return object.__getattribute__(self, name)


def asks(thing, held):
    held["thing"] = thing
    held["set"] = {thing, "x"}
    items = [thing]
    items[0] = thing
    if thing:
        held["first"] = 1
    if thing == 3 and thing:
        held["second"] = items
    if thing in items:
        items.append(thing)
    values = {thing: 1}
    values[thing] = 2
    print_it = f"{len(items)}"
    return print_it, [x for x in items if x]


def test_an_object_is_not_asked_more_often_than_by_the_program(watched):
    Counting.asked.clear()
    asks(Counting(), {})
    plain = Counting.asked[:]
    Counting.asked.clear()
    recorded, _ = watched(asks, Counting(), {})
    assert Counting.asked == plain
    assert recorded.outcome.kind == "returned"


class Broken:
    """Raises whatever it is asked."""

    def __bool__(self):
        raise RuntimeError("no truth")

    def __eq__(self, other):
        raise RuntimeError("no equality")

    __hash__ = None

    def __repr__(self):
        raise RuntimeError("no text")

    def __getattribute__(self, name):
        raise RuntimeError(f"no {name}")


def holds_broken(thing):
    held = [thing, {"thing": thing}]
    held[0] = thing
    held.append(thing)
    return len(held)


def truth_of_broken(thing):
    if thing:
        return 1
    return 2


def part_of_broken(thing, flag):
    while flag and not thing:
        return 1
    return 2


def compares_broken(thing):
    return 1 if thing == 3 else 2


def filters_broken(things):
    return [thing for thing in things if thing]


def test_broken_objects_fail_where_the_program_asks_them_and_nowhere_else(same):
    same(holds_broken, Broken())
    same(truth_of_broken, Broken())
    same(part_of_broken, Broken(), 1)
    same(compares_broken, Broken())
    same(filters_broken, [Broken()])


# Statements


def try_finally(x):
    out = []
    try:
        out.append("try")
        if x < 0:
            raise ValueError("negative: " + str(x))
        return out
    except KeyError:
        out.append("never")
    finally:
        out.append("finally")


def return_in_finally(x):
    try:
        return 1 / x
    finally:
        return "finally"


def continue_in_handler(xs):
    out = []
    for x in xs:
        try:
            out.append(10 // x)
        except ZeroDivisionError as error:
            out.append(str(error))
            continue
        finally:
            out.append("f")
        out.append("end")
    return out


def else_of_try(d):
    try:
        v = d["missing"]
    except KeyError as e:
        v = repr(e)
    else:
        v = "else"
    return v


def reraises(d):
    try:
        return d["missing"]
    except KeyError as error:
        d["seen"] = True
        raise LookupError("again") from error


def reraises_plainly(d):
    try:
        return d["missing"]
    except KeyError:
        d["seen"] = True
        raise


def raises_in_handler(d):
    try:
        return d["missing"]
    except KeyError:
        return d["also missing"]


def group(x):
    try:
        raise ExceptionGroup("both", [ValueError("one"), KeyError(x)])
    except* ValueError as found:
        x += len(found.exceptions)
    return x


def deletes_its_error(d):
    try:
        return d["missing"]
    except KeyError as error:
        del error
        return 1


@pytest.mark.parametrize(
    ("function", "make"),
    [
        (try_finally, lambda: [1]),
        (try_finally, lambda: [-1]),
        (return_in_finally, lambda: [0]),
        (return_in_finally, lambda: [2]),
        (continue_in_handler, lambda: [[1, 0, 2]]),
        (else_of_try, lambda: [{}]),
        (else_of_try, lambda: [{"missing": 1}]),
        (reraises, lambda: [{}]),
        (reraises_plainly, lambda: [{}]),
        (raises_in_handler, lambda: [{}]),
        (group, lambda: [1]),
        (deletes_its_error, lambda: [{}]),
    ],
)
def test_exceptions_take_their_way_as_before(same, function, make):
    same(function, make=make)


def test_the_name_of_a_handled_exception_is_gone_afterwards(same):
    recorded = same(else_of_try, make=lambda: [{}])
    assert "e" not in recorded.variables(len(recorded.steps) - 1)


def with_statement(manager):
    with manager as (a, b), contextlib.suppress(KeyError):
        if a:
            return a
    return b


def with_into_item(manager):
    held = {"k": 0}
    with manager as held["k"]:
        pass
    return held


def swallowing(flag):
    out = []
    with contextlib.suppress(ZeroDivisionError):
        out.append(1 / flag)
        out.append("unreachable" if flag == 0 else "fine")
    return out


@contextlib.contextmanager
def manager_of(value):
    yield value


def test_with_statements(same):
    same(with_statement, make=lambda: [manager_of((0, 1))])
    same(with_statement, make=lambda: [manager_of((2, 1))])
    same(with_into_item, make=lambda: [manager_of([1])])
    same(swallowing, 0)
    same(swallowing, 1)


def for_else(xs, wanted):
    for i, x in enumerate(xs):
        if x == wanted:
            break
        continue
    else:
        i = -1
    return i


def nested_loops(rows):
    out = []
    for row in rows:
        for item in row:
            if item < 0:
                break
            out.append(item)
        else:
            out.append("whole")
    while out and out[-1] != "whole":
        out.pop()
    else:
        out.append("end")
    return out


def for_into_items(xs):
    held = {}
    for held["now"] in xs:
        held["seen"] = held["now"]
    first, *rest = xs
    (held["a"], [held["b"], *held["c"]]) = (first, rest)
    return held, first, rest


def test_loops(same):
    same(for_else, [1, 2], 2)
    same(for_else, [1, 2], 3)
    same(nested_loops, [[1, 2], [3, -1, 4], []])
    same(for_into_items, [1, 2, 3])


def test_a_loop_has_a_step_for_each_item(same):
    assert lines(same(for_else, [1, 2], 3)) == [1, 2, 4, 1, 2, 4, 6, 7]


def matching(blocks):
    out = []
    for block in blocks:
        match block:
            case {"type": "text", "text": t} if len(t) > 2:
                out.append("long " + t)
            case {"type": "text", **rest}:
                out.append(rest)
            case [first, *others] | (first, others):
                out.append((first, others))
            case str() as word:
                out.append(word)
            case {"id": id, "type": type}:
                out.append(id + type)
            case None:
                continue
            case _:
                break
    return out


def test_match_with_guards_and_captures(same):
    blocks = [
        {"type": "text", "text": "hey"},
        {"type": "text", "text": "h"},
        [1, 2, 3],
        "w",
        {"id": "a", "type": "b"},
    ]
    recorded = same(matching, [*blocks, None, 5, "never"])
    said = sentences(recorded)
    assert "match block: a dict of 2 fits case {'type': 'text', 'text': t} is yes." not in said
    assert any(sentence.startswith("a dict of 2 fits case {'type': 'text', **rest}") for sentence in said)


def class_pattern(thing):
    match thing:
        case types.SimpleNamespace(a=1, b=b):
            return b
        case complex(real=0) | 7:
            return "seven"
        case [{"k": [_, x]}, *_] if x > 1 and (y := x) < 9:
            return y
    return None


def test_match_on_classes_and_nested_patterns(same):
    same(class_pattern, types.SimpleNamespace(a=1, b=[2]))
    same(class_pattern, 7)
    same(class_pattern, [{"k": [0, 5]}])
    same(class_pattern, [{"k": [0, 50]}])


def imports_and_annotations(x):
    import json as j
    from os import path

    y: int = len(j.dumps(x))
    z: str
    z = path.join("a", "b")
    del y
    return z


def test_imports_annotations_and_del(same):
    recorded = same(imports_and_annotations, [1])
    assert "y" not in recorded.variables(len(recorded.steps) - 1)


def only_a_docstring(x):
    "doc"


def ends_without_return(x):
    x = x + 1
    if x > 5:
        x = 2


def test_functions_without_return(same):
    assert trace(only_a_docstring, 1).outcome.value is None
    assert same(ends_without_return, 7).outcome.value is None


def writes_a_global(x):
    global TOTAL
    TOTAL += x
    if TOTAL > 0:
        return TOTAL
    return None


def reset_total():
    global TOTAL
    TOTAL = 0


def test_a_global_is_written_once(same):
    recorded = same(writes_a_global, 3, again=reset_total, state=False)
    assert TOTAL == 3
    assert recorded.variables(len(recorded.steps) - 1)["TOTAL"] == 3


# Functions in functions


def make_counter():
    n = 0

    def bump(k=1, *, twice=False):
        nonlocal n
        if twice:
            n += k
        n += k
        return n

    return bump


def test_a_closure_keeps_its_cells_and_keyword_defaults():
    bump = make_counter()
    assert bump() == 1
    recorded = trace(bump, twice=True)
    assert recorded.outcome.value == 3
    assert bump() == 4


def inner_functions(xs):
    total = 0
    seen = []

    def inner(v, *, factor=2):
        nonlocal total
        total += v
        seen.append(v)
        if v:
            return v * factor
        return 0

    out = [inner(x) for x in xs if x > 1]
    return out, total, seen, sorted(xs, key=lambda x: -x)


def test_nested_functions_are_traced_and_lambdas_declared(same):
    recorded = same(inner_functions, [1, 2, 3])
    assert [frame[2] for frame in recorded.data["frames"]] == ["inner_functions", "inner", "inner"]
    assert any("a lambda is not traced" in note for note in recorded.data["notes"])
    assert recorded.variables(len(recorded.steps) - 1)["total"] == 5
    assert [call[2] for call in recorded.data["calls"]] == []


def opaque_outer(call, xs):
    n = 0

    def bump():
        nonlocal n
        n += 1
        return n

    return call(bump(), xs, bump()), n


def test_a_nested_function_that_writes_to_its_outer_one_during_a_call(same):
    recorded = same(opaque_outer, make=lambda: [lambda a, xs, b: xs.append(a + b), [1]])
    assert [call[2] for call in recorded.data["calls"]] == ["<lambda>"]


def three_levels():
    n = 0

    def middle():
        def lowest():
            nonlocal n
            n += 1

        lowest()

    middle()
    return n


def test_nonlocal_over_three_levels(same):
    recorded = same(three_levels)
    assert recorded.variables(len(recorded.steps) - 1, 0)["n"] == 1


def recursive(n):
    if n == 0:
        return []
    return [n, *recursive(n - 1)]


def test_recursion_has_a_frame_for_each_call(same):
    recorded = same(recursive, 3)
    assert max(step.depth for step in recorded.steps) == 3


def helper(x):
    return x + 1


def asks_for_its_names(a):
    if a:
        b = helper(a)
    return sorted(locals()), sorted(vars()), sorted(dir())


def shadows_dir(a):
    def dir():
        return [1, a]

    return dir()


def test_locals_are_those_of_the_function(same):
    assert same(asks_for_its_names, 1).outcome.value[0] == ["a", "b"]
    same(shadows_dir, 2)


def decorated_by(function):
    @functools.wraps(function)
    def wrapper(*args):
        return function(*args) + " wrapped"

    return wrapper


@decorated_by
def decorated(x):
    if x == 1:
        return "one"
    return "other"


def calls_decorated(x):
    return decorated(x)


def test_decorators_are_left_out_and_said_so(same):
    recorded = trace(decorated, 1)
    assert recorded.outcome.value == "one"
    assert recorded.data["notes"] == ["decorated: its decorators were left out of this run."]
    recorded = same(calls_decorated, 1)
    assert recorded.outcome.value == "one wrapped"
    assert any("decorated" in note for note in recorded.data["notes"])


class Keeper:
    """Methods, private names and super."""

    __limit = 2

    def __init__(self):
        self.items = []

    def add(self, item):
        if len(self.items) >= self.__limit:
            raise OverflowError(item)
        self.items.append(item)
        self.__last = item
        return self.__last, __class__.__name__

    @classmethod
    def made(cls, count):
        keeper = cls()
        for number in range(count):
            keeper.add(number)
        return keeper.items

    @staticmethod
    def double(x):
        return 2 * x


class Loud(Keeper):
    def add(self, item):
        added = super().add(item)

        def inner():
            return self._Keeper__last, __class__

        return added, inner()[0]


def test_methods_know_their_class():
    assert trace(Keeper().add, 5).outcome.value == (5, "Keeper")
    assert trace(Keeper.add, Keeper(), 5).outcome.value == (5, "Keeper")
    assert trace(Loud().add, 6).outcome.value == ((6, "Keeper"), 6)
    assert trace(Keeper.made, 2).outcome.value == [0, 1]
    assert trace(Keeper.made, 3).outcome.type == "OverflowError"
    assert trace(Keeper.double, 3).outcome.value == 6


def has_a_class(x):
    class Inner:
        kind = [x]

        def get(self):
            return self.kind

    return Inner().get()


def test_a_class_in_a_function_is_declared_opaque(same):
    recorded = same(has_a_class, 1)
    assert any("the class Inner is not traced" in note for note in recorded.data["notes"])


def keeps_attributes():
    counted.calls += 1
    return counted.calls, counted.__module__, counted.__qualname__, counted.__annotations__, counted.__doc__


def counted(x: int) -> None:
    """Have a docstring."""


def test_a_traced_function_keeps_its_attributes(same):
    def again():
        counted.calls = 0

    same(keeps_attributes, again=again)
    assert counted.calls == 1


# Generators


def numbers(xs):
    for x in xs:
        if x % 2:
            got = yield x
            if got:
                return got
    return None


def interleaved(a, b):
    out = []
    for p, q in zip(numbers(a), numbers(b), strict=False):
        out.append((p, q))
    return out


def test_interleaved_generators_keep_their_frames(same):
    recorded = same(interleaved, [1, 2, 3], [5, 6, 7])
    assert recorded.outcome.value == [(1, 5), (3, 7)]
    assert {step.depth for step in recorded.steps if step.function == "numbers"} == {1}


def sends(xs):
    generator = numbers(xs)
    out = [next(generator)]
    try:
        generator.send("stop")
    except StopIteration as end:
        out.append(end.value)
    return out


def cleaning():
    try:
        yield 1
        yield 2
    except GeneratorExit:
        LEFT.append("closed")
        raise
    except ValueError:
        yield "caught"
    finally:
        LEFT.append("finally")


def delegating(xs):
    got = yield from numbers(xs)
    yield got


LEFT: list[str] = []


def closes():
    generator = cleaning()
    first = next(generator)
    generator.close()
    other = cleaning()
    next(other)
    return first, other.throw(ValueError("v")), list(delegating([1, 2, 3])), LEFT[:1]


def test_generators_that_are_sent_to_closed_and_thrown_into(same):
    same(sends, [1, 3])
    same(closes, again=LEFT.clear, state=False)


def leaves_a_generator_open():
    generator = cleaning()
    return generator, next(generator)


def test_a_generator_that_is_closed_after_the_recording_changes_nothing():
    recorded = trace(leaves_a_generator_open)
    before = recorded.dumps()
    LEFT.clear()
    recorded.outcome.value[0].close()
    assert LEFT == ["closed", "finally"]
    assert recorded.dumps() == before


def returns_a_generator(xs):
    def made():
        for x in xs:
            if x and x > 1:
                yield [x, locals()]

    return made()


def test_a_generator_that_first_runs_after_the_recording_runs_as_it_should():
    recorded = trace(returns_a_generator, [1, 2, "x", 4], step_limit=8)
    before = recorded.dumps()
    generator = recorded.outcome.value
    assert next(generator)[0] == 2
    with pytest.raises(TypeError):
        next(generator)
    assert recorded.dumps() == before


def generator_expression(xs):
    rest = (x * 2 for x in xs if x > 1)
    first = next(rest, None)
    return first, list(rest)


def consumes(items):
    out = []
    for item in items:
        out.append(item)
    return out


def passes_a_generator_expression(xs):
    return consumes(x for x in xs if x > 1 and not x == 4)


def test_conditions_of_comprehensions(same):
    assert outcomes(same(generator_expression, [1, 2, 3])) == [False, True, True]
    assert outcomes(same(passes_a_generator_expression, [1, 2, 4])) == [False, True, False]


def comprehensions(xs):
    squares = {x: [y for y in range(x) if y % 2 if y > 1] for x in xs if x}
    return squares, {x for x in xs}, [a if a else b for a, b in zip(xs, xs[1:], strict=False)]


def test_nested_comprehensions(same):
    same(comprehensions, [0, 3, 5])


# Tracebacks


def boom(m):
    if len(m) > 1 and m[1]["role"] != "user":
        raise ValueError("bad role: " + m[1]["role"])
    return m


def calls_boom(m):
    x = 1
    return boom(m) + [x]


def fails_in_the_middle(d):
    total = 0
    for key in d:
        total += d[key]["size"] + int(d[key]["text"][0]) if d[key] else d["none"]
    return total


def test_tracebacks_are_those_of_the_untraced_run(same):
    recorded = same(calls_boom, [{}, {"role": "x"}])
    assert recorded.outcome.message == "bad role: x"
    assert [step.event for step in recorded.steps[-2:]] == ["raise", "raise"]
    same(calls_boom, [{}, {}])
    same(fails_in_the_middle, {"a": {"size": 1, "text": "x"}})
    same(fails_in_the_middle, {"a": {"size": "1", "text": "1"}})
    same(fails_in_the_middle, {"a": None})


def too_deep(n):
    return too_deep(n + 1)


def test_endless_recursion_is_an_error_of_the_run():
    recorded = trace(too_deep, 0)
    assert (recorded.outcome.kind, recorded.outcome.type) == ("error", "RecursionError")


# The cache of rebuilt functions


def test_a_comment_that_changed_is_read_again(module_of):
    questions = []
    for question in ("Is it one?", "Is it two?"):
        # The same file, and the same code.
        module = module_of(f"def asks(x):\n    # {question}\n    if x:\n        return 1\n    return 2\n")
        questions.append(trace(module.asks, 1).decisions[0].comment)
    assert questions == ["Is it one?", "Is it two?"]


def test_only_functions_that_are_named_are_traced():
    recorded = trace(names_an_attribute, types.SimpleNamespace(helper=5))
    assert [source["name"] for source in recorded.data["sources"]] == ["names_an_attribute"]


def names_an_attribute(thing):
    return thing.helper


def test_the_function_itself_is_left_as_it_was():
    code, names = calls_boom.__code__, set(globals())
    trace(calls_boom, [{}])
    assert calls_boom.__code__ is code
    assert set(globals()) == names


def test_trace_error_for_what_is_not_traced():
    with pytest.raises(TraceError, match="only a function written in Python"):
        trace(len, [1])


class Numbered:
    made = 0

    def number(self):
        Numbered.made += 1
        return Numbered.made


def test_a_method_may_name_its_class():
    class Local:
        made = 5

        def number(self):
            Local.made += 1
            return Local.made

    assert trace(Numbered().number).outcome.value == Numbered.made == 1
    assert trace(Local().number).outcome.value == Local.made == 6


def test_what_other_tools_hang_on_a_tree_is_not_copied():
    # Python shares this node between all trees, so a note on it is on every tree.
    shared = ast.parse("x").body[0].value.ctx
    shared.parent = ast.parse("a\nb\nc")
    try:
        tree = copied_tree(ast.parse("def f(x=1):\n    return x"))
    finally:
        del shared.parent
    assert not any(hasattr(node, "parent") for node in ast.walk(tree))
    assert ast.dump(tree, include_attributes=True) == ast.dump(
        ast.parse("def f(x=1):\n    return x"), include_attributes=True
    )
