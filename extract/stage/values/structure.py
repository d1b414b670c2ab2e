"""What values are made of: their parts, whether two are the same, how wide an int is, how to say it."""

from __future__ import annotations

import enum
import itertools
import types
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeGuard

import numpy as np

from graph_program.extract.diagnostics import Loc
from graph_program.extract.ir.residual import Const
from graph_program.extract.stage.values.exception_values import Caught, ExceptionObject
from graph_program.extract.stage.values.values import (
    Bound,
    Closure,
    DictView,
    Host,
    Iteration,
    Maybe,
    Mixed,
    Partial,
    Range,
    Ref,
    Row,
    SliceValue,
    Static,
    Tensor,
    Text,
    Tuple,
    Value,
    constant_array,
    is_numeric,
    is_numeric_static,
    type_of,
)
from graph_program.extract.types.tensors.tensor_type import Kind

SIZE_BITS = 48
"""No array is larger than this many bits of elements."""


def same_static(a: Any, b: Any) -> bool:
    """Whether two static values are interchangeable: identical, or equal numbers or strings."""
    if a is b:
        return True
    if type(a) is not type(b):
        return False
    if isinstance(a, int | float | np.generic):
        return bool(constant_array_bytes(a) == constant_array_bytes(b))
    if isinstance(a, str | bytes | np.dtype):
        return bool(a == b)
    if isinstance(a, tuple):
        return len(a) == len(b) and all(same_static(x, y) for x, y in zip(a, b, strict=True))
    if isinstance(a, frozenset):
        return len(a) == len(b) and all(any(same_static(x, y) for y in b) for x in a)
    return False


def constant_array_bytes(number: Any) -> Any:
    return number if type(number) is int else constant_array(number).tobytes()


def same_value(a: Value, b: Value) -> bool:
    """Whether two values are certainly the same object or interchangeable."""
    if a is b:
        return True
    if isinstance(a, Static) and isinstance(b, Static):
        return same_static(a.value, b.value)
    if isinstance(a, Tensor) and isinstance(b, Tensor):
        return not (a.is_array or b.is_array) and a.operand == b.operand and a.type == b.type
    if type(a) is not type(b) or isinstance(a, Ref | Mixed):
        return False
    if isinstance(a, Closure) and isinstance(b, Closure):
        return a.function is b.function and a.scope is b.scope and _same_all(a.defaults, b.defaults)
    pairs = paired_parts(a, b)
    return pairs is not None and all(same_value(x, y) for x, y in pairs)


def _same_all(a: dict[str, Value], b: dict[str, Value]) -> bool:
    return a.keys() == b.keys() and all(same_value(a[k], b[k]) for k in a)


def parts(value: Value) -> tuple[Any, tuple[Value, ...], Callable[..., Value]] | None:
    """An immutable structure as (what must agree, parts, how to rebuild it), else None."""
    match value:
        case DictView():
            return None  # it is not the tuple of what it holds now
        case Tuple(elts, cls):
            return (Tuple, cls, len(elts)), elts, lambda *new: Tuple(new, cls)
        case Host(number, loc, text, note, told):
            kept = () if told is None else (told,)

            def rebuilt(new: Value, known: Value | None = None) -> Value:
                assert known is None or isinstance(known, Tensor)
                return Host(new, loc, text, note, known, shares=value.shares)

            return (Host, note, len(kept)), (number, *kept), rebuilt
        case Row(cls, number):
            return (Row, cls), (number,), lambda new: Row(cls, new)
        case Range(start, stop, step):
            return (Range,), (start, stop, step), Range
        case SliceValue(start, stop, step):
            return (SliceValue,), (start, stop, step), SliceValue
        case Bound(self_, function):
            method = id(function.value) if isinstance(function, Static) else None
            return (Bound, method), (self_, function), Bound
        case Iteration(kind, inner, None, None, strict=False, held=None):
            return (Iteration, kind, len(inner)), inner, lambda *new: Iteration(kind, new)
        case Partial(function, args, keywords):
            keys = tuple(keywords)
            count = len(args)
            return (
                (Partial, keys, count),
                (function, *args, *keywords.values()),
                lambda f, *new: Partial(f, new[:count], dict(zip(keys, new[count:], strict=True))),
            )
    return None


def paired_parts(a: Value, b: Value) -> list[tuple[Value, Value]] | None:
    """The parts of two structures that differ in nothing else, in pairs; None of others."""
    ours, theirs = parts(a), parts(b)
    if ours is None or theirs is None or ours[0] != theirs[0]:
        return None
    return list(zip(ours[1], theirs[1], strict=True))


def with_article(text: str) -> str:
    """`an operand`, `a value`."""
    return f"{'an' if text[0] in 'aeiou' else 'a'} {text}"


def may_fail(value: Value) -> bool:
    """Whether there is a view in a value that may be read on its own path only."""
    if isinstance(value, Tensor):
        return value.view is not None and value.view.may_fail
    structure = parts(value)
    return structure is not None and any(map(may_fail, structure[1]))


def is_text(value: Value) -> bool:
    """A string, static or not."""
    return isinstance(value, Text) or (isinstance(value, Static) and type(value.value) is str)


