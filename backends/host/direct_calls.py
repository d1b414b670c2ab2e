"""Machine code that Python calls without a feed, and which calls of it need no test of their arguments before.

A test in generated Python costs as much as the whole call of machine code, which looks at the class, the element type
and the rank of an array anyway.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from graph_program.extract.ir.interface import ArgInput, Interface
from graph_program.extract.ir.specs import ArgSpec, TensorSpec
from graph_program.extract.records import dataclass
from graph_program.extract.types.tensors.tensor_type import TensorType


@dataclass(frozen=True)
class Direct:
    """A way to run a model without a feed.

    Attributes
    ----------
    call : callable
        Takes the inputs in order, numbers as they are, and gives all outputs.
    order : tuple of str
        The inputs.
    tested : mapping of str to TensorType
        What `call`, given one more argument, tests the inputs for, sizes included: it gives that argument back where
        one does not fit.  Empty where it tests nothing.
    numbers, arrays : mapping of int to dtype
        The element types of those outputs that are Python's numbers, and of the others.
    """

    call: Callable[..., Sequence[Any]]
    order: tuple[str, ...]
    tested: Mapping[str, TensorType]
    numbers: Mapping[int, np.dtype[Any]]
    arrays: Mapping[int, np.dtype[Any]]


def tests_all(interface: Interface, direct: Direct | None) -> bool:
    """Whether the call tests all that there is to test of arguments, and nothing is read of them before."""
    leaves = {leaf.path: leaf for leaf in interface.inputs if isinstance(leaf, ArgInput) and not leaf.part}
    if direct is None or not direct.tested or len(leaves) < len(interface.inputs):
        return False
    if interface.dims or interface.state.objects or interface.write_backs or interface.set_backs:
        return False
    return all(_is_tested(spec, leaves.get((name,)), direct) for name, spec in interface.parameters)


def _is_tested(spec: ArgSpec, leaf: ArgInput | None, direct: Direct) -> bool:
    if leaf is None or not isinstance(spec, TensorSpec) or spec.layout or spec.filled:
        return False
    tested = direct.tested.get(leaf.name)
    return spec.type == leaf.type == tested and spec.type.dtype.char == tested.dtype.char


__all__ = ["Direct", "tests_all"]
