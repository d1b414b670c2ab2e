"""NumPy functions and Python's builtins of open values: what their signatures say of operands and results.

Each entry of `SCHEMES` and `BUILTINS` has the parameters of the function that it stands for.  A function that is
not there is evaluated as ever once its operands' types are known, and says nothing before.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from graph_program.extract.stage.machine.inference import holds_open
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.registry import Lowering, Owner, call_open
from graph_program.extract.stage.opened import movement, operators, subscripts
from graph_program.extract.stage.opened.operators import elementwise, floating, given
from graph_program.extract.stage.opened.schemes import SCHEMES, Scheme, dims_of, dtype_term, flat, scheme, term_of
from graph_program.extract.stage.operations.iteration import sequence_items
from graph_program.extract.stage.values.open_values import Open
from graph_program.extract.stage.values.questions import is_just, is_known_as, known_value
from graph_program.extract.stage.values.values import NONE, Range, Static, Tuple, Value
from graph_program.extract.types.dims import Dim
from graph_program.extract.types.notation.terms import ShapeTerm, TypeTerm
from graph_program.extract.types.tensors.tensor_type import FLOAT64, PY_BOOL, PY_FLOAT, PY_INT

if TYPE_CHECKING:
    from graph_program.extract.types.solving.solver import Origin

HOLDERS = ("enumerate", "zip", "reversed", "map", "filter", "list", "tuple", "dict")
MINUS_ONE = Static(-1)
STRUCTURAL = frozenset((*HOLDERS, "print", "callable", "type", "getattr", "hasattr", "is_integer"))
"""Functions that hold or pass on what they are given, whatever its type."""


@call_open.given
def call(m: Machine, function: Lowering, args: list[Value], keywords: dict[str, Value]) -> Value | None:
    name = function.name
    short = name.removeprefix("np.").removeprefix("math.")
    if name in STRUCTURAL:
        return None
    found = (BUILTINS if function.owner is Owner.BUILTINS else SCHEMES).get(short)
    if found is None and isinstance(getattr(np, short, None), np.ufunc):
        found = ufunc_scheme(getattr(np, short), name.startswith("math."))
    if found is not None:
        return found(m, *args, **keywords) if takes(found, m, args, keywords) else m.inferring.lost(m)
    if all(not holds_open(m, m.inferring.closed(m, v)) for v in (*args, *keywords.values())):
        return None
    return m.inferring.lost(m)


def takes(found: Scheme, m: Machine, args: list[Value], keywords: dict[str, Value]) -> bool:
    """Whether a scheme has these parameters."""
    try:
        inspect.signature(found).bind(m, *args, **keywords)
    except TypeError:
        return False
    return True


# ---------------------------------------------------------------- element by element


def ufunc_scheme(function: np.ufunc, scalar: bool) -> Scheme:
    """The scheme of a ufunc, from NumPy's own table of its loops."""
    loops = [t.split("->") for t in function.types]
    if all(set(outputs) == {"?"} for _, outputs in loops):
        result = "bool"
    else:
        same = any(set(inputs) == {"l"} and outputs == "l" for inputs, outputs in loops)
        wide = any(set(inputs) == {"b"} and outputs == "d" for inputs, outputs in loops)
        result = "same" if same else "quotient" if wide else "float"

    def run(m: Machine, *args: Value, **keywords: Value) -> Value:
        terms = [term_of(m, v) for v in args[: function.nin]]
        found = elementwise(m, terms, f"np.{function.__name__}", result)
        return m.inferring.unknown_number(m, PY_BOOL if result == "bool" else PY_FLOAT) if scalar else found

    return run


@scheme("abs", "round", "fix", "nan_to_num", "conj", "conjugate", "copy", "ascontiguousarray", "flip", "flipud")
@scheme("fliplr", "roll", "real", "triu", "tril", "sorted")
def same(m: Machine, a: Value, *args: Value, **keywords: Value) -> Value:
    """A result of the operand's own type."""
    return given(m, term_of(m, a))


@scheme("sort")
def sort(m: Machine, a: Value, axis: Value = MINUS_ONE, *args: Value, **keywords: Value) -> Value:
    """`np.sort`: of the flattened array where the axis is None."""
    if is_just(axis, None):
        return movement.ravel(m, a)
    return same(m, a)


scheme("partition")(lambda m, a, kth, axis=MINUS_ONE, *args, **keywords: sort(m, a, axis))


