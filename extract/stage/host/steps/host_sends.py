"""What a step on the host is given: objects there, and values that the graph sends."""

from __future__ import annotations

from typing import Any

from graph_program.extract import diagnostics
from graph_program.extract.ir import results
from graph_program.extract.ir.residual import Operand
from graph_program.extract.stage.arrays import archives
from graph_program.extract.stage.host.steps.program_results import Results
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.numbers.host_numbers import object_of
from graph_program.extract.stage.values.values import Static, Tensor, Value, type_of
from graph_program.extract.types.tensors.tensor_type import TensorType


class Sends(Results):
    """What one step is given: expressions over objects on the host and values that the graph sends."""

    def __init__(self, m: Machine):
        super().__init__(m)
        self.arguments_are_outputs = True
        self.numbers: list[Operand] = []
        self.types: list[TensorType] = []
        self.made: list[diagnostics.Loc] = []

    def output(self, value: Value, name: str) -> int:
        if id(value) not in self.shared:
            self.shared[id(value)] = (value, len(self.outputs))
            self.outputs.append(self.m.operand(value))
            self.types.append(self.m.facts.resolve_type(type_of(value)))
            self.made.append(value.loc if isinstance(value, Tensor) else self.m.loc)
        return self.shared[id(value)][1]

    def object(self, number: Value) -> int:
        operand = self.m.operand(number)
        if operand not in self.numbers:
            self.numbers.append(operand)
        return self.numbers.index(operand)

    def result(self, value: Value, name: str) -> results.Result:
        found = object_of(self.m, value)
        if found is not None:
            return results.ObjectResult(self.object(found.number))
        if isinstance(value, Static):
            obj = value.value
            return results.CapturedResult(archives.original(obj)) if _is_live(obj) else results.ConstantResult(obj)
        return super().result(value, name)


def _is_live(value: Any) -> bool:
    """Whether a static object is the very one that the user's code has, not a number or string."""
    return not isinstance(value, str | bytes | int | float | complex | None.__class__)
