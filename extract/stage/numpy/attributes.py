"""Attributes of arrays and NumPy scalars, `x.flags` among them, and the methods that give Python numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from graph_program.extract.ir import memory
from graph_program.extract.library.arrays import counting as counting_programs
from graph_program.extract.stage.arrays.layout import IN_C_ORDER, layout_of, needed
from graph_program.extract.stage.arrays.lowering_arguments import (
    FALSE,
    FOLDED_ELEMENTS,
    ONE,
    TRUE,
    array,
    as_size,
    axes_of,
    call,
    dtype_of,
    element_count,
    flat,
    is_given,
    is_sequence,
    number,
    numpy_function,
    sequence,
    size_op,
    sizes_of,
    value_error,
)
from graph_program.extract.stage.arrays.operation_checks import require_inside
from graph_program.extract.stage.arrays.size_checks import unequal
from graph_program.extract.stage.lists import columns, growing_lists, list_loops
from graph_program.extract.stage.machine.checks import booleans
from graph_program.extract.stage.machine.declared import entries
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.registry import attribute, lowers
from graph_program.extract.stage.numbers import complex_numbers
from graph_program.extract.stage.numpy.move.movement import matrix_transpose, permuted
from graph_program.extract.stage.operations import attributes, items, objects, operators
from graph_program.extract.stage.operations.known_and_truth import numeric, settled, static, tensor
from graph_program.extract.stage.operations.of_numbers import conversions
from graph_program.extract.stage.paths.raising import check
from graph_program.extract.stage.values.values import NONE, Static, Tensor, Tuple, Value, View, type_of
from graph_program.extract.types.tensors.promotion import python_dtype, weak_dtype
from graph_program.extract.types.tensors.tensor_type import FLOAT64, INT64, Kind

# ---------------------------------------------------------------- shape and type


@attribute("shape")
def shape(m: Machine, a: Value) -> Value:
    """`x.shape`: a tuple of Python ints."""
    return Tuple(tuple(sizes_of(m, tensor(m, a))))


numpy_function(np.shape)(lambda m, a: shape(m, array(m, a)))


@attribute("ndim")
def ndim(m: Machine, a: Value) -> Value:
    """`x.ndim`: always known."""
    return Static(type_of(numeric(m, a)).rank)


numpy_function(np.ndim)(ndim)


@attribute("size")
def size(m: Machine, a: Value) -> Value:
    """`x.size`: a Python int."""
    return element_count(m, tensor(m, a))


@numpy_function(np.size)
def size_function(m: Machine, a: Value, axis: Value = NONE) -> Value:
    """`np.size(x)`, or the size of one axis."""
    x = array(m, a)
    return element_count(m, x, axes_of(m, axis, x.rank, lists=True))


attribute("dtype")(lambda m, a: Static(type_of(numeric(m, a)).dtype))


@lowers(np.dtype, name="np.dtype")
def dtype_function(m: Machine, dtype: Value, align: Value = FALSE, copy: Value = FALSE) -> Value:
    """`np.dtype("f4")`: known."""
    if not is_given(dtype):
        return Static(FLOAT64)
    return Static(dtype_of(m, dtype))


@numpy_function(np.result_type)
def result_type(m: Machine, *arrays_and_dtypes: Value) -> Value:
    """`np.result_type`: known, whatever the elements are."""
    operands = []
    for value in arrays_and_dtypes:
        value = settled(m, value)
        if isinstance(value, Tensor):
            weak = weak_dtype(type_of(value))
            operands.append(weak if isinstance(weak, np.dtype) else weak(0))
        else:
            operands.append(static(m, value, "an argument of np.result_type"))
    return Static(m.by_python(np.result_type, *operands))


@attribute("itemsize")
def itemsize(m: Machine, a: Value) -> Value:
    return Static(type_of(numeric(m, a)).dtype.itemsize)


attribute("nbytes")(lambda m, a: size_op(m, "*", size(m, a), itemsize(m, a)))


@attribute("T")
def transposed(m: Machine, a: Value) -> Value:
    """`x.T`: axes reversed."""
    x = tensor(m, a)
    return permuted(m, x, range(x.rank)[::-1]) if x.is_array else a


@attribute("mT")
def matrix_transposed(m: Machine, a: Value) -> Value:
    """`x.mT`: the last two axes swapped."""
    if tensor(m, a).rank < 2:
        raise value_error(m, "matrix transpose with ndim < 2 is undefined")
    return matrix_transpose(m, a)


attribute("real")(lambda m, a: call(m, np.real, a))
attribute("imag")(lambda m, a: call(m, np.imag, a))


@attribute("base")
def base(m: Machine, a: Value) -> Value:
    """`x.base` depends on how NumPy computed the array: refused."""
    raise m.error("GP323", "ndarray.base has no graph form")


# ---------------------------------------------------------------- Python numbers


def to_python(m: Machine, x: Tensor) -> Value:
    """A scalar as the Python number of its kind."""
    if x.type.dtype.kind in "iu":
        return conversions.to_int(m, x)
    return m.cast(x, python_dtype(x.type.dtype), Kind.PYTHON)


@lowers(method="item")
def item(m: Machine, a: Value, *args: Value) -> Value:
    """`x.item()`, `x.item(i)` or `x.item(i, j)`: a Python number."""
    x = array(m, a)
    if len(args) == 1 and is_sequence(m, args[0]):
        args = tuple(sequence(m, args[0], "an index"))
    if not args:
        if any(d.constant not in (None, 1) for d in x.type.shape):
            raise value_error(m, "can only convert an array of size 1 to a Python scalar")
        if all(d.constant == 1 for d in x.type.shape):
            return to_python(m, m.op("reshape", x) if x.rank else x)
        text = "can only convert an array of size 1 to a Python scalar"
        check(m, unequal(m, element_count(m, x), ONE), ValueError, text)
        return to_python(m, m.op("take", flat(m, x), number(m, 0, INT64), axis=0))
    if len(args) == 1:
        x, index = flat(m, x), m.cast(as_size(m, args[0]), INT64)
        require_inside(m, x, 0, index, "size ")
        return to_python(m, m.op("take", x, index, axis=0))
    if len(args) != x.rank:
        raise value_error(m, "incorrect number of indices for array")
    indices = [m.cast(as_size(m, position), INT64) for position in args]
    for axis, index in enumerate(indices):
        require_inside(m, x, axis, index)
    for index in indices:
        x = m.op("take", x, index, axis=0)
    return to_python(m, x)


@lowers(method="tolist")
def tolist(m: Machine, a: Value) -> Value:
    """`x.tolist()`: nested lists of Python numbers."""
    x = array(m, a)
    if not x.rank:
        return to_python(m, x)
    sizes = [d.constant for d in x.type.shape]
    counts = [n for n in sizes if n is not None]
    if len(counts) != len(sizes) or int(np.prod(counts)) > FOLDED_ELEMENTS:
        return computed_rows(m, x)
    flat_x = flat(m, x)
    numbers = [to_python(m, m.op("take", flat_x, number(m, k, INT64), axis=0)) for k in range(int(np.prod(counts)))]
    return nest(m, numbers, counts)


def computed_rows(m: Machine, x: Tensor) -> Value:
    """`x.tolist()` of an array of computed shape: the rows of a matrix are lists, too."""
    if x.rank == 1:
        return objects.new_list(m, columns.of_rows(m, x, Kind.PYTHON, shared=False))
    rows = columns.of_rows(m, x, Kind.NUMPY, shared=False)
    source = growing_lists.source_of(m, lambda: rows)
    return objects.new_list(
        m, list_loops.gathered(m, lambda give: list_loops.each(m, source, lambda row: give(tolist(m, row))))
    )


def nest(m: Machine, numbers: list[Value], counts: list[int]) -> Value:
    """Numbers in row-major order as nested lists."""
    if len(counts) == 1:
        return objects.new_list(m, numbers)
    width = len(numbers) // counts[0] if counts[0] else 0
    rows = [nest(m, numbers[k * width : (k + 1) * width], counts[1:]) for k in range(counts[0])]
    return objects.new_list(m, rows)


# ---------------------------------------------------------------- the same array


@lowers(method="view")
def view(m: Machine, a: Value, dtype: Value = NONE, type: Value = NONE) -> Value:
    """`x.view()`: another array over the same memory."""
    x = tensor(m, a)
    target = np.dtype(static(m, dtype, "an element type")) if is_given(dtype) else x.type.dtype
    if is_given(type):
        raise m.error("GP321", "ndarray.view has no graph form for another class", hint="leave `type` away")
    if target == x.type.dtype:
        return m.alias_of(x) if x.is_array else a
    integers = all(d.kind in "iu" for d in (target, x.type.dtype))
    if not integers or target.itemsize != x.type.dtype.itemsize:
        raise m.error(
            "GP321",
            f"ndarray.view has no graph form of {x.type.dtype} as {target}: it looks at the bytes of the elements",
            hint="make the view outside the program; views between integers of one width are possible",
        )
    found = m.cast(x, target)
    if x.is_array:
        old = x.type.dtype
        found.view = View(
            x, lambda base: m.cast(base, target), lambda _, contents: m.cast(contents, old), m.contents(x)
        )
    return found


def conjugated(m: Machine, a: Value) -> Value:
    """`x.conj()`, `x.conjugate()`: of real numbers, the array itself; of a Python bool, an int."""
    if type_of(a).is_complex:
        x = tensor(m, a)
        return complex_numbers.conjugate(m, x, Kind.NUMPY if x.is_array and not x.rank else x.type.kind)
    is_bool = type_of(a).kind is Kind.PYTHON and type_of(a).dtype == np.bool_
    return operators.unary(m, "+", a) if is_bool else a


for _name in ("conj", "conjugate"):
    lowers(method=_name)(conjugated)


@lowers(method="__array_namespace__")
def array_namespace(m: Machine, a: Value, /, *, api_version: Value = NONE) -> Value:
    """`x.__array_namespace__()`: `numpy` itself."""
    version = static(m, api_version, "the version of the array API standard")
    try:
        return Static(np.zeros(0).__array_namespace__(api_version=version))
    except ValueError as error:
        raise value_error(m, str(error)) from None


ITEMS = {
    "C_CONTIGUOUS": "c_contiguous",
    "C": "c_contiguous",
    "CONTIGUOUS": "c_contiguous",
    "F_CONTIGUOUS": "f_contiguous",
    "F": "f_contiguous",
    "FNC": "fnc",
    "FORC": "forc",
}
"""NumPy's names of the items, and the attributes that they are."""


