"""Functions rebuilt so that they report what they do, statement by statement, and otherwise do the same.

The syntax tree of a function gets calls of hooks. A hook's name starts with "@", which no name in source text
can, and is a free variable of the rebuilt function, as are the names of the other traced functions; so the
function keeps its own globals and closure. The hooks, with `f` the frame that `enter` returned:

    enter(function, name, line place, arguments...)    a call begins; returns its frame
    line(f, place)                          a statement begins
    each(f, place)                          a for loop takes its next item
    bind(f, name, value, ...)               names were bound; unbind(f, name, ...): names are gone
    walrus(f, name, value)                  a name is bound inside an expression
    operand(f, slot, value)                 an operand of a condition has this value
    part(f, slot, truth)                    a part of and/or/not is true or false
    test(f, site, truth)                    a condition is true or false
    case(f, site, subject)                  a case of match was taken
    callee(f, line, function), argument(f, value), result(f, value)
                                            a call of a function that may not be traced
    stored(f, container), stored_below(f, container)
                                            an item of the container, or below one, is about to change
    index(f, key)                           it is this item
    field(f, name, value), field_below(f, name, value)
                                            the same of an attribute
    method(f, value)                        an attribute that may be a traced method
    getter(f, name, value)                  one that may have a traced getter; returns what gets it
    grown(f, value), changed(f, value)      the value was changed by +=, or by another such operator
    own_names(f, function, value, hidden...)
                                            locals(), vars() or dir(); returned without names that were added
    paused(f, value), resumed(f, value)     a generator yields; it goes on
    tick(f)                                 a comprehension takes its next item; returns True
    returned(f, place, value), raised(f)    the call ends
    returning(f, place, value), ended(f)    it is about to return this, unless a `finally` does else; it ends

Where a value is reported in the middle of an expression, the hook returns it. Truth is never asked for by a
hook: the rebuilt function asks, once and where the original does, so that an error shows there and nowhere
else.
"""

import ast
import builtins
import types
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from ctxlab.errors import TraceError
from ctxlab.tracer.pure import PURE
from ctxlab.tracer.source import FUTURE_FLAGS, Source, following, leaves, nested_codes

OPERATORS = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Is: "is",
    ast.IsNot: "is not",
    ast.In: "in",
    ast.NotIn: "not in",
}
# Methods of str, dict and list that change nothing; on other objects a change is still found at the end of
# the run.
_HARMLESS = [
    "count",
    "endswith",
    "format",
    "get",
    "index",
    "items",
    "join",
    "keys",
    "lower",
    "lstrip",
    "rstrip",
    "split",
    "splitlines",
    "startswith",
    "strip",
    "upper",
    "values",
]
HARMLESS_METHODS = frozenset(_HARMLESS)
OWN_NAMES = frozenset({"locals", "vars", "dir"})
# `__dict__` is the very same dict: a function that counts its own calls counts on.
KEPT_ATTRIBUTES = ("__kwdefaults__", "__dict__", "__annotations__", "__module__", "__qualname__", "__doc__")
PURE_BUILTINS = frozenset(name for name, value in vars(builtins).items() if id(value) in PURE)


@dataclass
class Part:
    """One part of a condition: a comparison, or an expression taken as true or false.

    `pieces` is what to print: text, and the number of an operand's slot in this part.
    """

    source: str
    pieces: list[str | int]
    compare: bool


@dataclass
class Site:
    """A condition in the source, with the author's comments about it."""

    function: int
    line: int
    source: str
    question: str
    yes: str
    no: str
    parts: list[Part] = field(default_factory=list)
    # Where the recorder keeps the values of this condition while it is evaluated: all slots from `first` to
    # `end`.
    first: int = 0
    end: int = 0
    single: bool = False


@dataclass(frozen=True)
class Place:
    """An event that can happen at a line; `site` is the condition itself, or the one around the line."""

    event: str
    function: int
    line: int
    site: int


