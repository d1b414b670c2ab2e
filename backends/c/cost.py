"""How long a program would take in onnxruntime and as machine code, roughly, for arguments of some sizes.

onnxruntime pays for every operation, machine code for elements only; where operations have many elements, or are
products of matrices, what counts is who has the better kernel.  The numbers are nanoseconds, measured on one machine:
what is compared are sums of thousands of them, and only a clear difference is acted on.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cache
from typing import Any

from graph_program.backends.c import libraries
from graph_program.extract.ir.graph import Graph, GraphProgram, Node, Value
from graph_program.extract.ir.host import EXCHANGE, HOST
from graph_program.extract.ir.libraries import CHOLESKY, SOLVE
from graph_program.extract.records import dataclass

UNKNOWN_ROUNDS = 32
"""So many rounds are supposed where nothing says how many there are."""
UNKNOWN_SIZE = 16
CLEARLY = 1.5
"""So many times faster."""
CACHE = 2**24
"""Bytes of an operand that is not read from memory each time."""
NUMBER = 64
"""Arrays with so few elements cost what numbers do in onnxruntime."""


@dataclass(frozen=True)
class Prices:
    """Nanoseconds: of a call, an operation, a round of a loop, a branch; of an element by operation, and of a flop."""

    call: float
    operation: float
    loop: float
    round: float
    branch: float
    element: float
    flop: float
    elements: Mapping[str, float]
    step: float
    """What a step on the host costs besides its work."""
    row: float
    """Of an element of a matrix that is multiplied with a vector, which is read for that alone."""
    byte: float
    """Of what is multiplied and too large for the caches, which few rows of the other operand wait for."""
    small: float
    """The share of an element's price that float32 costs, where kernels have two of them at once."""
    small_functions: float | None = None
    """The same of functions such as `exp`, where it is another."""
    free: frozenset[str] = frozenset()
    """Operations that cost nothing."""
    in_place: frozenset[str] = frozenset()
    """Operations that only touch the elements that they write."""


VIEWS = frozenset({"broadcast_to", "expand_dims", "reshape", "slice", "squeeze", "transpose", "dim", "iota", "full"})
WRITES = frozenset({"set_index", "set_slice", "scatter_nd", "scatter_add"})
EXPONENTIALS = ("exp", "exp2", "expm1", "log", "log2", "log10", "log1p")
FUNCTIONS = (
    *("arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctan2", "arctanh", "cbrt", "cos", "cosh", "erf"),
    *("hypot", "logaddexp", "power", "sin", "sinh", "tan", "tanh", "softmax", "log_softmax"),
)
SORTS = ("sort", "argsort", "top_k")
KERNELS = frozenset((*EXPONENTIALS, *FUNCTIONS, *SORTS))

ONNXRUNTIME = Prices(
    call=3500,
    operation=350,
    loop=1400,
    round=350,
    branch=800,
    element=0.6,
    flop=0.02,
    elements={
        **dict.fromkeys((*EXPONENTIALS, *FUNCTIONS), 4.5),
        **dict.fromkeys(SORTS, 7),
        **dict.fromkeys(("max", "min"), 1.5),
        "power": 14,
        "where": 10,
        "cumsum": 2.8,
        "dft": 12,
    },
    step=7000,
    row=0.9,
    byte=0.15,
    small=0.3,
    small_functions=0.13,
    free=frozenset({"constant", "placeholder"}),
)
NATIVE = Prices(
    call=500,
    operation=1,
    loop=2,
    round=1,
    branch=1,
    element=0.3,
    flop=0.04,
    elements={
        **dict.fromkeys(EXPONENTIALS, 4.5),
        **dict.fromkeys(FUNCTIONS, 14),
        **dict.fromkeys(SORTS, 4),
        **dict.fromkeys(("max", "min", "argmax", "argmin"), 0.7),
        "sum": 0.6,
        "divide": 0.6,
        "cumsum": 1.2,
        "dft": 3,
    },
    step=2500,
    row=0.3,
    byte=0.075,
    small=0.6,
    free=frozenset({"constant", "placeholder"}) | VIEWS,
    in_place=WRITES,
)