def choice_of_texts(value: Value) -> Mixed | None:
    """The texts of which a text is one, depending on the path taken."""
    if isinstance(value, Text) and len(value.parts) == 1 and isinstance(value.parts[0], tuple):
        inner = value.parts[0][0]
        return inner if isinstance(inner, Mixed) else None
    return None


def number_bits(value: Value) -> int:
    """The width of an int: |value| < 2**bits; 63 where nothing is known."""
    if isinstance(value, Tensor):
        if isinstance(value.operand, Const) and value.type.dtype.kind in "iu" and value.rank == 0:
            return int(value.operand.value).bit_length()
        return min(value.bits, SIZE_BITS) if value.size is not None else value.bits
    if isinstance(value, Static) and isinstance(value.value, int):
        return value.value.bit_length()
    return 63


def describe(value: Value) -> str:
    """A value's type in a few words, for messages."""
    match value:
        case Static(inner) if is_numeric_static(value):
            return str(type_of(value))
        case Static(inner):
            # an object without a text of its own would show its address
            plain: bool = getattr(type(inner), "__repr__", None) is object.__repr__ or callable(inner)
            name = getattr(inner, "__qualname__", "") if callable(inner) else ""
            shown = name if plain else f"{inner!r:.40}"
            return "None" if inner is None else f"{type(inner).__name__} {shown}".strip()
        case Tensor():
            return str(value.type)
        case DictView(elts, kind=kind):
            return f"dict_{kind}({', '.join(map(describe, elts))})"
        case Tuple(elts, cls):
            name = cls.__name__ if cls else "tuple"
            return f"{name}({', '.join(map(describe, elts))})"
        case Ref() | Row():
            return value.cls.__name__
        case Host(text=text):
            return f"host value ({text})" if text else "host value"
        case Maybe(_, inner, absent):
            return f"{describe(inner)} or {'None' if absent == 'none' else 'unset'}"
        case Mixed(reason=reason):
            return reason
        case Iteration(kind):
            return kind
        case Text():
            choice = choice_of_texts(value)
            return "text" if choice is None else choice.reason
        case Caught():
            return "caught exception"
        case SliceValue():
            return "slice"
        case ExceptionObject(cls):
            return cls.__name__
    return type(value).__name__.lower()


def made_at(values: Iterable[Value]) -> tuple[Loc, ...]:
    """Where the arrays, numbers and objects among some values are made."""
    return tuple(v.loc for v in values if isinstance(v, Tensor | Ref))


def describe_all(values: Iterable[Value]) -> str:
    """The types of several values in a few words, each said once."""
    return " and ".join(dict.fromkeys(map(describe, values)))


def class_name(value: Value) -> str:
    """The name of a value's Python class, as Python's messages give it; that of what may be None, where it is not."""
    if isinstance(value, Maybe):
        return class_name(value.value)
    if is_numeric(value):
        type_ = type_of(value)
        if type_.kind is Kind.PYTHON:
            return type_.python_class.__name__
        cls = type_.dtype.type
        return "numpy.ndarray" if type_.kind is Kind.ARRAY else f"{cls.__module__}.{cls.__name__}"
    if isinstance(value, Static):
        cls = type(value.value)
        return "numpy.ndarray" if cls is np.ndarray else cls.__name__
    if isinstance(value, DictView):
        return f"dict_{value.kind}"
    if isinstance(value, Tuple):
        return (value.cls or tuple).__name__
    return value.cls.__name__ if isinstance(value, Ref | Row) else describe(value)


PLAIN = (
    int,
    float,
    complex,
    str,
    bytes,
    type(None),
    type,
    types.FunctionType,
    types.BuiltinFunctionType,
    types.ModuleType,
    np.generic,
    np.dtype,
    enum.Enum,
)
"""Objects that nobody can change."""


def is_of_world(value: Value) -> TypeGuard[Static]:
    """Whether a value is a captured object that somebody may change."""
    return isinstance(value, Static) and bool(value.path) and not isinstance(value.value, PLAIN)


def is_host(*values: Value) -> bool:
    """Whether one of some values is on the host, or holds something that is."""
    return any(
        isinstance(v, Host)
        or (isinstance(v, Tuple) and is_host(*v.elts))
        or (isinstance(v, Iteration) and is_host(*v.parts))
        for v in values
    )


def text_parts(value: Value) -> tuple[Any, ...]:
    """The parts of a text, or the value as the only part of one."""
    if isinstance(value, Static):
        return (str(value.value),)
    return value.parts if isinstance(value, Text) else ((value, "", ""),)


def enclosed(opening: str, items: Iterable[Iterable[Any]], closing: str) -> tuple[Any, ...]:
    """The parts of a text that shows some things between brackets, with commas."""
    separated = ([", ", *item] if position else item for position, item in enumerate(items))
    return (opening, *itertools.chain.from_iterable(separated), closing)


def joined_text(parts: Sequence[Any]) -> Value:
    """Parts as one text."""
    return Static("".join(parts)) if all(isinstance(p, str) for p in parts) else Text(tuple(parts))
