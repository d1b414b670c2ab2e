"""The control flow graph: basic blocks of operations, with parameters once it is in SSA form.

    entry:              jump head(x)                    # x is passed to the parameter of head
    head(x_1):          t = less(x_1, n)
                        branch t -> body, done
    body:               x_2 = add(x_1, 1)
                        jump head(x_2)
    done:               exit

A counted loop keeps its count: its head ends in `iterate`, which goes to the body while the counter
is below `trips` and the optional condition `test` holds, and else to the exit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import field

from graph_program.extract.diagnostics import UNKNOWN, Loc
from graph_program.extract.ir.errors import ErrorInfo
from graph_program.extract.ir.host import HostStep
from graph_program.extract.ir.residual import Const, Copy, Op
from graph_program.extract.records import dataclass
from graph_program.extract.types.tensors.tensor_type import TensorType


@dataclass(frozen=True)
class Undefined:
    """A value that no path reads: the variable was not assigned on this path."""

    type: TensorType = field(compare=False)


Value = str | Const | Undefined
"""An operand: a variable, a constant, or nothing at all."""


@dataclass
class Edge:
    """A jump to a block; in SSA form `args` are the values of its parameters.

    `fails` says of one to the exit that it ends the program with an error.
    """

    target: int
    args: list[Value] = field(default_factory=list)
    fails: bool = False


@dataclass
class Jump:
    edge: Edge

    @property
    def edges(self) -> list[Edge]:
        return [self.edge]

    @property
    def operands(self) -> list[Value]:
        return []


@dataclass
class Branch:
    test: Value
    then: Edge
    orelse: Edge

    @property
    def edges(self) -> list[Edge]:
        return [self.then, self.orelse]

    @property
    def operands(self) -> list[Value]:
        return [self.test]


@dataclass
class Iterate:
    """The head of a counted loop; `counter` is defined by going to the body."""

    counter: str
    trips: Value
    test: Value | None
    body: Edge
    exit: Edge

    @property
    def edges(self) -> list[Edge]:
        return [self.body, self.exit]

    @property
    def operands(self) -> list[Value]:
        return [self.trips] if self.test is None else [self.trips, self.test]


@dataclass
class Exit:
    """The end of the program, in one block only."""

    outputs: list[Value]

    @property
    def edges(self) -> list[Edge]:
        return []

    @property
    def operands(self) -> list[Value]:
        return self.outputs


Terminator = Jump | Branch | Iterate | Exit


@dataclass
class BasicBlock:
    """Operations in order, then one terminator.

    `counters` are the loop counters defined by entering the block; `loc` is the place of the
    terminator, `loop_loc` that of the loop which the block heads.
    """

    id: int
    body: list[Op | Copy] = field(default_factory=list)
    terminator: Terminator = field(default_factory=lambda: Exit([]))
    params: list[str] = field(default_factory=list)
    counters: list[str] = field(default_factory=list)
    loc: Loc = UNKNOWN
    loop_loc: Loc = UNKNOWN

    @property
    def successors(self) -> list[int]:
        return [edge.target for edge in self.terminator.edges]


@dataclass
class Cfg:
    """A program as blocks; block 0 is the entry, `exit` the number of the exit.

    Whatever ends the program with an error goes there by way of `failed`, if that is a block of its own; in SSA
    form it goes there itself.
    `Exit.outputs` are laid out as in `GraphProgram`: results, error number, error arguments.
    `base` gives for each variable the residual variable that it is a version of.
    """

    name: str
    inputs: list[str]
    blocks: dict[int, BasicBlock]
    exit: int
    types: dict[str, TensorType]
    output_names: list[str]
    errors: list[ErrorInfo]
    error_args: list[tuple[int, ...]]
    loc: Loc
    failed: int | None = None
    host: list[HostStep] = field(default_factory=list)
    keeps_writes: bool = False
    base: dict[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        return "\n".join(_lines(self))


def reverse_postorder(cfg: Cfg) -> list[int]:
    """Reachable blocks, each before its successors except along back edges."""
    seen, order = {0}, []
    stack: list[tuple[int, Iterator[int]]] = [(0, iter(cfg.blocks[0].successors))]
    while stack:
        block, successors = stack[-1]
        for successor in successors:
            if successor not in seen:
                seen.add(successor)
                stack.append((successor, iter(cfg.blocks[successor].successors)))
                break
        else:
            order.append(block)
            stack.pop()
    return order[::-1]


def predecessors(cfg: Cfg) -> dict[int, list[int]]:
    """The sources of the edges into each block, one entry per edge."""
    found: dict[int, list[int]] = {block: [] for block in cfg.blocks}
    for block in cfg.blocks.values():
        for target in block.successors:
            found[target].append(block.id)
    return found


def remove_unreachable(cfg: Cfg) -> None:
    """Keep only the blocks that the entry reaches, and the exit.

    A program that never ends has an exit that is not reached; its outputs have no values.
    """
    reached = {block: cfg.blocks[block] for block in reverse_postorder(cfg)}
    if cfg.exit not in reached:
        outputs = cfg.blocks[cfg.exit].terminator.operands
        none: list[Value] = [Undefined(cfg.types[value]) if isinstance(value, str) else value for value in outputs]
        reached[cfg.exit] = BasicBlock(cfg.exit, [], Exit(none))
    cfg.blocks = reached


def variables(values: Iterable[Value]) -> list[str]:
    """The variables among operands."""
    return [value for value in values if isinstance(value, str)]


def _show(value: Value) -> str:
    if isinstance(value, Const):
        return str(value.value.tolist())
    return value if isinstance(value, str) else "undefined"


def _show_edge(edge: Edge) -> str:
    return f"b{edge.target}({', '.join(map(_show, edge.args))})" if edge.args else f"b{edge.target}"


def _show_terminator(terminator: Terminator) -> str:
    match terminator:
        case Jump(edge):
            return f"jump {_show_edge(edge)}"
        case Branch(test, then, orelse):
            return f"branch {_show(test)} -> {_show_edge(then)}, {_show_edge(orelse)}"
        case Iterate(counter, trips, test, body, exit_edge):
            condition = "" if test is None else f" while {_show(test)}"
            head = f"iterate {counter} < {_show(trips)}{condition}"
            return f"{head} -> {_show_edge(body)}, {_show_edge(exit_edge)}"
        case Exit(outputs):
            return f"exit {', '.join(map(_show, outputs))}"


def _lines(cfg: Cfg) -> Iterator[str]:
    yield f"{cfg.name}({', '.join(cfg.inputs)}):"
    for block in cfg.blocks.values():
        yield f"b{block.id}({', '.join(block.params)}):" if block.params else f"b{block.id}:"
        for item in block.body:
            if isinstance(item, Copy):
                yield f"    {', '.join(item.targets)} = {', '.join(map(_show, item.sources))}"
            else:
                attrs = [f"{name}={value}" for name, value in item.attrs.items()]
                yield f"    {item.target} = {item.op}({', '.join([*map(_show, item.args), *attrs])})"
        yield f"    {_show_terminator(block.terminator)}"
