"""A traced function as a flow diagram, drawn from its syntax tree and tied to the places of the run.

Not every statement is a node. Decisions, loops and the ways out are, and calls of traced functions and of
callables that were passed in. The plain statements before one of them lead to it and belong to it. Those at
the end of an arm lead to nothing, and are a node of their own: a step.
"""

import ast
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from typing import Any

from ctxlab.tracer.traces import Trace

MOST_CHARS = 120
LEAVES = ("call", "step", "refusal", "return")
# What a tracer does not stop at, and what it stops at though nothing happens there.
UNSEEN = (ast.Global, ast.Nonlocal, ast.Try, ast.TryStar)
IDLE = (ast.Pass, ast.Break, ast.Continue)

Edge = tuple[int, int, str]
# Where the flow goes on: nodes, each with the answer that leads on from it.
Exits = list[tuple[int, str]]


@dataclass
class Node:
    """One node. `kind` is start, decision, loop, call, step, refusal, return or end.

    `label` is what the author says of it, or its code; that of a refusal is the end it makes, such as
    "refuses: pending". `code` is one line. Both are cut at 120 characters. `line` is that of the file.
    `site` is the position of its condition in the trace's `sites`, if it has one; `places` are the positions
    in the trace's `places` at which the run is here. `row` follows the source, `column` the nesting; no two
    nodes share both.
    """

    kind: str
    line: int
    label: str
    code: str
    site: int | None
    places: list[int]
    column: int
    row: int


@dataclass
class Diagram:
    """Nodes in the order of the source, the first of them the start, and edges between them.

    An edge is (from, to, answer), both by position in `nodes`. The answer is yes or no after a condition,
    each or done after a `for`, error on the way to an `except`, and "" where there is no choice.
    A run stops at the nodes on its way, but for two: a `for` whose items have ended, and a case of a `match`
    that does not fit.
    """

    nodes: list[Node] = field(default_factory=list)
    edges: list[Edge] = field(default_factory=list)

    def to_json(self) -> dict[str, Any]:
        """Return {"nodes": [{"kind": ..., ...}], "edges": [[from, to, answer]]}."""
        return {"nodes": [asdict(node) for node in self.nodes], "edges": [list(edge) for edge in self.edges]}


def diagrams(trace: Trace) -> list[Diagram]:
    """Return the diagram of each source of a trace, in their order."""
    return [diagram(trace.data, number) for number in range(len(trace.data["sources"]))]


def diagram(data: dict[str, Any], number: int) -> Diagram:
    """Return the diagram of `data["sources"][number]`, where `data` is the JSON form of a trace.

    It is empty if the Python that runs here cannot read the text.
    """
    function = function_tree(data["sources"][number])
    try:
        return _Drawing(data, number, function).finished() if function else Diagram()
    except (RecursionError, MemoryError, ValueError):
        # As in `function_tree`.
        return Diagram()


def is_method(name: str) -> bool:
    """Say whether a source of this name is called as an attribute: a method other than `__init__`."""
    return "." in name and not name.endswith(".__init__")


def called_as(name: str) -> str:
    """Return the word by which source text calls a function: of an `__init__`, the name of its class."""
    return name.removesuffix(".__init__").rpartition(".")[2]


def function_tree(source: dict[str, Any]) -> ast.FunctionDef | None:
    """Return the syntax tree of a source of trace data, with the lines of its file, or None.

    The text may come from a newer Python than the one that runs here.
    """
    # A function keeps its indentation where a text inside it has lines that begin further left.
    for before in ("", "if True:\n"):
        try:
            tree = ast.parse(before + source["text"])
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            # The last three: a number too long to be written down, or code nested too deeply for the stack.
            continue
        ast.increment_lineno(tree, source["first_line"] - 1 - before.count("\n"))
        return next((node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)), None)
    return None


