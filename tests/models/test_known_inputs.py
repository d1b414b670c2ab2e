"""What is known of a model's inputs where it is called decides its branches, and says the sizes of its results."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest

from graph_program import Float32, Tensor, graph_program, load
from tests.models.agreement import agree, loaded, operators

HEAD = '<ir_version: 8, opset_import: ["" : 17]>'
RATES = f"""{HEAD}
rates (float[a, n] x, int64 rate) => (float[?, ?] y)
{{ wanted = Constant <value = int64 {{16000}}> ()
  is_wanted = Equal (rate, wanted)
  y = If (is_wanted) <
    then_branch = fast () => (float[?, ?] u) {{
      s = Shape (x)  one = Constant <value = int64[1] {{1}}> ()  width = Gather (s, one)
      is_one = Equal (width, one)
      u = If (is_one) <
        then_branch = narrow () => (float[?, ?] p) {{ p = Concat <axis = 1> (x, x) }},
        else_branch = broad () => (float[?, ?] q) {{ q = MatMul (x, weights) }}
      >
    }},
    else_branch = slow () => (float[?, ?] v) {{ v = Neg (x) }}
  > }}"""
WEIGHTS = np.arange(800, dtype=np.float32).reshape(2, 400) / 100
X = np.array([[1, -2], [0.5, 3]], np.float32)


def written(folder: Path) -> list[str]:
    return operators(onnx.load(folder / "program.onnx"))


@pytest.fixture
def rates(tmp_path: Path) -> Any:
    return loaded(tmp_path, RATES, "rates", weights=WEIGHTS)


def test_a_constant_decides_a_branch(rates: Any, tmp_path: Path) -> None:
    def program(x: Any) -> Any:
        return rates(x, 8000) * 2

    agree(program, (X,), (X[:0],), folder=tmp_path)
    assert Counter(written(tmp_path)) == {"Neg": 1, "Mul": 1}


def test_sizes_decide_a_branch_inside_of_another(rates: Any, tmp_path: Path) -> None:
    def program(x: Float32[Tensor, "n 2"]) -> Any:
        return rates(x, 16000)[:, 399]

    agree(program, (X,), (np.ones((3, 2), np.float32),), folder=tmp_path)
    assert not {"If", "Loop", "Concat"} & set(written(tmp_path)) and "MatMul" in written(tmp_path)


def test_what_is_not_known_stays_a_branch(rates: Any, tmp_path: Path) -> None:
    def program(x: Any, rate: int) -> Any:
        return rates(x, rate)

    agree(program, (X, 16000), (X, 8000), (X[:, :1].copy(), 16000), folder=tmp_path)
    assert "If" in written(tmp_path)


def test_calls_that_differ_share_weights(rates: Any, tmp_path: Path) -> None:
    def program(x: Any, rate: int) -> Any:
        return rates(x, 16000).sum() + rates(x, rate).sum() + rates(x, 8000).sum()

    agree(program, (X, 16000), (X, 1), folder=tmp_path)
    large = [i for i in onnx.load(tmp_path / "program.onnx").graph.initializer if len(i.raw_data) >= WEIGHTS.nbytes]
    assert len(large) == 1


def test_sizes_of_results_follow_from_those_of_arguments(tmp_path: Path) -> None:
    net = loaded(
        tmp_path,
        f"""{HEAD} net (float[b, 4] x, float[b, s] state) => (float[?, ?] y, float[?, ?] next)
        {{ next = Tanh (state)  y = Concat <axis = 1> (x, next) }}""",
    )

    def program(x: Any) -> Any:
        state = np.zeros((1, 3), np.float32)
        for row in x:
            y, state = net(row[None, :], state)
            state = state + y[:, :3]
        return state[0, 2]

    agree(program, (np.ones((3, 4), np.float32),), (np.zeros((0, 4), np.float32),), folder=tmp_path)
    assert "Reshape" not in written(tmp_path)  # which asks for a rank that is not known


def test_numbers_are_those_of_the_runtime(tmp_path: Path) -> None:
    text = f"""{HEAD} net (int64[n] a, int64[n] b, int32[n] c) => (int64[n] p, int64[n] q, int64[n] r, int32[n] s)
    {{ p = Pow (a, b)  q = Div (a, b)  r = Mod (a, b)  s = Mul (c, c) }}"""
    net = loaded(tmp_path, text)

    def program(x: Any) -> Any:
        c = np.array([-(2**31), 70000, 3], np.int32)
        return net(np.array([2**62 + 1, -7, 7]), np.array([1, 2, 3]), c), net(x, x, c)

    agree(program, (np.array([5, 7, -7]),), folder=tmp_path)


def test_promises_that_are_not_kept_are_told(tmp_path: Path) -> None:
    text = f"""{HEAD} net (float[n] x, bool twice) => (float[3] y, float[n] z)
    {{ y = If (twice) <
        then_branch = a () => (float[?] p) {{ p = Concat <axis = 0> (x, x) }},
        else_branch = b () => (float[?] q) {{ q = Neg (x) }}
      >
      z = Identity (y) }}"""
    net = loaded(tmp_path, text)

    def program(x: Float32[Tensor, "3"], twice: bool) -> Any:
        try:
            found = net(x, True) if twice else net(x, False)
        except ValueError as error:
            return str(error)
        return found[0] + found[1]

    agree(program, (np.ones(3, np.float32), True), (np.ones(3, np.float32), False))


def test_results_that_are_known(tmp_path: Path) -> None:
    net = loaded(
        tmp_path,
        f"""{HEAD} net (int64[n] x, bool c) => (int64[1] rows, int64[n] y, int64[?] z)
        {{ rows = Shape (x)  y = Identity (x)
          z = If (c) <
            then_branch = a () => (int64[?] p) {{ p = Identity (rows) }},
            else_branch = b () => (int64[?] q) {{ q = Mul (y, y) }}
          > }}""",
    )

    def program(x: Any) -> Any:
        rows, y, z = net(np.array([4, 5, 6]), True)
        again = net(x, False)
        return rows, y, z, again[0], again[1], again[2]

    agree(program, (np.array([1, -2]),), (np.array([], np.int64),), folder=tmp_path)


def test_bodies_of_loops(tmp_path: Path) -> None:
    net = loaded(
        tmp_path,
        f"""{HEAD} net (float[n] x, int64 count, bool twice) => (float[?] y)
        {{ yes = Constant <value = bool {{1}}> ()
          y = Loop (count, yes, x) <
            body = round (int64 i, bool again, float[?] before) => (bool more, float[?] after) {{
              more = Identity (again)
              after = If (twice) <
                then_branch = a () => (float[?] p) {{ p = Add (before, before) }},
                else_branch = b () => (float[?] q) {{ q = Neg (before) }}
              >
            }}
          > }}""",
    )

    def program(x: Any, n: int) -> Any:
        return net(x, n, True), net(x, 0, False)

    agree(program, (np.array([1, -2], np.float32), 3), (np.array([1, -2], np.float32), 0), folder=tmp_path)
    assert "If" not in written(tmp_path) and "Neg" in written(tmp_path)


def test_calls_that_can_only_fail(tmp_path: Path) -> None:
    text = f"""{HEAD} net (float[n] x, int64[1] k) => (float[m] y, int64[m] i) {{ y, i = TopK (x, k) }}"""
    net = loaded(tmp_path, text)

    def program(x: Float32[Tensor, "2"], goes: bool) -> Any:
        if goes:
            return net(x, np.array([3]))[0].sum()
        return x.sum()

    agree(program, (np.ones(2, np.float32), False), folder=tmp_path)
    with pytest.raises(RuntimeError, match="k argument"):
        graph_program(program)(np.ones(2, np.float32), True)


def test_uneven_parts_of_old_models(tmp_path: Path) -> None:
    text = '<ir_version: 8, opset_import: ["" : 13]> net (float[n] x) => (float[a] y, float[b] z) { y, z = Split (x) }'
    net = loaded(tmp_path, text)

    def program(x: Any) -> Any:
        y, z = net(x)
        return y - z

    agree(program, (np.ones(4, np.float32),), (np.ones(0, np.float32),), folder=tmp_path)
    for way in (program, graph_program(program), load(tmp_path / "program.onnx")):
        with pytest.raises(RuntimeError):
            way(np.ones(3, np.float32))
