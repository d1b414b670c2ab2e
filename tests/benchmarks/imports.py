"""How long `import graph_program` takes in a fresh interpreter, beside its peers."""

from __future__ import annotations

import importlib.util
import os
import statistics
import subprocess
import sys

from tests.benchmarks.measure import Row, compared

MODULES = ["graph_program", "numpy", "onnxruntime", "onnxscript", "torch", "jax"]
CODE = "import time; start = time.perf_counter(); import {}; print(time.perf_counter() - start)"


def seconds_to_import(module: str) -> float:
    """Seconds of one import in a new process, with bytecode caches."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    command = [sys.executable, "-c", CODE.format(module)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    return float(done.stdout)


def rows(quick: bool) -> list[Row]:
    """Medians over fresh interpreters, one of each in turn; the first round only fills the caches."""
    installed = [module for module in MODULES if importlib.util.find_spec(module) is not None]
    seconds: dict[str, list[float]] = {module: [] for module in installed}
    for k in range(3 if quick else 8):
        for module in installed:
            taken = seconds_to_import(module)
            if k > 0:
                seconds[module].append(taken)
    medians = {module: statistics.median(values) for module, values in seconds.items()}
    return compared("import, fresh interpreter", MODULES, medians, "ms")
