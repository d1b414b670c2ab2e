"""One random program: plain Python, the reference backend and onnxruntime must agree."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable
from enum import Enum
from typing import Any

import numpy as np

from graph_program import GraphProgramError, graph_program
from tests.fuzz.compare import call, difference, load
from tests.fuzz.generator import Program


class Verdict(Enum):
    """How a program's outcome compares with plain Python's."""

    SAME = "same"
    REFUSED = "refused"
    TOO_WIDE = "int beyond 64 bits"
    DIFFERENT = "mismatch"


@dataclasses.dataclass
class Checked:
    verdict: Verdict
    detail: str = ""


def check(program: Program) -> Checked:
    """Run a program as Python, in onnxruntime and in the reference backend."""
    fn = load(program.source)
    want = call(fn, program.args)
    for name, run in (("onnxruntime", graph_program(fn)), ("reference", reference_program(fn))):
        got = call(run, program.args)
        if isinstance(got.error, GraphProgramError):
            return Checked(Verdict.REFUSED, str(got.error))
        if isinstance(got.error, OverflowError) and "int64" in str(got.error):
            return Checked(Verdict.TOO_WIDE)
        found = difference(want, got)
        if found is not None:
            return Checked(Verdict.DIFFERENT, f"{name}: {found}")
    return Checked(Verdict.SAME)


def reference_program(fn: Callable[..., Any]) -> Callable[..., Any]:
    """The function extracted, and its graph interpreted by NumPy."""
    from graph_program.backends.host.errors import make_exception
    from graph_program.backends.reference.interpreter import run
    from graph_program.extract.ir.interface import follow
    from graph_program.extract.pipeline import extract
    from graph_program.extract.types.annotations import specs_from_call
    from tests.stage.oracle import build

    def call_reference(*args: Any) -> Any:
        named = dict(zip(inspect.signature(fn).parameters, args, strict=True))
        specs = specs_from_call([(name, value, None) for name, value in named.items()])
        extraction = extract(fn, dict(zip(named, specs, strict=True)), values=named)
        leaves = extraction.interface.inputs
        outputs = run(extraction.program, [np.asarray(follow(named[str(i.path[0])], i.path)) for i in leaves])
        if extraction.program.errors:
            number = int(outputs[len(extraction.program.output_names)])
            if number:
                indices = extraction.program.error_args[number - 1]
                raise make_exception(extraction.program.errors[number - 1], [outputs[i] for i in indices])
        return build(extraction.interface.result, outputs, named)

    return call_reference
