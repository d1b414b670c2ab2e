"""A file that is written for one runtime, run there before it gets its name."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from pathlib import Path

from graph_program.backends.onnxruntime.session import RUN_ERRORS
from graph_program.exports.checked import Run
from graph_program.exports.feeds import Feed
from graph_program.extract.diagnostics import Diagnostic, ExportError, Loc
from graph_program.extract.ir.graph import Node
from graph_program.targets.support import Support
from graph_program.verification.of_file import Comparison, finding
from graph_program.verification.report import VERDICTS, Finding
from graph_program.verification.runtimes import RUNTIMES

OURS = "onnxruntime"
"""In which each file is run when it is written, whatever its target."""
PATIENCE = 60.0
"""Seconds for a run; whoever takes longer is not waited for."""
HINT = (
    "`program.verify` shows each value; write this line with other operations, or export it for another target. "
    "`verify=False` writes the file all the same"
)


def tried(
    path: Path,
    support: Support,
    feed: Feed,
    run: Run,
    nodes: Iterable[Node],
    loc: Loc,
) -> tuple[str, ...]:
    """Run a file in the runtime that it is for, where that is installed.

    Parameters
    ----------
    path : pathlib.Path
        The model, with the file of its arrays beside it, if it has one.
    support : Support
        Of the target.
    feed : mapping of str to array
        The inputs.
    run : callable
        Runs the file in onnxruntime, which gives what Python gives.
    nodes : iterable of Node
        The program's, for the places in the source.
    loc : Loc
        The program's own place.

    Returns
    -------
    tuple of str
        What is to be said of it; nothing where the runtime is not installed, or onnxruntime raises an error.

    Raises
    ------
    ExportError
        GP547 where the runtime does not take the file or does not run it, and where it gives something else of which
        the file does not say that fewer bits may do that.
    """
    runtime = RUNTIMES.get(support.runtime)
    if runtime is None or runtime.name == OURS or runtime.missing():
        return ()
    try:
        comparison = Comparison(path, run(feed), feed)
    except RUN_ERRORS:
        return ()
    found = finding(runtime, path, feed, PATIENCE, partial(comparison.differences, runtime, feed, PATIENCE))
    if found.verdict == "equal":
        return (f"run in {runtime.name} {found.version} on the example arguments: equal",)
    if found.verdict == "late":
        return (
            f"not compared: {runtime.name} {found.version} takes more than {PATIENCE:g} s for the example arguments",
        )
    if found.verdict in ("refused", "fails") and comparison.tells_an_error:
        return ()  # sizes that do not fit are told by an error of the runtime's own
    others = [difference for difference in found.differences if not difference.expected]
    if found.differences and not others:
        return tuple(f"of the example arguments, {difference}" for difference in found.differences)
    lines = {node.loc.where.rpartition(":")[0]: node.loc for node in nodes}
    place = lines.get(found.first.source, loc) if found.first is not None else loc
    raise ExportError(Diagnostic("GP547", f"{runtime.name} {found.version} {_said(found)}", place, hint=HINT))


def _said(found: Finding) -> str:
    """What a runtime does with a file, for the example arguments."""
    if found.differences:
        first = next(difference for difference in found.differences if not difference.expected)
        said = f"gives another result for the example arguments: {first}"
    else:
        said = f"{VERDICTS[found.verdict]}: {found.reason}"
    return f"{said} (first at {found.first})" if found.first is not None else said


__all__ = ["tried"]
