"""From argument specs to values, and from the program's result back to an `Interface`."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

from graph_program.extract import diagnostics
from graph_program.extract.ir import interface
from graph_program.extract.ir.interface import ArgInput, Path, path_name
from graph_program.extract.ir.residual import Operand
from graph_program.extract.stage.machine import Machine
from graph_program.extract.stage.structure import describe
from graph_program.extract.stage.use import mixed_error, settled
from graph_program.extract.stage.values import (
    Maybe,
    Mixed,
    Open,
    Ref,
    Static,
    Tensor,
    Text,
    Tuple,
    Value,
)
from graph_program.extract.types.dims import Dim
from graph_program.extract.types.tensor_type import Kind, TensorType


class Arguments:
    """The parameters of a program as values; collects the graph's inputs."""

    def __init__(self, m: Machine):
        self.m = m
        self.inputs: list[ArgInput] = []
        self.initial: dict[Ref, Any] = {}
        """What objects of the caller held when the call began."""

    def value(self, spec: interface.ArgSpec, path: Path, static: Any) -> Value:
        """The value of one leaf or structure of the arguments.

        `static` looks up the present Python object at a path, for parameters specialised by value.
        """
        m = self.m
        match spec:
            case interface.StaticSpec():
                return Static(spec.value, path)
            case interface.TensorSpec(type_):
                if path in m.options.static_parameters:
                    return Static(static(path), path)
                name = m.input_name(path_name(path))
                m.types[name] = type_
                self.inputs.append(ArgInput(name, path, type_))
                needs = frozenset([path]) if type_.kind is Kind.PYTHON else frozenset()
                result = Tensor(name, type_, m.loc, path=path, needs=needs)
                if result.is_array:
                    m.arguments.append(result)
                return result
            case interface.OpenSpec(term):
                return Open(term, m.loc, path_name(path))
            case interface.TupleSpec(elts, cls):
                steps = interface.tuple_steps(cls, len(elts))
                return Tuple(tuple(self.value(e, (*path, s), static) for e, s in zip(elts, steps, strict=True)), cls)
            case interface.ListSpec(elts):
                items = tuple(self.value(e, (*path, i), static) for i, e in enumerate(elts))
                return self.object(list, items, path)
            case interface.DictSpec(items_):
                contents = {k: self.value(e, (*path, interface.KeyStep(k)), static) for k, e in items_}
                return self.object(dict, contents, path)
            case interface.RecordSpec(cls, fields):
                contents = {n: self.value(e, (*path, f".{n}"), static) for n, e in fields}
                return self.object(cls, contents, path)

    def object(self, cls: type, contents: Any, path: Path) -> Ref:
        """A mutable object of the caller."""
        ref = Ref(cls, self.m.loc, path=path)
        self.m.live.heap[ref] = contents
        self.initial[ref] = contents
        self.m.arguments.append(ref)
        return ref


def _renamed(type_: TensorType, names: Mapping[str, Dim]) -> TensorType:
    if not any(d.symbols & names.keys() for d in type_.shape):
        return type_
    return TensorType(type_.dtype, tuple(d.substitute(names) for d in type_.shape), type_.kind)


