"""What the machine keeps for each of the evaluator's rooms, with what an evaluation that is done again takes back."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import field
from typing import TYPE_CHECKING, Any, ClassVar

from graph_program.extract.diagnostics import Diagnostic, GraphProgramError, Loc, Note
from graph_program.extract.ir.errors import ErrorInfo
from graph_program.extract.ir.host import HostStep
from graph_program.extract.ir.interface import CapturedInput, Guard
from graph_program.extract.ir.paths import Path
from graph_program.extract.ir.residual import Operand
from graph_program.extract.ir.results import ArgResult, CapturedResult
from graph_program.extract.records import dataclass
from graph_program.extract.stage.machine.state import Owned
from graph_program.extract.stage.values.exception_values import Handled
from graph_program.extract.stage.values.values import Iteration, Ref, Row, Tensor
from graph_program.extract.types.dims import Dim

if TYPE_CHECKING:
    from graph_program.extract.stage.machine.handlers import Scope
    from graph_program.extract.stage.machine.host_contents import Put


class Kept:
    """A part of the machine's state; what was added to some of its lists can be taken back."""

    ADDED_TO: ClassVar[tuple[str, ...]] = ()
    """The lists that shrink to what they were."""

    def mark(self) -> tuple[int, ...]:
        """How much there is now."""
        return tuple(len(getattr(self, name)) for name in self.ADDED_TO)

    def take_back(self, mark: tuple[int, ...]) -> None:
        """Forget what was added since a mark."""
        for name, length in zip(self.ADDED_TO, mark, strict=True):
            del getattr(self, name)[length:]


@dataclass
class HostState(Kept):
    """The host: what Python does there, what it has of the program's arrays and objects, and what it tells."""

    ADDED_TO = ("effects", "steps", "puts")

    kept: list[tuple[Tensor | Ref, Loc]] = field(default_factory=list)
    """Arrays and objects that dicts on the host have copies of, and where they went there."""
    shared: list[tuple[Tensor | Ref, Loc]] = field(default_factory=list)
    """Those of them that the program has, too."""
    places: dict[str, str] = field(default_factory=dict)
    """For the variables of objects on the host, where they have first got a name."""
    names: set[str] = field(default_factory=set)
    """The names, with their frames, that have had an object on the host."""
    handed: list[tuple[Tensor | Ref, Loc]] = field(default_factory=list)
    """Arrays and objects that host code of the program's own has looked into copies of, and where."""
    lent: list[tuple[Ref, Loc]] = field(default_factory=list)
    """Objects that generators and context managers on the host go on with copies of, and where they went there."""
    puts: list[Put] = field(default_factory=list)
    """What the program puts into containers on the host."""
    steps: list[HostStep] = field(default_factory=list)
    """What Python does on the host."""
    objects: list[ArgResult | CapturedResult] = field(default_factory=list)
    """What the host has when the call begins."""
    told: dict[str, tuple[int, int]] = field(default_factory=dict)
    """By variables that the host tells: the number of the host step, and the place among what it tells."""
    both: set[str] = field(default_factory=set)
    """Variables with numbers that graph and host can each compute."""
    effects: list[Any] = field(default_factory=list)
    """Host calls that wait for the end of the run, in program order."""
    unreported: dict[Loc, str] = field(default_factory=dict)
    """The calls of functions that only tell of the run and are left out, with their names."""


@dataclass
class RowsState:
    """Tables of objects: by class, the rows that stand for objects, the caller's among them."""

    tables: dict[type, Ref] = field(default_factory=dict)
    """By class, the list of all its objects, which are known by their places in it."""
    given: dict[Ref, Row] = field(default_factory=dict)
    """Objects of the caller that are in tables."""
    moved: dict[Tensor | Ref, tuple[Ref, str]] = field(default_factory=dict)
    """Arrays, lists and dicts of the caller that are attributes of such objects, and of which."""
    made: set[type] = field(default_factory=set)
    """Classes of objects that the program makes."""
    listed: set[type] = field(default_factory=set)
    """Classes of objects that are in lists of computed length."""
    attributes_set: set[tuple[type, str]] = field(default_factory=set)
    """Attributes of objects in tables that are set somewhere."""
    attributes_changed: set[tuple[type, str]] = field(default_factory=set)
    """Those whose arrays, lists or dicts are written in place."""
    columns: list[Tensor] = field(default_factory=list)
    """The inputs that hold what is in lists of the caller."""


