"""The process that tries models in a runtime: it may be ended by one, so it says which it has begun.

python -m tests.benchmarks.portable.judged RUNTIME FOLDER    < names and forms    > a line of JSON for each
"""

from __future__ import annotations

import faulthandler
import json
import pickle
import subprocess
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx

from graph_program.exports.narrowed import FLOATS, HALVES, INTEGERS, LARGEST, narrowed_of
from graph_program.targets.support import targets
from graph_program.verification.runtimes import NotTaken
from graph_program.verification.unread import description_of, unread
from graph_program.verification.web import WEB
from tests.benchmarks.portable.collected import CALLS, Call, Outputs
from tests.benchmarks.portable.runtimes import PATIENCE, RUNTIMES, TOGETHER, Feed, Web

FEW_BITS: Mapping[str, float] = dict.fromkeys(("float16", "float32", "float64"), 2e-3)
"""How far numbers may be apart that a runtime computes as float32, in parts of the greatest of their array."""
ALL_BITS: Mapping[str, float] = {"float16": 1e-2, "float32": 1e-4, "float64": 1e-9}
"""The same of one that computes in what the file says: functions such as `exp` are others, and orders of sums."""
NARROWED: Mapping[str, frozenset[str]] = {"openvino": frozenset({FLOATS, HALVES, INTEGERS})}
"""What runtimes compute in fewer bits than the file says, in the words of its summary."""
REFUSED = b"GP"
"""What begins so is no model, but the words of its refusal."""


def main() -> int:
    """Judge models, one after the other; forms of a program that are the same file are judged once."""
    runtime, folder = sys.argv[1], Path(sys.argv[2])
    asked = [(name, form) for name, form in map(json.loads, sys.stdin)]
    load = RUNTIMES[runtime]
    if isinstance(load, Web):
        asked = asked[:TOGETHER]
        load.ask(_questions(folder, asked))
    judgements: dict[tuple[str, bytes], tuple[str, str]] = {}
    for name, form in asked:
        content = _content(folder, name, form)
        if (name, content) not in judgements:
            faulthandler.dump_traceback_later(PATIENCE, exit=True)
            _tell(name, form, "ends the process", "")
            judgements[name, content] = judged(runtime, folder, name, content)
        _tell(name, form, *judgements[name, content])
    faulthandler.cancel_dump_traceback_later()
    return 0


def _tell(name: str, form: str, verdict: str, why: str) -> None:
    print(json.dumps({"name": name, "form": form, "verdict": verdict, "why": why}), flush=True)


def _content(folder: Path, name: str, form: str) -> bytes:
    return (folder / f"{name}.{form}").read_bytes()


def _questions(folder: Path, asked: Sequence[tuple[str, str]]) -> Iterator[tuple[bytes, list[Feed]]]:
    each = dict.fromkeys((name, _content(folder, name, form)) for name, form in asked)
    for name, content in each:
        if not content.startswith(REFUSED):
            yield content, [feed for feed, _ in _compared(WEB, folder, name)]


def _compared(runtime: str, folder: Path, name: str) -> list[Call]:
    """The calls of a program that say something of a runtime: onnxruntime has to run those that it has failed in.

    Those with arrays of no elements do not, where the summary of an export says that they are not for the runtime.
    """
    calls: list[Call] = pickle.loads((folder / f"{name}{CALLS}").read_bytes())
    support = targets().get(runtime)
    needs_elements = support is not None and support.needs_elements
    return [
        (feed, wanted)
        for feed, wanted in calls
        if (wanted is not None or runtime == "onnxruntime")
        and not (needs_elements and any(array.size == 0 for array in feed.values()))
    ]


def judged(runtime: str, folder: Path, name: str, content: bytes) -> tuple[str, str]:
    """What a runtime makes of a model of a program: `right`, or else what goes wrong, and in which words."""
    if content.startswith(REFUSED):
        return "refused", content.decode()
    calls = _compared(runtime, folder, name)
    narrowed = NARROWED.get(runtime, frozenset())
    near = FEW_BITS if FLOATS in narrowed else ALL_BITS
    model = onnx.load_from_string(content)
    named, described = _named(model, narrowed), description_of(model)
    try:
        run = RUNTIMES[runtime](content)
    except subprocess.TimeoutExpired as error:
        return "takes too long", _reason(error)
    except Exception as error:
        return "does not load", _reason(error)
    raised = ""
    for feed, wanted in calls:
        try:
            found = run(feed)
        except Exception as error:
            if wanted is None or not _tells_an_error(wanted):
                return ("does not load" if isinstance(error, NotTaken) else "does not run"), _reason(error)
            raised = _reason(error)
            continue
        means_nothing = unread(described, wanted) if wanted is not None else frozenset()
        where = difference(wanted, found, means_nothing, near) if wanted is not None else ""
        if where and narrowed and not _fits(feed):
            return "not compared", "integers of more than 24 bits go in, and others come out"
        if where:
            other = difference(wanted, found, named | means_nothing, near)
            return ("wrong", other) if other else ("wrong, and named", where)
    if raised:
        return "raises", raised
    return ("right", "") if calls else ("not compared", "no arguments of the test are for the model")


def _tells_an_error(outputs: Outputs) -> bool:
    return "error" in outputs and bool(outputs["error"])


def _fits(feed: Feed) -> bool:
    """Whether integers have 24 bits, as runtimes may give them no more."""
    integers = [array for array in feed.values() if array.dtype.kind in "iu" and array.dtype.itemsize > 2]
    return all(array.size == 0 or -LARGEST <= array.min() <= array.max() <= LARGEST for array in integers)


def _named(model: onnx.ModelProto, narrowed: Collection[str]) -> frozenset[str]:
    """The outputs of which the model says that they may be wrong in a runtime that narrows some numbers."""
    said = narrowed_of(model).items() if narrowed else ()
    return frozenset(name for name, text in said if any(reason in text for reason in narrowed))


def difference(
    wanted: Outputs, found: Mapping[str, Any], but: Collection[str] = (), near: Mapping[str, float] = FEW_BITS
) -> str:
    """Where outputs differ, but for some; those that mean nothing, as an error is told, are not compared."""
    if wanted.keys() != found.keys():
        return f"outputs {[*wanted]}, not {[*found]}"
    if "error" in wanted:
        told = int(np.asarray(found["error"]).ravel()[0])
        if int(wanted["error"]) != told:
            return "" if "error" in but else f"error {int(wanted['error'])}, not {told}"
        if told:
            return ""
    for name, array in wanted.items():
        where = "" if name.startswith("error") or name in but else _differ(array, np.asarray(found[name]), near)
        if where:
            return f"{name}: {where}"
    return ""


def _differ(wanted: np.ndarray, found: np.ndarray, near: Mapping[str, float]) -> str:
    if wanted.shape != found.shape:
        return f"shape {wanted.shape}, not {found.shape}"
    if wanted.dtype.kind not in "f":
        return "" if np.array_equal(wanted, found) else f"{wanted!r}, not {found!r}"
    a, b = wanted.astype(np.float64), found.astype(np.float64)
    finite = np.abs(a[np.isfinite(a)])
    far = near[wanted.dtype.name]
    limit = far * max(1.0, finite.max(initial=0.0))
    return "" if np.allclose(a, b, far, limit, equal_nan=True) else f"{wanted!r}, not {found!r}"


def _reason(error: Exception) -> str:
    return " ".join(str(error).split()).partition(" Stack backtrace:")[0] or type(error).__name__


if __name__ == "__main__":
    sys.exit(main())
