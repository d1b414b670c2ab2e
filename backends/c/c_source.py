"""What a C file is, besides its text: how its function is called, and what it tells."""

from __future__ import annotations

from dataclasses import field
from typing import Any

import numpy as np

from graph_program.backends.c.expression import Expr
from graph_program.extract.ir.graph import Value
from graph_program.extract.records import dataclass


@dataclass(frozen=True)
class Parameter:
    """One parameter of the C function.

    Attributes
    ----------
    name : str
    c_type : str
        With the `*` of a pointer.
    role : str
        "size", "number", "array"; of results "number", "array", "made" and "size"; "error".
    value : Value, optional
        What of the graph it is, or has the size of.
    axis : int
    """

    name: str
    c_type: str
    role: str
    value: Value | None = None
    axis: int = 0
    is_result: bool = False

    def __str__(self) -> str:
        return f"{self.c_type}{'' if self.c_type.endswith('*') else ' '}{self.name}"


@dataclass
class CSource:
    """The two files of a program, and how the function is called.

    Attributes
    ----------
    name : str
        The function's.
    text, header : str
    parameters : list of Parameter
    sizes : dict of Value to list of Expr
        Of each result in the caller's memory, its sizes in C, in the names of the parameters.
    """

    name: str
    text: str
    header: str
    parameters: list[Parameter]
    sizes: dict[Value, list[Expr]] = field(default_factory=dict)
    error_fields: list[tuple[str, str, Value]] = field(default_factory=list)
    """What the error tells besides its number: name, C type, and value of the graph."""
    takes_memory: bool = True
    """Whether the function calls `malloc`."""
    prototype: str = ""
    stem: str = ""
    workspace: int = 0
    """So many bytes are enough for the memory that the caller gives."""
    told: list[tuple[int, str]] = field(default_factory=list)
    """The errors that a call may end with, each with its text."""
    dtypes: list[np.dtype[Any]] = field(default_factory=list)
    """Element types whose objects the function takes from `gp_types`, as it calls Python."""
    weights: bytes = b""
    """What the structure of weights holds."""
    state: int = 0
    """The bytes of what is kept from call to call in a structure of the caller's."""
    kept: frozenset[str] = frozenset()
    """The names of inputs and outputs that are in it."""
    lacks_memory: bool = False
    """Whether a call may end as there is no memory, or as sizes are beyond what can be counted."""


__all__ = ["CSource", "Parameter"]
