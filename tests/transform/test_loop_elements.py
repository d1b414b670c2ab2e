"""The pass that carries an element instead of its array: before and after, programs and near misses."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np

from graph_program import Float64, Int64, Tensor, graph_program
from graph_program.extract.ir.graph import Graph, GraphProgram, Node, Value
from graph_program.extract.ir.printer import print_graph
from graph_program.extract.ir.verifier import verify_graph
from graph_program.extract.transform.loop_elements import loop_elements
from graph_program.extract.types.dims import dim
from graph_program.extract.types.tensors.tensor_type import PY_BOOL, PY_INT, TensorType
from tests.passes import without
from tests.programs.plain import Cases
from tests.transform.sessions import compared

Vector, Whole = Float64[Tensor, "n"], Int64[Tensor, "n"]
VECTORS = [(np.array(x, float),) for x in ([3, 1, 4, 1, 5], [2, 7], [1], [0, -1, -2], [4, np.nan, 2])]
PLACES = [(np.arange(5.0) * 3 % 7, j) for j in (0, 1, 4, -1, 5, -5, -6)]

carried = Cases()
"""Programs whose loops carry an element, with arguments."""
others = Cases()
"""Near misses: another element may be the same one, is written, too, or may not be there."""


@carried(*((np.arange(n * n).reshape(n, n) * 0.7 % 3,) for n in (4, 2, 1)))
def of_those_above(t: Float64[Tensor, "n n"]) -> Any:
    for i in range(t.shape[0]):
        for j in range(t.shape[0]):
            for k in range(i):
                t[i, j] = np.abs(t[i, j] * 0.5 - t[k, j])
    return t


@carried(*((np.arange(n * n).reshape(n, n) * 7 % 11,) for n in (4, 2, 1)))
def triangle(t: Int64[Tensor, "n n"]) -> Any:
    n = t.shape[0]
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            for k in range(i + 1, j):
                t[i, j] = (t[i, j] * 2 + t[i, k] + t[k + 1, j]) % 7
    return t


@carried(*VECTORS)
def forces(x: Vector) -> Any:
    f = np.zeros(len(x))
    for i in range(len(x)):
        for j in range(i + 1, len(x)):
            g = x[i] - x[j]
            f[i] = f[i] * 0.5 + g
            f[j] -= g * 2.0
    return f


@carried(*VECTORS)
def read_behind_both(x: Vector) -> Any:
    s = np.float64(0.0)
    for i in range(len(x)):
        for j in range(i):
            x[j] = x[i] + x[j]
            x[i] = x[i] * 0.5 + x[j]
            s = s * 0.5 + x[i] * 3.0 - x[j]
    return x, s


@others(*VECTORS)
def it_is_one_of_them(x: Vector) -> Any:
    f = np.zeros(len(x))
    for i in range(len(x)):
        for j in range(i, len(x)):
            f[i] += x[j]
            f[j] = f[j] * 0.5 - x[i]
    return f


@carried(*VECTORS)
def beside_what_is_written(x: Vector) -> Any:
    """What the second write makes is read beside the first one, so either is a number."""
    y = np.zeros(2)
    for i in range(len(x)):
        y[0] = x[i]
        y[0] = np.sin(y[1])
        y[1] += y[0] + 1
    return y


@others(*VECTORS)
def counted_from_the_end(x: Vector) -> Any:
    for i in range(len(x)):
        for j in range(i - 1, i):
            x[i] = x[i] * 0.5 + 1.0
            x[j] = x[j] - x[i] * 2.0
    return x


@others(*VECTORS)
def up_to_it(x: Vector) -> Any:
    for j in range(x.shape[0]):
        for k in range(j + 1):
            x[j] = np.sin(x[j] + x[k])
    return x


@others(*PLACES)
def anywhere(x: Vector, j: int) -> Any:
    for k in range(2):
        x[j] = np.sin(x[j] + x[k])
    return x


@others(*PLACES)
def from_the_end(x: Vector, j: int) -> Any:
    for k in range(x.shape[0] - 1):
        x[-1] = np.sin(x[-1] + x[k + j])
    return x


@others(*[(np.arange(3.0), j, k) for j in (0, 2, 3, 7) for k in (0, 1, 2)])
def perhaps_not_there(x: Vector, j: int, k: int) -> Any:
    for _ in range(k):
        x[j] = np.sin(x[j]) + 1
    return x


def text(fn: Callable[..., Any]) -> str:
    """The graph of a program."""
    return graph_program(fn).explain("optimized")


@carried.each
def test_an_element_is_carried(fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...], monkeypatch: Any) -> None:
    compared(fn, inputs)
    with_pass = text(fn)
    without(monkeypatch, "loop_elements")
    compared(fn, inputs)
    assert [bool(re.search("(with|,) element", found)) for found in (with_pass, text(fn))] == [True, False]


@others.each
def test_the_array_is_carried(fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...], monkeypatch: Any) -> None:
    compared(fn, inputs)
    with_pass = text(fn)
    without(monkeypatch, "loop_elements")
    assert with_pass == text(fn)


BEFORE = """\
    y = loop(k < j, while true) with x = given:
        a = take(x, k, axis=0)
        e = take(x, j, axis=0)
        s = multiply(e, a)
        w = set_index(x, s, j)
        give true, w
"""
AFTER = """\
    element = gather_nd(given, j, axis=0)
    element_2 = loop(k < j, while true) with element_1 = element:
        a = take(given, k, axis=0)
        s = multiply(element_1, a)
        give true, s
    y = set_index(given, element_2, j)
"""


def test_before_and_after() -> None:
    vector = TensorType(np.dtype(float), (dim(5),))
    scalar = TensorType(np.dtype(float))
    given, true, j = Value("given", vector), Value("true", PY_BOOL), Value("j", PY_INT)
    k, x, w, y = Value("k", PY_INT), Value("x", vector), Value("w", vector), Value("y", vector)
    a, e, s = (Value(name, scalar) for name in "aes")
    body = [
        Node("take", [x, k], [a], {"axis": 0}),
        Node("take", [x, j], [e], {"axis": 0}),
        Node("multiply", [e, a], [s]),
        Node("set_index", [x, s, j], [w]),
    ]
    nodes = [
        Node("constant", [], [true], {"value": np.array(True)}),
        Node("constant", [], [j], {"value": np.array(3)}),
        Node("loop", [j, true, given], [y], {}, [Graph([k, x], body, [true, w])]),
    ]
    program = GraphProgram("carried", Graph([given], nodes, [y]), ["y"])
    verify_graph(program)
    assert BEFORE in untyped(program)
    loop_elements(program)
    verify_graph(program)
    assert AFTER in untyped(program)


def untyped(program: GraphProgram) -> str:
    """A program without types."""
    printed = print_graph(program)
    for type_ in (": float64 [5]", ": float64 []", ": bool", ": int"):
        printed = printed.replace(type_, "")
    return printed
