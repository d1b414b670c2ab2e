"""What only the runtime can see: its failures come back as NumPy's errors on the user's line."""

from __future__ import annotations

import inspect
import traceback

import numpy as np
import pytest

from graph_program import GraphProgramError
from graph_program.backends.host.shim import Callee
from graph_program.backends.onnxruntime.compiled import Compiled, RunOptions
from graph_program.extract.diagnostics import Loc
from graph_program.extract.ir.graph import Graph, GraphProgram, Node, Value
from graph_program.extract.ir.interface import ArgInput, Interface
from graph_program.extract.ir.results import OutputResult
from graph_program.extract.ir.specs import TensorSpec
from graph_program.extract.types.dims import symbol
from graph_program.extract.types.tensors.tensor_type import FLOAT64, TensorType


def add(x, y):
    return x + y


@pytest.fixture
def compiled() -> Compiled:
    """A program whose sizes nobody has checked."""
    x, y, z = (Value(name, TensorType(FLOAT64, (symbol(f"n_{name}"),))) for name in "xyz")
    first = inspect.getsourcelines(add)[1]
    loc = Loc(__file__, first + 1, 12, first + 1, 17, "add")
    node = Node("add", [x, y], [z], loc=loc)
    program = GraphProgram("add", Graph([x, y], [node], [z]), ["z"])
    interface = Interface(
        tuple((v.name, TensorSpec(v.type)) for v in (x, y)),
        tuple(ArgInput(v.name, (v.name,), v.type) for v in (x, y)),
        OutputResult(0, z.type),
    )
    return Compiled(program, interface, Callee("add", "add", inspect.signature(add)), RunOptions(), loc)


def test_failure_of_the_runtime_is_numpys(compiled: Compiled, capfd: pytest.CaptureFixture[str]) -> None:
    x, y = np.ones(3), np.ones(4)
    assert compiled.dispatch(x, x).tolist() == [2, 2, 2]
    with pytest.raises(ValueError) as expected:
        add(x, y)
    for function in (compiled.dispatch, compiled.call):
        with pytest.raises(ValueError) as found:
            function(x, y)
        assert str(found.value) == str(expected.value)
        assert found.value.__context__ is None
        frame = traceback.extract_tb(found.value.__traceback__)[-1]
        assert (frame.filename, frame.line, frame.name) == (__file__, "return x + y", "add")
    assert capfd.readouterr().err == ""


def test_failure_that_numpy_does_not_share(compiled: Compiled) -> None:
    with pytest.raises(GraphProgramError, match="no memory") as found:
        compiled.replay(RuntimeError("no memory"), {"x": np.ones(3), "y": np.ones(3)})
    assert found.value.code == "GP903"
