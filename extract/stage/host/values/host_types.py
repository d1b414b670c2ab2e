"""Types of what the host gives: from annotations of functions and of assignments, and from `to_device`."""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from graph_program.extract.ir import specs, tree
from graph_program.extract.stage.host.library import host_shuffles, library_signatures, noted_calls
from graph_program.extract.stage.host.library.annotation_values import read_local_note
from graph_program.extract.stage.host.steps import container_effects, host_code, host_iterators
from graph_program.extract.stage.host.steps import program_effects as effects
from graph_program.extract.stage.host.values import host_aliasing, host_annotations, host_dicts
from graph_program.extract.stage.machine import host_contents
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.memory import host_containers
from graph_program.extract.stage.numbers import host_numbers
from graph_program.extract.stage.operations.code_ownership import is_installed, public_name
from graph_program.extract.stage.values.inside import elements_of
from graph_program.extract.stage.values.questions import is_untold, known_value
from graph_program.extract.stage.values.values import Host, Static, Tensor, Tuple, Value
from graph_program.extract.types.tensors.tensor_type import PY_BOOL

library_signatures.add(host_iterators.FUNCTIONS, host_iterators.MEMBERS)


def called(m: Machine, function: Any, args: Sequence[Value], keywords: Mapping[str, Value]) -> Value:
    """The call of a host function."""
    inner = getattr(function, "__wrapped__", function)
    own = isinstance(inner, types.FunctionType) and not is_installed(inner)
    shown = known_value(args[0]) if function in host_aliasing.MANAGERS else None
    named = getattr(shown, "__qualname__", "") or (function.__qualname__ if own else public_name(function))
    text = f"{named}(...)"
    place = host_shuffles.place_of("" if own else getattr(function, "__name__", ""), args)
    if place is not None:
        return host_shuffles.shuffle(m, Static(function), place, args, keywords, text)
    if effects.can_wait(function):
        return host_code.run(m, Static(function), args, keywords, text)
    note = host_numbers.called_type(function, args)
    if note is None:
        notes = [container_effects.note_of(m, a, f".{i}") for i, a in enumerate(args)]
        note = container_effects.owned(m, function, args, library_signatures.called(function, args, keywords, notes))
    if note is None:
        note = host_annotations.result_of(function)
    return _called(m, Static(function), note, args, keywords, text)


def called_object(m: Machine, function: Host, args: Sequence[Value], keywords: Mapping[str, Value]) -> Value:
    """The call of an object on the host; a method of a known class says what it returns."""
    note, method = None, function.method
    place = host_shuffles.place_of(function.member, args)
    if place is not None:
        return host_shuffles.shuffle(m, function, place, args, keywords, f"{function.text}(...)")
    if function.member in host_aliasing.KEEPING:
        args = [host_dicts.kept(m, a) for a in args]
    if method is not None:
        notes = [container_effects.note_of(m, a, f".{i}") for i, a in enumerate(args)]
        given = noted_calls.Given(method.owner, args, keywords, notes)
        note = container_effects.owned(m, None, args, library_signatures.result(method.shipped, given))
        note = host_annotations.result_of(method.function) if note is None and method.function is not None else note
    return _called(m, function, note, args, keywords, f"{function.text}(...)")


def _called(
    m: Machine, function: Value, note: Any, args: Sequence[Value], keywords: Mapping[str, Value], text: str
) -> Value:
    """A call on the host of what is annotated to return `note`; None where that is not known."""
    if note is types.NoneType:
        host_code.call(m, function, args, keywords, text)
        return Static(None)
    return host_code.from_host(host_code.call(m, function, args, keywords, text, note))


def annotated(m: Machine, value: Host, note: tree.Expr) -> Value:
    """`name: note = value`."""
    return known_as(m, value, read_local_note(m, note))


def returned(m: Machine, value: Value) -> Value:
    """`return value` of a function that is inlined: its annotation says what is not known of host values."""
    frame = m.frame
    if (
        frame is None
        or frame.caller is None
        or frame.function.returns is None
        or not any(is_untold(v) and host_annotations.is_open(v.note) for v in elements_of(value))
    ):
        return value
    python, returns = frame.python, frame.function.returns
    return _as_said(m, value, read_local_note(m, returns) if python is None else host_annotations.result_of(python))


def _as_said(m: Machine, value: Value, note: Any) -> Value:
    parts = host_annotations.parts(note)
    if isinstance(value, Tuple) and parts is not None and len(parts) == len(value.elts):
        return Tuple(tuple(_as_said(m, v, n) for v, n in zip(value.elts, parts, strict=True)), value.cls)
    if not is_untold(value) or not host_annotations.is_open(value.note) or host_annotations.is_open(note):
        return value
    return known_as(m, value, note)


def known_as(m: Machine, value: Host, note: Any) -> Value:
    """The value with what an annotation says of it; a number or array is told to the graph."""
    if note is None:
        return value
    host_containers.give_up(m, container_effects.places_of(m, value))
    type_ = host_annotations.tensor_type(note)
    if type_ is not None:
        return host_code.tell(m, replace(value, note=note), host_code.open_dims(m, type_))
    return replace(value, note=note, told=None, parts=())


def typed(m: Machine, value: Host, spec: specs.ArgSpec | None) -> Value:
    """The value as one of the graph, as far as its type is known."""
    match spec:
        case specs.TensorSpec(type_):
            return host_code.tell(m, value, host_code.open_dims(m, type_), True)
        case specs.TupleSpec(elts, cls):
            parts = [keep(p) for p in host_code.unpack(m, value, len(elts), None)]
            return Tuple(tuple(typed(m, p, s) for p, s in zip(parts, elts, strict=True)), cls)
    return value


def keep(value: Value) -> Host:
    """The object on the host that a value of both sides is."""
    found = value.host or value
    assert isinstance(found, Host)
    return found


def following(m: Machine, iterator: Host, iterable: Host) -> tuple[Callable[[], Value], Tensor]:
    """What the host goes through next, and whether there is anything; the item only where there is.

    Of an item of known type, the numbers and arrays are told in the same step.
    """
    note = host_annotations.element(iterable.note)
    inside = host_annotations.parts(note) or ()
    notes = [note, *inside]
    receives, tells = host_code.told_types(m, notes)
    text = f"an item of {iterable.text}"
    made, (there, *told) = host_code.step(
        m,
        "next",
        [iterator],
        count=len(notes),
        receives=[PY_BOOL, *receives],
        tells=[-1, *tells],
        text=text,
        notes=notes,
    )
    item, *parts = host_code.noted(made, notes, told, tells)
    found = replace(item, parts=tuple(host_code.from_host(p) for p in parts))

    def taken() -> Value:
        host_containers.end_where_empty(m, note, host_contents.is_nothing)
        return host_code.from_host(found)

    return taken, there
