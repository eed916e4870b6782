"""A function as a diagram: what is a node, where it stands, and whether the run goes along the edges."""

import json
import linecache
from collections import Counter

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ctxlab.reference import prepare_context, split_history, trim_results
from ctxlab.scenarios import scenario_names
from ctxlab.tracer.diagram import diagram, diagrams
from ctxlab.tracer.ends import ending, ends
from ctxlab.tracer.run import trace
from ctxlab.tracer.traces import Trace


def picture(made):
    """Return a diagram as lines: number, row and column, kind, label, and where each answer leads."""
    lines = []
    for number, node in enumerate(made.nodes):
        ways = [f"{answer}>{target}" for origin, target, answer in made.edges if origin == number]
        lines.append(f"{number} {node.row},{node.column} {node.kind}: {node.label} {' '.join(ways)}".rstrip())
    return lines


def table(text):
    return [" ".join(line.split()) for line in text.strip().splitlines()]


def owners(made):
    """Return which node each place belongs to, after making sure that it is one alone."""
    found = {}
    for number, node in enumerate(made.nodes):
        for place in node.places:
            assert place not in found
            found[place] = number
    return found


def stops(run, made, frame):
    """Yield the steps of a frame: event, line, number of the node or None, answer or ""."""
    data, owner = run.data, owners(made)
    outcomes = iter(data["decisions"]["outcome"])
    for step, place in enumerate(data["steps"]["place"]):
        event, _, line, _ = data["places"][place]
        answer = ("no", "yes")[next(outcomes)] if event == "decision" else ""
        if run.frame_at[step] == frame:
            yield event, line, owner.get(place), answer


def visited(run, made):
    """Return the nodes at which the entry call was, one after the other."""
    found = [node for _, _, node, _ in stops(run, made, 0) if node is not None]
    return [node for at, node in enumerate(found) if at == 0 or found[at - 1] != node]


def assert_true_to(run):
    """The diagrams are well formed; each stop of a run is at one node; from node to node leads an edge."""
    made = diagrams(run)
    for number, one in enumerate(made):
        assert one == diagram(run.data, number)
        assert all(run.data["places"][place][1] == number for place in owners(one))
        assert max(Counter((node.row, node.column) for node in one.nodes).values()) == 1
        assert len(set(one.edges)) == len(one.edges)
        assert {node for origin, target, _ in one.edges for node in (origin, target)} <= set(
            range(len(one.nodes))
        )
        rows = [node.row for node in one.nodes]
        assert rows == sorted(rows)
        assert set(rows) == set(range(rows[-1] + 1)), "no row is empty"
    for frame, (number, _, name) in enumerate(run.data["frames"]):
        if name == run.data["sources"][number]["name"]:  # a nested function is not entered
            assert_goes_along(run, made[number], frame, run.data["sources"][number])


def assert_goes_along(run, made, frame, source):
    at, answered = 0, ""
    lines = source["text"].split("\n")
    for event, line, node, answer in stops(run, made, frame):
        if node is None:
            words = lines[line - source["first_line"]].replace(":", " ").replace(";", " ").split()
            assert event == "raise" or {"pass", "break", "continue"} & set(words), (event, line)
        elif event in ("line", "decision"):
            if node != at:
                ways = leading(made, at, answered)
                assert node in ways, f"line {line}: no edge from {at} to {node}"
                at, answered = node, ""
            answered = answer or answered


def leading(made, at, answered):
    """Return the nodes to which a run may go from the node `at`, at which a condition gave this answer."""
    found = set()
    for origin, target, answer in made.edges:
        if origin == at and (not answered or answer in (answered, "error")):
            found.add(target)
            # A run does not stop at a case that does not fit, nor at a `for` once more when its items end.
            if made.nodes[target].code.startswith("match "):
                found |= leading(made, target, "no")
            elif made.nodes[target].kind == "loop" and target <= at:
                found |= leading(made, target, "done")
    return found


# The reference functions


