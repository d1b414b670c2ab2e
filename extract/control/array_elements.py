"""Which arrays have elements that only a run knows: a number that is read from another one may be known without it.

    y = full(0, n)                  # of numbers alone: t is 0, also where k is outside
    t = take(y, k, axis=0)
    u = take(x, k, axis=0)          # of an argument

Numbers are not what only a run knows: `if n == 2` knows one.  So integers are of data where some come from an array
of the arguments, or from floats.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping

import numpy as np

from graph_program.extract.ir.residual import Const, Op, Operand
from graph_program.extract.types.tensors.tensor_type import TensorType

READS = frozenset({"take", "gather_nd", "slice"})
WRITES = frozenset({"set_index", "set_slice", "scatter_nd"})


def elements_of(op: Op) -> tuple[Operand, ...]:
    """What the elements of an operation's result come from: not its indices."""
    return op.args[: 1 if op.op in READS else 2 if op.op in WRITES else None]


def arrays_of_data(
    types: Mapping[str, TensorType],
    made_by: Mapping[str, Op],
    copied: Mapping[str, Mapping[Operand, object]],
    comes_to_one: Callable[[Op], bool],
) -> set[str]:
    """The arrays some elements of which only a run knows.

    Parameters
    ----------
    types : mapping
        Of the variables.
    made_by : mapping
        The operations that make them.
    copied : mapping
        What they are copied from otherwise.
    comes_to_one : callable
        Whether an operation on integers may give the same number whatever an operand is.
    """
    arrays = {value for value, type in types.items() if type.rank}
    made_of: dict[str, tuple[Operand, ...]] = {}
    for value in arrays:
        if types[value].dtype.kind not in "biu":
            continue
        op = made_by.get(value)
        if op is not None:
            is_lost = op.op != "multiply" and comes_to_one(op)
            made_of[value] = () if is_lost else elements_of(op)
        elif value in copied:
            made_of[value] = tuple(copied[value])
    readers = defaultdict[Operand, list[str]](list)
    for value, parts in made_of.items():
        for part in parts:
            readers[part].append(value)
    found = arrays - made_of.keys()
    work = list(found)
    while work:
        for reader in readers.get(work.pop(), ()):
            op = made_by.get(reader)
            if reader not in found and (op is None or op.op != "multiply" or _keeps(op, found)):
                found.add(reader)
                work.append(reader)
    return found


def _keeps(product: Op, found: set[str]) -> bool:
    """Whether no factor of a product makes it 0, as far as anybody knows."""
    return all(bool(np.all(x.value)) if isinstance(x, Const) else x in found for x in product.args)


__all__ = ["READS", "WRITES", "arrays_of_data", "elements_of"]
