"""Dicts that a loop fills in its first round: keys that are missing together are missing by one flag, in one order."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from graph_program import DTypeError, graph_program
from tests.programs.plain import Cases, check

cases = Cases()
x = np.array([1.0, -2.0, 3.0, 7.0])


@cases((0,), (1,), (3,))
def lazily(n: int) -> Any:
    m: dict[str, float] = {}
    for t in range(n):
        for name in ("a", "b"):
            if name not in m:
                m[name] = 0.0
            m[name] += t
    return m


@cases((x, 0, 2), (x, 2, 0), (x, 2, 3))
def in_nested_loops(x: Any, epochs: int, n: int) -> Any:
    m: dict[str, Any] = {}
    for epoch in range(epochs):
        for t in range(n):
            for name in ("a", "b", "c"):
                if name not in m:
                    m[name] = np.zeros_like(x)
                m[name] = m[name] * 0.5 + x[t] * epoch
    return m


@cases((0,), (4,))
def by_exceptions(n: int) -> Any:
    m: dict[str, int] = {}
    for t in range(n):
        for name in ("a", "b"):
            try:
                m[name] += t
            except KeyError:
                m[name] = t
    return list(m.items())


@cases((2.0,), (0.1,))
def while_it_lasts(tol: float) -> Any:
    m: dict[str, float] = {}
    step = 1.0
    while step > tol:
        for name in ("a", "b"):
            m.setdefault(name, 0.0)
            m[name] += step
        step /= 2
    return m


@cases((x,), (x[:0],), (-x,))
def parted_again(x: Any) -> Any:
    m: dict[str, Any] = {}
    for v in x:
        if "a" not in m:
            m["a"] = m["b"] = 0.0
        m["a"] += v
        if v < 0:
            m.pop("b", None)
    return "a" in m, "b" in m, m.get("a"), m.get("b")


@cases((x, 1.0), (x, 9.0), (x, -5.0))
def none_together(x: Any, above: float) -> Any:
    best, where, last = None, None, None
    for i in range(len(x)):
        if x[i] > above:
            best, where = x[i], i
            last = i if best > 4 else None
    return best, where, last


@cases((x[:0],), (x,), (-x,))
def asked_by_key(x: Any) -> Any:
    m: dict[str, Any] = {}
    for v in x:
        key = "a" if v > 0 else "b"
        if key == "a":
            m["a"] = m.get("a", 0.0) + v
        else:
            m["b"] = m.get("b", 0.0) + v
    return m.get("a"), m.get("b"), len(m)


@cases.each
def test_like_python(fn: Any, inputs: Any) -> None:
    check(fn, *inputs)


class Adam:
    def __init__(self, rate: float):
        self.rate, self.m, self.v = rate, {}, {}  # type: ignore[var-annotated]

    def step(self, params: dict[str, Any], grads: dict[str, Any]) -> None:
        for key in params:
            if key not in self.m:
                self.m[key] = np.zeros_like(params[key])
                self.v[key] = np.zeros_like(params[key])
            self.m[key] = 0.9 * self.m[key] + 0.1 * grads[key]
            self.v[key] = 0.99 * self.v[key] + 0.01 * grads[key] ** 2
            params[key] = params[key] - self.rate * self.m[key] / (np.sqrt(self.v[key]) + 1e-8)

    def fit(self, w: Any, n: int) -> Any:
        params = {"w": w, "b": np.ones(1)}
        for _ in range(n):
            self.step(params, {key: 2 * params[key] for key in params})
        return params


def test_the_state_of_an_optimizer() -> None:
    ours, theirs = Adam(0.1), Adam(0.1)
    program = graph_program(ours.fit)
    for n in (0, 3, 2):
        found, expected = program(x, n), theirs.fit(x, n)
        assert list(found) == list(expected)
        assert list(ours.m) == list(theirs.m)
        for one, other in ((found, expected), (ours.m, theirs.m), (ours.v, theirs.v)):
            assert all(np.allclose(one[key], other[key]) for key in other)


def by_sign(x: Any) -> Any:
    m: dict[str, Any] = {}
    for v in x:
        if v > 0:
            m["a"] = m.get("a", 0.0) + v
        else:
            m["b"] = m.get("b", 0.0) + v
    return m


def put_in_again(x: Any) -> Any:
    m = {}
    if x[0] > 0:
        m["a"] = x[0]
    m["b"] = x[1]
    m["a"] = x[2]
    return list(m)


def put_in_backwards(x: Any) -> Any:
    m = {}
    if x[0] > 0:
        m["a"], m["b"] = x[0], x[1]
    m["b"] = x[1]
    m["a"] = x[2]
    return list(m)


@pytest.mark.parametrize("fn", [by_sign, put_in_again, put_in_backwards])
def test_an_order_that_depends_on_the_path(fn: Any) -> None:
    check(fn, (x,), (-x,))


def test_such_an_order_of_arrays_is_refused() -> None:
    def program(x: Any) -> Any:
        m = {}
        if x[0] > 0:
            m["a"] = x
        m["b"] = x[1:]
        m["a"] = x * 2
        return list(m)

    with pytest.raises(DTypeError, match="the order of this dict's keys depends on the path taken"):
        graph_program(program)(x)
