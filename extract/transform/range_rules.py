"""Between which sizes the integers lie that an operation gives; see `integer_ranges`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import numpy as np

from graph_program.extract.ir.graph import Node, Value
from graph_program.extract.transform.orders import (
    HIGHEST,
    LARGEST,
    LOWEST,
    ORDERS,
    Range,
    above_both,
    below_both,
    both,
    either,
    most_of_sizes,
)
from graph_program.extract.transform.round_sums import most_of_multiple
from graph_program.extract.transform.row_counts import row_count
from graph_program.extract.types.dims import Dim, dim, exact_quotient, provably_less_equal
from graph_program.extract.types.dims.integers import number_size

if TYPE_CHECKING:
    from graph_program.extract.transform.integer_ranges import Ranges

MOST_ROUNDS = 2**60
"""A loop does not come to so many rounds in any time there is."""
INT64 = np.dtype(np.int64)
MOST_FACTORS = MOST_ROUNDS, LARGEST, 2**14
"""The greatest factors of 1, of a size, and of the number of an array's elements, which are less than 2**48."""
ENDS = {
    np.dtype(kind): (int(np.iinfo(kind).min), int(np.iinfo(kind).max))
    for kind in (np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64)
}
"""The least integer of a type, and the greatest, where both are among those of 64 bits."""
NO_ENDS = 1, 0
ANY: Range = (LOWEST, HIGHEST)
MOST_BITS = 62
"""One is shifted to the left by so many bits at most."""

Rule = Callable[["Ranges", Node, int], Range | None]


def fits(found: Range, dtype: np.dtype = INT64) -> Range | None:
    """A range of integers of a type; None if they might be outside of it, as they would wrap around."""
    low, high = ENDS.get(dtype, NO_ENDS)
    for end in found:
        if end.constant is None:
            far = (abs(factor) > MOST_FACTORS[min(len(atoms), 2)] for atoms, factor in end.terms)
            if dtype != INT64 or any(far):
                return None
        elif not low <= end.constant <= high:
            return None
    return found


def _constant(ranges: Ranges, node: Node, depth: int) -> Range | None:
    output = node.outputs[0]
    if output not in ranges.constants:
        ranges.constants[output] = _of_elements(node.attrs["value"])
    return ranges.constants[output]


def _of_elements(array: np.ndarray) -> Range | None:
    if array.dtype.kind not in "iu" or not array.size:
        return None
    return fits((dim(int(array.min())), dim(int(array.max()))))


def _size(ranges: Ranges, node: Node, depth: int) -> Range | None:
    (array,), axis, shape = node.inputs, node.attrs["axis"], ranges.shape(node.inputs[0])
    if shape is None:
        return None
    loop = ranges.maker(array)
    rounds = ranges.of(loop.inputs[0], depth) if loop is not None and loop.op == "loop" and not axis else None
    if loop is None or rounds is None or rounds[0] != rounds[1] or not provably_less_equal(0, rounds[0]):
        return shape[axis], shape[axis]
    size = row_count(loop, array, ranges.maker, rounds[0]) or shape[axis]
    return size, size


def _cast(ranges: Ranges, node: Node, depth: int) -> Range | None:
    dtype = node.outputs[0].type.dtype
    found = ranges.of(node.inputs[0], depth) if dtype in ENDS and node.inputs[0].type.dtype.kind in "biu" else None
    return found if found is None or dtype == INT64 else fits(found, dtype)


def _operands(ranges: Ranges, node: Node, depth: int) -> tuple[Range, Range] | None:
    if node.outputs[0].type.dtype not in ENDS:
        return None
    a, b = (ranges.of(value, depth) for value in node.inputs)
    return None if a is None or b is None else (a, b)


def _that_fits(node: Node, low: Dim, high: Dim) -> Range | None:
    return fits((low, high), node.outputs[0].type.dtype)


def _sum(ranges: Ranges, node: Node, depth: int) -> Range | None:
    found = _operands(ranges, node, depth)
    return None if found is None else _that_fits(node, found[0][0] + found[1][0], found[0][1] + found[1][1])


def _total(ranges: Ranges, node: Node, depth: int) -> Range | None:
    """What elements along one axis, or some of them, come to."""
    found, shape = ranges.of(node.inputs[0], depth), ranges.shape(node.inputs[0])
    axes = node.attrs["axes"] if node.op == "sum" else (node.attrs["axis"],)
    if found is None or shape is None or len(axes) != 1 or any(end.constant is None for end in found):
        return None
    length = shape[axes[0]]
    low, high = (end.constant or 0 for end in found)
    return _that_fits(node, length * min(low, 0), length * max(high, 0))


