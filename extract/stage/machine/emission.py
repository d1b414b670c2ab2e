"""Emitting operations: the type of the result, what the sizes of the operands must be, checks of what may fail.

c = a + b         ->      (the dims of a and b are compared)  c = add(a, b)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from graph_program.extract.ir import residual
from graph_program.extract.stage.values.generic import forward
from graph_program.extract.stage.values.values import Tensor, Value, size_of, type_of
from graph_program.extract.types.dims.integers import number_size
from graph_program.extract.types.rules.type_rules import fails_by_itself, infer
from graph_program.extract.types.tensors.rule_errors import TypeRuleError
from graph_program.extract.types.tensors.tensor_type import INT64, Kind, TensorType

if TYPE_CHECKING:
    from graph_program.extract.ir import residual
    from graph_program.extract.ir.residual import Operand
    from graph_program.extract.stage.machine.machine import Machine
    from graph_program.extract.types.rules.facts import Requirement


@forward
def of_complex(
    m: Machine, name: str, operands: Sequence[Value], attrs: Mapping[str, Any], kind: Kind, hint: str
) -> Tensor | None:
    """The result of an operation with complex operands; None of any other."""


@forward
def of_bfloat16(
    m: Machine, name: str, operands: Sequence[Value], attrs: Mapping[str, Any], kind: Kind, hint: str
) -> Tensor | None:
    """The result of an operation with bfloat16 operands; None of any other."""


def operation(
    m: Machine, name: str, operands: Sequence[Value], attrs: Mapping[str, Any], kind: Kind, hint: str
) -> Tensor:
    """Emit one operation and give its result.

    Raises
    ------
    ShapeError, DTypeError, ProgramValueError
        Where the operands can be proven not to fit.
    """
    for in_parts in (of_complex, of_bfloat16):
        made = in_parts(m, name, operands, attrs, kind, hint)
        if made is not None:
            return made
    facts = m.facts
    types = [facts.resolve_type(type_of(v)) for v in operands]
    sizes = [None if d is None else facts.resolve(d) for d in map(size_of, operands)]
    requirements: list[Requirement] = []
    start = len(m.out)
    try:
        type_ = infer(name, types, attrs, sizes, m.fresh_dim, requirements)
    except TypeRuleError as error:
        raise m.type_error(error, operands) from None
    if requirements and m.state is not None:
        for requirement in requirements:
            settle(m, requirement, operands, fails_by_itself(name))
        type_ = m.facts.resolve_type(type_)
    type_ = TensorType(type_.dtype, tuple(map(m.plain_dim, type_.shape)), kind)
    result = emit_op(m, name, tuple(map(m.operand, operands)), attrs, type_, hint)
    result.size = number_size(name, sizes) if type_.dtype == INT64 and not type_.shape else None
    checks_for(m, start, result)
    return result


def checks_for(m: Machine, start: int, result: Tensor) -> None:
    """The checks emitted since `start` are of what the operation that gives `result` fails with by itself."""
    for statement in m.out[start:]:
        if isinstance(statement, residual.OperationCheck) and not statement.operation:
            statement.operation = str(result.operand)


@forward
def settle(m: Machine, requirement: Requirement, operands: Sequence[Value], by_itself: bool = False) -> None:
    """See that a requirement of an operation holds, or that the program ends with NumPy's error.

    With `by_itself`, the operation that is emitted next fails in a run where it does not.
    """


def emit_op(
    m: Machine,
    name: str,
    args: tuple[Operand, ...],
    attrs: Mapping[str, Any],
    type_: TensorType,
    hint: str = "",
) -> Tensor:
    """Emit an operation whose result type is known."""
    target = m.fresh(hint, type_)
    loc = m.loc
    if type_.kind is Kind.PYTHON and (name == "dim" or all(not isinstance(a, str) or a in m.host.both for a in args)):
        m.host.both.add(target)
    computed(m, target, args)
    emit_operation(m, residual.Op(target, name, args, attrs, loc=loc))
    return Tensor(target, type_, loc)


def emit_operation(m: Machine, statement: residual.Stmt) -> None:
    """Emit an operation behind the checks that are for it."""
    if isinstance(statement, residual.Op) and statement.op in residual.FALLIBLE:
        for check in m.operation_checks:
            check.operation = statement.target
        m.operation_checks = []
    m.emit(statement)


def require_complex(m: Machine, source: np.dtype[Any], target: np.dtype[Any]) -> None:
    """Refuse to throw an imaginary part away, which NumPy does with a warning."""
    if source.kind == "c" and target.kind not in "cb":
        raise m.error(
            "GP566",
            f"{source.name} as {target.name} would throw the imaginary part away",
            hint="take the part that is meant: z.real, z.imag or abs(z)",
        )


def computed(m: Machine, name: str, operands: Iterable[Operand]) -> None:
    """What is computed, or merged, of numbers that parameters decide."""
    variables = [o for o in operands if isinstance(o, str)]
    if variables and all(o in m.choices.decided for o in variables):
        m.choices.decided[name] = frozenset().union(*(m.choices.decided[o] for o in variables))


@contextmanager
def aside(m: Machine) -> Iterator[list[residual.Stmt]]:
    """Gather what is emitted inside; a view that is read there is read again outside."""
    state = m.live
    written, synced = dict(state.written), dict(state.synced)
    with m.collect() as statements:
        yield statements
    state.written, state.synced = written, synced