class _Marks:
    """The sites and places of one source, handed out in the order in which the tracer made them."""

    def __init__(self, data: dict[str, Any], number: int) -> None:
        self.decisions: dict[int | None, list[int]] = {}  # the place of each site's decision
        self._sites: dict[tuple[int, str], list[int]] = {}
        self._places: dict[tuple[str, int], list[int]] = {}
        for index, site in enumerate(data["sites"]):
            if site["function"] == number:
                self._sites.setdefault((site["line"], site["source"]), []).append(index)
        for index, (event, function, line, site) in enumerate(data["places"]):
            if function == number and event == "decision":
                self.decisions[site] = [index]
            elif function == number:
                self._places.setdefault((event, line), []).append(index)

    def site(self, line: int, source: str) -> int | None:
        """Return the next site of this text at `line`, or None."""
        found = self._sites.get((line, source))
        return found.pop(0) if found else None

    def place(self, event: str, line: int) -> list[int]:
        """Return the next place of this event at `line`, alone in a list, or none."""
        found = self._places.get((event, line))
        return [found.pop(0)] if found else []

    def rest(self, event: str, line: int) -> list[int]:
        """Return the places of this event at `line` that were not handed out."""
        return self._places.get((event, line), [])


@dataclass
class _Waiting:
    """A statement that leads to the next node."""

    statement: ast.stmt | ast.excepthandler
    places: list[int]


@dataclass
class _Loop:
    """A loop being drawn: the node at which its next round begins, and where `break` has left it."""

    begin: int
    breaks: Exits = field(default_factory=list)


