"""What is done, or answered, for each of several things that a value or an exception may be.

except (ValueError, OverflowError) as e:            if equal(case, 0): r := text 1
    return str(e)                           ->      else: r := text 2"""

from __future__ import annotations

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
    found = []
    for number, one in enumerate(value.values):
        found += _cases(one, (*conditions, (value.selector, number)))
    return found


def for_each(m: Machine, cases: Sequence[Case], act: Callable[[ExceptionObject], None]) -> None:
    """Do something with the exception that it is."""
    first, *rest = cases
    if not rest:
        with reaching(m):
            act(first.exception)
        return
    entries.branch(m, _test(m, first), lambda: act(first.exception), lambda: for_each(m, rest, act))


def of_each(m: Machine, cases: Sequence[Case], answer: Callable[[ExceptionObject], Value]) -> Value:
    """What is known of the exception that it is."""
    first, *rest = cases
    if not rest:
        return answer(first.exception)
    return entries.choose(m, _test(m, first), lambda: answer(first.exception), lambda: of_each(m, rest, answer))


def for_each_value(m: Machine, mixed: Mixed | Maybe, act: Callable[[Value], None]) -> None:
    """Do something with the value that it is."""
    if isinstance(mixed, Maybe):
        there = mixed.value
        entries.branch(m, mixed.missing, lambda: act(NONE), lambda: act(there))
        return
    assert mixed.selector is not None
    _for_each_value(m, mixed.selector, list(enumerate(mixed.values)), act)


def _for_each_value(
    m: Machine, selector: Value, left: Sequence[tuple[int, Value]], act: Callable[[Value], None]
) -> None:
    (number, first), *rest = left
    if not rest:
        with reaching(m):
            act(first)
        return
    test = _equal(m, selector, number)
    entries.branch(m, test, lambda: act(first), lambda: _for_each_value(m, selector, rest, act))


def _test(m: Machine, case: Case) -> Value:
    test: Value = Static(True)
    for selector, number in case.conditions:
        test = both(m, test, _equal(m, selector, number))
    return test


def _equal(m: Machine, selector: Value, number: int) -> Value:
    return compare(m, "==", selector, Static(number))


def of_each_class(m: Machine, mixed: Mixed | Maybe, answer: Callable[[Value], Value]) -> Value:
    """What is known of the class that it is; of None and of what is there, where it may be None."""
    if isinstance(mixed, Maybe):
        return entries.choose(m, mixed.missing, lambda: answer(NONE), lambda: answer(mixed.value))
    assert mixed.selector is not None
    selector, (*others, last) = mixed.selector, mixed.values

    def of(value: Value) -> Value:
        m.choices.classes += 1
        try:
            return of_each_class(m, value, answer) if isinstance(value, Mixed) else answer(value)
        finally:
            m.choices.classes -= 1

    def from_(number: int) -> Value:
        if number == len(others):
            return of(last)
        return entries.choose(m, _equal(m, selector, number), lambda: of(others[number]), lambda: from_(number + 1))

    return from_(0)