def _difference(ranges: Ranges, node: Node, depth: int) -> Range | None:
    found = _operands(ranges, node, depth)
    ends = None if found is None else _that_fits(node, found[0][0] - found[1][1], found[0][1] - found[1][0])
    if (ends is not None and provably_less_equal(0, ends[0])) or not _is_above(ranges, *node.inputs):
        return ends
    a, b = _ends(ranges, node, depth)
    return _that_fits(node, dim(0), a[1] - b[0]) or ends


def _is_above(ranges: Ranges, a: Value, b: Value) -> bool:
    """Whether a number is not less than another one for how they are made: as the greater one of it and a third."""
    greater, smaller = ranges.maker(a), ranges.maker(b)
    return (
        (greater is not None and greater.op == "maximum" and b in greater.inputs)
        or (smaller is not None and smaller.op == "minimum" and a in smaller.inputs)
        or ranges.is_at_most(b, a)
    )


def _multiple(ranges: Ranges, node: Node, depth: int) -> Range | None:
    found = _operands(ranges, node, depth)
    known = None if found is None else product_range(*found, node.outputs[0].type.dtype)
    known = known or _elements(ranges, node) or _of_rounds(ranges, node)
    known = known or (_product_of_places(ranges, *found) if found is not None else None)
    return known if known is not None or found is None else _product_of_sizes(node, *found)


def _product_of_places(ranges: Ranges, a: Range, b: Range) -> Range | None:
    """The product of numbers below sizes of an array, which it has as many elements as."""
    if not ranges.elements or HIGHEST in (a[1], b[1]) or not all(provably_less_equal(0, low) for low, _ in (a, b)):
        return None
    most = a[1] * b[1]
    return (a[0] * b[0], most) if ranges.counts_elements(most) else None


def _product_of_sizes(node: Node, a: Range, b: Range) -> Range | None:
    """The product of sums of sizes, as numbers."""
    ends = [(most_of_sizes(-low), most_of_sizes(high)) for low, high in (a, b)]
    known = [(-least, most) for least, most in ends if least is not None and most is not None]
    if len(known) < len(ends):
        return None
    products = [x * y for x in known[0] for y in known[1]]
    low = 0 if node.inputs[0] is node.inputs[1] else min(products)
    return _that_fits(node, dim(low), dim(max(products)))


def _of_rounds(ranges: Ranges, node: Node) -> Range | None:
    """What counts the rounds of a loop times what their number is a quotient by."""
    most = most_of_multiple(ranges, node.outputs[0])
    return None if most is None else fits((dim(0), most))


def _elements(ranges: Ranges, node: Node) -> Range | None:
    """The product of the sizes of an array, or of some: it has so many elements, which it would not have else."""
    factors, number = [*node.inputs], dim(1)
    axes: list[int] = []
    array: Value | None = None
    while factors:
        value = factors.pop()
        maker = ranges.maker(value)
        if maker is not None and maker.op == "multiply" and not value.type.rank:
            factors += maker.inputs
            continue
        if maker is None or maker.op != "dim" or array not in (None, maker.inputs[0]) or maker.attrs["axis"] in axes:
            return None
        array = maker.inputs[0]
        shape = ranges.shape(array)
        if shape is None:
            return None
        axes.append(maker.attrs["axis"])
        number *= shape[axes[-1]]
    return number, number


def product_range(a: Range, b: Range, dtype: np.dtype = INT64) -> Range | None:
    """The product of numbers, or of sizes with one number; None where it may not fit."""
    known = _numbers(a, b)
    if known is not None:
        ends = [x * y for x in known[0] for y in known[1]]
        return fits((dim(min(ends)), dim(max(ends))), dtype)
    for (low, high), (least, greatest) in ((a, b), (b, a)):
        if least == greatest and least.constant is not None:
            multiple = (low * least, high * least)
            return fits(multiple if least.constant >= 0 else (multiple[1], multiple[0]), dtype)
    return None


def _numbers(*found: Range) -> list[tuple[int, int]] | None:
    """The ends of ranges, where all of them are known numbers and no range is empty, as where nothing comes to."""
    known = [(low.constant, high.constant) for low, high in found]
    is_known = all(low is not None and high is not None and low <= high for low, high in known)
    return known if is_known else None  # type: ignore[return-value]


def _shifted_left(ranges: Ranges, node: Node, depth: int) -> Range | None:
    """`x << n` is `x * 2**n`."""
    found = _operands(ranges, node, depth)
    by = None if found is None else _numbers(found[1])
    if found is None or by is None or by[0][0] < 0 or by[0][1] > MOST_BITS:
        return None
    return product_range(found[0], (dim(2 ** by[0][0]), dim(2 ** by[0][1])), node.outputs[0].type.dtype)


