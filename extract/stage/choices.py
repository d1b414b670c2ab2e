"""One of several things known at extraction, such as enum members, strings or functions, depending on the path taken.

    mode = Mode.RUN if x > 0 else Mode.IDLE         case := 0 or 1
    if mode is Mode.RUN:                    ->      if equal(case, 0):

A question is asked of each of them, and the answers are merged.
"""

from __future__ import annotations

from collections.abc import Callable

from graph_program.extract.stage.caught import of_each_class
from graph_program.extract.stage.join_choices import choice
from graph_program.extract.stage.machine import Machine
from graph_program.extract.stage.mixed_numbers import one_of_numbers
from graph_program.extract.stage.use import settled
from graph_program.extract.stage.values import (
    Mixed,
    Value,
)


def read(m: Machine, value: Value) -> Value:
    """A value that is read from where it was kept."""
    known = choice(value) is not None or one_of_numbers(value) is not None
    return value if known else settled(m, value)


def of_each(m: Machine, value: Mixed, answer: Callable[[Value], Value]) -> Value:
    """The answer for the thing that it is."""

    def of(one: Value) -> Value:
        inner = choice(one)
        return answer(one) if inner is None else of_each(m, inner, answer)

    return of_each_class(m, value, of)


__all__ = ["choice", "of_each", "read"]
