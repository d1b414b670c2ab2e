"""The nodes of a model with their source places, by the names that onnxruntime has for them when it runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import onnx
import onnx.inliner

from graph_program.backends.onnx.call_sites import CALLS
from graph_program.backends.onnx.messages import SOURCE, source_of

if TYPE_CHECKING:
    from graph_program.extract.diagnostics import Loc


@dataclass(frozen=True)
class Place:
    """Where a node comes from, as its metadata has it: `track.py:7:12`, and the call sites, innermost first."""

    source: str = ""
    calls: str = ""


NOWHERE = Place()


def expanded(model: onnx.ModelProto) -> onnx.ModelProto:
    """The model without local functions, as onnxruntime makes it when it loads one; nodes know their calls.

    Each call gets a function of its own first, whose nodes say through which calls they are reached.
    """
    if not model.functions:
        return model
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    functions = {(f.domain, f.name): f for f in model.functions}
    del copy.functions[:]
    _call_copies(copy.graph.node, "", functions, copy.functions)
    return onnx.inliner.inline_local_functions(copy)


def _call_copies(nodes: Any, calls: str, functions: Mapping[tuple[str, str], onnx.FunctionProto], made: Any) -> None:
    """Have each call in nodes call a copy of its function; `calls` are those that lead to the nodes."""
    for node in _walk(nodes):
        inside = ", ".join(filter(None, (_entry(node, CALLS), calls)))
        if inside:
            _set(node, CALLS, inside)
        found = functions.get((node.domain, node.op_type))
        if found is None:
            continue
        copy = made.add()
        copy.CopyFrom(found)
        copy.name = node.op_type = f"{found.name}.{len(made)}"
        _call_copies(copy.node, ", ".join(filter(None, (_entry(node, SOURCE), inside))), functions, made)


def _entry(node: onnx.NodeProto, key: str) -> str:
    return next((p.value for p in node.metadata_props if p.key == key), "")


def _set(node: onnx.NodeProto, key: str, value: str) -> None:
    for entry in node.metadata_props:
        if entry.key == key:
            entry.value = value
            return
    node.metadata_props.add(key=key, value=value)


def _walk(nodes: Any) -> Iterator[onnx.NodeProto]:
    """Nodes and those of inner graphs."""
    for node in nodes:
        yield node
        for attribute in node.attribute:
            for graph in (attribute.g, *attribute.graphs):
                yield from _walk(graph.node)


class Nodes:
    """The places of a model's nodes.

    Parameters
    ----------
    model : onnx.ModelProto
        Without local functions.
    """

    def __init__(self, model: onnx.ModelProto):
        self._by_name: dict[str, Place] = {}
        self._by_output: dict[str, Place] = {}
        for node in _walk(model.graph.node):
            place = Place(source_of(node), _entry(node, CALLS))
            self._by_name.setdefault(node.name, place)
            for output in filter(None, node.output):
                self._by_output[output] = place
        self.has_places = any(place.source for place in self._by_name.values())

    def place(self, name: str) -> Place | None:
        """The place of a node; None for one that is not the model's."""
        return self._by_name.get(name)

    def add_optimized(self, model: onnx.ModelProto) -> None:
        """Learn the nodes that onnxruntime has made of the model's, from the optimized model.

        What several nodes were fused into makes the value that the last of them made.  What it has added, such as
        another layout of an array, belongs to what reads it, or else to what has made its input.
        """
        nodes = list(_walk(model.graph.node))
        readers = {name: node for node in reversed(nodes) for name in node.input}
        for node in nodes:
            if node.name not in self._by_name:
                self._by_name[node.name] = self._made_place(node, readers)

    def _made_place(self, node: onnx.NodeProto, readers: Mapping[str, onnx.NodeProto]) -> Place:
        found = self._first(node.output)
        reader = next((readers[name] for name in node.output if name in readers), None)
        if found is None and reader is not None:
            found = self._by_name.get(reader.name) or self._first(reader.output)
        return found or self._first(node.input) or NOWHERE

    def _first(self, values: Sequence[str]) -> Place | None:
        return next((self._by_output[name] for name in values if name in self._by_output), None)


@dataclass(frozen=True)
class Frame:
    """A line of a function that runs.

    Attributes
    ----------
    file : str
        The path, or where that is not known the name of the file.
    line : int
    function : str
        Its qualified name; empty where that is not known.
    """

    file: str
    line: int
    function: str = ""

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


Stack = tuple[Frame, ...]
"""The calls that lead to a line, outermost first, and the line."""


def stack_of(loc: Loc) -> Stack:
    """A place of a program that is here."""
    return tuple(Frame(place.file, place.line, place.function) for place in reversed(loc.chain))


__all__ = ["NOWHERE", "Frame", "Nodes", "Place", "Stack", "expanded", "stack_of"]
