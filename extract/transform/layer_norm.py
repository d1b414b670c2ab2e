"""The formula of layer normalisation becomes the operation.

    m = divide(sum(x, axes=(1,), keepdims=True), n)
    d = subtract(x, m)
    v = divide(sum(multiply(d, d), axes=(1,), keepdims=True), n)
    z = divide(d, sqrt(add(v, 1e-5)))                   to      y = layer_norm(x, w, b, axis=-1, epsilon=1e-5)
    y = add(multiply(z, w), b)

So it does where the square is a power, the root is a power of -0.5 or divides 1, the weight is multiplied first, or
weight or bias are missing.  What is normalised are the last axes, of sizes that are known not to be 0 (the kernel
refuses these); elements are float32 (the kernel of float64 is slower than the formula).

Sums are made in another order: this pass is declared as reassociating.  A mean that overflows in the formula may not
in the kernel.
"""

from __future__ import annotations

from dataclasses import replace
from math import isfinite

import numpy as np

from graph_program.extract.ir.graph import GraphProgram, Node, Value
from graph_program.extract.records import dataclass
from graph_program.extract.transform.formulas import Formulas, Product
from graph_program.extract.types.tensors.tensor_type import TensorType

FLOAT32 = np.dtype(np.float32)


def layer_norm(program: GraphProgram) -> None:
    """Recognise the formula, in place."""
    _LayerNorm(program).run()


@dataclass(frozen=True)
class _Normal:
    """What is normalised over its last axes, from `axis` on, and what that is multiplied with and added to."""

    x: Value
    axis: int
    epsilon: float
    weight: Value | None = None
    bias: Value | None = None


@dataclass(frozen=True)
class _Square:
    """The mean of `a * b` over axes."""

    a: Value
    b: Value
    axes: tuple[int, ...]


