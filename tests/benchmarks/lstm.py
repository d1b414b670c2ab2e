"""The LSTM sample, microseconds per token, beside ONNX's operator, NumPy, PyTorch, TorchScript and JAX.

Each is given two threads; all are checked against NumPy before they are measured in turn.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from graph_program import graph_program
from graph_program.samples import lstm
from tests.benchmarks.measure import Row, compared, interleaved

INPUTS, HIDDEN, TOKENS, THREADS = 300, 512, 40, 2


def with_graph_program(layer: lstm.LSTM, xs: np.ndarray) -> Callable[[], Any]:
    program = graph_program(lstm.lstm.python, backend="onnxruntime", threads=THREADS)
    return lambda: program(layer, xs)


def with_native_code(layer: lstm.LSTM, xs: np.ndarray) -> Callable[[], Any]:
    program = graph_program(lstm.lstm.python, backend="native")
    return lambda: program(layer, xs)


def with_numpy(layer: lstm.LSTM, xs: np.ndarray) -> Callable[[], Any]:
    return lambda: lstm.lstm.python(layer, xs)


def with_torch(layer: lstm.LSTM, xs: np.ndarray) -> Callable[[], Any]:
    import torch

    torch.set_num_threads(THREADS)
    module = torch.nn.LSTM(INPUTS, HIDDEN)
    with torch.no_grad():
        module.weight_ih_l0.copy_(torch.from_numpy(layer.input_weights.T.copy()))
        module.weight_hh_l0.copy_(torch.from_numpy(layer.hidden_weights.T.copy()))
        module.bias_ih_l0.copy_(torch.from_numpy(layer.bias))
        module.bias_hh_l0.zero_()
    tensor = torch.from_numpy(xs)

    def run() -> Any:
        with torch.no_grad():
            return module(tensor)[0].numpy()

    return run


def with_torchscript(layer: lstm.LSTM, xs: np.ndarray) -> Callable[[], Any]:
    import torch

    from tests.benchmarks.lstm_torchscript import loop

    torch.set_num_threads(THREADS)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        scripted = torch.jit.script(loop)
    arguments = [torch.from_numpy(a) for a in (layer.input_weights, layer.hidden_weights, layer.bias, xs)]

    def run() -> Any:
        with torch.no_grad():
            return scripted(*arguments).numpy()

    return run


def with_jax(layer: lstm.LSTM, xs: np.ndarray) -> Callable[[], Any]:
    import jax
    import jax.numpy as jnp

    def step(carry: Any, x: Any) -> Any:
        h, c = carry
        gates = x @ layer.input_weights + h @ layer.hidden_weights + layer.bias
        i, f, g, o = jnp.split(gates, 4)
        c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
        h = jax.nn.sigmoid(o) * jnp.tanh(c)
        return (h, c), h

    zeros = np.zeros(HIDDEN, np.float32)
    scan = jax.jit(lambda xs: jax.lax.scan(step, (zeros, zeros), xs)[1])
    return lambda: np.asarray(scan(xs))


def with_operator(layer: lstm.LSTM, xs: np.ndarray) -> Callable[[], Any]:
    """ONNX's operator in onnxruntime; weights are arguments here, too, but in the operator's order already."""
    import onnx
    import onnxruntime

    def ordered(weights: np.ndarray) -> np.ndarray:
        i, f, g, o = np.split(weights, 4, axis=-1)
        return np.ascontiguousarray(np.concatenate([i, o, f, g], axis=-1).T[np.newaxis])

    gates = 4 * HIDDEN
    weights = f"float[1, {gates}, {INPUTS}] w, float[1, {gates}, {HIDDEN}] r, float[1, {2 * gates}] b"
    text = f"""<ir_version: 10, opset_import: ["": 20]>
        operator (float[t, 1, {INPUTS}] x, {weights}) => (float[t, 1, 1, {HIDDEN}] y) {{
            y = LSTM <hidden_size: int = {HIDDEN}> (x, w, r, b)
        }}"""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = THREADS
    model = onnx.parser.parse_model(text).SerializeToString()
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    bias = np.concatenate([ordered(layer.bias), np.zeros((1, gates), np.float32)], axis=1)
    feeds = {"w": ordered(layer.input_weights), "r": ordered(layer.hidden_weights), "b": bias}
    return lambda: session.run(None, {"x": xs[:, np.newaxis], **feeds})[0]


SUBJECTS: dict[str, Callable[[lstm.LSTM, np.ndarray], Callable[[], Any]]] = {
    "graph_program, onnxruntime": with_graph_program,
    "graph_program, native": with_native_code,
    "ONNX LSTM operator": with_operator,
    "NumPy": with_numpy,
    "PyTorch nn.LSTM": with_torch,
    "TorchScript loop": with_torchscript,
    "jax.lax.scan": with_jax,
}


def per_token(quick: bool) -> dict[str, float]:
    """Seconds per token by each library that is installed."""
    layer = lstm.random_lstm(INPUTS, HIDDEN)
    xs = np.random.default_rng(1).standard_normal((TOKENS, INPUTS)).astype(np.float32)
    expected = lstm.lstm.python(layer, xs)
    work = {}
    for name, make in SUBJECTS.items():
        try:
            work[name] = make(layer, xs)
        except ModuleNotFoundError:
            continue
        found = np.asarray(work[name]()).reshape(expected.shape)
        np.testing.assert_allclose(found, expected, rtol=1e-3, atol=1e-5, err_msg=name)
        work[name]()
    seconds = interleaved(work, rounds=3 if quick else 15, repeat=5, pause=0.05)
    return {name: value / TOKENS for name, value in seconds.items()}


def rows(quick: bool) -> list[Row]:
    """One row per library that is installed."""
    return compared(f"LSTM {INPUTS}/{HIDDEN}, {THREADS} threads", SUBJECTS, per_token(quick), "us/token")
