"""The model of an extraction for one runtime: without recognised operators that it does not take.

A pass that makes one operator of many makes a program faster where it runs, and is not to decide where that is: what
the pass would have found stays as the source has it, a loop or arithmetic.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import onnx_ir as ir

from graph_program.backends.onnx.emit import to_proto
from graph_program.exports.feeds import feed_of
from graph_program.exports.models import Made, made_model
from graph_program.extract.diagnostics import Diagnostic, ExportError
from graph_program.targets.checked import operators_not_taken, require_taken
from graph_program.targets.support import Support

if TYPE_CHECKING:
    from graph_program.calls.calls import Calls
    from graph_program.exports.options import ModelOptions
    from graph_program.extract.extraction import Extraction

MAKERS: Mapping[str, str] = {
    "GRU": "recurrent",
    "Gelu": "gelu",
    "Gemm": "gemm",
    "LSTM": "recurrent",
    "LayerNormalization": "layer_norm",
    "Softmax": "softmax",
}
"""The passes that make operators of others, by these operators."""


def made_for(
    calls: Calls,
    extraction: Extraction,
    options: ModelOptions,
    find: Callable[[], Extraction] | None,
    support: Support | None,
) -> Made:
    """The model for a target, or for none.

    Parameters
    ----------
    calls : Calls
    extraction : Extraction
    options : ModelOptions
    find : callable or None
        As for `made_model`.
    support : Support or None
        Of the target.
    """
    made = made_model(calls, extraction, options, find)
    if support is None or MAKERS.keys().isdisjoint(_operators(made.model)):
        return made
    refused = operators_not_taken(to_proto(made.model), support)
    passes = frozenset(MAKERS[operator] for operator in refused & MAKERS.keys())
    return made_model(calls, extraction, replace(options, without=passes), find) if passes else made


def _operators(model: ir.Model) -> set[str]:
    """The operators of a model and of its functions."""
    graphs = (model.graph, *(function.graph for function in model.functions.values()))
    return {node.op_type for graph in graphs for node in ir.traversal.RecursiveGraphIterator(graph)}


def require_for(made: Made, calls: Calls, support: Support | None) -> None:
    """Refuse a model that its target, if it has one, does not take (GP547)."""
    if support is not None:
        require_taken(to_proto(made.model), support, made.program.graph.walk(), calls.loc, made.checked)


def require_elements(calls: Calls, extraction: Extraction, example: Any, support: Support) -> None:
    """Refuse example arguments that a target is not for: with them, a file for it may end the process anywhere.

    Parameters
    ----------
    calls : Calls
    extraction : Extraction
    example : mapping of str to object
        The arguments.
    support : Support
        Of the target.

    Raises
    ------
    ExportError
        GP547 for an array without elements, where the target takes none.
    """
    if not support.needs_elements:
        return
    feed = feed_of(calls.callee, extraction.interface, example, calls.instance)
    empty = next((name for name, array in feed.items() if not np.size(array)), None)
    if empty is not None:
        text = f"{support.runtime} does not take arrays without elements, and `{empty}` has none, {support.source}"
        raise ExportError(Diagnostic("GP547", text, calls.loc, hint="give example arguments that have elements"))


__all__ = ["made_for", "require_elements", "require_for"]
