"""Forms that onnxruntime's optimizer would make into something that ends the process, written so that it does not.

    If(Greater(Size(Concat(a, b)), 1))        ->   If(Loop(1, True, Greater(...)))

Products of transposed stacks stand in `backends/models/moved_batches`, as networks have them, too.
ConstantFolding puts the chosen side of a branch in its place where it can compute the test, and may leave values that
nothing makes: a SIGSEGV when a cast is looked at afterwards (1.26 to 1.32).  What a loop gives it does not compute.

Models are written so rather than sessions set up for it, for an exported model runs in sessions of others.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np
import onnx_ir as ir

from graph_program.backends.models.moved_batches import has_halves, moves_a_batch
from graph_program.backends.onnx.shapes import attribute

if TYPE_CHECKING:
    from graph_program.backends.onnx.builder import Builder, Tensor

_KEEPING = frozenset(["Cast", "Concat", "Identity", "Slice"])
"""What has an unknown first dim if one of its operands has."""


def matrices_apart(inputs: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    """The operands of a product, so that none is a transposed stack that may end the process."""
    return tuple(x.op("Sum") if moves_a_batch(x.value) and not _is_harmless(x) else x for x in inputs)


def _is_harmless(x: Tensor) -> bool:
    return x.sizes is not None and all(x.sizes[:-2]) and not has_halves(x.value)


class Foldable:
    """The values of a model that onnxruntime may compute before it runs: from constants, and from sizes.

    Attributes
    ----------
    sizes : set of str
        Names of the sizes of arguments, which only a run has.
    """

    def __init__(self) -> None:
        self.sizes: set[str] = set()
        self._growing: set[ir.Value] = set()
        """What has another length in each round of a loop, as far as onnxruntime knows."""
        self._values: set[ir.Value] = set()

    def __contains__(self, value: ir.Value) -> bool:
        return value in self._values or value.const_value is not None

    def add(self, node: ir.Node) -> None:
        """Take in a new node."""
        if node.op_type in ("If", "Loop"):
            self.carries(node.outputs if node.op_type == "Loop" else ())
            return
        if node.op_type == "Compress" and attribute(node, "axis", None) == 0:
            self.carries(node.outputs)
            return
        if not self._growing.isdisjoint(node.inputs):
            if node.op_type in _KEEPING and attribute(node, "axis", 0) == 0:
                self._growing.update(node.outputs)
            first = (attribute(node, "start", 0), attribute(node, "end", 0)) == (0, 1)
            if node.op_type == "Size" or (node.op_type == "Shape" and first):
                return
        if node.op_type in ("Shape", "Size") or all(value is None or value in self for value in node.inputs):
            self._values.update(node.outputs)

    def carries(self, values: Iterable[ir.Value]) -> None:
        """Say that a loop carries values from round to round, or gives them."""
        self._growing.update(values)

    def differs(self, value: ir.Value) -> None:
        """Say that a value is not the same in all runs."""
        self._values.discard(value)


def not_folded(builder: Builder, condition: Tensor) -> Tensor:
    """The condition as what a loop of one round gives."""
    one, more = builder.constant(np.array(1, np.int64)), builder.constant(np.array(True))
    return builder.loop(one, more, [condition], lambda iteration, carried: (None, carried))[0]


__all__ = ["Foldable", "matrices_apart", "not_folded"]
