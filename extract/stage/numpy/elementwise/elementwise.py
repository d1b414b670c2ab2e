"""Functions of each element that are not ufuncs: choosing, clipping, rounding, comparing, `np.vectorize`."""

from __future__ import annotations

import functools
import numbers
from typing import Any

import numpy as np

from graph_program.extract.ir.complex_parts import IMAG, REAL
from graph_program.extract.library import vectorized
from graph_program.extract.library.arrays import polynomials
from graph_program.extract.stage.arrays.layout import read_only
from graph_program.extract.stage.arrays.lowering_arguments import (
    FALSE,
    TRUE,
    ZERO,
    array,
    as_bool,
    as_index,
    call,
    call_tensor,
    dtype_error,
    element_count,
    equal_sizes,
    flag,
    inexact,
    is_given,
    number,
    numpy_function,
    refuse_given,
    require_cast,
    result_dtype,
    returned,
    sequence,
    sizes_of,
    takes,
    u,
    value_error,
)
from graph_program.extract.stage.arrays.size_checks import check_broadcast, unequal
from graph_program.extract.stage.machine.checks import booleans
from graph_program.extract.stage.machine.checks.lengths import has_computed_length
from graph_program.extract.stage.machine.declared import entries
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.registry import lowers
from graph_program.extract.stage.numbers import arithmetic, complex_numbers, complex_operations
from graph_program.extract.stage.numbers.python_numbers import is_python_number
from graph_program.extract.stage.numpy.elementwise.ufuncs import fresh, promoted
from graph_program.extract.stage.numpy.outputs import target_of, with_out
from graph_program.extract.stage.numpy.select.selection import nonzero
from graph_program.extract.stage.operations.known_and_truth import numeric, settled, static, tensor
from graph_program.extract.stage.paths.flow import choose
from graph_program.extract.stage.paths.raising import check
from graph_program.extract.stage.paths.several import mixed_numbers
from graph_program.extract.stage.values.column_data import SEQUENCES
from graph_program.extract.stage.values.questions import (
    has_computed_rows,
    is_array_of_graph,
    is_known,
    is_ref_to,
    known_value,
    one_or_many,
)
from graph_program.extract.stage.values.values import (
    NONE,
    Ref,
    Static,
    Tensor,
    Tuple,
    Value,
    is_numeric,
    size_of,
    type_of,
)
from graph_program.extract.types.tensors.tensor_type import BOOL, FLOAT64, PY_INT, Kind

# ---------------------------------------------------------------- choosing

CLIP: np.ufunc = np._core.umath.clip  # type: ignore[attr-defined]
"""The ufunc behind `np.clip`, asked for the element type that its operands promote to."""


@numpy_function(np.where)
def where(m: Machine, condition: Value, x: Value = NONE, y: Value = NONE, /) -> Value:
    """`np.where(condition, x, y)`, always an array; `np.nonzero` with the condition alone."""
    if not is_given(x) or not is_given(y):
        if is_given(x) or is_given(y):
            raise value_error(m, "either both or neither of x and y should be given")

        return nonzero(m, condition)
    return selected(m, as_bool(m, condition), x, y)


def selected(m: Machine, test: Tensor, x: Value, y: Value) -> Tensor:
    """`x` where the test holds, else `y`, promoted."""
    x, y = numeric(m, x), numeric(m, y)
    dtype = result_dtype(m, x, y)
    return m.op("where", test, m.cast(x, dtype), m.cast(y, dtype))  # Python ints that do not fit wrap


@numpy_function(np.select)
def select(m: Machine, condlist: Value, choicelist: Value, default: Value = ZERO) -> Value:
    """`np.select`: the first choice whose condition holds."""
    conditions, choices = sequence(m, condlist, "the conditions"), sequence(m, choicelist, "the choices")
    if len(conditions) != len(choices):
        raise value_error(m, "list of cases must be same length as list of conditions")
    if not conditions:
        raise value_error(m, "select with an empty condition list is not possible")
    numbers = [numeric(m, v) for v in choices]
    dtype = result_dtype(m, *numbers, numeric(m, default))
    for given in (type_of(v).dtype for v in numbers if type_of(v).kind is Kind.PYTHON):  # as arrays are copied
        require_cast(m, given, dtype, "same_kind")
    result = m.cast(numeric(m, default), dtype)
    for condition, choice in reversed(list(zip(conditions, numbers, strict=True))):
        test = tensor(m, condition)
        if test.type.dtype != BOOL:
            i = conditions.index(condition)
            raise dtype_error(m, f"invalid entry {i} in condlist: should be boolean ndarray")
        result = m.op("where", test, m.cast(choice, dtype), result)
    return m.reclassed(result, Kind.ARRAY)


