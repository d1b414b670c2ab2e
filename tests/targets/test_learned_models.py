"""Learned models in files for a target: what it gets wrong of a program, it is not to get wrong of a model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest

from graph_program import Float32, Float64, GraphProgramError, Int64, Tensor, graph_program, load_onnx
from graph_program.backends.onnx.avoided import EMPTY
from graph_program.verification.forms import form_models
from graph_program.verification.runtimes import RUNTIMES, NotTaken
from tests.programs.plain import differs
from tests.verification.test_of_program import require

A = np.array
FORMS = [(name, model, given["x"], made) for name, model, given, made in form_models()]
ENDS = {("tract", EMPTY)}
"""What ends the process, of which the summary says that the file is not for it."""


def saved(folder: Path, text: str, opset: int = 17, name: str = "net") -> Any:
    path = folder / f"{name}.onnx"
    onnx.save(onnx.parser.parse_model(f'<ir_version: 8, opset_import: ["": {opset}, "ai.onnx.ml": 1]> {text}'), path)
    return load_onnx(path)


@pytest.mark.parametrize("runtime", ["openvino", "tract", "onnxruntime-web"])
@pytest.mark.parametrize(("form", "model", "x", "made"), FORMS, ids=[each[0] for each in FORMS])
def test_forms_in_models(
    runtime: str, form: str, model: onnx.ModelProto, x: np.ndarray, made: dict[str, Any], tmp_path: Path
) -> None:
    """Each is right there, or refused, or named, or the runtime itself refuses it."""
    require(runtime)
    if (runtime, form) in ENDS:
        pytest.skip("the process ends")
    onnx.save(model, tmp_path / "net.onnx")
    net = load_onnx(tmp_path / "net.onnx")

    def program(x: Any) -> Any:
        return net(x)

    try:
        summary = graph_program(program).export(tmp_path / "m.onnx", (x,), target=runtime, verify=False)
    except GraphProgramError as error:
        assert error.code == "GP547"
        return
    named = {one.name for one in summary.narrowed}
    try:
        found = RUNTIMES[runtime].load(tmp_path / "m.onnx")({"x": x})
    except NotTaken as error:
        assert runtime == "tract" and "rank" in str(error)
        return
    for (name, array), wanted in zip(found.items(), made.values(), strict=False):  # behind them are errors
        assert name in named or np.array_equal(array, wanted, equal_nan=array.dtype.kind == "f")


WALK = """g (int64 n) => (int64 count, int64[k] trace, int64 last)
<int64 one = {1}, int64 two = {2}, int64[1] axis = {0}> {
    more = Less (one, n)
    last, trace = Loop ("", more, n) <body = b (int64 i, bool c, int64 v) => (bool go, int64 w, int64 t) {
        w = Div (v, two)
        go = Less (one, w)
        t = Identity (w)
    }>
    sizes = Shape (trace)
    count = Squeeze (sizes, axis)
}"""
ROUNDS = """g (float[n] x, int64 k) => (float[n] y) <bool yes = {1}, float half = {0.5}> {
    y = Loop (k, yes, x) <body = b (int64 i, bool c, float[n] v) => (bool go, float[n] w) {
        go = Identity (c)
        w = Mul (v, half)
    }>
}"""


@pytest.mark.parametrize("opset", [17, None])
def test_rounds_that_there_are_not(tmp_path: Path, opset: int | None) -> None:
    """OpenVINO gives what it had collected before, and goes on for ever where their number is negative."""
    require("openvino")
    walk, rounds = saved(tmp_path, WALK), saved(tmp_path, ROUNDS, name="rounds")

    @graph_program
    def walked(n: int) -> Any:
        return walk(n)

    @graph_program
    def program(x: Float32[Tensor, "n"], k: int) -> Any:
        y = rounds(x, k)
        for _ in range(k):
            y = y + 1
        for _ in range(len(x) - 4):
            y = y * 2
        return y

    walked.export(tmp_path / "w.onnx", target="openvino", opset=opset, verify=False)
    run = RUNTIMES["openvino"].load(tmp_path / "w.onnx")
    for n in (1, 9, 1):
        assert not differs(tuple(run({"n": A(n)}).values()), walked.python(n))
    program.export(tmp_path / "p.onnx", target="openvino", opset=opset, verify=False)
    run = RUNTIMES["openvino"].load(tmp_path / "p.onnx")
    for size, k in ((3, -2), (6, 2), (3, 0)):
        x = np.arange(size, dtype=np.float32)
        assert np.array_equal(next(iter(run({"x": x, "k": A(k)}).values())), program.python(x, k))


TOP = "g (float[n] x, int64[1] k) => (float[m] y, int64[m] i) { y, i = TopK (x, k) }"


def test_ties_keep_their_order(tmp_path: Path) -> None:
    top = saved(tmp_path, TOP)

    @graph_program
    def program(x: Float32[Tensor, "n"], k: int) -> tuple[Float32[Tensor, "m"], Int64[Tensor, "m"]]:
        return top(x, np.array([k]))

    program.export(tmp_path / "m.onnx", portable=True)
    names = ["onnxruntime", *(["openvino"] if not RUNTIMES["openvino"].missing() else [])]
    for run in (RUNTIMES[name].load(tmp_path / "m.onnx") for name in names):
        for numbers, k in (([3, 3], 2), ([1] * 8, 8), ([1, 5, 5, 2, 1, 5], 4), ([2, 1], 1)):
            x = A(numbers, np.float32)
            found = [*run({"x": x, "k": A(k)}).values()]
            assert all(map(np.array_equal, found, program.python(x, k)))


SCALED = """g (double[n, m] x, double[m, k] y) => (double[n, k] z, double[n] s, float[n] t) <double one = {1}> {
    z = Gemm <alpha = 0.5, beta = -2.0> (x, y, one)
    s = ReduceSumSquare <axes = [1], keepdims = 0> (x)
    less = Cast <to = 1> (x)
    t = ReduceLogSumExp <axes = [1], keepdims = 0> (less)
}"""


@pytest.mark.parametrize("target", ["openvino", "tract"])
@pytest.mark.parametrize("opset", [17, None])
def test_attributes_that_programs_do_not_write(tmp_path: Path, target: str, opset: int | None) -> None:
    require(target)
    net = saved(tmp_path, SCALED)

    @graph_program
    def program(x: Float64[Tensor, "n m"], y: Float64[Tensor, "m k"]) -> Any:
        return net(x, y)

    program.export(tmp_path / "m.onnx", target=target, opset=opset, verify=False)
    args = A([[1.0, 2.0, 300.0], [-1.0, 0.5, 3.0]]), np.ones((3, 2))
    found = RUNTIMES[target].load(tmp_path / "m.onnx")(dict(zip("xy", args, strict=True)))
    for array, wanted in zip(found.values(), program.python(*args), strict=True):
        assert np.allclose(array, wanted, rtol=1e-5)


def test_two_versions_of_a_domain(tmp_path: Path) -> None:
    """What means the same in both is in the newer one."""
    text = 'g (float[n, m] x) => (float[n, m] y) { y = ai.onnx.ml.Normalizer <norm = "L1"> (x) }'
    old = saved(tmp_path, text)
    newer = onnx.load(tmp_path / "net.onnx")
    newer.opset_import[1].version = 3
    onnx.save(newer, tmp_path / "newer.onnx")
    new = load_onnx(tmp_path / "newer.onnx")

    @graph_program
    def program(x: Float32[Tensor, "n m"]) -> Any:
        return old(x), new(x * 2)

    x = A([[1.0, 3.0], [2.0, 2.0]], np.float32)
    assert not differs(program(x), program.python(x))
    for portable in (False, True):
        program.export(tmp_path / "m.onnx", portable=portable)
