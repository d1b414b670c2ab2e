"""What is said of models that cannot be taken, each with its code."""

from __future__ import annotations

from dataclasses import replace
from itertools import dropwhile, takewhile

from graph_program.extract.diagnostics import UNKNOWN, Diagnostic, Loc, ModelError

FILE, BROKEN, DATA, PORTS, RUNTIME, OPSETS = "GP610", "GP611", "GP612", "GP613", "GP614", "GP615"


def refused(code: str, path: str, why: str, hint: str = "", loc: Loc = UNKNOWN) -> ModelError:
    """The error for a model that cannot be taken."""
    return ModelError(Diagnostic(code, f"cannot use the model {path!r}: {why}", loc, hint=hint))


def placed(error: ModelError, loc: Loc) -> ModelError:
    """The same error at the line of a program that needs the model."""
    return ModelError(replace(error.diagnostic, loc=loc))


def first_line(error: Exception) -> str:
    """What a library complains about, without what comes after and the place in its own sources.

    A line that ends with a colon goes on: `... however input 'y' of node:`, `name: OpType: MatMul`, `is not output of
    any previous nodes.`
    """
    lines = [" ".join(line.split()) for line in str(error).splitlines() if line.strip()]
    lines = list(dropwhile(lambda line: line.startswith("Error in "), lines)) or [type(error).__name__]
    text = lines[0]
    while text.startswith("["):  # of `[ShapeInferenceError] (op_type:Add, ...): ...`
        head, found, rest = text.partition("]")
        text = rest.strip() if found and rest.strip() else head[1:]
    if text.endswith(":"):
        tail = list(takewhile(lambda line: not line.startswith("==>"), lines[1:]))
        ends = next((k for k, line in enumerate(tail, 1) if line.endswith(".")), 0)
        text = " ".join([text, *tail[:ends]]) if ends else text.rstrip(":")
    return text


__all__ = ["BROKEN", "DATA", "FILE", "OPSETS", "PORTS", "RUNTIME", "first_line", "placed", "refused"]
