"""Functions of the user's own that are host code as a whole: called, not inlined.

SEEN = {}
def remember(key):                  remember(key)    ->    host[0](key)        # remember(key)
    SEEN[key] = True
"""

from __future__ import annotations

import collections
import types
from collections.abc import Iterator
from typing import Any
from weakref import WeakKeyDictionary

from graph_program.extract.ir import tree
from graph_program.extract.source.assigned_names import assigned_names
from graph_program.extract.source.load import load_function
from graph_program.extract.source.names_read import walk

MUTABLE = (list, dict, set, collections.deque)
CHANGING = frozenset(
    {"append", "extend", "insert", "update", "add", "pop", "remove", "clear", "setdefault", "discard"}
    | {"popitem", "sort", "reverse", "appendleft", "popleft"}
)
"""Methods that change what they belong to."""


_known: WeakKeyDictionary[types.FunctionType, bool] = WeakKeyDictionary()


def is_host(function: types.FunctionType) -> bool:
    """Whether a function is a generator, or writes to what neither it nor the program has made."""
    if function not in _known:
        _known[function] = _is_host(function)
    return _known[function]


def _is_host(function: types.FunctionType) -> bool:
    node = load_function(function)
    return node.is_generator or _sets_globals(node) or any(_is_captured(function, root) for root in _written(node))


def _sets_globals(node: tree.Function) -> bool:
    return bool(node.globals) and not node.globals.isdisjoint(assigned_names(node.body))


def _written(node: tree.Function) -> Iterator[str]:
    """Names from elsewhere whose objects are written to."""
    for part in walk(node):
        match part:
            case tree.Assign(targets=targets):
                found = [t for t in targets if isinstance(t, tree.Subscript)]
            case tree.AugAssign(target=tree.Subscript() as target):
                found = [target]
            case tree.Call(func=tree.Attribute(value=holder, attr=attr)) if attr in CHANGING:
                found = [tree.Subscript(holder, holder, loc=part.loc)]
            case _:
                continue
        roots = (t.value for t in found)
        yield from (r.id for r in roots if isinstance(r, tree.Name) and r.id not in node.locals)


def _is_captured(function: types.FunctionType, name: str) -> bool:
    """Whether a name is that of a container which was there before the program."""
    cells: dict[str, Any] = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    if name in cells:
        try:
            return isinstance(cells[name].cell_contents, MUTABLE)
        except ValueError:
            return False
    return isinstance(function.__globals__.get(name), MUTABLE)
