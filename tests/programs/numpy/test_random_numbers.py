"""`graph_program.tensor_api.random`: known answers, distributions, and the same numbers everywhere."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import pytest

from graph_program import Int64, Tensor, UInt32, graph_program
from graph_program.tensor_api import control, random
from graph_program.tensor_api.random.quantiles import normal_below, normal_quantile
from graph_program.tensor_api.random.rejection import log_factorial
from graph_program.tensor_api.random.threefry import threefry
from tests.programs.plain import check, check_or_refused, outcome

Array = np.ndarray[Any, Any]
KEY = random.key(7)
N = 20_000


# ---------------------------------------------------------------- the generator


@pytest.mark.parametrize(
    ("key", "counter", "words"),
    [
        ((0, 0), (0, 0), (0x6B200159, 0x99BA4EFE)),
        ((0xFFFFFFFF, 0xFFFFFFFF), (0xFFFFFFFF, 0xFFFFFFFF), (0x1CB996FC, 0xBB002BE7)),
        ((0x13198A2E, 0x03707344), (0x243F6A88, 0x85A308D3), (0xC4923A9C, 0x483DF7A0)),
    ],
)
def test_known_answers(key: Any, counter: Any, words: Any) -> None:
    """The vectors of threefry2x32 with 20 rounds that come with the authors' library, Random123 (`kat_vectors`)."""
    given = np.array(key, np.uint32), np.array(counter[:1], np.uint32), np.array(counter[1:], np.uint32)
    for function in (threefry, graph_program(threefry)):
        found = function(*given)
        assert (int(found[0][0]), int(found[1][0])) == words


def test_keys() -> None:
    np.testing.assert_array_equal(random.key(0x123456789ABCDEF0), np.array([0x12345678, 0x9ABCDEF0], np.uint32))
    np.testing.assert_array_equal(random.key(-1), np.array([0xFFFFFFFF, 0xFFFFFFFF], np.uint32))
    keys = random.split(KEY, 1000)
    np.testing.assert_array_equal(keys[:3], random.split(KEY, 3))
    folded = np.stack([random.fold_in(KEY, i) for i in range(1000)])
    drawn = random.bits(KEY, (1000, 2))
    everything = np.concatenate((keys, folded, drawn)).astype(np.uint64)
    assert len(np.unique(everything[:, 0] << np.uint64(32) | everything[:, 1])) == 3000


def test_more_numbers_begin_with_the_same() -> None:
    for draw in (random.bits, random.uniform, random.normal):
        for kind in ({}, {"dtype": np.uint64}) if draw is random.bits else ({"dtype": np.float32}, {}):
            whole = draw(KEY, 11, **kind)
            for n in (0, 1, 2, 5, 10):
                np.testing.assert_array_equal(draw(KEY, n, **kind), whole[:n])


def test_bits_are_even() -> None:
    for dtype in (np.uint8, np.uint16, np.uint32, np.uint64):
        width = 8 * np.dtype(dtype).itemsize
        drawn = random.bits(KEY, N, dtype)
        ones = np.array([(drawn >> np.array(k, dtype) & np.array(1, dtype)).mean() for k in range(width)])
        assert np.abs(ones - 0.5).max() < 5 * 0.5 / math.sqrt(N)


# ---------------------------------------------------------------- distributions


def distance(drawn: Array, below: Callable[[Array], Array]) -> float:
    """Kolmogorov's distance between a sample and a distribution function, times the root of the sample's size."""
    ordered = np.sort(drawn.astype(np.float64).ravel())
    expected, places = below(ordered), np.arange(len(ordered) + 1) / len(ordered)
    largest = max(np.abs(expected - places[1:]).max(), np.abs(expected - places[:-1]).max())
    return float(largest * math.sqrt(len(ordered)))


def truncated_below(x: Array) -> Array:
    low, high = normal_below(np.array([-1.0, 2.5]))
    return (normal_below(x) - low) / (high - low)


