"""`raise`, `assert`, `with` and `try`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from graph_program.extract import diagnostics
from graph_program.extract.ir import tree
from graph_program.extract.stage.machine import Machine
from graph_program.extract.stage.use import contents_of, settled
from graph_program.extract.stage.values import Ref, Static, Tensor, Text, Tuple, Value, is_numeric


def run_raise(m: Machine, node: tree.Raise) -> None:
    """End the program with the user's exception."""
    if node.exc is None:
        raise m.error("GP340", "a bare `raise` needs an exception being handled", hint="name the exception to raise")
    cls, message = exception_parts(m, node.exc)
    m.node_loc = node.loc
    m.raise_(cls, message, asked=True)


def exception_parts(m: Machine, node: tree.Expr) -> tuple[type[BaseException], tuple[Any, ...] | None]:
    """The class of the exception that an expression makes, and the parts of its message."""
    from graph_program.extract.stage import expressions

    if isinstance(node, tree.Call):
        function = expressions.evaluate(m, node.func)
        if isinstance(function, Static) and is_exception(function.value) and not node.keywords:
            if not node.args:
                return function.value, None
            if len(node.args) == 1:
                return function.value, message_parts(m, node.args[0])
            raise m.error(
                "GP341",
                "an exception with several arguments has no graph form",
                hint="give the exception one message, for example an f-string",
            )
    value = settled(m, expressions.evaluate(m, node))
    if isinstance(value, Static) and is_exception(value.value):
        return value.value, None
    if isinstance(value, Static) and isinstance(value.value, BaseException):
        args = value.value.args
        return type(value.value), (str(args[0]),) if args else None
    raise m.error(
        "GP342",
        "exceptions must derive from BaseException",
        cls=diagnostics.DTypeError,
        hint="raise an exception class or a call of one",
    )


def is_exception(value: Any) -> bool:
    return isinstance(value, type) and issubclass(value, BaseException)


def message_parts(m: Machine, node: tree.Expr) -> tuple[Any, ...]:
    """A message: literal strings, and numbers that are formatted when it is raised."""
    from graph_program.extract.stage import expressions

    if not isinstance(node, tree.JoinedStr):
        return message_value(m, settled(m, expressions.evaluate(m, node)), "", "")
    parts: list[Any] = [""]  # an f-string is a string, also if it is nothing but one value
    for part in node.parts:
        if isinstance(part, tree.FormattedValue):
            if part.equals:
                parts.append(part.equals)
            spec = "" if part.spec is None else str(expressions.static_expr(m, part.spec, "a format specification"))
            conversion = part.conversion or ("r" if part.equals and not spec else "")
            value = settled(m, expressions.evaluate(m, part.value))
            parts.extend(message_value(m, value, conversion, spec))
        else:
            parts.append(str(expressions.static_expr(m, part, "a message")))
    return tuple(parts)


CONVERSIONS: dict[str, Callable[[Any], Any]] = {"": lambda x: x, "s": str, "r": repr, "a": ascii}


def message_value(m: Machine, value: Value, conversion: str, spec: str) -> tuple[Any, ...]:
    """One value of a message: formatted now if static, else when it is raised."""
    if is_numeric(value) and not isinstance(value, Static):
        kept = m.copied(value) if isinstance(value, Tensor) and value.is_array else value
        return ((kept, conversion, spec),)
    if isinstance(value, Text) and not conversion and not spec:
        return value.parts
    if isinstance(value, Static) and not isinstance(value.value, np.ndarray):
        return (format(CONVERSIONS[conversion](value.value), spec),)
    sequence = sequence_parts(m, value)
    if sequence is not None and conversion != "a" and not spec:
        return sequence
    described = value.cls.__name__ if isinstance(value, Ref) else type(value).__name__.lower()
    raise m.error("GP343", f"a {described} cannot be put into a message", hint="format its numbers one by one")


def sequence_parts(m: Machine, value: Value) -> tuple[Any, ...] | None:
    """The text of a tuple or list, whose elements appear as `repr` shows them; None for others."""
    if isinstance(value, Tuple) and value.cls is None:
        items, opening, closing = value.elts, "(", ",)" if len(value.elts) == 1 else ")"
    elif isinstance(value, Ref) and value.cls is list:
        items, opening, closing = contents_of(m, value), "[", "]"
    else:
        return None
    parts: list[Any] = [opening]
    for position, item in enumerate(items):
        parts += [", "] if position else []
        parts += message_value(m, settled(m, item), "r", "")
    return (*parts, closing)


def run_with(m: Machine, node: tree.With) -> None:
    """`with np.errstate(...)` has no effect; other context managers are host code."""
    from graph_program.extract.stage.statements import run_body

    for item, target in node.items:
        if not (isinstance(item, tree.Call) and target is None and _is_errstate(m, item.func)):
            raise m.error(
                "GP334",
                "a `with` block runs on the host, and host code inside a program is not available yet",
                hint="enter the context around the call of the program",
            )
    run_body(m, node.body)


def _is_errstate(m: Machine, node: tree.Expr) -> bool:
    from graph_program.extract.stage import expressions

    function = expressions.evaluate(m, node)
    return isinstance(function, Static) and function.value is np.errstate


def run_try(m: Machine, node: tree.Try) -> None:
    raise m.error(
        "GP344",
        "`try` is not available yet",
        hint="test the condition before the operation, and let the exception reach the caller",
    )
