"""Python's builtins on open values."""

from __future__ import annotations

import numpy as np

from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.opened import subscripts
from graph_program.extract.stage.opened.operators import elementwise, given
from graph_program.extract.stage.opened.schemes import Scheme, term_of
from graph_program.extract.stage.operations.iteration import sequence_items
from graph_program.extract.stage.values.open_values import Open
from graph_program.extract.stage.values.questions import is_known_as
from graph_program.extract.stage.values.values import Range, Static, Tuple, Value
from graph_program.extract.types.tensors.tensor_type import PY_INT


def number(m: Machine, a: Value, *args: Value) -> Value:
    """`float(x)`: one element."""
    shape = term_of(m, a).shape
    m.inferring.suppose(m, "a number", lambda origin: m.inferring.solver.equal_shapes(shape, (), origin))
    return m.inferring.lost(m)


def range_(m: Machine, *bounds: Value) -> Value:
    """`range` of an open bound, which is an int then."""
    numbers = [m.inferring.integer(m, bound) for bound in bounds]
    start, stop, step = (Static(0), *numbers, Static(1)) if len(numbers) == 1 else (*numbers, Static(1))[:3]
    return Range(start, stop, step)


def isinstance_(m: Machine, a: Value, classes: Value) -> Value:
    """Whether an open value is of a class: an array is taken for one."""
    items = sequence_items(m, classes) or [classes]
    known = [v.value for v in items if is_known_as(v, type)]
    return Static(True) if np.ndarray in known else m.inferring.unknown_bool(m)


def extreme(m: Machine, first: Value, *rest: Value, **keywords: Value) -> Value:
    """`max(a, b)`, or the largest of the elements of an array or list."""
    if rest:
        return elementwise(m, [term_of(m, v) for v in (first, *rest)], "the larger or smaller", "same")
    return total(m, first)


def total(m: Machine, iterable: Value, *start: Value, **keywords: Value) -> Value:
    """`sum(xs)`: of the type of an element, as far as can be said."""
    if isinstance(iterable, Open):
        return subscripts.row(m, iterable)
    items = sequence_items(m, iterable)
    return elementwise(m, [term_of(m, v) for v in items], "a sum", "same") if items else m.inferring.lost(m)


def divmod_(m: Machine, x: Value, y: Value) -> Value:
    parts = [elementwise(m, [term_of(m, x), term_of(m, y)], "divmod", "same") for _ in range(2)]
    return Tuple(tuple(parts))


BUILTINS: dict[str, Scheme] = {
    "float": number,
    "int": number,
    "bool": number,
    **dict.fromkeys(("abs", "round"), lambda m, a, *args: given(m, term_of(m, a))),
    "len": lambda m, a: subscripts.length(m, a) if isinstance(a, Open) else m.inferring.unknown_number(m, PY_INT),
    "range": range_,
    "isinstance": isinstance_,
    "max": extreme,
    "min": extreme,
    "sum": total,
    **dict.fromkeys(("any", "all"), lambda m, iterable: m.inferring.unknown_bool(m)),
    "divmod": divmod_,
    "pow": lambda m, base, exp, *mod: elementwise(m, [term_of(m, base), term_of(m, exp)], "pow", "same"),
}
"""By name; what is not here gives a value of which nothing is known."""
