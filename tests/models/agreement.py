"""Programs that call models: written as files, and run in each way that there is."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnx.parser

from graph_program import GraphProgramError, graph_program, load, load_onnx
from graph_program.backends.host.runnable import Runnable
from graph_program.backends.models.loaded import OnnxModel
from graph_program.backends.models.walks import nodes_of
from graph_program.calls.calls import Calls
from graph_program.extract.extraction import Extraction
from graph_program.extract.ir.verifier import verify_graph
from tests.fuzz.check import by_numpy, other_program
from tests.programs.plain import differs, outcome


def saved(folder: Path, text: str, name: str = "net", **weights: np.ndarray[Any, Any]) -> Path:
    """A file with a model in ONNX's text form; `weights` are further initializers."""
    model = onnx.parser.parse_model(text)
    model.graph.initializer.extend(onnx.numpy_helper.from_array(array, key) for key, array in weights.items())
    path = folder / f"{name}.onnx"
    path.write_bytes(model.SerializeToString())
    return path


def loaded(folder: Path, text: str, name: str = "net", **weights: np.ndarray[Any, Any]) -> OnnxModel:
    """The model in a file."""
    return load_onnx(saved(folder, text, name, **weights))


def agree(
    function: Callable[..., Any], *inputs: tuple[Any, ...], folder: Path | None = None, **options: Any
) -> Callable[..., Any]:
    """Assert that Python, the reference back end, onnxruntime and an exported file do the same; gives the program."""
    program = graph_program(function, **options)
    ways: dict[str, Callable[..., Any]] = {"a graph": program, "NumPy": other_program(program, verified)}
    if folder is not None:
        path = folder / "program.onnx"
        program.export(path, inputs[0])
        onnx.checker.check_model(onnx.load(path), full_check=True)
        ways["a file"] = load(path)
    for args in inputs:
        expected = outcome(function, args)
        for name, run in ways.items():
            found = outcome(run, args)
            assert not differs(expected, found), f"{args!r}: {expected!r} in Python, {found!r} as {name}"
    return program


def verified(calls: Calls, extraction: Extraction) -> Runnable:
    """What NumPy runs, of graphs that are well formed."""
    for graph in (extraction.unoptimized, extraction.program, extraction.session):
        verify_graph(graph)
    return by_numpy(calls, extraction)


def refusal(call: Callable[[], Any]) -> GraphProgramError:
    """What a call is refused with."""
    try:
        call()
    except GraphProgramError as error:
        assert (error.__cause__ is None and error.__suppress_context__) or error.__context__ is None
        return error
    raise AssertionError("not refused")


def operators(model: onnx.ModelProto) -> list[str]:
    """The operators of a model's nodes, those of inner graphs included."""
    return [node.op_type for node in nodes_of(model)]
