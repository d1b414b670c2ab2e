"""Programs with bfloat16 arrays and numbers, compared with what NumPy and ml_dtypes compute: bit for bit."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jaxtyping
import ml_dtypes
import numpy as np
import onnx
import onnxruntime
import pytest
from ml_dtypes import bfloat16

from graph_program import BFloat16, Float, Float32, GraphProgramError, Shaped, Tensor, graph_program, host_function
from tests.fuzz.check import by_numpy, other_program
from tests.programs.plain import Cases, check, check_or_refused, differs, outcome

Array = np.ndarray[Any, Any]
random = np.random.default_rng(0)
X = random.standard_normal(7).astype(bfloat16)
Y = (3 * random.standard_normal(7)).astype(bfloat16)
M = random.standard_normal((3, 4)).astype(bfloat16)
C = random.standard_normal((3, 4, 5)).astype(bfloat16)
SPECIAL = np.array([1, np.nan, 3, -0.0, np.inf, -np.inf, 3e38, 1e-40], bfloat16)
WEIGHTS = random.standard_normal((4, 3)).astype(bfloat16)


@dataclass
class Layer:
    w: Array
    b: Array

    def __call__(self, x: Array) -> Array:
        return x @ self.w + self.b


LAYER = Layer(WEIGHTS, random.standard_normal(3).astype(bfloat16))
cases = Cases()


@cases((X,))
def unchanged(x: Array) -> Any:
    return x, x.copy(), x.shape, x.dtype == bfloat16, x.dtype.itemsize, x.nbytes


@cases((X.astype(np.float32) * np.float32(1.37), X.astype(np.float64) * 137))
def converted(x: Array, y: Array) -> Any:
    return x.astype(bfloat16), y.astype(bfloat16), y.astype(int).astype(bfloat16), (x > 0).astype(bfloat16)


@cases((X,))
def converted_back(x: Array) -> Any:
    wide = x.astype(np.float32), x.astype(np.float64), x.astype(np.float16), x.astype(np.complex64)
    return wide, x.astype(bool), (x * 100).astype(np.int32), np.float32(x), np.float64(x[0]), x.tolist(), x.item(2)


@cases((X, Y))
def arithmetic(x: Array, y: Array) -> Any:
    return x + y, (x * y + x) / (y - x), x // y, x % y, divmod(x, y), -x, abs(y), x * x * y


@cases((X,), (X[:0],))
def promotion(x: Array) -> Any:
    weak = x + 1, x * 1.5, x / 3, x - True, 2 * x, 1.0 / x, x**2, x**0.5, x * 1j, x + 2**40
    return weak, x + np.float32(2), x + np.float16(2), x + np.float64(2), x + np.int64(3), x + np.int8(3)


@cases((X[3], Y[1], 3, 2.5, True))
def numbers(a: Any, b: Any, n: int, f: float, t: bool) -> Any:
    own = a + b, a < b, a == a, b // a, b % a, divmod(b, a), -a, abs(b), a * a, a.item(), a.dtype
    mixed = a + n, n - a, a * f, f / a, a + t, a**n, n // a, a % f, a < n, a == f
    return (
        own,
        mixed,
        float(a),
        int(b * 10),
        bool(a),
        max(a, b),
        min(a, b),
        np.sqrt(b * b),
        type(a),
        a.astype(np.float32),
    )


@cases((1.37, 300))
def made_of_numbers(f: float, n: int) -> Any:
    known = bfloat16(1.37), ml_dtypes.bfloat16(257), np.array([1, 2.5], bfloat16), np.eye(2).astype(bfloat16)
    return (
        known,
        bfloat16(f),
        bfloat16(n),
        np.full(3, f, bfloat16),
        np.array([f, n], bfloat16),
        np.zeros(n % 7, bfloat16),
    )


@cases((X, Y))
def comparisons(x: Array, y: Array) -> Any:
    return x < y, x == y, x >= 1, x != 0.5, x > y, np.array_equal(x, y), (x > 0).any(), x.all(), np.isfinite(x)


@cases((np.abs(X), Y))
def functions(x: Array, y: Array) -> Any:
    rounding = np.floor(y), np.ceil(y), np.trunc(y), np.rint(y), np.sign(y), np.copysign(x, y), np.signbit(y)
    powers = np.exp(x), np.exp2(y), np.expm1(y), np.log(x), np.log1p(x), np.sqrt(x), np.cbrt(y), np.power(x, y), x**2
    angles = np.sin(y), np.cos(y), np.tanh(y), np.arctan2(x, y), np.hypot(x, y), np.deg2rad(y), np.radians(y)
    return rounding, powers, angles, np.logaddexp(x, y), np.logaddexp2(x, y), np.heaviside(y, x), np.modf(y)


@cases((np.abs(X), Y))
def more_functions(x: Array, y: Array) -> Any:
    chosen = (
        np.maximum(x, y),
        np.minimum(x, y),
        np.fmax(x, y),
        np.clip(y, 0, 1),
        y.clip(x[0], x[1]),
        np.clip(y, None, 0),
    )
    return chosen, np.square(x), np.reciprocal(x), np.fmod(y, x), np.ldexp(y, 3), np.float_power(x, y), np.fabs(y)


@cases((SPECIAL,))
def special_values(x: Array) -> Any:
    tests = np.isnan(x), np.isfinite(x), np.signbit(x), np.nonzero(x), x.any(), x.all()
    return (
        tests,
        x + 1,
        x * 2,
        x * x,
        np.sign(x),
        x.max(),
        x.argmax(),
        x.argmin(),
        np.fmax(x, x[2]),
        x.sum(),
        x.cumsum(),
    )


@cases((X, Y))
def choices(x: Array, y: Array) -> Any:
    return np.where(x > y, x, y), np.where(x > 0, x, 0), np.where(x > 0, x, 0.5), np.select([x > 0, y > 0], [x, y], 0)


@cases((M,), (M[:0],), (M.T,), (M[::2, ::-1],))
def moved(m: Array) -> Any:
    parts = m.T, m.reshape(-1), m[:1], m[:, ::-1], m[None], m[1:, 2:], m.ravel(), m[m > 0], m[:, [0, 2]], m[..., -1]
    joined = np.concatenate([m, m * 2]), np.stack([m, m]), np.concatenate([m, m.astype(np.float32)]), np.vstack([m, m])
    return parts, joined, np.broadcast_to(m, (2, *m.shape)), np.flip(m), np.roll(m, 1), np.tile(m, 2), np.repeat(m, 2)


@cases((X.copy(),))
def written(x: Array) -> Any:
    x[1:3] = x[3:5]
    x[0] += 1
    x *= bfloat16(1.5)
    x[-1] = 2.7
    x[2] = np.float32(1.1)
    x -= 0.3
    x[[1, 4]] = 7
    x[x < 0] = 0
    whole = np.zeros(7, np.int32)
    whole[:3] = x[:3] * 50
    whole[4] = x[5] * 10
    return x.sum(), whole


@cases((M,), (M[:, :0],))
def sums(m: Array) -> Any:
    whole = m.sum(), m.prod(), m.mean(), m.var(), m.std(), m.cumsum(), m.sum(dtype=np.float32), np.add.reduce(m)
    rows = m.sum(axis=0), m.mean(axis=0), m.std(axis=0), m.cumsum(axis=0), m.sum(axis=0, where=m > 0), m.max(axis=0)
    return (
        whole,
        rows,
        m.sum(1),
        m.sum(axis=-1, keepdims=True),
        m.cumprod(axis=1),
        m.prod(axis=0),
        m.var(axis=1, ddof=1),
    )


@cases((C,))
def sums_over_axes(c: Array) -> Any:
    return c.sum(), c.sum(axis=(0, 2)), c.sum((1, 2)), c.mean(axis=(0, 1), keepdims=True), c.prod(axis=1), c.cumsum(-1)


@cases((np.arange(1, 700).astype(bfloat16),))
def sums_that_stop(x: Array) -> Any:
    """256 + 1 is 256."""
    return x.sum(), x.mean(), x.std(), np.ones(300, bfloat16).sum(), x.cumsum()[-1], x[::-1].sum(), x[::2].sum()


@cases((X, Y, M))
def products(x: Array, y: Array, m: Array) -> Any:
    inner = np.dot(x, y), np.inner(x, y), np.vdot(x, y), np.outer(x, y), np.tensordot(x, y, 1)
    return inner, x @ y, m @ WEIGHTS, np.matmul(m, WEIGHTS), np.dot(m, WEIGHTS), LAYER(m), LAYER.b * 2


LONG = random.standard_normal(60).astype(bfloat16)
DISTINCT = random.permutation(np.unique(random.standard_normal(40).astype(bfloat16).astype(np.float32))).astype(
    bfloat16
)
SQUARE = random.standard_normal((4, 4)).astype(bfloat16)


@cases((LONG, Y))
def functions_of_vectors(x: Array, y: Array) -> Any:
    lines = np.convolve(x, y), np.correlate(x, y, "full"), np.trapezoid(x), np.diff(x, 2), np.interp(x, [-1, 1], [0, 5])
    means = np.average(x), np.average(abs(x), weights=abs(x)), np.cov(x), np.ptp(x), np.linalg.norm(x), np.nansum(x)
    edited = np.pad(x, 2, mode="reflect"), np.delete(x, 0), np.insert(x, 1, 5), np.append(x, y), np.meshgrid(y, y)
    return lines, means, edited, np.isclose(x, x * bfloat16(1.01), rtol=0.02), np.round(x, 1), np.cross(x[:3], y[:3])


@cases((SQUARE, Y[:4]))
def linear_algebra(a: Array, b: Array) -> Any:
    solved = np.linalg.solve(a, b), np.linalg.inv(a), np.linalg.det(a), np.linalg.pinv(a), np.linalg.norm(a, axis=0)
    return solved, np.trace(a), np.tril(a), np.diag(a), np.kron(a, b), np.linalg.svd(a, compute_uv=False)


@cases((LONG, DISTINCT), (LONG[:1], DISTINCT[:2]))
def orders(x: Array, y: Array) -> Any:
    ends = np.median(x), sorted(x)[:4], max([x[0], x[-1]], key=lambda v: -v), np.argsort(x, kind="stable")
    found = np.searchsorted(np.sort(x), y), np.digitize(x, np.array([-1.0, 0, 1])), np.unique(x, return_counts=True)
    return np.sort(x), ends, found, np.argsort(y), np.isin(x, y), np.setdiff1d(x, y), np.partition(y, 1)[1]


@cases((LONG,))
def ufunc_methods(x: Array) -> Any:
    running = np.add.accumulate(x), np.multiply.accumulate(x[:9]), np.maximum.accumulate(x), np.hypot.accumulate(x)
    reduced = np.logaddexp.reduce(x), np.subtract.reduce(x), np.maximum.reduce(x), np.add.reduceat(x, [0, 3, 10])
    return running, reduced, np.add.outer(x[:3], x[:2]), np.less.outer(x[:2], x[:3])


@cases((3,), (0,))
def ranges(n: int) -> Any:
    counted = np.arange(n, dtype=bfloat16), np.arange(n * 100, dtype=bfloat16), np.arange(n, -2, -1, dtype=bfloat16)
    return (
        counted,
        np.arange(1, n, 0.25, dtype=bfloat16),
        np.linspace(0, n, 300, dtype=bfloat16),
        np.eye(n, dtype=bfloat16),
    )


@cases((M,))
def softmax(m: Array) -> Any:
    powers = np.exp(m - m.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


@cases((X, 12), (X, 0))
def carried(x: Array, n: int) -> Any:
    y, steps = x, 0
    while np.max(np.abs(y)) > bfloat16(0.01) and steps < n:
        y = y * bfloat16(0.5) + x / 8
        steps += 1
    return y, steps


@cases((X,))
def summed_in_python(x: Array) -> Any:
    total = bfloat16(0)
    for v in x:
        total = total + v
    largest = None
    for v in x:
        if largest is None or v > largest:
            largest = v
    return total, largest, sum(x), max(x), [v * 2 for v in x], np.array([v + 1 for v in x if v > 0])


@cases((X,))
def merged(x: Array) -> Any:
    best: Any = -1
    for v in x:
        if v > 0:
            best = v
    share: Any = 0.3
    for v in x:
        if v > 0:
            share = v
    return best, share, x if x[0] > 0 else x.astype(np.float32) * 2


@cases((X, 2), (X, 0))
def type_that_changes(x: Array, n: int) -> Any:
    y = x
    for _ in range(n):
        y = y * 0.5
    return y


@cases.each
def test_programs(fn: Any, inputs: Any) -> None:
    check(fn, *inputs)


@cases.each
def test_the_reference_backend_gives_the_same(fn: Any, inputs: Any) -> None:
    program = other_program(graph_program(fn), by_numpy)
    for args in inputs:
        assert not differs(outcome(fn, args), outcome(program, args))


# ---------------------------------------------------------------- what is raised, refused and said


def test_exceptions_are_numpys() -> None:
    def bits(x: Array) -> Any:
        return x & x

    def rounded(x: Array) -> Any:
        return round(x[0])

    def joined(x: Array) -> Any:
        return np.concatenate([x, np.ones(2, int)])

    def outside(x: Array) -> Any:
        return x[9]

    for fn in (bits, rounded, outside):
        check_or_refused(fn, (X,))
    with pytest.raises(GraphProgramError, match="could not be promoted"):
        graph_program(joined)(X)


def test_messages_show_the_numbers() -> None:
    def shown(x: Array) -> Any:
        if x[0] < 100:
            raise ValueError(f"{x[0]} {x[1]!r} {x[2]:.3f}", x[3])
        return x

    check(shown, (X,), (X + 200,))


@pytest.mark.parametrize("function", [np.gradient, np.fft.fft, np.spacing, np.frexp, np.nanmax, np.sinc])
def test_what_is_not_known_to_be_right_is_refused(function: Any) -> None:
    def called(x: Array) -> Any:
        return function(x)

    with pytest.raises(GraphProgramError):
        graph_program(called)(X)


@pytest.mark.parametrize("name", ["float8_e4m3fn", "float8_e5m2", "int4", "uint2"])
def test_other_types_are_refused(name: str) -> None:
    other = getattr(ml_dtypes, name)
    captured = np.ones(7, other)

    def made(x: Array) -> Any:
        return x.astype(other).astype(np.float32)

    def read(x: Array) -> Any:
        return x + captured.astype(np.float32)

    def given(x: Array) -> Any:
        return x.astype(np.float32)

    for fn, argument in ((made, X), (read, X), (given, X.astype(other))):
        with pytest.raises(GraphProgramError, match="use bfloat16, float16, float32 or float64"):
            graph_program(fn)(argument)


# ---------------------------------------------------------------- annotations, host code, models


def test_annotations() -> None:
    def doubled(x: jaxtyping.BFloat16[np.ndarray, "n"]) -> BFloat16[Tensor, "n"]:
        return x * 2

    def in_our_words(x: Shaped[Tensor, "bfloat16 [n]"]) -> Any:
        return x * 2

    def any_float(x: Float[Tensor, "n"]) -> Float[Tensor, "n"]:
        return x * 2

    for fn in (doubled, in_our_words, any_float):
        check(fn, (X,))
    assert str(graph_program(doubled).signature) == "doubled: bfloat16 [n] -> bfloat16 [n]"

    def single(x: Float32[Tensor, "n"]) -> Any:
        return x * 2

    def widened(x: BFloat16[Tensor, "n"]) -> BFloat16[Tensor, "n"]:
        return x * 2.0

    with pytest.raises(GraphProgramError, match="expected float32"):
        graph_program(single)(X)
    with pytest.raises(GraphProgramError, match="annotated bfloat16"):
        graph_program(widened)(X)


@host_function
def measured(x: Array) -> float:
    assert x.dtype == bfloat16
    return float(x[0])


@host_function
def weighed(v: Any) -> float:
    assert type(v) is bfloat16
    return float(v) + 1


@pytest.mark.parametrize("way", ["operators", "segments"])
def test_host_code_is_handed_bfloat16(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRAPH_PROGRAM_HOST", way)

    def program(x: Array) -> Any:
        v: float = measured(x * 2)
        total = 0.0
        for y in x:
            w: float = weighed(y)
            total += w
        return x * v, total

    check(program, (X,))


@graph_program
def exported(x: BFloat16[Tensor, "n 4"], n: int) -> BFloat16[Tensor, "n 3"]:
    y = (x @ WEIGHTS).astype(bfloat16)
    while n > 0:
        y = y * bfloat16(0.5) if y[0, 0] > 0 else y + x.sum()
        n -= 1
    return y


def test_a_model_takes_and_gives_bfloat16(tmp_path: Path) -> None:
    path = tmp_path / "model.onnx"
    exported.export(str(path))
    model = onnx.load(str(path))
    onnx.checker.check_model(model, full_check=True)
    types = [i.type.tensor_type.elem_type for i in (*model.graph.input, *model.graph.output)]
    assert types[0] == types[2] == onnx.TensorProto.BFLOAT16
    assert any(i.data_type == onnx.TensorProto.BFLOAT16 and list(i.dims) == [4, 3] for i in model.graph.initializer)
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    given = onnxruntime.OrtValue.ortvalue_from_numpy_with_onnx_type(M.view(np.uint16), onnx.TensorProto.BFLOAT16)
    count = onnxruntime.OrtValue.ortvalue_from_numpy(np.array(3))
    (found, *_) = session.run_with_ort_values(None, {"x": given, "n": count})
    assert found.data_type() == "tensor(bfloat16)" and found.shape() == [3, 3]
    assert not differs(outcome(exported.python, (M, 3)), outcome(exported, (M, 3)))


def test_types_of_unannotated_programs_are_left_to_the_call() -> None:
    def scaled(x: Any, n: Any) -> Any:
        for _ in range(n):
            x = np.maximum(x * LAYER.b, bfloat16(-1))
        return np.concatenate([x, LAYER.b])

    assert str(graph_program(scaled).signature).startswith("scaled: (")
    check(scaled, (X[:3], 2), (X[:3].astype(np.float32), 2))


def test_a_frozen_program_has_bfloat16_constants() -> None:
    def scaled(x: Array) -> Any:
        return x @ WEIGHTS, WEIGHTS * 2

    frozen = graph_program(scaled, freeze=True)
    assert not differs(scaled(M), frozen(M))


def test_ml_dtypes_is_imported_only_where_it_is_named() -> None:
    code = """
import sys
import numpy as np
import graph_program
assert "ml_dtypes" not in sys.modules
from graph_program.extract.arguments.argument_specs import spec_from_value
from graph_program.extract.stage.program import evaluate
assert "ml_dtypes" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", code], check=True)
