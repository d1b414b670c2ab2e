"""The partial evaluator's entry: a live function and argument specs in, a residual program out."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import replace
from types import FunctionType
from typing import Any

from graph_program.extract.diagnostics import Diagnostic, GraphProgramError, Note
from graph_program.extract.ir import interface, residual, tree
from graph_program.extract.ir.interface import Fixed
from graph_program.extract.ir.paths import Path, path_text
from graph_program.extract.ir.results import ConstantResult, Result
from graph_program.extract.ir.specs import ArgSpec, with_static
from graph_program.extract.records import dataclass
from graph_program.extract.source.liveness import live_after
from graph_program.extract.source.load import load_function
from graph_program.extract.stack import too_deep
from graph_program.extract.stage.host.steps import host_reach
from graph_program.extract.stage.host.steps import program_effects as effects
from graph_program.extract.stage.host.steps.program_results import Results
from graph_program.extract.stage.host.values import host_aliasing
from graph_program.extract.stage.language.calls.recursion import run_function_body
from graph_program.extract.stage.language.diagnosis import promises
from graph_program.extract.stage.language.diagnosis.recovery import GiveUp
from graph_program.extract.stage.lists import empty_lists, growing_lists
from graph_program.extract.stage.machine import signals
from graph_program.extract.stage.machine.decisions import KNOWN, TAKEN_APART, told
from graph_program.extract.stage.machine.host_contents import Contents
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.memory import tables
from graph_program.extract.stage.machine.options import Options
from graph_program.extract.stage.machine.room_states import ChoiceState
from graph_program.extract.stage.machine.state import RETURN, Frame
from graph_program.extract.stage.objects import caller_rows, object_tables, result_identity
from graph_program.extract.stage.paths import structural_parameters
from graph_program.extract.stage.program import given_lists, rooms, state_inputs
from graph_program.extract.stage.program.arguments import Arguments
from graph_program.extract.stage.program.restarts import (
    Entry,
    goes_on,
    has_news,
    is_new,
    known_instead,
    named_axes,
    peels,
    restarted,
    why_fixed,
)
from graph_program.extract.stage.program.write_backs import WriteBacks, run_to_any_end
from graph_program.extract.stage.values.questions import is_partly_set
from graph_program.extract.stage.values.values import NONE, Tensor, Value
from graph_program.extract.types.notation.declared_dims import DeclaredDims
from graph_program.extract.types.rules.facts import Facts, condition, dim_of

rooms.load()


@dataclass(frozen=True)
class Staged:
    """What the stage gives to the rest of the pipeline."""

    program: residual.Program
    interface: interface.Interface
    notes: tuple[Note, ...]
    findings: tuple[GraphProgramError, ...] = ()
    unsaid: tuple[Diagnostic, ...] = ()
    fixed: tuple[Fixed, ...] = ()
    """What of the arguments and the state it was made for."""
    decisions: tuple[str, ...] = ()
    """What was decided on the way, a line each."""
    copied: signals.Needed | None = None
    """What gives back the caller's own objects, and one object where Python has one."""
    keeps_identities: bool = False
    """Whether something was done for this."""


def evaluate_program(
    fn: FunctionType,
    specs: Mapping[str, ArgSpec],
    *,
    values: Mapping[str, Any] | None = None,
    options: Options | None = None,
    self_object: Any = None,
) -> Staged:
    """Partially evaluate a function.

    Parameters
    ----------
    fn : function
        The user's function, undecorated.
    specs : mapping
        An `ArgSpec` per parameter (without `self` for a bound method).
    values : mapping, optional
        The arguments themselves, for number parameters that turn out to be needed statically.
    self_object : object, optional
        The object that a method is bound to.

    Raises
    ------
    GraphProgramError
        Where the program has no graph form.
    """
    options = options or Options()
    if not options.purpose.any_length:
        specs = {name: with_static(spec, lambda _: True) for name, spec in specs.items()}
    entry = Entry(fn, load_function(fn), specs, values, self_object)
    staged = None
    while staged is None:
        try:
            staged = _identified(entry, options)
        except GraphProgramError as error:
            asked = signals.Needed(TAKEN_APART, options.rows, error)
            if not is_new(options, asked):
                raise
            options = restarted(options, asked)
    return replace(
        staged, keeps_identities=options.purpose.identities and (staged.keeps_identities or bool(options.rows))
    )


def _identified(entry: Entry, options: Options) -> Staged:
    """Evaluate; where it matters and can be, the caller's own objects are given back."""
    staged = _picked(entry, options)
    if staged.copied is None or entry.values is None or not options.purpose.identities:
        return staged
    try:
        return replace(_picked(entry, restarted(options, staged.copied)), keeps_identities=True)
    except GraphProgramError:
        if options.rows - options.decided[TAKEN_APART].keys():
            raise
        return staged


