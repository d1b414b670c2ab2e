"""The process that runs a model in a runtime, which may end it.

    python -m graph_program.verification.worker RUNTIME FOLDER

The folder has `question.json` (the path of the model, and the names of its inputs) and `inputs.npz`.  What becomes of
it is in `answer.json`, and what it gives in `outputs.npz`.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

from graph_program.verification.runtimes import LOADERS, NotTaken

LONGEST = 300
"""Characters of a message."""


def main() -> int:
    """Answer the question in a folder."""
    name, folder = sys.argv[1], Path(sys.argv[2])
    question = json.loads((folder / "question.json").read_text(encoding="utf-8"))
    answer = _answer(name, Path(question["model"]), read(folder / "inputs.npz", question["inputs"]), folder)
    (folder / "answer.json").write_text(json.dumps(answer), encoding="utf-8")
    return 0


def _answer(name: str, model: Path, feed: dict[str, Any], folder: Path) -> dict[str, Any]:
    verdict = "refused"
    try:
        run = LOADERS[name](model)
        verdict = "fails"
        outputs = run(feed)
        write(folder / "outputs.npz", outputs)
    except NotTaken as error:
        return {"verdict": "refused", "reason": _in_short(error)}
    except Exception as error:  # whatever a runtime raises
        return {"verdict": verdict, "reason": _in_short(error)}
    return {"verdict": "", "outputs": list(outputs)}


def _in_short(error: Exception) -> str:
    """A message on one line, without what a runtime says of its own stack."""
    words = " ".join(str(error).partition("Stack backtrace")[0].split()) or type(error).__name__
    return words if len(words) <= LONGEST else f"{words[:LONGEST]} ..."


def read(path: Path, names: list[str]) -> dict[str, Any]:
    """Arrays from a file."""
    with np.load(path, allow_pickle=False) as found:
        return {name: found[f"arr_{i}"] for i, name in enumerate(names)}


def write(path: Path, arrays: dict[str, Any]) -> None:
    """Arrays to a file, in their order; texts as NumPy has them."""
    np.savez(path, *(a.astype(str) if a.dtype.kind == "O" else a for a in map(np.asarray, arrays.values())))


if __name__ == "__main__":
    sys.exit(main())
