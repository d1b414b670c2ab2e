"""NumPy functions of open values: what their signatures say of operands and results.

Each entry of `SCHEMES` has the parameters of the function that it stands for.  A function that is
not there is evaluated as ever once its operands' types are known, and says nothing before.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from graph_program.extract.stage.machine import Machine, Unreachable, size_of
from graph_program.extract.stage.opened import operators, subscripts
from graph_program.extract.stage.opened.inference import holds_open
from graph_program.extract.stage.opened.operators import BOOL, elementwise, floating, given
from graph_program.extract.stage.use import contents_of
from graph_program.extract.stage.values import (
    NONE,
    Open,
    OpenDType,
    OpenShape,
    Range,
    Ref,
    Static,
    Tuple,
    Value,
)
from graph_program.extract.types.dims import Dim, dim, product
from graph_program.extract.types.errors import TypeRuleError
from graph_program.extract.types.shapes import reshape_dims
from graph_program.extract.types.tensor_type import FLOAT64, INT64, PY_BOOL, PY_FLOAT, PY_INT
from graph_program.extract.types.terms import DTypeTerm, ShapeTerm, TypeTerm

FALSE = Static(False)
Scheme = Callable[..., Value]
SCHEMES: dict[str, Scheme] = {}
STRUCTURAL = frozenset(
    ["enumerate", "zip", "reversed", "map", "list", "tuple", "print", "callable", "type", "dict", "filter", "is_integer", "getattr", "hasattr"]
)

if TYPE_CHECKING:
    from graph_program.extract.types.solver import Origin
"""Functions that hold or pass on what they are given, whatever its type."""


def scheme(*names: str) -> Callable[[Scheme], Scheme]:
    """Register the scheme of functions and methods, by name."""

    def register(run: Scheme) -> Scheme:
        SCHEMES.update(dict.fromkeys(names, run))
        return run

    return register


def call(m: Machine, name: str, args: list[Value], keywords: dict[str, Value]) -> Value | None:
    """A call of a known function with open arguments; None where its own lowering is to be used."""
    short = name.removeprefix("np.").removeprefix("math.")
    if name in STRUCTURAL:
        return None
    found = SCHEMES.get(short)
    if found is None and isinstance(getattr(np, short, None), np.ufunc):
        found = ufunc_scheme(getattr(np, short), name.startswith("math."))
    if found is not None:
        try:
            return found(m, *args, **keywords)
        except TypeError:  # arguments that the scheme does not know
            return m.inferring.lost(m)
    if all(not holds_open(m, m.inferring.closed(m, v)) for v in (*args, *keywords.values())):
        return None
    return m.inferring.lost(m)


def term_of(m: Machine, value: Value) -> TypeTerm:
    """The type of an array-like value: a list of values is stacked."""
    items = sequence(m, value)
    if items is not None:
        return stacked(m, items)
    found = m.inferring.term(m, value)
    return m.inferring.solver.fresh_type("t") if found is None else found


def sequence(m: Machine, value: Value) -> list[Value] | None:
    """The elements of a tuple or list."""
    if isinstance(value, Tuple):
        return list(value.elts)
    if isinstance(value, Ref) and value.cls is list:
        return list(contents_of(m, value))
    if isinstance(value, Static) and isinstance(value.value, list | tuple):
        return [m.lift(v, (*value.path, i) if value.path else ()) for i, v in enumerate(value.value)]
    return None


def stacked(m: Machine, items: Sequence[Value]) -> TypeTerm:
    """Values of one shape, along a new first axis."""
    inference = m.inferring
    terms = [term_of(m, v) for v in items]
    if not terms:
        return TypeTerm(FLOAT64, (dim(0),))

    def relate(origin: Origin) -> TypeTerm:
        for other in terms[1:]:
            inference.solver.equal_shapes(terms[0].shape, other.shape, origin)
        dtype = inference.solver.promote([t.dtype for t in terms], origin)
        return TypeTerm(dtype, (dim(len(terms)), *terms[0].shape))

    return inference.constrain(m, "arrays of one shape", relate) or inference.solver.fresh_type("t")


def static_int(value: Value) -> int | None:
    """The value of a static int."""
    known = value.value if isinstance(value, Static) else None
    return int(known) if isinstance(known, int | np.integer) and not isinstance(known, bool) else None


def dtype_term(m: Machine, value: Value, default: DTypeTerm) -> DTypeTerm:
    """The element type that a `dtype` argument asks for."""
    if isinstance(value, OpenDType):
        return m.inferring.solver.resolve(value.array.term).dtype
    if isinstance(value, Static) and value.value is not None:
        return np.dtype(value.value)
    return default


def dims_of(m: Machine, value: Value) -> ShapeTerm:
    """The shape that a `shape` argument asks for."""
    if isinstance(value, OpenShape):
        return m.inferring.solver.resolve(value.array.term.shape)
    items = sequence(m, value)
    sizes = [size_of(v) for v in ([value] if items is None else items)]
    return tuple(m.inferring.solver.fresh_dim() if s is None else s for s in sizes)


# ---------------------------------------------------------------- element by element


def ufunc_scheme(function: np.ufunc, scalar: bool) -> Scheme:
    """The scheme of a ufunc, from NumPy's own table of its loops."""
    loops = [t.split("->") for t in function.types]
    if all(set(outputs) == {"?"} for _, outputs in loops):
        result = "bool"
    else:
        same = any(set(inputs) == {"l"} and outputs == "l" for inputs, outputs in loops)
        result = "same" if same else "float"

    def run(m: Machine, *args: Value, **keywords: Value) -> Value:
        terms = [term_of(m, v) for v in args[: function.nin]]
        found = elementwise(m, terms, f"np.{function.__name__}", result)
        return m.inferring.unknown_number(m, PY_BOOL if result == "bool" else PY_FLOAT) if scalar else found

    return run


