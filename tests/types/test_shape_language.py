"""The shape language: what is printed is read back, and texts outside it are refused where they go wrong."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph_program.extract.types.dims import dim, maximum, symbol
from graph_program.extract.types.notation.shape_language import (
    GRAMMAR,
    ShapeSyntaxError,
    parse_shape,
    parse_signature,
    parse_type,
)
from graph_program.extract.types.notation.terms import (
    Broadcast,
    Computed,
    DTypeVar,
    Floating,
    Promoted,
    Ragged,
    RankVar,
    TypeTerm,
    Weak,
    shape_text,
)

n, m, k = symbol("n"), symbol("m"), symbol("k")
s, r = RankVar("s"), RankVar("r")

SHAPES = [
    ("[]", ()),
    ("[n]", (n,)),
    ("[n, 4]", (n, dim(4))),
    ("[*s, n]", (s, n)),
    ("[*s, n, *r]", (s, n, r)),
    ("[n, *s]", (n, s)),
    ("[2*n + 1, n // 2, max(m, k)]", (2 * n + 1, n // 2, maximum(m, k))),
    ("[(n + 1)*m - 1]", ((n + 1) * m - 1,)),
    ("[*, 3]", (Ragged(), dim(3))),
    ("[*s & *r, m]", (Broadcast(((s,), (r,))), m)),
    ("[*s & [n, 1]]", (Broadcast(((s,), (n, dim(1)))),)),
    ("[*s & [] & *r]", (Broadcast(((s,), (), (r,))),)),
    ("[_, 3]", (symbol("_"), dim(3))),
    ("[*reduce(s, axes, keepdims)]", (Computed("reduce", ("s", "axes", "keepdims")),)),
    ("[rank(s), size(r)]", (symbol("rank(s)"), symbol("size(r)"))),
    ("[n+...]", (n + symbol("..."),)),
    ("s", (s,)),
    ("s @ [m, k]", (s, m, k)),
    ("s @ [m] @ r", (s, m, r)),
    ("[m] @ s @ []", (m, s)),
]


@pytest.mark.parametrize(("text", "shape"), SHAPES)
def test_shapes_are_read(text: str, shape: tuple[object, ...]) -> None:
    assert parse_shape(text) == shape
    assert parse_shape(shape_text(parse_shape(text))) == shape


def test_append_prints_flat() -> None:
    assert shape_text(parse_shape("s @ [m] @ r @ [2]")) == "[*s, m, *r, 2]"


F32 = np.dtype(np.float32)
t, u = DTypeVar("t"), DTypeVar("u")
TYPES = [
    ("float32 [n, 4]", TypeTerm(F32, (n, dim(4)))),
    ("bool []", TypeTerm(np.dtype(bool))),
    ("t [*s, n]", TypeTerm(t, (s, n))),
    ("t | u []", TypeTerm(Promoted((t, u)))),
    ("float(t) [n]", TypeTerm(Floating(t), (n,))),
    ("quotient(t | float) [n]", TypeTerm(Floating(Promoted((t, Weak(float))), wide=True), (n,))),
    ("float []", TypeTerm(Weak(float))),
    ("int32 | int s @ [2]", TypeTerm(Promoted((np.dtype(np.int32), Weak(int))), (s, dim(2)))),
]


@pytest.mark.parametrize(("text", "type_"), TYPES)
def test_types_are_read(text: str, type_: TypeTerm) -> None:
    assert parse_type(text) == type_
    assert parse_type(str(type_)) == type_


SIGNATURES = [
    "matmul: (t [*s, m, k], t [*s, k, n]) -> t [*s, m, n]",
    "t [*s] -> t [*s]",
    "(t [*s, n, *r], t [*s, m, *r], ...) -> t [*s, m+n+..., *r]",
    "nonzero: bool [*s] -> int64 [rank(s), k] where k <= size(s)",
    "exp: t [*s] -> t [*s] where t is float",
    "take: (t [*s, n, *r], int64 [*i]) -> t [*s, *i, *r] where rank(s) = axis",
    "f: () -> (t [], t [n])",
    "g: (t [*_], ...) -> t [*einsum(equation)]",
    "h: t [] -> u [] where t is integer, u is f/i",
]


@pytest.mark.parametrize("text", SIGNATURES)
def test_signatures_are_read_and_printed(text: str) -> None:
    signature = parse_signature(text)
    assert str(signature) == text
    assert parse_signature(str(signature)) == signature


def test_kinds_of_a_variable() -> None:
    (operand,) = parse_signature("exp: t [*s] -> t [*s] where t is float").operands
    assert isinstance(operand.dtype, DTypeVar)
    assert operand.dtype.kinds == frozenset("f")


MALFORMED = [
    (parse_shape, "", "unexpected end", 1),
    (parse_shape, "[n, ", "unexpected end", 5),
    (parse_shape, "[n,, m]", "unexpected ','", 4),
    (parse_shape, "[n 3]", "unexpected '3'", 4),
    (parse_shape, "[n+]", "unexpected ']'", 4),
    (parse_shape, "[n, m))]", "unexpected ')'", 6),
    (parse_shape, "[n//0]", "dimension divided by zero", 3),
    (parse_shape, "n]", "unexpected ']'", 2),
    (parse_shape, "[[n], m]", "a shape in brackets stands here only in a broadcast", 5),
    (parse_shape, "[*s(]", "unexpected ']'", 5),
    (parse_shape, "s @", "unexpected end", 4),
    (parse_type, "float31 [n]", "no such element type: float31", 1),
    (parse_type, "complex32 [n]", "no such element type: complex32", 1),
    (parse_type, "[n]", "unexpected '['", 1),
    (parse_type, "float32", "unexpected end", 8),
    (parse_signature, "t [n]", "unexpected end", 6),
    (parse_signature, "(t [n], ...", "unexpected end", 12),
    (parse_signature, "t [n] -> t [n] where t is banana", "no such kind of element type: banana", 27),
    (parse_signature, "t [n] -> t [n] where n > 2", "unexpected '>'", 24),
]


@pytest.mark.parametrize(("parse", "text", "message", "column"), MALFORMED)
def test_malformed_text_is_refused_at_its_column(parse: object, text: str, message: str, column: int) -> None:
    assert callable(parse)
    with pytest.raises(ShapeSyntaxError) as caught:
        parse(text)
    assert (caught.value.message, caught.value.column) == (message, column)
    assert GRAMMAR in str(caught.value)
    assert isinstance(caught.value, ValueError)


@given(st.text(alphabet="[]()*&@ +-/,ns23_.tfloa|:>=", max_size=20))
def test_any_text_is_read_or_refused(text: str) -> None:
    for parse in (parse_shape, parse_type, parse_signature):
        try:
            parsed = parse(text)
        except ShapeSyntaxError as error:
            assert 1 <= error.column <= len(text) + 1
        else:
            printed = shape_text(parsed) if isinstance(parsed, tuple) else str(parsed)
            assert parse(printed) == parsed