@dataclass
class IteratorState(Kept):
    """Iterators and generators: which have been gone through, or are only looked at."""

    ADDED_TO = ("generators",)

    generators: list[Iteration] = field(default_factory=list)
    """What the generator expressions of the statement being evaluated have given."""
    emptied: set[Iteration] = field(default_factory=set)
    """Iterators that some path has gone through."""
    ahead: int = 0
    """Above 0 where iterators are only looked at."""


@dataclass
class LoopState:
    """Loops and calls that are being evaluated, unrolled or inlined."""

    setting: list[tuple[int, frozenset[str]]] = field(default_factory=list)
    """For the loops being evaluated: frame and names that a round may set for the next."""
    rounds: list[int] = field(default_factory=list)
    """A number for each evaluation of a graph loop's body that is going on."""
    unrollable: dict[int, Loc] = field(default_factory=dict)
    """By number, the places of loops that can be unrolled."""
    unrolling: set[int] = field(default_factory=set)
    """Loops being evaluated that are unrolled where their variable is needed statically."""
    unrolled: int = 0
    """How many rounds of unrolled loops have been evaluated."""
    recursive_calls: int = 0  # inlined so far
    computed_reads: list[tuple[Tensor | Ref, Loc]] = field(default_factory=list)
    """What stands for the elements of known lists that were read at computed positions, and where."""


@dataclass
class Naming:
    """Names that have been given to variables, sizes and loops."""

    counter: Iterator[int] = field(default_factory=itertools.count)
    dims: Iterator[int] = field(default_factory=lambda: itertools.count(1))
    used: dict[str, int] = field(default_factory=dict)
    named_dims: dict[Dim, Dim] = field(default_factory=dict)
    """Symbols given to dims that are too long to carry on."""
    dim_sources: tuple[int, dict[Dim, tuple[Tensor, int]]] = field(default_factory=lambda: (0, {}))


@dataclass
class ChoiceState:
    """What is told apart on paths, and which parameters that depends on."""

    splits: int = 0
    """How many values are told apart around what is being evaluated."""
    splitting: int = 0
    """How many statements are being evaluated for one of the things that a value may be."""
    classes: int = 0
    """How many operations are being evaluated for one of the classes that a number may be of."""
    mixed: int = -1
    """When a value without a common type was last made."""
    decided: dict[str, frozenset[Path]] = field(default_factory=dict)
    """Variables with numbers that are known where parameters are, and which ones: see `picks`."""
    picking: set[Path] = field(default_factory=set)
    """Parameters that pick a structure: paths that they part merge to something without a common type."""


@dataclass
class Report(Kept):
    """What is told of the program: its errors, refusals, notes and requirements."""

    ADDED_TO = ("errors", "notes", "findings", "unsaid")

    errors: list[ErrorInfo] = field(default_factory=list)
    findings: list[GraphProgramError] = field(default_factory=list)
    """Refusals on paths that not every run takes."""
    notes: list[Note] = field(default_factory=list)
    unsaid: list[Diagnostic] = field(default_factory=list)
    """What the program requires of its dims that their annotations do not say."""


@dataclass
class TryState:
    """The `try` statements around the point that is evaluated."""

    scopes: list[Scope] = field(default_factory=list)
    """The `try` statements whose bodies are being evaluated, the innermost last."""
    handling: list[Handled] = field(default_factory=list)
    """What the handlers that are being evaluated have caught, the innermost last."""


@dataclass
class OutsideState:
    """What the program has of its caller and of the world around it."""

    captured: dict[int, tuple[CapturedInput, Tensor]] = field(default_factory=dict)
    guards: dict[str, Guard] = field(default_factory=dict)
    owned: Owned = field(default_factory=Owned)
    """Captured objects that the program writes to."""
    orders: dict[str, Operand | None] = field(default_factory=dict)  # arrays laid out as others; None: as Fortran does
    arguments: dict[Tensor | Ref, Any] = field(default_factory=dict)
    """Arrays and objects of the caller, which stay visible to it, with what they held when the call began."""

    @property
    def arrays(self) -> list[Tensor]:
        """Those of them that are arrays."""
        return [value for value in self.arguments if isinstance(value, Tensor)]

    @property
    def objects(self) -> dict[Ref, Any]:
        """Those of them that are objects, with what they held."""
        return {value: held for value, held in self.arguments.items() if isinstance(value, Ref)}