class Results:
    """The program's result as graph outputs and a recipe to rebuild Python's objects."""

    def __init__(self, m: Machine):
        self.m = m
        self.arguments_are_outputs = False
        """Whether an argument that is given back is an output of its own, not the caller's object."""
        self.names_of_dims: Mapping[str, Dim] = {}
        self.shared: dict[int, int] = {}
        self.outputs: list[Operand] = []
        self.names: list[str] = []

    def rename(self, names: Mapping[str, Dim]) -> None:
        """Give symbols other names, in the types of results and of all variables."""
        self.names_of_dims = names
        for variable, type_ in self.m.types.items() if names else ():
            self.m.types[variable] = _renamed(type_, names)

    def output(self, value: Value, name: str) -> int:
        """The index of a graph output that holds a number or array; an array given back twice is one."""
        if id(value) in self.shared:
            return self.shared[id(value)]
        if isinstance(value, Tensor) and value.is_array:
            self.shared[id(value)] = len(self.outputs)
        operand = self.m.operand(value)
        self.outputs.append(operand)
        taken = set(self.names)
        unique, count = name, 1
        while unique in taken:
            unique, count = f"{name}.{count}", count + 1
        self.names.append(unique)
        return len(self.outputs) - 1

    def result(self, value: Value, name: str) -> interface.Result:
        """How to build a value from outputs, arguments and constants.

        Raises
        ------
        DTypeError
            For a value that cannot leave the program (GP350), such as a function made inside it.
        """
        m = self.m
        if isinstance(value, Mixed):
            if value.selector is None:
                raise mixed_error(m, value)
            case = self.output(value.selector, f"{name}.case")
            return interface.ChoiceResult(case, tuple(self.result(v, name) for v in value.values))
        if not (isinstance(value, Maybe) and value.absent == "none"):
            value = settled(m, value)
        ours = not self.arguments_are_outputs and any(a is value for a in m.arguments)
        match value:
            case Tensor() | Ref() if ours and value.path:
                return interface.ArgResult(value.path)
            case Tensor() if value.is_array and m.is_captured(value):
                return interface.CapturedResult(next(c.array for c, t in m.captured.values() if t is value))
            case Tensor():
                type_ = self.m.facts.resolve_type(value.type)
                return interface.OutputResult(self.output(value, name), _renamed(type_, self.names_of_dims))
            case Static(obj):
                return interface.CapturedResult(obj) if value.path else interface.ConstantResult(obj)
            case Text(parts_):
                return interface.TextResult(
                    tuple(p if isinstance(p, str) else (self.result(p[0], name), p[1], p[2]) for p in parts_)
                )
            case Maybe(missing, inner, _):
                flag = self.output(missing, f"{name}.is_none")
                return interface.OptionalResult(flag, self.result(inner, name))
            case Tuple(elts, cls):
                fields = cls._fields if cls else range(len(elts))  # type: ignore[attr-defined]
                parts = (self.result(e, f"{name}.{f}") for e, f in zip(elts, fields, strict=True))
                return interface.TupleResult(tuple(parts), cls)
            case Ref():
                return self.object_result(value, name)
        raise m.error(
            "GP350",
            f"a {describe(value)} made in the program cannot leave it",
            cls=diagnostics.DTypeError,
            hint="return numbers, arrays, and tuples, lists, dicts or dataclasses of them",
        )

    def object_result(self, value: Ref, name: str) -> interface.Result:
        contents = self.m.live.heap[value]
        if value.cls is list:
            parts = tuple(self.result(e, f"{name}.{i}") for i, e in enumerate(contents))
            return interface.ListResult(parts)
        items: list[tuple[Hashable, interface.Result]] = [
            (k, self.result(v, f"{name}.{k}")) for k, v in contents.items()
        ]
        if value.cls is dict:
            return interface.DictResult(tuple(items))
        return interface.RecordResult(value.cls, tuple((str(k), r) for k, r in items))

    def write_backs(self) -> tuple[interface.WriteBack, ...]:
        """Outputs for the arrays of the caller that the program has written."""
        m = self.m
        found = []
        for value in m.arguments:
            if isinstance(value, Tensor) and m.contents(value) != value.operand:
                found.append(interface.WriteBack(value.path, self.output(value, path_name(value.path))))
        return tuple(found)

    def set_backs(self, arguments: Arguments) -> tuple[interface.SetBack, ...]:
        """New contents of the caller's objects that the program has changed."""
        m = self.m
        found: list[interface.SetBack] = []
        for ref, before in arguments.initial.items():
            after = m.live.heap[ref]
            if after is before:
                continue
            pairs = self._changed(ref, before, after)
            for step, value in pairs:
                path = (*ref.path, step)
                found.append(interface.SetBack(path, self.result(value, path_name(path))))
        return tuple(found)

    def _changed(self, ref: Ref, before: Any, after: Any) -> list[tuple[interface.Step, Value]]:
        m = self.m
        if isinstance(after, tuple):
            if len(after) != len(before):
                raise m.error(
                    "GP356",
                    f"the list '{interface.path_text(ref.path)}' of the caller changes its length",
                    hint="return the new list",
                )
            return [(i, a) for i, (a, b) in enumerate(zip(after, before, strict=True)) if a is not b]
        if ref.cls is dict and before.keys() - after.keys():
            raise m.error(
                "GP356",
                f"the dict '{interface.path_text(ref.path)}' of the caller loses a key",
                hint="return the new dict",
            )
        steps = [(interface.KeyStep(k) if ref.cls is dict else f".{k}", k) for k in after]
        return [(s, after[k]) for s, k in steps if after[k] is not before.get(k)]