@dataclass
class Program:
    """Rebuilt functions, not yet bound to hooks, and the tables that their hooks refer to."""

    sources: list[Source] = field(default_factory=list)
    places: list[Place] = field(default_factory=list)
    sites: list[Site] = field(default_factory=list)
    decision_places: list[int] = field(default_factory=list)
    slots: int = 0
    notes: list[str] = field(default_factory=list)
    codes: list[types.CodeType] = field(default_factory=list)
    # The names under which classes have the functions as methods or as properties.
    methods: frozenset[str] = frozenset()
    properties: frozenset[str] = frozenset()

    def bind(self, functions: list["Traced"], hooks: dict[str, types.CellType]) -> list[types.FunctionType]:
        """Return the rebuilt `functions`, those the program was made of, calling the hooks in these cells."""
        hook_cells = {f"@{name}": cell for name, cell in hooks.items()}
        hook_cells["@BaseException"] = types.CellType(BaseException)
        rebuilt_cells = [types.CellType() for _ in functions]
        for traced, code, cell in zip(functions, self.codes, rebuilt_cells, strict=True):
            function = traced.function
            own = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
            callees = {name: rebuilt_cells[index] for name, index in traced.callees.items()}
            closure = tuple({**own, **callees, **hook_cells}[name] for name in code.co_freevars)
            made = types.FunctionType(
                code, function.__globals__, function.__name__, function.__defaults__, closure
            )
            for name in KEPT_ATTRIBUTES:
                setattr(made, name, getattr(function, name))
            cell.cell_contents = made
        return [cell.cell_contents for cell in rebuilt_cells]


@dataclass(frozen=True)
class Traced:
    """A function to trace. `callees` says which of its names stand for which of the functions, by index.

    `methods` and `properties` are the names under which classes have it.
    """

    function: types.FunctionType
    source: Source
    callees: dict[str, int]
    methods: set[str] = field(default_factory=set)
    properties: set[str] = field(default_factory=set)

    @property
    def shadowed(self) -> frozenset[str]:
        """Names of built-in functions that mean something else here."""
        return PURE_BUILTINS.intersection(self.function.__globals__)

    @property
    def key(self) -> tuple[Any, ...]:
        """What its rebuilt code, and what is said about it, depend on."""
        source = self.source
        # Equal code may come from another file, or stand beside other comments.
        names = tuple(self.callees), self.shadowed, frozenset(self.methods), frozenset(self.properties)
        return source.code, source.code.co_filename, source.file_text, names


_programs: dict[tuple[Any, ...], Program] = {}


def instrument(functions: list[Traced]) -> Program:
    """Return a program of these functions, the entry function first. Programs are kept and used again.

    Raises TraceError for a function that is nested too deeply.
    """
    key = tuple(traced.key for traced in functions)
    program = _programs.get(key)
    if program is None:
        program = Program()
        program.methods = frozenset().union(*(traced.methods for traced in functions))
        program.properties = frozenset().union(*(traced.properties for traced in functions))
        for index, traced in enumerate(functions):
            program.sources.append(traced.source)
            try:
                program.codes.append(_rebuilt(program, index, traced))
            except RecursionError as error:
                # To Python, each `elif` stands inside the one before it.
                raise TraceError(
                    f"{traced.source.name}: it is nested too deeply to be traced, as a chain of some hundred "
                    "elif is; split it into functions"
                ) from error
        _programs[key] = program
    return program


def _rebuilt(program: Program, index: int, traced: Traced) -> types.CodeType:
    function, source = traced.function, traced.source
    node = copied_tree(source.node)
    direct = (PURE_BUILTINS - traced.shadowed).union(traced.callees) - assigned_names(source)
    hidden = sorted(traced.callees.keys() - set(function.__code__.co_freevars))
    rewriter = _Rewriter(program, index, source, direct, hidden, None)
    node.body = rewriter.function_body(node)
    node.decorator_list = []
    # The function stands inside a factory whose parameters make the hooks, the traced functions that it names
    # and its own free variables free variables. The factory is never called: only the code inside it is
    # taken.
    free = [*sorted(rewriter.hooks), "@BaseException", *traced.callees, *function.__code__.co_freevars]
    arguments = ast.arguments([], [ast.arg(name) for name in dict.fromkeys(free)], None, [], [], None, [])
    body: list[ast.stmt] = [node]
    class_name = class_of(source.code.co_qualname)
    if class_name:  # so that private names such as self.__x keep their meaning
        body = [ast.ClassDef(class_name, [], [], [node], [])]
        if class_name not in free:  # a method may name its class, which is a global then
            body.insert(0, ast.Global([class_name]))
    factory = ast.FunctionDef("@factory", arguments, body, [])
    tree = ast.Module([ast.copy_location(factory, node)], [])
    # From Python 3.12 on, functions and classes have one more field.
    for made in (factory, *body):
        if "type_params" in made._fields and not hasattr(made, "type_params"):
            setattr(made, "type_params", [])  # noqa: B010 - unknown to the types of Python 3.11
    ast.fix_missing_locations(tree)
    flags = source.code.co_flags & FUTURE_FLAGS
    code = compile(tree, source.code.co_filename, "exec", flags, dont_inherit=True)
    inner = next(found for found in nested_codes(code) if found.co_name == node.name)
    return _requalified(inner, inner.co_qualname, source.code.co_qualname)


