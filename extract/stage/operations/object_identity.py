"""`is`: whether two objects or arrays are one."""

from __future__ import annotations

from graph_program.extract import diagnostics
from graph_program.extract.stage.machine.checks import booleans
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.memory import captured_arrays
from graph_program.extract.stage.numbers import arithmetic
from graph_program.extract.stage.operations.known_and_truth import choices_needed, needed, settled, truth_value
from graph_program.extract.stage.values import sharing, structure
from graph_program.extract.stage.values.questions import are_known, is_just, is_none, is_optional, missing_flag
from graph_program.extract.stage.values.values import Ref, Row, Static, Tensor, Tuple, Value, is_numeric, type_of
from graph_program.extract.types.tensors.tensor_type import PY_BOOL


def identical(m: Machine, a: Value, b: Value) -> Value:
    """`a is b`."""
    for one, other in ((a, b), (b, a)):
        if is_optional(one) and is_just(other, None):
            return truth_value(m, one.missing)
    a, b = settled(m, a), settled(m, b)
    optional_row = _identical_rows(m, a, b)
    if optional_row is not None:
        return optional_row
    if any(is_python_bool(v) for v in (a, b)):  # True and False exist once
        both = [is_python_bool(v) for v in (a, b)]
        return arithmetic.compare(m, "==", a, b) if all(both) else Static(False)
    if is_optional(a) or is_optional(b):
        error = m.error("GP325", "`is` between a value that may be None and another value is not decided")
        raise next(needed(m, v, error) for v in (a, b) if is_optional(v))
    if isinstance(a, Tensor) and isinstance(b, Tensor):
        if a is b:
            return Static(True)
        if a.sources or b.sources or not (a.is_array and b.is_array):
            raise choices_needed(m, (a, b), _undecided(m))
        refuse_two_arguments(m, a, b)
        return Static(False)
    if isinstance(a, Ref) and isinstance(b, Ref):
        if a is not b and sharing.may_share(a, b):
            raise choices_needed(m, (a, b), _undecided(m))
        if not all(captured_arrays.is_state(m, v) for v in (a, b)):  # what it has in two places is one thing there
            refuse_two_arguments(m, a, b)
    for one, other in ((a, b), (b, a)):
        if structure.is_of_world(other) and _may_be_argument(m, one):
            raise _depends_on_call(m)
    same = structure.same_value(a, b)
    if not same and _may_be_one_tuple(a, b):
        raise m.error(
            "GP325",
            "`is` between these tuples is not decided: the graph has their elements",
            hint="compare with ==, or keep the position of the one that is meant",
        )
    return Static(same)


def _may_be_one_tuple(a: Value, b: Value) -> bool:
    """Whether no element tells two tuples apart."""
    if not isinstance(a, Tuple) or not isinstance(b, Tuple) or a.cls is not b.cls or len(a.elts) != len(b.elts):
        return False
    elements = zip(a.elts, b.elts, strict=True)
    return not any(are_known(pair) and not structure.same_value(*pair) for pair in elements)


def _may_be_argument(m: Machine, value: Value) -> bool:
    """Whether each call may pass another object for a value."""
    if isinstance(value, Row):
        return any(ref.cls is value.cls and not captured_arrays.is_state(m, ref) for ref in m.rows.given)
    return isinstance(value, Ref) and bool(value.path) and not captured_arrays.is_state(m, value)


def _identical_rows(m: Machine, a: Value, b: Value) -> Value | None:
    """`a is b` of objects in tables, each of which may be None; None for anything else."""
    rows = [v.there for v in (a, b) if isinstance(v.there, Row)]
    if len(rows) < 2:
        return None
    one, flags = is_one(m, *rows), [missing_flag(v, is_none) for v in (a, b)]
    if are_known(flags):
        return one
    absent = booleans.both(m, *flags)
    present = booleans.both(m, *(booleans.negate(m, f) for f in flags))
    return booleans.either(m, absent, booleans.both(m, present, one))


def _undecided(m: Machine) -> diagnostics.GraphProgramError:
    return m.error("GP325", "`is` between these values depends on the path taken", hint="compare with == instead")


def refuse_two_arguments(m: Machine, a: Tensor | Ref, b: Tensor | Ref) -> None:
    """Whether two arguments are one object is up to each call."""
    if a is not b and all(v.path or m.is_captured(v) for v in (a, b)):
        raise _depends_on_call(m)


def _depends_on_call(m: Machine) -> diagnostics.GraphProgramError:
    return m.error(
        "GP325",
        "`is` between two arguments depends on what each call passes",
        hint="compare with == instead, or pass a flag",
    )


def is_python_bool(value: Value) -> bool:
    """Whether a value is True or False of Python."""
    return is_numeric(value) and type_of(value) == PY_BOOL


def is_one(m: Machine, a: Row, b: Row) -> Value:
    """Whether two rows are one object."""
    if a.cls is not b.cls or structure.same_value(a.number, b.number):
        return Static(a.cls is b.cls)
    return arithmetic.compare(m, "==", a.number, b.number)
