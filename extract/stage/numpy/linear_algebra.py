"""The functions of `np.linalg` that are programs, written in the language itself (`extract/library/linalg`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from graph_program.extract.library.linalg import elimination
from graph_program.extract.stage.numpy.programs import program_function

PROGRAMS: dict[Any, Callable[..., Any]] = {
    np.linalg.solve: elimination.solve,
    np.linalg.inv: elimination.inv,
    np.linalg.det: elimination.det,
    np.linalg.slogdet: elimination.slogdet,
}

NAMED_TUPLES = (np.linalg.slogdet,)
"""The functions whose results have fields."""

for _function, _program in PROGRAMS.items():
    program_function(_function, _program, several=_function in NAMED_TUPLES)

__all__ = ["PROGRAMS"]