@cache
def native_prices() -> Prices:
    """Those of machine code here, with the BLAS and the functions of vectors that there are."""
    found = NATIVE
    if libraries.flags("GP_USE_CBLAS"):
        found = replace(found, flop=0.03)
    if libraries.flags("GP_VECTOR "):
        found = replace(
            found, elements={**found.elements, **dict.fromkeys(("exp", "log", "sin", "cos", "tanh"), 2), "power": 7}
        )
    if libraries.wide():
        found = replace(found, elements={**found.elements, "tanh": 1.2, "power": 2.5})
    return found


@dataclass(frozen=True)
class Estimate:
    """The nanoseconds of a call, and the share of them for kernels: products, sorts, functions of many elements."""

    nanoseconds: float
    kernels: float


def estimate(program: GraphProgram, prices: Prices, given: Mapping[str, Any]) -> Estimate:
    """The time of a call with arguments, by the names of the graph's inputs."""
    reckoning = _Reckoning(program.graph, prices, given)
    total, kernels = reckoning.graph(program.graph)
    return Estimate(prices.call + total, kernels / (prices.call + total))


def told(estimate: Estimate) -> str:
    """The time as a text."""
    return f"{estimate.nanoseconds / 1e3:.3g} us"


def native_wins(onnxruntime: Estimate, native: Estimate, measured: float) -> bool:
    """Whether machine code is clearly faster; `measured` are the nanoseconds that a call has taken in onnxruntime."""
    if onnxruntime.nanoseconds >= CLEARLY * native.nanoseconds:
        return True
    # The rounds of a loop may be more or fewer than supposed; without kernels machine code wins each of them.
    return native.kernels < 0.5 and measured >= 2 * native.nanoseconds


class _Sizes(dict[str, int]):
    def __missing__(self, name: str) -> int:
        return UNKNOWN_SIZE


