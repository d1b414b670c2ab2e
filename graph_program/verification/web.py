"""onnxruntime-web under Node, as browsers have it: arrays cross as JSON, their data in base64."""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

WEB = "onnxruntime-web"
SCRIPT = Path(__file__).with_name("web.js")
PATIENCE = 300.0
"""Seconds for one process."""


def package() -> tuple[Path, str]:
    """The folder of onnxruntime-web, as Node finds it, and its version; FileNotFoundError where there is none."""
    command = [shutil.which("node") or "node", "-p", f"require.resolve('{WEB}')"]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    if found.returncode:
        raise FileNotFoundError(WEB)
    folder = Path(found.stdout.strip()).parents[1]
    return folder, str(json.loads((folder / "package.json").read_text(encoding="utf-8"))["version"])


def whole(model: Path) -> bytes:
    """A model with the arrays that stand in files beside it: a browser has no folder to look into."""
    import onnx

    from graph_program.backends.models.weights import inner_tensors

    file = model.read_bytes()
    proto = onnx.load(model, load_external_data=False)
    if not any(map(onnx.external_data_helper.uses_external_data, inner_tensors(proto))):
        return file
    return bytes(onnx.load(model).SerializeToString())


def crossing(array: Any) -> dict[str, Any]:
    """An array as the script reads it."""
    array = np.asarray(array)
    if array.dtype.kind in "OU":
        return {"type": "string", "dims": array.shape, "data": array.ravel().tolist()}
    data = base64.b64encode(array.astype(array.dtype.newbyteorder("<")).tobytes()).decode()
    return {"type": array.dtype.name, "dims": array.shape, "data": data}


def crossed(tensor: Mapping[str, Any]) -> Any:
    """An array as the script writes it."""
    if tensor["type"] == "string":
        return np.array(tensor["data"], object).reshape(tensor["dims"])
    dtype = np.dtype(tensor["type"]).newbyteorder("<")
    return np.frombuffer(base64.b64decode(tensor["data"]), dtype).reshape(tensor["dims"])


def answers_of(
    questions: Sequence[tuple[Path, Sequence[Mapping[str, Any]]]],
    environment: Mapping[str, str] | None = None,
    patience: float = PATIENCE,
) -> list[dict[str, Any]]:
    """What onnxruntime-web makes of models, each with the inputs of its calls, all in one process.

    Returns
    -------
    list of dict
        `{"outputs": [{name: tensor}]}` for each model; `{"error": text}` where it is not loaded, and both where a run
        fails, with the outputs of the runs before.

    Raises
    ------
    RuntimeError
        Where Node does not run the script.
    TimeoutExpired
        Where that takes more seconds than `patience`.
    """
    with tempfile.TemporaryDirectory() as folder:
        asked = []
        for number, (model, feeds) in enumerate(questions):
            file = Path(folder, f"{number}.onnx")
            file.write_bytes(whole(model))
            asked.append({"model": str(file), "feeds": [{k: crossing(v) for k, v in f.items()} for f in feeds]})
        files = Path(folder, "questions.json"), Path(folder, "answers.json")
        files[0].write_text(json.dumps(asked), encoding="utf-8")
        command = [shutil.which("node") or "node", str(SCRIPT), *map(str, files)]
        done = subprocess.run(
            command, env=environment or os.environ, capture_output=True, text=True, check=False, timeout=patience
        )
        if done.returncode:
            raise RuntimeError(done.stderr.strip() or f"node ends with exit code {done.returncode}")
        found: list[dict[str, Any]] = json.loads(files[1].read_text(encoding="utf-8"))
        return found


def run_in_node(model: Path, feed: Mapping[str, Any]) -> dict[str, Any]:
    """The outputs of one call."""
    (answer,) = answers_of([(model, [feed])])
    if "error" in answer:
        raise RuntimeError(answer["error"])
    return {name: crossed(tensor) for name, tensor in answer["outputs"][0].items()}


__all__ = ["WEB", "answers_of", "crossed", "crossing", "package", "run_in_node", "whole"]
