"""Parts of a C file's text: its constants, and the ends of a function that has nothing to give back."""

from __future__ import annotations

from typing import Any

import numpy as np

from graph_program.backends.c.c_types import HALVES, kept_type, literal
from graph_program.backends.c.ends import DONE

ROW = 8
"""So many numbers stand in a line of a constant."""


def returning(lines: list[str]) -> list[str]:
    """The lines of a function that returns where it fails, as it has nothing to give back."""
    found: list[str] = []
    for line in lines:
        if line.endswith(DONE) and found and found[-1].lstrip().startswith("status = "):
            found[-1] = found[-1].replace("status = ", "return ")
        else:
            found.append(line)
    return found


def constant_text(name: str, array: np.ndarray[Any, Any]) -> str:
    """A constant array."""
    flat = array.ravel()
    if array.dtype.name in HALVES:
        texts = [str(int(bits)) for bits in flat.view(np.uint16)]
    else:
        texts = [literal(array.dtype, element).text for element in flat]
    head = f"static const {kept_type(array.dtype)} {name}[{max(len(texts), 1)}] = {{"
    if len(texts) <= ROW:
        return f"{head}{', '.join(texts) or '0'}}};\n"
    rows = [f"    {', '.join(texts[i : i + ROW])}," for i in range(0, len(texts), ROW)]
    return "\n".join([head, *rows, "};\n"])


__all__ = ["constant_text", "returning"]
