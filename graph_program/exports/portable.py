"""The refusal of programs that have no form for other runtimes than onnxruntime."""

from __future__ import annotations

from graph_program.extract.diagnostics import Diagnostic, ExportError
from graph_program.extract.ir.graph import GraphProgram


def require_portable(program: GraphProgram) -> None:
    """Refuse a program with values that few runtimes have.

    Raises
    ------
    ExportError
        GP517, at the statement that makes the first of them.
    """
    for node in program.graph.walk():
        if any(value.type.is_bfloat16 for value in (*node.inputs, *node.outputs)):
            raise ExportError(
                Diagnostic(
                    "GP517",
                    f"`{program.name}` cannot be portable: bfloat16 is a type that few runtimes have",
                    node.loc,
                    hint="compute in float32: `x.astype(np.float32)` outside, where the arguments are made",
                )
            )


__all__ = ["require_portable"]
