"""Exporting a program as C: `play.c` and `play.h`, C99 that needs nothing but C's own library."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from graph_program.backends.c.cache import library
from graph_program.backends.c.compiler import INSTALL, STRICT, CompilerError, compiler
from graph_program.backends.c.emit import CSource, emit
from graph_program.backends.c.example import example_main
from graph_program.backends.c.layouts import laid_out
from graph_program.backends.c.library import NativeSession
from graph_program.backends.c.messages import with_messages
from graph_program.backends.c.state import kept_of, with_state
from graph_program.backends.host.runnable import frozen_arrays
from graph_program.exports.c_state import first_values, set_flags, state_name, with_present_sizes
from graph_program.exports.checked import NOT_VERIFIED, REPORT, failed
from graph_program.exports.feeds import feed_of
from graph_program.exports.files import write_tree
from graph_program.exports.float32 import in_float32, narrower_arrays
from graph_program.exports.float32_report import compare_in_float32
from graph_program.exports.for_model import extraction_for_model
from graph_program.exports.host_needed import require_no_host
from graph_program.exports.options import ENDS
from graph_program.exports.outputs import complete
from graph_program.exports.summary import ExportSummary, summary_of_c
from graph_program.exports.verify import compare
from graph_program.extract.diagnostics import Diagnostic, Loc, ProgramValueError
from graph_program.extract.graph_steps import FOR_INTERPRETERS

if TYPE_CHECKING:
    from graph_program.calls.calls import Calls
    from graph_program.exports.options import FileOptions, ModelOptions
    from graph_program.extract.extraction import Extraction
    from graph_program.extract.ir.errors import ErrorInfo
    from graph_program.extract.ir.graph import GraphProgram

SUFFIX = ENDS["c"]
MOST = 2**63 - 1
"""The bytes that an object of C may have where pointers have 64 bits."""
LARGE = 4 * 2**20
"""Captured arrays of so many bytes are a file of their own: a compiler takes long for them as text."""
CHECKED = ("-O1", *STRICT)


@dataclass(frozen=True)
class Written:
    """What a C file was written from; see `plain.Written`."""

    program: GraphProgram
    extracted: GraphProgram
    checked: bool
    float32: bool = False

    @property
    def errors(self) -> Sequence[ErrorInfo]:
        return self.program.errors


@dataclass(frozen=True)
class MadeC:
    """A program in C.

    Attributes
    ----------
    source : CSource
        The files.
    values : CSource
        The same where state goes in as arguments and comes out as results, as a graph has it.
    written : Written
    extraction : Extraction
    """

    source: CSource
    values: CSource
    written: Written
    extraction: Extraction


def export_c(
    calls: Calls, path: str, args: Any, options: ModelOptions, files: FileOptions
) -> tuple[ExportSummary, Extraction, Mapping[str, Any] | None]:
    """See `GraphProgramFunction.export`; with what was extracted, and the example arguments by parameter."""
    _refuse_options(options, files, calls.loc)
    stem = Path(path).stem if path.endswith(SUFFIX) else Path(path).name
    made = made_c(calls, args, options, stem, partial(_is_beside, files, calls.loc))
    values = calls.example(args, calls.options.dims.narrowed(options.dims))
    tried = _tried(calls, made, values) if files.verify else ""
    texts = _texts(calls, made, values, path, files)
    contents = {name: text.encode() for name, text in texts.items()}
    if made.source.weights:
        contents[f"{path.removesuffix(SUFFIX)}.bin"] = made.source.weights
    write_tree(contents, calls.loc)
    named = sorted(contents, key=lambda file: not file.endswith(f"{stem}.c"))
    written = made.written.program
    return summary_of_c(made.extraction, named, made.source, written, options, tried), made.extraction, values


def _texts(
    calls: Calls, made: MadeC, values: Mapping[str, Any] | None, path: str, files: FileOptions
) -> dict[str, str]:
    """The files by their paths."""
    feed = None
    if values is not None and (files.example or files.layout != "files"):
        feed = feed_of(calls.callee, made.extraction.interface, values, calls.instance)
    if files.example and feed is None:
        text = f"an example of `{made.written.program.name}` needs example arguments"
        hint = "give them as the second argument of `export`"
        raise ProgramValueError(Diagnostic("GP515", text, calls.loc, hint=hint))
    base = path.removesuffix(SUFFIX)
    if files.layout != "files":
        found = laid_out(made.source, files.layout, feed)
        return {os.path.join(base, name): text for name, text in found.items()}
    texts = {path: made.source.text, f"{base}.h": made.source.header}
    return texts | ({f"{base}_main.c": example_main(made.source, feed)} if files.example and feed is not None else {})


def _is_beside(files: FileOptions, loc: Loc, size: int) -> bool:
    """Whether captured arrays of so many bytes are a file of their own."""
    wanted = files.external_data
    text = ""
    if wanted not in (None, True, False, "auto"):
        text = f"`external_data={wanted!r}` is for ONNX files; C has its arrays in a file of the same name with .bin"
    elif wanted is True and files.layout != "files":
        text = f"`layout={files.layout!r}` has all arrays in the C file"
    if text:
        raise ProgramValueError(Diagnostic("GP515", text, loc, hint=f"leave out `external_data={wanted!r}`"))
    return wanted is True or (wanted == "auto" and files.layout == "files" and size >= LARGE)


def made_c(
    calls: Calls,
    args: Any,
    options: ModelOptions,
    stem: str = "",
    is_beside: Callable[[int], bool] = lambda size: False,
) -> MadeC:
    """The program in C, the graph that was written, and what it was extracted to.

    Parameters
    ----------
    is_beside : callable
        Given the bytes of all captured arrays, whether they are a file of their own.

    Raises
    ------
    UnsupportedError
        GP512 for host code, GP601 for an operation that has no form in C.
    """
    dims = calls.options.dims.narrowed(options.dims)
    extraction = extraction_for_model(calls, args, dims, static=options.static, reports=False)
    require_no_host(extraction, "C file")
    graph = extraction.native if options.checks == "all" else extraction.native_unchecked
    constants = frozen_arrays(extraction.interface, options.freeze)
    disabled, is_narrow = extraction.disabled | FOR_INTERPRETERS, options.float == "float32"
    first, flags = first_values(extraction), set_flags(extraction, graph)
    if is_narrow:
        constants, first = narrower_arrays(constants), narrower_arrays(first)
    beside = is_beside(sum(array.nbytes for array in constants.values()))
    for sizes in ({name: array.shape for name, array in first.items()}, {}) if first else ({},):
        sized = with_present_sizes(graph, sizes, disabled) if sizes else graph
        program = complete(sized, extraction.interface, calls.loc)
        program = in_float32(program, disabled) if is_narrow else program
        name = state_name(calls, program.name) if sizes else program.name
        named = replace(program, name=name)
        source = emit(named, constants, stem=stem or name, alone=True, doubles=not is_narrow, beside=beside)
        _require_room(program, source, calls.loc)
        kept = kept_of(source, program.output_names, first, flags) if sizes else []
        if kept or not sizes:
            break
    written = Written(program, sized, options.checks == "all", is_narrow)
    whole = with_state(source, kept) if kept else source
    return MadeC(with_messages(whole), source, written, extraction)


def _require_room(program: GraphProgram, source: CSource, loc: Loc) -> None:
    """Refuse sizes whose arrays C cannot count (GP519)."""
    values = [*program.graph.inputs, *(value for node in program.graph.walk() for value in node.outputs)]
    known = [math.prod(size.constant or 0 for size in v.type.shape) * v.type.dtype.itemsize for v in values]
    most = max([source.workspace, *known])
    if most > MOST:
        text = f"`{source.name}` needs {most:,} bytes for these sizes, and no pointer of C reaches so far"
        raise ProgramValueError(Diagnostic("GP519", text, loc, hint="give smaller sizes in `dims`"))


def _refuse_options(options: ModelOptions, files: FileOptions, loc: Loc) -> None:
    """Refuse what only means something for ONNX files (GP515)."""
    given: dict[str, Any] = {
        "opset": options.opset,
        "ir_version": options.ir_version,
        "portable": options.portable or None,
    }
    given |= {"host": files.host}
    given |= {"include_errors": None if options.include_errors else False}
    for name, value in given.items():
        if value is not None:
            text = f"{name}={value!r} is for ONNX files, not for C"
            raise ProgramValueError(Diagnostic("GP515", text, loc, hint=f"leave out `{name}=`"))


def _tried(calls: Calls, made: MadeC, values: Mapping[str, Any] | None) -> str:
    """Compile a program and compare what it computes with Python; what was done."""
    if compiler() is None:
        return "not compiled: there is no C compiler here"
    try:
        session = NativeSession(made.written.program, made.values, CHECKED)
        if made.source is not made.values:
            library(made.source, CHECKED)
    except CompilerError as error:
        hint = REPORT if error.is_about_text else f"{INSTALL}; {NOT_VERIFIED}"
        raise failed(str(error), calls.loc, hint) from None
    if values is None:
        return "compiled without warnings"
    if made.written.float32:
        feed = feed_of(calls.callee, made.extraction.interface, values, calls.instance)
        compare_in_float32(made.written.program, feed, _runner(session), calls.loc)
        return "compiled without warnings, and gives what NumPy gives in float32 for the example arguments"
    compare(calls, made.extraction, made.written, values, _runner(session))
    return "compiled without warnings, and gives what Python gives for the example arguments"


def _runner(session: NativeSession) -> Callable[[Mapping[str, Any]], dict[str, Any]]:
    """What runs the function as a model is run."""

    def run(feed: Mapping[str, Any]) -> dict[str, Any]:
        given = {name: np.asarray(value) for name, value in feed.items()}
        found = session.run(None, given)
        names = [*session.program.output_names, *(["error"] if session.program.errors else [])]
        return dict(zip(names, found, strict=False))

    return run


__all__ = ["export_c", "made_c"]
