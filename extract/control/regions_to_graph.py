"""Region tree to functional graph: what an `if` or a `loop` gives back is what is live behind it.

    loop b1:                                  c0 = less(x0, n)
        t = less(x, n)                        x = loop(MAX, c0, x0):
        if t:                                     (i, x_1) ->
            x2 = f(x); x = x2  -> b1                  x2 = f(x_1)
        else:             -> b2                       c1 = less(x2, n)
                                                      give c1, x2

A variable is a value of the scope that it was last assigned in.  Behind an `if` the variables that
some arm assigned and some target reads are its outputs; an arm on whose way nobody reads one gives a
placeholder, or whatever makes two outputs one.  Loops come in three forms:

* counted: trips, and a condition that is tested once before and again at the end of the body;
* `while`: the test computed once before and again at the end, so the body has no `if` (only where
  the code before the test is short, because it appears twice);
* general: the body ends in a selector, which says whether to go on.
"""

from __future__ import annotations

import numpy as np

from graph_program.extract.control.cfg import Cfg, Iterate
from graph_program.extract.control.cfg import Value as Operand
from graph_program.extract.control.graph_builder import Emitter, Scope, Selector
from graph_program.extract.control.joined_types import JoinedTypes
from graph_program.extract.control.liveness import liveness
from graph_program.extract.control.loop_nodes import LoopBuilder, while_shape
from graph_program.extract.control.names import Names
from graph_program.extract.control.sese_regions import Assign, Choice, Cycle, Dispatch, Item, Sequence, assigned
from graph_program.extract.ir.graph import Graph, GraphProgram, Node, Value
from graph_program.extract.ir.residual import Const, Op
from graph_program.extract.records import dataclass
from graph_program.extract.types.tensors.tensor_type import PY_BOOL, PY_INT, TensorType

UNLIMITED = int(np.iinfo(np.int64).max)


def regions_to_graph(cfg: Cfg, regions: Sequence) -> GraphProgram:
    """The functional graph of a program in SSA form with its region tree."""
    return Builder(cfg).run(regions)


Arm = tuple[Scope, Selector]


@dataclass
class _Column:
    """A variable behind an `if`: what each arm gives for it, None where nobody reads it."""

    names: list[str | None]
    type: TensorType
    on_the_way: TensorType
    """The type if the variable is joined again."""
    arms: list[Value | None]


