"""Operators as networks write them, with defaults, attributes and inputs that programs never have, in files.

What a file says of their shapes is inferred by us (`backends/onnx/shapes`): it holds for all sizes, or is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest

from graph_program import Float32, GraphProgramError, Tensor, graph_program, load, load_onnx
from graph_program.verification.probe import Case, cases
from graph_program.verification.runtimes import plain
from tests.programs.plain import differs

FORMS: list[dict[str, Any]] = [
    {},
    {"portable": True},
    {"portable": True, "opset": 24},
    {"target": "openvino", "verify": False},
    {"target": "tract", "verify": False},
]
BOTH_WAYS = """(float[n, 4] x) => (float[n, 2, 1, 3] y) <int64[1] axis = {{1}}> {{
    s = Unsqueeze (x, axis)
    some = Constant <value_float = 0.25> ()
    of_inputs = Constant <value_ints = [2, {rows}, 4]> ()
    of_states = Constant <value_ints = [2, {rows}, 3]> ()
    w = Expand (some, of_inputs)
    r = Expand (some, of_states)
    y, last = {operator} <direction = "bidirectional", hidden_size = 3> (s, w, r)
}}"""
NETWORKS = {
    "transposed": "(float[n, 4] x) => (float[4, n] y) { y = Transpose (x) }",
    "sizes in an attribute": """(float[n, 4] x) => (float[a, b] y) {
        s = Constant <value_ints = [2, -1]> ()
        y = Reshape (x, s)
    }""",
    "a number in an attribute": """(float[n, 4] x) => (float[n, 4] y) {
        s = Constant <value_float = 2.5> ()
        t = Constant <value_floats = [2.5]> ()
        u = Mul (x, s)
        y = Add (u, t)
    }""",
    "halves": "(float[n, 4] x) => (float[n, 2] y) { y, z = Split <axis = 1> (x) }",
    "thirds": "(float[n, 4] x) => (float[a, 4] y) { y, z, w = Split <num_outputs = 3> (x) }",
    "a size that is kept": """(float[n, 4] x) => (float[a, b, c] y) <int64[3] s = {0, 2, -1}> {
        y = Reshape (x, s)
    }""",
    "rows that are kept": "(float[n, 4] x) => (float[a, b] y) <int64[2] s = {0, -1}> { y = Reshape (x, s) }",
    "rows that are kept, and used": """(float[n, 4] x) => (float[a, b] y) <int64[2] s = {0, -1}> {
        z = Reshape (x, s)
        w = Relu (z)
        w_t = Transpose (w)
        y = MatMul (w, w_t)
    }""",
    "no axes, no sum": "(float[n, 4] x) => (float[a, b] y) { y = ReduceSum <noop_with_empty_axes = 1> (x) }",
    "no axes, all summed": "(float[n, 4] x) => (float[a, b] y) { y = ReduceSum (x) }",
    "a product to a number": """(float[n, 4] x) => (float y)
    <int64[2] a = {1, -1}, int64[2] b = {-1, 1}, int64[0] e = {}> {
        l = Reshape (x, a)
        r = Reshape (x, b)
        p = MatMul (l, r)
        y = Reshape (p, e)
    }""",
    "deviations": """(float[n, 4] x) => (float[n, 4] y) <float[4] one = {1, 1, 1, 1}> {
        y, mean, inverse = LayerNormalization (x, one)
    }""",
    "means beside it": """(float[n, 4] x) => (float[n, a] y) <float[4] one = {1, 1, 1, 1}> {
        z, mean, inverse = LayerNormalization (x, one)
        y = Div (mean, inverse)
    }""",
    "normalized": """(float[n, 4] x) => (float[a, b, c, d] y) <int64[2] axes = {2, 3}> {
        u = Unsqueeze (x, axes)
        y = MeanVarianceNormalization (u)
    }""",
    "rows by places in a batch": """(float[n, 4] x) => (float[n, 1] y) <int64[1] axis = {1}> {
        z = ArgMax <axis = 1, keepdims = 1> (x)
        i = Unsqueeze (z, axis)
        y = GatherND <batch_dims = 1> (x, i)
    }""",
    "both ways": BOTH_WAYS.format(operator="RNN", rows=3),
    "both ways, gated": BOTH_WAYS.format(operator="GRU", rows=9),
}
SIZES = (3, 5, 6)


def network(text: str, folder: Path, opset: int = 20) -> Any:
    path = folder / "net.onnx"
    onnx.save(onnx.parser.parse_model(f'<ir_version: 8, opset_import: ["": {opset}]> net {text}'), path)
    return load_onnx(path)


@pytest.mark.parametrize("form", FORMS, ids=str)
@pytest.mark.parametrize("text", NETWORKS.values(), ids=NETWORKS)
def test_in_files_for_all_sizes(text: str, form: dict[str, Any], tmp_path: Path) -> None:
    """Exported without arguments, and run with arrays of other sizes, in a branch and out of it."""
    net = network(text, tmp_path, 17 if text == NETWORKS["halves"] else 20)

    @graph_program
    def called(x: Float32[Tensor, "n 4"]) -> Any:
        return net(x) * np.float32(2)

    @graph_program
    def chosen(x: Float32[Tensor, "n 4"], k: int) -> Any:
        return net(x) if k > 0 else net(x + x)

    for program, more in ((called, ()), (chosen, (1,)), (chosen, (0,))):
        try:
            program.export(tmp_path / "m.onnx", **form)
        except GraphProgramError as refusal:
            assert refusal.code == "GP547"
            continue
        file = load(tmp_path / "m.onnx")
        for size in SIZES:
            args = (np.arange(4.0 * size, dtype=np.float32).reshape(size, 4) / 7, *more)
            assert not differs(program.python(*args), file(*args))


OF_ONNXRUNTIME = {
    "CausalConvWithState": "it has no kernel for it, and writes its function out in the outermost graph only",
    "STFT": "it infers another shape than it computes, where the size of a frame is a constant",
}
"""Operators that onnxruntime runs in a file of their own, and not inside of a branch."""


def first_cases() -> Iterator[Case]:
    """The first case of each operator, and the first one with constants."""
    seen: set[tuple[str, bool]] = set()
    for case in cases(in_all_types=False):
        key = case.operator, case.name.endswith("constant")
        if key not in seen and all(array.dtype.kind != "U" for array in case.inputs.values()):
            seen.add(key)
            yield case


def of_each_count(net: Any) -> list[Callable[..., Any]]:
    """Calls of a network in both sides of a branch, for up to so many arguments."""

    def none(k: int) -> Any:
        if k > 0:
            return net()
        return net()

    def one(a: Any, k: int) -> Any:
        if k > 0:
            return net(a)
        return net(a)

    def two(a: Any, b: Any, k: int) -> Any:
        if k > 0:
            return net(a, b)
        return net(a, b)

    def three(a: Any, b: Any, c: Any, k: int) -> Any:
        if k > 0:
            return net(a, b, c)
        return net(a, b, c)

    def four(a: Any, b: Any, c: Any, d: Any, k: int) -> Any:
        if k > 0:
            return net(a, b, c, d)
        return net(a, b, c, d)

    return [none, one, two, three, four]


@pytest.mark.parametrize("case", [*first_cases()], ids=lambda case: case.name.removeprefix("test_"))
def test_each_operator_of_onnx(case: Case, tmp_path: Path) -> None:
    """A file with it gives what onnxruntime gives for the network alone, or is refused in words of ours."""
    path = tmp_path / "net.onnx"
    onnx.save(case.model, path)
    names = [value.name for value in case.model.graph.input if value.name in case.inputs]
    try:
        net = load_onnx(path)
        wanted = [*plain(path)(case.inputs).values()]
    except Exception as error:  # onnxruntime's classes of exceptions have no common base
        pytest.skip(f"onnxruntime does not run it: {str(error)[:80]}")
    if net.random or case.operator in OF_ONNXRUNTIME:
        pytest.skip(OF_ONNXRUNTIME.get(case.operator, "it gives other numbers each time"))
    if len(names) > 4:
        pytest.skip("more arguments than there are functions for")
    args = [case.inputs[name] for name in names]
    program = graph_program(of_each_count(net)[len(args)])
    for form in FORMS[:4]:
        try:
            program.export(tmp_path / "m.onnx", (*args, 1), **form)
        except GraphProgramError as refusal:
            assert refusal.code in ("GP547", "GP615"), refusal
            continue
        inputs = onnx.load(tmp_path / "m.onnx").graph.input
        given = dict(zip(("a", "b", "c", "d"), args, strict=False)) | {"k": np.array(1)}
        outputs = plain(tmp_path / "m.onnx")({value.name: given[value.name] for value in inputs})
        found = [array for name, array in outputs.items() if not name.startswith("error")]
        assert len(found) == len(wanted)
        for array, other in zip(found, wanted, strict=True):
            assert array.dtype == other.dtype and array.shape == other.shape
            np.testing.assert_allclose(array.astype(float), other.astype(float), 1e-5, 1e-6)
