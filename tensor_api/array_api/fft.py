"""The extension `fft`: discrete Fourier transforms along axes of any size."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from graph_program.tensor_api.array_api import dtypes
from graph_program.tensor_api.array_api.array import Array, check_device, elements
from graph_program.tensor_api.array_api.dtypes import COMPLEX, FLOAT, FLOATING, DType

Norm = Literal["backward", "ortho", "forward"]


def fft(x: Array, /, *, n: int | None = None, axis: int = -1, norm: Norm = "backward") -> Array:
    """The transform of complex numbers; `n` cuts the axis or fills it up with zeros."""
    return Array(np.fft.fft(elements("fft", x, COMPLEX), n=n, axis=axis, norm=norm))


def ifft(x: Array, /, *, n: int | None = None, axis: int = -1, norm: Norm = "backward") -> Array:
    """The inverse of `fft`."""
    return Array(np.fft.ifft(elements("ifft", x, COMPLEX), n=n, axis=axis, norm=norm))


def fftn(
    x: Array, /, *, s: Sequence[int] | None = None, axes: Sequence[int] | None = None, norm: Norm = "backward"
) -> Array:
    """`fft` along several axes, all where none are given."""
    array = elements("fftn", x, COMPLEX)
    return Array(np.fft.fftn(array, s=s, axes=_axes(s, axes), norm=norm))


def ifftn(
    x: Array, /, *, s: Sequence[int] | None = None, axes: Sequence[int] | None = None, norm: Norm = "backward"
) -> Array:
    """The inverse of `fftn`."""
    array = elements("ifftn", x, COMPLEX)
    return Array(np.fft.ifftn(array, s=s, axes=_axes(s, axes), norm=norm))


def rfft(x: Array, /, *, n: int | None = None, axis: int = -1, norm: Norm = "backward") -> Array:
    """The transform of real numbers: the first half, of which the other is the mirror image."""
    return Array(np.fft.rfft(elements("rfft", x, FLOAT), n=n, axis=axis, norm=norm))


def irfft(x: Array, /, *, n: int | None = None, axis: int = -1, norm: Norm = "backward") -> Array:
    """The inverse of `rfft`: `n` real numbers."""
    return Array(np.fft.irfft(elements("irfft", x, COMPLEX), n=n, axis=axis, norm=norm))


def rfftn(
    x: Array, /, *, s: Sequence[int] | None = None, axes: Sequence[int] | None = None, norm: Norm = "backward"
) -> Array:
    """`rfft` along the last of several axes, `fft` along the others."""
    array = elements("rfftn", x, FLOAT)
    return Array(np.fft.rfftn(array, s=s, axes=_axes(s, axes), norm=norm))


def irfftn(
    x: Array, /, *, s: Sequence[int] | None = None, axes: Sequence[int] | None = None, norm: Norm = "backward"
) -> Array:
    """The inverse of `rfftn`."""
    array = elements("irfftn", x, COMPLEX)
    return Array(np.fft.irfftn(array, s=s, axes=_axes(s, axes), norm=norm))


def hfft(x: Array, /, *, n: int | None = None, axis: int = -1, norm: Norm = "backward") -> Array:
    """The transform of numbers that are their own mirror image, which is real."""
    return Array(np.fft.hfft(elements("hfft", x, COMPLEX), n=n, axis=axis, norm=norm))


def ihfft(x: Array, /, *, n: int | None = None, axis: int = -1, norm: Norm = "backward") -> Array:
    """The inverse of `hfft`."""
    return Array(np.fft.ihfft(elements("ihfft", x, FLOAT), n=n, axis=axis, norm=norm))


def fftfreq(n: int, /, *, d: float = 1.0, dtype: DType | None = None, device: str | None = None) -> Array:
    """The frequencies of the elements of a transform of `n` numbers at distances `d`."""
    check_device(device)
    return Array(np.fft.fftfreq(n, d=d).astype(_real(dtype)))


def rfftfreq(n: int, /, *, d: float = 1.0, dtype: DType | None = None, device: str | None = None) -> Array:
    """The frequencies of the elements of `rfft` of `n` numbers at distances `d`."""
    check_device(device)
    return Array(np.fft.rfftfreq(n, d=d).astype(_real(dtype)))


def fftshift(x: Array, /, *, axes: int | Sequence[int] | None = None) -> Array:
    """The elements moved so that frequency 0 is in the middle."""
    return Array(np.fft.fftshift(elements("fftshift", x, FLOATING), axes=axes))


def ifftshift(x: Array, /, *, axes: int | Sequence[int] | None = None) -> Array:
    """The inverse of `fftshift`."""
    return Array(np.fft.ifftshift(elements("ifftshift", x, FLOATING), axes=axes))


def _axes(s: Sequence[int] | None, axes: Sequence[int] | None) -> Sequence[int] | None:
    """The axes of a transform; those of given sizes are given, too."""
    if s is not None and axes is None:
        return tuple(range(-len(s), 0))
    return axes


def _real(dtype: DType | None) -> DType:
    if dtype is None:
        return dtypes.float64
    dtypes.check_kind("fftfreq", dtype, FLOAT)
    return dtype


__all__ = [
    "fft",
    "fftfreq",
    "fftn",
    "fftshift",
    "hfft",
    "ifft",
    "ifftn",
    "ifftshift",
    "ihfft",
    "irfft",
    "irfftn",
    "rfft",
    "rfftfreq",
    "rfftn",
]