def _picked(entry: Entry, options: Options) -> Staged:
    """Evaluate; parameters that pick a structure are known by value where that helps."""
    picking: set[Path] = set()
    while True:
        try:
            return _evaluated(entry, options, picking)
        except GraphProgramError as error:
            if entry.values is None:
                raise structural_parameters.without_values(error, picking) from None
            asked = signals.Needed(KNOWN, picking, error)
            if not is_new(options, asked):
                raise
            options = restarted(options, asked)


def _evaluated(entry: Entry, options: Options, picking: set[Path]) -> Staged:
    """Evaluate until no restart is asked for; `picking` gets the parameters that pick a structure."""
    options = replace(options, contents=Contents())
    while True:
        picking.clear()
        now = entry.as_decided(options.decided)
        try:
            staged = _evaluate(now, options, picking)
            if not has_news(options):
                return staged
        except GraphProgramError:
            if not has_news(options):
                raise
        except signals.Needed as needed:
            options = restarted(options, needed)
        except signals.StaticNeeded as needed:
            options = restarted(options, known_instead(now, options, needed))
        except (signals.SplitNeeded, GiveUp) as needed:
            if not goes_on(options, needed.error):
                raise (needed.error if options.recovery is None else options.recovery.first(needed.error)) from None


def _evaluate(entry: Entry, options: Options, picking: set[Path]) -> Staged:
    m = Machine(options, choices=ChoiceState(picking=picking))
    if options.contents is not None:
        m.host.puts = options.contents.begin()
    try:
        return _staged(m, entry)
    except (GraphProgramError, signals.PeelNeeded, signals.SplitNeeded) as refusal:
        if (options.contents is not None and options.contents.is_news()) or peels(options, refusal):
            raise
        raise object_tables.last_resort(m, refusal) from None
    except RecursionError:  # an object that holds others of its kind, ever deeper
        new = object_tables.could_have(m)
        if not new:
            raise
        raise tables.needed(new, too_deep(entry.fn)) from None


def _staged(m: Machine, entry: Entry) -> Staged:
    function, options = entry.function, m.options
    frame, arguments = enter(m, entry)
    body = list(m.out)
    promises.begin(m, entry.fn, function, entry.specs)
    m.out = body
    run = run_to_any_end if options.keeps_writes else run_function_body
    run(m, function, frame)
    if options.recovery is not None and options.recovery.findings:
        options.recovery.notes = tuple(m.report.notes)
        raise options.recovery.findings[0]
    m.node_loc = function.loc
    results = Results(m)
    value = m.live.frames[frame.id].get(RETURN, NONE) if m.state is not None else NONE
    if options.keeps_writes and is_partly_set(value):
        value = value.value  # nobody sees what a call that raises would return
    copied = None
    if m.state is not None:
        empty_lists.require_elements(m)
        caller_rows.give_back(m)
        copied = result_identity.copied(m, value)
        if options.purpose.identities:
            given_lists.require_unshared(m)
        if copied is None and options.purpose.identities and entry.values is not None:
            given_lists.require_own_arrays(m, value)
    result, backs, sets = _results(m, value, arguments, results)
    host_reach.require_apart(m, [back.path for back in (*backs, *sets)])
    described = interface.Interface(
        tuple((n, state_inputs.specialised(spec, (n,), options, entry.present)) for n, spec in entry.specs.items()),
        (*arguments.inputs, *(c for c, _ in m.outside.captured.values())),
        result,
        backs,
        sets,
        tuple(m.outside.guards.values()),
        effects.interface_effects(m, results),
        equalities={name: size for name, size in m.facts.solved.items() if name in m.facts.order},
        state=state_inputs.described(m, arguments, options),
        keeps_writes=options.keeps_writes,
        unreported=tuple(m.host.unreported.items()),
        host=tuple(m.host.objects) if m.host.steps else None,
    )
    program = _program(m, function, [i.name for i in described.inputs], body, results)
    now = state_inputs.present(m)
    sizes = [
        Fixed(path, entry.present(path) if path[0] in entry.specs else now(path), why.diagnostic)
        for path, why in sorted(why_fixed(entry, options.decided).items(), key=lambda item: path_text(item[0][:-1]))
        if why is not None and (entry.values is not None or path[0] not in entry.specs)
    ]
    return Staged(
        program,
        described,
        tuple(m.report.notes),
        tuple(m.report.findings),
        tuple(m.report.unsaid),
        (*arguments.fixed, *sizes),
        tuple(told(options.decided)),
        copied,
    )


