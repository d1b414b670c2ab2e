"""`raise`, and the texts of exceptions and of f-strings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from graph_program.extract import diagnostics
from graph_program.extract.ir import tree
from graph_program.extract.stage import (
    caught,
    choices,
    growing,
    handling,
    host_raising,
    host_texts,
    mixed_numbers,
    objects,
    optional,
    own_texts,
    raising,
)
from graph_program.extract.stage.elements import SEQUENCES
from graph_program.extract.stage.exception_values import Caught, ExceptionObject
from graph_program.extract.stage.machine import Machine
from graph_program.extract.stage.use import contents_of, settled, static
from graph_program.extract.stage.values import (
    NONE,
    DictView,
    Host,
    Maybe,
    Ref,
    Static,
    Tensor,
    Text,
    Tuple,
    Value,
    is_numeric,
)


def run_raise(m: Machine, node: tree.Raise) -> None:
    """Raise the user's exception, or the one being handled again."""
    from graph_program.extract.stage import expressions, trying
    from graph_program.extract.stage.flow import branch

    if node.exc is None:
        if not m.handling:
            raise m.error(
                "GP340", "a bare `raise` needs an exception being handled", hint="name the exception to raise"
            )
        trying.raise_again(m, m.handling[-1].what)
        return
    if isinstance(node.exc, tree.IfExp):
        choice = node.exc
        sides = [replace(node, exc=side) for side in (choice.body, choice.orelse)]
        branch(m, expressions.truth(m, choice.test), *(partial(run_raise, m, side) for side in sides))
        return
    value = settled(m, expressions.evaluate(m, node.exc))
    m.node_loc = node.exc.loc
    value = settled(m, optional.present(m, value, _raised))
    if isinstance(value, Caught):
        trying.raise_again(m, value)
        return
    if isinstance(value, Host):
        behind = [] if node.cause is None else [settled(m, expressions.evaluate(m, node.cause))]
        m.node_loc = node.loc
        host_raising.raise_again(m, value, *behind)
    error = exception_object(m, value)
    if node.cause is None:
        m.node_loc = node.loc
        raise_one(m, error)
        return
    cause = settled(m, expressions.evaluate(m, node.cause))
    m.node_loc = node.loc
    if isinstance(cause, Maybe):
        alone, because = (partial(_raise_from, m, error, one) for one in (NONE, cause.value))
        branch(m, cause.missing, alone, because)
    else:
        _raise_from(m, error, cause)


def _raised(value: Any) -> None:
    raise value


def _raise_from(m: Machine, error: ExceptionObject, cause: Value) -> None:
    """`raise error from cause`."""
    if isinstance(cause, Static) and cause.value is None:
        raise_one(m, replace(error, cause=cause))
    elif isinstance(cause, Caught):
        caught.for_each(m, cause.cases, lambda found: raise_one(m, handling.caused(m, error, found, cause)))
    elif isinstance(cause, Host):
        raising.fail(m, replace(error, cause=cause))
    else:
        raise_one(m, replace(error, cause=exception_object(m, cause)))


def raise_one(m: Machine, error: ExceptionObject) -> None:
    """Raise an exception; one whose text depends on what was caught, for each of those."""
    mixed = caught.first_choice(error)
    if mixed is None:
        raising.fail(m, error)
    caught.for_each_value(m, mixed, lambda value: raise_one(m, exception_object(m, caught.chosen(error, mixed, value))))


def exception_object(m: Machine, value: Value) -> ExceptionObject:
    """What is raised, as an exception; a class is called without arguments."""
    match value:
        case ExceptionObject():
            return value
        case Static(type() as cls) if issubclass(cls, BaseException):
            return ExceptionObject(cls)
        case Static(BaseException() as error):
            return ExceptionObject(type(error), tuple(map(Static, error.args)))
    raise m.error(
        "GP342",
        "exceptions must derive from BaseException",
        cls=diagnostics.DTypeError,
        hint="raise an exception class or a call of one",
    )


def message_parts(m: Machine, node: tree.Expr) -> tuple[Any, ...]:
    """A message: literal strings, and numbers that are formatted when it is raised."""
    from graph_program.extract.stage import expressions

    if not isinstance(node, tree.JoinedStr):
        return message_value(m, choices.read(m, expressions.evaluate(m, node)), "", "")
    parts: list[Any] = [""]  # an f-string is a string, also if it is nothing but one value
    for part in node.parts:
        if isinstance(part, tree.FormattedValue):
            if part.equals:
                parts.append(part.equals)
            parts.extend(_field(m, part))
        else:
            parts.append(str(expressions.static_expr(m, part, "a message")))
    return tuple(parts)


