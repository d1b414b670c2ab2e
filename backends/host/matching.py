"""Argument specs to generated Python: does an argument fit, and where its leaves are."""

from __future__ import annotations

from typing import Any

import numpy as np

from graph_program.backends.host.codegen import Scope
from graph_program.backends.host.statics import same_static, static_key
from graph_program.extract.ir.interface import (
    ArgSpec,
    DictSpec,
    KeyStep,
    ListSpec,
    Path,
    RecordSpec,
    StaticSpec,
    Step,
    TensorSpec,
    TupleSpec,
)
from graph_program.extract.types.tensor_type import Kind, TensorType


class Matcher:
    """Writes the lines that take arguments apart.

    With `miss` they return it where an argument does not fit; without, they only bind the leaves.
    """

    def __init__(self, scope: Scope, lines: list[str], miss: str | None):
        self.scope = scope
        self.lines = lines
        self.miss = miss
        self.places: dict[Path, str] = {}
        """The variable that holds each part of the arguments."""
        self.tensors: dict[Path, TensorType] = {}

    def match(self, variable: str, spec: ArgSpec, path: Path) -> None:
        """Check one part, held by `variable`, and bind what is in it."""
        self.places[path] = variable
        match spec:
            case TensorSpec(type_):
                self.tensors[path] = type_
                self._require(self._tensor_misfit(variable, type_))
            case StaticSpec():
                self._require(self._static_misfit(variable, spec.value))
            case TupleSpec(elts, cls):
                fields: list[Any] = list(getattr(cls, "_fields", ())) if cls else list(range(len(elts)))
                steps: list[Step] = [f".{f}" for f in fields] if cls else fields
                self._sequence(variable, cls or tuple, list(zip(steps, elts, strict=True)), path)
            case ListSpec(elts):
                self._sequence(variable, list, list(enumerate(elts)), path)
            case DictSpec(items):
                self._dict(variable, dict(items), path)
            case RecordSpec(cls, record_fields):
                self._require(f"type({variable}) is not {self.scope.constant(cls, 'class')}")
                for name, field in record_fields:
                    self._bind(f"{variable}.{name}", field, (*path, f".{name}"))

    def _require(self, misfit: str) -> None:
        if self.miss is not None and misfit:
            self.lines.append(f"if {misfit}: return {self.miss}")

    def _bind(self, text: str, spec: ArgSpec, path: Path) -> None:
        variable = self.scope.fresh("part")
        self.lines.append(f"{variable} = {text}")
        self.match(variable, spec, path)

    def _tensor_misfit(self, variable: str, type_: TensorType) -> str:
        constant = self.scope.constant
        if type_.kind is Kind.PYTHON:
            return f"type({variable}) is not {type_.python_class.__name__}"
        if type_.kind is Kind.NUMPY:
            return f"type({variable}) is not {constant(type_.dtype.type, 'class')}"
        tests = [
            f"type({variable}) is not {constant(np.ndarray, 'ndarray')}",
            f"{variable}.dtype is not {constant(type_.dtype, 'dtype')}",
            f"{variable}.ndim != {type_.rank}",
        ]
        return " or ".join(tests)

    def _static_misfit(self, variable: str, value: Any) -> str:
        if value is None or isinstance(value, bool):
            return f"{variable} is not {value}"
        name = self.scope.constant(value, "static")
        if type(value) in (str, int):
            return f"type({variable}) is not {type(value).__name__} or {variable} != {name}"
        if type(value) is type:
            return f"{variable} is not {name}"
        same = self.scope.constant(same_static, "same")
        return f"{variable} is not {name} and not {same}({variable}, {name})"

    def _sequence(self, variable: str, cls: type, parts: list[tuple[Any, ArgSpec]], path: Path) -> None:
        name = cls.__name__ if cls in (tuple, list) else self.scope.constant(cls, "class")
        self._require(f"type({variable}) is not {name} or len({variable}) != {len(parts)}")
        for i, (step, spec) in enumerate(parts):
            self._bind(f"{variable}[{i}]", spec, (*path, step))

    def _dict(self, variable: str, items: dict[Any, ArgSpec], path: Path) -> None:
        keys = self.scope.constant(list(items), "keys")
        same = self.scope.constant(same_static, "same")
        self._require(f"type({variable}) is not dict or not {same}(list({variable}), {keys})")
        for key, spec in items.items():
            self._bind(f"{variable}[{self.scope.constant(key, 'key')}]", spec, (*path, KeyStep(key)))


def static_leaves(before: ArgSpec, after: ArgSpec, path: Path) -> list[Path]:
    """The paths of numbers in `before` that `after`, the spec of the extraction, has made static."""
    if isinstance(before, TensorSpec):
        return [path] if isinstance(after, StaticSpec) else []
    pairs = zip(_parts(before), _parts(after), strict=True)
    return [p for (step, old), (_, new) in pairs for p in static_leaves(old, new, (*path, step))]


def _parts(spec: ArgSpec) -> list[tuple[Step, ArgSpec]]:
    match spec:
        case TupleSpec(elts, cls):
            names: tuple[str, ...] = getattr(cls, "_fields", ())
            return [(f".{names[i]}" if cls else i, e) for i, e in enumerate(elts)]
        case ListSpec(elts):
            return list(enumerate(elts))
        case DictSpec(items):
            return [(KeyStep(k), e) for k, e in items]
        case RecordSpec(_, fields):
            return [(f".{n}", e) for n, e in fields]
    return []


__all__ = ["Matcher", "same_static", "static_key", "static_leaves"]
