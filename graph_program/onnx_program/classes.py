"""Classes that a model names, and values that stand in its description; nothing is imported for them."""

from __future__ import annotations

import base64
import builtins
import enum
import hashlib
from collections.abc import Callable, Iterable, Mapping
from operator import itemgetter
from typing import Any, Literal

import numpy as np

from graph_program.onnx_program.sizes import shape_text


def named_classes(given: Iterable[Any] | Mapping[str, Any]) -> dict[str, Any]:
    """What a caller gave as `classes`, by full name, by the name in its module, and by the last part of that."""
    found: dict[str, Any] = dict(given) if isinstance(given, Mapping) else {}
    for cls in () if isinstance(given, Mapping) else given:
        name = getattr(cls, "__qualname__", None)
        if name is None:
            raise TypeError(f"classes must be classes or functions, or a dict of them by name, not {cls!r:.80}")
        for key in (f"{cls.__module__}.{name}", name, name.rpartition(".")[2]):
            found.setdefault(key, cls)
    return found


class Classes(dict[str, Any]):
    """Classes and functions that a model names, by name: given ones, else stand-ins with the same name and fields."""

    def __init__(self, described: Mapping[str, Any], given: Mapping[str, Any]):
        super().__init__()
        self.given = given
        self.described = described
        self.tables: dict[int, tuple[Any, list[tuple[str, Any]], list[Any]]] = {}
        self.once: dict[int, Any] = {}
        """Objects of the state that are in several places."""
        self._found: dict[str, Any] = {}
        for key in described:
            self.find(key)

    def find(self, key: str) -> Any:
        """The class of a key in the description, which is its full name."""
        if key not in self._found:
            about = self.described[key]
            self._found[key] = found = self._of(about["module"], about["name"], about)
            self.setdefault(about["name"], found)
        return self._found[key]

    def _of(self, module: str, name: str, about: dict[str, Any]) -> Any:
        for key in (f"{module}.{name}", name, name.rpartition(".")[2]):
            if key in self.given:
                return self.given[key]
        own = {"builtins": builtins, "numpy": np, "numpy.exceptions": np.exceptions, "numpy.linalg": np.linalg}
        # Of failed casts, which are TypeErrors.
        own["numpy._core._exceptions"] = np._core._exceptions  # type: ignore[attr-defined]
        found = getattr(own.get(module), name, None)
        is_class = isinstance(found, type) and (issubclass(found, BaseException | np.generic) or found in _PLAIN)
        if is_class or isinstance(found, np.ufunc) or (found is not None and name in _FUNCTIONS):
            return found
        return self._stand_in(name.rpartition(".")[2], about)

    def _stand_in(self, name: str, about: dict[str, Any]) -> Any:
        kind = about["kind"]
        if kind == "exception":
            bases = tuple(self.find(base) for base in about["bases"]) or (Exception,)
            return _failure(name, bases, tuple(map(str, about.get("fields", ()))))
        if kind == "enum":
            members = [(member, self.literal(value)) for member, value in about["members"]]
            return _ENUMS[about.get("base", "Enum")](name, members)
        if kind == "named tuple":
            fields = tuple(map(str, about["fields"]))
            parts = {f: property(itemgetter(i)) for i, f in enumerate(fields)}
            return type(name, (_NamedTuple,), {"_fields": fields, **parts})
        if kind == "record":
            return type(name, (Record,), {})
        return Unknown(f"{about['module']}.{about['name']}")

    def literal(self, data: Any) -> Any:
        """A value that stands in the description."""
        if not isinstance(data, dict):
            return data
        ((kind, value),) = data.items()
        return _LITERALS[kind](value, self)


_ENUMS: dict[str, Any] = {kind.__name__: kind for kind in (enum.Enum, enum.Flag, enum.IntEnum, enum.IntFlag)}
_ENUMS["StrEnum"] = getattr(enum, "StrEnum", enum.Enum)
_PLAIN = (bool, int, float, complex, str, bytes, slice, type(None), tuple, list, dict, set, frozenset, object, range)


_FUNCTIONS = ("abs", "all", "any", "divmod", "len", "max", "min", "pow", "round", "sorted", "sum")


class Unknown:
    """Something of Python that a model can only name; equal to whatever has this name."""

    def __init__(self, name: str):
        self.name = name

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Unknown):
            return other.name == self.name
        return f"{getattr(other, '__module__', '')}.{getattr(other, '__qualname__', '')}" == self.name

    def __hash__(self) -> int:
        return hash(self.name)

    def __repr__(self) -> str:
        return f"<{self.name}>"


def bytes_of(array: np.ndarray[Any, Any]) -> bytes:
    """The numbers of an array, whatever its memory layout."""
    return array.astype(array.dtype.newbyteorder("<"), copy=False).tobytes()


def digest_of(numbers: bytes) -> str:
    """A checksum of the numbers of an array."""
    return hashlib.sha256(numbers).hexdigest()


class Checked(Unknown):
    """An array that a model was made for, of which its description has a checksum; equal to an array of the same."""

    def __init__(self, data: Mapping[str, Any]):
        super().__init__(f"array of {data['dtype']} {shape_text(data['shape'])}")
        self.kind, self.digest = [data["dtype"], list(data["shape"])], data["digest"]
        self._right: bytes | None = None
        """The numbers of the array, once they were found to be right."""

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Checked):
            return (other.kind, other.digest) == (self.kind, self.digest)
        if not isinstance(other, np.ndarray) or [other.dtype.name, list(other.shape)] != self.kind:
            return False
        numbers = bytes_of(other)
        if self._right is None and digest_of(numbers) == self.digest:
            self._right = numbers
        return numbers == self._right

    def __hash__(self) -> int:
        return hash(self.digest)


