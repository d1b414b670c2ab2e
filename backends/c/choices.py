"""What a branch that computes nothing gives: one of two numbers, or one of them in any case."""

from __future__ import annotations

from collections.abc import Sequence

from graph_program.backends.c.expression import Expr, choice, infix, is_simple
from graph_program.backends.c.function import Function
from graph_program.extract.ir.graph import Value


def only(fn: Function, sides: Sequence[Value], given: Sequence[Expr]) -> Expr | None:
    """What a choice gives whatever its test says; None if there is no such expression.

    Nobody reads what stands for a value that is not there.  The other side is computed instead if it is there
    already: an expression may read behind an array, or divide by zero, where its side is not taken.
    """
    if given[0].text == given[1].text:
        return given[0]
    for side, other in zip(sides, reversed(given), strict=True):
        if side in fn.placeholders and is_simple(other):
            return other
    return None


def one_of(test: Expr, yes: Expr, no: Expr) -> Expr:
    """`test ? yes : no`; of flags also `test && yes` and `test || no`."""
    if no.text == "false":
        return infix("&&", test, yes)
    return infix("||", test, no) if yes.text == "true" else choice(test, yes, no)


__all__ = ["one_of", "only"]
