"""State that has another class of number after a call: `self.level = 0.0`, then `self.level += x.mean()`.

A Python float and a `np.float64` are one to a model, but not to Python: they promote float32 arrays differently, and
one of them refuses to divide by zero.  Whether a program makes a difference is seen by extracting it for both.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from graph_program.extract.ir import results
from graph_program.extract.ir.interface import Interface, SetBack
from graph_program.extract.ir.paths import Path
from graph_program.extract.ir.specs import TensorSpec
from graph_program.extract.types.tensors.tensor_type import Kind, TensorType


class Afterwards(NamedTuple):
    """An attribute whose number is of another class after a call."""

    owner: Any
    name: str
    path: Path
    type: TensorType


def afterwards(described: Interface) -> list[Afterwards]:
    """The numbers of the state that are of Python before a call and of NumPy after it, or the other way round."""
    backs = {b.path: b.result for b in described.set_backs if isinstance(b, SetBack)}
    found = []
    for one in described.state.objects:
        for name, spec in one.attributes:
            path = (*one.path, f".{name}")
            after = backs.get(path)
            if not isinstance(spec, TensorSpec) or not isinstance(after, results.OutputResult):
                continue
            kinds = {spec.type.kind, after.type.kind}
            if kinds == {Kind.PYTHON, Kind.NUMPY} and spec.type.dtype == after.type.dtype:
                found.append(Afterwards(one.object, name, path, after.type))
    return found


@contextmanager
def as_afterwards(found: list[Afterwards]) -> Iterator[None]:
    """With the same numbers in the classes that they have after a call."""
    before = [getattr(one.owner, one.name) for one in found]
    try:
        for one, value in zip(found, before, strict=True):
            number = np.asarray(value, one.type.dtype)[()]
            setattr(one.owner, one.name, number if one.type.kind is Kind.NUMPY else number.item())
        yield
    finally:
        for one, value in zip(found, before, strict=True):
            setattr(one.owner, one.name, value)


__all__ = ["Afterwards", "afterwards", "as_afterwards"]
