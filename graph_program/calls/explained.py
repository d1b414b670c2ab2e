"""`program.explain()`: the program after each stage, as text, and what runs it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from graph_program.calls.back_end import chosen
from graph_program.calls.program_options import AUTO
from graph_program.extract.diagnostics import GraphProgramError
from graph_program.extract.pipeline import STAGES, extract

if TYPE_CHECKING:
    from graph_program.calls.calls import Calls
    from graph_program.extract.extraction import Extraction

BACK_END = "# back end"
"""What the last part begins with: it depends on the machine and on the calls so far."""


def explain(calls: Calls, stage: str | None, args: Any) -> str:
    """See `GraphProgramFunction.explain`."""
    if stage is not None and stage not in STAGES:
        raise ValueError(f"there is no stage {stage!r}; the stages are {', '.join(STAGES)}")
    specs, values = calls.types(args)
    dims = calls.named(specs, calls.options.dims)
    sized = dict(calls.sized(specs, dims))
    extraction = extract(calls.fn, sized, values=values, options=calls.extract_options(dims), explain=True)
    if stage is not None:
        return extraction.stages[stage]
    parts = [f"# {name}\n\n{text.rstrip()}\n" for name, text in extraction.stages.items()]
    if extraction.decisions:
        parts.append("# decisions\n\n" + "\n".join(extraction.decisions) + "\n")
    if extraction.notes:
        parts.append("# notes\n\n" + "\n".join(map(str, extraction.notes)) + "\n")
    parts.append(f"{BACK_END}\n\n{_back_end(calls, extraction)}\n")
    return "\n".join(parts)


def _back_end(calls: Calls, extraction: Extraction) -> str:
    """What runs a program, and why; what calls have shown is known of the latest one."""
    try:
        choice = chosen(calls.options, extraction, calls.loc)
    except GraphProgramError as error:
        return error.diagnostic.message
    known = [record for record in calls.log.records if record.why and record.backend != AUTO]
    told = known[-1] if known and choice.backend == AUTO else choice
    return f"{told.backend}: {told.why}"


__all__ = ["BACK_END", "explain"]
