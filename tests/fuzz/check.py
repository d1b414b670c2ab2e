"""One random program: plain Python, the reference backend and onnxruntime must agree, and machine code if asked."""

from __future__ import annotations

import copy
import dataclasses
import functools
import re
import traceback
from collections.abc import Callable
from enum import Enum
from typing import Any

import numpy as np

from graph_program import GraphProgramError, graph_program
from graph_program.backends.c.compiled import NativeCompiled, graph_in_process
from graph_program.backends.host import exchange
from graph_program.backends.host.runnable import Runnable, RunOptions
from graph_program.backends.host.shim import Callee
from graph_program.backends.onnxruntime.compiled import Compiled
from graph_program.backends.onnxruntime.segments import Run
from graph_program.backends.reference import interpreter
from graph_program.calls.calls import Calls
from graph_program.extract.diagnostics import Loc
from graph_program.extract.extraction import Extraction
from graph_program.extract.ir.graph import GraphProgram
from tests.fuzz.compare import Outcome, call, difference, load, same_objects
from tests.fuzz.documented import FORMS, Accepted, Deviation, as_documented
from tests.fuzz.generator import Program

NATIVE = "native"
NO_CODE = ("GP601", "GP603")
"""An operation has no form in C; the compiler does not take the file."""


class Verdict(Enum):
    """How a program's outcome compares with plain Python's."""

    SAME = "same"
    RAISES = "same, and every call raises"
    REFUSED = "refused"
    FAILS = "refused for the error that every call raises"
    TOO_WIDE = "int beyond 64 bits"
    DOCUMENTED = "differs as documented"
    DIFFERENT = "mismatch"


@dataclasses.dataclass
class Checked:
    verdict: Verdict
    detail: str = ""
    code: str = ""
    """Of a refusal."""
    deviations: frozenset[Deviation] = frozenset()


class Reference(Compiled):
    """An extraction that NumPy runs, behind the same shim."""

    def _start(self, results: int, options: RunOptions) -> None:
        count = len(self.program.graph.outputs)
        self._all_names = [str(i) for i in range(count)]
        self.names = self._all_names[: results + (self.error_index is not None)]
        self.inputs = frozenset(v.name for v in self.program.graph.inputs if v.name not in self.frozen)
        self.errors = (interpreter.OperationError,)

        def run(names: list[str], feed: dict[str, Any], _: Any) -> list[Any]:
            outputs = interpreter.run(self.program, {**self.frozen, **feed})
            return [np.array(outputs[int(name)]) for name in names]  # never the arguments themselves

        self.run = run


class Pieces(Compiled):
    """The segments of an extraction with host code, which NumPy runs, behind the same shim."""

    def __init__(self, extraction: Extraction, callee: Callee, loc: Loc):
        self._residual = extraction.residual
        checked = lambda: extraction.unoptimized  # noqa: E731
        super().__init__(extraction.session, extraction.interface, callee, RunOptions(), loc, checked)

    def _start(self, results: int, options: RunOptions) -> None:
        self._start_segments(self._residual, options)

    def _piece(self, options: RunOptions, program: GraphProgram) -> Run:
        return lambda feed: [np.array(output) for output in interpreter.run(program, {**self.frozen, **feed})]


def check(program: Program, native: bool = False) -> Checked:
    """Make each call of a program as Python, in onnxruntime, in the reference backend, and as machine code if asked."""
    fn = load(program.source)
    compiled = graph_program(fn, threads=1, backend="onnxruntime")
    runs = [("onnxruntime", compiled), ("reference", other_program(compiled, by_numpy))]
    if native:
        runs.append((NATIVE, other_program(compiled, by_compiler)))
    raised, accepted = [], Accepted(program.source)
    makers = argument_makers(fn)
    for number, make in enumerate(makers):
        want = run_fresh(fn, make)
        raised.append(want.error is not None)
        for name, run in runs:
            got = run_fresh(run, make)
            if want.error is not None and (run is not compiled or host_raised(got.error)):
                got = dataclasses.replace(got, args=want.args)  # only programs themselves say what they have written
            if name == NATIVE and isinstance(got.error, GraphProgramError) and got.error.code in NO_CODE:
                return Checked(Verdict.DIFFERENT, f"call {number}, {name}: {got.error}")
            if isinstance(got.error, GraphProgramError) and got.error.code != "GP903":
                verdict = Verdict.FAILS if foretold(got.error, fn, alike(makers, number)) else Verdict.REFUSED
                return Checked(verdict, str(got.error), got.error.code if verdict is Verdict.REFUSED else "")
            if isinstance(got.error, OverflowError) and "int64" in str(got.error):
                return Checked(Verdict.TOO_WIDE)
            found = mismatch(want, got, accepted)
            if found is not None and any(same_as_documented(fn, program, d, number, got, accepted) for d in FORMS):
                found = None
            if found is not None:
                return Checked(Verdict.DIFFERENT, f"call {number}, {name}: {found}")
    if accepted.found:
        return Checked(Verdict.DOCUMENTED, deviations=frozenset(accepted.found))
    return Checked(Verdict.RAISES if all(raised) else Verdict.SAME)


