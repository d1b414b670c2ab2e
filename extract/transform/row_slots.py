"""A loop's carried array, of which a round touches one row, as rows: what is carried, collected and put together.

`rows` decides where this is done; `row_flow` writes rows in the place of arrays in the loop's body.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import field

import numpy as np

from graph_program.extract.ir.graph import Node, Value
from graph_program.extract.records import dataclass
from graph_program.extract.transform.endings import ends_in_error, only_a_result
from graph_program.extract.transform.linear import Linear
from graph_program.extract.transform.rewrite import Rewriter
from graph_program.extract.transform.row_flow import RowWriter
from graph_program.extract.types.dims import Dim, dim, provably_less_equal, symbol
from graph_program.extract.types.tensors.tensor_type import PY_INT, TensorType

END = np.iinfo(np.int64).max
LARGEST = 1024
"""Elements of a constant."""


@dataclass
class Place:
    """Which rows of an array the rounds of a loop touch.

    Attributes
    ----------
    outer : tuple of Linear
        Indices of the axes before that of the rows; they do not change in the loop.
    index, start : Linear
        The index of a row in a round and, if `step` is not 0, in the first one without the counter.
    step : int
        1 or -1, or 0 where all rounds have the same row.
    side : int
        1 where indices count from the beginning, -1 where they count from the end.
    outer_sides : list of int
        The same for the indices before.
    back : dict of Node to int
        For reads of other rows, how many rounds before they were written; less than 0 for later ones.
    """

    outer: tuple[Linear, ...]
    index: Linear
    start: Linear
    step: int
    side: int
    outer_sides: list[int]
    back: dict[Node, int] = field(default_factory=dict)

    @property
    def depth(self) -> int:
        """How many indices say which row it is."""
        return len(self.outer) + 1


@dataclass
class RowSlot:
    """Rewrites one carried value of a loop.

    Attributes
    ----------
    rewriter : Rewriter
    exact : callable
        The size that a sum is; None if it is not known to be one.
    linear : callable
        A number as a sum.
    loop : Node
    slot : int
    place : Place
    before, after : list of Node
        New nodes around the loop.
    """

    rewriter: Rewriter
    exact: Callable[[Linear], Dim | None]
    linear: Callable[[Value], Linear]
    loop: Node
    slot: int
    place: Place
    before: list[Node]
    after: list[Node]

    def run(self) -> None:
        place, body = self.place, self.loop.regions[0]
        self.body, self.nodes = body, self.before
        self.initial, self.output = self.loop.inputs[self.slot + 2], self.loop.outputs[self.slot]
        self.type = TensorType(self.initial.type.dtype, self.initial.type.shape[place.depth :])
        self.outer = [self._sum(form) for form in place.outer]
        self.start = self._sum(place.start)
        self.count = self.initial.type.shape[place.depth - 1]
        self._array = None if self.outer else self.initial
        if place.side < 0:
            self.start = self._plus(self.start, self._size(self.initial, place.depth - 1))
        if place.step:
            self._collect()
        else:
            self._carry()

    # ------------------------------------------------------------ nodes

    def _emit(self, op: str, type_: TensorType, *inputs: Value, name: str = "row", **attrs: object) -> Value:
        value = Value(self.rewriter.names.fresh(name), type_)
        self.nodes.append(self.rewriter.node(op, inputs, value, attrs, self.loop.loc))
        return value

    def _number(self, value: int) -> Value:
        return self.rewriter.constant(np.array(value, np.int64), f"int_{value}" if value >= 0 else "constant")

    def _plus(self, a: Value, b: Value) -> Value:
        numbers = [self.rewriter.constant_of(value) for value in (a, b)]
        known = [int(number) for number in numbers if number is not None]
        if len(known) == 2:
            return self._number(sum(known))
        return self._emit("add", PY_INT, a, b, name="index")

    def _minus(self, a: Value, b: Value) -> Value:
        return self._emit("subtract", PY_INT, a, b, name="index")

    def _sum(self, form: Linear) -> Value:
        """A sum as a number."""
        total = self._number(form.constant) if form.constant or not form.terms else None
        for value, factor in form.terms.items():
            term = value
            if factor != 1:
                term = self._emit("multiply", PY_INT, value, self._number(factor), name="index")
            total = term if total is None else self._plus(total, term)
        assert total is not None
        return total

    def _size(self, array: Value, axis: int) -> Value:
        size, node = array.type.shape[axis].constant, self.rewriter.producer.get(array)
        if size is not None:
            return self._number(size)
        if node is not None and node.op == "full":
            return node.inputs[axis + 1]
        return self._emit("dim", PY_INT, array, name="size", axis=axis)

    def _row_sizes(self) -> list[Value]:
        """The sizes of a row; computed before the loop, as is the array whose rows they are."""
        here, self.nodes = self.nodes, self.before
        sizes = [self._size(self.initial, axis) for axis in range(self.place.depth, self.initial.type.rank)]
        self.nodes = here
        return sizes

    def _at(self, array: Value, at: Sequence[Value]) -> Value:
        type_ = TensorType(array.type.dtype, array.type.shape[len(at) :])
        return self._emit("take" if len(at) == 1 else "gather_nd", type_, array, *at, axis=0)

    def _slice(self, array: Value, start: Value, stop: Value, step: int = 1) -> Value:
        type_ = TensorType(array.type.dtype, (self._open(), *array.type.shape[1:]))
        return self._emit("slice", type_, array, start, stop, axes=(0,), steps=(step,))

    def _open(self) -> Dim:
        """A size that nothing is known of."""
        return symbol(self.rewriter.names.fresh("rows.size"))

    def _filled(self, value: Value, count: int | None = None) -> Value:
        """A row of equal elements, or a number of them."""
        shape = self.type.shape if count is None else (dim(count), *self.type.shape)
        known, element = [d.constant for d in shape if d.constant is not None], self.rewriter.constant_of(value)
        if element is not None and len(known) == len(shape) and math.prod(known) <= LARGEST:
            return self.rewriter.constant(np.full(known, element))
        sizes = [*([] if count is None else [self._number(count)]), *self._row_sizes()]
        return self._emit("full", TensorType(self.type.dtype, shape), value, *sizes, name="rows") if sizes else value

    @property
    def array(self) -> Value:
        """The array whose rows the rounds write, as it is before the loop."""
        if self._array is None:
            here, self.nodes = self.nodes, self.before
            self._array = self._at(self.initial, self.outer)
            self.nodes = here
        return self._array

    # ------------------------------------------------------------ a row of each round

    def _collect(self) -> None:
        place, slot, body, loop = self.place, self.slot, self.body, self.loop
        filled = self._fill()
        count = max(0, *place.back.values()) if place.back else 0
        firsts = [self._first(i, filled) for i in range(1, count + 1)]
        parameter, inner = body.inputs[slot + 1], list[Node]()
        before = [Value(self.rewriter.names.fresh(parameter.name), self.type) for _ in firsts]
        if filled is None:
            self.nodes = inner
            filled = self._at(self.initial, [*self.outer, self._index(body.inputs[0])])
        row = self._rewritten(parameter, filled, before)
        self.nodes = body.nodes
        one = self._emit("expand_dims", TensorType(row.type.dtype, (dim(1), *self.type.shape)), row, axes=(0,))
        grown = self._type(self._open())
        body.inputs[slot + 1] = Value(self.rewriter.names.fresh(parameter.name), grown)
        type_ = self._type(grown.shape[0] + 1)
        body.outputs[slot + 1] = self._emit("concatenate", type_, body.inputs[slot + 1], one, name="rows", axis=0)
        body.nodes[:0] = inner
        self.nodes = self.before
        loop.inputs[slot + 2] = self._filled(self._zero(), 0)
        self._carry_before(firsts, before, row)
        self.nodes = self.after
        self.rewriter.replace(self.output, self._put_together())

    def _type(self, size: Dim) -> TensorType:
        return TensorType(self.type.dtype, (size, *self.type.shape))

    def _zero(self) -> Value:
        return self.rewriter.constant(np.zeros((), self.type.dtype))

    def _fill(self) -> Value | None:
        """The row that all rows are before the loop, where that is known."""
        node = self.rewriter.producer.get(self.initial)
        if node is not None and node.op == "full" and node.inputs[0].type.dtype == self.type.dtype:
            return self._filled(node.inputs[0])
        array = self.rewriter.constant_of(self.initial)
        first = None if array is None or not array.size else array.reshape(-1)[:1].reshape(())
        if array is None or first is None or array.tobytes() != first.tobytes() * array.size:
            return None
        return self._filled(self.rewriter.constant(first))

    def _index(self, counter: Value) -> Value:
        """The index of a round's row."""
        if self.place.step < 0:
            return self._minus(self.start, counter)
        known = self.rewriter.constant_of(self.start)
        return counter if known is not None and int(known) == 0 else self._plus(self.start, counter)

    def _first(self, back: int, filled: Value | None) -> Value:
        """The row that lies some rounds before the first one; anything if there is no round."""
        if filled is not None:
            return filled
        written = self._written(self.place.start + Linear({}, -back * self.place.step))
        if written is not None:
            return written
        start = self._plus(self.start, self._number(-back * self.place.step))
        there = self._slice(self.array, start, self._plus(start, self._number(1)))
        padded = self._emit("concatenate", self._type(self._open()), there, self._filled(self._zero(), 1), axis=0)
        return self._at(padded, [self._number(0)])

    def _written(self, index: Linear) -> Value | None:
        """What was written just before the loop, if that was this row."""
        node = self.rewriter.producer.get(self.initial)
        if node is None or node.op != "set_index" or self.place.side < 0:
            return None
        _, value, *at = node.inputs
        same = [self.linear(i) for i in at] == [*self.place.outer, index]
        return value if same and value.type.rank == self.type.rank == 0 else None

    def _rewritten(self, parameter: Value, first: Value, before: Sequence[Value]) -> Value:
        """Write rows in the place of arrays in the body; the row that a round ends with."""

        def other(node: Node) -> Value | None:
            back = self.place.back.get(node)
            if back is None:
                return None
            return before[back - 1] if back > 0 else self.initial

        names = self.rewriter.names
        writer = RowWriter(
            self.initial,
            self.type,
            {parameter: first},
            lambda name, type_: Value(names.fresh(name), type_),
            self._row_sizes,
            self.place.depth,
            other,
        )
        end = self.body.outputs[self.slot + 1]
        writer.graph(self.body)
        return writer.rows[end]

    def _carry_before(self, firsts: Sequence[Value], before: Sequence[Value], row: Value) -> None:
        """Carry the rows of some rounds before."""
        names = self.rewriter.names
        self.loop.inputs += firsts
        self.body.inputs += before
        self.body.outputs += [row, *before][: len(before)]
        self.loop.outputs += [Value(names.fresh(row.name), row.type) for row in before]

    # ------------------------------------------------------------ behind the loop

    def _put_together(self) -> Value:
        """The array behind the loop."""
        ends, trips = self._all_rounds(), self._trips()
        size, start = self.count, self._exact_start()
        first = last = False  # whether the rows begin, and end, where the array does
        if ends and trips is not None and start is not None:
            low, high = (start, start + trips) if self.place.step > 0 else (start - trips + 1, start + 1)
            least = 0 if self.place.step > 0 else size - 1  # without rounds, all is behind them then
            first = low.constant == 0 and (provably_less_equal(0, trips) or provably_less_equal(least, trips))
            last = high == size
        known = size if first and last else self._open()
        rows = Value(self.rewriter.names.fresh("rows"), self._type(known))
        self.loop.outputs[self.slot] = rows
        parts = self._around(rows, first, last)
        array = parts[0] if len(parts) == 1 else self._emit("concatenate", self._type(size), *parts, axis=0)
        if not self.outer:
            return array
        return self._emit("set_index", self.output.type, self.initial, array, *self.outer)

    def _all_rounds(self) -> bool:
        """Whether a loop's rounds are all done, where what it gives is read."""
        always = (self.rewriter.constant_of(v) for v in (self.loop.inputs[1], self.body.outputs[0]))
        begins, goes_on = (value is not None and bool(value) for value in always)
        if not begins or goes_on:
            return begins
        if self.outer or self.count.constant is not None:
            return False  # what is read in vain may have too few rows, which nothing must find wrong
        return only_a_result(self.rewriter.program, self.output) and ends_in_error(self.rewriter.program, self.loop)

    def _trips(self) -> Dim | None:
        return self.exact(Linear({self.loop.inputs[0]: 1}))

    def _exact_start(self) -> Dim | None:
        start = self.exact(self.place.start)
        return start if start is None or self.place.side > 0 else start + self.count

    def _around(self, rows: Value, first: bool, last: bool) -> list[Value]:
        """The rows, and those before and behind them that no round has written."""
        if first and last and self.place.step > 0:
            return [rows]
        zero, one, end = self._number(0), self._number(1), self._number(END)
        count = self._emit("dim", PY_INT, rows, name="size", axis=0)
        low, high = self.start, None if last else self._plus(self.start, count)
        if self.place.step < 0:
            rows = self._slice(rows, self._number(-1), self._number(np.iinfo(np.int64).min), -1)
            high = self._plus(self.start, one)
            low = self._minus(high, count)
        at_zero = self.rewriter.constant_of(low)
        first = first or (at_zero is not None and int(at_zero) == 0)
        head = [] if first else [self._slice(self.array, zero, low)]
        return [*head, rows] if last or high is None else [*head, rows, self._slice(self.array, high, end)]

    # ------------------------------------------------------------ the same row in all rounds

    def _carry(self) -> None:
        slot, body, loop = self.slot, self.body, self.loop
        parameter = body.inputs[slot + 1]
        row = body.inputs[slot + 1] = Value(self.rewriter.names.fresh(parameter.name), self.type)
        loop.inputs[slot + 2] = self._at(self.initial, [*self.outer, self.start])
        body.outputs[slot + 1] = self._rewritten(parameter, row, [])
        loop.outputs[slot] = Value(self.rewriter.names.fresh("row"), self.type)
        self.nodes = self.after
        new = self._emit("set_index", self.output.type, self.initial, loop.outputs[slot], *self.outer, self.start)
        self.rewriter.replace(self.output, new)


__all__ = ["Place", "RowSlot"]
