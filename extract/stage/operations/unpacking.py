"""Unpacking: the elements of what stands on the right of `a, b = value`.

a, b = x        ->      check len(x) == 2: ValueError;  a, b := x[0], x[1]
"""

from __future__ import annotations

from typing import Any

from graph_program.extract import diagnostics
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.numbers import arithmetic
from graph_program.extract.stage.operations import iteration
from graph_program.extract.stage.operations.known_and_truth import settled, size_needed
from graph_program.extract.stage.paths import raising
from graph_program.extract.stage.paths.several import optional
from graph_program.extract.stage.values.choices import is_number
from graph_program.extract.stage.values.generic import generic
from graph_program.extract.stage.values.questions import is_known
from graph_program.extract.stage.values.structure import class_name, describe
from graph_program.extract.stage.values.values import Range, Static, Value, is_numeric, type_of
from graph_program.extract.types.tensors.tensor_type import INT64, Kind


def items_to_unpack(m: Machine, value: Value, wanted: int, exact: bool) -> list[Value]:
    """The elements of a value on the right of `a, b = value`; of an unknown length, checked at run time."""
    as_asked = elements_as_asked(m, value, wanted)
    if as_asked is not None:
        return as_asked
    value = settled(m, optional.present(m, value, _unpacked))
    number = is_number(value)
    try:
        source = None if number else iteration.iterate(m, value)
    except diagnostics.DTypeError as refusal:
        if refusal.code != "GP315" or is_numeric(value):
            raise
        source = None
    if source is None:
        raise m.error("GP315", f"cannot unpack non-iterable {class_name(value)} object", raised=number) from None
    if source.items is not None:
        return list(source.items())
    if not exact:
        shape = type_of(value) if is_numeric(value) else describe(value)
        error = m.error(
            "GP317",
            f"cannot unpack {shape}: its length is not known at extraction",
            hint="fix the size in the annotation, or slice the array",
        )
        raise size_needed(source.trips(), error)
    length = source.trips()
    if not is_known(length) and isinstance(settled(m, value), Range):
        length = m.op("maximum", length, m.cast(Static(0), INT64), kind=Kind.PYTHON)
    few = arithmetic.compare(m, "<", length, Static(wanted))
    raising.check(m, few, ValueError, f"not enough values to unpack (expected {wanted}, got ", length, ")")
    many = arithmetic.compare(m, ">", length, Static(wanted))
    raising.check(m, many, ValueError, f"too many values to unpack (expected {wanted})")
    return [source.item(Static(i)) for i in range(wanted)]


@generic
def elements_as_asked(m: Machine, value: Value, wanted: int) -> list[Value] | None:
    """The elements of what has as many as are asked for; None of what has a number of its own."""
    return None


def _unpacked(value: Any) -> None:
    """What Python raises for `a, b = value`."""
    _, _ = value