@numpy_function(np.clip)
@with_out("np.clip", "clip")
@takes("a, a_min=None, a_max=None, out=None, *, min=None, max=None, dtype=None")
def clip(m: Machine, a: Value, a_min: Value, a_max: Value, min: Value, max: Value, dtype: Value) -> Value:
    """`np.clip`, with either bound left out."""
    refuse_given(m, "np.clip", dtype=dtype)
    return clipped(m, a, a_min if is_given(a_min) else min, a_max if is_given(a_max) else max)


@lowers(method="clip")
@with_out("ndarray.clip", "clip")
def clip_method(
    m: Machine, a: Value, min: Value = NONE, max: Value = NONE, out: Value = NONE, *, dtype: Value = NONE
) -> Value:
    refuse_given(m, "ndarray.clip", dtype=dtype)
    return clipped(m, a, min, max)


def clipped(m: Machine, a: Value, low: Value, high: Value) -> Value:
    """NumPy's clip: a lower bound above the upper one loses; one that an integer cannot pass is none."""
    a = m.reclassed(tensor(m, a), Kind.NUMPY) if is_python_number(a) else a
    low, high = without_effect(m, a, low, np.maximum), without_effect(m, a, high, np.minimum)
    if not is_given(low) and not is_given(high):
        return call(m, np.positive, a)
    if not is_given(low):
        return u(m, np.minimum, a, high)
    if not is_given(high):
        return u(m, np.maximum, a, low)
    x, lower, upper = promoted(m, CLIP, (a, low, high))
    check_broadcast(m, [x, lower, upper])
    return u(m, np.minimum, u(m, np.maximum, x, lower), upper)


def without_effect(m: Machine, a: Value, bound: Value, nearer: np.ufunc) -> Value:
    """A Python int that bounds integers on their far side, as None; a computed one, as one that fits."""
    if not is_given(bound):
        return bound
    dtype, value = tensor(m, a).type.dtype, numeric(m, bound)
    if dtype.kind not in "iu" or type_of(value) != PY_INT:
        return bound
    limits = np.iinfo(dtype)
    limit = limits.min if nearer is np.maximum else limits.max
    if is_known(value):
        beyond = value.value <= limit if nearer is np.maximum else value.value >= limit
        return NONE if beyond else bound
    return bound if abs(limit) >= 2**63 - 1 else m.reclassed(tensor(m, u(m, nearer, value, Static(limit))), Kind.PYTHON)


# ---------------------------------------------------------------- rounding


@numpy_function(np.round, np.around, method="round")
def round_(m: Machine, a: Value, decimals: Value = ZERO, out: Value = NONE) -> Value:
    """`np.round`; NumPy looks at how many elements its output has before anything else."""
    if is_given(settled(m, out)):
        x, target = array(m, a), target_of(m, out, "return arrays must be of ArrayType")
        check(m, unequal(m, element_count(m, x), element_count(m, target)), ValueError, "invalid output shape")
    return rounded(m, a, decimals, out=out)


@with_out("np.round", "rint")
def rounded(m: Machine, a: Value, decimals: Value, out: Value = NONE) -> Value:
    """Halves to even, by scaling, as NumPy does it."""
    places = as_index(m, static(m, decimals, "the number of decimals"))
    x = tensor(m, a)
    if x.type.is_complex:
        return complex_operations.of_parts(m, x, lambda part: tensor(m, rounded(m, part, decimals)))
    if x.type.dtype.kind in "iu":
        return fresh(m, x) if places >= 0 else rounded_integers(m, x, -places)
    if places == 0:
        return u(m, np.rint, x)
    up, down = (np.multiply, np.divide) if places > 0 else (np.divide, np.multiply)
    if x.type.dtype.kind == "b":
        text = f"Cannot cast ufunc '{up.__name__}' output from {FLOAT64!r} to {x.type.dtype!r}"
        raise dtype_error(m, f"{text} with casting rule 'same_kind'")
    scale = number(m, 10.0 ** abs(places), x.type.dtype)
    return u(m, down, u(m, np.rint, u(m, up, x, scale)), scale)


def rounded_integers(m: Machine, x: Tensor, places: int) -> Tensor:
    """Integers rounded to tens, hundreds, ...; NumPy computes it in float64."""
    scale = number(m, 10.0**places, FLOAT64)
    scaled = u(m, np.rint, u(m, np.divide, m.cast(x, FLOAT64), scale))
    return m.cast(u(m, np.multiply, scaled, scale), x.type.dtype)


