"""The Python side of a model, as JSON in its metadata: what `graph_program.load` makes a function of.

It says how arguments and state feed the inputs, how outputs make the result, what is changed, and which exception
has which number.  `graph_program/onnx_program` reads it; docs/export.md shows it.
"""

from __future__ import annotations

import dataclasses
import inspect
import json
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from graph_program.backends.host.module_text import python_class
from graph_program.exports.fixed_attributes import fixed_attributes
from graph_program.exports.initial_state import InitialState
from graph_program.exports.literals import ClassTable, Json
from graph_program.extract.diagnostics import Diagnostic
from graph_program.extract.ir import errors, interface, results, specs
from graph_program.extract.ir.errors import ErrorInfo, RowsType
from graph_program.extract.ir.graph import GraphProgram
from graph_program.extract.ir.paths import OFFSETS, ROW, KeyStep, Path, path_text
from graph_program.extract.ir.results import Result
from graph_program.extract.ir.specs import ArgSpec
from graph_program.extract.types.dims import Atom, Dim, Symbol
from graph_program.extract.types.notation.annotation_reading import parse_annotation
from graph_program.extract.types.notation.annotations import ArrayAnnotation
from graph_program.extract.types.tensors.tensor_type import TensorType
from graph_program.onnx_program.program import FORMAT, METADATA, digest

if TYPE_CHECKING:
    from graph_program.calls.calls import Calls
    from graph_program.extract.extraction import Extraction

_KINDS = {
    inspect.Parameter.POSITIONAL_ONLY: "positional only",
    inspect.Parameter.POSITIONAL_OR_KEYWORD: "positional",
    inspect.Parameter.VAR_POSITIONAL: "*",
    inspect.Parameter.KEYWORD_ONLY: "keyword",
    inspect.Parameter.VAR_KEYWORD: "**",
}


def description(
    calls: Calls, extraction: Extraction, before: GraphProgram, program: GraphProgram, names: Sequence[str]
) -> Json:
    """The description of a model.

    Parameters
    ----------
    extraction : Extraction
        What the outputs are, by their numbers in `before`.
    before, program : GraphProgram
        The program, and the same with all results as outputs.
    names : sequence of str
        The outputs of the model.
    """
    places = {id(value): name for value, name in zip(program.graph.outputs, names, strict=False)}
    outputs = [places.get(id(value)) for value in before.graph.outputs]
    try:
        return _Writer(calls, extraction, outputs).all(program, names)
    except _NoWords as missing:
        return {"format": FORMAT, "missing": str(missing)}


def written(described: Json) -> str:
    """The text that is in the model; it holds a checksum, as files get damaged."""
    return json.dumps({**described, "digest": digest(described)}, separators=(",", ":"))


def without_state(described: Json) -> Json:
    """A description but for the classes of the numbers in its state."""
    return {key: value for key, value in described.items() if key != "state"}


def allow_both(described: Json, paths: Sequence[Path]) -> None:
    """Note that the numbers at some places of the state may be Python's or NumPy's."""
    for one in described.get("state", ()):
        for name, node in one["attributes"]:
            if (*one["path"], f".{name}") in paths:
                node["both"] = True


class _NoWords(Exception):
    """Something that a description cannot say; the model is one for arrays only."""


