"""Control flow graph to a tree of regions with one entry and one exit each.

    while True:                       loop
        if p(x):                          choice p(x)
            return 1                          then  -> return_1
        if q(x):                              else  choice q(x)
            break                                       then  -> after
        x = f(x)                                        else  x = f(x)  -> again
    y = g(x)                          dispatch after
    ...                                   y = g(x) ...  -> end

A sequence has *targets*: the blocks to which control may go behind it.  If there are several, which
one it is is a value, the selector: a loop with several exits yields the exit taken, and what follows
dispatches on it; joins that share predecessors likewise.  This is the restructuring of Bahmann,
Reissmann, Jahre and Meyer, "Perfect Reconstructability of Control Flow from Demand Dependence
Graphs" (ACM TACO 11, 2015), done on the dominator tree: every block appears once, so the tree is as
large as the graph.  Inside a loop its own head, as a target, means "again".

Arms nest, up to `MAX_DEPTH`; what would lie deeper becomes a target of its own, dispatched on from
the outermost sequence, so a chain of a thousand `if ...: return` stays flat.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field

from graph_program.extract.control.cfg import (
    BasicBlock,
    Branch,
    Cfg,
    Edge,
    Iterate,
    Jump,
    Undefined,
    Value,
)
from graph_program.extract.control.dominators import Dominators
from graph_program.extract.diagnostics import Loc
from graph_program.extract.ir.residual import Op
from graph_program.extract.records import dataclass

MAX_DEPTH = 10
"""Arms nested in one loop body; ONNX files are protobufs, whose parsers stop at about 32 graphs."""


@dataclass
class Assign:
    """The arguments of an edge go to the parameters of its target, in parallel."""

    targets: list[str]
    sources: list[Value]


@dataclass
class Choice:
    """Two arms; `block` is the one that ends in the branch, `failing` the arm that ends with an error."""

    test: Value
    then: Sequence
    orelse: Sequence
    targets: tuple[int, ...]
    block: int
    loc: Loc
    failing: int | None


@dataclass
class Dispatch:
    """Where the selector says `target`, the body; `targets` are those that remain possible.

    `failing` is 0 or 1 where the body, or going on without it, ends with an error.
    """

    target: int
    body: Sequence
    targets: tuple[int, ...]
    loc: Loc
    failing: int | None


@dataclass
class Cycle:
    """A loop.

    `body` has the head among its targets.  A counted loop evaluates `head` before each test; where
    the count or the condition ends it, it goes along `exit`.  If it is `shared`, other ways out of
    the loop assign the same variables as `exit`; so `exit` is executed before the loop, and the body
    does the same wherever it goes back to the head.
    """

    block: int
    body: Sequence
    targets: tuple[int, ...]
    loc: Loc
    iterate: Iterate | None = None
    head: list[Op] = field(default_factory=list)
    exit: Sequence | None = None
    shared: bool = False


Item = Op | Assign | Choice | Dispatch | Cycle


@dataclass
class Sequence:
    """Items in order, and the blocks to which control may go behind them, earlier ones first.

    `fails` says that whatever goes from here to the exit does so with an error.
    """

    items: list[Item]
    targets: tuple[int, ...]
    fails: bool = True

    def __str__(self) -> str:
        return "\n".join(_lines(self))


def assigned(items: list[Item]) -> dict[str, None]:
    """The variables to which items may give a value, in order."""
    found: dict[str, None] = {}
    for item in items:
        match item:
            case Op():
                found[item.target] = None
            case Assign(targets, sources):
                found.update({t: None for t, s in zip(targets, sources, strict=True) if not isinstance(s, Undefined)})
            case Choice():
                found.update(assigned(item.then.items) | assigned(item.orelse.items))
            case Dispatch():
                found.update(assigned(item.body.items))
            case Cycle():
                if item.iterate is not None and item.exit is not None:
                    found[item.iterate.counter] = None
                    found.update(assigned([*item.head, *item.exit.items]))
                found.update(assigned(item.body.items))
    return found


def sese_regions(cfg: Cfg) -> Sequence:
    """The region tree of a program in SSA form."""
    return _Structurer(cfg).run()


class _Structurer:
    def __init__(self, cfg: Cfg):
        self.cfg = cfg
        self.tree = Dominators(cfg)
        self.loops = self.tree.loops()
        self.members = {number for number in self.tree.order if cfg.blocks[number].successors}
        self.open: set[int] = set()
        self.deferred: set[int] = set()
        self.natural_exits: dict[int, Edge] = {}

    def run(self) -> Sequence:
        """The tree; the exit belongs to no region, so it is the only target of the whole."""
        return self.region(0, 0)

    def region(self, start: int, depth: int) -> Sequence:
        """The blocks that `start` dominates, within the current loop."""
        items: list[Item] = []
        current, fails = start, True
        while True:
            placed = self._place(current, items, depth)
            targets, fails = placed.targets, fails and placed.fails
            following = self._following(start, targets, depth)
            while following is not None and len(targets) > 1:
                body = self.region(following, depth + 1)
                others = Sequence([], tuple(target for target in targets if target != following), fails)
                targets = self._ordered({*others.targets, *body.targets})
                loc, failing = self.cfg.blocks[following].loc, self._failing(body, others)
                items.append(Dispatch(following, body, targets, loc, failing))
                following, fails = self._following(start, targets, depth), fails and body.fails
            if following is None:
                return Sequence(items, targets, fails)
            current = following

    def _failing(self, *arms: Sequence) -> int | None:
        """The number of the arm that ends with an error, where that is one."""
        found = [i for i, arm in enumerate(arms) if arm.fails and arm.targets == (self.cfg.exit,)]
        return found[0] if len(found) == 1 else None

    def _following(self, start: int, targets: tuple[int, ...], depth: int) -> int | None:
        """The first target that belongs to the region of `start`; None if it must wait."""
        for target in targets:
            if self._belongs(start, target):
                return None if depth and target in self.deferred else target
        return None

    def _belongs(self, start: int, target: int) -> bool:
        inside = target in self.members and target not in self.open
        return inside and target != start and self.tree.dominates(start, target)

    def _place(self, number: int, items: list[Item], depth: int) -> Sequence:
        """Append a block, or the loop that it heads, and its branches; where control may go then, without items."""
        block = self.cfg.blocks[number]
        if number in self.loops and number not in self.open:
            return self._loop(block, items)
        items += [op for op in block.body if isinstance(op, Op)]
        match block.terminator:
            case Jump(edge):
                items += self._assign(edge)
                return Sequence([], (edge.target,), self._is_failure(edge))
            case Branch(test, then_edge, else_edge):
                then, orelse = self._arm(then_edge, depth), self._arm(else_edge, depth)
                targets = self._ordered({*then.targets, *orelse.targets})
                items.append(Choice(test, then, orelse, targets, number, block.loc, self._failing(then, orelse)))
                return Sequence([], targets, then.fails and orelse.fails)
        return Sequence([], ())

    def _is_failure(self, edge: Edge) -> bool:
        return edge.fails or edge.target != self.cfg.exit

    def _arm(self, edge: Edge, depth: int) -> Sequence:
        target, items = edge.target, self._assign(edge)
        own = len(self.tree.predecessors[target]) == 1 and (target in self.members or self._tells(target))
        if own and depth >= MAX_DEPTH:
            self.deferred.add(target)
            own = False
        if not own:
            return Sequence(items, (target,), self._is_failure(edge))
        inner = self.region(target, depth + 1)
        return Sequence([*items, *inner.items], inner.targets, inner.fails)

    def _tells(self, number: int) -> bool:
        """Whether a block only tells of an error, or of which one: it stands where that happens, inside loops, too."""
        edges = self.cfg.blocks[number].terminator.edges
        return bool(edges) and all(edge.fails or self._tells_alone(edge.target) for edge in edges)

    def _tells_alone(self, number: int) -> bool:
        return len(self.tree.predecessors[number]) == 1 and number not in self.loops and self._tells(number)

    def _assign(self, edge: Edge) -> list[Item]:
        items: list[Item] = []
        following: Edge | None = edge
        while following is not None:
            if following.args:
                items.append(Assign(self.cfg.blocks[following.target].params, following.args))
            following = self.natural_exits.get(following.target)
        return items

    def _ordered(self, targets: set[int]) -> tuple[int, ...]:
        return tuple(sorted(targets, key=self.tree.rank.__getitem__))

    # ------------------------------------------------------------ loops

    def _loop(self, block: BasicBlock, items: list[Item]) -> Sequence:
        outer, self.members = self.members, self.loops[block.id]
        self.open.add(block.id)
        loc = block.loop_loc
        natural = True
        if isinstance(block.terminator, Iterate):
            cycle = self._counted(block, block.terminator)
            natural = self._is_failure(block.terminator.exit)
        else:
            body = self.region(block.id, 0)
            targets = tuple(target for target in body.targets if target != block.id)
            cycle = Cycle(block.id, body, targets, loc)
        self.open.discard(block.id)
        self.members = outer
        items.append(cycle)
        return Sequence([], cycle.targets, natural and cycle.body.fails)

    def _counted(self, block: BasicBlock, iterate: Iterate) -> Cycle:
        natural = iterate.exit
        shared = natural.target in self.natural_exits or self._shared(natural.target, block.id)
        if shared:
            self.natural_exits[block.id] = natural
        body = self._arm(iterate.body, -1)
        self.natural_exits.pop(block.id, None)
        targets = self._ordered({natural.target, *body.targets} - {block.id})
        after = Sequence(self._assign(natural), (natural.target,))
        head = [op for op in block.body if isinstance(op, Op)]
        return Cycle(block.id, body, targets, block.loop_loc, iterate, head, after, shared)

    def _shared(self, target: int, head: int) -> bool:
        loop = self.loops[head]
        return any(source in loop and source != head for source in self.tree.predecessors[target])


# ---------------------------------------------------------------- text


def _lines(sequence: Sequence, indent: str = "") -> Iterator[str]:
    inner = indent + "    "
    for item in sequence.items:
        match item:
            case Op():
                yield f"{indent}{item.target} = {item.op}({', '.join(map(str, item.args))})"
            case Assign(targets, sources):
                yield f"{indent}{', '.join(targets)} = {', '.join(map(str, sources))}"
            case Choice():
                yield f"{indent}if {item.test}:"
                yield from _lines(item.then, inner)
                yield f"{indent}else:"
                yield from _lines(item.orelse, inner)
            case Dispatch():
                yield f"{indent}at b{item.target}:"
                yield from _lines(item.body, inner)
            case Cycle():
                count = "" if item.iterate is None else f" {item.iterate.counter} < {item.iterate.trips}"
                yield f"{indent}loop b{item.block}{count}:"
                yield from _lines(item.body, inner)
    yield f"{indent}-> {', '.join(f'b{target}' for target in sequence.targets) or 'end'}"
