"""What programs of the library ask of their arguments (`library/arguments`), answered where the user calls NumPy."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from graph_program.extract.library import arguments
from graph_program.extract.stage.arrays import lowering_arguments as given
from graph_program.extract.stage.arrays.size_checks import check_same_shapes
from graph_program.extract.stage.machine.checks import booleans
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.registry import lowers_other
from graph_program.extract.stage.numbers import arithmetic
from graph_program.extract.stage.operations.known_and_truth import no_elements, static, tensor
from graph_program.extract.stage.paths.size_messages import check
from graph_program.extract.stage.values.questions import known_value, one_or_many
from graph_program.extract.stage.values.values import NONE, Static, Value, type_of
from graph_program.extract.types.tensors.tensor_type import INT64

NOTHING = Static("")


def answers(question: Callable[..., Any]) -> Callable[[Callable[..., Value]], Callable[..., Value]]:
    """Register what a question of a program gives; refusals and errors are at the call in the user's code."""

    def register(answer: Callable[..., Value]) -> Callable[..., Value]:
        @lowers_other(question)
        @functools.wraps(answer)
        def at_the_call(m: Machine, *args: Value, **keywords: Value) -> Value:
            place, frame = m.loc.in_program, m.current_frame
            here = m.node_loc, frame.call
            m.node_loc, frame.call = place, place.call
            try:
                return answer(m, *args, **keywords)
            finally:
                m.node_loc, frame.call = here

        return at_the_call

    return register


@answers(arguments.refuse)
def refuse(m: Machine, error: Value, text: Value) -> Value:
    refused = given.dtype_error if known_value(error) is TypeError else given.value_error
    raise refused(m, known_value(text))


@answers(arguments.without_form)
def without_form(m: Machine, code: Value, text: Value, hint: Value = NOTHING) -> Value:
    raise m.error(known_value(code), known_value(text), hint=known_value(hint))


@answers(arguments.raise_where)
def raise_where(m: Machine, bad: Value, error: Value, *text: Value) -> Value:
    all_of_them = functools.reduce(functools.partial(booleans.both, m), one_or_many(bad))
    check(m, all_of_them, known_value(error), *(known_value(part, part) for part in text))
    return NONE


@answers(arguments.check)
def check_elements(m: Machine, bad: Value, error: Value, *text: Value) -> Value:
    m.check(bad, known_value(error), *(known_value(part, part) for part in text))
    return NONE


@answers(arguments.require_same_shapes)
def require_same_shapes(m: Machine, x: Value, y: Value, error: Value, text: Value) -> Value:
    check_same_shapes(m, [tensor(m, x), tensor(m, y)], known_value(text), known_value(error))
    return NONE


@answers(arguments.limited)
def limited(m: Machine, bad: Value, code: Value, text: Value, hint: Value = NOTHING) -> Value:
    m.limit(bad, known_value(code), known_value(text), hint=known_value(hint))
    return NONE


answers(arguments.known)(lambda m, value, what: Static(static(m, value, known_value(what))))
answers(arguments.known_int)(lambda m, value, what: Static(given.as_index(m, static(m, value, known_value(what)))))
answers(arguments.of_sizes)(lambda m, op, a, b: given.size_op(m, known_value(op), a, b))
answers(arguments.selected)(arithmetic.select_array)
answers(arguments.known_size)(lambda m, size: Static(given.known(size)))


@answers(arguments.last_place)
def last_place(m: Machine, x: Value) -> Value:
    return m.op("subtract", m.cast(m.dimension(given.array(m, x), 0), INT64), given.number(m, 1, INT64))


@answers(arguments.may_be_empty)
def may_be_empty(m: Machine, x: Value, axes: Value) -> Value:
    return Static(any(type_of(x).shape[i].lower in (None, 0) for i in known_value(axes)))


@answers(arguments.is_empty)
def is_empty(m: Machine, x: Value) -> Value:
    found = [no_elements(m, tensor(m, x), axis) for axis in range(type_of(x).rank)]
    return Static(True if True in found else None if None in found else False)


@answers(arguments.reduced_axes)
def reduced_axes(
    m: Machine, axis: Value, rank: Value, of_scalars: Value = given.TRUE, lists: Value = given.FALSE
) -> Value:
    return Static(given.axes_of(m, axis, known_value(rank), known_value(of_scalars), known_value(lists)))


@answers(arguments.listed_axes)
def listed_axes(m: Machine, axis: Value, rank: Value, name: Value = NOTHING, repeats: Value = given.FALSE) -> Value:
    return Static(given.listed_axes(m, axis, known_value(rank), known_value(name), known_value(repeats)))


@answers(arguments.one_axis)
def one_axis(m: Machine, axis: Value, rank: Value, name: Value = NOTHING) -> Value:
    return Static(given.axis_of(m, axis, known_value(rank), known_value(name)))
