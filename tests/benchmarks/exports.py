"""Models with many weights as files, beside `onnx.save` of the same arrays; and a first call in a fresh process.

Each export runs in a process of its own, whose largest resident size is read before the weights are there and at
the end: what is shown is what came to it, in bytes per byte of weights, the weights themselves included.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from tests.benchmarks.measure import Row, three_digits

MEGABYTES = {"200 MB": 200, "2.2 GB": 2200}
WAYS = {
    "export": "program.export(path, (x,))",
    "export, not verified": "program.export(path, (x,), verify=False)",
    "export, one file": "program.export(path, (x,), verify=False, external_data=False)",
    "onnx.save": "save_with_onnx(path, external=False)",
    "onnx.save, external data": "save_with_onnx(path, external=True)",
}
ONE_FILE = ("export, one file", "onnx.save")
"""What cannot hold 2 GiB."""

FIRST_CALL = """
import time
start = time.perf_counter()
from tests.benchmarks.models import network, random_network
import numpy as np
network(random_network(), np.ones((2, 14, 17), np.float32))
print(time.perf_counter() - start)
"""


def rows(quick: bool) -> list[Row]:
    """One row for the time of each way and size, one for its memory; and the first call."""
    sizes = {"20 MB": 20} if quick else MEGABYTES
    found: list[Row] = []
    for name, megabytes in sizes.items():
        for way in WAYS:
            if megabytes < 2000 or way not in ONE_FILE:
                found += _rows(f"{way}, {name}", _measured(way, megabytes))
    return [*found, _first_call(2 if quick else 6)]


def _rows(subject: str, measured: dict[str, float]) -> list[Row]:
    seconds, peak = three_digits(measured["seconds"]), three_digits(measured["peak"] / measured["bytes"])
    return [
        Row("export of weights, time", subject, f"{seconds} s"),
        Row("export of weights, memory", subject, f"{peak} x"),
    ]


def _measured(way: str, megabytes: int) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder:
        code = f"from tests.benchmarks.exports import *; measure({way!r}, {megabytes}, {folder!r})"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    measured: dict[str, float] = json.loads(done.stdout)
    return measured


def measure(way: str, megabytes: int, folder: str) -> None:
    """Write a model of eight matrices, and print what that took."""
    import resource
    import time

    import numpy as np

    from graph_program import graph_program

    x = np.ones((2, 512), np.float32)
    graph_program(lambda x: x * 2).export(Path(folder) / "small.onnx", (x,))  # what everyone pays is paid
    unit = 1 if sys.platform == "darwin" else 1024
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    columns = megabytes * 10**6 // (8 * 512 * 4)
    weights = [np.full((512, columns), 1 / (i + 1), np.float32) for i in range(8)]
    program, path = graph_program(_network(weights)), Path(folder) / "model.onnx"

    def save_with_onnx(path: Path, external: bool) -> None:
        from onnx import save

        options: dict[str, Any] = {"save_as_external_data": True, "location": "model.data"} if external else {}
        save(program.model((x,)), path, **options)

    start = time.perf_counter()
    exec(WAYS[way], {"program": program, "path": path, "x": x, "save_with_onnx": save_with_onnx})
    seconds = time.perf_counter() - start
    peak = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * unit
    print(json.dumps({"seconds": seconds, "peak": peak, "bytes": sum(w.nbytes for w in weights)}))


def _network(weights: list[Any]) -> Any:
    first, second, third, fourth, fifth, sixth, seventh, eighth = weights

    def network(x: Any) -> Any:
        for w in (first, second, third, fourth, fifth, sixth, seventh, eighth):
            x = x + (x @ w).mean(axis=1, keepdims=True)
        return x

    return network


def _first_call(rounds: int) -> Row:
    """From nothing to the first result, with bytecode caches; the first round fills them."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    command = [sys.executable, "-c", FIRST_CALL]
    taken = []
    for _ in range(rounds):
        done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
        taken.append(float(done.stdout))
    return Row("first call, fresh interpreter", "a small network", f"{three_digits(statistics.median(taken[1:]))} s")
