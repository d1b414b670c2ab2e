"""The pipeline: from a live function to a functional graph, one ordered list of stages.

source   text to core tree: the one place where Python's syntax is known
stage    core tree to residual program: names can only be resolved with values in hand, so static
         evaluation, inlining and scalarization are one pass; it needs the types, so it carries them
control  residual program to graph: CFG, SSA, regions; after staging there is nothing left to resolve
slice    the graph must not contain what only a host can do; checked before anything is optimised,
         so that acceptance never depends on an optimisation
transform  graph to graph: rewrites that keep results bit-equal
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from types import FunctionType
from typing import Any

from graph_program.extract.control import residual_to_graph
from graph_program.extract.control.operation_checks import without_operation_checks
from graph_program.extract.control.size_checks import size_tests, without_size_checks
from graph_program.extract.control.unchecked import without_checks
from graph_program.extract.diagnostics import Diagnostic, GraphProgramError, Note, UnsupportedError
from graph_program.extract.ir import graph, interface, printer, residual, tree_printer
from graph_program.extract.ir.interface import Back, Fixed
from graph_program.extract.ir.results import ArgResult, LentResult
from graph_program.extract.ir.specs import ArgSpec
from graph_program.extract.slice.bfloat16 import with_float32
from graph_program.extract.slice.complex_parts import with_real_parts
from graph_program.extract.slice.copies import Copy, copies, of_steps
from graph_program.extract.slice.exchanges import with_exchanges
from graph_program.extract.slice.lending import with_lent
from graph_program.extract.slice.lifetimes import with_lifetimes
from graph_program.extract.slice.merging import merged, named
from graph_program.extract.slice.moved import Moved, moved
from graph_program.extract.slice.overlap import with_overlap
from graph_program.extract.slice.reports import without_reports
from graph_program.extract.slice.scopes import with_scopes
from graph_program.extract.slice.truths import with_truths
from graph_program.extract.slice.unread import without_unread
from graph_program.extract.source.load import load_function
from graph_program.extract.stack import deep_stack
from graph_program.extract.stage.machine.options import Options
from graph_program.extract.stage.program.evaluate import Staged, evaluate_program
from graph_program.extract.stage.program.recovery import Recovery
from graph_program.extract.stage.program.reveal import Question
from graph_program.extract.transform import FOR_COMPILERS, PASSES, optimize
from graph_program.extract.types.declared import NO_DIMS, DeclaredDims

MERGING, OVERLAP = "merge_host_steps", "overlap"
_FEWER = frozenset({"columns", "rows", "parts", "vectors", "vectorize", "fission", "loop_copies", "products", "shifts"})
_SIDES = frozenset({"if_conversion"})
_RECOGNISED = frozenset({"softmax", "layer_norm", "gelu", "recurrent", "gemm"})
FOR_INTERPRETERS = _FEWER | _RECOGNISED | _SIDES
"""Passes that make fewer and larger operations, and fewer branches: what a runtime pays for is each of them."""
STAGES = ("source", "stage", "cfg", "ssa", "regions", "graph", "optimized")


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
    identities : bool
        Give the caller's own objects back where that takes tables of objects; a model has none.
    any_length : bool
        Let lists have any length; else each has the one that it has.
    keeps_writes : bool
        Have the outputs say what was written before an exception.
    reports : bool
        Do what only tells of the run, such as `print`.

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
    identities: bool = True
    any_length: bool = True
    keeps_writes: bool = False
    reports: bool = True

    def __post_init__(self) -> None:
        known = sorted({MERGING, OVERLAP, *(item.name for item in (*PASSES, *FOR_COMPILERS))})
        if unknown := sorted(self.disabled - set(known)):
            raise ValueError(f"there is no pass {unknown[0]!r}; the passes are {', '.join(known)}")


@dataclass(frozen=True)
class Extraction:
    """An extracted program: the graph, how to call it, and the text of every stage.

    Attributes
    ----------
    session : GraphProgram
        The graph for arguments whose sizes keep to `interface.size_tests`.
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
    moved : tuple of Moved
        Arithmetic on arrays that the host does.
    """

    session: graph.GraphProgram
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

    @property
    def crossings(self) -> tuple[Copy | Moved, ...]:
        """What may cross unasked: copies, and arithmetic on arrays that has moved to the host."""
        return (*self.copies, *self.moved)

    @cached_property
    def program(self) -> graph.GraphProgram:
        """The graph that tells all failures itself, for models."""
        if not self.residual.errors:
            return self.session
        return _final(residual_to_graph(self.residual, alone=True), self.disabled)

    @cached_property
    def unchecked(self) -> graph.GraphProgram:
        """The graph for whoever knows that no operation fails; it has no host code."""
        made = residual_to_graph(without_checks(self.residual), alone=True)
        return _final(replace(made, is_checked=False), self.disabled)

    @cached_property
    def native(self) -> graph.GraphProgram:
        """The graph for a compiler, which wants loops to be loops, and writes to be writes."""
        return self._compiled(residual_to_graph(self.residual, alone=not self.residual.host))

    @cached_property
    def native_unchecked(self) -> graph.GraphProgram:
        """The same for whoever knows that no operation fails."""
        return self._compiled(residual_to_graph(without_checks(self.residual), alone=True))

    def _compiled(self, program: graph.GraphProgram) -> graph.GraphProgram:
        """The graph as a compiler wants it; what a program tells before an exception is read behind it, too."""
        program.keeps_writes |= bool(self.interface.effects)
        disabled = self.disabled | FOR_INTERPRETERS
        if program.host:
            return optimize(with_exchanges(optimize(program, disabled)), disabled, passes=FOR_COMPILERS)
        return optimize(program, disabled, passes=(*PASSES, *FOR_COMPILERS))

    @cached_property
    def unoptimized(self) -> graph.GraphProgram:
        """The same graph as extracted, to explain failures.

        There the number of an error that has not happened is 0; optimised, it is any number, as nobody reads it.
        """
        return residual_to_graph(self.residual)


def extract(
    fn: FunctionType,
    specs: Mapping[str, ArgSpec],
    *,
    values: Mapping[str, Any] | None = None,
    options: ExtractOptions | None = None,
    explain: bool = False,
) -> Extraction:
    """Extract a function for one set of argument types.

    Parameters
    ----------
    fn : function
        The user's function, undecorated.
    specs : mapping of str to ArgSpec
        The type of every argument, by parameter name.
    values : mapping, optional
        The arguments themselves, for number parameters that the program needs statically.
    options : ExtractOptions, optional
    explain : bool
        Keep the text of every stage.

    Raises
    ------
    GraphProgramError
        Where the program has no graph form; nothing has been run.
    """
    with deep_stack(fn):
        return _extract(fn, specs, values, options or ExtractOptions(), explain)


def _stage_options(fn: FunctionType, options: ExtractOptions) -> Options:
    """What the staging takes of the options."""
    home = (fn.__module__ or "").partition(".")[0]
    return Options(
        options.inline,
        home,
        recovery=options.recovery,
        questions=options.questions,
        declared=options.declared,
        dims=options.dims,
        identities=options.identities,
        any_length=options.any_length,
        keeps_writes=options.keeps_writes,
        reports=options.reports,
    )


def _extract(
    fn: FunctionType,
    specs: Mapping[str, ArgSpec],
    values: Mapping[str, Any] | None,
    options: ExtractOptions,
    explain: bool,
) -> Extraction:
    texts: dict[str, str] = {}

    def keep(name: str, text: Any) -> None:
        if explain:
            texts[name] = text() if callable(text) else str(text)

    stage_options = _stage_options(fn, options)
    keep("source", lambda: tree_printer.print_function(load_function(fn)))
    evaluate = partial(evaluate_program, fn, specs, values=values, self_object=options.self_object)
    staged = _with_writes(evaluate(options=stage_options), evaluate, stage_options)
    staged = replace(staged, program=without_unread(staged.program))
    if not options.reports:
        staged = _without_reports(staged)
    written, interface = with_lent(with_truths(staged.program), staged.interface)
    keep("stage", lambda: printer.print_residual(written))
    program, interface = with_real_parts(written, interface)
    crossings, arithmetic = tuple(copies(program)), moved(program.host)
    if options.copies == "error":
        _require_asked((*crossings, *arithmetic))
    staged = replace(staged, program=with_float32(program), interface=interface)
    program, places = _with_fewer_steps(staged, options)
    staged = replace(staged, program=program)
    alone = not staged.program.host  # a run that the host takes part in cannot be repeated to find a failure
    checked = without_size_checks(without_operation_checks(staged.program)) if alone else staged.program
    session = residual_to_graph(checked, hook=keep)
    keep("graph", lambda: printer.print_graph(session))
    session = _final(session, options.disabled)
    keep("optimized", lambda: printer.print_graph(session))
    described = replace(staged.interface, dims=options.dims, size_tests=size_tests(staged.program) if alone else ())
    return Extraction(
        session,
        described,
        texts,
        staged.notes,
        staged.program,
        options.disabled,
        staged.findings,
        staged.unsaid,
        of_steps(crossings, places),
        staged.keeps_identities,
        staged.fixed,
        moved=arithmetic,
    )


def _with_writes(staged: Staged, evaluate: Callable[..., Staged], options: Options) -> Staged:
    """A program with host code that says what it has written before it raises: it cannot be run again for that."""
    if options.keeps_writes or not staged.program.host or not any(e.after_writes for e in staged.program.errors):
        return staged
    try:
        return evaluate(options=replace(options, keeps_writes=True))
    except GraphProgramError:
        return staged


def _without_reports(staged: Staged) -> Staged:
    """The program without what host code only tells of the run."""
    program, told = without_reports(staged.program)
    left_out = (*staged.interface.unreported, *told)
    host = staged.interface.host if program.host else None
    return replace(staged, program=program, interface=replace(staged.interface, unreported=left_out, host=host))


def _final(program: graph.GraphProgram, disabled: frozenset[str]) -> graph.GraphProgram:
    """The graph as it is run."""
    made = with_exchanges(optimize(program, disabled=disabled))
    return made if OVERLAP in disabled else with_overlap(made)


def _with_fewer_steps(staged: Staged, options: ExtractOptions) -> tuple[residual.Program, dict[int, int]]:
    """The program whose steps on the host have names, and are merged where they follow each other.

    And the number of each step after that.
    """
    given = [str(r.path[-1]) if isinstance(r, ArgResult | LentResult) else "" for r in staged.interface.host or ()]
    program = named(staged.program, given)
    if MERGING in options.disabled:
        return with_lifetimes(with_scopes(program)), {i: i for i in range(len(program.host))}
    program, numbers = merged(program)
    return with_lifetimes(with_scopes(program)), numbers


def _require_asked(crossings: Iterable[Copy | Moved]) -> None:
    """Refuse what crosses, and arithmetic that the host does, without the program having asked for it."""
    for copy in crossings:
        if not copy.explicit:
            raise UnsupportedError(Diagnostic("GP523", copy.message, copy.loc))
