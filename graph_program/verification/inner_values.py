"""Values inside a model as outputs of it: of a branch those of the side that ran, of a loop those of one or all rounds.

    y = If(test, {a = Exp(x)}, {..})            ->      y, a' = If(test, {a = Exp(x); a' = a}, {..; a' = []})

    y = Loop(n, {(k) a = Exp(x)})               ->      y, a' = Loop(n, {(k) a = Exp(x); a' = a})       all rounds

    y = Loop(n, {(k) a = Exp(x)})               ->      y, a' = Loop(n, [], {(k, b) a = Exp(x)          round 3
                                                            a' = If(k == 3, {a}, {b})})

Graphs are named by the way to them: the place of a node, and its attribute with the graph.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import onnx
from onnx import helper, inliner, shape_inference

from graph_program.backends.models import walks

Way = tuple[tuple[int, str], ...]
SEEN = "seen."
"""Before the names of the new outputs."""


def without_functions(model: onnx.ModelProto) -> onnx.ModelProto:
    """The model with its functions inlined, and with the types of all values."""
    return shape_inference.infer_shapes(inliner.inline_local_functions(model))


def graph_at(model: onnx.ModelProto, way: Way) -> onnx.GraphProto:
    """A graph inside a model."""
    graph = model.graph
    for place, attribute in way:
        graph = inner_graphs(graph.node[place])[attribute]
    return graph


def inner_graphs(node: onnx.NodeProto) -> dict[str, onnx.GraphProto]:
    """The sides of a branch, or the body of a loop, by attribute."""
    return {attribute.name: attribute.g for attribute in node.attribute if attribute.type == attribute.GRAPH}


def made_in(graph: onnx.GraphProto) -> Iterator[tuple[int, str]]:
    """The values that the nodes of a graph give, in order, with the places of the nodes."""
    return ((place, name) for place, node in enumerate(graph.node) for name in node.output if name)


def with_outputs(
    model: onnx.ModelProto, way: Way, names: Sequence[str], rounds: Sequence[int] = ()
) -> tuple[onnx.ModelProto, dict[str, str]]:
    """A model that gives some values of an inner graph, and nothing else.

    Parameters
    ----------
    model : onnx.ModelProto
    way : Way
    names : sequence of str
    rounds : sequence of int
        Which round is looked at in each of the outer loops on the way; of the others, all are.

    Returns
    -------
    model : onnx.ModelProto
    outputs : dict of str to str
        The values by the names of the new outputs; those whose element types are not known are left out.
    """
    made = onnx.ModelProto()
    made.CopyFrom(model)
    shown = _Shown(made, list(rounds)).of(made.graph, way, names)
    del made.graph.output[:]
    made.graph.output.extend(helper.make_tensor_value_info(new, type_, None) for _, new, type_ in shown)
    return made, {new: name for name, new, _ in shown}


def cut_behind(model: onnx.ModelProto, count: int) -> onnx.ModelProto:
    """A model of the first nodes of another one, which gives what none of these reads."""
    made = onnx.ModelProto()
    made.CopyFrom(model)
    del made.graph.node[count:]
    read = {name for node in walks.nodes_of(made) for name in node.input}
    read |= {output.name for graph in walks.inner_graphs(made.graph.node) for output in graph.output}
    types = element_types(made.graph)
    left = [name for _, name in made_in(made.graph) if name not in read and name in types]
    del made.graph.output[:]
    made.graph.output.extend(helper.make_tensor_value_info(name, types[name], None) for name in left)
    return made


Copy = tuple[str, str, int]
"""The name of a value, that of a copy of it which can be read further out, and the element type."""


class _Shown:
    """Has a model make copies of values, of its own or inside of it."""

    def __init__(self, model: onnx.ModelProto, rounds: list[int]):
        self.model = model
        self.rounds = rounds

    def of(self, graph: onnx.GraphProto, way: Way, names: Sequence[str]) -> list[Copy]:
        """The copies that can be read in a graph of values of an inner one."""
        if not way:
            types = element_types(graph)
            found = [(name, SEEN + name, types[name]) for name in names if name in types]
            graph.node.extend(helper.make_node("Identity", [name], [new]) for name, new, _ in found)
            return found
        (place, attribute), *rest = way
        node = graph.node[place]
        which = self.rounds.pop(0) if node.op_type == "Loop" and self.rounds else None
        copies = self.of(inner_graphs(node)[attribute], tuple(rest), names)
        if node.op_type == "If":
            return [self._of_a_side(node, attribute, copy) for copy in copies]
        if which is not None:
            return [self._of_a_round(node, which, copy) for copy in copies]
        return [self._of_all_rounds(node, attribute, copy) for copy in copies]

    def _of_a_side(self, node: onnx.NodeProto, attribute: str, copy: Copy) -> Copy:
        name, new, type_ = copy
        for other, side in inner_graphs(node).items():
            if other != attribute:  # the side that does not run
                side.node.append(helper.make_node("Constant", [], [new], value=_nothing(new, type_)))
            side.output.append(helper.make_tensor_value_info(new, type_, None))
        node.output.append(_outside(new))
        return name, node.output[-1], type_

    def _of_all_rounds(self, node: onnx.NodeProto, attribute: str, copy: Copy) -> Copy:
        name, new, type_ = copy
        inner_graphs(node)[attribute].output.append(helper.make_tensor_value_info(new, type_, None))
        node.output.append(_outside(new))
        return name, node.output[-1], type_

    def _of_a_round(self, node: onnx.NodeProto, which: int, copy: Copy) -> Copy:
        name, new, type_ = copy
        body, carried = inner_graphs(node)["body"], len(node.input) - 2
        begin, before, after, number, test = (f"{new}.{word}" for word in ("begin", "before", "after", "number", "is"))
        self.model.graph.initializer.append(_nothing(begin, type_))
        body.input.append(helper.make_tensor_value_info(before, type_, None))
        sides = (
            helper.make_graph(
                [helper.make_node("Identity", [value], [f"{after}.{side}"])],
                side,
                [],
                [helper.make_tensor_value_info(f"{after}.{side}", type_, None)],
            )
            for side, value in (("then", new), ("else", before))
        )
        this = helper.make_tensor(number, onnx.TensorProto.INT64, [], [which])
        body.node.append(helper.make_node("Constant", [], [number], value=this))
        body.node.append(helper.make_node("Equal", [body.input[0].name, number], [test]))
        then, other = sides
        body.node.append(helper.make_node("If", [test], [after], then_branch=then, else_branch=other))
        node.input.append(begin)
        _insert(body.output, carried + 1, helper.make_tensor_value_info(after, type_, None))
        _insert(node.output, carried, _outside(new))
        return name, _outside(new), type_


def _outside(name: str) -> str:
    return f"{name}.out"


def _nothing(name: str, type_: int) -> onnx.TensorProto:
    return helper.make_tensor(name, type_, [0], [])


def _insert(field: Any, place: int, new: Any) -> None:
    """Insert into a list of a message."""
    values = list(field)
    del field[:]
    field.extend([*values[:place], new, *values[place:]])


def element_types(graph: onnx.GraphProto) -> Mapping[str, int]:
    """The element types of the values of a graph, where they are said."""
    values = (*graph.value_info, *graph.output, *graph.input)
    return {value.name: value.type.tensor_type.elem_type for value in values if value.type.tensor_type.elem_type}


__all__ = ["Way", "cut_behind", "graph_at", "inner_graphs", "made_in", "with_outputs", "without_functions"]
