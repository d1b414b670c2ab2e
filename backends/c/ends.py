"""The ends of a function where a check fails, and of a loop at its test."""

from __future__ import annotations

from graph_program.backends.c.early_ends import FAIL
from graph_program.backends.c.function import Function, rule
from graph_program.backends.c.while_loops import LEAVE
from graph_program.extract.ir.graph import Node

BREAK, DONE = "break;", "goto done;"


@rule(FAIL)
def _fail(fn: Function, node: Node) -> None:
    """The end of the function, with what the caller reads of the error."""
    number, *arguments = (fn.number(value) for value in node.inputs)
    text = number.text if number.text.isdigit() else f"(int){number.within(1)}"
    if fn.error_fields:
        with fn.block("if (error)"):
            fn.line(f"error->number = {text};")
            told = [fn.error_fields[place] for place in node.attrs["places"]]
            for line in dict.fromkeys(f"error->{n} = {a.text};" for n, a in zip(told, arguments, strict=True)):
                fn.line(line)
    fn.line(f"status = {text};")
    fn.line(DONE)


@rule(LEAVE)
def _leave(fn: Function, node: Node) -> None:
    """The end of a loop; what it gives is in its variables."""
    fn.line(BREAK)


def returning(lines: list[str]) -> list[str]:
    """The lines of a function that returns where it fails, as it has nothing to give back."""
    found: list[str] = []
    for line in lines:
        if line.endswith(DONE) and found and found[-1].lstrip().startswith("status = "):
            found[-1] = found[-1].replace("status = ", "return ")
        else:
            found.append(line)
    return found


__all__ = ["BREAK", "DONE", "returning"]