def host_raised(error: BaseException | None) -> bool:
    """Whether what a program raises is from the host, be it of host code or of an operation on what the host has."""
    frames = () if error is None else traceback.walk_tb(error.__traceback__)
    return any(frame.f_code is exchange.Exchange.end.__code__ for frame, _ in frames)


def alike(makers: list[Callable[[], Any]], number: int) -> list[Callable[[], Any]]:
    """The calls whose arguments are of the same sizes: all but the last one, or that."""
    return makers[:-1] if number < len(makers) - 1 else makers[-1:]


def foretold(refusal: GraphProgramError, fn: Callable[..., Any], makers: list[Callable[[], Any]]) -> bool:
    """Whether each of some calls raises in Python, and one what a refusal says."""
    errors = [run_fresh(fn, make).error for make in makers]
    text = UNKNOWN_SIZE.sub(r"-?\\d+", re.escape(refusal.diagnostic.message))
    return all(errors) and any(isinstance(refusal, type(e)) and re.fullmatch(text, str(e)) for e in errors)


UNKNOWN_SIZE = re.compile(r"\\\?|\b[a-z]\w*(\\\.\w+)*_\d+\b")
"""A size in the text of a refusal that is a number in Python's."""


def same_as_documented(
    fn: Callable[..., Any], program: Program, deviation: Deviation, number: int, got: Outcome, accepted: Accepted
) -> bool:
    """Whether plain Python does the same in a call if it does what is documented, and did something else."""
    forms = as_documented(program.source, deviation)
    same = any(_same_as(fn, form, number, got, accepted) for form in forms)
    if same:
        accepted.found.add(deviation)
    return same


def _same_as(fn: Callable[..., Any], form: str, number: int, got: Outcome, accepted: Accepted) -> bool:
    """Whether a call of a program in another form, which deviates from it, gives what was got."""
    names, make = fn.__globals__, argument_makers(fn)[number]
    before = dict(names)
    try:
        exec(form, names)
        want = run_fresh(names[fn.__name__], make)
        return bool(names["met"]) and mismatch(want, got, accepted) is None
    finally:
        names.clear()
        names.update(before)


def argument_makers(fn: Callable[..., Any]) -> list[Callable[[], Any]]:
    """`arguments_0`, `arguments_1`, ... of the module that a program is in."""
    found = (fn.__globals__.get(f"arguments_{i}") for i in range(len(fn.__globals__)))
    return [make for make in found if make is not None]


def run_fresh(fn: Callable[..., Any], make: Callable[[], Any]) -> Outcome:
    """Call with new arguments; what they are views of counts as arguments as well."""
    args, kept = make()
    outcome = call(fn, args, copied=False)
    kept = tuple(k if isinstance(k, np.ndarray) else copy.deepcopy(k) for k in kept)  # of an object that is used again
    return dataclasses.replace(outcome, args=(*args, *kept), owners=same_objects(outcome.value, args))


def mismatch(want: Outcome, got: Outcome, accepted: Accepted) -> str | None:
    """Where outcomes differ, but for documented deviations.

    What is an argument on some paths only is a new object in the result.
    """
    found = difference(want, got, accepted)
    if found is not None or want.error is not None:
        return found
    return None if want.owners >= got.owners else f"arguments in the result: {want.owners} != {got.owners}"


def other_program(compiled: Any, make: Callable[[Calls, Extraction], Runnable]) -> Callable[..., Any]:
    """The same program, made runnable in another way."""
    known: dict[Any, Runnable] = {}

    @functools.wraps(compiled.python)
    def call_other(*args: Any) -> Any:
        calls: Calls = compiled._ready()
        specs, values = calls._read(args, calls.options.dims)
        found = calls.find(specs, values, calls.options.dims)
        if found not in known:
            known[found] = make(calls, found.extraction)
        with np.errstate(all="ignore"):
            return known[found].call(*args)

    return call_other


def by_compiler(calls: Calls, extraction: Extraction) -> Runnable:
    """Machine code; where there is host code, what NumPy runs once more."""
    if extraction.session.host:
        return by_numpy(calls, extraction)
    checked = lambda: extraction.unoptimized  # noqa: E731
    return NativeCompiled(
        graph_in_process(extraction), extraction.interface, calls.callee, RunOptions(), calls.loc, checked
    )


def by_numpy(calls: Calls, extraction: Extraction) -> Runnable:
    """The graph, interpreted by NumPy; its segments where it has host code on its way."""
    checked = lambda: extraction.unoptimized  # noqa: E731
    if extraction.session.host:
        return Pieces(extraction, calls.callee, calls.loc)
    return Reference(extraction.session, extraction.interface, calls.callee, RunOptions(), calls.loc, checked)
