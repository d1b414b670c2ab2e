"""`with` over a function of the user's that is a context manager, and writes to what it is given.

    @contextmanager                     with scaled(x, 2):              x *= 2
    def scaled(x, k):                       s = x.sum()         ->      s = x.sum()
        x *= k                                                          x /= 2
        yield
        x /= k

On the host it could not write to an array of the graph.  So its body is inlined, with what is under `with`
in the place of its `yield`: an exception comes from there in both.
"""

from __future__ import annotations

import contextlib
import inspect
import types
from collections.abc import Callable, Iterator, Mapping, Sequence

from graph_program.extract.diagnostics import GraphProgramError
from graph_program.extract.ir import tree
from graph_program.extract.source.assigned_names import root_name
from graph_program.extract.source.load import load_function
from graph_program.extract.source.names_read import children, walk
from graph_program.extract.stage.arrays.array_writes import METHODS
from graph_program.extract.stage.language.calls.calls import function_defaults
from graph_program.extract.stage.language.calls.recursion import inline
from graph_program.extract.stage.language.syntax.expressions import elements, evaluate
from graph_program.extract.stage.machine.checkpoint import Checkpoint
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.objects.own_host_code import CHANGING
from graph_program.extract.stage.operations.code_ownership import is_own
from graph_program.extract.stage.values.choices import is_object
from graph_program.extract.stage.values.questions import known_value
from graph_program.extract.stage.values.values import Bound, Ref, Tensor, Value

MAKING = contextlib.contextmanager(lambda: iter(())).__code__
"""The code of what `contextlib.contextmanager` makes of a function."""
WRITING = frozenset({"copyto", "put", "place", "putmask", "put_along_axis", "fill_diagonal", "at"})
"""NumPy's functions that write to their first argument."""


def inlined(
    m: Machine, node: tree.With, item: tree.Expr, bind: Callable[[Value], None], body: Callable[[], None]
) -> bool:
    """Inline a context manager with what is under `with`, if it writes to what the graph has; whether it was.

    Raises
    ------
    GraphProgramError
        GP541 where it writes to an array, and cannot be inlined.
    """
    if not isinstance(item, tree.Call) or m.frame is None:
        return False
    before, outer = Checkpoint(m), m.frame
    python, args, keywords = _called(m, item)
    written = [] if python is None else _written_of(python, args, keywords)
    place = m.node_loc = node.loc
    if python is None or not written or not _can_be_inlined(load_function(python), node):
        if any(isinstance(v, Tensor) for v in written):
            raise _refused(m, item)
        before.restore()
        return False

    def at_yield(value: Value) -> None:
        own, m.frame, m.node_loc = m.frame, outer, place
        try:
            bind(value)
            body()
        finally:
            m.frame = own

    inline(m, load_function(python), python, None, function_defaults(python), args, keywords, at_yield=at_yield)
    return True


def _refused(m: Machine, item: tree.Expr) -> GraphProgramError:
    m.node_loc = item.loc
    return m.error(
        "GP541",
        "this context manager writes to an array of the program's, which host code cannot",
        hint="make it a class with `__enter__` and `__exit__`, whose methods become a part of the graph",
    )


def _called(m: Machine, item: tree.Call) -> tuple[types.FunctionType | None, list[Value], dict[str, Value]]:
    """The function of the context manager that a call makes, with its arguments; None for any other call."""
    m.node_loc = item.loc
    function, given = evaluate(m, item.func), list[Value]()
    if isinstance(function, Bound):
        given.append(function.self)
        function = function.function
    made = known_value(function)
    python = getattr(made, "__wrapped__", None)
    if getattr(made, "__code__", None) is not MAKING or not isinstance(python, types.FunctionType):
        return None, [], {}
    if not is_own(m, python) or not all(k.name for k in item.keywords):
        return None, [], {}
    given += elements(m, item.args)
    return python, given, {str(k.name): evaluate(m, k.value) for k in item.keywords}


# ---------------------------------------------------------------- whether it can be inlined


def _can_be_inlined(function: tree.Function, node: tree.With) -> bool:
    """Whether what is under `with` may stand in the place of the one `yield`, to which every call comes.

    `return` and `break` under `with` would leave out what is behind the `yield`, unless that is a `finally`.
    """
    parts = list(walk(function))
    others = any(isinstance(p, tree.UnsupportedExpr) and not isinstance(p, tree.Yield) for p in parts)
    yields = sum(isinstance(p, tree.Yield) for p in parts)
    if yields != 1 or others or any(isinstance(p, tree.Return) for p in parts):
        return False
    return _ends_at_yield(function.body) or (_comes_to_yield(function.body) and not _leaves(node.body))


def _is_yield(statement: tree.Stmt) -> bool:
    return isinstance(statement, tree.ExprStmt) and isinstance(statement.value, tree.Yield)


def _comes_to_yield(body: Sequence[tree.Stmt]) -> bool:
    inner = (s.body for s in body if isinstance(s, tree.Try | tree.With))
    return any(map(_is_yield, body)) or any(map(_comes_to_yield, inner))


def _ends_at_yield(body: Sequence[tree.Stmt]) -> bool:
    last = body[-1] if body else None
    if isinstance(last, tree.Try):
        return not last.orelse and _ends_at_yield(last.body)
    return last is not None and (_is_yield(last) or (isinstance(last, tree.With) and _ends_at_yield(last.body)))


def _leaves(body: Sequence[tree.Stmt]) -> bool:
    """Whether statements may be left by `return`, `break` or `continue`."""
    parts = [part for statement in body for part in _own_parts(statement)]
    blocks = {part.label for part in parts if isinstance(part, tree.Block)}
    return any(
        isinstance(part, tree.Return) or (isinstance(part, tree.Leave) and part.label not in blocks) for part in parts
    )


def _own_parts(node: tree.Node) -> Iterator[tree.Node]:
    """A statement and what is in it, but for functions that it defines."""
    yield node
    if not isinstance(node, tree.Function):
        for part in children(node):
            yield from _own_parts(part)


# ---------------------------------------------------------------- what it writes


def _written_of(python: types.FunctionType, args: Sequence[Value], keywords: Mapping[str, Value]) -> list[Tensor | Ref]:
    """The arrays and objects of the graph's that a function is given, and writes to."""
    try:
        given = inspect.signature(python).bind(*args, **keywords).arguments
    except TypeError:
        return []
    written = _written(load_function(python))
    values = [value for name, value in given.items() if name in written]
    return [v for v in values if is_object(v)]


def _written(function: tree.Function) -> set[str]:
    """The parameters that what a function writes in place may be, or be a part of."""
    roots: dict[str, set[str]] = {p.name: {p.name} for p in function.params}
    found: set[str] = set()
    for part in sorted(walk(function), key=lambda p: (p.loc.line, p.loc.column)):
        match part:
            case tree.Assign(targets=targets, value=value):
                for target in targets:
                    if isinstance(target, tree.Name):
                        roots[target.id] = roots.get(target.id, set()) | roots.get(root_name(value), set())
                    else:
                        found |= roots.get(root_name(target), set())
            case tree.AugAssign(target=target):
                found |= roots.get(root_name(target), set())
            case tree.Call(func=tree.Attribute(value=holder, attr=attr)) if attr in CHANGING or attr in METHODS:
                found |= roots.get(root_name(holder), set())
            case tree.Call(func=tree.Attribute(attr=attr), args=(first, *_)) if attr in WRITING:
                found |= roots.get(root_name(first), set())
        if isinstance(part, tree.Keyword) and part.name == "out":
            found |= roots.get(root_name(part.value), set())
    return found
