"""From what a program gives back, and has written, to the outputs and recipes of an `Interface`."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from itertools import starmap

from graph_program.extract.ir import results
from graph_program.extract.ir.paths import path_text
from graph_program.extract.ir.residual import Operand
from graph_program.extract.stage.arrays import archives
from graph_program.extract.stage.host.steps import host_code
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.memory import tables
from graph_program.extract.stage.objects import captured_state, given_rows
from graph_program.extract.stage.operations.known_and_truth import mixed_error, require_order, settled
from graph_program.extract.stage.paths.several import one_of_several
from graph_program.extract.stage.values.column_data import Column, Growing
from graph_program.extract.stage.values.generic import generic
from graph_program.extract.stage.values.layouts import (
    Choice,
    Classed,
    Counted,
    Group,
    InTable,
    Layout,
    Leaf,
    Listed,
    OnHost,
    Option,
    Same,
    leaves,
)
from graph_program.extract.stage.values.questions import is_array_of_graph, is_known, is_optional, is_partly_set
from graph_program.extract.stage.values.structure import describe
from graph_program.extract.stage.values.values import (
    DictView,
    Host,
    Maybe,
    Mixed,
    Ref,
    Row,
    SliceValue,
    Static,
    Stream,
    Tensor,
    Text,
    Tuple,
    Value,
)
from graph_program.extract.types.dims import Dim
from graph_program.extract.types.tensors.tensor_type import TensorType


def _renamed(type_: TensorType, names: Mapping[str, Dim]) -> TensorType:
    if not any(d.symbols & names.keys() for d in type_.shape):
        return type_
    return TensorType(type_.dtype, tuple(d.substitute(names) for d in type_.shape), type_.kind)


Indices = Iterator[tuple[int, int | None]]
"""The outputs of columns, and of the shapes of those whose arrays have different ones."""


class Results:
    """The program's result as graph outputs and a recipe to rebuild Python's objects."""

    def __init__(self, m: Machine):
        self.m = m
        self.arguments_are_outputs = False
        """Whether an argument that is given back is an output of its own, not the caller's object."""
        self.names_of_dims: Mapping[str, Dim] = {}
        self.shared: dict[int, tuple[Value, int]] = {}
        """The outputs of arrays, by identity; an array that nobody holds could give its identity to another."""
        self.outputs: list[Operand] = []
        self.names: list[str] = []
        self.objects: dict[Ref, results.SharedResult | None] = {}
        """New objects that are given back; None for one that is being taken apart."""
        self.tables: tuple[results.TableResult, ...] | None = None
        """Those that objects in results come from; none while they are being described."""
        self.read: dict[int, tuple[Mixed, Value]] = {}
        """Arrays that are one of several, as they are at the end."""

    def rename(self, names: Mapping[str, Dim]) -> None:
        """Give symbols other names, in the types of results and of all variables."""
        self.names_of_dims = names
        for variable, type_ in self.m.types.items() if names else ():
            self.m.types[variable] = _renamed(type_, names)

    def output(self, value: Value, name: str) -> int:
        """The index of a graph output that holds a number or array; an array given back twice is one."""
        if id(value) in self.shared:
            return self.shared[id(value)][1]
        if is_array_of_graph(value):
            self.shared[id(value)] = (value, len(self.outputs))
        operand = self.m.operand(value)
        self.outputs.append(operand)
        taken = set(self.names)
        unique, count = name, 1
        while unique in taken:
            unique, count = f"{name}.{count}", count + 1
        self.names.append(unique)
        return len(self.outputs) - 1

    def result(self, value: Value, name: str) -> results.Result:
        """How to build a value from outputs, arguments and constants.

        Raises
        ------
        DTypeError
            For a value that cannot leave the program (GP350), such as a function made inside it.
        """
        if isinstance(value, Mixed):
            value = self.read_now(value)
        elif not is_optional(value):
            value = settled(self.m, value)
        return recipe(self, value, name)

    def is_given_back(self, value: Value) -> bool:
        """Whether a value is the caller's own array or object, which is given back as it is."""
        return not self.arguments_are_outputs and any(a is value for a in self.m.outside.arguments)

    def read_now(self, value: Mixed) -> Value:
        """An array that is one of several, as it is at the end, the same one wherever it is given back."""
        if one_of_several.one_of_objects(value) is None or not any(v.is_array for v in value.values):
            return value
        if id(value) not in self.read:
            self.read[id(value)] = (value, one_of_several.read_now(self.m, value))
        return self.read[id(value)][1]

    def object_result(self, value: Ref, name: str) -> results.Result:
        """A new object, the same one wherever it is given back."""
        if value in self.objects:
            return self.objects[value] or self.endless(value)
        self.objects[value] = None
        found = results.SharedResult(len(self.objects), self.new_object(value, name))
        self.objects[value] = found
        return found

    def picked(self, cls: type, index: int) -> results.PickedResult:
        """The object in a row of the table of its class."""
        number = list(self.m.rows.tables).index(cls)
        if self.tables is None:
            self.tables = ()  # for the objects in tables
            self.tables = tuple(starmap(self.table, enumerate(self.m.rows.tables)))
        return results.PickedResult(index, number, self.tables)

    def table(self, number: int, cls: type) -> results.TableResult:
        """All objects of a class that have been made."""
        found = self.m.live.heap[self.m.rows.tables[cls]]
        parts = tables.parts_of(found).items() if isinstance(found, Growing) else ()
        fields = []
        for name, (layout, columns) in parts:
            if tables.is_hidden(name):
                continue
            place = f"{cls.__name__}.{name}"
            fields.append((name, self.row_result(layout, iter(self.columns(columns, place)), place)))
        given = () if self.arguments_are_outputs else tuple(r.path for r in self.m.rows.given if r.cls is cls)
        return results.TableResult(number, cls, tuple(fields), given)

    def endless(self, value: Ref) -> results.Result:
        raise self.m.error(
            "GP451",
            f"a {value.cls.__name__} made in the program refers to itself, and cannot leave it",
            hint="leave the reference back out, and set it outside",
        )

    def new_object(self, value: Ref, name: str) -> results.Result:
        """A list, dict or instance with its contents."""
        if captured_state.live_object(self.m, value) is not None:
            raise self.m.error(
                "GP453",
                f"'{path_text(value.path)}' goes to host code, which would not see what the program has written to it",
                hint="hand over, or print, its attributes",
            )
        contents = self.m.live.heap[value]
        if isinstance(contents, Growing):
            if not self.m.options.purpose.identities and name.partition(".")[0] != "result":
                contents = given_rows.gathered(self.m, contents)
            return self.rows_result(contents, name, value.cls)
        if value.cls is list:
            parts = tuple(self.result(e, f"{name}.{i}") for i, e in enumerate(contents))
            return results.ListResult(parts)
        require_order(self.m, value)
        items: list[tuple[Hashable, results.Result]] = [(k, self.item(v, f"{name}.{k}")) for k, v in contents.items()]
        if value.cls is dict:
            return results.DictResult(tuple(items))
        return results.RecordResult(value.cls, tuple((str(k), r) for k, r in items))

    def item(self, value: Value, name: str) -> results.Result:
        """An entry of a dict, or an attribute, which some paths may not have."""
        if not is_partly_set(value):
            return self.result(value, name)
        flag = self.output(value.missing, f"{name}.is_missing")
        return results.LeftOutResult(flag, self.result(value.value, name))

    def rows_result(self, contents: Growing, name: str, cls: type) -> results.Result:
        """A list or tuple of computed length: its columns are outputs."""
        indices = self.columns(contents.columns, name)
        first = indices[0][0] if indices[0][1] is None else indices[0][1]
        return results.RowsResult(first, self.row_result(contents.layout, iter(indices), name), cls)

    def columns(self, columns: Iterable[Column], name: str) -> list[tuple[int, int | None]]:
        """Outputs for columns, and for the shapes of those whose arrays have different ones."""
        found = []
        for column in columns:
            index = self.output(column.data, name)
            found.append((index, None if column.shapes is None else self.output(column.shapes, f"{name}.shapes")))
        return found

    def row_result(self, layout: Layout, columns: Indices, name: str) -> results.Result:
        """How to build one element from the rows of columns."""
        return row_recipe(self, layout, columns, name)


