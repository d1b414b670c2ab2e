"""Whoever loads a file with default options is told nothing by onnxruntime."""

from __future__ import annotations

import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnx.parser
import onnx_ir as ir
import pytest

from graph_program import Bool, Float32, Float64, Int16, Int32, Tensor, UInt8, graph_program
from graph_program.backends.onnx.implicit_inputs import keep_apart
from tests.exported.test_web import calls, program_of
from tests.transform.sessions import run

LOAD = "import sys, onnxruntime\nfor path in sys.argv[1:]: onnxruntime.InferenceSession(path)"


def told(folder: Path, models: list[onnx.ModelProto]) -> str:
    """What a process prints that loads models."""
    paths = [str(folder / f"{number}.onnx") for number in range(len(models))]
    for model, path in zip(models, paths, strict=True):
        onnx.save(model, path)
    done = subprocess.run([sys.executable, "-c", LOAD, *paths], capture_output=True, text=True, check=True)
    return done.stdout + done.stderr


def both_in_a_nest(x: Int32[Tensor, "n"], z: Float32[Tensor, "n"], b: Float64[Tensor, "n"], k: int) -> Any:
    """Arrays and what they are cast to and cut to, in a loop in a branch."""
    r, q, c, d = x.astype(np.int64), z.astype(np.float64), b[1:], x[:-1]
    total = 0.0
    if k > 3:
        for i in range(k):
            j = i % len(d)
            total += float(x[j] * r[j]) + float(z[j]) * q[j] + b[j] * c[j] + float(d[j])
    return total + float(r.sum()) + q.sum() + c.sum() + float(d.sum())


def inverse(x: Float64[Tensor, "n n"], k: int) -> Any:
    return np.linalg.inv(x) if k > 0 else x


def rounded(x: Float64[Tensor, "n"], counts: Int32[Tensor, "n"]) -> Any:
    found = []
    for i in range(len(x)):
        if x[i] > 0:
            for j in range(i):
                found.append(int(counts[j]) * x[i] + float(counts[i]))
    return np.array(found)


def of_narrow_integers(b: UInt8[Tensor, "n"], c: Int16[Tensor, "n"], holds: Bool[Tensor, "n"], k: int) -> Any:
    """Element types of which onnxruntime's `Max` knows nothing."""
    d, e, f, g = b[1:], c[:-1], holds[1:], holds.astype(np.uint8)
    total = 0
    if k > 3:
        for i in range(k):
            j = i % len(d)
            total += int(b[j]) * int(d[j]) + int(c[j]) - int(e[j])
            if holds[j] and not f[j]:
                total += int(g[j])
    return total + int(d.sum()) + int(e.sum()) + int(f.sum()) + int(g.sum())


def one_side_each(signal: Float64[Tensor, "n"], a: int, b: int) -> Any:
    """What goes into a cast is told where a check fails, and what comes out is computed with where none does."""
    if b > 100 * a:
        raise ValueError(f"{b} is more")
    out = np.zeros(signal.shape[0] * b // a)
    for i in range(len(out)):
        k = int(i * a / b)
        out[i] = signal[k] + signal[k + 1] if k + 1 < len(signal) else signal[-1]
    return out


def of_narrow_numbers(start: np.int8, stop: np.int16, step: np.int32) -> Any:
    return np.arange(start, stop, step)


def fractions_of_sizes(x: Float64[Tensor, "h w c"], least: float) -> Any:
    """A size that counts rounds, and the same as a float, both of which are vectors of one element in the file."""
    found = []
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            place = (j + x[i, j, 0]) / x.shape[1]
            for k in range(x.shape[2]):
                if place * x[i, j, k] > least:
                    found.append(place * k)
    return found


def of_functions(x: Float64[Tensor, "n m"], q: Float64[Tensor, "k"]) -> Any:
    """What a function of the model gives is read in branches."""
    return np.quantile(x, q, axis=-1).sum(axis=1) + np.nanpercentile(x, q * 100)


NESTS = {
    of_narrow_numbers: (np.int8(5), np.int16(-5), np.int32(-2)),
    one_side_each: (np.arange(9.0), 2, 3),
    both_in_a_nest: (np.arange(4, dtype=np.int32), np.ones(4, np.float32), np.arange(4.0), 5),
    inverse: (np.eye(6) * 2 + 1, 1),
    of_narrow_integers: (*(np.arange(4, dtype=t) for t in (np.uint8, np.int16)), np.array([1, 0, 1, 0], bool), 5),
    fractions_of_sizes: (np.arange(12.0).reshape(2, 3, 2) % 5, 1.0),
    of_functions: (np.arange(6.0).reshape(2, 3), np.array([0.25, 0.4])),
    rounded: (np.arange(4.0), np.arange(4, dtype=np.int32)),
}


def test_of_nests(tmp_path: Path) -> None:
    assert told(tmp_path, [graph_program(nest).model(args) for nest, args in NESTS.items()]) == ""


NUMBER = """
<ir_version: 10, opset_import: ["": 20]>
numbers (int64 x, bool c) => (bool r) {
    b = Cast<to = 9>(x)
    r = If (c) <
        then_branch = yes () => (bool y) { z = Cast<to = 9>(x) y = Or(b, z) },
        else_branch = no () => (bool n) { n = Not(b) }
    >
}
"""


def test_of_a_boolean_that_is_a_number(tmp_path: Path) -> None:
    model = onnx.shape_inference.infer_shapes(onnx.parser.parse_model(NUMBER))
    assert "b cannot be safely updated to x" in told(tmp_path, [model])
    made = ir.from_proto(model)
    keep_apart(made, lambda name: name, {})
    assert [node.op_type for node in made.graph] == ["Cast", "And", "If"]
    assert told(tmp_path, [ir.to_proto(made)]) == ""


def test_what_nobody_hears_is_not_avoided() -> None:
    made = ir.from_proto(onnx.shape_inference.infer_shapes(onnx.parser.parse_model(NUMBER)))
    keep_apart(made, lambda name: name, {}, heard=False)
    assert [node.op_type for node in made.graph] == ["Cast", "If"]


@pytest.mark.parametrize("nest", NESTS, ids=lambda nest: nest.__name__)
def test_nests_give_what_python_gives(nest: Any) -> None:
    args = NESTS[nest]
    np.testing.assert_allclose(run(graph_program(nest).model(args), args)[0], nest(*args))


def test_of_samples(tmp_path: Path) -> None:
    with warnings.catch_warnings(action="ignore"):
        models = [program_of(name).model(args[0]) for name, args in calls().items()]
    assert told(tmp_path, models) == ""