class _Drawing:
    """Draws one function. Each `draw` method takes where the flow comes from and returns where it goes on."""

    def __init__(self, data: dict[str, Any], number: int, function: ast.FunctionDef) -> None:
        source = data["sources"][number]
        self.function = function
        self.sites = data["sites"]
        self.places = data["places"]
        self.marks = _Marks(data, number)
        self.comments: dict[str, str] = source["lines"]
        self.steps: dict[int, str] = dict(source["labels"])
        parameters = function.args
        self.parameters = [
            argument.arg for argument in (*parameters.posonlyargs, *parameters.args, *parameters.kwonlyargs)
        ]
        self.bound = _bound(function)
        names = [other["name"] for other in data["sources"]]
        traced = {called_as(name) for name in names if not is_method(name)}
        self.callees = (traced - self.bound).union(self.parameters)
        self.methods = {called_as(name) for name in names if is_method(name)}
        self.nodes: list[Node] = []
        self.edges: dict[Edge, None] = {}  # a dict keeps their order and drops doubles
        self.row = 0
        self.waiting: list[_Waiting] = []
        self.opening = ""  # the comment on the first line of the arm that begins here
        self.loops: list[_Loop] = []
        self.left: Exits = []  # what has left a block by return, raise, break or continue

    def finished(self) -> Diagram:
        """Return the diagram of the whole function."""
        function = self.function
        code = f"{function.name}({', '.join(self.parameters)})"
        places = self.marks.place("call", function.lineno)
        start = self.node("start", function.lineno, code, [], 0, label=function.name, places=places)
        exits = self.block(function.body, [(start, "")], 0)
        if exits:
            line = function.body[-1].lineno
            # The tracer makes this place last, behind those of functions nested on the same line.
            places = self.marks.rest("return", line)[-1:]
            self.node("end", line, "", exits, 0, label="returns None", places=places)
        self.add_raises()
        return Diagram(self.nodes, list(self.edges))

    def add_raises(self) -> None:
        """Give each place at which an exception ended the call to the node of its line."""
        owners = {node.line: node for node in self.nodes if node.kind == "refusal"}
        for node in self.nodes:
            for place in node.places:
                event, _, line, _ = self.places[place]
                if event == "line":
                    owners.setdefault(line, node)
        for line, node in owners.items():
            node.places += self.marks.rest("raise", line)

    # Nodes

    def node(
        self,
        kind: str,
        line: int,
        code: str,
        exits: Exits,
        column: int,
        *,
        label: str = "",
        site: int | None = None,
        places: list[int] | None = None,
    ) -> int:
        """Add a node with an edge from each of `exits`, and return its number. Who waits belongs to it."""
        number = len(self.nodes)
        own = [place for waiting in self.waiting for place in waiting.places] + (places or [])
        self.nodes.append(Node(kind, line, _short(label or code), _short(code), site, own, column, self.row))
        self.row += 1
        self.waiting = []
        self.opening = ""
        self.join(exits, number)
        return number

    def join(self, exits: Exits, number: int) -> None:
        for origin, answer in exits:
            self.edges[origin, number, answer] = None

    def said(self, line: int) -> str:
        """Return what the author says of the statement at `line`, of its step or its arm, or ""."""
        if self.nodes[-1].line == line:  # of several on a line, the comment is the first one's
            return ""
        if str(line) in self.comments:
            return self.comments[str(line)]
        labels = [self.steps.get(waiting.statement.lineno, "") for waiting in self.waiting]
        return next(filter(None, reversed(labels)), self.opening)

    def choice(self, kind: str, line: int, code: str, exits: Exits, column: int, site: int | None) -> int:
        """Add the node of a condition, which asks the author's question, and return its number."""
        label = "" if site is None else self.sites[site]["question"]
        if kind == "loop":
            label = label or self.said(line)
        places = self.marks.decisions.get(site, [])
        return self.node(kind, line, code, exits, column, label=label, site=site, places=places)

    def conditions(self, root: ast.AST, exits: Exits, column: int) -> Exits:
        """Add a decision for each condition of a ternary or a comprehension in `root`."""
        if isinstance(root, ast.IfExp):
            exits = self.conditions(root.test, exits, column)
            yes, no = self.ways(root.test, exits, column)
            return self.conditions(root.body, yes, column) + self.conditions(root.orelse, no, column)
        for child in _evaluated(root):
            exits = self.conditions(child, exits, column)
            if isinstance(root, ast.comprehension) and child in root.ifs:
                yes, no = self.ways(child, exits, column)
                exits = yes + no
        return exits

    def ways(self, test: ast.expr, exits: Exits, column: int) -> tuple[Exits, Exits]:
        """Add a decision for a condition inside a statement; return where yes and where no go on."""
        site = self.marks.site(test.lineno, ast.unparse(test))
        if site is None:
            return exits, exits
        at = self.choice("decision", test.lineno, _line(test), exits, column, site)
        return [(at, "yes")], [(at, "no")]

    def test(self, kind: str, node: ast.If | ast.While | ast.Assert, exits: Exits, column: int) -> int:
        """Add the node of a statement that tests a condition, behind those of conditions inside it."""
        exits = self.conditions(node.test, exits, column)
        site = self.marks.site(node.test.lineno, ast.unparse(node.test))
        code = _line(node.test) if kind == "decision" else _line(node)
        return self.choice(kind, node.lineno, code, exits, column, site)

    def consequence(self, at: int, answer: str) -> str:
        """Return the comment on what follows the answer "yes" or "no" to the node `at`, or ""."""
        site = self.nodes[at].site
        comment: str = "" if site is None else self.sites[site][answer]
        return comment

    # Blocks

    def block(self, statements: list[ast.stmt], exits: Exits, column: int) -> Exits:
        for statement in statements:
            self.wait(statement)
            draw = getattr(self, f"draw_{type(statement).__name__}", self.draw_plain)
            exits = draw(statement, exits, column)
        return exits

    def wait(self, statement: ast.stmt | ast.excepthandler) -> None:
        if not _is_unseen(statement):
            self.waiting.append(_Waiting(statement, self.marks.place("line", statement.lineno)))

    def arm(self, statements: list[ast.stmt], exits: Exits, column: int, opening: str = "") -> Exits:
        """Draw a block that ends where others join it. `opening` is the comment on its first line."""
        self.opening = opening
        exits = self.step(self.block(statements, exits, column), column)
        self.opening = ""
        return exits

    def lift(self, at: int) -> None:
        """Put what follows the decision `at` into its row, if that is one leaf and no more."""
        decision, *arm = self.nodes[at:]
        if len(arm) == 1 and arm[0].kind in LEAVES and arm[0].row > decision.row:
            arm[0].row = decision.row
            self.row -= 1

    def step(self, exits: Exits, column: int) -> Exits:
        """Make a node of the statements that lead to no other, if they do anything."""
        doing = [waiting.statement for waiting in self.waiting if not isinstance(waiting.statement, IDLE)]
        if not doing:
            self.waiting = []
            return exits
        line = doing[0].lineno
        code = "; ".join(_line(statement) for statement in doing)
        return [(self.node("step", line, code, exits, column, label=self.said(line)), "")]

    # Statements

    def draw_plain(self, node: ast.stmt, exits: Exits, column: int) -> Exits:
        calls = self.calls(node)
        if calls:
            # Of several calls, or of one that a condition inside the statement may skip, the whole is shown.
            code = _line(calls[0] if len(calls) == 1 and not any(_conditions(node)) else node)
            exits = [(self.node("call", node.lineno, code, exits, column, label=self.said(node.lineno)), "")]
        return self.conditions(node, exits, column)

    def calls(self, root: ast.AST) -> list[ast.Call]:
        """Return the calls in `root` that matter to a reader, without those inside another one."""
        found = [
            node for node in _expressions(root) if isinstance(node, ast.Call) and self.matters(node.func)
        ]
        inner = {part for node in found for part in ast.walk(node) if part is not node}
        return [node for node in found if node not in inner]

    def matters(self, called: ast.expr) -> bool:
        """Say whether what is called is traced, or was passed in."""
        if isinstance(called, ast.Attribute):
            return called.attr in self.methods
        return isinstance(called, ast.Name) and called.id in self.callees

    def draw_If(self, node: ast.If, exits: Exits, column: int) -> Exits:
        at = self.test("decision", node, exits, column)
        out = self.arm(node.body, [(at, "yes")], column + 1, self.consequence(at, "yes"))
        self.lift(at)
        other = node.orelse
        if not other:
            return [*out, (at, "no")]
        if isinstance(other[0], ast.If) and other[0].col_offset == node.col_offset:  # an elif
            return out + self.block(other, [(at, "no")], column)
        out += self.arm(other, [(at, "no")], column + 1, self.consequence(at, "no"))
        self.lift(at)
        return out

    def draw_While(self, node: ast.While, exits: Exits, column: int) -> Exits:
        begin = len(self.nodes)
        at = self.test("loop", node, exits, column)
        # A constant that holds never lets the loop end by itself.
        endless = isinstance(node.test, ast.Constant) and bool(node.test.value)
        opening = self.consequence(at, "yes")
        return self.loop(node, begin, [(at, "yes")], [] if endless else [(at, "no")], column, opening)

    def draw_For(self, node: ast.For, exits: Exits, column: int) -> Exits:
        own = self.waiting.pop()  # where the run stops for each item: it belongs to no condition before
        exits = self.conditions(node.iter, exits, column)
        self.waiting.append(own)
        at = self.node("loop", node.lineno, _line(node), exits, column, label=self.said(node.lineno))
        return self.loop(node, at, [(at, "each")], [(at, "done")], column)

    def loop(
        self, node: ast.For | ast.While, begin: int, each: Exits, done: Exits, column: int, opening: str = ""
    ) -> Exits:
        loop = _Loop(begin)
        self.loops.append(loop)
        self.join(self.arm(node.body, each, column + 1, opening), begin)
        self.loops.pop()
        return self.arm(node.orelse, done, column + 1) + loop.breaks

    def draw_Break(self, _: ast.Break, exits: Exits, column: int) -> Exits:
        exits = self.step(exits, column)
        if self.loops:
            self.loops[-1].breaks += exits
        self.left += exits
        return []

    def draw_Continue(self, _: ast.Continue, exits: Exits, column: int) -> Exits:
        exits = self.step(exits, column)
        if self.loops:
            self.join(exits, self.loops[-1].begin)
        self.left += exits
        return []

    def draw_With(self, node: ast.With, exits: Exits, column: int) -> Exits:
        return self.block(node.body, self.draw_plain(node, exits, column), column)

    def draw_Try(self, node: ast.Try, exits: Exits, column: int) -> Exits:
        first, left = len(self.nodes), len(self.left)
        out = self.arm(node.body, exits, column)
        failing = [(at, "error") for at in range(first, len(self.nodes))]
        handled: Exits = []
        for handler in node.handlers:
            self.wait(handler)
            code, label = _line(handler), self.said(handler.lineno)
            at = self.node("step", handler.lineno, code, failing, column + 1, label=label)
            handled += self.arm(handler.body, [(at, "")], column + 1)
        out = self.arm(node.orelse, out, column) + handled
        first, leaving = len(self.nodes), self.left[left:]
        # Who leaves passes through `finally` too, and then through one around it, but does not go on below.
        through = self.arm(node.finalbody, out + leaving, column)
        if len(self.nodes) == first:
            return out
        self.left[left:] = through if leaving else []
        return through if out else []

    draw_TryStar = draw_Try

    def draw_Match(self, node: ast.Match, exits: Exits, column: int) -> Exits:
        exits = self.conditions(node.subject, exits, column)
        out: Exits = []
        for case in node.cases:
            line = case.pattern.lineno
            code = f"match {ast.unparse(node.subject)}: case {ast.unparse(case.pattern)}"
            site = self.marks.site(line, code)
            # The pattern and its guard let the run in together, so they are one decision here.
            guard = [*_conditions(case.guard), case.guard] if case.guard else []
            code += f" if {ast.unparse(case.guard)}" if case.guard else ""
            at = self.choice("decision", line, code, exits, column, site)
            for test in guard:
                own = self.marks.site(test.lineno, ast.unparse(test))
                self.nodes[at].places += self.marks.decisions.get(own, [])
            out += self.arm(case.body, [(at, "yes")], column + 1, self.consequence(at, "yes"))
            self.lift(at)
            exits = [] if _fits_all(case) else [(at, "no")]
        return out + exits

    def draw_Return(self, node: ast.Return, exits: Exits, column: int) -> Exits:
        exits = self.conditions(node, exits, column)
        places = self.marks.place("return", node.lineno)
        at = self.node(
            "return", node.lineno, _line(node), exits, column, label=self.said(node.lineno), places=places
        )
        return self.leave(at)

    def draw_Raise(self, node: ast.Raise, exits: Exits, column: int) -> Exits:
        exits = self.conditions(node, exits, column)
        label = _raised(node, self.bound)
        return self.leave(self.node("refusal", node.lineno, _line(node), exits, column, label=label))

    def draw_Assert(self, node: ast.Assert, exits: Exits, column: int) -> Exits:
        at = self.test("decision", node, exits, column)
        failed: Exits = [(at, "no")]
        if node.msg:
            failed = self.conditions(node.msg, failed, column + 1)
        label = "raises AssertionError"
        self.leave(self.node("refusal", node.lineno, _line(node), failed, column + 1, label=label))
        self.lift(at)
        return [(at, "yes")]

    def leave(self, at: int) -> Exits:
        self.left.append((at, ""))
        return []


