"""Products of vectors and matrices: matmul, dot, tensordot, einsum, outer, kron, cross."""

from __future__ import annotations

import string
from collections.abc import Sequence

import numpy as np

from graph_program.extract import diagnostics
from graph_program.extract.library.arrays import products
from graph_program.extract.stage.arrays.lowering_arguments import (
    FALSE,
    ZERO,
    array,
    axis_of,
    checked_axis,
    dtype_of,
    flat,
    in_common_type,
    is_sequence,
    kind_of,
    known,
    number,
    numpy_function,
    returned,
    sequence,
    size_product,
    sizes_of,
    u,
    value_error,
)
from graph_program.extract.stage.arrays.size_checks import check_aligned, unequal
from graph_program.extract.stage.machine.checks.size_facts import expressible
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.numbers import arithmetic
from graph_program.extract.stage.numpy.make.grids import diagonal_first
from graph_program.extract.stage.numpy.outputs import with_out
from graph_program.extract.stage.numpy.program_arguments import answers
from graph_program.extract.stage.operations.known_and_truth import numeric, size_needed, static, tensor
from graph_program.extract.stage.paths.raising import check
from graph_program.extract.stage.values.questions import is_known_as
from graph_program.extract.stage.values.values import NONE, Static, Tensor, Value, size_of, type_of
from graph_program.extract.types.tensors.promotion import ufunc_dtypes
from graph_program.extract.types.tensors.tensor_type import BOOL

TWO = Static(2)


def product(m: Machine, x: Tensor, y: Tensor) -> Tensor:
    """The `matmul` operation on operands of one element type; booleans by counting."""
    kind = kind_of(max(x.rank, y.rank, 2) - (x.rank == 1) - (y.rank == 1))
    if x.type.dtype == BOOL:
        counts = product(m, m.cast(x, np.dtype(np.int32)), m.cast(y, np.dtype(np.int32)))
        return m.op("not_equal", counts, number(m, 0, counts.type.dtype), kind=counts.type.kind)
    return m.op("matmul", x, y, kind=kind)


@arithmetic.matmul.given
@numpy_function(np.matmul)
@with_out("np.matmul", "matmul")
def matmul(m: Machine, x1: Value, x2: Value, /, out: Value = NONE, *, dtype: Value = NONE) -> Value:
    values = [numeric(m, x1), numeric(m, x2)]
    target = dtype_of(m, dtype)
    if target is not None:
        left, right = (m.cast(tensor(m, v), target) for v in values)
        return product(m, left, right)
    inputs, _ = m.by_rule(ufunc_dtypes, np.matmul, [type_of(v) for v in values])
    left, right = (arithmetic.convert(m, v, d) for v, d in zip(values, inputs, strict=True))
    return product(m, left, right)


@numpy_function(np.dot, method="dot")
@with_out("np.dot", exact=True)
def dot(m: Machine, a: Value, b: Value, out: Value = NONE) -> Value:
    """`np.dot`: the product over the last axis of `a` and the second last of `b`."""
    x, y = in_common_type(m, a, b)
    if not x.rank or not y.rank:
        return u(m, np.multiply, x, y)
    if y.rank == 1 or (x.rank <= 2 and y.rank == 2):
        check_aligned(m, x, y, x.rank - 1, max(y.rank - 2, 0))
        return product(m, x, y)
    check_aligned(m, x, y, x.rank - 1, y.rank - 2)
    return contract(m, x, y, (x.rank - 1,), (y.rank - 2,))


def contract(m: Machine, x: Tensor, y: Tensor, x_axes: Sequence[int], y_axes: Sequence[int]) -> Tensor:
    """The sum over pairs of axes, as one matrix product; free axes of `x`, then of `y`."""
    x_free = [i for i in range(x.rank) if i not in x_axes]
    y_free = [i for i in range(y.rank) if i not in y_axes]
    x_sizes, y_sizes = sizes_of(m, x), sizes_of(m, y)
    inner = size_product(m, [x_sizes[i] for i in x_axes])
    rows = [x_sizes[i] for i in x_free]
    columns = [y_sizes[i] for i in y_free]
    left = matrix(m, x, [*x_free, *x_axes], size_product(m, rows), inner)
    right = matrix(m, y, [*y_axes, *y_free], inner, size_product(m, columns))
    result = product(m, left, right)
    if len(rows) == len(columns) == 1:
        return result
    return returned(m, m.op("reshape", result, *rows, *columns))


