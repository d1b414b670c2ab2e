"""The rounds of a loop beside each other: each value of the body for all rounds, on a leading axis.

A value that is the same in every round is kept once ("uniform", as in ISPC); others have the axis of the rounds in
front ("varying").  A round is called a lane.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from operator import mul

import numpy as np

from graph_program.extract.ir.graph import Node, Value
from graph_program.extract.transform.integer_ranges import Range, Ranges
from graph_program.extract.transform.orders import HIGHEST, LOWEST, both
from graph_program.extract.transform.totality import BROADCASTING, EXTREMES, INDICES, VIEWS, fit_each_other
from graph_program.extract.transform.vectorize.affine import AFFINE, Affine, Part
from graph_program.extract.transform.vectorize.fitting import TOTAL, broadcasts, fills, fits
from graph_program.extract.transform.vectorize.maker import Maker
from graph_program.extract.transform.vectorize.reasons import StaysLoop
from graph_program.extract.types.dims import Dim, Symbol, bounded, dim, maximum, provably_less_equal
from graph_program.extract.types.tensors.tensor_type import TensorType
from graph_program.tensor_api.opdef import OPS

Mask = tuple[tuple[Value, bool], ...]
"""Conditions of the body and what they must be, outermost first."""
NO_MASK: Mask = ()


class Lanes:
    """What is known of the values of a loop's body, for all rounds.

    Parameters
    ----------
    maker : Maker
    ranges : Ranges
    inside : set of Value
        The values of the body.
    counter : Value
        The number of the round, in the body.
    trips : Value
        The number of rounds; negative means none.
    total : bool
        Whether rounds are computed that the loop would not reach, in which nothing may fail.
    block : pair of Value, optional
        The number of the first round, and that of rounds from there on, where they are not all done at once.
    """

    def __init__(
        self,
        maker: Maker,
        ranges: Ranges,
        inside: set[Value],
        counter: Value,
        trips: Value,
        total: bool,
        block: tuple[Value, Value] | None = None,
    ):
        self.maker, self.ranges, self.inside = maker, ranges, inside
        self.counter, self.trips, self.total = counter, trips, total
        self.lanes = maker.op("iota", trips if block is None else block[1])
        self.bound(self.lanes, trips)
        self.size: Dim = self.lanes.type.shape[0]
        self.count = self._counted(trips) if block is None else self._known_as_size(block[1])
        self.first = None if block is None else block[0]
        """The number of the first round of a block."""
        rounds = self.lanes if block is None else maker.op("add", self.lanes, block[0])
        self.known: dict[Value, Value] = {counter: rounds}
        self.parts: dict[Value, Part] = {}
        """What stands for parts of axes that are other ones in each round; see `moving`."""
        self.varying: set[Value] = {counter}
        self.undefined: set[Value] = set()
        """Placeholders, and what is chosen only of such."""
        self.stand_ins: dict[Value, frozenset[Dim]] = {}
        """What may be made of 0 in the place of an element or extreme of none, and the sizes that are 0 then."""
        self.affine: dict[Value, Affine] = {counter: Affine(1, dim(0))}
        self.needs_round = False
        """Whether something is computed that may fail where there is no round."""
        self.active: Value | None = None
        """In a loop under a mask, the lanes that still run."""
        self.always: Mask = NO_MASK
        """What holds in every round, of what the body may compare."""
        self.filled: tuple[Dim, ...] = ()
        """Sizes that are asked to be at least 1 around what is made now."""
        self.lost: Value | None = None
        """The lanes of which nothing is known behind some loop, as they were not waited for; see `endless`."""

    def _counted(self, trips: Value) -> Value:
        """The number of lanes."""
        if self.size.constant is not None:
            return self.maker.size(self.size)
        number = self.maker.numbers.of(trips)
        if number is not None and number == self.size and provably_less_equal(0, number):
            return trips
        return self._known_as_size(self.maker.op("maximum", trips, self.maker.constant(0)))

    def _known_as_size(self, count: Value) -> Value:
        """The number of lanes, which needs no array of their numbers."""
        self.maker.numbers.known[count] = self.size
        return count

    def bound(self, numbers: Value, count: Value) -> None:
        """Note how many of 0, 1, ... there are at most, where their number has only a name."""
        (size,) = numbers.type.shape
        found = self.ranges.of(count)
        if found is not None and isinstance(size.atom, Symbol) and size.atom.upper is None:
            numbers.type = TensorType(numbers.type.dtype, (bounded(size, maximum(0, found[1])),))
        node = self.maker.rewriter.producer[numbers]
        (self.maker.numbers.counts[node.inputs[0]],) = numbers.type.shape

    # ------------------------------------------------------------ values

    def is_known(self, value: Value) -> bool:
        return value not in self.inside or value in self.known

    def get(self, value: Value) -> Value:
        """What stands for a value of the body."""
        return self.known.get(value, value)

    def varies(self, value: Value) -> bool:
        return value in self.varying

    def define(self, value: Value, made: Value, varying: bool) -> None:
        """Say what stands for a value."""
        self.known[value] = made
        if varying:
            self.varying.add(value)

    def forget(self, value: Value) -> None:
        """Take back what was said of a value."""
        self.known.pop(value, None)
        self.parts.pop(value, None)
        self.varying.discard(value)
        self.undefined.discard(value)
        self.stand_ins.pop(value, None)
        self.affine.pop(value, None)

    def lane_rank(self, value: Value) -> int:
        made = self.get(value)
        return made.type.rank - self.varies(value)

    def aligned(self, value: Value, rank: int) -> Value:
        """What stands for a value, such that lanes of this rank broadcast."""
        made = self.get(value)
        if not self.varies(value):
            return made
        return self.maker.expand(made, *range(1, 1 + rank - self.lane_rank(value)))

    def each(self, value: Value) -> Value:
        """A value for each lane, also if it is the same for all."""
        return self.get(value) if self.varies(value) else self.spread(self.get(value), value.type.rank)

    def spread(self, made: Value, rank: int) -> Value:
        """A uniform value of this rank repeated for each lane."""
        shape = made.type.shape
        sizes = [self.count, *(self.maker.size(d) for d in shape)]
        self.maker.note(made)
        return self.maker.broadcast(made, sizes, (self.size, *shape))

    def fitted(self, value: Value, shape: Sequence[Dim], sizes: Sequence[Value]) -> Value:
        """A value for each lane, broadcast to a shape of which the sizes are given."""
        made = self.aligned(value, len(shape))
        return self.maker.written(made, [self.count, *sizes], (self.size, *shape))

    # ------------------------------------------------------------ masks

    def mask_of(self, mask: Mask) -> Value | None:
        """Where a mask holds: a bool for each lane, or one for all; None if it always does."""
        total = self.active
        for condition, wanted in mask:
            made = self.get(condition)
            if not wanted:
                made = self.maker.op("invert", made)
            total = made if total is None else self.maker.op("bitwise_and", total, made)
        return total

    def is_in_vain(self, mask: Mask) -> bool:
        """Whether what a mask asks for may be computed in lanes in which nobody wants it."""
        return bool(mask) or self.active is not None or self.total

    def mask_is_known(self, mask: Mask) -> bool:
        return all(self.is_known(condition) for condition, _ in mask)

    # ------------------------------------------------------------ what cannot fail

    def is_certain(self, node: Node) -> bool:
        """Whether an access is inside in every round that there is; there are others where lanes have ended."""
        if node not in self.maker.certain or self.active is not None or any(map(self._is_stand_in, node.inputs)):
            return False
        return not any(value.type.rank and self.maker.is_unset(value) for value in node.inputs)

    def needs_round_for(self, node: Node) -> bool:
        """Whether an index of an access that is the same in all rounds may be outside where there is none."""
        return any(not self.varies(index) and not self.is_inside(index, size) for index, size in indexed(node))

    def cannot_fail(self, node: Node) -> bool:
        """Whether an operation cannot fail for operands of the sizes that their types say."""
        if node.op in ("constant", "placeholder", "dim", "iota"):
            return True
        if node.op not in OPS or any(value.type.rank and self.maker.is_unset(value) for value in node.inputs):
            return False
        family = OPS[node.op].family
        if family in VIEWS or node.op in ("cumsum", "cumprod", "sum", "any", "all", "prod", "sort", "argsort", "dft"):
            return True
        if family in BROADCASTING:
            return fit_each_other({self.shape_made(v) for v in node.inputs if v.type.rank})
        if node.op in EXTREMES:
            axes = node.attrs["axes"] if "axes" in node.attrs else (node.attrs["axis"],)
            return all(provably_less_equal(1, node.inputs[0].type.shape[axis]) for axis in axes)
        if node.op in ("full", "broadcast_to"):
            sizes = [self.maker.numbers.of(self.get(size)) for size in node.inputs[1:]]
            x = node.inputs[0]
            is_broadcast = node.op == "full" or broadcasts(self.get(x).type.shape[self.varies(x) :], sizes)
            return is_broadcast and all(map(self._is_size, node.inputs[1:], sizes))
        if node.op == "slice":
            return all(node.attrs["steps"])
        if node.op == "reshape":
            given = [self.maker.numbers.of(self.get(size)) for size in node.inputs[1:]]
            if given == [dim(-1)]:
                return True
            known = [size for size in given if size is not None]
            x = node.inputs[0]
            whole = functools.reduce(mul, self.get(x).type.shape[self.varies(x) :], dim(1))
            return len(known) == len(given) and functools.reduce(mul, known, dim(1)) == whole
        if node.op in ("take", "gather_nd", "set_index"):
            return fits(node) and all(self.is_inside(index, size) for index, size in indexed(node))
        if node.op == "scatter_nd" and not node.attrs["axis"]:
            return fills(node) and all(map(self.is_inside, node.inputs[2:], node.inputs[0].type.shape))
        rule = TOTAL.get(node.op)
        operands = [Value(v.name, TensorType(v.type.dtype, self.shape_made(v))) for v in node.inputs]
        return rule is not None and rule(Node(node.op, operands, node.outputs, node.attrs))

    def shape_made(self, value: Value) -> tuple[Dim, ...]:
        """The sizes of a value of a round as it is computed for all: in a branch, its type says what holds there."""
        return self.get(value).type.shape[self.varies(value) :]

    def _is_size(self, value: Value, size: Dim | None) -> bool:
        """Whether a number, which may be known as a size, is not negative."""
        found = self.ranges.of(value) if size is None else (size, size)
        return found is not None and provably_less_equal(0, found[0])

    def is_inside_in_rounds_only(self, node: Node) -> bool:
        """Whether an access by an index that rounds make, all of them the same, may fail where there is no round.

        Axes may be empty then: `where(outside, 0, k)` is inside where there is an element.
        """
        if node.op not in ("take", "gather_nd", "set_index"):
            return False
        pairs = [(index, size) for index, size in indexed(node) if not self.varies(index)]
        chosen = [(index, size) for index, size in pairs if self.maker.rewriter.made_by(index, "where") is not None]
        shared = [size for index, size in chosen if self.same_number(index) is None]
        return not all(map(self.maker.numbers.is_positive, shared))

    def is_inside(self, index: Value, size: Dim) -> bool:
        """Whether an index is inside an axis in any round that there may be."""
        return inside(self, index, size, NO_MASK)

    def range_of(self, index: Value) -> Range | None:
        """The least and the greatest that an integer of the body can be in a round that there is, or in vain."""
        if self._is_stand_in(index):
            return None
        affine, trips = self.affine_of(index), self.maker.numbers.of(self.trips)
        if affine is not None and affine.base is not None and (trips is not None or not affine.factor):
            last = affine.base + affine.factor * ((trips or dim(1)) - 1)
            return (affine.base, last) if affine.factor >= 0 else (last, affine.base)
        found = self.ranges.of(index)
        if affine is None or affine.base is None:
            return found
        behind = (affine.base, HIGHEST) if affine.factor > 0 else (LOWEST, affine.base)
        return behind if found is None else both(behind, found)

    def affine_of(self, value: Value) -> Affine | None:
        """An integer of the body as a function of the round."""
        if value in self.affine:
            return self.affine[value]
        if not self.is_known(value) or value.type.rank or value.type.dtype != np.int64:
            return None
        if not self.varies(value):
            return Affine(0, self.maker.numbers.of(self.get(value)))
        return None

    def start(self, affine: Affine) -> Value:
        """What a function of the round is in the first lane."""
        assert affine.base is not None
        if self.first is None:
            return self.maker.size(affine.base)
        behind = self.first
        if affine.factor != 1:
            behind = self.maker.op("multiply", behind, self.maker.constant(affine.factor))
        return behind if affine.base.constant == 0 else self.maker.op("add", self.maker.size(affine.base), behind)

    def _is_stand_in(self, value: Value) -> bool:
        """Whether a value may be none of those that are known of it, as it is made of what is not there."""
        return not all(map(self.has_elements, self.stand_ins.get(value, ())))

    def note_stand_ins(self, made_of: Sequence[Value], values: Sequence[Value]) -> None:
        """Take note of what values are made of."""
        sizes = frozenset[Dim]().union(*(self.stand_ins.get(value, ()) for value in made_of))
        if sizes:
            self.stand_ins.update({value: sizes | self.stand_ins.get(value, frozenset()) for value in values})

    def note_read(self, node: Node, mask: Mask) -> None:
        """Take note of an element that is 0 where there are none, if the rounds that read it may do so in vain."""
        if node.op in ("take", "gather_nd") and node.outputs[0].type.dtype.kind in "iu" and self.is_in_vain(mask):
            sizes = [size for index, size in indexed(node) if not self.is_inside(index, size)]
            self.stand_ins[node.outputs[0]] = self.stand_ins.get(node.outputs[0], frozenset()).union(sizes)

    def note_affine(self, node: Node) -> None:
        """Take note of integers that are functions of the round."""
        if node.op == "take":
            self._note_place(node)
        rule = AFFINE.get(node.op)
        if rule is None or node.outputs[0].type.rank or node.outputs[0].type.dtype != np.int64:
            return
        operands = [self.affine_of(value) for value in node.inputs]
        known = [operand for operand in operands if operand is not None]
        found = rule(*known) if len(known) == len(operands) else None
        if found is not None:
            self.affine[node.outputs[0]] = found

    def _note_place(self, node: Node) -> None:
        """An element of 0, 1, ... is its index, where that counts from the front."""
        numbers, index = self.maker.rewriter.producer.get(self.get(node.inputs[0])), node.inputs[1]
        found = self.affine_of(index)
        if numbers is None or numbers.op != "iota" or self.varies(node.inputs[0]) or found is None:
            return
        ends = self.range_of(index)
        if ends is not None and provably_less_equal(0, ends[0]):
            self.affine[node.outputs[0]] = found

    def same_number(self, value: Value) -> Dim | None:
        """The constant that an integer of the body is in every round; None if it is none, or not known."""
        affine = self.affine.get(value)
        if affine is None or affine.factor or affine.base is None or affine.base.constant is None:
            return None
        return affine.base

    def safe_index(self, x: Value, axis: int, index: Value, size: Dim, mask: Mask) -> Value:
        """An index into an axis of an array, one that is inside in lanes in which nobody wants the element."""
        made = self.get(index)
        if self._is_safe(index, size, mask):
            return made
        if not self.has_elements(size):
            raise StaysLoop(self.maker.at, "an array may be empty in rounds that do not read it")
        self.needs_round |= not self.varies(index) and not self.maker.numbers.is_positive(size)
        if self._is_behind(index, size, mask):
            return self._clamped(made, self.range_of(index), self.maker.op("dim", x, axis=axis), size)
        return self._where_wanted(made, self.varies(index), mask)

    def safe_access(self, x: Value, axis: int, index: Value, size: Dim, mask: Mask) -> tuple[Value, Value]:
        """An array and an index into it as above; an array that may be empty gets an element 0 that nobody wants."""
        if self._is_safe(index, size, mask) or self.has_elements(size):
            return x, self.safe_index(x, axis, index, size, mask)
        maker, made = self.maker, self.get(index)
        one, zero = maker.constant(1), maker.constant(0, made.type.dtype)
        sizes = [one if k == axis else maker.op("dim", x, axis=k) for k in range(x.type.rank)]
        nothing = maker.op("full", maker.constant(0, x.type.dtype), *sizes)
        behind = maker.op("add", made, maker.constant(1, made.type.dtype))
        moved = maker.op("where", maker.op("less", made, zero), made, behind)
        array = maker.op("concatenate", nothing, x, axis=axis)
        if maker.rewriter.program.leaves_checks:
            moved = self._outside_before(made, moved, self.range_of(index), maker.op("dim", x, axis=axis), size)
        if self._is_behind(index, size, mask):
            return array, self._clamped(moved, None, maker.op("dim", array, axis=axis), size + 1)
        return array, self._where_wanted(moved, self.varies(index), mask)

    def _outside_before(self, made: Value, moved: Value, found: Range | None, length: Value, size: Dim) -> Value:
        """An index that is outside of an array with one more in front where it was before the first element."""
        if made.type.dtype.kind != "i" or (found is not None and provably_less_equal(-size, found[0])):
            return moved
        maker, dtype = self.maker, made.type.dtype
        wide = made if dtype == np.int64 else maker.op("cast", made, dtype=np.dtype(np.int64))
        is_before = maker.op("less", wide, maker.op("negative", length))
        return maker.op("where", is_before, maker.constant(np.iinfo(dtype).min, dtype), moved)

    def perhaps_empty(self, node: Node, mask: Mask) -> list[tuple[Dim, Value]]:
        """The axes into which indices are not safe where there are no elements, and those sizes."""
        x, first = self.get(node.inputs[0]), node.attrs["axis"] + self.varies(node.inputs[0])
        pairs = enumerate(indexed(node), first)
        found = [(size, k) for k, (index, size) in pairs if not self._is_safe(index, size, mask)]
        return [(size, self.maker.op("dim", x, axis=k)) for size, k in found if not self.has_elements(size)]

    def _is_safe(self, index: Value, size: Dim, mask: Mask) -> bool:
        """Whether an index needs nothing to be safe.

        Raises
        ------
        StaysLoop
            If it may be outside in rounds that are none, and nothing but the operation says so where it is wanted.
        """
        if not self.is_in_vain(mask) or self.is_inside(index, size):
            return True
        if self.maker.rewriter.program.leaves_checks and self._is_behind(index, size, mask):
            raise StaysLoop(self.maker.at, "an index may be outside in rounds behind the one that ends the loop")
        return False

    def _is_behind(self, index: Value, size: Dim, mask: Mask) -> bool:
        """Whether an index may be outside in rounds behind the one that ends the loop, also where a mask holds."""
        return self.total and not inside(self, index, size, mask)

    def _clamped(self, made: Value, found: Range | None, length: Value, size: Dim) -> Value:
        """An index that is inside an axis with elements, the same where it was."""
        maker = self.maker
        if made.type.dtype != length.type.dtype:
            made = maker.op("cast", made, dtype=length.type.dtype)
        if found is None or not provably_less_equal(found[1], size - 1):
            made = maker.op("minimum", made, maker.op("subtract", length, maker.constant(1)))
        if found is None or not provably_less_equal(-size, found[0]):
            made = maker.op("maximum", made, maker.op("negative", length))
        return made

    def _where_wanted(self, made: Value, varies: bool, mask: Mask) -> Value:
        """An index, or 0 where the operation is not wanted."""
        known = self.maker.rewriter.constant_of(made)
        if known is not None and not known.any():
            return made
        wanted = self.mask_of(mask)
        assert wanted is not None
        if wanted.type.rank:
            made = made if varies or not made.type.rank else self.maker.expand(made, 0)
            wanted = self.maker.expand(wanted, *range(1, made.type.rank))
        return self.maker.op("where", wanted, made, self.maker.constant(0, made.type.dtype))

    def least(self, size: Dim) -> tuple[Dim, ...]:
        """Sizes that an axis has at least, whether there is a round or not."""
        return (size, dim(1)) if self.maker.numbers.is_positive(size) else (size,)

    def has_elements(self, size: Dim) -> bool:
        """Whether an axis has elements if there is a round."""
        if size in self.filled:
            return True
        trips = self.maker.numbers.of(self.trips)
        return self.maker.numbers.is_positive(size) or (trips is not None and provably_less_equal(trips, size))


def inside(lanes: Lanes, index: Value, size: Dim, mask: Mask) -> bool:
    """Whether an index is inside an axis in any round in which a mask holds.

    It may be 0 where a check of it has failed: `where(index >= n, 0, index)`.
    """
    facts = [fact for condition, truth in (*lanes.always, *mask) for fact in _facts(lanes, condition, truth)]
    producer = lanes.maker.rewriter.producer
    node, checked = producer.get(index), False
    while node is not None and node.op == "where":
        sides = [lanes.maker.rewriter.constant_of(side) for side in node.inputs[1:]]
        zero = [side is not None and not side.ndim and side == 0 for side in sides]
        if True not in zero:
            break
        facts += _facts(lanes, node.inputs[0], not zero[0])
        index, checked = node.inputs[2 if zero[0] else 1], True
        node = producer.get(index)
    if checked and not lanes.has_elements(size):
        return False
    found = lanes.range_of(index)
    lowest = [found[0]] if found is not None else []
    greatest = [found[1]] if found is not None else []
    for is_less, value, bound in facts:
        if value is index:
            (greatest if is_less else lowest).append(bound - 1 if is_less else bound)
    below = any(provably_less_equal(-size, low) for low in lowest)
    return below and any(provably_less_equal(high, least - 1) for high in greatest for least in lanes.least(size))


def _facts(lanes: Lanes, condition: Value, truth: bool) -> list[tuple[bool, Value, Dim]]:
    """What is known where a condition is true, or false: a number is less than a size, or at least one."""
    node = lanes.maker.rewriter.producer.get(condition)
    if node is None:
        return []
    if node.op == "invert":
        return _facts(lanes, node.inputs[0], not truth)
    if node.op == ("bitwise_and" if truth else "bitwise_or"):
        return [fact for operand in node.inputs for fact in _facts(lanes, operand, truth)]
    if node.op not in ("less", "greater_equal") or node.inputs[1] in lanes.varying:
        return []
    bound = lanes.maker.numbers.of(lanes.get(node.inputs[1]))
    return [] if bound is None else [((node.op == "less") == truth, node.inputs[0], bound)]


def indexed(node: Node) -> list[tuple[Value, Dim]]:
    """The indices of an access, each with the size of its axis."""
    shape = node.inputs[0].type.shape[node.attrs.get("axis", 0) :]
    return list(zip(node.inputs[INDICES[node.op] :], shape, strict=False))


__all__ = ["NO_MASK", "Lanes", "Mask", "indexed"]
