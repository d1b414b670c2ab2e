"""The deviations that docs/language.md documents, recognised where a program differs from plain Python.

Each is as narrow as what is documented: the numbers are the same, or the arrays are both empty (or those whose
shapes an exception tells), or plain Python gives the same once its lists sort NaN last, or once arrays are read before
others are written that share memory with them.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

import numpy as np

NUMBERS: dict[type, str] = {bool: "b", int: "iuf", float: "f"}
"""The kinds of NumPy numbers that a Python number becomes where it meets one."""


class Deviation(Enum):
    """What docs/language.md says of it."""

    NUMPY_NUMBER = "a Python number where paths merge with a NumPy one is one as well"
    EMPTY_ARRAY = "np.array of an empty list has the type and rank that it has with elements"
    NAN_LAST = "NaN sorts last in lists"
    READ_FIRST = "a vector that is put into one with other steps is read before it is written"


@dataclass
class Accepted:
    """Accepts documented differences of two values, and remembers which it has met."""

    source: str
    found: set[Deviation] = field(default_factory=set)

    def __call__(self, want: Any, got: Any) -> bool:
        deviation = self._deviation(want, got)
        if deviation is not None:
            self.found.add(deviation)
        return deviation is not None

    def _deviation(self, want: Any, got: Any) -> Deviation | None:
        if isinstance(want, np.ndarray) and isinstance(got, np.ndarray):
            empty = want.shape == (0,) and want.dtype == np.float64 and got.shape[:1] == (0,)
            return Deviation.EMPTY_ARRAY if empty and "np.array(" in self.source else None
        if isinstance(want, Exception):
            same = type(want) is type(got) and _with_empty_vectors(want) == _with_empty_vectors(got)
            return Deviation.EMPTY_ARRAY if same and "np.array(" in self.source else None
        kinds = NUMBERS.get(type(want))
        if kinds is None or not _same_number(want, got):
            return None
        return Deviation.NUMPY_NUMBER if isinstance(got, np.generic) and got.dtype.kind in kinds else None


def _with_empty_vectors(error: Exception) -> str:
    """The text of an exception, as if all arrays without rows were vectors."""
    return re.sub(r"\(0(,\d*)+\)", "(0,)", str(error))


def _same_number(want: Any, got: Any) -> bool:
    if not isinstance(got, bool | int | float | np.generic):
        return False
    return bool(np.isclose(float(want), float(got), rtol=1e-9, atol=1e-12, equal_nan=True))


# ---------------------------------------------------------------- programs that do as documented

SORTING = """
met = []


def sorted_nan_last(values, key=None, reverse=False):
    values = list(values)
    if key is not None or not any(isinstance(v, float) and v != v for v in values):
        return sorted(values, key=key, reverse=reverse)
    met.append(True)
    numbers, others = [v for v in values if v == v], [v for v in values if v != v]
    numbers.sort(reverse=reverse)
    return [*others, *numbers] if reverse else [*numbers, *others]


def sort_nan_last(values, *args, **keywords):
    if isinstance(values, list):
        values[:] = sorted_nan_last(values, *args, **keywords)
    else:
        values.sort(*args, **keywords)
"""
READING = """
met = []


def read_before(target, value):
    if not isinstance(target, np.ndarray) or not isinstance(value, np.ndarray) or not np.shares_memory(target, value):
        return value
    met.append(True)
    return value.copy()
"""

FILLING = """
met = []


def array_with_rows(values, *args, **keywords):
    if isinstance(values, list) and not values and not args and not keywords:
        met.append(True)
        return np.empty({shape}, {dtype})
    return np.array(values, *args, **keywords)
"""
ROWS = [(), *((n,) for n in range(1, 7))]
"""The shapes of elements that empty lists of the programs might have had."""


class _NanLast(ast.NodeTransformer):
    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        match node.func:
            case ast.Attribute(value=owner, attr="sort"):
                return ast.Call(ast.Name("sort_nan_last", ast.Load()), [owner, *node.args], node.keywords)
            case ast.Name("sorted"):
                return ast.Call(ast.Name("sorted_nan_last", ast.Load()), node.args, node.keywords)
        return node


class _ReadFirst(ast.NodeTransformer):
    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        match node.targets:
            case [ast.Subscript(value=ast.Name() as owner)]:
                read = ast.Call(ast.Name("read_before", ast.Load()), [owner, node.value], [])
                return ast.Assign(node.targets, read)
        return node


class _WithRows(ast.NodeTransformer):
    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if ast.unparse(node.func) == "np.array":
            return ast.Call(ast.Name("array_with_rows", ast.Load()), node.args, node.keywords)
        return node


FORMS: dict[Deviation, tuple[type[ast.NodeTransformer], list[str]]] = {
    Deviation.NAN_LAST: (_NanLast, [SORTING]),
    Deviation.READ_FIRST: (_ReadFirst, [READING]),
    Deviation.EMPTY_ARRAY: (
        _WithRows,
        [FILLING.format(shape=(0, *row), dtype=dtype) for dtype in ("float", "int", "bool") for row in ROWS],
    ),
}


def as_documented(source: str, deviation: Deviation) -> Iterator[str]:
    """The functions of a program as documented, in each way that may be, which note in `met` where they deviate."""
    transformer, helpers = FORMS[deviation]
    plain = ast.parse(source)
    plain.body = [s for s in plain.body if isinstance(s, ast.FunctionDef) and not s.decorator_list]
    before, changed = ast.unparse(plain), ast.unparse(ast.fix_missing_locations(transformer().visit(plain)))
    if before != changed:
        yield from (changed + helper for helper in helpers)
