"""Cases that are asked of a runtime many at once, as it takes long to begin."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

from graph_program.targets.support import REFUSED
from graph_program.verification.asked import arrays_of, verdict_on
from graph_program.verification.runtimes import Runtime
from graph_program.verification.web import crossed

AT_ONCE = 60
"""So many."""


def verdicts_of_many(runtime: Runtime, folder: Path, count: int) -> list[str]:
    """What becomes of each case of a folder, as `asked` reads it."""
    parts = (range(first, min(first + AT_ONCE, count)) for first in range(0, count, AT_ONCE))
    return [verdict for part in parts for verdict in _at_once(runtime, folder, part)]


def _at_once(runtime: Runtime, folder: Path, numbers: Sequence[int]) -> list[str]:
    """The verdicts on some cases; where the runtime is ended by one of them, they are asked by halves."""
    assert runtime.many is not None
    arrays = [arrays_of(folder, number) for number in numbers]
    questions = [(folder / f"{n}.onnx", [inputs]) for n, (inputs, _) in zip(numbers, arrays, strict=True)]
    try:
        answers = runtime.many(questions)
    except (RuntimeError, subprocess.TimeoutExpired):
        half = len(numbers) // 2
        parts = (numbers[:half], numbers[half:]) if half else ()
        return [verdict for part in parts for verdict in _at_once(runtime, folder, part)] or [REFUSED]
    found = []
    for answer, (_, wanted) in zip(answers, arrays, strict=True):
        outputs = {} if "error" in answer else answer["outputs"][0]
        made = {name: crossed(tensor) for name, tensor in outputs.items()}
        found.append(REFUSED if "error" in answer else verdict_on(made, wanted, runtime))
    return found


__all__ = ["verdicts_of_many"]
