"""Which arrays certainly lie in memory in C order, so that `reshape` of them is a view.

    y = np.zeros((4, 6)); v = y.reshape(-1)      # a view: writes to v reach y
    v = y.T.reshape(-1)                          # a copy
    v = parameter.reshape(-1)                    # not known here: writing v or the parameter is refused

NumPy keeps its operands' order in the results of elementwise operations, so the order of an
operation's result is that of its operands, traced back through the residual program.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from graph_program.extract.ir.residual import Const, Op, Operand
from graph_program.extract.stage.machine import Machine
from graph_program.extract.stage.values import Tensor, Value, View

ALWAYS_C = frozenset({"full", "iota", "matmul", "gather_nd", "take"})
"""Operations whose results NumPy always lays out in C order."""


class ContiguousView(View):
    """A view of all elements of its base, in the same order and gapless."""


def is_contiguous(m: Machine, x: Tensor) -> bool:
    """Whether an array's elements certainly lie in C order without gaps."""
    if x.c_order:
        return True
    if isinstance(x.view, ContiguousView):
        return is_contiguous(m, x.view.base)
    if x.view is not None or x.sources:
        return False
    return in_c_order(m, x.operand, {})


def in_c_order(m: Machine, operand: Operand, seen: dict[str, bool]) -> bool:
    """Whether a new array computed as this operand is in C order."""
    if isinstance(operand, Const):
        return True
    if operand not in seen:
        seen[operand] = False
        made = definition(m, operand)
        if made is not None and made.op != "transpose":
            small = m.types[operand].rank <= 1
            seen[operand] = (
                small or made.op in ALWAYS_C or all(in_c_order(m, a, seen) for a in made.args if _counts(m, a))
            )
    return seen[operand]


def _counts(m: Machine, operand: Operand) -> bool:
    return not isinstance(operand, Const) and m.types[operand].rank > 1


def definition(m: Machine, name: str) -> Op | None:
    """The operation that defines a variable, in the list being emitted."""
    for statement in reversed(m.out):
        if isinstance(statement, Op) and statement.target == name:
            return statement
    return None


def viewed(
    m: Machine,
    base: Tensor,
    read: Callable[[Tensor], Tensor],
    write: Callable[[Tensor, Tensor], Tensor] | None,
    cls: type[View] = View,
) -> Tensor:
    """The result of `read`, as a view where the base is an array."""
    result = read(base)
    if result is base:
        result = m.copied(base)
    if base.is_array:
        result.view = cls(base, read, write, m.contents(base))
    return result


def read_only(m: Machine, base: Tensor, read: Callable[[Tensor], Tensor]) -> Tensor:
    """The result of `read` as a view that NumPy does not let be written."""
    result = viewed(m, base, read, None)
    if result.view is not None:
        result.view = replace(result.view, read_only=True)
    return result


def reshaped(m: Machine, base: Tensor, sizes: Sequence[Value]) -> Tensor:
    """`base.reshape(sizes)`: a view where the layout is known, else something that may share memory."""
    from graph_program.extract.stage.numpy.common import sizes_of
    from graph_program.extract.stage.numpy.size_checks import check_reshape

    check_reshape(m, base, sizes)

    def read(x: Tensor) -> Tensor:
        return m.op("reshape", x, *sizes)

    if not base.is_array:
        return read(base)
    contiguous = is_contiguous(m, base)
    if contiguous or base.rank == 1:  # one axis can be split whatever lies between its elements
        old, cls = sizes_of(m, base), ContiguousView if contiguous else View
        result = viewed(m, base, read, lambda _, contents: m.op("reshape", contents, *old), cls)
        assert result.view is not None
        result.view = replace(result.view, partial=True)
        return result
    result = read(base)
    result.sources = (base,)
    return result
