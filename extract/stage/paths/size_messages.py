"""What NumPy says about sizes that do not fit: raised where that is only known at run time."""

from __future__ import annotations

from collections.abc import Sequence

from graph_program.extract.stage.machine.checks.size_facts import require, size_clauses
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.paths.narrowing import narrow
from graph_program.extract.stage.paths.raising import end_where
from graph_program.extract.stage.values.exception_values import with_message
from graph_program.extract.stage.values.questions import is_known
from graph_program.extract.stage.values.values import Value


def check(m: Machine, bad: Value, error: type[BaseException], *text: str | Value) -> None:
    """Raise `error` where `bad` holds; sizes in the text are shown as numbers."""
    clauses = size_clauses(bad)
    if clauses is not None:
        require(m, clauses, error, text, bad)
        return
    if is_known(bad):
        m.check(bad, error, *text)
        return
    end_where(m, bad, lambda: with_message(error, text))
    narrow(m.live, bad, holds=False)


def shape_text(sizes: Sequence[Value], comma: str = ",") -> list[str | Value]:
    """A shape as NumPy prints it in messages, in parts; `comma` as Python prints tuples where it is ", "."""
    text: list[str | Value] = ["("]
    for i, size in enumerate(sizes):
        text += [size, comma if i + 1 < len(sizes) else "," if len(sizes) == 1 else ""]
    return [*text, ")"]
