"""What NumPy says about sizes that do not fit, where that is only known at run time.

np.stack([x, y])   ->   check not_equal(dim(x, 0), dim(y, 0)): ValueError("all input arrays ...")
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from functools import partial, reduce
from typing import Any

from graph_program.extract.stage.arrays.lowering_arguments import (
    ONE,
    ZERO,
    equal_sizes,
    size_op,
    size_product,
    sizes_of,
)
from graph_program.extract.stage.arrays.operation_checks import require as require_of_operation
from graph_program.extract.stage.machine.checks import booleans
from graph_program.extract.stage.machine.checks.size_facts import settle
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.numbers import arithmetic
from graph_program.extract.stage.paths.raising import check, shape_text
from graph_program.extract.stage.values.exception_values import with_message
from graph_program.extract.stage.values.questions import are_known, is_known, known_value
from graph_program.extract.stage.values.values import Static, Tensor, Value, size_of
from graph_program.extract.types import dims
from graph_program.extract.types.rules.facts import Requirement, equal
from graph_program.extract.types.rules.requirements import broadcast, shapes_text
from graph_program.extract.types.tensors.shape_arithmetic import shape_parts
from graph_program.extract.types.tensors.tensor_type import INT64, Kind

NEGATIVE = "negative dimensions are not allowed"

MISMATCH = "shape mismatch: objects cannot be broadcast to a single shape.  Mismatch is between arg "


def unequal(m: Machine, a: Value, b: Value) -> Value:
    """Whether two sizes differ."""
    return arithmetic.compare(m, "!=", a, b)


def check_not_negative(m: Machine, size: Value, *text: str | Value) -> None:
    """Refuse a negative size."""
    check(m, arithmetic.compare(m, "<", size, ZERO), ValueError, *(text or (NEGATIVE,)))


def counted(m: Machine, size: Value, *text: str | Value) -> Value:
    """A size that is a number of the program as a dim of its own, after the check that it is not negative."""
    if not isinstance(size, Tensor) or size_of(size) is not None:
        return size
    check_not_negative(m, size, *text)
    return Tensor(m.contents(size), size.type, m.loc, size=m.fresh_dim(), bits=size.bits)


def check_same_shapes(m: Machine, arrays: Sequence[Tensor], text: str, error: type[BaseException] = ValueError) -> None:
    """Refuse arrays of one rank whose shapes differ."""
    first = sizes_of(m, arrays[0])
    pairs = [pair for other in arrays[1:] for pair in zip(first, sizes_of(m, other), strict=True)]
    check(m, booleans.any_of(m, (unequal(m, a, b) for a, b in pairs)), error, text)


def check_stretches(m: Machine, x: Tensor, sizes: Sequence[Value], *texts: str) -> None:
    """Refuse an array that does not broadcast to a shape; `texts` stand before the two shapes."""
    pairs = zip(reversed(sizes_of(m, x)), reversed(sizes), strict=False)
    bad = booleans.any_of(m, (booleans.both(m, unequal(m, a, b), unequal(m, a, ONE)) for a, b in pairs))
    check(m, bad, ValueError, texts[0], *shape_text(sizes_of(m, x)), texts[1], *shape_text(sizes))


def check_broadcast(m: Machine, arrays: Sequence[Tensor]) -> None:
    """NumPy's error for operands of one function that do not broadcast, with all of their shapes."""
    shapes = [x.type.shape for x in arrays]
    text = ("operands could not be broadcast together with shapes ", *shapes_text(shapes))
    settle(m, Requirement(tuple(broadcast(shapes)), "shape", text), arrays)


def output_text(out: Tensor, result: Tensor, what: str = "output operand") -> tuple[Any, ...]:
    """What NumPy says of an output that has not the shape of what goes there."""
    shapes = (*shape_parts(out.type.shape), " doesn't match the broadcast shape ", *shape_parts(result.type.shape))
    return (f"non-broadcastable {what} with shape ", *shapes)


def check_same_shape(m: Machine, out: Tensor, result: Tensor, operands: Sequence[Value]) -> None:
    """See that an output has the shape of a result of its rank."""
    clauses = tuple(equal(a, b) for a, b in zip(out.type.shape, result.type.shape, strict=True) if a != b)
    settle(m, Requirement(clauses, "shape", output_text(out, result)), operands)


def check_stretched(m: Machine, out: Tensor, value: Tensor, text: tuple[Any, ...]) -> None:
    """See that an array of no higher rank can be stretched to the shape of another."""
    pairs = zip(reversed(out.type.shape), reversed(value.type.shape), strict=False)
    clauses = tuple((*equal(a, b), *equal(b, 1)) for a, b in pairs if a != b and b.constant != 1)
    settle(m, Requirement(clauses, "shape", text), [out, value])


def check_aligned(m: Machine, x: Tensor, y: Tensor, i: int, j: int) -> None:
    """NumPy's error for two axes that cannot be summed over together."""
    if x.type.shape[i] == y.type.shape[j]:
        return
    left, right = m.dimension(x, i), m.dimension(y, j)
    shapes = [*shape_text(sizes_of(m, x)), " and ", *shape_text(sizes_of(m, y))]
    text = ("shapes ", *shapes, " not aligned: ", left, f" (dim {i}) != ", right, f" (dim {j})")
    check(m, unequal(m, left, right), ValueError, *text)


