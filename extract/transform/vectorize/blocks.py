"""How many rounds are done at once, where all of them would need much more memory than the arrays do.

    for i in range(n): for j in range(m): out[i, j] = sum((a[i] - b[j]) ** 2)

has n*m*d differences at once, though no array of the program has so many elements: a block of rounds is done at a
time.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence

from graph_program.extract.ir.graph import Node, Value
from graph_program.extract.transform.vectorize.maker import Maker
from graph_program.extract.types.dims import Dim, product, provably_less_equal

LARGEST = 2**18
"""Elements that are made at once whatever the arrays have: 2 MB of doubles, which a core's cache holds."""
FACTOR = 16
"""So many times the elements of an array of the program are no matter."""

Shape = tuple[Dim, ...]


def beyond(nodes: Iterable[Node], arrays: Sequence[Value], others: Sequence[Value]) -> list[Shape]:
    """The shapes of what nodes make that are not bounded by what there is anyway."""
    given = {value.type.shape: None for value in (*arrays, *others)}
    sizes = {product([size + 1 for size in shape]): None for shape in given}  # of empty arrays the sizes count, too
    limits = [size * FACTOR + LARGEST for size in sizes]
    found = {value.type.shape: None for node in _all(nodes) for value in node.outputs if value.type.shape not in given}
    return [shape for shape in found if not any(provably_less_equal(product(shape), limit) for limit in limits)]


def _all(nodes: Iterable[Node]) -> Iterable[Node]:
    for node in nodes:
        yield node
        for region in node.regions:
            yield from region.walk()


def rounds_at_once(maker: Maker, shapes: Sequence[Shape]) -> Value:
    """How many rounds are done at once, so that arrays with lanes in front have few elements."""
    made = maker.constant(LARGEST)
    for shape in shapes:
        sizes = [maker.size(d) for d in shape[1:] if d.constant != 1]
        if sizes:
            elements = functools.reduce(lambda a, b: maker.op("multiply", a, b), sizes)
            fits = maker.op("floor_divide", maker.constant(LARGEST), maker.op("maximum", elements, maker.constant(1)))
            made = maker.op("minimum", made, fits)
    return maker.op("maximum", made, maker.constant(1))


__all__ = ["Shape", "beyond", "rounds_at_once"]