class _LayerNorm(Formulas):
    def __init__(self, program: GraphProgram):
        super().__init__(program)
        self.found: dict[Value, _Normal] = {}
        self.readers: dict[Value, Node] = {value: node for node in program.graph.walk() for value in node.inputs}
        """Who reads a value that is read once."""

    def visit(self, node: Node) -> list[Node]:
        if node.op not in ("add", "multiply", "divide") or node.outputs[0].type.dtype != FLOAT32:
            return [node]
        normal = self._normal(node)
        if normal is None:
            return [node]
        self.found[node.outputs[0]] = normal
        if self._goes_on(node.outputs[0], normal):
            return [node]
        axes = normal.x.type.shape[normal.axis :]
        sizes = [size.constant for size in axes]
        if (normal.weight is None or normal.bias is None) and None in sizes:
            return [node]
        weight = normal.weight or self.constant(np.ones([n or 0 for n in sizes], FLOAT32), "ones")
        bias = normal.bias or self.constant(np.zeros([n or 0 for n in sizes], FLOAT32), "zeros")
        attrs = {"axis": normal.axis, "epsilon": normal.epsilon}
        return [self.node("layer_norm", [normal.x, weight, bias], node.outputs[0], attrs, node.loc)]

    def _normal(self, node: Node) -> _Normal | None:
        """What a node normalises, or scales or shifts of what is normalised."""
        if node.op in ("add", "multiply"):
            for a, b in (node.inputs, node.inputs[::-1]):
                before = self.found.get(a)
                if before is not None and self.uses[a] == 1 and node.outputs[0].type == before.x.type:
                    extended = _extended(before, node.op, b)
                    if extended is not None:
                        return extended
        return None if node.op == "add" else self._quotient(node)

    def _goes_on(self, value: Value, normal: _Normal) -> bool:
        """Whether a reader scales or shifts what is normalised."""
        reader = self.readers.get(value) if self.uses[value] == 1 else None
        if reader is None or reader.op not in ("add", "multiply") or reader.outputs[0].type != value.type:
            return False
        other = reader.inputs[reader.inputs[0] is value]
        return _extended(normal, reader.op, other) is not None

    def _quotient(self, node: Node) -> _Normal | None:
        """`d / sqrt(variance + epsilon)`, maybe times a weight."""
        product = self.product(node.outputs[0], node)
        if product.number != 1.0 or len(product.above) > 3 or len(product.below) > 1:
            return None
        root = self._root(product)
        if root is None:
            return None
        square, epsilon, factors = root
        for d in factors:
            others = [factor for factor in factors if factor is not d]
            found = self._normalised(d, square)
            if found is not None and found[0].type == node.outputs[0].type and len(others) == len(factors) - 1 < 2:
                normal = _Normal(*found, epsilon)
                return _extended(normal, "multiply", others[0]) if others else normal
        return None

    def _root(self, product: Product) -> tuple[_Square, float, list[Value]] | None:
        """The variance and what is added to it, of the square root that a product is divided by; the other factors."""
        factors = list(product.above)
        if product.below:
            root = self._alone(product.below[0])
            node = self.made_by(root[0], "sqrt")
        else:
            roots = [value for value in factors if self._is_inverse_root(self._alone(value)[0])]
            if len(roots) != 1:
                return None
            factors.remove(roots[0])
            root = self._alone(roots[0])
            node = self.producer[root[0]]
        total = None if node is None else self._alone(node.inputs[0])
        sum_ = None if total is None else self.made_by(total[0], "add")
        if total is None or sum_ is None:
            return None
        for value, number in (sum_.inputs, sum_.inputs[::-1]):
            epsilon = self.number(number)
            if epsilon is not None and isfinite(epsilon) and epsilon > 0 and self.uses[value] == 1:
                square = self._mean_square(value, root[1] + total[1])
                return None if square is None else (square, epsilon, factors)
        return None

    def _is_inverse_root(self, value: Value) -> bool:
        node = self.made_by(value, "power")
        return node is not None and self.number(node.inputs[1]) == -0.5

    def _alone(self, value: Value) -> tuple[Value, tuple[int, ...]]:
        """What a value that is read once is, without new axes of size 1, and these axes."""
        node = self.made_by(value, "expand_dims")
        if node is None or self.uses[value] != 1 or self.uses[node.inputs[0]] != 1:
            return value, ()
        return node.inputs[0], tuple(node.attrs["axes"])

    def _mean_square(self, value: Value, put_back: tuple[int, ...]) -> _Square | None:
        """What is squared, and over which axes the mean of the squares is taken."""
        mean = self.mean(value)
        square = None if mean is None else self.producer.get(mean[0])
        if mean is None or square is None or (mean[2] if put_back else not self._fits(mean)):
            return None
        if put_back and put_back != mean[1]:
            return None
        a, b = (*square.inputs, square.inputs[0])[:2]
        is_square = square.op == "multiply" or (square.op == "power" and self.number(b) == 2.0)
        return _Square(a, a if square.op == "power" else b, mean[1]) if is_square else None

    @staticmethod
    def _fits(mean: tuple[Value, tuple[int, ...], bool]) -> bool:
        """Whether a mean is aligned with what it is of."""
        return mean[2] or len(mean[1]) == mean[0].type.rank

    def _normalised(self, d: Value, square: _Square) -> tuple[Value, int] | None:
        """Of what `d` is the difference from the mean, and the first axis, if the square is that of the difference."""
        x = self._centred(d, square.axes)
        if x is None or x is not self._centred(square.a, square.axes) or x is not self._centred(square.b, square.axes):
            return None
        first = x.type.rank - len(square.axes)
        sizes = [size.lower for size in x.type.shape[first:]]
        if square.axes != tuple(range(first, x.type.rank)) or not all(size is not None and size > 0 for size in sizes):
            return None
        return x, -len(square.axes)

    def _centred(self, d: Value, axes: tuple[int, ...]) -> Value | None:
        """What its mean over axes is subtracted from."""
        difference = self.made_by(d, "subtract")
        mean = None if difference is None else self.mean(difference.inputs[1])
        if difference is None or mean is None or mean[:2] != (difference.inputs[0], axes) or not self._fits(mean):
            return None
        return mean[0]


def _extended(normal: _Normal, op: str, other: Value) -> _Normal | None:
    """What is normalised, times or plus another value."""
    wanted = TensorType(FLOAT32, normal.x.type.shape[normal.axis :])
    if (other.type.dtype, other.type.shape) != (wanted.dtype, wanted.shape) or normal.bias is not None:
        return None
    if op == "add":
        return replace(normal, bias=other)
    return replace(normal, weight=other) if normal.weight is None else None


__all__ = ["layer_norm"]
