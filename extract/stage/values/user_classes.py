"""What Python class a value is of, and which methods the user's classes say."""

from __future__ import annotations

import dataclasses
import enum
import inspect
import types
from typing import Any

from graph_program.extract.stage.values.values import Ref, Row, Static, Tuple, Value

GENERATED = "<string>"
"""The file of what `@dataclass` writes."""


def class_of(value: Value) -> type | None:
    """The Python class of a structure or captured object; None for tensors and functions."""
    match value:
        case Ref(cls) | Row(cls):
            return cls
        case Tuple(_, cls):
            return cls or tuple
        case Static(obj):
            return type(obj)
    return None


def user_function(cls: type, name: str) -> types.FunctionType | None:
    """A method that the user's class defines."""
    if cls.__module__ in ("builtins", "numpy") or issubclass(cls, type):
        return None
    attribute = inspect.getattr_static(cls, name, None)
    own = isinstance(attribute, types.FunctionType) and attribute.__module__ != enum.__name__
    return attribute if own else None


def is_generated(cls: Any, method: str) -> bool:
    """Whether a method of a class is one that `@dataclass` writes."""
    found = inspect.getattr_static(cls, method, None)
    code = getattr(inspect.unwrap(found) if callable(found) else None, "__code__", None)
    return dataclasses.is_dataclass(cls) and code is not None and code.co_filename == GENERATED


def dataclass_init(cls: type) -> bool:
    """Whether `cls.__init__` is the one that `@dataclass` wrote."""
    if not dataclasses.is_dataclass(cls):
        return False
    for base in cls.__mro__:
        if "__init__" in vars(base):
            init = vars(base)["__init__"]
            return "__dataclass_fields__" in vars(base) and init.__code__.co_filename == GENERATED
    return False


COMPARISONS = ("__lt__", "__gt__")
"""What `a < b` asks of the classes of `a` and `b`."""


def says_order(cls: type) -> bool:
    """Whether a class of the user's has what `<` asks for."""
    return any(user_function(cls, name) is not None for name in COMPARISONS)
