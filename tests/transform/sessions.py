"""Running models in onnxruntime, with arguments by position, and beside Python; programs that tests write."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest

from graph_program import graph_program, load
from tests.programs.plain import check, differs, outcome


def run(model: onnx.ModelProto, args: tuple[Any, ...]) -> list[np.ndarray]:
    """The outputs of a model."""
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    names = [given.name for given in session.get_inputs()]
    feeds = {name: np.array(value) for name, value in zip(names, args, strict=True)}
    found: list[np.ndarray] = session.run(None, feeds)
    return found


def compared(fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...]) -> onnx.ModelProto:
    """The model of a program that does in process and as a file what Python does, signs of zeros included."""
    check(fn, *inputs)
    model = graph_program(fn).model(include_errors=True)
    for args in inputs:
        expected = outcome(fn, args)
        if isinstance(expected[0], type):
            number = [given.name for given in model.graph.output].index("error")
            assert run(model, args)[number] > 0, args
        else:
            result = expected[0] if isinstance(expected[0], tuple) else (expected[0],)
            found = run(model, args)[: len(result)]
            for a, b in zip(map(np.asarray, result), found, strict=True):
                assert a.dtype == b.dtype and a.shape == b.shape, args
                np.testing.assert_array_equal(a, b, err_msg=f"{args!r}")
                zeros = [np.signbit(x[x == 0] * 1.0) for x in (a, b)]
                np.testing.assert_array_equal(*zeros, err_msg=f"{args!r}")
    return model


def module(path: Path, source: str, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A module of a source that can be read."""
    path.write_text(source)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, path.stem, made)
    spec.loader.exec_module(made)
    return made


def exported(fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...], folder: Path) -> onnx.ModelProto:
    """The file of a program that does in process and when it is loaded what Python does, exceptions and texts too."""
    check(fn, *inputs)
    graph_program(fn).export(folder / "program.onnx")
    program = load(folder / "program.onnx")
    for args in inputs:
        expected, found = outcome(fn, args), outcome(program, args)
        assert not differs(expected, found), f"{args!r}: {expected!r} in Python, {found!r} from the file"
    return onnx.load(folder / "program.onnx")
