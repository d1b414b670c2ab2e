"""What is known of a model's values before a run, but for the sizes of its arguments.

A runtime that is told these sizes may compute what is made of them, and of constants, when it loads the file.  Where
an operation needs its sizes or axes then, they are known or they are not.
"""

from __future__ import annotations

from collections.abc import Collection

import onnx

SELECTIONS = frozenset(["NonZero", "Compress", "Unique", "NonMaxSuppression"])
"""Operators whose results have a size that hangs on elements."""
MEASURES = frozenset(["Shape", "Size"])
NEW = frozenset(["ConstantOfShape", "Range", "HannWindow", "HammingWindow", "BlackmanWindow"])
"""Operators that make an array of a size: their first input says it, too."""
INNER = frozenset(["If", "Loop", "Scan"])


class Known:
    """The values that are known, and those whose sizes are not, by name.

    Parameters
    ----------
    model : onnx.ModelProto
    sized : collection of str
        Operators whose results have the sizes that their inputs behind the first say.

    Attributes
    ----------
    values : set of str
    open_sizes : set of str
    """

    def __init__(self, model: onnx.ModelProto, sized: Collection[str]) -> None:
        self.sized = sized
        self.values: set[str] = set()
        self.open_sizes: set[str] = set()
        self._graph(model.graph)

    def all_known(self, names: Collection[str]) -> bool:
        """Whether all of some inputs are known; those that are left out are."""
        return all(name in self.values for name in names if name)

    def is_set(self, node: onnx.NodeProto) -> bool:
        """Whether all is known that says what an operation does to its first input."""
        return self.all_known(node.input if node.op_type in NEW else node.input[1:])

    def _graph(self, graph: onnx.GraphProto) -> None:
        self.values |= {array.name for array in graph.initializer}
        for node in graph.node:
            inner = {a.name: a.g for a in node.attribute if a.type == a.GRAPH}
            for each in inner.values():
                if node.op_type == "Scan":  # what it carries keeps its sizes
                    pairs = zip(node.input, each.input, strict=True)
                    self.open_sizes |= {value.name for given, value in pairs if given in self.open_sizes}
                elif node.op_type != "If":  # what a round gets may be of any size
                    self.open_sizes |= {value.name for value in each.input}
                self._graph(each)
            if node.op_type in INNER:
                self._structured(node, inner)
            else:
                self._node(node)

    def _node(self, node: onnx.NodeProto) -> None:
        is_open = any(name in self.open_sizes for name in node.input)
        if node.op_type in MEASURES:
            if not is_open:
                self.values |= set(node.output)
            return
        if self.all_known(node.input):
            self.values |= set(node.output)
        elif node.op_type in SELECTIONS or is_open or (node.op_type in self.sized and not self.is_set(node)):
            self.open_sizes |= set(node.output)

    def _structured(self, node: onnx.NodeProto, inner: dict[str, onnx.GraphProto]) -> None:
        if node.op_type == "Loop":
            self.open_sizes |= set(node.output)
            return
        for place, output in enumerate(node.output):
            names = [side.output[place].name for side in inner.values()]
            if node.op_type == "If" and node.input[0] in self.values and self.all_known(names):
                self.values.add(output)
            if any(name in self.open_sizes for name in names):
                self.open_sizes.add(output)


__all__ = ["MEASURES", "NEW", "Known"]
