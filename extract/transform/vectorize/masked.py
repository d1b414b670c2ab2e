"""A loop in a loop whose rounds are done beside each other: all lanes go on until the last one has ended.

    for r in ...:                           active = [...]
        while x[r] < 4:             to      while any(active):
            x[r] = f(x[r])                      x = where(active, f(x), x)
                                                active = active & (x < 4)

A lane that has ended keeps its values, as in JAX's batching rule of `while_loop`.  A value that nobody reads
behind the loop need not be kept.  Lanes that the program may not reach are waited for only so long (`endless`).
"""

from __future__ import annotations

from collections.abc import Callable

from graph_program.extract.ir.graph import Graph, Node, Value
from graph_program.extract.records import dataclass
from graph_program.extract.transform.sizes_read import axes_of
from graph_program.extract.transform.totality import INDICES
from graph_program.extract.transform.vectorize.batching import is_told
from graph_program.extract.transform.vectorize.endless import (
    Patience,
    in_lanes,
    may_be_endless,
    none_lost,
    note_lost,
)
from graph_program.extract.transform.vectorize.lanes import NO_MASK, Lanes, Mask, indexed
from graph_program.extract.transform.vectorize.maker import INT64_MAX
from graph_program.extract.transform.vectorize.reasons import StaysLoop
from graph_program.extract.types.dims import Dim
from graph_program.extract.types.tensors.tensor_type import TensorType

DoNodes = Callable[[Lanes, Graph, Mask], None]


def masked_loop(lanes: Lanes, node: Node, mask: Mask, do_nodes: DoNodes) -> None:
    """A loop for all lanes, under a mask where they do not end together."""
    made = _Masked(lanes, node, mask, do_nodes)
    if made.is_masked and not keeps_sizes(node):
        raise StaysLoop(node.loc, "the loop inside changes the sizes of what it computes")
    made.make()


def keeps_sizes(loop: Node) -> bool:
    """Whether what is carried has the same sizes in all rounds; where lanes end at different times it must."""
    carried = zip(loop.outputs, loop.inputs[2:], loop.regions[0].outputs[1:], strict=True)
    return all(output.type.shape == begin.type.shape == result.type.shape for output, begin, result in carried)


@dataclass(frozen=True)
class _Slot:
    """What the new loop carries besides what the old one does."""

    start: Value | None
    """What it begins with; None for no lane."""
    parameter: Value
    result: Value


