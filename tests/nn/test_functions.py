"""Functions of `nn`: plain Python against PyTorch, and programs against plain Python."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from graph_program import graph_program
from graph_program.tensor_api import nn
from tests.nn import calls
from tests.programs.plain import outcome

TABLES = {
    "activations": calls.ACTIVATIONS,
    "convolutions": calls.CONVOLUTIONS,
    "pooling": calls.POOLING,
    "normalization": calls.NORMALIZATION,
    "functions": calls.FUNCTIONS,
    "resizing": calls.RESIZING,
}
ALL = [call for table in TABLES.values() for call in table]
TOLERANCE = {"float16": 4e-3, "float32": 2e-5, "float64": 1e-12}


def leaves(value: Any) -> list[Any]:
    """The arrays of nested tuples."""
    return [leaf for part in value for leaf in leaves(part)] if isinstance(value, tuple) else [value]


def compare(found: Any, expected: Any, dtype: str) -> None:
    """Types and shapes are equal, and values to rounding."""
    for a, b in zip(leaves(found), leaves(expected), strict=True):
        a, b = np.asarray(a), np.asarray(b)
        assert (a.dtype, a.shape) == (b.dtype, b.shape)
        np.testing.assert_allclose(a, b, TOLERANCE[dtype], TOLERANCE[dtype])


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("call", ALL, ids=lambda call: call.text)
def test_plain_python_is_pytorch(call: calls.Call, dtype: str) -> None:
    torch = pytest.importorskip("torch")
    arrays = call.arrays(dtype)
    tensors = {name: torch.from_numpy(array) for name, array in arrays.items()}
    functions = {**vars(torch), **vars(torch.nn.functional)}
    found = eval(call.text, {**vars(nn)}, arrays)
    expected = eval(call.text, functions, tensors)
    numpy = tuple(np.asarray(leaf) for leaf in leaves(expected if isinstance(expected, tuple) else (expected,)))
    compare(found if isinstance(found, tuple) else (found,), numpy, dtype)


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    """A module with a function for each call."""
    lines = ["from graph_program.tensor_api.nn import *"]
    for i, call in enumerate(ALL):
        names = ", ".join(part.partition(":")[0] for part in call.shapes.split())
        lines += [f"def call_{i}({names}):", f"    return {call.text}"]
    path = Path(tmp_path_factory.mktemp("nn")) / "nn_calls.py"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    spec = importlib.util.spec_from_file_location("nn_calls", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["nn_calls"] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("i", range(len(ALL)), ids=lambda i: ALL[i].text)
def test_programs_are_plain_python(i: int, dtype: str, programs: ModuleType) -> None:
    arrays = tuple(ALL[i].arrays(dtype).values())
    function = getattr(programs, f"call_{i}")
    expected, found = outcome(function, arrays), outcome(graph_program(function), arrays)
    assert not isinstance(expected[0], type), expected
    assert not isinstance(found[0], type), found
    compare(found[0], expected[0], dtype)
