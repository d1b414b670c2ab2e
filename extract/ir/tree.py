"""The core tree: what the source stage makes of a function's text.

A function is a list of statements over ordinary Python expressions.  Everything that is only
sugar is gone: `break`, `continue` and loop `else` are written with `Block` and `Leave`, `elif`
is nested `If`, `assert` is `If` + `Raise`, chained comparisons keep their chain in one `Compare`,
decorators and docstrings are dropped, `pass` vanishes.

    while c():                Block("break.1", [
        if p(): continue          While(c(), [Block("continue.1", [
        if q(): break                 If(p(), [Leave("continue.1")], []),
        body()                        If(q(), [Leave("break.1")], []),
    else:                             body()])]),
        done()                    done()])

`Leave(label)` jumps to just after the enclosing `Block` of that label, which is always in the
same function.  `Return` leaves the function.  Names are still names: what they mean is the business
of the `stage` package, which has the values in hand.

Every node carries a `Loc`; locations never take part in comparison.  A construct that the language
has no meaning for becomes `Unsupported`, which is refused only where it would be executed, so that
code on a statically dead path is never looked at.
"""

from __future__ import annotations

from dataclasses import field
from typing import Any

from graph_program.extract.diagnostics import Loc
from graph_program.extract.records import dataclass


@dataclass(frozen=True)
class Node:
    """Any expression, target or statement."""

    loc: Loc = field(compare=False, repr=False, kw_only=True)


# ---------------------------------------------------------------- expressions


@dataclass(frozen=True)
class Expr(Node):
    """An expression; evaluating it yields one value."""


@dataclass(frozen=True)
class Constant(Expr):
    """A literal: number, string, bytes, bool, None or Ellipsis."""

    value: Any


@dataclass(frozen=True)
class Name(Expr):
    id: str


@dataclass(frozen=True)
class Attribute(Expr):
    value: Expr
    attr: str


@dataclass(frozen=True)
class Slice(Expr):
    """`lower:upper:step`, only inside a subscript."""

    lower: Expr | None
    upper: Expr | None
    step: Expr | None


@dataclass(frozen=True)
class Subscript(Expr):
    """`value[index]`; several indices are one `TupleExpr`."""

    value: Expr
    index: Expr


@dataclass(frozen=True)
class Starred(Expr):
    """`*value` in a call, a display or an assignment target."""

    value: Expr


@dataclass(frozen=True)
class TupleExpr(Expr):
    elts: tuple[Expr, ...]


@dataclass(frozen=True)
class ListExpr(Expr):
    elts: tuple[Expr, ...]


@dataclass(frozen=True)
class SetExpr(Expr):
    elts: tuple[Expr, ...]


@dataclass(frozen=True)
class DictExpr(Expr):
    """A dict display; a key of None stands for `**value`."""

    items: tuple[tuple[Expr | None, Expr], ...]


@dataclass(frozen=True)
class Keyword(Node):
    """`name=value` in a call; a name of None stands for `**value`."""

    name: str | None
    value: Expr


@dataclass(frozen=True)
class Call(Expr):
    func: Expr
    args: tuple[Expr, ...]
    keywords: tuple[Keyword, ...]


@dataclass(frozen=True)
class Unary(Expr):
    """`op` is one of `-`, `+`, `~`, `not`."""

    op: str
    operand: Expr


@dataclass(frozen=True)
class Binary(Expr):
    """`op` is Python's spelling: `+ - * / // % ** @ & | ^ << >>`."""

    op: str
    left: Expr
    right: Expr


@dataclass(frozen=True)
class Compare(Expr):
    """`left ops[0] rights[0] ops[1] rights[1] ...`; ops as Python spells them (`not in`, `is`)."""

    left: Expr
    ops: tuple[str, ...]
    rights: tuple[Expr, ...]


@dataclass(frozen=True)
class BoolOp(Expr):
    """`op` is `and` or `or`; at least two values; short-circuit, the result is one of the values."""

    op: str
    values: tuple[Expr, ...]


@dataclass(frozen=True)
class IfExp(Expr):
    test: Expr
    body: Expr
    orelse: Expr


@dataclass(frozen=True)
class NamedExpr(Expr):
    """`(target := value)`."""

    target: str
    value: Expr


@dataclass(frozen=True)
class Lambda(Expr):
    function: Function


@dataclass(frozen=True)
class FormattedValue(Expr):
    """One `{value!conversion:spec}` of an f-string; conversion is "", "r", "s" or "a"."""

    value: Expr
    conversion: str
    spec: Expr | None
    equals: str = ""
    """The literal text before the value for the `{x=}` form, else empty."""


