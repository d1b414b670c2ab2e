"""Values and classes of Python as JSON, for the description of a program that travels in its model.

    np.float32(2), Color.RED, (1, "a")        {"numpy": {...}}, {"member": ["shop.Color", "RED"]}, {"tuple": [1, "a"]}

Numbers, strings, None and bools that JSON has stand for themselves; everything else is an object with one key.
What Python only knows by name (functions, modules) is a name; nothing is pickled.
"""

from __future__ import annotations

import base64
import builtins
import dataclasses
import enum
import math
from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from graph_program.extract.ir.paths import ROW, KeyStep, Path
from graph_program.extract.types.tensors.bfloat16 import is_number
from graph_program.onnx_program.classes import bytes_of, digest_of

Json = Any
LARGE = 1024
"""Bytes of arrays of which a checksum is enough where they are compared."""
LARGEST = 2**53
"""Integers beyond this are not numbers to every reader of JSON."""


class ClassTable(dict[str, Json]):
    """The classes and functions that a description names, by full name."""

    has_checksums = False
    """Whether large arrays are told by a checksum now."""

    def key(self, cls: Any) -> str:
        """The name of a class; it is described when it is first asked for."""
        module, name = getattr(cls, "__module__", None) or "builtins", cls.__qualname__
        key = f"{module}.{name}"
        if key not in self:
            self[key] = {"module": module, "name": name}
            self[key] |= self._about(cls)
        return key

    def _about(self, cls: Any) -> Json:
        if not isinstance(cls, type):
            return {"kind": "function"}
        if vars(builtins).get(cls.__qualname__) is cls:
            return {"kind": "known"}
        if issubclass(cls, BaseException):
            bases = [self.key(base) for base in cls.__bases__ if issubclass(base, BaseException)]
            fields: list[str] = [f.name for f in dataclasses.fields(cls)] if dataclasses.is_dataclass(cls) else []
            return {"kind": "exception", "bases": bases, **({"fields": fields} if fields else {})}
        if issubclass(cls, enum.Enum):
            kinds = (enum.IntFlag, enum.Flag, enum.IntEnum, enum.StrEnum, enum.Enum)
            base = next(kind.__name__ for kind in kinds if issubclass(cls, kind))
            return {"kind": "enum", "base": base, "members": [[m.name, self.literal(m.value)] for m in cls]}
        if issubclass(cls, tuple) and hasattr(cls, "_fields"):
            return {"kind": "named tuple", "fields": list(cls._fields)}
        return {"kind": "record"}

    def path(self, path: Path) -> Json:
        """A place as JSON."""
        return [
            {"key": self.literal(s.key)} if isinstance(s, KeyStep) else {"row": True} if s == ROW else s for s in path
        ]

    def literal(self, value: Any) -> Json:
        """A value as JSON."""
        for matches, write in _WRITERS:
            if matches(value):
                return write(value, self)
        return {"unknown": f"{type(value).__module__}.{type(value).__qualname__} object"}

    def compared(self, value: Any) -> Json:
        """A value as JSON that nobody needs, but for what others are compared with: the model has its arrays."""
        self.has_checksums = True
        try:
            return self.literal(value)
        finally:
            self.has_checksums = False


def _float(value: float) -> Json:
    return {"float": value.hex() if math.isfinite(value) else str(value)}


def _array(value: Any, table: ClassTable) -> Json:
    array = np.asarray(value)
    if table.has_checksums and array.nbytes > LARGE:
        return {"dtype": array.dtype.name, "shape": list(array.shape), "digest": digest_of(bytes_of(array))}
    order: Literal["C", "F"] = "F" if array.flags.fnc else "C"
    little = array.astype(array.dtype.newbyteorder("<"))
    data = base64.b64encode(little.tobytes(order)).decode("ascii")
    return {"dtype": array.dtype.name, "shape": list(array.shape), "order": order, "data": data}


def _record(value: Any, table: ClassTable) -> Json:
    names = [f.name for f in dataclasses.fields(value) if hasattr(value, f.name)]
    return _built(type(value), [(name, getattr(value, name)) for name in names], table)


def _built(cls: type, items: list[tuple[str, Any]], table: ClassTable) -> Json:
    return {"record": {"class": table.key(cls), "items": [[name, table.literal(v)] for name, v in items]}}


def _fields(value: Any) -> list[tuple[str, Any]]:
    return list(zip(value._fields, value, strict=True))


def _items(kind: str) -> Callable[[Any, ClassTable], Json]:
    return lambda value, table: {kind: [table.literal(v) for v in value]}


def _has_type(*types: type) -> Callable[[Any], bool]:
    return lambda value: type(value) in types


_WRITERS: tuple[tuple[Callable[[Any], bool], Callable[[Any, ClassTable], Json]], ...] = (
    (_has_type(bool, str, type(None)), lambda v, t: v),
    (_has_type(int), lambda v, t: v if -LARGEST <= v <= LARGEST else {"int": hex(v)}),
    (_has_type(float), lambda v, t: _float(v)),
    (_has_type(complex), lambda v, t: {"complex": [t.literal(v.real), t.literal(v.imag)]}),
    (_has_type(bytes), lambda v, t: {"bytes": base64.b64encode(v).decode("ascii")}),
    (_has_type(list), _items("list")),
    (_has_type(tuple), _items("tuple")),
    (_has_type(set), _items("set")),
    (_has_type(frozenset), _items("frozenset")),
    (_has_type(dict), lambda v, t: {"dict": [[t.literal(k), t.literal(x)] for k, x in v.items()]}),
    (_has_type(range), lambda v, t: {"range": [v.start, v.stop, v.step]}),
    (_has_type(slice), lambda v, t: _built(slice, [(n, getattr(v, n)) for n in ("start", "stop", "step")], t)),
    (lambda v: v is ..., lambda v, t: {"ellipsis": None}),
    (lambda v: isinstance(v, enum.Flag), lambda v, t: {"flags": [t.key(type(v)), v.value]}),
    (lambda v: isinstance(v, enum.Enum), lambda v, t: {"member": [t.key(type(v)), v.name]}),
    (lambda v: isinstance(v, np.dtype) and is_number(v), lambda v, t: {"dtype": v.name}),
    (lambda v: isinstance(v, np.generic) and is_number(v.dtype), lambda v, t: {"numpy": _array(v, t)}),
    (lambda v: type(v) is np.ndarray and is_number(v.dtype), lambda v, t: {"array": _array(v, t)}),
    (lambda v: isinstance(v, tuple) and hasattr(v, "_fields"), lambda v, t: _built(type(v), _fields(v), t)),
    (lambda v: dataclasses.is_dataclass(v) and not isinstance(v, type), _record),
    (lambda v: isinstance(v, type) or (hasattr(v, "__qualname__") and callable(v)), lambda v, t: {"class": t.key(v)}),
)
"""How values are written; the first that matches."""


__all__ = ["ClassTable", "Json"]
