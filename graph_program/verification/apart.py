"""Running a model in a process of its own: a runtime may end the process, or never come back."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from graph_program.verification.worker import read, write

PATIENCE = 120.0
"""Seconds for loading a model and running it."""


@dataclass(frozen=True)
class Answer:
    """What becomes of a model in a runtime.

    Attributes
    ----------
    verdict : str
        "refused" where the model is not loaded, "fails" where it is not run, "ends" where the process is ended, "late"
        where it takes too long; "" where it has given something.
    reason : str
        In the runtime's words.
    outputs : dict of str to array
        By name.
    """

    verdict: str = ""
    reason: str = ""
    outputs: dict[str, Any] = field(default_factory=dict)


def run_apart(runtime: str, model: Path, feed: Mapping[str, Any], patience: float = PATIENCE) -> Answer:
    """Run a model file in a runtime, by its name in `runtimes.LOADERS`."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write(folder / "inputs.npz", dict(feed))
        question = {"model": str(model.resolve()), "inputs": list(feed)}
        (folder / "question.json").write_text(json.dumps(question), encoding="utf-8")
        command = [sys.executable, "-W", "ignore", "-m", "graph_program.verification.worker", runtime, name]
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=patience)
        except subprocess.TimeoutExpired:
            return Answer("late", f"it takes more than {patience:g} s")
        if not (folder / "answer.json").is_file():
            return Answer("ends", ended(done.returncode, done.stderr))
        answer = json.loads((folder / "answer.json").read_text(encoding="utf-8"))
        if answer["verdict"]:
            return Answer(answer["verdict"], answer["reason"])
        return Answer(outputs=read(folder / "outputs.npz", answer["outputs"]))


def ended(code: int, said: str) -> str:
    """How a process ended that gave no answer."""
    lines = [line for line in said.splitlines() if line.strip()]
    try:
        how = signal.Signals(-code).name if code < 0 else f"exit code {code}"
    except ValueError:
        how = f"exit code {code}"
    return f"the process ends with {how}" + (f": {lines[-1].strip()}" if lines else "")


__all__ = ["PATIENCE", "Answer", "run_apart"]
