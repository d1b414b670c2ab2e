"""A small interpreter of the core tree: what desugared text means, said a second time.

It evaluates over plain Python objects and knows nothing of libcst or of how trees are made, so that a
function and its tree can be compared by running both.
"""

from __future__ import annotations

import builtins
import importlib
import inspect
import operator
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from types import FunctionType
from typing import Any

from graph_program.extract.ir import tree
from graph_program.extract.source.closure import UnboundNameError, lookup, lookup_global
from graph_program.extract.source.load import load_function

BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
    "**": operator.pow,
    "@": operator.matmul,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "<<": operator.lshift,
    ">>": operator.rshift,
}
COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
    "is": operator.is_,
    "is not": operator.is_not,
    "in": lambda x, y: x in y,
    "not in": lambda x, y: x not in y,
}
UNARY: dict[str, Callable[[Any], Any]] = {
    "-": operator.neg,
    "+": operator.pos,
    "~": operator.invert,
    "not": operator.not_,
}
KINDS = {
    "positional": inspect.Parameter.POSITIONAL_ONLY,
    "normal": inspect.Parameter.POSITIONAL_OR_KEYWORD,
    "var_positional": inspect.Parameter.VAR_POSITIONAL,
    "keyword": inspect.Parameter.KEYWORD_ONLY,
    "var_keyword": inspect.Parameter.VAR_KEYWORD,
}


class Leaving(BaseException):
    """Control on its way out of the block `label`."""

    def __init__(self, label: str):
        self.label = label


class Returning(BaseException):
    """Control on its way out of a function."""

    def __init__(self, value: Any):
        self.value = value


@dataclass
class Frame:
    """The names of one call; a comprehension has a frame with names of its own over it."""

    function: tree.Function
    root: FunctionType
    outer: Frame | None
    values: dict[str, Any] = field(default_factory=dict)
    own: dict[str, Any] | None = None

    def read(self, name: str) -> Any:
        if self.own is not None and name in self.own:
            return self.own[name]
        if name in self.function.globals:
            return lookup_global(self.root, name).read()
        if name in self.function.locals:
            if name not in self.values:
                raise UnboundLocalError(name)
            return self.values[name]
        if self.outer is not None:
            return self.outer.read(name)
        try:
            return lookup(self.root, name).read()
        except UnboundNameError as error:
            raise NameError(str(error)) from None

    def holder(self, name: str) -> dict[str, Any]:
        """The dictionary in which assigning `name` stores."""
        if name in self.function.globals:
            return self.root.__globals__
        if name in self.function.locals:
            return self.values
        assert self.outer is not None
        return self.outer.holder(name)

    def comprehension(self) -> Frame:
        return Frame(self.function, self.root, self.outer, self.values, dict(self.own or {}))


def evaluate(fn: FunctionType, *args: Any) -> Any:
    """Run the core tree of `fn`."""
    function = load_function(fn)
    frame = Frame(function, fn, None)
    defaults = {p.name: value(p.default, frame) for p in function.params if p.default is not None}
    return _callable(function, frame, defaults)(*args)


def _callable(function: tree.Function, outer: Frame, defaults: dict[str, Any]) -> Callable[..., Any]:
    params = [
        inspect.Parameter(p.name, KINDS[p.kind], default=defaults.get(p.name, inspect.Parameter.empty))
        for p in function.params
    ]
    signature = inspect.Signature(params)
    is_root = outer.function is function

    def run(*args: Any, **kwargs: Any) -> Any:
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        frame = Frame(function, outer.root, None if is_root else outer, dict(bound.arguments))
        try:
            block(function.body, frame)
        except Returning as returning:
            return returning.value
        return None

    return run


def make(function: tree.Function, frame: Frame) -> Callable[..., Any]:
    decorators = [value(d, frame) for d in function.decorators]
    defaults = {p.name: value(p.default, frame) for p in function.params if p.default is not None}
    made = _callable(function, frame, defaults)
    for decorator in reversed(decorators):
        made = decorator(made)
    return made


# ---------------------------------------------------------------- statements


def block(stmts: tuple[tree.Stmt, ...], frame: Frame) -> None:
    for stmt in stmts:
        RUN[type(stmt)](stmt, frame)


def run_assign(stmt: tree.Assign, frame: Frame) -> None:
    result = value(stmt.value, frame)
    for target in stmt.targets:
        assign(target, result, frame)


def assign(target: tree.Target, result: Any, frame: Frame) -> None:
    if isinstance(target, tree.Name):
        own = frame.own if frame.own is not None and target.id in frame.own else None
        (frame.holder(target.id) if own is None else own)[target.id] = result
    elif isinstance(target, tree.Attribute):
        setattr(value(target.value, frame), target.attr, result)
    elif isinstance(target, tree.Subscript):
        value(target.value, frame)[value(target.index, frame)] = result
    else:
        assert isinstance(target, (tree.TupleExpr, tree.ListExpr))
        unpack(target.elts, result, frame)


