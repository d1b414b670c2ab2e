"""A file on some inputs, in every runtime: compared with outputs that are known, or with a plain run."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime

from graph_program.backends.onnx.messages import metadata_of
from graph_program.exports.narrowed import narrowed_of
from graph_program.exports.verify import Differing
from graph_program.extract.diagnostics import Diagnostic, ExportError, Loc
from graph_program.verification.apart import PATIENCE, Answer, run_apart
from graph_program.verification.first_difference import Feed, Place, differing_at, first_difference, first_refused
from graph_program.verification.report import Difference, Finding, Report
from graph_program.verification.runtimes import PLAIN, Runtime, chosen, named_runtimes
from graph_program.verification.unread import description_of, unread

Arrays = Mapping[str, Any]
PLACE = re.compile(r" \([^()]*:\d+\)$")
"""Behind a reason, where it is not said of which output it is."""


def verify_file(
    path: Path,
    feed: Feed,
    expected: Arrays | None = None,
    runtimes: str | Iterable[str] = (),
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
    runtimes : str or iterable of str
        One or some names in `RUNTIMES`; all that files are shipped to by default.
    patience : float
        Seconds for a run.

    Raises
    ------
    ExportError
        GP545 where there is nothing to compare with: onnxruntime itself does not run the file on these inputs.
    """
    names = named_runtimes(runtimes)
    against = "the outputs that are given" if expected else f"onnxruntime {onnxruntime.__version__} as the file has it"
    if not expected:
        answer = run_apart(PLAIN, path, feed, patience)
        if answer.verdict:
            text = f"{path.name} cannot be run on these inputs: {answer.reason}"
            raise ExportError(Diagnostic("GP545", text, Loc(str(path), 0, 1, 0, 1, path.name)))
        expected = answer.outputs
    comparison = _Comparison(path, expected)
    compared = partial(comparison.differences, feed=feed, patience=patience)
    findings = (
        absent(runtime) or finding(runtime, path, feed, patience, partial(compared, runtime))
        for runtime in chosen(names)
    )
    return Report(path.name, against, tuple(findings), names)


class _Comparison:
    """What a file should give, and what it says of itself."""

    def __init__(self, path: Path, expected: Arrays):
        model = onnx.load(path, load_external_data=False)
        said = metadata_of(model)
        names = [output.name for output in model.graph.output]
        error = said.get("error_output", "")
        self.narrowed, means_nothing = narrowed_of(model), unread(description_of(model), expected)
        self.path, self.expected = path, expected
        self.names = [name for name in names if name in expected and name not in means_nothing]
        if error in self.names:  # behind it stand the arguments of messages
            self.names = [error] if np.asarray(expected[error]).any() else self.names[: self.names.index(error) + 1]

    def differences(self, runtime: Runtime, feed: Feed, patience: float) -> Iterator[Difference]:
        """The outputs that are others in a runtime."""
        found, precision = outputs_of(runtime, self.path, feed, patience), runtime.precision
        for name in self.names:
            where, how = differing_at(self.expected[name], found[name], precision)
            if how:
                yield Difference(f"{name}{where}", how.strip(), self.narrowed.get(name, "") if precision else "")


class NotRun(BaseException):
    """A runtime has not run a file; no exception of a program's, which are compared."""

    def __init__(self, answer: Answer):
        super().__init__(answer.reason)
        self.answer = answer


def outputs_of(runtime: Runtime, path: Path, feed: Feed, patience: float) -> Arrays:
    """What a file gives in a runtime; NotRun where that is nothing."""
    answer = run_apart(runtime.name, path, feed, patience)
    if answer.verdict:
        raise NotRun(answer)
    return answer.outputs


class Failed(RuntimeError):
    """A runtime has told an error of its own, which is right where the program raises one."""

    def __init__(self, answer: Answer):
        super().__init__(answer.reason)
        self.answer = answer


def differences_apart(
    runtime: Runtime,
    path: Path,
    patience: float,
    compared: Callable[[Callable[[Feed], dict[str, Any]], float], Iterable[Differing]],
    errors: Container[str],
) -> list[Difference]:
    """What a comparison finds of a file in a runtime; NotRun where that gives nothing and Python does.

    Parameters
    ----------
    runtime : Runtime
    path : pathlib.Path
        The file.
    patience : float
        Seconds for a run.
    compared : callable
        The comparison, for what runs the file and the precision of the runtime.
    errors : container of str
        Verdicts that stand for an exception, where Python raises one.
    """

    def run(feed: Feed) -> dict[str, Any]:
        try:
            return dict(outputs_of(runtime, path, feed, patience))
        except NotRun as error:
            if error.answer.verdict in errors:
                raise Failed(error.answer) from None
            raise

    try:
        return named(compared(run, runtime.precision), path, runtime)
    except Failed as error:
        raise NotRun(error.answer) from None


def named(found: Iterable[Differing], path: Path, runtime: Runtime) -> list[Difference]:
    """Differences of a call, each with what the file says that a runtime of fewer bits may get wrong."""
    said = narrowed_of(onnx.load(path, load_external_data=False)) if runtime.precision else {}
    why = dict.fromkeys(PLACE.sub("", reason) for text in said.values() for reason in text.split("; "))
    return [Difference(one.name or "the call", one.text.strip(), "; ".join(why)) for one in found]


def finding(
    runtime: Runtime, path: Path, feed: Feed, patience: float, compared: Callable[[], Iterable[Difference]]
) -> Finding:
    """What a runtime makes of a file: the differences that a comparison finds, and where the first one comes from."""
    try:
        found = tuple(compared())
    except NotRun as error:
        verdict, reason = error.answer.verdict, error.answer.reason
        first = _looked_for(first_refused, runtime, path, feed, patience)
        return Finding(runtime.name, runtime.version, verdict, reason, (), first)
    first = _looked_for(first_difference, runtime, path, feed, patience) if found else None
    return Finding(runtime.name, runtime.version, "differs" if found else "equal", "", found, first)


def absent(runtime: Runtime) -> Finding | None:
    """That a runtime is not there; None where it is."""
    missing = runtime.missing()
    return Finding(runtime.name, "", "absent", missing) if missing else None


def _looked_for(search: Any, runtime: Runtime, path: Path, feed: Feed, patience: float) -> Place | None:
    """The operation that a search finds; None where that cannot be said."""
    try:
        found: Place | None = search(path, feed, runtime, patience)
    except (OSError, RuntimeError, ValueError, IndexError, onnx.checker.ValidationError):
        return None  # a file that cannot be taken apart: too large, or of operators that nobody knows
    return found


__all__ = ["NotRun", "absent", "differences_apart", "finding", "named", "outputs_of", "verify_file"]
