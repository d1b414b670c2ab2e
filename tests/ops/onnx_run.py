"""Running many one-node programs in one onnxruntime session."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import onnx
import onnxruntime

from graph_program.backends.onnx.emit import emit, to_proto
from graph_program.extract.diagnostics import Loc
from graph_program.extract.ir.graph import Graph, GraphProgram, Node, Value
from graph_program.extract.types.dims import dim, symbol
from graph_program.extract.types.tensors.tensor_type import TensorType
from tests.ops.rows import Case

VARIANTS = ("known", "symbolic", "constant")
"""Shapes known; shapes unknown; shapes unknown and rank-0 operands after the first constant."""

LOC = Loc("somewhere/program.py", 3, 5, 3, 9)


@dataclass
class Trial:
    """One call of one operation in one variant, with NumPy's result."""

    op: str
    case: Case
    variant: str
    want: np.ndarray


def program_of(trials: Sequence[Trial]) -> tuple[GraphProgram, dict[str, np.ndarray]]:
    """All trials side by side, and the arrays for the inputs."""
    graph, arrays = Graph([], [], []), {}
    for number, trial in enumerate(trials):
        operands = []
        for i, array in enumerate(trial.case.operands):
            array = np.asarray(array)
            value = Value(f"x{number}_{i}", type_of(array, trial.variant, f"n{number}_{i}"))
            operands.append(value)
            if trial.variant == "constant" and i and array.ndim == 0:
                graph.nodes.append(Node("constant", [], [value], {"value": array}))
            else:
                graph.inputs.append(value)
                arrays[value.name] = array
        result = Value(f"y{number}", type_of(trial.want, trial.variant, f"?{number}"))
        graph.nodes.append(Node(trial.op, operands, [result], trial.case.attrs, loc=LOC))
        graph.outputs.append(result)
    return GraphProgram("trials", graph, [value.name for value in graph.outputs]), arrays


def type_of(array: np.ndarray, variant: str, prefix: str) -> TensorType:
    known = variant == "known"
    shape = tuple(dim(n) if known else symbol(f"{prefix}_{axis}") for axis, n in enumerate(array.shape))
    return TensorType(array.dtype, shape)


def session_of(model: onnx.ModelProto, warnings: bool = False) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 2 if warnings else 3
    return onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])


def run(program: GraphProgram, arrays: dict[str, np.ndarray], **options: object) -> list[np.ndarray]:
    """The outputs of a program, after the checker has seen the model."""
    model = to_proto(emit(program, **options))  # type: ignore[arg-type]
    onnx.checker.check_model(model, full_check=True)
    return session_of(model).run(None, arrays)