def test_split_history():
    made = diagrams(trace(split_history, scenario="normal"))[0]
    assert picture(made) == table("""
        0 0,0 start: split_history >1
        1 1,0 decision: Is keep_recent anything but a whole number from 1 to 4? yes>2 no>3
        2 1,1 refusal: refuses: bad_argument
        3 2,0 decision: Is the first message anything but a question in text? yes>4 no>5
        4 2,1 refusal: refuses: not_a_history
        5 3,0 decision: Is the last call still waiting for its results? yes>6 no>7
        6 3,1 refusal: refuses: pending
        7 4,0 loop: 3. Group the pairs. A broken pair stops here. each>8 done>9
        8 5,1 call: checked_exchange(messages[at], messages[at + 1], at=at) >7
        9 6,0 return: 4. Cut between two exchanges, never inside one.
    """)
    assert [made.nodes[number].code for number in (0, 5, 7, 8)] == [
        "split_history(messages, keep_recent)",
        "len(messages) % 2 == 0",
        "for at in range(1, len(messages), 2)",
        "checked_exchange(messages[at], messages[at + 1], at=at)",
    ]


def test_trim_results():
    assert picture(diagrams(trace(trim_results, scenario="old"))[0]) == table("""
        0 0,0 start: trim_results >1
        1 1,0 decision: Is the receipt missing? yes>2 no>3
        2 1,1 refusal: refuses: bad_receipt
        3 2,0 decision: Is max_chars anything but a whole number of at least 1? yes>4 no>5
        4 2,1 refusal: refuses: bad_argument
        5 3,0 call: 2. Split, so that a bad history stops here, and put the copies back into one list. >6
        6 4,0 loop: for exchange in parts['older'] + parts['recent'] each>7 done>8
        7 5,1 step: candidate.extend(exchange) >6
        8 6,0 loop: 3. Look at the results of the older exchanges only. They stand at 2, 4, 6, ... \
            each>9 done>14
        9 7,1 loop: for number, block in enumerate(candidate[index]['content']) each>10 done>8
        10 8,2 decision: Is this old text over the limit? yes>11 no>9
        11 9,3 call: 4. Write a marker that says what stood here and where it is now. >12
        12 10,3 decision: Is the marker no longer than the text? yes>13 no>9
        13 10,4 step: 5. Only the text goes; the result, its id and its error mark stay. >9
        14 11,0 return: return candidate
    """)


def test_prepare_context():
    assert picture(diagrams(trace(prepare_context, scenario="summary"))[0]) == table("""
        0 0,0 start: prepare_context >1
        1 1,0 call: 1. Check the arguments and the history before anything happens. >2
        2 2,0 call: split_history(messages, keep_recent) >3
        3 3,0 call: 2. A history that fits is left alone. >4
        4 4,0 decision: Does the history fit the budget as it is? yes>5 no>6
        5 4,1 return: No archive, no summary.
        6 5,0 call: 3. Archive a copy before anything is removed. >7
        7 6,0 decision: Did the archive give no receipt? yes>8 no>9
        8 6,1 refusal: refuses: bad_receipt
        9 7,0 call: 4. Trim the old results: the cheapest loss. >10
        10 8,0 decision: Was trimming enough? yes>11 no>12
        11 8,1 return: No summary is spent.
        12 9,0 decision: Is there no older exchange? yes>13 no>14
        13 9,1 refusal: refuses: recent_too_large
        14 10,0 decision: Are all summaries spent? yes>15 no>16
        15 10,1 refusal: refuses: summaries_spent
        16 11,0 call: 7. Summarise the first message (it carries any earlier summary) and the older \
            exchanges. >17
        17 12,0 decision: Is the summary unusable? yes>18 no>19
        18 12,1 refusal: refuses: bad_summary
        19 13,0 call: 8. Put a new first message before the recent exchanges. >20
        20 14,0 call: 9. Check the result like any other history. >21
        21 15,0 call: history_bytes(candidate) >22
        22 16,0 decision: Is it still over the budget, or no smaller than before? yes>23 no>24
        23 16,1 refusal: refuses: not_smaller
        24 17,0 return: return candidate
    """)


def test_each_node_stands_on_its_line_and_knows_its_condition():
    run = trace(prepare_context, scenario="summary")
    for source, made in zip(run.data["sources"], diagrams(run), strict=True):
        lines = source["text"].split("\n")
        first = {"start": "def", "decision": "if", "loop": "for", "refusal": "raise", "return": "return"}
        for node in made.nodes:
            code = lines[node.line - source["first_line"]].strip()
            assert code.startswith(first.get(node.kind, "")), node
            site = None if node.site is None else run.data["sites"][node.site]
            assert (site is not None) == (node.kind == "decision")
            assert site is None or (site["source"], site["line"]) == (node.code, node.line)


