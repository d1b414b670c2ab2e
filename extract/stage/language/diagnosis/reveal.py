"""What is known of a value, in full: for `reveal(x)` in a program, and for questions about a line.

    h = np.ones((n - 1, 4))
    reveal(h)        ->      revealed type of 'h' is float64 [n-1, 4] (graph)
    reveal(len(h))   ->      revealed type of 'len(h)' is int (graph, value n-1)

What is asked of a line is answered where names and parameters of that line get their values.
"""

from __future__ import annotations

import ast
import dataclasses
import itertools
from typing import Any

import numpy as np

from graph_program.extract.diagnostics import Fact, Loc, Note, source_text
from graph_program.extract.ir import tree
from graph_program.extract.ir.residual import Const
from graph_program.extract.stage.machine.declared import entries
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.values.column_data import Growing
from graph_program.extract.stage.values.generic import generic
from graph_program.extract.stage.values.inside import items_of
from graph_program.extract.stage.values.layouts import describe_layout
from graph_program.extract.stage.values.open_values import Open
from graph_program.extract.stage.values.questions import is_known
from graph_program.extract.stage.values.structure import describe, parts
from graph_program.extract.stage.values.values import (
    UNKNOWN,
    Closure,
    Maybe,
    Mixed,
    Range,
    Ref,
    Static,
    Tensor,
    Tuple,
    Value,
    is_numeric_static,
    size_of,
    type_of,
)
from graph_program.extract.types.rules.facts import clause_symbols

SHOWN = 80
"""The longest text of a constant that is shown."""
ELEMENTS = 16
"""The largest constant array whose elements are shown."""
DEPTH = 6
CLAUSES = 4
"""How many conditions on sizes are shown."""


def revealed(m: Machine, loc: Loc, text: str, value: Value) -> None:
    """Note what is known of a value."""
    if isinstance(value, Open):
        m.inferring.asked[tuple(map(str, loc.chain))] = (loc, text, value.term)
    else:
        m.note(_note(loc, fact_of(m, text, value)))


def revealed_type(loc: Loc, text: str, type_: str) -> Note:
    """The note on a value whose type was inferred."""
    return _note(loc, Fact(text, type_, "graph"))


def _note(loc: Loc, fact: Fact) -> Note:
    named = f" of '{fact.name}'" if fact.name else ""
    return Note(loc, f"revealed type{named} is {fact}", fact)


def answer(m: Machine, target: tree.Expr, value: Value | None = None) -> None:
    """Reveal what was assigned to a target, if its line was asked about."""
    if not m.options.questions or not isinstance(target, tree.Name | tree.Attribute | tree.Subscript):
        return
    text = target.id if isinstance(target, tree.Name) else source_text(target.loc)
    loc = target.loc.within(m.loc.call)
    if any(q.meets(loc, text) for q in m.options.questions):
        revealed(m, loc, text, entries.evaluate(m, target) if value is None else value)


def answer_parameters(m: Machine, function: tree.Function) -> None:
    """Reveal what a function was given, if the line of a parameter was asked about."""
    if not m.options.questions or m.frame is None:
        return
    for p in function.params:
        value = m.locals.get(p.name)
        if value is not None:
            answer(m, tree.Name(p.name, loc=p.loc), value)


def argument_text(loc: Loc) -> str:
    """The argument of the call `reveal(...)` at a place, as it is written."""
    text = source_text(loc)
    try:
        call = ast.parse(text.strip(), mode="eval").body
    except SyntaxError:
        return ""
    argument = call.args[0] if isinstance(call, ast.Call) and call.args else None
    return "" if argument is None else " ".join((ast.get_source_segment(text.strip(), argument) or "").split())


# ---------------------------------------------------------------- facts


def fact_of(m: Machine, name: str, value: Value) -> Fact:
    """Type, stage, and what is known of the value itself."""
    return Fact(name, type_text(m, value), stage_of(m, value), value_text(value), bounds_text(m, value))


def type_text(m: Machine, value: Value, depth: int = DEPTH) -> str:
    """A value's type, structures with the types of their parts, down to some depth."""
    return kind_text(m, value, depth) if depth else "..."


@generic
def kind_text(m: Machine, value: Value, depth: int) -> str:
    """`type_text` of one kind."""
    return "unknown" if value is UNKNOWN else describe(value)


def _inner(m: Machine, part: Value, depth: int) -> str:
    """The type of a part of a structure, with what is known of it; an array's contents are not shown."""
    known = "" if isinstance(part, Tensor) else value_text(part)
    return type_text(m, part, depth - 1) + (f" = {known}" if known else "")


@kind_text.of(Tuple)
def _tuple(m: Machine, value: Tuple, depth: int) -> str:
    found = [_inner(m, part, depth) for part in value.elts]
    if value.cls is not None:
        return _record(value.cls, zip(value.cls._fields, found, strict=True))  # type: ignore[attr-defined]
    return f"({', '.join(found)}{',' * (len(found) == 1)})"


@kind_text.of(Maybe)
def _optional(m: Machine, value: Maybe, depth: int) -> str:
    return f"{_inner(m, value.value, depth)} | {'None' if value.absent == 'none' else 'unset'}"


