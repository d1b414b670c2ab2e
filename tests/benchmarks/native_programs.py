"""Programs of loops over numbers, as plain functions that numba takes, too."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.benchmarks import native_searches
from tests.benchmarks.loop_programs import cases

Case = tuple[Any, tuple[Any, ...]]
"""A function and its arguments."""


def biquad(x, b, a):  # type: ignore[no-untyped-def]
    y = np.zeros(len(x))
    s1, s2 = 0.0, 0.0
    for i in range(len(x)):
        y[i] = b[0] * x[i] + s1
        s1 = b[1] * x[i] - a[0] * y[i] + s2
        s2 = b[2] * x[i] - a[1] * y[i]
    return y


def edit_distance(a, b):  # type: ignore[no-untyped-def]
    row = np.arange(len(b) + 1)
    for i in range(len(a)):
        corner = row[0]
        row[0] = i + 1
        for j in range(len(b)):
            best = min(row[j] + 1, row[j + 1] + 1, corner + (0 if a[i] == b[j] else 1))
            corner = row[j + 1]
            row[j + 1] = best
    return row[len(b)]


def components(image):  # type: ignore[no-untyped-def]
    height, width = image.shape
    labels = np.zeros((height, width), np.int64)
    stack = np.zeros((height * width, 2), np.int64)
    count = 0
    for row in range(height):
        for column in range(width):
            if image[row, column] and labels[row, column] == 0:
                count += 1
                labels[row, column] = count
                stack[0, 0], stack[0, 1] = row, column
                size = 1
                while size > 0:
                    size -= 1
                    y, x = stack[size, 0], stack[size, 1]
                    for k in range(4):
                        v = y + (k == 0) - (k == 1)
                        u = x + (k == 2) - (k == 3)
                        if 0 <= v < height and 0 <= u < width and image[v, u] and labels[v, u] == 0:
                            labels[v, u] = count
                            stack[size, 0], stack[size, 1] = v, u
                            size += 1
    return labels, count


def union_find(pairs, n):  # type: ignore[no-untyped-def]
    parent = np.arange(n)
    for k in range(len(pairs)):
        a, b = pairs[k, 0], pairs[k, 1]
        while parent[a] != a:
            parent[a] = parent[parent[a]]
            a = parent[a]
        while parent[b] != b:
            parent[b] = parent[parent[b]]
            b = parent[b]
        if a != b:
            parent[b] = a
    return parent


def crc16(data):  # type: ignore[no-untyped-def]
    crc = 0xFFFF
    for i in range(len(data)):
        crc = crc ^ int(data[i])
        for _ in range(8):
            crc = (crc >> 1) ^ 0x8408 if crc & 1 else crc >> 1
    return crc


def shortest_path(cost):  # type: ignore[no-untyped-def]
    height, width = cost.shape
    distance = np.full((height, width), np.inf)
    distance[0, 0] = cost[0, 0]
    changed = True
    while changed:
        changed = False
        for y in range(height):
            for x in range(width):
                best = distance[y, x]
                if y > 0:
                    best = min(best, distance[y - 1, x] + cost[y, x])
                if x > 0:
                    best = min(best, distance[y, x - 1] + cost[y, x])
                if y < height - 1:
                    best = min(best, distance[y + 1, x] + cost[y, x])
                if x < width - 1:
                    best = min(best, distance[y, x + 1] + cost[y, x])
                if best < distance[y, x]:
                    distance[y, x] = best
                    changed = True
    return distance[height - 1, width - 1]


def all_cases(seed: int = 0) -> dict[str, Case]:
    """The programs with arguments that a seed gives, by name: these, and those of the benchmark of loops."""
    random = np.random.default_rng(1 + seed)
    letters = [random.integers(0, 4, n) for n in (120, 150)]
    own: dict[str, Case] = {
        "biquad": (biquad, (random.normal(size=20000), np.array([0.2, 0.4, 0.2]), np.array([-0.4, 0.2]))),
        "edit distance": (edit_distance, tuple(letters)),
        "components": (components, (random.random((64, 64)) > 0.4,)),
        "union-find": (union_find, (random.integers(0, 2000, (3000, 2)), 2000)),
        "CRC": (crc16, (random.integers(0, 256, 4000).astype(np.uint8),)),
        "shortest path": (shortest_path, (random.random((30, 30)),)),
    }
    searches = native_searches.cases(4 + seed)
    loops = {name: (case.program.python, tuple(case.arguments.values())) for name, case in cases(seed).items()}
    return own | searches | loops
