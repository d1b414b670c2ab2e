"""The model of a program: its graph with all results as outputs, and captured arrays as constants."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from graph_program.backends.host.runnable import frozen_arrays
from graph_program.backends.onnx.emit import emit, to_proto
from graph_program.exports import narrowed
from graph_program.exports.afterwards import Afterwards, afterwards, as_afterwards
from graph_program.exports.described import describe
from graph_program.exports.description import METADATA, allow_both, description, without_state, written
from graph_program.exports.float32 import in_float32, narrower_arrays
from graph_program.exports.for_model import extraction_for_model
from graph_program.exports.host_needed import refuse_options_with_host
from graph_program.exports.literals import Json
from graph_program.exports.options import ModelOptions
from graph_program.exports.outputs import complete
from graph_program.exports.portable import require_portable
from graph_program.exports.with_host import mixed_model
from graph_program.extract.diagnostics import GraphProgramError
from graph_program.extract.ir.paths import path_text
from graph_program.onnx_program.program import FLOAT

if TYPE_CHECKING:
    import onnx
    import onnx_ir as ir

    from graph_program.calls.calls import Calls
    from graph_program.extract.extraction import Extraction
    from graph_program.extract.ir.errors import ErrorInfo
    from graph_program.extract.ir.graph import GraphProgram


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
    checked : bool
        Whether it notices operations that fail.
    """

    model: ir.Model
    program: GraphProgram
    extracted: GraphProgram
    checked: bool = True

    @property
    def errors(self) -> Sequence[ErrorInfo]:
        """Those that the model tells of."""
        return self.program.errors if "error_output" in self.model.metadata_props else ()


def model_of(calls: Calls, args: Any, options: ModelOptions) -> onnx.ModelProto:
    """See `GraphProgramFunction.model`."""
    dims = calls.options.dims.narrowed(options.dims)
    find = partial(extraction_for_model, calls, args, dims, static=options.static)
    return to_proto(made_model(calls, find(), options, find).model)


def made_model(
    calls: Calls, extraction: Extraction, options: ModelOptions, find: Callable[[], Extraction] | None = None
) -> Made:
    """The model of an extraction; of a program with host code, the one that calls operators in Python.

    `find` is how the extraction was found, to do it again where the state is another one; without it, nothing is said
    of state whose numbers are of another class after a call.
    """
    if extraction.host:
        refuse_options_with_host(extraction, options)
        model = mixed_model(extraction, options)
        describe(model, calls.fn, calls.loc)
        return Made(model, extraction.session, extraction.session)
    made, described = _emitted(calls, extraction, options)
    if options.float == "float32":
        made.model.metadata_props[FLOAT] = options.float  # and no description of Python's float64
        return made
    changed = afterwards(extraction.interface)
    if changed and find is not None:
        _allow_both(calls, options, find, changed, made.model, described)
    made.model.metadata_props[METADATA] = written(described)
    return made


def _emitted(calls: Calls, extraction: Extraction, options: ModelOptions) -> tuple[Made, Json]:
    """The model without its description, and the description."""
    frozen = frozen_arrays(extraction.interface, options.freeze) if options.freeze else {}
    extracted = _graph(extraction, options)
    program = complete(extracted, extraction.interface, calls.loc)
    if options.float == "float32":
        program, frozen = in_float32(program, extraction.disabled), narrower_arrays(frozen)
    if options.portable:
        require_portable(program)
    opset, ir_version = options.versions(program)
    model = emit(
        program,
        initializers=frozen,
        opset=opset,
        ir_version=ir_version,
        include_errors=options.include_errors,
        local_functions=options.local_functions,
        portable=options.portable,
        avoided=options.avoided,
    )
    describe(model, calls.fn, calls.loc)
    dims = calls.options.dims.narrowed(options.dims)
    if dims:
        model.metadata_props["graph_program.dims"] = dims.json()
    taken, names = ([str(port.name) for port in ports] for ports in (model.graph.inputs, model.graph.outputs))
    if options.portable:
        model.metadata_props[narrowed.METADATA] = narrowed.written(narrowed.narrowed_ports(program, taken, names))
    made = Made(model, program, extracted, options.checks == "all")
    return made, description(calls, extraction, extracted, program, names)


def _graph(extraction: Extraction, options: ModelOptions) -> GraphProgram:
    """The graph with the checks that the model has."""
    extraction = extraction.without(options.without)
    if options.checks == "none":
        return extraction.unchecked
    return extraction.program if options.include_errors else extraction.session


def _allow_both(
    calls: Calls,
    options: ModelOptions,
    find: Callable[[], Extraction],
    changed: list[Afterwards],
    model: ir.Model,
    described: Json,
) -> None:
    """Note in the description that numbers of the state may be of Python or of NumPy, or warn that they may not."""
    same = False
    with suppress(GraphProgramError), as_afterwards(changed), warnings.catch_warnings(action="ignore"):
        again = find()
        if not again.host:
            other, says = _emitted(calls, again, options)
            same = _alike(other.model, model) and without_state(says) == without_state(described)
    if same:
        allow_both(described, [one.path for one in changed])
        return
    for one in changed:
        text = (
            f"{calls.loc}: the state '{path_text(one.path)}' is of class {one.type} after this call, for which the "
            "model is not right; for a model that is run step by step, call the program first"
        )
        warnings.warn_explicit(text, UserWarning, calls.loc.file, calls.loc.line)


def _alike(a: ir.Model, b: ir.Model) -> bool:
    """Whether two models compute the same; arrays are compared where they stand, not written first."""
    arrays, others = (
        {name: value.const_value.numpy() for name, value in model.graph.initializers.items() if value.const_value}
        for model in (a, b)
    )
    if arrays.keys() != others.keys() or _written(a) != _written(b):
        return False
    pairs = ((array, others[name]) for name, array in arrays.items())
    return all(one is other or one.tobytes() == other.tobytes() for one, other in pairs)


def _written(model: ir.Model) -> list[bytes]:
    """What a model has besides its initializers."""
    from onnx_ir import serde

    parts = [*map(serde.serialize_value, (*model.graph.inputs, *model.graph.outputs))]
    parts += [*map(serde.serialize_node, model.graph), *map(serde.serialize_function, model.functions.values())]
    return [part.SerializeToString(deterministic=True) for part in parts]


__all__ = ["Made", "made_model", "model_of"]
