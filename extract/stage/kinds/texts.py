"""`"..." % values` and `"...".format(values)` where the string is known and values are computed."""

from __future__ import annotations

import re
import string
from collections.abc import Mapping, Sequence
from typing import Any

from graph_program.extract.diagnostics import GraphProgramError
from graph_program.extract.stage.kinds.formatting import message_value
from graph_program.extract.stage.machine.declared import host_entries
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.operations import operator_slots
from graph_program.extract.stage.operations.known_and_truth import settled
from graph_program.extract.stage.paths.several import one_of_several
from graph_program.extract.stage.values.questions import is_known, one_or_many
from graph_program.extract.stage.values.structure import joined_text
from graph_program.extract.stage.values.values import Static, Value, is_numeric, type_of

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
