"""Elements where a mask holds are one operator; places that were found otherwise are gathered."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from graph_program import Bool, Float64, Tensor, graph_program
from tests.programs.plain import check

Vector = Float64[Tensor, "n"]
Matrix = Float64[Tensor, "n m"]
VECTORS = tuple((np.array(x),) for x in ([1.0, np.nan, -3, 4], [-1.0, -2], [5.0], []))


def elements(x: Vector) -> Any:
    return x[x > 0]


def rows(x: Matrix) -> Any:
    return x[x[:, 0] > 0], x[:, x.sum(axis=0) > 0]


def appended(x: Vector) -> Any:
    found = []
    for v in x:
        if v > 0:
            found.append(v * 2)
    return found


def of_another_size(x: Vector, keep: Bool[Tensor, "m"]) -> Any:
    return x[keep]


def places(x: Vector) -> Any:
    (found,) = np.nonzero(x > 0)
    return x[found], x[found[::-1]]


def operators(program: Any) -> list[str]:
    def inside(graph: Any) -> list[str]:
        inner = [a.g for node in graph.node for a in node.attribute if a.HasField("g")]
        return [*(node.op_type for node in graph.node), *(op for g in inner for op in inside(g))]

    return inside(graph_program(program).model().graph)


@pytest.mark.parametrize("program", [elements, appended])
def test_where_a_mask_holds(program: Any) -> None:
    check(program, *VECTORS)
    assert "Compress" in operators(program) and "NonZero" not in operators(program)


def test_rows_and_columns_where_a_mask_holds() -> None:
    check(rows, *((np.arange(n * m, dtype=float).reshape(n, m) - 3,) for n, m in ((3, 4), (1, 2), (4, 1), (2, 3))))
    assert operators(rows).count("Compress") == 2


def test_a_mask_of_another_size_is_an_error() -> None:
    keep = np.array([True, False, True])
    check(of_another_size, (np.arange(3.0), keep), (np.arange(2.0), keep), (np.arange(4.0), keep))


def means_between(x: Vector, y: Float64[Tensor, "m"], n: int) -> Any:
    found = np.zeros(n)
    for i in range(n):
        found[i] = x[(y >= i) & (y < i + 2)].sum()
    return found


def means_below_the_greatest(x: Vector, y: Float64[Tensor, "m"], n: int) -> Any:
    top, found = y.max(), np.zeros(n)
    for i in range(n):
        found[i] = x[y < top - i].sum()
    return found


def of_several_sizes(x: Vector, keep: Bool[Tensor, "m"], y: Float64[Tensor, "m"]) -> Any:
    chosen = x[keep]
    return chosen, y[keep], x[keep] - chosen


def where_sizes_are_asked_for(x: Vector, keep: Bool[Tensor, "m"]) -> Any:
    if len(keep) == 0 or len(x) == len(keep):
        return x[np.nonzero(keep)[0]]
    return x[:0]


def places_of_a_longer_one(x: Vector, keep: Bool[Tensor, "m"]) -> Any:
    if len(keep) > 4 or len(x) == len(keep):
        return x[np.nonzero(keep)[0]]
    return x


def places_where_sizes_differ(x: Vector, keep: Bool[Tensor, "m"]) -> Any:
    if len(keep) != 0 and len(x) != len(keep):
        return x[np.nonzero(keep)[0]]
    return x


def of_what_it_is_made_of(x: Vector, y: Float64[Tensor, "m"]) -> Any:
    z = x[:1] * 2.0 if len(y) > 2 else x
    return z[(z > 0) & ~(z >= 4.0)], z[np.isnan(z) | (z + 1.0 > 2.0)]


def of_two_arrays(x: Vector, y: Float64[Tensor, "m"]) -> Any:
    return x[np.nonzero(x[:, np.newaxis][:, 0] + y > 2.0)[0]]


MASKED = tuple(
    (np.arange(1.0, n + 1), np.array(keep, bool))
    for n in range(6)
    for keep in ([], [1, 0], [0, 1, 1], [0, 0, 1, 0, 0], [1, 0, 0, 0, 0, 1], [0] * 7)
)


def test_masks_whose_size_a_branch_has_asked_for() -> None:
    check(of_several_sizes, *((x, keep, keep * 3.0) for x, keep in MASKED))
    check(where_sizes_are_asked_for, *MASKED)
    sizes = [(0, 0, 2), (3, 3, 4), (3, 2, 2), (2, 3, 0), (2, 3, -1), (3, 0, 1), (0, 2, 1)]
    for means in (means_between, means_below_the_greatest):
        check(means, *((np.arange(n) + 0.5, np.arange(float(m)), k) for n, m, k in sizes))
    for program in (of_another_size, of_several_sizes, means_between, means_below_the_greatest):
        assert "Compress" in operators(program) and "NonZero" not in operators(program), program


def test_places_of_masks_of_other_sizes_are_gathered() -> None:
    floats = tuple((x, keep * 1.5) for x, keep in MASKED)
    check(of_what_it_is_made_of, *floats)
    for program in (places_of_a_longer_one, places_where_sizes_differ, of_two_arrays):
        check(program, *(floats if program is of_two_arrays else MASKED))
        assert "Compress" not in operators(program), program


def test_places_in_another_order_are_gathered() -> None:
    check(places, *VECTORS)
    assert {"Compress", "NonZero", "Gather"} <= set(operators(places))


def test_other_runtimes_gather() -> None:
    ops = [node.op_type for node in graph_program(elements).model(portable=True).graph.node]
    assert "Compress" not in ops


def chosen_means(x: Matrix, y: Float64[Tensor, "n"]) -> Any:
    total, count = (x + 0.0).sum(axis=1), (x < 1).sum(axis=1)
    return np.where(count > 0, total / count, y)


def test_what_is_divided_and_chosen_is_chosen_and_divided() -> None:
    special = np.array([[1.0, 2], [-5e-324, 0], [3, 4], [-1, -2], [-1, np.nan], [-0.0, -0.0], [np.inf, -1]])
    y = np.array([-0.0, np.nan, -0.0, -0.0, 1.0, 2.0, 3.0])
    check(chosen_means, (special, y), (special[:0], y[:0]), (np.zeros((2, 0)), -y[:2]))
    (found, expected) = (f(special, y) for f in (graph_program(chosen_means), chosen_means))
    np.testing.assert_array_equal(np.signbit(found), np.signbit(expected))
    assert np.signbit(found)[:4].all()
    assert operators(chosen_means).count("Div") == 1 and "Xor" not in operators(chosen_means)
