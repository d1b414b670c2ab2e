"""Sizes of arguments: a name means the same size everywhere, as in a call of the program.

A `Size` is a number, a name, or the terms of a polynomial: `[[2, "n"], [1]]` is `2*n + 1`, where an atom may be an
operation, `{"op": "//", "args": ["n", 2]}`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from graph_program.onnx_program.told import CallError

Size = Any


class Leaf(NamedTuple):
    """An array that was given: its place, what was expected of it, and its shape."""

    text: str
    expected: str
    sizes: tuple[Size, ...]
    shape: tuple[int, ...]


Bounds = Mapping[str, tuple[int, int | None]]
"""The smallest and the largest size of a name; None for no limit."""


def check_sizes(leaves: Sequence[Leaf], bounds: Bounds) -> None:
    """Refuse (GP403) sizes that do not fit together, or that the program does not allow."""
    known: dict[str, int] = {}
    origin: dict[str, tuple[str, int]] = {}
    for is_plain in (True, False):  # names first, then those that only an expression has
        for leaf in leaves:
            for axis, size in enumerate(leaf.sizes):
                name, value = solved(size, leaf.shape[axis], known) if isinstance(size, str) is is_plain else (None, 0)
                if name is not None and name not in known:
                    known[name], origin[name] = value, (leaf.text, axis)
    for leaf in leaves:
        if any(evaluated(d, known) not in (n, None) for d, n in zip(leaf.sizes, leaf.shape, strict=True)):
            raise CallError("GP403", _mismatch(leaf, known, origin))
    for name, (low, high) in bounds.items():
        if name in known and not (low <= known[name] and (high is None or known[name] <= high)):
            text, axis = origin[name]
            wanted = f"at least {low}" if high is None else f"{low}" if low == high else f"{low} to {high}"
            text = f"parameter {text}, axis {axis}: {name} is {known[name]}, dims allows {wanted}"
            raise CallError("GP403", text)


def _mismatch(leaf: Leaf, known: Mapping[str, int], origin: Mapping[str, tuple[str, int]]) -> str:
    names = sorted({name for d in leaf.sizes for name in names_in(d)} & known.keys())
    places = {name: origin[name][0] for name in names}
    facts = [f"{n}={known[n]}" + ("" if places[n] == leaf.text else f" (from {places[n]})") for n in names]
    written = leaf.expected.partition("[")[2].rstrip("]").split(", ")
    fixed = [(name, d) for name, d in zip(written, leaf.sizes, strict=False) if isinstance(d, int) and name != str(d)]
    facts = [*(f"{name}={size}" for name, size in fixed), *facts]
    given = f" with {', '.join(facts)}" if facts else ""
    return f"parameter {leaf.text}: expected {leaf.expected}{given}, got {shape_text(leaf.shape)}"


def evaluated(size: Size, sizes: Mapping[str, int]) -> int | None:
    """The number that a size is; None where that is not known."""
    try:
        return _number(size, sizes)
    except (KeyError, ZeroDivisionError, ValueError):
        return None


def _number(size: Size, sizes: Mapping[str, int]) -> int:
    if isinstance(size, int):
        return size
    if isinstance(size, str):
        return sizes[size]
    if isinstance(size, dict):
        args = [_number(a, sizes) for a in size["args"]]
        if size["op"] == "&":
            return int(np.broadcast_shapes(*((a,) for a in args))[0])
        return args[0] // args[1] if size["op"] == "//" else max(args)
    return sum(int(c) * math.prod(_number(a, sizes) for a in atoms) for c, *atoms in size)


def names_in(size: Size) -> set[str]:
    """The names in a size."""
    if isinstance(size, int | str):
        return {size} if isinstance(size, str) else set()
    parts = size["args"] if isinstance(size, dict) else [atom for _, *atoms in size for atom in atoms]
    return set().union(*map(names_in, parts))


def solved(size: Size, value: int, sizes: Mapping[str, int]) -> tuple[str | None, int]:
    """The one name that is not known yet, and what it is, where that follows from the value of a size."""
    if isinstance(size, str):
        return size, value
    unknown = () if isinstance(size, int | dict) else sorted(names_in(size) - sizes.keys())
    if len(unknown) != 1 or any(len(atoms) > 1 or isinstance(a, dict) for _, *atoms in size for a in atoms):
        return None, 0
    rest, slope = _number(size, {**sizes, unknown[0]: 0}), next(c for c, *a in size if a == [unknown[0]])
    if (value - rest) % slope or (value - rest) // slope < 0:
        return None, 0
    return unknown[0], (value - rest) // slope


def shape_text(sizes: Sequence[object]) -> str:
    return f"({', '.join(map(str, sizes))}{',' if len(sizes) == 1 else ''})"