@pytest.mark.parametrize("name", scenario_names())
@pytest.mark.parametrize("function", [split_history, trim_results, prepare_context])
def test_a_run_goes_along_the_edges(function, name):
    run = trace(function, scenario=name)
    assert_true_to(run)
    refusals = [node.label for made in diagrams(run) for node in made.nodes if node.kind == "refusal"]
    if run.outcome.kind == "refused":
        # Where the code is a variable, the label does not name it.
        assert ending(run) in refusals or "refuses" in refusals
    else:
        assert ending(run) not in refusals


def test_the_end_of_a_refused_call_belongs_to_the_refusal():
    run = trace(split_history, scenario="pending")
    made = diagrams(run)[0]
    assert run.steps[-1].event == "raise"
    assert visited(run, made)[-1] == 6
    assert run.data["steps"]["place"][-1] in made.nodes[6].places


# Odd functions: what each is, in the module that is written for it


def drawn(module_of, text, *args):
    """Trace `program` of this module; return its diagram as lines, after looking whether it is true."""
    run = trace(module_of(text).program, *args)
    assert_true_to(run)
    return picture(diagrams(run)[0])


def test_a_function_with_no_decision(module_of):
    text = """
        def program(x):
            y = x + 1
            return y
    """
    assert drawn(module_of, text, 1) == ["0 0,0 start: program >1", "1 1,0 return: return y"]


def test_a_function_that_falls_off_its_end(module_of):
    text = """
        def program(x):
            y = x + 1
    """
    run = trace(module_of(text).program, 1)
    made = diagrams(run)[0]
    assert picture(made) == ["0 0,0 start: program >1", "1 1,0 end: returns None"]
    events = [run.data["places"][place][0] for place in made.nodes[1].places]
    assert events == ["line", "return"], "the statement that leads to the end, and the end"


def test_one_line_ifs_and_several_statements_on_a_line(module_of):
    text = """
        def helper(x): return x

        def program(x, call):
            # Is it even?
            if x % 2 == 0: x += 1; call(x)
            y = 1; z = helper(y) + helper(x); call(z); y = 2
            for i in range(2): y += i
            if y: return helper(z)
            else: return None
    """
    assert drawn(module_of, text, 2, print) == table("""
        0 0,0 start: program >1
        1 1,0 decision: Is it even? yes>2 no>3
        2 1,1 call: call(x) >3
        3 2,0 call: z = helper(y) + helper(x) >4
        4 3,0 call: call(z) >5
        5 4,0 loop: for i in range(2) each>6 done>7
        6 5,1 step: y += i >5
        7 6,0 decision: y yes>8 no>9
        8 6,1 return: return helper(z)
        9 7,1 return: return None
    """)


def test_elif_and_else(module_of):
    text = """
        def program(x):
            if x == 0:
                y = 1  # Nothing.
            elif x == 1:
                # One.
                y = 2
                if y:
                    y = 3
            elif x == 2:
                pass
            else:
                y = 4
            return 0
    """
    assert drawn(module_of, text, 1) == table("""
        0 0,0 start: program >1
        1 1,0 decision: x == 0 yes>2 no>3
        2 1,1 step: Nothing. >8
        3 2,0 decision: x == 1 yes>4 no>6
        4 3,1 decision: y yes>5 no>8
        5 3,2 step: y = 3 >8
        6 4,0 decision: x == 2 no>7 yes>8
        7 4,1 step: y = 4 >8
        8 5,0 return: return 0
    """)


def test_nested_loops_with_break_continue_and_else(module_of):
    text = """
        def program(items):
            total = 0
            while total < 9:
                total += 1
                for item in items:
                    if item == 1:
                        continue
                    if item == 2:
                        total += 5
                        break
                    total += item
                else:
                    total += 1
            else:
                total = 0
            while True:
                total += 1
                if total > 3:
                    break
            return total
    """
    assert drawn(module_of, text, [1, 0, 2]) == table("""
        0 0,0 start: program >1
        1 1,0 loop: while total < 9 yes>2 no>8
        2 2,1 loop: for item in items each>3 done>7
        3 3,2 decision: item == 1 yes>2 no>4
        4 4,2 decision: item == 2 yes>5 no>6
        5 4,3 step: total += 5 >1
        6 5,2 step: total += item >2
        7 6,2 step: total += 1 >1
        8 7,1 step: total = 0 >9
        9 8,0 loop: while True yes>10
        10 9,1 decision: total > 3 no>9 yes>11
        11 10,0 return: return total
    """)


