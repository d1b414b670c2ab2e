"""What branches and loops give that is known outside is read there.

    e, y = if t:                            y = if t:
        give k, exp(x)                          give exp(x)
    else:                       to          else:
        give undefined, x                       give x

    n, go = loop(...) with n = undefined, go = true:      bad = loop(...) with b = false:
        give again, 3, again                       to         give again, not again
                                                          go = not bad

An output of an `if` is known outside where both sides give the same value from there, or one side gives a value
from there and the other what nobody reads.  What a loop carries is known where each round gives the same value from
outside, and nobody reads what it was before the first round, or no round reads it and there is one.  Where rounds
change it, such a loop begins with nothing; and what is unset whenever a round begins is not read there.  A loop that
tells with a flag whether it has gone on to its end carries the opposite of its condition where it has that, so that no
value is given back twice.
"""

from __future__ import annotations

import numpy as np

from graph_program.extract.ir.graph import Graph, GraphProgram, Node, Value
from graph_program.extract.ir.residual import Const
from graph_program.extract.transform.rewrite import Rewriter, defined_in, keep_outputs, replace_values, uses_of
from graph_program.extract.transform.truths import Truths


def outer_values(program: GraphProgram) -> None:
    """Read values where they are known instead of where branches and loops give them, in place."""
    _OuterValues(program).run()


class _OuterValues(Rewriter):
    def visit(self, node: Node) -> list[Node]:
        if node.op == "if":
            return self._if(node)
        return self._loop(node) if node.op == "loop" else [node]

    def is_undefined(self, value: Value) -> bool:
        """Whether nobody reads a value."""
        node = self.producer.get(value)
        return node is not None and node.op == "placeholder"

    # ------------------------------------------------------------ branches

    def _if(self, node: Node) -> list[Node]:
        given = [self._known(x, y) for x, y in zip(*(region.outputs for region in node.regions), strict=True)]
        inside = defined_in(node.regions) if any(given) else set()
        kept, before = [], []
        for i, (output, known) in enumerate(zip(node.outputs, given, strict=True)):
            if known is not None and self.is_undefined(known):
                sizes = self.producer[known].inputs  # rows that nobody reads are as long as others
                sizes = sizes if inside.isdisjoint(sizes) else []
                before.append(Node("placeholder", list(sizes), [output], {}, loc=node.loc))
                continue
            array = None if known is None else self.constant_of(known)
            if known in inside and array is not None:
                known = self.constant(array, output.name)
            if known is None or known in inside:
                kept.append(i)
            else:
                self.replace(output, known)
        node.outputs = [node.outputs[i] for i in kept]
        for region in node.regions:
            region.outputs = [region.outputs[i] for i in kept]
        return [*before, node] if kept else before

    def _known(self, x: Value, y: Value) -> Value | None:
        """The one value of both sides that may be read; None if either may be."""
        if self._are_one(x, y) or self.is_undefined(y):
            return x
        return y if self.is_undefined(x) else None

    def _are_one(self, x: Value, y: Value) -> bool:
        """Whether both sides give the same."""
        if x is y:
            return True
        first, second = self.constant_of(x), self.constant_of(y)
        return first is not None and second is not None and x.type == y.type and Const(first) == Const(second)

    # ------------------------------------------------------------ loops

    def _loop(self, node: Node) -> list[Node]:
        while self._drop(node, node.regions[0]):
            pass
        unset = self._unset_beginnings(node) if self._has_rounds(node) else []
        self._leave_unset(node.regions[0], node.inputs[2:])
        return [*unset, node, *self._with_opposite_flags(node, node.regions[0])]

    def _drop(self, node: Node, body: Graph) -> bool:
        """Drop carried values that are known outside; whether any went."""
        inside, read = defined_in([body]), uses_of(body) if self._has_rounds(node) else None
        kept, replaced = [], {}
        for i, output in enumerate(node.outputs):
            parameter, result = body.inputs[i + 1], body.outputs[i + 1]
            begins = self.is_undefined(node.inputs[i + 2]) or (read is not None and parameter not in read)
            if begins and result not in inside:
                replaced[parameter] = result
                self.replace(output, result)
            else:
                kept.append(i)
        if not replaced:
            return False
        replace_values(body, replaced)
        keep_outputs(node, kept)
        return True

    def _unset_beginnings(self, node: Node) -> list[Node]:
        """Have a loop that has a round begin with nothing where no round reads what it begins with."""
        read, made = uses_of(node.regions[0]), []
        for i, parameter in enumerate(node.regions[0].inputs[1:], 2):
            initial = node.inputs[i]
            if parameter in read or initial.type.rank or self.is_undefined(initial) or self._is_constant(initial):
                continue
            node.inputs[i] = self.like(initial)
            made.append(Node("placeholder", [], [node.inputs[i]], {}, loc=node.loc))
        return made

    def _leave_unset(self, body: Graph, initial: list[Value]) -> None:
        """Have nobody read what is unset whenever a round begins: each round that is not the last leaves it so."""
        again, truths, unset = body.outputs[0], Truths(self.producer), {}
        for begin, parameter, result in zip(initial, body.inputs[1:], body.outputs[1:], strict=True):
            begins_unset = self.is_undefined(begin) and parameter is not result and not parameter.type.rank
            if begins_unset and self._stays_unset(result, parameter, again, truths):
                unset[parameter] = self.like(parameter)
        replace_values(body, unset)
        body.nodes[:0] = [Node("placeholder", [], [value]) for value in unset.values()]

    def _stays_unset(self, value: Value, parameter: Value, again: Value, truths: Truths) -> bool:
        """Whether a value is unset, or a parameter that is, wherever there is another round."""
        if value is parameter or self.is_undefined(value) or truths.truth(again) is False:
            return True
        node = self.producer.get(value)
        if node is None or node.op not in ("if", "where"):
            return False
        place = node.outputs.index(value)
        sides = node.inputs[1:] if node.op == "where" else [region.outputs[place] for region in node.regions]
        tests = [truths.where(node.inputs[0], holds) for holds in (True, False)]
        return all(self._stays_unset(side, parameter, again, test) for side, test in zip(sides, tests, strict=True))

    def _is_constant(self, value: Value) -> bool:
        return self.constant_of(value) is not None

    def _has_rounds(self, node: Node) -> bool:
        """Whether a loop certainly has a round."""
        trips = self.constant_of(node.inputs[0])
        return trips is not None and int(trips) > 0 and self._holds(node.inputs[1])

    def _with_opposite_flags(self, node: Node, body: Graph) -> list[Node]:
        """Let flags that hold as long as the loop goes on be carried the other way round."""
        again = body.outputs[0]
        test = self.producer.get(again)
        made = []
        for i, output in enumerate(node.outputs):
            if body.outputs[i + 1] is not again or not self._holds(node.inputs[i + 2]):
                continue
            replace_values(body, {body.inputs[i + 1]: node.inputs[i + 2]})
            if test is None or test.op != "invert":
                continue
            opposite = Value(self.names.fresh("ended"), output.type)
            node.inputs[i + 2] = self.constant(np.array(False), "false")
            node.outputs[i], body.outputs[i + 1] = opposite, test.inputs[0]
            made.append(self.node("invert", [opposite], output, {}, node.loc))
        return made

    def _holds(self, value: Value) -> bool:
        known = self.constant_of(value)
        return known is not None and bool(known)


__all__ = ["outer_values"]
