"""An array of which a round of a loop touches one row only: the states that it goes through, and their rows.

    b = set_index(a, v, k)                  (b's row is v)
    t = gather_nd(b, k, j)          to      t = take(v, j)
    c = if p: give b                        r = if p: give v
        else: give a                            else: give u        (u is a's row)

`ArrayFlow` finds the states and what reads and writes them; `StateWriter` writes something else in the place of the
states, `RowWriter` their rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field

from graph_program.extract.ir.graph import Graph, Node, Value
from graph_program.extract.records import dataclass
from graph_program.extract.types.dims import Dim
from graph_program.extract.types.tensors.tensor_type import TensorType

READS = {"take": 1, "gather_nd": 1}
"""Operations that read at indices, with the number of the first index."""
WRITES = {"set_index": 2, "scatter_nd": 2}
"""Those that write."""


@dataclass
class ArrayFlow:
    """What becomes of an array in a loop body.

    Attributes
    ----------
    states : dict
        The values that are the array at some time, in order.
    is_access : callable
        Whether a node that reads or writes the array can do so another way.
    accesses : list of Node
        What reads and writes it.
    """

    states: dict[Value, None]
    is_access: Callable[[Node], bool]
    accesses: list[Node] = field(default_factory=list)
    _placeholders: set[Value] = field(default_factory=set)

    @staticmethod
    def of(loop: Node, slot: int, is_access: Callable[[Node], bool]) -> ArrayFlow | None:
        """The flow of a carried value; None if more is done with it."""
        body = loop.regions[0]
        flow = ArrayFlow({body.inputs[slot + 1]: None}, is_access)
        if not flow._graph(body):
            return None
        held = [value in flow.states for value in body.outputs]
        return flow if held.count(True) == 1 and held[slot + 1] else None

    def _graph(self, graph: Graph) -> bool:
        return all(map(self._node, graph.nodes))

    def _node(self, node: Node) -> bool:
        """Note what a node does with the array; whether rows can do the same."""
        if node.op == "if":
            return self._branch(node)
        if node.op == "loop":
            return self._loop(node)
        if node.op == "placeholder":
            self._placeholders.update(node.outputs)
        read = [i for i, value in enumerate(node.inputs) if value in self.states]
        if not read or node.op == "dim":
            return True
        if read != [0] or not self.is_access(node):
            return False
        self.accesses.append(node)
        if node.op in WRITES:
            self.states[node.outputs[0]] = None
        return True

    def _branch(self, node: Node) -> bool:
        if not all(map(self._graph, node.regions)):
            return False
        for i, output in enumerate(node.outputs):
            sides = [region.outputs[i] for region in node.regions]
            held = [value in self.states for value in sides]
            if any(held):
                if not all(h or value in self._placeholders for h, value in zip(held, sides, strict=True)):
                    return False
                self.states[output] = None
        return True

    def _loop(self, node: Node) -> bool:
        (body,) = node.regions
        carried = [value in self.states for value in node.inputs[2:]]
        self.states.update(dict.fromkeys(x for x, held in zip(body.inputs[1:], carried, strict=True) if held))
        if not self._graph(body) or carried != [value in self.states for value in body.outputs[1:]]:
            return False
        self.states.update(dict.fromkeys(x for x, held in zip(node.outputs, carried, strict=True) if held))
        return True


def is_at_numbers(node: Node) -> bool:
    """Whether a node reads or writes at numbers for the first axes."""
    known = node.op in READS or node.op == "set_index"
    at = indices(node) if known and node.attrs.get("axis", 0) == 0 else []
    return bool(at) and not any(x.type.rank for x in at)


def indices(node: Node) -> list[Value]:
    """The indices of an access."""
    return node.inputs[READS.get(node.op, WRITES.get(node.op, 0)) :]


def fits(value: Value, shape: Sequence[Dim]) -> bool:
    """Whether a value certainly broadcasts to a shape."""
    own = value.type.shape
    if len(own) > len(shape):
        return False
    return all(d.constant == 1 or d == e for d, e in zip(own, shape[len(shape) - len(own) :], strict=True))


@dataclass
class StateWriter:
    """Replaces the states of an array by values that stand for them, in place.

    Attributes
    ----------
    initial : Value
        The array before the loop.
    type : TensorType
        That of what stands for a state.
    rows : dict
        What stands for each state; that of the first one is given.
    fresh : callable
        A new value of a name and type.
    dims : callable
        The sizes of what stands for a state as numbers.
    """

    initial: Value
    type: TensorType
    rows: dict[Value, Value]
    fresh: Callable[[str, TensorType], Value]
    dims: Callable[[], list[Value]]
    replaced: dict[Value, Value] = field(default_factory=dict, init=False)
    """What is to be read in the place of results."""

    def write(self, node: Node) -> list[Node]:
        """The nodes that make what stands for the state which a node makes; notes it."""
        raise NotImplementedError

    def read(self, node: Node) -> list[Node]:
        """The nodes that read what a node reads of a state."""
        raise NotImplementedError

    def graph(self, graph: Graph) -> None:
        """Rewrite a graph with its inner ones."""
        graph.nodes = [made for node in graph.nodes for made in self._node(node)]
        graph.outputs = [self.replaced.get(value, value) for value in graph.outputs]

    def _node(self, node: Node) -> list[Node]:
        node.inputs = [self.replaced.get(value, value) for value in node.inputs]
        if node.op == "if":
            return self._branch(node)
        if node.op == "loop":
            return self._loop(node)
        if not node.inputs or node.inputs[0] not in self.rows:
            return [node]
        if node.op == "dim":
            node.inputs = [self.initial]
            return [node]
        return self.write(node) if node.op in WRITES else self.read(node)

    def _branch(self, node: Node) -> list[Node]:
        for region in node.regions:
            self.graph(region)
        for i, output in enumerate(node.outputs):
            if any(region.outputs[i] in self.rows for region in node.regions):
                node.outputs[i] = self.rows[output] = self.fresh(output.name, self.type)
                for region in node.regions:
                    region.outputs[i] = self._given(region, region.outputs[i])
        return [node]

    def _given(self, region: Graph, state: Value) -> Value:
        """The row of a state that a side gives, or a placeholder where that is one.

        It is of the size of a row: rows are put together, and put into the array, whether or not one is unset.
        """
        if state in self.rows:
            return self.rows[state]
        unread = self.fresh(state.name, self.type)
        dims = [] if all(size.constant is not None for size in self.type.shape) else self.dims()
        region.nodes.append(Node("placeholder", dims, [unread]))
        return unread

    def _loop(self, node: Node) -> list[Node]:
        (body,) = node.regions
        slots = [i for i, value in enumerate(node.inputs[2:]) if value in self.rows]
        for i in slots:
            parameter, output = body.inputs[i + 1], node.outputs[i]
            node.inputs[i + 2] = self.rows[node.inputs[i + 2]]
            body.inputs[i + 1] = self.rows[parameter] = self.fresh(parameter.name, self.type)
            node.outputs[i] = self.rows[output] = self.fresh(output.name, self.type)
        self.graph(body)
        for i in slots:
            body.outputs[i + 1] = self.rows[body.outputs[i + 1]]
        return [node]


@dataclass
class RowWriter(StateWriter):
    """Replaces the states of an array by their rows, in place.

    Attributes
    ----------
    depth : int
        How many indices say which row it is.
    other : callable
        The row that an access reads at, where it is not that of the round; `initial` if no round has written it.
    """

    depth: int
    other: Callable[[Node], Value | None]

    def write(self, node: Node) -> list[Node]:
        array, value, *at = node.inputs
        rest, (output,) = at[self.depth :], node.outputs
        row = self.fresh(output.name, self.type)
        self.rows[output] = row
        if rest:
            return [Node("set_index", [self.rows[array], value, *rest], [row], loc=node.loc)]
        if value.type.shape == self.type.shape:
            self.rows[output] = value
            return []
        return [Node("broadcast_to", [value, *self.dims()], [row], loc=node.loc)]

    def read(self, node: Node) -> list[Node]:
        array, *at = node.inputs
        other = self.other(node)
        if other is self.initial:
            node.inputs[0] = other
            return [node]
        row, rest = self.rows[array] if other is None else other, at[self.depth :]
        if not rest:
            self.replaced[node.outputs[0]] = row
            return []
        op = "take" if len(rest) == 1 else "gather_nd"
        return [Node(op, [row, *rest], node.outputs, {"axis": 0}, loc=node.loc)]


__all__ = ["WRITES", "ArrayFlow", "RowWriter", "StateWriter", "fits", "indices", "is_at_numbers"]