def matrix(m: Machine, x: Tensor, perm: Sequence[int], rows: Value, columns: Value) -> Tensor:
    """An array with its axes permuted and gathered into two."""
    if list(perm) != list(range(x.rank)):
        x = m.op("transpose", x, perm=tuple(perm))
    return x if x.rank == 2 and x.type.shape[0] == size_of(rows) else m.op("reshape", x, rows, columns)


def along(m: Machine, x: Tensor, axis: Value) -> tuple[Tensor, int]:
    """The array and the axis to go along; the flattened array without one, and for an array of rank 0."""
    given = static(m, axis, "an axis")
    if given is None or x.rank == 0:
        x = flat(m, x)
    return x, 0 if given is None else axis_of(m, axis, x.rank)


@numpy_function(np.inner)
def inner(m: Machine, a: Value, b: Value, /) -> Value:
    """`np.inner`: the product over the last axes."""
    x, y = in_common_type(m, a, b)
    if not x.rank or not y.rank:
        return u(m, np.multiply, x, y)
    check_aligned(m, x, y, x.rank - 1, y.rank - 1)
    if x.rank == y.rank == 1:
        return product(m, x, y)
    return contract(m, x, y, (x.rank - 1,), (y.rank - 1,))


@numpy_function(np.tensordot, np.linalg.tensordot)
def tensordot(m: Machine, a: Value, b: Value, axes: Value = TWO) -> Value:
    """`np.tensordot`: the sum over the last `axes` of `a` and the first of `b`, or over listed axes."""
    x, y = in_common_type(m, a, b)
    x_axes, y_axes = paired_axes(m, static(m, axes, "the axes"), x, y)
    pairs = list(zip(x_axes, y_axes, strict=True))
    for i, j in pairs:
        check(m, unequal(m, m.dimension(x, i), m.dimension(y, j)), ValueError, "shape-mismatch for sum")
    result = contract(m, x, y, x_axes, y_axes)
    return m.reclassed(result, array(m, result).type.kind)


def paired_axes(m: Machine, axes: object, x: Tensor, y: Tensor) -> tuple[list[int], list[int]]:
    """The axes to sum over, of both arrays."""
    if isinstance(axes, tuple | list):
        given = [list(a) if isinstance(a, tuple | list) else [a] for a in axes]
    else:
        try:
            count = int(axes)  # type: ignore[call-overload]
        except (TypeError, ValueError) as error:
            raise value_error(m, str(error)) from None
        if count > min(x.rank, y.rank):
            raise m.error("GP303", "tuple index out of range", cls=diagnostics.ProgramIndexError)
        given = [list(range(-count, 0)), list(range(count))]
    if len(given[0]) != len(given[1]) or len(given[0]) > min(x.rank, y.rank):
        raise value_error(m, "shape-mismatch for sum")
    left, right = given
    return [checked_axis(m, a, x.rank) for a in left], [checked_axis(m, a, y.rank) for a in right]


@answers(products.components_of)
def components_of(m: Machine, x: Value) -> Value:
    vectors = array(m, x)
    size = m.dimension(vectors, vectors.rank - 1)
    if known(size) is not None:
        return size
    hint = "take the components one by one: x[0] * y[1] - x[1] * y[0]"
    if expressible(m, vectors.type.shape[-1]):
        text = "np.cross needs to know whether its vectors have two or three components"
        raise size_needed(size, m.error("GP309", text, hint=hint))
    text = "np.cross of vectors with two components has another rank than of those with three"
    m.limit(arithmetic.compare(m, "==", size, TWO), "GP592", text, hint=hint)
    return Static(3)


# ---------------------------------------------------------------- einsum

LETTERS = string.ascii_uppercase + string.ascii_lowercase
"""What numbers are as subscripts, in NumPy's order."""


def subscripts_of(m: Machine, values: Sequence[Value]) -> tuple[Value, tuple[Value, ...]]:
    """Operands with a list of subscripts each, and maybe one for the result, as a string and the operands."""
    paired = len(values) // 2 * 2
    if not all(is_sequence(m, v) for v in (*values[1:paired:2], *values[paired:])):
        return values[0], tuple(values[1:])
    listed = ",".join(letters(m, v) for v in values[1:paired:2])
    result = "".join(f"->{letters(m, v)}" for v in values[paired:])
    return Static(listed + result), tuple(values[:paired:2])


