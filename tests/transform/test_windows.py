"""Windows whose sizes are arguments: what is known of their places is not checked, and they are array operations."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from graph_program import Float64, IntegerLimitError, Tensor, UInt8, graph_program, load
from tests.programs.plain import Cases, check, differs, outcome
from tests.transform.sessions import exported, module
from tests.transform.windows import Windows, arguments

Vector = Float64[Tensor, "n"]
Picture = Float64[Tensor, "h w"]
Bytes = UInt8[Tensor, "h w"]

one = Cases()
"""Programs that stay one loop, of blocks of rounds or of rows, or none."""
rows = Cases()
"""Programs of pictures of which the loop over rows stays; all else is array operations."""
in_files = Cases()
"""Programs that stay no loop in files, where it is known of more sums that they have not wrapped."""
certain = Cases()
"""Programs of which no index is checked."""

SIGNALS = tuple((np.arange(n) * 7.0 % 5, k) for n, k in ((12, 3), (7, 1), (5, 9), (4, 0), (0, 2), (6, -2)))
PICTURES = tuple(
    (np.arange(h * w, dtype=float).reshape(h, w) * 7 % 11, k)
    for h, w, k in ((6, 5, 2), (5, 6, 1), (3, 3, 4), (4, 0, 1), (0, 3, 2), (4, 4, 0), (4, 4, -1))
)


def as_bytes(*cases: tuple[np.ndarray, int]) -> tuple[tuple[np.ndarray, int], ...]:
    return tuple((x.astype(np.uint8), k) for x, k in cases)


@rows(*as_bytes(*PICTURES))
def box_blur(img: Bytes, r: int) -> Any:
    h, w = img.shape
    out = np.zeros((h, w), np.uint8)
    for y in range(h):
        for x in range(w):
            total, count = 0, 0
            for dy in range(-r, r + 1):
                for dx in range(-r, r + 1):
                    yy, xx = y + dy, x + dx
                    if 0 <= yy < h and 0 <= xx < w:
                        total += int(img[yy, xx])
                        count += 1
            out[y, x] = total // count
    return out


@rows(*as_bytes(*PICTURES))
def dilated(img: Bytes, r: int) -> Any:
    h, w = img.shape
    out = np.zeros_like(img)
    for y in range(h):
        for x in range(w):
            most = 0
            for dy in range(-r, r + 1):
                for dx in range(-r, r + 1):
                    yy, xx = min(max(y + dy, 0), h - 1), min(max(x + dx, 0), w - 1)
                    if img[yy, xx] > most:
                        most = img[yy, xx]
            out[y, x] = most
    return out


@certain(*PICTURES)
@rows(*PICTURES)
def pooled(a: Picture, k: int) -> Any:
    h, w = a.shape[0] // k, a.shape[1] // k
    out = np.zeros((h, w))
    for y in range(h):
        for x in range(w):
            total = 0.0
            for i in range(k):
                for j in range(k):
                    total += a[y * k + i, x * k + j]
            out[y, x] = total / (k * k)
    return out


@rows(*PICTURES)
def weighted(a: Picture, r: int) -> Any:
    h, w = a.shape
    out = np.zeros((h, w))
    for y in range(r, h - r):
        for x in range(r, w - r):
            total, weight = 0.0, 0.0
            for i in range(-r, r + 1):
                for j in range(-r, r + 1):
                    g = np.exp(-(i * i + j * j) / 8.0)
                    total += g * a[y + i, x + j]
                    weight += g
            out[y, x] = total / (weight + 1.0)
    return out


@certain(*SIGNALS)
@one(*SIGNALS)
def decimated(x: Vector, k: int) -> Any:
    out = np.zeros(len(x) // k)
    for i in range(len(x) // k):
        total = 0.0
        for j in range(k):
            total += x[i * k + j]
        out[i] = total / k
    return out


@certain(*SIGNALS)
@one(*SIGNALS)
def means_inside(x: Vector, k: int) -> Any:
    out = np.zeros(len(x) - k + 1)
    for i in range(len(x) - k + 1):
        total = 0.0
        for j in range(k):
            total += x[i + j]
        out[i] = total * 0.5
    return out


@one(*((x, k, step) for x, k in SIGNALS for step in (1, 2, 0, -3)))
def energies(x: Vector, k: int, step: int) -> Any:
    count = (len(x) - k) // step + 1
    out = np.zeros(count)
    for f in range(count):
        total = 0.0
        for i in range(k):
            total += x[f * step + i] ** 2
        out[f] = total
    return out


@one(*SIGNALS)
def means_around(x: Vector, r: int) -> Any:
    n = len(x)
    out = np.zeros(n)
    for i in range(n):
        total, count = 0.0, 0
        for d in range(-r, r + 1):
            j = i + d
            if j < 0 or j >= n:
                continue
            total += x[j]
            count += 1
        out[i] = total / count if count else 0.0
    return out


FAR = tuple((np.arange(5) * 7.0 % 5, k) for k in (2**63 - 1, 2**63 - 2, 2**63 - 4, 2**62, -(2**62), -(2**63) + 3))


@one(*SIGNALS)
def means_between(x: Vector, r: int) -> Any:
    n = len(x)
    out = np.zeros(n)
    for i in range(n):
        total, count = 0.0, 1
        for j in range(max(0, i - r), min(n, i + r + 1)):
            total += x[j]
            count += 1
        out[i] = total / count
    return out


@in_files(*SIGNALS)
def means_behind(x: Vector, k: int) -> Any:
    out = np.zeros(len(x))
    for i in range(len(x)):
        total = 0.0
        for j in range(max(0, i - k + 1), i + 1):
            total += x[j]
        out[i] = total / max(1, min(k, i + 1))
    return out


def greatest_ahead(x: Vector, k: int) -> Any:
    out = np.zeros(len(x))
    for i in range(len(x)):
        most = -1.0
        for j in range(i, min(len(x), i + k)):
            most = max(most, x[j])
        out[i] = most
    return out


@one(*((a,) for a, _ in PICTURES[:5]))
def sums_of_neighbours(a: Picture) -> Any:
    h, w = a.shape
    out = np.zeros((h, w))
    for y in range(h):
        for x in range(w):
            total = 0.0
            for v in range(max(0, y - 1), min(h, y + 2)):
                for u in range(max(0, x - 1), min(w, x + 2)):
                    total += a[v, u]
            out[y, x] = total
    return out


@rows(*PICTURES)
def means_of_neighbours(a: Picture, r: int) -> Any:
    h, w = a.shape
    out = np.zeros((h, w))
    for y in range(h):
        for x in range(w):
            total, count = 0.0, 1
            for v in range(max(0, y - r), min(h, y + r + 1)):
                for u in range(max(0, x - r), min(w, x + r + 1)):
                    total += a[v, u]
                    count += 1
            out[y, x] = total / count
    return out


def last_that_is_great(a: Picture, r: int) -> Any:
    h, w = a.shape
    last, found = -1, np.float64(0.0)
    for y in range(h):
        if a[y, 0] < 9.0:
            for x in range(max(0, y - r), min(w, y + r + 1)):
                if a[y, x] > 4.0:
                    last, found = y * w + x, a[y, x]
    return last, found


def banded(a: Picture, r: int) -> Any:
    n = min(a.shape)
    y = np.zeros(n)
    for i in range(n):
        total = 1.0
        for j in range(max(0, i - r), i):
            total -= a[i, j] * y[j]
        y[i] = total * 0.125
    return y


def some_lanes_apart(img: Picture, r: int, k: int, s: int) -> Any:
    h, w = img.shape
    found = []
    for y in range(h - k + 1):
        for x in range(w - k + 1):
            most, seen = 0.0, 0
            for p in range(k):
                for q in range(r):
                    yy, xx = y - p, x * s + q
                    if 0 <= yy < h and 0 <= xx < w:
                        most = max(most, img[yy, xx])
            if seen == 2:
                found.append(y * k)
    return np.array(found, np.int64)


def first_that_is_great(x: Vector, r: int) -> Any:
    out = np.zeros(len(x))
    for i in range(len(x) // (r if r > 0 else 1)):
        seen = 0.0
        for j in range(1, r + 1):
            if 0 <= j < len(x) and x[j] > 1.0:
                seen = -1.0
                break
        out[i] = seen
    return out


def two_nests(img: Picture, r: int) -> Any:
    h, w = img.shape
    out, count = np.zeros((h, w)), 0
    for y in range(h - r + 1):
        for x in range(r, w - r):
            most = 0.0
            for p in range(-r, r + 1):
                for q in range(-r, r + 1):
                    most = max(most, img[y - p, x + q])
            out[y, x] = most
    for y in range(h):
        for x in range((w - r) // (r - 3) + 1):
            seen = 0
            for p in range(r):
                for q in range(r):
                    if img[min(max(y * r + p, 0), h - 1), min(max(x * r + q, 0), w - 1)] > 1.0:
                        seen = -1
                        break
            out[y, x] += 1.0
            count = count + seen
    return out, count


def test_elements_that_are_the_same_for_all_lanes(tmp_path: Path) -> None:
    same_in_a_file(first_that_is_great, SIGNALS, tmp_path)


@pytest.mark.parametrize("fn", [means_between, means_behind, greatest_ahead])
def test_sums_that_leave_64_bits_are_told(fn: Callable[..., Any], tmp_path: Path) -> None:
    program = graph_program(fn)
    program.export(tmp_path / "program.onnx")
    file = load(tmp_path / "program.onnx")
    for args in FAR:
        expected = outcome(fn, args)
        for found in (outcome(program, args), outcome(file, args)):
            assert limited(found) or not differs(expected, found), (args[1], found)


def test_a_sum_that_is_asked_for_in_all_rounds_at_once(tmp_path: Path) -> None:
    same_in_a_file(greatest_ahead, SIGNALS, tmp_path)


def test_what_loops_inside_set_in_some_rounds(tmp_path: Path) -> None:
    same_in_a_file(last_that_is_great, PICTURES, tmp_path)


def test_rounds_that_read_what_others_have_made_stay_as_they_are(tmp_path: Path) -> None:
    same_in_a_file(banded, PICTURES, tmp_path)
    assert "minimum" not in graph_program(banded).explain("optimized").split("= loop(")[1].split("iota")[0]


def test_loops_that_all_lanes_do_where_another_one_has_been_done(tmp_path: Path) -> None:
    cases = tuple((a, r, 2, s) for a, r in PICTURES for s in (1, 0))
    same_in_a_file(some_lanes_apart, cases, tmp_path)


def test_what_a_first_loop_tells_is_not_lost_in_a_second_one(tmp_path: Path) -> None:
    cases = [(np.arange(h * w, dtype=float).reshape(h, w) % 3, r) for h, w in ((3, 4), (3, 2)) for r in range(-3, 5)]
    same_in_a_file(two_nests, tuple(cases), tmp_path)


def told(fn: Callable[..., Any]) -> tuple[int, bool]:
    """How many loops there are that stay loops, and whether one of them carries that something has failed."""
    lines = graph_program(fn).explain("optimized").splitlines()
    failed = any("failed" in line.split(" with ")[1] for line in lines if "= loop(" in line)
    return sum(" is a loop" in line for line in lines), failed


def same_in_a_file(fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...], folder: Path) -> None:
    with np.errstate(all="ignore"):
        exported(fn, inputs, folder)


@one.each
def test_windows_are_array_operations(
    fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...], tmp_path: Path
) -> None:
    same_in_a_file(fn, inputs, tmp_path)
    assert told(fn)[0] == 0


@rows.each
def test_windows_of_pictures_are_array_operations(
    fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...], tmp_path: Path
) -> None:
    same_in_a_file(fn, inputs, tmp_path)
    assert told(fn)[0] <= 2


@in_files.each
def test_windows_are_array_operations_in_files(
    fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...], tmp_path: Path
) -> None:
    same_in_a_file(fn, inputs, tmp_path)
    assert not any("a loop" in line for line in str(graph_program(fn).export(tmp_path / "f.onnx")).splitlines())


@certain.each
def test_places_that_are_inside_are_not_asked_for(fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...]) -> None:
    check(fn, *inputs)
    assert not told(fn)[1]


def limited(found: tuple[Any, ...]) -> bool:
    """Whether a run has met a number of more than 64 bits, which is none of Python's errors."""
    return isinstance(found[0], type) and (issubclass(found[0], IntegerLimitError) or "too large for int64" in found[1])


@pytest.mark.parametrize("seed", range(16))
def test_random_windows(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fn = module(tmp_path / f"windows_{seed}.py", Windows(seed).source(), monkeypatch).f
    program = graph_program(fn)
    program.export(tmp_path / "program.onnx")
    file = load(tmp_path / "program.onnx")
    for args in arguments(seed):
        expected = outcome(fn, args)
        for found in (outcome(program, args), outcome(file, args)):
            assert limited(found) or not differs(expected, found), f"{args!r}: {expected!r} in Python, {found!r}"
