"""Functions of all elements of an array at once, in the widest vectors that the processor has.

    y[i] = tanh(x[i] * 2.0);          to        y[i] = x[i] * 2.0;
                                                gp_many_tanh(y, n);

GCC 12 makes wrong constants with AVX-512, so that nothing else is compiled for it: in these loops there are none.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from graph_program.backends.c import libraries
from graph_program.backends.c.expression import Expr
from graph_program.backends.c.loop_texts import VECTORS

if TYPE_CHECKING:
    from graph_program.backends.c.arrays import Array, Place
    from graph_program.backends.c.function import Function

NAMES = frozenset({"tanh", "sinh", "cosh", "sin", "cos", "tan", "exp", "expm1", "log", "log1p", "log2", "log10", "pow"})
NAMES |= {f"{name}f" for name in NAMES}
"""Of these glibc has forms for eight and sixteen numbers at once."""
CALL = re.compile(r"([a-z]+[0-9a-z]*)\((.*)\)")
EXPONENT = re.compile(r"(.*), (-?[0-9.e+]+f?)")
"""An operand, and a number that is the same for all elements."""


def texts() -> dict[str, str]:
    """The functions, by their names."""
    return {f"gp_many_{name}": _text(name) for name in sorted(NAMES)}


def _text(name: str) -> str:
    c_type = "float" if name.endswith("f") else "double"
    parameter, argument = (f", {c_type} y", ", y") if VECTORS[name] == 2 else ("", "")
    return f"""
#ifndef GP_WIDE
#define GP_WIDE
#endif

/* {name} of all elements, compiled for the widest vectors. */
GP_WIDE static void gp_many_{name}({c_type} *x, int64_t size{parameter}) {{
    GP_APART
    for (int64_t i = 0; i < size; i++) x[i] = {name}(x[i]{argument});
}}
"""


def is_filled(fn: Function, place: Place, array: Array) -> bool:
    """Write the elements of an array to memory, if they are made by such a function; whether they are."""
    if array.flat is None or not fn.interruptible or array.size.text.isdigit():
        return False
    with fn.apart() as lines:
        found = parts(array.flat(Expr("i")).text, array.dtype)
    if lines or found is None:
        return False
    with fn.count(array.size, "GP_APART") as at:
        element = parts(array.flat(at).text, array.dtype)
        assert element is not None
        fn.line(f"{place.name}[{at.text}] = {element[1]};")
    fn.line(f"gp_many_{found[0]}({place.name}, {array.size.text}{found[2]});")
    return True


def parts(element: str, dtype: np.dtype[Any]) -> tuple[str, str, str] | None:
    """The function, its operand and its further argument, of an element that is such a call and nothing else."""
    call = CALL.fullmatch(element)
    if call is None or call[1] not in NAMES or not _is_whole(call[2]) or not is_there():
        return None
    if dtype != (np.float32 if call[1].endswith("f") else np.float64):
        return None
    if VECTORS[call[1]] == 1:
        return call[1], call[2], ""
    further = EXPONENT.fullmatch(call[2])
    return None if further is None else (call[1], further[1], f", {further[2]}")


def _is_whole(operands: str) -> bool:
    """Whether parentheses are closed in the order in which they are opened, so that the outer ones belong together."""
    depth = 0
    for character in operands:
        depth += (character == "(") - (character == ")")
        if depth < 0:
            return False
    return True


@cache
def is_there() -> bool:
    """Whether there are wider vectors than other code is compiled for."""
    return bool(libraries.wide())


__all__ = ["NAMES", "is_filled", "is_there", "parts", "texts"]
