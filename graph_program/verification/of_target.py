"""A file that is written for one runtime, run there before it gets its name."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graph_program.backends.onnxruntime.session import RUN_ERRORS
from graph_program.exports.checked import Run
from graph_program.exports.feeds import feed_of
from graph_program.exports.models import Made
from graph_program.exports.plain import Outcome, PlainCall
from graph_program.exports.verify import differences
from graph_program.extract.diagnostics import Diagnostic, ExportError
from graph_program.targets.support import Support
from graph_program.verification.of_file import differences_apart, finding
from graph_program.verification.report import VERDICTS, Finding
from graph_program.verification.runtimes import RUNTIMES

if TYPE_CHECKING:
    from graph_program.calls.calls import Calls
    from graph_program.extract.extraction import Extraction

OURS = "onnxruntime"
"""In which each file is run when it is written, whatever its target."""
PATIENCE = 60.0
"""Seconds for a run; whoever takes longer is not waited for."""
HINT = (
    "`program.verify` shows each value; write this line with other operations, or export it for another target. "
    "`verify=False` writes the file all the same"
)


def tried(
    calls: Calls,
    extraction: Extraction,
    made: Made,
    values: Mapping[str, Any],
    run: Run,
    support: Support,
    path: Path,
) -> tuple[str, ...]:
    """Run a file in the runtime that it is for, where that is installed.

    Parameters
    ----------
    calls : Calls
    extraction : Extraction
    made : Made
        What was written.
    values : mapping of str to object
        The arguments.
    run : callable
        Runs the file in onnxruntime, which gives what Python gives.
    support : Support
        Of the target.
    path : pathlib.Path
        The model, with the file of its arrays beside it, if it has one.

    Returns
    -------
    tuple of str
        What is to be said of it; nothing where the runtime is not installed, or needs a device that nobody knows of.

    Raises
    ------
    ExportError
        GP547 where the runtime does not take the file, does not run it, or gives something else.
    """
    runtime = RUNTIMES.get(support.runtime)
    if runtime is None or runtime.name == OURS or not runtime.by_default or runtime.missing():
        return ()
    compared = partial(differences, calls, extraction, made, values, oracle=partial(_expected, run=run))
    feed = feed_of(calls.callee, extraction.interface, values, calls.instance)
    try:
        found = finding(
            runtime,
            path,
            feed,
            PATIENCE,
            partial(differences_apart, runtime, path, PATIENCE, compared, ("refused", "fails")),
        )
    except _NothingExpected:
        return (f"not compared: {OURS} does not run it on the example arguments",)
    if found.verdict == "equal":
        return (f"run in {runtime.name} {found.version} on the example arguments: equal",)
    if found.verdict == "late":
        return (
            f"not compared: {runtime.name} {found.version} takes more than {PATIENCE:g} s for the example arguments",
        )
    lines = {node.loc.where.rpartition(":")[0]: node.loc for node in made.program.graph.walk()}
    place = lines.get(found.first.source, calls.loc) if found.first is not None else calls.loc
    raise ExportError(Diagnostic("GP547", f"{runtime.name} {found.version} {_said(found)}", place, hint=HINT))


class _NothingExpected(Exception):
    """onnxruntime does not run the file, as a model in it is not for such arrays: there is nothing to compare with."""


def _expected(call: PlainCall, run: Run) -> Outcome:
    try:
        return call.of_file(run)
    except RUN_ERRORS as error:
        raise _NothingExpected from error


def _said(found: Finding) -> str:
    """What a runtime does with a file, for the example arguments."""
    if found.differences:
        said = f"gives another result for the example arguments: {found.differences[0]}"
    else:
        said = f"{VERDICTS[found.verdict]}: {found.reason}"
    return f"{said} (first at {found.first})" if found.first is not None else said


__all__ = ["tried"]