@scheme("clip")
def clip(m: Machine, a: Value, *bounds: Value, **keywords: Value) -> Value:
    """`np.clip`: bounds broadcast."""
    limits = [v for v in (*bounds, *(keywords.get(k, NONE) for k in ("min", "max", "a_min", "a_max"))) if v is not NONE]
    terms = [term_of(m, v) for v in (a, *limits) if not is_just(v, None)]
    return elementwise(m, terms, "np.clip", "same")


@scheme("where")
def where(m: Machine, condition: Value, x: Value = NONE, y: Value = NONE) -> Value:
    """`np.where(c, x, y)`."""
    if x is NONE:
        return m.inferring.lost(m)
    c, a, b = term_of(m, condition), term_of(m, x), term_of(m, y)

    def relate(origin: Origin) -> TypeTerm:
        solver = m.inferring.solver
        shape = solver.broadcast([c.shape, a.shape, b.shape], origin)
        return TypeTerm(solver.promote([a.dtype, b.dtype], origin), shape)

    return given(m, m.inferring.constrain(m, "np.where", relate))


@scheme("isclose")
def close(m: Machine, a: Value, b: Value, *args: Value, **keywords: Value) -> Value:
    return elementwise(m, [term_of(m, a), term_of(m, b)], "np.isclose", "bool")


@scheme("allclose")
def all_close(m: Machine, a: Value, b: Value, *args: Value, **keywords: Value) -> Value:
    close(m, a, b)
    return m.inferring.unknown_bool(m)


scheme("array_equal")(lambda m, a, b, *args, **keywords: m.inferring.unknown_bool(m))
scheme("astype")(lambda m, a, dtype, *args, **keywords: like(m, a, dtype))


@scheme("array", "asarray", "zeros_like", "ones_like", "empty_like")
def like(m: Machine, a: Value, dtype: Value = NONE, *args: Value, **keywords: Value) -> Value:
    term = term_of(m, a)
    return given(m, TypeTerm(dtype_term(m, dtype, term.dtype), term.shape))


scheme("full_like")(lambda m, a, fill_value, dtype=NONE, *args, **keywords: like(m, a, dtype))


# ---------------------------------------------------------------- attributes


def _attribute(name: str) -> Scheme:
    return lambda m, a, *args: subscripts.attribute(m, a, name) if isinstance(a, Open) else m.inferring.lost(m)


SCHEMES.update({name: _attribute(name) for name in ("ndim", "shape", "size")})


# ---------------------------------------------------------------- creation


@scheme("zeros", "ones", "empty")
def creation(m: Machine, shape: Value, dtype: Value = NONE, *args: Value, **keywords: Value) -> Value:
    return given(m, TypeTerm(dtype_term(m, dtype, FLOAT64), dims_of(m, shape)))


@scheme("full")
def full(m: Machine, shape: Value, fill_value: Value, dtype: Value = NONE, *args: Value, **keywords: Value) -> Value:
    filled = term_of(m, fill_value)
    made = m.inferring.constrain(m, "np.full", lambda origin: m.inferring.solver.promote([filled.dtype], origin))
    return given(m, TypeTerm(dtype_term(m, dtype, made or FLOAT64), dims_of(m, shape)))


@scheme("eye", "identity")
def eye(m: Machine, N: Value, M: Value = NONE, k: Value = NONE, dtype: Value = NONE, **keywords: Value) -> Value:
    rows = dims_of(m, N)
    columns = rows if is_just(M, None) else dims_of(m, M)
    return given(m, TypeTerm(dtype_term(m, dtype, FLOAT64), (*rows, *columns)))


def number(m: Machine, a: Value, *args: Value) -> Value:
    """`float(x)`: one element."""
    shape = term_of(m, a).shape
    m.inferring.suppose(m, "a number", lambda origin: m.inferring.solver.equal_shapes(shape, (), origin))
    return m.inferring.lost(m)


def range_(m: Machine, *bounds: Value) -> Value:
    """`range` of an open bound, which is an int then."""
    numbers = [m.inferring.integer(m, bound) for bound in bounds]
    start, stop, step = (Static(0), *numbers, Static(1)) if len(numbers) == 1 else (*numbers, Static(1))[:3]
    return Range(start, stop, step)


def isinstance_(m: Machine, a: Value, classes: Value) -> Value:
    """Whether an open value is of a class: an array is taken for one."""
    items = sequence_items(m, classes) or [classes]
    known = [v.value for v in items if is_known_as(v, type)]
    return Static(True) if np.ndarray in known else m.inferring.unknown_bool(m)


