"""What operations make of arrays of equal elements is computed of one element.

    a = full(x, 3)                          a = full(x, 3)
    b = less(a, 0)                  to      s = less(x, 0)
    c = any(b)                              b = full(s, 3)
    d = take(a, argmax(b))                  (c is s, and d is x)

The checks that a loop makes of an array in its first round are often of such ones.
"""

from __future__ import annotations

import numpy as np

from graph_program.extract.ir.graph import GraphProgram, Node, Value
from graph_program.extract.records import dataclass
from graph_program.extract.transform.rewrite import Rewriter
from graph_program.extract.types.dims import Dim
from graph_program.extract.types.tensors.tensor_type import TensorType

LOGIC = frozenset(["invert", "bitwise_and", "bitwise_or", "bitwise_xor"])
COMPARISONS = frozenset(["equal", "not_equal", "less", "less_equal", "greater", "greater_equal"])
ELEMENTWISE = LOGIC | COMPARISONS | {"add", "subtract", "multiply", "negative", "cast"}
"""Operations that do not fail for the one element of an array that has none."""
OF_ANY_NUMBER = frozenset(["any", "all", "max", "min"])
"""What they make of equal elements is such an element, if there is one."""
POSITIONS = frozenset(["argmax", "argmin"])


def equal_elements(program: GraphProgram) -> None:
    """Compute with one element instead of equal ones, in place."""
    _EqualElements(program).run()


@dataclass(frozen=True)
class _Filled:
    """An array's element, and its sizes as numbers."""

    element: Value
    sizes: tuple[Value, ...]


class _EqualElements(Rewriter):
    def __init__(self, program: GraphProgram):
        super().__init__(program)
        self.filled: dict[Value, _Filled] = {}

    def visit(self, node: Node) -> list[Node]:
        if len(node.outputs) != 1:
            return [node]
        (output,) = node.outputs
        if node.op in ("full", "broadcast_to"):
            value, *sizes = node.inputs
            if not value.type.rank and value.type.dtype == output.type.dtype and sizes:
                self.filled[output] = _Filled(value, tuple(sizes))
        elif (
            node.op in ELEMENTWISE and output.type.rank and not output.type.is_bfloat16
        ):  # nothing is filled with these
            return self._elementwise(node, output)
        elif self._of_all(node, OF_ANY_NUMBER) and not output.type.rank:
            self.replace(output, self.filled[node.inputs[0]].element)
            return []
        elif self._of_all(node, POSITIONS) and node.inputs[0].type.rank == 1 and not output.type.rank:
            self.replace(output, self.constant(np.array(0, output.type.dtype), "int_0"))
            return []
        elif node.op == "take" and self._is_inside(node):
            self.replace(output, self.filled[node.inputs[0]].element)
            return []
        return [node]

    def _elementwise(self, node: Node, output: Value) -> list[Node]:
        found = [self.filled.get(value) for value in node.inputs]
        arrays = [one for one in found if one is not None]
        shapes = [() if one is None else output.type.shape for one in found]
        if not arrays or shapes != [value.type.shape for value in node.inputs]:
            return [node]
        if output.type.dtype.itemsize > max(value.type.dtype.itemsize for value in node.inputs):
            return [node]  # there may be no room for such an array, also where it has no elements
        inputs = [value if one is None else one.element for value, one in zip(node.inputs, found, strict=True)]
        element = Value(self.names.fresh(output.name), TensorType(output.type.dtype))
        self.filled[output] = _Filled(element, arrays[0].sizes)
        return [
            self.node(node.op, inputs, element, node.attrs, node.loc),
            self.node("full", [element, *arrays[0].sizes], output, {}, node.loc),
        ]

    def _of_all(self, node: Node, ops: frozenset[str]) -> bool:
        """Whether one of these operations is of all of an array of equal elements that has some."""
        if node.op not in ops or node.inputs[0] not in self.filled:
            return False
        shape = node.inputs[0].type.shape
        return len(node.attrs.get("axes", shape)) == len(shape) and all(_positive(size) for size in shape)

    def _is_inside(self, node: Node) -> bool:
        """Whether an element is taken of a vector of equal ones."""
        array, index = node.inputs
        number = self.constant_of(index)
        if array not in self.filled or array.type.rank != 1 or index.type.rank or number is None:
            return False
        (size,) = array.type.shape
        return size.constant is not None and -size.constant <= int(number) < size.constant


def _positive(size: Dim) -> bool:
    return bool(size.lower)


__all__ = ["COMPARISONS", "equal_elements"]
