"""`np.fft`: an operation of the graph for powers of two, Bluestein's algorithm by way of it for other lengths."""

from __future__ import annotations

from typing import Any

import numpy as np

from graph_program.extract.library.arguments import known_size, of_sizes
from graph_program.extract.library.linalg.common import rows_at

Array = np.ndarray[Any, Any]
NARROW = (np.dtype(np.float16), np.dtype(np.float32), np.dtype(np.complex64))
"""Element types whose transforms are of single precision; they are computed in double."""
REAL_TYPES = {np.dtype(np.float16): np.float16, np.dtype(np.float32): np.float32, np.dtype(np.complex64): np.float32}
"""Element types of real results, where they are not float64."""
POWERS = 2 ** np.arange(62)
"""The powers of two."""


def fft(a: Array, n: Any = None, axis: Any = -1, norm: Any = None) -> Array:
    """`np.fft.fft`."""
    n = a.shape[axis] if n is None else n
    return transformed(a, n, axis, factor(a, n, norm), -1).astype(complex_type(a))


def ifft(a: Array, n: Any = None, axis: Any = -1, norm: Any = None) -> Array:
    """`np.fft.ifft`."""
    n = a.shape[axis] if n is None else n
    return transformed(a, n, axis, factor(a, n, norm, inverse=True), 1).astype(complex_type(a))


