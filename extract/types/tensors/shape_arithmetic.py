"""Shape arithmetic over symbolic dims: broadcasting, slicing, reshaping.

Every function here answers for all sizes at once.  A shape is refused only where no sizes could make
it right; where the answer depends on sizes that are not known, the result is the more precise of the
possible dims, or a fresh one.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from graph_program.extract.types.dims import (
    MAX_WEIGHT,
    Dim,
    bounded,
    dim,
    exact_quotient,
    maximum,
    minimum,
    never_one,
    product,
    provably_different,
    provably_equal,
    provably_less_equal,
)
from graph_program.extract.types.tensors.rule_errors import Given, TypeRuleError

Shape = tuple[Dim, ...]
D = TypeVar("D")
Fresh = Callable[[], Dim]
"""Makes a new symbol."""

ONE = dim(1)
ZERO = dim(0)
INT64_MAX = 2**63 - 1
INT64_MIN = -(2**63)


def shape_text(shape: Sequence[object]) -> str:
    """A shape as NumPy prints it in messages: `(3,4)`, `(3,)`, `()`."""
    inner = ",".join(map(str, shape))
    return f"({inner},)" if len(shape) == 1 else f"({inner})"


def shape_parts(shape: Sequence[D]) -> list[str | D]:
    """`shape_text` in parts, for messages that show the sizes of a run."""
    parts: list[str | D] = ["("]
    for i, d in enumerate(shape):
        parts += ["," if i else "", d]
    return [*parts, ",)" if len(shape) == 1 else ")"]


# ---------------------------------------------------------------- comparisons

_DECISIONS: dict[str, Callable[[Dim, Dim], tuple[bool, bool]]] = {
    "==": lambda a, b: (provably_equal(a, b), provably_different(a, b)),
    "!=": lambda a, b: (provably_different(a, b), provably_equal(a, b)),
    "<": lambda a, b: (provably_less_equal(a + 1, b), provably_less_equal(b, a)),
    "<=": lambda a, b: (provably_less_equal(a, b), provably_less_equal(b + 1, a)),
    ">": lambda a, b: (provably_less_equal(b + 1, a), provably_less_equal(a, b)),
    ">=": lambda a, b: (provably_less_equal(b, a), provably_less_equal(a + 1, b)),
}
OPERATORS = {
    "equal": "==",
    "not_equal": "!=",
    "less": "<",
    "less_equal": "<=",
    "greater": ">",
    "greater_equal": ">=",
}
"""Comparisons as Python writes them, by the names that the graph has for them."""
_CONSTANT: dict[str, Callable[[int, int], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def dim_decide(op: str, a: Dim | int, b: Dim | int) -> bool | None:
    """Whether `a op b` holds for all sizes (True), for none (False), or depends on them (None).

    `op` is a comparison as written in Python (`"<="`) or as the graph names it (`"less_equal"`).
    """
    op = OPERATORS.get(op, op)
    a, b = dim(a), dim(b)
    if a.constant is not None and b.constant is not None:
        return _CONSTANT[op](a.constant, b.constant)
    always, never = _DECISIONS[op](a, b)
    return True if always else False if never else None


# ---------------------------------------------------------------- broadcasting


def broadcast_dims(a: Dim, b: Dim, fresh: Fresh) -> Dim | None:
    """The dim that two dims broadcast to, `n&m` where neither is known to be longer than 1; None if they never do."""
    if a == b or b == ONE:
        return a
    if a == ONE:
        return b
    if never_one(a) and never_one(b):
        if provably_different(a, b):
            return None
        return a if a.constant is not None or b.constant is None else b
    result = a & b
    return result if result.weight <= MAX_WEIGHT else fresh()


def broadcast_shapes(shapes: Sequence[Shape], fresh: Fresh) -> Shape:
    """The broadcast of shapes; `TypeRuleError` in NumPy's words if there is none for any sizes."""
    result = _broadcast(shapes, fresh)
    if result is None:
        parts = [part for shape in shapes for part in (*shape_parts(shape), " ")]
        raise TypeRuleError("shape", "operands could not be broadcast together with shapes ", *parts)
    return result


def _broadcast(shapes: Sequence[Shape], fresh: Fresh) -> Shape | None:
    if not shapes:
        return ()
    result = max(shapes, key=len)
    for shape in shapes:
        if shape is not result:
            merged = _broadcast_pair(result, shape, fresh)
            if merged is None:
                return None
            result = merged
    return result


def _broadcast_pair(long: Shape, short: Shape, fresh: Fresh) -> Shape | None:
    lead = len(long) - len(short)
    dims = list(long[:lead])
    for a, b in zip(long[lead:], short, strict=True):
        merged = broadcast_dims(a, b, fresh)
        if merged is None:
            return None
        dims.append(merged)
    return tuple(dims)


def broadcasts_into(source: Shape, target: Shape, extra_ones: bool = False) -> bool:
    """Whether `source` may be stretched to exactly `target` for some sizes.

    With `extra_ones`, leading dims of size 1 beyond the target's rank are dropped, as assignment does.
    """
    extra = len(source) - len(target)
    if extra > 0:
        if not extra_ones or any(never_one(d) for d in source[:extra]):
            return False
        source = source[extra:]
    pairs = zip(source, target[len(target) - len(source) :], strict=True)
    return not any(never_one(s) and provably_different(s, t) for s, t in pairs)


# ---------------------------------------------------------------- slicing


