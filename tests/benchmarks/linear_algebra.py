"""Functions of `np.linalg` as programs against NumPy's own: time and error, over the size of the matrix.

Those of small matrices are measured as files, too: what onnxruntime takes for a graph that knows the size, without
loops, and for one that does not; and so is a filter that inverts a matrix of known size in each step.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from graph_program import Float64, Tensor, graph_program
from tests.benchmarks.measure import Row, interleaved, three_digits

SIZES = [4, 16, 64, 256]
EPSILON = float(np.finfo(np.float64).eps)
Array = np.ndarray[Any, Any]


def solve(a: Array, b: Array) -> Any:
    return np.linalg.solve(a, b)


def inv(a: Array, b: Array) -> Any:
    return np.linalg.inv(a)


def det(a: Array, b: Array) -> Any:
    return np.linalg.det(a)


def cholesky(a: Array, b: Array) -> Any:
    return np.linalg.cholesky(a)


def qr(a: Array, b: Array) -> Any:
    return np.linalg.qr(a)


def eigvalsh(a: Array, b: Array) -> Any:
    return np.linalg.eigvalsh(a)


def svdvals(a: Array, b: Array) -> Any:
    return np.linalg.svdvals(a)


FUNCTIONS: list[Callable[..., Any]] = [solve, inv, det, cholesky, qr, eigvalsh, svdvals]


SMALL_SIZES = [1, 2, 3, 4, 8]
SMALL: list[Callable[..., Any]] = [solve, inv, det, cholesky]
STEPS = 500


def kalman(f: Array, h: Array, q: Array, r: Array, p: Array, zs: Array) -> Any:
    x, out = np.zeros(len(f)), np.zeros((len(zs), len(f)))
    for t in range(len(zs)):
        x = f @ x
        p = f @ p @ f.T + q
        gain = p @ h.T @ np.linalg.inv(h @ p @ h.T + r)
        x = x + gain @ (zs[t] - h @ x)
        p = (np.eye(len(f)) - gain @ h) @ p
        out[t] = x
    return out


KALMAN_DIMS = {"f": "n n", "h": "m n", "q": "n n", "r": "m m", "p": "n n", "zs": "t m"}
KALMAN_SIZES = {"n": 4, "m": 2}


def error(found: Any, expected: Any) -> float:
    """The largest difference, in units of the last place of the largest element."""
    pairs = zip(found, expected, strict=True) if isinstance(found, tuple) else [(found, expected)]
    return max(float(np.abs(f - e).max() / np.abs(e).max()) for f, e in pairs) / EPSILON


def rows(quick: bool) -> list[Row]:
    """One row for each function and size: our time, NumPy's, the difference; the ratio of times."""
    found = small_rows(quick)
    for function in FUNCTIONS[:2] if quick else FUNCTIONS:
        program = graph_program(function, backend="onnxruntime")
        for n in SIZES[:2] if quick else SIZES:
            random = np.random.default_rng(n)
            factor = random.normal(size=(n, n))
            args = (factor @ factor.T / n + np.eye(n), random.normal(size=n))
            difference = error(program(*args), function(*args))
            work = {"ours": lambda p=program, a=args: p(*a), "NumPy": lambda f=function, a=args: f(*a)}
            seconds = interleaved(work, 3 if quick else 7)
            ours, numpys = (three_digits(seconds[name] * 1e6) for name in ("ours", "NumPy"))
            told = f"{ours} us, NumPy {numpys} us, {three_digits(difference)} ulps apart"
            found.append(Row("linear_algebra", f"{function.__name__} n={n}", told, _ratio(seconds)))
    return found


def small_rows(quick: bool) -> list[Row]:
    """One row for each function of small matrices: nodes, depth and time with sizes known and not; the ratio."""
    found = []
    for function in SMALL[1:2] if quick else SMALL:
        for n in SMALL_SIZES[1:2] if quick else SMALL_SIZES:
            dims = {"a": "n n", "b": "n"}
            random = np.random.default_rng(n)
            factor = random.normal(size=(n, n))
            args = {"a": factor @ factor.T / n + np.eye(n), "b": random.normal(size=n)}
            found.append(_small_row(f"{function.__name__} n={n}", function, dims, {"n": n}, args, 1, quick))
    state = {"f": np.eye(4) + np.eye(4, k=2), "h": np.eye(2, 4), "q": 0.01 * np.eye(4), "r": np.eye(2), "p": np.eye(4)}
    args = {**state, "zs": np.random.default_rng(0).normal(size=(STEPS, 2))}
    return [*found, _small_row("a step of a Kalman filter", kalman, KALMAN_DIMS, KALMAN_SIZES, args, STEPS, quick)]


def _small_row(
    name: str,
    function: Callable[..., Any],
    dims: dict[str, str],
    sizes: dict[str, int],
    args: dict[str, Array],
    steps: int,
    quick: bool,
) -> Row:
    """A program whose sizes are known beside the same one whose are not."""
    known = {a: " ".join(str(sizes.get(d, d)) for d in text.split()) for a, text in dims.items()}
    models = {"known": _model(function, known), "unknown": _model(function, dims)}
    work = {of: _session_call(model, args) for of, model in models.items()}
    seconds = interleaved(work, 3 if quick else 9, max(1, STEPS // steps))
    told = ", ".join(
        f"{of}: {_nodes_and_depth(models[of].graph)}, {three_digits(seconds[of] / steps * 1e6)} us" for of in models
    )
    return Row("linear_algebra", name, told, three_digits(seconds["known"] / seconds["unknown"]))


def _model(function: Callable[..., Any], dims: dict[str, str]) -> Any:
    """The file of a function for matrices of these sizes."""
    old = function.__annotations__
    function.__annotations__ = {name: Float64[Tensor, text] for name, text in dims.items()}
    try:
        return graph_program(function).model()
    finally:
        function.__annotations__ = old


def _session_call(model: Any, args: dict[str, Array]) -> Callable[[], Any]:
    """A call of a file in onnxruntime, with nothing of ours around it."""
    import onnxruntime

    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    given = {value.name: args[value.name] for value in session.get_inputs()}
    return lambda: session.run(None, given)


def _nodes_and_depth(graph: Any) -> str:
    """How many nodes a graph has, and how deep they are nested."""
    depths = list(_depths(graph, 0))
    return f"{len(depths)} nodes {max(depths)} deep"


def _depths(graph: Any, depth: int) -> Iterator[int]:
    for node in graph.node:
        yield depth
        for attribute in node.attribute:
            if attribute.HasField("g"):
                yield from _depths(attribute.g, depth + 1)


def _ratio(seconds: dict[str, float]) -> str:
    return three_digits(seconds["ours"] / seconds["NumPy"])
