"""Values that may be None, used as if they were not: a call in which one is raises what Python raises.

    best = None
    for v in x:                         raise TypeError("unsupported operand type(s) for *: ...") if best is None
        ...                     ->      r := multiply(best, 2)
    return best * 2

In which words, Python itself says about None and small objects of the classes of the other operands.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial, reduce
from itertools import combinations
from typing import Any

import numpy as np

from graph_program.extract.stage.machine import registry
from graph_program.extract.stage.machine.checks.booleans import both
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.numbers.arithmetic import compare
from graph_program.extract.stage.paths.flow import choose
from graph_program.extract.stage.paths.sample_operands import UNKNOWN, sample
from graph_program.extract.stage.paths.several.mixed_numbers import takes_numbers
from graph_program.extract.stage.values.questions import is_array_of_graph, is_optional
from graph_program.extract.stage.values.user_classes import class_of, is_generated, user_function
from graph_program.extract.stage.values.values import NONE, Maybe, Static, Tuple, Value, is_numeric, type_of

OBJECTS = "an empty array with None makes an array of objects, which graph programs do not have"
OF_OBJECTS: frozenset[Any] = frozenset([len, range, sum, sorted, list, tuple, enumerate, zip, reversed, all, any, set])
"""Builtins without effects that take other things than numbers."""


def present(m: Machine, value: Value, use: Callable[[Any], Any]) -> Value:
    """The value itself; where it may be None, after a check that raises what `use(None)` raises, if it does."""
    if not is_optional(value):
        return value
    error = _raised(use, None)
    if error is None:
        return value
    m.check(value.missing, type(error), str(error))
    return value.value


def _raised(use: Callable[..., Any], *operands: Any) -> Exception | None:
    """What Python raises of operands that it does not take."""
    try:
        with np.errstate(all="ignore"):
            use(*operands)
    except (TypeError, AttributeError, ValueError) as error:
        if type(error) in (TypeError, AttributeError, ValueError):
            return error
    return None


def arguments(m: Machine, function: Callable[..., Any], values: Sequence[Value]) -> list[Value]:
    """The arguments of a function without effects, with checks of those that may be None."""
    found = list(values)
    for i, value in enumerate(values):
        if not is_optional(value):
            continue
        others = [_sample(v) for v in found]
        if any(sample is UNKNOWN for sample in others) or any(map(is_optional, found[:i])):
            return found

        def use(one: Any, others: list[Any] = others, i: int = i) -> Any:
            return function(*others[:i], one, *others[i + 1 :])

        if _works(use, others[i]):
            _refuse_objects(m, value.missing, found)
            _check_together(m, function, found, others, i)
            found[i] = present(m, value, use)
    return found


def _check_together(
    m: Machine, function: Callable[..., Any], values: Sequence[Value], samples: Sequence[Any], first: int
) -> None:
    """Check whether several operands, one of them the first that may be None, are: Python has other words then."""
    flags = {i: value.missing for i, value in enumerate(values) if i >= first and is_optional(value)}
    for count in range(len(flags), 1, -1):
        for places in combinations(flags, count):
            error = _raised(function, *(None if i in places else sample for i, sample in enumerate(samples)))
            if first in places and error is not None:
                missing = reduce(partial(both, m), (flags[i] for i in places))
                m.check(missing, type(error), str(error))


def _refuse_objects(m: Machine, missing: Value, operands: Sequence[Value]) -> None:
    """Raise an error of our own for None with an empty array, of which NumPy makes an array of objects."""
    for operand in operands:
        if is_array_of_graph(operand):
            size = registry.ATTRIBUTES["size"](m, [operand], {})
            m.limit(both(m, compare(m, "==", size, Static(0)), missing), "GP592", OBJECTS)


def of_each(m: Machine, value: Maybe, answer: Callable[[Value], Value]) -> Value:
    """The answer for None where it is missing, and for the value where it is there."""
    return choose(m, value.missing, lambda: answer(NONE), lambda: answer(value.value))


def of_number(m: Machine, value: Value, answer: Callable[[Value], Value]) -> Value | None:
    """`of_each` for a number that may be None; None for other values."""
    if not is_optional(value):
        return None
    if not is_numeric(value.value) or type_of(value.value).rank:
        return None
    return of_each(m, value, answer)


def called(m: Machine, function: Any, values: Sequence[Value], keywords: dict[str, Value]) -> list[Value]:
    """`arguments` for a function that is known to have no effects."""
    if keywords or not any(map(is_optional, values)) or not (takes_numbers(function) or function in OF_OBJECTS):
        return list(values)
    return arguments(m, function, values)


def _works(use: Callable[[Any], Any], sample: Any) -> bool:
    """Whether it is None that is wrong, if something is."""
    try:
        with np.errstate(all="ignore"):
            use(sample)
    except (ArithmeticError, ValueError, IndexError):  # a matter of values
        return True
    except (TypeError, AttributeError):
        return False
    return True


def _sample(value: Value) -> Any:
    """An object like a value, where it is there."""
    if value.there is not value:
        return _sample(value.there) if is_optional(value) else UNKNOWN
    cls = class_of(value)
    methods = {} if cls is None else _special_methods(cls)
    if cls is not None and methods:
        return type(cls.__name__, (tuple,) if isinstance(value, Tuple) else (), methods)()
    return None if value is NONE else sample(value)


GIVEN: dict[str, Any] = {
    "__len__": 1,
    "__int__": 1,
    "__index__": 1,
    "__float__": 1.0,
    "__complex__": 1j,
    "__bool__": True,
}
"""What special methods give that Python looks at; others give the object itself."""


def _special_methods(cls: type) -> dict[str, Any]:
    """Stand-ins for the special methods of a user's class, which do nothing."""
    names = {name for base in cls.__mro__ for name in vars(base) if name.startswith("__") and name.endswith("__")}
    own = [name for name in names - {"__init__", "__new__", "__getattribute__"} if user_function(cls, name) is not None]
    return {name: _of_its_class if is_generated(cls, name) else _given(name) for name in own}


def _given(name: str) -> Callable[..., Any]:
    return lambda self, *_: GIVEN.get(name, self)


def _of_its_class(self: Any, other: Any = None) -> Any:
    """What `@dataclass` writes knows of other objects of the class only."""
    return True if type(other).__name__ == type(self).__name__ else NotImplemented