def _field(m: Machine, part: tree.FormattedValue) -> tuple[Any, ...]:
    """The parts of `{value!conversion:spec}`; on the host where the specification is computed."""
    from graph_program.extract.stage import expressions

    value = choices.read(m, expressions.evaluate(m, part.value))
    given = Static("") if part.spec is None else expressions.evaluate(m, part.spec)
    computed = isinstance(given, Host) or host_texts.is_computed(given)
    spec = "" if computed else str(static(m, given, "a format specification"))
    conversion = part.conversion or ("r" if part.equals and not spec else "")
    if computed:
        return ((host_texts.formatted(m, value, conversion, given), "", ""),)
    return message_value(m, value, conversion, spec)


CONVERSIONS: dict[str, Callable[[Any], Any]] = {"": lambda x: x, "s": str, "r": repr, "a": ascii}


def message_value(m: Machine, value: Value, conversion: str, spec: str) -> tuple[Any, ...]:
    """One value of a message: formatted now if static, else when it is raised."""
    if isinstance(value, Caught):
        return caught.formatted(m, value, conversion, spec)
    if isinstance(value, Maybe) and value.absent == "none":

        def text(one: Value) -> Value:
            return caught.joined(message_value(m, one, conversion, spec))

        return caught.as_parts(optional.of_each(m, value, text))
    if is_numeric(value) and not isinstance(value, Static):
        kept = m.copied(value) if isinstance(value, Tensor) and value.is_array else value
        return ((kept, conversion, spec),)
    if mixed_numbers.one_of_numbers(value) is not None:
        return ((value, conversion, spec),)
    if isinstance(value, Host):
        return ((value, conversion, spec),)
    if isinstance(value, Text) and not conversion and not spec:
        return value.parts
    if host_texts.is_computed(value):
        return ((host_texts.on_host(m, value), conversion, spec),)
    if isinstance(value, Static) and not isinstance(value.value, np.ndarray):
        return (format(CONVERSIONS[conversion](value.value), spec),)
    one_of = choices.choice(value)
    if one_of is not None:
        shown = choices.of_each(m, one_of, lambda v: caught.joined(message_value(m, v, conversion, spec)))
        return shown.parts if isinstance(shown, Text) else message_value(m, shown, "", "")
    own = own_texts.own_text(m, value, conversion, spec)
    if own is not None:
        return message_value(m, own[0], "", own[1])
    if isinstance(value, Ref) and value.cls in SEQUENCES and growing.has_computed_length(m, value):
        return ((objects.new_sequence(m, value.cls, m.live.heap[value]), conversion, spec),)  # as it is now
    sequence = sequence_parts(m, value)
    if sequence is not None and conversion != "a" and not spec:
        return sequence
    described = value.cls.__name__ if isinstance(value, Ref) else type(value).__name__.lower()
    raise m.error("GP343", f"a {described} cannot be put into a message", hint="format its numbers one by one")


def sequence_parts(m: Machine, value: Value) -> tuple[Any, ...] | None:
    """The text of a tuple, list or dict, whose elements appear as `repr` shows them; None for others."""
    if isinstance(value, Ref) and value.cls is dict:
        return _dict_parts(m, contents_of(m, value))
    if isinstance(value, DictView):
        from graph_program.extract.stage.iteration import structure_items

        items, opening, closing = tuple(structure_items(m, value) or ()), f"dict_{value.kind}([", "])"
    elif isinstance(value, Tuple) and value.cls is None:
        items, opening, closing = value.elts, "(", ",)" if len(value.elts) == 1 else ")"
    elif isinstance(value, Ref) and value.cls in SEQUENCES:
        items, opening, closing = contents_of(m, value), "[", "]"
        if value.cls is tuple:
            opening, closing = "(", ",)" if len(items) == 1 else ")"
    else:
        return None
    parts: list[Any] = [opening]
    for position, item in enumerate(items):
        parts += [", "] if position else []
        parts += message_value(m, choices.read(m, item), "r", "")
    return (*parts, closing)


def _dict_parts(m: Machine, entries: dict[Any, Value]) -> tuple[Any, ...]:
    parts: list[Any] = ["{"]
    for position, (key, item) in enumerate(entries.items()):
        parts += [", "] if position else []
        parts += [f"{key!r}: ", *message_value(m, choices.read(m, item), "r", "")]
    return (*parts, "}")
