"""Objects of the user's classes where Python asks for a number: `float(o)`, `len(o)`, `x[o]`, `math.floor(o)`.

    float(angle)        ->      angle.__float__(), as a Python float
    x[Axis.TIME]        ->      x[Axis.TIME.__index__()]

Members of number classes (`IntEnum`, `class Gain(float)`) are asked as well, where they have the method.  Which
results Python takes, and in which words it refuses others, Python itself says about a small object.
"""

from __future__ import annotations

import math
import operator
import sys
import warnings
from collections.abc import Callable
from typing import Any

from graph_program.extract import diagnostics
from graph_program.extract.stage.machine.declared import entries
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.numbers.arithmetic import compare
from graph_program.extract.stage.operations import object_identity, objects
from graph_program.extract.stage.operations.code_ownership import is_own
from graph_program.extract.stage.operations.known_and_truth import settled, truth_value
from graph_program.extract.stage.paths.sample_operands import UNKNOWN, sample
from graph_program.extract.stage.paths.several import one_of_several
from graph_program.extract.stage.paths.several.forms import NUMBERS, OPTIONAL, THINGS, asked_of_each
from graph_program.extract.stage.values import user_classes
from graph_program.extract.stage.values.questions import is_known, is_known_as, known_value
from graph_program.extract.stage.values.structure import class_name
from graph_program.extract.stage.values.values import Host, Mixed, Static, Value

CONVERSIONS: dict[Any, tuple[str, ...]] = {
    float: ("__float__", "__index__"),
    int: ("__int__", "__index__", "__trunc__") if sys.version_info < (3, 14) else ("__int__", "__index__"),
    complex: ("__complex__", "__float__", "__index__"),
    operator.index: ("__index__",),
    len: ("__len__",),
}
"""Functions that give a number, with the methods that they ask for it, in this order."""
ASKED: dict[Any, tuple[str, ...]] = {
    float: ("__float__",),
    int: ("__int__",),
    complex: ("__complex__", "__float__"),
    abs: ("__abs__",),
    round: ("__round__",),
    divmod: ("__divmod__", "__rdivmod__"),
    pow: ("__pow__", "__rpow__"),
    math.floor: ("__floor__",),
    math.ceil: ("__ceil__",),
    math.trunc: ("__trunc__",),
}
"""Methods of a member of a number class by which a function does not take it for the plain number."""


def method_of(m: Machine, value: Value, name: str) -> Value | None:
    """A method that the user's class defines; known objects of a library's class answer by themselves."""
    method = objects.user_method(value, name)
    is_asked = method is None or not is_known(value) or is_own(m, known_value(method.function))
    return method if is_asked else None


def asked(m: Machine, value: Value, name: str, *args: Value) -> Value | None:
    """What such a method gives; None where there is none."""
    method = method_of(m, value, name)
    return None if method is None else entries.call(m, method, list(args), {})


def converted(m: Machine, function: Callable[[Any], Any], value: Value) -> Value | None:
    """`function(value)` by what a method of the user's class gives; None where it has none that is asked."""
    held = known_value(value)
    if function is operator.index and isinstance(held, int):
        return None
    for method in CONVERSIONS[function]:
        own = method_of(m, value, method)
        if own is not None:
            return _accepted(m, function, method, value, objects.call_with(m, own))
        if hasattr(held, method):
            return None
    return None


@asked_of_each(THINGS, NUMBERS, OPTIONAL, operand=3)
def _accepted(m: Machine, function: Callable[[Any], Any], method: str, value: Value, given: Value) -> Value:
    """What a function makes of what a method gives."""
    if not isinstance(given, Host):
        alike = known_value(given, sample(given))
        alike = object() if alike is UNKNOWN else alike
        asked = type((user_classes.class_of(value) or object).__name__, (), {method: lambda self: alike})()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                result = m.by_python(function, asked)
            except (ValueError, OverflowError) as error:
                m.raise_(type(error), (str(error),))
        if is_known(given):
            return Static(result)
    return _number(m, function, given)


def _number(m: Machine, function: Callable[[Any], Any], given: Value) -> Value:
    result = objects.call_with(m, Static(operator.index if function is len else function), given)
    if function is len:
        m.check(compare(m, "<", result, Static(0)), ValueError, "__len__() should return >= 0")
    return result


def truth(m: Machine, value: Value) -> Value | None:
    """`bool(value)` by `__bool__` or `__len__` of the user's class; None where it has neither."""

    method = objects.user_method(value, "__bool__")
    if method is None:
        length = converted(m, len, value)
        return None if length is None else truth_value(m, length)
    result = settled(m, objects.call_with(m, method))
    if not object_identity.is_python_bool(result):
        raise type_error(m, f"__bool__ should return bool, returned {class_name(result)}", "write bool(...)")
    return truth_value(m, result)


def times(m: Machine, count: Value, repeated: Value) -> Value:
    """An operand of `*` as the number of repeats, where the other is a sequence; else as it is."""
    sequence = user_classes.class_of(repeated)
    if sequence is None or not issubclass(sequence, list | tuple | str | bytes):
        return count
    return converted(m, operator.index, count) or count


def is_asked(function: Any, value: Value) -> bool:
    """Whether a function asks a method of a member, and does not take it for the plain number."""
    if not is_known_as(value, int | float):
        return False
    try:
        methods = ASKED.get(function, ())
    except TypeError:
        return False
    if not methods and getattr(function, "__module__", None) == math.__name__ and isinstance(value.value, int):
        methods = ("__float__",)
    return any(objects.user_method(value, method) is not None for method in methods)


def one_of_asked(function: Any, value: Value) -> Mixed | None:
    """The things that a value is one of, where a function asks a method of one of them."""
    found = one_of_several.choice(value)
    return found if found is not None and any(is_asked(function, v) for v in found.values) else None


def type_error(m: Machine, text: str, hint: str = "") -> diagnostics.GraphProgramError:
    """A TypeError that Python would raise whatever the values, refused."""
    return m.error("GP302", text, hint=hint)
