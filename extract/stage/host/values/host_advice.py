"""What to write where the graph needs the type of a host value: the user's expression of it, with a type that fits.

ok[i] = not np.isnan(z) and gate.passes(z)      ->      to_device(gate.passes(z), bool)
frame = camera()                                ->      frame: float = ..., or frame: Float64[np.ndarray, "n"] = ...
"""

from __future__ import annotations

import ast
import builtins
import dataclasses
import inspect
import linecache
import re
import textwrap
from collections.abc import Iterator
from typing import Any

import numpy as np

from graph_program.extract import diagnostics
from graph_program.extract.stage.host.values import host_annotations
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.operations.code_ownership import comes_installed
from graph_program.extract.stage.values.values import Host, Tensor
from graph_program.extract.types.notation.annotation_reading import parse_annotation
from graph_program.extract.types.notation.annotations import ArrayAnnotation
from graph_program.extract.types.tensors.tensor_type import Kind

PYTHON_NAMES = {"b": "bool", "i": "int", "u": "int", "f": "float"}
"""The Python number that goes into elements of a kind."""
OF_TWO = '`"n m"` of two'
LONGEST = 60
"""Expressions are shown up to this many characters."""


def instead(m: Machine, value: Host, other: Tensor | None, element: np.dtype[Any] | None) -> str:
    """What to write; the type is that of the `element` that it is assigned to, or else one of the forms there are."""
    given = dtype_of(value.note)
    number = PYTHON_NAMES.get(element.kind, "") if element is not None and not given else ""
    place = _place(m, value).format
    if number and element is not None:
        text = f"write `{place(number)}`, or `{array_text(element.name)}` in its place for an array"
    elif given:
        text = f"write `{place(array_text(given))}` for an array of one axis, {OF_TWO}"
    else:
        text = f"say what it is: `{place(_number(other))}` for a number, "
        text += f"`{place(array_text(_element(other)))}` for an array of one axis, {OF_TWO}"
    return f"{text}{_data_class(m, value)}"


def _place(m: Machine, value: Host) -> str:
    """Where the type can be written; it stands for {}."""
    name = value.name if value.name.isidentifier() and not _is_part_of(value, value.name) else ""
    if name and not value.text.startswith(("a part of", "an item of")):
        return f"{name}: {{}} = ..."
    called = re.fullmatch(r"(an item of )?(\w+)\(\.\.\.\)", value.text)
    if called is not None and not hasattr(builtins, called[2]):
        return f"def {called[2]}(...) -> " + ("Iterator[{}]" if called[1] else "{}")
    text = name or _name_of(m, value) or expression(value)
    return f"to_device({text}, {{}})".replace("{", "{{").replace("}", "}}").replace("{{}}", "{}")


def _is_part_of(value: Host, name: str) -> bool:
    """Whether a value is computed for a name, but is not what the name gets: `n` in `name = x[:n]`."""
    lines = [linecache.getline(value.loc.file, n) for n in range(value.loc.line, value.loc.end_line + 1)]
    text = _statement(lines) if any(lines) else ""
    tree = _parsed(text)
    match tree.body if isinstance(tree, ast.Module) else None:
        case [ast.Assign(targets=[ast.Name(id=target)], value=whole)] if target == name:
            return ast.get_source_segment(text, whole) != _cut(lines, value.loc)
    return False


def _name_of(m: Machine, value: Host) -> str:
    """A local name of the user's that has a value."""
    names = {} if m.frame is None else m.live.frames.get(m.frame.id, {})
    return next((name for name, v in names.items() if v is value and name.isidentifier()), "")


# ---------------------------------------------------------------- the user's expression


def expression(value: Host) -> str:
    """The expression that gives a host value, or the part of it that host code does, as the user has written it."""
    loc = value.loc
    lines = [linecache.getline(loc.file, n) for n in range(loc.line, loc.end_line + 1)]
    if not any(lines):
        return "..."
    inside = _cut(lines, loc)
    for text in (inside, _statement(lines)):
        tree = _parsed(text)
        found = None if tree is None else _matching(tree, value.text)
        shown = None if found is None else ast.get_source_segment(text, found)
        if shown is not None and len(shown) < LONGEST and "\n" not in shown and "{" not in shown:
            return shown
    return "..."


