"""Parameters and parts of the state: what fits, where its parts are, and which inputs they feed.

    {"kind": "tensor", "class": "array", "dtype": "float32", "shape": ["n", 4], "inputs": ["x"], "text": ...}
    {"kind": "tuple", "items": [...]}    {"kind": "record", "class": "tracker.Track", "items": [["x", ...]]}

Each kind is a subclass of `Part`; `KINDS` has them by name.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from graph_program.onnx_program.classes import Classes, make_record, same_value
from graph_program.onnx_program.places import Call, Key, get_part, path_of, text_of
from graph_program.onnx_program.results import as_python
from graph_program.onnx_program.sizes import Leaf, shape_text
from graph_program.onnx_program.told import CallError, UnsupportedError

Node = Mapping[str, Any]
Place = tuple[Any, ...]
Arrays = Mapping[str, Any]
SHOWN = 80
"""Characters of a value in a message."""
ABSENT: Any = type("Absent", (), {"__repr__": lambda self: "nothing"})()
"""What is read of an attribute that is not there."""


class Part:
    """A parameter, an attribute of the state, or something in one: at a place, described by a node.

    Attributes
    ----------
    inputs : tuple of str
        The inputs of the model that it feeds, those of its own parts included.
    """

    def __init__(self, node: Node, path: Place, classes: Classes):
        self.path, self.text = path, text_of(path)
        self.parts: list[Part] = []
        self.own_inputs: tuple[str, ...] = ()

    @property
    def inputs(self) -> tuple[str, ...]:
        return (*self.own_inputs, *(name for part in self.parts for name in part.inputs))

    def read(self, value: Any, call: Call) -> None:
        """Check a value, and feed the inputs.

        Raises
        ------
        CallError, UnsupportedError
        """
        call.places[self.path] = value

    def make(self, arrays: Arrays) -> Any:
        """The value that feeds these inputs."""
        raise TypeError(f"{self.text} cannot be made of arrays")

    def joined(self, value: Any, call: Call) -> Any:
        """A value of the export in which objects that are at other places, too, are the ones that are there."""
        return value

    def refused(self, expected: str, value: Any, code: str = "GP401") -> CallError:
        return CallError(code, f"parameter {self.text}: expected {expected}, got {what(value)}")

    def exported_for(self, what: str, found: str) -> CallError:
        text = f"parameter {self.text}: the model was exported for {what}, got {found}"
        return CallError("GP401", text, "export the program again with such arguments")


def parameter(node: Node, path: Place, classes: Classes) -> Part:
    """The part of arguments at a place."""
    return KINDS[node["kind"]](node, path, classes)


def what(value: Any) -> str:
    """A value by its class, for messages."""
    if type(value) in (np.ndarray, np.memmap):
        return f"an array of {value.dtype}"
    cls = type(value)
    name = cls.__name__ if cls.__module__ in ("builtins", "numpy") else f"{cls.__module__}.{cls.__qualname__}"
    python = "Python " if isinstance(value, int | float | list | tuple | dict) and cls.__module__ == "builtins" else ""
    return "None" if value is None else repr(value) if value is ABSENT else f"a {python}{name}"


def shown(value: Any) -> str:
    """A value on one line, for messages; a long one is cut."""
    text = " ".join(line.strip() for line in repr(value).splitlines())
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 3]}..."


class TensorPart(Part):
    """An array, a NumPy scalar or a number of Python."""

    def __init__(self, node: Node, path: Place, classes: Classes):
        super().__init__(node, path, classes)
        self.cls, self.dtype, self.expected = str(node["class"]), np.dtype(node["dtype"]), str(node["text"])
        self.shape = tuple(node["shape"])
        self.own_inputs = tuple(map(str, node["inputs"]))
        python = {"b": bool, "i": int, "f": float, "c": complex}
        python_class, both = python.get(self.dtype.kind), bool(node.get("both"))
        self.scalars = {python_class} if self.cls == "python" or both else set()
        self.scalars |= {self.dtype.type} if self.cls == "numpy" or both else set()
        self.layout, self.filled = node.get("layout"), tuple(node.get("filled", ()))

    def read(self, value: Any, call: Call) -> None:
        super().read(value, call)
        if self.cls == "array":
            self.check_array(value)
            call.leaves.append(Leaf(self.text, self.expected, self.shape, value.shape))
        elif type(value) not in self.scalars:
            raise self.refused(self.expected, value)
        elif type(value) is int and not -(2**63) <= value < 2**63:
            raise UnsupportedError("GP404", f"parameter {self.text}: the integer {value} is outside int64")
        parts = [value.real, value.imag] if len(self.own_inputs) == 2 else [value]
        for name, part in zip(self.own_inputs, parts, strict=False):
            call.give(name, part, self.part_dtype)

    @property
    def part_dtype(self) -> Any:
        """The element type of its inputs: of a complex one, those of the parts."""
        return np.empty(0, self.dtype).real.dtype

    def check_plain(self, value: np.ndarray[Any, Any]) -> None:
        """Refuse an array that no program takes."""
        name, dtype = f"{type(value).__module__}.{type(value).__qualname__}", value.dtype
        if type(value) not in (np.ndarray, np.memmap):
            raise UnsupportedError("GP404", f"parameter {self.text}: a {name} is not a plain np.ndarray")
        if dtype.kind not in "biufc" or not dtype.isnative:
            advice = "" if dtype.isnative else f": convert it with astype({dtype.newbyteorder('=').name!r})"
            text = f"parameter {self.text}: an array of {dtype} cannot be a part of a graph program{advice}"
            raise UnsupportedError("GP404", text)

    def check_array(self, value: Any) -> None:
        if isinstance(value, np.ndarray):
            self.check_plain(value)
        if not isinstance(value, np.ndarray) or value.dtype != self.dtype:
            raise self.refused(self.expected, value)
        if value.ndim != len(self.shape):
            found = f"{value.ndim} dimensions: {shape_text(value.shape)}"
            raise CallError("GP402", f"parameter {self.text}: expected {self.expected}, got {found}")
        if any(value.shape[axis] == 0 for axis in self.filled):
            raise self.exported_for("arrays that are not empty", shape_text(value.shape))
        if self.layout:
            c, f = value.flags.c_contiguous, value.flags.f_contiguous
            found = ("C and F" if f and value.ndim > 1 else "C") if c else "F" if f else "strided"
            if found != self.layout:
                raise self.exported_for(f"an array whose layout is {self.layout}", found)

    def make(self, arrays: Arrays) -> Any:
        parts = [np.asarray(arrays[name]) for name in self.own_inputs]
        if len(parts) == 2:
            parts = [parts[0] + parts[1] * 1j]
        return as_python(parts[0].astype(self.dtype), self.cls, self.dtype)


class StaticPart(Part):
    """A value that was fixed when the model was exported."""

    def __init__(self, node: Node, path: Place, classes: Classes):
        super().__init__(node, path, classes)
        self.value = classes.literal(node["value"])

    def read(self, value: Any, call: Call) -> None:
        super().read(value, call)
        if not same_value(value, self.value):
            raise self.exported_for(shown(self.value), shown(value))

    def make(self, arrays: Arrays) -> Any:
        return self.value


class SequencePart(Part):
    """A tuple, a named tuple, or a list of a length that is fixed."""

    def __init__(self, node: Node, path: Place, classes: Classes):
        super().__init__(node, path, classes)
        self.cls: Any = {"tuple": tuple, "list": list}[node["kind"]]
        steps: list[Any] = list(range(len(node["items"])))
        if "class" in node:
            self.cls, steps = classes.find(node["class"]), [f".{name}" for name in node["fields"]]
        pairs = zip(steps, node["items"], strict=True)
        self.parts = [parameter(item, (*path, step), classes) for step, item in pairs]

    def read(self, value: Any, call: Call) -> None:
        super().read(value, call)
        if not is_a(value, self.cls):
            raise self.refused(f"a {self.cls.__name__}", value, "GP402")
        if len(value) != len(self.parts):
            text = f"parameter {self.text}: expected {len(self.parts)} elements, got {len(value)}"
            raise CallError("GP402", text)
        for part, element in zip(self.parts, value, strict=True):
            part.read(element, call)

    def make(self, arrays: Arrays) -> Any:
        made = [part.make(arrays) for part in self.parts]
        return made if self.cls is list else tuple.__new__(self.cls, made)

    def joined(self, value: Any, call: Call) -> Any:
        made = [part.joined(element, call) for part, element in zip(self.parts, value, strict=True)]
        return made if self.cls is list else tuple.__new__(self.cls, made)


class DictPart(Part):
    """A dict with fixed keys."""

    def __init__(self, node: Node, path: Place, classes: Classes):
        super().__init__(node, path, classes)
        self.keys = [classes.literal(key) for key, _ in node["items"]]
        pairs = zip(self.keys, node["items"], strict=True)
        self.parts = [parameter(item, (*path, Key(key)), classes) for key, (_, item) in pairs]

    def read(self, value: Any, call: Call) -> None:
        super().read(value, call)
        if type(value) is not dict:
            raise self.refused("a dict", value, "GP402")
        if not same_value(list(value), self.keys):
            text = f"parameter {self.text}: expected the keys {self.keys!r}, got {list(value)!r}"
            raise CallError("GP402", text)
        for part, element in zip(self.parts, value.values(), strict=True):
            part.read(element, call)

    def make(self, arrays: Arrays) -> Any:
        return {key: part.make(arrays) for key, part in zip(self.keys, self.parts, strict=True)}

    def joined(self, value: Any, call: Call) -> Any:
        return {key: part.joined(value[key], call) for key, part in zip(self.keys, self.parts, strict=True)}


class RecordPart(Part):
    """An object of a class, by its attributes."""

    def __init__(self, node: Node, path: Place, classes: Classes):
        super().__init__(node, path, classes)
        self.cls = classes.find(node["class"])
        self.names = [str(name) for name, _ in node["items"]]
        self.parts = [parameter(item, (*path, f".{name}"), classes) for name, item in node["items"]]

    def read(self, value: Any, call: Call) -> None:
        super().read(value, call)
        if not is_a(value, self.cls):
            raise self.refused(f"a {self.cls.__name__}", value)
        for name, part in zip(self.names, self.parts, strict=True):
            part.read(getattr(value, name, ABSENT), call)

    def make(self, arrays: Arrays) -> Any:
        made = {name: part.make(arrays) for name, part in zip(self.names, self.parts, strict=True)}
        return make_record(self.cls, {name: value for name, value in made.items() if value is not ABSENT})

    def joined(self, value: Any, call: Call) -> Any:
        _join(value, zip(self.names, self.parts, strict=True), call)
        return value


class SamePart(Part):
    """The very object that is at another place."""

    def __init__(self, node: Node, path: Place, classes: Classes):
        super().__init__(node, path, classes)
        self.other = path_of(node["path"], classes)

    def read(self, value: Any, call: Call) -> None:
        if value is not call.place(self.other):
            raise self.exported_for(f"the object that is {text_of(self.other)}", "another one")

    def joined(self, value: Any, call: Call) -> Any:
        return call.place(self.other)


class AbsentPart(Part):
    """An attribute that the object does not have."""

    def read(self, value: Any, call: Call) -> None:
        if value is not ABSENT:
            raise self.refused("nothing", value)

    def make(self, arrays: Arrays) -> Any:
        return ABSENT


class ObjectPart(Part):
    """An object of which the program reads nothing but its class."""

    def __init__(self, node: Node, path: Place, classes: Classes):
        super().__init__(node, path, classes)
        self.name = str(node["class"])

    def read(self, value: Any, call: Call) -> None:
        super().read(value, call)
        if type(value).__name__ != self.name:
            raise self.refused(f"a {self.name}", value)


def is_a(value: Any, cls: type) -> bool:
    """Whether a value is of a class, or of one of that name: what stands in for a class is another one."""
    own = type(value)
    return own is cls or (cls not in (tuple, list) and own.__name__ == cls.__name__)


KINDS: dict[str, type[Part]] = {
    "tensor": TensorPart,
    "static": StaticPart,
    "tuple": SequencePart,
    "list": SequencePart,
    "dict": DictPart,
    "record": RecordPart,
    "same": SamePart,
    "absent": AbsentPart,
    "object": ObjectPart,
}


def _join(holder: Any, parts: Iterable[tuple[str, Part]], call: Call) -> None:
    """Have attributes of a new object hold the objects that are at other places, too."""
    for name, part in parts:
        value = getattr(holder, name, ABSENT)
        made = value if value is ABSENT else part.joined(value, call)
        if made is not value:
            object.__setattr__(holder, name, made)


class StateObject:
    """An object whose attributes the program keeps from call to call."""

    def __init__(self, node: Node, classes: Classes):
        self.path = path_of(node["path"], classes)
        self.text = text_of(self.path)
        self.classes, self.cls = classes, classes.find(node["class"])
        self.initial = [(str(name), value) for name, value in node["initial"]]
        self.parts = [(str(n), parameter(part, (*self.path, f".{n}"), classes)) for n, part in node["attributes"]]

    def make(self, state: dict[str, Any]) -> None:
        """A new object with the values of the export, in the state and in the objects around it."""
        state[self.text] = made = object.__new__(self.cls)
        for name, value in self.initial:
            object.__setattr__(made, name, self.classes.literal(value))
        around = state.get(text_of(self.path[:-1])) if len(self.path) > 1 else None
        if around is not None and isinstance(self.path[-1], str):
            object.__setattr__(around, self.path[-1][1:], made)

    def join(self, state: Mapping[str, Any], call: Call) -> None:
        """Put objects that are at other places of the state, too, into what is new."""
        _join(self.held(state), self.parts, call)

    def held(self, state: Mapping[str, Any]) -> Any:
        """The object."""
        found = state.get(self.text, ABSENT)
        if found is ABSENT:  # the state of another program, or an object of the caller's
            found = state[text_of(self.path[:1])]
            for step in self.path[1:]:
                found = get_part(found, step)
        return found

    def read(self, state: Mapping[str, Any], call: Call) -> None:
        """Read its attributes as they are now."""
        held = self.held(state)
        for name, part in self.parts:
            part.read(getattr(held, name, ABSENT), call)

    def fill(self, state: Mapping[str, Any], arrays: Arrays) -> None:
        """Set the attributes whose inputs are given."""
        for name, part in self.parts:
            if part.inputs and arrays.keys() >= set(part.inputs):
                object.__setattr__(self.held(state), name, part.make(arrays))
