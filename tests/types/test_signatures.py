"""Every operation's signature, applied through the solver, against its type rule and against NumPy."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from graph_program.extract.diagnostics import UNKNOWN  # noqa: E402
from graph_program.extract.types.dims import Dim, dim, symbol  # noqa: E402
from graph_program.extract.types.notation.shape_language import parse_signature  # noqa: E402
from graph_program.extract.types.notation.terms import (  # noqa: E402
    REPEATED,
    Computed,
    DTypeVar,
    Signature,
    TypeTerm,
    dims_of,
    dtype_variables,
    fixed_rank,
    rank_variables,
)
from graph_program.extract.types.rules.type_rules import infer  # noqa: E402
from graph_program.extract.types.solving.computed_shapes import FUNCTIONS  # noqa: E402
from graph_program.extract.types.solving.solver import ConstraintError, Origin, Solver  # noqa: E402
from graph_program.extract.types.tensors.element_types import SUPPORTED  # noqa: E402
from graph_program.extract.types.tensors.rule_errors import TypeRuleError  # noqa: E402
from graph_program.extract.types.tensors.tensor_type import INT64, TensorType  # noqa: E402
from graph_program.tensor_api.opdef import OPS  # noqa: E402
from tests.types.test_rules import CASES  # noqa: E402

DATA_DEPENDENT = frozenset({"slice", "sizes", "reshape"})
"""Computed shapes that depend on values of operands."""

HERE = Origin(UNKNOWN, "the operation")
SIGNATURES = {name: parse_signature(f"{name}: {op.signature}") for name, op in OPS.items()}
UNCHECKED = {
    "broadcast_to": "whether the operand fits the sizes",
    "set_slice": "whether the value fits the slice",
    "set_index": "whether the value fits the place",
    "scatter_nd": "whether the value fits the places",
    "max": "reductions of nothing",
    "min": "reductions of nothing",
    "argmax": "reductions of nothing",
    "argmin": "reductions of nothing",
}
"""Failures that a signature doesn't say, and the type rule does."""


def test_signatures_print_as_they_are_written() -> None:
    for name, signature in SIGNATURES.items():
        assert str(signature) == f"{name}: {OPS[name].signature}"


def test_signatures_have_the_operands_of_their_operations() -> None:
    for name, signature in SIGNATURES.items():
        operands = OPS[name].operands
        assert len(signature.operands) - signature.variadic >= len(operands) - signature.variadic, name
        assert signature.variadic == operands[-1].startswith("*"), name
        assert len(signature.results) == 1, name


def test_computed_parts_are_functions_of_what_the_operation_has() -> None:
    for name, signature in SIGNATURES.items():
        op = OPS[name]
        known = {*op.attrs, *(o.removeprefix("*") for o in op.operands)}
        known |= {v.name for t in signature.operands for v in rank_variables(t.shape)}
        for t in signature.results:
            for part in t.shape:
                if isinstance(part, Computed):
                    assert part.function in FUNCTIONS
                    assert set(part.arguments) <= known, name
        results = {v.name for t in signature.results for v in dtype_variables(t.dtype)}
        operands = {v.name for t in signature.operands for v in dtype_variables(t.dtype)}
        assert results - operands <= set(op.attrs)


ELEMENTWISE = [name for name, op in OPS.items() if op.family in ("elementwise", "predicate")]


@pytest.mark.parametrize("name", ELEMENTWISE)
def test_kinds_are_those_the_rule_takes(name: str) -> None:
    count = len(OPS[name].operands)
    for dtype in (d for d in SUPPORTED if d.kind != "c"):  # a graph has none
        assert accepts_rule(name, [TensorType(dtype)] * count) == accepts(name, [TypeTerm(dtype)] * count), dtype


def accepts_rule(name: str, operands: list[TensorType]) -> bool:
    try:
        infer(name, operands, {})
    except TypeRuleError:
        return False
    return True


def accepts(name: str, operands: list[TypeTerm]) -> bool:
    try:
        Solver().apply(SIGNATURES[name], operands, HERE)
    except ConstraintError:
        return False
    return True


# ---------------------------------------------------------------- applied


class Case:
    """One use of an operation, with its dims as numbers or as names."""

    def __init__(self, name: str, operands: list[Any], attrs: dict[str, Any], named: bool):
        self.name, self.attrs = name, attrs
        self.sizes: dict[str, int] = {}
        self.types, self.values = [], []
        for x in operands:
            value = dim(x) if isinstance(x, int) else None
            array = np.asarray(x)
            shape = tuple(self.dim(n, named) for n in array.shape)
            self.types.append(TensorType(INT64 if value is not None else array.dtype, shape))
            self.values.append(value)

    def dim(self, size: int, named: bool) -> Dim:
        if not named:
            return dim(size)
        self.sizes[f"n{size}"] = size
        return symbol(f"n{size}")

    def terms(self) -> list[TypeTerm]:
        return [TypeTerm(t.dtype, t.shape) for t in self.types]

    def attributes(self, known: bool) -> dict[str, Any]:
        """Static attributes and, if `known`, the values of size operands."""
        last = OPS[self.name].operands[-1]
        values = self.values[len(OPS[self.name].operands) - 1 :]
        sized = known and all(v is not None for v in values)
        return {**self.attrs, **({last.removeprefix("*"): values} if sized else {})}

    def expected(self) -> TensorType | None:
        try:
            return infer(self.name, self.types, self.attrs, self.values)
        except TypeRuleError:
            return None

    def is_vector_product(self) -> bool:
        """matmul's signature is that of matrices."""
        return self.name == "matmul" and any(t.rank < 2 for t in self.types)


