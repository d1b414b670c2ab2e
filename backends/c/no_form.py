"""The refusal of an operation that C has no form for."""

from __future__ import annotations

from graph_program.extract.diagnostics import Diagnostic, UnsupportedError
from graph_program.extract.ir.graph import Node
from graph_program.extract.ir.models import CALL


def refused(node: Node) -> UnsupportedError:
    """An operation that has no form in C."""
    if node.op == CALL:
        text = f"machine code has no form of the call of a model, {node.attrs['model'].name}(...)"
        return UnsupportedError(Diagnostic("GP601", text, node.loc, hint="run it in onnxruntime, or export it as ONNX"))
    return UnsupportedError(
        Diagnostic(
            "GP601",
            f"the operation '{node.op}' on {', '.join(str(v.type) for v in node.inputs)} has no form in C yet",
            node.loc,
            hint="export the program as ONNX, or write this line with other operations",
        )
    )


__all__ = ["refused"]