@dataclass(frozen=True)
class JoinedStr(Expr):
    """An f-string: literal `Constant` parts and `FormattedValue` parts in order."""

    parts: tuple[Expr, ...]


@dataclass(frozen=True)
class CompFor(Node):
    """`for target in iter if ifs...` of a comprehension."""

    target: Target
    iter: Expr
    ifs: tuple[Expr, ...]


@dataclass(frozen=True)
class Comprehension(Expr):
    """`kind` is `list`, `set`, `dict` or `generator`; a dict has `key` and `element`."""

    kind: str
    element: Expr
    key: Expr | None
    clauses: tuple[CompFor, ...]


@dataclass(frozen=True)
class UnsupportedExpr(Expr):
    """An expression without a meaning in the language; `construct` keys the catalogue."""

    construct: str


@dataclass(frozen=True)
class Yield(UnsupportedExpr):
    """`yield value`; it has a meaning as a statement of a context manager."""

    value: Expr | None = None


# ---------------------------------------------------------------- targets

Target = Expr
"""`Name`, `Attribute`, `Subscript`, `TupleExpr`/`ListExpr` of targets, one `Starred` in those."""

# ---------------------------------------------------------------- statements


@dataclass(frozen=True)
class Stmt(Node):
    """A statement."""


@dataclass(frozen=True)
class Assign(Stmt):
    """`targets[0] = targets[1] = ... = value`, assigned left to right; `annotation` if written."""

    targets: tuple[Target, ...]
    value: Expr
    annotation: Expr | None = None


@dataclass(frozen=True)
class AugAssign(Stmt):
    """`target op= value`; `op` without the equals sign."""

    target: Target
    op: str
    value: Expr


@dataclass(frozen=True)
class ExprStmt(Stmt):
    value: Expr


@dataclass(frozen=True)
class If(Stmt):
    test: Expr
    body: tuple[Stmt, ...]
    orelse: tuple[Stmt, ...]


@dataclass(frozen=True)
class While(Stmt):
    """Repeat: evaluate `test`, stop if it is false, run `body`."""

    test: Expr
    body: tuple[Stmt, ...]


@dataclass(frozen=True)
class For(Stmt):
    target: Target
    iter: Expr
    body: tuple[Stmt, ...]


@dataclass(frozen=True)
class Block(Stmt):
    label: str
    body: tuple[Stmt, ...]


@dataclass(frozen=True)
class Leave(Stmt):
    label: str


@dataclass(frozen=True)
class Return(Stmt):
    """`value` of None is a bare `return`."""

    value: Expr | None


@dataclass(frozen=True)
class Raise(Stmt):
    exc: Expr | None
    cause: Expr | None


@dataclass(frozen=True)
class Delete(Stmt):
    targets: tuple[Target, ...]


@dataclass(frozen=True)
class FunctionDef(Stmt):
    function: Function


@dataclass(frozen=True)
class ImportName(Stmt):
    """`import module as target` (name None) or `from module import name as target`."""

    module: str
    name: str | None
    target: str
    level: int = 0


@dataclass(frozen=True)
class Handler(Node):
    type: Expr | None
    name: str | None
    body: tuple[Stmt, ...]


@dataclass(frozen=True)
class Try(Stmt):
    body: tuple[Stmt, ...]
    handlers: tuple[Handler, ...]
    orelse: tuple[Stmt, ...]
    final: tuple[Stmt, ...]


@dataclass(frozen=True)
class With(Stmt):
    items: tuple[tuple[Expr, Target | None], ...]
    body: tuple[Stmt, ...]


@dataclass(frozen=True)
class Unsupported(Stmt):
    """A statement without a meaning in the language; `construct` keys the catalogue."""

    construct: str


# ---------------------------------------------------------------- functions


@dataclass(frozen=True)
class Param(Node):
    """`kind` is `positional` (before `/`), `normal`, `var_positional`, `keyword`, `var_keyword`."""

    name: str
    kind: str
    default: Expr | None
    annotation: Expr | None


@dataclass(frozen=True)
class Function(Node):
    """A `def` or `lambda`.

    `locals` are the names bound in its body or parameters (Python's rule, so that reading one before
    it is assigned is an UnboundLocalError), without those declared `nonlocal` or `global`.
    """

    name: str
    qualname: str
    params: tuple[Param, ...]
    body: tuple[Stmt, ...]
    returns: Expr | None
    locals: frozenset[str]
    nonlocals: frozenset[str]
    globals: frozenset[str]
    is_lambda: bool = False
    is_generator: bool = False
    is_async: bool = False
    decorators: tuple[Expr, ...] = ()
