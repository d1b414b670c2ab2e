"""Attributes of captured objects that a model has as constants, for its description.

The file refuses a state that has something else there: `graph_program/onnx_program/fixed.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from graph_program.exports.literals import ClassTable, Json
from graph_program.extract.ir.graph import Graph
from graph_program.extract.ir.interface import CapturedInput, Interface
from graph_program.extract.ir.paths import KeyStep, Path, path_text
from graph_program.onnx_program.classes import bytes_of, digest_of

KNOWN = (type(None), bool, int, float, complex, str, bytes, np.generic)


def fixed_attributes(described: Interface, graph: Graph, classes: ClassTable) -> list[Json]:
    """What the program reads of captured objects, with its value."""
    used = _inputs_read(graph)
    arrays = {path_text(i.path) for i in described.inputs if isinstance(i, CapturedInput) and i.name in used}
    state = {path_text(path) for path, _ in described.state.attributes()}
    read = (
        (guard.path, guard.value) for guard in described.guards if guard.path and path_text(guard.path) not in state
    )
    parts = (part for path, value in read for part in _parts(path, value))
    return [_written(path, value, path_text(path) in arrays, classes) for path, value in parts]


def _parts(path: Path, value: Any) -> Iterator[tuple[Path, Any]]:
    """A value, and what it holds."""
    yield path, value
    if type(value) in (list, tuple):
        for i, part in enumerate(value):
            yield from _parts((*path, i), part)
    elif type(value) is dict:
        for key, part in value.items():
            yield from _parts((*path, KeyStep(key)), part)


def _inputs_read(graph: Graph) -> set[str]:
    read = {id(value) for node in graph.walk() for value in node.inputs}
    read |= {id(value) for inner in (graph, *_regions(graph)) for value in inner.outputs}
    return {value.name for value in graph.inputs if id(value) in read}


def _regions(graph: Graph) -> Iterator[Graph]:
    return (region for node in graph.walk() for region in node.regions)


def _written(path: Path, value: Any, is_read: bool, classes: ClassTable) -> Json:
    node: dict[str, Json] = {"path": classes.path(path)}
    if isinstance(value, np.ndarray):
        digest = {"digest": digest_of(bytes_of(value))} if is_read else {}
        node["array"] = {"dtype": value.dtype.name, "shape": list(value.shape), **digest}
    elif type(value) in (list, tuple, dict):
        node["length"] = len(value)
    elif isinstance(value, KNOWN):
        node["value"] = classes.literal(value)
    return node


__all__ = ["fixed_attributes"]