class _Masked:
    def __init__(self, lanes: Lanes, node: Node, mask: Mask, do_nodes: DoNodes):
        self.lanes, self.node, self.mask, self.do_nodes = lanes, node, mask, do_nodes
        self.body = node.regions[0]
        self.maker = lanes.maker
        _note_stand_ins(lanes, node, lanes.is_in_vain(mask))
        self.varying = _varying_parameters(lanes, node)
        trips, condition = node.inputs[:2]
        differ = _varies_in(lanes, node, self.varying) or lanes.varies(condition)
        outer = lanes.mask_of(mask)
        self.is_masked = differ or lanes.varies(trips) or (outer is not None and outer.type.rank > 0)
        self.is_idle = self.is_masked and node in self.maker.idle_loops and not lanes.varies(trips)
        self.patience = Patience.of(lanes) if self.is_masked and may_be_endless(lanes, trips) else None
        self.loses_inside = False
        """Whether lanes may be lost in loops inside of it."""
        if self.is_masked:
            self.varying = dict.fromkeys(self.varying, True)
        elif not any(self.varying.values()):
            lanes.needs_round = True

    def make(self) -> None:
        lanes, maker, node, body = self.lanes, self.maker, self.node, self.body
        starts = self._starts()
        first, active = self._first(starts)
        going = None if active is None else Value(maker.rewriter.names.fresh("active"), active.type)
        mark, outer, lost = maker.mark(), lanes.active, lanes.lost
        lanes.active, lanes.lost = outer if going is None else going, None
        try:
            counter = self._parameter(body.inputs[0], False)
            parameters = [self._parameter(p, self.varying[p]) for p in body.inputs[1:]]
            _note_stand_ins(lanes, node, self.is_masked or lanes.is_in_vain(self.mask))
            self.do_nodes(lanes, body, ())
            results = [self._result(i, p, going) for i, p in enumerate(parameters)]
            again, more = self._again(active, going, counter, results)
        finally:
            lanes.active, lanes.lost = outer, lost
        parameters += [slot.parameter for slot in more]
        region = maker.graph([counter, *parameters], [again, *results, *(slot.result for slot in more)], mark)
        starts += [none_lost(lanes) if slot.start is None else slot.start for slot in more]
        self._add(first, starts, region, going is not None)

    def _add(self, first: Value, starts: list[Value], region: Graph, masked: bool) -> None:
        """Append the loop."""
        lanes, maker, node = self.lanes, self.maker, self.node
        trips = node.inputs[0]
        limit = maker.constant(INT64_MAX) if lanes.varies(trips) else lanes.get(trips)
        outputs = [maker.rewriter.like(p) for p in region.inputs[1:]]
        for output, old, parameter in zip(outputs, node.outputs, self.body.inputs[1:], strict=False):
            output.type = self._type(old, self.varying[parameter])  # rows may have been put behind those of a parameter
        made = Node("loop", [limit, first, *starts], outputs, {}, [region], node.loc)
        maker.add(made)
        running = len(node.outputs) if masked else maker.idle_loops[node] if self.is_idle else None
        if self.loses_inside:
            note_lost(lanes, outputs[-1])
        if self.patience is not None:
            assert running is not None
            note_lost(lanes, in_lanes(lanes, outputs[running]))
        elif running is not None:
            maker.idle_loops[made] = running
        for output, value, parameter in zip(node.outputs, outputs, self.body.inputs[1:], strict=False):
            lanes.define(output, value, self.varying[parameter])

    def _starts(self) -> list[Value]:
        """What the carried values begin with."""
        lanes, pairs = self.lanes, zip(self.body.inputs[1:], self.node.inputs[2:], strict=True)
        found = [lanes.each(value) if self.varying[p] else lanes.get(value) for p, value in pairs]
        if self.is_idle:
            outer = lanes.mask_of(self.mask)
            if outer is not None:
                i = self.maker.idle_loops[self.node]
                rank = found[i].type.rank - 1 if outer.type.rank else 0
                outer = self.maker.expand(outer, *range(1, 1 + rank))
                found[i] = self.maker.op("bitwise_and", found[i], outer)
        return found

    def _first(self, starts: list[Value]) -> tuple[Value, Value | None]:
        """Whether there is a first round, and the lanes that do it, where they are kept."""
        lanes, maker = self.lanes, self.maker
        condition, outer = lanes.get(self.node.inputs[1]), lanes.mask_of(self.mask)
        if not self.is_masked:
            return condition if outer is None else maker.op("bitwise_and", condition, outer), None
        if self.is_idle:
            running = starts[maker.idle_loops[self.node]]
            return maker.op("any", running, axes=tuple(range(running.type.rank)), keepdims=False), None
        active = self._first_active()
        return maker.op("any", active, axes=(0,), keepdims=False), active

    # ------------------------------------------------------------ parts

    def _parameter(self, value: Value, varying: bool) -> Value:
        """The parameter of the new body that stands for one of the old."""
        made = Value(self.maker.rewriter.names.fresh(value.name), self._type(value, varying))
        self.lanes.define(value, made, varying)
        return made

    def _type(self, value: Value, varying: bool) -> TensorType:
        """The type of what stands for a value that the loop carries."""
        shape = value.type.shape
        return TensorType(value.type.dtype, (self.lanes.size, *shape) if varying else shape)

    def _first_active(self) -> Value:
        """The lanes that do a first round."""
        lanes, maker = self.lanes, self.maker
        trips, condition = map(lanes.get, self.node.inputs[:2])
        found = maker.op("less", maker.constant(0), trips)
        found = maker.op("bitwise_and", found, condition)
        outer = lanes.mask_of(self.mask)
        if outer is not None:
            found = maker.op("bitwise_and", found, outer)
        return found if found.type.rank else lanes.spread(found, 0)

    def _again(
        self, active: Value | None, going: Value | None, counter: Value, results: list[Value]
    ) -> tuple[Value, list[_Slot]]:
        """Whether there is another round, and what is carried for that."""
        lanes, maker, more = self.lanes, self.maker, list[_Slot]()
        again = lanes.get(self.body.outputs[0])
        if going is not None:
            still = self._still(going, counter)
            more.append(_Slot(active, going, still))
            again = maker.op("any", still, axes=(0,), keepdims=False)
        elif lanes.varies(self.body.outputs[0]):
            again = maker.op("any", again, axes=(0,), keepdims=False)
        if self.patience is not None:
            still = results[maker.idle_loops[self.node]] if going is None else more[0].result
            again, longer = self.patience.behind(still, counter)
            more.append(_Slot(self.patience.start, self.patience.parameter, longer))
        self.loses_inside = lanes.lost is not None
        if lanes.lost is not None:
            parameter = Value(maker.rewriter.names.fresh("lost"), lanes.lost.type)
            more.append(_Slot(None, parameter, maker.op("bitwise_or", parameter, lanes.lost)))
        return again, more

    def _still(self, going: Value, counter: Value) -> Value:
        """The lanes that do another round."""
        lanes, maker = self.lanes, self.maker
        still = maker.op("bitwise_and", going, lanes.get(self.body.outputs[0]))
        trips = self.node.inputs[0]
        if lanes.varies(trips):
            following = maker.op("add", counter, maker.constant(1))
            still = maker.op("bitwise_and", still, maker.op("less", following, lanes.get(trips)))
        if lanes.lost is not None:
            still = maker.op("bitwise_and", still, maker.op("invert", lanes.lost))
        return still

    def _result(self, i: int, parameter: Value, going: Value | None) -> Value:
        """The next value of what is carried; that of a lane that has ended stays, if somebody reads it."""
        lanes, maker = self.lanes, self.maker
        result = self.body.outputs[i + 1]
        if not self.varying[self.body.inputs[i + 1]]:
            return lanes.get(result)
        made = lanes.each(result)
        if going is None or self.node.outputs[i] not in maker.read:
            return made
        return maker.op("where", maker.expand(going, *range(1, made.type.rank)), made, parameter)


