"""Operators on open values: broadcasting and promotion as constraints."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.operations import known_and_truth
from graph_program.extract.stage.operations.operator_slots import binary_of, comparison_of, unary_of
from graph_program.extract.stage.values.open_values import Open
from graph_program.extract.stage.values.questions import is_just, is_known, is_known_as
from graph_program.extract.stage.values.values import Static, Value
from graph_program.extract.types.dims import Dim
from graph_program.extract.types.notation.terms import DTypeTerm, RankVar, ShapeTerm, TypeTerm
from graph_program.extract.types.solving.store import is_fresh
from graph_program.extract.types.tensors.tensor_type import FLOAT64

if TYPE_CHECKING:
    from graph_program.extract.types.solving.solver import Origin

BOOL = np.dtype(bool)


def binary(m: Machine, op: str, a: Value, b: Value) -> Value:
    """`a op b`."""
    inference = m.inferring
    terms = [inference.term(m, v) for v in (a, b)]
    x, y = terms
    if x is None or y is None:
        return inference.lost(m)
    if op == "@":
        return matmul(m, x, y)
    return elementwise(m, [x, y], f"{_text(a)} {op} {_text(b)}", "quotient" if op == "/" else "same")


def _text(value: Value) -> str:
    name = getattr(value, "name", "") or getattr(value, "operand", "")
    if is_known(value):
        return repr(value.value)
    return name if isinstance(name, str) and name.isidentifier() else "_"


@unary_of.of(Open)
def unary(m: Machine, value: Open, op: str) -> Value:
    """`-x`, `+x`, `~x`."""
    term = m.inferring.term(m, value)
    return m.inferring.lost(m) if term is None else m.inferring.open(m, term)


def comparison(m: Machine, op: str, a: Value, b: Value) -> Value:
    """`a op b` for `< <= > >= == != is in`."""
    inference = m.inferring
    if op in ("is", "is not"):
        other = b if not is_just(b, None) else a
        return Static((op == "is not") if is_just(a, None) or is_just(b, None) else other is a and other is b)
    if op in ("in", "not in"):
        return inference.unknown_bool(m)
    for value, other in ((a, b), (b, a)):
        if isinstance(value, Open) and is_known_as(other, str):
            no_array(m, value)
    x, y = inference.term(m, a), inference.term(m, b)
    if x is None or y is None:
        return inference.unknown_bool(m)
    return elementwise(m, [x, y], f"{_text(a)} {op} {_text(b)}", "bool")


def elementwise(m: Machine, terms: Sequence[TypeTerm], text: str, result: str) -> Value:
    """A ufunc: shapes broadcast; `result` says what the element type is: "same", "float", "quotient" or "bool"."""
    inference = m.inferring

    def relate(origin: Origin) -> TypeTerm:
        shapes = [t.shape for t in terms]
        inference.sums.append((shapes, origin))
        shape = inference.solver.broadcast(shapes, origin)
        ranks = [len(s) for s in map(inference.solver.resolve, shapes) if inference.known_dims(s) is not None]
        if shape and isinstance(shape[0], RankVar) and ranks and max(ranks):
            inference.likely[shape[0]] = max(ranks)
        dtype: DTypeTerm = BOOL
        if result != "bool":
            dtype = inference.solver.promote([t.dtype for t in terms], origin)
        if result in ("float", "quotient"):
            dtype = inference.solver.floating(dtype, origin, result == "quotient")
        return TypeTerm(dtype, shape)

    return given(m, inference.constrain(m, text, relate))


def floating(m: Machine, dtype: DTypeTerm, wide: bool = False) -> DTypeTerm:
    """The element type that `np.exp` gives; with `wide`, that `/` and `np.mean` give."""
    found = m.inferring.constrain(m, "a float", lambda origin: m.inferring.solver.floating(dtype, origin, wide))
    return FLOAT64 if found is None else found


def given(m: Machine, term: TypeTerm | None) -> Value:
    """The value of a term; of none, a value of which nothing is known."""
    return m.inferring.lost(m) if term is None else m.inferring.open(m, term)


def no_array(m: Machine, value: Open) -> Value:
    """What is read from a value that turns out to be no array."""
    m.inferring.structured |= {value.name, value.holder} - {""}
    value.lost = True
    return m.inferring.lost(m)


def matmul(m: Machine, x: TypeTerm, y: TypeTerm, text: str = "matmul") -> Value:
    """`x @ y`; an operand of open rank is taken for a matrix, or a stack of them."""
    inference = m.inferring
    solver = inference.solver

    def relate(origin: Origin) -> TypeTerm:
        dtype = solver.promote([x.dtype, y.dtype], origin)
        for shape in (x.shape, y.shape):
            if shape and isinstance(shape[0], RankVar) and inference.likely.get(shape[0]) == 1:
                with solver.trial():
                    solver.equal_shapes(shape, (solver.fresh_dim(),), origin)
        first, second = solver.resolve(x.shape), solver.resolve(y.shape)
        if inference.strict and (inference.known_dims(first) is None or inference.known_dims(second) is None):
            return inference.solver.fresh_type("t")  # either may be a vector
        if _of_any_rank(first) and len(second) == 2 and inference.known_dims(second) is not None:
            rest, (inner,) = inference.back(first, 1, origin)
            rows, columns = inference.known_dims(second) or ()
            solver.equal_dims(inner, rows, origin)
            return TypeTerm(dtype, (*rest, columns))
        lead: list[ShapeTerm] = []
        ends: list[Dim] = []
        if (vector := _vector(first)) is not None:
            inner = vector
        else:
            rest, (rows, inner) = inference.back(first, 2, origin)
            lead.append(rest)
            ends.append(rows)
        if (vector := _vector(second)) is not None:
            other = vector
        else:
            rest, (other, columns) = inference.back(second, 2, origin)
            lead.append(rest)
            ends.append(columns)
        solver.equal_dims(inner, other, origin)
        shape = solver.broadcast(lead, origin) if len(lead) > 1 else lead[0] if lead else ()
        inference.products.append((lead, origin))
        return TypeTerm(dtype, (*shape, *ends))

    return given(m, inference.constrain(m, text, relate))


def _of_any_rank(shape: ShapeTerm) -> bool:
    """Whether an annotation says that a vector will do as well as a matrix: `t [*batch, n]`."""
    return len(shape) == 2 and isinstance(shape[0], RankVar) and not is_fresh(shape[0].name)


def _vector(shape: ShapeTerm) -> Dim | None:
    """The size of a vector; None for another rank."""
    return shape[0] if len(shape) == 1 and isinstance(shape[0], Dim) else None


@known_and_truth.truth.of(Open)
def truth(m: Machine, value: Value) -> Value:
    """`bool(x)`: one element, in the graph."""
    term = m.inferring.term(m, value)
    if term is not None:
        solver = m.inferring.solver
        m.inferring.suppose(m, "a truth value", lambda origin: solver.equal_shapes(term.shape, (), origin))
    return m.inferring.unknown_bool(m)


def in_place(m: Machine, op: str, old: Value, value: Value) -> Value:
    """`old op= value`: the operand broadcasts into what is there."""
    inference = m.inferring
    x, y = inference.term(m, old), inference.term(m, value)
    if x is None or y is None:
        return old
    if not x.shape:  # a number is not changed in place
        return binary(m, op, old, value)

    def relate(origin: Origin) -> None:
        inference.solver.equal_shapes(inference.solver.broadcast([x.shape, y.shape], origin), x.shape, origin)

    inference.constrain(m, f"{_text(old)} {op}= {_text(value)}", relate)
    return old


binary_of.register(Open, lambda m, one, op, a, b: binary(m, op, a, b))
comparison_of.register(Open, lambda m, one, op, a, b: comparison(m, op, a, b))
