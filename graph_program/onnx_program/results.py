"""Results: Python's objects from the outputs of the model.

    {"kind": "output", "class": "python", "dtype": "float64", "outputs": ["result"]}
    {"kind": "rows", "length": "result", "element": {...}, "class": "list"}

Each kind is a function from its description to one that builds the object; `KINDS_OF_RESULTS` has them by name.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np

from graph_program.onnx_program.classes import Classes, make_record
from graph_program.onnx_program.places import Call, path_of

Build = Callable[["Outputs"], Any]


class Outputs:
    """The outputs of one run, by name.  In an element of a list, `values[name]` is its row of them."""

    def __init__(self, arrays: Mapping[str, Any], call: Call, around: Outputs | None = None):
        self.arrays = arrays
        self.call = call
        self.root: Outputs = self if around is None else around.root
        self.made: dict[Any, Any] = {}
        """Objects that may stand in several places, and arrays that were cut into pieces."""
        self.changes: list[Callable[[], None]] = []
        """What is to be done to objects of the caller that are given back."""

    def __getitem__(self, name: str) -> Any:
        return self.arrays[name]

    def once(self, key: Any, make: Callable[[], Any]) -> Any:
        """What was made for a key, the same every time."""
        if key not in self.made:
            self.made[key] = make()
        return self.made[key]

    def pieces(self, data: str, shapes: str) -> list[Any]:
        """Arrays of different shapes whose elements follow each other."""

        def cut() -> list[Any]:
            ends = np.cumsum(np.prod(self[shapes], axis=1, dtype=np.int64))
            found = np.split(self[data], ends[:-1]) if len(ends) else []
            return [piece.reshape(tuple(shape)) for piece, shape in zip(found, self[shapes], strict=True)]

        return self.once((data, shapes), cut)  # type: ignore[no-any-return]


class Row(Outputs):
    """The outputs of one element."""

    def __init__(self, around: Outputs, number: int):
        super().__init__({}, around.call, around)
        self.around, self.number = around, number

    def __getitem__(self, name: str) -> Any:
        return self.around[name][self.number]


def result(node: Mapping[str, Any], classes: Classes) -> Build:
    """What builds a result."""
    return KINDS_OF_RESULTS[node["kind"]](node, classes)


def as_python(array: Any, cls: str, dtype: np.dtype[Any]) -> Any:
    """An output in the class of Python that its type says."""
    array = np.asarray(array)
    if cls == "python":
        return array.item()
    if array.dtype is not dtype:  # NumPy has two classes of 64-bit integers
        array = array.view(dtype)
    return array[()] if cls == "numpy" else array


def _output(node: Mapping[str, Any], classes: Classes) -> Build:
    cls, dtype, names = str(node["class"]), np.dtype(node["dtype"]), [*map(str, node["outputs"])]

    def joined(values: Outputs) -> Any:
        re, im = (np.asarray(values[name]) for name in names)
        both = np.empty(re.shape, dtype)
        both.real, both.imag = re, im
        return as_python(both, cls, dtype)

    if len(names) == 2:
        return lambda values: values.once(tuple(names), lambda: joined(values))
    (name,) = names
    return lambda values: as_python(values[name], cls, dtype)


def _argument(node: Mapping[str, Any], classes: Classes) -> Build:
    path = path_of(node["path"], classes)
    return lambda values: values.call.place(path)


def _constant(node: Mapping[str, Any], classes: Classes) -> Build:
    value = classes.literal(node["value"])
    if isinstance(value, np.ndarray | list | dict | set) and node["fresh"]:
        return lambda values: copy.deepcopy(value)
    return lambda values: value


def _sequence_result(node: Mapping[str, Any], classes: Classes) -> Build:
    parts = [result(n, classes) for n in node["items"]]
    if node["kind"] == "list":
        return lambda values: [part(values) for part in parts]
    cls: Any = classes.find(node["class"]) if node.get("class") else tuple
    return lambda values: tuple.__new__(cls, [part(values) for part in parts])


LEFT_OUT: Any = object()
"""Instead of an item that a dict does not have in this run."""


def _items(node: Mapping[str, Any], classes: Classes) -> Callable[[Outputs], Iterator[tuple[Any, Any]]]:
    parts = [(classes.literal(key), result(n, classes)) for key, n in node["items"]]

    def build(values: Outputs) -> Iterator[tuple[Any, Any]]:
        made = ((key, part(values)) for key, part in parts)
        return (pair for pair in made if pair[1] is not LEFT_OUT)

    return build


def _dict_result(node: Mapping[str, Any], classes: Classes) -> Build:
    items = _items(node, classes)
    return lambda values: dict(items(values))


def _record_result(node: Mapping[str, Any], classes: Classes) -> Build:
    cls, items = classes.find(node["class"]), _items(node, classes)
    return lambda values: make_record(cls, dict(items(values)))


def _rows(node: Mapping[str, Any], classes: Classes) -> Build:
    length, element, kind = str(node["length"]), result(node["element"], classes), {"list": list, "tuple": tuple}
    cls, inner = kind[node["class"]], node["element"]
    if (inner["kind"], inner.get("class")) == ("output", "python") and len(inner["outputs"]) == 1:
        name = str(inner["outputs"][0])
        return lambda values: cls(values[name].tolist())  # numbers of Python in one go
    return lambda values: cls([element(Row(values, i)) for i in range(len(values[length]))])


def _ragged(node: Mapping[str, Any], classes: Classes) -> Build:
    names, shapes, dtype = [*map(str, node["outputs"])], str(node["shapes"]), np.dtype(node["dtype"])

    def build(values: Any) -> Any:
        parts = [values.around.pieces(name, shapes)[values.number] for name in names]
        if len(parts) == 1:
            return as_python(parts[0], "array", dtype)
        both = np.empty(parts[0].shape, dtype)
        both.real, both.imag = parts
        return both

    return build


def _listed(node: Mapping[str, Any], classes: Classes) -> Build:
    columns, rows = [(str(a), str(b)) for a, b in node["columns"]], result(node["rows"], classes)

    def build(values: Any) -> Any:
        around, number = values.around, values.number
        inner = {data: around.pieces(data, shapes)[number] for data, shapes in columns}
        return rows(Outputs(inner, values.call, values))

    return build


def _classed(node: Mapping[str, Any], classes: Classes) -> Build:
    flag, number = str(node["flag"]), result(node["number"], classes)
    return lambda values: number(values).item() if values[flag] else number(values)


def _optional(node: Mapping[str, Any], classes: Classes) -> Build:
    flag, value = str(node["flag"]), result(node["value"], classes)
    instead = None if node["kind"] == "optional" else LEFT_OUT
    return lambda values: instead if values[flag] else value(values)


def _choice(node: Mapping[str, Any], classes: Classes) -> Build:
    case, options = str(node["case"]), [result(n, classes) for n in node["options"]]
    return lambda values: options[int(values[case])](values)


CONVERSIONS: dict[str, Callable[[Any], Any]] = {"": lambda value: value, "s": str, "r": repr, "a": ascii}


def formatted(value: Any, conversion: str, specification: str) -> str:
    """`f"{value!conversion:specification}"`."""
    return format(CONVERSIONS[conversion](value), specification)


def _text(node: Mapping[str, Any], classes: Classes) -> Build:
    pieces = [p if isinstance(p, str) else (result(p[0], classes), str(p[1]), str(p[2])) for p in node["pieces"]]
    return lambda values: "".join(p if isinstance(p, str) else formatted(p[0](values), *p[1:]) for p in pieces)


def _shared(node: Mapping[str, Any], classes: Classes) -> Build:
    number, value = int(node["number"]), result(node["value"], classes)
    return lambda values: values.once(number, lambda: value(values))


def _picked(node: Mapping[str, Any], classes: Classes) -> Build:
    index, table = str(node["index"]), int(node["table"])
    for one in node["tables"]:
        fields = [(str(name), result(n, classes)) for name, n in one["items"]]
        given = [(path_of(path, classes), dict(changed)) for path, changed in one["given"]]
        classes.tables[one["number"]] = (classes.find(one["class"]), fields, given)
    return lambda values: _table_object(values.root, classes, table, int(values[index]))


def refill(held: Any, new: Any) -> None:
    """Give a list or dict other items."""
    if isinstance(held, list):
        held[:] = new
    else:
        held.clear()
        held.update(new)


def change_fields(held: Any, news: Mapping[str, Any], changed: Mapping[str, str]) -> None:
    """Give an object of the caller the attributes that it has now: set, or with new contents where they are."""
    for name, new in news.items():
        old = getattr(held, name)
        if changed[name] == "set" or not isinstance(old, np.ndarray | list | dict):
            object.__setattr__(held, name, new)
        elif not isinstance(old, np.ndarray):
            refill(old, new)
        elif old.flags.writeable or old.tobytes() != new.tobytes():
            old[...] = new


def _table_object(root: Outputs, classes: Classes, number: int, row: int) -> Any:
    """The object in a row of a table, which is made when it is first asked for; those it refers to, after it."""
    cls, fields, given = classes.tables[number]
    key = ("table", number, row)
    if key in root.made:
        return root.made[key]
    first = 0
    for path, changed in given:
        objects = root.call.objects(path)
        if row < first + len(objects):
            root.made[key] = known = objects[row - first]
            news = {name: field(Row(root, row)) for name, field in fields if name in changed}
            root.changes.append(partial(change_fields, known, news, changed))
            return known
        first += len(objects)
    root.made[key] = made = object.__new__(cls)
    waiting = root.made.setdefault("waiting", [])
    waiting.append((made, fields, row))
    if len(waiting) == 1:
        for filled, its_fields, its_row in waiting:  # grows meanwhile
            for name, field in its_fields:
                object.__setattr__(filled, name, field(Row(root, its_row)))
        waiting.clear()
    return made


KINDS_OF_RESULTS: dict[str, Callable[[Mapping[str, Any], Classes], Build]] = {
    "output": _output,
    "argument": _argument,
    "constant": _constant,
    "tuple": _sequence_result,
    "list": _sequence_result,
    "dict": _dict_result,
    "record": _record_result,
    "rows": _rows,
    "ragged": _ragged,
    "listed": _listed,
    "classed": _classed,
    "optional": _optional,
    "left out": _optional,
    "choice": _choice,
    "text": _text,
    "shared": _shared,
    "picked": _picked,
}
