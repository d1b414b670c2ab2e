"""Calls whose arguments are all known: made now, with the real function.

    "a,b".split(",")   int("3")   len(range(4))   ->   evaluated at extraction

Only functions without effects come here, and only on objects whose own code is Python's or NumPy's,
so that nothing of the user's runs during extraction.  An exception becomes one that the program
raises when it gets there; a TypeError is refused, as it cannot depend on the path.
"""

from __future__ import annotations

import decimal
import enum
import fractions
import types
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.operations import objects
from graph_program.extract.stage.operations.known_and_truth import contents_of, static
from graph_program.extract.stage.values.column_data import Growing
from graph_program.extract.stage.values.generic import generic
from graph_program.extract.stage.values.structure import describe
from graph_program.extract.stage.values.values import (
    NONE,
    DictView,
    Range,
    Ref,
    SliceValue,
    Static,
    Tuple,
    Value,
    is_numpy_number,
)

OPAQUE = object()
"""What `python_object` gives for a value that is not wholly known."""

ATOMS: tuple[type, ...] = (
    type(None),
    bool,
    int,
    float,
    complex,
    str,
    bytes,
    range,
    slice,
    type(Ellipsis),
    type(NotImplemented),
    types.FunctionType,
    types.BuiltinFunctionType,
    decimal.Decimal,
    fractions.Fraction,
    type({}.keys()),
    type({}.values()),
    type({}.items()),
)


@generic
def python_object(m: Machine, value: Value) -> Any:
    """The Python object that a value certainly is, or `OPAQUE`.

    Structures are rebuilt, so the object is the program's own only for immutable ones.
    """
    return OPAQUE


python_object.register(Static, lambda m, value: value.value if is_plain(value.value) else OPAQUE)


@python_object.of(Tuple)
def _tuple(m: Machine, value: Tuple) -> Any:
    found = known_objects(m, value.elts)
    return OPAQUE if found is None else tuple(found) if value.cls is None else value.cls(*found)


@python_object.of(Range, SliceValue)
def _bounds(m: Machine, value: Range | SliceValue) -> Any:
    found = known_objects(m, (value.start, value.stop, value.step))
    return OPAQUE if found is None else (range if isinstance(value, Range) else slice)(*found)


@python_object.of(Ref, holding=(list, tuple))
def _list(m: Machine, value: Ref) -> Any:
    contents = m.live.heap[value]
    found = None if isinstance(contents, Growing) else known_objects(m, contents)
    return OPAQUE if found is None else value.cls(found)


@python_object.of(Ref, holding=dict)
def _dict(m: Machine, value: Ref) -> Any:
    contents = m.live.heap[value]
    found = known_objects(m, contents.values())
    return OPAQUE if found is None else dict(zip(contents, found, strict=True))


@python_object.of(DictView)
def _view(m: Machine, value: DictView) -> Any:
    """What a dict shows; of its keys also where its values are not known."""
    if value.kind == "keys" and isinstance(value.dictionary, Ref):
        return dict.fromkeys(contents_of(m, value.dictionary, ordered=False)).keys()
    known = python_object(m, value.dictionary)
    return OPAQUE if known is OPAQUE else getattr(known, value.kind)()


def known_objects(m: Machine, values: Iterable[Value]) -> list[Any] | None:
    """The Python objects that values certainly are, if all are known, else None."""
    found = [python_object(m, v) for v in values]
    return None if any(x is OPAQUE for x in found) else found


def is_plain(obj: Any) -> bool:
    """Whether an object's behaviour is Python's or NumPy's own, all the way down."""
    if type(obj) in ATOMS or isinstance(obj, np.generic | np.dtype | type | enum.Enum) or is_numpy_number(obj):
        return True
    if type(obj) in (list, tuple, set, frozenset) or hasattr(type(obj), "_fields"):
        return all(map(is_plain, obj))
    if type(obj) is dict:
        return all(is_plain(k) and is_plain(v) for k, v in obj.items())
    return False