def rfft(a: Array, n: Any = None, axis: Any = -1, norm: Any = None) -> Array:
    """`np.fft.rfft`: the first half of the transform."""
    n = a.shape[axis] if n is None else n
    scale = factor(a, n, norm)
    if np.iscomplexobj(a):
        raise TypeError(
            f"ufunc 'rfft_n_{['even', 'odd'][n % 2]}' not supported for the input types, and the inputs could not be "
            "safely coerced to any supported types according to the casting rule ''safe''"
        )
    found = np.moveaxis(transformed(a, n, axis, scale, -1), axis, -1)
    return np.moveaxis(found[..., : n // 2 + 1], -1, axis).astype(complex_type(a))


def irfft(a: Array, n: Any = None, axis: Any = -1, norm: Any = None) -> Array:
    """`np.fft.irfft`: the other half of the argument is the conjugate of this one."""
    n = (a.shape[axis] - 1) * 2 if n is None else n
    scale = factor(a, n, norm, inverse=True)
    half = sized(np.moveaxis(a.astype(np.complex128), axis, -1), n // 2 + 1)
    whole = np.concatenate((half, np.conj(half[..., 1 : (n + 1) // 2][..., ::-1])), axis=-1)
    found = transformed(whole, n, -1, scale, 1).real
    return np.moveaxis(found, -1, axis).astype(REAL_TYPES.get(a.dtype, np.float64))


def hfft(a: Array, n: Any = None, axis: Any = -1, norm: Any = None) -> Array:
    """`np.fft.hfft`."""
    n = (a.shape[axis] - 1) * 2 if n is None else n
    return irfft(np.conjugate(a), n, axis, inverse_norm(norm))


def ihfft(a: Array, n: Any = None, axis: Any = -1, norm: Any = None) -> Array:
    """`np.fft.ihfft`."""
    return np.conjugate(rfft(a, n, axis, inverse_norm(norm)))


# ---------------------------------------------------------------- one axis


def transformed(a: Array, n: Any, axis: int, scale: Any, sign: int) -> Array:
    """The transform along an axis of `n` points; more are left out, missing ones are 0.

    Sums and alternating sums of real numbers have no imaginary part, whatever has been rounded.
    """
    own = np.complex128 if np.iscomplexobj(a) else np.float64
    x = sized(np.moveaxis(a.astype(own), axis, -1), n)
    found = of_power_of_two(x, sign) if n & (n - 1) == 0 else of_any_length(x, n, sign)
    if not np.iscomplexobj(a):
        found = of_parts(found.real, np.where(2 * np.arange(n) % n == 0, 0.0, found.imag))
    return np.moveaxis(scaled(found, scale), -1, axis)


def of_power_of_two(x: Array, sign: int) -> Array:
    """The transform of as many points as a power of two; backwards, that of the conjugates."""
    return dft(x) if sign < 0 else np.conj(dft(np.conj(x)))


def dft(x: Array) -> Array:
    """The operation of the graph."""
    return np.fft.fft(x)


def of_parts(re: Array, im: Array) -> Array:
    """Complex numbers, without the products of `re + 1j * im`."""
    found = np.empty(re.shape, np.complex128)
    found.real, found.imag = re, im
    return found


def scaled(x: Array, scale: Any) -> Array:
    """Both parts times a number, or what is not scaled."""
    return x if scale is None else of_parts(x.real * scale, x.imag * scale)


def of_any_length(x: Array, n: Any, sign: int) -> Array:
    """Bluestein's algorithm: `2jk = j*j + k*k - (j-k)*(j-k)` makes the transform a convolution.

    That is one of as many numbers as a power of two, with zeros behind the points and in the middle of the other ones.
    """
    k, twice = np.arange(n), of_sizes("*", 2, n)
    angle = sign * np.pi * ((k * k) % twice) / n
    cosine, sine = np.cos(angle), np.sin(angle)
    points = x * of_parts(cosine, sine) if np.iscomplexobj(x) else of_parts(x * cosine, x * sine)
    is_known = known_size(n) is not None
    wide: Any = 1 << twice.bit_length() if is_known else rows_at(POWERS, np.argmax(twice <= POWERS))
    j = np.arange(wide)
    kernel = with_zeros(of_parts(cosine, -sine), np.minimum(j, wide - j), n)
    padded = sized(points, wide) if is_known else with_zeros(points, j, n)
    turned = of_power_of_two(dft(padded) * dft(kernel), 1)
    found = turned[..., :n] if is_known else rows_at(turned, k, -1)
    return found * of_parts(cosine / wide, sine / wide)


def with_zeros(x: Array, places: Array, n: Any) -> Array:
    """What stands at places along the last axis; zeros behind the first `n`."""
    inside = places < n
    found = rows_at(x, np.where(inside, places, 0), -1)
    return of_parts(np.where(inside, found.real, 0.0), np.where(inside, found.imag, 0.0))


def sized(x: Array, n: Any) -> Array:
    """The first `n` elements along the last axis, with zeros for missing ones."""
    missing = n - min(x.shape[-1], n)
    return np.concatenate((x[..., :n], np.zeros((*x.shape[:-1], missing), x.dtype)), axis=-1)


def require_points(n: Any) -> None:
    """NumPy's error for too few points."""
    if n < 1:
        raise ValueError(f"Invalid number of FFT data points ({n}) specified.")


def factor(a: Array, n: Any, norm: Any, inverse: bool = False) -> Any:
    """What a transform of `n` points is multiplied by, if by anything; rounded as the array is, if that is float16."""
    require_points(n)
    norm = inverse_norm(norm) if inverse else norm
    if norm is None or norm == "backward":
        return None
    if norm == "ortho":
        return np.float16(1.0) / np.float16(np.sqrt(n)) if a.dtype == np.float16 else 1.0 / np.sqrt(n)
    if norm == "forward":
        return np.float16(1.0) / np.float16(n) if a.dtype == np.float16 else 1.0 / n
    raise ValueError(f'Invalid norm value {norm}; should be "backward","ortho" or "forward".')


def inverse_norm(norm: Any) -> Any:
    """The norm of the other direction."""
    if norm is None or norm == "backward":
        return "forward"
    if norm == "ortho":
        return "ortho"
    if norm == "forward":
        return "backward"
    raise ValueError(f'Invalid norm value {norm}; should be "backward", "ortho" or "forward".')


def complex_type(a: Array) -> Any:
    """The element type of a transform."""
    return np.complex64 if a.dtype in NARROW else np.complex128


# ---------------------------------------------------------------- several axes


def fftn(a: Array, s: Any = None, axes: Any = None, norm: Any = None) -> Array:
    """`np.fft.fftn`."""
    sizes, axes = of_axes(a, s, axes)
    for size, axis in reversed(list(zip(sizes, axes, strict=True))):
        a = fft(a, size, axis, norm)
    return a


def ifftn(a: Array, s: Any = None, axes: Any = None, norm: Any = None) -> Array:
    """`np.fft.ifftn`."""
    sizes, axes = of_axes(a, s, axes)
    for size, axis in reversed(list(zip(sizes, axes, strict=True))):
        a = ifft(a, size, axis, norm)
    return a


def rfftn(a: Array, s: Any = None, axes: Any = None, norm: Any = None) -> Array:
    """`np.fft.rfftn`."""
    sizes, axes = of_axes(a, s, axes)
    a = rfft(a, sizes[-1], axes[-1], norm)
    for size, axis in reversed(list(zip(sizes[:-1], axes[:-1], strict=True))):
        a = fft(a, size, axis, norm)
    return a


def irfftn(a: Array, s: Any = None, axes: Any = None, norm: Any = None) -> Array:
    """`np.fft.irfftn`."""
    sizes, axes = of_axes(a, s, axes)
    if s is None:
        sizes = [*sizes[:-1], (a.shape[axes[-1]] - 1) * 2]
    for size, axis in zip(sizes[:-1], axes[:-1], strict=True):
        a = ifft(a, size, axis, norm)
    return irfft(a, sizes[-1], axes[-1], norm)


def fft2(a: Array, s: Any = None, axes: Any = (-2, -1), norm: Any = None) -> Array:
    """`np.fft.fft2`."""
    return fftn(a, s, axes, norm)


def ifft2(a: Array, s: Any = None, axes: Any = (-2, -1), norm: Any = None) -> Array:
    """`np.fft.ifft2`."""
    return ifftn(a, s, axes, norm)


def rfft2(a: Array, s: Any = None, axes: Any = (-2, -1), norm: Any = None) -> Array:
    """`np.fft.rfft2`."""
    return rfftn(a, s, axes, norm)


def irfft2(a: Array, s: Any = None, axes: Any = (-2, -1), norm: Any = None) -> Array:
    """`np.fft.irfft2`."""
    return irfftn(a, s, axes, norm)


def of_axes(a: Array, s: Any, axes: Any) -> Any:
    """How many points along which axes."""
    if axes is None:
        count = a.ndim if s is None else len(s)
        axes = list(range(-count, 0))
    if s is None:
        return [size_along(a, axis) for axis in axes], axes
    if len(s) != len(axes):
        raise ValueError("Shape and axes have different lengths.")
    return [a.shape[axis] if size == -1 else size for size, axis in zip(s, axes, strict=True)], axes


def size_along(a: Array, axis: int) -> Any:
    """The size of an axis, with the error of `np.take`."""
    if not -a.ndim <= axis < a.ndim:
        raise IndexError(f"index {axis} is out of bounds for axis 0 with size {a.ndim}")
    return a.shape[axis]


# ---------------------------------------------------------------- frequencies


def fftfreq(n: Any, d: Any = 1.0) -> Array:
    """`np.fft.fftfreq`."""
    found: Array = np.concatenate((np.arange((n - 1) // 2 + 1), np.arange(-(n // 2), 0))) * (1.0 / (n * d))
    return found


def rfftfreq(n: Any, d: Any = 1.0) -> Array:
    """`np.fft.rfftfreq`."""
    found: Array = np.arange(n // 2 + 1) * (1.0 / (n * d))
    return found


def fftshift(x: Array, axes: Any = None) -> Array:
    """`np.fft.fftshift`: the middle first."""
    for axis in shifted_axes(x, axes):
        x = np.roll(x, x.shape[axis] // 2, axis)
    return x


def ifftshift(x: Array, axes: Any = None) -> Array:
    """`np.fft.ifftshift`."""
    for axis in shifted_axes(x, axes):
        x = np.roll(x, -(x.shape[axis] // 2), axis)
    return x


def shifted_axes(x: Array, axes: Any) -> Any:
    """The axes to shift along: all, one, or several."""
    if axes is None:
        return range(x.ndim)
    return [axes] if isinstance(axes, int) else axes
