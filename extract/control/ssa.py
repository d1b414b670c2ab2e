"""Static single assignment: every variable gets one definition, joins get block parameters.

    b1:  x = 1;          jump b3                b1:  jump b3(1)
    b2:  x = add(y, y);  jump b3        to      b2:  x = add(y, y);  jump b3(x)
    b3:  z = neg(x)                             b3(x_1):  z = neg(x_1)

Parameters are placed at iterated dominance frontiers where the variable is live (Cytron et al., 1991),
copies are propagated while renaming, and parameters that only ever receive one value are removed
until none is left, which on reducible graphs gives minimal SSA (Braun et al., 2013).  Branches on
constants, and operations that nothing reads, go as well: every operation is pure.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import cast

import numpy as np

from graph_program.extract.control.cfg import (
    BasicBlock,
    Branch,
    Cfg,
    Edge,
    Exit,
    Iterate,
    Jump,
    Terminator,
    Undefined,
    Value,
    remove_unreachable,
    reverse_postorder,
    variables,
)
from graph_program.extract.control.dominators import Dominators
from graph_program.extract.control.liveness import liveness
from graph_program.extract.control.names import Names
from graph_program.extract.ir.residual import Const, Copy, Op, Operand
from graph_program.extract.types.tensors.tensor_type import PY_BOOL

ZERO = Const(np.array(0, np.int64))


def to_ssa(cfg: Cfg) -> Cfg:
    """The same program in pruned, minimal SSA form without copies; `cfg` is left as it is."""
    ssa = _Renamer(cfg).run()
    while _fold_branches(ssa) | _replace_single_trips(ssa) | _thread_jumps(ssa):
        pass
    _end_with_errors(ssa)
    remove_dead(ssa)
    return ssa


# ---------------------------------------------------------------- renaming


class _Renamer:
    def __init__(self, cfg: Cfg):
        self.cfg = cfg
        self.tree = Dominators(cfg)
        self.definitions = _definitions(cfg)
        self.merged = _merge_variables(cfg)
        self.names = Names({*cfg.inputs, *(name for name in cfg.types if name not in self.merged)})
        self.types = {name: type for name, type in cfg.types.items() if name not in self.merged}
        self.types.update((name, cfg.types[name]) for name in cfg.inputs)
        self.base: dict[str, str] = {}
        self.current: dict[str, Value] = {name: name for name in cfg.inputs}
        self.params = self._place()
        self.blocks: dict[int, BasicBlock] = {}

    def run(self) -> Cfg:
        undo: list[tuple[str, Value | None]] = []
        marks: list[int] = []
        work: list[int | None] = [0]
        while work:
            number = work.pop()
            if number is None:
                self._restore(undo, marks.pop())
                continue
            marks.append(len(undo))
            self._rename_block(number, undo)
            work.append(None)
            work += reversed(self.tree.children[number])
        blocks = {number: self.blocks[number] for number in self.tree.order}
        for number, block in self.cfg.blocks.items():
            blocks.setdefault(number, replace(block))
        return replace(self.cfg, blocks=blocks, types=self.types, base=self.base)

    def _place(self) -> dict[int, list[str]]:
        """The variables that need a parameter at each join."""
        frontiers, live = self.tree.frontiers(), liveness(self.cfg).entry
        params: dict[int, list[str]] = {number: [] for number in self.tree.order}
        for name in self.merged:
            work = [number for number in self.definitions[name] if number in frontiers]
            placed: set[int] = set()
            while work:
                for join in frontiers[work.pop()]:
                    if join not in placed and name in live[join]:
                        placed.add(join)
                        params[join].append(name)
                        work.append(join)
        return params

    def _rename_block(self, number: int, undo: list[tuple[str, Value | None]]) -> None:
        old = self.cfg.blocks[number]
        block = BasicBlock(number, loc=old.loc, loop_loc=old.loop_loc)
        block.params = [self._define(name, undo) for name in self.params[number]]
        block.counters = [self._define(name, undo) for name in old.counters]
        for item in old.body:
            if isinstance(item, Copy):
                sources = [self._read(source) for source in item.sources]
                for target, source in zip(item.targets, sources, strict=True):
                    self._assign(target, source, undo)
            else:
                read = _with_args(item, [self._read(arg) for arg in item.args])
                target = self._define(item.target, undo)
                block.body.append(read if target == item.target else replace(read, target=target))
        block.terminator = _map_terminator(old.terminator, self._read, self._edge)
        self.blocks[number] = block

    def _edge(self, edge: Edge) -> Edge:
        return Edge(edge.target, [self._read(name) for name in self.params[edge.target]])

    def _read(self, value: Value) -> Value:
        if isinstance(value, str) and value in self.merged:
            return self.current.get(value) or Undefined(self.cfg.types[value])
        return value

    def _define(self, name: str, undo: list[tuple[str, Value | None]]) -> str:
        if name not in self.merged:
            self.types[name] = self.cfg.types[name]
            self.base[name] = name
            return name
        version = self.names.fresh(name)
        self.types[version] = self.cfg.types[name]
        self.base[version] = name
        self._assign(name, version, undo)
        return version

    def _assign(self, name: str, value: Value, undo: list[tuple[str, Value | None]]) -> None:
        undo.append((name, self.current.get(name)))
        self.current[name] = value

    def _restore(self, undo: list[tuple[str, Value | None]], mark: int) -> None:
        while len(undo) > mark:
            name, value = undo.pop()
            if value is None:
                del self.current[name]
            else:
                self.current[name] = value


def _with_args(op: Op, args: list[Value]) -> Op:
    """The operation with other operands, which in SSA form may be undefined."""
    if all(new is old for new, old in zip(args, op.args, strict=True)):
        return op
    return replace(op, args=cast(tuple[Operand, ...], tuple(args)))


def _definitions(cfg: Cfg) -> dict[str, list[int]]:
    """The blocks that define each variable, once per definition."""
    found: dict[str, list[int]] = {name: [0] for name in cfg.inputs}
    for block in cfg.blocks.values():
        for name in _defined(block):
            found.setdefault(name, []).append(block.id)
    return found


def _defined(block: BasicBlock) -> Iterable[str]:
    yield from block.counters
    for item in block.body:
        if isinstance(item, Copy):
            yield from item.targets
        else:
            yield item.target


def _merge_variables(cfg: Cfg) -> dict[str, None]:
    """Variables with several definitions, or defined by a copy; in order of appearance."""
    counts = Counter(name for blocks in cfg.blocks.values() for name in _defined(blocks))
    counts.update(cfg.inputs)
    copied = {
        name for block in cfg.blocks.values() for item in block.body if isinstance(item, Copy) for name in item.targets
    }
    return {name: None for name, count in counts.items() if count > 1 or name in copied}


def _map_terminator(terminator: Terminator, read: Callable[[Value], Value], edge: Callable[[Edge], Edge]) -> Terminator:
    match terminator:
        case Jump():
            return Jump(edge(terminator.edge))
        case Branch():
            return Branch(read(terminator.test), edge(terminator.then), edge(terminator.orelse))
        case Iterate():
            test = None if terminator.test is None else read(terminator.test)
            body, after = edge(terminator.body), edge(terminator.exit)
            return Iterate(terminator.counter, read(terminator.trips), test, body, after)
        case Exit():
            return Exit([read(value) for value in terminator.outputs])


# ---------------------------------------------------------------- simplification


def remove_trivial_parameters(cfg: Cfg) -> None:
    """Replace parameters that only ever receive one value, or the same values as another one."""
    order = [number for number in reverse_postorder(cfg) if cfg.blocks[number].params]
    incoming: dict[int, list[Edge]] = {number: [] for number in cfg.blocks}
    for number in reverse_postorder(cfg):
        for edge in cfg.blocks[number].terminator.edges:
            incoming[edge.target].append(edge)
    replaced: dict[str, Value] = {}

    def resolve(value: Value) -> Value:
        seen = []
        while isinstance(value, str) and value in replaced:
            seen.append(value)
            value = replaced[value]
        for name in seen:
            replaced[name] = value
        return value

    changed = True
    while changed:
        changed = False
        for number in order:
            changed |= _replace_parameters(cfg.blocks[number], incoming[number], replaced, resolve)
    _substitute(cfg, resolve)


def _replace_parameters(
    block: BasicBlock,
    edges: list[Edge],
    replaced: dict[str, Value],
    resolve: Callable[[Value], Value],
) -> bool:
    """One round at one block; whether any parameter went."""
    columns: dict[tuple[Value, ...], str] = {}
    kept = []
    for i, param in enumerate(block.params):
        column = tuple(resolve(edge.args[i]) for edge in edges)
        values = {value for value in column if value != param}
        if len(values) == 1:
            replaced[param] = values.pop()
        elif column in columns:
            replaced[param] = columns[column]
        else:
            columns[column] = param
            kept.append(i)
    if len(kept) == len(block.params):
        return False
    block.params = [block.params[i] for i in kept]
    for edge in edges:
        edge.args = [edge.args[i] for i in kept]
    return True


def _substitute(cfg: Cfg, resolve: Callable[[Value], Value]) -> None:
    def edge(old: Edge) -> Edge:
        return Edge(old.target, [resolve(arg) for arg in old.args], old.fails)

    for block in cfg.blocks.values():
        ops = [op for op in block.body if isinstance(op, Op)]
        block.body = [_with_args(op, [resolve(arg) for arg in op.args]) for op in ops]
        block.terminator = _map_terminator(block.terminator, resolve, edge)


def _fold_branches(cfg: Cfg) -> bool:
    """Make branches on constants jumps; whether there were any."""
    remove_trivial_parameters(cfg)
    found = False
    for block in cfg.blocks.values():
        branch = block.terminator
        if isinstance(branch, Branch) and isinstance(branch.test, Const):
            block.terminator = Jump(branch.then if bool(branch.test.value) else branch.orelse)
            found = True
    if found:
        remove_unreachable(cfg)
    return found


def _replace_single_trips(cfg: Cfg) -> bool:
    """Make a counted loop whose body never comes back a branch; whether there was one."""
    heads = Dominators(cfg).loops()
    names, found = Names(cfg.types), False
    for block in cfg.blocks.values():
        iterate = block.terminator
        if not isinstance(iterate, Iterate) or block.id in heads:
            continue
        found = True
        test = _condition(cfg, names, block, "greater", (iterate.trips, ZERO))
        if iterate.test is not None:
            test = _condition(cfg, names, block, "bitwise_and", (test, iterate.test))
        body = cfg.blocks[iterate.body.target]
        body.counters.remove(iterate.counter)
        body.params.append(iterate.counter)
        block.terminator = Branch(test, Edge(body.id, [*iterate.body.args, ZERO]), iterate.exit)
    return found


def _thread_jumps(cfg: Cfg) -> bool:
    """Let edges to blocks that only jump go where those go; whether there were any.

    Loops get fewer exits that way: `break` and the test of a `while` become one.  Where the count of a
    loop ends it, values for the target's parameters could only be given round by round, before the
    next round reads the old ones; such an edge keeps the block behind the loop.
    """
    found = False
    for block in cfg.blocks.values():
        counted = block.terminator.exit if isinstance(block.terminator, Iterate) else None
        for edge in block.terminator.edges:
            found |= _thread(cfg, edge, with_values=edge is not counted)
    if found:
        remove_unreachable(cfg)
    return found


def _thread(cfg: Cfg, edge: Edge, with_values: bool) -> bool:
    passed = {edge.target}
    while True:
        block = cfg.blocks[edge.target]
        jump = block.terminator
        empty = not (block.body or block.params or block.counters) and block.id != cfg.failed
        if not empty or not isinstance(jump, Jump) or jump.edge.target in passed:
            return len(passed) > 1
        if jump.edge.args and not with_values:
            return len(passed) > 1
        edge.target, edge.args = jump.edge.target, list(jump.edge.args)
        passed.add(edge.target)


def _end_with_errors(cfg: Cfg) -> None:
    """Let edges to the block where errors meet go to the exit, and say so.

    If nothing else goes there, the exit reads what that block has, and so it stays.
    """
    block = cfg.blocks.get(cfg.exit if cfg.failed is None else cfg.failed)
    others = [number for number, other in cfg.blocks.items() if other is not block and cfg.exit in other.successors]
    if block is None or not isinstance(block.terminator, Jump) or not others:
        return
    end = block.terminator.edge
    for source in cfg.blocks.values():
        for edge in source.terminator.edges:
            if edge.target == block.id:
                given = dict(zip(block.params, edge.args, strict=True))
                edge.args = [given.get(arg, arg) if isinstance(arg, str) else arg for arg in end.args]
                edge.target, edge.fails = end.target, True
    remove_unreachable(cfg)


def _condition(cfg: Cfg, names: Names, block: BasicBlock, op: str, args: tuple[Value, ...]) -> str:
    target = names.fresh("any_trip")
    cfg.types[target] = PY_BOOL
    block.body.append(Op(target, op, cast(tuple[Operand, ...], args), {}, loc=block.loc))
    return target


def remove_dead(cfg: Cfg) -> None:
    """Drop operations and parameters that neither control nor the outputs depend on."""
    needs: dict[str, list[Value]] = {}
    work: list[Value] = []
    for block in cfg.blocks.values():
        for op in block.body:
            if isinstance(op, Op):
                needs[op.target] = list(op.args)
        for edge in block.terminator.edges:
            for param, arg in zip(cfg.blocks[edge.target].params, edge.args, strict=True):
                needs.setdefault(param, []).append(arg)
        work += block.terminator.operands
    live: set[str] = set()
    while work:
        for name in variables([work.pop()]):
            if name not in live:
                live.add(name)
                work += needs.get(name, [])
    for block in cfg.blocks.values():
        block.body = [op for op in block.body if isinstance(op, Op) and op.target in live]
        for edge in block.terminator.edges:
            params = cfg.blocks[edge.target].params
            edge.args = [arg for param, arg in zip(params, edge.args, strict=True) if param in live]
    for block in cfg.blocks.values():
        block.params = [param for param in block.params if param in live]