CONTINUOUS: dict[str, tuple[Callable[..., Any], Callable[[Array], Array]]] = {
    "uniform": (lambda k, t: random.uniform(k, N, t), lambda x: x),
    "between": (lambda k, t: random.uniform(k, N, t, -2, 3), lambda x: (x + 2) / 5),
    "normal": (lambda k, t: random.normal(k, N, t), normal_below),
    "exponential": (lambda k, t: random.exponential(k, N, t), lambda x: -np.expm1(-x)),
    "gumbel": (lambda k, t: random.gumbel(k, N, t), lambda x: np.exp(-np.exp(-x))),
    "laplace": (
        lambda k, t: random.laplace(k, N, t),
        lambda x: np.where(x < 0, np.exp(-np.abs(x)) / 2, 1 - np.exp(-np.abs(x)) / 2),
    ),
    "logistic": (lambda k, t: random.logistic(k, N, t), lambda x: 1 / (1 + np.exp(-x))),
    "cauchy": (lambda k, t: random.cauchy(k, N, t), lambda x: np.arctan(x) / np.pi + 0.5),
    "truncated_normal": (lambda k, t: random.truncated_normal(k, -1, 2.5, N, t), truncated_below),
    "tail": (
        lambda k, t: random.truncated_normal(k, 6, np.inf, N, t),
        lambda x: 1 - normal_below(-x) / normal_below(np.array(-6.0)),
    ),
    "gamma of 1": (lambda k, t: random.gamma(k, 1.0, N, t), lambda x: -np.expm1(-x)),
    "gamma of 2": (lambda k, t: random.gamma(k, 2.0, N, t), lambda x: 1 - (1 + x) * np.exp(-x)),
    "gamma of 1/2": (lambda k, t: random.gamma(k, 0.5, N, t), lambda x: 2 * normal_below(np.sqrt(2 * x)) - 1),
    "chisquare": (lambda k, t: random.chisquare(k, 2, N, t), lambda x: -np.expm1(-x / 2)),
    "beta of 1": (lambda k, t: random.beta(k, 1, 3, N, t), lambda x: 1 - (1 - x) ** 3),
    "beta of 1/2": (lambda k, t: random.beta(k, 0.5, 0.5, N, t), lambda x: np.arcsin(np.sqrt(x)) * 2 / np.pi),
    "lognormal": (lambda k, t: random.lognormal(k, 0.5, N, t), lambda x: normal_below(np.log(x) / 0.5)),
    "rayleigh": (lambda k, t: random.rayleigh(k, 2, N, t), lambda x: -np.expm1(-x * x / 8)),
    "weibull_min": (lambda k, t: random.weibull_min(k, 2, 3, N, t), lambda x: -np.expm1(-((x / 2) ** 3))),
    "pareto": (lambda k, t: random.pareto(k, 3, N, t), lambda x: 1 - x**-3.0),
    "triangular": (
        lambda k, t: random.triangular(k, 0, 1, 4, N, t),
        lambda x: np.where(x < 1, x * x / 4, 1 - (4 - x) ** 2 / 12),
    ),
    "t of 1": (lambda k, t: random.t(k, 1, N, t), lambda x: np.arctan(x) / np.pi + 0.5),
    "t of 2": (lambda k, t: random.t(k, 2, N, t), lambda x: 0.5 + x / (2 * np.sqrt(2 + x * x))),
    "dirichlet": (lambda k, t: random.dirichlet(k, np.ones(3), N, t)[:, 1], lambda x: 1 - (1 - x) ** 2),
}


