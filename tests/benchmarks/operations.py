"""Operations as programs against the ONNX model that a person writes for them: time in the same kind of session.

Where sizes must agree the program is told so, as the person knows it; indices are checked, and NaN is NumPy's.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import onnx
import onnxruntime

from graph_program import Float32, Tensor, graph_program
from graph_program.tensor_api import nn
from tests.benchmarks.measure import Row, interleaved, three_digits

Array = np.ndarray[Any, Any]
N = 512


@dataclass(frozen=True)
class Case:
    """A function, its arguments, and by hand: types of inputs and output, and the nodes."""

    name: str
    function: Callable[..., Any]
    args: tuple[Array, ...]
    signature: str
    nodes: str


Matrix = Float32[Tensor, "n m"]


def add(x: Matrix, y: Matrix) -> Any:
    return x + y


def half_product(x: Matrix, y: Matrix) -> Any:
    return 0.5 * x * y


def larger(x: Matrix, y: Matrix) -> Any:
    return np.maximum(x, y)


def chosen(x: Matrix, y: Matrix) -> Any:
    return np.where(x > y, x, y)


def joined(x: Matrix, y: Matrix) -> Any:
    return np.concatenate([x, y])


def floats(*shape: int) -> Array:
    return np.random.default_rng(len(shape)).normal(size=shape).astype(np.float32)


def cases() -> list[Case]:
    """Elementwise work, reductions, products, selections and the fused operators of networks."""
    x, y, image, kernel = floats(N, N), floats(N, N), floats(1, 16, 64, 64), floats(32, 16, 3, 3)
    weight, bias = floats(N), floats(N)
    two, one = "(float[n,m] x, float[n,m] y) => (float[n,m] z)", "(float[n,m] x) => (float[n,m] z)"
    row = "(float[n,m] x) => (float[n] z)"
    half = "k = Constant<value = float {0.5}>()\n"
    return [
        Case("x + y", add, (x, y), two, "z = Add(x, y)"),
        Case("0.5 * x * y", half_product, (x, y), two, half + "t = Mul(k, x)\n z = Mul(t, y)"),
        Case("np.exp", lambda x: np.exp(x), (x,), one, "z = Exp(x)"),
        Case("np.tanh", lambda x: np.tanh(x), (x,), one, "z = Tanh(x)"),
        Case("np.maximum", larger, (x, y), two, "z = Max(x, y)"),
        Case("np.where", chosen, (x, y), two, "c = Greater(x, y)\n z = Where(c, x, y)"),
        Case(
            "np.sum axis",
            lambda x: np.sum(x, axis=1),
            (x,),
            row,
            "a = Constant<value = int64[1] {1}>()\n z = ReduceSum<keepdims = 0>(x, a)",
        ),
        Case(
            "np.max axis",
            lambda x: np.max(x, axis=1),
            (x,),
            row,
            "a = Constant<value = int64[1] {1}>()\n z = ReduceMax<keepdims = 0>(x, a)",
        ),
        Case("x @ y", lambda x, y: x @ y, (x, y), "(float[n,k] x, float[k,m] y) => (float[n,m] z)", "z = MatMul(x, y)"),
        Case("x.T", lambda x: x.T.copy(), (x,), "(float[n,m] x) => (float[m,n] z)", "z = Transpose<perm = [1, 0]>(x)"),
        Case(
            "np.concatenate",
            joined,
            (x, y),
            "(float[n,m] x, float[n,m] y) => (float[k,m] z)",
            "z = Concat<axis = 0>(x, y)",
        ),
        Case(
            "np.take",
            lambda x, i: np.take(x, i, axis=0),
            (x, np.arange(0, N, 2)),
            "(float[n,m] x, int64[k] i) => (float[k,m] z)",
            "z = Gather<axis = 0>(x, i)",
        ),
        Case(
            "np.cumsum",
            lambda x: np.cumsum(x, axis=1),
            (x,),
            one,
            "a = Constant<value = int64 {1}>()\n z = CumSum(x, a)",
        ),
        Case("nn.softmax", lambda x: nn.softmax(x, -1), (x,), one, "z = Softmax<axis = -1>(x)"),
        Case(
            "nn.layer_norm",
            lambda x, w, b: nn.layer_norm(x, (N,), w, b),
            (x, weight, bias),
            "(float[n,m] x, float[m] w, float[m] b) => (float[n,m] z)",
            "z = LayerNormalization<axis = -1, epsilon = 0.00001>(x, w, b)",
        ),
        Case(
            "nn.conv2d",
            lambda x, w: nn.conv2d(x, w, padding=1),
            (image, kernel),
            "(float[b,c,h,v] x, float[d,c,3,3] w) => (float[b,d,h,v] z)",
            "z = Conv<pads = [1, 1, 1, 1]>(x, w)",
        ),
        Case(
            "nn.max_pool2d",
            lambda x: nn.max_pool2d(x, 2),
            (image,),
            "(float[b,c,h,v] x) => (float[b,c,p,q] z)",
            "z = MaxPool<kernel_shape = [2, 2], strides = [2, 2]>(x)",
        ),
    ]


def session(model: onnx.ModelProto) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])


def by_hand(case: Case) -> onnx.ModelProto:
    """The model that a person writes."""
    head = '<ir_version: 8, opset_import: ["" : 18]>'
    return onnx.parser.parse_model(f"{head} hand {case.signature} {{ {case.nodes} }}")


def running(model: onnx.ModelProto, args: tuple[Array, ...]) -> Callable[[], Any]:
    run = session(model)
    feed = dict(zip((i.name for i in run.get_inputs()), args, strict=True))
    names = [run.get_outputs()[0].name]
    return lambda: run.run(names, feed)


def rows(quick: bool) -> list[Row]:
    """One row for each operation: both times and their ratio."""
    found = []
    for case in cases()[:3] if quick else cases():
        ours = running(graph_program(case.function).model(case.args), case.args)
        work = {"ours": ours, "by hand": running(by_hand(case), case.args)}
        for got, want in zip(ours(), work["by hand"](), strict=True):
            np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-5)
        seconds = interleaved(work, 5 if quick else 30, 5)
        told = ", ".join(f"{name} {three_digits(seconds[name] * 1e6)} us" for name in work)
        found.append(Row("operations", case.name, told, three_digits(seconds["ours"] / seconds["by hand"])))
    return found