def test_match(module_of):
    text = """
        def program(x):
            match x:
                # Is it one?
                case 1:
                    return "one"
                case [first, *_] if (first if x else 0) > 1:
                    y = first
                case str() | None:
                    y = 0
                case _:
                    y = 1
            match y:
                case 7:
                    y = 8
            return y
    """
    expected = table("""
        0 0,0 start: program >1
        1 1,0 decision: Is it one? yes>2 no>3
        2 1,1 return: return 'one'
        3 2,0 decision: match x: case [first, *_] if (first if x else 0) > 1 yes>4 no>5
        4 2,1 step: y = first >9
        5 3,0 decision: match x: case str() | None yes>6 no>7
        6 3,1 step: y = 0 >9
        7 4,0 decision: match x: case _ yes>8
        8 4,1 step: y = 1 >9
        9 5,0 decision: match y: case 7 yes>10 no>11
        10 5,1 step: y = 8 >11
        11 6,0 return: return y
    """)
    for value in (1, [2], [0], "text", 3, [7]):
        assert drawn(module_of, text, value) == expected


def test_try_with_handlers_else_and_finally(module_of):
    text = """
        def program(x, archive):
            try:
                y = archive(x)
                y += 1
            # The archive may be full.
            except (KeyError, ValueError) as error:
                raise RuntimeError("full") from error
            except TypeError:
                y = 0
            else:
                y = 2
            finally:
                archive(2)
            return y
    """
    expected = table("""
        0 0,0 start: program >1
        1 1,0 call: archive(x) >2 error>3 error>5
        2 2,0 step: y += 1 error>3 error>5 >7
        3 3,1 step: The archive may be full. >4
        4 4,1 refusal: raises RuntimeError >8
        5 5,1 step: except TypeError >6
        6 6,1 step: y = 0 >8
        7 7,0 step: y = 2 >8
        8 8,0 call: archive(2) >9
        9 9,0 return: return y
    """)
    assert drawn(module_of, text, 1, print) == expected
    assert drawn(module_of, text, "z", int) == expected
    assert drawn(module_of, text, 1, abs) == expected


def test_return_passes_through_finally_and_does_not_go_on(module_of):
    text = """
        def program(x, close):
            try:
                return x
            finally:
                close()
    """
    assert drawn(module_of, text, 1, print) == table("""
        0 0,0 start: program >1
        1 1,0 return: return x >2
        2 2,0 call: close()
    """)


def test_a_return_passes_through_every_finally_around_it(module_of):
    text = """
        def program(x, close):
            try:
                try:
                    if x:
                        return 1
                finally:
                    close(1)
                x = 2
            finally:
                close(2)
            try:
                if x:
                    return 2
            finally:
                pass
            return 3
    """
    expected = table("""
        0 0,0 start: program >1
        1 1,0 decision: x yes>2 no>3
        2 1,1 return: return 1 >3
        3 2,0 call: close(1) >4 >5
        4 3,0 step: x = 2 >5
        5 4,0 call: close(2) >6
        6 5,0 decision: x yes>7 no>8
        7 5,1 return: return 2
        8 6,0 return: return 3
    """)
    assert drawn(module_of, text, 0, print) == expected
    assert drawn(module_of, text, 1, print) == expected


def test_only_one_who_leaves_goes_from_an_inner_to_an_outer_finally(module_of):
    text = """
        def program(close):
            try:
                try:
                    x = 1
                finally:
                    close(1)
                x = 2
            finally:
                close(2)
    """
    assert drawn(module_of, text, print) == table("""
        0 0,0 start: program >1
        1 1,0 step: x = 1 >2
        2 2,0 call: close(1) >3
        3 3,0 step: x = 2 >4
        4 4,0 call: close(2) >5
        5 5,0 end: returns None
    """)