@kind_text.of(Mixed)
def _mixture(m: Machine, value: Mixed, depth: int) -> str:
    return " | ".join(dict.fromkeys(_inner(m, part, depth) for part in value.values)) or describe(value)


@kind_text.of(Range)
def _range(m: Machine, value: Range, depth: int) -> str:
    return f"range({', '.join(value_text(v) or '?' for v in (value.start, value.stop, value.step))})"


kind_text.register(Closure, lambda m, value, *_: f"function {value.function.name}")
kind_text.register(Tensor, lambda m, value, *_: str(m.live.facts.resolve_type(value.type)))
kind_text.register(Open, lambda m, value, *_: str(m.inferring.solver.resolve(value.term)))


@kind_text.of(Ref)
def _object(m: Machine, value: Ref, depth: int) -> str:
    def inner(part: Value) -> str:
        return _inner(m, part, depth)

    contents = m.live.heap.get(value)
    if isinstance(contents, Growing):
        return f"list[{describe_layout(contents.layout)}]"
    if isinstance(contents, tuple):
        return f"[{', '.join(map(inner, contents))}]"
    if not isinstance(contents, dict):
        return value.cls.__name__
    if value.cls is dict:
        return f"{{{', '.join(f'{key!r}: {inner(v)}' for key, v in contents.items())}}}"
    return _record(value.cls, ((str(key), inner(v)) for key, v in contents.items()))


def _record(cls: type, fields: Any) -> str:
    return f"{cls.__name__}({', '.join(f'{name}: {text}' for name, text in fields)})"


@kind_text.of(Static)
def _known(m: Machine, value: Static, depth: int) -> str:
    """The type of an object that is known at extraction."""
    obj = value.value

    def inner(part: Any) -> str:
        return _inner(m, Static(part), depth)

    if isinstance(obj, np.ndarray):
        return f"{obj.dtype.name} [{', '.join(map(str, obj.shape))}]"
    if is_numeric_static(value):
        return str(type_of(value))
    if dataclasses.is_dataclass(obj) and not isinstance(obj, type):
        return _record(type(obj), ((f.name, inner(getattr(obj, f.name, None))) for f in dataclasses.fields(obj)))
    if type(obj) is list:
        return f"[{', '.join(map(inner, obj))}]"
    if type(obj) is tuple:
        return f"({', '.join(map(inner, obj))}{',' * (len(obj) == 1)})"
    if type(obj) is dict:
        return f"{{{', '.join(f'{key!r}: {inner(v)}' for key, v in obj.items())}}}"
    return "None" if obj is None else type(obj).__name__ if isinstance(obj, str | bytes) else describe(value)


def stage_of(m: Machine, value: Value) -> str:
    """Whether a value, with all its parts, is "static": known at extraction; else "graph"."""
    leaves = _leaves(m, value, DEPTH)
    return "static" if all(is_known(v) and not _is_array(v.value) for v in leaves) else "graph"


def _is_array(obj: Any) -> bool:
    if dataclasses.is_dataclass(obj) and not isinstance(obj, type):
        return any(_is_array(getattr(obj, f.name, None)) for f in dataclasses.fields(obj))
    if type(obj) in (list, tuple, dict):
        return any(map(_is_array, obj.values() if isinstance(obj, dict) else obj))
    return isinstance(obj, np.ndarray)


def _leaves(m: Machine, value: Value, depth: int) -> list[Value]:
    contents = m.live.heap.get(value)
    if isinstance(contents, Growing):
        return [column.data for column in contents.columns]
    structure = parts(value)
    if structure is None and not isinstance(value, Ref | Closure):
        return [value]
    inner = items_of(contents) if structure is None else structure[1]
    return [leaf for part in inner for leaf in _leaves(m, part, depth - 1)] if depth else [value]


def value_text(value: Value) -> str:
    """A value that is known: a constant, or a size in terms of others; else nothing."""
    if is_known(value):
        plain = isinstance(value.value, str | bytes) or is_numeric_static(value)
        return _short(repr(value.value)) if plain else ""
    if not isinstance(value, Tensor):
        return ""
    if isinstance(value.operand, Const):
        array = value.operand.value
        return _short(str(array.tolist())) if array.size <= ELEMENTS else ""
    return "" if value.size is None else str(value.size)


def _short(text: str) -> str:
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 3]}..."


def bounds_text(m: Machine, value: Value) -> str:
    """What is known of the sizes in a value's type, and of the value if it is a size."""
    if not isinstance(value, Tensor):
        return ""
    size, found = size_of(value), []
    if size is not None and size.constant is None and size.lower is not None:
        found.append(f"at least {size.lower}")
    shape = m.live.facts.resolve_type(value.type).shape
    symbols = frozenset[str]().union(*(d.symbols for d in (*shape, *([] if size is None else [size]))))
    learnt = (clause for clause in m.live.facts.learnt() if symbols & clause_symbols([clause]))
    found += [" or ".join(map(str, clause)) for clause in itertools.islice(learnt, CLAUSES)]
    return ", ".join(found)
