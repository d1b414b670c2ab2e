"""Modules that are imported when something of them is used, not where another package imports them.

onnx_ir computes with names of sizes by sympy, which takes longer to import than everything else that a first call
needs; here the names come as text and stay so.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import LazyLoader
from types import ModuleType

SYMBOLIC = frozenset(["sympy", "onnx_ir._symbolic_shapes"])


class _Deferring:
    """Finds some modules as usual, and has them executed at the first look at an attribute."""

    def __init__(self, names: frozenset[str]):
        self.names = names

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        spec = PathFinder.find_spec(fullname, path, target) if fullname in self.names else None
        if spec is not None and spec.loader is not None:
            spec.loader = LazyLoader(spec.loader)
        return spec


@contextmanager
def deferred(names: frozenset[str]) -> Iterator[None]:
    """Whoever imports these modules in the block gets them unexecuted."""
    finder = _Deferring(names)
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)


__all__ = ["SYMBOLIC", "deferred"]
