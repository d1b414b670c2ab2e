"""The constraint solver against the length of a program: layers of matmul, add and a centred mean, types unknown."""

from __future__ import annotations

import statistics
import time
from dataclasses import dataclass

from graph_program.extract.diagnostics import Loc
from graph_program.extract.types.notation.shape_language import parse_signature, parse_type
from graph_program.extract.types.notation.terms import TypeTerm
from graph_program.extract.types.solving.solver import Origin, Solver
from tests.benchmarks.measure import Row, three_digits

OPERATIONS = [100, 1000, 5000, 20_000]
OPERATIONS_OF_LAYER = 4
MATMUL = parse_signature("matmul: (t [*s, m, k], t [*s, k, n]) -> t [*s, m, n]")
BINARY = parse_signature("add: (t [*s], t [*s]) -> t [*s]")
REDUCE = parse_signature("max: t [*s] -> t [*reduce(s, axes, keepdims)]")
LAST = {"axes": (-1,), "keepdims": True}


@dataclass(frozen=True)
class Seconds:
    """What each part took."""

    solve: float
    principal: float
    text: float


def measure(operations: int) -> Seconds:
    """A chain whose input is known at its end only, so that all of it is inferred backward."""
    solver = Solver()
    x = first = solver.fresh_type("x")
    weights: list[TypeTerm] = []
    start = time.perf_counter()
    for line in range(operations // OPERATIONS_OF_LAYER):
        origin = Origin(Loc("chain.py", line + 1, 1, line + 1, 80), "layer")
        weights += [solver.fresh_type("w"), solver.fresh_type("b")]
        (y,) = solver.apply(MATMUL, [x, weights[-2]], origin)
        (y,) = solver.apply(BINARY, [y, weights[-1]], origin)
        (largest,) = solver.apply(REDUCE, [y], origin, LAST)
        (x,) = solver.apply(BINARY, [y, largest], origin)
    solver.equal_types(x, parse_type("float32 [batch, time, d]"), Origin(Loc("chain.py", 0, 1, 0, 1), "result"))
    for term in (first, *weights):
        solver.resolve(term)
    solved = time.perf_counter()
    principal = solver.principal([first, *weights, x])
    named = time.perf_counter()
    str(principal)
    return Seconds(solved - start, named - solved, time.perf_counter() - named)


def rows(quick: bool) -> list[Row]:
    """The ratio is the growth of time over the growth of length, seen from the shortest: 1 is linear."""
    lengths = OPERATIONS[:2] if quick else OPERATIONS
    found: dict[int, list[Seconds]] = {length: [] for length in lengths}
    measure(OPERATIONS[0])
    for _ in range(1 if quick else 3):
        for length in lengths:
            found[length].append(measure(length))
    made = []
    for part, subject in (("solve", "solved"), ("principal", "named"), ("text", "printed")):
        medians = {n: statistics.median(getattr(s, part) for s in found[n]) / n for n in lengths}
        for n in lengths:
            growth = medians[n] / medians[lengths[0]]
            median = f"{three_digits(medians[n] * 1e6)} us/op"
            made.append(Row("solver", f"{n} ops {subject}", median, f"{growth:.2f} of linear"))
    return made
