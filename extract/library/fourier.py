"""`np.fft`: Stockham's algorithm for powers of two, Bluestein's by way of it for other lengths."""

from __future__ import annotations

from typing import Any

import numpy as np

from graph_program.extract.library.arguments import known_size

Array = np.ndarray[Any, Any]
NARROW = (np.dtype(np.float16), np.dtype(np.float32), np.dtype(np.complex64))
"""Element types whose transforms are of single precision; they are computed in double."""
REAL_TYPES = {np.dtype(np.float16): np.float16, np.dtype(np.float32): np.float32, np.dtype(np.complex64): np.float32}
"""Element types of real results, where they are not float64."""
ROUNDS = {p: [p // -(-p // 4) + (k < p % -(-p // 4)) for k in range(-(-p // 4))] for p in range(13)}
RADICES = {2**p: tuple(2**size for size in rounds) for p, rounds in ROUNDS.items()}
"""Into how many parts a known number of points is divided, again and again: about as many in each round, up to 16."""
TINY = 1e-9
"""Less than this, a sine or cosine of a part of a turn is 0."""


def fft(a: Array, n: Any = None, axis: Any = -1, norm: Any = None) -> Array:
    """`np.fft.fft`."""
    n = a.shape[axis] if n is None else n
    return transformed(a, n, axis, factor(n, norm), -1).astype(complex_type(a))


def ifft(a: Array, n: Any = None, axis: Any = -1, norm: Any = None) -> Array:
    """`np.fft.ifft`."""
    n = a.shape[axis] if n is None else n
    return transformed(a, n, axis, factor(n, inverse_norm(norm)), 1).astype(complex_type(a))


def rfft(a: Array, n: Any = None, axis: Any = -1, norm: Any = None) -> Array:
    """`np.fft.rfft`: the first half of the transform."""
    n = a.shape[axis] if n is None else n
    if np.iscomplexobj(a):
        require_points(n)
        raise TypeError(
            f"ufunc 'rfft_n_{['even', 'odd'][n % 2]}' not supported for the input types, and the inputs could not be "
            "safely coerced to any supported types according to the casting rule ''safe''"
        )
    found = np.moveaxis(transformed(a, n, axis, factor(n, norm), -1), axis, -1)
    return np.moveaxis(found[..., : n // 2 + 1], -1, axis).astype(complex_type(a))


def irfft(a: Array, n: Any = None, axis: Any = -1, norm: Any = None) -> Array:
    """`np.fft.irfft`: the other half of the argument is the conjugate of this one."""
    n = (a.shape[axis] - 1) * 2 if n is None else n
    require_points(n)
    half = sized(np.moveaxis(a.astype(np.complex128), axis, -1), n // 2 + 1)
    whole = np.concatenate((half, np.conj(half[..., 1 : (n + 1) // 2][..., ::-1])), axis=-1)
    found = transformed(whole, n, -1, factor(n, inverse_norm(norm)), 1).real
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
    """The transform along an axis of `n` points; more are left out, missing ones are 0."""
    require_points(n)
    own = np.complex128 if np.iscomplexobj(a) else np.float64
    x = sized(np.moveaxis(a.astype(own), axis, -1), n)
    found = of_power_of_two(x, n, sign) if n & (n - 1) == 0 else of_any_length(x, n, sign)
    return np.moveaxis(found * scale, -1, axis)


def of_power_of_two(x: Array, n: Any, sign: int) -> Array:
    """Stockham's algorithm: in each round sums and turned differences of halves, in an order that sorts itself."""
    if known_size(n) in RADICES:
        return of_known_power_of_two(x, n, sign)
    x, shape = x.astype(np.complex128), x.shape
    turns = np.exp(sign * 2j * np.pi * np.arange(n // 2) / n)
    for k in range((n - 1).bit_length()):
        step = 1 << k
        count = n // (2 * step)
        parts = x.reshape((*shape[:-1], 2, count, step))
        first, second = parts[..., 0, :, :], parts[..., 1, :, :]
        turned = (first - second) * turns[np.arange(count) * step][:, np.newaxis]
        x = np.stack((first + second, turned), axis=-2).reshape(shape)
    return x


def of_known_power_of_two(x: Array, n: Any, sign: int) -> Array:
    """The same with as many as 16 parts in a round, of which all sums are one product with a known matrix."""
    shape = x.shape
    step = 1
    for radix in RADICES[n]:
        count = n // (radix * step)
        k = np.arange(radix)
        parts = x.reshape((*shape[:-1], radix, count * step))
        roots = unit_roots(k[:, np.newaxis] * k, radix, sign)
        sums = roots @ parts if np.iscomplexobj(parts) else roots.real @ parts + 1j * (roots.imag @ parts)
        turned = sums.reshape((*shape[:-1], radix, count, step))
        if count > 1:
            turned = turned * unit_roots(k[:, np.newaxis] * np.arange(count), radix * count, sign)[:, :, np.newaxis]
        x = np.swapaxes(turned, -3, -2).reshape(shape)
        step = step * radix
    return x


def unit_roots(k: Array, n: Any, sign: int) -> Array:
    """Powers of a root of 1, in which zeros are zeros."""
    angle = (sign * 2 * np.pi / n) * (k % n)
    real, imaginary = np.cos(angle), np.sin(angle)
    found: Array = np.where(np.abs(real) < TINY, 0.0, real) + 1j * np.where(np.abs(imaginary) < TINY, 0.0, imaginary)
    return found


def of_any_length(x: Array, n: Any, sign: int) -> Array:
    """Bluestein's algorithm: `2jk = j*j + k*k - (j-k)*(j-k)` makes the transform a convolution."""
    k = np.arange(n)
    chirp = np.exp(sign * 1j * np.pi * ((k * k) % (2 * n)) / n)
    wide = 1 << (2 * n - 2).bit_length()
    other = np.conj(chirp)
    kernel = np.concatenate((other, np.zeros(wide - 2 * n + 1, np.complex128), other[1:][::-1]))
    product = of_power_of_two(sized(x * chirp, wide), wide, -1) * of_power_of_two(kernel, wide, -1)
    found: Array = of_power_of_two(product, wide, 1)[..., :n] / wide * chirp
    return found


def sized(x: Array, n: Any) -> Array:
    """The first `n` elements along the last axis, with zeros for missing ones."""
    missing = n - min(x.shape[-1], n)
    return np.concatenate((x[..., :n], np.zeros((*x.shape[:-1], missing), x.dtype)), axis=-1)


def require_points(n: Any) -> None:
    """NumPy's error for too few points."""
    if n < 1:
        raise ValueError(f"Invalid number of FFT data points ({n}) specified.")


def factor(n: Any, norm: Any) -> Any:
    """What a transform is multiplied by."""
    if norm is None or norm == "backward":
        return 1.0
    if norm == "ortho":
        return 1.0 / np.sqrt(n)
    if norm == "forward":
        return 1.0 / n
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
