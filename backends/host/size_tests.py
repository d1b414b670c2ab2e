"""What sizes must be, as one Python expression over the shapes of the arguments.

x: float32 [n, k], y: float32 [j, m]; require j == k        _shape_1[0] == _shape_0[1]
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce

from graph_program.extract.types.dims import Application, Atom, Dim, Symbol
from graph_program.extract.types.rules.facts import Condition, SizeTest


def size_expression(tests: Sequence[SizeTest], places: Mapping[str, str]) -> str:
    """The expression that is true where all tests hold; `places` is where each size is found."""
    return " and ".join(dict.fromkeys(text for test in tests for text in _test(test, places)))


def _test(test: SizeTest, places: Mapping[str, str]) -> list[str]:
    clauses = [" or ".join(_condition(c, places) for c in clause) for clause in test.clauses]
    if not test.when:
        return [f"({clause})" if " or " in clause else clause for clause in clauses]
    skipped = " or ".join(f"{_dim(d, places)} <= 0" for d in test.when)
    holds = " and ".join(f"({clause})" for clause in clauses)
    return [f"({skipped} or {holds})"]


def _condition(c: Condition, places: Mapping[str, str]) -> str:
    return f"{_dim(c.left, places)} {c.op} {_dim(c.right, places)}"


def _dim(d: Dim, places: Mapping[str, str]) -> str:
    terms = [_term(monomial, coefficient, places) for monomial, coefficient in d.terms]
    return terms[0] if len(terms) == 1 else f"({'+'.join(terms) or '0'})"


def _term(monomial: Sequence[Atom], coefficient: int, places: Mapping[str, str]) -> str:
    factors = [_atom(atom, places) for atom in monomial]
    if coefficient != 1 or not factors:
        factors.insert(0, str(coefficient))
    return factors[0] if len(factors) == 1 else f"({'*'.join(factors)})"


def _atom(atom: Atom, places: Mapping[str, str]) -> str:
    if not isinstance(atom, Application):
        return places[atom.name]
    args = [_dim(arg, places) for arg in atom.args]
    match atom.op:
        case "//":  # by 0, any number will do: Python raises, and so does whichever program runs then
            divisor = args[1] if atom.args[1].constant else f"({args[1]} or 1)"
            return f"({args[0]}//{divisor})"
        case "&":  # what sizes broadcast to
            return reduce(lambda left, right: f"({right} if {left} == 1 else {left})", args)
    return f"{atom.op}({','.join(args)})"


def shape_places(shapes: Sequence[tuple[str, Sequence[Dim]]]) -> dict[str, str]:
    """Where each size that is a name is first found: `(text of a shape, its dims)`, in order."""
    places: dict[str, str] = {}
    for text, dims in shapes:
        for axis, d in enumerate(dims):
            match d.terms:
                case (((Symbol(name),), 1),):
                    places.setdefault(name, f"{text}[{axis}]")
    return places
