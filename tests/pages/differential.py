"""What the scripts of a page make of a model's outputs, in Node, beside what Python gives; no browser is needed.

Node gets the outputs that onnxruntime gives in Python, so what is compared is the reading of the description.
"""

from __future__ import annotations

import contextlib
import copy
import dataclasses
import enum
import json
import math
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime

from graph_program import load
from graph_program.extract.diagnostics import Loc
from graph_program.onnx_program.told import CallError
from graph_program.pages.arrays import written
from graph_program.pages.page import FOLDER, page
from graph_program.pages.web_package import WebPackage

SCRIPTS = ("tensors", "python_texts", "results", "arguments", "shown")
SCRIPT = """
const { given, runs } = JSON.parse(require("fs").readFileSync(process.argv[2], "utf8"));
Object.assign(LARGEST_PLAIN, given.plain);
const tensors = (all) => Object.fromEntries(Object.entries(all).map(([name, one]) => [name, written(one)]));
function told(feeds, outputs) {
  const number = given.error ? Number(outputs[given.error].data[0]) : 0;
  if (number) {
    const { name, text, source } = raised(given.errors[number - 1], new Outputs(outputs, () => null));
    return { error: [name, text, source] };
  }
  const values = outputsOf(feeds, outputs);
  const unsaid = new Set(given.written.filter(({ inputs }) => !inputs).map(({ path }) => path[0]));
  const left = Object.entries(leftBy(feeds, outputs)).filter(([name]) => !unsaid.has(name.split(".")[0]));
  const changes = given.written.filter((one) => isMade(one, values));
  return {
    result: jsonValue(valueOf(given.result, values)),
    left: Object.fromEntries(left.map(([name, tensor]) => [name, [tensor.dims, jsonOf(tensor)]])),
    written: Object.fromEntries(changes.map(({ label, value }) => [label, jsonValue(valueOf(value, values))])),
  };
}
const answers = [];
for (const { feeds, outputs } of runs) answers.push(told(tensors(feeds), tensors(outputs)));
console.log(JSON.stringify(answers));
"""
PACKAGE = WebPackage("0", "", b"")


def given_of(model: bytes) -> Any:
    """What the page of a model knows of its program."""
    text = page(model, PACKAGE, Loc("play.py", 1, 1, 1, 1, "play"))
    return json.loads(text.partition('<script type="application/json" id="page">')[2].partition("</script>")[0])


def told(folder: Path, given: Any, runs: Sequence[tuple[Mapping[str, Any], Mapping[str, Any]]]) -> list[Any]:
    """What the scripts tell of runs, each with its inputs and outputs."""
    asked = [{"feeds": _written(feeds), "outputs": _written(outputs)} for feeds, outputs in runs]
    (folder / "asked.json").write_text(json.dumps({"given": given, "runs": asked}))
    texts = [(FOLDER / f"{name}.js").read_text() for name in SCRIPTS]
    (folder / "told.js").write_text("\n".join([*texts, SCRIPT]))
    command = [shutil.which("node") or "node", str(folder / "told.js"), str(folder / "asked.json")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    found: list[Any] = json.loads(done.stdout)
    return found


def _written(arrays: Mapping[str, Any]) -> dict[str, Any]:
    return {name: written(array) for name, array in arrays.items()}


def compare(program: Any, calls: Sequence[Any], folder: Path, example: Any = None) -> None:
    """Export a program, make calls one after the other, and compare results, errors and what is left with Python's."""
    model = program.model(example if example is not None else calls[0]).SerializeToString()
    given, loaded = given_of(model), load(model)
    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    names = [output.name for output in session.get_outputs()]
    runs, expected = [], []
    for call in calls:
        arguments = copy.deepcopy(call)
        feed = copy.deepcopy(loaded.feed(*arguments))  # the state is written in place
        runs.append((feed, dict(zip(names, session.run(names, feed), strict=True))))
        try:
            result = loaded(*arguments)
        except Exception as error:
            expected.append({"error": [type(error).__name__, str(error), error.__notes__[-1].rpartition(" ")[2]]})
        else:
            after: dict[str, Any] = {}
            with contextlib.suppress(CallError):  # a dict that has got another key is no argument any more
                after = copy.deepcopy(loaded.feed(*arguments))
            named = dict(zip(loaded.__signature__.parameters, arguments, strict=False))
            expected.append({"result": plain(result), "left": after, "written": loaded.changed(named)})
    for found, wanted in zip(told(folder, given, runs), expected, strict=True):
        _same(found, wanted)


def _same(found: Any, wanted: Any) -> None:
    assert found.keys() == wanted.keys(), f"{found}\n{wanted}"
    if "error" in found:
        assert found["error"] == wanted["error"]
        return
    result = json.loads(found["result"])
    assert _equal(result, wanted["result"]), f"{result}\n{wanted['result']}"
    for name, text in found["written"].items():
        array = json.loads(text)
        assert _equal(array, plain(wanted["written"][name])), f"{name}: {array}\n{wanted['written'][name]}"
    for name, (dims, text) in found["left"].items() if wanted["left"] else ():
        array = wanted["left"][name]
        assert (tuple(dims), True) == (array.shape, _equal(json.loads(text), plain(array))), name


def plain(value: Any) -> Any:
    """A value as the page writes it in JSON."""
    if isinstance(value, enum.Enum):
        return str(value)
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, complex) or (isinstance(value, float) and not math.isfinite(value)):
        return str(value)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return {name: plain(one) for name, one in zip(value._fields, value, strict=True)}
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    if isinstance(value, dict):
        return {str(key): plain(one) for key, one in value.items()}
    if value is None or isinstance(value, str | bool | int | float):
        return value
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: plain(getattr(value, f.name)) for f in dataclasses.fields(value) if hasattr(value, f.name)}
    return {name: plain(one) for name, one in vars(value).items()}


def _equal(a: Any, b: Any) -> bool:
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(_equal, a, b))
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(_equal(one, b[key]) for key, one in a.items())
    if isinstance(a, float) and isinstance(b, float):
        return a == b
    return type(a) is type(b) and bool(a == b)


__all__ = ["compare"]
