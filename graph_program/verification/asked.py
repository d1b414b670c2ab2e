"""The process that asks a runtime cases, one after the other: it says which it has begun, as it may be ended by one.

python -m graph_program.verification.asked RUNTIME FOLDER    < numbers   > a line for each
"""

from __future__ import annotations

import faulthandler
import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from graph_program.targets.verdicts import ELSEWHERE, REFUSED, RIGHT, WRONG
from graph_program.verification.first_difference import differing
from graph_program.verification.runtimes import RUNTIMES, Run, Runtime
from graph_program.verification.worker import read

PATIENCE = 30
"""Seconds for a case."""
NEAR = float(np.finfo(np.float32).eps)
"""The cases' own outputs are made in float32, some of them."""


def main() -> int:
    """Ask the cases whose numbers are read."""
    runtime, folder = RUNTIMES[sys.argv[1]], Path(sys.argv[2])
    for number in sys.stdin.read().split():
        faulthandler.dump_traceback_later(PATIENCE, exit=True)
        print(f"case {number}", flush=True)
        print(f"case {number} {verdict(runtime, folder, number)}", flush=True)
    faulthandler.cancel_dump_traceback_later()
    return 0


def verdict(runtime: Runtime, folder: Path, number: int | str) -> str:
    """What becomes of a case."""
    path = folder / f"{number}.onnx"
    inputs, wanted = arrays_of(folder, number)
    try:
        found = runtime.load(path)(inputs)
    except Exception:  # whatever a runtime raises
        return REFUSED
    said = verdict_on(found, wanted, runtime)
    needs_another = said == RIGHT and runtime.alone is not None and not _loads(runtime.alone, path)
    return ELSEWHERE if needs_another else said


def _loads(load: Callable[[Path], Run], path: Path) -> bool:
    try:
        load(path)
    except Exception:  # whatever a runtime raises
        return False
    return True


def arrays_of(folder: Path, number: int | str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The inputs of a case, and its outputs."""
    names = json.loads((folder / f"{number}.json").read_text(encoding="utf-8"))
    inputs, outputs = (read(folder / f"{number}.{kind}.npz", names[kind]) for kind in ("inputs", "outputs"))
    return inputs, outputs


def verdict_on(found: Mapping[str, Any], wanted: Mapping[str, Any], runtime: Runtime) -> str:
    """What is said of outputs."""
    precision = max(NEAR, runtime.precision)
    same = all(not differing(array, found[name], precision) for name, array in wanted.items())
    return RIGHT if same else WRONG


if __name__ == "__main__":
    sys.exit(main())
