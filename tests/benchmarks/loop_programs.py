"""Loops over numbers, as a person writes them who counts on a compiler."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from graph_program import Float64, Tensor, UInt8, graph_program

Vector = Float64[Tensor, "n"]


@dataclass(frozen=True)
class Case:
    """A program, its arguments, and the same in operations on arrays, where that is natural."""

    program: Any
    arguments: dict[str, Any]
    arrays: Callable[..., Any] | None = None


@graph_program
def clipped(x: Vector, low: float, high: float) -> Vector:
    y = np.zeros(len(x))
    for i in range(len(x)):
        if x[i] < low:
            y[i] = low
        elif x[i] > high:
            y[i] = high
        else:
            y[i] = x[i]
    return y


@graph_program
def energy(x: Vector) -> float:
    total = 0.0
    for value in x:
        total += value * value
    return total


@graph_program
def peak(x: Vector) -> Any:
    best, place = x[0], 0
    for i in range(1, len(x)):
        if x[i] > best:
            best, place = x[i], i
    return place, best


@graph_program
def above(x: Vector, limit: float) -> Any:
    found = []
    for i in range(len(x)):
        if x[i] > limit:
            found.append(i)
    return np.array(found, dtype=np.int64)


@graph_program
def distances(a: Float64[Tensor, "n 3"], b: Float64[Tensor, "m 3"]) -> Float64[Tensor, "n m"]:
    out = np.zeros((len(a), len(b)))
    for i in range(len(a)):
        for j in range(len(b)):
            total = 0.0
            for k in range(3):
                total += (a[i, k] - b[j, k]) ** 2
            out[i, j] = np.sqrt(total)
    return out


@graph_program
def normalised(x: Float64[Tensor, "n m"]) -> Float64[Tensor, "n m"]:
    y = x.copy()
    for i in range(x.shape[0]):
        total = 0.0
        for j in range(x.shape[1]):
            total += x[i, j]
        for j in range(x.shape[1]):
            y[i, j] = x[i, j] / total
    return y


@graph_program
def histogram(image: UInt8[Tensor, "h w"]) -> Any:
    counts = np.zeros(256, dtype=np.int64)
    for row in range(image.shape[0]):
        for column in range(image.shape[1]):
            counts[image[row, column]] += 1
    return counts


@graph_program
def mandelbrot(height: int, width: int, limit: int) -> Any:
    counts = np.zeros((height, width), dtype=np.int64)
    for row in range(height):
        for column in range(width):
            a, b = 3.0 * column / width - 2.0, 3.0 * row / height - 1.5
            x = y = 0.0
            n = 0
            while n < limit and x * x + y * y <= 4.0:
                x, y = x * x - y * y + a, 2.0 * x * y + b
                n += 1
            counts[row, column] = n
    return counts


@graph_program
def suppressed(boxes: Float64[Tensor, "n 4"], scores: Vector, threshold: float) -> Any:
    order = np.argsort(-scores)
    count = len(order)
    gone = np.zeros(count, dtype=bool)
    kept = []
    for i in range(count):
        a = order[i]
        if gone[a]:
            continue
        kept.append(a)
        for j in range(i + 1, count):
            b = order[j]
            width = min(boxes[a, 2], boxes[b, 2]) - max(boxes[a, 0], boxes[b, 0])
            height = min(boxes[a, 3], boxes[b, 3]) - max(boxes[a, 1], boxes[b, 1])
            common = max(0.0, width) * max(0.0, height)
            first = (boxes[a, 2] - boxes[a, 0]) * (boxes[a, 3] - boxes[a, 1])
            second = (boxes[b, 2] - boxes[b, 0]) * (boxes[b, 3] - boxes[b, 1])
            if common / (first + second - common) > threshold:
                gone[b] = True
    return np.array(kept)


@graph_program
def first_above(x: Vector, limit: float) -> int:
    for i in range(len(x)):
        if x[i] > limit:
            return i
    return -1


@graph_program
def longest(limit: int) -> int:
    best, found = 0, 1
    for start in range(1, limit):
        n, steps = start, 0
        while n != 1:
            n = n // 2 if n % 2 == 0 else 3 * n + 1
            steps += 1
        if steps > best:
            best, found = steps, start
    return found


def cases(seed: int = 0) -> dict[str, Case]:
    """The programs with arguments that a seed gives, by name."""
    random = np.random.default_rng(seed)
    x, corners = random.normal(size=1000), random.random((100, 2)) * 60
    a, b, image = random.random((30, 3)), random.random((40, 3)), random.integers(0, 256, (32, 32)).astype(np.uint8)
    boxes = np.concatenate([corners, corners + 10 + random.random((100, 2)) * 20], axis=1)
    return {
        "clip": Case(clipped, {"x": x, "low": -1.0, "high": 1.0}, lambda x, low, high: np.clip(x, low, high)),
        "energy": Case(energy, {"x": x}, lambda x: np.sum(x * x)),
        "peak": Case(peak, {"x": x}, lambda x: (np.argmax(x), np.max(x))),
        "above": Case(above, {"x": x, "limit": 0.5}, lambda x, limit: np.nonzero(x > limit)[0]),
        "distances": Case(distances, {"a": a, "b": b}, lambda a, b: np.sqrt(((a[:, None] - b) ** 2).sum(axis=2))),
        "normalise": Case(normalised, {"x": np.abs(a)}, lambda x: x / x.sum(axis=1, keepdims=True)),
        "histogram": Case(histogram, {"image": image}, lambda image: np.bincount(image.ravel(), minlength=256)),
        "Mandelbrot": Case(mandelbrot, {"height": 40, "width": 40, "limit": 50}),
        "NMS": Case(suppressed, {"boxes": boxes, "scores": random.random(100), "threshold": 0.5}),
        "Collatz": Case(longest, {"limit": 3000}),
        "search": Case(first_above, {"x": x, "limit": 3.0}),
    }