@scheme("abs", "round", "fix", "nan_to_num", "conj", "conjugate", "copy", "ascontiguousarray", "flip", "flipud")
@scheme("fliplr", "sort", "roll", "real", "triu", "tril", "sorted", "view")
def same(m: Machine, a: Value, *args: Value, **keywords: Value) -> Value:
    """A result of the operand's own type."""
    return given(m, term_of(m, a))


@scheme("clip")
def clip(m: Machine, a: Value, *bounds: Value, **keywords: Value) -> Value:
    """`np.clip`: bounds broadcast."""
    limits = [v for v in (*bounds, *(keywords.get(k, NONE) for k in ("min", "max", "a_min", "a_max"))) if v is not NONE]
    terms = [term_of(m, v) for v in (a, *limits) if not (isinstance(v, Static) and v.value is None)]
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


@scheme("isclose", "array_equal", "allclose")
def close(m: Machine, a: Value, b: Value, *args: Value, **keywords: Value) -> Value:
    return elementwise(m, [term_of(m, a), term_of(m, b)], "np.isclose", "bool")


@scheme("astype")
def astype(m: Machine, a: Value, dtype: Value, *args: Value, **keywords: Value) -> Value:
    term = term_of(m, a)
    return given(m, TypeTerm(dtype_term(m, dtype, term.dtype), term.shape))


@scheme("array", "asarray")
def array(m: Machine, a: Value, dtype: Value = NONE, *args: Value, **keywords: Value) -> Value:
    term = term_of(m, a)
    return given(m, TypeTerm(dtype_term(m, dtype, term.dtype), term.shape))


@scheme("zeros_like", "ones_like", "empty_like")
def like(m: Machine, a: Value, dtype: Value = NONE, *args: Value, **keywords: Value) -> Value:
    term = term_of(m, a)
    return given(m, TypeTerm(dtype_term(m, dtype, term.dtype), term.shape))


@scheme("full_like")
def full_like(m: Machine, a: Value, fill_value: Value, dtype: Value = NONE, *args: Value, **keywords: Value) -> Value:
    return like(m, a, dtype)


# ---------------------------------------------------------------- numbers


@scheme("float", "int", "bool", "item")
def number(m: Machine, a: Value, *args: Value) -> Value:
    """A number made of one element."""
    m.inferring.suppose(m, "a number", lambda origin: m.inferring.solver.equal_shapes(term_of(m, a).shape, (), origin))
    return m.inferring.lost(m)


@scheme("len")
def length(m: Machine, a: Value) -> Value:
    if not isinstance(a, Open):
        return m.inferring.unknown_number(m, PY_INT)
    return subscripts.length(m, a)


