"""The fused operators of neural networks: convolutions, pooling, normalisation; their meaning is `tensor_api/fused.py`.

for each result [n, o, i, j]:
    total = bias[o]
    for each channel c and tap (k, l):
        row = i * stride + k * dilation - padding ...
        if it is inside: total += x[n, c, row, column] * w[o, c, k, l]
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

import numpy as np

from graph_program.backends.c.arrays import Array, in_memory
from graph_program.backends.c.c_types import SHORT, literal, local_type
from graph_program.backends.c.expression import (
    ZERO,
    Expr,
    call,
    cast,
    choice,
    infix,
    less,
    minus,
    number,
    plus,
    product,
    times,
)
from graph_program.backends.c.function import Function, rule
from graph_program.backends.c.rules.elementwise import math_name
from graph_program.extract.ir.graph import Node

AXES = ("row", "column", "layer")
"""What positions in the spatial axes are called."""


def _made(fn: Function, node: Node, shape: Sequence[Expr]) -> Array:
    """Memory for the result."""
    value = node.outputs[0]
    fn.include("math.h")
    known = [
        Expr(str(d.constant)) if d.constant is not None else s for d, s in zip(value.type.shape, shape, strict=True)
    ]
    return in_memory(fn.allocate(value.type.dtype, known, value.name, value), value.type.dtype, known)


def _operands(fn: Function, node: Node) -> list[Array]:
    """The operands in memory: each element is read several times."""
    fn.place_of(node.loc)
    return [fn.stored(value) for value in node.inputs]


def _total(fn: Function, name: str, c_type: str, start: Expr) -> Expr:
    """A variable that a loop adds to."""
    total = fn.fresh(name)
    fn.line(f"{c_type} {total} = {start.text};")
    return Expr(total)


# ---------------------------------------------------------------- windows


def _windows(size: Expr, taps: Expr, stride: int, around: int, dilation: int) -> Expr:
    """How many windows there are along an axis."""
    span = plus(times(number(dilation), less(taps, Expr("1"))), number(1 - around))
    if size.text.isdigit() and span.text.lstrip("-").isdigit():
        return number(max((int(size.text) - int(span.text)) // stride + 1, 0))
    return call("gp_windows", size, span, number(stride))


@contextmanager
def _inside(fn: Function, places: Sequence[Expr], sizes: Sequence[Expr], padded: bool) -> Iterator[list[Expr]]:
    """The positions that places in a padded array have in the array; only for those inside."""
    found = [fn.variable("int64_t", name, place) for name, place in zip(AXES, places, strict=False)]
    tests = [f"{at.text} >= 0 && {at.text} < {size.within(6)}" for at, size in zip(found, sizes, strict=True)]
    with fn.block(f"if ({' && '.join(tests)})") if padded else ExitStack():
        yield found


def _place(window: Expr, tap: Expr, stride: int, before: int, dilation: int) -> Expr:
    """Where a tap of a window is."""
    return less(plus(times(window, number(stride)), times(tap, number(dilation))), number(before))


def _channels(fn: Function, out: Expr, outputs: Expr, groups: int, inputs: Expr, c: Expr) -> Expr:
    """The channel of the input that one of a group is."""
    if groups == 1:
        return c
    return plus(times(Expr(f"{out.text} / ({outputs.text} / {groups})", 0), inputs), c)


@rule("conv")
def _conv(fn: Function, node: Node) -> Array:
    x, w, *bias = _operands(fn, node)
    strides, pads, dilations, groups = (node.attrs[k] for k in ("strides", "pads", "dilations", "groups"))
    rank = len(strides)
    taps = w.shape[2:]
    spatial = [
        _windows(n, k, s, before + after, d)
        for n, k, s, before, after, d in zip(
            x.shape[2:], taps, strides, pads[:rank], pads[rank:], dilations, strict=True
        )
    ]
    made = _made(fn, node, [x.shape[0], w.shape[0], *map(fn.size, spatial)])
    zero = literal(made.dtype, 0)
    with fn.indices(made.shape) as at:
        first, out, *window = at
        total = _total(fn, "total", local_type(made.dtype), bias[0].at([out]) if bias else zero)
        with fn.indices([w.shape[1], *taps]) as (c, *tap):
            places = [_place(*one) for one in zip(window, tap, strides, pads, dilations, strict=False)]
            channel = _channels(fn, out, made.shape[1], groups, w.shape[1], c)
            with _inside(fn, places, x.shape[2:], any(pads)) as inside:
                term = infix("*", x.at([first, channel, *inside]), w.at([out, c, *tap]))
                fn.line(f"{total.text} += {term.text};")
        fn.store(made, at, total)
    return made


@rule("conv_transpose")
def _conv_transpose(fn: Function, node: Node) -> Array:
    x, w, *bias = _operands(fn, node)
    strides, pads, dilations, groups = (node.attrs[k] for k in ("strides", "pads", "dilations", "groups"))
    rank = len(strides)
    taps = w.shape[2:]
    spatial = [
        plus(
            plus(times(less(n, Expr("1")), number(s)), times(less(k, Expr("1")), number(d))), number(more + 1 - around)
        )
        for n, k, s, around, d, more in zip(
            x.shape[2:],
            taps,
            strides,
            [before + after for before, after in zip(pads[:rank], pads[rank:], strict=True)],
            dilations,
            node.attrs["output_padding"],
            strict=True,
        )
    ]
    made = _made(fn, node, [x.shape[0], times(w.shape[1], number(groups)), *map(fn.size, spatial)])
    zero = literal(made.dtype, 0)
    with fn.indices(made.shape) as at:
        first, out, *position = at
        total = _total(fn, "total", local_type(made.dtype), bias[0].at([out]) if bias else zero)
        own = out if groups == 1 else fn.variable("int64_t", "own", infix("%", out, w.shape[1]))
        inputs = x.shape[1] if groups == 1 else fn.variable("int64_t", "inputs", infix("/", x.shape[1], number(groups)))
        with fn.indices([inputs, *taps]) as (c, *tap):
            spread = [
                fn.variable("int64_t", name, less(plus(i, number(before)), times(k, number(d))))
                for name, i, k, before, d in zip(AXES, position, tap, pads, dilations, strict=False)
            ]
            tests = [f"{i.text} % {s} == 0" for i, s in zip(spread, strides, strict=True) if s != 1]
            tests += [
                f"{i.text} >= 0 && {i.text} < {times(n, number(s)).within(6)}"
                for i, n, s in zip(spread, x.shape[2:], strides, strict=True)
            ]
            source = [i if s == 1 else infix("/", i, number(s)) for i, s in zip(spread, strides, strict=True)]
            channel = _channels(fn, out, made.shape[1], groups, inputs, c)
            channel = fn.size(channel, "channel")
            with fn.block(f"if ({' && '.join(tests)})"):
                term = infix("*", x.at([first, channel, *source]), w.at([channel, own, *tap]))
                fn.line(f"{total.text} += {term.text};")
        fn.store(made, at, total)
    return made


@rule("max_pool", "average_pool")
def _pool(fn: Function, node: Node) -> Array:
    (x,) = _operands(fn, node)
    strides, pads = node.attrs["strides"], node.attrs["pads"]
    rank, dtype = len(strides), x.dtype
    taps = [number(int(k)) for k in node.attrs["taps"]]
    dilations = node.attrs.get("dilations", (1,) * rank)
    spatial = [
        _windows(n, k, s, before + after, d)
        for n, k, s, before, after, d in zip(
            x.shape[2:], taps, strides, pads[:rank], pads[rank:], dilations, strict=True
        )
    ]
    made = _made(fn, node, [*x.shape[:2], *map(fn.size, spatial)])
    largest = node.op == "max_pool"
    with fn.indices(made.shape) as at:
        start = literal(dtype, -np.inf if largest else 0)
        total = _total(fn, "largest" if largest else "total", local_type(dtype), start)
        with fn.indices(taps) as tap:
            places = [_place(*one) for one in zip(at[2:], tap, strides, pads, dilations, strict=False)]
            with _inside(fn, places, x.shape[2:], any(pads)) as inside:
                element = x.at([*at[:2], *inside])
                if largest:
                    fn.line(f"{total.text} = {fn.call(f'gp_maximum_{SHORT[dtype.name]}', total, element).text};")
                else:
                    fn.line(f"{total.text} += {element.text};")
        fn.store(made, at, total if largest else infix("/", total, product(taps)))
    return made


# ---------------------------------------------------------------- normalisation


@rule("softmax", "log_softmax")
def _softmax(fn: Function, node: Node) -> Array:
    (x,) = _operands(fn, node)
    made = _made(fn, node, x.shape)
    dtype, c_type = made.dtype, local_type(made.dtype)
    axis = node.attrs["axis"] % x.rank
    exp, log = math_name("exp", dtype), math_name("log", dtype)
    with fn.indices([size for k, size in enumerate(x.shape) if k != axis]) as outer:

        def at(i: Expr) -> list[Expr]:
            return [*outer[:axis], i, *outer[axis:]]

        largest = _total(fn, "largest", c_type, literal(dtype, -np.inf))
        with fn.count(x.shape[axis]) as i:
            fn.line(f"{largest.text} = {fn.call(f'gp_maximum_{SHORT[dtype.name]}', largest, x.at(at(i))).text};")
        total = _total(fn, "total", "double", Expr("0.0"))
        with fn.count(x.shape[axis]) as i:
            power = call(exp, infix("-", x.at(at(i)), largest))
            if node.op == "softmax":
                fn.store(made, at(i), power)
                power = made.at(at(i))
            fn.line(f"{total.text} += {power.text};")
        whole = total if dtype == np.float64 else cast(c_type, total)
        if node.op == "log_softmax":
            whole = fn.variable(c_type, "logarithm", call(log, whole))
        with fn.count(x.shape[axis]) as i:
            if node.op == "softmax":
                fn.store(made, at(i), infix("/", made.at(at(i)), whole))
            else:
                fn.store(made, at(i), infix("-", infix("-", x.at(at(i)), largest), whole))
    return made


@rule("layer_norm")
def _layer_norm(fn: Function, node: Node) -> Array:
    x, weight, bias = _operands(fn, node)
    made = _made(fn, node, x.shape)
    first = x.rank + node.attrs["axis"]
    with fn.indices(x.shape[:first]) as outer:
        _normalise(fn, node, made, x, outer, lambda inner: (weight.at(inner), bias.at(inner)))
    return made


@rule("instance_norm")
def _instance_norm(fn: Function, node: Node) -> Array:
    x, weight, bias = _operands(fn, node)
    made = _made(fn, node, x.shape)
    with fn.indices(x.shape[:2]) as outer:
        channel = outer[1:]
        _normalise(fn, node, made, x, outer, lambda inner: (weight.at(channel), bias.at(channel)))
    return made


def _normalise(
    fn: Function, node: Node, made: Array, x: Array, outer: Sequence[Expr], scale: Callable[..., tuple[Expr, Expr]]
) -> None:
    """Mean 0 and variance 1 over the inner axes, then times a weight plus a bias."""
    dtype, c_type = made.dtype, local_type(made.dtype)
    inner_shape = x.shape[len(outer) :]
    count = product(inner_shape)
    total = _total(fn, "total", "double", Expr("0.0"))
    with fn.indices(inner_shape) as inner:
        fn.line(f"{total.text} += {x.at([*outer, *inner]).text};")
    mean = fn.variable(c_type, "mean", _narrow(dtype, infix("/", total, count)))
    squares = _total(fn, "squares", "double", Expr("0.0"))
    with fn.indices(inner_shape) as inner:
        apart = fn.variable(c_type, "apart", infix("-", x.at([*outer, *inner]), mean))
        fn.line(f"{squares.text} += {apart.text} * {apart.text};")
    variance = infix("+", _narrow(dtype, infix("/", squares, count)), literal(dtype, node.attrs["epsilon"]))
    deviation = fn.variable(c_type, "deviation", call(math_name("sqrt", dtype), variance))
    with fn.indices(inner_shape) as inner:
        weight, bias = scale(inner)
        centred = infix("-", x.at([*outer, *inner]), mean)
        fn.store(made, [*outer, *inner], infix("+", infix("*", infix("/", centred, deviation), weight), bias))


def _narrow(dtype: np.dtype[Any], value: Expr) -> Expr:
    return value if dtype == np.float64 else cast(local_type(dtype), value)


# ---------------------------------------------------------------- choices, sizes


@rule("top_k")
def _top_k(fn: Function, node: Node) -> Array:
    """The first places of the order of -x, which is stable."""
    value = node.outputs[0]
    (x,) = _operands(fn, node)
    size, k = x.shape[-1], number(int(node.attrs["k"]))
    made = _made(fn, node, [*x.shape[:-1], k])
    if k.text == "0":
        return made
    keys = in_memory(fn.allocate(x.dtype, [size], "keys"), x.dtype, [size])
    order, spare = (
        in_memory(fn.allocate(value.type.dtype, [size], n), value.type.dtype, [size]) for n in ("order", "spare")
    )
    assert keys.place is not None and order.place is not None and spare.place is not None
    is_enough = size.text.isdigit() and int(size.text) >= int(k.text)
    with fn.indices(x.shape[:-1]) as outer:
        with fn.count(size) as i:
            fn.store(keys, [i], minus(x.at([*outer, i])))
        names = ", ".join((keys.place.name, order.place.name, size.text, spare.place.name))
        fn.line(f"gp_argsort_{SHORT[x.dtype.name]}({names});")
        with fn.count(k) as i:
            found = order.at([i])
            fn.store(made, [*outer, i], found if is_enough else choice(infix("<", i, size), found, ZERO))
    return made


@rule("resize")
def _resize(fn: Function, node: Node) -> Array:
    (x,) = _operands(fn, node)
    made = _made(fn, node, [*x.shape[:2], *(number(int(size)) for size in node.attrs["sizes"])])
    c_type, one = local_type(x.dtype), literal(x.dtype, 1)
    with fn.indices(made.shape) as at:
        (top, bottom, down), (left, right, across) = (
            _between(fn, name, at[axis], x.shape[axis], made.shape[axis], node.attrs["align_corners"], x.dtype)
            for axis, name in ((2, "row"), (3, "column"))
        )
        sides = []
        for name, column in (("left", left), ("right", right)):
            upper, lower = (x.at([*at[:2], row, column]) for row in (top, bottom))
            mixed = infix("+", infix("*", upper, infix("-", one, down)), infix("*", lower, down))
            sides.append(fn.variable(c_type, name, mixed))
        fn.store(made, at, infix("+", infix("*", sides[0], infix("-", one, across)), infix("*", sides[1], across)))
    return made


def _between(
    fn: Function, name: str, i: Expr, size: Expr, out: Expr, align_corners: Any, dtype: np.dtype[Any]
) -> tuple[Expr, Expr, Expr]:
    """The two elements of an axis between which one of the new axis is, and how far from the first."""
    c_type = local_type(dtype)
    floor, half, zero = math_name("floor", dtype), literal(dtype, 0.5), literal(dtype, 0)
    index, last = cast(c_type, i), fn.size(less(size, Expr("1")), "last")
    if align_corners:
        place = infix("*", index, infix("/", cast(c_type, last), cast(c_type, number(max(int(out.text) - 1, 1)))))
    else:
        ratio = infix("/", cast(c_type, size), cast(c_type, out))
        place = infix("-", infix("*", infix("+", index, half), ratio), half)
    place = fn.variable(c_type, name, place)
    inside = fn.variable(c_type, "inside", choice(infix(">", place, zero), place, zero))
    low = fn.variable("int64_t", "low", fn.call("gp_minimum_i64", cast("int64_t", inside), last))
    high = fn.variable("int64_t", "high", fn.call("gp_minimum_i64", plus(low, Expr("1")), last))
    return low, high, fn.variable(c_type, "part", infix("-", inside, call(floor, inside)))
