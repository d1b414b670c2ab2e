"""Decoders, solvers and drawing as people write them: guarded reads, early ends, exceptions in the middle."""

from __future__ import annotations

import math

import numpy as np

from tests.programs.plain import check

A = np.array
TREE = (A([1, 3, -1, -1, -1]), A([2, 4, -1, -1, -1]), A([-1, -1, 7, 8, 9]))


def bytes_of(*values):
    return A(values, np.uint8)


def cobs_decode(data):
    out = np.zeros(len(data), np.uint8)
    n = 0
    i = 0
    while i < len(data):
        code = int(data[i])
        if code == 0:
            raise ValueError(f"zero byte at {i}")
        i += 1
        for j in range(code - 1):
            out[n] = data[i + j]
            n += 1
        i += code - 1
        if code < 255 and i < len(data):
            out[n] = 0
            n += 1
    return out[:n]


def test_frames_without_zeros() -> None:
    check(cobs_decode, (bytes_of(3, 1, 2, 2, 5),), (bytes_of(),), (bytes_of(3, 1),), (bytes_of(2, 5, 0),))


def varint(data):
    values = []
    i, n = 0, len(data)
    while i < n:
        shift = 0
        value = 0
        while i < n and data[i] & 0x80:
            value |= (int(data[i]) & 0x7F) << shift
            shift += 7
            i += 1
        if i >= n:
            raise EOFError("truncated")
        value |= int(data[i]) << shift
        i += 1
        values.append((value >> 1) ^ -(value & 1))
    return values


def test_numbers_of_several_bytes() -> None:
    check(varint, (bytes_of(1, 150, 1),), (bytes_of(),), (bytes_of(128),), (bytes_of(*[255] * 7, 127, 3),))


def lz(data, size: int):
    out = np.zeros(size, np.uint8)
    n = 0
    i = 0
    while i < len(data) and n < size:
        c = data[i]
        i += 1
        if c < 128:
            m = int(c) + 1
            out[n : n + m] = data[i : i + m]
            n += m
            i += m
        else:
            back = int(data[i]) + 1
            i += 1
            if back > n:
                raise ValueError(f"copy of {back} bytes back at {n}")
            for _ in range(int(c) - 125):
                out[n] = out[n - back]
                n += 1
    return out, n


def test_copies_that_overlap() -> None:
    check(
        lz,
        (bytes_of(1, 5, 6, 129, 0), 10),
        (bytes_of(), 4),
        (bytes_of(0, 1, 130, 9), 10),
        (bytes_of(3, 1), 10),
        (bytes_of(0, 9, 255, 0), 20),
    )


def huffman_decode(bits, left, right, symbol, n: int):
    out = []
    node = 0
    for i, b in enumerate(bits):
        node = int(right[node]) if b else int(left[node])
        if node < 0:
            raise ValueError(f"bad code at bit {i}")
        if symbol[node] >= 0:
            out.append(int(symbol[node]))
            node = 0
            if len(out) == n:
                return out, i + 1
    raise EOFError(f"only {len(out)} of {n} symbols")


def test_codes_of_a_tree() -> None:
    check(
        huffman_decode,
        (A([1, 0, 0, 0, 1, 0, 1]), *TREE, 2),
        (A([1, 0, 0, 0, 1, 0, 1]), *TREE, 9),
        (A([0, 1]), A([1, 9]), A([0, 9]), A([-1, -1]), 9),
    )


def retry(x, w):
    bad = []
    total = 0
    for i in range(len(x)):
        try:
            x[i] += 1
            total += 100 // int(x[i])
            x[i + int(w[i])] = 5
        except ZeroDivisionError:
            bad.append(i)
        except IndexError as e:
            bad.append(-i)
            if len(bad) > 2:
                raise RuntimeError(f"too many: {bad}") from e
        else:
            total += 1
        finally:
            w[i] = 0
    return total, bad


def test_what_is_written_before_an_exception_stays() -> None:
    check(
        retry,
        (A([1.0, -1.0, 3.0]), A([0, 1, 0])),
        (A([3.0] * 6), A([0, 9, 9, 9, 9, 9])),
        (A([np.nan] * 3), A([0, 1, 1])),
    )


def rdp(points, eps: float):
    keep = np.zeros(len(points), bool)
    keep[0] = keep[-1] = True
    stack = [(0, len(points) - 1)]
    while stack:
        a, b = stack.pop()
        best, at = 0.0, -1
        d = points[b] - points[a]
        length = math.hypot(d[0], d[1])
        for i in range(a + 1, b):
            q = points[i] - points[a]
            h = abs(d[0] * q[1] - d[1] * q[0]) / length if length > 0 else math.hypot(q[0], q[1])
            if h > best:
                best, at = h, i
        if best > eps:
            keep[at] = True
            stack.append((a, at))
            stack.append((at, b))
    return points[keep]


def test_a_stack_of_ranges() -> None:
    check(
        rdp,
        (A([[0.0, 0], [1, 0.1], [2, -0.1], [3, 5], [4, 6]]), 0.5),
        (A([[0.0, 0]]), 0.5),
        (np.zeros((0, 2)), 0.5),
        (np.zeros((5, 2)), 0.1),
    )


def simplex(t, basis):
    rows, cols = t.shape
    for _ in range(50):
        e = -1
        for j in range(cols - 1):
            if t[-1, j] < -1e-9:
                e = j
                break
        if e < 0:
            return t[-1, -1]
        leaving, best = -1, math.inf
        for i in range(rows - 1):
            if t[i, e] > 1e-9 and t[i, -1] / t[i, e] < best:
                leaving, best = i, t[i, -1] / t[i, e]
        if leaving < 0:
            raise ArithmeticError("unbounded")
        t[leaving] /= t[leaving, e]
        for i in range(rows):
            if i != leaving:
                t[i] -= t[i, e] * t[leaving]
        basis[leaving] = e
    raise RuntimeError("cycling")


def test_a_tableau_in_place() -> None:
    check(
        simplex,
        (A([[1.0, 1, 1, 0, 4], [1, 3, 0, 1, 6], [-3, -5, 0, 0, 0]]), A([2, 3])),
        (A([[-1.0, 1, 4], [-3, -5, 0]]), A([2])),
        (A([[1.0, 2, 0]]), A([], int)),
    )


def bresenham(img, a, b):
    (y, x), (y1, x1) = a, b
    dy, dx = abs(y1 - y), abs(x1 - x)
    sy, sx = 1 if y < y1 else -1, 1 if x < x1 else -1
    e = dx - dy
    n = 0
    while True:
        img[y, x] += 1
        n += 1
        if y == y1 and x == x1:
            return n
        e2 = 2 * e
        if e2 > -dy:
            e -= dy
            x += sx
        if e2 < dx:
            e += dx
            y += sy


def test_a_line_that_may_leave_the_image() -> None:
    check(
        bresenham,
        (np.zeros((4, 5), np.uint8), (0, 0), (3, 4)),
        (np.full((4, 5), 255, np.uint8), (3, 1), (0, 1)),
        (np.zeros((4, 5), np.uint8), (0, 0), (9, 4)),
    )


def zerod(a, b):
    a += 1
    a[...] = a * b
    if a > 3:
        b = a
    c = np.asarray(b)[()]
    return a, b, c, a.reshape(1), float(a), a.item()


def test_arrays_of_rank_0_in_place() -> None:
    check(zerod, (A(1.0), A(2.0)), (A(0.0), A(1.0)), (A(np.nan), A(1.0)))
