"""Lists of any length: each input has a row for each element, of lists in lists for all elements of all of them.

    [Track(x, 3), Track(y, 5)]        "tracks.x": np.array([x, y])        "tracks.hits": np.array([3, 5])
    [[1, 2], [], [3]]                 "xs": np.array([1, 2, 3])           "xs.offsets": np.array([0, 2, 2, 3])

They are read attribute by attribute, not element by element, so that what is done for each element is done in C.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from operator import itemgetter
from typing import Any

import numpy as np

from graph_program.onnx_program.classes import Classes, same_value
from graph_program.onnx_program.parameters import (
    ABSENT,
    Arrays,
    DictPart,
    Node,
    Part,
    Place,
    RecordPart,
    SequencePart,
    StaticPart,
    TensorPart,
    is_a,
    parameter,
    what,
)
from graph_program.onnx_program.places import ROW, Call, text_of
from graph_program.onnx_program.sizes import Leaf, check_sizes
from graph_program.onnx_program.told import CallError, UnsupportedError


class Misfit(Exception):
    """An element is another one than the model was exported for."""


class RowsPart(Part):
    """A list of any length, whose elements are alike."""

    def __init__(self, node: Node, path: Place, classes: Classes):
        super().__init__(node, path, classes)
        self.node, self.classes, self.length = node["element"], classes, node["length"]
        self.element = parameter(self.node, (*path, ROW), classes)
        self.parts = [self.element]
        self.own_inputs = tuple(map(str, node["offsets"]))
        self.shapes: dict[str, tuple[int, ...]] = {}
        """Of the arrays in elements, as they were last: an empty list does not say."""

    def read(self, value: Any, call: Call) -> None:
        super().read(value, call)
        if type(value) is not list:
            raise self.refused("a list", value, "GP402")
        call.places[*self.path, ROW] = list(value)
        if not self.own_inputs:
            self.tell_length(len(value), call)
        try:
            _Columns(self, call).add(self.element, value)
        except (Misfit, OverflowError):
            self.explain(value, call)

    def tell_length(self, count: int, call: Call) -> None:
        """Have the length checked: of lists in a list, that of all together."""
        call.leaves.append(Leaf(self.text, "a list", (self.length,), (count,)))

    def explain(self, value: list[Any], call: Call) -> None:
        """Refuse a list with the element that does not fit."""
        leaves: list[Leaf] = []
        seen: dict[int, Place] = {}
        for i, one in enumerate(value):
            row = Call(call.inputs)
            parameter(self.node, (*self.path, i), self.classes).read(one, row)
            leaves += row.leaves
            for path, held in row.places.items():
                if seen.setdefault(id(held), path) != path and _is_one(held):
                    raise self.exported_for("elements that have nothing in common", f"one of them twice: {what(held)}")
        check_sizes(leaves, {})
        raise self.exported_for("other elements", repr(value)[:80])

    def make(self, arrays: Arrays) -> Any:
        columns = {name: np.asarray(arrays[name]) for name in self.element.inputs}
        inner = [part for part in parts_in(self.element) if isinstance(part, RowsPart)]
        ends = {name: columns[part.own_inputs[0]] for part in inner for name in part.element.inputs}
        offsets = {part.own_inputs[0] for part in inner}
        counts = {len(column) - (name in offsets) for name, column in columns.items() if name not in ends}
        if len(counts) > 1:
            found = " and ".join(map(str, sorted(counts)))
            raise CallError("GP403", f"parameter {self.text}: its columns have {found} rows")

        def row(name: str, i: int) -> Any:
            return columns[name][ends[name][i] : ends[name][i + 1]] if name in ends else columns[name][i]

        return [self.element.make({name: row(name, i) for name in columns}) for i in range(counts.pop())]


def parts_in(part: Part) -> list[Part]:
    """A part, and all parts of it."""
    return [part, *(inner for one in part.parts for inner in parts_in(one))]


def _is_one(value: Any) -> bool:
    """Whether it matters if a value is the same one as another."""
    return isinstance(value, np.ndarray | list | dict) or not (
        value is None or isinstance(value, tuple | str | bytes | int | float | complex | np.generic | type)
    )


def _require(fits: bool) -> None:
    if not fits:
        raise Misfit


class _Columns:
    """What a call reads of one list."""

    def __init__(self, rows: RowsPart, call: Call):
        self.rows = rows
        self.call = call
        self.seen: set[int] = set()
        """Which arrays and objects are in the elements, by their ids."""

    def add(self, part: Part, values: Sequence[Any]) -> None:
        """Check what stands in one place of all elements, and feed its inputs."""
        match part:
            case TensorPart(cls="array"):
                self.each_once(part, values)
                self.arrays(part, values)
            case TensorPart():
                _require(part.scalars.issuperset(map(type, values)))
                self.give(part, np.fromiter(values, part.dtype, len(values)))
            case StaticPart():
                _require(all(same_value(value, part.value) for value in values))
            case SequencePart():
                _require_class(values, part.cls)
                _require({len(part.parts)}.issuperset(map(len, values)))
                for i, inner in enumerate(part.parts):
                    self.add(inner, list(map(itemgetter(i), values)))
            case RowsPart():
                self.lists(part, values)
            case DictPart():
                _require_class(values, dict)
                _require(all(same_value(list(value), part.keys) for value in values))
                self.each_once(part, values)
                for key, inner in zip(part.keys, part.parts, strict=True):
                    self.add(inner, list(map(itemgetter(key), values)))
            case RecordPart():
                _require_class(values, part.cls)
                self.each_once(part, values)
                for name, inner in zip(part.names, part.parts, strict=True):
                    self.add(inner, [getattr(value, name, ABSENT) for value in values])
            case _:
                raise Misfit

    def each_once(self, part: Part, values: Sequence[Any]) -> None:
        """Note where arrays and objects are, each of which must be there once."""
        start, rest = self.rows.path, part.path[len(self.rows.path) + 1 :]
        self.call.places.update({(*start, i, *rest): value for i, value in enumerate(values)})
        before = len(self.seen)
        self.seen.update(map(id, values))
        _require(len(self.seen) == before + len(values))

    def arrays(self, part: TensorPart, values: Sequence[Any]) -> None:
        """Arrays of one shape as one; of none, the shape is the last one, as far as the model does not fix it."""
        try:
            for value in values:
                part.check_array(value)
        except (CallError, UnsupportedError):
            raise Misfit from None
        shapes = {value.shape for value in values}
        _require(len(shapes) < 2)
        known = self.rows.shapes.get(part.text, tuple(n if isinstance(n, int) else 1 for n in part.shape))
        self.rows.shapes[part.text] = shape = shapes.pop() if shapes else known
        if values:
            first = text_of(tuple(0 if step is ROW else step for step in part.path))
            self.call.leaves.append(Leaf(first, part.expected, part.shape, shape))
        self.give(part, np.array(values, part.dtype).reshape((len(values), *shape)))

    def lists(self, part: RowsPart, values: Sequence[Any]) -> None:
        """Lists in the elements: all of their elements, and where those of each begin."""
        _require({list}.issuperset(map(type, values)))
        self.each_once(part, values)
        inner = list(chain.from_iterable(values))
        part.tell_length(len(inner), self.call)
        self.call.give(part.own_inputs[0], np.cumsum([0, *map(len, values)]), np.int64)
        self.add(part.element, inner)

    def give(self, part: TensorPart, column: np.ndarray[Any, Any]) -> None:
        """Feed the inputs of a part."""
        for name, half in zip(part.own_inputs, (column.real, column.imag), strict=False):
            self.call.give(name, half if len(part.own_inputs) == 2 else column, half.dtype)


def _require_class(values: Sequence[Any], cls: type) -> None:
    _require(all(is_a(one, cls) for one in {type(value): value for value in values}.values()))
