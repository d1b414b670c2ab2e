"""Types of parameters from their uses: the evaluator run with open types, and what the solver makes of it.

    def attend(q, k, v):
        s = q @ k.T                       attend: (t [a, b], t [c, b], t [c, d]) -> t [a, d]
        return softmax(s) @ v

The function is evaluated as in an extraction, but parameters are `Open`: what is done with them gives
constraints.  Where the solution has no variables left besides names of dims, it is a signature that
the program can be extracted with; else it says what the program demands.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from types import FunctionType
from typing import Any

import numpy as np

from graph_program.extract.arguments.open_specs import array_term, open_spec
from graph_program.extract.diagnostics import GraphProgramError, Note
from graph_program.extract.ir import tree
from graph_program.extract.ir.paths import Path
from graph_program.extract.ir.signatures import parameters_text, spec_text, term_text
from graph_program.extract.ir.specs import (
    ArgSpec,
    DictSpec,
    ListSpec,
    OpenSpec,
    RecordSpec,
    RowsSpec,
    StaticSpec,
    TensorSpec,
    TupleSpec,
    map_leaves,
    spec_leaves,
    with_static,
)
from graph_program.extract.records import dataclass
from graph_program.extract.source.load import load_function
from graph_program.extract.stack import deep_stack
from graph_program.extract.stage.language.calls.recursion import run_function_body
from graph_program.extract.stage.language.diagnosis.recovery import GiveUp
from graph_program.extract.stage.language.diagnosis.reveal import revealed_type
from graph_program.extract.stage.lists import columns
from graph_program.extract.stage.machine.checks import lengths
from graph_program.extract.stage.machine.inference import Inference, closed_type, tensor_term
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.options import Options
from graph_program.extract.stage.machine.recovery import Recovery
from graph_program.extract.stage.machine.signals import Needed, SplitNeeded, StaticNeeded
from graph_program.extract.stage.machine.state import RETURN
from graph_program.extract.stage.program.evaluate import enter
from graph_program.extract.stage.program.restarts import Entry, known_instead, restarted
from graph_program.extract.stage.values.column_data import Growing
from graph_program.extract.stage.values.inside import contents_in
from graph_program.extract.stage.values.open_values import Open
from graph_program.extract.stage.values.values import NONE, UNKNOWN, Static, Text, Tuple, Value
from graph_program.extract.types.notation.annotation_reading import parse_annotation
from graph_program.extract.types.notation.annotations import ArrayAnnotation, TupleAnnotation
from graph_program.extract.types.notation.terms import TypeTerm, rank_variables
from graph_program.extract.types.solving.solver import Solver
from graph_program.extract.types.tensors.tensor_type import TensorType

CONSTRUCTS = "GP2"
"""How the codes of constructs without a meaning start."""
WHATEVER_THE_TYPES = {"GP305", "GP331", "GP335", "GP337", "GP347", "GP348"}
"""Names, host code and forms of statements: refusals that no type averts."""
FAULTS = {"GP301", "GP302", "GP303", "GP304", "GP307"}
"""What is wrong with arrays and numbers of known types, beside those of open ones."""
SPECS = (
    TensorSpec,
    StaticSpec,
    TupleSpec,
    ListSpec,
    DictSpec,
    RecordSpec,
    OpenSpec,
)
Given = Mapping[str, ArgSpec | object]
"""By parameter: its spec where that is known, else its annotation."""


@dataclass(frozen=True)
class Inferred:
    """What a program says about its own types.

    Attributes
    ----------
    signature : str
        The principal signature: `softmax: t [*s, n] -> t [*s, n]`.
    specs : mapping of str to ArgSpec, or None
        The types of the parameters, where they are known but for names of dims.
    open : tuple of str
        Parameters whose types are not.
    findings : tuple of GraphProgramError
        What cannot be right in any run.
    refusals : tuple of GraphProgramError
        What an extraction would refuse whatever the types are.
    notes : tuple of Note
        What was asked to be revealed.
    """

    signature: str
    specs: Mapping[str, ArgSpec] | None
    open: tuple[str, ...]
    findings: tuple[GraphProgramError, ...]
    refusals: tuple[GraphProgramError, ...] = ()
    notes: tuple[Note, ...] = ()


def infer_types(
    fn: FunctionType,
    given: Given,
    result: object = None,
    *,
    options: Options | None = None,
    self_object: Any = None,
) -> Inferred:
    """The principal signature of a function.

    Parameters
    ----------
    fn : function
        The user's function, undecorated.
    given : mapping
        By parameter name: an `ArgSpec`, or an annotation object that leaves something open
        (`inspect.Parameter.empty` for none).
    result : object, optional
        The annotation of the result, if there is one.
    options : Options, optional
    self_object : object, optional
        The object that a method is bound to.

    Raises
    ------
    GraphProgramError
        Where the function has no graph form whatever its types.

    Notes
    -----
    After Collins and Grover, "Axon: A Language for Dynamic Shapes in Deep Learning Graphs" (2022).
    """
    with deep_stack(fn):
        return _infer_types(fn, given, result, options or Options(), self_object)


def _infer_types(
    fn: FunctionType,
    given: Given,
    result: object,
    options: Options,
    self_object: Any,
) -> Inferred:
    function = load_function(fn)
    recovery = Recovery()
    options = replace(options, recovery=recovery)
    nothing = Entry(fn, function, dict.fromkeys(given, StaticSpec(None)), None, self_object)
    while True:
        try:
            found = _Run(fn, function, given, result, options, self_object).infer()
            if not found.findings:
                return found
            # What contradicts itself may do so by a supposition, or by what a path needs that no run takes.
            sure = _Run(fn, function, given, result, options, self_object, strict=True).infer()
            return replace(found, findings=sure.findings)
        except Needed as needed:
            options = restarted(options, needed)
        except StaticNeeded as needed:
            options = restarted(options, known_instead(nothing, options, needed))
        except (SplitNeeded, GiveUp) as needed:
            if not recovery.give_up(needed.error):
                raise needed.error from None


class _Run:
    """One evaluation with open types."""

    def __init__(
        self,
        fn: FunctionType,
        function: tree.Function,
        given: Given,
        result: object,
        options: Options,
        self_object: Any,
        strict: bool = False,
    ):
        self.fn, self.function, self.self_object, self.result = fn, function, self_object, result
        self.solver = Solver()
        self.m = Machine(options)
        self.m.inference = self.inference = Inference(self.solver, strict)
        given = {name: _at_its_length(spec) for name, spec in given.items()}
        self.given = given
        self.specs = {name: self._opened(spec, name) for name, spec in given.items()}

    def _opened(self, spec: ArgSpec | object, name: str) -> ArgSpec:
        """A parameter's spec; arrays of known types are open too, so that the solver sees their uses."""
        return map_leaves(spec, _opened_leaf) if isinstance(spec, SPECS) else open_spec(spec, name, self.solver)

    def infer(self) -> Inferred:
        m = self.m
        frame, _ = enter(m, Entry(self.fn, self.function, self.specs, None, self.self_object))
        run_function_body(m, self.function, frame)
        value = UNKNOWN if m.state is None else m.live.frames[frame.id].get(RETURN, NONE)
        m.node_loc = self.function.loc
        self._annotated_result(value, self.result)
        asked_for = {name for name in self.given if self._leaves_open(name)}
        self.inference.settle()
        leaves = list(self._leaves())
        results = list(_result_leaves(m, value))
        asked = list(self.inference.asked.values())
        principal = self.solver.principal([*(t for _, t in leaves), *results, *(t for _, _, t in asked)])
        types = iter(principal.types)
        parameters = {name: self._solved(spec, types) for name, spec in self.specs.items()}
        left = parameters_text([self._text(name, spec) for name, spec in parameters.items()])
        right = _result_text(m, value, types)
        told = (revealed_type(loc, text, str(next(types))) for loc, text, _ in asked)
        notes = (*m.report.notes, *told)
        closed = {name: _closed(spec) for name, spec in parameters.items()}
        unknown = {v.name for v in principal.defaulted}
        open_ = [
            name
            for name, spec in self.specs.items()
            if closed[name] is None or self._defaulted(spec, unknown) or name in self.inference.structured | asked_for
        ]
        known = {name: spec for name, spec in closed.items() if spec is not None}
        findings, refusals = tuple(self.inference.findings), tuple(_refusals(m.options.recovery))
        signature = f"{self.fn.__name__}: {left} -> {right}"
        return Inferred(signature, None if open_ else known, tuple(open_), findings, refusals, notes)

    def _leaves_open(self, name: str) -> bool:
        """Whether an annotation such as `Float[Tensor, "*batch n"]` leaves what nothing but a guess would settle."""
        note = self.given[name]
        if isinstance(note, SPECS) or not isinstance(note := parse_annotation(note), ArrayAnnotation):
            return False
        terms = [self.solver.resolve(t) for t in _open_terms(self.specs[name])]
        several = note.dtypes is not None and note.dtype is None
        return (several and any(not isinstance(t.dtype, np.dtype) for t in terms)) or (
            bool(note.parts) and any(rank_variables(t.shape) for t in terms)
        )

    def _annotated_result(self, value: Value, annotation: object) -> None:
        """What the result's annotation says."""
        note = parse_annotation(annotation) if annotation is not None else None
        if isinstance(note, TupleAnnotation) and isinstance(value, Tuple) and len(note.elts) == len(value.elts):
            pairs = list(zip(value.elts, note.elts, strict=True))
        else:
            pairs = [(value, note)]
        for part, wanted in pairs:
            if isinstance(part, Open) and isinstance(wanted, ArrayAnnotation) and wanted.kind is TensorType.kind:
                term, found = array_term(wanted, self.solver), part.term
                self.inference.suppose(self.m, "the result", partial(self.solver.equal_types, found, term))

    def _leaves(self) -> Iterator[tuple[str, TypeTerm]]:
        for name, spec in self.specs.items():
            for term in _open_terms(spec):
                yield name, term

    def _solved(self, spec: ArgSpec, types: Iterator[TypeTerm]) -> ArgSpec:
        """The spec with its types as solved, in the order of `_leaves`."""

        def solved(leaf: ArgSpec, _: Path) -> ArgSpec:
            return OpenSpec(next(types)) if isinstance(leaf, OpenSpec) else leaf

        return map_leaves(spec, solved)

    def _text(self, name: str, spec: ArgSpec) -> str:

        return "?" if name in self.inference.structured else spec_text(spec)

    def _defaulted(self, spec: ArgSpec, unknown: set[str]) -> bool:
        """Whether a shape was only guessed: taken for equal to one that it broadcasts with."""
        terms = (self.solver.resolve(t) for t in _open_terms(spec))
        return any(v.name in unknown for t in terms for v in rank_variables(t.shape))


