"""What text a value is: f-strings, `str`, `repr`, `format`, the texts of exceptions and of objects.

What the user's `__repr__`, `__str__` and `__format__` make of an object is inlined.
"""

from __future__ import annotations

import collections
import dataclasses
import inspect
from collections.abc import Iterable
from typing import Any

import numpy as np

from graph_program.extract.ir import tree
from graph_program.extract.ir.texts import CONVERSIONS, formatted
from graph_program.extract.stage.kinds import caught
from graph_program.extract.stage.machine import handlers
from graph_program.extract.stage.machine.checks import lengths
from graph_program.extract.stage.machine.declared import entries, host_entries
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.memory import tables
from graph_program.extract.stage.operations import objects
from graph_program.extract.stage.operations.iteration import structure_items
from graph_program.extract.stage.operations.known_and_truth import contents_of, static
from graph_program.extract.stage.operations.objects import user_method
from graph_program.extract.stage.paths.sample_operands import sample
from graph_program.extract.stage.paths.several import mixed_numbers, one_of_several, optional
from graph_program.extract.stage.values import host_notes, structure
from graph_program.extract.stage.values.column_data import SEQUENCES
from graph_program.extract.stage.values.exception_values import Caught
from graph_program.extract.stage.values.inside import holds_itself
from graph_program.extract.stage.values.questions import (
    has_contents,
    is_array_of_graph,
    is_optional,
    is_plain_tuple,
    is_ref_to,
)
from graph_program.extract.stage.values.user_classes import class_of
from graph_program.extract.stage.values.values import (
    DictView,
    Host,
    Ref,
    Row,
    Static,
    Tensor,
    Text,
    Tuple,
    Value,
    is_numeric,
)


def message_parts(m: Machine, node: tree.Expr) -> tuple[Any, ...]:
    """A message: literal strings, and numbers that are formatted when it is raised."""
    if not isinstance(node, tree.JoinedStr):
        return message_value(m, one_of_several.read(m, entries.evaluate(m, node)), "", "")
    parts: list[Any] = [""]  # an f-string is a string, also if it is nothing but one value
    for part in node.parts:
        if isinstance(part, tree.FormattedValue):
            if part.equals:
                parts.append(part.equals)
            parts.extend(_field(m, part))
        else:
            parts.append(str(static(m, entries.evaluate(m, part), "a message")))
    return tuple(parts)


def _field(m: Machine, part: tree.FormattedValue) -> tuple[Any, ...]:
    """The parts of `{value!conversion:spec}`; on the host where the specification is computed."""
    value = one_of_several.read(m, entries.evaluate(m, part.value))
    given = Static("") if part.spec is None else entries.evaluate(m, part.spec)
    computed = isinstance(given, Host) or one_of_several.is_computed_text(given)
    spec = "" if computed else str(static(m, given, "a format specification"))
    conversion = part.conversion or ("r" if part.equals and not spec else "")
    if computed:
        return ((formatted_on_host(m, value, conversion, given), "", ""),)
    return message_value(m, value, conversion, spec)


@entries.message_value.given
def message_value(m: Machine, value: Value, conversion: str, spec: str) -> tuple[Any, ...]:
    if isinstance(value, Caught):
        return caught.formatted(m, value, conversion, spec)

    def text(one: Value) -> Value:
        return structure.joined_text(message_value(m, one, conversion, spec))

    if is_optional(value):
        return structure.text_parts(optional.of_each(m, value, text))
    mixed = mixed_numbers.one_of_numbers(value)
    if mixed is not None and any(misfit(v, conversion, spec) for v in mixed.values):
        return structure.text_parts(mixed_numbers.of_each(m, mixed, text))
    error = misfit(value, conversion, spec)
    if error is not None:
        m.raise_(type(error), (str(error),))
    if _depends_on_number(value, conversion, spec) or (isinstance(value, Host) and _is_for_now(m, value, spec)):
        return ((formatted_on_host(m, value, conversion, Static(spec)), "", ""),)
    if isinstance(value, Static) and not isinstance(value.value, np.ndarray):
        return (formatted(value.value, conversion, spec),)
    if is_numeric(value):
        kept = m.copied(value) if is_array_of_graph(value) else value
        return ((kept, conversion, spec),)
    if mixed is not None or isinstance(value, Host):
        return ((value, conversion, spec),)
    if isinstance(value, Text) and not conversion and not spec:
        return value.parts
    if one_of_several.is_computed_text(value):
        return ((host_entries.text(m, value), conversion, spec),)
    one_of = one_of_several.choice(value)
    if one_of is not None:
        return message_value(m, one_of_several.of_each(m, one_of, text), "", "")
    own = own_text(m, value, conversion, spec)
    if own is not None:
        return message_value(m, own[0], "", own[1])
    if is_ref_to(value, *SEQUENCES) and lengths.has_computed_length(m, value):
        return ((objects.new_sequence(m, value.cls, m.live.heap[value]), conversion, spec),)  # as it is now
    sequence = sequence_parts(m, value)
    if sequence is not None:
        sequence = _ascii(sequence) if conversion == "a" else sequence
        return message_value(m, structure.joined_text(sequence), "", spec) if spec else sequence
    raise m.error(
        "GP343",
        f"a {structure.describe(value)} cannot be put into a message",
        hint="format its numbers one by one",
    )


def misfit(value: Value, conversion: str, spec: str) -> Exception | None:
    """What `format(value, spec)` raises for all values of the class, if it does."""
    if not spec or (not conversion and objects.user_method(value, "__format__") is not None):
        return None
    if isinstance(value, Static) and type(value.value).__module__ in ("builtins", "numpy"):
        alike = value.value
    elif is_numeric(value) or isinstance(value, Text | Tuple | DictView):
        alike = sample(value)
    else:
        return None
    try:
        formatted(alike, conversion, spec)
    except (TypeError, ValueError, OverflowError) as error:
        return error
    return None


