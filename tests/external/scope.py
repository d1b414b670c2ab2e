"""Which of the recorded programs are within the language, and why the others are not.

The rules here look at a program and its arguments; `scope.toml` lists the programs that need a reason of
their own.  Neither looks at what the extractor makes of a program.
"""

from __future__ import annotations

import dataclasses
import inspect
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

TABLE = Path(__file__).with_name("scope.toml")
SIMPLE_KINDS = "biuf"
DTYPE_KINDS = {
    "c": "complex numbers",
    "V": "structured arrays",
    "M": "dates and times",
    "m": "dates and times",
    "U": "arrays of strings",
    "S": "arrays of strings",
    "O": "arrays of objects",
}
PLAIN = ("literal_unroll", "literally", "prange", "numba")
"""Hints to numba that do nothing in plain Python."""
DEEPEST = 30
HOST_MODULES = {"time": "clocks", "random": "random numbers", "ctypes": "addresses of memory"}


@dataclass(frozen=True)
class Table:
    """What `scope.toml` says of a module: name (or prefix ending in `*`) -> reason."""

    excluded: dict[str, str]
    """Programs that are out of scope."""
    unspecified: dict[str, str]
    """Programs whose results hold what NumPy does not specify, so that only their types are compared."""


def table_of(module: str) -> Table:
    """The part of the table for a module."""
    with open(TABLE, "rb") as file:
        tables = tomllib.load(file)
    return Table(tables["out_of_scope"].get(module, {}), tables["unspecified"].get(module, {}))


def listed(table: dict[str, str], name: str) -> str:
    """The reason that a table gives for a program; "" if it is not in it."""
    for pattern, reason in table.items():
        if name == pattern or (pattern.endswith("*") and name.startswith(pattern[:-1])):
            return reason
    return ""


def program_reason(function: FunctionType) -> str:
    """Why a program is out of scope whatever its arguments; "" if it is not."""
    if inspect.isgeneratorfunction(function) or inspect.iscoroutinefunction(function):
        return "a generator"
    if not has_source(function):
        return "made by exec, without a source file"
    if has_complex_literal(function.__code__):
        return DTYPE_KINDS["c"]
    for value in reachable(function, set()):
        if reason := value_reason(value):
            return reason
    return ""


def has_source(function: FunctionType) -> bool:
    return Path(function.__code__.co_filename).is_file()


def has_complex_literal(constant: Any) -> bool:
    """Whether a program's text has complex numbers."""
    parts = constant.co_consts if isinstance(constant, CodeType) else constant if isinstance(constant, tuple) else ()
    return isinstance(constant, complex) or any(map(has_complex_literal, parts))


def reachable(function: FunctionType, seen: set[int]) -> Iterator[Any]:
    """What the names of a program, and of the plain functions that it calls, are bound to."""
    if id(function) in seen:
        return
    seen.add(id(function))
    captured = inspect.getclosurevars(function)
    for names in (captured.globals, captured.nonlocals):
        for value in names.values():
            yield value
            if isinstance(value, ModuleType):
                yield from attributes(value, function.__code__)
            if isinstance(value, FunctionType) and (value.__module__ or "").startswith("numba.tests"):
                yield from reachable(value, seen)


def attributes(module: ModuleType, code: CodeType) -> Iterator[Any]:
    """The attributes of a module that a program mentions (as far as names tell)."""
    for name in code.co_names:
        if name in vars(module):
            yield getattr(module, name)


def value_reason(value: Any) -> str:
    """Why a program that mentions this value is out of scope."""
    home = value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", None) or ""
    name = getattr(value, "__name__", type(value).__name__)
    if home.split(".")[0] == "numba" and not home.startswith("numba.tests") and name not in PLAIN:
        return f"numba's own: {name}"
    if isinstance(value, FunctionType | BuiltinFunctionType | ModuleType | type) and home in HOST_MODULES:
        return HOST_MODULES[home]
    if value is complex or (isinstance(value, type) and issubclass(value, np.complexfloating)):
        return "complex numbers"
    if isinstance(value, type) and issubclass(value, np.character | np.datetime64 | np.timedelta64 | np.object_):
        return DTYPE_KINDS[np.dtype(value).kind]
    return argument_reason(value) if isinstance(value, np.ndarray | np.generic | complex | tuple | list) else ""


def argument_reason(value: Any, depth: int = 0) -> str:
    """Why a call with this argument or result is out of scope; "" if it is not."""
    if depth > DEEPEST:
        return "a structure that contains itself"
    if isinstance(value, np.ndarray | np.generic):
        return DTYPE_KINDS.get(value.dtype.kind, "")
    if isinstance(value, complex):
        return "complex numbers"
    if isinstance(value, bytes | bytearray | memoryview):
        return "buffers of bytes"
    if isinstance(value, tuple | list):
        return first_reason(value, depth)
    if isinstance(value, dict):
        return first_reason((*value, *value.values()), depth)
    home = type(value).__module__
    if home.split(".")[0] == "numba" and not home.startswith("numba.tests"):
        return f"numba's own: {type(value).__name__}"
    if inspect.isgenerator(value):
        return "a generator"
    if isinstance(value, set | frozenset) or is_ordinary_object(value):
        return "an object of an ordinary class as an argument: a host value"
    return ""


def result_reason(value: Any) -> str:
    """Why a call with this result is out of scope; objects may be made and given back."""
    return "" if is_ordinary_object(value) else argument_reason(value)


def is_ordinary_object(value: Any) -> bool:
    """Whether a value is an instance of a class of a test, other than a dataclass."""
    of_tests = type(value).__module__.startswith("numba.tests")
    return of_tests and not dataclasses.is_dataclass(value) and not isinstance(value, tuple | type | FunctionType)


def first_reason(values: Iterable[Any], depth: int) -> str:
    return next(filter(None, (argument_reason(value, depth + 1) for value in values)), "")
