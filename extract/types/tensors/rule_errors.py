"""`TypeRuleError`: an operation that is wrong for every value its operands can have."""

from __future__ import annotations

from typing import Any

import numpy as np

from graph_program.extract.diagnostics import (
    DTypeError,
    GraphProgramError,
    ProgramIndexError,
    ProgramValueError,
    ShapeError,
)
from graph_program.extract.records import dataclass

DType = np.dtype[Any]


@dataclass(frozen=True)
class Given:
    """In a message: the number that is operand `index` of the operation."""

    index: int

    def __str__(self) -> str:
        return "?"


class TypeRuleError(Exception):
    """What a type rule refuses, in NumPy's own words; the caller adds the place in the source.

    Attributes
    ----------
    kind : {"shape", "dtype", "value", "index", "overflow"}
        "index" and "overflow" are what Python reports as IndexError and OverflowError.
    message : str
        NumPy's text wherever NumPy has one.
    parts : tuple of str, Dim or Given
        The message in parts; dims are shown as the numbers that they are at run time.
    """

    arguments: tuple[object, ...] = ()
    """Of the exception that NumPy raises, where they are not its message."""

    def __init__(self, kind: str, *parts: object):
        self.message = "".join(map(str, parts))
        super().__init__(self.message)
        self.kind = kind
        self.parts = parts

    @property
    def python_class(self) -> type[Exception]:
        """The exception class that NumPy would have raised."""
        return PYTHON_CLASSES[self.kind]

    @property
    def code(self) -> str:
        """The code of the diagnostic."""
        return CODES[self.kind]

    @property
    def error_class(self) -> type[GraphProgramError]:
        """The extraction error that fits."""
        return ERROR_CLASSES[self.kind]


class UFuncCastError(TypeRuleError):
    """The result of a ufunc cannot be put where it is to go; NumPy has a private class for this."""

    def __init__(self, ufunc: np.ufunc, result: DType, target: DType, casting: str = "same_kind"):
        text = f"Cannot cast ufunc '{ufunc.__name__}' output from {result!r} to {target!r}"
        super().__init__("dtype", f"{text} with casting rule '{casting}'")
        self.arguments = (ufunc, casting, result, target, ufunc.nin)

    @property
    def python_class(self) -> type[Exception]:
        """The class, taken from an exception that NumPy raises."""
        try:
            np.add(1.5, 1, out=np.zeros((), np.int64), casting="same_kind")
        except TypeError as error:
            return type(error)
        return TypeError


PYTHON_CLASSES: dict[str, type[Exception]] = {
    "shape": ValueError,
    "dtype": TypeError,
    "value": ValueError,
    "index": IndexError,
    "overflow": OverflowError,
}
CODES = {"shape": "GP301", "dtype": "GP302", "value": "GP303", "index": "GP303", "overflow": "GP303"}
ERROR_CLASSES: dict[str, type[GraphProgramError]] = {
    "shape": ShapeError,
    "dtype": DTypeError,
    "value": ProgramValueError,
    "index": ProgramIndexError,
    "overflow": ProgramValueError,
}