def test_ternaries_comprehensions_and_assert(module_of):
    text = """
        def program(x):
            y = (1 if x > 1 else 3) if x else len("a" if x > 2 else "b")
            y += 1 if True else 2
            z = [v for v in range(x) if v > 1]
            assert z or y, "empty" if z else "none"
            while (x if y else 0) > 0:
                x -= 1
            return "few" if (x if z else y) else "many"
    """
    assert drawn(module_of, text, 3) == table("""
        0 0,0 start: program >1
        1 1,0 decision: x yes>2 no>3
        2 2,0 decision: x > 1 yes>4 no>4
        3 3,0 decision: x > 2 yes>4 no>4
        4 4,0 decision: v > 1 yes>5 no>5
        5 5,0 decision: z or y no>6 yes>8
        6 6,1 decision: z yes>7 no>7
        7 7,1 refusal: raises AssertionError
        8 8,0 decision: y yes>9 no>9
        9 9,0 loop: while (x if y else 0) > 0 yes>10 no>11
        10 10,1 step: x -= 1 >8
        11 11,0 decision: z yes>12 no>12
        12 12,0 decision: x if z else y yes>13 no>13
        13 13,0 return: return 'few' if (x if z else y) else 'many'
    """)


def test_a_condition_in_what_a_loop_goes_through(module_of):
    text = """
        def program(x):
            for y in [v for v in x if v]:
                x = y
    """
    run = trace(module_of(text).program, [0, 1, 2])
    made = diagrams(run)[0]
    assert picture(made) == table("""
        0 0,0 start: program >1
        1 1,0 decision: v yes>2 no>2
        2 2,0 loop: for y in [v for v in x if v] each>3 done>4
        3 3,1 step: x = y >2
        4 4,0 end: returns None
    """)
    # The statement begins, the condition is evaluated for each item, the loop goes round twice.
    assert visited(run, made) == [0, 2, 1, 3, 2, 3, 4]


def test_with_and_nested_functions_which_are_not_entered(module_of):
    text = """
        from contextlib import nullcontext

        def program(x):
            def inner(y):
                if y:
                    return 1
                return inner(0) if y else 0
            with nullcontext(x) as value:
                if value:
                    x = inner(value)
            class Local:
                pass
            return (lambda: 1 if x else 2)()
    """
    assert drawn(module_of, text, 3) == table("""
        0 0,0 start: program >1
        1 1,0 decision: value yes>2 no>3
        2 1,1 step: x = inner(value) >3
        3 2,0 return: return (lambda: 1 if x else 2)()
    """)


def test_break_and_continue_pass_through_finally(module_of):
    text = """
        def program(x, close):
            for y in x:
                try:
                    if y == 1:
                        continue
                    if y == 2:
                        break
                finally:
                    close()
    """
    run = trace(module_of(text).program, [0, 1, 2], print)
    assert picture(diagrams(run)[0]) == table("""
        0 0,0 start: program >1
        1 1,0 loop: for y in x each>2 done>5
        2 2,1 decision: y == 1 yes>1 no>3 yes>4
        3 3,1 decision: y == 2 no>4 yes>4 yes>5
        4 4,1 call: close() >1
        5 5,0 end: returns None
    """)


def test_exception_groups(module_of):
    text = """
        def program(call):
            try:
                call()
            except* ValueError:
                return_value = 1
            return return_value
    """

    def failing():
        raise ExceptionGroup("two", [ValueError("a"), ValueError("b")])

    assert drawn(module_of, text, failing) == table("""
        0 0,0 start: program >1
        1 1,0 call: call() error>2 >4
        2 2,1 step: except ValueError >3
        3 3,1 step: return_value = 1 >4
        4 4,0 return: return return_value
    """)


def test_what_does_nothing_is_nowhere(module_of):
    text = """
        def program(x):
            "Say what it does."
            if x:
                "A note."
            elif x is None:
                global other
            else:
                z: int
            y: int; "a note"; global another; x = 1
            if x:
                z = 2
            return x
    """
    run = trace(module_of(text).program, 0)
    assert_true_to(run)
    assert picture(diagrams(run)[0]) == table("""
        0 0,0 start: program >1
        1 1,0 decision: x no>2 yes>3
        2 2,0 decision: x is None yes>3 no>3
        3 3,0 decision: x yes>4 no>5
        4 3,1 step: z = 2 >5
        5 4,0 return: return x
    """)
    shown = [run.data["places"][place][2] for place in diagrams(run)[0].nodes[3].places]
    assert shown == [10, 11, 11], "the only statement of its line that does anything, then the condition"


