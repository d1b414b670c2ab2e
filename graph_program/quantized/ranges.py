"""The smallest and the largest number of values over a calibration set, inside of loops and branches as well."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import onnx_ir as ir

from graph_program.quantized.collected import Writer, collect
from graph_program.quantized.int8 import Range
from graph_program.quantized.running import Feed, session_of

Users = Mapping[ir.Graph, list[ir.Value]]
"""Values by the graph that reads them: where it does not run, they do not matter."""


class Raised(Exception):
    """An example with which the program raises.

    Attributes
    ----------
    number : int
        Of the example, from 1 on.
    error : int
        Of the error.
    """

    def __init__(self, number: int, error: int):
        super().__init__()
        self.number, self.error = number, error


def ranges_of(model: ir.Model, users: Users, feeds: Iterable[Feed], error: str) -> tuple[dict[str, Range], int]:
    """Run a model on examples.

    Parameters
    ----------
    model : onnx_ir.Model
        It is changed.
    users : mapping of onnx_ir.Graph to list of onnx_ir.Value
    feeds : iterable of feeds
        Read one after the other.
    error : str
        The output that tells errors; empty where there is none.

    Returns
    -------
    ranges : dict of str to (float, float)
        By the names of values; those that were not finite, or never computed, are left out.  0 is in each.
    count : int
        How many examples there were.

    Raises
    ------
    Raised
        At the first example with which the program raises.
    """

    def rows(graph: ir.Graph) -> dict[str, ir.Value]:
        writer = Writer(graph)
        values = {str(value.name): value for value in users.get(graph, [])}
        return {name: writer.largest(writer.node("Neg", value), value) for name, value in values.items()}

    names = collect(model, rows, "Max", 2, beside=error)
    session = session_of(model)
    found, count = np.zeros((len(names), 2), np.float32), 0
    for count, feed in enumerate(feeds, 1):
        rows_of_it, *told = session.run(session.outputs, feed)
        if any(number != 0 for number in told):
            raise Raised(count, int(told[0]))
        found = np.maximum(found, rows_of_it)
    largest: dict[str, Any] = {}
    for name, row in zip(names, found, strict=True):
        largest[name] = np.maximum(largest.get(name, 0), row)
    seen = {name: row for name, row in largest.items() if np.isfinite(row).all() and row.any()}
    return {name: (float(-below), float(above)) for name, (below, above) in seen.items()}, count


__all__ = ["Raised", "Users", "ranges_of"]
