"""Symbolic dims: normal form, and what is claimed for all sizes holds for every size tried."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graph_program.extract.types.dims import (
    MAX_WEIGHT,
    Dim,
    dim,
    exact_quotient,
    maximum,
    minimum,
    provably_different,
    provably_less_equal,
    symbol,
)
from graph_program.extract.types.shapes import dim_decide, slice_length

N, M = symbol("n"), symbol("m")
BIG, SMALL = 2**63 - 1, -(2**63)


def combined(children: st.SearchStrategy[Dim]) -> st.SearchStrategy[Dim]:
    pair = st.tuples(children, children)
    return st.one_of(
        pair.map(lambda p: p[0] + p[1]),
        pair.map(lambda p: p[0] - p[1]),
        pair.map(lambda p: maximum(*p)),
        pair.map(lambda p: minimum(*p)),
        st.tuples(children, st.integers(1, 3)).map(lambda p: p[0] // p[1]),
        st.tuples(children, st.integers(-2, 3)).map(lambda p: p[0] * p[1]),
    )


DIMS = st.recursive(st.sampled_from([N, M]) | st.integers(-3, 4).map(dim), combined, max_leaves=6)
SIZES = [{"n": n, "m": m} for n, m in itertools.product((0, 1, 2, 3, 7), repeat=2)]
COMPARISONS = {
    "==": int.__eq__,
    "!=": int.__ne__,
    "<": int.__lt__,
    "<=": int.__le__,
    ">": int.__gt__,
    ">=": int.__ge__,
}


@settings(max_examples=300, deadline=None)
@given(DIMS, DIMS)
def test_claims_hold_for_every_size(a: Dim, b: Dim) -> None:
    values = [(a.evaluate(s), b.evaluate(s)) for s in SIZES]
    larger, smaller = maximum(a, b), minimum(a, b)
    for (x, y), sizes in zip(values, SIZES, strict=True):
        assert larger.evaluate(sizes) == max(x, y)
        assert smaller.evaluate(sizes) == min(x, y)
        assert not provably_less_equal(a, b) or x <= y
        assert not provably_different(a, b) or x != y
        assert a.lower is None or a.lower <= x
        for op, compare in COMPARISONS.items():
            assert dim_decide(op, a, b) in (None, compare(x, y))


@settings(max_examples=200, deadline=None)
@given(DIMS, DIMS)
def test_exact_quotient_undoes_the_product(a: Dim, b: Dim) -> None:
    if b.terms:
        assert exact_quotient(a * b, b) == a
    quotient = exact_quotient(a, b)
    assert quotient is None or quotient * b == a


@pytest.mark.parametrize(
    ("d", "text"),
    [
        (maximum(0, maximum(0, N - 2) - 1), "max(0,n-3)"),
        (minimum(3, minimum(N, 5)), "min(3,n)"),
        (maximum(N, N + 1), "n+1"),
        (minimum(N, maximum(0, N - 2)), "max(0,n-2)"),
        (minimum(N, N // 2), "(n//2)"),
        (maximum(0, N - N // 2), "-(n//2)+n"),
        ((2 * N + 1) // 2, "n"),
        (maximum(M, maximum(N, 0)), "max(m,n)"),
    ],
)
def test_extremes_are_simplified(d: Dim, text: str) -> None:
    assert str(d) == text


@pytest.mark.parametrize(
    ("op", "a", "b", "answer"),
    [
        ("==", N, N, True),
        ("equal", N, N + 1, False),
        ("<", N, N + 1, True),
        ("<", N, M, None),
        (">=", N, 0, True),
        ("less", N, 0, False),
        ("!=", N + 1, 0, True),
        ("==", 3, 3, True),
        (">", N // 2, N, False),
    ],
)
def test_dim_decide(op: str, a: Dim | int, b: Dim | int, answer: bool | None) -> None:
    assert dim_decide(op, a, b) is answer


def test_slices_of_slices_stay_small() -> None:
    length, made = N, iter(range(1000))
    for i in range(40):
        start, stop, step = [(BIG, SMALL, -1), (1, -1, 2), (1, symbol(f"k{i}"), 1)][i % 3]
        length = slice_length(length, dim(start), dim(stop), step, lambda: symbol(f"?{next(made)}"))
        assert length.weight <= MAX_WEIGHT