def _shifted_right(ranges: Ranges, node: Node, depth: int) -> Range | None:
    """`x >> n` is not farther from 0 than x, and on its side."""
    found = _operands(ranges, node, depth)
    if found is None or not provably_less_equal(0, found[1][0]):
        return None
    (low, high), known = found[0], _numbers(*found)
    if known is not None:
        (least, most), bits = known[0], [min(n, MOST_BITS + 1) for n in known[1]]
        return dim(min(least >> n for n in bits)), dim(max(most >> n for n in bits))
    return (dim(0), high) if provably_less_equal(0, low) else None


def _negative(ranges: Ranges, node: Node, depth: int) -> Range | None:
    found = ranges.of(node.inputs[0], depth) if node.outputs[0].type.dtype in ENDS else None
    return None if found is None else _that_fits(node, -found[1], -found[0])


def _remainder(ranges: Ranges, node: Node, depth: int) -> Range | None:
    divisor = ranges.of(node.inputs[1], depth)
    if divisor is None or not provably_less_equal(1, divisor[0]):
        return None
    given = ranges.of(node.inputs[0], depth)
    is_less = given is not None and provably_less_equal(0, given[0]) and provably_less_equal(given[1], divisor[1] - 1)
    return dim(0), (given[1] if given is not None and is_less else divisor[1] - 1)


def _masked(ranges: Ranges, node: Node, depth: int) -> Range | None:
    """`x & mask` is not negative and at most the mask, if that is not negative."""
    if node.outputs[0].type.dtype.kind == "b":
        return None
    known = [found for value in node.inputs if (found := ranges.of(value, depth)) is not None]
    highs = [high for low, high in known if provably_less_equal(0, low)]
    least = next((high for high in highs if all(provably_less_equal(high, other) for other in highs)), None)
    return (dim(0), least if least is not None else highs[0]) if highs else None


def _exclusive(ranges: Ranges, node: Node, depth: int) -> Range | None:
    """`x ^ y` of numbers that are not negative is not negative, either, and has no bits that neither has."""
    found = _operands(ranges, node, depth)
    if found is None or not all(provably_less_equal(0, low) for low, _ in found):
        return None
    known = _numbers(*found)
    return dim(0), (ANY[1] if known is None else dim(2 ** max(high.bit_length() for _, high in known) - 1))


def _any_bits(ranges: Ranges, node: Node, depth: int) -> Range | None:
    """`x | y`: of truth values the greater one; of numbers it has no bits that neither has, and not fewer than one."""
    if node.outputs[0].type.dtype.kind == "b":
        found = [ranges.of(value, depth) for value in node.inputs]
        return None if found[0] is None or found[1] is None else _larger(found[0], found[1])
    bits, operands = _exclusive(ranges, node, depth), _operands(ranges, node, depth)
    if bits is None or operands is None:
        return None
    low = next((low for low, _ in operands if all(provably_less_equal(other, low) for other, _ in operands)), dim(0))
    return low, bits[1]


def _distance(ranges: Ranges, node: Node, depth: int) -> Range | None:
    """`abs(x)`."""
    found = ranges.of(node.inputs[0], depth) if node.outputs[0].type.dtype in ENDS else None
    if found is None or provably_less_equal(0, found[0]):
        return found
    known = _numbers(found)
    return None if known is None else _that_fits(node, dim(0), dim(max(map(abs, known[0]))))


def _position(ranges: Ranges, node: Node, depth: int) -> Range | None:
    """Places along an axis."""
    shape = ranges.shape(node.inputs[0])
    return None if shape is None else (dim(0), shape[node.attrs["axis"]] - 1)


