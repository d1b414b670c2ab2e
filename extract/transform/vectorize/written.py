"""Arrays that the rounds of a loop write, and lists that they append to, as array operations behind the loop.

    for i in range(n):
        y[i] = f(x[i])          to      y = f(x)

        if x[i] > 0:
            kept.append(x[i])   to      kept = concatenate(kept, x[x > 0])

        h[k[i]] += 1            to      h = scatter_add(h, 1, k)

What is written is not read but where no other round writes: then it is read from what was there before the loop.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable

from graph_program.extract.ir.graph import Node, Value
from graph_program.extract.transform.linear import Linear, linear
from graph_program.extract.transform.vectorize.additions import added, flat_addition, histogram
from graph_program.extract.transform.vectorize.batching import batched, covers, in_order
from graph_program.extract.transform.vectorize.block_writes import (
    are_adjacent,
    block_of,
    by_element,
    written_behind_each_other,
)
from graph_program.extract.transform.vectorize.body import Step
from graph_program.extract.transform.vectorize.carried import Carried, Slot
from graph_program.extract.transform.vectorize.fitting import widest
from graph_program.extract.transform.vectorize.growing import grown
from graph_program.extract.transform.vectorize.lanes import NO_MASK, indexed
from graph_program.extract.transform.vectorize.moving_writes import Body, in_block, lines, placed, spread_number
from graph_program.extract.transform.vectorize.order import is_apart, may_be_ordered
from graph_program.extract.transform.vectorize.reasons import StaysLoop
from graph_program.extract.transform.vectorize.writes import Write
from graph_program.extract.types.dims import Dim, dim, provably_less_equal
from graph_program.extract.types.tensors.shape_arithmetic import Shape


class Written:
    """Finds how the rounds write an array that is carried.

    Parameters
    ----------
    carried : Carried
    makers : dict of Value to Step
        The step that makes each value of the body.
    """

    def __init__(self, carried: Carried, makers: dict[Value, Step]):
        self.carried, self.lanes, self.makers = carried, carried.lanes, makers
        self.body = Body(carried.lanes, makers)
        self.logs: dict[Slot, tuple[list[Write], set[Value]] | None] = {}

    # ------------------------------------------------------------ what is written

    def log(self, slot: Slot) -> tuple[list[Write], set[Value]] | None:
        """The writes of a round in order, and the values that the array has meanwhile; None if it is something else."""
        if slot not in self.logs:
            chain: set[Value] = set()
            rank = slot.parameter.type.rank
            writes = self._writes(slot.result, slot, chain) if rank else None
            self.logs[slot] = None if not writes else (writes, chain)
        return self.logs[slot]

    def _writes(self, value: Value, slot: Slot, chain: set[Value]) -> list[Write] | None:
        if value is slot.parameter:
            return []
        step = self.makers.get(value)
        if step is None or value not in slot.dependent:
            return None
        chain.update((value, step.output))
        node = step.node
        if step.is_choice:
            return self._merged(node, slot, chain)
        if node.op == "where" and value.type.rank and node.inputs[0].type.rank == 0:
            return self._merged(node, slot, chain)
        flat = flat_addition(self, node)
        if flat is not None:
            addition, row = flat
            chain.update((addition.outputs[0], row.outputs[0]))
            before = self._writes(row.inputs[0], slot, chain)
            return None if before is None else [*before, _addition(addition)]
        block = block_of(node, self.lanes.maker.rewriter.producer.get)
        if block is not None:
            node, read = block
            chain.update(read)
        before = self._writes(node.inputs[0], slot, chain) if node.inputs else None
        if before is None:
            return None
        if node.op == "set_index" or (node.op == "scatter_nd" and not node.attrs["axis"]):
            unique = node.op == "set_index" or node.attrs["unique"]
            return [*before, Write(node, tuple(node.inputs[2:]), node.inputs[1], NO_MASK, unique)]
        if node.op == "scatter_add":
            return [*before, _addition(node)]
        return None if block is None else [*before, Write(node, (), node.inputs[1], NO_MASK)]

    def _merged(self, node: Node, slot: Slot, chain: set[Value]) -> list[Write] | None:
        """The writes of two sides of a choice."""
        test, *sides = node.inputs
        found = [self._writes(side, slot, chain) for side in sides]
        found = [[] if self.is_unread(side) and found[1 - k] else found[k] for k, side in enumerate(sides)]
        first, second = found
        if first is None or second is None:
            return None
        pairs = zip(first, second, strict=False)
        common = len(list(itertools.takewhile(lambda pair: pair[0] == pair[1], pairs)))
        rest = [(first[common:], True), (second[common:], False)]
        masked = [
            Write(w.node, w.indices, w.value, ((test, side), *w.mask), w.unique, w.adds)
            for ws, side in rest
            for w in ws
        ]
        return [*first[:common], *masked]

    def is_unread(self, value: Value) -> bool:
        """Whether nobody reads a value."""
        return value in self.makers and self.makers[value].node.op == "placeholder"

    # ------------------------------------------------------------ reading while writing

    def read(self, step: Step) -> bool:
        """Do a step that reads an array which the rounds write; whether it can be done."""
        lanes, node = self.lanes, step.node
        if node.op not in ("take", "gather_nd", "dim", "slice") or not node.inputs:
            return False
        for slot in self.carried.slots:
            if node.inputs[0] is slot.parameter and node.op == "dim" and self._keeps(slot, node.attrs["axis"]):
                lanes.define(step.output, lanes.maker.op("dim", slot.initial, axis=node.attrs["axis"]), False)
                return True
            log = self.log(slot) if slot.parameter.type.rank else None
            if log is None:
                continue
            if node.op == "slice":
                if node.inputs[0] is slot.parameter and self._reads_unwritten_part(node, log[0]):
                    lanes.define(step.output, self._part(slot, node), varying=False)
                    return True
                continue
            if node.op == "dim" and node.inputs[0] in log[1]:
                lanes.define(step.output, lanes.maker.op("dim", slot.initial, axis=node.attrs["axis"]), False)
                return True
            if node.inputs[0] is slot.parameter and self._reads_own_place(node, log[0]):
                return self._read_initial(step, slot)
            written = self._read_back(node, log[0]) if self._fails_in_any_case(slot, node) else None
            if written is not None and lanes.is_known(written):
                lanes.define(step.output, lanes.get(written), lanes.varies(written))
                return True
        return False

    def _fails_in_any_case(self, slot: Slot, node: Node) -> bool:
        """Whether an index outside is found where the array is written, or there is none."""
        if slot.output in self.lanes.maker.kept or node.op == "dim" or node.attrs["axis"]:
            return True
        return all(self.lanes.is_inside(index, size) for index, size in indexed(node))

    def _keeps(self, slot: Slot, axis: int) -> bool:
        """Whether an array has the same size along an axis in every round."""
        sizes = [v.type.shape[axis] for v in (slot.initial, slot.parameter, slot.result)]
        return sizes[0] == sizes[1] == sizes[2]

    def _reads_own_place(self, node: Node, writes: list[Write]) -> bool:
        """Whether what is read before the round writes is where no other round writes."""
        if not all(map(self.lanes.is_known, node.inputs[1:])):
            return False
        return any(
            is_apart(self.lanes, index, node.inputs[0].type.shape[k])
            and all(len(w.indices) > k and self._is_one(w.indices[k], index) and not w.adds for w in writes)
            for k, index in enumerate(node.inputs[1:], node.attrs["axis"])
        )

    def _is_one(self, index: Value, other: Value) -> bool:
        """Whether an index of a write is a number, or that number for each of its places."""
        number = spread_number(self.body, index)
        if index is other or number is other:
            return True
        found = None if number is None else self.lanes.affine_of(number)
        return found is not None and found.base is not None and found == self.lanes.affine_of(other)

    def _reads_unwritten_part(self, node: Node, writes: list[Write]) -> bool:
        """Whether no round writes into a slice that is the same one in all of them."""
        lanes, axes = self.lanes, node.attrs["axes"]
        if any(not lanes.is_known(bound) or lanes.varies(bound) for bound in node.inputs[1:]):
            return False
        return any(
            step == 1
            and all(self._is_beside(node.inputs[1 + i], node.inputs[1 + len(axes) + i], w, axis) for w in writes)
            for i, (axis, step) in enumerate(zip(axes, node.attrs["steps"], strict=True))
        )

    def _is_beside(self, start: Value, stop: Value, write: Write, axis: int) -> bool:
        """Whether a write is before a slice of an axis, or behind it."""
        if len(write.indices) <= axis or write.indices[axis].type.rank:
            return False
        first, behind, index = (self._linear(value) for value in (start, stop, write.indices[axis]))
        if not all(map(self._is_nonnegative, (first, index))):
            return False
        before = index + Linear({}, 1)
        return (self._is_nonnegative(behind) and self._is_nonnegative(index - behind)) or self._is_nonnegative(
            first - before
        )

    def _linear(self, value: Value) -> Linear:
        return linear(value, self.lanes.maker.rewriter.producer.get)

    def _is_nonnegative(self, form: Linear) -> bool:
        """Whether a sum is at least 0, as its terms are."""
        found = [(factor, self.lanes.ranges.of(value)) for value, factor in form.terms.items()]
        least = dim(form.constant)
        for factor, ends in found:
            if ends is None:
                return False
            least = least + ends[factor < 0] * factor
        return provably_less_equal(0, least)

    def _part(self, slot: Slot, node: Node) -> Value:
        """A slice of what was there before the loop."""
        bounds = map(self.lanes.get, node.inputs[1:])
        return self.lanes.maker.op("slice", slot.initial, *bounds, **node.attrs)

    def _read_initial(self, step: Step, slot: Slot) -> bool:
        """Read from what was there before the loop."""
        node, lanes = step.node, self.lanes
        if not lanes.mask_is_known(step.mask):
            return False
        before = Node(node.op, [slot.initial, *node.inputs[1:]], node.outputs, node.attrs, loc=node.loc)
        lanes.maker.at = node.loc
        try:
            lanes.define(step.output, batched(lanes, before, step.mask), varying=True)
        except StaysLoop:
            return False
        lanes.note_read(before, step.mask)
        if node.op in ("take", "gather_nd"):  # without rounds, what they all read may be outside
            lanes.needs_round |= not lanes.total and lanes.needs_round_for(before)
        lanes.needs_round |= lanes.is_inside_in_rounds_only(before)
        return True

    def _read_back(self, node: Node, writes: list[Write]) -> Value | None:
        """What the round itself has written to the place that is read."""
        if node.op == "dim" or node.attrs["axis"]:
            return None
        for write in writes:
            if write.node.outputs[0] is node.inputs[0] and write.node.op == "set_index":
                same = tuple(node.inputs[1:]) == write.indices
                return write.value if same and write.value.type.shape == node.outputs[0].type.shape else None
        return None

    # ------------------------------------------------------------ behind the loop

    def resolve(self, slot: Slot) -> bool:
        """Find the form of an array that is written, or of a list that grows; whether that is new."""
        if slot.final is not None or not slot.parameter.type.rank:
            return False
        if self.lanes.maker.is_unset(slot.initial):
            return False
        log = self.log(slot)
        found = grown(self, slot) if log is None else self._placed(slot, *log)
        if found is None:
            return False
        slot.final = found
        return True

    def _placed(self, slot: Slot, writes: list[Write], chain: set[Value]) -> Callable[[], Value] | None:
        lanes = self.lanes
        if slot.initial.type.shape != slot.parameter.type.shape:
            return None
        counted = histogram(self, slot, writes, chain)
        if counted is not None:
            return counted
        for write in writes:
            if not all(map(lanes.is_known, write.read)):
                return self._in_lines(slot, writes, chain)
        if not self.nobody_reads(slot, chain):
            return None
        if self._are_adjacent(writes):
            return lambda: written_behind_each_other(lanes, slot.initial, writes[0].node)
        mark = lanes.maker.mark()
        single = by_element(lanes, writes)
        if single is None or not may_be_ordered(lanes, single, slot.parameter.type.shape):
            lanes.maker.forget(mark)
            return None
        writes = self._joined_sides(single)

        def final() -> Value:
            made = slot.initial
            for write in writes:
                made = self._place(made, write)
            return made

        return final

    def _are_adjacent(self, writes: list[Write]) -> bool:
        """Whether each round writes a block behind that of the round before."""
        (write, *others) = writes
        if others or not write.is_block or write.mask or self.lanes.total:
            return False
        return are_adjacent(self.lanes, write.node)

    def _in_lines(self, slot: Slot, writes: list[Write], chain: set[Value]) -> Callable[[], Value] | None:
        """The form of a matrix of which rounds write other parts of rows and columns."""
        found = None if self.lanes.total else lines(self.body, writes, chain)
        return placed(self.body, slot.initial, found[0]) if found and self.nobody_reads(slot, found[1]) else None

    def nobody_reads(self, slot: Slot, chain: set[Value]) -> bool:
        """Whether all that reads the array is known, or part of the writing."""
        for value in (slot.parameter, *sorted(chain, key=lambda v: v.name)):
            for step in self.carried.readers.get(value, ()):
                if step.output not in chain and not all(map(self.lanes.is_known, step.node.outputs)):
                    return False
        return True

    def _joined_sides(self, writes: list[Write]) -> list[Write]:
        """Two writes to one place, one on each side of a choice, as one."""
        if len(writes) != 2 or writes[0].indices != writes[1].indices:
            return writes
        a, b = writes
        if len(a.mask) != 1 or len(b.mask) != 1 or a.mask[0] != (b.mask[0][0], not b.mask[0][1]):
            return writes
        if a.value.type.shape != b.value.type.shape:
            return writes
        if not a.mask[0][1]:
            a, b = b, a
        lanes, rank = self.lanes, a.value.type.rank
        test = a.mask[0][0]
        made = lanes.maker.op("where", *(lanes.aligned(v, rank) for v in (test, a.value, b.value)))
        value = Value(lanes.maker.rewriter.names.fresh("value"), a.value.type)
        lanes.inside.add(value)
        lanes.define(value, made, any(map(lanes.varies, (test, a.value, b.value))))
        return [Write(a.node, a.indices, value, NO_MASK, a.unique and b.unique)]

    def _place(self, x: Value, write: Write) -> Value:
        """What one write makes of the array in all rounds."""
        lanes, maker = self.lanes, self.lanes.maker
        maker.at = write.node.loc
        if write.adds:
            return added(self, x, write)
        cut = self._cut_of(write, x.type.shape)
        block = None if cut is not None else in_block(self.body, x, write)
        if block is not None:
            return block
        rest, rank = self._target(x, write)
        values = (
            lanes.fitted(write.value, *rest)
            if lanes.varies(write.value)
            else lanes.spread(lanes.get(write.value), write.value.type.rank)
        )
        if not lanes.varies(write.value) or values.type.rank != 1 + len(rest[0]):
            values = self.filled(lanes.get(write.value), lanes.varies(write.value), rest)
        mask = lanes.mask_of(write.mask)
        whole = len(write.indices) == 1 and covers(lanes, write.indices[0], x.type.shape[0])
        if whole and cut is None:
            if mask is None:
                return values
            return maker.op(
                "where", maker.expand(mask, *range(1, values.type.rank)) if mask.type.rank else mask, values, x
            )
        if mask is None and cut is None:
            made = self._in_slab(x, values, write)
            if made is not None:
                return made
        return self._scatter(x, values, write, mask, rank, cut)

    def _cut_of(self, write: Write, shape: Shape) -> Value | None:
        """The number of rounds that write; of a loop that ends in an error all do whose places are inside."""
        inside = all(map(self.lanes.is_inside, write.indices, shape))
        return self.carried.cut_of_lists if inside else self.carried.cut

    def _target(self, x: Value, write: Write) -> tuple[tuple[tuple[Dim, ...], list[Value]], int]:
        """The shape that a round writes, with the values of the sizes, and the rank of its indices."""
        maker, count = self.lanes.maker, len(write.indices)
        rank = max(index.type.rank for index in write.indices)
        lead = [self._widest(write, axis) for axis in range(-rank, 0)]
        sizes = [size for _, size in lead]
        sizes += [maker.op("dim", x, axis=k) for k in range(count, x.type.rank)]
        return ((*(shape for shape, _ in lead), *x.type.shape[count:]), sizes), rank

    def _widest(self, write: Write, axis: int) -> tuple[Dim, Value]:
        """The size that indices have together in an axis, counted from the last one, and its value."""
        found = widest(write.indices, axis)
        if found is None:
            raise StaysLoop(write.node.loc, "its indices have to be broadcast")
        made = self.lanes.get(found)
        return found.type.shape[axis], self.lanes.maker.op("dim", made, axis=made.type.rank + axis)

    def filled(self, made: Value, varying: bool, target: tuple[tuple[Dim, ...], list[Value]]) -> Value:
        """A value broadcast to what is written in each round."""
        lanes, (shape, sizes) = self.lanes, target
        if varying:
            made = lanes.maker.expand(made, *range(1, 1 + len(shape) - (made.type.rank - 1)))
        return lanes.maker.written(made, [lanes.count, *sizes], (lanes.size, *shape))

    def _in_slab(self, x: Value, values: Value, write: Write) -> Value | None:
        """A slice of the array at once, where the places are one behind the other, and inside."""
        lanes, maker = self.lanes, self.lanes.maker
        if any(index.type.rank for index in write.indices):
            return None
        *lead, last = write.indices
        if any(map(lanes.varies, lead)):
            return None
        if lead:
            whole = covers(lanes, last, x.type.shape[len(lead)])
            lanes.needs_round |= not all(map(lanes.is_inside, lead, x.type.shape))
            return maker.op("set_index", x, values, *map(lanes.get, lead)) if whole else None
        run = in_order(lanes, last, x.type.shape[0])
        return None if run is None else maker.op("set_slice", x, values, *run, axes=(0,), steps=(1,))

    def _scatter(
        self, x: Value, values: Value, write: Write, mask: Value | None, rank: int, cut: Value | None
    ) -> Value:
        lanes, maker = self.lanes, self.lanes.maker
        indices = []
        for index, size in zip(write.indices, x.type.shape, strict=False):
            made = self._places(index, size)
            if lanes.varies(index):
                made = maker.expand(made, *range(1, 1 + rank - (made.type.rank - 1)))
            indices.append(made)
        if not any(map(lanes.varies, write.indices)):
            indices[0] = lanes.spread(indices[0], write.indices[0].type.rank)
            indices[0] = maker.expand(indices[0], *range(1, 1 + rank - (indices[0].type.rank - 1)))
        pairs = list(zip(write.indices, x.type.shape, strict=False))
        lanes.needs_round |= not all(lanes.varies(index) or lanes.is_inside(index, size) for index, size in pairs)
        if mask is not None or cut is not None:
            chosen = self.chosen(mask, cut)
            varying = [i for i, made in enumerate(indices) if made.type.rank == rank + 1]
            for i in varying:
                indices[i] = maker.op("take", indices[i], chosen, axis=0)
            values = maker.op("take", values, chosen, axis=0)
        apart = any(is_apart(self.lanes, index, size) for index, size in zip(write.indices, x.type.shape, strict=False))
        return maker.op("scatter_nd", x, values, *indices, axis=0, unique=bool(write.unique and apart))

    def _places(self, index: Value, size: Dim) -> Value:
        """The places of a write; of a loop in another one as some of all places, which that may do at once."""
        lanes, maker = self.lanes, self.lanes.maker
        run = in_order(lanes, index, size) if maker.numbers.is_round(lanes.size) else None
        return lanes.get(index) if run is None else maker.rows(maker.op("iota", maker.size(size)), *run)

    def chosen(self, mask: Value | None, cut: Value | None) -> Value:
        """The numbers of the lanes in which something is done, of so many first ones."""
        lanes, maker = self.lanes, self.lanes.maker
        if cut is not None:
            early = maker.op("less", lanes.lanes, cut)
            mask = early if mask is None else maker.op("bitwise_and", early, mask)
        assert mask is not None
        if not mask.type.rank:
            mask = lanes.spread(mask, 0)
        return maker.op("take", maker.op("nonzero", mask), maker.constant(0), axis=0)


def _addition(node: Node) -> Write:
    """What a loop inside adds."""
    return Write(node, (node.inputs[2],), node.inputs[1], NO_MASK, False, adds=True)


__all__ = ["Written"]
