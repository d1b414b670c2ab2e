"""Products of transposed stacks, which onnxruntime's optimizer would end the process with."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import pytest

from graph_program import Float16, Float32, Quantization, Tensor, graph_program
from tests.models.agreement import agree, loaded

HEAD = '<ir_version: 8, opset_import: ["" : 17]> net '
RANDOM = np.random.default_rng(11)


def stack(*sizes: int, dtype: str = "float32") -> np.ndarray[Any, Any]:
    return RANDOM.normal(size=sizes).astype(dtype)


@pytest.mark.parametrize("perm", [perm for perm in permutations(range(3)) if perm != (0, 1, 2)], ids=str)
@pytest.mark.parametrize("dtype", ["float16", "float32"])
def test_of_networks(perm: tuple[int, ...], dtype: str, tmp_path: Path) -> None:
    element = "float" if dtype == "float32" else dtype
    text = f"""({element}[a, b, c] x) => ({element}[p, q, r] y, {element}[p, q, r] z) {{
        t = Transpose <perm = {list(perm)}> (x)  y = MatMul (t, w)  u = Transpose <perm = {list(perm)}> (x)
        i = Identity (u)  z = MatMul (v, i)
    }}"""
    net = loaded(tmp_path, HEAD + text, w=stack(4, 5, dtype=dtype), v=stack(5, 4, dtype=dtype))

    def program(x: Any) -> Any:
        return net(x)

    inputs = [(stack(*sizes, dtype=dtype),) for sizes in ((4, 4, 4), (4, 4, 4))]
    agree(program, *inputs, folder=tmp_path)


@pytest.mark.parametrize("perm", [(1, 0, 2), (1, 2, 0)], ids=str)
def test_of_no_matrices(perm: tuple[int, ...], tmp_path: Path) -> None:
    text = f"(float[a, b, c] x, float[d, e, f] v) => (float[p, q, r] y) {{ t = Transpose <perm = {list(perm)}> (x)"
    net = loaded(tmp_path, f"{HEAD}{text} y = MatMul (t, v) }}")

    def program(x: Any, v: Any) -> Any:
        return net(x, v)

    moved = [(3, 2, 4), (3, 0, 4), (0, 2, 4), (0, 0, 4)]
    inputs = []
    for sizes in moved:
        shape = np.zeros(sizes).transpose(perm).shape
        inputs.append((stack(*sizes), stack(shape[0], shape[2], 5)))
    agree(program, *inputs, folder=tmp_path)


def test_of_programs(tmp_path: Path) -> None:
    w = stack(4, 5, dtype="float16")

    def halves(x: Float16[Tensor, "2 3 4"]) -> Any:
        return np.transpose(x, (1, 0, 2)) @ w + x.transpose((1, 0, 2)).copy() @ w

    agree(halves, (stack(2, 3, 4, dtype="float16"),), folder=tmp_path)


def test_of_a_network_behind_a_program(tmp_path: Path) -> None:
    text = "(float16[a, b, 4] x) => (float16[a, b, 5] y) { y = MatMul (x, w) }"
    net = loaded(tmp_path, HEAD + text, w=stack(4, 5, dtype="float16"))

    def program(x: Float16[Tensor, "a b 4"]) -> Any:
        return net(np.transpose(x, (1, 0, 2)))

    agree(program, (stack(2, 3, 4, dtype="float16"),), (stack(3, 3, 4, dtype="float16"),), folder=tmp_path)


def test_of_files_in_float16(tmp_path: Path) -> None:
    table, w = stack(64, 16), stack(16, 48)

    @graph_program
    def encoder(x: Float32[Tensor, "b t 16"]) -> Any:
        return np.tanh(np.transpose(x, (1, 0, 2)) @ w)

    text = "(int64[b, t] ids) => (float[t, b, 48] y) { e = Gather (T, ids)  s = Transpose <perm = [1, 0, 2]> (e) "
    net = loaded(tmp_path, HEAD + text + "y = MatMul (s, W) }", T=table, W=w)
    embed = graph_program(lambda ids: net(ids))
    for program, args in ((encoder, (stack(2, 5, 16),)), (embed, (np.ones((2, 5), np.int64),))):
        for keep_types in (True, False):
            path = tmp_path / "model.onnx"
            program.export(path, args, quantize=Quantization("float16", keep_types=keep_types))
            session = onnxruntime.InferenceSession(path)
            (given,) = session.get_inputs()
            fed = args[0].astype("float16") if given.type == "tensor(float16)" else args[0]
            found = session.run(None, {given.name: fed})[0]
            np.testing.assert_allclose(found, program.python(*args), atol=0.3, rtol=0.02)