def _note_stand_ins(lanes: Lanes, loop: Node, in_vain: bool) -> None:
    """Take note of what may be made of elements and extremes of none, by any round of a loop."""
    (body,) = loop.regions
    made = _stand_ins_in(lanes, body, in_vain)
    lanes.note_stand_ins([*loop.inputs[2:], *made], [*body.inputs[1:], *loop.outputs])
    if made:
        _stand_ins_in(lanes, body, in_vain)  # of what rounds before have made


def _stand_ins_in(lanes: Lanes, graph: Graph, in_vain: bool) -> list[Value]:
    """Take note of such values of an inner graph; gives the elements and extremes."""
    made = list[Value]()
    for node in graph.nodes:
        lanes.note_stand_ins(node.inputs, [] if node.regions else node.outputs)
        sizes = _sizes_read(lanes, node) if in_vain else []
        if sizes:
            lanes.stand_ins[node.outputs[0]] = lanes.stand_ins.get(node.outputs[0], frozenset()).union(sizes)
            made += node.outputs
        for region in node.regions:
            if node.op == "loop":
                lanes.note_stand_ins(node.inputs[2:], region.inputs[1:])
            made += _stand_ins_in(lanes, region, in_vain or node.op == "if")
            lanes.note_stand_ins([*region.outputs, *made], node.outputs)
    return made


def _sizes_read(lanes: Lanes, node: Node) -> list[Dim]:
    """The sizes of axes of which an integer or an extreme is read."""
    if node.op in ("take", "gather_nd") and node.outputs[0].type.dtype.kind in "iu":
        return [size for _, size in indexed(node)]
    return [node.inputs[0].type.shape[axis] for axis in axes_of(node)] if is_told(lanes, node) else []


def _varying_parameters(lanes: Lanes, node: Node) -> dict[Value, bool]:
    """Which carried values of a loop vary: what they begin with, or what a round makes of them."""
    (body,) = node.regions
    found = {p: lanes.varies(v) for p, v in zip(body.inputs[1:], node.inputs[2:], strict=True)}
    while True:
        varying = _dataflow(lanes, body, found)
        changed = {p for p, r in zip(body.inputs[1:], body.outputs[1:], strict=True) if r in varying and not found[p]}
        if not changed:
            return found
        found.update(dict.fromkeys(changed, True))


def _varies_in(lanes: Lanes, node: Node, parameters: dict[Value, bool]) -> bool:
    """Whether `again` varies."""
    (body,) = node.regions
    return body.outputs[0] in _dataflow(lanes, body, parameters)


def _dataflow(lanes: Lanes, body: Graph, parameters: dict[Value, bool]) -> set[Value]:
    """The values of a body that vary; all that an inner graph gives does if something that it reads does."""
    varying = set(lanes.varying) | {p for p, varies in parameters.items() if varies}
    for node in body.nodes:
        reads = {*node.inputs, *(v for region in node.regions for inner in region.walk() for v in inner.inputs)}
        reads |= {v for region in node.regions for v in region.outputs}
        reads |= {
            v for region in node.regions for inner in region.walk() for deep in inner.regions for v in deep.outputs
        }
        if reads & varying or _is_made_safe(lanes, node, lanes.is_in_vain(NO_MASK)):
            varying.update(node.outputs)
            varying.update(v for region in node.regions for inner in region.walk() for v in inner.outputs)
    return varying


def _is_made_safe(lanes: Lanes, node: Node, in_vain: bool) -> bool:
    """Whether something is read that some lanes may read in vain: then each has its own element, were it the same."""
    if in_vain and (node.op in INDICES or is_told(lanes, node)):
        return not lanes.is_certain(node) and not lanes.cannot_fail(node)
    inner = in_vain or node.op == "if"
    return any(_is_made_safe(lanes, one, inner) for region in node.regions for one in region.nodes)


__all__ = ["keeps_sizes", "masked_loop"]
