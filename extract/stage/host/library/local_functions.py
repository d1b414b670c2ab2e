"""Functions made in a program that host code is given: made there, of the same code, with what they read.

best = sorted(table.items(), key=lambda kv: -kv[1] * sign)

    ->      h1 = host[0](sign)                      # the lambda
            h2 = host[1](h0, key=h1)                # sorted(table.items(), key=h1)

What they read of the program is what it is when they are made, so that it may not be assigned later.
"""

from __future__ import annotations

import functools
import linecache
import types
from collections.abc import Iterator, Sequence

import numpy as np

from graph_program.extract import diagnostics
from graph_program.extract.ir import tree
from graph_program.extract.source.assigned_names import assigned_names
from graph_program.extract.source.names_read import walk
from graph_program.extract.source.same_code import inner_codes
from graph_program.extract.stage.host.steps import container_effects, host_code
from graph_program.extract.stage.host.values.local_function import LocalFunction, owner
from graph_program.extract.stage.machine.host_contents import READER
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.objects import live_reads
from graph_program.extract.stage.paths.several.one_of_several import read
from graph_program.extract.stage.values.generic import generic
from graph_program.extract.stage.values.questions import known_value
from graph_program.extract.stage.values.values import UNBOUND, Closure, Host, Static, Tensor, Text, Tuple, Value

AT_ONCE = frozenset(map(id, (sorted, min, max, functools.reduce, list.sort)))
"""What is done with a function when it returns."""


def on_host(m: Machine, closure: Closure, consumer: Value | None) -> Host:
    """The function as an object on the host.

    Raises
    ------
    GraphProgramError
        GP529 where it would not be the same there.
    """
    function = closure.function
    python = live_reads.root(closure.scope).python
    code = None if python is None else code_of(python.__code__, function)
    if code is None or python is None:
        raise refused(m, "its code is not found")
    if function.nonlocals or any(isinstance(node, tree.Function) and node.nonlocals for node in walk(function)):
        raise refused(m, "it assigns variables of the program")
    owners = {name: owner(closure.scope, name) for name in code.co_freevars}
    free = {name: frame for name, frame in owners.items() if frame is not None}
    at_once = id(known_value(consumer)) in AT_ONCE
    for name, frame in free.items():
        if not at_once and _assigned_later(frame.function, name, function):
            hint = f"keep its value as a default: `{name}={name}` in the parameters"
            raise refused(m, f"'{name}' is assigned after the function is made", hint)
    values = [_readable(m, read(m, m.live.frames[frame.id].get(name, UNBOUND)), name) for name, frame in free.items()]
    if any(isinstance(value, Closure) and value.function is function for value in values):
        raise refused(m, "it calls itself")
    defaults = [p for p in function.params if p.name in closure.defaults]
    positional = [p.name for p in defaults if p.kind != "keyword"]
    keywords = [p.name for p in defaults if p.kind == "keyword"]
    only_reads = container_effects.only_reads(
        function, lambda name: owner(closure.scope, name) is not None or name in python.__globals__
    )
    made = LocalFunction(code, python, tuple(free), len(positional), tuple(keywords), function.loc, only_reads)
    given = [*values, *(_readable(m, closure.defaults[name], name) for name in (*positional, *keywords))]
    note = READER if only_reads else None
    return host_code.one(m, "call", Static(made), *given, text=made.__name__, note=note, harmless=True)


@generic
def _readable(m: Machine, value: Value, name: str) -> Value:
    """A value that stays what it is, as the function reads it."""
    raise refused(m, f"'{name}' may be changed by both sides")


@_readable.of(Static, Tensor, Host, Text, Closure)
def _unchanged(m: Machine, value: Value, name: str) -> Value:
    return value


_readable.of(Static, holding=np.ndarray)(_readable.declared)


@_readable.of(Tuple)
def _tuple(m: Machine, value: Tuple, name: str) -> Value:
    if value.cls is not None:
        return _readable.declared(m, value, name)
    return Tuple(tuple(_readable(m, e, name) for e in value.elts))


def refused(m: Machine, why: str, hint: str = "") -> diagnostics.GraphProgramError:
    """The refusal of a function as an argument of host code."""
    return m.error(
        "GP529",
        f"a function made in the program is handed to host code, where it would not be the same: {why}",
        hint=hint or "make it a function of the module, or call the host function with what it needs",
    )


def _assigned_later(outer: tree.Function, name: str, function: tree.Function) -> bool:
    """Whether a variable of a function may get another value once an inner function is made."""
    here = (function.loc.line, function.loc.column)
    for node in walk(outer):
        if not isinstance(node, tree.Stmt) or name not in assigned_names([node]):
            continue
        loops = isinstance(node, tree.For | tree.While) and any(part is function for part in walk(node))
        if loops or (node.loc.line, node.loc.column) > here:
            return True
    return False


# ---------------------------------------------------------------- code


def code_of(code: types.CodeType, function: tree.Function) -> types.CodeType | None:
    """The code of a function that is written inside another one; None where it is not told from others."""
    if function.decorators or function.is_async:
        return None
    name = "<lambda>" if function.is_lambda else function.name
    found = [c for c in _inner(code) if c.co_name == name and c.co_firstlineno == function.loc.line]
    if len(found) > 1:
        found = [c for c in found if _ends_like(c, function.body)]
    return found[0] if len(found) == 1 else None


def _inner(code: types.CodeType) -> Iterator[types.CodeType]:
    for inner in inner_codes(code):
        yield inner
        yield from _inner(inner)


def _ends_like(code: types.CodeType, body: Sequence[tree.Stmt]) -> bool:
    """Whether code ends where the body of a lambda does."""
    loc = body[-1].loc
    text = linecache.getline(loc.file, loc.end_line)[: loc.end_column - 1]
    ends = ((line, column) for _, line, _, column in code.co_positions() if line is not None and column is not None)
    return max(ends, default=None) == (loc.end_line, len(text.encode()))
