"""A cycle of regions as one `loop` node: its carried variables, its body, and what it leaves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graph_program.extract.control.graph_builder import Scope, Selector
from graph_program.extract.control.sese_regions import Assign, Choice, Cycle, Dispatch, Item, Sequence
from graph_program.extract.ir.graph import Graph, Node, Value
from graph_program.extract.ir.residual import Op
from graph_program.extract.types.tensors.tensor_type import PY_BOOL, PY_INT

if TYPE_CHECKING:
    from graph_program.extract.control.regions_to_graph import Builder

LONGEST_TEST = 32
"""Operations before a loop test that may be written twice."""


class LoopBuilder:
    """One `loop` node: its carried variables, its body, and what it leaves."""

    def __init__(self, builder: Builder, item: Cycle, outer: Scope, carried: list[str]):
        self.builder, self.emit = builder, builder.emit
        self.item, self.outer, self.scope = item, outer, Scope(outer)
        types, base = builder.cfg.types, builder.cfg.base
        self.names: list[str | None] = []
        self.initial: list[Value | None] = []
        self.params: list[Value] = []
        self.results: list[Value | None] = []
        self.selector = Selector(())
        counter = item.iterate.counter if item.iterate else "iteration"
        self.counter = self.emit.value(counter, PY_INT, self.scope)
        if item.iterate is not None:
            self.scope.values[counter] = self.counter
        self.begun = dict.fromkeys(builder.cfg.blocks[item.block].params)
        """The variables that each round begins with; others are carried for what is behind the loop."""
        for name in sorted(carried, key=lambda name: name not in self.begun):
            type_ = types[name] if name in self.begun else builder.types.of_any_round(types[name])
            param = self.emit.value(base.get(name, name), type_, self.scope)
            self.names.append(name)
            self.initial.append(outer.lookup(name))
            self.params.append(param)
            # The counter may be carried to be read where the loop is left early.
            self.scope.values.setdefault(name, param)

    def body(self, body: Sequence) -> Selector:
        selector = self.builder.sequence(body.items, self.scope)
        return selector if len(body.targets) > 1 else Selector(body.targets)

    def carry_selector(self, selector: Selector) -> None:
        """Carry which way the loop was left; the number of its own head if by count."""
        head = self.item.block
        targets = selector.targets if head in selector.targets else (head, *selector.targets)
        self.selector = self.emit.convert(selector, targets, self.scope)
        wide = self.selector.wide
        initial = self.emit.integer(head) if wide else self.emit.boolean(targets[0] == head)
        self.names.append(None)
        self.initial.append(initial)
        self.params.append(self.emit.value("target", PY_INT if wide else PY_BOOL, self.scope))
        self.results.append(self.selector.value)

    def finish(self, trips: Value, condition: Value, again: Value, at_least_once: bool) -> Selector:
        """Make the node; its outputs become the variables of the outer scope."""
        outer = self.outer
        self.results = [self.scope.lookup(name) for name in self.names if name is not None] + self.results
        kept = self._merge_slots(again, at_least_once)
        for i in kept:
            self._join(i)
        initial = [self._or_placeholder(self.initial[i], i, outer) for i in kept]
        results = [self._or_placeholder(self.results[i], i, self.scope) for i in kept]
        outputs = {i: self._output(i) for i in kept}
        body = Graph([self.counter, *(self.params[i] for i in kept)], self.scope.nodes, [again, *results])
        loc = self.item.loc
        if outputs:
            inputs = [trips, condition, *initial]
            outer.nodes.append(Node("loop", inputs, list(outputs.values()), {}, [body], loc))
        selector = self.selector
        for i, name in enumerate(self.names):
            value = outputs.get(self.slot[i])
            if name is not None:
                outer.values[name] = value if value is not None else self.initial[i]
            elif value is not None:
                selector = Selector(selector.targets, value, selector.wide)
        return selector

    def _join(self, i: int) -> None:
        """A variable is joined at the beginning of each round."""
        name = self.names[i]
        if name is not None:
            self.builder.types.joins_again(self.initial[i], name)
            self.builder.types.joins_again(self.results[i], name)

    def _output(self, i: int) -> Value:
        """What a variable is behind the loop."""
        name, types = self.names[i], self.builder.types
        if name is None:
            return self.emit.value("target", self.params[i].type, self.outer)
        declared = self.builder.cfg.types[name]
        any_round = types.of_any_round(declared)
        sharing = [other for other, slot in zip(self.names, self.slot, strict=True) if slot == i]
        is_its_own = all(other in self.begun for other in sharing if other != name)
        output = self.emit.value(self._base(i), declared if is_its_own else any_round, self.outer)
        types.joined(output, name, any_round)
        return output

    def _base(self, i: int) -> str:
        name = self.names[i]
        return "target" if name is None else self.builder.cfg.base.get(name, name)

    def _or_placeholder(self, value: Value | None, i: int, scope: Scope) -> Value:
        if value is None:
            return self.emit.placeholder(scope, self._base(i), self.params[i].type)
        return value

    def _merge_slots(self, again: Value, at_least_once: bool) -> list[int]:
        """Carry values that always agree once; `self.slot` says for each where it is carried."""
        self.slot = list(range(len(self.names)))
        replaced: dict[Value, Value] = {}
        read = {again, *self.results, *_values_read(self.scope.nodes)}
        kept: list[int] = []
        for i, result in enumerate(self.results):
            initial, param = self.initial[i], self.params[i]
            if result is param and initial is not None:
                # Never changes: not carried at all.
                self.slot[i] = -1
                replaced[param] = initial
                continue
            for j in kept:
                same_start = initial is None or initial is self.initial[j] or (at_least_once and param not in read)
                if result is not None and result is self.results[j] and same_start:
                    self.slot[i] = j
                    replaced[param] = self.params[j]
                    break
            else:
                kept.append(i)
        if replaced:
            _replace_values(self.scope.nodes, replaced)
            self.results = [replaced.get(v, v) if v is not None else None for v in self.results]
        return kept


def while_shape(item: Cycle) -> tuple[list[Item], Choice] | None:
    """The items before the test of a loop that is only left by a test, and the test."""
    if not item.body.items or len(item.targets) != 1:
        return None
    *head, choice = item.body.items
    if not isinstance(choice, Choice) or {choice.then.targets, choice.orelse.targets} != {
        (item.block,),
        item.targets,
    }:
        return None
    off = choice.orelse if choice.then.targets == (item.block,) else choice.then
    on = choice.then if off is choice.orelse else choice.orelse
    leaves = all(isinstance(i, Assign) for i in off.items)
    works = any(not isinstance(i, Assign) for i in on.items)
    return (head, choice) if leaves and works and _size(head) <= LONGEST_TEST else None


def _size(items: list[Item]) -> int:
    """The number of operations in items; more than is ever allowed if there is a loop."""
    size = 0
    for item in items:
        match item:
            case Op():
                size += 1
            case Choice():
                size += 1 + _size(item.then.items) + _size(item.orelse.items)
            case Dispatch():
                size += 1 + _size(item.body.items)
            case Cycle():
                return LONGEST_TEST + 1
    return size


def _values_read(nodes: list[Node]) -> set[Value]:
    read: set[Value] = set()
    for node in nodes:
        read.update(node.inputs)
        for region in node.regions:
            read |= _values_read(region.nodes)
            read.update(region.outputs)
    return read


def _replace_values(nodes: list[Node], replaced: dict[Value, Value]) -> None:
    for node in nodes:
        node.inputs = [replaced.get(value, value) for value in node.inputs]
        for region in node.regions:
            _replace_values(region.nodes, replaced)
            region.outputs = [replaced.get(value, value) for value in region.outputs]
