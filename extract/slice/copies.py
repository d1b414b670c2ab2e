"""What crosses between graph and host, and where: a copy, unless it is a result, a decision, or asked for.

    for i in range(n):
        s = s + x[i]
        print(i, s)         # `s` is copied to the host in every round; `i` both sides have
    print(s)                # a result: nothing follows in the graph

A number that both sides can compute is no copy; nor is what the host needs only when the graph is done, nor
a truth value that the host tells for a branch or a loop.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from graph_program.extract.diagnostics import UNKNOWN, Loc
from graph_program.extract.ir import residual
from graph_program.extract.ir.residual import Operand
from graph_program.extract.records import dataclass
from graph_program.extract.slice.statements import walk
from graph_program.extract.types.dims import Dim, dim, product
from graph_program.extract.types.tensors.tensor_type import Kind, TensorType

DECIDING = frozenset(["invert", "logical_not", "bitwise_and", "bitwise_or"])
"""Operations on truth values: where only a branch or a loop reads the result, all of it is a decision."""


@dataclass(frozen=True)
class Copy:
    """One crossing that the program did not ask for, or did.

    Attributes
    ----------
    to : str
        "host" or "graph".
    type : TensorType
    loc : Loc
        Where the value is used.
    made : Loc
        Where it comes from.
    text : str
        The host code that reads it or made it, in the user's words.
    depth : int
        How many loops are around the crossing.
    explicit : bool
        Whether it is written, as `to_host` or `to_device`.
    step : int
        The host step that it belongs to.
    """

    to: str
    type: TensorType
    loc: Loc
    made: Loc
    text: str
    depth: int
    explicit: bool
    step: int

    @property
    def bytes(self) -> Dim:
        """How many bytes cross each time."""
        return product([dim(self.type.dtype.itemsize), *self.type.shape])

    @property
    def place(self) -> tuple[object, ...]:
        """What is the same for all types of arguments."""
        return self.to, self.loc, self.made, self.text, self.explicit

    @property
    def message(self) -> str:
        """What a warning says."""
        made = "" if self.made == UNKNOWN else f" (made at line {self.made.line})"
        if self.to == "host":
            return f"{self.type}{made} is copied to the host for {self.text}: write to_host(...) where that is meant"
        return f"{self.type} from {self.text}{made} is copied to the graph: write to_device(...) where that is meant"


def copies(program: residual.Program) -> tuple[Copy, ...]:
    """Every crossing of a program that is a copy, in program order."""
    if not program.host:
        return ()
    found = _Crossings(program)
    found.statements(program.body, 0, tail=True)
    return tuple(found.copies)


class _Crossings:
    def __init__(self, program: residual.Program):
        self.program = program
        self.both = both_sides(program)
        self.read = _read_by_graph(program)
        self.copies: list[Copy] = []

    def statements(self, body: list[residual.Stmt], depth: int, tail: bool) -> None:
        """The crossings of statements; behind those that are at the `tail` the graph does nothing any more."""
        last = _last_of_graph(body) if tail else len(body)
        for i, stmt in enumerate(body):
            match stmt:
                case residual.Host():
                    self.host(stmt, depth, tail and i > last)
                case residual.If():
                    for arm in (stmt.body, stmt.orelse):
                        self.statements(arm, depth, tail and i >= last)
                case residual.Block():
                    self.statements(stmt.body, depth, tail and i >= last)
                case residual.Loop():
                    self.statements(stmt.body, depth + 1, False)

    def host(self, stmt: residual.Host, depth: int, is_result: bool) -> None:
        step = self.program.host[stmt.step]
        for operand, type_, made in zip(stmt.sends, step.sends, step.made, strict=True):
            if not is_result and not is_both(operand, self.both):
                self.copies.append(Copy("host", type_, stmt.loc, made, step.text, depth, step.explicit, stmt.step))
        told = list(zip(stmt.receives, step.receives, strict=True))
        for slot, (target, type_) in enumerate(
            told[: len(told) - bool(step.catches)]
        ):  # who takes an exception: control
            if target in self.read:
                place, explicit = self.read[target], step.explicit or slot in step.asked
                self.copies.append(Copy("graph", type_, place, stmt.loc, step.text, depth, explicit, stmt.step))


def of_steps(found: Iterable[Copy], places: Mapping[int, int]) -> tuple[Copy, ...]:
    """The copies by the numbers that their steps have now; those of steps that are gone are, too."""
    return tuple(replace(copy, step=places[copy.step]) for copy in found if copy.step in places)


def is_both(operand: Operand, both: set[str]) -> bool:
    """Whether both sides have an operand anyway."""
    return not isinstance(operand, str) or operand in both


def both_sides(program: residual.Program) -> set[str]:
    """The numbers that both sides can compute: number parameters, counters, sizes, and arithmetic on them.

    What paths decided by the graph give a variable, only the graph knows.
    """
    python = {name for name, type_ in program.types.items() if type_.kind is Kind.PYTHON}
    graph = {name for name in program.types if name not in python}

    def mark(body: list[residual.Stmt], decided: bool) -> None:
        for stmt in body:
            match stmt:
                case residual.Op(target, op, args):
                    if op != "dim" and any(a in graph for a in args if isinstance(a, str)):
                        graph.add(target)
                case residual.Copy(targets, sources) | residual.Effect(targets, sources):
                    pairs = zip(targets, sources, strict=True)
                    graph.update(t for t, s in pairs if decided or (isinstance(s, str) and s in graph))
                case residual.Host():
                    graph.update([*stmt.receives, *stmt.results])
                case residual.If(test, then, orelse):
                    inner = decided or (isinstance(test, str) and test in graph)
                    mark(then, inner)
                    mark(orelse, inner)
                case residual.Loop() | residual.Block():
                    mark(stmt.body, decided)

    known = -1
    while known != len(graph):
        known = len(graph)
        mark(program.body, False)
    return python - graph


def _read_by_graph(program: residual.Program) -> dict[str, Loc]:
    """Where the graph first computes with a value; a branch or loop that it decides does not."""
    found: dict[str, Loc] = {}
    sources: dict[str, list[str]] = {}

    def note(operands: Iterable[Operand], loc: Loc) -> None:
        for operand in operands:
            if isinstance(operand, str):
                found.setdefault(operand, loc)

    for stmt in walk(program.body):
        match stmt:
            case residual.Op(target, op, args) if op in DECIDING and program.types[target].kind is Kind.PYTHON:
                sources.setdefault(target, []).extend(a for a in args if isinstance(a, str))
            case residual.Op():
                note(stmt.args, stmt.loc)
            case residual.Copy() | residual.Effect():
                for target, source in zip(stmt.targets, stmt.sources, strict=True):
                    if isinstance(source, str):
                        sources.setdefault(target, []).append(source)
            case residual.Check() | residual.OperationCheck() | residual.SizeCheck() | residual.Raise():
                note(stmt.args, stmt.loc)
    note(program.outputs, program.loc)
    work = [name for name in found if name in sources]
    while work:
        name = work.pop()
        for source in sources.get(name, []):
            if source not in found:
                found[source] = found[name]
                work.append(source)
    return found


def _last_of_graph(body: list[residual.Stmt]) -> int:
    """The place of the last statement in which the graph computes, or goes round."""
    last = -1
    for i, stmt in enumerate(body):
        if any(isinstance(s, residual.Op | residual.Loop | residual.Check) for s in walk([stmt])):
            last = i
    return last