def test_recursion(module_of):
    text = """
        def program(n):
            # Is it the last?
            if n == 0:
                return 0
            rest = program(n - 1)
            return rest + 1
    """
    assert drawn(module_of, text, 3) == table("""
        0 0,0 start: program >1
        1 1,0 decision: Is it the last? yes>2 no>3
        2 1,1 return: return 0
        3 2,0 call: program(n - 1) >4
        4 3,0 return: return rest + 1
    """)


def test_a_generator_beside_its_reader(module_of):
    text = """
        def numbers(n):
            for number in range(n):
                if number % 2:
                    yield number
            yield n

        def program(n):
            return sum(numbers(n))
    """
    run = trace(module_of(text).program, 4)
    assert_true_to(run)
    assert picture(diagrams(run)[1]) == table("""
        0 0,0 start: numbers >1
        1 1,0 loop: for number in range(n) each>2 done>4
        2 2,1 decision: number % 2 yes>3 no>1
        3 2,2 step: yield number >1
        4 3,0 end: returns None
    """)


def test_a_method_whose_text_begins_at_the_margin(module_of):
    text = '''
class Keeper:
    def program(self, x):
        """Keep.

No indentation here.
        """
        if x:
            return 1
        return 2
'''
    made = diagrams(trace(module_of(text).Keeper().program, 1))[0]
    assert [(node.kind, node.line) for node in made.nodes] == [
        ("start", 3),
        ("decision", 8),
        ("return", 9),
        ("return", 10),
    ]
    assert [node.site for node in made.nodes] == [None, 0, None, None]


def test_a_function_of_a_notebook_cell():
    text = "def program(x):\n    if x:\n        return 1\n    raise ValueError(x)\n"
    name = "<ipython-input-7-diagram>"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    space = {}
    exec(compile(text, name, "exec"), space)
    run = trace(space["program"], 0)
    assert picture(diagrams(run)[0]) == table("""
        0 0,0 start: program >1
        1 1,0 decision: x yes>2 no>3
        2 1,1 return: return 1
        3 2,0 refusal: raises ValueError
    """)
    assert ends(run) == ["returns", "raises ValueError"]


def test_only_calls_of_traced_functions_and_of_parameters_are_nodes(module_of):
    text = """
        def helper(x):
            return shadowed(x)

        def shadowed(x):
            return x

        def program(x, call, *, last=abs):
            shadowed = len
            x = len(str(x)) + shadowed("x")
            key = lambda: helper(x)
            x = helper(call(x))
            last(x)
            x = last(x) if x else 2
    """
    assert drawn(module_of, text, 1, abs) == table("""
        0 0,0 start: program >1
        1 1,0 call: helper(call(x)) >2
        2 2,0 call: last(x) >3
        3 3,0 call: x = last(x) if x else 2 >4
        4 4,0 decision: x yes>5 no>5
        5 5,0 end: returns None
    """)


def test_a_comment_labels_what_it_stands_at(module_of):
    text = """
        def program(x, call):
            # 1. Go round.
            while x:
                x -= 1
            # 2. Add.
            y = 2
            # Add more.
            y += 1
            call(y)
            call(x)
            if y:
                call(1)  # First.
                call(2)
            if y:
                pass  # Nothing.
            call(3)
    """
    assert drawn(module_of, text, 1, abs) == table("""
        0 0,0 start: program >1
        1 1,0 loop: 1. Go round. yes>2 no>3
        2 2,1 step: x -= 1 >1
        3 3,0 call: 2. Add. >4
        4 4,0 call: call(x) >5
        5 5,0 decision: y yes>6 no>8
        6 6,1 call: First. >7
        7 7,1 call: call(2) >8
        8 8,0 decision: y yes>9 no>9
        9 9,0 call: call(3) >10
        10 10,0 end: returns None
    """)


def test_places_of_several_statements_on_a_line(module_of):
    text = """
        def program(x):
            if x: raise ValueError(x)
            def inner(): return 1
    """
    program = module_of(text).program
    for value, number in ((1, 2), (0, 3)):
        run = trace(program, value)
        made = diagrams(run)[0]
        assert [node.kind for node in made.nodes] == ["start", "decision", "refusal", "end"]
        assert run.data["steps"]["place"][-1] in made.nodes[number].places


