"""One kernel of an NPBench checkout, in this process: `python -m tests.benchmarks.npbench_kernel PATH NAME BACKEND`."""

from __future__ import annotations

import copy
import importlib.util
import json
import statistics
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from graph_program import GraphProgramError, graph_program
from tests.benchmarks.measure import decided
from tests.benchmarks.npbench import Report, encoded

BUDGET_S = 20.0
ROUNDS = 7
TOLERANCE = {4: 1e-3, 8: 1e-7, 16: 1e-7}
"""Relative to the largest element, by the bytes of an element: sums are of other orders, steps amplify rounding."""


def loaded(path: Path) -> ModuleType:
    """A module from its file."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


def prepared(checkout: Path, kernel: str) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    """A kernel's function and its arguments for the preset "S"."""
    info = json.loads((checkout / "bench_info" / f"{kernel}.json").read_text(encoding="utf-8"))["benchmark"]
    folder = checkout / "npbench" / "benchmarks" / info["relative_path"]
    data: dict[str, Any] = dict(info["parameters"]["S"])
    begin = info.get("init")
    if begin:
        initialize = getattr(loaded(folder / f"{info['module_name']}.py"), begin["func_name"])
        made = initialize(*[data[name] for name in begin["input_args"]])
        names = begin["output_args"]
        data.update(zip(names, made if len(names) > 1 else [made], strict=True))
    module = loaded(folder / f"{info['module_name']}_numpy.py")
    return getattr(module, info["func_name"]), tuple(data[name] for name in info["input_args"])


def difference(expected: Any, found: Any, place: str = "the result") -> str:
    """How two values differ, or an empty text."""
    if type(expected) is not type(found):
        return f"{place}: {type(found).__name__} instead of {type(expected).__name__}"
    if isinstance(expected, tuple | list):
        if len(expected) != len(found):
            return f"{place}: {len(found)} items instead of {len(expected)}"
        pairs = enumerate(zip(expected, found, strict=True))
        return next(filter(None, (difference(a, b, f"{place}[{k}]") for k, (a, b) in pairs)), "")
    if isinstance(expected, np.ndarray | np.generic):
        if (expected.dtype, expected.shape) != (found.dtype, found.shape):
            return f"{place}: {found.dtype}{found.shape} instead of {expected.dtype}{expected.shape}"
    elif not isinstance(expected, float):
        return "" if expected == found else f"{place}: {found!r} instead of {expected!r}"
    return "" if close(np.asarray(expected), np.asarray(found)) else f"{place}: other values"


def close(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether arrays are equal to rounding; exactly, if they are not of floating-point numbers."""
    if a.dtype.kind not in "fc":
        return np.array_equal(a, b)
    tolerance = TOLERANCE[a.real.itemsize]
    scale = np.abs(a[np.isfinite(a)]).max(initial=0.0)
    return bool(np.allclose(b, a, rtol=tolerance, atol=tolerance * scale, equal_nan=True))


def once(function: Callable[..., Any], args: tuple[Any, ...]) -> tuple[float, Any, tuple[Any, ...]]:
    """The processor's seconds of one call on copies, its result, and the arguments as it left them."""
    args = copy.deepcopy(args)
    start = time.process_time()
    result = function(*args)
    return time.process_time() - start, result, args


def warm_up() -> None:
    """Import what a first extraction imports, so that its time is none of the kernel's."""
    graph_program(lambda x: x + 1).model((np.ones(1),))


def report(kernel: str, backend: str, function: Callable[..., Any], args: tuple[Any, ...], quick: bool) -> Report:
    """Compare a kernel's program with its function, and time both, each with one thread."""
    first_numpy, expected, arguments = once(function, args)
    warm_up()
    chosen = ""
    try:
        if backend == "auto":  # is asked without `threads`, which are onnxruntime's
            asked = graph_program(function)
            backend = chosen = decided(asked, lambda: once(asked, args))
        program = graph_program(function, backend=backend, threads=1)
        start = time.process_time()
        model = program.model(copy.deepcopy(args))
        extraction = time.process_time() - start
        first, found, written = once(program, args)
    except GraphProgramError as error:
        return Report(kernel, backend, "refused", f"{error.diagnostic.code} {error.diagnostic.message}")
    told = difference(expected, found) or difference(arguments, written, "the arguments")
    if told:
        return Report(kernel, backend, "wrong", told)
    nodes = counted(model.graph)
    result = Report(kernel, backend, "equal", "", extraction, first, model.ByteSize(), nodes, chosen=chosen)
    rounds = 1 if quick else max(1, min(ROUNDS, int(BUDGET_S / (first + first_numpy))))
    pairs = [(once(program, args)[0], once(function, args)[0]) for _ in range(rounds)]
    ours, numpy = (statistics.median(column) for column in zip(*pairs, strict=True))
    return replace(result, ours=ours, numpy=numpy)


def counted(graph: Any) -> int:
    """The nodes of a graph and of the graphs inside it."""
    inner = (a.g for node in graph.node for a in node.attribute if a.HasField("g"))
    return len(graph.node) + sum(map(counted, inner))


def main() -> int:
    """Print the report as one line of JSON."""
    checkout, kernel, backend, quick = Path(sys.argv[1]), sys.argv[2], sys.argv[3], bool("".join(sys.argv[4:]))
    function, args = prepared(checkout, kernel)
    warnings.simplefilter("ignore")
    with np.errstate(all="ignore"):
        print(encoded(report(kernel, backend, function, args, quick)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
