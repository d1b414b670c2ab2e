"""The constraint solver: Axon's rules and worked examples, promotion, errors."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from graph_program.extract.types.dims import dim, symbol
from graph_program.extract.types.notation.shape_language import parse_type
from graph_program.extract.types.notation.terms import DTypeVar, Floating, RankVar, TypeTerm, Weak, shape_text
from graph_program.extract.types.solving.solver import ConstraintError, Solver
from tests.types.solving import (
    BINARY,
    BOOL,
    CONCAT,
    CONV,
    F32,
    F64,
    I32,
    LAST,
    MATMUL,
    REDUCE,
    TRANSPOSE,
    at,
    broadcast,
    equal,
    found,
    shape,
    solved,
)

# ---------------------------------------------------------------- the rules

RULES = [
    # basic
    (["[n] = [4]"], {"[n]": "[4]"}),
    (["[n] = [m]", "[m] = [4]"], {"[n, m]": "[4, 4]"}),
    (["s = [a, b]"], {"s": "[a, b]"}),
    (["s = r", "r = [3]"], {"s": "[3]"}),
    # reordering
    (["[4] = [n]"], {"[n]": "[4]"}),
    (["[a, b] = s"], {"s": "[a, b]"}),
    # unpacking
    (["[n, 3, m] = [2, k, 5]"], {"[n, k, m]": "[2, 3, 5]"}),
    # empty shapes
    (["s = []"], {"s": "[]"}),
    (["s @ r = []"], {"s": "[]", "r": "[]"}),
    (["s @ [n] @ r = [4]"], {"s": "[]", "r": "[]", "[n]": "[4]"}),
    # append unpacking
    (["s @ [m] = r @ [4]"], {"[m]": "[4]"}),
    (["s @ [m] = s @ [4]"], {"[m]": "[4]"}),
    (["[n] @ s = [2] @ r", "r = [5]"], {"[n] @ s": "[2, 5]"}),
    # append dimensionality
    (["s @ [m] = [2, 3]"], {"s": "[2]", "[m]": "[3]"}),
    (["s @ [2, k] = r @ [7]", "s = [9]"], {"r": "[9, 2]", "[k]": "[7]"}),
    (["[n] @ s @ [m] = [2, 3, 4, 5]"], {"s": "[3, 4]", "[n, m]": "[2, 5]"}),
    (["s @ [n] @ r = [2, 3, 4]", "s = [2]"], {"r": "[4]", "[n]": "[3]"}),
    (["s @ s = [2, n, k, 3]"], {"s": "[2, 3]", "[k, n]": "[2, 3]"}),
    # occurs check
    (["s = s @ r"], {"r": "[]"}),
    (["s = r @ s @ q"], {"r": "[]", "q": "[]"}),
    # arithmetic
    (["[n + 1] = [5]"], {"[n]": "[4]"}),
    (["[2*n] = [2*m]", "[m] = [7]"], {"[n]": "[7]"}),
    (["[n + 1] = [m]", "[n] = [3]"], {"[m]": "[4]"}),
    (["[n + 1] = [m]", "[m] = [3]"], {"[n]": "[2]"}),
    (["[2*n + 3] = [m + 1]"], {"[m]": "[2*n+2]"}),
    (["[n + m] = [7]", "[n - m] = [1]"], {"[n, m]": "[4, 3]"}),
    (["[n*m] = [6]", "[n] = [2]"], {"[m]": "[3]"}),
    (["[n//2] = [4]", "[n] = [9]"], {"[n]": "[9]"}),
    (["[max(0, n - 2)] = [5]"], {"[n]": "[7]"}),
    (["[min(9, n)] = [5]"], {"[n]": "[5]"}),
    (["[(n + 1)*m] = [(n + 1)*k]", "[k] = [3]"], {"[m]": "[3]"}),
    # simplification
    (["[n + n] = [2*m]", "[m] = [5]"], {"[n]": "[5]"}),
    (["[2*(n + 1)] = [8]"], {"[n]": "[3]"}),
]


@pytest.mark.parametrize(("equations", "facts"), RULES)
def test_rules(equations: list[str], facts: dict[str, str]) -> None:
    for order in itertools.permutations(equations):
        solver = solved(*order)
        for term, value in facts.items():
            assert shape_text(solver.resolve(shape(term))) == value


CONTRADICTIONS = [
    ["[3] = [4]"],
    ["[n] = [3]", "[n] = [4]"],
    ["[n, m] = [3]"],
    ["s @ [n] = []"],
    ["s = s @ [n]"],
    ["s = [n] @ s"],
    ["s = r @ [n]", "r = s"],
    ["s = r @ [n]", "r = q @ [m]", "q = s"],
    ["s @ [a, b] = [n]"],
    ["s @ s = [1, 2, 3]"],
    ["s @ s = [1, 2]"],
    ["[n + 1] = [n]"],
    ["[n + 3] = [2]"],
    ["[2*n] = [5]"],
    ["[2*n + 4*m] = [7]"],
    ["[n//2] = [4]", "[n] = [5]"],
    ["[n*m] = [6]", "[n] = [4]"],
    ["[n - 1] = [m]", "[n] = [0]"],
    ["s = [0 - 1]"],
    ["[n] = [0 - 1]"],
    ["[n + 1] = [m]", "[m] = [0]"],
    ["s @ [n] @ r = [2, 3]", "s = [2, 3]"],
    ["s @ [n] @ r = [2]", "s = [2]"],
]


@pytest.mark.parametrize("equations", CONTRADICTIONS)
def test_contradictions(equations: list[str]) -> None:
    for order in itertools.permutations(equations):
        with pytest.raises(ConstraintError):
            solved(*order)


def test_user_names_are_kept() -> None:
    solver = Solver()
    d, s = solver.fresh_dim(), solver.fresh_rank()
    solver.equal_dims(symbol("batch"), d, at())
    solver.equal_shapes((s,), (RankVar("lead"),), at())
    assert shape_text(solver.resolve((s, d))) == "[*lead, batch]"


def test_append_of_two_variable_parts_waits() -> None:
    solver = solved("s @ [n] @ r = [2, 3, 4]")
    assert [text for text, _ in solver.pending()] == ["[*s, n, *r] = [2, 3, 4]"]
    equal(solver, "r = [3, 4]")
    assert found(solver, "s @ [n]") == "[2]"
    assert not list(solver.pending())


def test_solution_is_a_size() -> None:
    solver = Solver()
    a, b = solver.fresh_dim(), solver.fresh_dim()
    solver.equal_dims(a + 5, b, at())
    with pytest.raises(ConstraintError):
        solver.equal_dims(b, dim(4), at())
    solver.equal_dims(b, dim(5), at())
    assert solver.resolve(a) == dim(0)


# ---------------------------------------------------------------- Axon's examples


def test_axon_basic_symbolic_constraints() -> None:
    solver = Solver()
    x, w, b = solver.fresh_type(), parse_type("float32 [784, h]"), solver.fresh_type()
    (y,) = solver.apply(MATMUL, [x, w], at("x @ w"))
    (z,) = solver.apply(BINARY, [y, b], at("y + b"))
    solver.equal_types(z, parse_type("float32 [n, h]"), at("result"))
    shown = solver.principal([x, w, z])
    assert str(shown) == "float32 [n, 784], float32 [784, h], float32 [n, h]"


def test_axon_arithmetic_convolution() -> None:
    """An input of unknown shape through an 8x8 convolution."""
    solver = Solver()
    x, w = solver.fresh_type("x"), solver.fresh_type("w")
    solver.equal_shapes(w.shape, shape("[k, c, 8, 8]"), at("w"))
    (y,) = solver.apply(CONV, [x, w], at("conv(x, w)"))
    solver.equal_types(y, parse_type("float32 [4, 8, 1024, 256]"), at("result"))
    assert [shape_text(t.shape) for t in solver.principal([x, w]).types] == ["[4, c, 1031, 263]", "[8, c, 8, 8]"]


def softmax(solver: Solver, x: TypeTerm) -> TypeTerm:
    (top,) = solver.apply(REDUCE, [x], at("max"), LAST)
    (moved,) = solver.apply(BINARY, [x, top], at("x - max"))
    e = TypeTerm(Floating(moved.dtype), moved.shape)
    (total,) = solver.apply(REDUCE, [e], at("sum"), LAST)
    (y,) = solver.apply(BINARY, [e, total], at("e / total"))
    return y


def test_axon_discovering_inputs() -> None:
    """The larger of a scalar and an unknown."""
    solver = Solver()
    b = solver.fresh_type("b")
    (y,) = solver.apply(BINARY, [parse_type("float32 []"), b], at("max(a, b)"))
    principal = solver.principal([b, y])
    assert str(principal) == "float32 [*s], float32 [*s]"
    assert principal.defaulted == ()


def test_axon_partial_softmax() -> None:
    solver = Solver()
    x = solver.fresh_type()
    y = softmax(solver, x)
    assert str(solver.principal([x, y])) == "t [*s, a], t [*s, a]"
    solver.equal_shapes(x.shape, shape("[*s, n]"), at())
    assert str(solver.principal([x, y])) == "t [*s, n], t [*s, n]"
    assert solver.principal([x, y]).defaulted == ()


def test_axon_attention() -> None:
    solver = Solver()
    q, k, v = (solver.fresh_type(name) for name in "qkv")
    (kt,) = solver.apply(TRANSPOSE, [k], at("k.T"))
    (scores,) = solver.apply(MATMUL, [q, kt], at("q @ k.T"))
    for x in (q, v):
        solver.equal_shapes(x.shape, (solver.fresh_dim(), solver.fresh_dim()), at("matrix"))
    (result,) = solver.apply(MATMUL, [softmax(solver, scores), v], at("softmax(scores) @ v"))
    assert str(solver.principal([q, k, v, result])) == "t [a, b], t [c, b], t [c, d], t [a, d]"


def test_matmul_and_sum_read_as_equal_shapes() -> None:
    solver = Solver()
    x, y = solver.fresh_type("x"), solver.fresh_type("y")
    (z,) = solver.apply(BINARY, [x, y], at("x + y"))
    principal = solver.principal([x, y, z])
    assert str(principal) == "t [*s], t [*s], t [*s]"
    assert {v.name for v in principal.defaulted} == {v.name for t in (x, y) for v in t.shape if isinstance(v, RankVar)}
    assert len(list(solver.pending())) == 2  # the defaults are only shown


# ---------------------------------------------------------------- element types


def test_promotion_of_known_types() -> None:
    solver = Solver()
    assert solver.promote([F32, F64], at()) == F64
    assert solver.promote([I32, F32], at()) == F64
    assert solver.promote([F32, Weak(float)], at()) == F32
    assert solver.promote([I32, Weak(float)], at()) == F64
    assert solver.promote([Weak(int), Weak(float)], at()) == Weak(float)
    assert solver.resolve(solver.promote([Floating(I32), F32], at())) == F64


def test_promotion_is_decided_when_it_can_be() -> None:
    solver = Solver()
    t = solver.fresh_dtype()
    assert solver.resolve(solver.promote([t, F64], at())) == F64
    result = solver.promote([t, F32], at())
    assert isinstance(solver.resolve(result), DTypeVar)
    solver.equal_dtypes(t, np.dtype(np.int8), at())
    assert solver.resolve(result) == F32


def test_promotion_says_what_operands_can_be() -> None:
    solver = Solver()
    t, u = solver.fresh_dtype(), solver.fresh_dtype()
    solver.equal_dtypes(solver.promote([t, u], at()), BOOL, at())
    assert (solver.resolve(t), solver.resolve(u)) == (BOOL, BOOL)
    v = solver.fresh_dtype()
    solver.equal_dtypes(solver.promote([v, Weak(float)], at()), F32, at())
    assert solver.resolve(v) == F32


def test_kinds() -> None:
    solver = Solver()
    t, u = solver.fresh_dtype("t", frozenset("f")), solver.fresh_dtype("u", frozenset("iuf"))
    with pytest.raises(ConstraintError):
        solver.equal_dtypes(t, I32, at())
    solver.equal_dtypes(t, u, at())
    resolved = solver.resolve(u)
    assert isinstance(resolved, DTypeVar)
    assert resolved.kinds == frozenset("f")


def test_float_of() -> None:
    solver = Solver()
    t = solver.fresh_dtype()
    solver.equal_dtypes(Floating(t), F32, at())
    assert isinstance(solver.resolve(t), DTypeVar)
    solver.equal_dtypes(t, np.dtype(np.int16), at())
    assert solver.resolve(Floating(np.dtype(np.int8))) == Floating(np.dtype(np.int8))
    result = solver.promote([Floating(np.dtype(np.int8), wide=True)], at())
    assert result == F64


# ---------------------------------------------------------------- signatures


def test_concatenate_adds() -> None:
    solver = Solver()
    operands = [parse_type(f"float32 [a, {d}]") for d in ("n", "3", "m")]
    (y,) = solver.apply(CONCAT, operands, at(), {"axis": 1})
    assert shape_text(solver.resolve(y).shape) == "[a, m+n+3]"
    (y,) = solver.apply(CONCAT, operands[:1], at(), {"axis": 1})
    assert shape_text(solver.resolve(y).shape) == "[a, n]"
    with pytest.raises(ConstraintError):
        solver.apply(CONCAT, [parse_type("t [2, 3]"), parse_type("t [3, 3]")], at(), {"axis": 1})


def test_number_of_operands() -> None:
    with pytest.raises(ConstraintError, match="takes 2 operands"):
        Solver().apply(MATMUL, [parse_type("t [n]")], at())


def test_reductions_of_open_rank() -> None:
    solver = Solver()
    x = solver.fresh_type()
    (last,) = solver.apply(REDUCE, [x], at(), {"axes": (-1,), "keepdims": False})
    (first,) = solver.apply(REDUCE, [x], at(), {"axes": (0,), "keepdims": False})
    (both,) = solver.apply(REDUCE, [x], at(), {"axes": (0, -1), "keepdims": False})
    (every,) = solver.apply(REDUCE, [x], at(), {"axes": None, "keepdims": True})
    solver.equal_shapes(x.shape, shape("[a, b, c]"), at())
    shapes = [shape_text(solver.resolve(t).shape) for t in (last, first, both, every)]
    assert shapes == ["[a, b]", "[b, c]", "[b]", "[1, 1, 1]"]
    with pytest.raises(ConstraintError, match="out of bounds"):
        solver.apply(REDUCE, [x], at(), {"axes": (3,), "keepdims": False})


# ---------------------------------------------------------------- errors and trials


def test_both_places_are_named() -> None:
    solver = Solver()
    x = solver.fresh_type("x")
    first, second = at("x annotated"), at("x + y")
    solver.equal_types(x, parse_type("float32 [n, 3]"), first)
    with pytest.raises(ConstraintError) as caught:
        solver.equal_shapes(x.shape, shape("[n, 4]"), second)
    assert (caught.value.first, caught.value.second) == (second, first)
    assert "3 is not 4" in caught.value.message


def test_both_places_of_ranks_dims_and_element_types() -> None:
    cases = [("float32 [n]", "float32 [n, m]"), ("float32 [3]", "float32 [4]"), ("float32 [3]", "int32 [3]")]
    for one, another in cases:
        solver = Solver()
        x, y = solver.fresh_type("x"), solver.fresh_type("y")
        origins = [at("one"), at("x is y"), at("another")]
        solver.equal_types(x, parse_type(one), origins[0])
        solver.equal_types(x, y, origins[1])
        with pytest.raises(ConstraintError) as caught:
            solver.equal_types(y, parse_type(another), origins[2])
        assert caught.value.first == origins[2]
        assert caught.value.second in origins[:2]


def test_a_broadcast_names_where_an_operand_got_its_size() -> None:
    solver = Solver()
    sizes, sums = [at("x: [3]"), at("y: [4]")], at("x + y")
    broadcast_result = solver.broadcast([shape("[n]"), shape("[m]")], sums)
    assert broadcast_result
    solver.equal_dims(symbol("n"), dim(3), sizes[0])
    with pytest.raises(ConstraintError, match="3 and 4") as caught:
        solver.equal_dims(symbol("m"), dim(4), sizes[1])
    assert caught.value.first == sums
    assert caught.value.second in sizes


def test_resolved_shapes_remember_where_they_come_from() -> None:
    solver = Solver()
    x = solver.fresh_type("x")
    annotated = at("x annotated")
    solver.equal_types(x, parse_type("float32 [n, 3]"), annotated)
    known = solver.resolve(x)
    assert known == parse_type("float32 [n, 3]")
    for a, b in ((known.shape, "[n, 4]"), (known.shape[1:], "[4]"), (known.shape[:1], "[2, 2]")):
        with pytest.raises(ConstraintError) as caught:
            solver.equal_shapes(a, shape(b), at())
        assert caught.value.second == (annotated if b != "[2, 2]" else None)
    with pytest.raises(ConstraintError) as caught:
        solver.broadcast([known.shape, shape("[4]")], at())
    assert caught.value.second == annotated


def test_messages_have_readable_names() -> None:
    solver = Solver()
    x, y = solver.fresh_type("x"), solver.fresh_type("y")
    d, e = solver.fresh_dim(), solver.fresh_dim()
    solver.equal_shapes(x.shape, (d, e), at())
    with pytest.raises(ConstraintError) as caught:
        solver.equal_shapes(x.shape, (*y.shape, symbol("d"), d, e), at())
    assert caught.value.message == "[d1, d2] and [d, d1, d2] have different ranks"
    solver.broadcast([(d,), (e,)], at())
    assert [text for text, _ in solver.pending()] == ["d = d1 & d2"]


def test_what_failed_leaves_no_trace() -> None:
    solver = Solver()
    x = solver.fresh_type("x")
    solver.equal_shapes(x.shape, shape("[*s, 3]"), at())
    before = solver.resolve(x)
    with pytest.raises(ConstraintError):
        solver.equal_shapes((*x.shape, dim(7)), shape("[n, 4, 7]"), at())
    assert solver.resolve(x) == before
    assert solver.resolve(symbol("n")) == symbol("n")


def test_trials() -> None:
    solver = Solver()
    with solver.trial() as good:
        equal(solver, "[n] = [3]")
    assert good.succeeded
    with solver.trial() as bad:
        equal(solver, "[m] = [5]", "[n] = [4]")
    assert not bad.succeeded
    assert bad.error is not None
    assert shape_text(solver.resolve(shape("[n, m]"))) == "[3, m]"
    with solver.trial() as outer:
        equal(solver, "[m] = [5]")
        with solver.trial() as inner:
            equal(solver, "[m] = [6]")
        assert not inner
    assert outer
    assert solver.resolve(symbol("m")) == dim(5)


def test_other_errors_undo_too() -> None:
    solver = Solver()
    with pytest.raises(KeyError), solver.trial():
        equal(solver, "[n] = [3]")
        raise KeyError
    assert solver.resolve(symbol("n")) == symbol("n")


def test_trials_undo_relations() -> None:
    solver = Solver()
    broadcast(solver, "[n]", "[m]")
    count = len(list(solver.pending()))
    with solver.trial() as trial:
        broadcast(solver, "[n]", "[k]")
        equal(solver, "[n] = [2]", "[n] = [3]")
    assert not trial
    assert len(list(solver.pending())) == count
    equal(solver, "[n] = [1]")
    assert not list(solver.pending())
