"""The order of a dict's keys where paths meet.

    if c: d["a"] = x                on one path b, c; on the other b, a, c: the merged dict has b, a (or not), c
    d["c"] = y

Where the paths put the same keys in in different orders, the merged dict has no order that is known: it can
be asked for its keys one by one, and not be gone through, or leave the program.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from typing import Any

from graph_program.extract.stage.values.questions import is_partly_set


class AnyOrder(dict[Any, Any]):
    """The entries of a dict whose order depends on the path taken."""


def of_keys(contents: Sequence[Mapping[Hashable, Any]]) -> tuple[list[Hashable], bool]:
    """All keys of some dicts in an order that fits each of them, and whether there is one."""
    first = list(contents[0])
    if all(list(c) == first for c in contents[1:]):
        return first, not any(isinstance(c, AnyOrder) for c in contents)
    sorter: TopologicalSorter[Hashable] = TopologicalSorter({k: () for c in contents for k in c})
    for one in contents:
        keys = list(one)
        for before, after in pairwise(keys):
            sorter.add(after, before)
    try:
        found = list(sorter.static_order())
    except CycleError:
        return list(dict.fromkeys(k for c in contents for k in c)), False
    return found, not any(isinstance(c, AnyOrder) for c in contents)


def like(old: Mapping[Hashable, Any], new: dict[Any, Any]) -> dict[Any, Any]:
    """New entries of a dict, in as known an order as the old ones."""
    return AnyOrder(new) if isinstance(old, AnyOrder) and len(new) > 1 else new


def written(old: Mapping[Hashable, Any], new: dict[Any, Any]) -> dict[Any, Any]:
    """New entries of a dict, of which a write has put some in.

    A key that was there on some paths only is now behind the others on the paths where it was not.
    """
    keys = list(new)
    for position, key in enumerate(keys):
        before, now = old.get(key), new[key]
        put_in = is_partly_set(before) and not is_partly_set(now)
        if put_in and any(j in old and not _misses_with(before, old[j]) for j in keys[position + 1 :]):
            return AnyOrder(new)
    return like(old, new)


def _misses_with(one: Any, other: Any) -> bool:
    """Whether one entry is missing where another is."""
    return is_partly_set(other) and other.missing is one.missing


def fits(head: Mapping[Hashable, Any], value: Mapping[Hashable, Any]) -> bool:
    """Whether entries are in an order that the entries at a loop's head stand for."""
    return isinstance(head, AnyOrder) or (
        not isinstance(value, AnyOrder) and [k for k in head if k in value] == [k for k in value if k in head]
    )
