"""Where a leaf of an argument or of a captured object is found.

A *path* is a parameter's (or captured name's) name, then steps: `("p", ".w")` is `p.w`, `("xs", 0)` is
`xs[0]`, `("d", "key")` is `d["key"]`.  An attribute step is a string that starts with a dot; a `KeyStep`
wraps a dict key that would look like one.  Other steps stand last.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from graph_program.extract.ir import memory
from graph_program.extract.records import dataclass


@dataclass(frozen=True)
class KeyStep:
    """`[key]` for a key of any kind (dict keys always use this)."""

    key: Hashable


@dataclass(frozen=True)
class SizeStep:
    """The size of one axis of the array at a path."""

    axis: int


@dataclass(frozen=True)
class EmptinessStep:
    """Whether the size of one axis of the array at a path is 0."""

    axis: int


@dataclass(frozen=True)
class LayoutStep:
    """How the array at a path lies in memory."""


@dataclass(frozen=True)
class LengthStep:
    """The length of the list at a path."""


@dataclass(frozen=True)
class RowStep:
    """Any element of a list of computed length, in the place of what stands for all of them."""


ROW = RowStep()
OFFSETS = ".offsets"
"""The step to where each of the lists in a list begins among all of their elements, and where the last one ends."""
Step = str | int | KeyStep | SizeStep | EmptinessStep | LayoutStep | LengthStep | RowStep


Path = tuple[Step, ...]


def path_name(path: Path) -> str:
    """The dotted name of a leaf, used for graph inputs: `p.layers.0.w`."""
    parts = [str(path[0])]
    for step in path[1:]:
        if not isinstance(step, RowStep):
            key = step.key if isinstance(step, KeyStep) else step
            parts.append(str(key).lstrip("."))
    return ".".join(parts)


def path_text(path: Path) -> str:
    """The Python expression of a leaf, used in messages: `p.layers[0].w`."""
    text = str(path[0])
    for step in path[1:]:
        if isinstance(step, str):
            text += step
        elif isinstance(step, RowStep):
            text += "[...]"
        else:
            text += f"[{(step.key if isinstance(step, KeyStep) else step)!r}]"
    return text


def follow(root: Any, path: Path) -> Any:
    """The object at `path[1:]` under `root`."""
    for step in path[1:]:
        if isinstance(step, str):
            root = getattr(root, step[1:])
        elif isinstance(step, SizeStep):
            root = root.shape[step.axis]
        elif isinstance(step, EmptinessStep):
            root = root.shape[step.axis] == 0
        elif isinstance(step, LayoutStep):
            root = memory.layout_of(root)
        elif isinstance(step, LengthStep):
            root = len(root)
        elif isinstance(step, RowStep):
            root = root[0]
        else:
            root = root[step.key if isinstance(step, KeyStep) else step]
    return root


def tuple_steps(cls: type | None, count: int) -> list[Step]:
    """The steps to the elements of a tuple, or of a named tuple of class `cls`."""
    return list(range(count)) if cls is None else [f".{name}" for name in cls._fields]  # type: ignore[attr-defined]
