"""Calls of models in loops and branches: one operation that the passes move, share and drop, and never repeat."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest

from graph_program import graph_program
from graph_program.backends.models.loaded import OnnxModel
from graph_program.extract.ir.models import CALL
from tests.models.agreement import agree, loaded, operators

CELL = """<ir_version: 8, opset_import: ["" : 17]>
cell (float[b, 2] x, float[b, 3] state) => (float[b, 1] p, float[?, ?] next)
{ i = MatMul (x, wx)  r = MatMul (state, wr)  s = Add (i, r)  next = Tanh (s)
  m = ReduceMean <axes: ints = [1], keepdims: int = 1> (next)  p = Sigmoid (m) }"""
DOUBLE = '<ir_version: 8, opset_import: ["":17]> d (float[n] x) => (float[n] y) { y = Add (x, x) }'
FAILS = '<ir_version: 8, opset_import: ["":17]> f (float[n] x, int64[1] s) => (float[m] y) { y = Reshape (x, s) }'
RNG = np.random.default_rng(0)
SOUND = RNG.normal(size=(20, 2)).astype(np.float32)
V = np.array([1, -2, 3], np.float32)


@pytest.fixture
def cell(tmp_path: Path) -> OnnxModel:
    wx, wr = RNG.normal(size=(2, 3)).astype(np.float32), RNG.normal(size=(3, 3)).astype(np.float32)
    return loaded(tmp_path, CELL, "cell", wx=wx, wr=wr)


@pytest.fixture
def double(tmp_path: Path) -> OnnxModel:
    return loaded(tmp_path, DOUBLE, "double")


def calls(program: Any, *args: Any) -> int:
    """How many calls the optimized graph has."""
    return int(program.explain("optimized", args).count(CALL))


def test_recurrent_state(cell: OnnxModel, tmp_path: Path) -> None:
    def segments(sound: Any, threshold: float) -> Any:
        state = np.zeros((1, 3), np.float32)
        probs, started, found = [], -1, []
        for k in range(sound.shape[0]):
            p, state = cell(sound[k : k + 1], state)
            speech = p[0, 0]
            if speech > threshold and started < 0:
                started = k
            elif speech < threshold - 0.05 and started >= 0:
                found.append(k - started)
                started = -1
            probs.append(speech)
        return np.array(probs), len(found), sum(found), state

    agree(segments, (SOUND, 0.5), (SOUND[:1], 0.4), folder=tmp_path)


def test_weights_stand_outside_of_the_loop(cell: OnnxModel) -> None:
    def program(sound: Any) -> Any:
        state = np.zeros((1, 3), np.float32)
        for k in range(sound.shape[0]):
            _, state = cell(sound[k : k + 1], state)
        return state

    model = graph_program(program).model((SOUND,))
    names = {tensor.name for tensor in model.graph.initializer}
    assert {"cell.wx", "cell.wr"} <= names
    (loop,) = [node for node in model.graph.node if node.op_type == "Loop"]
    body = onnx.helper.get_node_attr_value(loop, "body")
    assert not body.initializer and "cell.wx" in {name for node in body.node for name in node.input}


def test_while_and_break(double: OnnxModel, tmp_path: Path) -> None:
    def program(x: Any, most: int) -> Any:
        rounds = 0
        while np.abs(x).max() < 100:
            x = double(x)
            rounds += 1
            if rounds >= most:
                break
        else:
            rounds = -rounds
        return x, rounds

    agree(program, (V, 3), (V, 50), (V * 1000, 5), folder=tmp_path)


def test_a_side_runs_only_when_it_is_taken(tmp_path: Path) -> None:
    reshape = loaded(tmp_path, FAILS, "reshape")

    def program(x: Any, n: int) -> Any:
        y = x * 2
        if n > 0:
            y = reshape(x, np.array([3])) + y
        elif n < 0:
            y = reshape(x, np.array([n]))
        return y.sum() if n else y

    agree(program, (V, 1), (V, 0), (V, -1), folder=tmp_path)
    agree(program, (V, -2))


def test_a_call_behind_a_check(tmp_path: Path) -> None:
    """What raises before the call raises first, and so does the call before what follows."""
    reshape = loaded(tmp_path, FAILS, "reshape")

    def program(x: Any, k: int, n: int) -> Any:
        first = x[k]
        y = reshape(x, np.array([n]))
        return y[k] + first

    agree(program, (V, 1, 3), (V, 5, 4), (V, 1, 4), (V, -1, -1))


def test_equal_calls_are_one(double: OnnxModel) -> None:
    def program(x: Any, flag: bool) -> Any:
        a = double(x + 1)
        b = double(x + 1)
        if flag:
            b = b + double(x + 1)
        return a, b

    assert calls(agree(program, (V, True), (V, False)), V, True) == 1


def test_unread_calls_are_none(double: OnnxModel) -> None:
    def program(x: Any) -> Any:
        y = double(x)
        for _ in range(3):
            y = double(y)
        return x * 3

    assert calls(agree(program, (V,)), V) == 0


def test_one_unread_result(cell: OnnxModel) -> None:
    def program(x: Any, state: Any) -> Any:
        p, _ = cell(x, state)
        return p

    made = agree(program, (SOUND[:1], np.ones((1, 3), np.float32)))
    assert operators(made.model((SOUND[:1], np.ones((1, 3), np.float32)))).count("Sigmoid") == 1


def test_before_a_loop_that_has_rounds(double: OnnxModel) -> None:
    def program(x: Any) -> Any:
        total = x * 0
        for k in range(5):
            total = total + double(x) * k
        return total

    def perhaps(x: Any, n: int) -> Any:
        total = x * 0
        for k in range(n):
            total = total * 0.5 + double(x) * k
        return total

    agree(program, (V,))
    agree(perhaps, (V, 3), (V, 0))


def test_on_rows(double: OnnxModel, tmp_path: Path) -> None:
    """A loop whose rounds are apart stays a loop: nobody knows the model of all rows."""

    def program(x: Any) -> Any:
        out = np.empty_like(x)
        for k in range(x.shape[0]):
            out[k] = double(x[k]) + x[k].mean()
        return out

    agree(program, (SOUND,), (SOUND[:0],), folder=tmp_path)


def test_choices_of_models(double: OnnxModel, tmp_path: Path) -> None:
    negative = loaded(tmp_path, DOUBLE.replace("Add (x, x)", "Neg (x)"), "negative")

    def program(x: Any, which: int) -> Any:
        model = double if which == 0 else negative
        y = model(x)
        for k in range(4):
            y = double(y) if k % 2 else negative(y)
        return y

    agree(program, (V, 0), (V, 1), folder=tmp_path)


def test_tail_calls_and_exceptions(double: OnnxModel) -> None:
    def grow(x: Any, n: int) -> Any:
        if n == 0:
            return x
        return grow(double(x), n - 1)

    def program(x: Any, n: int) -> Any:
        try:
            y = double(x)
            if n > 3:
                raise ValueError("too many")
        except ValueError:
            y = double(double(x))
        return grow(y, n)

    agree(program, (V, 0), (V, 3), (V, 5))


def test_appended_results(cell: OnnxModel, tmp_path: Path) -> None:
    def program(sound: Any) -> Any:
        state = np.zeros((1, 3), np.float32)
        states = []
        for row in sound:
            p, state = cell(row[None], state)
            if p[0, 0] > 0.5:
                states.append(state[0])
        return np.stack(states) if len(states) > 0 else np.zeros((0, 3), np.float32)

    agree(program, (SOUND,), (SOUND[:0],), folder=tmp_path)


@pytest.mark.parametrize("without", [(), ("cse", "dce"), ("sink", "if_conversion"), ("vectorize", "fission")])
def test_without_passes(cell: OnnxModel, double: OnnxModel, without: tuple[str, ...]) -> None:
    def program(x: Any) -> Any:
        state = np.zeros((1, 3), np.float32)
        total = double(x[:, 0])
        for k in range(x.shape[0]):
            p, state = cell(x[k : k + 1], state)
            if p[0, 0] > 0.5:
                total = double(total) * p[0, 0]
        return total

    agree(program, (SOUND[:5],), without=without)
