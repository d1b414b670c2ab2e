"""Lists of arrays, and of lists, of different lengths: sorted, reversed, repeated, spliced, sliced with a step."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.programs.plain import check


def beam(logp: Any, width: Any) -> Any:
    beams = [(0.0, [0])]
    for t in range(logp.shape[0]):
        candidates = []
        for score, sequence in beams:
            for v in range(logp.shape[1]):
                candidates.append((score + logp[t, v], sequence + [v]))  # noqa: RUF005
        candidates.sort(key=lambda c: -c[0])
        beams = candidates[:width]
    return beams


def runs(x: Any) -> Any:
    groups: list[list[int]] = []
    for v in x:
        if groups and groups[-1][-1] <= v:
            groups[-1] = groups[-1] + [int(v)]
        else:
            groups.append([int(v)])
    return sorted(groups, key=len, reverse=True), groups[::-1], groups[::2]


def positives(x: Any) -> Any:
    parts = [row[row > 0] for row in x]
    doubled = parts * 2
    parts.reverse()
    return parts, doubled, [len(p) for p in parts[1::2]], sorted(parts, key=lambda p: p.sum())


def blocks(x: Any) -> Any:
    parts = [x[: int(n), : int(n)] * 1 for n in x[:, 0]]
    return parts[::-1], sorted(parts, key=lambda p: -p.size)


def spliced(x: Any) -> Any:
    big = [int(v) for v in x if v > 1]
    path = [0]
    for v in big:
        path = [*path, v]
    return [*big, 7, *big], [*x, 1.0], [*range(len(big))], path, [*(v * 2 for v in x)], [*"ab", 1]


def test_splices() -> None:
    check(spliced, (np.array([1.0, 2, 3]),), (np.zeros(0),))


def test_beam_search() -> None:
    check(beam, (np.array([[3.0, 1, 2], [1, 5, 4]]), 2), (np.zeros((0, 2)), 2), (np.ones((1, 1)), 1))


def test_runs() -> None:
    check(runs, (np.array([1, 2, 2, 1, 5, 0]),), (np.array([3]),), (np.zeros(0, np.int64),))


def test_arrays() -> None:
    check(positives, (np.array([[1.0, -1, 2], [-1, -1, -1], [4, 5, 6], [-1, 7, -1]]),), (np.zeros((0, 3)),))
    check(positives, (np.array([[-1], [-2]], np.int16),))
    check(blocks, (np.array([[2, 1, 0], [0, 1, 1], [3, 4, 5]]),))
