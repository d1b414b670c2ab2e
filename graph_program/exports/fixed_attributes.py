"""Attributes of captured objects that a model has as constants, for its description.

The file refuses a state that has something else there: `graph_program/onnx_program/fixed.py`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from graph_program.exports.literals import ClassTable, Json
from graph_program.exports.specialised import guard_name
from graph_program.extract.ir.graph import Graph
from graph_program.extract.ir.interface import CapturedInput, Guard, Interface
from graph_program.extract.ir.paths import path_text
from graph_program.onnx_program.fixed import bytes_of, digest_of

ATTRIBUTE = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)+")
"""`self.k`, `self.filter.taps`: the objects of a state are found by names."""
KNOWN = (type(None), bool, int, float, complex, str, bytes, np.generic)


def fixed_attributes(described: Interface, graph: Graph, classes: ClassTable) -> list[Json]:
    """What the program reads of captured objects, with its value."""
    used = _inputs_read(graph)
    arrays = {path_text(i.path) for i in described.inputs if isinstance(i, CapturedInput) and i.name in used}
    state = {path_text(path) for path, _ in described.state.attributes()}
    return [
        _written(text, guard, text in arrays, classes) for text, guard in _attributes(described) if text not in state
    ]


def _inputs_read(graph: Graph) -> set[str]:
    read = {id(value) for node in graph.walk() for value in node.inputs}
    read |= {id(value) for inner in (graph, *_regions(graph)) for value in inner.outputs}
    return {value.name for value in graph.inputs if id(value) in read}


def _regions(graph: Graph) -> Iterator[Graph]:
    return (region for node in graph.walk() for region in node.regions)


def _attributes(described: Interface) -> Iterator[tuple[str, Guard]]:
    for guard in described.guards:
        text = guard_name(guard)
        if guard.owner is not None and ATTRIBUTE.fullmatch(text):
            yield text, guard


def _written(text: str, guard: Guard, is_read: bool, classes: ClassTable) -> Json:
    *owner, name = text.split(".")
    node: dict[str, Json] = {"owner": owner, "name": name}
    value: Any = guard.value
    if isinstance(value, np.ndarray):
        digest = {"digest": digest_of(bytes_of(value))} if is_read else {}
        node["array"] = {"dtype": value.dtype.name, "shape": list(value.shape), **digest}
    elif isinstance(value, KNOWN):
        node["value"] = classes.literal(value)
    return node


__all__ = ["fixed_attributes"]
