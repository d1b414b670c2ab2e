"""Exporting a program: one list of steps, in order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from graph_program.exports.files import write_model
from graph_program.exports.host_needed import require_no_host
from graph_program.exports.models import made_model
from graph_program.exports.options import FileOptions, ModelOptions
from graph_program.exports.summary import ExportSummary, summary_of
from graph_program.exports.with_host import export_model, export_segments

if TYPE_CHECKING:
    from graph_program.calls import Calls


def export(calls: Calls, path: str, args: Any, options: ModelOptions, files: FileOptions) -> ExportSummary:
    """See `GraphProgramFunction.export`."""
    _ = options.versions  # what cannot be written is refused first
    dims = calls.options.dims.narrowed(options.dims)
    extraction = calls.found_for_model(
        args, dims, static=options.static, reports=files.host is not None, keeps_writes=files.host == "segments"
    )
    if files.host is None:
        require_no_host(extraction)
    if files.host == "segments":
        export_segments(extraction, calls.callee, options, path, calls.loc)
        return summary_of(extraction, None, (path,), options.static, files.host)
    model = made_model(calls, extraction, options)
    if extraction.session.host:
        written = export_model(model, extraction, calls.callee, options.freeze, path, calls.loc)
        return summary_of(extraction, model, written, options.static, files.host)
    write_model(model, path, calls.loc)
    return summary_of(extraction, model, (path,), options.static)


__all__ = ["export"]
