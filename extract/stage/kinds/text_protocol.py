"""The texts of objects: what the user's `__repr__`, `__str__` and `__format__` make of them, inlined."""

from __future__ import annotations

import collections
import dataclasses
import inspect
from collections.abc import Iterable
from typing import Any

from graph_program.extract.stage.machine.declared import entries
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.memory import tables
from graph_program.extract.stage.operations.known_and_truth import contents_of
from graph_program.extract.stage.operations.objects import user_method
from graph_program.extract.stage.paths.several import one_of_several
from graph_program.extract.stage.values import host_notes, structure
from graph_program.extract.stage.values.inside import holds_itself
from graph_program.extract.stage.values.questions import has_contents
from graph_program.extract.stage.values.user_classes import class_of
from graph_program.extract.stage.values.values import DictView, Ref, Row, Static, Tuple, Value


def own_text(m: Machine, value: Value, conversion: str, spec: str) -> tuple[Value, str] | None:
    """`f"{value!conversion:spec}"` of an object: a text, and the specification left for it; None for others."""
    if isinstance(value, DictView) or not isinstance(value, Ref | Row | Tuple):
        return None
    if not conversion and user_method(value, "__format__") is not None:
        return _returned(m, value, "__format__", Static(spec)), ""
    if not conversion and spec and has_contents(value):
        raise m.error("GP302", f"unsupported format string passed to {value.cls.__name__}.__format__", raised=True)
    found = None if conversion in ("r", "a") else _written(m, value, "__str__")
    found = _written(m, value, "__repr__") if found is None else found
    return None if found is None or conversion == "a" else (found, spec)


def _written(m: Machine, value: Value, name: str) -> Value | None:
    """What a method of the user's class, or one that `@dataclass` or a named tuple has, returns."""
    cls = class_of(value)
    method = inspect.getattr_static(cls, name, None) if cls is not None else None
    code = getattr(inspect.unwrap(method), "__code__", None) if callable(method) else None
    if name == "__repr__" and isinstance(value, Tuple) and value.cls is not None and _is_namedtuple(value.cls, method):
        return _fields(m, value.cls.__name__, zip(value.cls._fields, value.elts, strict=True))  # type: ignore[attr-defined]
    if code is not None and code.co_filename == "<string>" and has_contents(value):
        if name != "__repr__" or not dataclasses.is_dataclass(value.cls):
            return None
        if tables.is_recursive(m, value.cls) if isinstance(value, Row) else holds_itself(m.live.heap, value):
            return None
        contents = contents_of(m, tables.opened(m, value))
        shown = [f.name for f in dataclasses.fields(value.cls) if f.repr]
        return _fields(m, value.cls.__qualname__, ((name, contents[name]) for name in shown))
    return None if user_method(value, name) is None else _returned(m, value, name)


def _is_namedtuple(cls: type, method: Any) -> bool:
    generated = getattr(getattr(method, "__code__", None), "co_filename", "") == collections.__file__
    return generated and any("_fields" in vars(base) for base in cls.__mro__)


def _fields(m: Machine, name: str, fields: Iterable[tuple[str, Value]]) -> Value:
    """`name(a=1, b=2)`."""
    shown = ((f, entries.message_value(m, one_of_several.read(m, value), "r", "")) for f, value in fields)
    return structure.joined_text(structure.enclosed(f"{name}(", ((f"{f}=", *parts) for f, parts in shown), ")"))


def _returned(m: Machine, value: Value, name: str, *args: Value) -> Value:
    method = user_method(value, name)
    assert method is not None
    result = entries.call(m, method, list(args), {})
    if structure.is_text(result) or host_notes.present(result.note) is str:
        return result

    text = f"{name} returned non-string (type {structure.class_name(result)})"
    if name == "__format__":
        text = f"__format__ must return a str, not {structure.class_name(result)}"
    raise m.error("GP302", text, raised=True)
