"""The smallest and the largest number of values over a calibration set, inside of loops and branches as well."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import onnx_ir as ir

from graph_program.backends.onnxruntime.session import RUN_ERRORS, reason
from graph_program.quantized.collected import ROWS, Writer, collect
from graph_program.quantized.running import Feed, session_of

Users = Iterable[tuple[ir.Node, Sequence[ir.Value]]]
"""Operations, each with some of its values: where it does not run, they do not matter."""
Range = tuple[float, float]
"""The smallest and the largest number that a value has had."""
Ranges = Mapping[tuple[str, str], Range]
"""Of values, by the name of the operation and their own."""


class Raised(Exception):
    """An example with which the program raises.

    Attributes
    ----------
    number : int
        Of the example, from 1 on.
    error : int
        Of the error.
    said : str
        By onnxruntime, where the program does not tell of it.
    """

    def __init__(self, number: int, error: int = 0, said: str = ""):
        super().__init__()
        self.number, self.error, self.said = number, error, said


def ranges_of(model: ir.Model, users: Users, feeds: Iterable[Feed], error: str) -> tuple[Ranges, int]:
    """Run a model on examples.

    Parameters
    ----------
    model : onnx_ir.Model
        It is changed.
    users : iterable of (onnx_ir.Node, sequence of onnx_ir.Value)
    feeds : iterable of feeds
        Read one after the other.
    error : str
        The output that tells errors; empty where there is none.

    Returns
    -------
    ranges : mapping of (str, str) to (float, float)
        Those that were not finite, or never computed, are left out.  0 is in each.
    count : int
        How many examples there were.

    Raises
    ------
    Raised
        At the first example with which the program raises.
    """

    of_graph: dict[Any, dict[tuple[str, str], ir.Value]] = {}
    for node, values in users:
        named = {(str(node.name), str(value.name)): value for value in values}
        of_graph.setdefault(node.graph, {}).update(named)

    def rows(graph: ir.Graph) -> dict[tuple[str, str], ir.Value]:
        writer, named = Writer(graph), of_graph.get(graph, {})
        told = {value: writer.largest(writer.node("Neg", value), value) for value in dict.fromkeys(named.values())}
        return {key: told[value] for key, value in named.items()}

    keys = collect(model, rows, "Max", 2, beside=error)
    session = session_of(model)
    found, count = np.zeros((len(keys), 2), np.float32), 0
    for count, feed in enumerate(feeds, 1):
        try:
            outputs = session.all_of(feed)  # where nothing has a range, they are the program's own
        except RUN_ERRORS as failure:
            raise Raised(count, said=reason(failure)) from None
        told = int(outputs[error]) if error in outputs else 0
        if told:
            raise Raised(count, told)
        if keys:
            found = np.maximum(found, outputs[ROWS])
    seen = {key: row for key, row in zip(keys, found, strict=True) if np.isfinite(row).all() and row.any()}
    return {key: (float(-below), float(above)) for key, (below, above) in seen.items()}, count


__all__ = ["Raised", "Range", "Ranges", "Users", "ranges_of"]