def unpack(targets: tuple[tree.Target, ...], result: Any, frame: Frame) -> None:
    items = list(result)
    stars = [i for i, t in enumerate(targets) if isinstance(t, tree.Starred)]
    if stars:
        at, rest = stars[0], len(targets) - stars[0] - 1
        if len(items) < len(targets) - 1:
            raise ValueError("not enough values to unpack")
        items = [*items[:at], items[at : len(items) - rest], *items[len(items) - rest :]]
    if len(items) != len(targets):
        raise ValueError("wrong number of values to unpack")
    for target, item in zip(targets, items, strict=True):
        assign(target.value if isinstance(target, tree.Starred) else target, item, frame)


def run_augmented(stmt: tree.AugAssign, frame: Frame) -> None:
    target = stmt.target
    op = getattr(operator, "i" + BINARY[stmt.op].__name__.strip("_"), BINARY[stmt.op])
    if isinstance(target, tree.Name):
        assign(target, op(frame.read(target.id), value(stmt.value, frame)), frame)
    elif isinstance(target, tree.Attribute):
        owner = value(target.value, frame)
        setattr(owner, target.attr, op(getattr(owner, target.attr), value(stmt.value, frame)))
    else:
        assert isinstance(target, tree.Subscript)
        container, index = value(target.value, frame), value(target.index, frame)
        container[index] = op(container[index], value(stmt.value, frame))


def run_expression(stmt: tree.ExprStmt, frame: Frame) -> None:
    value(stmt.value, frame)


def run_if(stmt: tree.If, frame: Frame) -> None:
    block(stmt.body if value(stmt.test, frame) else stmt.orelse, frame)


def run_while(stmt: tree.While, frame: Frame) -> None:
    while value(stmt.test, frame):
        block(stmt.body, frame)


def run_for(stmt: tree.For, frame: Frame) -> None:
    for item in value(stmt.iter, frame):
        assign(stmt.target, item, frame)
        block(stmt.body, frame)


def run_block(stmt: tree.Block, frame: Frame) -> None:
    try:
        block(stmt.body, frame)
    except Leaving as leaving:
        if leaving.label != stmt.label:
            raise


def run_leave(stmt: tree.Leave, frame: Frame) -> None:
    raise Leaving(stmt.label)


def run_return(stmt: tree.Return, frame: Frame) -> None:
    raise Returning(None if stmt.value is None else value(stmt.value, frame))


def run_raise(stmt: tree.Raise, frame: Frame) -> None:
    if stmt.exc is None:
        raise
    exc = value(stmt.exc, frame)
    if stmt.cause is not None:
        raise exc from value(stmt.cause, frame)
    raise exc


def run_delete(stmt: tree.Delete, frame: Frame) -> None:
    for target in stmt.targets:
        if isinstance(target, tree.Name):
            frame.read(target.id)
            del frame.holder(target.id)[target.id]
        elif isinstance(target, tree.Attribute):
            delattr(value(target.value, frame), target.attr)
        else:
            assert isinstance(target, tree.Subscript)
            del value(target.value, frame)[value(target.index, frame)]


def run_definition(stmt: tree.FunctionDef, frame: Frame) -> None:
    frame.holder(stmt.function.name)[stmt.function.name] = make(stmt.function, frame)


def run_import(stmt: tree.ImportName, frame: Frame) -> None:
    module: Any = importlib.import_module(stmt.module)
    package = importlib.import_module(stmt.module.split(".")[0])
    frame.holder(stmt.target)[stmt.target] = package if stmt.name is None else getattr(module, stmt.name)


def run_try(stmt: tree.Try, frame: Frame) -> None:
    try:
        try:
            block(stmt.body, frame)
        except Exception as error:
            for handler in stmt.handlers:
                if handler.type is None or isinstance(error, value(handler.type, frame)):
                    run_handler(handler, error, frame)
                    break
            else:
                raise
        else:
            block(stmt.orelse, frame)
    finally:
        block(stmt.final, frame)


def run_handler(handler: tree.Handler, error: Exception, frame: Frame) -> None:
    if handler.name is None:
        block(handler.body, frame)
        return
    frame.values[handler.name] = error
    try:
        block(handler.body, frame)
    finally:
        frame.values.pop(handler.name, None)


def run_with(stmt: tree.With, frame: Frame) -> None:
    def enter(items: tuple[tuple[tree.Expr, tree.Target | None], ...]) -> None:
        if not items:
            block(stmt.body, frame)
            return
        with value(items[0][0], frame) as entered:
            if items[0][1] is not None:
                assign(items[0][1], entered, frame)
            enter(items[1:])

    enter(stmt.items)


RUN: dict[type[tree.Stmt], Callable[[Any, Frame], None]] = {
    tree.Assign: run_assign,
    tree.AugAssign: run_augmented,
    tree.ExprStmt: run_expression,
    tree.If: run_if,
    tree.While: run_while,
    tree.For: run_for,
    tree.Block: run_block,
    tree.Leave: run_leave,
    tree.Return: run_return,
    tree.Raise: run_raise,
    tree.Delete: run_delete,
    tree.FunctionDef: run_definition,
    tree.ImportName: run_import,
    tree.Try: run_try,
    tree.With: run_with,
}


