"""The extraction of a program for a model: fixed to what is named, with nothing of the caller's own objects."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from graph_program.exports.overlaps import require_apart
from graph_program.exports.specialised import require_named, unasked, with_static
from graph_program.extract.diagnostics import GraphProgramError
from graph_program.extract.ir.paths import Path, SizeStep
from graph_program.extract.purpose import Purpose
from graph_program.extract.types.notation.declared_dims import DeclaredDims

if TYPE_CHECKING:
    from graph_program.calls.calls import Calls
    from graph_program.extract.extraction import Extraction


def extraction_for_model(
    calls: Calls,
    args: Any,
    dims: DeclaredDims,
    *,
    static: Sequence[str] = (),
    reports: bool = True,
    keeps_writes: bool = False,
) -> Extraction:
    """The extraction for a model, which has columns where a call gives the caller's own objects back.

    What is named in `static` is fixed to its value.  What only tells of the run is left out without `reports`.
    Where it can, the model says what was written before an exception (`keeps_writes`).

    Raises
    ------
    GraphProgramError
        GP510 where the program needs the value of something else, GP405 where state that it writes is shared.
    """
    with calls.lock:
        specs, values = calls.types(args)
        known: list[Path] = []
        purpose = Purpose(reports=reports)
        fixed = partial(with_static, specs, calls.defaults | (values or {}), static, loc=calls.loc)
        if static:
            with suppress(GraphProgramError):
                known = [f.path for f in calls.find(specs, values, dims, purpose=purpose).extraction.fixed]
        specs = fixed(known)
        found = calls.find(specs, values, dims, purpose=purpose)
        if any(not isinstance(f.path[-1], SizeStep) for f in unasked(found.extraction, static)):
            with suppress(GraphProgramError):  # the first refusal says what needs such a number
                any_number = replace(purpose, any_number=True)
                specs = fixed(())
                found, purpose = calls.find(specs, values, dims, purpose=any_number), any_number
        in_a_call = found.interface.set_backs
        if found.extraction.keeps_identities:
            any_length = not found.extraction.host  # steps on the host get lists as they are
            purpose = replace(purpose, identities=False, any_length=any_length)
            found = calls.find(specs, values, dims, purpose=purpose)
        require_named(found.extraction, static, calls.loc)
        require_apart(found.interface, in_a_call)
        if keeps_writes and any(error.after_writes for error in found.extraction.residual.errors):
            with suppress(GraphProgramError):
                keeping = found.keeping_writes(values)
                if keeping.interface.parameters == found.interface.parameters:  # lists of all lengths, as it takes
                    return keeping
        return replace(found.extraction, in_a_call=in_a_call)


__all__ = ["extraction_for_model"]