def _cut(lines: list[str], loc: diagnostics.Loc) -> str:
    if len(lines) == 1:
        return lines[0][loc.column - 1 : loc.end_column - 1]
    return "".join([lines[0][loc.column - 1 :], *lines[1:-1], lines[-1][: loc.end_column - 1]])


def _statement(lines: list[str]) -> str:
    """The lines of a statement; of one with a body its head."""
    text = textwrap.dedent("".join(lines)).rstrip()
    return f"{text} pass" if text.endswith(":") else text


def _parsed(text: str) -> ast.AST | None:
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError):
        return None


def _matching(tree: ast.AST, text: str) -> ast.AST | None:
    """The node that a host value is described as, else the first of host code in it."""
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.Call | ast.Attribute | ast.Subscript)]
    whole = next((node for node in nodes if _described(node, text)), None)
    if whole is not None:
        return whole
    parts = re.findall(r"[\w.]+\(\.\.\.\)|[A-Za-z_]\w*(?:\.\w+)+", text)
    return next((node for part in parts for node in nodes if _described(node, part)), None)


def _described(node: ast.AST, text: str) -> bool:
    """Whether a text such as `numpy.roots(...)` describes a node."""
    match node:
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
            return re.search(rf"(?:^|\W){name}\(\.\.\.\)$", text) is not None
        case ast.Attribute(attr=name):
            return text.endswith(f".{name}") and ast.unparse(node).split(".")[-2:] == text.split(".")[-2:]
        case ast.Subscript(value=inner):
            return text.endswith("[...]") and (text[:-5] == ast.unparse(inner) or _described(inner, text[:-5]))
    return False


# ---------------------------------------------------------------- the type


def _number(other: Tensor | None) -> str:
    """The class of a number that would do beside an operand."""
    if other is None or other.type.kind is Kind.ARRAY:
        return "float"
    return str(other.type)


def _element(other: Tensor | None) -> str:
    return "float64" if other is None or other.type.dtype.kind not in "biufc" else other.type.dtype.name


def array_text(dtype: str) -> str:
    """jaxtyping's annotation of an array of one axis."""
    word = {"bool": "Bool", "uint8": "UInt8", "uint16": "UInt16", "uint32": "UInt32", "uint64": "UInt64"}
    return f'{word.get(dtype, dtype.capitalize())}[np.ndarray, "n"]'


def dtype_of(note: Any) -> str:
    """The element type of an array annotation that leaves the rank open."""
    parsed = None if note is None else parse_annotation(note)
    return parsed.dtype.name if isinstance(parsed, ArrayAnnotation) and parsed.dtype is not None else ""


# ---------------------------------------------------------------- classes of the user's


def _data_class(m: Machine, value: Host) -> str:
    """That the class whose object it comes from can be a data class, which the graph takes apart."""
    owners = re.findall(r"(?<![\w.])(\w+)\.", value.text)
    for named in (found for owner in owners for found in _named(m, owner)):
        cls = host_annotations.class_of(named.note)
        if cls is not None and _is_own(cls) and not dataclasses.is_dataclass(cls):
            return f"; or make {cls.__name__} a `@dataclass`, whose fields and methods the graph can have"
    return ""


def _named(m: Machine, name: str) -> Iterator[Host]:
    frames = () if m.frame is None else (m.live.frames.get(m.frame.id, {}),)
    return (found for names in frames if isinstance(found := names.get(name), Host))


def _is_own(cls: type) -> bool:
    """Whether a class is written in Python, in the user's own code."""
    try:
        file = inspect.getsourcefile(cls)
    except (TypeError, OSError):
        return False
    return file is not None and not comes_installed(cls.__module__, file)
