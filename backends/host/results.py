"""Results to generated Python: expressions that build Python's objects from the graph's outputs."""

from __future__ import annotations

import copy
import functools
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, ClassVar

import numpy as np

from graph_program.backends.host.codegen import Scope
from graph_program.backends.host.f_strings import f_string
from graph_program.extract.ir.errors import RowsType
from graph_program.extract.ir.interface import RowField, RowsBack
from graph_program.extract.ir.paths import ROW, Path
from graph_program.extract.ir.results import (
    ArgResult,
    CapturedResult,
    ChoiceResult,
    ClassedResult,
    ConstantResult,
    DictResult,
    LeftOutResult,
    LentResult,
    ListedResult,
    ListResult,
    ObjectResult,
    OptionalResult,
    OutputResult,
    PickedResult,
    RaggedResult,
    RecordResult,
    Result,
    RowsResult,
    SharedResult,
    StreamResult,
    TableResult,
    TextResult,
    TupleResult,
    tables_in,
)
from graph_program.extract.types.tensors.tensor_type import Kind, TensorType

OUTPUTS = "_outputs"


def _element_class(type_: TensorType) -> type[np.generic] | None:
    """The class to view an output as: onnxruntime's 64-bit integers may be NumPy's other 64-bit class."""
    if type_.kind is Kind.PYTHON or type_.dtype.kind not in "iu" or type_.dtype.itemsize != 8:
        return None
    return type_.dtype.type


