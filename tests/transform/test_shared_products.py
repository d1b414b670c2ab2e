"""The pass that multiplies three matrices in an order in which a product is shared."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from graph_program import Float64, Int64, Tensor, graph_program
from graph_program.extract.ir.graph import Graph, GraphProgram, Node, Value
from graph_program.extract.ir.printer import print_graph
from graph_program.extract.transform.shared_products import shared_products
from graph_program.extract.types.dims import dim
from graph_program.extract.types.tensors.tensor_type import TensorType
from tests.passes import without
from tests.programs.plain import Cases, check

Wide, Square, Tall = Float64[Tensor, "2 4"], Float64[Tensor, "4 4"], Float64[Tensor, "4 2"]
RNG = np.random.default_rng(0)
MATRICES = tuple(RNG.standard_normal(shape) for shape in ((2, 4), (4, 4)))
SPECIAL = (MATRICES[0], np.where(np.eye(4) > 0, np.nan, MATRICES[1]))
INPUTS = (MATRICES, SPECIAL)

shared = Cases()
"""Programs with three products, which take four as they are written, with arguments."""
kept = Cases()
"""Near misses, which keep theirs."""


@shared(*INPUTS)
def of_a_filter(h: Wide, p: Square) -> Any:
    return h @ p @ h.T, p @ h.T @ np.ones((2, 2))


@shared(*INPUTS)
def from_the_right(h: Wide, p: Square) -> Any:
    return h @ (p @ h.T), h @ p @ np.ones((4, 4))


@shared(*INPUTS)
def made_before(h: Wide, p: Square) -> Any:
    gain = p @ h.T
    return gain @ np.ones((2, 2)), h @ p @ h.T


@shared(*INPUTS)
def in_a_loop(h: Wide, p: Square) -> Any:
    for _ in range(3):
        s = h @ p @ h.T
        p = p @ h.T @ s @ h / 8 + p / 2
    return p


@kept(*INPUTS)
def read_elsewhere(h: Wide, p: Square) -> Any:
    product = h @ p
    return product @ h.T, p @ h.T, product


@kept(*INPUTS)
def more_work(h: Wide, p: Square) -> Any:
    row = h[:1] @ p
    return row @ np.ones((4, 9)), p @ np.ones((4, 9)), row[:, :2]


@kept((np.arange(8).reshape(2, 4), np.arange(16).reshape(4, 4)))
def of_integers(h: Int64[Tensor, "2 4"], p: Int64[Tensor, "4 4"]) -> Any:
    return h @ p @ h.T, p @ h.T, h


@kept((MATRICES[0], MATRICES[1], 1), (MATRICES[0], MATRICES[1], -1))
def only_on_one_side(h: Wide, p: Square, k: int) -> Any:
    s = h @ p @ h.T
    return s, (p @ h.T if k > 0 else h.T)


def products(fn: Callable[..., Any]) -> int:
    text = graph_program(fn, without=["gemm"]).explain("optimized")
    return text.count("= matmul(")


@shared.each
def test_shared(fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...], monkeypatch: Any) -> None:
    check(fn, *inputs)
    found = products(fn)
    without(monkeypatch, "shared_products")
    check(fn, *inputs)
    assert found == products(fn) - 1


@kept.each
def test_kept(fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...], monkeypatch: Any) -> None:
    check(fn, *inputs)
    found = products(fn)
    without(monkeypatch, "shared_products")
    assert found == products(fn)


BEFORE = """\
f(h: float64 [2, 4], p: float64 [4, 4], c: float64 [4, 2]):
    t: float64 [2, 4] = matmul(h, p)
    s: float64 [2, 2] = matmul(t, c)
    q: float64 [4, 2] = matmul(p, c)
    return s=s, q=q
"""
AFTER = """\
f(h: float64 [2, 4], p: float64 [4, 4], c: float64 [4, 2]):
    t: float64 [2, 4] = matmul(h, p)
    product: float64 [4, 2] = matmul(p, c)
    s: float64 [2, 2] = matmul(h, product)
    return s=s, q=product
"""


def test_before_and_after() -> None:
    sizes = {"h": (2, 4), "p": (4, 4), "c": (4, 2), "t": (2, 4), "s": (2, 2), "q": (4, 2)}
    types = {name: TensorType(np.dtype(float), tuple(map(dim, shape))) for name, shape in sizes.items()}
    h, p, c, t, s, q = (Value(name, type_) for name, type_ in types.items())
    nodes = [Node("matmul", [h, p], [t]), Node("matmul", [t, c], [s]), Node("matmul", [p, c], [q])]
    program = GraphProgram("f", Graph([h, p, c], nodes, [s, q]), ["s", "q"])
    assert print_graph(program).strip() == BEFORE.strip()
    shared_products(program)
    assert print_graph(program).strip() == AFTER.strip()