def call_now(
    m: Machine, function: Callable[..., Any], args: Any = (), keywords: Mapping[str, Any] | None = None
) -> Any:
    """The result of a pure function of known objects."""
    try:
        with np.errstate(all="ignore"):
            return function(*args, **(keywords or {}))
    except TypeError as error:
        raise m.error("GP302", str(error)) from None
    except AttributeError as error:
        raise m.error("GP307", str(error)) from None
    except KeyError as error:
        m.raise_(KeyError, (Static(error.args[0]),))
    except UnicodeError as error:
        m.raise_(ValueError, (str(error),))
    except (ArithmeticError, ValueError, LookupError) as error:
        m.raise_(type(error), (str(error),))


def known_arguments(
    m: Machine, args: Sequence[Value], keywords: Mapping[str, Value]
) -> tuple[list[Any], dict[str, Any]] | None:
    """The objects that arguments are, if all are known, else None."""
    objects, named = known_objects(m, args), known_objects(m, keywords.values())
    return None if objects is None or named is None else (objects, dict(zip(keywords, named, strict=True)))


def try_now(m: Machine, function: Callable[..., Any], *args: Value, **keywords: Value) -> Value | None:
    """The call evaluated now if all arguments are known, else None."""
    known = known_arguments(m, args, keywords)
    return None if known is None else from_python(m, call_now(m, function, *known))


def from_python(m: Machine, obj: Any) -> Value:
    """A new object as a value of the program: mutable structures become the program's own."""
    if obj is None:
        return NONE
    if type(obj) is list:
        return objects.new_list(m, [from_python(m, x) for x in obj])
    if type(obj) is dict:
        return objects.new_dict(m, {k: from_python(m, x) for k, x in obj.items()})
    if type(obj) is tuple:
        return Tuple(tuple(from_python(m, x) for x in obj))
    if type(obj) is range:
        return Range(Static(obj.start), Static(obj.stop), Static(obj.step))
    return Static(obj)


def static_only(m: Machine, function: Callable[..., Any], args: list[Value], keywords: dict[str, Value]) -> Value:
    """A call that has no graph form: evaluated now, or refused (GP321)."""
    result = try_now(m, function, *args, **keywords)
    if result is not None:
        return result
    kinds = ", ".join(describe(v) for v in (*args, *keywords.values()))
    name = getattr(function, "__qualname__", str(function))
    module = getattr(function, "__module__", None)
    prefix = f"{module}." if module and module != "builtins" else ""
    raise m.error(
        "GP321",
        f"{prefix}{name}({kinds}) has no graph form for values computed in the graph",
        hint="use it on values known at extraction, or return the value and call it outside",
    )


PURE_FUNCTIONS: set[Any] = {
    np.finfo,
    np.iinfo,
    np.result_type,
    np.promote_types,
    np.can_cast,
    np.issubdtype,
}
"""Functions without effects, evaluated at extraction when their arguments are static."""


def is_pure(value: Any) -> bool:
    """Whether a builtin may be evaluated at extraction."""
    if value in PURE_FUNCTIONS if _hashable(value) else False:
        return True
    owner = getattr(value, "__self__", None)
    if isinstance(value, types.BuiltinMethodType | types.MethodWrapperType) and isinstance(
        owner, str | bytes | int | float | tuple | frozenset | np.dtype | np.generic
    ):
        return True
    return getattr(value, "__module__", None) in ("math", "operator", "_operator")


def _hashable(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def evaluate_now(m: Machine, function: Any, args: Sequence[Value], keywords: dict[str, Value]) -> Value:
    """A pure function of static arguments; what it raises, the program raises when it gets there."""
    name = getattr(function, "__name__", "this function")
    values = [static(m, a, f"an argument of {name}") for a in args]
    named = {k: static(m, v, f"an argument of {name}") for k, v in keywords.items()}
    return Static(call_now(m, function, values, named))