class _Writer:
    """Writes one description; `outputs` are the names of the program's outputs that the model has."""

    def __init__(self, calls: Calls, extraction: Extraction, outputs: Sequence[str | None]):
        self.calls = calls
        self.described = described = extraction.interface
        self.rows_backs = [back for back in extraction.in_a_call if isinstance(back, interface.RowsBack)]
        self.changed_lists = dict.fromkeys(back.path for back in self.rows_backs)
        self.rebuilt = {back.path for back in extraction.in_a_call if not isinstance(back, interface.RowsBack)}
        self.outputs = outputs
        self.classes = ClassTable()
        self.inputs: dict[Path, list[str]] = {}
        for i in described.inputs:
            if isinstance(i, interface.ArgInput):
                self.inputs.setdefault(i.path, []).append(i.name)
        self.given: list[Path] = []
        """Places whose objects are given back."""
        self.state = {id(one.object): one.path for one in described.state.objects}

    def all(self, program: GraphProgram, names: Sequence[str]) -> Json:
        described, callee = self.described, self.calls.callee
        count = len(program.output_names)
        told = len(names) > count
        result = self.result(described.result)
        return {
            "format": FORMAT,
            "name": callee.name,
            "qualname": callee.qualname,
            "bound": callee.bound,
            "signature": [self.parameter(p) for p in callee.signature.parameters.values()],
            "parameters": [[name, self.spec(spec, (name,))] for name, spec in described.parameters],
            "dims": {name: [bound.low, bound.high] for name, bound in described.dims.items()},
            "captured": [
                [i.name, path_text(i.path), self.path(i.path), i.part]
                for i in described.inputs
                if isinstance(i, interface.CapturedInput)
            ],
            "state": self.state_objects(),
            "fixed": fixed_attributes(described, program.graph, self.classes),
            "result": result,
            "changes": [*map(self.write_back, described.write_backs), *map(self.set_back, described.set_backs)],
            "changed objects": [self.path(path) for path in self.changed_lists],
            "error": names[count] if told else None,
            "errors": [
                self.error(info, [names[i] for i in wanted])
                for info, wanted in zip(program.errors, program.error_args, strict=True)
            ]
            if told
            else [],
            "classes": self.classes,
        }

    # what goes in

    def parameter(self, p: inspect.Parameter) -> Json:
        default = {} if p.default is inspect.Parameter.empty else {"default": self.classes.literal(p.default)}
        return {"name": p.name, "kind": _KINDS[p.kind], **default}

    def spec(self, spec: ArgSpec, path: Path) -> Json:
        """A parameter or a part of one."""
        write = _SPECS.get(type(spec))
        if write is None:
            raise _NoWords(f"what {path_text(path)} is")
        return write(self, spec, path)

    def tensor_spec(self, spec: specs.TensorSpec, path: Path) -> Json:
        memory = {"layout": spec.layout} if spec.layout else {}
        filled = {"filled": sorted(spec.filled)} if spec.filled else {}
        shape = [_size(d) for d in spec.type.shape]
        return {
            "kind": "tensor",
            **_type(spec.type),
            "shape": shape,
            "inputs": self.inputs.get(path, []),
            "text": self.annotation(path) or str(spec.type),
            **memory,
            **filled,
        }

    def annotation(self, path: Path) -> str:
        """What the annotation of an array says, which messages name."""
        note = self.calls.annotations.get(str(path[0])) if len(path) == 1 else None
        read = None if note is None else parse_annotation(note)
        return read.text if isinstance(read, ArrayAnnotation) and read.is_promise else ""

    def static_spec(self, spec: specs.StaticSpec, path: Path) -> Json:
        return {"kind": "static", "value": self.classes.compared(spec.value)}

    def tuple_spec(self, spec: specs.TupleSpec, path: Path) -> Json:
        named: Any = spec.cls
        steps: Any = range(len(spec.elts)) if named is None else [f".{field}" for field in named._fields]
        own = {} if named is None else {"class": self.classes.key(named), "fields": list(named._fields)}
        items = [self.spec(part, (*path, step)) for step, part in zip(steps, spec.elts, strict=True)]
        return {"kind": "tuple", "items": items, **own}

    def list_spec(self, spec: specs.ListSpec, path: Path) -> Json:
        return {"kind": "list", "items": [self.spec(part, (*path, i)) for i, part in enumerate(spec.elts)]}

    def rows_spec(self, spec: specs.RowsSpec, path: Path) -> Json:
        element, offsets = self.spec(spec.element, (*path, ROW)), self.inputs.get((*path, OFFSETS), [])
        return {"kind": "rows", "length": _size(spec.length), "element": element, "offsets": offsets}

    def dict_spec(self, spec: specs.DictSpec, path: Path) -> Json:
        items = [[self.classes.literal(k), self.spec(part, (*path, KeyStep(k)))] for k, part in spec.items]
        return {"kind": "dict", "items": items}

    def record_spec(self, spec: specs.RecordSpec, path: Path) -> Json:
        items = [[name, self.spec(part, (*path, f".{name}"))] for name, part in spec.fields]
        return {"kind": "record", "class": self.classes.key(spec.cls), "items": items}

    def same_spec(self, spec: specs.SameSpec, path: Path) -> Json:
        return {"kind": "same", "path": self.path(spec.path)}

    def absent_spec(self, spec: specs.AbsentSpec, path: Path) -> Json:
        return {"kind": "absent"}

    def host_spec(self, spec: specs.HostSpec, path: Path) -> Json:
        return {"kind": "object", "class": spec.cls.__name__}

    def state_object(self, one: interface.StateObject, initial: InitialState) -> Json:
        """An object whose attributes are state, with their values; one that is there already is the same one."""
        owned = dict(one.attributes)
        values = [
            [name, initial.of(owned.get(name), getattr(one.object, name))]
            for name in self.kept(one)
            if not isinstance(owned.get(name), specs.AbsentSpec)
        ]
        return {
            "path": self.path(one.path),
            "class": self.classes.key(type(one.object)),
            "attributes": [[name, self.spec(spec, (*one.path, f".{name}"))] for name, spec in one.attributes],
            "initial": values,
        }

    def kept(self, one: interface.StateObject) -> list[str]:
        """The attributes of an object that the description has: the state, and all of one that is given back."""
        names = [name for name, _ in one.attributes]
        if not any(one.path[: len(path)] == path for path in self.given):
            return names
        parts = {id(other.object) for other in self.described.state.objects}
        fields = (f.name for f in _fields(one.object) if hasattr(one.object, f.name))
        everything = dict.fromkeys((*getattr(one.object, "__dict__", ()), *fields))
        others = (name for name in everything if id(getattr(one.object, name)) not in parts)
        return list(dict.fromkeys([*names, *others]))

    def state_objects(self) -> Json:
        """The whole state; it is gone through twice, to see what is there in two places."""
        objects = self.described.state.objects
        initial = InitialState(self.classes)
        for one in objects:
            self.state_object(one, initial)
        initial.begin_again()
        return [self.state_object(one, initial) for one in objects]

    def path(self, path: Path) -> Json:
        return self.classes.path(path)

    # what comes out

    def result(self, result: Result) -> Json:
        """A result, or a part of one."""
        write = _RESULTS.get(type(result))
        if write is None:
            raise _NoWords(f"a result of the kind {type(result).__name__}")
        return write(self, result)

    def name(self, index: int) -> str:
        """The output of the model that an output of the program is."""
        found = self.outputs[index]
        if found is None:
            raise _NoWords("a value that the model does not give back")
        return found

    def names(self, index: int, imag: int | None) -> list[str]:
        return [self.name(i) for i in (index, imag) if i is not None]

    def output_result(self, r: results.OutputResult) -> Json:
        return {"kind": "output", **_type(r.type), "outputs": self.names(r.index, r.imag)}

    def argument_result(self, r: results.ArgResult | results.LentResult) -> Json:
        self.given.append(r.path)
        return {"kind": "argument", "path": self.path(r.path)}

    def captured_result(self, r: results.CapturedResult) -> Json:
        if id(r.value) in self.state:
            return self.argument_result(results.ArgResult(self.state[id(r.value)]))
        return {"kind": "constant", "value": self.classes.literal(r.value), "fresh": False}

    def constant_result(self, r: results.ConstantResult) -> Json:
        return {"kind": "constant", "value": self.classes.literal(r.value), "fresh": True}

    def tuple_result(self, r: results.TupleResult) -> Json:
        named = {} if r.cls is None else {"class": self.classes.key(r.cls)}
        return {"kind": "tuple", "items": [*map(self.result, r.elts)], **named}

    def list_result(self, r: results.ListResult) -> Json:
        return {"kind": "list", "items": [*map(self.result, r.elts)]}

    def items(self, items: Sequence[tuple[Any, Result]]) -> Json:
        return [[self.classes.literal(key), self.result(value)] for key, value in items]

    def dict_result(self, r: results.DictResult) -> Json:
        return {"kind": "dict", "items": self.items(r.items)}

    def record_result(self, r: results.RecordResult) -> Json:
        return {"kind": "record", "class": self.classes.key(r.cls), "items": self.items(r.fields)}

    def rows_result(self, r: results.RowsResult) -> Json:
        element = self.result(r.element)
        return {"kind": "rows", "length": self.name(r.length), "element": element, "class": r.cls.__name__}

    def ragged_result(self, r: results.RaggedResult) -> Json:
        names = self.names(r.index, r.imag)
        return {"kind": "ragged", **_type(r.type), "outputs": names, "shapes": self.name(r.shapes)}

    def classed_result(self, r: results.ClassedResult) -> Json:
        return {"kind": "classed", "flag": self.name(r.flag), "number": self.result(r.number)}

    def listed_result(self, r: results.ListedResult) -> Json:
        columns = [[self.name(data), self.name(shapes)] for data, shapes in r.columns]
        return {"kind": "listed", "columns": columns, "rows": self.result(r.rows)}

    def optional_result(self, r: results.OptionalResult) -> Json:
        return {"kind": "optional", "flag": self.name(r.flag), "value": self.result(r.value)}

    def left_out_result(self, r: results.LeftOutResult) -> Json:
        return {"kind": "left out", "flag": self.name(r.flag), "value": self.result(r.value)}

    def choice_result(self, r: results.ChoiceResult) -> Json:
        return {"kind": "choice", "case": self.name(r.case), "options": [*map(self.result, r.options)]}

    def text_result(self, r: results.TextResult) -> Json:
        pieces = [p if isinstance(p, str) else [self.result(p[0]), *p[1:]] for p in r.parts]
        return {"kind": "text", "pieces": pieces}

    def shared_result(self, r: results.SharedResult) -> Json:
        return {"kind": "shared", "number": r.number, "value": self.result(r.value)}

    def picked_result(self, r: results.PickedResult) -> Json:
        return {"kind": "picked", "index": self.name(r.index), "table": r.table, "tables": [*map(self.table, r.tables)]}

    def table(self, table: results.TableResult) -> Json:
        return {
            "number": table.number,
            "class": self.classes.key(table.cls),
            "items": [[name, self.result(value)] for name, value in table.fields],
            "given": [[self.path(path), self.changed(path)] for path in table.given],
        }

    def changed(self, path: Path) -> Json:
        """How calls change the attributes of the objects in a list: by setting them, or what they hold."""
        found = (back for back in self.rows_backs if back.path == path)
        return [[f.name, "into" if f.when is None else "set"] for back in found for f in back.fields]

    # what is changed, and what is raised

    def write_back(self, back: interface.WriteBack) -> Json:
        types = {i.path: i.type for i in self.described.inputs}
        value = results.OutputResult(back.output, _whole(types[back.path], back.imag), back.imag)
        return {"kind": "write", "path": self.path(back.path), "value": self.result(value)}

    def set_back(self, back: interface.Back) -> Json:
        if isinstance(back, interface.RowsBack):
            raise _NoWords(f"what has become of the objects in {path_text(back.path)}")
        node = {"path": self.path(back.path), "value": self.result(back.result)}
        if isinstance(back, interface.RefillBack):
            changed = self.changed((*back.path, ROW)) if back.path not in self.rebuilt else []
            return {"kind": "refill", **node, **({"in place": changed} if changed else {})}
        return {"kind": "set", **node, **({} if back.when is None else {"when": self.name(back.when)})}

    def error(self, info: ErrorInfo, outputs: Sequence[str]) -> Json:
        values = [[name, _told_type(t)] for name, t in zip(outputs, info.arg_types, strict=True)]
        return {"values": values, "source": info.loc.where, "exception": self.exception(info)}

    def exception(self, info: ErrorInfo) -> Json:
        behind: dict[str, Json] = {}
        if info.context is not None:
            behind["context"] = self.exception(info.context)
        if info.has_cause:
            same = info.cause is not None and info.cause is info.context
            behind["cause"] = "context" if same else None if info.cause is None else self.exception(info.cause)
        return {
            "class": self.classes.key(python_class(info.exception)),
            "args": [self.exception_argument(a) for a in info.args],
            "keywords": [[name, self.exception_argument(a)] for name, a in info.keywords],
            **({} if info.own is None else {"own": self.own_contents(info.own)}),
            **behind,
        }

    def own_contents(self, own: errors.OwnContents) -> Json:
        return {
            "args": [self.exception_argument(a) for a in own.args],
            "fields": [[name, self.exception_argument(a)] for name, a in own.fields],
            **({} if own.text is None else {"text": self.exception_argument(own.text)}),
        }

    def exception_argument(self, argument: errors.Argument) -> Json:
        match argument:
            case errors.TextArgument(pieces):
                return {"kind": "text", "pieces": [p if isinstance(p, str) else list(p) for p in pieces]}
            case errors.ValueArgument(number):
                return {"kind": "value", "number": number}
            case errors.ConstantArgument(value):
                value = value.message if isinstance(value, Diagnostic) else value
                return {"kind": "constant", "value": self.classes.literal(value)}
            case errors.SequenceArgument(cls, items):
                parts = [self.exception_argument(item) for item in items]
                return {"kind": "sequence", "class": cls.__name__, "items": parts}
            case errors.ObjectArgument(cls, fields):
                fields_ = [[name, self.exception_argument(a)] for name, a in fields]
                return {"kind": "object", "class": self.classes.key(cls), "items": fields_}


