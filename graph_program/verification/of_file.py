"""A file on some inputs, in every runtime: compared with outputs that are known, or with a plain run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime

from graph_program.exports.narrowed import narrowed_of
from graph_program.extract.diagnostics import Diagnostic, ExportError, Loc
from graph_program.verification.apart import PATIENCE, run_apart
from graph_program.verification.first_difference import Feed, Place, differing, first_difference, first_refused
from graph_program.verification.report import Difference, Finding, Report
from graph_program.verification.runtimes import PLAIN, Runtime, chosen

Arrays = Mapping[str, Any]


def verify_file(
    path: Path,
    feed: Feed,
    expected: Arrays | None = None,
    runtimes: Sequence[str] = (),
    patience: float = PATIENCE,
) -> Report:
    """Run a file in every runtime that is there, and compare.

    Parameters
    ----------
    path : pathlib.Path
        The model.
    feed : mapping of str to array
        Its inputs.
    expected : mapping of str to array, optional
        Outputs, or some of them; those of a plain run of onnxruntime, operator by operator, by default.
    runtimes : sequence of str
        Names in `RUNTIMES`; all that files are shipped to by default.
    patience : float
        Seconds for a run.

    Raises
    ------
    ExportError
        GP545 where there is nothing to compare with: onnxruntime itself does not run the file on these inputs.
    """
    against = "the outputs that are given" if expected else f"onnxruntime {onnxruntime.__version__} as the file has it"
    if not expected:
        answer = run_apart(PLAIN, path, [feed], patience)
        if answer.verdict:
            text = f"{path.name} cannot be run on these inputs: {answer.reason}"
            raise ExportError(Diagnostic("GP545", text, Loc(str(path), 0, 1, 0, 1, path.name)))
        expected = answer.outputs[0]
    comparison = _Comparison(path, expected)
    findings = [_finding(runtime, path, feed, comparison, patience) for runtime in chosen(runtimes)]
    return Report(path.name, against, tuple(findings), tuple(runtimes))


class _Comparison:
    """What a file should give, and what it says of itself."""

    def __init__(self, path: Path, expected: Arrays):
        model = onnx.load(path, load_external_data=False)
        said = {entry.key: entry.value for entry in model.metadata_props}
        names = [output.name for output in model.graph.output]
        error = said.get("error_output", "")
        self.narrowed = narrowed_of(model)
        self.expected = expected
        self.names = [name for name in names if name in expected]
        if error in self.names:  # behind it stand the arguments of messages
            self.names = [error] if _is_set(expected[error]) else self.names[: self.names.index(error) + 1]

    def differences(self, found: Arrays, precision: float) -> Iterator[Difference]:
        """The outputs that are others."""
        for name in self.names:
            text = differing(self.expected[name], found[name], precision)
            if text:
                yield Difference(name, text, self.narrowed.get(name, "") if precision else "")


def _is_set(error: Any) -> bool:
    return bool(np.asarray(error).any())


def _finding(runtime: Runtime, path: Path, feed: Feed, comparison: _Comparison, patience: float) -> Finding:
    missing = runtime.missing()
    if missing:
        return Finding(runtime.name, "", "absent", missing)
    answer = run_apart(runtime.name, path, [feed], patience)
    if answer.verdict:
        first = refusing(runtime, path, feed, patience)
        return Finding(runtime.name, runtime.version, answer.verdict, answer.reason, (), first)
    found = tuple(comparison.differences(answer.outputs[0], runtime.precision))
    first = diverging(runtime, path, feed, patience) if found else None
    return Finding(runtime.name, runtime.version, "differs" if found else "equal", "", found, first)


def refusing(runtime: Runtime, path: Path, feed: Feed, patience: float) -> Place | None:
    """The first operation that a runtime does not do; None where that cannot be said."""
    return _looked_for(first_refused, runtime, path, feed, patience)


def diverging(runtime: Runtime, path: Path, feed: Feed, patience: float) -> Place | None:
    """The first operation that gives something else in a runtime; None where that cannot be said."""
    return _looked_for(first_difference, runtime, path, feed, patience)


def _looked_for(search: Any, runtime: Runtime, path: Path, feed: Feed, patience: float) -> Place | None:
    try:
        found: Place | None = search(path, feed, runtime, patience)
    except (OSError, RuntimeError, ValueError, IndexError, onnx.checker.ValidationError):
        return None  # a file that cannot be taken apart: too large, or of operators that nobody knows
    return found


__all__ = ["diverging", "refusing", "verify_file"]