@scheme("range")
def range_(m: Machine, *bounds: Value) -> Value:
    """`range` of an open bound, which is an int then."""
    numbers: list[Value] = []
    for bound in bounds:
        if isinstance(bound, Open):
            integer(m, bound)
            bound = m.inferring.unknown_number(m, PY_INT)
        numbers.append(bound)
    start, stop, step = (Static(0), *numbers, Static(1)) if len(numbers) == 1 else (*numbers, Static(1))[:3]
    return Range(start, stop, step)


def integer(m: Machine, value: Open) -> None:
    """Take an open value for a Python int."""
    solver = m.inferring.solver

    def relate(origin: Origin) -> None:
        solver.equal_shapes(value.term.shape, (), origin)
        solver.equal_dtypes(value.term.dtype, INT64, origin)

    m.inferring.suppose(m, "an int", relate)


@scheme("isinstance")
def isinstance_(m: Machine, a: Value, classes: Value) -> Value:
    """Whether an open value is of a class: an array is taken for one."""
    items = sequence(m, classes) or [classes]
    known = [v.value for v in items if isinstance(v, Static) and isinstance(v.value, type)]
    return Static(True) if np.ndarray in known else m.inferring.unknown_bool(m)


@scheme("ndim", "shape", "size")
def attribute_function(m: Machine, a: Value, *args: Value) -> Value:
    return m.inferring.lost(m)


def _attribute(name: str) -> Scheme:
    def run(m: Machine, a: Value, *args: Value) -> Value:
        return subscripts.attribute(m, a, name) if isinstance(a, Open) else m.inferring.lost(m)

    return run


SCHEMES.update({name: _attribute(name) for name in ("ndim", "shape", "size")})


@scheme("min", "max", "amin", "amax")
def extreme(m: Machine, a: Value, *args: Value, **keywords: Value) -> Value:
    """`np.max(x, axis)`, `x.max(axis)`, or Python's `max(a, b)`."""
    others = [v for v in args if not isinstance(v, Static) or not (v.value is None or isinstance(v.value, int | tuple))]
    if others or not isinstance(a, Open):
        return elementwise(m, [term_of(m, v) for v in (a, *args)], "the larger or smaller", "same")
    return reduction("same", ("axis", "out", "keepdims"))(m, a, *args, **keywords)


# ---------------------------------------------------------------- reductions


def reduction(result: str, names: Sequence[str]) -> Scheme:
    """A reduction over `axis`; `names` are its parameters after the array."""

    def run(m: Machine, a: Value, *args: Value, **keywords: Value) -> Value:
        bound = {**dict(zip(names, args, strict=False)), **keywords}
        term = term_of(m, a)
        keep = bound.get("keepdims", FALSE)
        keepdims = isinstance(keep, Static) and bool(keep.value)
        dtype = dtype_term(m, bound.get("dtype", NONE), reduced_dtype(term.dtype, result))
        axis = bound.get("axis", NONE)
        shape = m.inferring.constrain(m, "a reduction", lambda origin: reduced(m, term.shape, axis, keepdims, origin))
        return m.inferring.lost(m) if shape is None else given(m, TypeTerm(dtype, shape))

    return run


def reduced_dtype(dtype: DTypeTerm, result: str) -> DTypeTerm:
    """The element type of a reduction's result."""
    fixed = {"bool": BOOL, "int": INT64}.get(result)
    if fixed is not None:
        return fixed
    if result == "float":
        return floating(dtype)
    if result == "sum" and isinstance(dtype, np.dtype):
        return np.sum(np.zeros(1, dtype)).dtype
    return dtype


def reduced(m: Machine, shape: ShapeTerm, axis: Value, keepdims: bool, origin: Origin) -> ShapeTerm:
    """The shape of a reduction's result."""
    inference = m.inferring
    known = inference.known_dims(shape)
    items = sequence(m, axis)
    axes = [static_int(v) for v in (items if items is not None else [axis])]
    if isinstance(axis, Static) and axis.value is None:
        if not keepdims:
            return ()
        return (inference.solver.fresh_rank(),) if known is None else (dim(1),) * len(known)
    numbers = [a for a in axes if a is not None]
    if len(numbers) < len(axes):
        return (inference.solver.fresh_rank(),)
    if known is not None and all(-len(known) <= a < len(known) for a in numbers):
        places = {a % len(known) for a in numbers}
        return tuple(dim(1) if i in places else d for i, d in enumerate(known) if keepdims or i not in places)
    if all(a < 0 for a in numbers):
        rest, dims = inference.back(shape, -min(numbers), origin)
        places = {len(dims) + a for a in numbers}
        kept = tuple(dim(1) if i in places else d for i, d in enumerate(dims) if keepdims or i not in places)
        return (*rest, *kept)
    if all(a >= 0 for a in numbers):
        dims, rest = inference.front(shape, max(numbers) + 1, origin)
        kept = tuple(dim(1) if i in numbers else d for i, d in enumerate(dims) if keepdims or i not in numbers)
        return (*kept, *rest)
    return (inference.solver.fresh_rank(),)


