"""From argument specs to values."""

from __future__ import annotations

from typing import Any

from graph_program.extract.ir import results
from graph_program.extract.ir.interface import ArgInput, Fixed
from graph_program.extract.ir.paths import KeyStep, LayoutStep, Path, path_name, tuple_steps
from graph_program.extract.ir.specs import (
    ArgSpec,
    DictSpec,
    HostSpec,
    ListSpec,
    OpenSpec,
    RecordSpec,
    RowsSpec,
    SameSpec,
    StaticSpec,
    TensorSpec,
    TupleSpec,
)
from graph_program.extract.stage.host.steps import host_code
from graph_program.extract.stage.host.values import host_dicts
from graph_program.extract.stage.machine.decisions import HOST_DICTS, KNOWN, LAYOUTS
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.objects import caller_rows
from graph_program.extract.stage.paths import structural_parameters
from graph_program.extract.stage.program import given_lists
from graph_program.extract.stage.values.open_values import Open
from graph_program.extract.stage.values.values import Ref, SliceValue, Static, Tensor, Tuple, Value
from graph_program.extract.types.tensors.tensor_type import Kind


class Arguments:
    """The parameters of a program as values; collects the graph's inputs."""

    def __init__(self, m: Machine):
        self.m = m
        self.inputs: list[ArgInput] = []
        self.made: dict[Path, Value] = {}
        """Arrays and objects of the caller by their places."""
        self.state: list[tuple[Ref, str, ArgSpec]] = []
        """Attributes of captured objects that the program writes."""
        self.fixed: list[Fixed] = []
        """Numbers that are known by value."""

    def value(self, spec: ArgSpec, path: Path, static: Any) -> Value:
        """The value of one leaf or structure of the arguments.

        `static` looks up the present Python object at a path, for parameters specialised by value.
        """
        m = self.m
        match spec:
            case StaticSpec():
                return Static(spec.value, path)
            case TensorSpec(type_):
                asked = m.decided[KNOWN].get(path)
                if asked is not None:
                    self.fixed.append(Fixed(path, static(path), asked.diagnostic))
                    return Static(static(path), path)
                name = m.input_name(path_name(path), type_)
                self.inputs.append(ArgInput(name, path, type_))
                needs = frozenset([path]) if type_.kind is Kind.PYTHON else frozenset()
                if type_.kind is Kind.PYTHON:
                    m.host.both.add(name)
                structural_parameters.given(m, name, type_, path)
                layout = static((*path, LayoutStep())) if path in m.decided[LAYOUTS] else ""
                result = Tensor(name, type_, m.loc, path=path, needs=needs, layout=layout)
                if result.is_array:
                    m.outside.arguments[result] = name
                self.made[path] = result
                return result
            case HostSpec(cls):
                return host_code.given(m, results.ArgResult(path), m.loc, cls)
            case SameSpec(place) if place not in self.made:  # in a list of any length
                raise given_lists.needed_apart(m, place, path)
            case SameSpec(place):
                return caller_rows.shared(m, self.made[place])
            case OpenSpec(term):
                return Open(term, m.loc, path_name(path))
            case TupleSpec(elts, cls):
                steps = tuple_steps(cls, len(elts))
                return Tuple(tuple(self.value(e, (*path, s), static) for e, s in zip(elts, steps, strict=True)), cls)
            case ListSpec(elts):
                ref = self.object(list, path)
                return self.fill(ref, tuple(self.value(e, (*path, i), static) for i, e in enumerate(elts)))
            case RowsSpec():
                return given_lists.given(self, spec, path)
            case DictSpec() if path in m.decided[HOST_DICTS]:
                self.made[path] = host = host_dicts.given(m, spec, path)
                return host
            case DictSpec(items):
                ref = self.object(dict, path)
                return self.fill(ref, {k: self.value(e, (*path, KeyStep(k)), static) for k, e in items})
            case RecordSpec(cls, fields) if cls is slice:
                return SliceValue(*(self.value(e, (*path, f".{n}"), static) for n, e in fields), path=path)
            case RecordSpec(cls, fields):
                ref = self.object(cls, path)
                self.fill(ref, {n: self.value(e, (*path, f".{n}"), static) for n, e in fields})
                self.made[path] = caller_rows.given(m, ref)
                return self.made[path]
        raise AssertionError(spec)

    def object(self, cls: type, path: Path) -> Ref:
        """A mutable object of the caller; it may be a part of itself."""
        ref = self.made[path] = Ref(cls, self.m.loc, path=path)
        return ref

    def fill(self, ref: Ref, contents: Any) -> Ref:
        """Give a new object its contents."""
        self.m.live.heap[ref] = contents
        self.m.outside.arguments[ref] = contents
        return ref
