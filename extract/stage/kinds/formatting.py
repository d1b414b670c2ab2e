"""What text a value is: f-strings, `%`, `str`, `repr`, `format`, the texts of exceptions and of objects.

What the user's `__repr__`, `__str__` and `__format__` make of an object is inlined.
"""

from __future__ import annotations

import collections
import dataclasses
import inspect
import re
import string
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from graph_program.extract.diagnostics import GraphProgramError
from graph_program.extract.ir import tree
from graph_program.extract.ir.texts import CONVERSIONS, formatted
from graph_program.extract.stage.kinds import caught
from graph_program.extract.stage.machine import handlers
from graph_program.extract.stage.machine.checks import lengths
from graph_program.extract.stage.machine.declared import entries, host_entries
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.memory import tables
from graph_program.extract.stage.operations import objects, operator_slots
from graph_program.extract.stage.operations.iteration import structure_items
from graph_program.extract.stage.operations.known_and_truth import contents_of, settled, static
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
    is_known,
    is_optional,
    is_plain_tuple,
    is_ref_to,
    one_or_many,
)
from graph_program.extract.stage.values.structure import joined_text
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
    type_of,
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
    if is_known(value) and not isinstance(value.value, np.ndarray):
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
    if is_known(value) and type(value.value).__module__ in ("builtins", "numpy"):
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


_FIELD = re.compile(r"%(?P<flags>[-+ 0#]*)(?P<width>\d*)(?P<precision>\.\d+)?[hlL]?(?P<letter>.)", re.DOTALL)
_INTEGER, _FLOAT, _TEXT = "diouxX", "eEfFgG", "sra"


class _OnHost(Exception):
    """A field that only the host can format."""


@operator_slots.percent.given
def percent(m: Machine, template: str, values: Value) -> Value:
    try:
        return _percent(m, template, values)
    except _OnHost:
        return host_entries.step(m, "binary", Static(template), values, detail="%", text="a string", note=str)


def format_method(m: Machine, template: str, args: Sequence[Value], keywords: Mapping[str, Value]) -> Value:
    """`template.format(*args, **keywords)`."""
    try:
        return _format(m, template, args, keywords)
    except _OnHost:
        return host_entries.call(m, Static(template.format), args, keywords, "str.format(...)", str)


def _percent(m: Machine, template: str, values: Value) -> Value:
    given = one_or_many(values)
    parts: list[Any] = []
    end = used = 0
    for field in _FIELD.finditer(template):
        parts.append(template[end : field.start()])
        end = field.end()
        if field["letter"] == "%":
            parts.append("%")
            continue
        if used == len(given):
            raise _mistake(m, "not enough arguments for format string")
        parts.extend(_percent_field(m, field, settled(m, given[used])))
        used += 1
    if "%" in template[end:]:
        raise _mistake(m, "incomplete format")
    if used < len(given):
        raise _mistake(m, "not all arguments converted during string formatting")
    return joined_text([*parts, template[end:]])


def _percent_field(m: Machine, field: re.Match[str], value: Value) -> tuple[Any, ...]:
    letter, flags = field["letter"], field["flags"]
    if letter not in _INTEGER + _FLOAT + _TEXT:
        raise _OnHost
    number = is_numeric(value) and type_of(value).rank == 0
    whole = number and type_of(value).dtype.kind in "iub"
    if is_known(value):
        return (field[0] % (value.value,),)
    if letter not in _TEXT and not (whole if letter in _INTEGER else number and letter in _FLOAT):
        raise _OnHost
    align = "<" if "-" in flags else ">" if letter in _TEXT else ""
    signs = "".join(f for f in "+ #" if f in flags and letter not in _TEXT)
    zero = "0" if "0" in flags and not align else ""
    size = field["width"]
    spec = f"{align if size else ''}{signs}{zero}{size}{field['precision'] or ''}"
    if letter in _TEXT:
        return message_value(m, value, letter, spec)
    if letter in _INTEGER and field["precision"]:
        raise _OnHost
    return message_value(m, value, "", spec + ("d" if letter in "iu" else letter))


def _format(m: Machine, template: str, args: Sequence[Value], keywords: Mapping[str, Value]) -> Value:
    parts: list[Any] = []
    automatic = 0
    for literal, name, spec, conversion in string.Formatter().parse(template):
        parts.append(literal)
        if name is None:
            continue
        if name == "":
            name, automatic = str(automatic), automatic + 1
        if "{" in (spec or "") or not (name.isdigit() or name.isidentifier()):
            raise _OnHost
        if name.isdigit() and int(name) >= len(args):
            m.raise_(IndexError, (f"Replacement index {name} out of range for positional args tuple",))
        if not name.isdigit() and name not in keywords:
            m.raise_(KeyError, (name,))
        value = args[int(name)] if name.isdigit() else keywords[name]
        parts.extend(message_value(m, one_of_several.read(m, value), conversion or "", spec or ""))
    return joined_text(parts)


def _mistake(m: Machine, text: str) -> GraphProgramError:
    return m.error("GP302", text)
