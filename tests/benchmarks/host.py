"""What an exchange between graph and host costs, beside a bare Python operator and beside a session run per step."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from graph_program import Float64, graph_program, host_function, to_device, to_host
from graph_program.extract.slice import work as graph_work
from tests.benchmarks.measure import Row, compared, interleaved

EXCHANGES = 500


@host_function
def tick() -> None:
    """Do nothing."""


@host_function
def answer(x: float) -> float:
    """The same number."""
    return x


@graph_program(copies="ignore")
def ticks(x: Float64[np.ndarray, "2"], n: int) -> Any:
    for _ in range(n):
        tick()
        x = x * 0.5
    return x


@graph_program(copies="ignore")
def numbers(x: Float64[np.ndarray, "2"], n: int) -> Any:
    for _ in range(n):
        x = x * to_device(answer(to_host(float(x[0]))))
    return x


@graph_program(copies="ignore")
def beside(x: Float64[np.ndarray, "2"], n: int) -> Any:
    y = x
    for _ in range(n):
        factor = to_device(answer(to_host(float(x[0]))))
        y = y * 0.5
        x = x * factor
    return x, y


@graph_program
def alone(x: Float64[np.ndarray, "2"], n: int) -> Any:
    for _ in range(n):
        x = x * 0.5
    return x


def rows(quick: bool) -> list[Row]:
    """Seconds per round of loops that exchange something in each."""
    x = np.ones(2)
    work: dict[str, Callable[[], object]] = {
        "the graph's loop alone": lambda: alone(x, EXCHANGES),
        "bare Python operator": bare_operator(x),
        "a step without values": lambda: ticks(x, EXCHANGES),
        "a number each way": lambda: numbers(x, EXCHANGES),
        "a number each way, on threads": lambda: beside(x, EXCHANGES),
        "session.run per step": session_per_step(x),
        "plain Python": lambda: numbers.python(x, EXCHANGES),
    }
    with overlapping():
        beside(x, 1)
    for call in work.values():
        call()
    seconds = interleaved(work, rounds=3 if quick else 25)
    each = {name: value / EXCHANGES for name, value in seconds.items()}
    base = each.pop("the graph's loop alone")
    host = {name: value - (0 if "session" in name or "plain" in name else base) for name, value in each.items()}
    return compared("exchange with the host", host, host, "us")


@contextmanager
def overlapping() -> Iterator[None]:
    """What is extracted here has its session on a thread of its own, however little there is to overlap."""
    little, graph_work.LITTLE = graph_work.LITTLE, 0
    try:
        yield
    finally:
        graph_work.LITTLE = little


def session_per_step(x: np.ndarray[Any, Any]) -> Callable[[], object]:
    """The same loop in Python, the arithmetic a model."""
    import onnxruntime
    from onnx import TensorProto, helper

    numbers = [helper.make_tensor_value_info(name, TensorProto.DOUBLE, ["n"]) for name in ("x", "y")]
    factor = helper.make_tensor_value_info("f", TensorProto.DOUBLE, [])
    node = helper.make_node("Mul", ["x", "f"], ["y"])
    graph = helper.make_graph([node], "step", [numbers[0], factor], [numbers[1]])
    session = onnxruntime.InferenceSession(_model(graph))

    def run() -> object:
        value = x
        for _ in range(EXCHANGES):
            factor = answer(value[0].item())
            (value,) = session.run(None, {"x": value, "f": np.asarray(factor)})
        return value

    return run


def bare_operator(x: np.ndarray[Any, Any]) -> Callable[[], object]:
    """A loop of the graph that calls a Python operator which gives its input back."""
    import onnxruntime
    from onnx import TensorProto, helper
    from onnxruntime_extensions import PyCustomOpDef, get_library_path, onnx_op

    from graph_program.backends.host import operators

    operators.library()  # once there is a session, no operator may be added: onnxruntime-extensions moves them all
    double = PyCustomOpDef.dt_double

    @onnx_op(op_type="BenchmarkSame", inputs=[double], outputs=[double])
    def same(value: Any) -> Any:
        return np.array(value)

    value = helper.make_tensor_value_info
    body = helper.make_graph(
        [
            helper.make_node("BenchmarkSame", ["x"], ["y"], domain="ai.onnx.contrib"),
            helper.make_node("Identity", ["more"], ["more_after"]),
        ],
        "body",
        [value("k", TensorProto.INT64, []), value("more", TensorProto.BOOL, []), value("x", TensorProto.DOUBLE, ["n"])],
        [value("more_after", TensorProto.BOOL, []), value("y", TensorProto.DOUBLE, ["n"])],
    )
    loop = helper.make_node("Loop", ["trips", "", "x0"], ["result"], body=body)
    inputs = [value("trips", TensorProto.INT64, []), value("x0", TensorProto.DOUBLE, ["n"])]
    graph = helper.make_graph([loop], "bare", inputs, [value("result", TensorProto.DOUBLE, ["n"])])
    options = onnxruntime.SessionOptions()
    options.register_custom_ops_library(get_library_path())
    session = onnxruntime.InferenceSession(_model(graph, "ai.onnx.contrib"), options)
    feed = {"trips": np.asarray(EXCHANGES), "x0": x}
    return lambda: session.run(None, feed)


def _model(graph: Any, *domains: str) -> bytes:
    from onnx import helper

    imports = [helper.make_opsetid("", 18), *(helper.make_opsetid(d, 1) for d in domains)]
    model = helper.make_model(graph, opset_imports=imports, ir_version=9)
    data: bytes = model.SerializeToString()
    return data