def check_reshape(m: Machine, x: Tensor, sizes: Sequence[Value]) -> None:
    """Refuse a shape that holds another number of elements, unless the operation itself requires what is needed.

    A size that is a number of the program may be negative, and is then what is left over, as -1 is.
    """
    given = [size_of(s) for s in sizes]
    computed = [d is None or not dims.provably_less_equal(0, m.facts.resolve(d)) for d in given]
    left_over = [known_value(s, 0) < 0 for s in sizes]
    if not any(c and not n for c, n in zip(computed, left_over, strict=True)):
        return
    held, shown = size_product(m, sizes_of(m, x)), shape_text(sizes)
    text = ("cannot reshape array of size ", held, " into shape ")
    negative: dict[int, Value] = {i: arithmetic.compare(m, "<", s, ZERO) for i, s in enumerate(sizes) if computed[i]}
    some: Value = Static(False)
    for is_negative in negative.values():
        check(m, booleans.both(m, some, is_negative), ValueError, "can only specify one unknown dimension")
        some = booleans.either(m, some, is_negative)
    if not any(left_over):
        bad = booleans.both(m, booleans.negate(m, some), unequal(m, size_product(m, sizes), held))
        check(m, bad, ValueError, *text, *shown)
    for i, is_negative in negative.items():
        rest = size_product(m, [s for j, s in enumerate(sizes) if j != i])
        bad = booleans.both(m, is_negative, _leaves_a_rest(m, held, rest))
        others = [s if j != i else Static("newaxis") for j, s in enumerate(sizes) if i or j]
        check(m, bad, ValueError, *text, *(shape_text(others) if len(others) > 1 else ("(", *others, ")")))


def _leaves_a_rest(m: Machine, held: Value, size: Value) -> Value:
    """Whether no number of parts of a size makes up all elements."""
    parts = size_op(m, "//", held, size_op(m, "max", size, ONE))
    return booleans.either(m, arithmetic.compare(m, "<", size, ONE), unequal(m, size_op(m, "*", parts, size), held))


def check_sizes(m: Machine, sizes: Sequence[Value]) -> None:
    """Sizes of a new array that only a run tells are not negative."""
    for size in sizes:
        if size_of(size) is None and size.inside is None:
            error = partial(with_message, ValueError, (NEGATIVE,))
            require_of_operation(m, ValueError, partial(arithmetic.compare, m, "<", size, ZERO), error)


def broadcast_sizes(m: Machine, shapes: Sequence[Sequence[Value]]) -> list[Value]:
    """The shape that shapes broadcast to, checked in NumPy's order."""
    rank = max(map(len, shapes), default=0)
    result: list[Value] = []
    for axis in range(-rank, 0):
        column = [(k, shape[axis]) for k, shape in enumerate(shapes) if len(shape) >= -axis]
        check_column(m, column, shapes)
        result.append(reduce(partial(wider, m), [ONE, *(size for _, size in column)]))
    return result


def check_column(m: Machine, column: Sequence[tuple[int, Value]], shapes: Sequence[Sequence[Value]]) -> None:
    """Refuse sizes of one axis that do not broadcast."""
    for position, (j, b) in enumerate(column):
        for i, a in column[:position]:
            different = booleans.both(m, unequal(m, a, ONE), unequal(m, b, ONE))
            bad = booleans.both(m, unequal(m, a, b), different)
            first, second = shape_text(shapes[i], ", "), shape_text(shapes[j], ", ")
            check(m, bad, ValueError, f"{MISMATCH}{i} with shape ", *first, f" and arg {j} with shape ", *second, ".")


def quotient(m: Machine, op: str, k: Value, size: Value) -> Value:
    """Quotient or remainder of a position by a size, which is not 0 where there are elements."""
    if are_known((k, size)):
        return Static(QUOTIENTS[op](known_value(k), known_value(size)))
    result = m.op(op, m.cast(k, INT64), m.cast(size, INT64), kind=Kind.PYTHON)
    result.bits = 48
    result.needs |= k.needs
    return result


QUOTIENTS: dict[str, Callable[[int, int], int]] = {"floor_divide": operator.floordiv, "remainder": operator.mod}


def wider(m: Machine, a: Value, b: Value) -> Value:
    """The size that two sizes broadcast to; a size of 1 becomes the other."""
    left, right = size_of(a), size_of(b)
    if (left is not None and left == right) or equal_sizes(m, b, ONE):
        return a
    if equal_sizes(m, a, ONE) or (is_known(b) and equal_sizes(m, b, ONE) is False):
        return b
    if equal_sizes(m, a, ONE) is False:
        return a
    is_one = arithmetic.compare(m, "==", a, ONE)
    result = m.op("where", is_one, m.cast(b, INT64), m.cast(a, INT64), kind=Kind.PYTHON)
    if left is not None and right is not None:
        result.size = dims.broadcast(left, right)
    result.bits = 48
    return result
