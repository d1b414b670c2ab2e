"""Which array a merged value is: told at run time, where a write depends on it.

    while ...:                      loop with which_a = 0, which_b = 1:
        b[1:-1] = a[2:]                 b := ...
                                        x := b if which_b == 0 else x     (x is the caller's array)
        a, b = b, a                     which_a, which_b := which_b, which_a

Each array has a number, and a variable that is merged from several arrays gets the number of the one
that it is.  A write to it reaches another name where the numbers are equal.  Numbers are carried only in
programs that need them: the first write that asks for one starts the evaluation again.  What is made in
a round of a loop and kept for a later one has no number of its own, and a view has none at all.
"""

from __future__ import annotations

import math

from graph_program.extract.ir import residual
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.values.questions import is_array_of_graph
from graph_program.extract.stage.values.values import Static, Tensor, Value
from graph_program.extract.types.tensors.tensor_type import INT64, Kind, TensorType

NUMBER = TensorType(INT64, (), Kind.NUMPY)
NOBODY = Static(-1)


def number_of(value: Value) -> Value:
    """The number of the array that a value is; that of nobody where it cannot be told."""
    if not is_array_of_graph(value) or value.view is not None:
        return NOBODY
    if value.identity is not None:
        return value.identity
    return NOBODY if value.sources else Static(value.born)


def are_told(a: Value, b: Value) -> bool:
    """Whether numbers can tell if two arrays are one.

    One of them must be among arrays that were there before the loops which it was carried through; what a
    round makes has the same number in every round.
    """
    return _is_told(a) and _is_told(b) and (_is_told(a, strict=True) or _is_told(b, strict=True))


def _is_told(value: Value, strict: bool = False, since: float = math.inf, seen: frozenset[int] = frozenset()) -> bool:
    if not is_array_of_graph(value) or value.view is not None:
        return False
    if id(value) in seen:
        return True
    if not value.sources:
        return value.join < 0 and (value.born < since or not strict)
    since = min(since, value.since)
    return value.join >= 0 and all(_is_told(s, strict, since, seen | {id(value)}) for s in value.sources)


def share(m: Machine, written: Tensor, other: Tensor) -> None:
    """Give another array the contents that one has got, if both are the same."""
    same = m.op("equal", number_of(written), number_of(other))
    name = m.fresh(other.operand if isinstance(other.operand, str) else "t", other.type)
    new, old = m.contents(written), m.contents(other)
    taken = residual.Copy([name], [new], loc=m.loc)
    kept = residual.Copy([name], [old], loc=m.loc)
    m.emit(residual.If(m.operand(same), [taken], [kept], loc=m.loc))
    m.live.written[other] = name