def _refusals(recovery: Recovery | None) -> list[GraphProgramError]:
    """What every run meets that is refused whatever the types are."""
    if recovery is None:
        return []
    sure = (e for e in recovery.certain if e.code.startswith(CONSTRUCTS) or e.code in WHATEVER_THE_TYPES)
    return list(dict.fromkeys([*sure, *(e for e in recovery.plain if e.code in FAULTS)]))


def _at_its_length(spec: ArgSpec | object) -> ArgSpec | object:
    """A list that is a default, taken apart."""
    return with_static(spec, lambda _: True) if isinstance(spec, (*SPECS, RowsSpec)) else spec


def _opened_leaf(leaf: ArgSpec, _: Path) -> ArgSpec:
    """An array of a known type as an open one; anything else as it is."""
    if not isinstance(leaf, TensorSpec) or not (leaf.type.rank or leaf.type.kind is TensorType.kind):
        return leaf
    return OpenSpec(tensor_term(leaf.type))


def _open_terms(spec: ArgSpec) -> Iterator[TypeTerm]:
    """The types of the open parts, in order."""
    return (leaf.term for _, leaf in spec_leaves(spec) if isinstance(leaf, OpenSpec))


def _closed(spec: ArgSpec) -> ArgSpec | None:
    """The spec without variables, if there are none."""
    types = [closed_type(term) for term in _open_terms(spec)]
    known = iter([t for t in types if t is not None])

    def closed(leaf: ArgSpec, _: Path) -> ArgSpec:
        return TensorSpec(next(known)) if isinstance(leaf, OpenSpec) else leaf

    return None if None in types else map_leaves(spec, closed)


