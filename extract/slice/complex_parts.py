"""Every complex variable becomes two real ones; see `ir/complex_parts`.

w = complex(a, b)            w.real = a; w.imag = b
s = sum(w, axes=(0,))   ->   s.real = sum(w.real, axes=(0,)); s.imag = sum(w.imag, axes=(0,))
x = imag(s)                  x = s.imag

Inputs and outputs are two as well, and the interface says of which number or array they are the parts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field, replace
from typing import Any

import numpy as np

from graph_program.extract import diagnostics
from graph_program.extract.diagnostics import Diagnostic, Loc
from graph_program.extract.ir import residual
from graph_program.extract.ir.complex_parts import COMPLEX, IMAG, PARTWISE, REAL
from graph_program.extract.ir.host import HostStep
from graph_program.extract.ir.interface import (
    ArgInput,
    Back,
    CapturedInput,
    HostEffect,
    Interface,
    RefillBack,
    RowsBack,
    SetBack,
    WriteBack,
)
from graph_program.extract.ir.residual import Const, Operand, Program, Stmt
from graph_program.extract.ir.results import Result, renumbered
from graph_program.extract.records import dataclass
from graph_program.extract.slice.statements import with_bodies
from graph_program.extract.types.tensors.tensor_type import TensorType, part_dtype

PARTS = (REAL, IMAG)


def with_real_parts(program: Program, interface: Interface) -> tuple[Program, Interface]:
    """The program and its interface without complex numbers."""
    if not any(t.is_complex for t in program.types.values()) and not _complex_constants(program):
        return program, interface
    parts = _Parts(program.types)
    outputs = _Places.of(program.outputs, parts)
    changed = replace(
        program,
        inputs=[name for i in program.inputs for name in parts.flat([i])],
        body=parts.body(program.body),
        outputs=parts.flat(program.outputs),
        output_names=_output_names(program, parts),
        host=[_host_step(step, parts) for step in program.host],
        types=parts.real_types(),
    )
    return changed, _interface(interface, outputs)


def _complex_constants(program: Program) -> bool:
    return any(isinstance(o, Const) and o.value.dtype.kind == "c" for o in program.outputs)


def _output_names(program: Program, parts: _Parts) -> list[str]:
    names: list[str] = []
    for name, operand in zip(program.output_names, program.outputs, strict=True):
        names += [f"{name}.{p}" for p in PARTS] if parts.is_complex(operand) else [name]
    return names


# ---------------------------------------------------------------- statements


@dataclass
class _Parts:
    """The two variables of each complex one."""

    types: dict[str, TensorType]
    names: dict[str, tuple[str, str]] = field(default_factory=dict)
    taken: set[str] = field(default_factory=set)

    def is_complex(self, operand: Operand) -> bool:
        if isinstance(operand, Const):
            return operand.value.dtype.kind == "c"
        return operand in self.types and self.types[operand].is_complex

    def of(self, operand: Operand) -> tuple[Operand, Operand]:
        """Both parts of a complex operand."""
        if isinstance(operand, Const):
            re, im = (
                Const(np.ascontiguousarray(getattr(operand.value, p)).reshape(operand.value.shape)) for p in PARTS
            )
            return re, im
        return self.variables(operand)

    def variables(self, name: str) -> tuple[str, str]:
        if name not in self.names:
            count, re, im = 0, f"{name}.real", f"{name}.imag"
            while any(part in self.types or part in self.taken for part in (re, im)):
                count += 1
                re, im = f"{name}.real.{count}", f"{name}.imag.{count}"
            self.taken |= {re, im}
            self.names[name] = (re, im)
        return self.names[name]

    def flat(self, operands: Iterable[Any]) -> list[Any]:
        """Operands with both parts of the complex ones in their places."""
        return [o for operand in operands for o in (self.of(operand) if self.is_complex(operand) else (operand,))]

    def real_types(self) -> dict[str, TensorType]:
        found: dict[str, TensorType] = {}
        for name, type_ in self.types.items():
            if type_.is_complex:
                found.update(dict.fromkeys(self.variables(name), part_type(type_)))
            else:
                found[name] = type_
        return found

    def body(self, body: Iterable[Stmt]) -> list[Stmt]:
        return [new for stmt in body for new in self.statement(stmt)]

    def statement(self, stmt: Stmt) -> list[Stmt]:
        match stmt:
            case residual.Op():
                return self.operation(stmt)
            case residual.Copy() | residual.Effect():
                return [replace(stmt, targets=self.flat(stmt.targets), sources=self.flat(stmt.sources))]
            case residual.OperationCheck():
                operation = stmt.operation
                if self.is_complex(operation):
                    operation = self.variables(operation)[0]
                return [with_bodies(replace(stmt, operation=operation), self.body)]
            case residual.Host():
                return [replace(stmt, sends=tuple(self.flat(stmt.sends)), receives=self.flat(stmt.receives))]
            case residual.Check() | residual.Raise() if any(map(self.is_complex, stmt.args)):
                raise refused("an error message cannot show a complex number", stmt.loc, "show z.real and z.imag")
        return [with_bodies(stmt, self.body)]

    def operation(self, op: residual.Op) -> list[Stmt]:
        if op.op == COMPLEX:
            return [residual.Copy(list(self.variables(op.target)), list(op.args), loc=op.loc)]
        if op.op in PARTS:
            source = self.of(op.args[0])[PARTS.index(op.op)]
            return [residual.Copy([op.target], [source], loc=op.loc)]
        if not any(map(self.is_complex, (op.target, *op.args))):
            return [op]
        if op.op == "dim":
            return [replace(op, args=(self.of(op.args[0])[0],))]
        assert op.op in PARTWISE, op.op
        return [
            replace(op, target=target, args=tuple(self.of(a)[i] if self.is_complex(a) else a for a in op.args))
            for i, target in enumerate(self.variables(op.target))
        ]


def part_type(type_: TensorType) -> TensorType:
    """The type of a part of a complex number or array."""
    return TensorType(part_dtype(type_.dtype), type_.shape, type_.kind)


def refused(text: str, loc: Loc, hint: str) -> diagnostics.GraphProgramError:
    """A refusal of a place that complex numbers cannot be in."""
    return diagnostics.UnsupportedError(Diagnostic("GP567", text, loc, hint=hint))


# ---------------------------------------------------------------- interface


@dataclass(frozen=True)
class _Places:
    """Where each value of a row is among the real ones, and where its imaginary part is."""

    indices: list[int]
    imaginary: Mapping[int, int]

    @classmethod
    def of(cls, values: Sequence[Any], parts: _Parts) -> _Places:
        indices: list[int] = []
        imaginary: dict[int, int] = {}
        place = 0
        for i, value in enumerate(values):
            indices.append(place)
            is_complex = value.is_complex if isinstance(value, TensorType) else parts.is_complex(value)
            if is_complex:
                imaginary[i] = place + 1
            place += 1 + is_complex
        return cls(indices, imaginary)

    def result(self, result: Result) -> Result:
        return renumbered(result, self.indices, self.imaginary, objects=True)


def _interface(interface: Interface, outputs: _Places) -> Interface:
    return replace(
        interface,
        inputs=tuple(new for i in interface.inputs for new in _inputs(i)),
        result=outputs.result(interface.result),
        write_backs=tuple(
            WriteBack(b.path, outputs.indices[b.output], outputs.imaginary.get(b.output)) for b in interface.write_backs
        ),
        set_backs=tuple(_set_back(b, outputs) for b in interface.set_backs),
        effects=tuple(_effect(e, outputs) for e in interface.effects),
    )


def _inputs(leaf: ArgInput | CapturedInput) -> list[ArgInput | CapturedInput]:
    if not leaf.type.is_complex:
        return [leaf]
    return [replace(leaf, name=f"{leaf.name}.{p}", type=part_type(leaf.type), part=p) for p in PARTS]


def _set_back(back: Back, outputs: _Places) -> Back:
    if isinstance(back, RowsBack):
        fields = (
            replace(f, result=outputs.result(f.result), when=None if f.when is None else outputs.indices[f.when])
            for f in back.fields
        )
        return replace(back, fields=tuple(fields), tables=tuple(map(outputs.result, back.tables)))  # type: ignore[arg-type]
    if isinstance(back, RefillBack):
        return RefillBack(back.path, outputs.result(back.result))
    when = None if back.when is None else outputs.indices[back.when]
    return SetBack(back.path, outputs.result(back.result), when)


def _effect(effect: HostEffect, outputs: _Places) -> HostEffect:
    return replace(
        effect,
        args=tuple(map(outputs.result, effect.args)),
        keywords=tuple((name, outputs.result(value)) for name, value in effect.keywords),
        reached=outputs.indices[effect.reached],
    )


# ---------------------------------------------------------------- the host


def _host_step(step: HostStep, parts: _Parts) -> HostStep:
    if any(t.is_complex for t in step.receives):
        raise refused("the host cannot tell the graph a complex number", step.loc, "ask for its .real and its .imag")
    if not any(t.is_complex for t in step.sends):
        return step
    sends = _Places.of(step.sends, parts)

    def given(result: Result) -> Result:
        return renumbered(result, sends.indices, sends.imaginary)

    doubled: Callable[[Sequence[Any]], tuple[Any, ...]] = lambda row: tuple(  # noqa: E731
        x for x, t in zip(row, step.sends, strict=True) for x in ((x, x) if t.is_complex else (x,))
    )
    return replace(
        step,
        args=tuple(map(given, step.args)),
        keywords=tuple((name, given(value)) for name, value in step.keywords),
        sends=tuple(part_type(t) if t.is_complex else t for t in doubled(step.sends)),
        made=doubled(step.made) if len(step.made) == len(step.sends) else step.made,
    )


__all__ = ["with_real_parts"]