def _program(
    m: Machine, function: tree.Function, inputs: list[str], body: list[residual.Stmt], results: Results
) -> residual.Program:
    return residual.Program(
        function.name,
        inputs,
        tidied([*effects.prologue(m), *body]),
        results.outputs,
        results.names,
        m.types,
        m.report.errors,
        function.loc,
        host_aliasing.with_classes(m, m.host.steps),
        list(map(str, m.report.notes)),
        m.host.places,
        m.options.keeps_writes,
    )


def enter(m: Machine, entry: Entry) -> tuple[Frame, Arguments]:
    """The frame of the program's function, with values for its parameters."""
    fn, function, specs, self_object = entry.fn, entry.function, entry.specs, entry.self_object
    m.node_loc = function.loc
    _refuse_kinds(m, function)
    frame = Frame(function, None, fn, None, live_after=live_after(function))
    m.frame = frame
    object_tables.begin(m)
    arguments = Arguments(m)
    names: dict[str, Value] = {}
    params = list(function.params)
    m.live.frames[frame.id] = names
    own = params[:1] if self_object is not None else []
    params = params[len(own) :]
    for p in params:
        if p.name in specs:
            m.node_loc = p.loc
            names[p.name] = arguments.value(specs[p.name], (p.name,), entry.present)
    m.node_loc = function.loc
    state_inputs.adopt(m, arguments, {(name,) for name in specs})
    for p in own:
        names[p.name] = m.lift(self_object, (p.name,))
    taken = {name for d in m.dim_sources() for name in d.symbols}
    m.naming.dims = (i for i in itertools.count(1) if f"d{i}" not in taken)
    # A name that the user wrote stands for one made up for an axis without a name.
    names_of_dims = sorted(map(str, m.dim_sources()), key=lambda name: name not in m.options.declared)
    m.live.facts = _declared(Facts(order={name: i for i, name in enumerate(names_of_dims)}), m.options.dims)
    m.telling = frozenset(axis.name for axis in named_axes(specs))
    for name in sorted({axis.name for axis in named_axes(specs) if axis.filled}):
        m.live.facts = m.live.facts.learn((condition("<=", 1, dim_of(name)),))
    m.node_loc = function.loc
    return frame, arguments


def tidied(body: list[residual.Stmt]) -> list[residual.Stmt]:
    """The statements without copies of nothing, which mark where paths may have needed some."""
    kept: list[residual.Stmt] = []
    for statement in body:
        match statement:
            case residual.Copy(targets=[]):
                continue
            case residual.If():
                statement.body, statement.orelse = tidied(statement.body), tidied(statement.orelse)
                if not statement.body and not statement.orelse:
                    continue
            case residual.Loop() | residual.Block():
                statement.body = tidied(statement.body)
        kept.append(statement)
    return kept


def _refuse_kinds(m: Machine, function: tree.Function) -> None:
    if function.is_generator or function.is_async:
        raise m.error(
            "GP337",
            f"a {'coroutine' if function.is_async else 'generator'} cannot be a program",
            hint="return an array, or a list",
        )


def _declared(facts: Facts, dims: DeclaredDims) -> Facts:
    """Facts and what the caller has declared of sizes, which is checked before every run."""
    for name, bound in dims.items():
        facts = facts.learn((condition("<=", bound.low, dim_of(name)),))
        if bound.high is not None:
            facts = facts.learn((condition("<=", dim_of(name), bound.high),))
    return facts


def _results(
    m: Machine, value: Value, arguments: Arguments, results: Results
) -> tuple[Result, tuple[interface.WriteBack, ...], tuple[interface.Back, ...]]:
    if m.state is None:  # every path raises
        return ConstantResult(None), (), ()
    results.rename(promises.result_names(m, value))
    name = growing_lists.column_name(m, value)
    name = _own_name(m, value) if isinstance(value, Tensor) and isinstance(value.operand, str) else name
    name = name if not name.startswith(("t.", RETURN)) and not _is_input(m, name, arguments) else "result"
    result = results.result(value, name.partition(".")[0] or "result")
    changes = WriteBacks(m, results)
    return result, changes.of_arrays(), changes.of_objects()


def _own_name(m: Machine, value: Tensor) -> str:
    """What a value is called in the program; what a function of the library calls its own is no name for a result."""
    if not value.loc.is_library:
        return str(value.operand)
    own = m.live.frames.get(m.current_frame.id, {}).items()
    return next((name for name, other in own if other is value), "result")


def _is_input(m: Machine, name: str, arguments: Arguments) -> bool:
    return any(i.name == name for i in arguments.inputs) or any(c.name == name for c, _ in m.outside.captured.values())