def copied_tree(node: Any) -> Any:
    """Return a copy of a syntax tree, of its own fields only.

    Other tools hang their notes on nodes, such as the parent, and Python shares some nodes between all trees:
    `copy.deepcopy` would follow such a note into every tree that the process has parsed.
    """
    if isinstance(node, list):
        return [copied_tree(item) for item in node]
    if not isinstance(node, ast.AST):
        return node
    made = type(node)(
        **{name: copied_tree(getattr(node, name)) for name in node._fields if hasattr(node, name)}
    )
    return ast.copy_location(made, node)


def assigned_names(source: Source) -> set[str]:
    """Return every name that the function, or one nested in it, gives a meaning of its own."""
    names = {
        node.id
        for node in ast.walk(source.node)
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)
    }
    return names.union(
        *((*code.co_varnames, *code.co_cellvars) for code in (source.code, *nested_codes(source.code)))
    )


def class_of(qualified: str) -> str:
    """Return the class in which a function of this qualified name stands, directly or in a method; or ""."""
    outer = qualified.split(".")[:-1]
    while outer and outer[-1] == "<locals>":
        outer = outer[:-2]
    return outer[-1] if outer else ""


def attribute_name(name: str, code: types.CodeType) -> str:
    """Return the name that an attribute really has which the source of a function calls `name`.

    In a class, Python puts the name of the class before private names such as `__x`.
    """
    class_name = class_of(code.co_qualname).lstrip("_")
    is_private = name.startswith("__") and not name.endswith("__")
    return f"_{class_name}{name}" if is_private and class_name else name


def _requalified(code: types.CodeType, old: str, new: str) -> types.CodeType:
    """Return `code` without the factory in its qualified name and in those of the functions nested in it."""
    constants = tuple(
        _requalified(constant, old, new) if isinstance(constant, types.CodeType) else constant
        for constant in code.co_consts
    )
    return code.replace(co_qualname=code.co_qualname.replace(old, new, 1), co_consts=constants)


