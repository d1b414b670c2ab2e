"""Random numbers and combinators as programs use them: sampling, filters, batches, state, loops that end by chance."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import graph_program.tensor_api as xp
from graph_program import graph_program
from graph_program.tensor_api import control as C
from graph_program.tensor_api import random as R
from graph_program.tensor_api.control import cond, scan, switch, while_loop
from tests.programs.plain import Cases, check, differs

K = R.key(11)
cases = Cases()


@cases((K, 20))
def metropolis(key: Any, n: Any) -> Any:
    def step(state: Any, k: Any) -> Any:
        x, lp = state
        a, b = R.split(k)
        y = x + 0.5 * R.normal(a)
        ly = -0.5 * y * y
        take = np.log(R.uniform(b)) < ly - lp
        x, lp = (y, ly) if take else (x, lp)
        return (x, lp), (x, take)

    return scan(step, (0.0, 0.0), R.split(key, n))


@cases((K, np.ones((4, 3))))
def dropout(key: Any, x: Any) -> Any:
    kept = R.bernoulli(key, 0.5, x.shape)
    return np.where(kept, x / 0.5, 0)


@cases((K, 5))
def unpack(key: Any, n: Any) -> Any:
    a, b, c = R.split(key, 3)
    s = 0.0
    for k in R.split(a, n):
        s += R.uniform(k)
    return s, R.bits(b), R.bits(c, 2)


@cases((K, np.arange(8.0).reshape(4, 2)))
def each_row(key: Any, x: Any) -> Any:
    return C.map(lambda rk: rk[0] + R.normal(rk[1], 2), (x, R.split(key, x.shape[0])))


@cases((K, np.array([0.1, 2.0, -1.0, 0.5]), 8))
def generate(key: Any, logits: Any, limit: Any) -> Any:
    out = []
    for _ in range(limit):
        key, k = R.split(key)
        tok = R.categorical(k, logits / 0.7)
        out.append(tok)
        if tok == 3:
            break
        logits = np.roll(logits, 1)
    return np.array(out), len(out)


@cases((K, 3, 10), (K, 9, 10))
def bounds(key: Any, a: Any, b: Any) -> Any:
    return R.randint(key, (a, 2), a, b)


@cases((K, True), (K, False))
def flag(key: Any, replace: Any) -> Any:
    return R.choice(key, 6, 4, replace)


@cases((K, np.float32), (K, np.float64))
def kinds(key: Any, dtype: Any) -> Any:
    return R.uniform(key, 3, dtype), R.normal(key, (2,), dtype)


@cases((K, (2, 3)), (K, (4,)))
def shapes(key: Any, shape: Any) -> Any:
    return R.uniform(key, shape)


@cases((K,))
def switched(key: Any) -> Any:
    i = R.randint(key, (), 0, 3)
    return switch(i, [lambda k: R.uniform(k), lambda k: R.normal(k), lambda k: R.gumbel(k)], key)


@cases((K, np.array([3.0, 0.2])))
def chained(key: Any, a: Any) -> Any:
    return R.gamma(key, a * 2 + R.uniform(key, 2)), R.beta(key, a, 1.0)


@cases((K, 100))
def walk(key: Any, limit: Any) -> Any:
    def go(s: Any) -> Any:
        return (np.abs(s[0]) < 3) & (s[1] < limit)

    def step(s: Any) -> Any:
        return s[0] + R.normal(R.fold_in(key, s[1])), s[1] + 1

    return while_loop(go, step, (0.0, 0))


@cases((K, np.arange(10.0)))
def batches(key: Any, x: Any) -> Any:
    tot = []
    for e in range(2):
        order = R.permutation(R.fold_in(key, e), len(x))
        for b in range(0, len(x), 4):
            tot.append(x[order[b : b + 4]].sum())
    return tot


@dataclass
class State:
    key: np.ndarray[Any, Any]
    x: np.ndarray[Any, Any]


@cases((State(K, np.zeros(3)), 4))
def state(s: Any, n: Any) -> Any:
    for _ in range(n):
        s.key, k = R.split(s.key)
        s.x = s.x + R.normal(k, 3)
    return s


@cases((K,))
def xps(key: Any) -> Any:
    a = xp.asarray(R.uniform(key, (2, 3)))
    return xp.sum(a, axis=0)._array


@cases((K, np.zeros((3, 2))))
def inplace(key: Any, x: Any) -> Any:
    x[1:] += R.normal(key, (2, 2))
    x[:, 0] = R.randint(key, 3, 0, 5)
    return None


@cases((K, np.array([1.0, 2.0, 3.0])), (K, np.array([-1.0])))
def poissons(key: Any, lam: Any) -> Any:
    try:
        return R.poisson(key, lam)
    except ValueError as e:
        return str(e)


@cases((K, np.uint32(3)), (K, np.int8(-1)), (K, 7))
def foldings(key: Any, i: Any) -> Any:
    return R.fold_in(key, i)


@cases((5,), (np.int64(-3),), (np.uint64(2**62),), (np.uint8(200),))
def seeds(s: Any) -> Any:
    return R.key(s)


@cases((K, np.array([[0.2, 0.8], [0.5, 0.5]]), np.array([0, 1, 1])))
def markov(key: Any, p: Any, obs: Any) -> Any:
    def step(c: Any, given: Any) -> Any:
        o, k = given
        n = R.choice(k, 2, p=p[c])
        return n, (n == o)

    return scan(step, 0, (obs, R.split(key, len(obs))))


@cases((np.arange(12.0).reshape(3, 4),))
def revcum(x: Any) -> Any:
    return scan(lambda c, r: (c + r, c + r), np.zeros(4), x, reverse=True)[1]


@cases((np.arange(6.0),))
def deep(x: Any) -> Any:
    f = functools.partial(C.scan, lambda c, v: (c * 0.9 + v, c))
    return (
        f(0.0, x),
        C.map(np.sqrt, x),
        C.reduce(lambda a, v: {"n": a["n"] + 1, "m": max(a["m"], v)}, x, {"n": 0, "m": -1.0}),
    )


@cases((np.arange(6.0).reshape(2, 3),))
def outer(x: Any) -> Any:
    def f(r: Any) -> Any:
        return C.map(lambda c: (r * c).sum(), x.T, like=0.0)

    return C.map(f, x)


@cases((np.arange(4), 3), (np.arange(4), 30))
def nonlocal_count(x: Any, lim: Any) -> Any:
    n = 0

    def f(c: Any, v: Any) -> Any:
        nonlocal n
        n += 1
        if v > lim:
            raise ValueError("too many")
        return c + v, v

    r = C.scan(f, 0, x)
    return r, n


@cases((2.0,), (-2.0,))
def nocond(p: Any) -> Any:
    return cond(p > 0, lambda: (p, "pos"), lambda: (-p, "neg"))


@cases.each
def test_like_python(fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...]) -> None:
    check(fn, *inputs)


class Sampler:
    def __init__(self) -> None:
        self.key = R.key(3)
        self.drawn = 0

    def draw(self, n: int) -> Any:
        self.key, own = R.split(self.key)
        self.drawn += 1
        return R.normal(own, n)


def test_a_key_as_state() -> None:
    plain, sampler = Sampler(), Sampler()
    draw = graph_program(sampler.draw)
    for _ in range(3):
        assert not differs(plain.draw(2), draw(2))
        assert not differs(plain.key, sampler.key) and plain.drawn == sampler.drawn