# ---------------------------------------------------------------- expressions


def value(node: tree.Expr, frame: Frame) -> Any:
    return EVALUATE[type(node)](node, frame)


def items(nodes: tuple[tree.Expr, ...], frame: Frame) -> list[Any]:
    result: list[Any] = []
    for node in nodes:
        if isinstance(node, tree.Starred):
            result += value(node.value, frame)
        else:
            result.append(value(node, frame))
    return result


def compare(node: tree.Compare, frame: Frame) -> Any:
    left = value(node.left, frame)
    result: Any = True
    for op, right_node in zip(node.ops, node.rights, strict=True):
        right = value(right_node, frame)
        result = COMPARE[op](left, right)
        if not result:
            return result
        left = right
    return result


def boolean(node: tree.BoolOp, frame: Frame) -> Any:
    for operand in node.values[:-1]:
        result = value(operand, frame)
        if bool(result) is (node.op == "or"):
            return result
    return value(node.values[-1], frame)


def call(node: tree.Call, frame: Frame) -> Any:
    func = value(node.func, frame)
    args = items(node.args, frame)
    kwargs: dict[str, Any] = {}
    for keyword in node.keywords:
        given = value(keyword.value, frame)
        kwargs |= given if keyword.name is None else {keyword.name: given}
    return func(*args, **kwargs)


def dictionary(node: tree.DictExpr, frame: Frame) -> Any:
    result: dict[Any, Any] = {}
    for key, element in node.items:
        if key is None:
            result |= value(element, frame)
        else:
            made = value(key, frame)
            result[made] = value(element, frame)
    return result


def named(node: tree.NamedExpr, frame: Frame) -> Any:
    result = value(node.value, frame)
    frame.holder(node.target)[node.target] = result
    return result


def formatted(node: tree.FormattedValue, frame: Frame) -> str:
    result = value(node.value, frame)
    convert = {"r": repr, "s": str, "a": ascii}.get(node.conversion)
    spec = "" if node.spec is None else value(node.spec, frame)
    return node.equals + format(convert(result) if convert else result, spec)


def comprehension(node: tree.Comprehension, frame: Frame) -> Any:
    inner = frame.comprehension()
    assert inner.own is not None
    first = iter(value(node.clauses[0].iter, frame))

    def rounds(index: int) -> Iterator[Any]:
        if index == len(node.clauses):
            made = value(node.key, inner) if node.key is not None else None
            yield (made, value(node.element, inner)) if node.key is not None else value(node.element, inner)
            return
        clause = node.clauses[index]
        for item in first if index == 0 else value(clause.iter, inner):
            bind(clause.target, item)
            if all(value(test, inner) for test in clause.ifs):
                yield from rounds(index + 1)

    def bind(target: tree.Target, item: Any) -> None:
        assert inner.own is not None
        for name in names(target):
            inner.own.setdefault(name, None)
        assign(target, item, inner)

    build = {"list": list, "set": set, "dict": dict, "generator": lambda made: made}[node.kind]
    return build(rounds(0))  # type: ignore[operator]


def names(target: tree.Target) -> Iterator[str]:
    if isinstance(target, tree.Name):
        yield target.id
    elif isinstance(target, tree.Starred):
        yield from names(target.value)
    elif isinstance(target, (tree.TupleExpr, tree.ListExpr)):
        for element in target.elts:
            yield from names(element)


def part(node: tree.Expr | None, frame: Frame) -> Any:
    return None if node is None else value(node, frame)


EVALUATE: dict[type[tree.Node], Callable[[Any, Frame], Any]] = {
    tree.Constant: lambda n, f: n.value,
    tree.Name: lambda n, f: f.read(n.id) if n.id != "__debug__" else builtins.__debug__,
    tree.Attribute: lambda n, f: getattr(value(n.value, f), n.attr),
    tree.Slice: lambda n, f: slice(part(n.lower, f), part(n.upper, f), part(n.step, f)),
    tree.Subscript: lambda n, f: value(n.value, f)[value(n.index, f)],
    tree.TupleExpr: lambda n, f: tuple(items(n.elts, f)),
    tree.ListExpr: lambda n, f: items(n.elts, f),
    tree.SetExpr: lambda n, f: set(items(n.elts, f)),
    tree.DictExpr: dictionary,
    tree.Call: call,
    tree.Unary: lambda n, f: UNARY[n.op](value(n.operand, f)),
    tree.Binary: lambda n, f: BINARY[n.op](value(n.left, f), value(n.right, f)),
    tree.Compare: compare,
    tree.BoolOp: boolean,
    tree.IfExp: lambda n, f: value(n.body if value(n.test, f) else n.orelse, f),
    tree.NamedExpr: named,
    tree.Lambda: lambda n, f: make(n.function, f),
    tree.FormattedValue: formatted,
    tree.JoinedStr: lambda n, f: "".join(value(p, f) for p in n.parts),
    tree.Comprehension: comprehension,
}
