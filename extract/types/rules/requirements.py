"""What operations require of sizes, where it is not decided by the rule itself.

Each function gives clauses (see `facts`) over the dims of some shapes; the messages are NumPy's, with
dims where NumPy shows numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from graph_program.extract.types.dims import Application, Dim, exact_quotient, product, provably_less_equal
from graph_program.extract.types.rules.facts import Clause, broadcastable, condition, equal, stretches
from graph_program.extract.types.tensors.shape_arithmetic import ONE, Shape, shape_parts

Parts = list[str | Dim]


def broadcast(shapes: Sequence[Shape]) -> list[Clause]:
    """Shapes that broadcast together."""
    first = shapes[0] if shapes else ()
    if all(shape == first for shape in shapes[1:]):
        return []
    clauses = []
    for axis in range(1, max(map(len, shapes)) + 1):
        column = dict.fromkeys(shape[-axis] for shape in shapes if len(shape) >= axis and shape[-axis] != ONE)
        clauses += [broadcastable(a, b) for a, b in combinations(column, 2) if not _are_parts(a, b)]
    return clauses


def _are_parts(a: Dim, b: Dim) -> bool:
    """Whether one of two sizes is among those that the other has been broadcast from: `n` and `n&m`."""
    return _parts(a) <= _parts(b) or _parts(b) <= _parts(a)


def _parts(d: Dim) -> frozenset[Dim]:
    match d.terms:
        case (((Application("&", args),), 1),):
            return frozenset(args)
    return frozenset([d])


def stretched(source: Shape, target: Shape) -> list[Clause]:
    """A shape that broadcasts to just the target; leading dims beyond its rank are 1."""
    extra = max(0, len(source) - len(target))
    clauses = [equal(d, ONE) for d in source[:extra] if d != ONE]
    source = source[extra:]
    pairs = zip(source, target[len(target) - len(source) :], strict=True)
    return clauses + [stretches(s, t) for s, t in pairs if s not in (t, ONE)]


def assigned(value: Shape, target: Shape) -> Iterator[tuple[list[Clause], Parts]]:
    """What assigning a value to a region requires, with NumPy's texts; it drops leading dims of 1 one by one."""
    extra = max(0, len(value) - len(target))
    for start in range(extra + 1):
        shown = value[start:]
        text: Parts = ["could not broadcast input array from shape ", *shape_parts(shown), " into shape "]
        text += shape_parts(target)
        clauses = stretched(shown, target) if start == extra else [equal(shown[0], ONE)]
        if clauses and not (start < extra and shown[0] == ONE):
            yield clauses, text


def shapes_text(shapes: Sequence[Shape]) -> Parts:
    """Shapes one after the other, each with a space behind it, as NumPy lists them."""
    parts: Parts = []
    for shape in shapes:
        parts += [*shape_parts(shape), " "]
    return parts


def some_elements(shape: Shape, axes: Sequence[int]) -> list[Clause]:
    """A reduction over `axes` that has elements; NumPy asks for them also where there are no results."""
    return [(condition("<=", 1, shape[i]),) for i in axes if not provably_less_equal(1, shape[i])]


def reshaped(shape: Shape, dims: Sequence[Dim | None]) -> list[Clause]:
    """A shape that has as many elements as asked for; nothing is said of sizes that may be negative."""
    known = [d for d in dims if d is not None and provably_less_equal(0, d)]
    left_over = [d for d in dims if d is not None and provably_less_equal(d + 1, 0)]
    if len(known) + len(left_over) < len(dims) or len(left_over) > 1:
        return []
    total, rest = product(shape), product(known)
    if not left_over:
        return [] if total == rest else [equal(total, rest)]
    clauses: list[Clause] = [] if provably_less_equal(1, rest) else [(condition("<=", 1, rest),)]
    if exact_quotient(total, rest) is None:
        clauses.append(equal(total, rest * (total // rest)))
    return clauses
