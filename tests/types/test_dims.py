"""Symbolic dims: normal form, and what is claimed for all sizes holds for every size tried."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graph_program.extract.types.dims import (
    MAX_WEIGHT,
    Dim,
    broadcast_sizes,
    dim,
    exact_quotient,
    maximum,
    minimum,
    never_one,
    provably_different,
    provably_equal,
    provably_less_equal,
    symbol,
)
from graph_program.extract.types.dims.parsing import DimSyntaxError, parse_dim
from graph_program.extract.types.tensors.shape_arithmetic import dim_decide, slice_length

N, M, K = symbol("n"), symbol("m"), symbol("k")
BIG, SMALL = 2**63 - 1, -(2**63)
SIZES = [dict(zip("nmk", sizes, strict=True)) for sizes in itertools.product((0, 1, 2, 3, 7), repeat=3)]
COMPARISONS: dict[str, Callable[[int, int], bool]] = {
    "==": int.__eq__,
    "!=": int.__ne__,
    "<": int.__lt__,
    "<=": int.__le__,
    ">": int.__gt__,
    ">=": int.__ge__,
}

# ---------------------------------------------------------------- random expressions


@dataclass(frozen=True)
class Tree:
    """An expression as it was written: the oracle of the normal form."""

    op: str
    args: tuple[Any, ...]

    def dim(self) -> Dim:
        if self.op == "leaf":
            return symbol(self.args[0]) if isinstance(self.args[0], str) else dim(self.args[0])
        return APPLY[self.op][0](*(a.dim() for a in self.args))

    def value(self, sizes: Mapping[str, int]) -> int:
        if self.op == "leaf":
            return sizes[self.args[0]] if isinstance(self.args[0], str) else self.args[0]
        return APPLY[self.op][1](*(a.value(sizes) for a in self.args))


APPLY: dict[str, tuple[Callable[..., Dim], Callable[..., int]]] = {
    "+": (lambda a, b: a + b, lambda a, b: a + b),
    "-": (lambda a, b: a - b, lambda a, b: a - b),
    "*": (lambda a, b: a * b, lambda a, b: a * b),
    "//": (lambda a, b: a // b, lambda a, b: a // b),
    "%": (lambda a, b: a % b, lambda a, b: a % b),
    "max": (maximum, max),
    "min": (minimum, min),
    "&": (lambda a, b: a & b, lambda a, b: broadcast_sizes((a, b))),
}


def leaf(value: str | int) -> Tree:
    return Tree("leaf", (value,))


def combined(children: st.SearchStrategy[Tree]) -> st.SearchStrategy[Tree]:
    free = st.builds(
        lambda op, a, b: Tree(op, (a, b)), st.sampled_from(["+", "-", "+", "-", "max", "min"]), children, children
    )
    divided = st.builds(
        lambda op, a, k: Tree(op, (a, leaf(k))), st.sampled_from(["//", "%", "*"]), children, st.integers(1, 4)
    )
    rare = st.builds(lambda op, a, b: Tree(op, (a, b)), st.sampled_from(["*", "//", "%", "&"]), children, children)
    return st.one_of(free, divided, divided, free, rare)


TREES = st.recursive(st.sampled_from("nmk").map(leaf) | st.integers(-3, 4).map(leaf), combined, max_leaves=8)


def made(tree: Tree) -> Dim | None:
    """The dim; None for an expression that fails for all sizes."""
    try:
        return tree.dim()
    except (ZeroDivisionError, ValueError):
        return None


def value(tree: Tree, sizes: Mapping[str, int]) -> int | None:
    """The value; None where Python fails, or a size is broadcast that is negative (there is none)."""
    try:
        return tree.value(sizes)
    except (ZeroDivisionError, ValueError):
        return None


@settings(max_examples=500)
@given(TREES)
def test_the_normal_form_has_the_value_of_the_expression(tree: Tree) -> None:
    d = made(tree)
    for sizes in SIZES:
        expected = value(tree, sizes)
        if expected is not None:
            assert d is not None
            assert d.evaluate(sizes) == expected
            assert d.lower is None or d.lower <= expected
            assert d.upper is None or d.upper >= expected


@settings(max_examples=300)
@given(TREES)
def test_text_is_read_back(tree: Tree) -> None:
    d = made(tree)
    if d is not None:
        assert parse_dim(str(d)) == d, str(d)


@settings(max_examples=400)
@given(TREES, TREES)
def test_claims_hold_for_every_size(a: Tree, b: Tree) -> None:
    x, y = made(a), made(b)
    if x is None or y is None:
        return
    pairs = [(value(a, s), value(b, s)) for s in SIZES]
    known = [(p, q) for p, q in pairs if p is not None and q is not None]
    assert not provably_less_equal(x, y) or all(p <= q for p, q in known)
    assert not provably_different(x, y) or all(p != q for p, q in known)
    assert not provably_equal(x, y) or all(p == q for p, q in known)
    assert not never_one(x) or all(p != 1 for p, _ in known)
    for op, compare in COMPARISONS.items():
        answer = dim_decide(op, x, y)
        assert answer is None or all(compare(p, q) is answer for p, q in known)


@settings(max_examples=200)
@given(TREES, TREES)
def test_substitution_is_evaluation_of_the_parts(tree: Tree, inner: Tree) -> None:
    d, part = made(tree), made(inner)
    if d is None or part is None:
        return
    try:
        replaced = d.substitute({"n": part})
    except (ZeroDivisionError, ValueError):
        return
    for sizes in SIZES:
        n = value(inner, sizes)
        expected = None if n is None or n < 0 else value(tree, {**sizes, "n": n})
        assert expected is None or replaced.evaluate(sizes) == expected


@settings(max_examples=200)
@given(TREES, TREES)
def test_exact_quotient_undoes_the_product(a: Tree, b: Tree) -> None:
    x, y = made(a), made(b)
    if x is None or y is None:
        return
    if y.terms and "//" not in x.key + y.key:
        assert exact_quotient(x * y, y) == x
    quotient = exact_quotient(x, y)
    assert quotient is None or quotient * y == x


# ---------------------------------------------------------------- equal expressions are equal objects


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("max(0,n-1)+min(1,n)", "n"),
        ("max(n,m)+min(n,m)", "m+n"),
        ("max(n,m)", "max(m,n)"),
        ("min(n,max(m,n))", "n"),
        ("max(0,n-m)", "n-min(n,m)"),
        ("max(0,2-n)", "2-min(2,n)"),
        ("max(0,2*n-4)", "2*max(0,n-2)"),
        ("max(0,m*n-m)", "m*max(0,n-1)"),
        ("max(n,max(m,k))", "max(max(k,n),m)"),
        ("max(0,max(0,n-2)-1)", "max(0,n-3)"),
        ("min(n,max(0,n-2))", "max(0,n-2)"),
        ("min(n,n//2)", "n//2"),
        ("(2*n)//2", "n"),
        ("(2*n+1)//2", "n"),
        ("(2*n+1)//4", "n//2"),
        ("(n+4)//2", "n//2+2"),
        ("(3*n)//2", "n+n//2"),
        ("(-n)//2", "-((n+1)//2)"),
        ("n//-2", "(-n)//2"),
        ("-(-n//4)", "(n+3)//4"),
        ("n-(3*n)//4", "(n+3)//4"),
        ("(k-n)//3", "-((n-k+2)//3)"),
        ("(n//2)//3", "n//6"),
        ("(n//2+1)//3", "(n+2)//6"),
        ("(n//m)//3", "n//(3*m)"),
        ("(n//2)//m", "n//(2*m)"),
        ("n//n", "1"),
        ("(m*n)//m", "n"),
        ("(m*n+k)//m", "n+k//m"),
        ("(2*m*n)//(2*m*k)", "n//k"),
        ("n//2+(n+1)//2", "n"),
        ("n-n//2", "(n+1)//2"),
        ("n//3+(n+1)//3+(n+2)//3", "n"),
        ("(n+m)//2+(n+m+1)//2", "m+n"),
        ("n%2+2*(n//2)", "n"),
        ("(n%4)//4", "0"),
        ("(n+4)%2", "n%2"),
        ("(max(0,n-2)+1)//2", "max(0,(n-1)//2)"),
        ("min(n,4)//2", "min(n//2,2)"),
        ("n//(n+1)", "0"),
        ("n&n", "n"),
        ("n&1", "n"),
        ("n&m", "m&n"),
        ("n&(m&k)", "(k&n)&m"),
        ("n&3&3", "3"),
        ("(n&m)&m", "n&m"),
        ("max(0,n&m)", "m&n"),
        ("n&(m+2)", "m+2"),
    ],
)
def test_equal_expressions_are_equal_objects(a: str, b: str) -> None:
    assert parse_dim(a) == parse_dim(b)
    assert hash(parse_dim(a)) == hash(parse_dim(b))


@pytest.mark.parametrize("k", [3, 4, 5, 6, 7])
@pytest.mark.parametrize(
    "text",
    [
        "5*((n+2)//3)+1-3*(n//3)",
        "3*((n+2)//3)+2-3*n-(n+1)//3",
        "2*n+2*((n+2)//3)+2-2*((n+1)//3)",
        "3*((n+1)//3)-5*m-3*n-n//3-1",
        "m%2+4*m+n//2+1-(m+n)//2-4*((n+1)//2)",
    ],
)
def test_sums_that_hermite_writes_with_others_are_divided(text: str, k: int) -> None:
    d = parse_dim(text)
    for sizes in SIZES:
        assert (d // k).evaluate(sizes) == d.evaluate(sizes) // k


@pytest.mark.parametrize(
    "text",
    [
        "0",
        "-3",
        "n",
        "n+1",
        "2*n-3",
        "2-n",
        "m*n+m+n",
        "max(0,n-2)",
        "max(0,2-n)",
        "min(1,n)",
        "2*min(3,n)",
        "max(m,n)",
        "min(k,m,n)",
        "max(0,m-3,n-3)",
        "min(1,m)+min(1,n)",
        "max(0,min(m,n)-1)",
        "n*min(1,m)",
        "max(0,m-2)+n",
        "n//2",
        "n//2+1",
        "(n+1)//2",
        "(n-1)//2",
        "(n-k)//2",
        "(n-k)//3",
        "(k-n)//3",
        "(n+3)//4",
        "(m+n)//4",
        "m*(n//2)",
        "-(n//2)",
        "m-n//2",
        "(m*n)//k",
        "n//(m+1)",
        "max(0,(n-1)//2)",
        "n%2",
        "n%3",
        "1-n%2",
        "m&n",
        "(m&n)+1",
        "2*(m&n)",
        "m&(n+1)",
        "max(0,(m&n)-2)",
        "k&m&n",
        "?1+p.w_0",
    ],
)
def test_dims_print_short(text: str) -> None:
    assert str(parse_dim(text)) == text


@pytest.mark.parametrize(
    ("text", "position"),
    [("", 0), ("n+", 2), ("(n", 2), ("n $", 2), ("max n", 4), ("n m", 2), ("n//0", 1), ("3&4", 1), ("(" * 99, 51)],
)
def test_malformed_texts_are_refused_where_they_go_wrong(text: str, position: int) -> None:
    with pytest.raises(DimSyntaxError) as caught:
        parse_dim(text)
    assert caught.value.position == position


@settings(max_examples=300)
@given(st.text(alphabet="nm0123 +-*/%&(),max", max_size=12))
def test_parsing_ends_in_a_dim_or_a_syntax_error(text: str) -> None:
    try:
        parse_dim(text)
    except DimSyntaxError as error:
        assert 0 <= error.position <= len(text)


# ---------------------------------------------------------------- what is provable


@pytest.mark.parametrize(
    ("op", "a", "b", "answer"),
    [
        ("==", "n", "n", True),
        ("equal", "n", "n+1", False),
        ("<", "n", "n+1", True),
        ("<", "n", "m", None),
        (">=", "n", "0", True),
        ("less", "n", "0", False),
        ("!=", "n+1", "0", True),
        ("==", "3", "3", True),
        (">", "n//2", "n", False),
        ("<=", "n//3", "n//2", True),
        ("<=", "min(m,n)", "m", True),
        ("<=", "m*min(1,n)", "m*n", True),
        ("<=", "m*(n//2)", "m*n", True),
        ("<", "n%3", "3", True),
        (">=", "(n+1)//2", "n//2", True),
        ("==", "2*n", "2*m+1", False),
        (">=", "m&n", "0", True),
        (">=", "(m+1)&n", "n", True),
        (">=", "m&n", "n", None),
        ("<=", "m&n", "max(m,n)", True),
        (">=", "m&n", "min(m,n)", True),
        ("<=", "max(0,n-2)", "max(0,n-1)", True),
    ],
)
def test_dim_decide(op: str, a: str, b: str, answer: bool | None) -> None:
    assert dim_decide(op, parse_dim(a), parse_dim(b)) is answer


def test_a_symbol_with_an_upper_bound() -> None:
    count = symbol("c", upper=N)
    assert provably_less_equal(count, N)
    assert not provably_less_equal(symbol("c"), N)
    assert not provably_less_equal(count, N - 1)
    assert provably_less_equal(M * count, M * N)
    assert provably_less_equal(count // 2, N)
    assert maximum(count, N) == N
    assert minimum(count, N) == count
    assert symbol("c", upper=dim(4)).upper == 4
    # What bounds it is replaced with it.
    assert provably_less_equal(count.substitute({"n": M + 1}), M + 1)


def test_long_chains_of_upper_bounds() -> None:
    highest = N
    for i in range(60):
        highest = symbol(f"c{i}", upper=highest + symbol(f"k{i}", upper=highest))
    assert highest.substitute({"n": dim(4)}).reach == highest.reach - {"n"}
    assert provably_less_equal(symbol("c", upper=symbol("b", upper=N)).substitute({"n": M}), M)


def test_terminates_on_large_expressions() -> None:
    rng = random.Random(7)
    d = N
    for i in range(300):
        other = rng.choice([N, M, K, dim(rng.randrange(5))])
        op = rng.choice(["+", "-", "max", "min", "//", "%", "*", "&"])
        try:
            d = APPLY[op][0](d, symbol(f"s{i}") if rng.random() < 0.2 else other)
        except (ZeroDivisionError, ValueError):
            continue
        assert isinstance(provably_less_equal(d, N), bool)
        assert str(d)
        if d.weight > 3 * MAX_WEIGHT:
            d = symbol(f"d{i}")


# ---------------------------------------------------------------- slices


def test_slices_of_slices_stay_small() -> None:
    length, fresh = N, iter(range(1000))
    for i in range(40):
        start, stop, step = [(BIG, SMALL, -1), (1, -1, 2), (1, symbol(f"k{i}"), 1)][i % 3]
        length = slice_length(length, dim(start), dim(stop), step, lambda: symbol(f"?{next(fresh)}"))
        assert length.weight <= MAX_WEIGHT