def test_long_code_and_long_comments_are_cut(module_of):
    text = f"""
        def program(x):
            # {"Why? " * 100}
            if x == {"1" * 300}:
                return {"2" * 300}
            return 'a\\nb'
    """
    made = diagrams(trace(module_of(text).program, 1))[0]
    assert [len(node.label) for node in made.nodes] == [7, 120, 120, 13]
    assert made.nodes[1].label.endswith("…")
    assert made.nodes[3].code == r"return 'a\nb'"


# What a refusal or another raise is called


def test_raises_are_named_by_their_code_or_type(module_of):
    text = """
        from ctxlab import errors
        from ctxlab.errors import Refusal

        def program(x, code):
            if x == 0:
                raise Refusal("first", "no")
            if x == 1:
                raise errors.Refusal(code="second", message="no")
            if x == 2:
                raise Refusal(code, "no")
            if x == 3:
                raise ValueError
            if x == 4:
                raise errors.CtxlabError("no")
            try:
                return 1 / 0
            except ZeroDivisionError as error:
                if x == 5:
                    raise
                raise error
    """
    program = module_of(text).program
    made = diagrams(trace(program, 5, "third"))[0]
    assert [node.label for node in made.nodes if node.kind == "refusal"] == [
        "refuses: first",
        "refuses: second",
        "refuses",
        "raises ValueError",
        "raises CtxlabError",
        "raises",
        "raises",
    ]
    named = ["returns", "refuses: first", "refuses: second", "raises ValueError", "raises CtxlabError"]
    assert ends(trace(program, 0, "third")) == named
    for x, end in ((2, "refuses: third"), (6, "raises ZeroDivisionError")):
        run = trace(program, x, "third")
        assert (ending(run), ends(run)) == (end, named), "of some ends only the run knows"


# Whatever a trace holds


@pytest.mark.parametrize(
    "text",
    [
        "",
        "x = 1",
        "def f(:",
        "def f():\n    \0",
        "    x\n  y",
        "def f(): " + "(" * 500,
        "def f(): return " + "-" * 30_000 + "1",
        "def f(): return " + "not " * 30_000 + "1",
        "def f(): return 0x" + "f" * 5000,
        "async def f(): pass",
    ],
)
def test_a_text_that_cannot_be_read_has_an_empty_diagram(text):
    data = trace(split_history, scenario="normal").to_json()
    data["sources"][0]["text"] = text
    run = Trace.from_json(data)
    assert diagrams(run)[0].to_json() == {"nodes": [], "edges": []}
    assert len(diagrams(run)[1].nodes) > 3, "the others are drawn"
    assert ends(run)[0] == "returns"


@pytest.mark.parametrize(
    "body",
    [
        "break",
        "continue",
        "async with x: pass",
        "if x:\n  pass\n" + "".join(f" elif x == {number}:\n  pass\n" for number in range(2000)),
    ],
)
def test_code_that_no_run_has_shown_is_walked_through(body):
    data = trace(split_history, scenario="normal").to_json()
    data["sources"][0]["text"] = f"def split_history(messages):\n {body}\n"
    made = diagrams(Trace.from_json(data))[0]
    assert json.loads(json.dumps(made.to_json())) == made.to_json()


# Random programs


PRELUDE = """
from contextlib import nullcontext

def helper(number):
    # Is it large?
    if number > 3:
        return 3
    return number

def program(x, call):
    y, z = 1, []
"""
SIMPLE = [
    "x += 1",
    "y = x if x > {a} else {b}",
    "y = helper(x) if y else {a}",
    "z = [v for v in range({a}) if v > {b}]",
    "call(x)",
    "y = helper(call(x) if y > {a} else {b})",
    "x += 1; y = helper(y); z = []",
    "assert x >= 0, 'never' if y else 'no'",
    "pass",
    "lambda: 1 if x else 2",
    "if x > {a}: y = {b}; call(y)",
    "for v in range({a}): x += v",
]
FAILING = ["raise ValueError(x)", "z[9]", "y = helper(None)", "call(x, x)", "x = 1 / (y - y)"]
LEAVING = ["return", "return x", "return x if y else z"]
CONDITIONS = [
    "x > {a}",
    "x % 3 == {b} or y > {a}",
    "not z",
    "helper(x) > {a}",
    "(y if z else x) > {b}",
    "any(v for v in z if v)",
    "True",
]