class Flags(Value):
    """`x.flags`: whether the elements lie in C or Fortran order, without gaps.

    The order is known for arrays that the program makes, and becomes part of the signature for arguments (`layout`).
    """

    def __init__(self, array: Tensor):
        self.array = array

    def attribute(self, m: Machine, name: str) -> Value:
        """`x.flags.name`."""
        match name:
            case "c_contiguous" | "contiguous":
                return orders(m, self.array)[0]
            case "f_contiguous":
                return orders(m, self.array)[1]
            case "forc":
                return booleans.either(m, *orders(m, self.array))
            case "fnc":
                c, f = orders(m, self.array)
                return booleans.both(m, f, booleans.negate(m, c))
        raise m.error("GP323", f"ndarray.flags.{name} has no graph form")

    def item(self, m: Machine, key: Any) -> Value:
        """`x.flags["C_CONTIGUOUS"]`."""
        if key in ITEMS:
            return self.attribute(m, ITEMS[key])
        raise m.error("GP323", f"ndarray.flags[{key!r}] has no graph form")


attributes.attribute.register(Flags, lambda m, value, name: value.attribute(m, name))
items.item.register(Flags, lambda m, value, key: value.item(m, static(m, key, "the name of an item")))
attribute("flags")(lambda m, a: Flags(tensor(m, a)))


def orders(m: Machine, x: Tensor) -> tuple[Value, Value]:
    """Whether an array is in C order, and whether in Fortran order."""
    layout = layout_of(m, x) if x.is_array else memory.C
    if layout == memory.STRIDED:
        return FALSE, FALSE
    if x.path and x in m.outside.arguments and layout and x.rank > 1:  # exactly this one
        return Static(layout != memory.F), Static(layout != memory.C)
    if not layout:
        error = m.error(
            "GP323",
            "how this array lies in memory is not known, so its flags have no graph form",
            hint="ask for the flags of np.ascontiguousarray(x), or of a .copy()",
        )
        raise needed(m, x, error)
    # In the other order, too, where at most one axis is longer than 1.
    other = entries.run(m, counting_programs.lies_both_ways, Tuple(tuple(sizes_of(m, x))))
    return (TRUE, other) if layout in IN_C_ORDER else (other, TRUE)
