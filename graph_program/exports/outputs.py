"""What a model file gives back: everything that the Python call does, and nothing for the host.

A call returns unchanged parameters and constants without the graph's help, and prints by itself; a
file has no such help.  Its outputs are all arrays and numbers of the result, in their order, then
written parameters.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from graph_program.extract.diagnostics import Diagnostic, GraphProgramError, Loc
from graph_program.extract.ir import interface, results
from graph_program.extract.ir.graph import Graph, GraphProgram, Node, Value
from graph_program.extract.ir.interface import Interface
from graph_program.extract.ir.paths import Path, path_name
from graph_program.extract.ir.results import Result
from graph_program.extract.types.dims import dim
from graph_program.extract.types.tensors.bfloat16 import is_bfloat16, is_number
from graph_program.extract.types.tensors.tensor_type import PY_TYPES, Kind, TensorType

Leaf = tuple[str, int | Value]
"""An output's name, and the number of a graph output or a value that is not one yet."""


def complete(program: GraphProgram, described: Interface, loc: Loc) -> GraphProgram:
    """The program with all results as outputs, and without those that only host code needs.

    Raises
    ------
    GraphProgramError
        GP503 where nothing is left that a model could give back.
    """
    _tell_effects(described)
    leaves = _Leaves(program, described)
    found = list(dict(_distinct(leaves)).items())
    flags = {back.when for back in described.set_backs if isinstance(back, interface.SetBack)}
    _tell_state_that_changes(described, [n for n, leaf in found if leaves.in_state(n) and leaf not in flags], loc)
    if not found and not program.errors:
        raise GraphProgramError(
            Diagnostic(
                "GP503",
                f"`{program.name}` gives back no array and no number, so there is no model of it",
                loc,
                hint="return an array or a number, or write to a parameter",
            )
        )
    outputs, count = program.graph.outputs, len(program.output_names)
    values = [outputs[leaf] if isinstance(leaf, int) else leaf for _, leaf in found]
    values += outputs[count : count + 1]  # the error number
    places = {leaf: i for i, (_, leaf) in enumerate(found) if isinstance(leaf, int)} | {count: len(found)}
    arguments: list[tuple[int, ...]] = []
    for wanted in program.error_args:
        for index in wanted:
            if index not in places or places[index] < len(found):
                places[index] = len(values)
                values.append(outputs[index])
        arguments.append(tuple(places[index] for index in wanted))
    graph = Graph(program.graph.inputs, [*leaves.constants, *program.graph.nodes], values)
    return replace(program, graph=graph, output_names=[name for name, _ in found], error_args=arguments)


def _tell_effects(described: Interface) -> None:
    """A warning at each line whose effect the model does not have."""
    effects = ((effect.loc, getattr(effect.function, "__qualname__", "this call")) for effect in described.effects)
    for loc, name in (*effects, *described.unreported):
        text = f"{loc}: {name}(...) runs on the host; the model does not have it"
        warnings.warn_explicit(text, UserWarning, loc.file, loc.line)


CASE = ".case"
"""How the number ends by which a text, a member of an enumeration and the like is told."""
OF_TEXTS = (
    "as a model knows such texts, members of enumerations and objects when it is written; for one that is run step by "
    "step, keep a number in its place"
)
OTHER_STRUCTURE = (
    "as the state has another structure after this call; for a model that is run step by step, call the program first"
)


def _tell_state_that_changes(described: Interface, given: list[str], loc: Loc) -> None:
    """A warning where the model gives back state that it does not take, as it has another structure before the call."""
    taken = {i.name for i in described.inputs}
    new = [name for name in given if name not in taken]
    if new:
        is_text = all(name.endswith(CASE) for name in new)
        text = (
            f"{loc}: the model gives back the state {', '.join(map(repr, new))} but does not take it, "
            f"{OF_TEXTS if is_text else OTHER_STRUCTURE}"
        )
        warnings.warn_explicit(text, UserWarning, loc.file, loc.line)


def _distinct(leaves: _Leaves) -> Iterator[Leaf]:
    """The leaves by name, without repeated outputs."""
    seen: set[int] = set()
    under: set[Leaf] = set()
    taken: set[str] = set()
    for name, leaf in leaves.all():
        if isinstance(leaf, int):
            if (name, leaf) in under or (leaf in seen and not leaves.in_state(name)):
                continue
            seen.add(leaf)
            under.add((name, leaf))
        unique, number = name, 1
        while unique in taken:
            unique, number = f"{name}.{number}", number + 1
        taken.add(unique)
        yield unique, leaf


