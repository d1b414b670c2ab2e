"""Elements that some rounds of a loop append to a list are picked out of those of all rounds.

    v = loop(k < n) with u = v0:            r, f = loop(k < n):
        w = if t: u                             give collected: x, not t
            else: concatenate(u, [x])   to
        give true, w                        v = concatenate(v0, take(r, nonzero(f)))

A list that is carried is copied in every round, and what decides whether it grows has to give it on both sides.  Rounds
collect what they might append, and whether they do.  (Stream compaction; Blelloch, 1990.)  Only of elements that are
small, in loops that count their rounds: those that append nothing take memory, too.
"""

from __future__ import annotations

import math

import numpy as np

from graph_program.extract.ir.graph import GraphProgram, Node, Value
from graph_program.extract.records import dataclass
from graph_program.extract.transform.rewrite import Rewriter, defined_in, keep_outputs, uses_of
from graph_program.extract.transform.vectorize.maker import INT64_MAX
from graph_program.extract.types.dims import Dim, dim, symbol
from graph_program.extract.types.tensors.tensor_type import INT64, PY_BOOL, TensorType

SMALL = 16
"""Numbers of an element of which a round that appends nothing may keep one."""


def kept_rows(program: GraphProgram) -> None:
    """Collect what rounds may append, and pick out what they do, in place."""
    _KeptRows(program).run()


@dataclass(frozen=True)
class _Growing:
    """A carried list, by its place among what a loop carries, and the branch that appends to it.

    Attributes
    ----------
    place, output : int
        Of what is carried, and of what the branch gives.
    branch : Node
    side : int
        The side that appends.
    element : Value
        What is appended, without the axis of the list.
    """

    place: int
    branch: Node
    output: int
    side: int
    element: Value


class _KeptRows(Rewriter):
    def visit(self, node: Node) -> list[Node]:
        if node.op != "loop" or not self._counts(node):
            return [node]
        after: list[Node] = []
        while (found := self._growing(node)) is not None:
            after += self._picked(node, found)
        return [node, *after]

    def _counts(self, loop: Node) -> bool:
        trips = self.constant_of(loop.inputs[0])
        return trips is None or int(trips) < INT64_MAX

    # ------------------------------------------------------------ which

    def _growing(self, loop: Node) -> _Growing | None:
        (body,) = loop.regions
        uses = uses_of(body)
        branches = {value: node for node in body.nodes if node.op == "if" for value in node.outputs}
        for place, (parameter, result) in enumerate(zip(body.inputs[1:], body.outputs[1:], strict=True)):
            branch = branches.get(result)
            if branch is None or "fails" in branch.attrs or uses[result] != 1 or uses[parameter] != 2:
                continue
            found = self._appends(branch, branch.outputs.index(result), place, parameter)
            if found is not None and uses[branch.regions[found.side].outputs[found.output]] == 1:
                return found
        return None

    def _appends(self, branch: Node, output: int, place: int, parameter: Value) -> _Growing | None:
        """Whether a side of a branch appends an element to a list, and the other one gives it as it is."""
        for side, region in enumerate(branch.regions):
            made = {value: node for node in region.nodes for value in node.outputs}
            node = made.get(region.outputs[output])
            if node is None or branch.regions[1 - side].outputs[output] is not parameter:
                continue
            if node.op != "concatenate" or node.attrs["axis"] or len(node.inputs) != 2:
                continue
            row = made.get(node.inputs[1]) or self.producer.get(node.inputs[1])
            is_row = row is not None and row.op == "expand_dims" and tuple(row.attrs["axes"]) == (0,)
            if row is None or not is_row or node.inputs[0] is not parameter:
                continue
            if _is_small(row.inputs[0]):
                return _Growing(place, branch, output, side, row.inputs[0])
        return None

    # ------------------------------------------------------------ how

    def _picked(self, loop: Node, found: _Growing) -> list[Node]:
        """Have a loop collect what it may append; what picks out what it has appended, behind it."""
        (body,) = loop.regions
        old, begins = loop.outputs[found.place], loop.inputs[found.place + 2]
        inside, test = list[Node](), found.branch.inputs[0]
        if found.side:
            test = self.append(inside, "invert", [test], PY_BOOL, "kept")
        rounds = symbol(self.names.fresh("rows"))
        elements = self._collected(loop, inside, self._given(found), rounds)
        flags = self._collected(loop, inside, test, rounds)
        body.nodes += inside
        keep_outputs(loop, [i for i in range(len(loop.outputs)) if i != found.place])
        longer = found.branch.regions[found.side].outputs[found.output]
        keep_outputs(found.branch, [i for i in range(len(found.branch.outputs)) if i != found.output])
        appends = found.branch.regions[found.side].nodes
        appends[:] = [n for n in appends if longer not in n.outputs]  # it reads what is no longer carried
        after: list[Node] = []
        count = symbol(self.names.fresh("kept"))
        numbers = self.append(after, "nonzero", [flags], TensorType(INT64, (dim(1), count)), "kept")
        places = self.append(after, "take", [numbers, self.integer(0)], TensorType(INT64, (count,)), "kept", axis=0)
        if begins.type.shape[0].constant == 0:
            after.append(self.node("take", [elements, places], old, {"axis": 0}, loop.loc))
            return after
        kept = self.append(after, "take", [elements, places], self._rows(found.element, count), "kept", axis=0)
        after.append(self.node("concatenate", [begins, kept], old, {"axis": 0}, loop.loc))
        return after

    def _given(self, found: _Growing) -> Value:
        """The element behind the branch, where nobody asks for it if it is not appended."""
        branch, element = found.branch, found.element
        if element not in defined_in([branch.regions[found.side]]):
            return element
        unset = self.like(element)
        branch.regions[1 - found.side].nodes.append(Node("placeholder", [], [unset]))
        for side, region in enumerate(branch.regions):
            region.outputs.append(element if side == found.side else unset)
        branch.outputs.append(self.like(element))
        return branch.outputs[-1]

    def _collected(self, loop: Node, inside: list[Node], element: Value, rounds: Dim) -> Value:
        """What all rounds have had for a value, one behind the other."""
        (body,) = loop.regions
        before, behind = (symbol(self.names.fresh("rows")) for _ in range(2))
        nothing = np.zeros((0, *(int(size.constant or 0) for size in element.type.shape)), element.type.dtype)
        parameter = Value(self.names.fresh("rows"), self._rows(element, before))
        row = self.append(inside, "expand_dims", [element], self._rows(element, dim(1)), "kept", axes=(0,))
        rows = self.append(inside, "concatenate", [parameter, row], self._rows(element, behind), "kept", axis=0)
        output = Value(self.names.fresh("rows"), self._rows(element, rounds))
        loop.inputs.append(self.constant(nothing))
        loop.outputs.append(output)
        body.inputs.append(parameter)
        body.outputs.append(rows)
        return output

    def _rows(self, element: Value, count: Dim) -> TensorType:
        return TensorType(element.type.dtype, (count, *element.type.shape))


def _is_small(element: Value) -> bool:
    """Whether an element has a known number of numbers, which are few."""
    sizes = [size.constant for size in element.type.shape]
    return None not in sizes and math.prod(size for size in sizes if size is not None) <= SMALL


__all__ = ["kept_rows"]
