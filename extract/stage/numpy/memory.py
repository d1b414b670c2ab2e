"""Whether arrays share memory, which the program knows of its own; arrays made of bytes.

np.shares_memory(x, x[1:])     ->      x[1:].size > 0
np.shares_memory(x, x + 1)     ->      False
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from graph_program.extract.stage.arrays.layout import read_only
from graph_program.extract.stage.arrays.lowering_arguments import ZERO, evaluated
from graph_program.extract.stage.host.steps import host_code
from graph_program.extract.stage.machine import registry
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.numbers import arithmetic
from graph_program.extract.stage.operations.known_and_truth import settled, tensor
from graph_program.extract.stage.values import sharing
from graph_program.extract.stage.values.questions import is_array_of_graph
from graph_program.extract.stage.values.values import Host, Static, Tensor, Value


def register(function: Any) -> None:
    """Register one of the two questions, which have the same answer wherever it is known here."""

    def shared(m: Machine, a: Value, b: Value, /, max_work: Value = ZERO) -> Value:
        a, b = _array(m, a), _array(m, b)
        if any(isinstance(v, Host) for v in (a, b)):
            return host_code.call_host(m, function, [a, b], {})
        return shares(m, a, b, function.__name__)

    registry.lowers(function, name=f"np.{function.__name__}")(shared)


def _array(m: Machine, value: Value) -> Value:
    return m.in_graph(settled(m, value))


def shares(m: Machine, a: Value, b: Value, name: str) -> Value:
    """Whether two arrays have an element in common: where one is a view of the other, that has to have elements."""
    if is_array_of_graph(a) and is_array_of_graph(b):
        for part, whole in ((a, b), (b, a)):
            if any(base is whole for base in _bases(part)):
                return arithmetic.compare(m, ">", registry.ATTRIBUTES["size"](m, [part], {}), ZERO)
        if not sharing.may_share(a, b) and not all(_is_outside(m, sharing.root(x)) for x in (a, b)):
            return Static(False)
    raise m.error(
        "GP325",
        f"np.{name} of these depends on how they lie in memory",
        hint="ask it of an array and a view of it, or of arrays that the program makes",
    )


def _bases(x: Tensor) -> Iterator[Tensor]:
    """An array and those that it is a view of."""
    yield x
    while x.view is not None:
        x = x.view.base
        yield x


def _is_outside(m: Machine, x: Tensor) -> bool:
    """Whether an array is an argument or captured, which may overlap with others."""
    return bool(x.path) or m.is_captured(x) or bool(x.sources)


register(np.shares_memory)
register(np.may_share_memory)


@registry.lowers(np.frombuffer)
def frombuffer(m: Machine, *args: Value, **keywords: Value) -> Value:
    """`np.frombuffer` of known bytes, whose memory NumPy keeps read-only."""
    known = evaluated(m, np.frombuffer, args, keywords)
    if known is None:
        return host_code.call_host(m, np.frombuffer, list(args), keywords)
    return read_only(m, tensor(m, known), lambda contents: contents)


@registry.lowers(np.fromiter)
def fromiter(m: Machine, *args: Value, **keywords: Value) -> Value:
    """`np.fromiter` of known numbers."""
    return evaluated(m, np.fromiter, args, keywords) or host_code.call_host(m, np.fromiter, list(args), keywords)