# ---------------------------------------------------------------- by kind of value


@generic
def recipe(made: Results, value: Value, name: str) -> results.Result:
    """How to build a value of one kind; what no kind has cannot leave the program."""
    hint = "return numbers, arrays, and tuples, lists, dicts or dataclasses of them"
    raise made.m.error(
        "GP350",
        f"a {describe(value)} made in the program cannot leave it",
        hint="write a list, in square brackets" if describe(value) == "generator" else hint,
    )


@recipe.of(Tensor)
def _of_array(made: Results, value: Tensor, name: str) -> results.Result:
    m = made.m
    if value.path and made.is_given_back(value):
        return results.ArgResult(value.path)
    if value.is_array and m.is_captured(value):
        return results.CapturedResult(next(c.array for c, t in m.outside.captured.values() if t is value))
    if value.host is not None and host_code.is_array_of_list(m, value):
        return made.result(value.host, name)
    type_ = m.facts.resolve_type(value.type)
    return results.OutputResult(made.output(value, name), _renamed(type_, made.names_of_dims))


@recipe.of(Ref)
def _of_object(made: Results, value: Ref, name: str) -> results.Result:
    given = value.path and made.is_given_back(value)
    return results.ArgResult(value.path) if given else made.object_result(value, name)


@recipe.of(SliceValue)
def _of_slice(made: Results, value: SliceValue, name: str) -> results.Result:
    if value.path and not made.arguments_are_outputs:
        return results.ArgResult(value.path)
    return recipe.declared(made, value, name)


recipe.register(DictView, recipe.declared)
recipe.register(Stream, lambda made, value, *_: results.StreamResult(value.path[-1].removeprefix(".")))


