"""Direct interpreter of residual programs: what each statement says, and nothing clever.

The tests compare the graph that the control stage makes with this.
"""

from __future__ import annotations

from dataclasses import field

import numpy as np

from graph_program.backends.reference.interpreter import reference_of
from graph_program.extract.ir.residual import (
    Block,
    Check,
    Const,
    Copy,
    Effect,
    If,
    Leave,
    Loop,
    Op,
    Operand,
    OperationCheck,
    Program,
    Raise,
    SizeCheck,
    Stmt,
)
from graph_program.extract.records import dataclass


class OutOfFuel(Exception):
    """The program took more steps than it was given."""


@dataclass
class Outcome:
    """How a run ended: the outputs, or the error number (`Program.errors[error]`) and its arguments."""

    outputs: list[np.ndarray] = field(default_factory=list)
    error: int | None = None
    error_args: list[np.ndarray] = field(default_factory=list)


class _Ended(Exception):
    """An error ended the program."""


class _Left(Exception):
    def __init__(self, label: str):
        self.label = label


def interpret(program: Program, inputs: list[np.ndarray], fuel: int = 100_000) -> Outcome:
    """Run a residual program; `OutOfFuel` if it executes more than `fuel` statements."""
    machine = _Machine(dict(zip(program.inputs, inputs, strict=True)), fuel)
    try:
        with np.errstate(all="ignore"):
            machine.run(program.body)
            machine.end_on_error()
    except _Ended:
        return Outcome(error=machine.error, error_args=machine.error_args)
    return Outcome([machine.read(output) for output in program.outputs])


class _Machine:
    def __init__(self, values: dict[str, np.ndarray], fuel: int):
        self.values = values
        self.fuel = fuel
        self.error: int | None = None
        self.error_args: list[np.ndarray] = []

    def read(self, operand: Operand) -> np.ndarray:
        return operand.value if isinstance(operand, Const) else self.values[operand]

    def end_on_error(self) -> None:
        if self.error is not None:
            raise _Ended

    def record(self, error: int, args: tuple[Operand, ...]) -> None:
        if self.error is None:
            self.error, self.error_args = error, [self.read(arg) for arg in args]

    def run(self, body: list[Stmt]) -> None:
        for stmt in body:
            self.spend()
            self.execute(stmt)

    def spend(self) -> None:
        self.fuel -= 1
        if self.fuel < 0:
            raise OutOfFuel

    def execute(self, stmt: Stmt) -> None:
        match stmt:
            case Op(target, op, args, attrs):
                self.values[target] = np.asarray(reference_of(op)(*map(self.read, args), **attrs))
            case Copy(targets, sources):
                self.values.update(zip(targets, [self.read(source) for source in sources], strict=True))
            case Effect(targets, sources):
                if self.error is None:
                    self.values.update(zip(targets, [self.read(source) for source in sources], strict=True))
            case If(test, body, orelse):
                self.run(body if bool(self.read(test)) else orelse)
            case Loop():
                self.loop(stmt)
            case Block(label, body):
                try:
                    self.run(body)
                except _Left as left:
                    if left.label != label:
                        raise
            case Leave(label):
                raise _Left(label)
            case Check(bad, error, args):
                if bool(self.read(bad)):
                    self.record(error, args)
            case SizeCheck(body, bad, error, args):
                self.run(body)
                if bool(self.read(bad)):
                    self.record(error, args)
                    raise _Ended
            case OperationCheck(body, bad, report, error, args):
                self.run(body)
                if bool(self.read(bad)):
                    self.run(report)
                    self.record(error, args)
                    raise _Ended
            case Raise(error, args):
                self.record(error, args)
                raise _Ended

    def loop(self, stmt: Loop) -> None:
        trips = None if stmt.trips is None else int(self.read(stmt.trips))
        done = 0
        while trips is None or done < trips:
            self.spend()
            self.end_on_error()
            if stmt.counter is not None:
                self.values[stmt.counter] = np.asarray(done, np.int64)
            self.run(stmt.body)
            done += 1
