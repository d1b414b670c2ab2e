"""The process that runs a model in a runtime, which may end it.

    python -m graph_program.verification.worker RUNTIME FOLDER

The folder has `question.json` (the path of the model, and the names of the inputs of each call) and an .npz file for
each call.  What becomes of it is in `answer.json`; the outputs are .npz files, too.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from functools import partial
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
    run, reason = _tried(lambda: LOADERS[name](Path(question["model"])))
    refused = "" if run is not None else reason
    calls: list[dict[str, Any]] = []
    for i, names in enumerate(question["calls"] if run is not None else ()):
        outputs, failed = _tried(partial(run, read(folder / f"inputs_{i}.npz", names)))
        if isinstance(outputs, NotTaken):
            refused = failed
            break
        if outputs is None:
            calls.append({"failed": failed})
            continue
        write(folder / f"outputs_{i}.npz", outputs)
        calls.append({"names": list(outputs)})
    answer = {"refused": refused} if refused else {"calls": calls}
    (folder / "answer.json").write_text(json.dumps(answer), encoding="utf-8")
    return 0


def _tried(action: Callable[[], Any]) -> tuple[Any, str]:
    """What an action gives, or in which words it failed."""
    try:
        return action(), ""
    except NotTaken as error:
        return error, _in_short(str(error))
    except Exception as error:  # whatever a runtime raises
        return None, _in_short(str(error)) or type(error).__name__


def _in_short(text: str) -> str:
    """A message on one line, without what a runtime says of its own stack."""
    words = " ".join(text.partition("Stack backtrace")[0].split())
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
