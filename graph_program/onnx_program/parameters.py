"""Parameters and parts of the state: what fits, where its parts are, and which inputs they feed.

    {"kind": "tensor", "class": "array", "dtype": "float32", "shape": ["n", 4], "inputs": ["x"], "text": ...}
    {"kind": "tuple", "items": [...]}    {"kind": "record", "class": "tracker.Track", "items": [["x", ...]]}

Each kind is a function from its description to one that reads a value; `KINDS` has them by name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from graph_program.onnx_program.classes import Classes, same_value
from graph_program.onnx_program.places import Call, Key, get_part, path_of, text_of
from graph_program.onnx_program.sizes import Leaf, shape_text
from graph_program.onnx_program.told import CallError, UnsupportedError

Node = Mapping[str, Any]
Read = Callable[[Any, Call], None]
ABSENT: Any = type("Absent", (), {"__repr__": lambda self: "nothing"})()
"""What is read of an attribute that is not there."""


def parameter(node: Node, path: tuple[Any, ...], classes: Classes) -> Read:
    """What reads the value at a place."""
    return KINDS[node["kind"]](node, path, classes)


def _refused(path: tuple[Any, ...], expected: str, value: Any, code: str = "GP401") -> CallError:
    return CallError(code, f"parameter {text_of(path)}: expected {expected}, got {_what(value)}")


def _what(value: Any) -> str:
    if isinstance(value, np.ndarray) and type(value) in (np.ndarray, np.memmap):
        return f"an array of {value.dtype}"
    cls = type(value)
    name = cls.__name__ if cls.__module__ in ("builtins", "numpy") else f"{cls.__module__}.{cls.__qualname__}"
    python = "Python " if isinstance(value, int | float | list | tuple | dict) and "." not in name else ""
    return "None" if value is None else repr(value) if value is ABSENT else f"a {python}{name}"


def _tensor(node: Node, path: tuple[Any, ...], classes: Classes) -> Read:
    cls, dtype, shape, text = node["class"], np.dtype(node["dtype"]), tuple(node["shape"]), str(node["text"])
    inputs = [*map(str, node["inputs"])]
    python = {"b": bool, "i": int, "f": float, "c": complex}.get(dtype.kind) if cls == "python" else None
    part_dtype = dtype if len(inputs) < 2 else np.empty(0, dtype).real.dtype
    layout, filled = node.get("layout"), node.get("filled", ())

    def read(value: Any, call: Call) -> None:
        if cls != "array":
            if type(value) is not (python or dtype.type):
                raise _refused(path, text, value)
            if python is int and not -(2**63) <= value < 2**63:
                raise UnsupportedError("GP404", f"parameter {text_of(path)}: the integer {value} is outside int64")
        else:
            if type(value) not in (np.ndarray, np.memmap) or value.dtype != dtype:
                raise _refused(path, text, value)
            if value.ndim != len(shape):
                found = f"{value.ndim} dimensions: {shape_text(value.shape)}"
                raise CallError("GP402", f"parameter {text_of(path)}: expected {text}, got {found}")
            _check_memory(value, layout, filled, path)
            call.leaves.append(Leaf(text_of(path), text, shape, value.shape))
        parts = [value] if len(inputs) < 2 else [value.real, value.imag]
        for name, part in zip(inputs, parts, strict=False):
            call.give(name, part, part_dtype)

    return read


def _check_memory(value: np.ndarray[Any, Any], layout: str | None, filled: Any, path: tuple[Any, ...]) -> None:
    """Refuse an array that is empty, or lies otherwise in memory, where the program depends on it."""
    if any(value.shape[axis] == 0 for axis in filled):
        raise CallError("GP403", f"parameter {text_of(path)}: the model was exported for arrays that are not empty")
    if layout:
        c, f = value.flags.c_contiguous, value.flags.f_contiguous
        found = ("C and F" if c and f and value.ndim > 1 else "C") if c else "F" if f else "strided"
        if found != layout:
            text = f"the model was exported for an array whose layout is {layout}, got {found}"
            raise CallError("GP401", f"parameter {text_of(path)}: {text}")


def _static(node: Node, path: tuple[Any, ...], classes: Classes) -> Read:
    fixed = classes.literal(node["value"])

    def read(value: Any, call: Call) -> None:
        if not same_value(value, fixed):
            text = f"parameter {text_of(path)}: the model was exported for {fixed!r}, got {value!r:.80}"
            raise CallError("GP401", text)

    return read


def _sequence(node: Node, path: tuple[Any, ...], classes: Classes) -> Read:
    kind: Any = {"tuple": tuple, "list": list}[node["kind"]]
    if node.get("class"):
        kind = classes.find(node["class"])
    names = node.get("fields") or range(len(node["items"]))
    steps = [f".{name}" if isinstance(name, str) else name for name in names]
    parts = [parameter(n, (*path, step), classes) for step, n in zip(steps, node["items"], strict=True)]

    def read(value: Any, call: Call) -> None:
        if not _is_a(value, kind):
            raise _refused(path, f"a {kind.__name__}", value, "GP402")
        if len(value) != len(parts):
            text = f"parameter {text_of(path)}: expected {len(parts)} elements, got {len(value)}"
            raise CallError("GP402", text)
        for part, element in zip(parts, value, strict=True):
            part(element, call)

    return _placed(read, path)


def _dict(node: Node, path: tuple[Any, ...], classes: Classes) -> Read:
    keys = [classes.literal(key) for key, _ in node["items"]]
    parts = [parameter(n, (*path, Key(key)), classes) for key, (_, n) in zip(keys, node["items"], strict=True)]

    def read(value: Any, call: Call) -> None:
        if type(value) is not dict:
            raise _refused(path, "a dict", value, "GP402")
        if not same_value(list(value), keys):
            text = f"parameter {text_of(path)}: expected the keys {keys!r}, got {list(value)!r}"
            raise CallError("GP402", text)
        for part, element in zip(parts, value.values(), strict=True):
            part(element, call)

    return _placed(read, path)


def _record(node: Node, path: tuple[Any, ...], classes: Classes) -> Read:
    cls = classes.find(node["class"])
    parts = [(str(name), parameter(n, (*path, f".{name}"), classes)) for name, n in node["items"]]

    def read(value: Any, call: Call) -> None:
        if not _is_a(value, cls):
            raise _refused(path, f"a {cls.__name__}", value)
        for name, part in parts:
            part(getattr(value, name, ABSENT), call)

    return _placed(read, path)


def _is_a(value: Any, cls: type) -> bool:
    """Whether a value is of a class, or where the class is a stand-in, of one of that name."""
    own = type(value)
    return own is cls or (cls not in (tuple, list) and own.__name__ == cls.__name__)


def _placed(read: Read, path: tuple[Any, ...]) -> Read:
    def placed(value: Any, call: Call) -> None:
        call.places[path] = value
        read(value, call)

    return placed


def _same(node: Node, path: tuple[Any, ...], classes: Classes) -> Read:
    other = path_of(node["path"], classes)

    def read(value: Any, call: Call) -> None:
        if value is not call.place(other):
            text = f"parameter {text_of(path)}: the model was exported for the same object as {text_of(other)}"
            raise CallError("GP401", text)

    return read


def _absent(node: Node, path: tuple[Any, ...], classes: Classes) -> Read:
    def read(value: Any, call: Call) -> None:
        if value is not ABSENT:
            raise _refused(path, "nothing", value)

    return read


def _object(node: Node, path: tuple[Any, ...], classes: Classes) -> Read:
    name = str(node["class"])

    def read(value: Any, call: Call) -> None:
        if type(value).__name__ != name:
            raise _refused(path, f"a {name}", value)

    return _placed(read, path)


KINDS: dict[str, Callable[[Node, tuple[Any, ...], Classes], Read]] = {
    "tensor": lambda node, path, classes: _placed(_tensor(node, path, classes), path),
    "static": _static,
    "tuple": _sequence,
    "list": _sequence,
    "dict": _dict,
    "record": _record,
    "same": _same,
    "absent": _absent,
    "object": _object,
}


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
        made = object.__new__(self.cls)
        for name, value in self.initial:
            object.__setattr__(made, name, self.classes.literal(value))
        state[self.text] = made
        around = state.get(text_of(self.path[:-1])) if len(self.path) > 1 else None
        if around is not None and isinstance(self.path[-1], str):
            object.__setattr__(around, self.path[-1][1:], made)

    def read(self, state: Mapping[str, Any], call: Call) -> None:
        """Read its attributes as they are now."""
        held = state.get(self.text, ABSENT)
        if held is ABSENT:
            held = state[text_of(self.path[:1])]
            for step in self.path[1:]:
                held = get_part(held, step)
        call.places[self.path] = held
        for name, part in self.parts:
            part(getattr(held, name, ABSENT), call)
