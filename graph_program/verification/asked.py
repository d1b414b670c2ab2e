"""The process that asks a runtime cases, one after the other: it says which it has begun, as it may be ended by one.

python -m graph_program.verification.asked RUNTIME FOLDER    < numbers   > a line for each
"""

from __future__ import annotations

import faulthandler
import json
import sys
from pathlib import Path

import numpy as np

from graph_program.targets.support import REFUSED, RIGHT, WRONG
from graph_program.verification.first_difference import differing
from graph_program.verification.runtimes import RUNTIMES
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
        names = json.loads((folder / f"{number}.json").read_text(encoding="utf-8"))
        inputs = read(folder / f"{number}.inputs.npz", names["inputs"])
        wanted = read(folder / f"{number}.outputs.npz", names["outputs"])
        try:
            found = runtime.load(folder / f"{number}.onnx")(inputs)
        except Exception:  # whatever a runtime raises
            print(f"case {number} {REFUSED}", flush=True)
            continue
        precision = max(NEAR, runtime.precision)
        same = all(not differing(array, found[name], precision) for name, array in wanted.items())
        print(f"case {number} {RIGHT if same else WRONG}", flush=True)
    faulthandler.cancel_dump_traceback_later()
    return 0


if __name__ == "__main__":
    sys.exit(main())