def indented(lines):
    return [f"    {line}" for line in lines]


@st.composite
def blocks(draw, depth=3, loop=False, fails=False, final=False):
    """Draw the lines of a block. `fails`: what it raises is caught; `final`: a `finally` waits for it."""
    lines = []
    for _ in range(draw(st.integers(1, 3))):
        lines += draw(statements(depth, loop, fails, final))
    return lines


@st.composite
def statements(draw, depth, loop, fails, final):
    def number():
        return draw(st.integers(0, 4))

    def filled(templates):
        return draw(st.sampled_from(templates)).format(a=number(), b=number())

    def block(**options):
        kept = {"depth": depth - 1, "loop": loop, "fails": fails, "final": final}
        return indented(draw(blocks(**{**kept, **options})))

    def test():
        return filled(CONDITIONS)

    kinds = ["simple"] * 4 + ["leave"]
    if fails:
        kinds.append("fail")
    if loop:
        kinds += ["jump", "jump"]
    if depth:
        kinds += ["if", "if", "else", "elif", "for", "while", "match", "with", "try", "finally", "def"]
    kind = draw(st.sampled_from(kinds))
    if kind == "simple":
        return [filled(SIMPLE)]
    if kind == "leave":
        return [f"if {test()}: {filled(LEAVING[:2] if final else LEAVING)}"]
    if kind == "fail":
        return [f"if {test()}: {filled(FAILING)}"]
    if kind == "jump":
        return [
            f"if {test()}:",
            *indented(["x += 1"] * draw(st.integers(0, 1))),
            f"    {filled(['break', 'continue'])}",
        ]
    if kind == "if":
        return [f"if {test()}:", *block()]
    if kind == "else":
        return [f"if {test()}:", *block(), "else:", *block()]
    if kind == "elif":
        return [f"if {test()}:", *block(), f"elif {test()}:", *block(), "else:", *block()]
    if kind == "for":
        other = ["else:", *block()] if number() > 2 else []
        return [
            f"for v in range({number()}):",
            *block(loop=True),
            *other,
        ]
    if kind == "while":
        other = ["else:", *block()] if number() > 2 else []
        return [f"while x < {number() * 3}:", "    x += 1", *block(loop=True), *other]
    if kind == "match":
        guard = f" if {filled(CONDITIONS[:-1])}" if number() > 2 else ""
        last = ["    case _:", *indented(block())] if number() > 2 else []
        return [
            "match x % 4:",
            f"    case {number()}:",
            *indented(block()),
            f"    case 1 | 2{guard}:",
            *indented(block()),
            *last,
        ]
    if kind == "with":
        return ["with nullcontext(helper(x)):", *block()]
    if kind == "try":
        other = ["else:", *block()] if number() > 2 else []
        return [
            "try:",
            *block(fails=True),
            "except LookupError:",
            *block(),
            "except Exception as error:",
            *block(),
            *other,
        ]
    if kind == "finally":
        # Nothing here fails or jumps: a diagram shows no way from a `finally` to where these go on. A value
        # that a `finally` may still take back is returned behind it.
        return ["try:", *block(loop=False, fails=False, final=True), "finally:", *indented([filled(SIMPLE)])]
    return ["def inner(k):", "    nonlocal x, y, z", *block(loop=False), f"inner({number()})"]


@st.composite
def programs(draw):
    return (
        PRELUDE + "\n".join(indented([*draw(blocks()), draw(st.sampled_from(SIMPLE[:1] + LEAVING))])) + "\n"
    )


def same(value):
    return value


@settings(max_examples=120, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(text=programs())
def test_the_diagram_of_any_program_is_true_to_its_run(text, module_of):
    run = trace(module_of(text).program, 0, same)
    assert_true_to(run)
    assert diagrams(Trace.from_json(json.loads(run.dumps()))) == diagrams(run)


def test_the_programs_are_worth_running(module_of):
    """Every simple statement runs; every failing one fails, and in the way that is caught."""
    for template in SIMPLE:
        text = f"{PRELUDE}    {template.format(a=1, b=2)}\n"
        assert trace(module_of(text).program, 0, same).outcome.kind == "returned", text
    for template in FAILING:
        text = f"{PRELUDE}    {template}\n"
        assert trace(module_of(text).program, 0, same).outcome.kind == "error", text