_SUM = ("axis", "dtype", "out", "keepdims")
SCHEMES.update(dict.fromkeys(("sum", "prod", "nansum", "nanprod"), reduction("sum", _SUM)))
SCHEMES.update(dict.fromkeys(("mean", "nanmean"), reduction("float", _SUM)))
SCHEMES.update(dict.fromkeys(("std", "var", "nanstd", "nanvar"), reduction("float", ("axis", "dtype", "out", "ddof", "keepdims"))))
SCHEMES.update(dict.fromkeys(("any", "all"), reduction("bool", ("axis", "out", "keepdims"))))
SCHEMES.update(dict.fromkeys(("argmax", "argmin"), reduction("int", ("axis", "out", "keepdims"))))
SCHEMES.update(dict.fromkeys(("nanmax", "nanmin", "ptp"), reduction("same", ("axis", "out", "keepdims"))))
SCHEMES["median"] = reduction("float", ("axis", "out", "overwrite_input", "keepdims"))
SCHEMES["count_nonzero"] = reduction("int", ("axis", "keepdims"))
SCHEMES["norm"] = reduction("float", ("ord", "axis", "keepdims"))


@scheme("cumsum", "cumprod")
def cumulative(m: Machine, a: Value, axis: Value = NONE, dtype: Value = NONE, out: Value = NONE) -> Value:
    term = term_of(m, a)
    found = dtype_term(m, dtype, reduced_dtype(term.dtype, "sum"))
    if axis is NONE or (isinstance(axis, Static) and axis.value is None):
        return given(m, TypeTerm(found, flat(m, term.shape)))
    return given(m, TypeTerm(found, term.shape))


@scheme("argsort")
def argsort(m: Machine, a: Value, *args: Value, **keywords: Value) -> Value:
    return given(m, TypeTerm(INT64, term_of(m, a).shape))


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
    columns = rows if M is NONE or (isinstance(M, Static) and M.value is None) else dims_of(m, M)
    return given(m, TypeTerm(dtype_term(m, dtype, FLOAT64), (*rows, *columns)))


# ---------------------------------------------------------------- movement


def flat(m: Machine, shape: ShapeTerm) -> ShapeTerm:
    """The shape with all axes made one."""
    known = m.inferring.known_dims(shape)
    return (m.inferring.solver.fresh_dim() if known is None else product(known),)


@scheme("ravel", "flatten")
def ravel(m: Machine, a: Value, *args: Value, **keywords: Value) -> Value:
    term = term_of(m, a)
    return given(m, TypeTerm(term.dtype, flat(m, term.shape)))


@scheme("reshape")
def reshape(m: Machine, a: Value, *shape: Value, **keywords: Value) -> Value:
    """`x.reshape(2, -1)`, `np.reshape(x, (2, -1))`."""
    inference = m.inferring
    term = term_of(m, a)
    given_shape = keywords.get("shape", shape[0] if len(shape) == 1 else Tuple(tuple(shape)))
    if isinstance(given_shape, OpenShape):
        return given(m, TypeTerm(term.dtype, dims_of(m, given_shape)))
    items = sequence(m, given_shape)
    sizes = [size_of(v) for v in (items if items is not None else [given_shape])]
    known = inference.known_dims(term.shape)
    if known is not None:
        try:
            return given(m, TypeTerm(term.dtype, reshape_dims(known, sizes, inference.solver.fresh_dim)))
        except TypeRuleError as error:
            raise m.type_error(error) from None
    minus = dim(-1)
    return given(
        m, TypeTerm(term.dtype, tuple(inference.solver.fresh_dim() if s is None or s == minus else s for s in sizes))
    )


