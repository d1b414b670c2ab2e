"""The pass that adds up all elements instead of those that a mask of a round chooses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from graph_program import Bool, Float32, Float64, Int64, Tensor, graph_program
from tests.passes import without
from tests.programs.plain import Cases, check, outcome

Vector = Float64[Tensor, "n"]
Labels = Int64[Tensor, "n"]
LABELS = np.array([1, 0, 1, 5, -1, 1, 3])
POINTS = np.array([[1.0, -2.0], [3.0, 0.5], [-0.0, -0.0], [9.0, 9.0], [np.inf, np.nan], [2.5, -1.5], [-0.0, 0.0]])
ROWS = ((LABELS, POINTS), (LABELS[:1], POINTS[:1]), (LABELS[:0], POINTS[:0]))
VECTORS = tuple((labels, points[:, 0]) for labels, points in ROWS)
PICTURES = tuple((LABELS[:6].reshape(shape), POINTS[:6].reshape(*shape, 2)) for shape in ((2, 3), (6, 1)))

summed = Cases()
"""Programs that need no element, with arguments: in the graph nothing is gathered."""
gathered = Cases()
"""Near misses."""


@summed(*ROWS)
def means_of_clusters(labels: Labels, points: Float64[Tensor, "n d"]) -> Any:
    means = np.zeros((4, points.shape[1]))
    for k in range(4):
        members = points[labels == k]
        if len(members) > 0:
            means[k] = members.mean(axis=0)
    return means


@summed(*VECTORS)
def sums_and_counts(labels: Labels, x: Vector) -> Any:
    sums, counts = np.zeros(4), np.zeros(4, np.int64)
    for k in range(4):
        sums[k] = x[labels == k].sum()
        counts[k] = x[labels == k].size
    return sums, counts


@summed(*((labels, np.arange(len(labels))) for labels, _ in VECTORS))
def of_integers(labels: Labels, x: Int64[Tensor, "n"]) -> Any:
    sums = np.zeros(4, np.int64)
    for k in range(4):
        sums[k] = x[labels == k - 1].sum()
    return sums


@summed(*PICTURES)
def segments_of_a_picture(labels: Int64[Tensor, "h w"], picture: Float64[Tensor, "h w c"]) -> Any:
    colours = np.zeros((6, picture.shape[2]))
    for k in range(6):
        colours[k] = picture[labels == k].sum(axis=0)
    return colours


@summed(*((labels, points.astype(np.float32), 3) for labels, points in ROWS))
def each_in_rounds(labels: Labels, points: Float32[Tensor, "n d"], rounds: int) -> Any:
    centres = np.zeros((4, points.shape[1]), np.float32)
    for _ in range(rounds):
        for k in range(4):
            members = points[labels == k]
            if len(members) > 0:
                centres[k] = (centres[k] + members.mean(axis=0)) / 2
        labels = np.where(centres[0, 0] < points[:, 0], labels, labels - 1)
    return centres, labels


@gathered(*VECTORS[:1])
def greatest_elements(labels: Labels, x: Vector) -> Any:
    found = np.zeros(4)
    for k in range(4):
        members = x[labels == k]
        if len(members) > 0:
            found[k] = members.max()
    return found


@gathered(*VECTORS)
def deviations(labels: Labels, x: Vector) -> Any:
    found = np.zeros(4)
    for k in range(4):
        members = x[labels == k]
        if len(members) > 0:
            found[k] = ((members - members.mean()) ** 2).sum()
    return found


@gathered(*VECTORS)
def of_what_a_round_has_made(labels: Labels, x: Vector) -> Any:
    total = 0.0
    for k in range(4):
        total = total + x[labels == k].sum()
        x = x + total
    return total


@gathered(*((labels == 1, x) for labels, x in VECTORS))
def in_no_loop(mask: Bool[Tensor, "n"], x: Vector) -> Any:
    return x[mask].sum()


def operations(fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...]) -> list[str]:
    """The operations of the optimized graph."""
    program = graph_program(fn)
    outcome(program, inputs[0])
    lines = program.explain("optimized").splitlines()
    return [line.split(" = ")[1].split("(")[0] for line in lines if " = " in line]


@summed.each
def test_sums(fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...], monkeypatch: Any) -> None:
    check(fn, *inputs)
    assert operations(fn, inputs).count("loop") == (fn.__name__ == "each_in_rounds")
    assert "nonzero" not in operations(fn, inputs)
    without(monkeypatch, "masked_sums")
    check(fn, *inputs)
    assert "nonzero" in operations(fn, inputs)


@gathered.each
def test_what_is_gathered(fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...]) -> None:
    check(fn, *inputs)
    assert "nonzero" in operations(fn, inputs)


BEFORE = """\
    rows_1: float64 [3, 2] = loop(k < int_3, while true) with sums.1_2: float64 [rows.size, 2] = constant_2:
        t.6: bool [n] = equal(labels, k)
        t.7: int64 [1, d2] = nonzero(t.6)
        t.8: int64 [d2] = take(t.7, int_0, axis=0)
        t.9: float64 [d2, 2] = take(x, t.8, axis=0)
        t.10: float64 [2] = sum(t.9, axes=(0,), keepdims=False)
"""
AFTER = """\
    x.transpose: float64 [2, n] = transpose(x, perm=(1, 0))
    x.add: float64 [2, n] = add(x.transpose, constant_3)
    rows_1: float64 [3, 2] = loop(k < int_3, while true) with sums.1_2: float64 [rows.size, 2] = constant_2:
        t.6: bool [n] = equal(labels, k)
        x.masked: float64 [2, n] = where(t.6, x.add, constant_3)
        t.10: float64 [2] = sum(x.masked, axes=(1,), keepdims=False)
"""


def test_before_and_after() -> None:
    def sums_of(labels: Labels, x: Float64[Tensor, "n 2"]) -> Any:
        sums = np.zeros((3, 2))
        for k in range(3):
            sums[k] = x[labels == k].sum(axis=0)
        return sums

    others = ["vectorize", "fission"]
    assert BEFORE in graph_program(sums_of, without=[*others, "masked_sums"]).explain("optimized")
    assert AFTER in graph_program(sums_of, without=others).explain("optimized")
