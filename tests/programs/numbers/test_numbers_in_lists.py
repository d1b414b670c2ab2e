"""Python's numbers in lists that go into arrays, and beside arrays in functions that are no ufuncs."""

from __future__ import annotations

import enum
from collections import deque
from typing import Any

import numpy as np

from tests.programs.plain import Cases, check_or_refused

U = np.array([1, 2, 3], np.uint8)
BIG = np.array([1, 300, 2])
S = np.array([1, 2, 3], np.int16)
F = np.array([1, 2, 3], np.float32)
case = Cases()
FITS_OR_NOT = ((U, 5), (U, 300), (U, -1))


@case(*FITS_OR_NOT)
def written_through_a_slice(x: Any, n: int) -> Any:
    x[:2] = n, 1
    return x


@case(*FITS_OR_NOT)
def written_at_positions(x: Any, n: int) -> Any:
    x[[0, 1]] = [n, 1]
    x[x > 9] = [n] * 0
    return x


@case(*FITS_OR_NOT)
def of_numpy_numbers(x: Any, n: int) -> Any:
    x[:] = [np.int64(n), 1, x[0]]
    return x, np.array([np.int64(n), np.float64(2.5)], np.uint8)


@case((U, 5.5), (U, 300.0), (U, -1.0), (U, float("nan")), (U, float("inf")))
def of_floats(x: Any, v: float) -> Any:
    x = x.copy()  # NumPy writes what comes before the number that does not fit
    x[1:] = [1, v]
    return x, np.array([v], np.uint64), np.array(v, np.int16)


@case((BIG,), (U,), (-BIG,))
def made_by_a_comprehension(x: Any) -> Any:
    return np.array([int(v) for v in x], np.uint8)


@case((BIG,), (U,), (BIG - 700,))
def made_in_a_loop(x: Any) -> Any:
    out = []
    for v in x:
        out.append((int(v) * 200, v))
    return np.array(out, dtype=np.int16)


@case((BIG, 0.5), (BIG, 300.0), (BIG, float("nan")))
def made_of_numbers_of_several_classes(x: Any, w: float) -> Any:
    out = []
    for v in x:
        out.append(int(v) % 100 if v > 1 else w)
    return np.array(out, dtype=np.uint8)


@case(*FITS_OR_NOT)
def given_to_functions_that_write(x: Any, n: int) -> Any:
    y = x.copy()
    np.put(y, [0], [2])
    np.putmask(y, y > 1, [3, 4])
    np.place(y, y > 2, [n])
    np.put_along_axis(y, np.array([0]), [n], 0)
    return y


@case(*FITS_OR_NOT)
def rows_among_arrays(x: Any, n: int) -> Any:
    return np.array([x, [n, 1, 1]], np.uint8)


@case(*FITS_OR_NOT, (F, 300))
def side_by_side(x: Any, n: int) -> Any:
    return np.r_[x, [300]], np.c_[x, [1, 2, n]], np.r_[x, n]


@case((5,), (300,), (255,), (-1,), (254,))
def ranges(n: int) -> Any:
    return np.arange(n, n, dtype=np.uint8), np.arange(n, n + 2, dtype=np.uint8)


@case((np.array([5, 3, 255], np.uint8), 3), (U, 300), (U, -1), (np.array([100, -100, 7], np.int8), -100), (BIG, 3))
def ranges_between_narrow_numbers(x: Any, n: int) -> Any:
    return np.arange(x[0], x[1]), np.arange(x[2], x[0], -1)[:3], np.arange(x[0], n, x[1])[:5]


@case((U, 300), (S, 2**40), (S, -3), (F, 2))
def padded(x: Any, n: int) -> Any:
    return np.pad(x, 1, constant_values=(n, 1))


@case((U[None], 300), (U[None], 7), (S[None, None], 2**40))
def padded_axis_by_axis(x: Any, n: int) -> Any:
    return np.pad(x, 1, constant_values=[(n, 1)] * 2 if x.ndim < 3 else n)


@case(*FITS_OR_NOT)
def ranges_as_arrays(x: Any, n: int) -> Any:
    x[:] = range(3)
    return x + range(3), np.array(range(2, 5)), np.array(range(n, n + 2), np.uint8)


@case((U, 5), (U, 300), (U, -1), (U, 2.5), (S, 300), (F, 2.5))
def chosen(x: Any, n: Any) -> Any:
    return np.where(x > 1, n, x), np.where(x > 1, x, n), np.where(x > 1, [n], x), np.select([x > 1], [x], n)


@case((U, 5), (S, 300000), (F, 5), (U, 2.5))
def chosen_among_choices(x: Any, n: Any) -> Any:
    return np.select([x > 1], [n], x)


@case((U, -1), (U, 300), (S, -1), (F, 2.5))
def found(x: Any, n: Any) -> Any:
    return np.searchsorted(x, n), x.searchsorted([n, 1]), np.isin(x, n), np.digitize(n, x), np.union1d(x, n)


@case((np.array([0.1], np.float32), 0.1))
def found_among_narrower_floats(x: Any, v: float) -> Any:
    return np.searchsorted(x, v, side="right"), np.searchsorted(x, [v], side="right"), np.isin(x, v)


@case((U, 300), (S, 2), (F, 2.5), (np.int16(3), 7))
def clipped_to_arrays(x: Any, n: Any) -> Any:
    return np.clip(n, x, x), np.clip(n, 0, 3), np.concatenate([x[None], n], axis=None)


@case((S, 3), (U, 3), (S, 2.5))
def differences_with_an_end(x: Any, n: Any) -> Any:
    return np.ediff1d(x, to_begin=n)


@case(*FITS_OR_NOT, (F, 5), (S, 40000))
def copied(x: Any, n: int) -> Any:
    np.copyto(x, 3)
    np.copyto(x, n, where=x > 7)
    np.copyto(x[1:], n)
    return x


@case((U, 5), (F, 5))
def copied_floats(x: Any, n: int) -> Any:
    np.copyto(x, float(n))
    return x


@case((U, 5))
def a_list_as_an_element(x: Any, n: int) -> Any:
    x[0] = [n]
    return x


@case((U, 5), (F, 5))
def a_list_nested_too_deep(x: Any, n: int) -> Any:
    x[:2] = [[n, 1]]
    return x


class Size(enum.IntEnum):
    SMALL = 1
    LARGE = 300


@case((U, 1), (U, 2))
def members(x: Any, n: int) -> Any:
    x[:1] = [Size.SMALL]
    if n > 1:
        x[:2] = [Size.SMALL, Size.LARGE]
    return x


@case((BIG,), (U,))
def rows_of_growing_lists(x: Any) -> Any:
    rows = [[int(w) + int(v) for w in x] for v in x]
    ragged = [[int(w) for w in x if w > v] for v in x]
    return np.array(rows, np.uint16), np.array(rows[0], np.uint8), [np.array(r, np.uint8) for r in ragged]


@case((U, 5), (U, 300))
def caught(x: Any, n: int) -> Any:
    last = deque([1, 2, 3], maxlen=3)
    last.append(n)
    try:
        x[:] = last
    except OverflowError as error:
        x[:] = 0  # NumPy has written what comes before
        return str(error)
    return ""


@case(*FITS_OR_NOT)
def one_by_one(x: Any, n: int) -> Any:
    x.flat[0] = n
    return x, np.uint8([3, n])


@case.each
def test_numbers_go_into_arrays_as_in_numpy(fn: Any, inputs: Any) -> None:
    check_or_refused(fn, *inputs)