def _fields(value: Any) -> tuple[dataclasses.Field[Any], ...]:
    return dataclasses.fields(value) if dataclasses.is_dataclass(value) else ()


def _type(type_: TensorType) -> dict[str, Json]:
    return {"class": type_.kind.value, "dtype": type_.dtype.name}


def _whole(type_: TensorType, imag: int | None) -> TensorType:
    """The type of an array of which the input has a part."""
    if imag is None or type_.is_complex:
        return type_
    return TensorType(np.result_type(type_.dtype, np.complex64), type_.shape, type_.kind)


def _told_type(type_: TensorType) -> Json:
    if isinstance(type_, RowsType):
        return {"rows": type_.cls.__name__, "element": _type(type_.element)}
    return _type(type_)


def _size(d: Dim) -> Json:
    """A number, a name, or the terms of a polynomial."""
    if d.constant is not None:
        return d.constant
    match d.terms:
        case (((Symbol(name),), 1),):
            return name
    return [[coefficient, *map(_atom, monomial)] for monomial, coefficient in d.terms]


def _atom(atom: Atom) -> Json:
    return atom.name if isinstance(atom, Symbol) else {"op": atom.op, "args": [_size(a) for a in atom.args]}


_SPECS: Mapping[type, Callable[[_Writer, Any, Path], Json]] = {
    specs.TensorSpec: _Writer.tensor_spec,
    specs.StaticSpec: _Writer.static_spec,
    specs.TupleSpec: _Writer.tuple_spec,
    specs.ListSpec: _Writer.list_spec,
    specs.RowsSpec: _Writer.rows_spec,
    specs.DictSpec: _Writer.dict_spec,
    specs.RecordSpec: _Writer.record_spec,
    specs.SameSpec: _Writer.same_spec,
    specs.AbsentSpec: _Writer.absent_spec,
    specs.HostSpec: _Writer.host_spec,
}
_RESULTS: Mapping[type, Callable[[_Writer, Any], Json]] = {
    results.OutputResult: _Writer.output_result,
    results.ArgResult: _Writer.argument_result,
    results.LentResult: _Writer.argument_result,
    results.CapturedResult: _Writer.captured_result,
    results.ConstantResult: _Writer.constant_result,
    results.TupleResult: _Writer.tuple_result,
    results.ListResult: _Writer.list_result,
    results.DictResult: _Writer.dict_result,
    results.RecordResult: _Writer.record_result,
    results.RowsResult: _Writer.rows_result,
    results.RaggedResult: _Writer.ragged_result,
    results.ClassedResult: _Writer.classed_result,
    results.ListedResult: _Writer.listed_result,
    results.OptionalResult: _Writer.optional_result,
    results.LeftOutResult: _Writer.left_out_result,
    results.ChoiceResult: _Writer.choice_result,
    results.TextResult: _Writer.text_result,
    results.SharedResult: _Writer.shared_result,
    results.PickedResult: _Writer.picked_result,
}


__all__ = ["METADATA", "description"]
