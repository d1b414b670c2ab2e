"""The body of a loop as steps without branches, done for all lanes as soon as what they read is known.

    y = if c: give a, else: give b      to      y = where(c, a, b)

Both sides of a branch are computed in all lanes; what may fail is made safe where the other side is taken.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from graph_program.extract.ir.graph import Graph, Node, Value
from graph_program.extract.ir.models import CALL, RESULT
from graph_program.extract.records import dataclass
from graph_program.extract.transform.symbols import symbols_of
from graph_program.extract.transform.totality import INDICES, fit_each_other
from graph_program.extract.transform.vectorize.batching import batched, is_told
from graph_program.extract.transform.vectorize.lanes import NO_MASK, Lanes, Mask
from graph_program.extract.transform.vectorize.maker import Maker
from graph_program.extract.transform.vectorize.masked import masked_loop
from graph_program.extract.transform.vectorize.moving import moving_slice, part_step, set_part
from graph_program.extract.transform.vectorize.reasons import Reason, StaysLoop
from graph_program.extract.types.tensors.tensor_type import TensorType
from graph_program.tensor_api.opdef import OPS

GIVEN = ("constant", "placeholder")


@dataclass(frozen=True, eq=False)
class Step:
    """A node of the body, and when it is wanted; a choice is a `where` that stands for an output of an `if`."""

    node: Node
    mask: Mask
    is_choice: bool = False

    @property
    def output(self) -> Value:
        return self.node.outputs[0]


def flattened(body: Graph) -> list[Step]:
    """The nodes of a loop's body with those of branches among them.

    A branch that is the same in all rounds stays where its sides give arrays of different sizes.
    """
    if not any(node.op == "if" for node in body.nodes):
        return [Step(node, NO_MASK) for node in body.nodes]
    carried, changing = depending(body.nodes, body.inputs[1:]), depending(body.nodes, body.inputs)

    def stays(node: Node) -> bool:
        sides = zip(*(region.outputs for region in node.regions), strict=True)
        if node.inputs[0] in changing or all(a.type.shape == b.type.shape for a, b in sides):
            return False
        return carried.isdisjoint(read_by(node))

    return _steps(body.nodes, NO_MASK, stays)


def live(steps: Sequence[Step], outputs: Iterable[Value], maker: Maker) -> list[Step]:
    """Those of some steps of which something is made that is given; loops inside may have left others.

    What is known of a sum, or of what was set last, is read where that is (`Maker.sums`, `Maker.lasts`).
    """
    makers = {value: step for step in steps for value in step.node.outputs}
    work, found = list(outputs), set[Step]()
    while work:
        step = makers.get(work.pop())
        if step is None or step in found:
            continue
        found.add(step)
        work += [*read_by(step.node), *(condition for condition, _ in step.mask)]
        for value in step.node.outputs:
            work += [*maker.sums.get(value, ()), *(maker.lasts[value].parts if value in maker.lasts else ())]
    return [step for step in steps if step in found]


def depending(nodes: Iterable[Node], values: Iterable[Value]) -> set[Value]:
    """Some values and what nodes make of them."""
    found = set(values)
    for node in nodes:
        if not found.isdisjoint(read_by(node)):
            found.update(node.outputs)
    return found


def _steps(nodes: Iterable[Node], mask: Mask, stays: Callable[[Node], bool] = lambda node: False) -> list[Step]:
    steps = []
    for node in nodes:
        if node.op != "if" or stays(node):
            steps.append(Step(node, mask))
            continue
        (test,) = node.inputs
        for region, side in zip(node.regions, (True, False), strict=True):
            steps += _steps(region.nodes, (*mask, (test, side)), stays)
        for output, a, b in zip(node.outputs, *(region.outputs for region in node.regions), strict=True):
            steps.append(Step(Node("where", [test, a, b], [output], {}, loc=node.loc), mask, is_choice=True))
    return steps


def read_by(node: Node) -> list[Value]:
    """What a node reads, inside of it too."""
    found = list(node.inputs)
    for region in node.regions:
        inside = {*region.inputs, *(value for inner in region.walk() for value in inner.outputs)}
        inside |= {value for inner in region.walk() for deep in inner.regions for value in deep.inputs}
        for inner in region.walk():
            found += [value for value in inner.inputs if value not in inside]
            found += [value for deep in inner.regions for value in deep.outputs if value not in inside]
        found += [value for value in region.outputs if value not in inside]
    return found


def readers_of(steps: Iterable[Step]) -> dict[Value, list[Step]]:
    """The steps that read each value, inside of them too."""
    found: dict[Value, list[Step]] = {}
    for step in steps:
        for value in dict.fromkeys(read_by(step.node)):
            found.setdefault(value, []).append(step)
    return found


class Sweep:
    """Does steps for all lanes, in the order of the body, until no other one can be done.

    Parameters
    ----------
    lanes : Lanes
    steps : list of Step
    """

    def __init__(self, lanes: Lanes, steps: list[Step]):
        self.lanes, self.pending = lanes, steps
        self.failed: dict[Step, Reason] = {}
        """Steps that have no form for all lanes; their values may not be needed."""

    def run(self) -> bool:
        """Do what can be done; whether there was anything."""
        rest = [step for step in self.pending if not self._done(step)]
        progress = len(rest) < len(self.pending)
        self.pending = rest
        return progress

    def _done(self, step: Step) -> bool:
        if step in self.failed:
            return False
        lanes, node, given = self.lanes, step.node, step
        if node.outputs and all(value in lanes.known for value in node.outputs):
            return True  # as a carried value has said
        if step.is_choice:
            return self._choose(step)
        if not all(map(lanes.is_known, read_by(node))):
            return self._done_in_parts(step)
        if not lanes.mask_is_known(step.mask):
            if not lanes.cannot_fail(node):
                return False
            step = Step(node, NO_MASK)  # it may be done wherever it is wanted
        lanes.maker.at = node.loc
        mark = lanes.maker.mark()
        try:
            do_step(lanes, step)
        except StaysLoop as stays:
            lanes.maker.forget(mark)
            if self._done_as_part(node):
                return True
            self.failed[given] = stays.reason
            return False
        return True

    def _done_as_part(self, node: Node) -> bool:
        """Read or write a part of an axis that is another one in each round."""
        lanes = self.lanes
        if node.op == "slice" and lanes.cannot_fail(node):
            part = moving_slice(lanes, node)
            if part is not None:
                lanes.parts[node.outputs[0]] = part
            return part is not None
        if node.op != "set_slice":
            return False
        mark = lanes.maker.mark()
        try:
            set_part(lanes, node)
        except StaysLoop:
            lanes.maker.forget(mark)
            return False
        return True

    def _done_in_parts(self, step: Step) -> bool:
        """Do a step of which some operands are parts of axes that are others in each round."""
        lanes, reads = self.lanes, read_by(step.node)
        parts = [value for value in reads if value in lanes.parts]
        if not parts or not all(value in lanes.parts or lanes.is_known(value) for value in reads):
            return False
        lanes.maker.at = step.node.loc
        mark = lanes.maker.mark()
        try:
            part_step(lanes, step.node)
        except StaysLoop as stays:
            lanes.maker.forget(mark)
            self.failed[step] = stays.reason
            return False
        return True

    def _choose(self, step: Step) -> bool:
        lanes = self.lanes
        test, a, b = step.node.inputs
        for only, other in ((a, b), (b, a)):
            if other in lanes.undefined and lanes.is_known(only):
                if only in lanes.undefined:
                    lanes.undefined.add(step.output)
                lanes.define(step.output, lanes.get(only), lanes.varies(only))
                return True
        if not all(map(lanes.is_known, (test, a, b))):
            return False
        if a.type.shape != b.type.shape or not fit_each_other({lanes.shape_made(a), lanes.shape_made(b)}):
            self.failed[step] = Reason(step.node.loc, "its two sides make arrays of different sizes")
            return False
        do_step(lanes, step)
        return True


def do_step(lanes: Lanes, step: Step) -> None:
    """Do a step whose operands are known."""
    node, maker = step.node, lanes.maker
    if node.op == "placeholder":
        lanes.undefined.update(node.outputs)
    if node.op == "loop":
        masked_loop(lanes, node, step.mask, do_nodes)
        return
    if node.op == "if":
        _branch(lanes, node, step.mask)
        return
    if node.op in (CALL, RESULT):
        raise StaysLoop(node.loc, "it calls a trained model")
    if node.regions or len(node.outputs) != 1 or (node.op not in OPS and node.op not in GIVEN):
        raise StaysLoop(node.loc, "what is inside runs on the host, or has its own order")
    lanes.note_affine(node)
    lanes.note_stand_ins(node.inputs, node.outputs)
    lanes.note_read(node, step.mask)
    (output,) = node.outputs
    varying = any(map(lanes.varies, node.inputs))
    alone = not lanes.is_in_vain(step.mask)
    is_certain, may_fail, start = lanes.is_certain(node), not lanes.cannot_fail(node), len(maker.nodes)
    fails = may_fail and not is_certain
    if fails and not alone and node.op not in INDICES and not is_told(lanes, node):
        raise StaysLoop(node.loc, "it may fail in rounds that do not do it")
    if fails and node.op in INDICES and any(value.type.rank and maker.is_unset(value) for value in node.inputs):
        raise StaysLoop(node.loc, "it reads what may not be there")
    if varying and (same := lanes.same_number(output)) is not None:
        lanes.define(output, maker.size(same), varying=False)
        return
    if node.op == "dim" and varying:
        lanes.define(output, maker.op("dim", lanes.get(node.inputs[0]), axis=node.attrs["axis"] + 1), varying=False)
        return
    if varying or (fails and not alone):
        if node.op not in INDICES:
            lanes.needs_round |= fails
        elif is_certain:
            lanes.needs_round |= lanes.needs_round_for(node) and not any(map(lanes.varies, node.inputs[1:]))
        elif not lanes.total:  # where something is computed in vain, indices are cut
            lanes.needs_round |= fails and not all(map(lanes.varies, node.inputs[1:]))
        lanes.needs_round |= lanes.is_inside_in_rounds_only(node)
        lanes.define(output, batched(lanes, node, step.mask), varying=True)
        maker.certain.update(made for made in maker.nodes[start:] if is_certain)
        _check_sizes(lanes, node)
        _note_sum(lanes, output)
        return
    lanes.needs_round |= may_fail or lanes.is_inside_in_rounds_only(node)
    if node.op in GIVEN:
        made = maker.rewriter.like(output)
        maker.add(Node(node.op, [], [made], node.attrs, loc=node.loc))
    else:
        made = maker.op(node.op, *map(lanes.get, node.inputs), **node.attrs)
        maker.certain.update(inner for inner in maker.nodes[start:] if is_certain)
    if node.op == "iota":
        lanes.bound(made, node.inputs[0])
    lanes.define(output, made, varying=False)
    _check_sizes(lanes, node)


def _check_sizes(lanes: Lanes, node: Node) -> None:
    """Keep a loop that joins rows which have the size of an array only if a check has not failed.

    Raises
    ------
    StaysLoop
    """
    if node.op != "concatenate" or not lanes.total:
        return
    (output,) = node.outputs
    known = symbols_of(lanes.maker.rewriter.program.graph.inputs)
    sizes = zip(output.type.shape, lanes.get(output).type.shape[lanes.varies(output) :], strict=True)
    if any(said != found and said.symbols <= known for said, found in sizes):
        lanes.forget(output)
        raise StaysLoop(node.loc, "it may fail in rounds that do not do it")


def _branch(lanes: Lanes, node: Node, wanted: Mask) -> None:
    """A branch of which all rounds take the same side; what is done in vain may be of each round on its own there."""
    maker, sides = lanes.maker, list[list[Node]]()
    for region in node.regions:
        mark = maker.mark()
        do_nodes(lanes, region, wanted)
        sides.append(maker.forget(mark))
    reads = any(lanes.varies(value) for value in read_by(node))
    given = list(zip(*(region.outputs for region in node.regions), strict=True))
    varying = [reads or any(map(lanes.varies, values)) for values in given]
    regions, outputs = list[Graph](), list[Value]()
    for nodes, region in zip(sides, node.regions, strict=True):
        mark = maker.mark()
        made = [lanes.each(v) if varies else lanes.get(v) for v, varies in zip(region.outputs, varying, strict=True)]
        last = maker.graph([], made, mark)
        regions.append(Graph([], [*nodes, *last.nodes], made))
    for output, varies in zip(node.outputs, varying, strict=True):
        stands = maker.rewriter.like(output)
        if varies:
            stands.type = TensorType(output.type.dtype, (lanes.size, *output.type.shape))
        lanes.define(output, stands, varies)
        lanes.note_stand_ins([region.outputs[len(outputs)] for region in node.regions], [output])
        outputs.append(stands)
    maker.add(Node("if", [lanes.get(node.inputs[0])], outputs, {}, regions, node.loc))


def _note_sum(lanes: Lanes, value: Value) -> None:
    """Of a sum in each lane, note that all of them are a sum of arrays; see `Maker.sums`."""
    found, maker = lanes.maker.sums.get(value), lanes.maker
    if found is None or not all(map(lanes.is_known, found)):
        return
    begin, rows = found
    added = lanes.each(rows)
    turned = maker.op("transpose", added, perm=(1, 0, *range(2, added.type.rank)))
    maker.sums[lanes.get(value)] = (lanes.get(begin), turned)


def do_nodes(lanes: Lanes, graph: Graph, mask: Mask) -> None:
    """Do all nodes of an inner graph, of which all that they read is known."""
    for step in _steps(graph.nodes, mask):
        lanes.maker.at = step.node.loc
        if step.is_choice:
            sweep = Sweep(lanes, [step])
            if not sweep.run():
                reason = sweep.failed[step]
                raise StaysLoop(reason.loc, reason.text)
        else:
            do_step(lanes, step)


__all__ = ["Step", "Sweep", "do_nodes", "flattened", "read_by"]