# ---------------------------------------------------------------- results


def _parts(m: Machine, value: Value) -> Sequence[Value] | None:
    heap = {} if m.state is None else m.state.heap
    contents = contents_in(heap, value)
    if isinstance(contents, Growing):
        return (columns.row(m, contents, Static(0)),)
    return tuple(heap[value].values()) if contents is None and value in heap else contents


def _result_leaves(m: Machine, value: Value) -> Iterator[TypeTerm]:
    """The types in a result, in order."""
    parts = _parts(m, value.there)
    if parts is not None:
        for part in parts:
            yield from _result_leaves(m, part)
    else:
        term = m.inferring.term(m, value.there)
        if term is not None:
            yield term


def _result_text(m: Machine, value: Value, types: Iterator[TypeTerm]) -> str:
    if value.there is not value:
        return f"{_result_text(m, value.there, types)} | None"
    parts = _parts(m, value)
    if parts is not None:
        inner = [_result_text(m, p, types) for p in parts]
        if isinstance(value, Tuple):
            return f"({inner[0]},)" if len(inner) == 1 else f"({', '.join(inner)})"
        if lengths.is_growing(m, value):
            return f"list[{inner[0]}]"
        return f"[{', '.join(inner)}]"
    if m.inferring.term(m, value) is not None:
        return term_text(next(types))
    if isinstance(value, Static):
        return "None" if value.value is None else type(value.value).__name__
    return "str" if isinstance(value, Text) else "?"
