"""Host values as operands of the graph: told as what is known of them, else refused with what to write.

frame = camera()            # -> Float32[np.ndarray, "h w"]: told where it is made
level = settings.level      # float | None: told where it is an operand, behind the test of None
rows = table.rows           # list[float]: np.array(rows) is made on the host, and told
"""

from __future__ import annotations

from typing import Any

import numpy as np

from graph_program.extract import diagnostics
from graph_program.extract.stage.host.steps import host_code
from graph_program.extract.stage.host.values import host_advice, host_annotations
from graph_program.extract.stage.machine.declared import host_entries
from graph_program.extract.stage.machine.host_contents import OneNumber
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.memory import host_containers
from graph_program.extract.stage.numbers import host_numbers
from graph_program.extract.stage.operations import known_and_truth
from graph_program.extract.stage.values import host_notes
from graph_program.extract.stage.values.questions import is_array_of_graph
from graph_program.extract.stage.values.structure import with_article
from graph_program.extract.stage.values.values import Host, Static, Tensor, Tuple, Value
from graph_program.extract.types.tensors.tensor_type import PY_FLOAT, PY_INT, PY_TYPES, Kind, TensorType


@known_and_truth.as_operand.of(Host)
def _as_operand(m: Machine, value: Host, what: str) -> Value:
    return known_and_truth.numeric(m, operand(m, value, what), what)


@host_entries.operand.given
def operand(
    m: Machine, value: Value, what: str, other: Value | None = None, element: np.dtype[Any] | None = None
) -> Value:
    """What the graph has for a value."""
    found = _told(m, value) or _as_float(m, value, element if element is not None else _dtype(other))
    if found is None:
        raise unknown_type(m, value, what, other, element)
    return found


def _told(m: Machine, value: Value) -> Value | None:
    """What the host tells of a value; a tuple of known length taken apart; None where the type is not known."""
    if not isinstance(value, Host):
        return value
    if value.told is not None:
        return value.told
    note = host_notes.present(value.note)
    cls = host_annotations.number_of(note)
    if cls is not None:
        return host_code.call(m, Static(cls), [value], {}, f"{cls.__name__}({value.text})", PY_TYPES[cls]).told
    type_ = host_annotations.tensor_type(note)
    if type_ is not None:
        told = host_code.tell(m, value, host_code.open_dims(m, type_))
        return host_numbers.told_of(told)
    parts = host_annotations.parts(value.note)
    if parts is not None:
        cls = host_annotations.class_of(value.note)
        return Tuple(tuple(host_code.unpack(m, value, len(parts), None)), None if cls is tuple else cls)
    return _listed(m, value)


def _listed(m: Machine, value: Host) -> Value | None:
    """An array of what a list or tuple on the host holds, which NumPy makes there."""
    row = host_annotations.tensor_type(host_annotations.element(value.note))
    if row is None or host_annotations.class_of(value.note) not in (list, tuple):
        return None
    type_ = TensorType(row.dtype, (m.fresh_dim(), *row.shape), Kind.ARRAY)
    made = host_code.call(m, Static(np.array), [value], {}, f"np.array({value.text})", type_)
    return made.told


def _dtype(other: Value | None) -> np.dtype[Any] | None:
    return other.type.dtype if is_array_of_graph(other) else None


def _as_float(m: Machine, value: Value, element: np.dtype[Any] | None) -> Value | None:
    """A number of one of several types as a float, as which all of them go into float64 elements."""
    if not isinstance(value.note, OneNumber) or element != np.float64:
        return None
    if any(type_.dtype.kind not in "bif" for type_ in value.note.types):
        return None
    return host_code.call(m, Static(float), [value], {}, f"float({value.text})", PY_FLOAT).told


def told(m: Machine, value: Value) -> Value:
    """What the host tells of a number or array of known type; any other value as it is."""
    return _told(m, value) or value


def known(m: Machine, value: Value) -> Value:
    """An operand of something that the graph has: what the host tells of it."""
    return operand(m, value, "operand")


INT = Tensor("index", PY_INT)


def index(m: Machine, value: Value) -> Value:
    """An index into something that the graph has: what the host tells of it."""
    return operand(m, value, "index", INT)


def of_graph(m: Machine, *values: Value) -> list[Value] | None:
    """The operands of an operation of the graph: one is a value that only the graph has, the others are told.

    None where the host computes: on numbers that both sides have, and on single elements with what is not known.
    """
    if not any(host_numbers.is_only_of_graph(m, v) for v in values):
        return None
    arrays = [v for v in values if is_array_of_graph(v)]
    found: list[Value] = []
    for value in values:
        told = _told(m, value)
        if told is None and arrays:
            told = _as_float(m, value, arrays[0].type.dtype)
        if told is None and arrays:
            raise unknown_type(m, value, "operand", arrays[0])
        if told is None:
            return None
        found.append(told)
    return found


# ---------------------------------------------------------------- refusals


def unknown_type(
    m: Machine, value: Value, what: str, other: Value | None = None, element: np.dtype[Any] | None = None
) -> diagnostics.GraphProgramError:
    """The refusal of a host value of unknown type as a tensor, with the annotation to write."""
    assert isinstance(value, Host)
    host_containers.end_where_empty(m, value.note)
    use = f"{with_article(what)} of a tensor operation" if element is None else "assigned to elements of an array"
    return m.error(
        "GP520",
        f"the type of this host value is not known, but it is {use}",
        labels=(diagnostics.Label(value.loc, f"it is the result of {value.text or 'host code'}"),),
        hint=host_advice.instead(m, value, other if isinstance(other, Tensor) else None, element),
    )
