"""An extraction: what is asked for, and what there is then, with the graph that each reader of it wants."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

from graph_program.extract.control import residual_to_graph
from graph_program.extract.control.unchecked import without_checks
from graph_program.extract.diagnostics import Diagnostic, GraphProgramError, Note
from graph_program.extract.graph_steps import FOR_A_COMPILER, FOR_A_RUNTIME, OVERLAP, VERSIONS, finished
from graph_program.extract.ir import graph, interface, residual
from graph_program.extract.ir.host import HostStep
from graph_program.extract.ir.interface import Back, Fixed
from graph_program.extract.ir.residual import Program
from graph_program.extract.on_demand import OnDemand
from graph_program.extract.purpose import FOR_A_CALL, Purpose
from graph_program.extract.records import dataclass
from graph_program.extract.slice.copies import Copy
from graph_program.extract.slice.moved import Moved
from graph_program.extract.stage.machine.options import Question
from graph_program.extract.stage.machine.recovery import Recovery
from graph_program.extract.transform import FOR_COMPILERS, PASSES
from graph_program.extract.types.notation.declared_dims import NO_DIMS, DeclaredDims

MERGING = "merge_host_steps"


@dataclass(frozen=True)
class ExtractOptions:
    """What the caller decides about an extraction.

    Attributes
    ----------
    inline : tuple of str
        Packages whose functions are inlined besides the user's own.
    copies : str
        "warn", "error" or "ignore": what an implicit copy between host and graph does.
    self_object : object
        The object that a method program is bound to.
    disabled : frozenset of str
        Names of optimisation passes to leave out.
    dims : DeclaredDims
        Sizes of named dims that every call keeps to; what has only one size is a number in the specs.
    declared : frozenset of str
        Names of dims that stand in the annotations.
    recovery : Recovery, optional
        Notes every independent refusal; the extraction then ends with the first of them.
    questions : tuple of Question
        Lines whose values are to be revealed.
    purpose : Purpose
        What differs between a call and a file.
    keeps_writes : bool
        Have the outputs say what was written before an exception.

    Raises
    ------
    ValueError
        For a pass in `disabled` that there is not.
    """

    inline: tuple[str, ...] = ()
    copies: str = "warn"
    self_object: Any = None
    disabled: frozenset[str] = frozenset()
    dims: DeclaredDims = NO_DIMS
    declared: frozenset[str] = frozenset()
    recovery: Recovery | None = None
    questions: tuple[Question, ...] = ()
    purpose: Purpose = FOR_A_CALL
    keeps_writes: bool = False

    def __post_init__(self) -> None:
        known = sorted({MERGING, OVERLAP, VERSIONS, *(item.name for item in (*PASSES, *FOR_COMPILERS))})
        if unknown := sorted(self.disabled - set(known)):
            raise ValueError(f"there is no pass {unknown[0]!r}; the passes are {', '.join(known)}")


@dataclass(frozen=True)
class Extraction:
    """An extracted program: the graph, how to call it, and the text of every stage.

    Attributes
    ----------
    runs : OnDemand of GraphProgram
        How `session` is made: machine code does without that graph, which takes a third of an extraction.
    interface : Interface
    stages : mapping of str to str
    notes : tuple of Note
    residual : Program
    disabled : frozenset of str
        Names of optimisation passes that were left out.
    findings : tuple of GraphProgramError
        What always fails on paths that not every run takes; such a path raises it at run time.
    unsaid : tuple of Diagnostic
        What the program requires of annotated dims beyond what the annotations say.
    copies : tuple of Copy
        What crosses between graph and host.
    keeps_identities : bool
        Whether something is as it is only to give the caller's own objects back.
    fixed : tuple of Fixed
        What of the arguments and the state the program was made for, in their order, then sizes.
    in_a_call : tuple of Back
        For a model, which does not give them back: what a call changes of the caller's objects.
    decisions : tuple of str
        What the evaluation found to be needed, and was made again with.
    linked_residual : Program, optional
        The residual program for who has libraries that compute some of it; see `ir/libraries`.
    moved : tuple of Moved
        Arithmetic on arrays that the host does.
    """

    runs: OnDemand[graph.GraphProgram]
    interface: interface.Interface
    stages: Mapping[str, str]
    notes: tuple[Note, ...]
    residual: residual.Program
    disabled: frozenset[str] = frozenset()
    findings: tuple[GraphProgramError, ...] = ()
    unsaid: tuple[Diagnostic, ...] = ()
    copies: tuple[Copy, ...] = ()
    keeps_identities: bool = False
    fixed: tuple[Fixed, ...] = ()
    in_a_call: tuple[Back, ...] = ()
    moved: tuple[Moved, ...] = ()
    decisions: tuple[str, ...] = ()
    linked_residual: Program | None = None

    @property
    def crossings(self) -> tuple[Copy | Moved, ...]:
        """What may cross unasked: copies, and arithmetic on arrays that has moved to the host."""
        return (*self.copies, *self.moved)

    @property
    def session(self) -> graph.GraphProgram:
        """The graph for a runtime, and for arguments whose sizes keep to `interface.size_tests`."""
        return self.runs.get()

    @property
    def host(self) -> list[HostStep]:
        """The steps that the host does, whatever runs the graph."""
        return self.residual.host

    @cached_property
    def program(self) -> graph.GraphProgram:
        """The graph that tells all failures itself, for models."""
        if not self.residual.errors:
            return self.session
        return finished(residual_to_graph(self.residual, alone=True), FOR_A_RUNTIME, self.disabled)

    @cached_property
    def unchecked(self) -> graph.GraphProgram:
        """The graph for whoever knows that no operation fails; it has no host code."""
        made = residual_to_graph(without_checks(self.residual), alone=True)
        return finished(replace(made, is_checked=False), FOR_A_RUNTIME, self.disabled)

    def without(self, passes: frozenset[str]) -> Extraction:
        """The same, with graphs that are made without some more passes."""
        disabled = self.disabled | passes
        if disabled == self.disabled:
            return self
        runs = OnDemand(lambda: finished(self.unoptimized, FOR_A_RUNTIME, disabled))
        return replace(self, runs=runs, disabled=disabled)

    @cached_property
    def native(self) -> graph.GraphProgram:
        """The graph for a compiler, which wants loops to be loops, and writes to be writes."""
        return self._compiled(residual_to_graph(self.residual, alone=not self.residual.host))

    @cached_property
    def linked(self) -> graph.GraphProgram:
        """The graph for a compiler that has the libraries which compute some of it."""
        program = self.linked_residual
        return self.native if program is None else self._compiled(residual_to_graph(program, alone=not program.host))

    @cached_property
    def native_unchecked(self) -> graph.GraphProgram:
        """The same for whoever knows that no operation fails."""
        return self._compiled(residual_to_graph(without_checks(self.residual), alone=True))

    def _compiled(self, program: graph.GraphProgram) -> graph.GraphProgram:
        """The graph as a compiler wants it; what a program tells before an exception is read behind it, too."""
        program.keeps_writes |= bool(self.interface.effects)
        return finished(program, FOR_A_COMPILER, self.disabled)

    @cached_property
    def unoptimized(self) -> graph.GraphProgram:
        """The same graph as extracted, to explain failures.

        There the number of an error that has not happened is 0; optimised, it is any number, as nobody reads it.
        """
        return residual_to_graph(self.residual)