class Builder:
    def __init__(self, cfg: Cfg):
        self.cfg = cfg
        self.live = liveness(cfg)
        self.emit = Emitter(Names(cfg.inputs))
        self.types = JoinedTypes(cfg.types, cfg.inputs)
        self.needs: dict[tuple[int, ...], frozenset[str]] = {}

    def run(self, regions: Sequence) -> GraphProgram:
        cfg, scope = self.cfg, Scope()
        inputs = []
        for name in cfg.inputs:
            value = Value(name, cfg.types[name])
            self.emit.home[value] = 0
            scope.values[name] = value
            inputs.append(value)
        self.sequence(regions.items, scope)
        outputs = [self.operand(output, scope) for output in cfg.blocks[cfg.exit].terminator.operands]
        graph = Graph(inputs, [*self.emit.constant_nodes, *scope.nodes], outputs)
        return GraphProgram(cfg.name, graph, cfg.output_names, cfg.errors, cfg.error_args, cfg.host, cfg.keeps_writes)

    def operand(self, operand: Operand, scope: Scope) -> Value:
        type = self.cfg.types[operand] if isinstance(operand, str) else None
        return self.emit.operand(operand, scope, type)

    def needed(self, targets: tuple[int, ...]) -> frozenset[str]:
        """The variables that are live at any of the targets."""
        if targets not in self.needs:
            self.needs[targets] = frozenset().union(*map(self._read_from, targets))
        return self.needs[targets]

    def _read_from(self, target: int) -> frozenset[str]:
        """Live on entry; a counted loop also keeps up to date what it gives where its count ends it."""
        read, passed = set(self.live.entry[target]), {target}
        end = self.cfg.blocks[target].terminator
        while isinstance(end, Iterate) and end.exit.target not in passed:
            passed.add(end.exit.target)
            following = self.cfg.blocks[end.exit.target]
            read.update(following.params)
            end = following.terminator
        return frozenset(read)

    # ------------------------------------------------------------ sequences

    def sequence(self, items: list[Item], scope: Scope, start: Selector | None = None) -> Selector:
        """Build items in order; the selector among the targets behind them."""
        selector = start or Selector(())
        for item in items:
            match item:
                case Op():
                    inputs = [self.operand(arg, scope) for arg in item.args]
                    type = self.cfg.types[item.target]
                    value = self.emit.op(scope, item.target, type, item.op, inputs, item.attrs, item.loc)
                    scope.values[item.target] = value
                case Assign():
                    self._assign(item, scope)
                case Choice():
                    test = self.operand(item.test, scope)
                    arms = [self._arm(arm, scope) for arm in (item.then, item.orelse)]
                    selector = self._merge(test, arms, item, scope)
                case Dispatch():
                    test = self.emit.test(selector, item.target, scope)
                    arms = [self._arm(item.body, scope), (Scope(scope), selector.without(item.target))]
                    selector = self._merge(test, arms, item, scope)
                case Cycle():
                    selector = self._cycle(item, scope)
        return selector

    def _assign(self, item: Assign, scope: Scope) -> None:
        sources = [self._source(source, scope) for source in item.sources]
        scope.values.update(zip(item.targets, sources, strict=True))

    def _source(self, source: Operand, scope: Scope) -> Value | None:
        match source:
            case Const():
                return self.emit.constant(source)
            case str():
                return scope.lookup(source)
        return None

    def _arm(self, arm: Sequence, outer: Scope) -> Arm:
        scope = Scope(outer)
        selector = self.sequence(arm.items, scope)
        return scope, selector if len(arm.targets) > 1 else Selector(arm.targets)

    # ------------------------------------------------------------ if

    def _merge(self, test: Value, arms: list[Arm], item: Choice | Dispatch, scope: Scope) -> Selector:
        """Join two arms: an `if` node, unless all that is read behind it is known without one."""
        targets = item.targets
        columns: list[_Column] = []
        for name in {**arms[0][0].values, **arms[1][0].values}:
            if name in self.needed(targets):
                self._column(name, arms, scope, columns)
        selector = self._merge_selector(test, arms, targets, scope, columns)
        columns = _share(columns)
        if not columns:
            return selector
        node = Node("if", [test], [], {} if item.failing is None else {"fails": item.failing}, loc=item.loc)
        for i, (arm, _) in enumerate(arms):
            given = [self._given(column, column.arms[i], arm) for column in columns]
            node.regions.append(Graph([], arm.nodes, given))
        for column in columns:
            base = column.names[0] or "target"
            output = self.emit.value(base, column.type, scope)
            node.outputs.append(output)
            if column.names[0] is not None:
                self.types.joined(output, column.names[0], column.on_the_way, column.arms)
            for variable in column.names:
                if variable is None:
                    selector = Selector(selector.targets, output, selector.wide)
                else:
                    scope.values[variable] = output
        scope.nodes.append(node)
        return selector

    def _given(self, column: _Column, value: Value | None, arm: Scope) -> Value:
        if value is None:
            return self.emit.placeholder(arm, column.names[0] or "target", column.on_the_way)
        return value

    def _column(self, name: str, arms: list[Arm], scope: Scope, columns: list[_Column]) -> None:
        """Note what each arm gives for a variable; settle it here if that needs no `if`."""
        values = [arm.lookup(name) if name in self.needed(selector.targets) else None for arm, selector in arms]
        known = [value for value in values if value is not None]
        if not known:
            scope.values[name] = None
        elif all(value is known[0] for value in known) and self.emit.home[known[0]] <= scope.depth:
            scope.values[name] = known[0]
        else:
            columns.append(_Column([name], *self.types.behind(name, known), values))

    def _merge_selector(
        self, test: Value, arms: list[Arm], targets: tuple[int, ...], scope: Scope, columns: list[_Column]
    ) -> Selector:
        emit = self.emit
        then, orelse = (emit.convert(selector, targets, arm) for arm, selector in arms)
        if then.value is None or orelse.value is None:
            return Selector(targets)
        if then.value is orelse.value:
            return then
        if max(emit.home[then.value], emit.home[orelse.value]) <= scope.depth:
            if then.wide:
                value = emit.op(scope, "target", PY_INT, "where", [test, then.value, orelse.value])
                return Selector(targets, value, True)
            if then.value is emit.boolean(True) and orelse.value is emit.boolean(False):
                return Selector(targets, test)
            if then.value is emit.boolean(False) and orelse.value is emit.boolean(True):
                return Selector(targets, emit.invert(test, scope))
        type_ = PY_INT if then.wide else PY_BOOL
        columns.append(_Column([None], type_, type_, [then.value, orelse.value]))
        return Selector(targets, then.value, then.wide)

    # ------------------------------------------------------------ loops

    def _cycle(self, item: Cycle, scope: Scope) -> Selector:
        if item.iterate is not None:
            return self._counted(item, scope)
        shape = while_shape(item)
        return self._general(item, scope) if shape is None else self._while(item, *shape, scope)

    def _general(self, item: Cycle, scope: Scope) -> Selector:
        needed = self.live.entry[item.block] | self.needed(item.targets)
        carried = [name for name in assigned(item.body.items) if name in needed]
        loop = LoopBuilder(self, item, scope, carried)
        selector = loop.body(item.body)
        again = self.emit.test(selector, item.block, loop.scope)
        if len(item.targets) > 1:
            loop.carry_selector(selector)
        left = loop.finish(self.emit.integer(UNLIMITED), self.emit.boolean(True), again, True)
        return left.without(item.block)

    def _while(self, item: Cycle, head: list[Item], choice: Choice, scope: Scope) -> Selector:
        on, off = choice.then, choice.orelse
        if on.targets != (item.block,):
            on, off = off, on

        def test(where: Scope) -> Value:
            self.sequence(head, where)
            value = self.operand(choice.test, where)
            return value if on is choice.then else self.emit.invert(value, where)

        first = test(scope)
        names = assigned([*head, *on.items])
        loop = LoopBuilder(self, item, scope, [n for n in names if n in self.live.exit[choice.block]])
        loop.body(on)
        again = test(loop.scope)
        loop.finish(self.emit.integer(UNLIMITED), first, again, False)
        return self.sequence(off.items, scope)

    def _counted(self, item: Cycle, scope: Scope) -> Selector:
        iterate, after = item.iterate, item.exit
        assert iterate is not None and after is not None
        natural = after.targets[0]

        def test(where: Scope) -> Value:
            self.sequence(list(item.head), where)
            return self.emit.boolean(True) if iterate.test is None else self.operand(iterate.test, where)

        first, trips = test(scope), self.operand(iterate.trips, scope)
        if item.shared:
            self.sequence(after.items, scope)
        needed = self.live.exit[item.block] | self.needed(item.targets)
        names = assigned([*item.head, *item.body.items]) | {iterate.counter: None}
        loop = LoopBuilder(self, item, scope, [name for name in names if name in needed])
        selector = loop.body(item.body)
        goes_on = self.emit.test(selector, item.block, loop.scope)
        again = test(loop.scope)
        if again is self.emit.boolean(True):
            again = goes_on
        elif goes_on is not self.emit.boolean(True):
            again = self.emit.op(loop.scope, "again", PY_BOOL, "bitwise_and", [goes_on, again])
        if len(item.targets) > 1:
            loop.carry_selector(selector)
        left = loop.finish(trips, first, again, False)
        if not item.shared:
            self.sequence(after.items, scope)
        return self.emit.convert(left, item.targets, scope, {item.block: natural})


def _share(columns: list[_Column]) -> list[_Column]:
    """Make one output of variables for which the arms give the same, as far as anybody reads it."""
    kept: list[_Column] = []
    for column in sorted(columns, key=lambda column: column.arms.count(None)):
        for other in kept:
            pairs = zip(column.arms, other.arms, strict=True)
            if all(mine is None or mine is theirs for mine, theirs in pairs):
                other.names += column.names
                break
        else:
            kept.append(column)
    return kept
