"""What is done, or answered, for each of several things that a value or an exception may be.

except (ValueError, OverflowError) as e:            if equal(case, 0): r := text 1
    return str(e)                           ->      else: r := text 2"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence

from graph_program.extract.stage.machine.checks.booleans import both
from graph_program.extract.stage.machine.declared import entries
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.path_ends import reaching
from graph_program.extract.stage.numbers.arithmetic import compare
from graph_program.extract.stage.values.exception_values import Case, Caught, ExceptionObject
from graph_program.extract.stage.values.values import NONE, Maybe, Mixed, Static, Value


def caught_of(value: Value) -> Caught:
    """What a handler has caught, from the merged value of the exceptions that lead there."""
    return Caught(tuple(_cases(value, ())), value)


def _cases(value: Value, conditions: tuple[tuple[Value, int], ...]) -> list[Case]:
    if isinstance(value, ExceptionObject):
        return [Case(conditions, value)]
    assert isinstance(value, Mixed) and value.selector is not None
    parts = ((one, (*conditions, (value.selector, number))) for number, one in enumerate(value.values))
    return [case for one, deeper in parts for case in _cases(one, deeper)]


def choose_one(m: Machine, count: int, test: Callable[[int], Value], answer: Callable[[int], Value]) -> Value:
    """`answer(i)` for the first of `count` numbers of which `test(i)` holds, else for the last one."""

    def from_(i: int) -> Value:
        return answer(i) if i == count - 1 else entries.choose(m, test(i), lambda: answer(i), lambda: from_(i + 1))

    return from_(0)


def do_one(m: Machine, count: int, test: Callable[[int], Value], act: Callable[[int], None]) -> None:
    """`act(i)` for the first of `count` numbers of which `test(i)` holds, else for the last one."""

    def from_(i: int) -> None:
        if i == count - 1:
            act(i)
        else:
            entries.branch(m, test(i), lambda: act(i), lambda: from_(i + 1))

    from_(0)


def for_each(m: Machine, cases: Sequence[Case], act: Callable[[ExceptionObject], None]) -> None:
    """Do something with the exception that it is."""
    with reaching(m):
        do_one(m, len(cases), lambda i: _test(m, cases[i]), lambda i: act(cases[i].exception))


def of_each(m: Machine, cases: Sequence[Case], answer: Callable[[ExceptionObject], Value]) -> Value:
    """What is known of the exception that it is."""
    return choose_one(m, len(cases), lambda i: _test(m, cases[i]), lambda i: answer(cases[i].exception))


def for_each_value(m: Machine, mixed: Mixed | Maybe, act: Callable[[Value], None]) -> None:
    """Do something with the value that it is."""
    if isinstance(mixed, Maybe):
        there = mixed.value
        entries.branch(m, mixed.missing, lambda: act(NONE), lambda: act(there))
        return
    assert mixed.selector is not None
    selector, values = mixed.selector, mixed.values
    with reaching(m):
        do_one(m, len(values), lambda i: _equal(m, selector, i), lambda i: act(values[i]))


def _test(m: Machine, case: Case) -> Value:
    known: Value = Static(True)
    return functools.reduce(lambda test, place: both(m, test, _equal(m, *place)), case.conditions, known)


def _equal(m: Machine, selector: Value, number: int) -> Value:
    return compare(m, "==", selector, Static(number))


def of_each_class(m: Machine, mixed: Mixed | Maybe, answer: Callable[[Value], Value]) -> Value:
    """What is known of the class that it is; of None and of what is there, where it may be None."""
    if isinstance(mixed, Maybe):
        return entries.choose(m, mixed.missing, lambda: answer(NONE), lambda: answer(mixed.value))
    assert mixed.selector is not None
    selector, values = mixed.selector, mixed.values

    def of(value: Value) -> Value:
        m.choices.classes += 1
        try:
            return of_each_class(m, value, answer) if isinstance(value, Mixed) else answer(value)
        finally:
            m.choices.classes -= 1

    return choose_one(m, len(values), lambda i: _equal(m, selector, i), lambda i: of(values[i]))
