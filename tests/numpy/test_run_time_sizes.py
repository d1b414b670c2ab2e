"""Sizes that are only known at run time: programs extracted with some that fit, called with others.

The second call has sizes that NumPy refuses, or that are at an edge: nothing, one, more than there is.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

from graph_program import graph_program
from tests.fuzz import compare
from tests.numpy.inputs import program_of

x = np.arange(12.0).reshape(3, 4)
e = np.zeros((0, 4))
y = np.arange(4.0)
i = np.arange(12).reshape(3, 4)

ROWS: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("np.max(x)", {"x": x}, {"x": e}),
    ("np.min(x, 0)", {"x": x}, {"x": e}),
    ("np.argmax(x, 0)", {"x": x}, {"x": e}),
    ("np.argmin(x)", {"x": x}, {"x": e}),
    ("np.ptp(x)", {"x": x}, {"x": e}),
    ("np.concatenate([x, z])", {"x": x, "z": x}, {"x": x, "z": np.ones((2, 3))}),
    ("np.stack([x, z])", {"x": x, "z": x}, {"x": x, "z": np.ones((2, 4))}),
    ("np.take(x, j, axis=0)", {"x": x, "j": np.array([0, 1])}, {"x": x, "j": np.array([0, 3])}),
    ("np.split(x, 3)", {"x": x}, {"x": np.ones((4, 4))}),
    ("np.reshape(x, (r, 2))", {"x": x, "r": 6}, {"x": x, "r": 5}),
    ("x.reshape(-1, 3)", {"x": x}, {"x": np.ones((2, 4))}),
    ("np.zeros(r)", {"r": 3}, {"r": -1}),
    ("np.arange(0, s, 0.5)", {"s": 3.0}, {"s": np.nan}),
    ("np.dot(x, y)", {"x": x, "y": y}, {"x": x, "y": np.ones(3)}),
    ("x @ c", {"x": np.ones((2, 3)), "c": np.ones((4, 3, 2))}, {"x": np.ones((2, 0)), "c": np.ones((4, 0, 2))}),
    ("y @ c", {"y": np.ones(3), "c": np.ones((4, 3, 2))}, {"y": np.ones(0), "c": np.ones((4, 0, 2))}),
    ("x @ y", {"x": x, "y": y}, {"x": x, "y": np.ones(3)}),
    ("np.broadcast_to(y, (r, 4))", {"y": y, "r": 2}, {"y": np.ones(3), "r": 2}),
    ("np.add(x, y)", {"x": x, "y": y}, {"x": x, "y": np.ones(3)}),
    ("np.squeeze(x, 0)", {"x": x[:1]}, {"x": x}),
    ("np.average(x, weights=z)", {"x": x, "z": x}, {"x": x, "z": x * 0}),
    ("np.linspace(0, s, r)", {"s": 1.0, "r": 4}, {"s": 1.0, "r": -2}),
    ("np.repeat(y, r)", {"y": y, "r": 2}, {"y": y, "r": -1}),
    ("np.tile(y, r)", {"y": y, "r": 2}, {"y": y, "r": -1}),
    ("np.median(x)", {"x": x}, {"x": e}),
    ("np.mean(x)", {"x": x}, {"x": e}),
    ('np.einsum("ii", q)', {"q": np.ones((3, 3))}, {"q": np.ones((2, 3))}),
    ('np.einsum("iij->ij", x)', {"x": np.ones((2, 2, 3))}, {"x": np.ones((1, 2, 3))}),
    ('np.einsum("ij,jk->ik", x, q)', {"x": x, "q": np.ones((4, 2))}, {"x": x, "q": np.ones((3, 2))}),
    ('np.einsum("ij,jk->ik", x, q)', {"x": x, "q": np.ones((4, 2))}, {"x": x[:, :1], "q": np.ones((4, 2))}),
    (
        'np.einsum("bij,bj->bi", c, q)',
        {"c": np.ones((2, 3, 4)), "q": np.ones((2, 4))},
        {"c": np.ones((2, 3, 1)), "q": y[None]},
    ),
    ("np.array([x[0], y])", {"x": x, "y": y}, {"x": x, "y": np.ones(3)}),
    ('np.pad(x, 1, mode="edge")', {"x": x}, {"x": e}),
    ("np.pad(y, r)", {"y": y, "r": 1}, {"y": y, "r": -1}),
    ("x.item()", {"x": np.ones((1, 1))}, {"x": x}),
    ("np.int64(s)", {"s": 1.5}, {"s": np.nan}),
    ("np.uint8(r)", {"r": 1}, {"r": 300}),
    ("np.where(x > 0, y, 1)", {"x": x, "y": y}, {"x": x, "y": np.ones(3)}),
    ("np.vstack([x, y])", {"x": x, "y": y}, {"x": x, "y": np.ones(3)}),
    ("np.power(i, r)", {"i": i, "r": 2}, {"i": i, "r": -1}),
    ("np.cross(t, p)", {"t": y[:3], "p": y[1:]}, {"t": np.ones(2), "p": y}),
    ("np.trace(x)", {"x": x}, {"x": e}),
    ("np.eye(r)", {"r": 2}, {"r": -1}),
    ("np.diff(y)", {"y": y}, {"y": y[:0]}),
    ("np.gradient(y)", {"y": y}, {"y": y[:1]}),
    ("np.gradient(y)", {"y": y}, {"y": y[:2]}),
    ("np.interp(x, v, w)", {"x": x, "v": y, "w": y}, {"x": x, "v": y, "w": y[1:]}),
    ("np.interp(x, v, w)", {"x": x, "v": y, "w": y}, {"x": x, "v": y[:0], "w": y}),
    ("np.tensordot(x, z)", {"x": x, "z": x}, {"x": x, "z": x[:2]}),
    ("np.array_split(y, 3)", {"y": y}, {"y": y[:1]}),
    ("np.vdot(x, y)", {"x": x[0], "y": y}, {"x": x[0], "y": y[1:]}),
    ("np.inner(x, y)", {"x": x, "y": y}, {"x": x, "y": y[1:]}),
    ("np.outer(x, y)", {"x": x, "y": y}, {"x": e, "y": y}),
    ("np.max(x, axis=1)", {"x": x}, {"x": e}),
    ("np.array_equal(x, y)", {"x": y, "y": y}, {"x": y, "y": y[1:]}),
    ("np.quantile(x, 0.5)", {"x": x}, {"x": e}),
    ("np.resize(y, 5)", {"y": y}, {"y": y[:0]}),
    ("np.clip(i, r, 5)", {"i": i.astype("u1"), "r": 1}, {"i": i.astype("u1"), "r": -1}),
    ("np.logical_and(x, y)", {"x": x, "y": y}, {"x": x, "y": y[1:]}),
    ("np.percentile(x, 50, axis=0)", {"x": x}, {"x": e}),
    ("np.kron(x, y)", {"x": x, "y": y}, {"x": e, "y": y}),
    ("np.diag(y)", {"y": y}, {"y": y[:0]}),
    ("np.average(x, axis=0)", {"x": x}, {"x": e}),
    ("np.roll(x, r, 0)", {"x": x, "r": 5}, {"x": e, "r": -3}),
    ("np.allclose(x, y)", {"x": x, "y": y}, {"x": x, "y": y[1:]}),
    ("np.column_stack([y, z])", {"y": y, "z": y}, {"y": y, "z": y[1:]}),
    ("np.hstack([x, z])", {"x": x, "z": x}, {"x": x, "z": x[:2]}),
    ("np.matmul(q, q)", {"q": np.eye(3)}, {"q": x}),
    ("np.linalg.matrix_power(q, 2)", {"q": np.eye(3)}, {"q": x}),
    ("np.take_along_axis(x, j, 1)", {"x": x, "j": i * 0}, {"x": x, "j": i * 0 + 7}),
    ("np.tri(r)", {"r": 3}, {"r": -1}),
    ("np.vander(y, r)", {"y": y, "r": 3}, {"y": y, "r": -1}),
    ("np.convolve(y, [1.0, 2.0])", {"y": y}, {"y": y[:0]}),
    ("np.digitize(x, [1.0, 2.0])", {"x": x}, {"x": e}),
    ("np.searchsorted(y, x)", {"x": x, "y": y}, {"x": x, "y": y[:0]}),
    ("np.cumsum(x)", {"x": x}, {"x": e}),
    ("np.linalg.multi_dot([x, z])", {"x": x, "z": x.T}, {"x": x, "z": x}),
    ("np.moveaxis(x, 0, 1)", {"x": x}, {"x": e}),
    ("np.count_nonzero(x, 0)", {"x": x}, {"x": e}),
    ("np.meshgrid(y, x)", {"x": x, "y": y}, {"x": e, "y": y}),
]


@pytest.mark.parametrize(("row", "first", "second"), ROWS)
def test_other_sizes_than_it_was_extracted_with(row: str, first: dict[str, Any], second: dict[str, Any]) -> None:
    function, names = program_of(row, sorted(first))
    program = graph_program(function)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for given in (first, second):
            args = tuple(given[name] for name in names)
            assert compare.difference(compare.call(function, args), compare.call(program, args)) is None
