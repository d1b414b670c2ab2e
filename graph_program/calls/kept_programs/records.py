"""How a library is called, as text: the generated function of a signature, and what its names stand for.

{"parameters": "x", "body": ["if type(x) is not _ndarray_1 ...", ...], "constants": {"_ndarray_1": ["named", ...]}}
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from importlib import import_module
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any

import numpy as np

from graph_program.backends.host.miss import MISS
from graph_program.calls.kept_programs.reached import INSTALLED, NotKept, Reached

Text = list[Any]
RAISING = ("fail", "replay")
"""The methods of a runner that raise what a failing call raises."""


@dataclass(frozen=True)
class Meant:
    """What of a record is another object in each process.

    Attributes
    ----------
    direct : callable
        Calls the library.
    again : callable
        Makes a call that fails once more, the slow way; its last argument are those of the call.
    reached : Reached
    """

    direct: Any
    again: Callable[..., Any]
    reached: Reached


def written(value: Any, runner: Any, reached: Reached) -> Text:
    """What a name in generated code stands for, as text.

    Raises
    ------
    NotKept
    """
    place = reached.place(value)
    if value is MISS:
        return ["miss"]
    if place is not None:
        return ["reached", place]
    if value is runner.direct.call:
        return ["direct"]
    if isinstance(value, MethodType) and value.__self__ is runner and value.__name__ in RAISING:
        return ["again"]
    if value is None or type(value) in (bool, int, float, str):
        return ["plain", value]
    if type(value) is tuple:
        return ["tuple", *(written(part, runner, reached) for part in value)]
    if isinstance(value, np.dtype) and value.isbuiltin == 1 and value.isnative:
        return ["dtype", value.str]
    if getattr(value, "test", "") and type(value).__name__ == "SizesFit":
        return ["sizes", value.test]
    return _named(value)


def _named(value: Any) -> Text:
    """A function or class of an installed package."""
    module, name = getattr(value, "__module__", None), getattr(value, "__qualname__", None)
    is_named = isinstance(value, FunctionType | BuiltinFunctionType | type) or type(value) is type(np.max)
    root = str(module).partition(".")[0]
    if not is_named or not name or root not in INSTALLED | sys.stdlib_module_names:
        raise NotKept
    try:
        found = read(["named", module, name], None)
    except (ImportError, AttributeError):
        raise NotKept from None
    if found is not value:
        raise NotKept
    return ["named", module, name]


def read(text: Sequence[Any], meant: Meant | None) -> Any:
    """What a text stands for in this process."""
    kind, *parts = text
    if kind == "named":
        module, name = parts
        return reduce(getattr, name.split("."), import_module(module))
    if kind == "plain":
        return parts[0]
    if kind == "tuple":
        return tuple(read(part, meant) for part in parts)
    if kind == "dtype":
        return np.dtype(parts[0])
    if kind == "sizes":
        from graph_program.extract.arguments.call_sizes import size_test

        return size_test(parts[0])
    if kind == "miss":
        return MISS
    assert meant is not None
    if kind == "reached":
        return meant.reached.objects[parts[0]]
    return meant.reached.unchanged() if kind == "unchanged" else {"direct": meant.direct, "again": meant.again}[kind]


def function_of(record: Mapping[str, Any], meant: Meant) -> Callable[..., Any]:
    """The function of a record, which calls the library, or gives `MISS`."""
    from graph_program.backends.host.codegen import Scope, build

    scope = Scope()
    scope.constants.update({name: read(text, meant) for name, text in record["constants"].items()})
    name, qualname = record["names"]
    return build(record["parameters"], record["body"], scope, (name, qualname), f"<graph_program: {qualname}>")


__all__ = ["Meant", "function_of", "read", "written"]
