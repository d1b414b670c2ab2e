"""Many elements to one, and running sums."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from graph_program.backends.c.arrays import Array, in_memory
from graph_program.backends.c.c_types import FLOAT16, SHORT, literal, local_type, rounded
from graph_program.backends.c.expression import ONE, Expr, choice, infix, less, plus
from graph_program.backends.c.function import APART, Function, rule
from graph_program.backends.c.readers import READS_ONCE
from graph_program.backends.c.rules.elementwise import combined
from graph_program.extract.ir.graph import Node

BLOCK = 1024
"""So many elements stay in the fastest memory."""
FOLDS = ("sum", "prod", "max", "min", "all", "any")
READS_ONCE |= {*FOLDS, "argmax", "argmin", "cumsum", "cumprod"}


def _least(dtype: np.dtype[Any], largest: bool) -> Any:
    """What every number is at least (or at most)."""
    if dtype.kind == "f":
        return np.inf if largest else -np.inf
    if dtype.kind == "b":
        return largest
    info = np.iinfo(dtype)
    return info.max if largest else info.min


def _start(op: str, dtype: np.dtype[Any]) -> Expr:
    found = {"sum": 0, "prod": 1, "all": True, "any": False}
    return literal(dtype, found[op] if op in found else _least(dtype, op == "min"))


def folded(fn: Function, op: str, dtype: np.dtype[Any], total: Expr, element: Expr) -> Expr:
    """The total with one more element."""
    if op in ("all", "any"):
        return infix("&&" if op == "all" else "||", total, element)
    if op in ("sum", "prod"):
        return combined(fn, "+" if op == "sum" else "*", dtype, total, element)
    if dtype.kind == "b":
        return infix("||" if op == "max" else "&&", total, element)
    kind = "f32" if dtype == FLOAT16 else SHORT[dtype.name]
    return fn.call(f"gp_{op}imum_{kind}", total, element)


def _carrier(op: str, dtype: np.dtype[Any]) -> str:
    """What sums are kept in: float32 ones in double, which is as exact as sums by pairs."""
    return "double" if op in ("sum", "prod") and dtype.kind == "f" else local_type(dtype)


@rule(*FOLDS)
def _fold(fn: Function, node: Node) -> Array | Expr:
    value, axes, op = node.outputs[0], node.attrs["axes"], node.op
    array, dtype = fn.array(node.inputs[0]), value.type.dtype
    fn.place_of(node.loc)
    kept = [axis for axis in range(array.rank) if axis not in axes]
    shape = _reduced(array.shape, axes, node.attrs["keepdims"])
    if not kept:
        total = total_of(fn, op, array, value.name, lambda at: list(at))
        if not value.type.rank:
            return total
        place = fn.allocate(dtype, shape, value.name, value)
        fn.store(in_memory(place, dtype, [ONE]), [Expr("0")], total)
        return in_memory(place, dtype, shape)
    made = in_memory(fn.allocate(dtype, shape, value.name, value), dtype, shape)
    if op == "sum" and _is_turned(array, kept, axes):
        turned = array.view([array.shape[axis] for axis in (*axes, *kept)], lambda at: _back(at, [*axes, *kept]))
        sums = in_memory(made.place, dtype, [array.shape[axis] for axis in kept])  # type: ignore[arg-type]
        _columns(fn, op, turned, sums, range(len(axes)), False)
    elif kept == list(range(len(kept))):
        _rows(fn, op, array, made, kept, axes)
    else:
        _columns(fn, op, array, made, axes, node.attrs["keepdims"])
    return made


def _is_turned(array: Array, kept: Sequence[int], axes: Sequence[int]) -> bool:
    """Whether elements that are added up lie far from each other in memory, and those of several sums beside."""
    own = array.layout
    if own is None or not axes or array.dtype.itemsize != 8:
        return False
    return own.steps[kept[-1]].text == "1" and kept[-1] < axes[-1]


def _back(at: Sequence[Expr], order: Sequence[int]) -> list[Expr]:
    """Indices in the order of the axes."""
    return [at[order.index(axis)] for axis in range(len(order))]


def _reduced(shape: Sequence[Expr], axes: Sequence[int], keepdims: bool) -> list[Expr]:
    if keepdims:
        return [ONE if axis in axes else size for axis, size in enumerate(shape)]
    return [size for axis, size in enumerate(shape) if axis not in axes]


def total_of(fn: Function, op: str, array: Array, name: str, whole: Any, shape: Sequence[Expr] | None = None) -> Expr:
    """One number of some elements, in a variable."""
    dtype = array.dtype
    if op in ("max", "min") and dtype.kind == "f" and dtype.itemsize > 2:
        return _extreme(fn, op, array, name, whole, shape)
    if op in ("any", "all"):
        return _truth(fn, op, array, name, whole, shape)
    total = Expr(fn.fresh(name))
    carrier = _carrier(op, dtype)
    start = _start(op, np.dtype(np.float64) if carrier == "double" else dtype)
    fn.line(f"{carrier} {total.text} = {start.text};")

    def add(element: Expr) -> None:
        if (op in ("sum", "prod") and dtype.kind in "fu" and dtype.itemsize >= 4) or (dtype == FLOAT16 and op == "sum"):
            fn.line(f"{total.text} {'+' if op == 'sum' else '*'}= {element.text};")
        else:
            fn.line(f"{total.text} = {folded(fn, op, dtype, total, element).text};")

    said = f"GP_SUM({total.text})" if op == "sum" and dtype.kind == "f" else ""
    with _elements(fn, array, said, whole, shape) as element:
        add(element)
    if carrier != local_type(dtype):
        total = Expr(f"({local_type(dtype)}){total.text}", 1)
    if dtype == FLOAT16 and op in ("sum", "prod"):
        total = rounded(dtype, total)
    return total


@contextmanager
def _elements(fn: Function, array: Array, said: str, whole: Any, shape: Sequence[Expr] | None = None) -> Iterator[Expr]:
    """A loop over elements."""
    if shape is None and array.flat is not None:
        with fn.count(array.size, said) as at:
            yield array.flat(at)
    else:
        with fn.indices(array.shape if shape is None else shape, said) as inner:
            yield array.at(whole(inner))


def _truth(fn: Function, op: str, array: Array, name: str, whole: Any, shape: Sequence[Expr] | None = None) -> Expr:
    """Whether any element holds, or all: bit by bit in a number, which is work for vectors."""
    total = Expr(fn.fresh(name))
    fn.line(f"uint8_t {total.text} = {int(op == 'all')};")
    with _elements(fn, array, "", whole, shape) as element:
        fn.line(f"{total.text} {'|' if op == 'any' else '&'}= {element.text};")
    return infix("!=", total, Expr("0"))


def _extreme(fn: Function, op: str, array: Array, name: str, whole: Any, shape: Sequence[Expr] | None = None) -> Expr:
    """The largest or the smallest float; NaN, which no comparison finds, is looked for beside."""
    c_type = local_type(array.dtype)
    total, is_nan = Expr(fn.fresh(name)), Expr(fn.fresh("is_nan"))
    fn.include("math.h")
    fn.line(f"{c_type} {total.text} = {_start(op, array.dtype).text};")
    fn.line(f"int {is_nan.text} = 0;")
    with _elements(fn, array, f"GP_{op.upper()}({total.text}, {is_nan.text})", whole, shape) as element:
        one = fn.variable(c_type, "element", element)
        fn.line(f"{total.text} = {choice(infix('>' if op == 'max' else '<', one, total), one, total).text};")
        fn.line(f"{is_nan.text} |= {one.text} != {one.text};")
    fn.line(f"if ({is_nan.text}) {total.text} = NAN;")
    return total


def _rows(fn: Function, op: str, array: Array, made: Array, kept: Sequence[int], axes: Sequence[int]) -> None:
    """The reduced axes are the last ones: one total after the other."""
    with fn.indices([array.shape[axis] for axis in kept]) as outer:
        inner_shape = [array.shape[axis] for axis in axes]
        total = total_of(fn, op, array, "total", lambda inner: [*outer, *inner], inner_shape)
        extra = made.rank - len(outer)
        fn.store(made, [*outer, *[Expr("0")] * extra], total)


def _columns(fn: Function, op: str, array: Array, made: Array, axes: Sequence[int], keepdims: bool) -> None:
    """All totals side by side, in the order of the elements in memory."""
    start = _start(op, array.dtype)
    fn.fill(made.place, Array(made.dtype, made.shape, lambda at: start, lambda at: start))  # type: ignore[arg-type]
    with fn.indices(array.shape, APART if array.rank - 1 not in axes else "") as at:
        where = [Expr("0") if k in axes else i for k, i in enumerate(at) if keepdims or k not in axes]
        total = folded(fn, op, array.dtype, made.at(where), array.at(at))
        if array.dtype == FLOAT16:
            total = rounded(array.dtype, total)
        fn.store(made, where, total)


@rule("argmax", "argmin")
def _position(fn: Function, node: Node) -> Array | Expr:
    value, axis = node.outputs[0], node.attrs["axis"]
    array, largest = fn.array(node.inputs[0]), node.op == "argmax"
    fn.place_of(node.loc)
    if array.rank == 1 and not value.type.rank:
        return _place_of(fn, array, value.name, largest, lambda i: [i], array.shape[0])
    shape = _reduced(array.shape, [axis], node.attrs["keepdims"])
    made = in_memory(fn.allocate(value.type.dtype, shape, value.name, value), value.type.dtype, shape)
    with fn.indices([size for k, size in enumerate(array.shape) if k != axis]) as outer:
        found = _place_of(fn, array, "place", largest, lambda i: [*outer[:axis], i, *outer[axis:]], array.shape[axis])
        where = [*outer[:axis], Expr("0"), *outer[axis:]] if node.attrs["keepdims"] else outer
        fn.store(made, where, found)
    return made


def _place_of(fn: Function, array: Array, name: str, largest: bool, whole: Any, size: Expr) -> Expr:
    """Where the first largest element is."""
    dtype = array.dtype
    if size.text == "1":
        return Expr("0")
    if array.work == 0 and (dtype.kind in "iu" or (dtype.kind == "f" and dtype.itemsize > 2)):
        return _first_equal(fn, array, name, largest, whole, size)
    place, best = fn.fresh(name), fn.fresh("best")
    fn.line(f"int64_t {place} = 0;")
    fn.line(f"{local_type(dtype)} {best} = {literal(dtype, 0).text};")
    with fn.count(size) as i:
        element = fn.variable(local_type(dtype), "element", array.at(whole(i)))
        test = f"{element.text} {'>' if largest else '<'} {best}"
        if dtype.kind == "f":
            test += f" || ({element.text} != {element.text} && {best} == {best})"
        with fn.block(f"if ({i.text} == 0 || {test})"):
            fn.line(f"{best} = {element.text};")
            fn.line(f"{place} = {i.text};")
    return Expr(place)


def _first_equal(fn: Function, array: Array, name: str, largest: bool, whole: Any, size: Expr) -> Expr:
    """The extreme, which vectors find, and then the first element that is it, or is NaN."""
    place = fn.fresh(name)
    if fn.interruptible and (not size.text.isdigit() or int(size.text) > 2 * BLOCK):
        best = _best_block(fn, array, place, largest, whole, size)
    else:
        best = total_of(fn, "max" if largest else "min", array, "best", lambda at: whole(at[0]), [size])
        fn.line(f"int64_t {place} = 0;")
    with fn.block(f"for (; {place} < {less(size, ONE).within(6)}; {place}++)"):
        element = fn.variable(local_type(array.dtype), "element", array.at(whole(Expr(place))))
        is_nan = f" || {element.text} != {element.text}" if array.dtype.kind == "f" else ""
        fn.line(f"if ({element.text} == {best.text}{is_nan}) break;")
    return Expr(place)


def _best_block(fn: Function, array: Array, place: str, largest: bool, whole: Any, size: Expr) -> Expr:
    """The extreme, and where the block begins in which it is first: no more has to be looked at again."""
    c_type, start = local_type(array.dtype), _least(array.dtype, not largest)
    best, block = fn.fresh("best"), fn.fresh("block")
    fn.line(f"{c_type} {best} = {literal(array.dtype, start).text};")
    fn.line(f"int64_t {place} = 0;")
    with fn.block(f"for (int64_t {block} = 0; {block} < {size.within(6)}; {block} += {BLOCK})"):
        left = less(size, Expr(block))
        count = fn.variable("int64_t", "count", choice(infix("<", left, Expr(str(BLOCK))), left, Expr(str(BLOCK))))
        most = total_of(
            fn, "max" if largest else "min", array, "most", lambda at: whole(plus(Expr(block), at[0])), [count]
        )
        is_nan = f" || {most.text} != {most.text}" if array.dtype.kind == "f" else ""
        with fn.block(f"if ({block} == 0 || {most.text} {'>' if largest else '<'} {best}{is_nan})"):
            fn.line(f"{best} = {most.text};")
            fn.line(f"{place} = {block};")
            if is_nan:
                fn.line(f"if ({most.text} != {most.text}) break;")
    return Expr(best)


@rule("cumsum", "cumprod")
def _running(fn: Function, node: Node) -> Array:
    value, axis = node.outputs[0], node.attrs["axis"]
    fn.place_of(node.loc)
    made = fn.materialized(fn.array(node.inputs[0]), value)
    op = "+" if node.op == "cumsum" else "*"
    shape = [less(size, ONE) if k == axis else size for k, size in enumerate(made.shape)]
    with fn.indices(shape) as at:
        here = [infix("+", i, ONE) if k == axis else i for k, i in enumerate(at)]
        total = combined(fn, op, made.dtype, made.at(at), made.at(here))
        if made.dtype == FLOAT16:
            total = rounded(made.dtype, total)
        fn.store(made, here, total)
    return made
