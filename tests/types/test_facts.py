"""Facts about dims, and what the rule of each family requires of sizes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from graph_program.extract.types.dims import Dim, dim, symbol
from graph_program.extract.types.rules.facts import Condition, Facts, Requirement, broadcastable, condition, equal
from graph_program.extract.types.rules.type_rules import infer
from graph_program.extract.types.tensors.tensor_type import BOOL, FLOAT64, INT64, TensorType

a, b, c, d, n, m, k = map(symbol, "abcdnmk")
ORDER = {name: i for i, name in enumerate("abcdnmk")}


def of(*dims: Dim | int, dtype: Any = FLOAT64) -> TensorType:
    return TensorType(np.dtype(dtype), tuple(map(dim, dims)))


def required(op: str, *operands: TensorType, sizes: Any = (), **attrs: Any) -> list[Requirement]:
    found: list[Requirement] = []
    infer(op, operands, attrs, sizes, requirements=found)
    return found


def text(requirement: Requirement) -> str:
    clauses = ", ".join(" or ".join(map(str, clause)) for clause in requirement.clauses)
    return f"{clauses}: {''.join(map(str, requirement.message))}"


# ---------------------------------------------------------------- facts


def test_equal_symbols_have_the_name_that_comes_first() -> None:
    facts = Facts(order=ORDER).learn(equal(c, b)).learn(equal(d + 1, c))
    assert (facts.resolve(c), facts.resolve(b)) == (d + 1, d + 1) or facts.resolve(c) == b
    assert facts.decide("==", c, b) is True
    assert facts.decide("<", d, b) is True
    assert facts.decide("==", a, b) is None


def test_the_newest_symbol_is_the_one_that_goes() -> None:
    facts = Facts(order=ORDER).learn(equal(symbol("d12"), n)).learn(equal(m, n))
    assert facts.resolve(symbol("d12")) == n
    assert facts.resolve(m) == n
    assert facts.resolve(n) == n


def test_bounds() -> None:
    facts = Facts().learn((condition(">", n, 1),)).learn((condition("!=", m, 1),))
    assert facts.decide(">=", n, 1) is True
    assert facts.decide("==", n, 1) is False
    assert facts.decide("<", n + m, 2) is False
    assert facts.decide("==", m, 1) is False
    assert facts.decide("==", m, 0) is None


def test_clauses_are_known_again_and_narrowed() -> None:
    clause = broadcastable(n, m)
    facts = Facts(order=ORDER).learn(clause)
    assert facts.open_part(broadcastable(m, n)) is None
    narrowed = facts.learn((condition(">", n, 1),)).learn((condition("!=", m, 1),))
    assert narrowed.decide("==", n, m) is True


def test_a_clause_that_cannot_hold_is_empty() -> None:
    facts = Facts().learn((condition(">", n, 1),)).learn((condition("<", m, 1),))
    assert facts.open_part((Condition("==", n, m), Condition("==", n, dim(1)))) == ()


def test_joined_paths_keep_what_both_know() -> None:
    one = Facts(order=ORDER).learn(equal(b, c)).learn((condition(">", n, 2),))
    two = Facts(order=ORDER).learn(equal(c, b)).learn(equal(n, 5)).learn(equal(m, k))
    both = one.meet(two)
    assert both.decide("==", b, c) is True
    assert both.decide(">", n, 2) is True
    assert both.decide("==", m, k) is None
    assert both.decide("==", n, 5) is None


@pytest.mark.parametrize("op", ["==", "!=", "<", "<=", ">", ">="])
def test_decisions_hold_for_all_sizes_that_the_facts_allow(op: str) -> None:
    facts = Facts().learn((condition("<=", 2, n),)).learn(equal(m, n + 1)).learn((condition("!=", k, 1),))
    for left in (n, m, k, n - m, n + k):
        for right in (dim(0), dim(1), n, m, k, 2 * n):
            found = facts.decide(op, left, right)
            truths = {
                eval(f"x {op} y", {"x": left.evaluate(sizes), "y": right.evaluate(sizes)})
                for size in range(2, 6)
                for other in (0, 2, 3, 7)
                for sizes in [{"n": size, "m": size + 1, "k": other}]
            }
            assert found is None or truths == {found}


# ---------------------------------------------------------------- requirements


def test_decided_shapes_require_nothing() -> None:
    assert not required("add", of(n, 3), of(n, 3))
    assert not required("add", of(n, 3), of(1, 3))
    assert not required("matmul", of(n, k), of(k, m))
    assert not required("reshape", of(n, 4), of(dtype=INT64), of(dtype=INT64), sizes=(None, 2 * n, dim(2)))
    assert not required("max", of(n, 3), axes=(1,), keepdims=False)


def test_elementwise() -> None:
    (found,) = required("add", of(n, k), of(m, k))
    expected = "n == m or n == 1 or m == 1: operands could not be broadcast together with shapes (n,k) (m,k) "
    assert text(found) == expected
    (found,) = required("where", of(n, dtype=BOOL), of(3), of(m))
    assert len(found.clauses) == 3


def test_matmul() -> None:
    (found,) = required("matmul", of(a, b), of(c, d))
    assert text(found).startswith("c == b: matmul: Input operand 1 has a mismatch in its core dimension 0")
    assert text(found).endswith("(size c is different from b)")
    found, _ = required("matmul", of(n, a, b), of(m, c, d))
    assert len(required("matmul", of(n, a, b), of(m, b, d))) == 1


def test_einsum() -> None:
    (found,) = required("einsum", of(a, b), of(c, d), equation="ij,jk->ik")
    assert text(found).startswith("b == c or b == 1 or c == 1: ")
    assert "(a,b)->(a,newaxis,b) (c,d)->(d,c) " in text(found)


def test_concatenate() -> None:
    found = required("concatenate", of(n, a), of(m, b), of(k, a), axis=0)
    assert [str(r.clauses[0][0]) for r in found] == ["a == b"]
    assert text(found[0]).endswith(
        "along dimension 1, the array at index 0 has size a and the array at index 1 has size b"
    )


def test_reshape() -> None:
    (found,) = required("reshape", of(n), of(dtype=INT64), of(dtype=INT64), sizes=(None, m, dim(2)))
    assert text(found) == "n == 2*m: cannot reshape array of size n into shape (m,2)"
    (found,) = required("reshape", of(n), of(dtype=INT64), of(dtype=INT64), sizes=(None, dim(-1), m))
    assert str(found.clauses[0][0]) == "1 <= m"
    assert "".join(map(str, found.message)).endswith("into shape (m)")


def test_squeeze_and_reductions() -> None:
    (found,) = required("squeeze", of(n, 1), axes=(0, 1))
    assert text(found).startswith("n == 1: cannot select an axis to squeeze out")
    (found,) = required("min", of(n, m), axes=(0, 1), keepdims=False)
    assert text(found) == "1 <= n, 1 <= m: zero-size array to reduction operation minimum which has no identity"
    (found,) = required("argmax", of(n, m), axis=1, keepdims=False)
    assert text(found) == "1 <= m: attempt to get argmax of an empty sequence"


def test_creation() -> None:
    (found,) = required("full", of(), of(dtype=INT64), sizes=(None, n - 2))
    assert text(found) == "0 <= n-2: negative dimensions are not allowed"
    (found,) = required("broadcast_to", of(n), of(dtype=INT64), of(dtype=INT64), sizes=(None, dim(2), m))
    assert text(found).startswith("n == m or n == 1: operands could not be broadcast together with remapped shapes")


def test_writing() -> None:
    bounds = (None, None, dim(0), dim(2))
    index = of(dtype=INT64)
    (found,) = required("set_slice", of(4, k), of(n, m), index, index, sizes=bounds, axes=(0,), steps=(1,))
    assert text(found).startswith(
        "n == 2 or n == 1, m == k or m == 1: could not broadcast input array from shape (n,m)"
    )
    positions = of(3, dtype=INT64)
    (found,) = required("set_index", of(n, k), of(m, k), positions)
    assert str(found.clauses[0][0]) == "m == 3"


def test_index_arrays() -> None:
    (found,) = required("gather_nd", of(5, 5), of(n, dtype=INT64), of(m, dtype=INT64), axis=0)
    assert found.kind == "index"
    assert "indexing arrays could not be broadcast together with shapes (n,) (m,) " in text(found)