@scheme("transpose")
def transpose(m: Machine, a: Value, *axes: Value, **keywords: Value) -> Value:
    if not isinstance(a, Open):
        return m.inferring.lost(m)
    wanted = keywords.get("axes", axes[0] if len(axes) == 1 else Tuple(tuple(axes)))
    order = [static_int(v) for v in (sequence(m, wanted) or [])]
    if not order:
        return subscripts.transposed(m, a)

    def relate(origin: Origin) -> TypeTerm:
        dims = tuple(m.inferring.solver.fresh_dim() for _ in order)
        m.inferring.solver.equal_shapes(a.term.shape, dims, origin)
        shape = tuple(dims[i] for i in order if i is not None)
        return TypeTerm(m.inferring.solver.resolve(a.term).dtype, shape)

    return given(m, m.inferring.constrain(m, "transpose", relate))


@scheme("swapaxes")
def swapaxes(m: Machine, a: Value, axis1: Value, axis2: Value) -> Value:
    i, j = static_int(axis1), static_int(axis2)
    return moved(m, a, i, j, lambda dims, p, q: [dims[q if k == p else p if k == q else k] for k in range(len(dims))])


@scheme("moveaxis")
def moveaxis(m: Machine, a: Value, source: Value, destination: Value) -> Value:
    def move(dims: list[Dim], p: int, q: int) -> list[Dim]:
        rest = [d for k, d in enumerate(dims) if k != p]
        return [*rest[:q], dims[p], *rest[q:]]

    return moved(m, a, static_int(source), static_int(destination), move)


def moved(m: Machine, a: Value, i: int | None, j: int | None, move: Callable[[list[Dim], int, int], list[Dim]]) -> Value:
    """Axes `i` and `j` in other places; both counted from the same end where the rank is open."""
    inference = m.inferring
    term = term_of(m, a)
    known = inference.known_dims(term.shape)
    if i is None or j is None or (known is None and (i < 0) is not (j < 0)):
        return inference.lost(m)

    def relate(origin: Origin) -> TypeTerm:
        if known is not None:
            return TypeTerm(term.dtype, tuple(move(list(known), i % len(known), j % len(known))))
        if i < 0:
            rest, dims = inference.back(term.shape, -min(i, j), origin)
            return TypeTerm(term.dtype, (*rest, *move(dims, len(dims) + i, len(dims) + j)))
        dims, rest = inference.front(term.shape, max(i, j) + 1, origin)
        return TypeTerm(term.dtype, (*move(dims, i, j), *rest))

    return given(m, inference.constrain(m, "axes moved", relate))


@scheme("expand_dims")
def expand_dims(m: Machine, a: Value, axis: Value) -> Value:
    inference, term, i = m.inferring, term_of(m, a), static_int(axis)
    if i is None:
        return inference.lost(m)

    def relate(origin: Origin) -> TypeTerm:
        if i >= 0:
            dims, rest = inference.front(term.shape, i, origin)
            return TypeTerm(term.dtype, (*dims, dim(1), *rest))
        rest, dims = inference.back(term.shape, -i - 1, origin)
        return TypeTerm(term.dtype, (*rest, dim(1), *dims))

    return given(m, inference.constrain(m, "np.expand_dims", relate))


@scheme("squeeze")
def squeeze(m: Machine, a: Value, axis: Value = NONE) -> Value:
    inference, term, i = m.inferring, term_of(m, a), static_int(axis)
    if i is None:
        return inference.lost(m)

    def relate(origin: Origin) -> TypeTerm:
        if i >= 0:
            dims, rest = inference.front(term.shape, i + 1, origin)
            one, shape = dims[i], (*dims[:i], *rest)
        else:
            rest, dims = inference.back(term.shape, -i, origin)
            one, shape = dims[0], (*rest, *dims[1:])
        inference.solver.equal_dims(one, dim(1), origin)
        return TypeTerm(term.dtype, shape)

    return given(m, inference.constrain(m, "np.squeeze", relate))


@scheme("broadcast_to")
def broadcast_to(m: Machine, a: Value, shape: Value, *args: Value) -> Value:
    term, target = term_of(m, a), dims_of(m, shape)
    solver = m.inferring.solver
    m.inferring.constrain(
        m,
        "np.broadcast_to",
        lambda origin: solver.equal_shapes(solver.broadcast([term.shape, target], origin), target, origin),
    )
    return given(m, TypeTerm(term.dtype, target))


