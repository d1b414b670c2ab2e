"""Elements where a mask holds are computed with all others, and chosen.

    i = nonzero(m)                              t = multiply(x, x)
    a = take(x, i)                      to      u = add(t, c)
    b = take(c, i)                              y = where(m, u, x)
    y = scatter_nd(x, add(multiply(a, a), b), i)

That is `x[m] = x[m] * x[m] + c[m]`.  What is written must be computed of elements at the same places of arrays as
large as the mask, and of numbers, by a few operations that cost little and do not fail for any element.  Finding,
gathering and scattering elements costs more than computing all, and has no form for all rounds of a loop at once.
"""

from __future__ import annotations

from collections.abc import Iterable

from graph_program.extract.ir.graph import Graph, GraphProgram, Node, Value
from graph_program.extract.records import dataclass
from graph_program.extract.transform.mask_places import GATHERS, mask_at
from graph_program.extract.transform.rewrite import Rewriter
from graph_program.extract.types.dims import dim
from graph_program.extract.types.tensors.tensor_type import BOOL, TensorType

MOST = 12
"""So many operations on all elements, where a mask that holds nowhere would leave out all of them, are cheap."""
CHEAP = frozenset({"add", "subtract", "multiply", "negative", "absolute", "minimum", "maximum", "where", "invert"})
CHEAP |= {"less", "less_equal", "greater", "greater_equal", "equal", "not_equal", "bitwise_and", "bitwise_or"}
"""Operations that cost little and fail for no element."""
OF_FLOATS = frozenset({"divide", "sqrt"})
"""The same, of floats; a division of integers fails for 0."""


def masks(program: GraphProgram) -> None:
    """Write where masks hold by choosing among all elements, in place."""
    if any(node.op == "nonzero" for node in program.graph.walk()):
        _Masks(program).run()


@dataclass(frozen=True)
class _Places:
    """Where a mask holds, as an index for each of its axes."""

    mask: Value
    indices: tuple[Value, ...]


class _TooDear(Exception):
    """What is written has no form for all elements, or not a cheap one."""


class _Masks(Rewriter):
    def __init__(self, program: GraphProgram):
        super().__init__(program)
        self.whole: dict[Value, Value] = {}
        """What has been computed of all elements, by what the program computes where the mask holds."""

    def graph(self, graph: Graph) -> None:
        outside = dict(self.whole)
        super().graph(graph)
        self.whole = outside

    def visit(self, node: Node) -> list[Node]:
        places = self._places(node.inputs[2:]) if _writes(node) else None
        if places is None or places.mask.type.shape != node.inputs[0].type.shape[: len(places.indices)]:
            return [node]
        form = _AllElements(self, node.inputs[0], places)
        try:
            value = form.of(node.inputs[1])
        except _TooDear:
            return [node]
        self.whole.update(form.made)
        test = form.mask()
        chosen = self.node("where", [test, value, node.inputs[0]], node.outputs[0], {}, node.loc)
        for made in form.nodes:
            made.loc = node.loc
        return [*form.nodes, chosen]

    def _places(self, indices: Iterable[Value]) -> _Places | None:
        """The mask whose places indices are, one for each axis."""
        indices = tuple(indices)
        mask = mask_at(indices, self.producer, self.constant_of)
        return None if mask is None else _Places(mask, indices)


def _writes(node: Node) -> bool:
    return node.op == "scatter_nd" and node.attrs.get("axis", 0) == 0 and node.inputs[1].type.rank > 0


class _AllElements:
    """What is computed where a mask holds, computed of all elements.

    Attributes
    ----------
    nodes : list of Node
    made : dict of Value to Value
        What they compute, by what the program computes.
    """

    def __init__(self, rewriter: _Masks, array: Value, places: _Places):
        self.rewriter, self.shape, self.places = rewriter, array.type.shape, places
        self.rank = 1 + array.type.rank - len(places.indices)
        self.nodes: list[Node] = []
        self.made: dict[Value, Value] = {}
        self.count = 0

    def of(self, value: Value) -> Value:
        """The value for all elements.

        Raises
        ------
        _TooDear
        """
        if not value.type.rank:
            return value
        known = self.made.get(value) or self.rewriter.whole.get(value)
        if known is None:
            known = self.made[value] = self._computed(value, self.rewriter.producer.get(value))
        return known

    def _computed(self, value: Value, node: Node | None) -> Value:
        if node is None or value.type.rank != self.rank:
            raise _TooDear
        if node.op in GATHERS:
            return self._gathered(node)
        cheap = node.op in CHEAP or (node.op in OF_FLOATS and value.type.dtype.kind == "f")
        if not cheap or any(v.type.rank not in (0, self.rank) for v in node.inputs):
            raise _TooDear
        self.count += 1
        if self.count > MOST:
            raise _TooDear
        operands = [self.of(operand) for operand in node.inputs]
        return self._emit(node, operands, value)

    def _gathered(self, node: Node) -> Value:
        """The array of which elements are gathered; all at the places of the mask."""
        array, *indices = node.inputs
        same = node.attrs.get("axis", 0) == 0 and tuple(indices) == self.places.indices
        if not same or array.type.shape != self.shape:
            raise _TooDear
        return array

    def _emit(self, node: Node, operands: list[Value], value: Value) -> Value:
        whole = Value(self.rewriter.names.fresh(f"{value.name}.all"), TensorType(value.type.dtype, self.shape))
        self.nodes.append(Node(node.op, operands, [whole], node.attrs))
        return whole

    def mask(self) -> Value:
        """The mask, for each element of rows where those are written."""
        mask, rank = self.places.mask, len(self.shape)
        axes = tuple(range(mask.type.rank, rank))
        if not axes:
            return mask
        shape = (*mask.type.shape, *(dim(1) for _ in axes))
        wide = Value(self.rewriter.names.fresh(f"{mask.name}.rows"), TensorType(BOOL, shape))
        self.nodes.append(Node("expand_dims", [mask], [wide], {"axes": axes}))
        return wide


__all__ = ["masks"]
