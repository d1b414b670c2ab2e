"""Programs of array operations, as NumPy has them, each also in JAX: stencils, a Kalman filter."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Stencil:
    """A program and how often it does what is timed.

    Attributes
    ----------
    run : callable
        For NumPy, for graph_program and for numba.
    arguments : tuple
        Arrays that it writes to are copied inside.
    steps : int
        The time is that of one of so many sweeps or steps.
    in_jax : callable
        Gives the same as a function for `jax.jit`.
    """

    run: Callable[..., Any]
    arguments: tuple[Any, ...]
    steps: int
    in_jax: Callable[[], Callable[..., Any]]


def jacobi(given, sweeps):  # type: ignore[no-untyped-def]
    a, b = given.copy(), given.copy()
    for _ in range(sweeps):
        b[1:-1, 1:-1] = 0.2 * (a[1:-1, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:] + a[2:, 1:-1] + a[:-2, 1:-1])
        a[1:-1, 1:-1] = 0.2 * (b[1:-1, 1:-1] + b[1:-1, :-2] + b[1:-1, 2:] + b[2:, 1:-1] + b[:-2, 1:-1])
    return a


def jacobi_in_jax() -> Callable[..., Any]:
    import jax

    def swept(a: Any) -> Any:
        inner = a[1:-1, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:] + a[2:, 1:-1] + a[:-2, 1:-1]
        return a.at[1:-1, 1:-1].set(0.2 * inner)

    return lambda given, sweeps: jax.lax.fori_loop(0, sweeps, lambda _, a: swept(swept(a)), given)


def heat(given, sweeps):  # type: ignore[no-untyped-def]
    a = given.copy()
    for _ in range(sweeps):
        b = a[1:-1, 1:-1, 1:-1]
        across = a[2:, 1:-1, 1:-1] - 2.0 * b + a[:-2, 1:-1, 1:-1]
        along = a[1:-1, 2:, 1:-1] - 2.0 * b + a[1:-1, :-2, 1:-1]
        up = a[1:-1, 1:-1, 2:] - 2.0 * b + a[1:-1, 1:-1, :-2]
        a[1:-1, 1:-1, 1:-1] = b + 0.125 * (across + along + up)
    return a


def heat_in_jax() -> Callable[..., Any]:
    import jax

    def swept(_: Any, a: Any) -> Any:
        b = a[1:-1, 1:-1, 1:-1]
        across = a[2:, 1:-1, 1:-1] - 2.0 * b + a[:-2, 1:-1, 1:-1]
        along = a[1:-1, 2:, 1:-1] - 2.0 * b + a[1:-1, :-2, 1:-1]
        up = a[1:-1, 1:-1, 2:] - 2.0 * b + a[1:-1, 1:-1, :-2]
        return a.at[1:-1, 1:-1, 1:-1].set(b + 0.125 * (across + along + up))

    return lambda given, sweeps: jax.lax.fori_loop(0, sweeps, swept, given)


def fdtd(first_x, first_y, first_z, steps):  # type: ignore[no-untyped-def]
    ex, ey, hz = first_x.copy(), first_y.copy(), first_z.copy()
    for t in range(steps):
        ey[0, :] = t
        ey[1:, :] -= 0.5 * (hz[1:, :] - hz[:-1, :])
        ex[:, 1:] -= 0.5 * (hz[:, 1:] - hz[:, :-1])
        hz[:-1, :-1] -= 0.7 * (ex[:-1, 1:] - ex[:-1, :-1] + ey[1:, :-1] - ey[:-1, :-1])
    return ex, ey, hz


def fdtd_in_jax() -> Callable[..., Any]:
    import jax

    def stepped(t: Any, fields: Any) -> Any:
        ex, ey, hz = fields
        ey = ey.at[0, :].set(t)
        ey = ey.at[1:, :].add(-0.5 * (hz[1:, :] - hz[:-1, :]))
        ex = ex.at[:, 1:].add(-0.5 * (hz[:, 1:] - hz[:, :-1]))
        curl = ex[:-1, 1:] - ex[:-1, :-1] + ey[1:, :-1] - ey[:-1, :-1]
        return ex, ey, hz.at[:-1, :-1].add(-0.7 * curl)

    return lambda x, y, z, steps: jax.lax.fori_loop(0, steps, stepped, (x, y, z))


def kalman(measured, motion, seen, pull, noise):  # type: ignore[no-untyped-def]
    state, spread = np.zeros(4), 10.0 * np.eye(4)
    track = np.zeros((len(measured), 4))
    for k in range(len(measured)):
        state = motion @ state
        spread = motion @ spread @ motion.T + pull
        total = seen @ spread @ seen.T + noise
        gain = spread @ seen.T @ np.linalg.inv(total)
        state = state + gain @ (measured[k] - seen @ state)
        spread = spread - gain @ seen @ spread
        track[k] = state
    return track


def kalman_in_jax() -> Callable[..., Any]:
    import jax
    import jax.numpy as jnp

    def filtered(measured: Any, motion: Any, seen: Any, pull: Any, noise: Any) -> Any:
        def step(carried: Any, point: Any) -> Any:
            state, spread = carried
            state = motion @ state
            spread = motion @ spread @ motion.T + pull
            gain = spread @ seen.T @ jnp.linalg.inv(seen @ spread @ seen.T + noise)
            state = state + gain @ (point - seen @ state)
            return (state, spread - gain @ seen @ spread), state

        return jax.lax.scan(step, (jnp.zeros(4), 10.0 * jnp.eye(4)), measured)[1]

    return filtered


def cases() -> dict[str, Stencil]:
    """The programs, by name."""
    random = np.random.default_rng(2)
    motion, seen = np.eye(4) + 0.1 * np.eye(4, k=2), np.eye(2, 4)
    tracked = (random.normal(size=(400, 2)), motion, seen, 0.01 * np.eye(4), 0.5 * np.eye(2))
    plate, block = random.random((256, 256)), random.random((40, 40, 40))
    fields = tuple(random.random((200, 220)) for _ in range(3))
    return {
        "Jacobi 256 x 256, a sweep": Stencil(jacobi, (plate, 20), 40, jacobi_in_jax),
        "heat 40 x 40 x 40, a sweep": Stencil(heat, (block, 20), 20, heat_in_jax),
        "FDTD 200 x 220, a step": Stencil(fdtd, (*fields, 20), 20, fdtd_in_jax),
        "Kalman 4/2, a step": Stencil(kalman, tracked, 400, kalman_in_jax),
    }