def slice_length(n: Dim, start: Dim | None, stop: Dim | None, step: int, fresh: Fresh) -> Dim:
    """The length of `x[start:stop:step]` along an axis of size `n`, by Python's rules.

    A bound that is None is not known.  INT64_MAX and INT64_MIN stand for bounds left out.
    """
    first = _walk_bound(n, start, step)
    last = _walk_bound(n, stop, step)
    longest = n if abs(step) == 1 else (n + (abs(step) - 1)) // abs(step)
    if first is None or last is None:
        return bounded(fresh(), longest)
    # Only one side of each bound needs clamping: beyond the other side the walk is empty anyway.
    walk = _forward(n, first, last) if step > 0 else _backward(n, first, last)
    width = abs(step)
    length = maximum(0, walk if width == 1 else (walk + (width - 1)) // width)
    # Slices of slices with symbolic bounds would grow without limit.
    return length if length.weight <= MAX_WEIGHT else bounded(fresh(), longest)


Bound = tuple[str, Dim]
"""`("front", b)` counts from the front, `("back", n+b)` was negative, `("before", _)` and
`("after", _)` lie beyond the ends."""


def _walk_bound(n: Dim, bound: Dim | None, step: int) -> Bound | None:
    if bound is None:
        return None
    value = bound.constant
    if value == INT64_MAX:
        return "after", n
    if value == INT64_MIN:
        return "before", ZERO
    if provably_less_equal(0, bound):
        return "front", bound
    if provably_less_equal(bound + 1, 0):
        return "back", n + bound
    gap = (n - bound).constant
    if step > 0 and gap is not None and 1 <= gap <= 2:
        # n-1 and n-2 are negative only where n is too small for the slice to hold anything.
        return "back", n - gap
    return None


def _forward(n: Dim, first: Bound, last: Bound) -> Dim:
    side, stop = last
    if side == "front":
        stop = minimum(n, stop)
    side, start = first
    if side == "back":
        return minimum(stop, stop - start)
    return stop - (n if side == "after" else start)


def _backward(n: Dim, first: Bound, last: Bound) -> Dim:
    side, start = first
    if side == "front":
        start = minimum(n - 1, start)
    elif side == "after":
        start = n - 1
    elif side == "before":
        return ZERO
    side, stop = last
    if side == "before":
        return start + 1
    if side == "back":
        return minimum(start + 1, start - stop)
    return start - stop


# ---------------------------------------------------------------- reshaping


def reshape_dims(shape: Shape, dims: Sequence[Dim | None], fresh: Fresh) -> Shape:
    """The shape that `x.reshape(dims)` has; a negative dim is what is left over, None is not known."""
    total = product(shape)
    negative = [i for i, d in enumerate(dims) if d is not None and provably_less_equal(d + 1, 0)]
    if len(negative) > 1:
        raise TypeRuleError("value", "can only specify one unknown dimension")
    unsure = [i for i, d in enumerate(dims) if d is None or not provably_less_equal(0, d)]
    known = [d for d in dims if d is not None and provably_less_equal(0, d)]
    rest = product(known)
    if not unsure:
        if provably_different(total, rest):
            raise TypeRuleError("shape", *reshape_text(shape, dims))
        return tuple(known)
    if len(unsure) == 1:
        size = _left_over(total, rest, bool(negative), fresh)
        if size is None:
            raise TypeRuleError("shape", *reshape_text(shape, dims))
        known.insert(unsure[0], size)
        return tuple(known)
    return tuple(_several_left(dims, i, unsure, negative, fresh) for i in range(len(dims)))


def _left_over(total: Dim, rest: Dim, is_negative: bool, fresh: Fresh) -> Dim | None:
    """The one dim that is not given; None if it cannot exist."""
    if rest == ZERO:
        if is_negative or (total.lower or 0) > 0:
            return None
        return fresh()
    exact = exact_quotient(total, rest)
    if exact is None and _never_divides(total, rest):
        return None
    if not is_negative and not provably_less_equal(1, rest):
        return fresh()
    return total // rest if exact is None else exact


def _never_divides(total: Dim, rest: Dim) -> bool:
    d = rest.constant
    if not d:
        return False
    return all(c % d == 0 for m, c in total.terms if m) and any(c % d for m, c in total.terms if not m)


def _several_left(dims: Sequence[Dim | None], i: int, unsure: list[int], negative: list[int], fresh: Fresh) -> Dim:
    d = dims[i]
    if d is not None and i not in unsure:
        return d
    # Two dims cannot both be the one left over, so equal ones that may be negative are not.
    repeated = d is not None and i not in negative and all(dims[j] == d for j in unsure)
    return maximum(0, d) if repeated and d is not None else fresh()


def reshape_text(shape: Shape, dims: Sequence[Dim | None]) -> list[str | Dim | Given]:
    """NumPy's text for a shape that does not hold the elements; it leaves out a leading -1."""
    negative = [d is not None and provably_less_equal(d + 1, 0) for d in dims]
    start = next((i for i, is_negative in enumerate(negative) if not is_negative), len(dims))
    shown: list[str | Dim | Given] = []
    for i, d in enumerate(dims[start:], start):
        shown.append("newaxis" if negative[i] else Given(i + 1) if d is None else d)
    comma = "," if len(dims) == 1 else ""
    return ["cannot reshape array of size ", product(shape), " into shape (", *joined(shown), f"{comma})"]


def joined(items: Sequence[D]) -> Iterator[str | D]:
    """Items with commas between them."""
    for i, item in enumerate(items):
        if i:
            yield ","
        yield item


def requested_dims(dims: Sequence[Dim | None], fresh: Fresh, message: str) -> Shape:
    """Dims given by values, as of `full`: a negative one is refused with `message`."""
    for d in dims:
        if d is not None and provably_less_equal(d + 1, 0):
            raise TypeRuleError("value", message)
    return tuple(fresh() if d is None else maximum(0, d) for d in dims)
