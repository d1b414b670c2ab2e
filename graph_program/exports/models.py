"""The model of a program: its graph with all results as outputs, and captured arrays as constants."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from graph_program.backends.onnx.emit import emit, to_proto
from graph_program.backends.onnxruntime.compiled import frozen_arrays
from graph_program.exports.described import describe
from graph_program.exports.options import ModelOptions
from graph_program.exports.outputs import complete
from graph_program.exports.with_host import mixed_model

if TYPE_CHECKING:
    import onnx
    import onnx_ir as ir

    from graph_program.calls import Calls
    from graph_program.extract.ir.graph import GraphProgram
    from graph_program.extract.pipeline import Extraction


@dataclass(frozen=True)
class Made:
    """A model, and the program that it was written from.

    Attributes
    ----------
    model : onnx_ir.Model
    program : GraphProgram
        Its outputs are the model's, in the same order.
    extracted : GraphProgram
        The same with the outputs that a call needs.
    """

    model: ir.Model
    program: GraphProgram
    extracted: GraphProgram


def model_of(calls: Calls, args: Any, options: ModelOptions) -> onnx.ModelProto:
    """See `GraphProgramFunction.model`."""
    dims = calls.options.dims.narrowed(options.dims)
    return to_proto(made_model(calls, calls.found_for_model(args, dims), options).model)


def made_model(calls: Calls, extraction: Extraction, options: ModelOptions) -> Made:
    """The model of an extraction; of a program with host code, the one that calls operators in Python."""
    if extraction.session.host:
        model = mixed_model(extraction, options)
        describe(model, calls.fn, calls.loc)
        return Made(model, extraction.session, extraction.session)
    frozen = frozen_arrays(extraction.interface, options.freeze) if options.freeze else {}
    extracted = extraction.program if options.include_errors else extraction.session
    program = complete(extracted, extraction.interface, calls.loc)
    opset, ir_version = options.versions
    model = emit(
        program,
        initializers=frozen,
        opset=opset,
        ir_version=ir_version,
        include_errors=options.include_errors,
        local_functions=options.local_functions,
    )
    describe(model, calls.fn, calls.loc)
    dims = calls.options.dims.narrowed(options.dims)
    if dims:
        model.metadata_props["graph_program.dims"] = dims.json()
    return Made(model, program, extracted)


__all__ = ["Made", "made_model", "model_of"]
