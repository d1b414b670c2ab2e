"""Exporting a program: one list of steps, in order."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from graph_program.exports.c_files import SUFFIX, export_c
from graph_program.exports.checked import check
from graph_program.exports.files import replaced, require_format
from graph_program.exports.host_needed import refuse_options_with_host, require_no_host
from graph_program.exports.model_file import large_arrays, save
from graph_program.exports.models import made_model
from graph_program.exports.options import FileOptions, ModelOptions, require_layout
from graph_program.exports.summary import ExportSummary, summary_of
from graph_program.exports.verify import verify
from graph_program.exports.with_host import export_segments, host_files
from graph_program.extract.diagnostics import Diagnostic, ProgramValueError

if TYPE_CHECKING:
    from graph_program.calls import Calls


def export(calls: Calls, path: str, args: Any, options: ModelOptions, files: FileOptions) -> ExportSummary:
    """See `GraphProgramFunction.export`."""
    require_layout(files.layout, calls.loc)
    if (path.endswith(SUFFIX) and files.host != "segments") or files.layout != "files":
        return export_c(calls, path, args, options, files)
    if files.example:
        text = f"an example is for C, and {path!r} is an ONNX file"
        raise ProgramValueError(Diagnostic("GP515", text, calls.loc, hint="name a file that ends in `.c`"))
    _ = options.versions  # what cannot be written is refused first
    if files.host != "segments":  # which are a folder
        require_format(path, calls.loc)
    dims = calls.options.dims.narrowed(options.dims)
    reports, keeps_writes = files.host is not None, files.host == "segments"
    find = partial(calls.found_for_model, args, dims, static=options.static, reports=reports, keeps_writes=keeps_writes)
    extraction = find()
    if files.host is None:
        require_no_host(extraction)
    if files.host == "segments":
        refuse_options_with_host(extraction, options)
        export_segments(extraction, calls.callee, options, path, calls.loc, files.verify)
        return summary_of(extraction, None, (path,), options.static, files.host)
    made = made_model(calls, extraction, options, find)
    beside = host_files(extraction, calls.callee, options.freeze, path) if extraction.session.host else {}
    arrays = large_arrays(made.model)
    data = files.data_file(path, sum(array.nbytes for array in arrays.values()))
    with replaced([*beside, *([data] if data else ()), path], calls.loc) as new:
        for file, content in zip(new, beside.values(), strict=False):
            file.write_bytes(content)
        written = new[-1], new[-2] if data else None
        proto = save(made.model, *written)
        if files.verify and beside:
            check(new[-1], calls.loc)
        elif files.verify:
            verify(calls, extraction, made, calls.example(args, dims), *written)
    all_files = (path, *([data] if data else ()), *beside)
    return summary_of(extraction, proto, all_files, options.static, files.host if beside else None, made.checked)


__all__ = ["export"]