@numpy_function(np.nan_to_num)
@takes("x, copy=True, nan=0.0, posinf=None, neginf=None")
def nan_to_num(m: Machine, x: Value, copy: Value, nan: Value, posinf: Value, neginf: Value) -> Value:
    """`np.nan_to_num`: NaN and infinities replaced by numbers."""
    if not flag(m, copy, "the copy flag"):
        raise m.error("GP321", "np.nan_to_num has no graph form for `copy=False`", hint="assign the result")
    value = tensor(m, x)
    if value.type.is_complex:
        kept = (nan, posinf, neginf)
        return complex_operations.of_parts(m, value, lambda part: tensor(m, nan_to_num(m, part, copy, *kept)))
    if value.type.dtype.kind != "f":
        return fresh(m, value)
    limits = np.finfo(value.type.dtype)
    zero = number(m, 0, value.type.dtype)
    above, below = m.op("greater", value, zero), m.op("less", value, zero)
    infinite = m.op("isinf", value)
    result = m.op("where", m.op("isnan", value), replacement(m, nan, 0.0, value), value)
    for side, given, limit in ((above, posinf, limits.max), (below, neginf, limits.min)):
        test = m.op("bitwise_and", infinite, side)
        result = m.op("where", test, replacement(m, given, limit, value), result)
    return returned(m, result)


def replacement(m: Machine, given: Value, default: float, like: Tensor) -> Tensor:
    if not is_given(given):
        return number(m, default, like.type.dtype)
    return m.cast(numeric(m, given), like.type.dtype)


# ---------------------------------------------------------------- comparing


@numpy_function(np.isclose)
@takes("a, b, rtol=1e-05, atol=1e-08, equal_nan=False")
def isclose(m: Machine, a: Value, b: Value, rtol: Value, atol: Value, equal_nan: Value) -> Value:
    """`np.isclose`: `|a - b| <= atol + rtol * |b|`, infinities only equal to themselves."""
    x, y = numeric(m, a), numeric(m, b)
    y = m.cast(y, FLOAT64 if type_of(y).kind is Kind.PYTHON else inexact(type_of(y).dtype))
    bound = u(m, np.add, atol, u(m, np.multiply, rtol, u(m, np.absolute, y)))
    near = u(m, np.less_equal, u(m, np.absolute, u(m, np.subtract, x, y)), bound)
    result = u(m, np.bitwise_or, u(m, np.bitwise_and, near, u(m, np.isfinite, y)), u(m, np.equal, x, y))
    if flag(m, equal_nan, "equal_nan"):
        result = u(m, np.bitwise_or, result, u(m, np.bitwise_and, u(m, np.isnan, x), u(m, np.isnan, y)))
    return result


@numpy_function(np.allclose)
@functools.wraps(isclose)
def allclose(m: Machine, *args: Value, **keywords: Value) -> Value:
    """`np.allclose`: a Python bool."""
    return all_true(m, isclose(m, *args, **keywords))


def all_true(m: Machine, value: Value) -> Value:
    """Whether all elements hold, as a Python bool."""
    if is_known(value):
        return Static(bool(value.value))
    x = tensor(m, value)
    return m.op("all", x, axes=tuple(range(x.rank)), keepdims=False, kind=Kind.PYTHON)


@numpy_function(np.array_equal)
def array_equal(m: Machine, a1: Value, a2: Value, equal_nan: Value = FALSE) -> Value:
    """`np.array_equal`: same shape and elements, as a Python bool."""
    x, y = array(m, a1), array(m, a2)
    pairs = list(zip(sizes_of(m, x), sizes_of(m, y), strict=False))
    if x.rank != y.rank or any(equal_sizes(m, p, q) is False for p, q in pairs):
        return FALSE
    same_shape: Value = TRUE
    for p, q in pairs:
        if size_of(p) != size_of(q):
            same_shape = booleans.both(m, same_shape, arithmetic.compare(m, "==", p, q))
    nans = flag(m, equal_nan, "equal_nan")
    return choose(m, same_shape, lambda: all_true(m, equal_elements(m, x, y, nans)), lambda: FALSE)


def equal_elements(m: Machine, x: Tensor, y: Tensor, nans: bool) -> Value:
    result = u(m, np.equal, x, y)
    if nans and x.type.dtype.kind in "fc" and y.type.dtype.kind in "fc":
        result = u(m, np.bitwise_or, result, u(m, np.bitwise_and, u(m, np.isnan, x), u(m, np.isnan, y)))
    return result


# ---------------------------------------------------------------- questions about classes


