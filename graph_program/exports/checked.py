"""What onnx and onnxruntime say of a model file before it gets its name."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import onnx
import onnxruntime

from graph_program.backends.models.implemented import newest_with_kernels, without, without_kernel
from graph_program.backends.models.opsets import versions_of
from graph_program.backends.models.walks import nodes_of
from graph_program.backends.onnx.models import operators_of_models
from graph_program.backends.onnx.versions import OLDEST_OPSET
from graph_program.backends.onnxruntime.session import CPU, CREATION_ERRORS, inference_session, reason
from graph_program.exports.feeds import Feed
from graph_program.extract.diagnostics import Diagnostic, ExportError, Loc

if TYPE_CHECKING:
    from graph_program.extract.ir.graph import GraphProgram

INFERRED = re.compile(r"op_type:(\w+)")
"""The operators at which onnx's inference of shapes fails, from the outside in."""
STRUCTURE = frozenset(["If", "Loop", "Scan"])
Run: TypeAlias = Callable[[Feed], dict[str, Any]]
"""Outputs by name, for inputs by name, of which there may be more than the model has."""


def check(path: Path, loc: Loc, program: GraphProgram | None = None) -> None:
    """Run onnx's own checker, with shape inference, on a model file.

    What it infers of operators such as `Attention` and `MeanVarianceNormalization` is wrong where sizes are open.  So
    where inference fails at an operator that a model has which the program calls, the rest of the checker decides.

    Parameters
    ----------
    path : pathlib.Path
    loc : Loc
    program : GraphProgram, optional
        That of the file.

    Raises
    ------
    ExportError
        GP505 where it refuses the model.
    """
    try:
        try:
            onnx.checker.check_model(str(path), full_check=True)
        except onnx.shape_inference.InferenceError as error:
            found = {*INFERRED.findall(str(error))} - STRUCTURE
            if program is None or found.isdisjoint(operators_of_models(program)):
                raise
            onnx.checker.check_model(str(path))
    except (onnx.checker.ValidationError, onnx.shape_inference.InferenceError, ValueError, RuntimeError) as error:
        text = (str(error).strip().splitlines() or ["no reason given"])[0]
        raise failed(f"onnx's checker refuses the model: {text}", loc) from None


def check_alone(model: onnx.ModelProto, loc: Loc, program: GraphProgram) -> None:
    """Check and load a model of a program that is not on the disk yet.

    Raises
    ------
    ExportError
        GP505 where onnx or onnxruntime refuses it.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.onnx"
        path.write_bytes(model.SerializeToString())
        check(path, loc, program)
        loaded(path, {}, loc)


def loaded(path: Path, arrays: Mapping[str, Any], loc: Loc) -> Run:
    """What runs a file; arrays of a data file, which is known to have them, are not loaded once more."""
    shared = {
        name: onnxruntime.OrtValue.ortvalue_from_numpy(array)
        for name, array in arrays.items()
        if array.dtype.kind in "biuf" and array.flags.c_contiguous
    }

    def adjust(options: onnxruntime.SessionOptions) -> None:
        for name, value in shared.items():
            options.add_initializer(name, value)
        if shared:  # it would make a copy of each
            options.add_session_config_entry("session.disable_prepacking", "1")

    try:
        session = inference_session(str(path), adjust, CPU)
    except CREATION_ERRORS as error:
        require_kernels(path, loc)
        raise failed(f"onnxruntime {onnxruntime.__version__} does not load the model: {reason(error)}", loc) from None
    inputs = {value.name for value in session.get_inputs()}
    outputs = [value.name for value in session.get_outputs()]

    def run(feed: Feed, kept: Any = shared) -> dict[str, Any]:
        found = session.run(outputs, {name: array for name, array in feed.items() if name in inputs})
        return dict(zip(outputs, found, strict=True))

    return run


def require_kernels(path: Path, loc: Loc) -> None:
    """Refuse a file whose opset has an operator that the installed onnxruntime only reads there (GP615)."""
    model = onnx.load(path, load_external_data=False)
    nodes, versions = list(nodes_of(model)), versions_of(model)
    missing = next(without_kernel(nodes, versions), None)
    if missing is not None:
        own = versions.get("", OLDEST_OPSET)
        newest = newest_with_kernels(nodes, versions, OLDEST_OPSET)
        hint = NOT_VERIFIED if newest is None else f"export it with opset={newest}; {NOT_VERIFIED}"
        raise ExportError(Diagnostic("GP615", without(*missing, own)[0], loc, hint=hint))


NOT_VERIFIED = "`verify=False` writes the file all the same"
REPORT = f"please report it; {NOT_VERIFIED}"


def failed(text: str, loc: Loc, hint: str = REPORT) -> ExportError:
    """The refusal of a model."""
    return ExportError(Diagnostic("GP505", text, loc, hint=hint))


__all__ = ["NOT_VERIFIED", "REPORT", "Run", "check", "check_alone", "failed", "loaded"]
