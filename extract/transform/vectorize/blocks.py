"""How many rounds are done at once, where all of them would need much more memory than the arrays do.

    for i in range(n): for j in range(m): out[i, j] = sum((a[i] - b[j]) ** 2)

has n*m*d differences at once, though no array of the program has so many elements: a block of rounds is done at a
time.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence

from graph_program.extract.ir.graph import Node, Value
from graph_program.extract.transform.integer_ranges import Ranges
from graph_program.extract.transform.symbols import symbol_name
from graph_program.extract.transform.vectorize.maker import Maker
from graph_program.extract.transform.vectorize.reasons import StaysLoop
from graph_program.extract.types.dims import Application, Atom, Dim, Symbol, dim, product, provably_less_equal, put_in

LARGEST = 2**18
"""Elements that are made at once whatever the arrays have: 2 MB of doubles, which a core's cache holds."""
FACTOR = 16
"""So many times the elements of an array of the program are no matter."""
MOST_TIMES = 16
"""So many times something may happen to each lane."""

Shape = tuple[Dim, ...]


def beyond(
    nodes: Sequence[Node],
    arrays: Sequence[Value],
    others: Sequence[Value],
    around: Iterable[Node] = (),
    ranges: Ranges | None = None,
) -> list[Shape]:
    """The shapes of what nodes make that are not bounded by what there is anyway.

    With `ranges`, slices are as long as their bounds allow; `around` are the nodes before.
    """
    given = {value.type.shape: None for value in (*arrays, *others)}
    sizes = {product([size + 1 for size in shape]): None for shape in given}  # of empty arrays the sizes count, too
    limits = [size * FACTOR + LARGEST for size in sizes]
    found = {value.type.shape: None for node in _all(nodes) for value in node.outputs if value.type.shape not in given}
    large = [shape for shape in found if not _is_within(shape, limits)]
    if not large or ranges is None:
        return large
    bounds = _bounds([*around, *_all(nodes)], ranges)
    return [s for s in large if not any(_is_within(tuple(put_in(d, b) for d in s), limits) for b in bounds)]


def _is_within(shape: Shape, limits: Iterable[Dim]) -> bool:
    return any(provably_less_equal(product(shape), limit) for limit in limits)


def _bounds(nodes: Iterable[Node], ranges: Ranges) -> tuple[dict[str, Dim], dict[str, Dim]]:
    """What lengths of slices are not above, by their symbols: the size of the axis; the most that the stop is.

    Of rows that a loop collects, as many as it has collected when it is over.
    """
    axes: dict[str, Dim] = {}
    stops: dict[str, Dim] = {}
    for node in nodes:
        if node.op == "loop" and node.regions:
            axes |= _grown(node)
        if node.op != "slice":
            continue
        count = len(node.attrs["axes"])
        for i, axis in enumerate(node.attrs["axes"]):
            name, whole = symbol_name(node.outputs[0].type.shape[axis]), node.inputs[0].type.shape[axis]
            if not name or name in whole.symbols:
                continue
            axes.setdefault(name, whole)
            start, stop = ranges.of(node.inputs[1 + i]), ranges.of(node.inputs[1 + count + i])
            if start and stop and provably_less_equal(0, start[0]) and provably_less_equal(0, stop[0]):
                stops.setdefault(name, stop[1])
    return axes, axes | stops


def _grown(loop: Node) -> dict[str, Dim]:
    """How many rows there are at most before a round of a loop that puts rows behind others."""
    found = {}
    body = loop.regions[0]
    for output, before, after in zip(loop.outputs, body.inputs[1:], body.outputs[1:], strict=True):
        for whole, own, more in zip(output.type.shape, before.type.shape, after.type.shape, strict=True):
            if (name := symbol_name(own)) and own != more and provably_less_equal(own, more):
                found[name] = whole
    return found


def _all(nodes: Iterable[Node]) -> Iterable[Node]:
    for node in nodes:
        yield node
        for region in node.regions:
            yield from region.walk()


def rounds_at_once(maker: Maker, shapes: Sequence[Shape], nodes: Iterable[Node], lanes: Dim) -> Value:
    """How many rounds are done at once, so that arrays of all lanes have few elements; `nodes` make these."""
    made, inner = maker.constant(LARGEST), list(_all(nodes))
    counts = {symbol_name(n.outputs[0].type.shape[0]): n.inputs[0] for n in inner if n.op == "iota"}
    grown = {name: whole for node in inner if node.op == "loop" for name, whole in _grown(node).items()}

    def most(atom: Atom) -> Value:
        """What a size is at most that is not known before the loop."""
        if isinstance(atom, Symbol) and atom.name in counts:
            return maker.in_front(_before(maker, counts[atom.name]))
        if isinstance(atom, Symbol) and atom.upper is not None:
            return maker.size(atom.upper)
        if isinstance(atom, Application) and atom.op == "&":
            return functools.reduce(lambda a, b: maker.op("maximum", a, b), [maker.size(d, most) for d in atom.args])
        raise StaysLoop(maker.at, "the size of its arrays is not known before it begins")

    for shape in shapes:
        sizes = [maker.size(put_in(d, grown), most) for d in _of_one_lane(shape, lanes) if d.constant != 1]
        if sizes:
            elements = functools.reduce(lambda a, b: maker.op("multiply", a, b), sizes)
            fits = maker.op("floor_divide", maker.constant(LARGEST), maker.op("maximum", elements, maker.constant(1)))
            made = maker.op("minimum", made, fits)
    return maker.op("maximum", made, maker.constant(1))


def _of_one_lane(shape: Shape, lanes: Dim) -> Shape:
    """A shape without the axis of the lanes, which may be some of them, and is the first one as a rule.

    Of what happens to each lane up to so many times, the axis is as long as for one.
    """
    for k, size in enumerate(shape):
        most = size.atom.upper if isinstance(size.atom, Symbol) else None
        for times in range(1, MOST_TIMES + 1):
            if lanes * times in (size, most):
                return (*shape[:k], dim(times), *shape[k + 1 :])
    return shape[1:]


def _before(maker: Maker, rounds: Value) -> Value:
    """What the number of rounds of a block inside is at most: the first of the two of which it is the lesser one."""
    node = maker.rewriter.made_by(rounds, "minimum")
    return rounds if node is None else node.inputs[0]


__all__ = ["Shape", "beyond", "rounds_at_once"]
