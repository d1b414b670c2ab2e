"""What the factory of a `defaultdict` makes: `int`, `list`, `lambda: 0`, `lambda: defaultdict(set)`."""

from __future__ import annotations

import builtins
import collections
from typing import Any

from graph_program.extract.ir import tree
from graph_program.extract.stage.host.values.local_function import owner
from graph_program.extract.stage.machine.host_contents import NOTHING, joined, stored
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.memory import host_containers
from graph_program.extract.stage.objects.live_reads import root
from graph_program.extract.stage.values.generic import generic
from graph_program.extract.stage.values.values import Closure, Static, Value

NUMBERS_AND_TEXTS = (int, float, bool, str)
EMPTY: dict[type, tuple[Any, ...]] = {
    **dict.fromkeys([list, set, collections.deque], (NOTHING,)),
    **dict.fromkeys([dict, collections.OrderedDict], (NOTHING, NOTHING)),
    collections.Counter: (NOTHING, int),
}
"""What is in containers that are made of nothing."""


@generic
def result(m: Machine, factory: Value, part: str = "default") -> Any:
    """The note of what a factory makes; NOTHING where there is none, Any where it is not known."""
    return Any


result.register(Static, lambda *_: NOTHING, holding=type(None))


@result.of(Closure)
def _of_function(m: Machine, factory: Closure, part: str = "default") -> Any:
    params, (statement, *others) = factory.function.params, factory.function.body
    if params or others or not isinstance(statement, tree.Return) or statement.value is None:
        return Any
    return _of_expression(m, factory, statement.value, part)


@result.of(Static, holding=type)
def _of_class(m: Machine, factory: Static, part: str = "default") -> Any:
    cls = factory.value
    if cls in NUMBERS_AND_TEXTS:
        return cls
    return host_containers.fresh(m, cls, EMPTY[cls], part) if cls in EMPTY else Any


def _of_expression(m: Machine, closure: Closure, node: tree.Expr, part: str) -> Any:
    """The note of a constant, of a list of them, or of a new container."""
    match node:
        case tree.Constant(value):
            return stored(type(value))
        case tree.ListExpr(elts) if all(isinstance(elt, tree.Constant) for elt in elts):
            element = NOTHING
            for elt in elts:
                element = joined(element, _of_expression(m, closure, elt, part))
            return host_containers.fresh(m, list, [element], part)
        case tree.DictExpr(()):
            return result(m, Static(dict), part)
        case tree.Call(tree.Name(name), (), ()):
            return result(m, _named(m, closure, name), part)
        case tree.Call(tree.Name(name), (inner,), ()) if _named(m, closure, name).value is collections.defaultdict:
            made = _made_by(m, closure, inner, f"{part}.default")
            return host_containers.fresh(m, collections.defaultdict, [NOTHING, made], part)
    return Any


def _made_by(m: Machine, closure: Closure, node: tree.Expr, part: str) -> Any:
    """What an inner factory makes."""
    match node:
        case tree.Name(name):
            return result(m, _named(m, closure, name), part)
        case tree.Lambda(function):
            return result(m, Closure(function, closure.scope, {}), part)
    return Any


def _named(m: Machine, closure: Closure, name: str) -> Static:
    """What a name stands for where that is known; else an object without a meaning."""
    frame, python = owner(closure.scope, name), root(closure.scope).python
    if frame is not None:
        value = m.live.frames[frame.id].get(name)
        return value if isinstance(value, Static) else Static(object())
    names = {} if python is None else python.__globals__
    return Static(names.get(name, getattr(builtins, name, object())))
