"""Everyday loops over windows whose sizes are arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np


def mean_near(x: Any, r: Any) -> Any:
    """Means of what is there around each sample."""
    n = len(x)
    out = np.zeros(n)
    for i in range(n):
        s = 0.0
        c = 0
        for j in range(max(0, i - r), min(n, i + r + 1)):
            s += x[j]
            c += 1
        out[i] = s / c
    return out


def mean_around(x: Any, r: Any) -> Any:
    """The same, with places outside left out."""
    n = len(x)
    out = np.zeros(n)
    for i in range(n):
        s = 0.0
        c = 0
        for d in range(-r, r + 1):
            j = i + d
            if j < 0 or j >= n:
                continue
            s += x[j]
            c += 1
        out[i] = s / c
    return out


def mean_of(x: Any, k: Any) -> Any:
    """Means of windows that are inside."""
    m = len(x) - k + 1
    out = np.empty(m)
    for i in range(m):
        s = 0.0
        for j in range(k):
            s += x[i + j]
        out[i] = s / k
    return out


def cut(x: Any, size: Any, hop: Any) -> Any:
    """Frames."""
    n = (len(x) - size) // hop + 1
    out = np.zeros((n, size))
    for f in range(n):
        for i in range(size):
            out[f, i] = x[f * hop + i]
    return out


def overlap_add(frames: Any, hop: Any) -> Any:
    """A signal from frames."""
    n, size = frames.shape
    out = np.zeros((n - 1) * hop + size)
    for f in range(n):
        for i in range(size):
            out[f * hop + i] += frames[f, i]
    return out


def dilate_by(img: Any, r: Any) -> Any:
    """The greatest pixel around each."""
    h, w = img.shape
    out = np.zeros_like(img)
    for y in range(h):
        for x in range(w):
            m = 0
            for dy in range(-r, r + 1):
                for dx in range(-r, r + 1):
                    yy = min(max(y + dy, 0), h - 1)
                    xx = min(max(x + dx, 0), w - 1)
                    if img[yy, xx] > m:
                        m = img[yy, xx]
            out[y, x] = m
    return out


def max_pool(a: Any, k: Any) -> Any:
    """The greatest of squares."""
    h, w = a.shape
    oh = h // k
    ow = w // k
    out = np.zeros((oh, ow))
    for y in range(oh):
        for x in range(ow):
            m = -1e30
            for i in range(k):
                for j in range(k):
                    m = max(m, a[y * k + i, x * k + j])
            out[y, x] = m
    return out


def mean_pool(img: Any, b: Any) -> Any:
    """Means of squares of bytes."""
    h, w = img.shape
    out = np.zeros((h // b, w // b))
    for y in range(h // b):
        for x in range(w // b):
            s = 0
            for i in range(b):
                for j in range(b):
                    s += int(img[y * b + i, x * b + j])
            out[y, x] = s / (b * b)
    return out


def gauss(a: Any, r: Any, sigma: Any) -> Any:
    """Weighted means around each pixel."""
    h, w = a.shape
    out = np.zeros((h, w))
    for y in range(r, h - r):
        for x in range(r, w - r):
            s = 0.0
            t = 0.0
            for i in range(-r, r + 1):
                for j in range(-r, r + 1):
                    g = np.exp(-(i * i + j * j) / (2 * sigma * sigma))
                    s += g * a[y + i, x + j]
                    t += g
            out[y, x] = s / t
    return out


def peaks_by(x: Any, r: Any) -> Any:
    """Places that are greater than those around."""
    found = []
    for i in range(r, len(x) - r):
        ok = True
        for d in range(1, r + 1):
            if x[i - d] >= x[i] or x[i + d] > x[i]:
                ok = False
                break
        if ok:
            found.append(i)
    return np.array(found, dtype=np.int64)


def numbers(b: Any, width: Any) -> Any:
    """Numbers from bits."""
    n = len(b) // width
    out = np.zeros(n, np.int64)
    for i in range(n):
        v = 0
        for j in range(width):
            v = v * 2 + int(b[i * width + j])
        out[i] = v
    return out


def powers(x: Any, order: Any) -> Any:
    """Powers of each number."""
    out = np.zeros((len(x), order))
    for i in range(len(x)):
        p = 1.0
        for j in range(order):
            out[i, j] = p
            p *= x[i]
    return out


def mean_behind(x: Any, k: Any) -> Any:
    """Means of the last k samples, of fewer at the beginning."""
    out = np.zeros(len(x))
    for i in range(len(x)):
        s = 0.0
        for j in range(max(0, i - k + 1), i + 1):
            s += x[j]
        out[i] = s / min(k, i + 1)
    return out


def greatest_near(x: Any, r: Any) -> Any:
    """The greatest of what is there around each sample."""
    n = len(x)
    out = np.zeros(n)
    for i in range(n):
        lo, hi = i - r, i + r + 1
        if lo < 0:
            lo = 0
        if hi > n:
            hi = n
        best = x[lo]
        for j in range(lo + 1, hi):
            best = max(best, x[j])
        out[i] = best
    return out


def box_near(img: Any, r: Any) -> Any:
    """Means of what is there around each pixel."""
    h, w = img.shape
    out = np.zeros((h, w))
    for y in range(h):
        for x in range(w):
            s, c = 0.0, 0
            for v in range(max(0, y - r), min(h, y + r + 1)):
                for u in range(max(0, x - r), min(w, x + r + 1)):
                    s += img[v, u]
                    c += 1
            out[y, x] = s / c
    return out


def cases() -> dict[str, tuple[Callable[..., Any], tuple[Any, ...]]]:
    """Programs with arguments."""
    random = np.random.default_rng(0)
    img, x = random.integers(0, 255, (40, 50)).astype(np.uint8), random.standard_normal(400)
    picture, frames = random.standard_normal((30, 40)), random.standard_normal((12, 32))
    return {
        "mean_near": (mean_near, (x, 5)),
        "mean_behind": (mean_behind, (x, 7)),
        "greatest_near": (greatest_near, (x, 5)),
        "box_near": (box_near, (picture, 2)),
        "mean_around": (mean_around, (x, 5)),
        "mean_of": (mean_of, (x, 7)),
        "cut": (cut, (x, 32, 16)),
        "overlap_add": (overlap_add, (frames, 16)),
        "dilate_by": (dilate_by, (img, 1)),
        "max_pool": (max_pool, (picture, 2)),
        "mean_pool": (mean_pool, (img, 8)),
        "gauss": (gauss, (picture, 2, 1.5)),
        "peaks_by": (peaks_by, (x, 3)),
        "numbers": (numbers, (random.integers(0, 2, 200).astype(np.uint8), 8)),
        "powers": (powers, (x[:60], 6)),
    }
