"""Tuples of computed length where a tuple is something other than an array: indices, shapes, comparisons."""
# ruff: noqa: C409, RUF015

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from graph_program import GraphProgramError, Int64, graph_program
from tests.programs.plain import Cases, check_or_refused

V = np.arange(12.0).reshape(3, 4)
Q = np.array([1, 2])
ROWS = np.array([[1, 2], [0, 1], [2, 2]])
case = Cases()


@case((V, Q), (V, np.array([1])), (V, np.array([1, 2, 3])), (V, np.array([1, 9])))
def of_an_array(v: Any, q: Any) -> Any:
    return v[tuple(q)]


@case((V, Q))
def written(v: Any, q: Any) -> Any:
    v[tuple(q)] = 9
    v[tuple(q - 1)] += 1
    return v


@case((V, Q))
def of_python_ints(v: Any, q: Any) -> Any:
    return v[tuple(q.tolist())], v[tuple(int(e) for e in q)], v[tuple([*q])]


@case((V, ROWS))
def of_index_arrays(v: Any, rows: Any) -> Any:
    return v[tuple(rows.T)], v[tuple(map(tuple, rows.T))]


@case((V, ROWS))
def in_a_loop(v: Any, rows: Any) -> Any:
    total = 0.0
    for q in rows:
        total += v[tuple(q)]
        v[tuple(q)] = 0
    return total, v


@case((V, Q), (V, np.array([1])))
def with_its_length_asked(v: Any, q: Any) -> Any:
    k = tuple(q)
    return v[k] if len(k) == 2 else v[0]


@case((V, Q))
def a_part_of_it(v: Any, q: Any) -> Any:
    return v[tuple(q)[0]], v[tuple(q)[:1]], v[..., tuple(q)], v[tuple(q),]


@case((V, np.array([True, False])))
def of_flags(v: Any, m: Any) -> Any:
    return v[tuple(m)]


@case((V, Q))
def as_shapes(v: Any, q: Any) -> Any:
    return np.zeros(tuple(q)), np.full(tuple(q), 3), np.broadcast_to(v[0, 0], tuple(q))


@case((V, Q), (V, np.array([1, 4])))
def compared(v: Any, q: Any) -> Any:
    return tuple(q) == (1, 2), tuple(q) < (1, 3), isinstance(tuple(q), tuple)


@case((V, ROWS))
def in_lists(v: Any, rows: Any) -> Any:
    found = [tuple(q) for q in rows]
    return found, isinstance(found[0], tuple), isinstance(found[0], list), found[0] == (1, 2), found[0] == [1, 2]


@case((V, ROWS))
def in_lists_as_indices(v: Any, rows: Int64[np.ndarray, "n 2"]) -> Any:
    found = [tuple(q) for q in rows]
    return [v[k] for k in found]


@case.each
def test_a_tuple_of_computed_length_is_a_tuple(fn: Any, inputs: Any) -> None:
    check_or_refused(fn, *inputs)


def test_a_length_that_only_the_run_tells_is_refused() -> None:
    @graph_program
    def program(v: Any, q: Any) -> Any:
        return v[tuple(q[q > 0])]

    with pytest.raises(GraphProgramError, match=r"GP442.*(?s:.*)annotate the length"):
        program(V, Q)
