"""Operators as the user's classes define them: `__add__`, `__lt__`, `__iadd__`."""

from __future__ import annotations

from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.numbers import arithmetic
from graph_program.extract.stage.operations.code_ownership import is_own
from graph_program.extract.stage.operations.objects import (
    call_with,
    user_method,
)
from graph_program.extract.stage.values.questions import has_contents, is_just, known_value
from graph_program.extract.stage.values.user_classes import class_of, is_generated
from graph_program.extract.stage.values.values import Value


def operator_method(m: Machine, name: str, a: Value, b: Value) -> Value | None:
    """`a.__op__(b)` or `b.__rop__(a)` where the user's classes define them."""
    return _first_implemented(m, [(a, f"__{name}__", b), (b, f"__r{name}__", a)], reflected_of_same=False)


def is_foreign(m: Machine, a: Value, b: Value, *names: str) -> bool:
    """Whether what an operator does is up to a class of a library, so that it is the host's."""
    methods = [user_method(v, f"__{prefix}{name}__") for v in (a, b) for name in names for prefix in ("", "r")]
    return any(v is not None and not is_own(m, known_value(v.function)) for v in methods)


def _first_implemented(
    m: Machine, tries: list[tuple[Value, str, Value]], *, reflected_of_same: bool = True
) -> Value | None:
    """The first answer that is not NotImplemented; a subclass on the right is asked first, as Python does."""
    classes = [class_of(one) for one, _, _ in tries]
    same = classes[0] is not None and classes[0] is classes[1]
    if classes[0] is not None and classes[1] is not None and not same and issubclass(classes[1], classes[0]):
        own, inherited = (getattr(c, tries[1][1], None) for c in reversed(classes))
        tries = tries[::-1] if reflected_of_same or own is not inherited else tries
    for one, method, other in tries[:1] if same and not reflected_of_same else tries:
        found = user_method(one, method)
        if found is None and _inherits(class_of(one), method, class_of(other)):
            return None
        if found is None or has_generated(one, method):
            continue
        result = call_with(m, found, other)
        if not _is_not_implemented(result):
            return result
    return None


def _inherits(cls: type | None, method: str, other: type | None) -> bool:
    """Whether an operator is the one of a tuple, list, number or string that a class is derived from."""
    base = next((b for b in cls.__mro__ if method in vars(b)), object) if cls is not None else object
    return (
        base is not cls and base is not object and base.__module__ == "builtins" and issubclass(other or object, base)
    )


def _is_not_implemented(value: Value) -> bool:
    return is_just(value, NotImplemented)


def unary_method(m: Machine, name: str, value: Value) -> Value | None:
    method = user_method(value, f"__{name}__")
    return None if method is None else call_with(m, method)


def in_place_method(m: Machine, name: str, a: Value, b: Value) -> Value | None:
    method = user_method(a, f"__i{name}__")
    result = None if method is None else call_with(m, method, b)
    return None if result is None or _is_not_implemented(result) else result


def defines(name: str, a: Value, b: Value) -> bool:
    """Whether the class of one of two operands, an object of the program, says what this operator does."""
    records = filter(has_contents, (a, b))
    return any(user_method(v, f"__{p}{name}__") is not None for v in records for p in ("", "r", "i"))


def defines_comparison(op: str, a: Value, b: Value) -> bool:
    """Whether the class of one of two operands, an object of the program, says how it compares."""
    return op in arithmetic.COMPARE and any(defines(name, a, b) for name in arithmetic.COMPARE[op][2:4])


def own_comparison(m: Machine, op: str, a: Value, b: Value) -> Value | None:
    """Comparison where the user's classes define it."""
    _, _, name, mirrored = arithmetic.COMPARE[op]
    return _first_implemented(m, [(a, f"__{name}__", b), (b, f"__{mirrored}__", a)])


def has_generated(value: Value, method: str) -> bool:
    """Whether a method is one that `@dataclass` writes."""
    return is_generated(class_of(value), method)
