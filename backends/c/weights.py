"""Captured arrays: constants of a C file, or a structure beside it whose bytes are mapped, read or linked.

    typedef struct {
        double w[400000];
        float b[1000];
    } smooth_weights;

The arrays stand in the order of their element sizes, the largest first, so that no compiler puts anything between them.
The bytes are those of processors whose first byte is the lowest (x86, ARM, RISC-V, WebAssembly).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from graph_program.backends.c.c_types import BYTES, HALVES, kept_type, literal
from graph_program.extract.records import dataclass

ROW = 8
"""So many numbers stand in a line of a constant."""
ALIGNED = 256
"""Constants of so many bytes begin where vectors do."""
ALIGNMENT = """
#ifdef __GNUC__
#define GP_ALIGNED __attribute__((aligned(16)))
#else
#define GP_ALIGNED
#endif
"""
UNIT = 16
"""The file has a multiple of so many bytes."""


@dataclass(frozen=True)
class Weight:
    """One captured array: the field, the C type of its elements, and the array."""

    name: str
    c_type: str
    array: np.ndarray[Any, Any]


def ordered(weights: Sequence[Weight]) -> list[Weight]:
    """The arrays in the order in which they stand in the structure."""
    return sorted(weights, key=lambda weight: -BYTES[weight.c_type])


def structure(name: str, weights: Sequence[Weight]) -> list[str]:
    """The lines of the structure."""
    fields = [f"    {w.c_type} {w.name}[{w.array.size}];" for w in ordered(weights)]
    size = len(data(weights))
    said = f"/* What the program has captured: the {size} bytes of the file beside this one, aligned to {UNIT}. */"
    return [said, "typedef struct {", *fields, f"}} {name};", ""]


def data(weights: Sequence[Weight]) -> bytes:
    """The bytes of the structure."""
    parts = [np.ascontiguousarray(w.array, w.array.dtype.newbyteorder("<")).tobytes() for w in ordered(weights)]
    whole = b"".join(parts)
    return whole + bytes(-len(whole) % UNIT)


def constant_lines(declared: str, array: np.ndarray[Any, Any], behind: str = "") -> list[str]:
    """A constant array, some numbers a line, behind `static const double x`."""
    flat = array.ravel()
    is_half = array.dtype.name in HALVES
    texts = [str(int(bits)) for bits in flat.view(np.uint16)] if is_half else []
    texts = texts or [literal(array.dtype, element).text for element in flat] or ["0"]
    head = f"{declared}[{len(texts)}]{behind} = {{"
    if len(texts) <= ROW:
        return [f"{head}{', '.join(texts)}}};"]
    rows = [f"    {', '.join(texts[i : i + ROW])}," for i in range(0, len(texts), ROW)]
    return [head, *rows, "};"]


def constant(name: str, array: np.ndarray[Any, Any]) -> str:
    """A constant array of a file, which vectors can read where it is long."""
    aligned = " GP_ALIGNED" if array.nbytes >= ALIGNED else ""
    return "\n".join(constant_lines(f"static const {kept_type(array.dtype)} {name}", array, aligned)) + "\n"


__all__ = ["ALIGNMENT", "UNIT", "Weight", "constant", "constant_lines", "data", "ordered", "structure"]
