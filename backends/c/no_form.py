"""The refusal of an operation that C has no form for."""

from __future__ import annotations

from graph_program.extract.diagnostics import Diagnostic, UnsupportedError
from graph_program.extract.ir.graph import Node


def refused(node: Node) -> UnsupportedError:
    """An operation that has no form in C."""
    return UnsupportedError(
        Diagnostic(
            "GP601",
            f"the operation '{node.op}' on {', '.join(str(v.type) for v in node.inputs)} has no form in C yet",
            node.loc,
            hint="export the program as ONNX, or write this line with other operations",
        )
    )


__all__ = ["refused"]