def _short(text: str) -> str:
    return text if len(text) <= MOST_CHARS else f"{text[: MOST_CHARS - 1]}…"


def _line(node: ast.AST) -> str:
    """Return the code of a node on one line; of a statement that holds others, its first line."""
    return ast.unparse(node).strip().split("\n")[0].removesuffix(":")


def _is_unseen(statement: ast.stmt | ast.excepthandler) -> bool:
    """Say whether the tracer does not stop at a statement, since nothing happens there."""
    if isinstance(statement, ast.Expr):
        return isinstance(statement.value, ast.Constant)
    return isinstance(statement, UNSEEN) or (isinstance(statement, ast.AnnAssign) and statement.value is None)


def _evaluated(root: ast.AST) -> list[Any]:
    """Return the parts of `root` that are evaluated with it: no statement inside it, no lambda."""
    other = (ast.stmt, ast.excepthandler, ast.match_case, ast.Lambda)
    return [child for child in ast.iter_child_nodes(root) if not isinstance(child, other)]


def _expressions(root: ast.AST) -> Iterator[ast.AST]:
    """Yield `root` and everything that is evaluated with it, in the order of the source."""
    yield root
    for child in _evaluated(root):
        yield from _expressions(child)


def _conditions(root: ast.AST) -> list[ast.expr]:
    """Return the conditions of ternaries and comprehensions in `root`."""
    found: list[ast.expr] = []
    for node in _expressions(root):
        if isinstance(node, ast.IfExp):
            found.append(node.test)
        elif isinstance(node, ast.comprehension):
            found += node.ifs
    return found


