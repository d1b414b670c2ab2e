"""What stands for an array that no path has is read and written in lines that never run, and that compilers take."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from graph_program.backends.c.compiler import STRICT, compiled, write
from graph_program.backends.c.emit import emit
from graph_program.extract.ir.graph import Graph, GraphProgram, Node, Value
from graph_program.extract.types.dims import symbol
from graph_program.extract.types.tensors.tensor_type import BOOL, TensorType
from tests.native.compilers import needs_compiler


@needs_compiler
@pytest.mark.parametrize("dtype", [np.float64, np.int16, np.bool_, np.float16])
def test_a_side_that_is_never_taken(dtype: type, tmp_path: Path) -> None:
    array, number = TensorType(np.dtype(dtype), (symbol("n"),)), TensorType(np.dtype(dtype))
    x, test, index = Value("x", array), Value("test", TensorType(BOOL)), Value("index", TensorType(np.dtype(np.int64)))
    missing, element, written, y = (
        Value("missing", array),
        Value("element", number),
        Value("w", array),
        Value("y", array),
    )
    never = [
        Node("placeholder", [], [missing]),
        Node("take", [missing, index], [element], {"axis": 0}),
        Node("set_index", [missing, element, index], [written]),
    ]
    branch = Node("if", [test], [y], regions=[Graph([], never, [written]), Graph([], [], [x])])
    program = GraphProgram("chosen", Graph([x, test, index], [branch], [y]), ["y"])
    assert compiled(write(emit(program, {}), tmp_path), STRICT).exists()