class _Rewriter(ast.NodeTransformer):
    """Rewrites one function. One nested in it has a rewriter of its own, with this one as its parent."""

    def __init__(
        self,
        program: Program,
        index: int,
        source: Source,
        direct: frozenset[str],
        hidden: list[str],
        parent: "_Rewriter | None",
    ) -> None:
        self.program = program
        self.index = index
        self.source = source
        self.direct = direct  # names that need no hooks when called
        self.hidden = hidden  # names that the original function does not have as its own
        self.parent = parent
        self.level: int = parent.level + 1 if parent else 0
        self.frame = f"@f{self.level}"
        self.branch = -1  # the site whose arm is being rewritten
        self.last_site = -1
        self.own_names: set[str] = set()
        self.returned = "returned"  # the hook of a return
        self.outer_names: set[str] = set()
        self.hooks: set[str] = parent.hooks if parent else set()

    # Small builders

    def hook(self, at: ast.AST, name: str, *arguments: ast.expr | str | int, frame: str = "") -> ast.Call:
        """Return a call of a hook with this function's frame first."""
        self.hooks.add(f"@{name}")
        values = [value if isinstance(value, ast.expr) else ast.Constant(value) for value in arguments]
        call = ast.Call(_load(f"@{name}"), [_load(frame or self.frame), *values], [])
        return ast.copy_location(call, at)

    def do(self, at: ast.AST, name: str, *arguments: ast.expr | str | int, frame: str = "") -> ast.stmt:
        return ast.copy_location(ast.Expr(self.hook(at, name, *arguments, frame=frame)), at)

    def place(self, event: str, line: int, site: int | None = None) -> int:
        self.program.places.append(Place(event, self.index, line, self.branch if site is None else site))
        return len(self.program.places) - 1

    def line(self, node: ast.stmt | ast.excepthandler) -> ast.stmt:
        return self.do(node, "line", self.place("line", node.lineno))

    def bind(self, at: ast.AST, names: Iterable[str]) -> list[ast.stmt]:
        """Return statements that report the values of names just bound, each to the frame that owns it."""
        frames: dict[str, list[ast.expr]] = {}
        for name in dict.fromkeys(names):
            frames.setdefault(self.owner(name), []).extend([ast.Constant(name), _load(name)])
        return [self.do(at, "bind", *values, frame=frame) for frame, values in frames.items()]

    def owner(self, name: str) -> str:
        """Return the frame to which a name belongs that is assigned here."""
        rewriter = self
        if name in self.outer_names:
            while rewriter.parent and (rewriter is self or name not in rewriter.own_names):
                rewriter = rewriter.parent
        return rewriter.frame

    def note(self, node: ast.expr | ast.stmt, what: str) -> None:
        self.program.notes.append(f"{self.source.name}, line {node.lineno}: {what} is not traced")

    # The function itself

    def function_body(self, node: ast.FunctionDef) -> list[ast.stmt]:
        """Return the rewritten body: docstring, enter, then everything else with its end reported."""
        statements = node.body
        doc = statements[:1] if _is_text(statements[0]) else []
        arguments = node.args
        names = [a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
        names += [a.arg for a in (arguments.vararg, arguments.kwarg) if a]
        self.own_names = set(names) | _bound_in(node)
        # What a `finally` does comes after the value that is returned was made.
        finals = [
            found for found in ast.walk(node) if isinstance(found, (ast.Try, ast.TryStar)) and found.finalbody
        ]
        self.returned = "returning" if finals else "returned"
        self.hooks.add("@enter")
        call = ast.Call(
            _load("@enter"),
            [
                ast.Constant(self.index),
                ast.Constant(self.source.name if self.level == 0 else node.name),
                ast.Constant(self.place("call", node.lineno)),
                *(part for name in names for part in (ast.Constant(name), _load(name))),
            ],
            [],
        )
        enter = ast.copy_location(ast.Assign([_store(self.frame)], call), node)
        last = statements[-1]
        body = self.block(statements[len(doc) :])
        if not isinstance(last, (ast.Return, ast.Raise)):
            end = self.place("return", last.lineno, -1)
            body.append(self.do(last, self.returned, end, ast.Constant(None)))
        again = ast.copy_location(ast.Raise(), node)
        handler = ast.ExceptHandler(_load("@BaseException"), None, [self.do(node, "raised"), again])
        final = [self.do(node, "ended")] if finals else []
        guarded = ast.copy_location(ast.Try(body, [ast.copy_location(handler, node)], [], final), node)
        return [*doc, enter, guarded]

    def block(self, statements: list[ast.stmt]) -> list[ast.stmt]:
        out: list[ast.stmt] = []
        outer = self.branch
        for statement in statements:
            method = getattr(self, f"statement_{type(statement).__name__}", self.plain_statement)
            out.extend(method(statement, statements))
            if isinstance(statement, ast.If) and isinstance(statement.body[-1], (ast.Continue, ast.Break)):
                # The rest of the block is the other arm of a condition that left it.
                self.branch = self.left_site
        self.branch = outer
        return out

    def arm(self, statements: list[ast.stmt], site: int) -> list[ast.stmt]:
        outer, self.branch = self.branch, site
        out = self.block(statements)
        self.branch = outer
        return out

    # Statements: each method returns what stands in the place of one statement

    def plain_statement(self, node: ast.stmt, _: list[ast.stmt]) -> list[ast.stmt]:
        return [self.line(node), self.generic_visit(node)]  # type: ignore[list-item]

    def statement_Expr(self, node: ast.Expr, block: list[ast.stmt]) -> list[ast.stmt]:
        return [node] if isinstance(node.value, ast.Constant) else self.plain_statement(node, block)

    def statement_Global(self, node: ast.Global, _: list[ast.stmt]) -> list[ast.stmt]:
        return [node]

    def statement_Nonlocal(self, node: ast.Nonlocal, _: list[ast.stmt]) -> list[ast.stmt]:
        self.outer_names.update(node.names)
        return [node]

    def statement_Import(self, node: ast.Import, _: list[ast.stmt]) -> list[ast.stmt]:
        names = [alias.asname or alias.name.split(".")[0] for alias in node.names]
        return [self.line(node), node, *self.bind(node, names)]

    statement_ImportFrom = statement_Import

    def statement_Assign(self, node: ast.Assign, _: list[ast.stmt]) -> list[ast.stmt]:
        before = self.line(node)
        names = [name for target in node.targets for name in _names(target)]
        node.value = self.visit(node.value)
        node.targets = [self.target(target) for target in node.targets]
        return [before, node, *self.bind(node, names)]

    def statement_AnnAssign(self, node: ast.AnnAssign, _: list[ast.stmt]) -> list[ast.stmt]:
        if node.value is None:
            return [node]
        before = self.line(node)
        names = _names(node.target)
        node.value = self.visit(node.value)
        node.target = self.target(node.target)
        return [before, node, *self.bind(node, names)]

    def statement_AugAssign(self, node: ast.AugAssign, _: list[ast.stmt]) -> list[ast.stmt]:
        before = self.line(node)
        node.value = self.visit(node.value)
        if isinstance(node.target, ast.Name):
            name = node.target.id
            hook = "grown" if isinstance(node.op, ast.Add) else "changed"
            return [before, node, self.do(node, hook, _load(name)), *self.bind(node, [name])]
        # An operator such as += may change the item itself as well as put it back.
        node.target = self.target(node.target, "_below")
        return [before, node]

    def statement_Delete(self, node: ast.Delete, _: list[ast.stmt]) -> list[ast.stmt]:
        before = self.line(node)
        names = [name for target in node.targets for name in _names(target)]
        node.targets = [self.target(target) for target in node.targets]
        return [before, node, *(self.do(node, "unbind", name, frame=self.owner(name)) for name in names)]

    def statement_Return(self, node: ast.Return, _: list[ast.stmt]) -> list[ast.stmt]:
        before = self.line(node)
        value = self.visit(node.value) if node.value else ast.Constant(None)
        node.value = self.hook(node, self.returned, self.place("return", node.lineno), value)
        return [before, node]

    def statement_Assert(self, node: ast.Assert, _: list[ast.stmt]) -> list[ast.stmt]:
        before = self.line(node)
        node.test = self.test(node.test, node, self.source.comments.sentence(node.lineno))
        if node.msg:
            node.msg = self.visit(node.msg)
        return [before, node]

    def statement_If(self, node: ast.If, block: list[ast.stmt]) -> list[ast.stmt]:
        before = self.line(node)
        comments = self.source.comments
        other = node.orelse or (following(node, block) if node in block and leaves(node.body) else [])
        question, yes, no = (
            comments.sentence(node.lineno),
            comments.consequence(node.body, node.lineno),
            comments.consequence(other, node.lineno),
        )
        constant = isinstance(node.test, ast.Constant)
        node.test = self.test(node.test, node, question, yes, no)
        site = self.branch if constant else self.last_site
        node.body = self.arm(node.body, site)
        node.orelse = self.arm(node.orelse, site)
        self.left_site = site
        return [before, node]

    def statement_While(self, node: ast.While, _: list[ast.stmt]) -> list[ast.stmt]:
        comments = self.source.comments
        reached = self.hook(node, "line", self.place("line", node.lineno))
        question, yes = comments.sentence(node.lineno), comments.consequence(node.body, node.lineno)
        test = self.test(node.test, node, question, yes)
        site = self.last_site if isinstance(test, ast.Call) else self.branch
        # The hook returns None, so the test always follows: each round begins with a step at this line.
        node.test = ast.copy_location(ast.BoolOp(ast.Or(), [reached, test]), node.test)
        node.body = self.arm(node.body, site)
        node.orelse = self.block(node.orelse)
        return [node]

    def statement_For(self, node: ast.For, _: list[ast.stmt]) -> list[ast.stmt]:
        place = self.place("line", node.lineno)
        before = self.do(node, "line", place)
        names = _names(node.target)
        node.iter = self.visit(node.iter)
        node.target = self.target(node.target)
        node.body = [self.do(node, "each", place), *self.bind(node, names), *self.block(node.body)]
        node.orelse = self.block(node.orelse)
        return [before, node]

    def statement_With(self, node: ast.With, _: list[ast.stmt]) -> list[ast.stmt]:
        before = self.line(node)
        names = [name for item in node.items if item.optional_vars for name in _names(item.optional_vars)]
        for item in node.items:
            item.context_expr = self.visit(item.context_expr)
            item.optional_vars = item.optional_vars and self.target(item.optional_vars)
        node.body = [*self.bind(node, names), *self.block(node.body)]
        return [before, node]

    def statement_Try(self, node: ast.Try, _: list[ast.stmt]) -> list[ast.stmt]:
        node.body = self.block(node.body)
        for handler in node.handlers:
            before = self.line(handler)
            body = self.block(handler.body)
            if handler.name:
                # Python unbinds the name when the handler ends, however it ends.
                gone = self.do(handler, "unbind", handler.name)
                body = [ast.copy_location(ast.Try(body, [], [], [gone]), handler)]
                body = [*self.bind(handler, [handler.name]), *body]
            handler.body = [before, *body]
        node.orelse = self.block(node.orelse)
        node.finalbody = self.block(node.finalbody)
        return [node]

    statement_TryStar = statement_Try

    def statement_Match(self, node: ast.Match, _: list[ast.stmt]) -> list[ast.stmt]:
        before = self.line(node)
        shown = ast.unparse(node.subject)
        subject = f"@match{node.lineno}"
        node.subject = ast.copy_location(
            ast.NamedExpr(_store(subject), self.visit(node.subject)), node.subject
        )
        comments = self.source.comments
        for case in node.cases:
            line = case.pattern.lineno
            pattern = f"case {ast.unparse(case.pattern)}"
            question, yes = comments.sentence(line), comments.consequence(case.body, line)
            site = self.new_site(line, f"match {shown}: {pattern}", question, yes, "")
            self.program.sites[site].parts.append(Part(f"match {shown}", [0, f" fits {pattern}"], True))
            bound = self.bind(case.pattern, _captured(case.pattern))
            if case.guard:
                guard = self.test(case.guard, case.pattern)
                reports = [statement.value for statement in bound if isinstance(statement, ast.Expr)]
                case.guard = (
                    ast.copy_location(ast.BoolOp(ast.Or(), [*reports, guard]), guard) if reports else guard
                )
                bound = []
            taken = self.do(case.pattern, "case", site, _load(subject))
            case.body = [taken, *bound, *self.arm(case.body, site)]
        return [before, node]

    def statement_FunctionDef(self, node: ast.FunctionDef, _: list[ast.stmt]) -> list[ast.stmt]:
        before = self.line(node)
        node.decorator_list = [self.visit(decorator) for decorator in node.decorator_list]
        node.args.defaults = [self.visit(default) for default in node.args.defaults]
        node.args.kw_defaults = [default and self.visit(default) for default in node.args.kw_defaults]
        inner = _Rewriter(self.program, self.index, self.source, self.direct, self.hidden, self)
        node.body = inner.function_body(node)
        return [before, node, *self.bind(node, [node.name])]

    def statement_ClassDef(self, node: ast.ClassDef, _: list[ast.stmt]) -> list[ast.stmt]:
        self.note(node, f"the class {node.name}")
        return [self.line(node), node, *self.bind(node, [node.name])]

    def statement_AsyncFunctionDef(self, node: ast.AsyncFunctionDef, _: list[ast.stmt]) -> list[ast.stmt]:
        self.note(node, f"the async function {node.name}")
        return [self.line(node), node, *self.bind(node, [node.name])]

    def target(self, node: Any, below: str = "") -> Any:
        """Rewrite what is assigned to: a container whose item or attribute is set is reported first."""
        if isinstance(node, ast.Subscript):
            node.value = self.hook(node.value, f"stored{below}", self.visit(node.value))
            node.slice = self.hook(node.slice, "index", self.visit(node.slice))
        elif isinstance(node, ast.Attribute):
            name = attribute_name(node.attr, self.source.code)
            node.value = self.hook(node.value, f"field{below}", name, self.visit(node.value))
        elif isinstance(node, (ast.Tuple, ast.List)):
            node.elts = [self.target(item, below) for item in node.elts]
        elif isinstance(node, ast.Starred):
            node.value = self.target(node.value, below)
        return node

    # Conditions

    def new_site(self, line: int, source: str, question: str, yes: str, no: str) -> int:
        program = self.program
        self.last_site = len(program.sites)
        program.sites.append(
            Site(self.index, line, source, question, yes, no, first=program.slots, end=program.slots)
        )
        program.decision_places.append(self.place("decision", line, self.last_site))
        return self.last_site

    def test(self, node: ast.expr, at: ast.AST, question: str = "", yes: str = "", no: str = "") -> ast.expr:
        """Return a condition that reports its operands, its parts and its outcome, each evaluated as before.

        `at` is what the condition belongs to: an error of its truth is shown there.
        """
        if isinstance(node, ast.Constant):
            return node
        number = self.new_site(node.lineno, ast.unparse(node), question, yes, no)
        site = self.program.sites[number]
        site.single = not isinstance(node, ast.BoolOp) and not _is_not(node)
        # Conditions inside this one get slots of their own, after these.
        self.program.slots = site.end = site.first + _slots(node)
        slots = iter(range(site.first, site.end))
        condition = self.condition(node, at, site, slots)
        self.last_site = number
        return self.hook(node, "test", number, _truth(condition, at))

    def condition(self, node: ast.expr, at: ast.AST, site: Site, slots: Iterator[int]) -> ast.expr:
        if isinstance(node, ast.BoolOp):
            node.values = [self.condition(value, at, site, slots) for value in node.values]
            return node
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            node.operand = self.condition(node.operand, at, site, slots)
            return node
        truth = next(slots)
        source = ast.unparse(node)
        if isinstance(node, ast.Compare):
            pieces: list[str | int] = []
            operands = [node.left, *node.comparators]
            for position, operand in enumerate(operands):
                if position:
                    pieces.append(f" {OPERATORS[type(node.ops[position - 1])]} ")
                if isinstance(operand, ast.Constant):
                    pieces.append(ast.unparse(operand))
                else:
                    pieces.append(sum(isinstance(piece, int) for piece in pieces))
                    slot = next(slots)
                    operands[position] = self.hook(operand, "operand", slot, self.visit(operand))
            node.left, *node.comparators = operands
            site.parts.append(Part(source, _joined(pieces), True))
            visited: ast.expr = node
        else:
            site.parts.append(Part(source, [f"{source} is ", 0], False))
            visited = self.hook(node, "operand", next(slots), self.visit(node))
        return visited if site.single else self.hook(node, "part", truth, _truth(visited, at))

    # Expressions

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        node.test = self.test(node.test, node)
        node.body = self.visit(node.body)
        node.orelse = self.visit(node.orelse)
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.expr:
        self.note(node, "a lambda")
        return node

    def visit_ListComp(self, node: ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp) -> ast.expr:
        for part in node.generators:
            part.ifs = [self.hook(part.iter, "tick"), *(self.test(condition, node) for condition in part.ifs)]
            part.iter = self.visit(part.iter)
        if isinstance(node, ast.DictComp):
            node.key, node.value = self.visit(node.key), self.visit(node.value)
        else:
            node.elt = self.visit(node.elt)
        return node

    visit_SetComp = visit_DictComp = visit_GeneratorExp = visit_ListComp

    def visit_NamedExpr(self, node: ast.NamedExpr) -> ast.expr:
        # Reported where it happens: in a part of a condition that is skipped, the name is not bound.
        name = node.target.id
        node.value = self.hook(node.value, "walrus", name, self.visit(node.value), frame=self.owner(name))
        return node

    def visit_Yield(self, node: ast.Yield) -> ast.expr:
        value = self.visit(node.value) if node.value else ast.Constant(None)
        node.value = self.hook(node, "paused", value)
        return self.hook(node, "resumed", node)

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        found = self.attribute(node)
        is_method = attribute_name(node.attr, self.source.code) in self.program.methods
        return self.hook(node, "method", found) if is_method else found

    def attribute(self, node: ast.Attribute) -> ast.expr:
        """Return an attribute that is asked for; one that may have a traced getter is got by a call of it."""
        node.value = self.visit(node.value)
        name = attribute_name(node.attr, self.source.code)
        if name not in self.program.properties:
            return node
        return ast.copy_location(ast.Call(self.hook(node, "getter", name, node.value), [], []), node)

    def visit_Call(self, node: ast.Call) -> ast.expr:
        function = node.func
        if (
            isinstance(function, ast.Name)
            and function.id in OWN_NAMES
            and not node.args
            and not node.keywords
        ):
            return self.hook(node, "own_names", function, node, *self.hidden)
        simple = not any(keyword.arg == "key" for keyword in node.keywords)
        if isinstance(function, ast.Name) and function.id in self.direct and simple:
            return self.generic_visit(node)  # type: ignore[return-value]
        harmless = HARMLESS_METHODS - self.program.methods
        if isinstance(function, ast.Attribute) and function.attr in harmless:
            return self.generic_visit(node)  # type: ignore[return-value]
        # The method that is called is looked at when it is called.
        called = self.attribute(function) if isinstance(function, ast.Attribute) else self.visit(function)
        node.func = self.hook(function, "callee", node.lineno, called)
        for position, argument in enumerate(node.args):
            if isinstance(argument, ast.Starred):
                argument.value = self.hook(argument, "argument", self.visit(argument.value))
            else:
                node.args[position] = self.hook(argument, "argument", self.visit(argument))
        for keyword in node.keywords:
            keyword.value = self.hook(keyword.value, "argument", self.visit(keyword.value))
        return self.hook(node, "result", node)


def _load(name: str) -> ast.Name:
    return ast.Name(name, ast.Load())


def _store(name: str) -> ast.Name:
    return ast.Name(name, ast.Store())


def _truth(condition: ast.expr, at: ast.AST) -> ast.expr:
    """Return an expression that is True or False as the condition holds or not."""
    truth = ast.IfExp(condition, ast.Constant(True), ast.Constant(False))
    return ast.copy_location(truth, at if hasattr(at, "lineno") else condition)


def _bound_in(function: ast.FunctionDef) -> set[str]:
    """Return the names that the function itself binds, those of functions nested in it left out."""
    names: set[str] = set()
    waiting: list[ast.AST] = [*function.body]
    while waiting:
        node = waiting.pop()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        elif not isinstance(node, ast.Lambda):
            waiting.extend(ast.iter_child_nodes(node))
    return names


def _is_text(node: ast.stmt) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def _is_not(node: ast.expr) -> bool:
    return isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)


