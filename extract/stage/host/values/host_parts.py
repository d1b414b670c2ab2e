"""Whether something of the host is in a value: in a tuple, a list, a dict or an object."""

from __future__ import annotations

import typing
from collections.abc import Sequence

from graph_program.extract.stage.host.steps import host_code
from graph_program.extract.stage.host.values import host_annotations
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.numbers.host_numbers import told_of
from graph_program.extract.stage.values import host_notes, layouts
from graph_program.extract.stage.values.column_data import Growing
from graph_program.extract.stage.values.inside import contents_in, inner_values
from graph_program.extract.stage.values.layouts import Contents, Counted, Group
from graph_program.extract.stage.values.questions import is_known, is_untold
from graph_program.extract.stage.values.values import Host, Tuple, Value


def only_host(m: Machine, values: Sequence[Value]) -> bool:
    """Whether some values are all the host's, and one is of a type that is not known: the host computes with them.

    A list or tuple is the host's if all that it holds is.
    """
    return any(_has_unknown(m, v) for v in values) and all(_is_of_host(m, v) for v in values)


def _has_unknown(m: Machine, value: Value) -> bool:
    """Whether the graph cannot know the type of something in a value of the host."""
    if is_untold(value):
        return True
    elts = contents_in(m.live.heap, value)
    if isinstance(elts, Growing):
        return layouts.has_host(elts.layout)
    return any(_has_unknown(m, v) and not _is_known_part(v) for v in elts or ())


def _is_known_part(value: Value) -> bool:
    """Whether an annotation says what the graph would make of an element."""
    known = host_annotations.tensor_type(host_notes.present(value.note)) is not None
    return known or host_annotations.parts(value.note) is not None


def _is_of_host(m: Machine, value: Value) -> bool:
    if isinstance(value, Host) or (is_known(value) and not m.is_captured_array(value)):
        return True
    elts = contents_in(m.live.heap, value)
    if isinstance(elts, Growing):
        return layouts.is_of_host(elts.layout)
    return elts is not None and all(_is_of_host(m, v) for v in elts)


def holds_host(m: Machine, *values: Value) -> bool:
    """Whether one of some values is on the host, or has something in it that is."""
    lists = m.live.heap.get
    return any(
        isinstance(v, Host) or (isinstance(found := lists(v), Growing) and layouts.has_host(found.layout))
        for v in inner_values(m.live.heap, *values)
    )


def beside(m: Machine, contents: Contents, value: Value) -> Value:
    """An element for a list: of a tuple of numbers on the host the numbers, where the list has such tuples."""
    note = host_notes.present(value.note)
    numbers = typing.get_args(note) if typing.get_origin(note) is tuple else ()
    if not isinstance(value, Host) or not numbers or not all(n in (bool, int, float) for n in numbers):
        return value
    if not _has_tuples(contents, len(numbers)):
        return value
    return Tuple(tuple(told_of(part) for part in host_code.unpack(m, value, len(numbers), None, ())))


def _has_tuples(contents: Contents, length: int) -> bool:
    """Whether a list has tuples of so many values of the graph."""
    if isinstance(contents, Growing):
        found = contents.layout.inner if isinstance(contents.layout, Counted) else contents.layout
        return (
            isinstance(found, Group)
            and found.cls is None
            and len(found.parts) == length
            and not layouts.has_host(found)
        )
    return any(isinstance(v, Tuple) and v.cls is None and len(v.elts) == length for v in contents)