def extreme(m: Machine, first: Value, *rest: Value, **keywords: Value) -> Value:
    """`max(a, b)`, or the largest of the elements of an array or list."""
    if rest:
        return elementwise(m, [term_of(m, v) for v in (first, *rest)], "the larger or smaller", "same")
    return total(m, first)


def total(m: Machine, iterable: Value, *start: Value, **keywords: Value) -> Value:
    """`sum(xs)`: of the type of an element, as far as can be said."""
    if isinstance(iterable, Open):
        return subscripts.row(m, iterable)
    items = sequence_items(m, iterable)
    return elementwise(m, [term_of(m, v) for v in items], "a sum", "same") if items else m.inferring.lost(m)


def divmod_(m: Machine, x: Value, y: Value) -> Value:
    parts = [elementwise(m, [term_of(m, x), term_of(m, y)], "divmod", "same") for _ in range(2)]
    return Tuple(tuple(parts))


BUILTINS: dict[str, Scheme] = {
    "float": number,
    "int": number,
    "bool": number,
    **dict.fromkeys(("abs", "round"), lambda m, a, *args: given(m, term_of(m, a))),
    "len": lambda m, a: subscripts.length(m, a) if isinstance(a, Open) else m.inferring.unknown_number(m, PY_INT),
    "range": range_,
    "isinstance": isinstance_,
    "max": extreme,
    "min": extreme,
    "sum": total,
    **dict.fromkeys(("any", "all"), lambda m, iterable: m.inferring.unknown_bool(m)),
    "divmod": divmod_,
    "pow": lambda m, base, exp, *mod: elementwise(m, [term_of(m, base), term_of(m, exp)], "pow", "same"),
}
"""By name; what is not here gives a value of which nothing is known."""


scheme("matmul", "dot")(lambda m, a, b, *args, **keywords: operators.matmul(m, term_of(m, a), term_of(m, b)))


@scheme("outer")
def outer(m: Machine, a: Value, b: Value, *args: Value) -> Value:
    x, y = term_of(m, a), term_of(m, b)

    def relate(origin: Origin) -> TypeTerm:
        dtype = m.inferring.solver.promote([x.dtype, y.dtype], origin)
        return TypeTerm(dtype, (*flat(m, x.shape), *flat(m, y.shape)))

    return given(m, m.inferring.constrain(m, "np.outer", relate))


@scheme("einsum")
def einsum(m: Machine, subscripts: Value, *operands: Value, **keywords: Value) -> Value:
    """`np.einsum("ij,jk->ik", a, b)`: a letter is one size."""
    text = known_value(subscripts)
    if not isinstance(text, str) or not re.fullmatch(r"[a-zA-Z, ]*(->[a-zA-Z ]*)?", text):
        return m.inferring.lost(m)
    left, arrow, right = text.replace(" ", "").partition("->")
    letters: dict[str, Dim] = {}
    solver = m.inferring.solver

    def relate(origin: Origin) -> TypeTerm:
        terms = [term_of(m, v) for v in operands]
        for part, term in zip(left.split(","), terms, strict=True):
            dims = tuple(letters.setdefault(c, solver.fresh_dim(c)) for c in part)
            solver.equal_shapes(term.shape, dims, origin)
        once = "".join(sorted(c for c in letters if left.count(c) == 1))
        shape = tuple(letters[c] for c in (right if arrow else once))
        return TypeTerm(solver.promote([t.dtype for t in terms], origin), shape)

    return given(m, m.inferring.constrain(m, f"np.einsum({text!r})", relate))


def _square(m: Machine, a: Value, result: Callable[[ShapeTerm, Dim], ShapeTerm]) -> Value:
    """A function of square matrices, or of stacks of them."""
    term = term_of(m, a)

    def relate(origin: Origin) -> TypeTerm:
        lead, (rows, columns) = m.inferring.back(term.shape, 2, origin)
        m.inferring.solver.equal_dims(rows, columns, origin)
        return TypeTerm(floating(m, term.dtype), result(lead, rows))

    return given(m, m.inferring.constrain(m, "a square matrix", relate))


scheme("inv")(lambda m, a: _square(m, a, lambda lead, n: (*lead, n, n)))
scheme("det")(lambda m, a: _square(m, a, lambda lead, n: lead))


@scheme("solve")
def solve(m: Machine, a: Value, b: Value) -> Value:
    x = _square(m, a, lambda lead, n: (*lead, n, n))
    right = term_of(m, b)
    if isinstance(x, Open) and len(right.shape) == 1 and isinstance(right.shape[0], Dim):
        return operators.matmul(m, x.term, right, "np.linalg.solve")
    return given(m, TypeTerm(floating(m, right.dtype), right.shape))