@scheme("stack")
def stack(m: Machine, arrays: Value, axis: Value = NONE, *args: Value, **keywords: Value) -> Value:
    items, i = sequence(m, arrays), static_int(axis) if axis is not NONE else 0
    if items is None or i is None:
        return m.inferring.lost(m)
    term = stacked(m, items)
    first, rest = term.shape[0], term.shape[1:]

    def relate(origin: Origin) -> TypeTerm:
        if i >= 0:
            dims, after = m.inferring.front(rest, i, origin)
            return TypeTerm(term.dtype, (*dims, first, *after))
        before, dims = m.inferring.back(rest, -i - 1, origin)
        return TypeTerm(term.dtype, (*before, first, *dims))

    return given(m, m.inferring.constrain(m, "np.stack", relate))


@scheme("concatenate", "append")
def concatenate(m: Machine, arrays: Value, *args: Value, **keywords: Value) -> Value:
    """`np.concatenate(arrays, axis)`: other dims are equal, those along the axis add up."""
    axis = keywords.get("axis", args[0] if args else Static(0))
    items, i = sequence(m, arrays), static_int(axis)
    if items is None or i is None:
        return m.inferring.lost(m)
    terms = [term_of(m, v) for v in items]
    return given(m, m.inferring.constrain(m, "np.concatenate", lambda origin: joined(m, terms, i, origin)))


def joined(m: Machine, terms: Sequence[TypeTerm], axis: int, origin: Origin) -> TypeTerm:
    """The type of arrays joined along an axis."""
    inference, total = m.inferring, dim(0)
    before: ShapeTerm = ()
    after: ShapeTerm = ()
    for k, term in enumerate(terms):
        if axis >= 0:
            dims, rest = inference.front(term.shape, axis + 1, origin)
            ours: tuple[ShapeTerm, ShapeTerm] = tuple(dims[:axis]), rest
            total = total + dims[axis]
        else:
            lead, dims = inference.back(term.shape, -axis, origin)
            ours = lead, tuple(dims[1:])
            total = total + dims[0]
        if k:
            inference.solver.equal_shapes(before, ours[0], origin)
            inference.solver.equal_shapes(after, ours[1], origin)
        else:
            before, after = ours
    dtype = inference.solver.promote([t.dtype for t in terms], origin)
    return TypeTerm(dtype, (*before, total, *after))


@scheme("take")
def take(m: Machine, a: Value, indices: Value, axis: Value = NONE, *args: Value, **keywords: Value) -> Value:
    inference, term, places, i = m.inferring, term_of(m, a), term_of(m, indices), static_int(axis)
    if axis is NONE or i is None:
        return given(m, TypeTerm(term.dtype, places.shape))

    def relate(origin: Origin) -> TypeTerm:
        if i >= 0:
            dims, rest = inference.front(term.shape, i + 1, origin)
            return TypeTerm(term.dtype, (*dims[:i], *places.shape, *rest))
        lead, dims = inference.back(term.shape, -i, origin)
        return TypeTerm(term.dtype, (*lead, *places.shape, *dims[1:]))

    return given(m, inference.constrain(m, "np.take", relate))


# ---------------------------------------------------------------- products


@scheme("matmul", "dot")
def matmul(m: Machine, a: Value, b: Value, *args: Value, **keywords: Value) -> Value:
    return operators.matmul(m, term_of(m, a), term_of(m, b))


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
    text = subscripts.value if isinstance(subscripts, Static) else None
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
        return TypeTerm(floating(term.dtype), result(lead, rows))

    return given(m, m.inferring.constrain(m, "a square matrix", relate))


@scheme("inv")
def inv(m: Machine, a: Value) -> Value:
    return _square(m, a, lambda lead, n: (*lead, n, n))


@scheme("det")
def det(m: Machine, a: Value) -> Value:
    return _square(m, a, lambda lead, n: lead)


@scheme("solve")
def solve(m: Machine, a: Value, b: Value) -> Value:
    x = _square(m, a, lambda lead, n: (*lead, n, n))
    right = term_of(m, b)
    if isinstance(x, Open) and len(right.shape) == 1 and isinstance(right.shape[0], Dim):
        return operators.matmul(m, x.term, right, "np.linalg.solve")
    return given(m, TypeTerm(floating(right.dtype), right.shape))


__all__ = ["SCHEMES", "Unreachable", "call"]