@pytest.mark.parametrize("name", CONTINUOUS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_distributions(name: str, dtype: Any) -> None:
    """By Kolmogorov's test, at a level of one in a thousand (1.95)."""
    draw, below = CONTINUOUS[name]
    drawn = draw(random.fold_in(KEY, len(name)), dtype)
    assert drawn.dtype == dtype and drawn.shape == (N,)
    assert distance(drawn, below) < 1.95


def chi_square(counts: Array, chances: Array) -> float:
    """Pearson's statistic in standard deviations above what is expected."""
    expected = chances * counts.sum()
    kept = expected > 5
    return float((((counts - expected)[kept] ** 2 / expected[kept]).sum() - kept.sum()) / math.sqrt(2 * kept.sum()))


@pytest.mark.parametrize("rate", [0.3, 4.0, 9.9, 10.0, 60.0])
def test_poisson(rate: float) -> None:
    drawn = random.poisson(random.fold_in(KEY, int(rate)), rate, N)
    k = np.arange(drawn.max() + 1.0)
    assert drawn.dtype == np.int64
    assert chi_square(np.bincount(drawn), np.exp(k * math.log(rate) - rate - log_factorial(k))) < 4


def test_poisson_of_large_rates() -> None:
    for rate in (1e4, 1e9, 1e15):
        drawn = (random.poisson(KEY, rate, N) - rate) / math.sqrt(rate)
        assert distance(drawn, normal_below) < 2.2
    np.testing.assert_array_equal(random.poisson(KEY, np.zeros(3)), np.zeros(3, np.int64))


@pytest.mark.parametrize(("n", "p"), [(1, 0.3), (9, 0.9), (20, 0.5), (100, 0.02), (100, 0.6), (5000, 0.01)])
def test_binomial(n: int, p: float) -> None:
    drawn = random.binomial(random.fold_in(KEY, n), n, p, N)
    k = np.arange(n + 1.0)
    logs = log_factorial(np.array([float(n)])) - log_factorial(k) - log_factorial(n - k)
    chances = np.exp(logs + k * math.log(p) + (n - k) * math.log(1 - p))
    assert drawn.dtype == np.int64
    assert chi_square(np.bincount(drawn, minlength=n + 1), chances) < 4
    np.testing.assert_array_equal(random.binomial(KEY, [0, 7, 7, 2**53], [0.5, 0, 1, 1]), [0, 0, 7, 2**53])


def test_trials_and_signs() -> None:
    drawn = random.geometric(KEY, 0.3, N)
    k = np.arange(drawn.max() + 1.0)
    assert drawn.min() == 1
    assert chi_square(np.bincount(drawn), np.where(k > 0, 0.3 * 0.7 ** (k - 1), 0)) < 4
    np.testing.assert_array_equal(random.geometric(KEY, np.ones(3)), np.ones(3, np.int64))
    signs = random.rademacher(KEY, N)
    assert set(signs) == {-1, 1} and abs(signs.mean()) < 0.03


def test_integers() -> None:
    drawn = random.randint(KEY, N, -3, 4)
    assert drawn.min() == -3 and drawn.max() == 3
    assert chi_square(np.bincount(drawn + 3), np.full(7, 1 / 7)) < 4
    halves = random.randint(KEY, N, 0, 3 * 2**62 - 1 - 2**62)  # bits are drawn anew for some
    assert abs((halves < 2**62).mean() - 0.5) < 0.02
    wide = random.randint(KEY, N, -(2**63), 2**63 - 1) / 2.0**63
    assert distance(wide, lambda x: (x + 1) / 2) < 1.95
    assert set(random.randint(KEY, 100, 0, 2, np.uint8)) == {0, 1}
    np.testing.assert_array_equal(random.randint(KEY, (2, 3), [0, 5, 9], [1, 6, 10]), [[0, 5, 9]] * 2)


def test_choices() -> None:
    chances = np.array([0.1, 0.2, 0.0, 0.7])
    for drawn in (
        random.categorical(KEY, np.log(np.maximum(chances, 1e-300)), shape=N),
        random.choice(KEY, 4, N, p=chances * 10),
    ):
        assert chi_square(np.bincount(drawn, minlength=4)[[0, 1, 3]], chances[[0, 1, 3]]) < 4
        assert 2 not in drawn
    assert abs(random.bernoulli(KEY, 0.3, N).mean() - 0.3) < 0.02
    orders = np.stack([random.permutation(k, 4) for k in random.split(KEY, 2000)]) @ [64, 16, 4, 1]
    _, counts = np.unique(orders, return_counts=True)
    assert chi_square(counts, np.full(24, 1 / 24)) < 4
    firsts = np.array([random.choice(k, 4, 2, False, chances)[0] for k in random.split(KEY, 2000)])
    assert chi_square(np.bincount(firsts, minlength=4)[[0, 1, 3]], chances[[0, 1, 3]]) < 4
    rows = random.permutation(KEY, np.arange(60).reshape(3, 20), 1, True)
    np.testing.assert_array_equal(np.sort(rows, axis=1), np.arange(60).reshape(3, 20))
    assert not np.array_equal(rows[0] + 20, rows[1])


def test_normal_vectors() -> None:
    cov = np.array([[2.0, 1.0], [1.0, 3.0]])
    drawn = random.multivariate_normal(KEY, np.array([1.0, -2.0]), cov, N)
    assert np.abs(drawn.mean(0) - [1, -2]).max() < 0.06
    assert np.abs(np.cov(drawn.T) - cov).max() < 0.12
    stacked = random.multivariate_normal(KEY, np.zeros((3, 1, 2)), np.stack([cov, 4 * cov]))
    assert stacked.shape == (3, 2, 2)
    with pytest.raises(np.linalg.LinAlgError):
        random.multivariate_normal(KEY, np.zeros(2), -cov)


def test_normal_quantiles() -> None:
    x = np.linspace(-37, 8, 2001)
    exact = np.array([0.5 * math.erfc(-v / math.sqrt(2)) for v in x])
    np.testing.assert_allclose(normal_below(x), exact, rtol=1e-12)
    lower = x[x < 0]
    np.testing.assert_allclose(normal_quantile(normal_below(lower)), lower, rtol=1e-12, atol=1e-15)
    k = np.arange(0.0, 300.0)
    np.testing.assert_allclose(log_factorial(k), [math.lgamma(v + 1) for v in k], rtol=1e-14, atol=1e-14)


# ---------------------------------------------------------------- the same in a program

SHAPES = ((), 5, (2, 3), (0, 2))


def whole_numbers(key: Array) -> Any:
    return (
        random.key(12345),
        random.split(key, 3),
        random.fold_in(key, 3),
        [random.bits(key, shape) for shape in SHAPES],
        random.bits(key, (2, 3), np.uint8),
        random.bits(key, 3, np.uint16),
        random.bits(key, 3, np.uint64),
    )


def integers(key: Array) -> Any:
    return (
        random.randint(key, (2, 3), -4, 5),
        random.randint(key, 6, 0, 256, np.uint8),
        random.randint(key, (), 0, 256),
        random.randint(key, 6, -(2**62), 2**62 + 2**61),
        random.randint(key, (2, 2), np.array([0, 10]), np.array([5, 12], np.int32), np.int16),
        random.bernoulli(key, 0.3, 6),
        random.bernoulli(key, np.array([0.0, 0.5, 1.0])),
        random.bernoulli(key),
    )


def uniforms(key: Array) -> Any:
    return (
        [random.uniform(key, shape) for shape in SHAPES],
        random.uniform(key, 7, np.float32, -1, 2),
        random.uniform(key, (2, 2), minval=np.array([0, 5]), maxval=np.array([1.0, 7.0])),
    )


def chosen(key: Array) -> Any:
    return (
        random.permutation(key, 10),
        random.permutation(key, np.arange(6).reshape(2, 3), 1),
        random.permutation(key, np.arange(6).reshape(2, 3), -1, True),
        random.choice(key, 5, (2, 2)),
        random.choice(key, 5),
        random.choice(key, 5, 4, False),
        random.choice(key, np.arange(3) * 1.5, 4, p=[1, 2, 3]),
        random.choice(key, np.arange(6).reshape(3, 2), 2, False, p=[0, 1, 0.5]),
        random.categorical(key, np.log(np.array([0.1, 0.2, 0.7])), shape=9),
        random.categorical(key, np.zeros((3, 4, 2)), axis=1),
    )


def formulas(key: Array) -> Any:
    return (
        [random.normal(key, shape) for shape in SHAPES],
        random.normal(key, 7, np.float32),
        random.exponential(key, 7, np.float32),
        random.gumbel(key, 7),
        random.laplace(key, 7, np.float32),
        random.logistic(key, 7),
        random.cauchy(key, 7),
        random.truncated_normal(key, np.array([-1.0, 2, 8]), np.inf),
        random.multivariate_normal(key, np.array([1, 2.0]), np.array([[2, 1], [1, 3.0]]), 4),
    )


def rejections(key: Array) -> Any:
    return (
        random.gamma(key, np.array([0.1, 1, 5])),
        random.chisquare(key, 3, 4, np.float32),
        random.beta(key, 3, np.array([4.0, 0.01])),
        random.dirichlet(key, np.array([1, 2.0, 3]), 2),
        random.poisson(key, np.array([0, 1, 5, 50, 1e6])),
        random.poisson(key, 3.0),
        random.binomial(key, np.array([3, 40, 100]), 0.7),
        random.t(key, np.array([0.5, 3.0])),
    )


def derived(key: Array) -> Any:
    return (
        random.lognormal(key, 0.5, 3, np.float32),
        random.lognormal(key),
        random.rayleigh(key, np.array([1.0, 2.0])),
        random.weibull_min(key, 2.0, 3.0, (2, 2)),
        random.pareto(key, 3, 2),
        random.triangular(key, 0, np.array([0.0, 0.5, 1.0]), 1),
        random.geometric(key, np.array([0.2, 1.0])),
        random.rademacher(key, 5),
        random.rademacher(key, (), np.float32),
    )


@pytest.mark.parametrize("function", [whole_numbers, integers, uniforms, chosen, formulas, rejections, derived])
def test_programs(function: Callable[..., Any]) -> None:
    check(function, (KEY,), (random.key(0),))


def test_uniform_numbers_are_equal_bit_for_bit() -> None:
    @graph_program
    def drawn(key: Array, n: int) -> Any:
        return random.uniform(key, n, np.float32), random.uniform(key, n, minval=-1, maxval=3)

    for n in (1000, 1001, 0):
        for a, b in zip(drawn(KEY, n), drawn.python(KEY, n), strict=True):
            np.testing.assert_array_equal(a, b)


def test_computed_sizes() -> None:
    def like(key: Array, x: Array) -> Any:
        n, d = x.shape
        return random.normal(key, (d, n // 2)), random.bits(key, n * d - 1), random.permutation(key, x)

    def masked(key: Array, x: Array) -> Any:
        return random.choice(key, x[x > 2], 3)

    def empty(key: Array, n: int) -> Any:
        return random.uniform(key, (n, 2))

    check(like, (KEY, np.arange(10.0).reshape(5, 2)), (KEY, np.arange(3.0).reshape(1, 3)))
    check(masked, (KEY, np.arange(6)), (KEY, np.arange(2)))
    check(empty, (KEY, 3), (KEY, 0), (KEY, -1))


def test_shuffling_in_place() -> None:
    def shuffled(key: Array, x: Array) -> None:
        random.shuffle(key, x[1:])
        random.shuffle(key, x, axis=1)

    check(shuffled, (KEY, np.arange(20.0).reshape(5, 4)))


def test_what_does_not_fit() -> None:
    def low(key: Array, low: int, high: int) -> Any:
        return random.randint(key, 3, low, high, np.int8)

    def positive(key: Array, a: float) -> Any:
        return random.gamma(key, a)

    def rate(key: Array, a: float) -> Any:
        return random.poisson(key, a, 2)

    def bounds(key: Array, a: float) -> Any:
        return random.truncated_normal(key, a, 1.0)

    def folded(key: Array, n: int) -> Any:
        return random.fold_in(key, n)

    def halves(key: Array) -> Any:
        return random.normal(key, 3, np.float16)

    def no_bits(key: Array) -> Any:
        return random.bits(key, 3, np.int32)

    def taken(key: Array, n: int) -> Any:
        return random.choice(key, 3, n, False)

    def weighted(key: Array, p: Array) -> Any:
        return random.choice(key, 3, 2, True, p)

    def trials(key: Array, n: float, p: float) -> Any:
        return random.binomial(key, n, p), random.geometric(key, p), random.triangular(key, 0, p, 1)

    check(trials, (KEY, 3.0, 0.5), (KEY, -1.0, 0.5), (KEY, 2.5, 0.5), (KEY, 3.0, 1.5), (KEY, 3.0, 0.0))
    check(low, (KEY, 0, 3), (KEY, 3, 3), (KEY, 0, 129), (KEY, -200, 3))
    check(positive, (KEY, 1.5), (KEY, 0.0), (KEY, math.nan), (KEY, math.inf))
    check(rate, (KEY, 1.5), (KEY, -1.0), (KEY, math.nan))
    check(bounds, (KEY, 0.5), (KEY, 1.0), (KEY, math.nan))
    check(folded, (KEY, 5), (KEY, -1), (KEY, 2**32), (KEY, 2**32 - 1))
    check_or_refused(halves, (KEY,))
    check_or_refused(no_bits, (KEY,))
    check(taken, (KEY, 3), (KEY, 4))
    check(weighted, (KEY, np.ones(3)), (KEY, -np.ones(3)), (KEY, np.zeros(3)), (KEY, np.ones(2)))


def test_what_is_no_key() -> None:
    def drawn(key: Any) -> Any:
        return random.uniform(key, 3)

    check(drawn, (np.zeros(3, np.uint32),), (np.zeros(2),), (np.zeros((2, 2), np.uint32),))
    assert outcome(drawn, (5,))[0] is TypeError


# ---------------------------------------------------------------- programs and models


def test_keys_of_the_rounds_of_a_loop() -> None:
    def walk(key: Array, steps: int) -> Any:
        place, seen = np.zeros(2), []
        for i in range(steps):
            place = place + random.normal(random.fold_in(key, i), 2)
            seen.append(place)
        return place, len(seen)

    def chained(key: Array, steps: int) -> Any:
        total = 0.0
        for _ in range(steps):
            key, own = random.split(key)
            total += random.uniform(own)
        return total

    def each(key: Array) -> Any:
        return control.map(lambda k: random.randint(k, 3, 0, 10), random.split(key, 4))

    check(walk, (KEY, 5), (KEY, 0))
    check(chained, (KEY, 3))
    check(each, (KEY,))


def test_until_it_is_exact_enough() -> None:
    def area(key: Array, tolerance: float) -> Any:
        inside, total, step = 0, 0, 0
        while step < 100:
            points = random.uniform(random.fold_in(key, step), (500, 2))
            inside += int(np.sum(np.sum(points * points, axis=1) < 1))
            total += 500
            step += 1
            share = inside / total
            if math.sqrt(share * (1 - share) / total) * 4 < tolerance:
                break
        return 4 * inside / total, step

    check(area, (KEY, 0.05), (KEY, 1.0))


def test_an_exported_model(tmp_path: Path) -> None:
    @graph_program
    def drawn(key: UInt32[Tensor, "2"], sizes: Int64[Tensor, "n"]) -> Any:
        n = sizes.shape[0]
        return random.bits(key, n), random.uniform(key, n), random.permutation(key, sizes), random.normal(key, n)

    drawn.export(tmp_path / "drawn.onnx", include_errors=False)
    session = onnxruntime.InferenceSession(tmp_path / "drawn.onnx")
    for sizes in (np.arange(7), np.arange(4)):
        found = session.run(None, {"key": KEY, "sizes": sizes})
        for value, wanted in zip(found[:3], drawn.python(KEY, sizes)[:3], strict=True):
            np.testing.assert_array_equal(value, wanted)
        np.testing.assert_allclose(found[3], random.normal(KEY, len(sizes)), rtol=1e-12)
