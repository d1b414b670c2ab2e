"""The pass that lets reductions keep axes which are put back behind them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from graph_program import Float64, Int64, Tensor, graph_program
from graph_program.extract.ir.graph import Graph, GraphProgram, Node, Value
from graph_program.extract.ir.printer import print_graph
from graph_program.extract.transform.kept_axes import kept_axes
from graph_program.extract.types.dims import dim, symbol
from graph_program.extract.types.tensors.tensor_type import TensorType
from tests.passes import without
from tests.programs.plain import Cases, check

Matrix = Float64[Tensor, "n m"]
MATRICES = tuple(
    (np.array(x, float).reshape(shape),) for x, shape in (([1, -2, 3, 4, np.nan, 6], (2, 3)), ([5], (1, 1)))
)
MATRICES += ((np.ones((3, 0)),), (np.ones((0, 3)),))
STACKS = ((np.arange(24.0).reshape(2, 3, 4) - 7,), (np.ones((1, 1, 1)),))

kept = Cases()
"""Programs in which no axis is put back, with arguments."""
read_without = Cases()
"""Programs in which they are put back more often than they are read as they were."""
put_back = Cases()
"""Near misses."""


@kept(*MATRICES)
def shares_of_a_row(x: Matrix) -> Any:
    return x / x.sum(axis=1)[:, None]


@kept(*MATRICES)
def behind_operations_on_elements(x: Matrix) -> Any:
    total = x.sum(axis=1)
    count = (x > 0).sum(axis=1)
    return np.where((count > 0)[:, None], (np.sqrt(total) / count + 1.0)[:, None], x)


@kept(*STACKS)
def over_two_axes(x: Float64[Tensor, "a b c"]) -> Any:
    return x - x.max(axis=(0, 2))[np.newaxis, :, np.newaxis]


@kept(*STACKS)
def places(x: Float64[Tensor, "a b c"]) -> Any:
    return x + np.argmin(x, axis=-1)[..., None]


@kept(*MATRICES[:2])
def in_a_loop(x: Matrix) -> Any:
    for _ in range(3):
        x = x / (1.0 + np.abs(x).sum(axis=0))[None, :] + x[::-1]
    return x


@kept(*MATRICES)
def beside_a_column(x: Matrix) -> Any:
    total = x.sum(axis=1)
    return np.concatenate((x, total[:, None]), axis=1)


@read_without(*STACKS)
def reductions_of_reductions(x: Float64[Tensor, "a b c"]) -> Any:
    total = np.abs(x).sum(axis=2)
    shares = x / (total[:, :, None] + 1.0) - np.sqrt(total)[:, :, None] * x
    return shares, x[:, :, 0] / (total.max(axis=1) + 2.0)[:, None]


@read_without(*MATRICES)
def given_back_once(x: Matrix) -> Any:
    total = np.abs(x.sum(axis=1))
    return x - total[:, None], x * np.sqrt(total)[:, None], total


@read_without(*MATRICES[:2])
def elements_in_a_loop(x: Matrix) -> Any:
    total = x.sum(axis=1)
    large, shares = total > 3.0, x / total[:, None] - np.abs(total)[:, None]
    row = shares[0]
    for k in range(len(x)):
        if large[k]:
            row = np.sqrt(np.abs(row)) + shares[k]
    return row


@put_back(*MATRICES)
def given_back(x: Matrix) -> Any:
    total = x.sum(axis=1)
    return x - total[:, None], total


@put_back(*((np.arange(9.0).reshape(3, 3),),))
def at_another_axis(x: Float64[Tensor, "3 3"]) -> Any:
    return x - x.sum(axis=1)[None, :]


@put_back(*((x, np.arange(float(len(x)))) for (x,) in MATRICES))
def with_another_vector(x: Matrix, y: Float64[Tensor, "n"]) -> Any:
    return x - (x.sum(axis=1) + y)[:, None]


@put_back(*((x, np.arange(len(x))) for (x,) in MATRICES))
def elements_of_it(x: Matrix, y: Int64[Tensor, "n"]) -> Any:
    return x - x.sum(axis=1)[y][:, None]


@put_back(*MATRICES[:2])
def rows_of_rounds(x: Matrix) -> Any:
    rows = np.zeros((3, x.shape[1]))
    for k in range(3):
        x = np.sin(x)
        rows[k] = x.sum(axis=0)
    return rows


def expansions(fn: Callable[..., Any]) -> int:
    return graph_program(fn).explain("optimized").count("= expand_dims(")


@kept.each
def test_kept(fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...], monkeypatch: Any) -> None:
    check(fn, *inputs)
    assert expansions(fn) == 0
    without(monkeypatch, "kept_axes")
    check(fn, *inputs)
    assert expansions(fn) > 0


@read_without.each
def test_read_without(fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...]) -> None:
    check(fn, *inputs)
    assert expansions(fn) == 0
    assert graph_program(fn).explain("optimized").count("= squeeze(") == 1


@put_back.each
def test_put_back(fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...]) -> None:
    check(fn, *inputs)
    assert expansions(fn) == 1


BEFORE = """\
f(x: float64 [n, m]):
    s: float64 [n] = sum(x, axes=(1,), keepdims=False)
    r: float64 [n] = sqrt(s)
    e: float64 [n, 1] = expand_dims(r, axes=(1,))
    y: float64 [n, m] = divide(x, e)
    return y=y
"""
AFTER = """\
f(x: float64 [n, m]):
    s_1: float64 [n, 1] = sum(x, axes=(1,), keepdims=True)
    r_1: float64 [n, 1] = sqrt(s_1)
    y: float64 [n, m] = divide(x, r_1)
    return y=y
"""


def test_before_and_after() -> None:
    n, m = symbol("n"), symbol("m")
    x, y = (Value(name, TensorType(np.dtype(float), (n, m))) for name in "xy")
    s, r = (Value(name, TensorType(np.dtype(float), (n,))) for name in "sr")
    e = Value("e", TensorType(np.dtype(float), (n, dim(1))))
    nodes = [Node("sum", [x], [s], {"axes": (1,), "keepdims": False}), Node("sqrt", [s], [r])]
    nodes += [Node("expand_dims", [r], [e], {"axes": (1,)}), Node("divide", [x, e], [y])]
    program = GraphProgram("f", Graph([x], nodes, [y]), ["y"])
    assert print_graph(program).strip() == BEFORE.strip()
    kept_axes(program)
    assert print_graph(program).strip() == AFTER.strip()


def beside_a_number(x: Float64[Tensor, "a b c"]) -> Any:
    s = x.sum()
    u = x[0].sum(axis=1) + s
    return x / np.expand_dims(s, (0, 1, 2)), x[0] / np.expand_dims(u, 1), x[0] * np.expand_dims(np.sin(u), 1)


def test_a_sum_over_all_axes_beside_one_over_some() -> None:
    """It is put back as well, and stays a number there."""
    check(beside_a_number, *STACKS)
