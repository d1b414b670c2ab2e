"""Plain classes of the user's: data classes without the decorator, whose instances are taken apart field by field.

    class Pid:                                      inputs    e, pid.gain, pid.total
        def __init__(self, gain):           ->      outputs   result, pid.total
            self.gain, self.total = gain, 0.0

        def update(self, e):
            self.total += e
            return self.gain * self.total

Their `__init__` does nothing but assign, so that an instance is what its attributes are.
"""

from __future__ import annotations

import abc
import types
import typing
import weakref
from collections.abc import Iterator
from typing import Any

from graph_program.extract.diagnostics import GraphProgramError
from graph_program.extract.ir import tree
from graph_program.extract.source.assigned_names import root_name
from graph_program.extract.source.load import load_function
from graph_program.extract.stage.machine.options import Options
from graph_program.extract.stage.objects import captured_state
from graph_program.extract.stage.operations.code_ownership import is_own_with

BASES = (object, abc.ABC, typing.Generic, typing.Protocol)
"""Bases that have nothing of their own in an instance."""
MORE = ("__getattr__", "__del__", "__iter__", "__next__", "__enter__", "__slots__")
"""What objects have that are more than the attributes in their `__dict__`."""

_assigning: weakref.WeakKeyDictionary[type, bool] = weakref.WeakKeyDictionary()
"""Whether the `__init__` of a class does nothing but assign, as far as that has been asked."""


def is_plain(obj: Any, options: Options) -> bool:
    """Whether an object is an instance of a plain class of the user's."""
    cls = type(obj)
    if (
        not captured_state.is_record(obj)
        or isinstance(obj, captured_state.OF_THE_HOST)
        or any(hasattr(cls, name) for name in MORE)
    ):
        return False
    if not all(is_own_with(options, f) for base in _bases(cls) for f in _functions(base)):
        return False
    if cls not in _assigning:
        _assigning[cls] = all(_only_assigns(f) for base in _bases(cls) for f in _functions(base, "__init__"))
    return _assigning[cls]


def _bases(cls: type) -> list[type]:
    return [base for base in cls.__mro__ if base not in BASES]


def _functions(cls: type, name: str | None = None) -> Iterator[types.FunctionType]:
    """The functions that a class has of its own: all, or the one of a name."""
    for key, member in vars(cls).items():
        if isinstance(member, types.FunctionType) and name in (None, key):
            yield member


# ---------------------------------------------------------------- what `__init__` does


def _only_assigns(init: types.FunctionType) -> bool:
    try:
        node = load_function(init)
    except GraphProgramError:
        return False
    if not node.params or node.is_generator or node.is_async:
        return False
    return all(_assigns(statement, node) for statement in node.body)


def _assigns(statement: tree.Stmt, init: tree.Function) -> bool:
    """Whether a statement sets locals and what is in `self`, or raises where arguments are wrong."""
    match statement:
        case tree.Assign(targets=targets):
            return all(_is_own_target(t, init) for t in targets)
        case tree.AugAssign(target=target):
            return _is_own_target(target, init)
        case tree.If(_, body, orelse):
            return all(_assigns(s, init) for s in (*body, *orelse))
        case tree.ExprStmt(tree.Constant() | tree.Call(tree.Attribute(tree.Call(tree.Name("super")), "__init__"))):
            return True
        case tree.Raise():
            return True
    return False


def _is_own_target(target: tree.Node, init: tree.Function) -> bool:
    match target:
        case tree.Name(name):
            return name in init.locals
        case tree.Attribute(inner) | tree.Subscript(inner):
            return root_name(inner) == init.params[0].name
        case tree.Starred(inner):
            return _is_own_target(inner, init)
        case tree.TupleExpr(elts) | tree.ListExpr(elts):
            return all(_is_own_target(t, init) for t in elts)
    return False
