"""Sides of branches whose results other runtimes take for those of both sides.

    y = If(p) {c} {x + 1}                ->     y = If(~p) {x + 1} {c}

    y, z = If(p) {c, x + 1} {x + 1, c}   ->     y, z = If(p) {c * r, x + 1} {x + 1, c}

    e, y = If(n < 1) {1, _} {0, a @ b}   ->     e = Where(n < 1, 1, 0); y = a @ b

    y = If(p) {-x} {x + 1}               ->     y = Where(p, -x, x + 1)

In tract, what the first side gives is a constant for all that reads the branch's result, where it is one on that side
(0.23).  So constants are given by the other side, or else are chosen by a truth that only a run knows to be one.

Both sides have one size there.  Where sizes of arguments decide which one runs, and one of them gives a placeholder,
the other one is done as well, and its results are given: sizes that do not fit are told by an error of the runtime's.
So are both sides where constants decide.  tract takes no two branches that a run decides beside each other, so both
sides are done, too, where that is arithmetic of numbers, or of arrays of known sizes, that cannot fail.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from functools import cache

import onnx_ir as ir

from graph_program.backends.onnx.shapes import ELEMENTWISE, attribute
from graph_program.backends.onnx.unknown_truths import truth_of_a_run

SIDES = ("then_branch", "else_branch")
SIZES = frozenset(["Shape", "Size"])
"""What these give is known where the sizes of arguments are."""
FLOATS = frozenset({ir.DataType.FLOAT, ir.DataType.DOUBLE})
NUMBERS = FLOATS | frozenset({ir.DataType.INT32, ir.DataType.INT64, ir.DataType.UINT8})
"""Element types of which every runtime chooses."""
MOVES = frozenset(["Concat", "Squeeze", "Transpose", "Unsqueeze"])
FOUND = frozenset(["ArgMax", "ArgMin", "ReduceMax", "ReduceMin", "ReduceSum"])
HARMLESS = ELEMENTWISE | MOVES | FOUND | {"CastLike", "Constant"}
"""Operators that give something for all elements, where there are any."""


def with_chosen_sides(graph: ir.Graph, unique: Callable[[str], str]) -> None:
    """Have no first side of a branch give what no run decides, in place, and in inner graphs.

    Parameters
    ----------
    graph : onnx_ir.Graph
    unique : callable
        Makes a name unique.
    """
    decided = Decided()
    truth = cache(lambda: truth_of_a_run(graph, unique))
    for node in _branches(graph):
        side, other = _sides(node)
        known = [place for place, output in enumerate(side.outputs) if not decided.by_a_run(output)]
        if known and all(map(decided.by_a_run, other.outputs)):
            _exchange(node, unique)
            continue
        for place in known:
            chosen = _chosen(side, truth, side.outputs[place], unique)
            if chosen is not None:
                side.outputs[place] = chosen


def _exchange(node: ir.Node, unique: Callable[[str], str]) -> None:
    """Have a branch ask for the contrary, with each side in the place of the other."""
    condition, around = node.inputs[0], node.graph
    assert condition is not None and isinstance(around, ir.Graph)
    never = ir.Value(name=unique(f"{condition.name}.not"), type=condition.type, shape=condition.shape)
    contrary = ir.Node("", "Not", [condition], outputs=[never], name=f"Not_{never.name}")
    contrary.metadata_props.update(node.metadata_props)
    around.insert_before(node, contrary)
    node.replace_input_with(0, never)
    first, second = (node.attributes.pop(name).as_graph() for name in SIDES)
    for name, side in zip(SIDES, (second, first), strict=True):
        node.attributes[name] = ir.AttrGraph(name, side)


def with_one_size(graph: ir.Graph, unique: Callable[[str], str], placeholders: Collection[ir.Value]) -> None:
    """Have no branch that sizes decide whose sides give arrays of other sizes, where one of these is not used.

    Parameters
    ----------
    graph : onnx_ir.Graph
        Changed in place, with its inner graphs.
    unique : callable
        Makes a name unique.
    placeholders : collection of onnx_ir.Value
        Constants of which nothing is used.
    """
    decided, measured, unused = Decided(), Decided(sizes=True), set(placeholders)
    for node in _branches(graph):
        if node.inputs[0] is None or decided.by_a_run(node.inputs[0]):
            continue
        if measured.by_a_run(node.inputs[0]) and all(_one_size(*pair) for pair in _pairs(node)):
            continue
        if _can_be_done(node, unused):
            _both_done(node, unused, unique)


def without_cheap_sides(graph: ir.Graph, unique: Callable[[str], str], placeholders: Collection[ir.Value]) -> None:
    """Have no branch whose sides are arithmetic that cannot fail.

    Parameters
    ----------
    graph : onnx_ir.Graph
        Changed in place, with its inner graphs.
    unique : callable
        Makes a name unique.
    placeholders : collection of onnx_ir.Value
        Constants of which nothing is used.
    """
    unused = set(placeholders)
    for node in reversed(_branches(graph)):  # those in a side come before its branch
        if _can_be_done(node, unused) and all(_cannot_fail(each) for side in _sides(node) for each in side):
            _both_done(node, unused, unique)


def _branches(graph: ir.Graph) -> list[ir.Node]:
    """Those of a graph and of its inner graphs, each before those in its sides."""
    return [node for node in ir.traversal.RecursiveGraphIterator(graph) if node.op_type == "If" and not node.domain]


def _sides(node: ir.Node) -> list[ir.Graph]:
    return [attribute(node, name) for name in SIDES]


def _pairs(node: ir.Node) -> list[tuple[ir.Value, ...]]:
    """What the sides give for each result."""
    return [*zip(*(side.outputs for side in _sides(node)), strict=True)]


def _can_be_done(node: ir.Node, unused: Collection[ir.Value]) -> bool:
    """Whether the results of a branch can be those of one of its sides, where both are done."""
    return all(pair[0] in unused or pair[1] in unused or _can_be_chosen(*pair) for pair in _pairs(node))


def _cannot_fail(node: ir.Node) -> bool:
    """Whether an operation is harmless where its side is not taken."""
    if node.op_type not in HARMLESS or node.domain:
        return False
    (output,) = node.outputs
    divides = node.op_type in ("Div", "Mod", "Pow") and output.dtype not in FLOATS
    arrays = (output, *node.inputs[: node.op_type in FOUND])
    return not divides and all(array is not None and _has_elements(array) for array in arrays)


def _has_elements(array: ir.Value) -> bool:
    """Whether an array is known to have so many of them, and some."""
    return array.shape is not None and all(isinstance(size, int) and size > 0 for size in array.shape)


def _one_size(one: ir.Value, other: ir.Value) -> bool:
    """Whether two values have the same known sizes."""
    if one.shape is None or other.shape is None:
        return False
    return [*one.shape] == [*other.shape] and all(isinstance(size, int) for size in one.shape)


def _can_be_chosen(one: ir.Value, other: ir.Value) -> bool:
    return _one_size(one, other) and (one.dtype in NUMBERS or one.dtype == ir.DataType.BOOL)


def _both_done(
    node: ir.Node,
    unused: Collection[ir.Value],
    unique: Callable[[str], str],
) -> None:
    """Put the sides of a branch in its place."""
    around, pairs = node.graph, _pairs(node)
    assert isinstance(around, ir.Graph)
    for side in _sides(node):
        side.outputs.clear()
        nodes = [*side]
        side.remove(nodes)
        around.insert_before(node, nodes)
    for output, (one, other) in zip([*node.outputs], pairs, strict=True):
        name = str(output.name)
        output.name = unique(f"{name}.branch")
        made = ir.Value(name=name, type=output.type, shape=output.shape)
        if one in unused or other in unused:
            new = [ir.Node("", "Identity", [other if one in unused else one], outputs=[made])]
        elif one.dtype == ir.DataType.BOOL:
            new = _chosen_truth(node.inputs[0], one, other, made, unique)
        else:
            new = [ir.Node("", "Where", [node.inputs[0], one, other], outputs=[made])]
        for each in new:
            each.name = f"{each.op_type}_{each.outputs[0].name}"
            each.metadata_props.update(node.metadata_props)
        around.insert_before(node, new)
        ir.convenience.replace_all_uses_with(output, made, replace_graph_outputs=True)
    around.remove(node, safe=True)


def _chosen_truth(
    condition: ir.Value | None, one: ir.Value, other: ir.Value, made: ir.Value, unique: Callable[[str], str]
) -> list[ir.Node]:
    """`(condition & one) | (~condition & other)`, as few runtimes choose of truths."""
    names = [unique(f"{made.name}.{word}") for word in ("not", "one", "other")]
    never, first, second = (ir.Value(name=name, type=made.type) for name in names)
    return [
        ir.Node("", "Not", [condition], outputs=[never]),
        ir.Node("", "And", [condition, one], outputs=[first]),
        ir.Node("", "And", [never, other], outputs=[second]),
        ir.Node("", "Or", [first, second], outputs=[made]),
    ]


def _chosen(
    side: ir.Graph, truth: Callable[[], ir.Value | None], output: ir.Value, unique: Callable[[str], str]
) -> ir.Value | None:
    """A value as one that only a run knows; None where there is none, or not every runtime chooses of its type."""
    runs = truth() if output.dtype in NUMBERS or output.dtype == ir.DataType.BOOL else None
    if runs is None:
        return None
    if output.dtype in FLOATS and output.dtype is not None:  # a choice may lose the sign of a zero
        one = ir.Value(name=unique(f"{output.name}.one"), type=output.type, shape=ir.Shape(()))
        to = ir.AttrInt64("to", output.dtype.value)
        side.append(ir.Node("", "Cast", [runs], [to], outputs=[one], name=f"Cast_{one.name}"))
        operator, inputs = "Mul", [output, one]
    elif output.dtype == ir.DataType.BOOL:
        operator, inputs = "And", [runs, output]
    else:
        operator, inputs = "Where", [runs, output, output]
    made = ir.Value(name=output.name, type=output.type, shape=output.shape)
    output.name = unique(f"{output.name}.side")
    node = ir.Node("", operator, inputs, outputs=[made], name=f"{operator}_{made.name}")
    producer = output.producer()
    if producer is not None:
        producer.name = f"{producer.op_type}_{producer.outputs[0].name}"
        node.metadata_props.update(producer.metadata_props)
    side.append(node)
    return made


class Decided:
    """Which values hang on elements of arguments, and not only on their sizes; or on sizes, too."""

    def __init__(self, sizes: bool = False) -> None:
        self.sizes = sizes
        self.found: dict[ir.Value, bool] = {}

    def by_a_run(self, value: ir.Value) -> bool:
        """Whether only a run decides what a value is."""
        if value not in self.found:
            self.found[value] = self._decided(value)
        return self.found[value]

    def _decided(self, value: ir.Value) -> bool:
        node = value.producer()
        if node is None:
            return not value.is_initializer()
        if node.op_type in SIZES and not self.sizes:
            return False
        condition = node.inputs[0] if node.op_type == "If" else None
        if condition is not None and not self.by_a_run(condition):  # it is the side that runs, whichever that is
            place = [*node.outputs].index(value)
            return all(self.by_a_run(attribute(node, name).outputs[place]) for name in SIDES)
        given = (*node.inputs, *_captured(node))
        return any(self.by_a_run(one) for one in given if one is not None)


def _captured(node: ir.Node) -> Iterator[ir.Value]:
    """What inner graphs of a node give: it is made of what they read, and of what they count."""
    for one in node.attributes.values():
        if one.type == ir.AttributeType.GRAPH:
            yield from one.as_graph().outputs


__all__ = ["Decided", "with_chosen_sides", "with_one_size", "without_cheap_sides"]
