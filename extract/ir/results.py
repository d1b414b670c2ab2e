"""How Python's result is built from the outputs of the graph."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from graph_program.extract.ir.paths import Path
from graph_program.extract.records import dataclass
from graph_program.extract.types.tensors.tensor_type import TensorType

NO_PARTS: Mapping[int, int] = MappingProxyType({})


@dataclass(frozen=True)
class OutputResult:
    """A graph output, given back in the class its type says.

    Of a complex number the output `imag` has the imaginary part.
    """

    index: int
    type: TensorType
    imag: int | None = None


@dataclass(frozen=True)
class ObjectResult:
    """The object on the host whose number is the int64 output `index`."""

    index: int


@dataclass(frozen=True)
class ArgResult:
    """The caller's own object (a parameter returned as it came)."""

    path: Path


@dataclass(frozen=True)
class LentResult:
    """The caller's own array, which nobody is to write through this."""

    path: Path


@dataclass(frozen=True)
class CapturedResult:
    """A captured object returned as it is."""

    value: Any


@dataclass(frozen=True)
class StreamResult:
    """The standard stream that `sys` has under a name at that time."""

    name: str


@dataclass(frozen=True)
class ConstantResult:
    value: Any


@dataclass(frozen=True)
class TupleResult:
    elts: tuple[Result, ...]
    cls: type | None = None


@dataclass(frozen=True)
class ListResult:
    elts: tuple[Result, ...]


@dataclass(frozen=True)
class DictResult:
    items: tuple[tuple[Hashable, Result], ...]


@dataclass(frozen=True)
class RecordResult:
    """An instance of `cls` built without calling `__init__`, its fields set one by one."""

    cls: type
    fields: tuple[tuple[str, Result], ...]


@dataclass(frozen=True)
class RaggedResult:
    """In the element of a `RowsResult`: arrays of different shapes.

    The output `index` has their elements one after another, the int64 output `shapes` (`[n, rank]`) their shapes.
    """

    index: int
    shapes: int
    type: TensorType
    imag: int | None = None


@dataclass(frozen=True)
class RowsResult:
    """A list or tuple (`cls`) of computed length: as many elements as the output `length` has rows.

    Outputs in `element` are stacked: what an element has is a row of them.
    """

    length: int
    element: Result
    cls: type = list


@dataclass(frozen=True)
class ClassedResult:
    """In the element of a `RowsResult`: a number, of Python where the bool output `flag` holds, else of NumPy."""

    flag: int
    number: OutputResult


@dataclass(frozen=True)
class ListedResult:
    """In the element of a `RowsResult`: a list whose length is not the same everywhere.

    Each of its own stacked outputs is kept as a `RaggedResult` is: `columns` are pairs of an output and its shapes.
    """

    columns: tuple[tuple[int, int], ...]
    rows: RowsResult


@dataclass(frozen=True)
class OptionalResult:
    """None if the bool output `flag` is true, else `value`."""

    flag: int
    value: Result


@dataclass(frozen=True)
class LeftOutResult:
    """A dict's item, or an instance's attribute, that is not there if the bool output `flag` is true."""

    flag: int
    value: Result


@dataclass(frozen=True)
class ChoiceResult:
    """One of several results of different kinds: the one whose number is the int64 output `case`."""

    case: int
    options: tuple[Result, ...]


@dataclass(frozen=True)
class TextResult:
    """A formatted string: literal parts, and (result, conversion, format specification) triples."""

    parts: tuple[str | tuple[Result, str, str], ...]


@dataclass(frozen=True)
class SharedResult:
    """A new object that may stand in several places; `number` tells it from others."""

    number: int
    value: Result


@dataclass(frozen=True)
class TableResult:
    """All objects of a class, one in each row of stacked outputs; `number` tells it from other tables.

    Those in the first rows are the caller's own, at the places `given`.
    """

    number: int
    cls: type
    fields: tuple[tuple[str, Result], ...]
    given: tuple[Path, ...] = ()


@dataclass(frozen=True)
class PickedResult:
    """The object in a row of a table, the same one wherever the int64 output `index` has this row.

    `tables` are all that are needed to build it; an object in a table's own fields has none.
    """

    index: int
    table: int
    tables: tuple[TableResult, ...] = ()


Result = (
    OutputResult
    | ObjectResult
    | ArgResult
    | LentResult
    | CapturedResult
    | StreamResult
    | ConstantResult
    | TupleResult
    | ListResult
    | DictResult
    | RecordResult
    | RowsResult
    | RaggedResult
    | ListedResult
    | ClassedResult
    | OptionalResult
    | LeftOutResult
    | ChoiceResult
    | TextResult
    | SharedResult
    | TableResult
    | PickedResult
)


