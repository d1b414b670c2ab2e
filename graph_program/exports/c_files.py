"""Exporting a program as C: `play.c` and `play.h`, C99 that needs nothing but C's own library."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from graph_program.backends.c.compiler import STRICT, CompilerError, compiler
from graph_program.backends.c.emit import CSource, emit
from graph_program.backends.c.library import NativeSession
from graph_program.backends.onnxruntime.compiled import frozen_arrays
from graph_program.exports.checked import failed
from graph_program.exports.files import write_files
from graph_program.exports.host_needed import require_no_host
from graph_program.exports.outputs import complete
from graph_program.exports.summary import ExportSummary, summary_of_c
from graph_program.exports.verify import compare
from graph_program.extract.diagnostics import Diagnostic, Loc, ProgramValueError

if TYPE_CHECKING:
    from graph_program.calls import Calls
    from graph_program.exports.options import FileOptions, ModelOptions
    from graph_program.extract.ir.errors import ErrorInfo
    from graph_program.extract.ir.graph import GraphProgram
    from graph_program.extract.pipeline import Extraction

SUFFIX = ".c"
CHECKED = ("-O1", *STRICT)


@dataclass(frozen=True)
class Written:
    """What a C file was written from; see `plain.Written`."""

    program: GraphProgram
    extracted: GraphProgram
    checked: bool

    @property
    def errors(self) -> Sequence[ErrorInfo]:
        return self.program.errors


def export_c(calls: Calls, path: str, args: Any, options: ModelOptions, files: FileOptions) -> ExportSummary:
    """See `GraphProgramFunction.export`."""
    _refuse_options(options, files, calls.loc)
    source, program, extraction = c_source(calls, args, options, Path(path).stem)
    tried = ""
    if files.verify:
        values = calls.example(args, calls.options.dims.narrowed(options.dims))
        tried = _tried(calls, extraction, program, source, values, options.checks == "all")
    header = str(Path(path).with_suffix(".h"))
    write_files({header: source.header.encode(), path: source.text.encode()}, calls.loc)
    return summary_of_c(extraction, (path, header), source, options, tried)


def c_source(
    calls: Calls, args: Any, options: ModelOptions, stem: str = ""
) -> tuple[CSource, GraphProgram, Extraction]:
    """The program in C, the graph that was written, and what it was extracted to.

    Raises
    ------
    UnsupportedError
        GP512 for host code, GP601 for an operation that has no form in C.
    """
    dims = calls.options.dims.narrowed(options.dims)
    extraction = calls.found_for_model(args, dims, static=options.static, reports=False)
    require_no_host(extraction)
    graph = extraction.native if options.checks == "all" else extraction.native_unchecked
    program = complete(graph, extraction.interface, calls.loc)
    constants = frozen_arrays(extraction.interface, options.freeze)
    return emit(program, constants, stem=stem, alone=True), program, extraction


def _refuse_options(options: ModelOptions, files: FileOptions, loc: Loc) -> None:
    """Refuse what only means something for ONNX files (GP515)."""
    given: dict[str, Any] = {
        "opset": options.opset,
        "ir_version": options.ir_version,
        "portable": options.portable or None,
    }
    given |= {"host": files.host, "external_data": None if files.external_data == "auto" else files.external_data}
    given |= {"include_errors": None if options.include_errors else False}
    for name, value in given.items():
        if value is not None:
            text = f"{name}={value!r} is for ONNX files, not for C"
            raise ProgramValueError(Diagnostic("GP515", text, loc, hint=f"leave out `{name}=`"))


def _tried(
    calls: Calls,
    extraction: Extraction,
    program: GraphProgram,
    source: CSource,
    values: Mapping[str, Any] | None,
    checked: bool,
) -> str:
    """Compile a program and compare what it computes with Python; what was done."""
    if compiler() is None:
        return "not compiled: there is no C compiler here"
    try:
        session = NativeSession(program, source, CHECKED)
    except CompilerError as error:
        raise failed(str(error), calls.loc) from None
    if values is None:
        return "compiled without warnings"
    graph = extraction.native if checked else extraction.native_unchecked
    compare(calls, extraction, Written(program, graph, checked), values, _runner(session))
    return "compiled without warnings, and gives what Python gives for the example arguments"


def _runner(session: NativeSession) -> Callable[[Mapping[str, Any]], dict[str, Any]]:
    """What runs the function as a model is run."""

    def run(feed: Mapping[str, Any]) -> dict[str, Any]:
        given = {name: np.asarray(value) for name, value in feed.items()}
        found = session.run(None, given)
        names = [*session.program.output_names, *(["error"] if session.program.errors else [])]
        return dict(zip(names, found, strict=False))

    return run


__all__ = ["SUFFIX", "c_source", "export_c"]
