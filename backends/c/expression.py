"""C expressions: a text, how tightly it binds, and what it reads that may change."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import field
from typing import Any

import numpy as np

from graph_program.extract.records import dataclass

ATOM, UNARY, PRODUCT, SUM, SHIFT, ORDER, EQUAL, BIT_AND, BIT_XOR, BIT_OR, AND, OR, CHOICE = range(13)
"""How tightly C's operators bind, from the tightest on."""
LEVELS = {
    **dict.fromkeys("*/%", PRODUCT),
    **dict.fromkeys("+-", SUM),
    **dict.fromkeys(("<<", ">>"), SHIFT),
    **dict.fromkeys(("<", "<=", ">", ">="), ORDER),
    **dict.fromkeys(("==", "!="), EQUAL),
    "&": BIT_AND,
    "^": BIT_XOR,
    "|": BIT_OR,
    "&&": AND,
    "||": OR,
}
MIXED = frozenset({SHIFT, BIT_AND, BIT_XOR, BIT_OR, AND, OR})
"""Levels whose operands compilers and readers want in parentheses, but for the same operator."""


@dataclass(frozen=True)
class Expr:
    """A C expression.

    Attributes
    ----------
    text : str
    level : int
        How tightly it binds.
    reads : frozenset of str
        The variables and the memory that it reads, by their names in C, as far as these may change.
    limits : tuple of int, optional
        The least and the greatest number that it may be where it was made of a smaller type than it has.
    """

    text: str
    level: int = ATOM
    reads: frozenset[str] = frozenset()
    limits: tuple[int, int] | None = field(default=None, compare=False)

    def __str__(self) -> str:
        return self.text

    def within(self, level: int) -> str:
        """The text as an operand of an operator of a level."""
        return self.text if self.level <= level else f"({self.text})"


ZERO, ONE = Expr("0"), Expr("1")
SIMPLE = re.compile(r"-?(\w|\.|(?<=[eE])[+-])+|-?U?INT\d+_C\(-?\d+\)")


def is_simple(operand: Expr) -> bool:
    """Whether an expression is a variable or a number, which may stand anywhere any number of times."""
    return SIMPLE.fullmatch(operand.text) is not None


def limits_of(dtype: np.dtype[Any]) -> tuple[int, int]:
    """The least and the greatest number of a type of integers, or of truth values."""
    return (0, 1) if dtype.kind == "b" else (int(np.iinfo(dtype).min), int(np.iinfo(dtype).max))


def fits(limits: tuple[int, int], dtype: np.dtype[Any]) -> bool:
    """Whether a type of integers has all numbers between limits."""
    least, greatest = limits_of(dtype)
    return least <= limits[0] and limits[1] <= greatest


def number(value: int) -> Expr:
    """An integer."""
    return Expr(str(value)) if value >= 0 else Expr(str(value), UNARY)


def reads(*operands: Expr) -> frozenset[str]:
    """What any of some expressions read."""
    return frozenset().union(*(operand.reads for operand in operands))


def infix(operator: str, left: Expr, right: Expr) -> Expr:
    """Two operands and an operator between them."""
    level = LEVELS[operator]
    texts = []
    for place, operand in enumerate((left, right)):
        inner = level if place == 0 and not (level in MIXED and operand.level != level) else level - 1
        if level in MIXED and operand.level not in (ATOM, UNARY) and operand.level != level:
            inner = UNARY if level not in (AND, OR) else EQUAL
        if level in (ORDER, EQUAL):
            inner = SUM
        texts.append(operand.within(min(inner, level)))
    return Expr(f"{texts[0]} {operator} {texts[1]}", level, reads(left, right))


def negated(operand: Expr) -> Expr:
    """`!x`."""
    if operand.text in ("true", "false"):
        return Expr("false" if operand.text == "true" else "true")
    return Expr(f"!{operand.within(ATOM)}", UNARY, operand.reads)


def minus(operand: Expr) -> Expr:
    """`-x`."""
    return Expr(f"-{operand.within(ATOM)}", UNARY, operand.reads)


def call(function: str, *operands: Expr) -> Expr:
    """`function(x, y)`."""
    return Expr(f"{function}({', '.join(operand.text for operand in operands)})", ATOM, reads(*operands))


def cast(c_type: str, operand: Expr) -> Expr:
    """`(type)x`."""
    return Expr(f"({c_type}){operand.within(UNARY)}", UNARY, operand.reads)


def choice(test: Expr, yes: Expr, no: Expr) -> Expr:
    """`test ? yes : no`, or what both are."""
    if yes.text == no.text:
        return yes
    asked = test.within(EQUAL if BIT_AND <= test.level <= BIT_OR else OR)  # as clang wants it
    text = f"{asked} ? {yes.within(OR)} : {no.within(OR)}"
    return Expr(text, CHOICE, reads(test, yes, no))


def constant_of(operand: Expr) -> int | None:
    """The integer that an expression is written as."""
    text = operand.text
    return int(text) if text.lstrip("-").isdigit() else None


def plus(left: Expr, right: Expr) -> Expr:
    """A sum of sizes or positions, without zeros."""
    a, b = constant_of(left), constant_of(right)
    if a is not None and b is not None:
        return number(a + b)
    if a == 0:
        return right
    if b == 0:
        return left
    if b is not None and b < 0:
        return infix("-", left, number(-b))
    return infix("+", left, right)


def less(left: Expr, right: Expr) -> Expr:
    """A difference of sizes or positions."""
    a, b = constant_of(left), constant_of(right)
    if a is not None and b is not None:
        return number(a - b)
    if b == 0:
        return left
    if b is not None and b < 0:
        return infix("+", left, number(-b))
    return infix("-", left, right)


def times(left: Expr, right: Expr) -> Expr:
    """A product of sizes or positions."""
    a, b = constant_of(left), constant_of(right)
    if a is not None and b is not None:
        return number(a * b)
    if a == 0 or b == 0:
        return ZERO
    if a == 1:
        return right
    if b == 1:
        return left
    return infix("*", left, right)


def product(factors: Iterable[Expr]) -> Expr:
    """The product of sizes."""
    total = ONE
    for factor in factors:
        total = times(total, factor)
    return total
