"""Analyses of a function's tree, which is the same at each call that is inlined: made once, kept with the tree."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TypeVar

from graph_program.extract.ir import tree

Result = TypeVar("Result")


def once_for_each(analyse: Callable[[tree.Function], Result]) -> Callable[[tree.Function], Result]:
    """Remember what an analysis finds; its callers must not change that."""
    key = f"{analyse.__module__}.{analyse.__qualname__}"

    @wraps(analyse)
    def analysed(function: tree.Function) -> Result:
        kept = vars(function)  # trees are equal by what they say, and `id`s of nodes are part of the results
        if key not in kept:
            kept[key] = analyse(function)
        found: Result = kept[key]
        return found

    return analysed
