"""What values are made of, read as formulas: numbers, products, polynomials, means.

    a = multiply(0.5, x); b = add(1, t); y = multiply(a, b)         y is 0.5 * x * b
    s = multiply(x, x); c = multiply(s, x); p = add(x, c)           p is x + x**3

Who rewrites a formula found so multiplies and adds in another order, and is declared as reassociating.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from graph_program.extract.ir.graph import GraphProgram, Node, Value
from graph_program.extract.records import dataclass
from graph_program.extract.transform.rewrite import Rewriter, uses_of
from graph_program.extract.types.dims import Dim, dim

DEEPEST = 12
"""So many operations are looked through."""
DEGREE = 4
"""The highest power in a polynomial."""
NEAR = 1e-6
"""Numbers of float32 formulas that are meant to be the same differ by less, relatively."""


@dataclass(frozen=True)
class Product:
    """`number * above[0] * above[1] ... / below[0] ...`."""

    number: float
    above: tuple[Value, ...] = ()
    below: tuple[Value, ...] = ()

    def times(self, other: Product) -> Product:
        return Product(self.number * other.number, self.above + other.above, self.below + other.below)

    def over(self, other: Product) -> Product:
        return Product(self.number / other.number, self.above + other.below, self.below + other.above)


class Formulas(Rewriter):
    """A rewriter that sees formulas; `uses` counts the readers of each value as the pass began."""

    def __init__(self, program: GraphProgram):
        super().__init__(program)
        self.uses: Counter[Value] = uses_of(program.graph)

    def number(self, value: Value) -> float | None:
        """A constant number."""
        content = self.constant_of(value)
        return float(content) if content is not None and not content.ndim and content.dtype.kind in "iuf" else None

    def product(self, value: Value, root: Node | None = None, depth: int = DEEPEST) -> Product:
        """A value as a product of others, through products that nothing else reads; `root` makes it."""
        number = self.number(value)
        if number is not None:
            return Product(number)
        node = root or (self.producer.get(value) if self.uses[value] == 1 else None)
        if node is not None and depth:
            parts = [self.product(x, None, depth - 1) for x in node.inputs if node.op in _PRODUCTS]
            if node.op == "multiply":
                return parts[0].times(parts[1])
            if node.op == "divide" and parts[1].number:
                return parts[0].over(parts[1])
            if node.op == "negative":
                return Product(-1.0).times(parts[0])
        return Product(1.0, (value,))

    def polynomial(self, value: Value, x: Value, depth: int = DEEPEST) -> Mapping[int, float] | None:
        """A value as a polynomial of another one: the factor of each power; None where it is none."""
        number = self.number(value)
        if value is x or number is not None:
            return {1: 1.0} if value is x else {0: number or 0.0}
        node = self.producer.get(value)
        if node is None or not depth or node.op not in _POLYNOMIALS:
            return None
        a, *others = (self.polynomial(operand, x, depth - 1) for operand in node.inputs)
        b = others[0] if others else {0: 1.0}
        if a is None or b is None:
            return None
        return _combined(node.op, a, b)

    def mean(self, value: Value) -> tuple[Value, tuple[int, ...], bool] | None:
        """Of what a value is the mean, over which axes, and whether these are kept with size 1."""
        axes: tuple[int, ...] | None = None
        expanded = self.made_by(value, "expand_dims")
        if expanded is not None:
            axes, value = tuple(expanded.attrs["axes"]), expanded.inputs[0]
        quotient = self.made_by(value, "divide")
        total = None if quotient is None else self.made_by(quotient.inputs[0], "sum")
        if quotient is None or total is None:
            return None
        x, over, kept = total.inputs[0], tuple(total.attrs["axes"]), bool(total.attrs["keepdims"])
        if axes is not None and (kept or axes != over):
            return None
        size = dim(1)
        for axis in over:
            size = size * x.type.shape[axis]
        return (x, over, kept or axes is not None) if self.size(quotient.inputs[1]) == size else None

    def size(self, value: Value) -> Dim | None:
        """A number of elements, as an integer or a float."""
        number = self.number(value)
        if number is not None:
            return dim(int(number)) if number.is_integer() and number >= 0 else None
        node = self.producer.get(value)
        if node is None:
            return None
        if node.op == "dim":
            axis: int = node.attrs["axis"]
            return node.inputs[0].type.shape[axis]
        if node.op == "cast":
            return self.size(node.inputs[0])
        sizes = [self.size(x) for x in node.inputs] if node.op in ("multiply", "maximum") else []
        if not sizes or sizes[0] is None or sizes[1] is None:
            return None
        if node.op == "multiply":
            return sizes[0] * sizes[1]
        return next((a for a, b in (sizes, sizes[::-1]) if b == dim(0)), None)


def near(a: float, b: float) -> bool:
    """Whether two constants of float32 formulas are meant to be the same."""
    return abs(a - b) <= NEAR * abs(b)


_PRODUCTS = frozenset(["multiply", "divide", "negative"])
_POLYNOMIALS = frozenset(["add", "subtract", "multiply", "divide", "negative", "power"])


def _combined(op: str, a: Mapping[int, float], b: Mapping[int, float]) -> Mapping[int, float] | None:
    """The polynomial that an operation makes of two."""
    if op in ("add", "subtract"):
        sign = 1 if op == "add" else -1
        return {k: a.get(k, 0.0) + sign * b.get(k, 0.0) for k in {*a, *b}}
    if op == "negative":
        return {k: -c for k, c in a.items()}
    if op == "multiply":
        return _multiplied(a, b)
    if set(b) != {0}:
        return None
    if op == "divide":
        return {k: c / b[0] for k, c in a.items()} if b[0] else None
    power: Mapping[int, float] | None = {0: 1.0}
    if b[0] not in range(DEGREE + 1):
        return None
    for _ in range(int(b[0])):
        power = None if power is None else _multiplied(power, a)
    return power


def _multiplied(a: Mapping[int, float], b: Mapping[int, float]) -> Mapping[int, float] | None:
    found: Counter[int] = Counter()
    for i, c in a.items():
        for j, d in b.items():
            found[i + j] += c * d  # type: ignore[assignment]
    return {k: float(c) for k, c in found.items()} if max(found) <= DEGREE else None


__all__ = ["Formulas", "Product", "near"]