def _names(target: ast.expr) -> list[str]:
    """Return the names that an assignment to `target` binds."""
    if isinstance(target, ast.Name):
        return [target.id]
    if isinstance(target, (ast.Tuple, ast.List)):
        return [name for item in target.elts for name in _names(item)]
    return _names(target.value) if isinstance(target, ast.Starred) else []


def _captured(pattern: ast.pattern) -> list[str]:
    """Return the names that a pattern binds."""
    names = []
    for node in ast.walk(pattern):
        name = getattr(node, "name", None) or getattr(node, "rest", None)
        if name:
            names.append(name)
    return names


def _slots(node: ast.expr) -> int:
    """Count the values of a condition: for each part its truth, then its operands."""
    if isinstance(node, ast.BoolOp):
        return sum(_slots(value) for value in node.values)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return _slots(node.operand)
    if isinstance(node, ast.Compare):
        return 1 + sum(not isinstance(operand, ast.Constant) for operand in (node.left, *node.comparators))
    return 2


def _joined(pieces: list[str | int]) -> list[str | int]:
    """Join neighbouring texts."""
    out: list[str | int] = []
    for piece in pieces:
        if isinstance(piece, str) and out and isinstance(out[-1], str):
            out[-1] += piece
        else:
            out.append(piece)
    return out
