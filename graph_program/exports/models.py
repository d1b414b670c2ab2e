"""The model of a program: its graph with all results as outputs, and captured arrays as constants."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from graph_program.backends.onnx.emit import emit, to_proto
from graph_program.backends.onnxruntime.compiled import frozen_arrays
from graph_program.exports.description import METADATA, description
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
        return mixed_model(extraction, options)
    frozen = frozen_arrays(extraction.interface, options.freeze) if options.freeze else {}
    program = extraction.program if options.include_errors else extraction.session
    before, program = program, complete(program, extraction.interface, calls.loc)
    opset, ir_version = options.versions
    model = emit(
        program,
        initializers=frozen,
        opset=opset,
        ir_version=ir_version,
        include_errors=options.include_errors,
        local_functions=options.local_functions,
    )
    dims = calls.options.dims.narrowed(options.dims)
    if dims:
        model.metadata_props["graph_program.dims"] = dims.json()
    names = [str(output.name) for output in model.graph.outputs]
    model.metadata_props[METADATA] = description(calls, extraction.interface, before, program, names)
    return to_proto(model)


__all__ = ["made_model", "model_of"]