def letters(m: Machine, value: Value) -> str:
    """A list of subscripts as letters."""
    listed = static(m, value, "the subscripts of einsum")
    return "".join("..." if i is Ellipsis else LETTERS[i] for i in listed)


@numpy_function(np.einsum)
@with_out("np.einsum", exact=True)
def einsum(
    m: Machine,
    subscripts: Value,
    *operands: Value,
    out: Value = NONE,
    dtype: Value = NONE,
    optimize: Value = FALSE,
    order: Value = NONE,
    casting: Value = NONE,
) -> Value:
    """`np.einsum` with known subscripts: a string, or a list of numbers after each operand."""
    if operands and not is_known_as(subscripts, str):
        subscripts, operands = subscripts_of(m, (subscripts, *operands))
    text = static(m, subscripts, "the subscripts of einsum")
    if not isinstance(text, str):
        raise m.error("GP321", "np.einsum has a graph form for subscript strings only")
    if len(operands) == 1 and is_sequence(m, operands[0]):
        operands = tuple(sequence(m, operands[0], "the operands"))
    arrays = in_common_type(m, *operands)
    target = dtype_of(m, dtype)
    if target is not None:
        arrays = [m.cast(a, target) for a in arrays]
    terms, output = explicit_terms(m, text, [a.rank for a in arrays])
    for k, (term, x) in enumerate(zip(terms, arrays, strict=True)):
        where = "single operand" if len(operands) == 1 and set(term) <= set(output) else f"operand {k}"
        terms[k], arrays[k] = without_repeats(m, term, x, where)
    equation = f"{','.join(terms)}->{output}"
    result = m.op("einsum", *arrays, kind=kind_of(len(output)), equation=equation)
    if len(operands) == 1 and output and set(terms[0]) == set(output):
        # Nothing is summed: NumPy gives a view of the operand.
        result.sources = (array(m, operands[0]),)
    return result


def explicit_terms(m: Machine, text: str, ranks: Sequence[int]) -> tuple[list[str], str]:
    """The subscripts of each operand and of the result, ellipses written as letters."""
    inputs, arrow, output = text.replace(" ", "").partition("->")
    terms = inputs.split(",")
    if len(terms) != len(ranks):
        few = "fewer" if len(ranks) < len(terms) else "more"
        end = "einstein sum function than specified in the subscripts string"
        raise value_error(m, f"{few} operands provided to {end}")
    free = [c for c in string.ascii_letters if c not in text]
    extra = [r - len(t.replace("...", "")) if "..." in t else 0 for t, r in zip(terms, ranks, strict=True)]
    if any(e < 0 for e in extra):
        operand = next(i for i, e in enumerate(extra) if e < 0)
        start = "einstein sum subscripts string contains too many subscripts for operand"
        raise value_error(m, f"{start} {operand}")
    width = max(extra, default=0)
    letters = free[:width]
    expanded = [t.replace("...", "".join(letters[width - e :])) for t, e in zip(terms, extra, strict=True)]
    if arrow:
        return expanded, output.replace("...", "".join(letters))
    counted = "".join(t.replace("...", "") for t in terms)
    once = sorted(c for c in set(counted) if counted.count(c) == 1)
    return expanded, "".join([*letters, *once])


def without_repeats(m: Machine, term: str, x: Tensor, where: str) -> tuple[str, Tensor]:
    """An operand with letters that occur twice replaced by the diagonal over them; `where` names it in errors."""
    while len(set(term)) != len(term):
        letter = next(c for c in term if term.count(c) > 1)
        if len(term) != x.rank:
            break
        i = term.index(letter)
        j = term.index(letter, i + 1)
        first, second = m.dimension(x, i), m.dimension(x, j)
        text = f"dimensions in {where} for collapsing index '{letter}' don't match ("
        check(m, unequal(m, first, second), ValueError, text, first, " != ", second, ")")
        x = diagonal_first(m, x, ZERO, i, j)
        term = letter + "".join(c for k, c in enumerate(term) if k not in (i, j))
    return term, x
