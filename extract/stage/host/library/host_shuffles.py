"""`shuffle(x)` of what the program has: the host shuffles a copy, or positions, and the program takes that over.

rng.shuffle(x)              h = host[0](x)          # a copy of x, shuffled
                            x[...] = h
random.shuffle(items)       h = host[0](3)          # [0, 1, 2], shuffled
                            items := take(items, h)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from graph_program.extract.stage.arrays import alias
from graph_program.extract.stage.host.steps import host_code
from graph_program.extract.stage.lists import columns, growing_lists
from graph_program.extract.stage.lists.list_columns import length
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.operations import items
from graph_program.extract.stage.values.questions import is_array_of_graph, is_ref_to
from graph_program.extract.stage.values.values import NONE, Ref, Static, Tensor, Value
from graph_program.extract.types.tensors.tensor_type import INT64, Kind, TensorType


def shuffled(at: int, shuffle: Callable[..., None], *args: Any, **keywords: Any) -> np.ndarray[Any, Any]:
    """What `shuffle` makes of a copy of the array that it is given; of the positions where it is a number."""
    given = args[at]
    new = given.copy() if isinstance(given, np.ndarray) else list(range(given))
    shuffle(*args[:at], new, *args[at + 1 :], **keywords)
    return new if isinstance(new, np.ndarray) else np.array(new, np.int64)


def place_of(name: str, args: Sequence[Value]) -> int | None:
    """Which argument is what the program has and `shuffle` changes; None for all other calls."""
    if name != "shuffle":
        return None
    return next((i for i, a in enumerate(args) if is_ref_to(a, list) or is_array_of_graph(a)), None)


def shuffle(
    m: Machine, function: Value, at: int, args: Sequence[Value], keywords: Mapping[str, Value], text: str
) -> Value:
    """`shuffle(x)`."""
    target = args[at]
    if isinstance(target, Tensor):
        items.set_item(m, target, Static(Ellipsis), _made(m, function, at, args, keywords, text, target.type))
        return NONE
    assert isinstance(target, Ref)
    found = growing_lists.contents(m, target)
    count = length(m, found)
    type_ = TensorType(INT64, (m.fresh_dim(),), Kind.ARRAY)
    order = _made(m, function, at, [*args[:at], count, *args[at + 1 :]], keywords, text, type_)
    alias.before_write(m, target)
    new = columns.reordered(m, growing_lists.as_growing(m, found), m.op("reshape", order, count), once=True)
    alias.store(m, target, new)
    return NONE


def _made(
    m: Machine,
    function: Value,
    at: int,
    args: Sequence[Value],
    keywords: Mapping[str, Value],
    text: str,
    type_: TensorType,
) -> Tensor:
    """What the host has shuffled."""
    made = host_code.call(m, Static(shuffled), [Static(at), function, *args], keywords, text, type_)
    assert made.told is not None
    return made.told
