"""Operators that kinds of values and the user's classes have of their own: what `operations/operators` asks of them."""

from __future__ import annotations

import enum
from typing import Any

from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.numbers import arithmetic
from graph_program.extract.stage.operations.code_ownership import is_own
from graph_program.extract.stage.operations.objects import call_with, user_method
from graph_program.extract.stage.values.generic import forward, generic
from graph_program.extract.stage.values.questions import has_contents, is_just, known_value
from graph_program.extract.stage.values.user_classes import class_of, is_generated
from graph_program.extract.stage.values.values import Value


class Unsaid(enum.Enum):
    """What a kind answers that does not say what an operator does, as `NotImplemented` is in Python."""

    UNSAID = enum.auto()


UNSAID = Unsaid.UNSAID


@generic
def binary_of(m: Machine, one: Value, op: str, a: Value, b: Value) -> Value:
    """`a op b`, as the kind of `one`, which is one of them, has it."""
    raise NotImplementedError


@generic
def comparison_of(m: Machine, one: Value, op: str, a: Value, b: Value) -> Value | None:
    """`a op b`, as the kind of `one`, which is one of them, compares; None where it has nothing to say of it."""
    raise NotImplementedError


@generic
def comparison_of_present(m: Machine, one: Value, op: str, a: Value, b: Value) -> Value | None:
    """`a op b` where both are there, as the kind of `one` has it; None where that is Python's own comparison."""
    return None


@generic
def equal(m: Machine, a: Value, b: Value) -> Value | Unsaid | None:
    """`a == b` as the kind of `a` says it, else UNSAID; None where it is a matter of numbers or arrays."""
    return UNSAID


@generic
def unary_of(m: Machine, value: Value, op: str) -> Value:
    """`op value`, as its kind has it."""
    raise NotImplementedError


@generic
def contained_in(m: Machine, container: Value, item: Value) -> Value | None:
    """`item in container`, as a kind that does not list its elements has it; None of any other."""
    return None


@forward
def comparison(m: Machine, op: str, a: Value, b: Value) -> Value:
    """`a op b` for `< <= > >= == != is in` and their negations, of any values."""


@forward
def percent(m: Machine, template: str, values: Value) -> Value:
    """`template % values`."""


@forward
def is_count(note: Any) -> bool:
    """Whether a note is that of an integer by which Python repeats a string: its own, or NumPy's."""


@forward
def comparison_of_structures(m: Machine, op: str, a: Value, b: Value) -> Value | None:
    """Comparison of structures and of instances of the user's classes that do not define it themselves."""


@forward
def sequence_operator(m: Machine, op: str, a: Value, b: Value) -> Value | None:
    """`+` and `*` of lists and tuples, `|` of dicts."""


@forward
def contains(m: Machine, container: Value, item: Value) -> Value:
    """`item in container`."""


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
