"""The first places of an order are found without the others; a column is written by one operator."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import onnx

from graph_program import Float32, Float64, Int64, Tensor
from tests.programs.plain import Cases
from tests.transform.sessions import compared

INT64 = onnx.TensorProto.INT64

first = Cases()
"""Programs that put no more than the first places in order where there is no NaN, with arguments."""
all_places = Cases()
"""Near misses."""


def arrays(shapes: tuple[tuple[int, ...], ...], dtype: Any) -> Iterator[tuple[np.ndarray]]:
    """Arrays with equal elements, with NaN and infinities, and of zeros of both signs."""
    for shape in shapes:
        x = np.random.default_rng(len(shape)).integers(-3, 4, shape).astype(dtype)
        special, zeros, infinite = x.copy(), np.zeros(shape, dtype), x.copy()
        special[::3], special[1::4], special[2::5], zeros[::2] = np.nan, np.inf, -np.inf, -0.0
        infinite[::2], infinite[1::2] = np.inf, np.finfo(dtype).max
        yield from ((x,), (special,), (-special,), (zeros,), (infinite,), (-infinite,))


@first(*arrays(((7,),), np.float32))
def the_greatest(x: Float32[Tensor, "7"]) -> Any:
    best = np.argsort(-x, kind="stable")[:3]
    return best, x[best]


@first(*arrays(((7,),), np.float64))
def the_smallest(x: Float64[Tensor, "7"]) -> Any:
    best = np.argsort(x, kind="stable")[:3]
    return best, x[best]


@first(*arrays(((6, 5),), np.float32))
def of_each_column(x: Float32[Tensor, "6 5"]) -> Any:
    return np.argsort(x, axis=0, kind="stable")[:2]


@first(*((np.array(x),) for x in ([3, 1, 3, 2], [0, 0, 0, 0])))
def of_integers(x: Int64[Tensor, "4"]) -> Any:
    return np.argsort(x, kind="stable")[:2]


@first(*arrays(((4, 5), (1, 5)), np.float32))
def where_a_row_has_been_read(x: Float32[Tensor, "n 5"]) -> Any:
    row = x[0]
    flat = (x * row).ravel()
    best = np.argsort(-flat, kind="stable")[:5]
    return flat[best], best % 5


@all_places(*arrays(((7,), (2,)), np.float32), (np.zeros(0, np.float32),))
def perhaps_not_as_many(x: Float32[Tensor, "n"]) -> Any:
    return np.argsort(-x, kind="stable")[:3]


@all_places(*arrays(((7,),), np.float32))
def the_last(x: Float32[Tensor, "7"]) -> Any:
    return np.argsort(x, kind="stable")[-3:]


@all_places(*arrays(((7,),), np.float32))
def the_others_are_read(x: Float32[Tensor, "7"]) -> Any:
    order = np.argsort(x, kind="stable")
    return order[:3], order[3:]


def topk_counts(model: onnx.ModelProto) -> list[int | None]:
    """How many elements operators put in order, where that is known; of branches on NaN those of the other side."""
    arrays = {t.name: onnx.numpy_helper.to_array(t) for t in model.graph.initializer if t.data_type == INT64}
    sizes = {name: int(array.item()) for name, array in arrays.items() if array.shape == (1,)}
    found: list[int | None] = []

    def graph(nodes: Any) -> None:
        for node in nodes:
            if node.op_type == "TopK":
                found.append(sizes.get(node.input[1]))
            for attribute in node.attribute:
                if attribute.HasField("g") and attribute.name != "then_branch":
                    graph(attribute.g.node)

    graph(model.graph.node)
    return found


@first.each
def test_only_the_first_places_are_found(fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...]) -> None:
    counts = topk_counts(compared(fn, inputs))
    assert counts
    assert all(count is not None and count <= 5 for count in counts)


@all_places.each
def test_all_places_are_found(fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...]) -> None:
    assert not set(topk_counts(compared(fn, inputs))) & {1, 2, 3}


columns = Cases()
"""Programs that write a column, with arguments."""
places = Cases()
"""Near misses."""
MATRIX = np.arange(12.0).reshape(3, 4)
WRITES = tuple((MATRIX, np.array([7.0, 8, 9]), k) for k in (0, 3, -1, 4, -5))


@columns(*WRITES)
def a_column(x: Float64[Tensor, "3 m"], v: Float64[Tensor, "3"], k: int) -> Any:
    y = x.copy()
    y[[0, 1, 2], k] = v
    return y


@places(*WRITES)
def in_another_order(x: Float64[Tensor, "3 m"], v: Float64[Tensor, "3"], k: int) -> Any:
    y = x.copy()
    y[[1, 0, 2], k] = v
    return y


@places(*WRITES)
def fewer_rows(x: Float64[Tensor, "3 m"], v: Float64[Tensor, "3"], k: int) -> Any:
    y = x.copy()
    y[[0, 1], k] = v[:2]
    return y


def operators(graph: onnx.GraphProto) -> set[str]:
    inner = [operators(a.g) for node in graph.node for a in node.attribute if a.HasField("g")]
    return {node.op_type for node in graph.node}.union(*inner)


@columns.each
def test_a_column_is_written_at_once(fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...]) -> None:
    found = operators(compared(fn, inputs).graph)
    assert "ScatterElements" in found
    assert found.isdisjoint(("Gather", "ScatterND"))


@places.each
def test_other_places_are_written_one_by_one(fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...]) -> None:
    assert "Gather" in operators(compared(fn, inputs).graph)
