"""Equations and signatures for tests of the constraint solver."""

from __future__ import annotations

import itertools

import numpy as np

from graph_program.extract.diagnostics import Loc
from graph_program.extract.types.notation.shape_language import parse_shape, parse_signature
from graph_program.extract.types.notation.terms import ShapeTerm, TypeTerm
from graph_program.extract.types.solving.solver import Origin, Solver

MATMUL = parse_signature("matmul: (t [*s, m, k], t [*s, k, n]) -> t [*s, m, n]")
BINARY = parse_signature("add: (t [*s], t [*s]) -> t [*s]")
UNARY = parse_signature("relu: t [*s] -> t [*s]")
TRANSPOSE = parse_signature("transpose: t [m, n] -> t [n, m]")
CONV = parse_signature("conv: (t [b, c, h, w], t [k, c, i, j]) -> t [b, k, h-i+1, w-j+1]")
REDUCE = parse_signature("sum: t [*s] -> t [*reduce(s, axes, keepdims)]")
CONCAT = parse_signature("concatenate: (t [*s, n, *r], t [*s, m, *r], ...) -> t [*s, n+m+..., *r] where rank(s) = axis")
LAST = {"axes": (-1,), "keepdims": True}

F32, F64, I32, BOOL = (np.dtype(t) for t in ("f4", "f8", "i4", "?"))

_lines = itertools.count(1)


def at(text: str = "x") -> Origin:
    """An origin at a line of its own."""
    line = next(_lines)
    return Origin(Loc("program.py", line, 1, line, 5), text)


def shape(text: str) -> ShapeTerm:
    return parse_shape(text)


def found(solver: Solver, text: str) -> str:
    """What a shape is known to be, with readable names."""
    return str(solver.principal([TypeTerm(np.dtype(bool), shape(text))]).types[0]).removeprefix("bool ")


def equal(solver: Solver, *equations: str) -> None:
    """Equations between shapes: `s @ [m] = [a, b]`."""
    for text in equations:
        left, right = text.split("=")
        solver.equal_shapes(shape(left), shape(right), at(text))


def solved(*equations: str) -> Solver:
    solver = Solver()
    equal(solver, *equations)
    solver.solve()
    return solver


def broadcast(solver: Solver, *texts: str) -> ShapeTerm:
    return solver.broadcast([shape(t) for t in texts], at(" & ".join(texts)))