class Record:
    """What stands in for a class: an object that has its fields."""

    def __init__(self, **fields: Any):
        self.__dict__.update(fields)

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and vars(other) == vars(self)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in vars(self).items())})"


def _failure(name: str, bases: tuple[type, ...], fields: tuple[str, ...]) -> Any:
    """What stands in for a class of exceptions: it takes what the class takes, and keeps what it has by name."""

    def known(cls: type) -> Any:
        return next(base for base in cls.__mro__ if "_takes" not in vars(base))

    def new(cls: type, *args: Any, **kwargs: Any) -> Any:
        return known(cls).__new__(cls, *args)

    def init(self: Any, *args: Any, **kwargs: Any) -> None:
        known(type(self)).__init__(self, *args)
        self.__dict__.update(zip(fields, args, strict=False))
        self.__dict__.update(kwargs)

    def text(self: Any) -> str:
        return str(vars(self).get("_text", super(made, self).__str__()))

    made: Any = type(name, bases, {"_takes": fields, "__new__": new, "__init__": init, "__str__": text})
    return made


def is_stand_in(cls: type[BaseException]) -> bool:
    """Whether a class of exceptions stands in for one that is not given."""
    return "_takes" in vars(cls)


def with_contents(cls: Any, args: Iterable[Any], fields: Mapping[str, Any], text: str | None) -> BaseException:
    """An exception of a stand-in, with the fields that its class's own code sets, and its text where that says it."""
    error: BaseException = cls(*args)
    error.__dict__.update(fields, **({} if text is None else {"_text": text}))
    return error


class _NamedTuple(tuple[Any, ...]):
    _fields: tuple[str, ...]

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        values = [*args, *(kwargs.pop(f) for f in cls._fields[len(args) :] if f in kwargs)]
        if kwargs or len(values) != len(cls._fields):
            raise TypeError(f"{cls.__name__} has the fields {', '.join(cls._fields)}")
        return tuple.__new__(cls, values)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{f}={v!r}' for f, v in zip(self._fields, self, strict=True))})"


def _array(data: dict[str, Any], classes: Classes) -> np.ndarray[Any, Any] | Checked:
    if "digest" in data:
        return Checked(data)
    flat = np.frombuffer(base64.b64decode(data["data"]), np.dtype(data["dtype"]).newbyteorder("<"))
    order: Literal["C", "F"] = "F" if data["order"] == "F" else "C"
    return flat.astype(np.dtype(data["dtype"])).reshape(data["shape"], order=order)


def _once(data: list[Any], classes: Classes) -> Any:
    classes.once[data[0]] = made = classes.literal(data[1])
    return made


def _built(data: dict[str, Any], classes: Classes) -> Any:
    items = [(name, classes.literal(value)) for name, value in data["items"]]
    return make_record(classes.find(data["class"]), dict(items))


def make_record(cls: Any, fields: Mapping[str, Any]) -> Any:
    """An instance made without `__init__`, frozen ones and ones with slots included."""
    if cls is slice:
        return slice(*fields.values())
    if issubclass(cls, tuple):
        return tuple.__new__(cls, fields.values())
    instance = object.__new__(cls)
    for name, value in fields.items():
        object.__setattr__(instance, name, value)
    return instance


_LITERALS: dict[str, Callable[[Any, Classes], Any]] = {
    "float": lambda v, c: float.fromhex(v) if v not in ("nan", "inf", "-inf") else float(v),
    "int": lambda v, c: int(v, 16),
    "complex": lambda v, c: complex(c.literal(v[0]), c.literal(v[1])),
    "bytes": lambda v, c: base64.b64decode(v),
    "array": _array,
    "numpy": lambda v, c: _array(v, c)[()],  # type: ignore[index]
    "dtype": lambda v, c: np.dtype(v),
    "list": lambda v, c: [c.literal(x) for x in v],
    "tuple": lambda v, c: tuple(c.literal(x) for x in v),
    "set": lambda v, c: {c.literal(x) for x in v},
    "frozenset": lambda v, c: frozenset(c.literal(x) for x in v),
    "dict": lambda v, c: {c.literal(key): c.literal(x) for key, x in v},
    "range": lambda v, c: range(*v),
    "ellipsis": lambda v, c: ...,
    "record": _built,
    "member": lambda v, c: c.find(v[0])[v[1]],
    "flags": lambda v, c: c.find(v[0])(v[1]),
    "class": lambda v, c: c.find(v),
    "once": _once,
    "again": lambda v, c: c.once[v],
    "unknown": lambda v, c: Unknown(v),
}
"""Values that JSON has no form for, by the key of the object that stands for them."""


def same_value(a: Any, b: Any) -> bool:
    """Whether a value is the one that the program was exported for."""
    if a is b or isinstance(b, Unknown):
        return a is b or bool(b == a)
    if isinstance(a, enum.Enum) and isinstance(b, enum.Enum):
        return type(a).__name__ == type(b).__name__ and a.name == b.name
    if isinstance(a, type) and isinstance(b, type):
        return a.__qualname__ == b.__qualname__
    if type(a) is not type(b):
        return False
    if isinstance(a, float | np.generic):
        return np.asarray(a).tobytes() == np.asarray(b).tobytes()
    if isinstance(a, tuple | list):
        return len(a) == len(b) and all(map(same_value, a, b))
    if isinstance(a, dict):
        return same_value(list(a), list(b)) and same_value(list(a.values()), list(b.values()))
    if isinstance(a, np.ndarray):
        return (a.dtype, a.shape) == (b.dtype, b.shape) and a.tobytes() == b.tobytes()
    return bool(a == b)
