"""What sizes of arrays, sums of a few squares and truths of integers take in a model."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import onnx
import pytest

from graph_program import Bool, Float32, Float64, Int64, Tensor, UInt8, graph_program
from tests.programs.plain import Cases
from tests.transform.sessions import compared

Vector, Image = Float64[Tensor, "n"], UInt8[Tensor, "h w"]
VECTORS = tuple((np.arange(n) - 1.5,) for n in (4, 1, 0))
IMAGES = tuple((np.zeros(shape, np.uint8),) for shape in ((3, 4), (1, 0), (0, 0)))
FOURS = tuple((np.array(x, np.float32),) for x in ([1, -2, 3, 0.5], [np.nan, 1, 0, 0], [3e19, 1, 1, 1], [-0.0] * 4))

cases = Cases()
"""Programs, with the operators of their files behind the arguments."""


@cases(Counter({"Size": 1, "Mul": 1}), *VECTORS)
def of_a_vector(x: Vector) -> Any:
    return 2 * len(x)


@cases(Counter({"Size": 1, "Shape": 1, "Range": 1, "ConstantOfShape": 1}), *VECTORS)
def as_a_number_and_as_a_shape(x: Vector) -> Any:
    return np.arange(len(x)), np.zeros(len(x))


@cases(Counter({"Shape": 1, "ConstantOfShape": 1}), *IMAGES)
def as_a_shape(x: Image) -> Any:
    return np.zeros((x.shape[0], x.shape[1]))


@cases(Counter({"Shape": 2, "Concat": 1, "ConstantOfShape": 1}), *IMAGES)
def as_a_shape_in_another_order(x: Image) -> Any:
    return np.zeros((x.shape[1], x.shape[0]))


@cases(Counter({"Size": 1}), *IMAGES)
def of_all_axes(x: Image) -> Any:
    return x.size


@cases(Counter({"Size": 1}), *((np.zeros(shape),) for shape in ((2, 3, 4), (2, 0, 1))))
def of_all_axes_in_any_order(x: Float64[Tensor, "a b c"]) -> Any:
    return x.shape[2] * (x.shape[0] * x.shape[1])


@cases(Counter({"Shape": 2, "Squeeze": 2, "Mul": 2}), *((np.zeros(shape),) for shape in ((2, 3), (0, 1))))
def of_some_axes(x: Float64[Tensor, "a b"]) -> Any:
    return x.shape[0] * x.shape[0], x.shape[1] * 2


@cases(Counter({"Size": 2, "Mul": 1}), (np.zeros(3), np.zeros(2)))
def of_two_vectors(x: Vector, y: Float64[Tensor, "m"]) -> Any:
    return len(x) * len(y)


@cases(Counter({"ReduceSumSquare": 1}), *FOURS)
def a_few_squares(x: Float32[Tensor, "4"]) -> Any:
    return np.sum(x * x)


@cases(Counter({"ReduceL2": 1}), *FOURS)
def a_norm(x: Float32[Tensor, "4"]) -> Any:
    return np.linalg.norm(x)


@cases(Counter({"ReduceSumSquare": 1}), *VECTORS)
def any_number_of_squares(x: Vector) -> Any:
    return np.sum(x**2)


@cases(Counter({"Mul": 1, "ReduceSum": 1}), (np.arange(6.0).reshape(2, 3),), (np.ones((0, 3)),))
def squares_of_rows(x: Float64[Tensor, "n m"]) -> Any:
    return np.sum(x**2, axis=1)


@cases(Counter({"Pow": 1}), *VECTORS)
def other_powers(x: Vector) -> Any:
    return x**3


@cases(Counter({"Mul": 1, "ReduceSum": 1, "Neg": 1}), *FOURS[:3])
def of_two_factors(x: Float32[Tensor, "4"]) -> Any:
    return np.sum(x * -x)


@cases(Counter({"Equal": 2, "Cast": 1, "ReduceProd": 1}), *VECTORS, (np.zeros(0),))
def not_all(x: Vector) -> Any:
    return not np.all(x == 0.5)


@cases(Counter({"Cast": 1}), (np.array([3, 0, -1]),), (np.zeros(0, np.int64),))
def is_not_zero(x: Int64[Tensor, "n"]) -> Any:
    return x != 0


@cases(Counter({"Cast": 1}), *VECTORS, (np.array([np.nan, -0.0, 5e-324]),))
def a_float_is_not_zero(x: Vector) -> Any:
    return x != 0


FLAGS = tuple((np.array(a, bool), np.array(b, bool)) for a, b in (([0, 1, 0, 1], [0, 0, 1, 1]), ([], [])))


@cases(Counter({"And": 1, "Not": 1}), *FLAGS)
def one_or_the_other_does_not_hold(a: Bool[Tensor, "n"], b: Bool[Tensor, "n"]) -> Any:
    return ~a | ~b


@cases(Counter({"Equal": 3, "Or": 2, "Not": 1}), (1, 2, 3), (1, 1, 3), (2, 1, 1), (1, 2, 1))
def all_differ(a: int, b: int, c: int) -> Any:
    return (a != b) & (b != c) & (a != c)


@cases(Counter({"Not": 1, "And": 1}), *FLAGS)
def only_one_is_an_opposite(a: Bool[Tensor, "n"], b: Bool[Tensor, "n"]) -> Any:
    return ~a & b


@cases(Counter({"Not": 2, "And": 1}), *FLAGS)
def the_opposites_are_read(a: Bool[Tensor, "n"], b: Bool[Tensor, "n"]) -> Any:
    return ~a, ~b, ~a & ~b


@cases(Counter({"Shape": 1, "Expand": 1, "MatMul": 1}), *((np.arange(n),) for n in (3, 1, 0)))
def a_sum_of_integers(x: Int64[Tensor, "n"]) -> Any:
    return np.sum(x)


INTEGERS = tuple((np.arange(n * m).reshape(n, m) * 2**60,) for n, m in ((3, 4), (1, 2), (0, 2), (2, 0)))


@cases(Counter({"Shape": 2, "Expand": 2, "MatMul": 2, "Unsqueeze": 1, "Squeeze": 1}), *INTEGERS)
def sums_of_rows_and_of_columns(x: Int64[Tensor, "n m"]) -> Any:
    return x.sum(axis=0), x.sum(axis=1)


@cases(Counter({"Size": 1, "Max": 1}), *VECTORS)
def the_larger_of_small_integers(x: Vector) -> Any:
    return np.maximum(len(x), 2)


LARGE = (0, 2**31, -(2**31), 2**32 + 1)


@cases(Counter({"Greater": 1, "Where": 1}), *((a, b) for a in LARGE for b in LARGE))
def the_larger_of_any_integers(a: int, b: int) -> Any:
    return np.maximum(a, b)


MASKS = tuple(
    (np.random.default_rng(n).random(shape) > 0.4,) for n, shape in enumerate(((4, 5), (1, 3), (0, 2), (3, 0)))
)


def of_connected(mask: Bool[Tensor, "h w"]) -> Any:
    """Labels are numbers of elements, however many rounds they spread for."""
    height, width = mask.shape
    labels = np.where(mask, np.arange(height * width, 0, -1).reshape(height, width), 0)
    changed = True
    while changed:
        grown = np.where(mask, np.maximum(labels, labels[::-1]), 0)
        changed = bool(np.any(grown != labels))
        labels = grown
    return labels


def of_what_grows(x: Int64[Tensor, "n"]) -> Any:
    """Sums of sizes stay below no number that is known."""
    total = np.zeros(len(x), np.int64)
    for k in x:
        total = np.maximum(total, total[::-1] + k * 3)
    return total


def extremes(graph: onnx.GraphProto) -> int:
    inner = [a.g for node in graph.node for a in node.attribute if a.HasField("g")]
    return sum(node.op_type in ("Max", "Min") for node in graph.node) + sum(map(extremes, inner))


def test_arrays_that_loops_carry() -> None:
    """The kernels for extremes compare 32 bits: elements that are known to fit take them."""
    assert extremes(compared(of_connected, MASKS).graph) == 1
    assert extremes(compared(of_what_grows, tuple((np.arange(n) * 2**40,) for n in (3, 1, 0))).graph) == 0


@pytest.mark.parametrize(("fn", "given"), cases.found, ids=[fn.__name__ for fn, _ in cases.found])
def test_operators(fn: Any, given: Any) -> None:
    expected, *inputs = given
    compared(fn, tuple(inputs))
    nodes = graph_program(fn).model(include_errors=False).graph.node
    assert Counter(node.op_type for node in nodes) == expected
