"""The pass that recognises LSTM and GRU."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from graph_program import Float32, Float64, Tensor, graph_program
from graph_program.tensor_api import nn
from tests.programs.plain import Cases, outcome
from tests.transform.sessions import run

recognised = Cases()
"""Programs with the operation, with arguments."""
near = Cases()
INPUTS, H = 3, 4


def floats(*shape: int, seed: int = 0) -> Any:
    return np.random.default_rng(seed).uniform(-1, 1, shape).astype(np.float32)


def sequences(*inner: int) -> list[np.ndarray]:
    """Usual ones, of length 0 and 1, with NaN, with infinities, with large numbers."""
    found = [floats(5, *inner), floats(0, *inner), floats(1, *inner), *(floats(6, *inner) for _ in range(4))]
    for x, value in zip(found[-4:], (np.nan, np.inf, -np.inf, 3e38), strict=True):
        x[(2, *(0 for _ in inner))] = value
    found[-2][2] = np.where(np.arange(found[-2].shape[-1]) % 2, np.inf, -np.inf)
    return found


def arguments(gates: int, *batch: int) -> list[tuple[np.ndarray, ...]]:
    """Sequences with weights, and weights that are not finite."""
    weights = [floats(INPUTS, gates * H, seed=1), floats(H, gates * H, seed=2), floats(gates * H, seed=3)]
    found = [(x, *weights) for x in sequences(*batch, INPUTS)]
    for i in range(3):
        broken = [w.copy() for w in weights]
        broken[i][..., 1] = (np.nan, np.inf, np.nan)[i]
        found.append((floats(4, *batch, INPUTS), *broken))
    return found


LSTM, GRU, PLAIN = arguments(4), arguments(3), [(x,) for x in sequences(INPUTS)]
Sequence, Batches = Float32[Tensor, "t 3"], Float32[Tensor, "t 2 3"]
W4, U4, B4 = Float32[Tensor, "3 16"], Float32[Tensor, "4 16"], Float32[Tensor, "16"]
W3, U3, B3 = Float32[Tensor, "3 12"], Float32[Tensor, "4 12"], Float32[Tensor, "12"]


def sigmoid(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


# ---------------------------------------------------------------- LSTM


@recognised(*LSTM)
def lstm(x: Sequence, w: W4, u: U4, b: B4) -> Any:
    h = np.zeros(H, np.float32)
    c = np.zeros(H, np.float32)
    states = np.zeros((x.shape[0], H), np.float32)
    for t in range(x.shape[0]):
        i, f, g, o = np.split(x[t] @ w + h @ u + b, 4)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        h = sigmoid(o) * np.tanh(c)
        states[t] = h
    return states


@recognised(*LSTM)
def other_order_and_last_states(x: Sequence, w: W4, u: U4, b: B4) -> Any:
    h, c = b[:H], b[H : 2 * H]
    for t in range(x.shape[0]):
        gates = b + (u.T @ h + w.T @ x[t])
        o, g = sigmoid(gates[:H]), np.tanh(gates[H : 2 * H])
        c = g * sigmoid(gates[-H:]) + c * sigmoid(gates[2 * H : -H])
        h = np.tanh(c) * o
    return h, c


@recognised(*(args for args in arguments(4, 2)))
def batches(x: Batches, w: W4, u: U4, b: B4) -> Any:
    h = np.zeros((2, H), np.float32)
    c = np.ones((2, H), np.float32)
    states = []
    for t in range(x.shape[0]):
        gates = x[t] @ w + h @ u + b
        i, f, g, o = gates[:, :H], gates[:, H : 2 * H], gates[:, 2 * H : 3 * H], gates[:, 3 * H :]
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        h = sigmoid(o) * np.tanh(c)
        states.append(h)
    return states, c


@recognised(
    *((floats(5, n, INPUTS), *arguments(4)[0][1:]) for n in (0, 1, 3)), (floats(0, 0, INPUTS), *arguments(4)[0][1:])
)
def batches_of_any_size(x: Float32[Tensor, "t n 3"], w: W4, u: U4, b: B4) -> Any:
    h = np.zeros((x.shape[1], H), np.float32)
    c = np.zeros((x.shape[1], H), np.float32)
    states = np.zeros((x.shape[0], x.shape[1], H), np.float32)
    for t in range(x.shape[0]):
        gates = x[t] @ w + h @ u + b
        c = sigmoid(gates[:, :H]) * c + sigmoid(gates[:, H : 2 * H]) * np.tanh(gates[:, 2 * H : 3 * H])
        h = sigmoid(gates[:, 3 * H :]) * np.tanh(c)
        states[t] = h
    return states


@recognised(*((x, floats(INPUTS + H, 4 * H)) for x in sequences(INPUTS)))
def joined(x: Sequence, w: Float32[Tensor, "7 16"]) -> Any:
    h = np.zeros(H, np.float32)
    c = np.zeros(H, np.float32)
    for t in range(x.shape[0]):
        i, f, g, o = (np.concatenate([h, x[t]]) @ w).reshape(4, -1)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        h = sigmoid(o) * np.tanh(c)
    return h


PARTS = [floats(H, INPUTS if k < 4 else H, seed=k) for k in range(8)]


@recognised(*PLAIN)
def matrices_of_their_own(x: Sequence) -> Any:
    h = np.zeros(H, np.float32)
    c = np.zeros(H, np.float32)
    for t in range(x.shape[0]):
        i = sigmoid(PARTS[0] @ x[t] + PARTS[4] @ h)
        f = sigmoid(PARTS[1] @ x[t] + PARTS[5] @ h)
        g = np.tanh(PARTS[2] @ x[t] + PARTS[6] @ h)
        o = sigmoid(PARTS[3] @ x[t] + PARTS[7] @ h)
        c = f * c + i * g
        h = o * np.tanh(c)
    return h


LAYER = nn.LSTM(INPUTS, H, seed=0)


@recognised(*PLAIN)
def of_nn(x: Sequence) -> Any:
    return LAYER(x)


# ---------------------------------------------------------------- GRU


@recognised(*GRU)
def gru(x: Sequence, w: W3, u: U3, b: B3) -> Any:
    h = np.zeros(H, np.float32)
    states = np.zeros((x.shape[0], H), np.float32)
    for t in range(x.shape[0]):
        a, r = x[t] @ w + b, h @ u
        z = sigmoid(a[:H] + r[:H])
        n = np.tanh(a[2 * H :] + sigmoid(a[H : 2 * H] + r[H : 2 * H]) * r[2 * H :])
        h = (1 - z) * n + z * h
        states[t] = h
    return states


@recognised(*GRU)
def the_gate_says_what_is_new(x: Sequence, w: W3, u: U3, b: B3) -> Any:
    h = b[:H]
    for t in range(x.shape[0]):
        a, r = x[t] @ w + b, h @ u
        z = sigmoid(a[:H] + r[:H])
        n = np.tanh(a[2 * H :] + sigmoid(a[H : 2 * H] + r[H : 2 * H]) * (r[2 * H :] + b[:H]))
        h = z * n + (1 - z) * h
    return h


@recognised(*GRU)
def reset_before(x: Sequence, w: W3, u: U3, b: B3) -> Any:
    h = np.zeros(H, np.float32)
    for t in range(x.shape[0]):
        a = x[t] @ w + b
        z, r = sigmoid(a[:H] + h @ u[:, :H]), sigmoid(a[H : 2 * H] + h @ u[:, H : 2 * H])
        n = np.tanh(a[2 * H :] + (r * h) @ u[:, 2 * H :])
        h = h + z * (n - h)
    return h


GRU_LAYER = nn.GRU(INPUTS, H, seed=0)


@recognised(*PLAIN)
def gru_of_nn(x: Sequence) -> Any:
    return GRU_LAYER(x)


# ---------------------------------------------------------------- near misses


@near(*((x.astype(np.float64), *(w.astype(np.float64) for w in rest)) for x, *rest in LSTM[:3]))
def doubles(
    x: Float64[Tensor, "t 3"], w: Float64[Tensor, "3 16"], u: Float64[Tensor, "4 16"], b: Float64[Tensor, "16"]
) -> Any:
    h, c = np.zeros(H), np.zeros(H)
    for t in range(x.shape[0]):
        i, f, g, o = np.split(x[t] @ w + h @ u + b, 4)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        h = sigmoid(o) * np.tanh(c)
    return h


@near(*LSTM[:3])
def weights_change(x: Sequence, w: W4, u: U4, b: B4) -> Any:
    h = np.zeros(H, np.float32)
    c = np.zeros(H, np.float32)
    for t in range(x.shape[0]):
        i, f, g, o = np.split(x[t] @ w + h @ u + b, 4)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        h = sigmoid(o) * np.tanh(c)
        u = u * np.float32(0.5)
    return h


@near(*LSTM[:3])
def no_memory_in_the_output(x: Sequence, w: W4, u: U4, b: B4) -> Any:
    h = np.zeros(H, np.float32)
    c = np.zeros(H, np.float32)
    for t in range(x.shape[0]):
        i, f, g, o = np.split(x[t] @ w + h @ u + b, 4)
        h = sigmoid(o) * np.tanh(c)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
    return h


@near(*LSTM[:3])
def the_gate_sees_the_memory(x: Sequence, w: W4, u: U4, b: B4) -> Any:
    h = np.zeros(H, np.float32)
    c = np.zeros(H, np.float32)
    for t in range(x.shape[0]):
        i, f, g, o = np.split(x[t] @ w + h @ u + b, 4)
        c = sigmoid(f + c) * c + sigmoid(i) * np.tanh(g)
        h = sigmoid(o) * np.tanh(c)
    return h


@near(*LSTM[:3])
def tanh_for_sigmoid(x: Sequence, w: W4, u: U4, b: B4) -> Any:
    h = np.zeros(H, np.float32)
    c = np.zeros(H, np.float32)
    for t in range(x.shape[0]):
        i, f, g, o = np.split(x[t] @ w + h @ u + b, 4)
        c = sigmoid(f) * c + np.tanh(i) * np.tanh(g)
        h = sigmoid(o) * np.tanh(c)
    return h


@near(*LSTM[:3])
def coupled_gates(x: Sequence, w: W4, u: U4, b: B4) -> Any:
    h = np.zeros(H, np.float32)
    c = np.zeros(H, np.float32)
    for t in range(x.shape[0]):
        i, _, g, o = np.split(x[t] @ w + h @ u + b, 4)
        c = (1 - sigmoid(i)) * c + sigmoid(i) * np.tanh(g)
        h = sigmoid(o) * np.tanh(c)
    return h


@near(*LSTM[:3])
def memories_are_collected(x: Sequence, w: W4, u: U4, b: B4) -> Any:
    h = np.zeros(H, np.float32)
    c = np.zeros(H, np.float32)
    states = np.zeros((x.shape[0], H), np.float32)
    for t in range(x.shape[0]):
        i, f, g, o = np.split(x[t] @ w + h @ u + b, 4)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        h = sigmoid(o) * np.tanh(c)
        states[t] = c
    return states


@near(*LSTM[:3])
def backwards(x: Sequence, w: W4, u: U4, b: B4) -> Any:
    h = np.zeros(H, np.float32)
    c = np.zeros(H, np.float32)
    for t in range(x.shape[0] - 1, -1, -1):
        i, f, g, o = np.split(x[t] @ w + h @ u + b, 4)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        h = sigmoid(o) * np.tanh(c)
    return h


@near(*LSTM[:1], *LSTM[3:4])
def not_all_of_it(x: Sequence, w: W4, u: U4, b: B4) -> Any:
    h = np.zeros(H, np.float32)
    c = np.zeros(H, np.float32)
    for t in range(3):
        i, f, g, o = np.split(x[t] @ w + h @ u + b, 4)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        h = sigmoid(o) * np.tanh(c)
    return h


@near(*LSTM[:3])
def it_may_end(x: Sequence, w: W4, u: U4, b: B4) -> Any:
    h = np.zeros(H, np.float32)
    c = np.zeros(H, np.float32)
    for t in range(x.shape[0]):
        i, f, g, o = np.split(x[t] @ w + h @ u + b, 4)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        h = sigmoid(o) * np.tanh(c)
        if h[0] > 0.9:
            break
    return h


@near(*LSTM[:3])
def it_prints(x: Sequence, w: W4, u: U4, b: B4) -> Any:
    h = np.zeros(H, np.float32)
    c = np.zeros(H, np.float32)
    for t in range(x.shape[0]):
        i, f, g, o = np.split(x[t] @ w + h @ u + b, 4)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        h = sigmoid(o) * np.tanh(c)
        print(t)
    return h


@near(*LSTM[:3])
def clipped(x: Sequence, w: W4, u: U4, b: B4) -> Any:
    h = np.zeros(H, np.float32)
    c = np.zeros(H, np.float32)
    for t in range(x.shape[0]):
        i, f, g, o = np.split(x[t] @ w + h @ u + b, 4)
        c = np.clip(sigmoid(f) * c + sigmoid(i) * np.tanh(g), -1, 1)
        h = sigmoid(o) * np.tanh(c)
    return h


@near(*GRU[:3])
def mixed_with_another_gate(x: Sequence, w: W3, u: U3, b: B3) -> Any:
    h = np.zeros(H, np.float32)
    for t in range(x.shape[0]):
        a, r = x[t] @ w + b, h @ u
        z, q = sigmoid(a[:H] + r[:H]), sigmoid(a[H : 2 * H] + r[H : 2 * H])
        n = np.tanh(a[2 * H :] + q * r[2 * H :])
        h = (1 - q) * n + z * h
    return h


@near(*GRU[:3])
def nothing_is_reset(x: Sequence, w: W3, u: U3, b: B3) -> Any:
    h = np.zeros(H, np.float32)
    for t in range(x.shape[0]):
        a, r = x[t] @ w + b, h @ u
        z = sigmoid(a[:H] + r[:H])
        h = (1 - z) * np.tanh(a[2 * H :] + r[2 * H :]) + z * h
    return h


@near((floats(5, 8), floats(8, 1024), floats(256, 1024)), (floats(0, 8), floats(8, 1024), floats(256, 1024)))
def many_units(x: Float32[Tensor, "t 8"], w: Float32[Tensor, "8 1024"], u: Float32[Tensor, "256 1024"]) -> Any:
    h = np.zeros(256, np.float32)
    c = np.zeros(256, np.float32)
    for t in range(x.shape[0]):
        i, f, g, o = np.split(x[t] @ w + h @ u, 4)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        h = sigmoid(o) * np.tanh(c)
    return h


def flat(result: Any) -> list[Any]:
    """The arrays of a result."""
    return [y for x in result for y in flat(x)] if isinstance(result, (list, tuple)) else [result]


def found(fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...]) -> bool:
    """Whether the operation is in a program, which does what Python does."""
    program = graph_program(fn)
    text = program.explain("optimized")
    for args in inputs:
        expected, result = outcome(fn, args), outcome(program, args)
        for a, b in zip(flat(expected), flat(result), strict=True):
            assert np.shape(a) == np.shape(b), args
            np.testing.assert_allclose(b, a, 1e-5, 1e-6, err_msg=f"{args!r}")
    return any(f" = {op}(" in text for op in ("lstm", "gru"))


@recognised.each
def test_loops_are_the_operation(fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...]) -> None:
    assert found(fn, inputs)


@near.each
def test_other_loops_stay(fn: Callable[..., Any], inputs: tuple[tuple[Any, ...], ...]) -> None:
    assert not found(fn, inputs)


@pytest.mark.parametrize("portable", [False, True])
@pytest.mark.parametrize("opset", [17, 20, 23])
@pytest.mark.parametrize("fn", [lstm, reset_before])
def test_files_do_the_same(fn: Callable[..., Any], opset: int, portable: bool) -> None:
    model = graph_program(fn).model(opset=opset, portable=portable)
    for args in LSTM if fn is lstm else GRU:
        with np.errstate(all="ignore"):
            np.testing.assert_allclose(run(model, args)[0], fn(*args), 1e-5, 1e-6)


def test_without_checks_numbers_are_finite() -> None:
    model = graph_program(lstm).model(include_errors=False, checks="none")
    assert "ReduceSum" not in [node.op_type for node in model.graph.node]
    np.testing.assert_allclose(run(model, LSTM[0])[0], lstm(*LSTM[0]), 1e-5, 1e-6)
    assert run(model, LSTM[1])[0].shape == (0, H)


def test_where_sizes_are_known_nothing_but_the_operation_is_left() -> None:
    def program(x: Float32[Tensor, "5 3"], w: W4, u: U4, b: B4) -> Any:
        return lstm(x, w, u, b)

    model = graph_program(program).model(include_errors=False, checks="none")
    operators = [node.op_type for node in model.graph.node]
    assert "LSTM" in operators and not {"Loop", "If"} & set(operators)
    np.testing.assert_allclose(run(model, LSTM[0])[0], lstm(*LSTM[0]), 1e-5, 1e-6)
