"""What each step of the pipeline does to an extraction on its way; `pipeline` says in which order, and why."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field, replace
from types import FunctionType
from typing import Any

from graph_program.extract.control import residual_to_graph
from graph_program.extract.control.operation_checks import without_operation_checks
from graph_program.extract.control.replayed_checks import told_by_replay
from graph_program.extract.control.size_checks import size_tests, without_size_checks
from graph_program.extract.diagnostics import Diagnostic, GraphProgramError, UnsupportedError
from graph_program.extract.extraction import MERGING, Extraction, ExtractOptions
from graph_program.extract.graph_steps import FOR_A_RUNTIME, finished
from graph_program.extract.ir import residual
from graph_program.extract.ir.graph import GraphProgram
from graph_program.extract.ir.interface import Interface
from graph_program.extract.ir.results import ArgResult, LentResult
from graph_program.extract.ir.specs import ArgSpec
from graph_program.extract.on_demand import OnDemand
from graph_program.extract.records import dataclass
from graph_program.extract.slice.bfloat16 import with_float32
from graph_program.extract.slice.complex_parts import with_real_parts
from graph_program.extract.slice.copies import Copy, copies, of_steps
from graph_program.extract.slice.lending import with_lent
from graph_program.extract.slice.libraries import asks_libraries, with_libraries, without_libraries
from graph_program.extract.slice.lifetimes import with_lifetimes
from graph_program.extract.slice.merging import merged, named
from graph_program.extract.slice.moved import Moved, moved
from graph_program.extract.slice.reports import without_reports
from graph_program.extract.slice.scopes import with_scopes
from graph_program.extract.slice.truths import with_truths
from graph_program.extract.slice.unread import without_unread
from graph_program.extract.source.load import load_function
from graph_program.extract.stack import deep_stack
from graph_program.extract.stage.machine.options import Options
from graph_program.extract.stage.program.evaluate import Staged, evaluate_program
from graph_program.extract.types.rules.facts import SizeTest


@dataclass
class Work:
    """An extraction on its way: what was asked for, and what there is of it behind each step.

    Attributes
    ----------
    fn, specs, values, options
        See `extract`.
    is_explained : bool
        Whether the text of every stage is kept.
    staged : Staged
        The residual program, how to call it, and what the evaluator has noted.
    graph : GraphProgram
    runs : OnDemand of GraphProgram
        The graph for a runtime.
    crossings : tuple of Copy
        What crosses between graph and host, by the steps of the program's lines.
    arithmetic : tuple of Moved
        Arithmetic on arrays that the host does.
    numbers : dict of int to int
        The number of each step on the host, by that of the program's lines.
    linked : Program, optional
        The residual program whose results are those of libraries, where there are such.
    size_tests : tuple of SizeTest
        What a call asks of the sizes of its arguments.
    texts : dict of str to str
        By stage.
    """

    fn: FunctionType
    specs: Mapping[str, ArgSpec]
    values: Mapping[str, Any] | None
    options: ExtractOptions
    is_explained: bool = False
    staged: Staged = field(init=False)
    graph: GraphProgram = field(init=False)
    runs: OnDemand[GraphProgram] = field(init=False)
    crossings: tuple[Copy, ...] = ()
    arithmetic: tuple[Moved, ...] = ()
    numbers: dict[int, int] = field(default_factory=dict)
    linked: residual.Program | None = None
    size_tests: tuple[SizeTest, ...] = ()
    texts: dict[str, str] = field(default_factory=dict)

    @property
    def program(self) -> residual.Program:
        """The residual program."""
        return self.staged.program

    @program.setter
    def program(self, program: residual.Program) -> None:
        self.staged = replace(self.staged, program=program)

    def put(self, both: tuple[residual.Program, Interface]) -> None:
        """Take another program, with the interface that belongs to it."""
        self.staged = replace(self.staged, program=both[0], interface=both[1])

    @property
    def is_alone(self) -> bool:
        """Whether no host takes part; a run that one takes part in cannot be repeated to find a failure."""
        return not self.program.host

    def keep(self, name: str, text: Any) -> None:
        """Keep the text of a stage."""
        if self.is_explained:
            self.texts[name] = str(text)


def load(work: Work) -> None:
    """Read the function's source; the tree is kept for the evaluator, by the function's code."""
    load_function(work.fn)


def evaluate(work: Work) -> None:
    """Evaluate the program partially."""
    work.staged = _evaluated(work, _stage_options(work))


def _evaluated(work: Work, options: Options) -> Staged:
    return evaluate_program(
        work.fn, work.specs, values=work.values, self_object=work.options.self_object, options=options
    )


def _stage_options(work: Work) -> Options:
    """What the staging takes of the options."""
    options = work.options
    home = (work.fn.__module__ or "").partition(".")[0]
    return Options(
        options.inline,
        home,
        recovery=options.recovery,
        questions=options.questions,
        declared=options.declared,
        dims=options.dims,
        purpose=options.purpose,
        keeps_writes=options.keeps_writes,
    )


def tell_writes(work: Work) -> None:
    """Have a program with host code say what it has written before it raises: it cannot be run again for that."""
    if work.options.keeps_writes or work.is_alone or not any(e.after_writes for e in work.program.errors):
        return
    try:
        work.staged = _evaluated(work, replace(_stage_options(work), keeps_writes=True))
    except GraphProgramError:
        return


def leave_out_unread(work: Work) -> None:
    """Have the host tell nothing that nobody reads."""
    work.program = without_unread(work.program)


def leave_out_reports(work: Work) -> None:
    """Leave out what only tells of the run, where that is asked for."""
    if work.options.purpose.reports:
        return
    program, told = without_reports(work.program)
    interface = work.staged.interface
    host = interface.host if program.host else None
    work.put((program, replace(interface, unreported=(*interface.unreported, *told), host=host)))


def take_truths(work: Work) -> None:
    """Take any truth value where only the truth matters."""
    work.program = with_truths(work.program)


def lend(work: Work) -> None:
    """Send nothing that the host has already."""
    work.put(with_lent(work.program, work.staged.interface))


def part_complex(work: Work) -> None:
    """Make two real variables of each complex one."""
    work.put(with_real_parts(work.program, work.staged.interface))


def tell_crossings(work: Work) -> None:
    """Note what crosses; refuse what nobody has asked for, where copies are errors."""
    work.crossings, work.arithmetic = tuple(copies(work.program)), moved(work.program.host)
    if work.options.copies == "error":
        _require_asked((*work.crossings, *work.arithmetic))


def _require_asked(crossings: Iterable[Copy | Moved]) -> None:
    for copy in crossings:
        if not copy.explicit:
            raise UnsupportedError(Diagnostic("GP523", copy.message, copy.loc))


def widen_bfloat16(work: Work) -> None:
    """Make a float32 variable of each bfloat16 one."""
    work.program = with_float32(work.program)


def name_steps(work: Work) -> None:
    """Say what the variables of steps on the host are called."""
    given = work.staged.interface.host or ()
    work.program = named(
        work.program, [str(r.path[-1]) if isinstance(r, ArgResult | LentResult) else "" for r in given]
    )
    work.numbers = {i: i for i in range(len(work.program.host))}


def merge_steps(work: Work) -> None:
    """Make one step of several that follow each other."""
    if MERGING not in work.options.disabled:
        work.program, work.numbers = merged(work.program)


def hold_objects(work: Work) -> None:
    """Say how long objects stay on the host."""
    work.program = with_lifetimes(with_scopes(work.program))


def test_sizes(work: Work) -> None:
    """Note what a call can ask of sizes before the run."""
    work.size_tests = size_tests(work.program) if work.is_alone else ()


def part_from_libraries(work: Work) -> None:
    """Have two programs of one that a library computes results of: with these, and without."""
    if asks_libraries(work.program):
        work.linked, work.program = with_libraries(work.program), without_libraries(work.program)


def structure(work: Work) -> None:
    """CFG, SSA, regions, graph; without checks that a call makes itself, or that a run finds by what fails."""
    checked = without_operation_checks(work.program) if work.is_alone else work.program
    flagged = without_size_checks(told_by_replay(checked)) if work.is_alone else checked
    work.graph = residual_to_graph(flagged, hook=work.keep)
    work.graph.leaves_checks = flagged is not work.program


def finish(work: Work) -> None:
    """Say how the graph that a runtime gets is made; of the arguments, which are of one call, it needs nothing."""
    fn, graph, disabled = work.fn, work.graph, work.options.disabled

    def made() -> GraphProgram:
        with deep_stack(fn):
            return finished(graph, FOR_A_RUNTIME, disabled)

    work.runs = OnDemand(made)


def extraction_of(work: Work) -> Extraction:
    """What there is in the end."""
    staged = work.staged
    return Extraction(
        work.runs,
        replace(staged.interface, dims=work.options.dims, size_tests=work.size_tests),
        work.texts,
        staged.notes,
        staged.program,
        work.options.disabled,
        staged.findings,
        staged.unsaid,
        of_steps(work.crossings, work.numbers),
        staged.keeps_identities,
        staged.fixed,
        moved=work.arithmetic,
        decisions=staged.decisions,
        linked_residual=work.linked,
    )