def complex_array(re: np.ndarray[Any, Any], im: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The complex array with these parts."""
    both = np.empty(np.shape(re), np.result_type(re.dtype, np.complex64))
    both.real, both.imag = re, im
    return both


def narrowed(array: np.ndarray[Any, Any], dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    """An array of bfloat16 that came as float32 with the same numbers: the upper half of each."""
    if array.dtype == dtype:
        return array
    bits = np.asarray(np.asarray(array).view(np.uint32) >> 16)
    return bits.astype(np.uint16).view(dtype)


def python_value(array: np.ndarray[Any, Any], type_: TensorType) -> Any:
    """One output in the class its type says."""
    if type_.dtype.kind == "V":
        array = narrowed(array, type_.dtype)
    if type_.kind is Kind.PYTHON:
        return array.item()
    element = _element_class(type_)
    if element is not None:
        array = array.view(element)
    return array if type_.kind is Kind.ARRAY else array[()]


def argument_value(array: np.ndarray[Any, Any], type_: TensorType) -> Any:
    """One value in an exception."""
    if isinstance(type_, RowsType):
        return type_.cls(python_value(row, type_.element) for row in array)
    return python_value(array, type_)


def build_record(cls: type, **fields: Any) -> Any:
    """An instance made without `__init__`, frozen ones and ones with slots included; some classes say how."""
    build = getattr(cls, "__graph_program_build__", None)
    if build is not None:
        return build(fields)
    if issubclass(cls, tuple):
        return tuple.__new__(cls, fields.values())
    instance: Any = object.__new__(cls)
    for name, value in fields.items():
        object.__setattr__(instance, name, value)
    return instance


def lent(array: Any) -> Any:
    """A caller's array as something to read."""
    array = array.view()
    array.flags.writeable = False
    return array


Outputs = Sequence[Any] | Mapping[int, Any]


class Tables(dict[int, Any]):
    """The tables of objects in the results of one call, by number; an object is made when it is first asked for."""

    def __init__(self, tables: Sequence[TableResult], outputs: Outputs, given: Mapping[int, Sequence[Any]]):
        super().__init__({t.number: (t.cls, []) for t in tables})
        self.made = {(number, row): known for number, found in given.items() for row, known in enumerate(found)}
        self.waiting: list[tuple[Any, list[Any], int]] = []
        for table in tables:
            self[table.number][1].extend((name, _element(field, outputs, self)) for name, field in table.fields)

    def get_row(self, number: int, row: int) -> Any:
        """The object in a row; those that it refers to are filled when it is."""
        known = self.made.get((number, row))
        if known is not None:
            return known
        cls, fields = self[number]
        self.made[number, row] = instance = object.__new__(cls)
        self.waiting.append((instance, fields, row))
        if len(self.waiting) == 1:
            for filled, its_fields, position in self.waiting:  # grows meanwhile
                for name, field in its_fields:
                    object.__setattr__(filled, name, field(position))
            self.waiting.clear()
        return instance


def build_list(rows: RowsResult, outputs: Outputs, tables: Any = None) -> list[Any] | tuple[Any, ...]:
    """The list or tuple whose elements are rows of outputs."""
    element = _element(rows.element, outputs, tables)
    found = [element(i) for i in range(len(outputs[rows.length]))]
    return tuple(found) if rows.cls is tuple else found


def _element(r: Result, outputs: Outputs, tables: Any = None) -> Callable[[int], Any]:
    """What builds the element at a position."""
    match r:
        case OutputResult(index, type_, imag):
            column = outputs[index] if imag is None else complex_array(outputs[index], outputs[imag])
            return _numbers(column, type_).__getitem__
        case RaggedResult(index, shapes, type_, imag):
            cls = _element_class(type_)
            flat = outputs[index] if imag is None else complex_array(outputs[index], outputs[imag])
            flat = flat if cls is None else flat.view(cls)
            return split_rows(flat, outputs[shapes]).__getitem__
        case ObjectResult(index):
            return lambda i: outputs[-1][int(outputs[index][i])]
        case PickedResult(index, table):
            return lambda i: tables.get_row(table, int(outputs[index][i]))
        case ClassedResult(flag, number):
            numbers = _element(number, outputs, tables)
            return lambda i: numbers(i).item() if outputs[flag][i] else numbers(i)
        case ChoiceResult(case, options):
            found = [_element(o, outputs, tables) for o in options]
            return lambda i: found[outputs[case][i]](i)
        case ListedResult(columns, rows):
            each = {index: split_rows(outputs[index], outputs[shapes]) for index, shapes in columns}
            last = outputs[-1] if not isinstance(outputs, Mapping) else outputs.get(-1)
            return lambda i: build_list(
                rows, {-1: last, **{index: pieces[i] for index, pieces in each.items()}}, tables
            )
        case OptionalResult(flag, value):
            inner = _element(value, outputs, tables)
            return lambda i: None if outputs[flag][i] else inner(i)
        case TupleResult(elts, cls):
            parts = [_element(e, outputs, tables) for e in elts]
            kind: Any = cls or tuple
            return lambda i: tuple.__new__(kind, [part(i) for part in parts])
        case ListResult(elts):
            parts = [_element(e, outputs, tables) for e in elts]
            return lambda i: [part(i) for part in parts]
        case DictResult(items):
            named = [(key, _element(v, outputs, tables)) for key, v in items]
            return lambda i: {key: part(i) for key, part in named}
        case RecordResult(cls, fields):
            named = [(key, _element(v, outputs, tables)) for key, v in fields]
            return lambda i: build_record(cls, **{str(key): part(i) for key, part in named})
        case ConstantResult(value) | CapturedResult(value):
            return lambda i: value
    raise AssertionError(r)


def _numbers(column: np.ndarray[Any, Any], type_: TensorType) -> list[Any]:
    """The numbers or arrays of a column, in the class that their type says."""
    if type_.kind is Kind.PYTHON:
        return column.tolist()  # type: ignore[no-any-return]
    if type_.dtype.kind == "V":
        column = narrowed(column, type_.dtype)
    view = _element_class(type_)
    column = column if view is None else column.view(view)
    return (
        [x.reshape(()) for x in column.reshape(-1, 1)] if type_.kind is Kind.ARRAY and not type_.rank else list(column)
    )


def split_rows(data: np.ndarray[Any, Any], shapes: np.ndarray[Any, Any]) -> list[np.ndarray[Any, Any]]:
    """Arrays of different shapes whose elements follow each other."""
    ends = np.cumsum(np.prod(shapes, axis=1, dtype=np.int64))
    pieces = np.split(data, ends[:-1]) if len(ends) else []
    return [piece.reshape(tuple(shape)) for piece, shape in zip(pieces, shapes, strict=True)]


FieldValues = list[tuple[str, Callable[[int], Any], Any]]
"""New attributes of the objects in a table: the name, what builds the value for a row, and where it is set."""


def field_values(fields: Sequence[RowField], outputs: Outputs, tables: Any = None) -> FieldValues:
    """What the outputs have for the attributes of objects in a list."""
    return [(f.name, _element(f.result, outputs, tables), None if f.when is None else outputs[f.when]) for f in fields]


def set_rows(elements: Sequence[Any], first: int, fields: FieldValues) -> None:
    """Give the caller's objects, which begin with a row of their table, the attributes that they have now."""
    for name, value, when in fields:
        for row, obj in enumerate(elements, first):
            if when is None:
                refill(getattr(obj, name), value(row))
            elif when[row]:
                setattr(obj, name, value(row))


def refill(old: Any, new: Any) -> None:
    """Give an array, list or dict other contents."""
    if isinstance(old, dict):
        old.clear()
        old.update(new)
    elif isinstance(old, list):
        old[:] = new
    elif old.flags.writeable or old.tobytes() != new.tobytes():
        old[...] = new


class Results:
    """Writes the expressions; `place` says which expression is an argument's part.

    What stands in several places is bound to a variable first, in `lines`.  `object` and `output` say
    how the object with a number and the output with a number are written, `outputs` how all of them are; `numbers` has
    the element types of those that are Python's numbers already, `arrays` those of others, where they are known.
    """

    def __init__(
        self,
        scope: Scope,
        place: Callable[[Path], str],
        lines: list[str],
        object: Callable[[int], str] = lambda index: f"{OUTPUTS}[-1][int({OUTPUTS}[{index}])]",
        output: Callable[[int], str] = lambda index: f"{OUTPUTS}[{index}]",
        outputs: str = OUTPUTS,
        numbers: Mapping[int, np.dtype[Any]] | None = None,
        arrays: Mapping[int, np.dtype[Any]] | None = None,
    ):
        self.object = object
        self.output = output
        self.outputs = outputs
        self.numbers = numbers or {}
        self.arrays = arrays or {}
        self.scope = scope
        self.place = place
        self.lines = lines
        self._bound: dict[tuple[str, int], str] = {}
        self._chosen = 0
        """How many choices are around what is being written: of what is not chosen, the outputs mean nothing."""

    def expression(self, result: Result) -> str:
        """The Python expression of one result."""
        return self._WRITERS[type(result)](self, result)

    def _output(self, r: OutputResult) -> str:
        """As `python_value` does it."""
        if r.index in self.numbers and r.imag is None and r.type.kind is not Kind.ARRAY:
            python = r.type.kind is Kind.PYTHON
            return self.output(r.index) if python else f"{self._class(r.type.dtype)}({self.output(r.index)})"
        element = _element_class(r.type)
        if r.index in self.arrays and self.arrays[r.index].type is element:
            element = None
        view = "" if element is None else f".view({self.scope.constant(element, element.__name__)})"
        conversion = {Kind.ARRAY: "", Kind.NUMPY: "[()]", Kind.PYTHON: ".item()"}[r.type.kind]
        held = self.array(r.index)
        if r.imag is not None:
            held = f"{self.scope.constant(complex_array, 'complex_array')}({held}, {self.array(r.imag)})"
        if r.type.is_bfloat16:
            held = f"{self.scope.constant(narrowed, 'narrowed')}({held}, {self.scope.constant(r.type.dtype, 'dtype')})"
        text = f"{held}{view}{conversion}"
        new = bool(view) or r.imag is not None or r.type.is_bfloat16 or r.index in self.numbers
        return self._once("array", r.index, text) if new and r.type.kind is Kind.ARRAY else text

    def array(self, index: int) -> str:
        """An output as an array."""
        if index not in self.numbers:
            return self.output(index)
        made, dtype = self.scope.constant(np.array, "array"), self.scope.constant(self.numbers[index], "dtype")
        return f"{made}({self.output(index)}, {dtype})"

    def _class(self, dtype: np.dtype[Any]) -> str:
        return self.scope.constant(dtype.type, dtype.type.__name__)

    def _once(self, kind: str, number: int, text: str) -> str:
        """The variable that is bound to an object that may be used several times."""
        if (kind, number) not in self._bound:
            self._bound[kind, number] = self.scope.fresh(kind)
            self.lines.append(f"{self._bound[kind, number]} = {text}")
        return self._bound[kind, number]

    def _shared(self, r: SharedResult) -> str:
        key = ("object", r.number)
        if key in self._bound:
            return self._bound[key]
        if not self._chosen:
            return self._once(*key, self.expression(r.value))
        made = self._once(*key, f"{self.scope.constant(functools.cache, 'cache')}(lambda: {self.expression(r.value)})")
        self._bound[key] = f"{made}()"
        return self._bound[key]

    @contextmanager
    def _one_of_several(self) -> Iterator[None]:
        self._chosen += 1
        try:
            yield
        finally:
            self._chosen -= 1

    def _object(self, r: ObjectResult) -> str:
        return self.object(r.index)

    def _argument(self, r: ArgResult) -> str:
        return self.place(r.path)

    def _lent(self, r: LentResult) -> str:
        return f"{self.scope.constant(lent, 'lent')}({self.place(r.path)})"

    def _captured(self, r: CapturedResult) -> str:
        return self.scope.constant(r.value, "captured")

    def _stream(self, r: StreamResult) -> str:
        return f"{self.scope.constant(sys, 'sys')}.{r.name}"

    def _constant(self, r: ConstantResult) -> str:
        if r.value is None or type(r.value) in (bool, str):
            return repr(r.value)
        name = self.scope.constant(r.value, "constant")
        if isinstance(r.value, (np.ndarray, list, dict, set)):  # a fresh one for each call
            return f"{self.scope.constant(copy.deepcopy, 'deepcopy')}({name})"
        return name

    def _tuple(self, r: TupleResult) -> str:
        inner = "".join(f"{self.expression(e)}, " for e in r.elts)
        if r.cls is None:
            return f"({inner})"
        return f"{self.scope.constant(tuple.__new__, 'new')}({self.scope.constant(r.cls, 'class')}, ({inner}))"

    def _list(self, r: ListResult) -> str:
        return f"[{', '.join(map(self.expression, r.elts))}]"

    def _dict(self, r: DictResult) -> str:
        return f"{{{', '.join(self._item(self.scope.constant(k, 'key'), v) for k, v in r.items)}}}"

    def _item(self, key: str, value: Result) -> str:
        """An item of a dict display, there or not."""
        if not isinstance(value, LeftOutResult):
            return f"{key}: {self.expression(value)}"
        with self._one_of_several():
            return f"**({{}} if {self.output(value.flag)} else {{{self._item(key, value.value)}}})"

    def _record(self, r: RecordResult) -> str:
        fields = "".join(
            f", {self._item(repr(name), v)}" if isinstance(v, LeftOutResult) else f", {name}={self.expression(v)}"
            for name, v in r.fields
        )
        return f"{self.scope.constant(build_record, 'record')}({self.scope.constant(r.cls, 'class')}{fields})"

    def _rows(self, r: RowsResult) -> str:
        if isinstance(r.element, OutputResult) and r.element.type.kind is Kind.PYTHON and r.element.imag is None:
            text = f"{self.output(r.element.index)}.tolist()"
            return text if r.cls is list else f"(*{text},)"
        found = tables_in(r.element)
        tables = f", {self._tables(found)}" if found else ""
        return (
            f"{self.scope.constant(build_list, 'build_list')}({self.scope.constant(r, 'rows')}, {self.outputs}{tables})"
        )

    def _tables(self, tables: tuple[TableResult, ...]) -> str:
        places = {
            t.number: "".join(f"{'*' if ROW in path else ''}{self.place(path)}, " for path in t.given) for t in tables
        }
        given = ", ".join(f"{number}: ({found})" for number, found in places.items())
        described = self.scope.constant(tables, "tables")
        text = f"{self.scope.constant(Tables, 'Tables')}({described}, {self.outputs}, {{{given}}})"
        return self._once("tables", 0, text)

    def rows_fields(self, back: RowsBack) -> str:
        """What builds the new attributes of the objects in a list."""
        tables = self._tables(back.tables) if back.tables else "None"
        fields = self.scope.constant(back.fields, "fields")
        return f"{self.scope.constant(field_values, 'field_values')}({fields}, {self.outputs}, {tables})"

    def _picked(self, r: PickedResult) -> str:
        return f"{self._tables(r.tables)}.get_row({r.table}, int({self.output(r.index)}))"

    def _optional(self, r: OptionalResult) -> str:
        with self._one_of_several():
            return f"(None if {self.output(r.flag)} else {self.expression(r.value)})"

    def _choice(self, r: ChoiceResult) -> str:
        with self._one_of_several():
            *options, last = map(self.expression, r.options)
        tests = "".join(f"{o} if {self.output(r.case)} == {i} else " for i, o in enumerate(options))
        return f"({tests}{last})"

    def _text(self, r: TextResult) -> str:
        return f_string(p if isinstance(p, str) else (self.expression(p[0]), *p[1:]) for p in r.parts)

    _WRITERS: ClassVar[dict[type, Callable[[Any, Any], str]]] = {
        OutputResult: _output,
        ObjectResult: _object,
        ArgResult: _argument,
        LentResult: _lent,
        CapturedResult: _captured,
        StreamResult: _stream,
        ConstantResult: _constant,
        TupleResult: _tuple,
        ListResult: _list,
        DictResult: _dict,
        RecordResult: _record,
        RowsResult: _rows,
        OptionalResult: _optional,
        ChoiceResult: _choice,
        TextResult: _text,
        SharedResult: _shared,
        PickedResult: _picked,
    }