class _Leaves:
    """Walks a result, leaf by leaf, in Python's order."""

    def __init__(self, program: GraphProgram, described: Interface):
        self.program = program
        self.described = described
        self.constants: list[Node] = []
        values = {value.name: value for value in program.graph.inputs}
        self.inputs = [(i, values[i.name]) for i in described.inputs if i.name in values]
        self.written = {(back.path, part): index for back in described.write_backs for part, index in _outputs(back)}
        self.replaced = {field.path for field in described.set_backs if _is_for_good(field)}
        """Attributes and items whose names are those of what is in them after the call."""

    def in_state(self, name: str) -> bool:
        """Whether an output is a part of the state, which whoever runs the model has to carry."""
        return any(name.startswith(path_name(path)) for path, _ in self.described.state.attributes())

    def all(self) -> Iterator[Leaf]:
        """The result's leaves, then written parameters and fields."""
        result = self.described.result
        alone = isinstance(result, results.ArgResult) and result.path not in self.replaced
        yield from self.walk(result, path_name(result.path) if alone else "result")  # type: ignore[union-attr]
        for back in self.described.write_backs:
            for _, index in _outputs(back) if back.path not in self.replaced else ():
                yield self.program.output_names[index], index
        yield from self.set_fields()
        for back in self.described.write_backs:  # last, as another attribute may have the array now
            for _, index in _outputs(back) if back.path in self.replaced else ():
                yield f"written.{self.program.output_names[index]}", index

    def set_fields(self) -> Iterator[Leaf]:
        """What attributes and items are after the call."""
        for field in self.described.set_backs:
            if isinstance(field, interface.RowsBack):  # a model has the lists themselves
                continue
            name = path_name(field.path)
            rows = field.result.value if isinstance(field.result, results.SharedResult) else field.result
            if isinstance(rows, results.RowsResult):
                yield from self.rows(rows.element, name)
            elif isinstance(field.result, results.OutputResult) and self.in_state(name):
                whole = field.result.imag is None
                for part, index in _parts(field.result.index, field.result.imag):
                    yield name if whole else f"{name}.{part}", index
            else:
                yield from self.walk(field.result, name)
            if isinstance(field, interface.SetBack) and field.when is not None:
                yield self.program.output_names[field.when], field.when

    def rows(self, result: Result, name: str) -> Iterator[Leaf]:
        """The columns of a list that the caller has, named as the inputs are that they go to in the next call."""
        match result:
            case results.OutputResult(index, _, imag):
                for half, place in _parts(index, imag):
                    yield (f"{name}.{half}" if half else name), place
            case results.TupleResult(elts, cls):
                fields = cls._fields if cls else range(len(elts))  # type: ignore[attr-defined]
                for step, part in zip(fields, elts, strict=True):
                    yield from self.rows(part, f"{name}.{step}")
            case results.DictResult(items) | results.RecordResult(_, items):
                for key, part in items:
                    yield from self.rows(part, f"{name}.{key}")
            case results.RaggedResult(index, shapes) | results.ListedResult(((index, shapes),)):
                yield from ((name, index), (f"{name}.shapes", shapes))
            case _:
                yield from self.walk(result, name)

    def walk(self, result: Result, name: str) -> Iterator[Leaf]:
        names = self.program.output_names
        match result:
            case results.OutputResult(index, _, imag):
                for _, place in _parts(index, imag):
                    yield names[place], place
            case results.ArgResult(path):
                yield from self.argument(path, name)
            case results.CapturedResult(value) | results.ConstantResult(value):
                yield from self.value(value, name)
            case results.TupleResult(elts, cls):
                fields = cls._fields if cls else range(len(elts))  # type: ignore[attr-defined]
                for step, part in zip(fields, elts, strict=True):
                    yield from self.walk(part, f"{name}.{step}")
            case results.ListResult(elts):
                for i, part in enumerate(elts):
                    yield from self.walk(part, f"{name}.{i}")
            case results.DictResult(items) | results.RecordResult(_, items):
                for key, part in items:
                    yield from self.walk(part, f"{name}.{key}")
            case results.RowsResult(length, element):
                leaves = list(self.walk(element, name))
                yield from leaves if any(index == length for _, index in leaves) else [(names[length], length), *leaves]
            case results.RaggedResult(index, shapes, _, imag):
                for _, place in _parts(index, imag):
                    yield names[place], place
                yield names[shapes], shapes
            case results.ClassedResult(flag, number):
                yield from self.walk(number, name)
                yield names[flag], flag
            case results.ListedResult(columns):
                for pair in columns:
                    yield from ((names[index], index) for index in pair)
            case results.OptionalResult(flag, value) | results.LeftOutResult(flag, value):
                yield names[flag], flag
                yield from self.walk(value, name)
            case results.SharedResult(_, value):
                yield from self.walk(value, name)
            case results.PickedResult(index, _, tables):
                yield names[index], index
                for table in tables:
                    for _, field in table.fields:
                        yield from self.walk(field, table.cls.__name__)
            case results.ChoiceResult(case, options):
                yield names[case], case
                for part in options:
                    yield from self.walk(part, name)
            case results.TextResult(parts):
                for piece in parts:
                    if not isinstance(piece, str):
                        yield from self.walk(piece[0], name)

    def argument(self, path: Path, name: str) -> Iterator[Leaf]:
        """The inputs that make up an argument, and what the program has put in their places."""
        backs = (field for field in self.described.set_backs if not isinstance(field, interface.RowsBack))
        backs = (field for field in backs if field.path != path or not isinstance(field, interface.SetBack))
        sets = [field for field in backs if _is_under(field.path, path)]  # not what is in its place now
        for field in sets:
            yield from self.walk(field.result, path_name((name, *field.path[len(path) :])))
        for described, value in self.inputs:
            if any(_is_under(described.path, field.path) for field in sets):
                continue
            if isinstance(described, interface.ArgInput) and _is_under(described.path, path):
                rest = path_name((name, *described.path[len(path) :]))
                rest = f"{rest}.{described.part}" if described.part else rest
                written = self.written.get((described.path, described.part))
                if written is None:
                    yield rest, value
                    continue
                own = self.in_state(rest) or described.path in self.replaced
                yield rest if own else self.program.output_names[written], written

    def value(self, found: Any, name: str) -> Iterator[Leaf]:
        """A number or array that is the same at every call; strings and the like are Python's only."""
        own = [(i, v) for i, v in self.inputs if isinstance(i, interface.CapturedInput) and i.array is found]
        for described, value in own:
            yield f"{name}.{described.part}" if described.part else name, value
        type_ = _type(found)
        if type_ is None or own:
            return
        if type_.is_complex:
            for part in ("real", "imag"):
                yield from self.value(getattr(np.asarray(found), part), f"{name}.{part}")
            return
        value = Value(f"constant.{len(self.constants)}.of.result", type_)
        array = np.asarray(found, type_.dtype)
        self.constants.append(Node("constant", [], [value], {"value": array}))
        yield name, value


def _parts(index: int, imag: int | None) -> list[tuple[str, int]]:
    """The outputs of a value: of a complex one, two."""
    return [("", index)] if imag is None else [("real", index), ("imag", imag)]


def _outputs(back: interface.WriteBack) -> list[tuple[str, int]]:
    """The outputs with the new contents of an array, by the part that they are."""
    return _parts(back.output, back.imag)


def _is_for_good(field: interface.Back) -> bool:
    """Whether an attribute or item has another value after each call."""
    return isinstance(field, interface.SetBack) and field.when is None


def _is_under(path: Path, parent: Path) -> bool:
    return path[: len(parent)] == parent


def _type(found: Any) -> TensorType | None:
    if type(found) in PY_TYPES:
        return PY_TYPES[type(found)] if type(found) is not int or -(2**63) <= found < 2**63 else None
    if not isinstance(found, np.ndarray | np.generic) or not is_number(found.dtype):
        return None
    kind = Kind.ARRAY if isinstance(found, np.ndarray) else Kind.NUMPY
    dtype = found.dtype if is_bfloat16(found.dtype) else found.dtype.newbyteorder("=")
    return TensorType(dtype, tuple(dim(n) for n in found.shape), kind)


__all__ = ["complete"]