def _bound(function: ast.FunctionDef) -> set[str]:
    """Return the names to which the function, or one nested in it, gives a meaning of its own."""
    names: set[str] = set()
    for node in ast.walk(function):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            names.add(node.id)
        elif isinstance(node, ast.arg):
            names.add(node.arg)
        elif isinstance(node, (ast.ExceptHandler, ast.FunctionDef, ast.ClassDef)) and node is not function:
            names.add(node.name or "")
    return names


def _fits_all(case: ast.match_case) -> bool:
    return isinstance(case.pattern, ast.MatchAs) and case.pattern.pattern is None and case.guard is None


def _raised(node: ast.Raise, variables: set[str]) -> str:
    """Return how a `raise` ends the call. Without a code or a type if only the run knows it."""
    error = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
    name = error.attr if isinstance(error, ast.Attribute) else error.id if isinstance(error, ast.Name) else ""
    if name == "Refusal" and isinstance(node.exc, ast.Call):
        named = [keyword.value for keyword in node.exc.keywords if keyword.arg == "code"]
        code = next(iter([*node.exc.args, *named]), None)
        if isinstance(code, ast.Constant) and isinstance(code.value, str):
            return f"refuses: {code.value}"
        return "refuses"
    return "raises" if not name or name in variables else f"raises {name}"
