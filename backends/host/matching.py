"""Argument specs to generated Python: does an argument fit, and where its leaves are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import is_dataclass
from functools import cached_property
from inspect import getattr_static
from typing import Any

import numpy as np

from graph_program.backends.host import rows
from graph_program.backends.host.codegen import Scope
from graph_program.backends.host.miss import MISS
from graph_program.backends.host.statics import same_static, static_key
from graph_program.extract.ir import memory
from graph_program.extract.ir.interface import State
from graph_program.extract.ir.paths import ROW, EmptinessStep, KeyStep, LayoutStep, LengthStep, Path, SizeStep, Step
from graph_program.extract.ir.specs import (
    AbsentSpec,
    ArgSpec,
    DictSpec,
    HostSpec,
    ListSpec,
    RecordSpec,
    RowsSpec,
    SameSpec,
    StaticSpec,
    TensorSpec,
    TupleSpec,
    spec_leaves,
)
from graph_program.extract.types.tensors.tensor_type import Kind, TensorType


class Matcher:
    """Writes the lines that take arguments apart.

    With `miss` they return it where an argument does not fit; without, they only bind the leaves.  `check` may be
    another one.
    """

    def __init__(self, scope: Scope, lines: list[str], miss: str | None):
        self.scope = scope
        self.lines = lines
        self.miss = miss
        self.places: dict[Path, str] = {}
        """The variable that holds each part of the arguments."""
        self.tensors: dict[Path, TensorType] = {}
        self.lists: dict[Path, str] = {}
        """The variable that holds the columns of each list of any length."""
        self.in_lists: list[Path] = []
        """Where arrays are in such lists."""

    def match(self, variable: str, spec: ArgSpec, path: Path) -> None:
        """Check one part, held by `variable`, and bind what is in it."""
        self.check(variable, spec, path)
        self.places[path] = variable
        match spec:
            case TensorSpec(type_):
                self.tensors[path] = type_
            case SameSpec():
                del self.places[path]
            case TupleSpec(elts, cls):
                fields: list[Any] = list(getattr(cls, "_fields", ())) if cls else list(range(len(elts)))
                steps: list[Step] = [f".{f}" for f in fields] if cls else fields
                self._sequence(variable, list(zip(steps, elts, strict=True)), path)
            case ListSpec(elts):
                self._sequence(variable, list(enumerate(elts)), path)
            case RowsSpec():
                self._rows(variable, spec, path)
            case DictSpec(items):
                for key, item in items:
                    self._bind(f"{variable}[{self.scope.constant(key, 'key')}]", item, (*path, KeyStep(key)))
            case RecordSpec(_, record_fields):
                for name, field in record_fields:
                    self.attribute(variable, name, field, path)

    def check(self, variable: str, spec: ArgSpec, path: Path) -> None:
        """Write what is asked of one part, apart from what is in it."""
        for misfit in self._misfits(variable, spec) if self.miss is not None else ():
            self.lines.append(f"if {misfit}: return {self.miss}")

    def _misfits(self, variable: str, spec: ArgSpec) -> Iterator[str]:
        """Expressions that are true where a part is another one, apart from what is in it."""
        constant = self.scope.constant
        match spec:
            case TensorSpec(type_, layout, filled):
                yield self._tensor_misfit(variable, type_)
                if layout:
                    yield memory.misfit_expression(variable, layout, type_.rank)
                yield from (f"not {variable}.shape[{axis}]" for axis in sorted(filled))
            case SameSpec(place):
                yield f"{variable} is not {self.places[place]}"
            case AbsentSpec():
                yield f"{variable} is not {constant(MISS, 'miss')}"
            case HostSpec(cls):
                yield f"type({variable}) is not {constant(cls, 'class')}"
            case StaticSpec():
                yield self._static_misfit(variable, spec.value)
            case TupleSpec(elts) | ListSpec(elts):
                cls = list if isinstance(spec, ListSpec) else spec.cls or tuple
                name = cls.__name__ if cls in (tuple, list) else constant(cls, "class")
                yield f"type({variable}) is not {name} or len({variable}) != {len(elts)}"
            case DictSpec(items):
                keys = constant([key for key, _ in items], "keys")
                yield f"type({variable}) is not dict or not {constant(same_static, 'same')}(list({variable}), {keys})"
            case RecordSpec(cls, record_fields):
                yield f"type({variable}) is not {constant(cls, 'class')}"
                if not is_dataclass(cls) and cls is not slice and hasattr(cls, "__dict__"):
                    names = constant({name for name, _ in record_fields}, "names")
                    yield f"not {variable}.__dict__.keys() <= {names}"

    def _rows(self, variable: str, spec: RowsSpec, path: Path) -> None:
        """Make columns of a list of any length, and bind them."""
        pack = self.scope.constant(rows.packer(spec, self.miss is not None), "pack")
        self.lists[path] = packed = self.scope.fresh("columns")
        self.lines.append(f"{packed} = {pack}({variable})")
        if self.miss is not None:
            self.lines.append(f"if {packed} is None: return {self.miss}")
        self.in_lists += [place for place, leaf in spec_leaves(spec.element, (*path, ROW)) if rows.is_array(leaf)]
        if isinstance(spec.element, RecordSpec):
            self.places[*path, ROW] = elements = self.scope.fresh("elements")
            self.lines.append(f"{elements} = {variable}[:]")
        for number, (place, type_) in enumerate(rows.columns(spec, path)):
            self.places[place] = column = self.scope.fresh("column")
            self.tensors[place] = type_
            self.lines.append(f"{column} = {packed}[{number}]")

    def attribute(self, variable: str, name: str, spec: ArgSpec, path: Path, cls: type | None = None) -> None:
        """Check one attribute of an object, and bind what is in it."""
        if isinstance(spec, AbsentSpec) and self.miss is None:
            return
        text = f"{variable}.{name}"
        if cls is not None and isinstance(getattr_static(cls, name, None), cached_property):
            text = f"{variable}.__dict__.get({name!r}, {self.scope.constant(MISS, 'miss')})"
        elif self.miss is not None:
            absent = self.scope.constant(MISS, "miss")
            text = f"{self.scope.constant(getattr, 'getattr')}({variable}, {name!r}, {absent})"
        self._bind(text, spec, (*path, f".{name}"))

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

    def _sequence(self, variable: str, parts: list[tuple[Any, ArgSpec]], path: Path) -> None:
        for i, (step, spec) in enumerate(parts):
            self._bind(f"{variable}[{i}]", spec, (*path, step))


def match_state(matcher: Matcher, state: State) -> None:
    """Check that the state is as it was at extraction, and bind what is in it."""
    scope, lines, miss = matcher.scope, matcher.lines, matcher.miss
    for owner in state.objects:
        matcher.places[owner.path] = scope.constant(owner.object, "object")
    for owner in state.objects:
        for name, spec in owner.attributes:
            matcher.attribute(matcher.places[owner.path], name, spec, owner.path, type(owner.object))
    if miss is None:
        return
    for path, obj in state.same:
        lines.append(f"if {matcher.places[path]} is not {scope.constant(obj, 'same')}: return {miss}")
    parts = [matcher.places[p] for p in mutable_parts(state)]
    inside = [columns for path, columns in matcher.lists.items() if any(is_in(path, p) for p, _ in state.attributes())]
    if len(parts) > 1 or (parts and state.apart):
        number = scope.constant(id, "id")
        numbers = scope.fresh("numbers")
        found = [*(f"{number}({part})" for part in parts), *(f"*{columns}.parts" for columns in inside)]
        count = " + ".join([str(len(parts)), *(f"len({columns}.parts)" for columns in inside)])
        lines.append(f"{numbers} = {{{', '.join(found)}}}")
        lines.append(f"if len({numbers}) != {count}: return {miss}")
        known = {id(obj) for _, obj in state.same}
        others = scope.constant({id(obj) for obj in state.apart} - known, "others")
        lines.append(f"if not {others}.isdisjoint({numbers}): return {miss}")


def is_in(path: Path, parent: Path) -> bool:
    """Whether something is at a place, or in what is there."""
    return path[: len(parent)] == parent


def mutable_parts(state: State) -> list[Path]:
    """The places of the arrays and objects in the state that are there once."""
    found: list[Path] = []
    for path, spec in state.attributes():
        found += _mutable(spec, path)
    return found


def _mutable(spec: ArgSpec, path: Path) -> list[Path]:
    own = isinstance(spec, ListSpec | RowsSpec | DictSpec | RecordSpec) and getattr(spec, "cls", None) is not slice
    own = own or (isinstance(spec, TensorSpec) and spec.type.kind is Kind.ARRAY)
    return [*([path] if own else ()), *(p for step, part in _parts(spec) for p in _mutable(part, (*path, step)))]


def static_leaves(before: ArgSpec, after: ArgSpec, path: Path) -> list[Path]:
    """The paths of numbers, sizes, empty axes and layouts that `after`, the spec of the extraction, has made static."""
    if isinstance(before, TensorSpec):
        if not isinstance(after, TensorSpec):
            return [path] if isinstance(after, StaticSpec) else []
        sizes = zip(before.type.shape, after.type.shape, strict=True)
        found: list[Path] = [(*path, LayoutStep())] if after.layout != before.layout else []
        found += [(*path, EmptinessStep(axis)) for axis in sorted(after.filled - before.filled)]
        return found + [
            (*path, SizeStep(axis)) for axis, (old, new) in enumerate(sizes) if old != new and new.constant is not None
        ]
    if isinstance(before, RowsSpec) and isinstance(after, ListSpec):
        assert before.static is not None
        return [(*path, LengthStep()), *static_leaves(before.static, after, path)]
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
