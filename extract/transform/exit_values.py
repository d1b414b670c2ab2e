"""What a loop gives where it was left is what it carries.

    y, z, on = loop(k < n) with y = a, z = a, on = true:      y, on = loop(k < n) with y = a, on = true:
        t = if stop:                                              t = if stop:
            give placeholder                                          give y
        else:                                             to      else:
            give f(y)                                                 give f(y)
        give invert(stop), t, y, invert(stop)                     give invert(stop), t, invert(stop)
    r = where(on, y, z)                                       r is y

A `break` gives a variable as the round has found it, beside what the variable would be behind the round, which nobody
reads then.  So that may be what the round has found, too, and there is one value.
"""

from __future__ import annotations

from collections.abc import Iterator

from graph_program.extract.ir.graph import Graph, GraphProgram, Node, Value
from graph_program.extract.records import dataclass
from graph_program.extract.transform.opposites import are_opposite
from graph_program.extract.transform.rewrite import Rewriter

Place = tuple[Graph, int]
"""An output of a side of a branch."""


def exit_values(program: GraphProgram) -> None:
    """Read what loops carry instead of what they give where they are left, in place."""
    _ExitValues(program).run()


@dataclass(frozen=True)
class _Exit:
    """A round that leaves: its flag then is `left`, and a value should be `parameter`."""

    left: bool
    parameter: Value


class _ExitValues(Rewriter):
    def visit(self, node: Node) -> list[Node]:
        if node.op == "loop":
            self._choose_less(node.regions[0])
        if node.op == "where":
            flag, stayed, left = node.inputs
            for carried, given, side in ((stayed, left, False), (left, stayed, True)):
                if self._gives(flag, carried, given, side):
                    loop = self.producer[flag]
                    self._keep(loop.regions[0], loop.regions[0].outputs[loop.outputs.index(flag) + 1], side)
                    self.replace(node.outputs[0], carried)
                    return []
        return [node]

    def _choose_less(self, body: Graph) -> None:
        """Leave out choices in a round between what it has found, where it leaves, and something else."""
        for number, (parameter, value) in enumerate(zip(body.inputs[1:], body.outputs[1:], strict=True), 1):
            choice = self.made_by(value, "where")
            flag, *values = choice.inputs if choice is not None and choice in body.nodes else [value]
            if parameter not in values or len(set(values)) == 1:
                continue
            left = values[0] is parameter
            given = values[left]
            if flag.type.rank or given.type != value.type:
                continue
            if self._places(given, flag, _Exit(left, parameter)) is not None:
                body.outputs[number] = given
                self._keep(body, flag, left)

    def _gives(self, flag: Value, carried: Value, given: Value, left: bool) -> bool:
        """Whether a loop gives of a value what the round that leaves has found, and nobody reads what it makes."""
        loop = self.producer.get(flag)
        if loop is None or loop.op != "loop" or carried not in loop.outputs or given not in loop.outputs:
            return False
        body = loop.regions[0]
        said, value, exit = (loop.outputs.index(v) for v in (flag, carried, given))
        begins = self.constant_of(loop.inputs[said + 2])
        if begins is None or bool(begins) is left or body.outputs[exit + 1] is not body.inputs[value + 1]:
            return False
        rounds = _Exit(left, body.inputs[value + 1])
        return self._places(body.outputs[value + 1], body.outputs[said + 1], rounds) is not None

    def _keep(self, body: Graph, flag: Value, left: bool) -> None:
        """Have rounds that leave keep what they would leave unset."""
        for parameter, value in zip(body.inputs[1:], body.outputs[1:], strict=True):
            for region, place in self._places(value, flag, _Exit(left, parameter)) or ():
                region.outputs[place] = parameter

    def _places(self, value: Value, flag: Value, exit: _Exit) -> list[Place] | None:
        """Where a value is unset in rounds that leave; None if it may be something there."""
        found = list(self._found(value, flag, exit))
        return None if None in found else [place for place in found if place is not None]

    def _found(self, value: Value, flag: Value | bool, exit: _Exit, at: Place | None = None) -> Iterator[Place | None]:
        """The places that are unset in rounds that leave; None for what is another value there."""
        if isinstance(flag, Value):
            known = self.constant_of(flag)
            if known is not None:
                flag = bool(known)
        if flag is (not exit.left) or value is exit.parameter:
            return
        node = self.producer.get(value)
        if node is not None and node.op == "placeholder" and at is not None and value.type == exit.parameter.type:
            yield at
            return
        branch = self._branch(node, flag)
        if branch is None:
            yield None
            return
        for side, region in enumerate(branch.regions):
            inner, place = self._on_side(branch, region, value, at)
            said = flag
            if isinstance(flag, Value):
                said = self._said(branch, side, flag)
            yield from self._found(inner, said, exit, place)

    def _branch(self, node: Node | None, flag: Value | bool) -> Node | None:
        """The branch that decides about a value, or about the flag."""
        if node is not None and node.op == "if":
            return node
        maker = self._uninverted(flag)[0] if isinstance(flag, Value) else None
        found = None if maker is None else self.producer.get(maker)
        return found if found is not None and found.op == "if" else None

    def _on_side(self, branch: Node, region: Graph, value: Value, at: Place | None) -> tuple[Value, Place | None]:
        if value not in branch.outputs:
            return value, at
        place = branch.outputs.index(value)
        return region.outputs[place], (region, place)

    def _said(self, branch: Node, side: int, flag: Value) -> Value | bool:
        """What a flag is on a side of a branch."""
        value, holds = self._uninverted(flag)
        if value in branch.outputs:
            inner = branch.regions[side].outputs[branch.outputs.index(value)]
            known = self.constant_of(inner)
            if known is not None:
                return bool(known) is holds
            return self._inverse(inner) if not holds else inner
        test, order = self._uninverted(branch.inputs[0])
        if value is not test:
            node, other = self.producer.get(test), self.producer.get(value)
            if node is None or other is None or not are_opposite(node, other):
                return flag
            holds = not holds
        return ((side == 0) is order) is holds

    def _uninverted(self, value: Value) -> tuple[Value, bool]:
        """What a value is the opposite of, or it itself, and whether it is it itself."""
        holds = True
        while (node := self.producer.get(value)) is not None and node.op == "invert":
            value, holds = node.inputs[0], not holds
        return value, holds

    def _inverse(self, value: Value) -> Value:
        """The opposite of a value, for looking at it only."""
        made = Value(value.name, value.type)
        self.producer[made] = Node("invert", [value], [made])
        return made


__all__ = ["exit_values"]
