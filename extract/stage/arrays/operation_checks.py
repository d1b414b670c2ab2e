"""Checks of what an operation would fail with at run time: indices outside, sizes that cannot be.

    y = x[k]        ->      require k < dim(x, 0) and k >= -dim(x, 0), else IndexError
                            y = take(x, k, axis=0)

Nothing is emitted for an index that is known to be inside.  An operation that is run notices failures by
itself, so a check is an `OperationCheck`, which only models and explanations of failures have; inside a
`try` that catches the exception it is a jump.
"""

from __future__ import annotations

from collections.abc import Callable

from graph_program.extract.ir import residual
from graph_program.extract.stage.arrays.lowering_arguments import flat
from graph_program.extract.stage.machine import handlers
from graph_program.extract.stage.machine.checks.booleans import either
from graph_program.extract.stage.machine.declared import entries
from graph_program.extract.stage.machine.emission import aside, emit_op
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.numbers import arithmetic, python_numbers
from graph_program.extract.stage.values.exception_values import ExceptionObject, with_message
from graph_program.extract.stage.values.questions import is_false, is_known
from graph_program.extract.stage.values.values import Static, Tensor, Value, size_of, static_contents
from graph_program.extract.types.dims import Dim, dim
from graph_program.extract.types.tensors.tensor_type import INT64, PY_INT, Kind


def require_inside(m: Machine, array: Tensor, axis: int, index: Tensor, where: str | None = None) -> None:
    """See that an index (or all of an array of indices) is inside an axis, or raise IndexError.

    `where` replaces `axis {axis} with size ` in the text.
    """
    size = m.facts.resolve(array.type.shape[axis])
    key = (m.contents(index), size)
    if key in m.live.checked or _is_inside(m, index, size):
        return
    where = f"axis {axis} with size " if where is None else where
    found: list[Tensor | None] = []

    def bad() -> Value:
        outside, which = _outside(m, array, axis, index)
        found[:] = [which]
        return outside

    require(m, IndexError, bad, lambda: _error(m, array, axis, index, found[0], where))
    m.live.checked |= {key}


def require_position(m: Machine, length: Value, index: Value, text: str) -> None:
    """See that a position is one of a list's, or raise IndexError with a text; the read or write is to come next."""
    if _is_position(m, length, index):
        return
    with aside(m):
        bad = _outside_list(m, length, index)
    if is_known(bad):
        m.check(bad, IndexError, text)
    else:
        require(
            m,
            IndexError,
            lambda: _outside_list(m, length, index),
            lambda: with_message(IndexError, (text,)),
        )


def check_position(m: Machine, length: Value, index: Value, text: str) -> None:
    """Raise IndexError for a position that is none of a list's, where no operation fails by itself."""
    if not _is_position(m, length, index):
        m.check(_outside_list(m, length, index), IndexError, text)


def _outside_list(m: Machine, length: Value, index: Value) -> Value:
    low = arithmetic.compare(m, "<", index, arithmetic.arithmetic(m, "-", Static(0), length))
    return either(m, low, arithmetic.compare(m, ">=", index, length))


def _is_position(m: Machine, length: Value, index: Value) -> bool:
    """Whether a position is inside a list of any length that it can have here."""
    size, ends = size_of(length), python_numbers.span(index)
    return size is not None and ends is not None and _are_inside(m, ends, m.facts.resolve(size))


def _are_inside(m: Machine, ends: tuple[Dim, Dim], size: Dim) -> bool:
    """Whether the least and the greatest of some positions are inside an axis for all sizes."""
    low, high = map(m.facts.resolve, ends)
    return m.facts.decide("<", high, size) is True and m.facts.decide("<=", -size, low) is True


def require(
    m: Machine, cls: type[BaseException], bad: Callable[[], Value], error: Callable[[], ExceptionObject]
) -> None:
    """See that the next operation that may fail does not, or raise its exception; `bad` tells where it does."""
    hint, m.hint = m.hint, ""
    if handlers.is_caught(m, cls) or m.tries.handling:
        entries.end_where(m, bad(), error)
    else:
        _emit_check(m, bad, error)
    m.hint = hint


def _emit_check(m: Machine, bad: Callable[[], Value], error: Callable[[], ExceptionObject]) -> None:
    with aside(m) as body:
        test = bad()
        if is_false(test):
            return
        operand = m.operand(test)
    with aside(m) as report:
        number, args = entries.error_number(m, error())
    check = residual.OperationCheck(body, operand, report, number, args, loc=m.loc)
    m.emit(check)
    m.operation_checks.append(check)


def _is_inside(m: Machine, index: Tensor, size: Dim) -> bool:
    """Whether an index is inside an axis for all sizes."""
    contents = static_contents(index)
    if contents is not None and not m.is_written(index):
        if not contents.size:
            return True
        return _are_inside(m, (dim(int(contents.min())), dim(int(contents.max()))), size)
    ends = python_numbers.span(index)
    return ends is not None and _are_inside(m, ends, size)


def _outside(m: Machine, array: Tensor, axis: int, index: Tensor) -> tuple[Value, Tensor | None]:
    """Whether an index is outside; for an array, whether any is and which are."""
    kind = Kind.ARRAY if index.rank else Kind.PYTHON
    size = m.cast(m.dimension(array, axis), INT64)
    low = m.op("less", index, m.op("negative", size, kind=Kind.PYTHON), kind=kind)
    high = m.op("greater_equal", index, size, kind=kind)
    if not index.rank:
        return either(m, low, high), None
    which = m.op("bitwise_or", low, high)
    return m.op("any", which, axes=tuple(range(index.rank)), keepdims=False, kind=Kind.PYTHON), which


def _error(m: Machine, array: Tensor, axis: int, index: Tensor, which: Tensor | None, where: str) -> ExceptionObject:
    """NumPy's IndexError, for the first index that is outside."""
    shown = index
    if which is not None:
        bad, values = (m.operand(flat(m, x)) for x in (which, index))
        first = emit_op(m, "argmax", (bad,), {"axis": 0, "keepdims": False}, PY_INT)  # some are
        shown = emit_op(m, "take", (values, first.operand), {"axis": 0}, PY_INT)
    shown = m.reclassed(shown, Kind.PYTHON)
    size = m.dimension(array, axis)
    return with_message(IndexError, ("index ", shown, f" is out of bounds for {where}", size))
