"""NumPy objects that are subscripted, not called: `np.mgrid`, `ogrid`, `r_`, `c_`, `s_`; and `np.fromfunction`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from graph_program.extract.library.arrays import index_tricks as programs
from graph_program.extract.stage.arrays.lowering_arguments import array, dtype_error, is_given, is_sequence
from graph_program.extract.stage.machine.declared import entries
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.registry import lowers
from graph_program.extract.stage.operations import items
from graph_program.extract.stage.operations.known_and_truth import settled
from graph_program.extract.stage.values.questions import is_known_as, one_or_many
from graph_program.extract.stage.values.values import NONE, Static, Tuple, Value

ITEMS: dict[str, Callable[[Machine, Value], Value]] = {
    "s_": lambda m, key: key,
    "index_exp": lambda m, key: Tuple(one_or_many(key)),
    "mgrid": lambda m, key: grid(m, programs.dense, key),
    "ogrid": lambda m, key: grid(m, programs.sparse, key),
    "r_": lambda m, key: entries.run(m, programs.joined, pieces(m, key)),
    "c_": lambda m, key: entries.run(m, programs.columns, pieces(m, key)),
}
"""What `np.name[key]` is, by the name."""

KNOWN = {id(getattr(np, name)): lowering for name, lowering in ITEMS.items()}


def item(m: Machine, value: Static, key: Value) -> Value:
    """`np.r_[key]` and the like."""
    lowering = KNOWN.get(id(value.value))
    if lowering is None:
        raise items.not_subscriptable(m, value)
    return lowering(m, key)


for _cls in {type(getattr(np, name)) for name in ITEMS}:
    items.item.of(Static, holding=_cls)(item)


def grid(m: Machine, program: Callable[..., Any], key: Value) -> Value:
    """The grid of several slices, or the line of one."""
    return entries.run(m, program if isinstance(key, Tuple) else programs.line, key)


def pieces(m: Machine, key: Value) -> Tuple:
    """The parts of a subscript, lists as arrays; a first one that is a text says how to join, which is refused."""
    parts = one_or_many(key)
    first = settled(m, parts[0]) if parts else NONE
    if is_known_as(first, str):
        raise m.error("GP321", "a text in np.r_ or np.c_ has no graph form", hint="use np.concatenate or np.stack")
    return Tuple(tuple(array(m, part) if is_sequence(m, part) else part for part in parts))


@lowers(np.fromfunction)
def fromfunction(
    m: Machine, function: Value, shape: Value, *, dtype: Value = NONE, like: Value = NONE, **kwargs: Value
) -> Value:
    """`np.fromfunction`: the function of the positions along each axis."""
    if is_given(like):
        raise dtype_error(m, "The `like` argument has no graph form")
    target: Any = dtype if is_given(dtype) else Static(np.dtype(np.float64))
    places = entries.run(m, programs.places, shape, target)
    return entries.call(m, function, list(one_or_many(places)), kwargs)
