"""Files for onnxruntime-web: what WebGPU does not take is refused, and what it takes is right there, where it is."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from graph_program import GraphProgramError, graph_program
from graph_program.backends.onnx.avoided import CAST_CHAINS, SMALL_CASTS
from graph_program.targets.support import REFUSED, RIGHT, targets
from graph_program.verification.runtimes import RUNTIMES

X = np.array([3.0, -5.25, 300.5, 0.5], np.float32)
NEAR = 1e-4


def waves(x: Any) -> Any:
    return np.sin(x) * np.float32(2.0), x.argmax(), x[x > 0].sum()


def relaxed(x: Any) -> Any:
    for _ in range(12):
        x = np.tanh(x) * np.float32(0.5) + x[::-1]
        if x[0] > 1000:
            break
    return x


def cut(x: Any) -> Any:
    return x.astype(np.uint8), x.astype(np.int8)


def doubled(x: Any) -> Any:
    return x * 2


@pytest.mark.parametrize("runtime", ["onnxruntime-web", "webgpu"])
@pytest.mark.parametrize("function", [waves, relaxed, cut])
def test_right_there(function: Callable[..., Any], runtime: str, tmp_path: Path) -> None:
    summary = graph_program(function).export(tmp_path / "m.onnx", (X,), target=runtime)
    missing = RUNTIMES[runtime].missing()
    told = [f"{runtime} ({targets()[runtime].version}), as it was probed"]
    if not missing and RUNTIMES[runtime].by_default:
        told.append(f"run in {runtime} {RUNTIMES[runtime].version} on the example arguments: equal")
    assert summary.target == tuple(told)
    if missing:
        pytest.skip(missing)
    found = RUNTIMES[runtime].load(tmp_path / "m.onnx")({"x": X})
    expected = function(X)
    for port, part in zip(summary.outputs, expected if isinstance(expected, tuple) else (expected,), strict=False):
        assert found[port.name].dtype == np.asarray(part).dtype
        np.testing.assert_allclose(found[port.name], part, rtol=NEAR, atol=NEAR)


def test_webgpu_has_no_float64(tmp_path: Path) -> None:
    x = X.astype(np.float64)
    words = "webgpu does not take ONNX's Mul of float64, as version .* was probed"
    with pytest.raises(GraphProgramError, match=words) as caught:
        graph_program(doubled).export(tmp_path / "m.onnx", (x,), target="webgpu")
    assert caught.value.code == "GP547" and caught.value.diagnostic.hint == "compute in 32 bits: `float='float32'`"
    assert caught.value.loc.line == doubled.__code__.co_firstlineno + 1
    graph_program(doubled).export(tmp_path / "m.onnx", (x,), target="webgpu", float="float32")


@graph_program
def wave(x: Any) -> Any:
    y = np.tanh(x) * np.exp(-x * x) + np.abs(x)
    return y * 0.5 + np.round(y)


@graph_program
def waved(x: Any) -> Any:
    return wave(wave(wave(wave(x)[::-1])[::-1])[::-1])


def test_functions_of_a_model_are_looked_into(tmp_path: Path) -> None:
    x = X.astype(np.float64)
    assert waved.model((x,)).functions
    with pytest.raises(GraphProgramError, match=r"webgpu does not take ONNX's \w+ of float64") as caught:
        waved.export(tmp_path / "m.onnx", (x,), target="webgpu")
    assert caught.value.loc.line == wave.python.__code__.co_firstlineno + 2
    waved.export(tmp_path / "m.onnx", (x,), target="tensorrt")
    summary = waved.export(tmp_path / "m.onnx", (X,), target="cuda", float="float32")
    assert all("use_tf32" in line for line in summary.target[1:])


def test_webgpu_has_no_int16(tmp_path: Path) -> None:
    def short(x: Any) -> Any:
        return x.astype(np.int16)

    with pytest.raises(GraphProgramError, match="webgpu does not take ONNX's Cast to int16 of "):
        graph_program(short).export(tmp_path / "m.onnx", (X,), target="webgpu")
    graph_program(short).export(tmp_path / "m.onnx", (X,), target="tract")


def test_tables() -> None:
    web, webgpu = targets()["onnxruntime-web"], targets()["webgpu"]
    assert web.verdict("Loop", "int64") == web.verdict("Add", "float64") == RIGHT
    assert webgpu.verdict("Add", "float32") == RIGHT and webgpu.verdict("Add", "float64") == REFUSED
    assert {form for form, verdict in web.forms.items() if verdict != RIGHT} == {CAST_CHAINS, SMALL_CASTS}
