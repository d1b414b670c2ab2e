"""From what a program gives back, and has written, to the outputs and recipes of an `Interface`."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import starmap
from typing import Any

from graph_program.extract import diagnostics
from graph_program.extract.diagnostics import Label
from graph_program.extract.ir import interface, results
from graph_program.extract.ir.paths import ROW, KeyStep, Path, Step, path_name, path_text
from graph_program.extract.ir.residual import Operand
from graph_program.extract.stage.arrays import archives
from graph_program.extract.stage.host.steps import host_code
from graph_program.extract.stage.lists import columns as growing
from graph_program.extract.stage.machine.checks import booleans
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.memory import reachable, tables
from graph_program.extract.stage.objects import caller_rows, captured_state, given_rows, result_identity
from graph_program.extract.stage.operations.known_and_truth import mixed_error, require_order, settled
from graph_program.extract.stage.paths.joins.key_order import AnyOrder
from graph_program.extract.stage.paths.several import one_of_several
from graph_program.extract.stage.values import sharing
from graph_program.extract.stage.values.column_data import Column, Growing
from graph_program.extract.stage.values.inside import held, items_of
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
from graph_program.extract.stage.values.questions import is_array_of_graph, is_optional, is_partly_set
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
        self.seen: set[Ref] = set()
        self.tables: tuple[results.TableResult, ...] | None = None
        """Those that objects in results come from; none while they are being described."""
        self.read: dict[int, tuple[Mixed, Value]] = {}
        """Arrays that are one of several, as they are at the end."""
        self.kept: dict[Tensor, tuple[Value, bool]] = {}
        """Arrays whose memory is kept after the call, with the one that is kept, and whether that is all of it."""

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
        m = self.m
        if isinstance(value, Mixed):
            value = self.read_now(value)
        if isinstance(value, Mixed):
            if value.selector is None:
                raise mixed_error(m, value)
            case = self.output(value.selector, f"{name}.case")
            return results.ChoiceResult(case, tuple(self.result(v, name) for v in value.values))
        if not is_optional(value):
            value = settled(m, value)
        ours = not self.arguments_are_outputs and any(a is value for a in m.outside.arguments)
        match value:
            case Tensor() | Ref() if ours and value.path:
                return results.ArgResult(value.path)
            case SliceValue(path=place) if place and not self.arguments_are_outputs:
                return results.ArgResult(place)
            case Tensor() if value.is_array and m.is_captured(value):
                return results.CapturedResult(next(c.array for c, t in m.outside.captured.values() if t is value))
            case Tensor(host=Host() as host) if host_code.is_array_of_list(m, value):
                return self.result(host, name)
            case Tensor():
                type_ = self.m.facts.resolve_type(value.type)
                return results.OutputResult(self.output(value, name), _renamed(type_, self.names_of_dims))
            case Stream(path=path):
                return results.StreamResult(path[-1].removeprefix("."))
            case Static(obj):
                return results.CapturedResult(archives.original(obj)) if value.path else results.ConstantResult(obj)
            case Host(number):
                return results.ObjectResult(self.output(number, f"{name}.object"))
            case Text(parts_):
                return results.TextResult(
                    tuple(p if isinstance(p, str) else (self.result(p[0], name), p[1], p[2]) for p in parts_)
                )
            case Maybe(missing, inner, _):
                flag = self.output(missing, f"{name}.is_none")
                return results.OptionalResult(flag, self.result(inner, name))
            case Tuple(elts, cls) if not isinstance(value, DictView):
                fields = cls._fields if cls else range(len(elts))  # type: ignore[attr-defined]
                parts = (self.result(e, f"{name}.{f}") for e, f in zip(elts, fields, strict=True))
                return results.TupleResult(tuple(parts), cls)
            case Row(cls, number):
                return self.picked(cls, self.output(number, f"{name}.row"))
            case Ref():
                return self.object_result(value, name)
        hint = "return numbers, arrays, and tuples, lists, dicts or dataclasses of them"
        raise m.error(
            "GP350",
            f"a {describe(value)} made in the program cannot leave it",
            cls=diagnostics.DTypeError,
            hint="write a list, in square brackets" if describe(value) == "generator" else hint,
        )

    def read_now(self, value: Mixed) -> Value:
        """An array that is one of several, as it is at the end, the same one wherever it is given back."""
        if one_of_several.one_of_objects(value) is None or not any(isinstance(v, Tensor) for v in value.values):
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
            if not self.m.options.identities and name.partition(".")[0] != "result":
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

    def row_result(self, layout: Layout, columns: Iterator[tuple[int, int | None]], name: str) -> results.Result:
        """How to build one element from the rows of columns."""
        match layout:
            case Leaf(type_):
                index, shapes = next(columns)
                type_ = _renamed(self.m.facts.resolve_type(type_), self.names_of_dims)
                ragged = results.OutputResult(index, type_)
                return ragged if shapes is None else results.RaggedResult(index, shapes, type_)
            case OnHost():
                return results.ObjectResult(next(columns)[0])
            case InTable(cls):
                return self.picked(cls, next(columns)[0])
            case Same(value):
                return self.result(value, name)
            case Counted(inner):
                next(columns)
                return self.row_result(inner, columns, name)
            case Classed(leaf):
                flag, _ = next(columns)
                number = self.row_result(leaf, columns, name)
                assert isinstance(number, results.OutputResult)
                return results.ClassedResult(flag, number)
            case Choice(parts):
                which, _ = next(columns)
                return results.ChoiceResult(which, tuple(self.row_result(p, columns, name) for p in parts))
            case Listed(inner):
                return self.listed_result(layout, inner, columns, name)
            case Option(inner):
                flag, _ = next(columns)
                return results.OptionalResult(flag, self.row_result(inner, columns, name))
            case Group(cls, keys, parts):
                found = tuple(self.row_result(p, columns, name) for p in parts)
                if not layout.is_object:
                    return results.TupleResult(found, cls)
                if cls is list:
                    return results.ListResult(found)
                items = tuple(zip(keys, found, strict=True))
                return results.DictResult(items) if cls is dict else results.RecordResult(cls or object, items)
        raise AssertionError(layout)

    def listed_result(
        self, layout: Listed, inner: Layout, columns: Iterator[tuple[int, int | None]], name: str
    ) -> results.Result:
        """How to build a list in an element."""
        pairs = [(index, shapes or 0) for index, shapes in (next(columns) for _ in leaves(layout))]
        rest = iter(pairs)
        own = [(next(rest)[0], next(rest)[0] if leaf.ragged else None) for leaf in leaves(inner)]
        first = own[0][0] if own[0][1] is None else own[0][1]
        return results.ListedResult(
            tuple(pairs), results.RowsResult(first, self.row_result(inner, iter(own), name), layout.cls)
        )

    def write_backs(self) -> tuple[interface.WriteBack, ...]:
        """Outputs for the arrays of the caller that the program has written."""
        m = self.m
        found = []
        for value in m.outside.arguments:
            if isinstance(value, Tensor) and m.contents(value) != value.operand:
                found.append(interface.WriteBack(value.path, self.output(value, path_name(value.path))))
        return tuple(found)

    def set_backs(self) -> tuple[interface.Back, ...]:
        """New contents of the caller's objects that the program has changed."""
        m = self.m
        found: list[interface.Back] = list(self.rows_backs())
        for ref, before in m.outside.arguments.items():
            if not isinstance(ref, Ref):
                continue
            after = m.live.heap[ref]
            if after is before and ref not in m.rows.given and not self.has_new_parts(after):
                continue
            live = captured_state.live_object(m, ref)
            if live is not None:
                before = {k: v for k, v in before.items() if k in captured_state.instance_attributes(live.value)}
            if ref in m.rows.given:
                for name, value, when in caller_rows.changes(m, ref):
                    found += self.set_back(ref, f".{name}", value, when)
                continue
            if _changes_outline(ref, before, after):
                self.check_replaceable(ref, before, after)
                for item in items_of(after):
                    self.stored(item, ref.path)
                found.append(interface.RefillBack(ref.path, self.new_object(ref, path_name(ref.path))))
                continue
            for step, value in _changed(ref, before, after):
                found += self.set_back(ref, step, value)
        return tuple(found if m.options.identities else _without_replaced(found))

    def rows_backs(self) -> Iterator[interface.RowsBack]:
        """New attributes of the objects in the caller's lists; a model gives these lists back as they are then."""
        for ref in self.m.rows.given if self.m.options.identities else ():
            if ROW not in ref.path:
                continue
            fields = []
            for name, layout, columns, when in given_rows.changes(self.m, ref):
                place = f"{ref.cls.__name__}.{name}"
                result = self.row_result(layout, iter(self.columns(columns, place)), place)
                flag = None if when is None else self.output(when, f"{place}.is_set")
                fields.append(interface.RowField(name, result, flag))
            others = [other.path for other in self.m.rows.given if other.cls is ref.cls]
            before = tuple(others[: others.index(ref.path)])
            if fields:
                yield interface.RowsBack(ref.path, tuple(fields), before, self.tables or ())

    def has_new_parts(self, contents: Any) -> bool:
        """Whether a model gives a list back because of what is in its objects."""
        changed = {cls for cls, _ in self.m.rows.attributes_set | self.m.rows.attributes_changed}
        held = tables.classes_in(contents.layout) if isinstance(contents, Growing) else ()
        return not self.m.options.identities and not changed.isdisjoint(held)

    def set_back(self, ref: Ref, step: Step, value: Value, when: Value | None = None) -> list[interface.SetBack]:
        """The write of one item or attribute, where it is made on some paths only under its condition."""
        m, path = self.m, (*ref.path, step)
        if when is None:
            when = captured_state.is_set(m, ref, str(step)[1:]) if isinstance(step, str) else Static(True)
        is_new = is_partly_set(value)
        if isinstance(value, Maybe) and is_new:
            when, value = booleans.negate(m, value.missing), value.value
        if isinstance(when, Static) and not when.value:
            return []
        self.stored(value, path)
        result = self.result(value, path_name(path))
        is_known = isinstance(result, results.ConstantResult) and not is_new  # the same on all paths
        if isinstance(when, Static) or is_known:
            return [interface.SetBack(path, result)]
        return [interface.SetBack(path, result, self.output(when, f"{path_name(path)}.is_set"))]

    def new_parts(self, value: Value) -> Iterable[Value]:
        """What is in a structure that the program has made."""
        if isinstance(value, Maybe | Tuple):
            return held(value)
        if not isinstance(value, Ref) or value.path or value in self.seen:
            return ()
        self.seen.add(value)
        return items_of(self.m.live.heap[value])

    def check_replaceable(self, ref: Ref, before: Any, after: Any) -> None:
        """Refuse to put copies in the place of the caller's own arrays and objects, which a model does not have."""
        if not self.m.options.identities:
            return
        if not isinstance(after, Growing) or not any(growing.held(before, self.m.live.heap.__getitem__)):
            return
        raise result_identity.refused_change(self.m, ref, after)

    def stored(self, value: Value, path: Path) -> None:
        """Refuse to keep what shares memory with another array of the caller: both would be copies."""
        for part in self.new_parts(value):
            self.stored(part, path)
        for one in reachable.merged(value):
            self.stored_array(one, value, path)

    def stored_array(self, array: Tensor, value: Value, path: Path) -> None:
        """The same of an array that a value may be; one that is whole in two places is one array there."""
        base = sharing.root(array)
        kept, whole = self.kept.setdefault(base, (value, array is base))
        if (array is not base and base.path) or (kept is not value and not (whole and array is base)):
            other = path_text(base.path) if base.path else "another attribute"
            raise self.m.error(
                "GP452",
                f"'{path_text(path)}' would share its memory with '{other}' after the call",
                labels=(Label(array.loc, "the view is made here"),),
                hint="keep a .copy()",
            )


def _without_replaced(backs: Sequence[interface.Back]) -> Iterator[interface.Back]:
    """Without the contents of lists that have others in their places now, which a model does not have."""
    replaced = {back.path for back in backs if isinstance(back, interface.SetBack)}
    return (b for b in backs if not (isinstance(b, interface.RefillBack) and b.path in replaced))


def _changes_outline(ref: Ref, before: Any, after: Any) -> bool:
    """Whether a list has another length now, or a dict has lost a key."""
    if isinstance(after, Growing) or isinstance(before, Growing):
        return True
    if isinstance(after, tuple):
        return len(after) != len(before)
    lost = any(is_partly_set(v) for v in map(after.get, before))
    return ref.cls is dict and (lost or isinstance(after, AnyOrder) or list(before) != list(after)[: len(before)])


def _changed(ref: Ref, before: Any, after: Any) -> list[tuple[Step, Value]]:
    """The items or attributes that are others now."""
    if isinstance(after, tuple):
        return [(i, a) for i, (a, b) in enumerate(zip(after, before, strict=True)) if a is not b]
    steps = [(KeyStep(k) if ref.cls is dict else f".{k}", k) for k in after]
    return [(s, after[k]) for s, k in steps if after[k] is not before.get(k)]
