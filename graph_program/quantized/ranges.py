"""The smallest and the largest number of values over a calibration set, inside of loops and branches as well."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import onnx_ir as ir

from graph_program.quantized.collected import ROWS, Writer, collect
from graph_program.quantized.int8 import Range
from graph_program.quantized.running import Feed, session_of

Users = Mapping[ir.Graph, list[ir.Value]]
"""Values by the graph that reads them: where it does not run, they do not matter."""


def ranges_of(model: ir.Model, users: Users, feeds: Iterable[Feed]) -> tuple[dict[str, Range], int]:
    """Run a model on examples.

    Parameters
    ----------
    model : onnx_ir.Model
        It is changed.
    users : mapping of onnx_ir.Graph to list of onnx_ir.Value
    feeds : iterable of feeds
        Read one after the other.

    Returns
    -------
    ranges : dict of str to (float, float)
        By the names of values; those that were not finite, or never computed, are left out.  0 is in each.
    count : int
        How many examples there were.
    """

    def rows(graph: ir.Graph) -> dict[str, ir.Value]:
        writer = Writer(graph)
        values = {str(value.name): value for value in users.get(graph, [])}
        return {name: writer.largest(writer.node("Neg", value), value) for name, value in values.items()}

    names = collect(model, rows, "Max", 2)
    session = session_of(model)
    found, count = np.zeros((len(names), 2), np.float32), 0
    for feed in feeds:
        found = np.maximum(found, session.run([ROWS], feed)[0])
        count += 1
    largest: dict[str, Any] = {}
    for name, row in zip(names, found, strict=True):
        largest[name] = np.maximum(largest.get(name, 0), row)
    seen = {name: row for name, row in largest.items() if np.isfinite(row).all() and row.any()}
    return {name: (float(-below), float(above)) for name, (below, above) in seen.items()}, count


__all__ = ["Users", "ranges_of"]