def all_cases(name: str, named: bool = False) -> list[Case]:
    made = [Case(name, operands, attrs, named) for operands, attrs in CASES[name]]
    return [case for case in made if not case.is_vector_product()]


def applied(solver: Solver, case: Case, known: bool = True) -> TypeTerm:
    (result,) = solver.apply(SIGNATURES[case.name], case.terms(), HERE, case.attributes(known))
    return solver.resolve(result)


def is_decided_by_data(signature: Signature) -> bool:
    """Whether the signature says that the data decide a part of the result."""
    (result,) = signature.results
    operands = {name for t in signature.operands for d in dims_of(t.shape) for name in d.symbols}
    names = {name for d in dims_of(result.shape) for name in d.symbols if "(" not in name}
    computed = any(isinstance(part, Computed) and part.function in DATA_DEPENDENT for part in result.shape)
    return computed or bool(names - operands - {REPEATED})


@pytest.mark.parametrize("named", [False, True])
@pytest.mark.parametrize("name", OPS)
def test_results_are_those_of_the_rule(name: str, named: bool) -> None:
    """With sizes that are numbers, and with names that are given their sizes afterwards."""
    for plain, case in zip(all_cases(name), all_cases(name, named), strict=True):
        expected = plain.expected()
        solver = Solver()
        try:
            result = applied(solver, case)
            for n, size in case.sizes.items():
                solver.equal_dims(symbol(n), dim(size), HERE)
        except ConstraintError as error:
            assert expected is None, f"{case.types} {case.attrs}: {error}"
            continue
        found = solver.resolve(result)
        if expected is None:
            assert name in UNCHECKED, f"{case.types} {case.attrs} {found}"
            continue
        assert found.dtype == expected.dtype
        assert len(found.shape) == expected.rank, f"{case.types} {case.attrs} {found}"
        for ours, theirs in zip(found.shape, expected.shape, strict=True):
            assert isinstance(ours, Dim)
            if ours.constant is not None:
                assert ours == theirs
            else:
                assert is_decided_by_data(SIGNATURES[name]), f"{case.types} {case.attrs} {found}"


@pytest.mark.parametrize("name", OPS)
def test_only_what_the_signature_says_depends_on_data(name: str) -> None:
    """Without the values of operands, all of the result is known unless the signature says otherwise."""
    for case in all_cases(name):
        expected = case.expected()
        if expected is None:
            continue
        found = applied(Solver(), case, known=False)
        assert fixed_rank(found.shape) == expected.rank
        known = all(isinstance(d, Dim) and d.constant is not None for d in found.shape)
        assert known or is_decided_by_data(SIGNATURES[name])


@pytest.mark.parametrize("name", OPS)
def test_types_may_be_learnt_later(name: str) -> None:
    """Applied to operands of which nothing is known, which are given their types afterwards."""
    for case in all_cases(name):
        try:
            expected: TypeTerm | None = applied(Solver(), case)
        except ConstraintError:
            expected = None
        solver = Solver()
        operands = [solver.fresh_type(f"x{i}_") for i in range(len(case.types))]
        found = None
        with solver.trial() as trial:
            (found,) = solver.apply(SIGNATURES[name], operands, HERE, case.attributes(True))
            for operand, term in zip(operands, case.terms(), strict=True):
                solver.equal_types(operand, term, HERE)
        assert bool(trial) == (expected is not None), f"{case.types} {case.attrs}: {trial.error}"
        if expected is not None and found is not None:
            resolved = solver.resolve(found)
            assert resolved.dtype == expected.dtype
            if not is_decided_by_data(SIGNATURES[name]):
                assert resolved.shape == expected.shape


def test_nonzero_is_bounded() -> None:
    solver = Solver()
    (result,) = solver.apply(SIGNATURES["nonzero"], [TypeTerm(np.dtype(bool), (dim(2), dim(3)))], HERE)
    rank, count = solver.resolve(result).shape
    assert rank == dim(2)
    assert isinstance(count, Dim)
    with pytest.raises(ConstraintError):
        solver.equal_dims(count, dim(7), HERE)
    solver.equal_dims(count, dim(6), HERE)


def test_cast_gives_the_attribute() -> None:
    solver = Solver()
    (result,) = solver.apply(SIGNATURES["cast"], [solver.fresh_type()], HERE, {"dtype": np.dtype("i4")})
    assert solver.resolve(result).dtype == np.dtype("i4")
    (result,) = solver.apply(SIGNATURES["cast"], [solver.fresh_type()], HERE)
    assert isinstance(solver.resolve(result).dtype, DTypeVar)