def _quotient(ranges: Ranges, node: Node, depth: int) -> Range | None:
    """`x // n` is not negative where neither is, and less than c where x is less than `c * n`."""
    found = _operands(ranges, node, depth)
    if found is None:
        return None
    size = _of_sizes(node, found)
    if size is not None:
        return size
    (low, high), (least, most) = found
    known = _numbers(*found)
    if known is not None and min(known[1]) >= 1:
        ends = [number // by for number in known[0] for by in known[1]]
        return dim(min(ends)), dim(max(ends))
    if not (provably_less_equal(0, low) and provably_less_equal(1, least)):
        return None
    parts = exact_quotient(high + 1, most) if least == most else None
    return dim(0), (high if parts is None else parts - 1)


def _compared(ranges: Ranges, node: Node, depth: int) -> Range | None:
    """Whether elements are in an order, all of them or none."""
    found = [ranges.of(value, depth) for value in node.inputs]
    if found[0] is None or found[1] is None:
        return None
    answer = ORDERS[node.op](found[0], found[1])
    return None if answer is None else (dim(answer), dim(answer))


def _larger(a: Range, b: Range) -> Range:
    """Of the greater of two truth values."""
    low, high = (dim(max(x.constant or 0, y.constant or 0)) for x, y in zip(a, b, strict=True))
    return low, high


def _of_sizes(node: Node, found: Iterable[Range]) -> Range | None:
    """What an operation gives for integers that are sizes, given their ranges."""
    if node.outputs[0].type.dtype != np.int64:
        return None
    size = number_size(node.op, [low if low == high else None for low, high in found])
    return None if size is None else (size, size)


def _smaller(ranges: Ranges, node: Node, depth: int) -> Range | None:
    a, b = _ends(ranges, node, depth)
    size = _of_sizes(node, (a, b))
    if size is not None or (a is ANY and b is ANY):
        return size
    low = below_both(a[0], b[0])
    if low is None and all(provably_less_equal(0, x[0]) for x in (a, b)):
        low = dim(0)
    return None if low is None else (low, both(a, b)[1])


def _greater(ranges: Ranges, node: Node, depth: int) -> Range | None:
    a, b = _ends(ranges, node, depth)
    size = _of_sizes(node, (a, b))
    if size is not None or (a is ANY and b is ANY):
        return size
    high = above_both(a[1], b[1])
    return None if high is None else (both(a, b)[0], high)


def _ends(ranges: Ranges, node: Node, depth: int) -> tuple[Range, Range]:
    """The ranges of two integers, of which nothing may be known."""
    found = [ranges.of(value, depth) for value in node.inputs]
    if node.outputs[0].type.dtype != np.int64 and None in found:
        return ANY, ANY
    return found[0] or ANY, found[1] or ANY


def _counted(ranges: Ranges, node: Node, depth: int) -> Range | None:
    stop = ranges.of(node.inputs[0], depth)
    return None if stop is None else (dim(0), stop[1] - 1)


def _chosen(ranges: Ranges, node: Node, depth: int) -> Range | None:
    test, *values = node.inputs
    found = []
    for value, holds in zip(values, (True, False), strict=True):
        if ranges.is_constant(value):
            found.append(ranges.of(value, depth))
            continue
        found.append(ranges.of_where(test, holds, value, depth))
    return either(*found)


def _same(ranges: Ranges, node: Node, depth: int) -> Range | None:
    """Elements of an array."""
    return ranges.of(node.inputs[0], depth)


def _found(ranges: Ranges, node: Node, depth: int) -> Range | None:
    """Whether any element holds: not where none does, or none is there."""
    found = ranges.of(node.inputs[0], depth)
    return found if found == (dim(0), dim(0)) else None


def _joined(ranges: Ranges, node: Node, depth: int) -> Range | None:
    found = ranges.of(node.inputs[0], depth)
    for value in node.inputs[1:]:
        found = either(found, ranges.of(value, depth))
    return found


def _written(ranges: Ranges, node: Node, depth: int) -> Range | None:
    return either(*(ranges.of(value, depth) for value in node.inputs[:2]))


RULES: dict[str, Rule] = {
    "constant": _constant,
    "dim": _size,
    "cast": _cast,
    "add": _sum,
    "subtract": _difference,
    "multiply": _multiple,
    "negative": _negative,
    "floor_divide": _quotient,
    **dict.fromkeys(ORDERS, _compared),
    "bitwise_or": _any_bits,
    "left_shift": _shifted_left,
    "right_shift": _shifted_right,
    "absolute": _distance,
    "any": _found,
    "maximum": _greater,
    "minimum": _smaller,
    "remainder": _remainder,
    "bitwise_and": _masked,
    "bitwise_xor": _exclusive,
    **dict.fromkeys(["argmax", "argmin", "argsort"], _position),
    **dict.fromkeys(["take", "gather_nd", "slice", "reshape", "transpose", "expand_dims", "squeeze"], _same),
    **dict.fromkeys(["broadcast_to", "full", "max", "min"], _same),
    "concatenate": _joined,
    **dict.fromkeys(["set_slice", "set_index"], _written),
    "iota": _counted,
    "where": _chosen,
    **dict.fromkeys(["sum", "cumsum"], _total),
}

__all__ = ["ANY", "RULES", "fits", "product_range"]