@lowers(np.isscalar)
def isscalar(m: Machine, element: Value) -> Value:
    """`np.isscalar`: known from the class."""
    if is_numeric(element):
        return Static(type_of(element).kind is not Kind.ARRAY)
    if isinstance(element, Ref):
        return Static(isinstance(element.cls, type) and issubclass(element.cls, numbers.Number))
    return Static(bool(np.isscalar(known_value(element))))


lowers(np.iscomplexobj)(lambda m, x: Static(tensor(m, x).type.is_complex))
lowers(np.isrealobj)(lambda m, x: Static(not tensor(m, x).type.is_complex))


@numpy_function(np.real)
def real(m: Machine, val: Value) -> Value:
    """`np.real`, a view; of real numbers the same array."""
    x = numeric(m, val)
    if isinstance(x, Tensor) and x.type.is_complex:
        return complex_numbers.part_of(m, x, REAL)
    return m.alias_of(x) if is_array_of_graph(x) else x


@numpy_function(np.imag)
def imag(m: Machine, val: Value) -> Value:
    """`np.imag`, a view; of real numbers zeros that cannot be written."""
    x = numeric(m, val)
    if isinstance(x, Tensor) and x.type.is_complex:
        return complex_numbers.part_of(m, x, IMAG)
    if type_of(x).kind is Kind.PYTHON:
        return ZERO
    if is_array_of_graph(x):
        return read_only(m, x, lambda base: call_tensor(m, np.zeros_like, base))
    return m.reclassed(call_tensor(m, np.zeros_like, x), type_of(x).kind)


# ---------------------------------------------------------------- polynomials


@numpy_function(np.polyval)
def polyval(m: Machine, p: Value, x: Value) -> Value:
    """`np.polyval`: Horner's rule from the highest power."""
    several = array(m, p) if is_of_computed_length(m, p) else None
    if several is not None and several.rank == 1:
        return polyval_of_computed(m, several, array(m, x))
    coefficients = [array(m, c) for c in sequence(m, p, "the coefficients")]
    dtype = result_dtype(m, *coefficients) if coefficients else FLOAT64
    point = array(m, x)
    result: Value = call_tensor(m, np.zeros_like, point)
    for c in coefficients:
        result = u(m, np.add, u(m, np.multiply, result, point), m.cast(c, dtype))
    return returned(m, tensor(m, result))


def is_of_computed_length(m: Machine, value: Value) -> bool:
    """Whether a value is a list or an array whose length only the run tells."""
    value = settled(m, value)
    return has_computed_rows(value) or (is_ref_to(value, *SEQUENCES) and has_computed_length(m, value))


def polyval_of_computed(m: Machine, coefficients: Tensor, point: Tensor) -> Value:
    """`np.polyval` as a loop; of no coefficients NumPy gives zeros of the element type of the points."""
    dtype = result_dtype(m, coefficients, point)
    if dtype != point.type.dtype or not point.rank:
        none = arithmetic.compare(m, "==", m.dimension(coefficients, 0), ZERO)
        m.limit(none, "GP592", "np.polyval of no coefficients has the type of the points", hint="give it one at least")
    x = point if point.rank else m.reclassed(point, Kind.NUMPY)
    return entries.run(m, polynomials.horner, m.cast(coefficients, dtype), m.cast(x, dtype))


@lowers(np.vectorize)
@takes("pyfunc, otypes=None, doc=None, excluded=None, cache=False, signature=None")
def vectorize(m: Machine, pyfunc: Value, otypes: Value, excluded: Value, cache: Value, signature: Value) -> Value:
    refuse_given(m, "np.vectorize", hint="go through the rows with a `for` loop", signature=signature)
    named = static(m, excluded, "np.vectorize(excluded=...)") if is_given(excluded) else ()
    types = Tuple(tuple(map(Static, _types(m, otypes)))) if is_given(otypes) else NONE
    return entries.call(m, Static(vectorized.vectorize), [pyfunc, types, Static(tuple(named)), cache], {})


@lowers(vectorized.of_one_class)
def of_one_class(m: Machine, values: Value) -> Value:
    """Refuse results whose class depends on the elements."""
    for value in one_or_many(values):
        if mixed_numbers.one_of_numbers(value) is not None:
            raise m.error(
                "GP321",
                "np.vectorize gives all results the type of the first one, which depends on the elements here",
                hint="say what they are: np.vectorize(f, otypes=[float])",
            )
    return NONE


def _types(m: Machine, otypes: Value) -> tuple[np.dtype[Any], ...]:
    """The types of the results: characters or dtypes."""
    given = static(m, otypes, "np.vectorize(otypes=...)")
    return tuple(np.dtype(t) for t in given)
