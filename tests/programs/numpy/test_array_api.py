"""`graph_program.tensor_api`, the namespace of the Array API standard: eagerly and in programs the same."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import graph_program.tensor_api as xp
from graph_program import graph_program, host_function
from tests.programs.plain import check

RNG = np.random.default_rng(5)


def reals(*shape: int) -> xp.Array:
    return xp.asarray(RNG.normal(size=shape))


def wholes(*shape: int) -> xp.Array:
    return xp.asarray(RNG.integers(1, 9, size=shape))


def complexes(*shape: int) -> xp.Array:
    return xp.asarray(RNG.normal(size=shape) + 1j * RNG.normal(size=shape))


def arithmetic(x: xp.Array, n: int) -> Any:
    y = x + 1.0
    for i in range(n):
        y = y * x - i
        y[0] = 3.0
    if xp.any(y > 2):
        y += x
    return y, -y, abs(y), y @ x, y[1:3], y[x > 0], 2 / (y * y + 1), y // 0.5, y % 0.5


def integers(x: xp.Array) -> Any:
    bits = x // 2, x % 3, x << 1, x >> 1, x & 3, x | 8, x ^ 5, ~x, x**2
    return bits, xp.sum(x), xp.prod(x, axis=0), xp.argmax(x, axis=1), xp.astype(x, xp.uint8) + 1


def reductions(x: xp.Array) -> Any:
    moments = xp.mean(x), xp.std(x, correction=1), xp.var(x, axis=0, keepdims=True)
    extremes = xp.max(x, axis=(0, 1)), xp.min(x), xp.all(x > 0), xp.count_nonzero(x)
    return moments, extremes, xp.cumulative_sum(x, axis=1, include_initial=True), xp.diff(x, prepend=x)


def movements(x: xp.Array, y: xp.Array) -> Any:
    joined = xp.concat([x, y]), xp.stack([x, y], axis=1), xp.concat((x, y), axis=None)
    moved = xp.permute_dims(x, (1, 0)), x.T, x.mT, xp.flip(x), xp.roll(x, 1), xp.moveaxis(x, 0, 1)
    sizes = xp.expand_dims(x, axis=1), xp.squeeze(x[None, ...], axis=0), xp.broadcast_to(x, (2, *x.shape))
    return joined, moved, sizes, xp.tile(x, (2, 1)), xp.repeat(x, 2), xp.reshape(x, (-1,))


def selections(x: xp.Array, keep: xp.Array, at: xp.Array) -> Any:
    sets = xp.unique_values(at), xp.unique_counts(at), xp.isin(at, 2)
    orders = xp.sort(x, descending=True), xp.argsort(x, descending=True), xp.searchsorted(xp.sort(x), x)
    return xp.where(keep, x, 0.0), x[keep], xp.nonzero(keep), xp.clip(x, -0.5, 0.5), xp.take(x, at), orders, sets


def creations(x: xp.Array) -> Any:
    n = x.shape[0]
    ranges = xp.arange(n), xp.arange(0.0, 1.0, 0.25), xp.linspace(0.0, 1.0, n), xp.eye(n), xp.full((3,), 7)
    return ranges, xp.zeros(n), xp.ones((2, n), dtype=xp.int32), xp.zeros_like(x), xp.tril(xp.ones((n, n)))


def linear_algebra(a: xp.Array, b: xp.Array) -> Any:
    q, r = xp.linalg.qr(a)
    norms = xp.linalg.vector_norm(b), xp.linalg.matrix_norm(a), xp.linalg.trace(a), xp.linalg.det(a)
    return xp.linalg.solve(a, b), xp.linalg.inv(a), q @ r, norms, xp.linalg.slogdet(a).logabsdet


def complex_numbers(z: xp.Array) -> Any:
    parts = xp.abs(z), xp.real(z), xp.imag(z), xp.conj(z)
    return parts, z * z, xp.exp(z), xp.fft.fft(z), xp.fft.rfft(xp.real(z)), xp.sum(z)


def element_types(x: xp.Array) -> Any:
    y = xp.astype(x, xp.float32)
    common = xp.result_type(x, y)
    if xp.isdtype(y.dtype, "real floating"):
        return xp.astype(y, common) + xp.finfo(y.dtype).eps, x.dtype, x.shape, x.ndim, x.size
    return x


def python_numbers(x: xp.Array) -> Any:
    return float(xp.sum(x)), int(xp.sum(x) * 10), bool(xp.all(x == x)), len(x), x[0] < x[1]


def standard_quotients(x: xp.Array) -> Any:
    return x // 2.0, 2.0 // x, xp.floor_divide(x, x), xp.nextafter(x, -x)


EVERY: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (arithmetic, (reals(4), 3)),
    (integers, (wholes(3, 4),)),
    (reductions, (reals(3, 4),)),
    (movements, (reals(3, 4), reals(3, 4))),
    (selections, (reals(5), xp.asarray([True, False, True, True, False]), xp.asarray([2, 0, 2]))),
    (creations, (reals(5),)),
    (linear_algebra, (reals(4, 4), reals(4))),
    (complex_numbers, (complexes(4),)),
    (element_types, (reals(4),)),
    (python_numbers, (reals(4),)),
    (standard_quotients, (xp.asarray([np.inf, -np.inf, np.nan, 5.0, -5.0, 0.0]),)),
]


@pytest.mark.parametrize(("function", "args"), EVERY, ids=[f.__name__ for f, _ in EVERY])
def test_eagerly_and_in_a_program_the_same(function: Callable[..., Any], args: tuple[Any, ...]) -> None:
    check(function, args)


def writes(x: xp.Array, y: xp.Array) -> Any:
    part, same = x[1:], x
    same[0] = 9.0
    part[0] = 7.0
    x += y
    return part, same


def test_no_part_is_a_view_and_what_is_written_is_the_callers_object() -> None:
    check(writes, (reals(3), reals(3)))


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x + xp.asarray([1, 2]),
        lambda x: xp.sin(xp.asarray(3)),
        lambda x: x & 1,
        lambda x: xp.concat([x, xp.asarray([1, 2])]),
        lambda x: xp.where(x, 1.0, x),
        lambda x: x + True,
        lambda x: xp.take(xp.stack([x, x]), xp.asarray([0])),
        lambda x: xp.reshape(x, (3,)),
        lambda x: xp.astype(x * 1j, xp.float64),
    ],
)
def test_what_the_standard_leaves_out_is_an_error_in_both(function: Callable[..., Any]) -> None:
    check(function, (xp.asarray([1.0, 2.0]),))


def test_an_exported_model_has_the_array_for_an_input() -> None:
    @graph_program
    def softmax(x: Any) -> Any:
        e = xp.exp(x - xp.max(x, axis=-1, keepdims=True))
        return e / xp.sum(e, axis=-1, keepdims=True)

    model = softmax.model((reals(2, 3),))
    assert [(i.name, i.type.tensor_type.elem_type) for i in model.graph.input] == [("x._array", 11)]
    assert len(model.graph.node) < 10


@host_function
def sensor() -> float:
    return 2.0


def beside_the_host(x: xp.Array) -> Any:
    y = x
    y += sensor()
    x[0] = sensor()
    if xp.max(x * sensor()) > 3:
        y = xp.where(y > sensor(), y, xp.asarray(sensor()))
    return x, y, math.sqrt(x[0]), np.asarray(x)


def test_numbers_of_the_host_are_operands() -> None:
    check(beside_the_host, (reals(3),))


def gone_through(x: xp.Array, y: xp.Array) -> Any:
    total = 0.0
    for v in x:
        total += float(v)
    first, second = y
    return total, [v * 2 for v in x], first + second, [float(a * b) for a, b in zip(x, x, strict=True)]


def test_an_array_is_gone_through_by_its_rows() -> None:
    check(gone_through, (reals(3), reals(2)), (reals(0), reals(2, 2)))


def refused_values(x: xp.Array) -> Any:
    if xp.any(x < 0):
        raise AssertionError(x)
    raise ValueError("all positive", x, f"{x!r} {x}")


def test_messages_show_arrays() -> None:
    check(refused_values, (xp.asarray([-1.0, 2.0]),), (xp.asarray([1.0]),))
