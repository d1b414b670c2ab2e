"""Every bfloat16 variable becomes a float32 one with the same number; see `stage/numbers/bfloat16_operations`.

(input x: bfloat16)            x1 = cast(x, float32)
y = cast(x, float32)     ->    y = x1
z = cast(y, bfloat16)          t = cast(y, bfloat16); z = cast(t, float32)
return z                       r = cast(z, bfloat16)
                               return r

Only inputs, outputs and roundings are bfloat16 then: a runtime has to convert it, and to do nothing else with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import field, replace
from typing import Any

import numpy as np

from graph_program.extract import diagnostics
from graph_program.extract.control.names import Names
from graph_program.extract.diagnostics import Diagnostic, Loc
from graph_program.extract.ir import residual
from graph_program.extract.ir.host import HostStep
from graph_program.extract.ir.residual import Const, Operand, Program, Stmt
from graph_program.extract.records import dataclass
from graph_program.extract.slice.statements import with_bodies
from graph_program.extract.types.tensors.bfloat16 import FLOAT32, bfloat16, is_bfloat16
from graph_program.extract.types.tensors.tensor_type import TensorType, carrier


def with_float32(program: Program) -> Program:
    """The program whose bfloat16 variables are float32, but for its inputs and outputs."""
    if not _has_any(program):
        return program
    wide = _Widening(program)
    given: list[Stmt] = [
        residual.Op(wide.of(name), "cast", (name,), {"dtype": FLOAT32}, loc=program.loc)
        for name in program.inputs
        if program.types[name].is_bfloat16
    ]
    body = wide.body(program.body)
    results: list[Stmt] = []
    outputs = [wide.output(o, results, program.loc) for o in program.outputs]
    host = [_host_step(step) for step in program.host]
    return replace(program, body=[*given, *body, *results], outputs=outputs, types=wide.types, host=host)


def _has_any(program: Program) -> bool:
    """Whether a variable or a constant is bfloat16."""
    if any(t.is_bfloat16 for t in program.types.values()):
        return True
    constants = (o for o in (*program.outputs, *_operands(program.body)) if isinstance(o, Const))
    return any(is_bfloat16(o.value.dtype) for o in constants)


def _operands(body: Iterable[Stmt]) -> Iterator[Operand]:
    """What operations and copies read."""
    for stmt in body:
        if isinstance(stmt, residual.Op):
            yield from stmt.args
        elif isinstance(stmt, residual.Copy):
            yield from stmt.sources
        for part in ("body", "orelse", "report"):
            yield from _operands(getattr(stmt, part, ()))


def _host_step(step: HostStep) -> HostStep:
    """A step that is sent float32, of which the host makes bfloat16."""
    if any(t.is_bfloat16 for t in step.receives):
        hint = "give float32, which has the same numbers: x.astype(np.float32)"
        text = "the host cannot tell the graph a bfloat16 value"
        raise diagnostics.UnsupportedError(Diagnostic("GP582", text, step.loc, hint=hint))
    return replace(step, sends=tuple(map(carrier, step.sends)))


@dataclass
class _Widening:
    """The float32 variable of each bfloat16 one; an input has one besides its own."""

    program: Program
    names: dict[str, str] = field(default_factory=dict)
    types: dict[str, TensorType] = field(default_factory=dict)

    def __post_init__(self) -> None:
        inputs = set(self.program.inputs)
        self.variables = Names(self.program.types)
        for name, type_ in self.program.types.items():
            self.types[name] = type_ if name in inputs else carrier(type_)
        for name in self.program.inputs:
            if self.types[name].is_bfloat16:
                self.names[name] = self.fresh(f"{name}.float32", carrier(self.types[name]))

    def fresh(self, hint: str, type_: TensorType) -> str:
        """A new variable."""
        name = self.variables.fresh(hint)
        self.types[name] = type_
        return name

    def of(self, operand: Any) -> Any:
        """What holds the number."""
        if isinstance(operand, Const):
            return Const(operand.value.astype(FLOAT32)) if is_bfloat16(operand.value.dtype) else operand
        return self.names.get(operand, operand)

    def all(self, operands: Iterable[Operand]) -> list[Any]:
        return [self.of(o) for o in operands]

    def is_bfloat16(self, operand: Operand) -> bool:
        """Whether an operand has been bfloat16."""
        if isinstance(operand, Const):
            return is_bfloat16(operand.value.dtype)
        return operand in self.program.types and self.program.types[operand].is_bfloat16

    def body(self, body: Iterable[Stmt]) -> list[Stmt]:
        return [new for stmt in body for new in self.statement(stmt)]

    def statement(self, stmt: Stmt) -> list[Stmt]:
        match stmt:
            case residual.Op():
                return self.operation(stmt)
            case residual.Copy() | residual.Effect():
                return [replace(stmt, sources=self.all(stmt.sources))]
            case residual.OperationCheck():
                return [with_bodies(replace(stmt, args=tuple(self.all(stmt.args))), self.body)]
            case residual.Host():
                return [replace(stmt, sends=tuple(self.all(stmt.sends)))]
            case residual.Check() | residual.Raise():
                return [replace(stmt, args=tuple(self.all(stmt.args)))]
        return [with_bodies(stmt, self.body)]

    def operation(self, op: residual.Op) -> list[Stmt]:
        if op.op == "dim":  # of an input where it is one, as the sizes of arguments are known before the run
            return [op]
        if op.op != "cast" or not any(map(self.is_bfloat16, (op.target, *op.args))):
            return [replace(op, args=tuple(self.all(op.args)))]
        (source,) = self.all(op.args)
        if not self.is_bfloat16(op.target):
            return [self.converted(op, op.target, source, op.attrs["dtype"])]
        if self.is_bfloat16(op.args[0]):
            return [residual.Copy([op.target], [source], loc=op.loc)]
        wide = self.types[op.target]
        first = self.fresh(f"{op.target}.wide", wide)
        narrow = self.fresh(f"{op.target}.bfloat16", replace(wide, dtype=bfloat16()))
        return [
            self.converted(op, first, source, FLOAT32),
            residual.Op(narrow, "cast", (first,), {"dtype": bfloat16()}, loc=op.loc),
            residual.Op(op.target, "cast", (narrow,), {"dtype": FLOAT32}, loc=op.loc),
        ]

    def converted(self, op: residual.Op, target: str, source: Operand, dtype: np.dtype[Any]) -> Stmt:
        """A conversion of a variable that is no bfloat16 any more."""
        given = source.value.dtype if isinstance(source, Const) else self.types[source].dtype
        if given == dtype:
            return residual.Copy([target], [source], loc=op.loc)
        return residual.Op(target, "cast", (source,), {"dtype": dtype}, loc=op.loc)

    def output(self, operand: Operand, results: list[Stmt], loc: Loc) -> Operand:
        """An output in its own type; what rounds it is added to the results."""
        if isinstance(operand, Const) or not self.is_bfloat16(operand) or operand in self.names:
            return operand
        type_ = self.program.types[operand]
        target = self.fresh(f"{operand}.bfloat16", type_)
        results.append(residual.Op(target, "cast", (operand,), {"dtype": bfloat16()}, loc=loc))
        return target


__all__ = ["with_float32"]
