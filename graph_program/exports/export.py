"""Exporting a program: one list of steps, in order."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graph_program.exports.checked import Run, check
from graph_program.exports.feeds import feed_of
from graph_program.exports.files import replaced, require_format
from graph_program.exports.float32_report import report
from graph_program.exports.for_model import extraction_for_model
from graph_program.exports.for_target import made_for, require_elements, require_for
from graph_program.exports.host_needed import refuse_options_with_host, require_no_host
from graph_program.exports.model_file import large_arrays, save
from graph_program.exports.models import Made
from graph_program.exports.options import ENDS, FileOptions, ModelOptions, require_layout
from graph_program.exports.page_file import export_page, is_page
from graph_program.exports.summary import ExportSummary, summary_of
from graph_program.exports.verify import taken, verify
from graph_program.exports.with_host import export_segments, host_files
from graph_program.extract.diagnostics import Diagnostic, ProgramValueError
from graph_program.quantized.options import read_quantization
from graph_program.targets.checked import told_of
from graph_program.targets.support import Support, targets

if TYPE_CHECKING:
    from graph_program.calls.calls import Calls
    from graph_program.calls.subject import Values
    from graph_program.exports.quantized_model import QuantizedModel
    from graph_program.extract.extraction import Extraction

OF_PAGES = "onnxruntime-web"
"""The target that runs what is in a page."""


Trial = Callable[["Calls", "Extraction", Made, Mapping[str, Any], Run, Support, Path], tuple[str, ...]]
"""Runs a file in the runtime that it is for, and tells of it: see `verification.of_target`."""


def export(
    calls: Calls, path: str, args: Any, options: ModelOptions, files: FileOptions, trial: Trial
) -> ExportSummary:
    """See `GraphProgramFunction.export`."""
    require_layout(files.layout, calls.loc)
    if is_page(path, files, calls.loc):
        return export_page(partial(export, trial=trial), calls, path, args, options, files)
    in_c = (path.endswith(ENDS["c"]) and files.host != "segments") or files.layout != "files"
    asked = read_quantization(files.quantize, calls.loc)
    if asked is not None:
        from graph_program.exports.quantized_model import QuantizedModel, readable, require_quantizable

        require_quantizable(asked, options, files, not in_c, calls)
    if in_c:
        from graph_program.exports.c_files import export_c

        summary, extraction, values = export_c(calls, path, args, options, files)
        return with_report(summary, calls, extraction, values, options)
    if files.example:
        text = f"an example is for C, and {path!r} is an ONNX file"
        raise ProgramValueError(Diagnostic("GP515", text, calls.loc, hint="name a file that ends in `.c`"))
    options.versions()  # what cannot be written is refused first
    if files.host != "segments":  # which are a folder
        require_format(path, calls.loc)
    dims = calls.options.dims.narrowed(options.dims)
    kept = {"reports": files.host is not None, "keeps_writes": files.host == "segments"}
    find = partial(extraction_for_model, calls, args, dims, static=options.static, **kept)
    extraction = find()
    if files.host is None:
        require_no_host(extraction, "page" if files.target == "page" else "model")
    if files.host == "segments":
        refuse_options_with_host(extraction, options)
        export_segments(extraction, calls.callee, options, path, calls.loc, files.verify)
        return summary_of(extraction, None, (path,), options.static, files.host)
    support = targets().get(OF_PAGES if files.target == "page" else files.target or "")
    if support is not None:
        options = replace(options, portable=options.portable or support.portable, target=support.runtime)
    made = made_for(calls, extraction, readable(options) if asked else options, find, support)
    fewer_bits = None
    if asked is not None:
        fewer_bits = QuantizedModel(calls, extraction, made, asked, dims, options.versions(made.program)[1])
        made = fewer_bits.quantized()
    require_for(made, calls, support)
    example = calls.example(args, dims)
    return _OnnxFile(calls, extraction, made, options, files, support, example, fewer_bits, trial).written(path)


@dataclass(frozen=True)
class _OnnxFile:
    """What is written to a file, and what it is asked for before it takes its place."""

    calls: Calls
    extraction: Extraction
    made: Made
    options: ModelOptions
    files: FileOptions
    support: Support | None
    """What the target takes that the file is for."""
    example: Values | None
    fewer_bits: QuantizedModel | None
    trial: Trial

    def written(self, path: str) -> ExportSummary:
        """Write the file and what goes with it, once a run of it gives what Python gives."""
        calls, files, made, options = self.calls, self.files, self.made, self.options
        beside = host_files(self.extraction, calls.callee, options.freeze, path) if self.extraction.host else {}
        arrays = large_arrays(made.model)
        data = files.data_file(path, sum(array.nbytes for array in arrays.values()))
        with replaced([*beside, *([data] if data else ()), path], calls.loc) as new:
            for file, content in zip(new, beside.values(), strict=False):
                file.write_bytes(content)
            model, weights = new[-1], new[-2] if data else None
            proto = save(made.model, model, weights)
            tried = self._tried(model, weights) if files.verify else ()
        names = (path, *([data] if data else ()), *beside)
        host = files.host if beside else None
        found = summary_of(self.extraction, proto, names, options.static, host, made.checked)
        if self.support is not None:
            found = replace(found, target=(*told_of(self.support, proto), *tried))
        if self.fewer_bits is not None:
            found = replace(found, quantized=self.fewer_bits.report(self.example, files.verify))
        return with_report(found, calls, self.extraction, self.example, options)

    def _tried(self, model: Path, weights: Path | None) -> tuple[str, ...]:
        """Check the file, run it on the example in onnxruntime and in its target, and say what comes of it there."""
        calls, extraction, made, example, support = self.calls, self.extraction, self.made, self.example, self.support
        if extraction.host:
            check(model, calls.loc, made.program)
            return ()
        if self.fewer_bits is not None:  # it is not to give what Python gives
            taken(made, model, weights, calls.loc)
            return ()
        if support is not None and example is not None:
            require_elements(calls, extraction, example, support)
        run = verify(calls, extraction, made, example, model, weights, self.options.float == "float32")
        if support is None or example is None:
            return ()
        return self.trial(calls, extraction, made, example, run, support, model)


def with_report(
    summary: ExportSummary, calls: Calls, extraction: Extraction, values: Any, options: ModelOptions
) -> ExportSummary:
    """The summary with what float32 changes for the example arguments, where that was asked for."""
    if options.float != "float32" or values is None:
        return summary
    feed = feed_of(calls.callee, extraction.interface, values, calls.instance)
    return replace(summary, float32=report(extraction, feed, calls.loc))


__all__ = ["export"]
