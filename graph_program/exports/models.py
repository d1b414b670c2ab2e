"""The model of a program: its graph with all results as outputs, and captured arrays as constants."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from graph_program.backends.onnx.emit import emit, to_proto
from graph_program.backends.onnxruntime.compiled import frozen_arrays
from graph_program.exports.options import ModelOptions
from graph_program.exports.outputs import complete
from graph_program.exports.with_host import mixed_model

if TYPE_CHECKING:
    import onnx

    from graph_program.calls import Calls
    from graph_program.extract.pipeline import Extraction


def model_of(calls: Calls, args: Any, options: ModelOptions) -> onnx.ModelProto:
    """See `GraphProgramFunction.model`."""
    dims = calls.options.dims.narrowed(options.dims)
    return made_model(calls, calls.found_for_model(args, dims, static=options.static), options)


def made_model(calls: Calls, extraction: Extraction, options: ModelOptions) -> onnx.ModelProto:
    """The model of an extraction; of a program with host code, the one that calls operators in Python."""
    if extraction.session.host:
        return mixed_model(extraction, options.freeze)
    frozen = frozen_arrays(extraction.interface, options.freeze) if options.freeze else {}
    program = extraction.program if options.include_errors else extraction.session
    program = complete(program, extraction.interface, calls.loc)
    model = emit(
        program,
        initializers=frozen,
        include_errors=options.include_errors,
        local_functions=options.local_functions,
    )
    dims = calls.options.dims.narrowed(options.dims)
    if dims:
        model.metadata_props["graph_program.dims"] = dims.json()
    return to_proto(model)


__all__ = ["made_model", "model_of"]
