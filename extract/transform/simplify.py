"""Local identities that hold bit for bit.

    a = cast(x, dtype=x's own)              y = transpose(x, perm=(1, 0))
    b = multiply(a, 1)          to
    c = transpose(b, perm=(0, 1))
    y = transpose(c, perm=(1, 0))

One function per operation: given the node, it returns the value or the nodes that stand in for it,
or None.  `x + 0.0` stays (it changes -0.0), and so does everything that rounds differently.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import cached_property

import numpy as np

from graph_program.extract.ir.graph import GraphProgram, Node, Value
from graph_program.extract.transform.opposites import opposite_of
from graph_program.extract.transform.rewrite import Rewriter, keep_outputs, uses_of
from graph_program.extract.types.tensors.tensor_type import BOOL

MOST_SELECTS = 3
"""Outputs of an `if` without work that are cheaper as `where`."""

END = np.iinfo(np.int64).max

Result = Value | list[Node] | None


def simplify(program: GraphProgram) -> None:
    """Apply local identities, in place."""
    _Simplify(program).run()


class _Simplify(Rewriter):
    @cached_property
    def uses(self) -> Counter[Value]:
        """How often each value was read when somebody first asked; counted for few programs."""
        return uses_of(self.program.graph)

    def visit(self, node: Node) -> list[Node]:
        rule = RULES.get(node.op)
        result = rule(self, node) if rule is not None else None
        if result is None:
            return [node]
        if isinstance(result, list):
            return result
        self.replace(node.outputs[0], result)
        return []

    def decided(self, value: Value, test: Value, holds: bool) -> Value:
        """What a number is where a test holds, or does not."""
        node = self.producer.get(value)
        opposite = node is not None and node.op == "invert" and node.inputs[0] is test
        if value is test or opposite:
            known = holds is not opposite
            return self.constant(np.array(known), str(known).lower())
        if node is not None and node.op == "where" and node.inputs[0] is test and _scalars(*node.inputs):
            return node.inputs[1 if holds else 2]
        return value

    def is_empty(self, value: Value, axis: int) -> bool:
        """Whether a value is what lies between the same two places of an axis."""
        part = self.made_by(value, "slice")
        if part is None or tuple(part.attrs["axes"]) != (axis,) or tuple(part.attrs["steps"]) != (1,):
            return False
        start, stop = map(self.constant_of, part.inputs[1:])
        return start is not None and stop is not None and int(start) == int(stop)

    def is_scalar(self, value: Value, number: complex) -> bool:
        """Whether the value is this constant, of rank 0 (negative zero is not zero)."""
        array = self.constant_of(value)
        return array is not None and array.ndim == 0 and array == number and not np.signbit(array.real)

    def is_minus_one(self, value: Value) -> bool:
        """Whether the value is the constant -1, of rank 0."""
        array = self.constant_of(value)
        return array is not None and array.ndim == 0 and array.dtype.kind in "if" and array == -1


def _scalars(*values: Value) -> bool:
    return all(value.type.rank == 0 for value in values)


def _cast(graph: _Simplify, node: Node) -> Result:
    (x,), dtype = node.inputs, np.dtype(node.attrs["dtype"])
    if x.type.dtype == dtype:
        return x
    inner = graph.made_by(x, "cast")
    if inner is None:
        return None
    (source,) = inner.inputs
    if not _keeps_every_value(source.type.dtype, x.type.dtype):
        return None
    if source.type.dtype == dtype:
        return source
    if all(d.kind in "biu" for d in (source.type.dtype, x.type.dtype, dtype)):
        return [graph.node("cast", [source], node.outputs[0], node.attrs, node.loc)]
    return None


def _keeps_every_value(old: np.dtype, new: np.dtype) -> bool:
    """Whether a cast is exact; NumPy calls int64 to float64 safe, which it is not."""
    if not np.can_cast(old, new, "safe"):
        return False
    if old.kind in "iu" and new.kind in "fc":
        return bool(np.iinfo(old).bits <= np.finfo(new).nmant + 1)
    return True


def _transpose(graph: _Simplify, node: Node) -> Result:
    (x,), perm = node.inputs, tuple(node.attrs["perm"])
    if perm == tuple(range(len(perm))):
        return x
    if x.type.shape == node.outputs[0].type.shape and _moves_single_axes(x, perm):
        return x
    inner = graph.made_by(x, "transpose")
    if inner is None:
        return None
    both = tuple(inner.attrs["perm"][axis] for axis in perm)
    if both == tuple(range(len(both))):
        return inner.inputs[0]
    return [graph.node("transpose", inner.inputs, node.outputs[0], {"perm": both}, node.loc)]


def _moves_single_axes(x: Value, perm: tuple[int, ...]) -> bool:
    """Whether axes with more than one element keep their order."""
    kept = [axis for axis in perm if x.type.shape[axis].constant != 1]
    return kept == sorted(kept)


def _slice(graph: _Simplify, node: Node) -> Result:
    """What has no elements is known where its sizes are; all of a tensor is the tensor itself."""
    type = node.outputs[0].type
    sizes = [size.constant for size in type.shape if size.constant is not None]
    if 0 in sizes and len(sizes) == type.rank:
        return graph.constant(np.empty(sizes, type.dtype), node.outputs[0].name)
    x, axes = node.inputs[0], node.attrs["axes"]
    starts, stops = node.inputs[1 : 1 + len(axes)], node.inputs[1 + len(axes) :]
    if any(step != 1 for step in node.attrs["steps"]):
        return None
    for axis, start, stop in zip(axes, starts, stops, strict=True):
        size, first, last = x.type.shape[axis].constant, graph.constant_of(start), graph.constant_of(stop)
        if first is None or last is None or int(first) != 0 or int(last) < (END if size is None else size):
            return None
    return x if x.type.shape == type.shape else None


def _squeeze(graph: _Simplify, node: Node) -> Result:
    """Axes that were put in are taken out again, also of some of the rows."""
    (x,), axes = node.inputs, tuple(node.attrs["axes"])
    taken = graph.made_by(x, "take")
    if taken is not None and (taken.inputs[1].type.rank != 1 or min(axes, default=0) <= taken.attrs["axis"]):
        return None
    expanded = graph.made_by(x if taken is None else taken.inputs[0], "expand_dims")
    if expanded is None or tuple(expanded.attrs["axes"]) != axes or min(axes) < 0:
        return None
    if taken is None:
        return expanded.inputs[0]
    return [graph.node("take", [expanded.inputs[0], taken.inputs[1]], node.outputs[0], taken.attrs, node.loc)]


def _expand_dims(graph: _Simplify, node: Node) -> Result:
    """Axes that are put in one after the other are put in at once; but a row of others stays one."""
    inner, rank = graph.made_by(node.inputs[0], "expand_dims"), node.outputs[0].type.rank
    if inner is None or tuple(node.attrs["axes"]) == (0,):
        return None
    outer = {axis % rank for axis in node.attrs["axes"]}
    others = [axis for axis in range(rank) if axis not in outer]
    axes = (*outer, *(others[axis] for axis in inner.attrs["axes"]))
    return [graph.node("expand_dims", inner.inputs, node.outputs[0], {"axes": tuple(sorted(axes))}, node.loc)]


def _concatenate(graph: _Simplify, node: Node) -> Result:
    """What is known to be empty adds nothing."""
    axis = node.attrs["axis"]
    kept = [x for x in node.inputs if x.type.shape[axis].constant != 0 and not graph.is_empty(x, axis)]
    if len(kept) == 1:
        return kept[0]
    if len(kept) in (0, len(node.inputs)):
        return None
    return [graph.node("concatenate", kept, node.outputs[0], node.attrs, node.loc)]


def _reshape(graph: _Simplify, node: Node) -> Result:
    x, *dims = node.inputs
    inner = graph.made_by(x, "reshape")
    if inner is None:
        return None
    return [graph.node("reshape", [inner.inputs[0], *dims], node.outputs[0], {}, node.loc)]


def _multiply(graph: _Simplify, node: Node) -> Result:
    x, y = node.inputs
    if graph.is_scalar(y, 1):
        return x
    return y if graph.is_scalar(x, 1) else None


def _power(graph: _Simplify, node: Node) -> Result:
    """A square is a product, as it is in NumPy."""
    x, y = node.inputs
    if x.type.dtype.kind != "f" or x.type.shape != node.outputs[0].type.shape or not graph.is_scalar(y, 2):
        return None
    return [graph.node("multiply", [x, x], node.outputs[0], {}, node.loc)]


def _divide(graph: _Simplify, node: Node) -> Result:
    return node.inputs[0] if graph.is_scalar(node.inputs[1], 1) else None


def _add(graph: _Simplify, node: Node) -> Result:
    """The negative of a number is subtracted."""
    x, y = node.inputs
    for given, added in ((x, y), (y, x)):
        opposite = _negated(graph, added)
        if opposite is not None and opposite.type == added.type:
            return [graph.node("subtract", [given, opposite], node.outputs[0], {}, node.loc)]
    if x.type.dtype.kind not in "iu":
        return None
    if graph.is_scalar(y, 0):
        return x
    if graph.is_scalar(x, 0):
        return y
    for given, added in ((x, y), (y, x)):
        less = graph.made_by(given, "subtract")
        if less is not None and less.inputs[1] is added and less.inputs[0].type == node.outputs[0].type:
            return less.inputs[0]
    return None


def _negated(graph: _Simplify, value: Value) -> Value | None:
    """What a value is the negative of; the sign of a NaN is none."""
    node = graph.producer.get(value)
    if node is not None and node.op == "multiply":
        return next((x for x, y in (node.inputs, node.inputs[::-1]) if graph.is_minus_one(y)), None)
    return node.inputs[0] if node is not None and node.op == "negative" else None


def _subtract(graph: _Simplify, node: Node) -> Result:
    x, y = node.inputs
    if graph.is_scalar(y, 0):
        return x
    added = graph.made_by(x, "add")
    if added is not None and y in added.inputs and x.type.dtype.kind in "iu" and graph.constant_of(y) is None:
        other = added.inputs[1 if added.inputs[0] is y else 0]
        return other if other.type == node.outputs[0].type else None
    return None


def _logical(neutral: bool) -> Callable[[_Simplify, Node], Result]:
    def rule(graph: _Simplify, node: Node) -> Result:
        for x, y in (node.inputs, node.inputs[::-1]):
            if x.type.dtype != BOOL:
                return None
            if graph.is_scalar(y, neutral):
                return x
            if graph.is_scalar(y, not neutral) and _scalars(x):
                return y
        return x if x is y else None

    return rule


def _invert(graph: _Simplify, node: Node) -> Result:
    inner = graph.producer.get(node.inputs[0])
    if inner is None:
        return None
    if inner.op == "invert":
        return inner.inputs[0]
    opposite = opposite_of(inner)
    return None if opposite is None else [graph.node(opposite, inner.inputs, node.outputs[0], {}, node.loc)]


def _where(graph: _Simplify, node: Node) -> Result:
    test, x, y = node.inputs
    either = _either(graph, test, x, y)
    if either is not None:
        return either
    opposite = graph.made_by(test, "invert")
    if opposite is not None:
        return graph.visit(graph.node("where", [opposite.inputs[0], y, x], node.outputs[0], {}, node.loc))
    if _scalars(test, x, y):
        for given, other in ((x, y), (y, x)):
            if graph.made_by(other, "placeholder"):
                return given  # where it would be the other, nobody reads it
    if not _scalars(test, x, y):
        return _choice_of_truths(graph, node) or _nested_choice(graph, node)
    known = graph.constant_of(test)
    if known is not None or x is y:
        return x if known is None or bool(known) else y
    decided = [graph.decided(value, test, side) for value, side in ((x, True), (y, False))]
    if decided != [x, y]:
        return graph.visit(graph.node("where", [test, *decided], node.outputs[0], {}, node.loc))
    return _choice_of_truths(graph, node)


def _choice_of_truths(graph: _Simplify, node: Node) -> Result:
    """A choice between truth values, of which one is known."""
    test, x, y = node.inputs
    if x.type.dtype != BOOL:
        return None
    if test is x or test is y:
        op, other = ("bitwise_or", y) if test is x else ("bitwise_and", x)
        return [graph.node(op, [test, other], node.outputs[0], {}, node.loc)]
    for side, op in ((x, "bitwise_and"), (y, "bitwise_or")):
        opposite = graph.made_by(side, "invert")
        if opposite is not None and opposite.inputs[0] is test:
            return [graph.node(op, [x, y], node.outputs[0], {}, node.loc)]
    if graph.is_scalar(x, True) and graph.is_scalar(y, False):
        return test
    if graph.is_scalar(x, False) and graph.is_scalar(y, True):
        return [graph.node("invert", [test], node.outputs[0], {}, node.loc)]
    if graph.is_scalar(x, True):
        return [graph.node("bitwise_or", [test, y], node.outputs[0], {}, node.loc)]
    if graph.is_scalar(y, False):
        return [graph.node("bitwise_and", [test, x], node.outputs[0], {}, node.loc)]
    if graph.is_scalar(y, True) or graph.is_scalar(x, False):
        other = Value(graph.names.fresh("otherwise"), test.type)
        op, value = ("bitwise_or", x) if graph.is_scalar(y, True) else ("bitwise_and", y)
        inverse = graph.node("invert", [test], other, {}, node.loc)
        return [inverse, graph.node(op, [other, value], node.outputs[0], {}, node.loc)]
    return None


def _nested_choice(graph: _Simplify, node: Node) -> Result:
    """A choice of arrays on one side of another, of which the other side is the same, is one by both tests."""
    test, *sides = node.inputs
    for place, op in ((1, "bitwise_or"), (0, "bitwise_and")):
        inner, same = graph.made_by(sides[place], "where"), sides[1 - place]
        if inner is None or graph.uses[sides[place]] > 1 or inner.inputs[2 - place] is not same:
            continue
        other = inner.inputs[0]
        if other.type.shape != test.type.shape or sides[place].type.shape != node.outputs[0].type.shape:
            continue
        both = Value(graph.names.fresh("both"), test.type)
        chosen = [both, *sides]
        chosen[1 + place] = inner.inputs[1 + place]
        made = graph.node("where", chosen, node.outputs[0], {}, node.loc)
        return [graph.node(op, [test, other], both, {}, node.loc), made]
    return None


def _not_equal(graph: _Simplify, node: Node) -> Result:
    """`cast(t) != 0` is t, for truths."""
    counted, number = graph.made_by(node.inputs[0], "cast"), graph.constant_of(node.inputs[1])
    if counted is None or number is None or number.ndim or number or counted.inputs[0].type.dtype != np.bool_:
        return None
    return counted.inputs[0]


def _equal(graph: _Simplify, node: Node) -> Result:
    """`where(t, 3, 5) == 3` is t."""
    select, number = graph.made_by(node.inputs[0], "where"), graph.constant_of(node.inputs[1])
    if select is None or number is None or not _scalars(*select.inputs, node.inputs[1]):
        return None
    x, y = (graph.constant_of(value) for value in select.inputs[1:])
    if x is None or y is None:
        return None
    match bool(x == number), bool(y == number):
        case True, False:
            return select.inputs[0]
        case False, True:
            return [graph.node("invert", [select.inputs[0]], node.outputs[0], {}, node.loc)]
        case same, _:
            return graph.constant(np.array(same))


def _either(graph: _Simplify, test: Value, x: Value, y: Value) -> Value | None:
    """What a choice of x, else y, gives in any case: `where(x == y, x, y)` is y, of integers and truths."""
    if x.type != y.type or x.type.dtype.kind not in "biu":
        return None
    for every, compares, whole in (("all", "equal", y), ("any", "not_equal", x)):
        over = graph.made_by(test, every)
        if over is not None and len(over.attrs["axes"]) != over.inputs[0].type.rank:
            continue
        compared = graph.made_by(test if over is None else over.inputs[0], compares)
        if compared is not None and {*compared.inputs} == {x, y}:
            return whole
    return None


def _if(graph: _Simplify, node: Node) -> Result:
    """Arms that give the same are no choice; those that do nothing but choose among scalars are `where`."""
    pairs = list(zip(*(region.outputs for region in node.regions), strict=True))
    found = [_either(graph, node.inputs[0], x, y) for x, y in pairs]
    for output, value in zip(node.outputs, found, strict=True):
        if value is not None:
            graph.replace(output, value)
    if any(found):
        keep_outputs(node, [i for i, value in enumerate(found) if value is None])
    return _choice(graph, node)


def _choice(graph: _Simplify, node: Node) -> Result:
    work = any(region.nodes for region in node.regions)
    if work or len(node.outputs) > MOST_SELECTS or not _scalars(*node.outputs):
        return None
    made = []
    for output, x, y in zip(node.outputs, *(region.outputs for region in node.regions), strict=True):
        made += graph.visit(graph.node("where", [node.inputs[0], x, y], output, {}, node.loc))
    return made


RULES: dict[str, Callable[[_Simplify, Node], Result]] = {
    "cast": _cast,
    "transpose": _transpose,
    "reshape": _reshape,
    "slice": _slice,
    "squeeze": _squeeze,
    "expand_dims": _expand_dims,
    "concatenate": _concatenate,
    "multiply": _multiply,
    "power": _power,
    "divide": _divide,
    "add": _add,
    "subtract": _subtract,
    "bitwise_and": _logical(neutral=True),
    "bitwise_or": _logical(neutral=False),
    "invert": _invert,
    "where": _where,
    "equal": _equal,
    "not_equal": _not_equal,
    "if": _if,
}
