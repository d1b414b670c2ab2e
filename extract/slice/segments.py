"""The pieces of a program between its host steps, as graphs of their own.

    s = 0.0                         segment 0:   s = 0.0; next = 1
    for k in range(n):       ->     step 1:      r = reading(k)
        s += reading(k)             segment 1:   s += r; k += 1; next = 1 if k < n else 0

A segment begins at the start of the program or just behind a host step and ends where control reaches the next one
(`next` says which) or the end (0).  Variables that are live there are the state, which whoever runs the segments
keeps.  A segment that begins inside loops first does the rest of their rounds: blocks of these loops stand in it once
for the rest of the round and once for the rounds that follow, which are entered at the loops' heads.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

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
    remove_unreachable,
)
from graph_program.extract.control.dominators import Dominators
from graph_program.extract.control.liveness import liveness
from graph_program.extract.control.names import Names
from graph_program.extract.control.regions_to_graph import regions_to_graph
from graph_program.extract.control.residual_to_cfg import HostPoint, residual_to_cfg
from graph_program.extract.control.sese_regions import sese_regions
from graph_program.extract.control.ssa import to_ssa
from graph_program.extract.ir.graph import GraphProgram
from graph_program.extract.ir.residual import Const, Copy, Op, Operand, Program
from graph_program.extract.records import dataclass
from graph_program.extract.transform import optimize
from graph_program.extract.types.dims import Dim, symbol
from graph_program.extract.types.tensors.tensor_type import PY_BOOL, PY_INT, TensorType

END = 0
"""What `next` is at the end of the program."""
NEXT = "next"
ZERO, ONE = Const(np.array(0, np.int64)), Const(np.array(1, np.int64))


@dataclass(frozen=True)
class Segment:
    """One piece.

    Attributes
    ----------
    program : GraphProgram or None
        Its outputs are `next`, then `outputs`; None where nothing is to be computed.
    next : int or None
        What comes next, where it is always the same.
    inputs : tuple of (str, str)
        The name of each input of the graph, and the variable that it takes.
    outputs : tuple of str
        Variables that get new values.
    """

    program: GraphProgram | None
    next: int | None
    inputs: tuple[tuple[str, str], ...]
    outputs: tuple[str, ...]


class Segments:
    """All pieces of a program; each is made when it is asked for.

    Attributes
    ----------
    points : list of HostPoint
        Where the host steps run; segment `k` begins behind `points[k - 1]`, segment 0 at the start.
    steps : list of HostStep
        What the points do.
    results : list of str or Const
        What the program's outputs are at the end: results, error number, error arguments.
    types : dict of str to TensorType
        Of all variables.
    """

    def __init__(self, program: Program, disabled: frozenset[str] = frozenset()):
        points: list[HostPoint] = []
        self._cfg = residual_to_cfg(program, points)
        self._disabled = disabled
        self.steps = program.host
        self.points = [point for point in points if point.before in self._cfg.blocks]
        _count_explicitly(self._cfg, {point.before for point in self.points})
        self.types = self._cfg.types
        self.results = [v for v in self._cfg.blocks[self._cfg.exit].terminator.operands if not isinstance(v, Undefined)]
        self.inputs = list(self._cfg.inputs)
        self._loops = Dominators(self._cfg).loops()
        live = liveness(self._cfg).entry
        self._needed: dict[int, frozenset[str]] = {END: frozenset(v for v in self.results if isinstance(v, str))}
        for number, point in enumerate(self.points, 1):
            made = {*point.stmt.results, *point.stmt.receives}
            reads = {v for v in (*point.stmt.objects, *point.stmt.sends) if isinstance(v, str)}
            self._needed[number] = (live[point.after] - made) | reads
        self._made: dict[int, Segment] = {}

    def __len__(self) -> int:
        return len(self.points) + 1

    def __getitem__(self, number: int) -> Segment:
        if number not in self._made:
            self._made[number] = self._make(number)
        return self._made[number]

    def _make(self, number: int) -> Segment:
        start = self.points[number - 1].after if number else 0
        cut = Cut(self._cfg, self.points, self._needed, self._loops, start)
        cfg, inputs = cut.run()
        ssa = to_ssa(cfg)
        program = optimize(regions_to_graph(ssa, sese_regions(ssa)), disabled=self._disabled)
        following = program.graph.outputs[0]
        makers = {value: node for node in program.graph.nodes for value in node.outputs}
        fixed = makers[following].attrs["value"] if makers[following].op == "constant" else None
        always = None if fixed is None else int(fixed)
        names = tuple(cfg.output_names[1:])
        return Segment(program if names or always is None else None, always, inputs, names)


def _count_explicitly(cfg: Cfg, places: set[int]) -> None:
    """Give counted loops around host steps a variable for the count: they are entered in the middle.

    So are those that never come back to their heads, whose rounds may belong to another loop than the heads do.
    """
    names, loops = Names(cfg.types), Dominators(cfg).loops()
    for head, block in list(cfg.blocks.items()):
        members = loops.get(head, set())
        if isinstance(block.terminator, Iterate) and (places & members or not members):
            _make_while(cfg, names, head, block.terminator, members)


def _make_while(cfg: Cfg, names: Names, head: int, iterate: Iterate, members: set[int]) -> None:
    count, again = names.fresh(iterate.counter), names.fresh("again")
    cfg.types.update({count: PY_INT, again: PY_BOOL})
    block, body = cfg.blocks[head], cfg.blocks[iterate.body.target]
    before = BasicBlock(max(cfg.blocks) + 1, loc=block.loc)
    before.body.append(Copy([count], [ZERO], loc=block.loc))
    before.terminator = Jump(Edge(head))
    for other in cfg.blocks.values():
        for edge in other.terminator.edges:
            if edge.target == head and other.id not in members:
                edge.target = before.id
    cfg.blocks[before.id] = before
    assert not isinstance(iterate.trips, Undefined)
    block.body.append(Op(again, "less", (count, iterate.trips), {}, loc=block.loc))
    if isinstance(iterate.test, str | Const):
        block.body.append(Op(again, "bitwise_and", (again, iterate.test), {}, loc=block.loc))
    block.terminator = Branch(again, iterate.body, iterate.exit)
    body.counters.remove(iterate.counter)
    body.body[:0] = [
        Copy([iterate.counter], [count], loc=block.loc),
        Op(count, "add", (count, ONE), {}, loc=block.loc),
    ]


class Cut:
    """Makes the control flow graph of the segment that begins with a block.

    A block of the loops around the start stands in it by (block, level): at level j, the j innermost of them have
    been entered at their heads, and the others are in the round in which the segment began.
    """

    def __init__(
        self,
        cfg: Cfg,
        points: Sequence[HostPoint],
        needed: dict[int, frozenset[str]],
        loops: dict[int, set[int]],
        start: int,
    ):
        self.cfg = cfg
        self.points = {point.before: number for number, point in enumerate(points, 1)}
        self.skipped = {point.after: len(point.stmt.results) + len(point.stmt.receives) for point in points}
        self.needed = needed
        self.around = sorted(
            ((head, members) for head, members in loops.items() if start in members), key=lambda loop: len(loop[1])
        )
        self.start = start
        self.types = dict(cfg.types)
        self.names = Names(cfg.types)
        self.sizes = {size for type_ in cfg.types.values() for d in type_.shape for size in d.symbols}
        self.next = self._variable(NEXT, PY_INT)
        self.entry, self.exit = BasicBlock(0), BasicBlock(1)
        self.blocks = {0: self.entry, 1: self.exit}
        self.copies: dict[tuple[int, int], int] = {}
        self.ends: dict[int, BasicBlock] = {}
        self.counters: dict[tuple[str, int], str] = {}

    def run(self) -> tuple[Cfg, tuple[tuple[str, str], ...]]:
        """The graph, and which input takes which variable."""
        self._copy_all()
        outputs = self._close()
        cfg = Cfg(
            name=self.cfg.name,
            inputs=[],
            blocks=self.blocks,
            exit=self.exit.id,
            types=self.types,
            output_names=[NEXT, *outputs],
            errors=[],
            error_args=[],
            loc=self.cfg.loc,
        )
        remove_unreachable(cfg)
        inputs = self._inputs(cfg)
        cfg.inputs = [name for name, _ in inputs]
        return cfg, inputs

    # ------------------------------------------------------------ blocks

    def _variable(self, base: str, type_: TensorType) -> str:
        name = self.names.fresh(base)
        self.types[name] = type_
        return name

    def _new(self) -> BasicBlock:
        block = BasicBlock(len(self.blocks))
        self.blocks[block.id] = block
        return block

    def _copy_all(self) -> None:
        self.work: list[tuple[int, int]] = []
        self.entry.terminator = Jump(Edge(self._place(self.start, 0)))
        while self.work:
            self._fill(*self.work.pop())

    def _place(self, block: int, level: int) -> int:
        """The number of a block's copy at a level."""
        if (block, level) not in self.copies:
            self.copies[block, level] = self._new().id
            self.work.append((block, level))
        return self.copies[block, level]

    def _reached(self, block: int, level: int) -> int:
        """The copy that a jump from a level gets to."""
        for number, (head, _) in enumerate(self.around):
            if block == head and number >= level:
                return self._place(block, number + 1)
        inside = (number for number, (_, members) in enumerate(self.around) if block in members)
        return self._place(block, max(level, next(inside, len(self.around))))

    def _fill(self, number: int, level: int) -> None:
        """Write one copy."""
        old, block = self.cfg.blocks[number], self.blocks[self.copies[number, level]]
        block.loc, block.loop_loc = old.loc, old.loop_loc
        for counter in old.counters:
            name = self._counter(counter, level)
            block.counters.append(name)
            block.body.append(Copy([counter], [name], loc=old.loc))
        block.body += old.body[self.skipped.get(number, 0) :]
        if number in self.points:
            block.body.pop()
            block.terminator = self._leave(self.points[number])
        elif number == self.cfg.exit:
            block.terminator = self._leave(END)
        else:
            block.terminator = self._terminator(old.terminator, level)

    def _counter(self, counter: str, level: int) -> str:
        if (counter, level) not in self.counters:
            self.counters[counter, level] = self._variable(counter, PY_INT)
        return self.counters[counter, level]

    def _terminator(self, old: Terminator, level: int) -> Terminator:
        def edge(e: Edge) -> Edge:
            return Edge(self._reached(e.target, level))

        match old:
            case Branch():
                return Branch(old.test, edge(old.then), edge(old.orelse))
            case Iterate():
                return replace(old, counter=self._counter(old.counter, level), body=edge(old.body), exit=edge(old.exit))
            case Jump():
                return Jump(edge(old.edge))
        raise AssertionError(old)

    # ------------------------------------------------------------ what goes in and out

    def _leave(self, number: int) -> Jump:
        """The jump to where the segment ends with a step, or with the program."""
        if number not in self.ends:
            self.ends[number] = block = self._new()
            block.terminator = Jump(Edge(self.exit.id))
        return Jump(Edge(self.ends[number].id))

    def _close(self) -> list[str]:
        """End the segment: the variables that it gives.

        What is not needed where the segment ends there is anything.
        """
        changed = dict.fromkeys(name for block in self.blocks.values() for name in _assigned(block))
        wanted = frozenset[str]().union(*(self.needed[number] for number in self.ends))
        outputs = [name for name in changed if name in wanted]
        for number, block in self.ends.items():
            dead = [name for name in outputs if name not in self.needed[number]]
            none: list[Operand] = [Undefined(self.types[name]) for name in dead]  # type: ignore[misc]
            following = Const(np.array(number, np.int64))
            block.body.append(Copy([self.next, *dead], [following, *none], loc=self.cfg.loc))
        self.exit.terminator = Exit([self.next, *outputs])
        return outputs

    def _inputs(self, cfg: Cfg) -> tuple[tuple[str, str], ...]:
        """The inputs: under names of their own where the shape need not be what it is elsewhere."""
        live = liveness(cfg).entry[0] - {self.next}
        changed = {name for block in self.cfg.blocks.values() for name in _assigned(block)}
        found = []
        for name in sorted(live):
            given = name in self.cfg.inputs
            if not self.start and not given:
                continue
            if (given and name not in changed) or not (given or self.types[name].rank):
                found.append((name, name))
                continue
            taken = self._variable(f"{name}_in", self._loose(self.types[name], name))
            self.entry.body.append(Copy([name], [taken], loc=self.cfg.loc))
            found.append((taken, name))
        return tuple(found)

    def _loose(self, type_: TensorType, name: str) -> TensorType:
        """The type with sizes that are this variable's alone: at other times it may have others."""
        shape = (d if d.constant is not None else self._size(f"{name}_{axis}") for axis, d in enumerate(type_.shape))
        return replace(type_, shape=tuple(shape))

    def _size(self, name: str) -> Dim:
        """A size of its own: the program may have one of the name, such as that of a list `l`."""
        while name in self.sizes:
            name = f"{name}_"
        self.sizes.add(name)
        return symbol(name)


def _assigned(block: BasicBlock) -> list[str]:
    return [name for item in block.body for name in (item.targets if isinstance(item, Copy) else [item.target])]


__all__ = ["END", "Segment", "Segments"]