def mapped(result: Result, change: Callable[[Result], Result]) -> Result:
    """A result with its parts changed; one without parts as it is."""
    match result:
        case TupleResult(elts, cls):
            return TupleResult(tuple(map(change, elts)), cls)
        case ListResult(elts):
            return ListResult(tuple(map(change, elts)))
        case DictResult(items):
            return DictResult(tuple((k, change(v)) for k, v in items))
        case RecordResult(cls, fields):
            return RecordResult(cls, tuple((k, change(v)) for k, v in fields))
        case SharedResult(number, value):
            return SharedResult(number, change(value))
        case RowsResult(length, element, cls):
            return RowsResult(length, change(element), cls)
        case TableResult(fields=fields):
            return replace(result, fields=tuple((k, change(v)) for k, v in fields))
        case PickedResult(index, table, tables):
            return PickedResult(index, table, tuple(map(change, tables)))  # type: ignore[arg-type]
        case OptionalResult(flag, value):
            return OptionalResult(flag, change(value))
        case LeftOutResult(flag, value):
            return LeftOutResult(flag, change(value))
        case ChoiceResult(case, options):
            return ChoiceResult(case, tuple(map(change, options)))
        case TextResult(parts):
            return TextResult(tuple(p if isinstance(p, str) else (change(p[0]), p[1], p[2]) for p in parts))
    return result


def parts_of(result: Result) -> list[Result]:
    """What `mapped` changes."""
    found: list[Result] = []

    def look(part: Result) -> Result:
        found.append(part)
        return part

    mapped(result, look)
    return found


def tables_in(result: Result) -> tuple[TableResult, ...]:
    """The tables that objects in a result come from."""
    if isinstance(result, PickedResult):
        return result.tables
    if isinstance(result, ListedResult):
        return tables_in(result.rows.element)
    return next((found for part in parts_of(result) if (found := tables_in(part))), ())


def outputs_in(result: Result) -> Iterator[int]:
    """The outputs that a result reads, each as often as it does."""
    match result:
        case OutputResult(index, _, imag):
            yield from (index,) if imag is None else (index, imag)
        case RaggedResult(index, shapes, _, imag):
            yield from (index, shapes) if imag is None else (index, shapes, imag)
        case RowsResult(length) | PickedResult(length):
            yield length
        case ClassedResult(flag, number):
            yield flag
            yield from outputs_in(number)
        case ListedResult(columns, rows):
            yield from (index for pair in columns for index in pair)
            yield from outputs_in(rows)
        case OptionalResult(flag) | LeftOutResult(flag) | ChoiceResult(flag):
            yield flag
    for part in parts_of(result):
        yield from outputs_in(part)


def unshared(result: Result) -> Result:
    """A result with a new object in every place."""
    return unshared(result.value) if isinstance(result, SharedResult) else mapped(result, unshared)


def renumbered(
    result: Result, indices: Sequence[int], imaginary: Mapping[int, int] = NO_PARTS, *, objects: bool = False
) -> Result:
    """A result with its output numbers replaced.

    `imaginary` has, by the old numbers of complex outputs, the new ones of their imaginary parts.  Numbers of objects
    on the host are outputs, too, or something else (`objects`).
    """
    result = mapped(result, lambda part: renumbered(part, indices, imaginary, objects=objects))
    match result:
        case OutputResult(index, type_):
            return OutputResult(indices[index], type_, imaginary.get(index))
        case ObjectResult(index) if objects:
            return ObjectResult(indices[index])
        case RowsResult(length, element, cls):
            return RowsResult(indices[length], element, cls)
        case PickedResult(index):
            return replace(result, index=indices[index])
        case RaggedResult(index, shapes, type_):
            return RaggedResult(indices[index], indices[shapes], type_, imaginary.get(index))
        case ClassedResult(flag, number):
            return ClassedResult(
                indices[flag], OutputResult(indices[number.index], number.type, imaginary.get(number.index))
            )
        case ListedResult(columns, rows):
            pairs = [(indices[data], indices[shapes]) for data, shapes in columns]
            pairs += [(imaginary[data], indices[shapes]) for data, shapes in columns if data in imaginary]
            element = renumbered(rows.element, indices, imaginary, objects=objects)
            return ListedResult(tuple(pairs), replace(rows, length=indices[rows.length], element=element))
        case OptionalResult(flag, value):
            return OptionalResult(indices[flag], value)
        case LeftOutResult(flag, value):
            return LeftOutResult(indices[flag], value)
        case ChoiceResult(case, options):
            return ChoiceResult(indices[case], options)
    return result