class _Reckoning:
    def __init__(self, graph: Graph, prices: Prices, given: Mapping[str, Any]):
        self.prices = prices
        self.sizes = _Sizes()
        self.numbers: dict[Value, float] = {}
        """Numbers that are known."""
        self.squares: set[Value] = set()
        """Exponents that are 2."""
        for value in graph.inputs:
            found = given.get(value.name)
            if found is None or value.name == HOST:  # the objects that the host begins with
                continue
            for axis, size in enumerate(value.type.shape):
                for monomial, factor in size.terms:
                    if len(size.terms) == 1 and len(monomial) == 1 and factor == 1:
                        self.sizes.setdefault(str(monomial[0]), found.shape[axis])
            if not value.type.rank and value.type.dtype.kind in "iu":
                self.numbers[value] = int(found)

    def graph(self, graph: Graph) -> tuple[float, float]:
        """The time of the nodes, and what of it kernels take."""
        return _sum(map(self._node, graph.nodes))

    def _node(self, node: Node) -> tuple[float, float]:
        if node.op == "loop":
            return self._loop(node)
        if node.op == "if":
            total, kernels = _sum(map(self.graph, node.regions))
            return self.prices.branch + total / 2, kernels / 2
        self._note(node)
        if node.op in self.prices.free:
            return 0, 0
        if node.op == EXCHANGE:
            return self.prices.step, 0
        flops = self._flops(node)
        largest = max((self._count(value) for value in node.inputs), default=0)
        if flops and flops <= 4 * largest:  # no kernel helps where all is read once
            return self.prices.operation + largest * self.prices.row * self._share(node), 0
        if flops:
            work = max(flops * self.prices.flop * self._share(node), self._bytes(node) * self.prices.byte)
            return self.prices.operation + work, work
        work = self._elements(node) * self._price(node) * self._share(node)
        return self.prices.operation + work, work if node.op in KERNELS else 0

    def _loop(self, node: Node) -> tuple[float, float]:
        rounds = self.numbers.get(node.inputs[0], math.inf)
        if rounds > 2**40:
            rounds = UNKNOWN_ROUNDS
        total, kernels = self.graph(node.regions[0])
        rounds = max(rounds, 0)
        return self.prices.loop + rounds * (self.prices.round + total), rounds * kernels

    def _note(self, node: Node) -> None:
        """Remember a number or a size that can be known."""
        out = node.outputs[0]
        if node.op in ("full", "iota", "broadcast_to"):
            for size, value in zip(out.type.shape, node.inputs[-out.type.rank :], strict=False):
                if value in self.numbers and size.constant is None:
                    self.sizes.setdefault(str(size), int(self.numbers[value]))
        if node.op == "constant" and not out.type.rank and node.attrs["value"] == 2:
            self.squares.add(out)
        if out.type.rank or out.type.dtype.kind not in "iu":
            return
        if node.op == "constant":
            self.numbers[out] = int(node.attrs["value"])
        elif node.op == "dim":
            self.numbers[out] = self._size(node.inputs[0], node.attrs["axis"])
        elif node.op in _ARITHMETIC and all(value in self.numbers for value in node.inputs):
            self.numbers[out] = _ARITHMETIC[node.op](*(self.numbers[value] for value in node.inputs))
        elif node.op == "cast" and node.inputs[0] in self.numbers:
            self.numbers[out] = self.numbers[node.inputs[0]]

    def _size(self, value: Value, axis: int) -> int:
        try:
            return max(value.type.shape[axis].evaluate(self.sizes), 0)
        except (ValueError, ZeroDivisionError):
            return UNKNOWN_SIZE

    def _count(self, value: Value) -> int:
        return math.prod(self._size(value, axis) for axis in range(value.type.rank))

    def _bytes(self, node: Node) -> int:
        """What an operation reads from memory."""
        sizes = [self._count(value) * value.type.dtype.itemsize for value in node.inputs]
        return sum(size for size in sizes if size > CACHE)

    def _elements(self, node: Node) -> float:
        """How many elements an operation touches."""
        counts = [self._count(value) for value in (*node.inputs, *node.outputs)]
        if node.op in self.prices.in_place:
            return min(counts, default=1)
        most = self._count(node.outputs[0]) if node.op in ("take", "gather_nd") else max(counts, default=1)
        if node.op in SORTS:
            return most * math.log2(most + 2)
        return 0 if most <= NUMBER and self.prices.operation > most else most

    def _price(self, node: Node) -> float:
        if node.op == "power" and node.inputs[1] in self.squares:
            return self.prices.element
        return self.prices.elements.get(node.op, self.prices.element)

    def _share(self, node: Node) -> float:
        if node.outputs[0].type.dtype.itemsize > 4:
            return 1
        is_function = node.op in EXPONENTIALS or node.op in FUNCTIONS
        own = self.prices.small_functions if is_function else None
        return self.prices.small if own is None else own

    def _flops(self, node: Node) -> float:
        """Of products: multiplications and additions; else 0."""
        if node.op == "matmul" or node.op in (SOLVE, CHOLESKY):  # of those roughly
            return 2 * self._count(node.outputs[0]) * self._size(node.inputs[0], -1)
        if node.op == "einsum":
            operands = node.attrs["equation"].replace(" ", "").split("->")[0].split(",")
            letters = {
                letter: self._size(value, axis)
                for text, value in zip(operands, node.inputs, strict=True)
                for axis, letter in enumerate(text)
            }
            return 2 * math.prod(letters.values())
        if node.op in ("conv", "conv_transpose"):
            weights = node.inputs[1]
            return 2 * self._count(node.outputs[0]) * self._count(weights) / max(self._size(weights, 0), 1)
        return 0


def _sum(times: Iterable[tuple[float, float]]) -> tuple[float, float]:
    found = list(times)
    return sum(total for total, _ in found), sum(kernels for _, kernels in found)


_ARITHMETIC: dict[str, Any] = {
    "add": lambda a, b: a + b,
    "subtract": lambda a, b: a - b,
    "multiply": lambda a, b: a * b,
    "maximum": max,
    "minimum": min,
    "negative": lambda a: -a,
    "floor_divide": lambda a, b: a // b if b else 0,
}

__all__ = ["ONNXRUNTIME", "Estimate", "estimate", "native_prices", "native_wins", "told"]
