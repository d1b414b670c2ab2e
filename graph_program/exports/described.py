"""What a model says about itself: who made it, the function's doc string, and where each node comes from."""

from __future__ import annotations

import inspect
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import onnx_ir as ir

from graph_program.backends.onnx.versions import IR_VERSION
from graph_program.extract.diagnostics import Loc


def describe(model: ir.Model, fn: Any, loc: Loc) -> None:
    """Note the version of the package, the doc string of a function, and its place where a node has none.

    Parameters
    ----------
    model : onnx_ir.Model
        Changed in place.
    fn : function
        The Python function that the model was made of.
    loc : Loc
        Its first line.
    """
    model.producer_version = _version()
    model.doc_string = inspect.getdoc(fn)
    graphs: list[ir.Graph | ir.Function] = [model.graph, *model.functions.values()]
    for graph in graphs:
        for node in ir.traversal.RecursiveGraphIterator(graph):
            if (model.ir_version or 0) >= IR_VERSION:
                node.metadata_props.setdefault("source", loc.where)
            else:
                node.doc_string = node.doc_string or loc.where


def _version() -> str:
    try:
        return version("graph-program")
    except PackageNotFoundError:  # a copy of the sources
        return "unknown"


__all__ = ["describe"]