def _depends_on_number(value: Value, conversion: str, spec: str) -> bool:
    """Whether it is a matter of the number if it can be formatted: `chr` is."""
    return spec.endswith("c") and not conversion and isinstance(value, Tensor)


def _is_for_now(m: Machine, value: Host, spec: str) -> bool:
    """Whether an object must be formatted where the program does: it may change, or what is raised is caught."""
    return not host_notes.is_plain(value) or (spec != "" and handlers.is_caught(m, ValueError))


def sequence_parts(m: Machine, value: Value) -> tuple[Any, ...] | None:
    """The text of a tuple, list or dict, whose elements appear as `repr` shows them; None for others."""
    if is_ref_to(value, dict):
        return _dict_parts(m, contents_of(m, value))
    if isinstance(value, DictView):
        items, opening, closing = tuple(structure_items(m, value) or ()), f"dict_{value.kind}([", "])"
    elif is_plain_tuple(value):
        items, opening, closing = value.elts, "(", ",)" if len(value.elts) == 1 else ")"
    elif is_ref_to(value, *SEQUENCES):
        items, opening, closing = contents_of(m, value), "[", "]"
        if value.cls is tuple:
            opening, closing = "(", ",)" if len(items) == 1 else ")"
    else:
        return None
    shown = (message_value(m, one_of_several.read(m, item), "r", "") for item in items)
    return structure.enclosed(opening, shown, closing)


def _ascii(parts: tuple[Any, ...]) -> tuple[Any, ...]:
    """The text of a sequence as `ascii` shows it."""
    return tuple(
        p.encode("ascii", "backslashreplace").decode()
        if isinstance(p, str)
        else (p[0], "a" if p[1] == "r" else p[1], p[2])
        for p in parts
    )


def _dict_parts(m: Machine, entries: dict[Any, Value]) -> tuple[Any, ...]:
    shown = ((k, message_value(m, one_of_several.read(m, item), "r", "")) for k, item in entries.items())
    return structure.enclosed("{", ((f"{key!r}: ", *parts) for key, parts in shown), "}")


def formatted_on_host(m: Machine, value: Value, conversion: str, spec: Value) -> Host:
    """`f"{value!conversion:{spec}}"` with a specification that is computed."""
    if conversion:
        function = CONVERSIONS[conversion]
        value = host_entries.call(m, Static(function), [value], {}, f"{function.__name__}(...)", str)
    return host_entries.call(m, Static(format), [value, spec], {}, "a string", str)


def own_text(m: Machine, value: Value, conversion: str, spec: str) -> tuple[Value, str] | None:
    """`f"{value!conversion:spec}"` of an object: a text, and the specification left for it; None for others."""
    if isinstance(value, DictView) or not isinstance(value, Ref | Row | Tuple):
        return None
    if not conversion and user_method(value, "__format__") is not None:
        return _returned(m, value, "__format__", Static(spec)), ""
    if not conversion and spec and has_contents(value):
        raise m.error("GP302", f"unsupported format string passed to {value.cls.__name__}.__format__", raised=True)
    found = None if conversion in ("r", "a") else _written(m, value, "__str__")
    found = _written(m, value, "__repr__") if found is None else found
    return None if found is None or conversion == "a" else (found, spec)


def _written(m: Machine, value: Value, name: str) -> Value | None:
    """What a method of the user's class, or one that `@dataclass` or a named tuple has, returns."""
    cls = class_of(value)
    method = inspect.getattr_static(cls, name, None) if cls is not None else None
    code = getattr(inspect.unwrap(method), "__code__", None) if callable(method) else None
    if name == "__repr__" and isinstance(value, Tuple) and value.cls is not None and _is_namedtuple(value.cls, method):
        return _fields(m, value.cls.__name__, zip(value.cls._fields, value.elts, strict=True))  # type: ignore[attr-defined]
    if code is not None and code.co_filename == "<string>" and has_contents(value):
        if name != "__repr__" or not dataclasses.is_dataclass(value.cls):
            return None
        if tables.is_recursive(m, value.cls) if isinstance(value, Row) else holds_itself(m.live.heap, value):
            return None
        contents = contents_of(m, tables.opened(m, value))
        shown = [f.name for f in dataclasses.fields(value.cls) if f.repr]
        return _fields(m, value.cls.__qualname__, ((name, contents[name]) for name in shown))
    return None if user_method(value, name) is None else _returned(m, value, name)


def _is_namedtuple(cls: type, method: Any) -> bool:
    generated = getattr(getattr(method, "__code__", None), "co_filename", "") == collections.__file__
    return generated and any("_fields" in vars(base) for base in cls.__mro__)


def _fields(m: Machine, name: str, fields: Iterable[tuple[str, Value]]) -> Value:
    """`name(a=1, b=2)`."""
    shown = ((f, entries.message_value(m, one_of_several.read(m, value), "r", "")) for f, value in fields)
    return structure.joined_text(structure.enclosed(f"{name}(", ((f"{f}=", *parts) for f, parts in shown), ")"))


def _returned(m: Machine, value: Value, name: str, *args: Value) -> Value:
    method = user_method(value, name)
    assert method is not None
    result = entries.call(m, method, list(args), {})
    if structure.is_text(result) or host_notes.present(result.note) is str:
        return result

    text = f"{name} returned non-string (type {structure.class_name(result)})"
    if name == "__format__":
        text = f"__format__ must return a str, not {structure.class_name(result)}"
    raise m.error("GP302", text, raised=True)
