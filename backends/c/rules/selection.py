"""Sums of what a mask selects."""

from __future__ import annotations

from graph_program.backends.c.arrays import Array
from graph_program.backends.c.c_types import literal, local_type
from graph_program.backends.c.expression import Expr, choice, infix
from graph_program.backends.c.function import Function, rule
from graph_program.backends.c.masked_sums import SUM_WHERE
from graph_program.backends.c.readers import READS_ONCE
from graph_program.backends.c.rules.elementwise import combined
from graph_program.extract.ir.graph import Node

READS_ONCE |= {SUM_WHERE}


@rule(SUM_WHERE)
def _sum_where(fn: Function, node: Node) -> None:
    """How many there are, and their sum, in one walk: an element is read whether it is selected or not."""
    mask, array = (fn.array(value) for value in node.inputs)
    count, total = (Expr(fn.fresh(name)) for name in ("count", node.outputs[1].name))
    fn.place_of(node.loc)
    is_float = array.dtype.kind == "f"
    carrier = "double" if is_float else local_type(array.dtype)
    zero = literal(array.dtype, 0)
    fn.line(f"int64_t {count.text} = 0;")
    fn.line(f"{carrier} {total.text} = 0;")
    said = f"GP_SUMS({total.text}, {count.text})" if is_float else ""
    with fn.count(_both(fn, mask, array), said) as at:
        chosen = fn.variable("bool", "is_in", mask.at([at]))
        element = choice(chosen, fn.variable(local_type(array.dtype), "element", array.at([at])), zero)
        fn.line(f"{count.text} += {chosen.text};")
        new = f"+= {element.text}" if is_float else f"= {combined(fn, '+', array.dtype, total, element).text}"
        fn.line(f"{total.text} {new};")
    found = total if carrier == local_type(array.dtype) else Expr(f"({local_type(array.dtype)}){total.text}", 1)
    fn.values.update(zip(node.outputs, (count, found), strict=True))


def _both(fn: Function, mask: Array, array: Array) -> Expr:
    """How many elements there are of both: what is behind the others is not selected, or that has been an error."""
    (size,), (own,) = mask.shape, array.shape
    return size if size.text == own.text else fn.size(choice(infix("<", own, size), own, size))
