"""Rows of the fused operators, which take float32 only."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.ops.row import Case, Row, edges, sample

FLOAT32 = [np.dtype(np.float32)]


def convolutions(dtype: np.dtype) -> Iterator[Case]:
    table: list[tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...], tuple[int, ...], int]] = [
        ((2, 3, 6), (4, 3, 3), (1,), (0, 0), 1),
        ((2, 4, 7, 6), (4, 2, 3, 2), (2, 1), (1, 0, 0, 1), 2),
        ((1, 2, 4, 3, 5), (3, 2, 2, 1, 2), (1, 1, 2), (0, 0, 1, 0, 0, 1), 1),
        ((0, 3, 6), (4, 3, 3), (1,), (0, 0), 1),
    ]
    for shape, taps, strides, pads, groups in table:
        x, w, b = sample(dtype, *shape), sample(dtype, *taps, seed=1), sample(dtype, taps[0], seed=2)
        for dilation in (1, 2):
            wide = (x.shape[2] - 1) // (taps[2] - 1) >= dilation if taps[2] > 1 else True
            attrs = {"strides": strides, "pads": pads, "dilations": (dilation, *(1,) * (len(strides) - 1))}
            if wide:
                yield Case((x, w), {**attrs, "groups": groups})
                yield Case((x, w, b), {**attrs, "groups": groups})


def transposed_convolutions(dtype: np.dtype) -> Iterator[Case]:
    table: list[tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...], tuple[int, ...], tuple[int, ...], int]] = [
        ((2, 3, 6), (3, 4, 3), (1,), (0, 0), (0,), 1),
        ((2, 4, 3, 4), (4, 2, 3, 2), (2, 1), (1, 0, 1, 0), (1, 0), 2),
        ((1, 2, 2, 3, 2), (2, 3, 2, 1, 2), (1, 1, 2), (0, 0, 1, 0, 0, 1), (0, 0, 0), 1),
    ]
    for shape, taps, strides, pads, more, groups in table:
        x, w, b = sample(dtype, *shape), sample(dtype, *taps, seed=1), sample(dtype, taps[1] * groups, seed=2)
        for dilation in (1, 2):
            attrs = {"strides": strides, "pads": pads, "output_padding": more, "groups": groups}
            attrs["dilations"] = (dilation, *(1,) * (len(strides) - 1))
            yield Case((x, w), attrs)
            yield Case((x, w, b), attrs)


def pools(dtype: np.dtype) -> Iterator[Case]:
    for case in averages(dtype):
        yield Case(case.operands, {**case.attrs, "dilations": (1,) * len(case.attrs["taps"])})
    yield Case((sample(dtype, 1, 2, 7),), {"taps": (3,), "strides": (2,), "pads": (0, 0), "dilations": (2,)})


def averages(dtype: np.dtype) -> Iterator[Case]:
    table: list[tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...], tuple[int, ...]]] = [
        ((2, 3, 6), (2,), (1,), (0, 0)),
        ((2, 3, 6, 7), (3, 2), (2, 2), (1, 0, 1, 1)),
        ((1, 2, 4, 3, 4), (2, 2, 2), (1, 1, 2), (0, 1, 0, 0, 0, 0)),
        ((0, 3, 6), (2,), (2,), (0, 0)),
    ]
    for shape, taps, strides, pads in table:
        yield Case((sample(dtype, *shape),), {"taps": taps, "strides": strides, "pads": pads})


def softmaxes(dtype: np.dtype) -> Iterator[Case]:
    inf, nan = np.inf, np.nan
    special = [[nan, 1, 2], [-inf, -inf, -inf], [inf, 1, 2], [-inf, 1, 2], [1e38, -1e38, 0], [0, -20, -60], [1, 2, nan]]
    arrays: list[Any] = [special, sample(dtype, 2, 3, 4), sample(dtype, 3), np.zeros((2, 0)), np.zeros((0, 2))]
    for x in arrays:
        for axis in range(-np.ndim(x), np.ndim(x)):
            yield Case((np.asarray(x, dtype),), {"axis": axis})


def layer_norms(dtype: np.dtype) -> Iterator[Case]:
    for shape, axis in [((4, 5), -1), ((2, 3, 4), -1), ((2, 3, 4), -2), ((6,), -1), ((0, 3), -1)]:
        w, b = sample(dtype, *shape[axis:], seed=1), sample(dtype, *shape[axis:], seed=2)
        for epsilon in (1e-5, 0.5):
            yield Case((sample(dtype, *shape), w, b), {"axis": axis, "epsilon": epsilon})


def instance_norms(dtype: np.dtype) -> Iterator[Case]:
    for shape in [(2, 3, 4), (2, 3, 4, 5), (1, 1, 2, 3, 2), (0, 3, 4)]:
        w, b = sample(dtype, shape[1], seed=1), sample(dtype, shape[1], seed=2)
        yield Case((sample(dtype, *shape), w, b), {"epsilon": 1e-5})


def choices(dtype: np.dtype) -> Iterator[Case]:
    equal = np.array([[1, 3, 3, -1, 3], [0, 0, 0, 0, 0]], dtype)
    for x in (
        equal,
        sample(dtype, 7),
        sample(dtype, 2, 3, 4),
        sample(dtype, 0, 5),
        np.array([-np.inf, np.inf, 1], dtype),
    ):
        for k in (0, 1, 3):
            yield Case((x,), {"k": k})


def sizes(dtype: np.dtype) -> Iterator[Case]:
    for shape in [(2, 3, 4, 5), (1, 1, 1, 2), (0, 2, 3, 3)]:
        for size in [(7, 3), (8, 10), (1, 1), (4, 5)]:
            for align_corners in (0, 1):
                yield Case((sample(dtype, *shape),), {"sizes": size, "align_corners": align_corners})


def gelus(dtype: np.dtype) -> Iterator[Case]:
    for approximate in ("none", "tanh"):
        for case in error_functions(dtype):
            yield Case(case.operands, {"approximate": approximate})


def error_functions(dtype: np.dtype) -> Iterator[Case]:
    yield Case((edges(dtype),))
    yield Case((np.linspace(-7, 7, 301).astype(dtype).reshape(7, 43),))
    yield Case((sample(dtype),))
    yield Case((sample(dtype, 0, 2),))


def recurrent(gates: int, states: int) -> Cases:
    """Sequences of one element or several, with batches of one or several."""

    def cases(dtype: np.dtype) -> Iterator[Case]:
        for t, n, i, h in [(1, 1, 1, 1), (5, 1, 3, 4), (4, 3, 2, 5)]:
            shapes = [(t, n, i), (gates * h, i), (gates * h, h), (2 * gates * h,), *[(n, h)] * states]
            operands = tuple(sample(dtype, *shape, seed=k) / 4 for k, shape in enumerate(shapes))
            for behind in (0, 1) if gates == 3 else (None,):
                yield Case(operands, {"units": h} if behind is None else {"units": h, "behind": behind})

    return cases


ROWS: dict[str, Row] = {
    "conv": Row(convolutions, ulps=8, absolute=400, signed_zeros=False, dtypes=FLOAT32),
    "conv_transpose": Row(transposed_convolutions, ulps=8, absolute=400, signed_zeros=False, dtypes=FLOAT32),
    "max_pool": Row(pools, signed_zeros=False, dtypes=FLOAT32),
    "average_pool": Row(averages, ulps=8, absolute=16, signed_zeros=False, dtypes=FLOAT32),
    "softmax": Row(softmaxes, ulps=8, absolute=4, signed_zeros=False, dtypes=[*FLOAT32, np.dtype(np.float64)]),
    "log_softmax": Row(softmaxes, ulps=8, absolute=16, signed_zeros=False, dtypes=FLOAT32),
    "layer_norm": Row(layer_norms, ulps=16, absolute=64, signed_zeros=False, dtypes=FLOAT32),
    "instance_norm": Row(instance_norms, ulps=16, absolute=64, signed_zeros=False, dtypes=FLOAT32),
    "top_k": Row(choices, dtypes=FLOAT32),
    "resize": Row(sizes, ulps=16, absolute=64, signed_zeros=False, dtypes=FLOAT32),
    "gelu": Row(gelus, ulps=16, absolute=4, signed_zeros=False, dtypes=FLOAT32),
    "lstm": Row(recurrent(4, 2), ulps=16, absolute=64, signed_zeros=False, dtypes=FLOAT32),
    "lstm_memory": Row(recurrent(4, 2), ulps=16, absolute=64, signed_zeros=False, dtypes=FLOAT32),
    "gru": Row(recurrent(3, 1), ulps=16, absolute=64, signed_zeros=False, dtypes=FLOAT32),
    "erf": Row(error_functions, ulps=8, signed_zeros=False, dtypes=FLOAT32),
}
"""Rows by operation name."""
