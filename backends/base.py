"""What a back end is: something that makes a runnable thing out of a graph program."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from graph_program.extract.ir.graph import GraphProgram


class Executable(Protocol):
    """A compiled graph program."""

    def run(self, inputs: list[np.ndarray]) -> list[np.ndarray]:
        """The graph's outputs for its inputs, both in the graph's order (see `GraphProgram`)."""
        ...


class Backend(Protocol):
    """Compiles graph programs."""

    def compile(self, program: GraphProgram) -> Executable:
        """Make a graph program runnable."""
        ...
