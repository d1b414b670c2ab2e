"""What an operation does of a value that is one of several: it is asked of each of them, and the answers are merged.

    @asked_of_each(THINGS, NUMBERS)
    def get_attribute(m, value, name):         # `value` is one thing here, and there
        ...

A form is a way of being several things.  An operation names those that it is asked of in parts, in one order, and
what remains is settled: a check where it may be unset, a refusal where its parts do not go together.  docs/rooms.md
lists the operations with their forms from `OPERATIONS`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Concatenate, ParamSpec, cast

from graph_program.extract.records import dataclass
from graph_program.extract.stage.machine.declared import entries
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.paths.several import one_of_several
from graph_program.extract.stage.paths.several.each_case import of_each_class
from graph_program.extract.stage.values import choices
from graph_program.extract.stage.values.questions import is_optional
from graph_program.extract.stage.values.structure import is_text
from graph_program.extract.stage.values.values import Maybe, Mixed, Text, Unknown, Value

P = ParamSpec("P")
Operation = Callable[Concatenate[Machine, P], Value]
Act = Callable[Concatenate[Machine, P], None]
SEVERAL = (Mixed, Text, Maybe, Unknown)
"""The classes of values that can be of any form, or must be settled."""


@dataclass(frozen=True)
class Form:
    """A way of being several things.

    Attributes
    ----------
    text : str
        What it is, for the docs.
    parts : Callable
        The things that a value of this form is one of; None for a value of another form.
    """

    text: str
    parts: Callable[[Value], Mixed | Maybe | None]


THINGS = Form("one of several known things", choices.choice)
APART = Form("one of several known things, no strings", lambda v: None if is_text(v) else choices.choice(v))
TEXTS = Form("one of several known strings", choices.choice_of_known_texts)
NUMBERS = Form("a number of one of several classes", choices.one_of_numbers)
MEMBERS = Form("one of several members of enums of numbers", choices.one_of_members)
OBJECTS = Form("one of several arrays or objects", choices.one_of_objects)
OPTIONAL = Form("something that may be None", lambda v: v if is_optional(v) else None)


@dataclass(frozen=True)
class Spread:
    """The forms that an operation is asked of in parts, of one of its operands."""

    operation: Callable[..., Any]
    operand: int
    forms: tuple[Form, ...]


OPERATIONS: list[Spread] = []
"""All that ask in parts; where a value is asked of more than one operand, there is an entry for each."""


def asked_of_each(*forms: Form, operand: int = 0, settle: bool = True) -> Callable[[Operation[P]], Operation[P]]:
    """Make an operation one that is asked of each thing that an operand may be.

    Parameters
    ----------
    *forms : Form
        In the order in which they are tried.
    operand : int
        The operand's place behind the machine; it is given by position, or is left out.
    settle : bool
        Whether what is of none of the forms is settled; the operation sees it as it is otherwise.
    """

    def decorate(operation: Operation[P]) -> Operation[P]:
        OPERATIONS.append(Spread(operation, operand, forms))

        @functools.wraps(operation)
        def asked(m: Machine, /, *args: P.args, **keywords: P.kwargs) -> Value:
            value = cast(Value, args[operand]) if len(args) > operand else None
            if not isinstance(value, SEVERAL):
                return operation(m, *args, **keywords)
            parts = parts_of(value, forms)
            if parts is not None:
                return of_each_class(m, parts, lambda one: asked(m, *_with(args, operand, one), **keywords))
            now = entries.settled(m, value) if settle else value
            return (operation if now is value else asked)(m, *_with(args, operand, now), **keywords)

        return asked

    return decorate


def done_to_each(operation: Act[P]) -> Act[P]:
    """Make an operation that changes its first operand one that changes the object that this is, of several."""
    OPERATIONS.append(Spread(operation, 0, (OBJECTS,)))

    @functools.wraps(operation)
    def done(m: Machine, /, *args: P.args, **keywords: P.kwargs) -> None:
        holder = cast(Value, args[0])
        if OBJECTS.parts(holder) is None:
            operation(m, *args, **keywords)
        else:
            one_of_several.for_each(m, holder, lambda one: operation(m, *_with(args, 0, one), **keywords))

    return done


def parts_of(value: Value, forms: tuple[Form, ...]) -> Mixed | Maybe | None:
    """The things that a value is one of, by the first form that it has."""
    for form in forms:
        parts = form.parts(value)
        if parts is not None:
            return parts
    return None


def _with(args: tuple[Any, ...], place: int, value: Value) -> Any:
    return (*args[:place], value, *args[place + 1 :])
