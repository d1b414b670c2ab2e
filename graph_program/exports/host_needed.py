"""The refusal of a program that a model alone cannot be, which lines need Python; and of what needs a model alone."""

from __future__ import annotations

from collections.abc import Iterable

from graph_program.exports.options import ModelOptions
from graph_program.extract.diagnostics import Diagnostic, ExportError, Label, UnsupportedError
from graph_program.extract.extraction import Extraction
from graph_program.extract.ir.host import ERROR, HostStep

SHOWN = 8
"""How many lines the refusal shows besides the first."""


def require_no_host(extraction: Extraction, of: str = "model") -> None:
    """Refuse a program that a model, or a C file, alone cannot be.

    Raises
    ------
    UnsupportedError
        GP512, with the lines that need Python.
    """
    first, *others = _lines_on_the_host(extraction.residual.host) or (None,)
    if first is None:
        return
    notes = (f"so do {len(others) - SHOWN} more lines",) if len(others) > SHOWN else ()
    raise UnsupportedError(
        Diagnostic(
            "GP512",
            f"a {of} of `{extraction.session.name}` needs Python beside it, for {first.text}",
            first.loc,
            tuple(Label(step.loc, f"and for {step.text}") for step in others[:SHOWN]),
            notes,
            "do it outside, and pass what it gives as an argument"
            if of != "model"
            else 'have a module with the host code written beside the model, `host="operators"`, or models of standard '
            'operators for what is between, `host="segments"`; or do it outside, and pass what it gives as an argument',
        )
    )


def refuse_options_with_host(extraction: Extraction, options: ModelOptions) -> None:
    """Refuse what a model with host code cannot be: a step on the host waits for the checks before it.

    Raises
    ------
    ExportError
        GP516 for `checks`, GP517 for `portable`, at the first line that needs Python.
    """
    steps = _lines_on_the_host(extraction.residual.host)
    loc, text = (steps[0].loc, steps[0].text) if steps else (extraction.residual.loc, "a folder of segments")
    if options.checks == "none":
        raise ExportError(
            Diagnostic("GP516", 'what runs beside host code has all its checks; `checks="none"` is for one model', loc)
        )
    if options.portable:
        name = extraction.session.name
        raise ExportError(
            Diagnostic("GP517", f"`{name}` cannot be portable: it needs Python beside it, for {text}", loc)
        )


def _lines_on_the_host(steps: Iterable[HostStep]) -> list[HostStep]:
    """The first step on each line, in their order."""
    found: dict[tuple[str, int], HostStep] = {}
    for step in steps:
        for part in step.parts or (step,):
            if part.kind != ERROR:
                found.setdefault((part.loc.file, part.loc.line), part)
    return list(found.values())


__all__ = ["refuse_options_with_host", "require_no_host"]
