"""What the caller of the evaluator decides."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from graph_program.extract.diagnostics import Diagnostic, GraphProgramError, Loc
from graph_program.extract.ir.paths import Path
from graph_program.extract.ir.specs import RowsSpec
from graph_program.extract.types.notation.declared_dims import NO_DIMS, DeclaredDims

if TYPE_CHECKING:
    from graph_program.extract.stage.machine.host_contents import Contents
    from graph_program.extract.stage.machine.recovery import Recovery

MAX_UNROLL = 1024
"""A `for` loop whose variable is needed statically is unrolled up to this many rounds."""


@dataclass(frozen=True, eq=False)
class StateAttribute:
    """An attribute of a captured object that the program writes; `path` is how it reaches the object."""

    owner: Any
    path: tuple[Any, ...]
    name: str

    def same(self, other: StateAttribute) -> bool:
        """Whether both are the same attribute of one object."""
        return self.owner is other.owner and self.name == other.name


@dataclass
class Options:
    """Decisions of the caller that the evaluator needs."""

    inline: tuple[str, ...] = ()
    home: str = ""
    """Top-level package of the program, whose code is the user's own."""
    static_parameters: Mapping[Path, Diagnostic] = field(default_factory=dict)
    """Numbers among the arguments and in the state that are known by value, each with what needed it."""
    static_sizes: Mapping[Path, Diagnostic] = field(default_factory=dict)
    """Sizes of arguments, and lengths of lists, that are known by value, each with what needed it."""
    layouts: frozenset[tuple[Any, ...]] = frozenset()
    """Arrays among the arguments and in the state whose layouts in memory are known."""
    parted: frozenset[Loc] = frozenset()
    """Places of statements that are evaluated operand by operand."""
    unrolled: frozenset[Loc] = frozenset()
    """Loops to unroll, as a list that grows in them must have a known length."""
    peeled: Mapping[Loc, GraphProgramError] = field(default_factory=dict)
    """Loops of which rounds are peeled for values that are used behind them, each with the refusal if that fails."""
    taken_apart: frozenset[Path] = frozenset()
    """Lists of the caller and of the state that have the length that they have now, though others would do."""
    elements: Mapping[Path, RowsSpec] = field(default_factory=dict)
    """What empty lists of the caller and of the state get."""
    any_length: bool = True
    """Whether lists of the caller and of the state may have any length at all."""
    rows: set[Path] = field(default_factory=set)
    """Such lists that had any length in an evaluation."""
    columns: frozenset[Loc] = frozenset()
    """Where a list that is read at a computed position becomes one of columns, as its element is written."""
    host_dicts: frozenset[Loc | Path] = frozenset()
    """Where a dict or set is made on the host, as keys that it gets are computed, or only the host knows them.

    And the dicts of the caller that stay there.
    """
    tables: Mapping[type, GraphProgramError] = field(default_factory=dict)
    """Classes whose objects are kept in tables, each with the refusal that stands where that does not help."""
    identities: bool = True
    """Whether it matters which object of the caller is given back, as it does to one who calls."""
    originals: frozenset[tuple[type, str]] = frozenset()
    """Attributes of such classes whose arrays the caller has, which are written in place and replaced."""
    contents: Contents | None = None
    """What is in containers of the program that are made on the host; None where that is not found out."""
    recovery: Recovery | None = None
    """Where refusals are noted, for the extraction to go on after them; None: the first one ends it."""
    reports: bool = True
    """Whether what only tells of the run, `print` and logging, is done; a file has nobody to tell."""
    keeps_writes: bool = False
    """Whether what was written stays written where an exception ends the program."""
    questions: tuple[Question, ...] = ()
    """Lines whose values are to be revealed."""
    declared: frozenset[str] = frozenset()
    """Names of dims that stand in the annotations."""
    dims: DeclaredDims = NO_DIMS
    """Sizes that every call keeps to."""
    steps: bool = False
    """Whether host code runs when it is reached, not after the graph."""
    numbers: bool = False
    """Whether merged arrays carry which array they are."""
    choices: frozenset[Loc] = frozenset()
    """Where merged arrays and objects stay one of those that they may be."""
    splits: frozenset[Loc] = frozenset()
    """Statements that become branches where what they do depends on what a value is."""
    state: tuple[StateAttribute, ...] = ()
    """What the program writes of captured objects."""


@dataclass(frozen=True)
class Question:
    """A line of a file whose assigned values are to be revealed; all of them, or one name's."""

    file: str
    line: int
    name: str = ""

    def meets(self, loc: Loc, name: str) -> bool:
        return (loc.file, loc.line) == (self.file, self.line) and self.name in ("", name)