@recipe.of(Static)
def _of_known(made: Results, value: Static, name: str) -> results.Result:
    return results.CapturedResult(archives.original(value.value)) if value.path else results.ConstantResult(value.value)


@recipe.of(Host)
def _of_host(made: Results, value: Host, name: str) -> results.Result:
    if is_known(value.number) and value.number.value < 0:  # there when the call begins, and without a step
        there: results.Result = made.m.host.objects[-1 - value.number.value]
        return there
    return results.ObjectResult(made.output(value.number, f"{name}.object"))


@recipe.of(Text)
def _of_text(made: Results, value: Text, name: str) -> results.Result:
    parts = (p if isinstance(p, str) else (made.result(p[0], name), p[1], p[2]) for p in value.parts)
    return results.TextResult(tuple(parts))


@recipe.of(Maybe)
def _of_optional(made: Results, value: Maybe, name: str) -> results.Result:
    flag = made.output(value.missing, f"{name}.is_none")
    return results.OptionalResult(flag, made.result(value.value, name))


@recipe.of(Mixed)
def _of_mixture(made: Results, value: Mixed, name: str) -> results.Result:
    if value.selector is None:
        raise mixed_error(made.m, value)
    case = made.output(value.selector, f"{name}.case")
    return results.ChoiceResult(case, tuple(made.result(v, name) for v in value.values))


@recipe.of(Tuple)
def _of_tuple(made: Results, value: Tuple, name: str) -> results.Result:
    fields = value.cls._fields if value.cls else range(len(value.elts))  # type: ignore[attr-defined]
    parts = (made.result(e, f"{name}.{f}") for e, f in zip(value.elts, fields, strict=True))
    return results.TupleResult(tuple(parts), value.cls)


recipe.register(Row, lambda made, value, name: made.picked(value.cls, made.output(value.number, f"{name}.row")))


# ---------------------------------------------------------------- by layout of an element


@generic
def row_recipe(made: Results, layout: Layout, columns: Indices, name: str) -> results.Result:
    """How to build an element that is laid out in one way."""
    raise AssertionError(layout)


@row_recipe.of(Leaf)
def _row_of_leaf(made: Results, layout: Leaf, columns: Indices, name: str) -> results.Result:
    index, shapes = next(columns)
    type_ = _renamed(made.m.facts.resolve_type(layout.type), made.names_of_dims)
    ragged = results.OutputResult(index, type_)
    return ragged if shapes is None else results.RaggedResult(index, shapes, type_)


row_recipe.register(OnHost, lambda made, layout, columns, *_: results.ObjectResult(next(columns)[0]))
row_recipe.register(InTable, lambda made, layout, columns, *_: made.picked(layout.cls, next(columns)[0]))
row_recipe.register(Same, lambda made, layout, columns, name: made.result(layout.value, name))


@row_recipe.of(Counted)
def _row_of_counted(made: Results, layout: Counted, columns: Indices, name: str) -> results.Result:
    next(columns)
    return made.row_result(layout.inner, columns, name)


@row_recipe.of(Classed)
def _row_of_classed(made: Results, layout: Classed, columns: Indices, name: str) -> results.Result:
    flag, _ = next(columns)
    number = made.row_result(layout.inner, columns, name)
    assert isinstance(number, results.OutputResult)
    return results.ClassedResult(flag, number)


@row_recipe.of(Choice)
def _row_of_choice(made: Results, layout: Choice, columns: Indices, name: str) -> results.Result:
    which, _ = next(columns)
    return results.ChoiceResult(which, tuple(made.row_result(p, columns, name) for p in layout.parts))


@row_recipe.of(Option)
def _row_of_option(made: Results, layout: Option, columns: Indices, name: str) -> results.Result:
    flag, _ = next(columns)
    return results.OptionalResult(flag, made.row_result(layout.inner, columns, name))


@row_recipe.of(Listed)
def _row_of_list(made: Results, layout: Listed, columns: Indices, name: str) -> results.Result:
    pairs = [(index, shapes or 0) for index, shapes in (next(columns) for _ in leaves(layout))]
    rest = iter(pairs)
    own = [(next(rest)[0], next(rest)[0] if leaf.ragged else None) for leaf in leaves(layout.inner)]
    first = own[0][0] if own[0][1] is None else own[0][1]
    row = made.row_result(layout.inner, iter(own), name)
    return results.ListedResult(tuple(pairs), results.RowsResult(first, row, layout.cls))


@row_recipe.of(Group)
def _row_of_group(made: Results, layout: Group, columns: Indices, name: str) -> results.Result:
    found = tuple(made.row_result(p, columns, name) for p in layout.parts)
    if not layout.is_object:
        return results.TupleResult(found, layout.cls)
    if layout.cls is list:
        return results.ListResult(found)
    items = tuple(zip(layout.keys, found, strict=True))
    return results.DictResult(items) if layout.cls is dict else results.RecordResult(layout.cls or object, items)
