"""The arguments that the rows of the tables name, in several sizes and element types.

A row is the text of an expression; the names it uses are its parameters:

    x, z   [n, m]   numbers of the row's element type         b   [n, m]   bool
    y      [m]      of the same type                          v   [k]      float64, ascending
    c      [2, n, m] of the same type                         w   [n, m]   float64 with NaN
    q      [n, n]   of the same type                          i   [n, m]   int64
    t, p   [3]      of the same type                          j   int64 positions, inside n
    s, r   Python float and int                               a   float64 of rank 0
"""

from __future__ import annotations

import ast
import linecache
import sys
import types
from collections.abc import Callable
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
SIZES = ((3, 4, 5), (5, 2, 7))
"""(n, m, k): the second call of a program has other sizes than the one it was extracted with."""


def numbers(rng: np.random.Generator, shape: tuple[int, ...], dtype: str) -> Array:
    """Small numbers that leave room for sums and products; no zeros among floats."""
    kind = np.dtype(dtype).kind
    if kind == "b":
        return rng.random(shape) < 0.6
    if kind == "u":
        return rng.integers(1, 9, shape).astype(dtype)
    if kind == "i":
        return rng.integers(-6, 7, shape).astype(dtype)
    return (rng.normal(size=shape) * 2).astype(dtype)


def arguments(dtype: str, sizes: tuple[int, int, int], seed: int = 0) -> dict[str, Any]:
    """A value for each name that a row may use."""
    rng = np.random.default_rng(seed)
    n, m, k = sizes
    shapes = {"x": (n, m), "z": (n, m), "y": (m,), "c": (2, n, m), "q": (n, n), "t": (3,), "p": (3,)}
    given: dict[str, Any] = {name: numbers(rng, shape, dtype) for name, shape in shapes.items()}
    given["b"] = rng.random((n, m)) < 0.5
    given["v"] = np.sort(rng.normal(size=k))
    given["w"] = np.where(rng.random((n, m)) < 0.3, np.nan, rng.normal(size=(n, m)))
    given["w"][0, 0] = 1.5
    given["i"] = rng.integers(-5, 6, (n, m))
    given["j"] = rng.integers(-n, n, (4,))
    given["a"] = np.array(1.75)
    return {**given, "s": 1.5, "r": 3}


def program_of(row: str, parameters: list[str] | None = None) -> tuple[Callable[..., Any], list[str]]:
    """A function that returns the expression, and the names of its parameters."""
    if parameters is None:
        names = {node.id for node in ast.walk(ast.parse(row, mode="eval")) if isinstance(node, ast.Name)}
        parameters = sorted(names & set(arguments("f8", SIZES[0])))
        # These have a length that the program may count on.
        fixed = {"t": '"3"', "p": '"3"', "c": '"2 n m"'}
    else:
        fixed = {}
    given = [f"{name}: Shaped[np.ndarray, {fixed[name]}]" if name in fixed else name for name in parameters]
    head = "import math\n\nimport numpy as np\nfrom jaxtyping import Shaped\n\n\n"
    source = f"{head}def row({', '.join(given)}):\n    return {row}\n"
    file = f"<row {row}>"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    module = types.ModuleType("numpy_rows")
    module.__file__ = file
    sys.modules[module.__name__] = module
    exec(compile(source, file, "exec"), module.__dict__)
    return module.__dict__["row"], parameters
