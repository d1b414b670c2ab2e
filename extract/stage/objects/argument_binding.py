"""Giving arguments to parameters, by Python's rule and with Python's words where they do not fit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any

from graph_program.extract.ir import tree
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.operations import objects
from graph_program.extract.stage.values.questions import known_value
from graph_program.extract.stage.values.values import Bound, Closure, Tuple, Value

POSITIONAL = ("positional", "normal")


def bind(
    m: Machine,
    function: tree.Function,
    args: Sequence[Value],
    keywords: Mapping[str, Value],
    defaults: Mapping[str, Value],
) -> dict[str, Value]:
    """The values of a function's parameters in a call.

    Raises
    ------
    DTypeError
        With Python's text (GP320).
    """
    params = function.params
    positional = [p.name for p in params if p.kind in POSITIONAL]
    by_name = {p.name for p in params if p.kind in ("normal", "keyword")}
    collectors = {p.kind: p.name for p in params if p.kind.startswith("var_")}
    given = dict(zip(positional, args, strict=False))
    named = {name: value for name, value in keywords.items() if name in by_name}
    rest = {name: value for name, value in keywords.items() if name not in by_name}
    extra = tuple(args[len(positional) :])
    values = {**defaults, **given, **named}
    wanted = [p.name for p in params if not p.kind.startswith("var_")]
    misfit = (
        (extra and "var_positional" not in collectors)
        or (rest and "var_keyword" not in collectors)
        or given.keys() & named.keys()
        or any(name not in values for name in wanted)
    )
    if misfit:
        raise m.error("GP320", complaint(function, len(args), tuple(keywords), frozenset(defaults)))
    names = {name: values[name] for name in wanted}
    if "var_positional" in collectors:
        names[collectors["var_positional"]] = Tuple(extra)
    if "var_keyword" in collectors:
        names[collectors["var_keyword"]] = objects.new_dict(m, rest)
    return names


MARKS = {"positional": "", "normal": "", "var_positional": "*", "keyword": "", "var_keyword": "**"}


def complaint(function: tree.Function, count: int, keywords: tuple[str, ...], defaults: frozenset[str]) -> str:
    """What Python says of a call with `count` positional arguments and these keywords.

    A function with the same parameters, and nothing in it, is called to find out.
    """
    shell: Any = eval(f"lambda {', '.join(_parameters(function.params, defaults))}: None", {})
    shell.__qualname__ = function.qualname
    try:
        shell(*[None] * count, **dict.fromkeys(keywords))
    except TypeError as error:
        return str(error)
    raise AssertionError("Python takes these arguments")


def _parameters(params: Sequence[tree.Param], defaults: frozenset[str]) -> list[str]:
    parts: list[str] = []
    for before, p in zip((None, *params), params, strict=False):
        previous = None if before is None else before.kind
        if previous == "positional" and p.kind != "positional":
            parts.append("/")
        if p.kind == "keyword" and previous not in ("keyword", "var_positional"):
            parts.append("*")
        parts.append(f"{MARKS[p.kind]}{p.name}{'=None' * (p.name in defaults)}")
    if params and params[-1].kind == "positional":
        parts.append("/")
    return parts


def named_like(m: Machine, function: Value) -> Any:
    """An object that Python's messages name like a function."""
    match function:
        case Closure(found):
            return SimpleNamespace(__qualname__=found.qualname, __module__=m.global_names().get("__name__", ""))
        case Bound(_, inner):
            return named_like(m, inner)
    thing = known_value(function)
    name, module = getattr(thing, "__qualname__", ""), getattr(thing, "__module__", None)
    return SimpleNamespace(__qualname__=name, __module__=module)


def qualified(m: Machine, function: Value) -> str:
    """A function as Python's messages about its keywords name it: with its module."""
    found = named_like(m, function)
    known = found.__module__ not in (None, "builtins")
    return f"{found.__module__}.{found.__qualname__}()" if known else f"{found.__qualname__}()"
