"""Products of matrices, and the Fourier transform."""

from __future__ import annotations

from typing import Any

import numpy as np

from graph_program.tensor_api.opdef import define


def _einsum(*operands: np.ndarray, equation: str) -> Any:
    return np.einsum(equation, *operands)


define(
    "matmul",
    "x y",
    "(t [*s, m, k], t [*s, k, n]) -> t [*s, m, n]",
    "matmul",
    np.matmul,
    "matrix product, batched over leading dims; a vector operand loses its dim",
)


def _gemm(x: np.ndarray, y: np.ndarray, *added: np.ndarray, negative: str) -> Any:
    product = np.matmul(x, y)
    if not added:
        return product
    if negative:
        return np.subtract(*((added[0], product) if negative == "product" else (product, added[0])))
    return np.add(product, added[0])


define(
    "gemm",
    "x y *added",
    "(t [m, k], t [k, n], t [*_], ...) -> t [m, n] where t is float",
    "gemm",
    _gemm,
    "product of two matrices, plus what broadcasts to it; `negative` says which of both is subtracted (`product`, "
    "`added`, or neither); there are columns to sum over",
    attrs="negative",
)
define(
    "einsum",
    "*operands",
    "(t [*_], ...) -> t [*einsum(equation)]",
    "einsum",
    _einsum,
    "Einstein summation; explicit output, no ellipsis, no repeated letter in one operand",
    attrs="equation",
)


def _dft(re: np.ndarray, *im: np.ndarray) -> Any:
    points = np.zeros(re.shape, np.result_type(re.dtype, np.complex64))
    points.real, points.imag = re, im[0] if im else 0
    found = np.fft.fft(points) if points.shape[-1] else points
    return np.stack((found.real, found.imag), axis=-1).astype(re.dtype)


define(
    "dft",
    "re *im",
    "(t [*s, n], t [*s, n], ...) -> t [*s, n, 2] where t is float",
    "dft",
    _dft,
    "the discrete Fourier transform along the last axis, of as many points as a power of two: real and imaginary parts",
)
