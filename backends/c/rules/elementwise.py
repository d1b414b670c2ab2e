"""Arithmetic, logic and functions of numbers, element by element."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from graph_program.backends.c.arrays import Array, computed
from graph_program.backends.c.c_types import FLOAT16, HALVES, SHORT, literal, local_type, rounded
from graph_program.backends.c.expression import (
    ZERO,
    Expr,
    call,
    cast,
    choice,
    constant_of,
    fits,
    infix,
    is_simple,
    limits_of,
    minus,
    negated,
    number,
)
from graph_program.backends.c.function import Function, rule
from graph_program.backends.c.late_operands import HELD
from graph_program.backends.c.readers import BROADCASTING, READS_ONCE, is_square
from graph_program.backends.c.rules.overflow import overflows
from graph_program.backends.c.vector_calls import is_for_vectors
from graph_program.extract.ir.graph import Node, Value
from graph_program.extract.types.dims import dim, provably_less_equal

CALL = re.compile(r"\w\(")
Operation = Callable[..., Expr]
INT64 = np.dtype(np.int64)


def elementwise(fn: Function, node: Node, operation: Operation, work: int = 1) -> Array | Expr:
    """A number, or the array whose elements an operation computes."""
    value = node.outputs[0]
    if not value.type.rank:
        return operation(*(fn.number(x) for x in node.inputs))
    operands = [fn.array(x) if x.type.rank else _fixed(fn, x) for x in node.inputs]
    return computed(value.type.dtype, result_shape(fn, value, node.inputs), operands, operation, work)


def _fixed(fn: Function, value: Value) -> Expr:
    """A number that is read for each element."""
    found = fn.number(value)
    if is_simple(found):
        return found
    found = fn.variable(local_type(value.type.dtype), value.name, found)
    fn.values[value] = found
    fn.pending.pop(value, None)
    return found


def result_shape(fn: Function, value: Value, operands: list[Value]) -> list[Expr]:
    """The sizes of what operands broadcast to."""
    shape = []
    for axis, size in enumerate(value.type.shape):
        back = value.type.rank - axis
        found = [(x.type.shape[-back], fn.array(x).shape[-back]) for x in operands if x.type.rank >= back]
        same = [own for own_size, own in found if own_size == size]
        if size.constant is not None:
            shape.append(Expr(str(size.constant)))
        elif same:
            shape.append(same[0])
        else:
            total = found[0][1]
            for _, own in found[1:]:
                total = choice(infix("==", total, Expr("1")), own, total)
            shape.append(fn.size(total))
    return shape


def _templates(text: str) -> dict[str, str]:
    return dict(line.split(None, 1) for line in text.strip().splitlines())


MATH = _templates("""
    floor floor
    ceil ceil
    trunc trunc
    rint rint
    sqrt sqrt
    cbrt cbrt
    exp exp
    exp2 exp2
    expm1 expm1
    log log
    log2 log2
    log10 log10
    log1p log1p
    sin sin
    cos cos
    tan tan
    arcsin asin
    arccos acos
    arctan atan
    sinh sinh
    cosh cosh
    tanh tanh
    arcsinh asinh
    arccosh acosh
    arctanh atanh
    arctan2 atan2
    hypot hypot
    copysign copysign
    fmod fmod
    power pow
    erf erf
""")
"""Functions of C's library, on floats."""
WORK = dict.fromkeys(MATH, 8) | {"sqrt": 2, "floor": 2}
ARITHMETIC = {"add": "+", "subtract": "-", "multiply": "*"}
BITS = {"bitwise_and": "&", "bitwise_or": "|", "bitwise_xor": "^"}
EXTREMES = ("maximum", "minimum", "fmax", "fmin")
HELPED = (*EXTREMES, "sign", "absolute", "floor_divide", "remainder", "fmod", "power", "reciprocal", "logaddexp")
SHIFTS = ("left_shift", "right_shift")


def math_name(name: str, dtype: np.dtype[Any]) -> str:
    """The function for an element type: C's have an f for float."""
    return name if dtype == np.float64 else f"{name}f"


@rule(*(name for name in MATH if name not in ("fmod", "power")))
def _math(fn: Function, node: Node) -> Array | Expr:
    dtype = node.outputs[0].type.dtype
    if dtype.kind != "f":  # floor of an integer
        return elementwise(fn, node, lambda x: x, 0)
    fn.include("math.h")
    name = math_name(MATH[node.op], dtype)
    return elementwise(fn, node, _rounding(fn, dtype, lambda *operands: call(name, *operands)), WORK.get(node.op, 8))


def _rounding(fn: Function, dtype: np.dtype[Any], operation: Operation) -> Operation:
    """Round results to float16."""
    if dtype != FLOAT16:
        return operation
    return lambda *operands: rounded(dtype, operation(*operands))


@rule(*ARITHMETIC)
def _arithmetic(fn: Function, node: Node) -> Array | Expr:
    dtype, operator = node.outputs[0].type.dtype, ARITHMETIC[node.op]
    if dtype.kind == "b":
        return elementwise(fn, node, lambda a, b: infix("||" if operator == "+" else "&&", a, b))
    if dtype.kind == "f":
        operation = _squared(fn, dtype) if is_square(node) else lambda a, b: infix(operator, a, b)
        return elementwise(fn, node, _rounding(fn, dtype, operation))
    if dtype.itemsize < 4:
        return elementwise(fn, node, lambda a, b: cast(local_type(dtype), infix(operator, a, b)))
    if dtype.kind == "u" or _stays_inside(fn, node):
        return elementwise(fn, node, lambda a, b: infix(operator, a, b))
    return elementwise(fn, node, lambda a, b: fn.call(f"gp_{node.op}_{SHORT[dtype.name]}", a, b))


def _stays_inside(fn: Function, node: Node) -> bool:
    """Whether integers cannot leave 64 bits, so that the operator needs no care."""
    return node.outputs[0].type.dtype == INT64 and fn.ranges.of(node.outputs[0]) is not None


@rule("divide")
def _divide(fn: Function, node: Node) -> Array | Expr:
    return elementwise(fn, node, _rounding(fn, node.outputs[0].type.dtype, lambda a, b: infix("/", a, b)), 3)


@rule(*BITS)
def _bits(fn: Function, node: Node) -> Array | Expr:
    dtype, operator = node.outputs[0].type.dtype, BITS[node.op]
    if dtype.kind == "b":
        logical = {"&": "&&", "|": "||", "^": "!="}[operator]
        if node.outputs[0].type.rank and operator != "^":  # no branch for each element
            logical = operator
        return overflows(fn, node) or elementwise(fn, node, lambda a, b: _logical(logical, a, b))
    if dtype.itemsize < 4:
        return elementwise(fn, node, lambda a, b: cast(local_type(dtype), infix(operator, a, b)))
    return elementwise(fn, node, lambda a, b: infix(operator, a, b))


def _logical(operator: str, a: Expr, b: Expr) -> Expr:
    """Two truths; compilers warn of one that is compared with itself."""
    if operator in ("&&", "||"):
        decides = "false" if operator == "&&" else "true"
        if decides in (a.text, b.text):
            return Expr(decides)
    if operator in ("&", "|") and CALL.search(b.text):
        b = cast("int", b)  # clang asks of truths whether && was meant
    return Expr("false") if operator == "!=" and a.text == b.text else infix(operator, a, b)


@rule("negative")
def _negative(fn: Function, node: Node) -> Array | Expr:
    dtype = node.outputs[0].type.dtype
    if dtype.kind == "f":
        return elementwise(fn, node, minus)
    if dtype.itemsize < 4:
        return elementwise(fn, node, lambda x: cast(local_type(dtype), minus(x)))
    zero = literal(dtype, 0)
    if dtype.kind == "u":
        return elementwise(fn, node, lambda x: infix("-", zero, x))
    return elementwise(fn, node, lambda x: fn.call(f"gp_subtract_{SHORT[dtype.name]}", zero, x))


@rule("invert")
def _invert(fn: Function, node: Node) -> Array | Expr:
    dtype = node.outputs[0].type.dtype
    if dtype.kind == "b":
        return elementwise(fn, node, negated)

    def inverted(x: Expr) -> Expr:
        made = Expr(f"~{x.within(0)}", 1, x.reads)
        return made if dtype.itemsize >= 4 else cast(local_type(dtype), made)

    return elementwise(fn, node, inverted)


@rule(*HELPED, *SHIFTS)
def _helped(fn: Function, node: Node) -> Array | Expr:
    """What takes a function of `support`."""
    dtype = node.outputs[0].type.dtype
    if node.op in ("absolute", "sign") and dtype.kind in "ub":
        zero = literal(dtype, 0)
        return elementwise(fn, node, (lambda x: x) if node.op == "absolute" else lambda x: infix(">", x, zero))
    if node.op in ("floor_divide", "remainder") and _is_plain_division(fn, node):
        return elementwise(fn, node, lambda a, b: infix("/" if node.op == "floor_divide" else "%", a, b), 3)
    if node.op in ("floor_divide", "remainder") and _is_positive(fn, node.inputs[1]):
        return elementwise(fn, node, lambda a, b: _divided(fn, node.op, dtype, a, b), 3)
    if dtype.kind == "f" and node.op in ("absolute", "fmod", "power"):
        fn.include("math.h")
        name = math_name({"absolute": "fabs"}.get(node.op) or MATH[node.op], dtype)
        if node.op == "power" and _is_two(fn, node.inputs[1]):
            return elementwise(fn, node, _rounding(fn, dtype, _squared(fn, dtype)), 2)
        return elementwise(fn, node, _rounding(fn, dtype, lambda *operands: call(name, *operands)), 4)
    kind = "f32" if dtype == FLOAT16 else SHORT[dtype.name]
    if dtype.kind == "b":
        logical = {"maximum": "||", "fmax": "||", "minimum": "&&", "fmin": "&&"}[node.op]
        return elementwise(fn, node, lambda a, b: infix(logical, a, b))
    if node.op in ("fmax", "fmin") and dtype.kind != "f":
        return elementwise(fn, node, lambda a, b: fn.call(f"gp_{node.op[1:]}imum_{kind}", a, b))
    return elementwise(fn, node, _rounding(fn, dtype, lambda *operands: fn.call(f"gp_{node.op}_{kind}", *operands)), 3)


def _is_plain_division(fn: Function, node: Node) -> bool:
    """Whether integers are not negative and the divisor is not 0, so that C divides as Python does."""
    found = [fn.ranges.of(value) for value in node.inputs]
    if node.outputs[0].type.dtype != INT64 or None in found:
        return False
    least = [one[0] for one in found if one is not None]
    return provably_less_equal(dim(0), least[0]) and provably_less_equal(dim(1), least[1])


def _is_positive(fn: Function, value: Value) -> bool:
    """Whether a number is a signed integer above 0."""
    found = fn.ranges.of(value) if value.type.dtype.kind == "i" else None
    return found is not None and provably_less_equal(dim(1), found[0])


def _divided(fn: Function, op: str, dtype: np.dtype[Any], a: Expr, b: Expr) -> Expr:
    """A quotient or a remainder by a divisor above 0, which bits decide where that is a power of two."""
    divisor = constant_of(b)
    if divisor is None or divisor & (divisor - 1):
        return fn.call(f"gp_{op}_above_{SHORT[dtype.name]}", a, b)
    found = (
        infix("&", a, number(divisor - 1)) if op == "remainder" else infix(">>", a, number(divisor.bit_length() - 1))
    )
    return cast(local_type(dtype), found) if dtype.itemsize < 4 else found


def _is_two(fn: Function, value: Value) -> bool:
    return not value.type.rank and fn.number(value).text in ("2.0", "2.0f", "2")


def _squared(fn: Function, dtype: np.dtype[Any]) -> Operation:
    """x * x."""

    def squared(x: Expr, _: Expr) -> Expr:
        if x.text.isidentifier() or len(x.text) < 12:
            return infix("*", x, x)
        kind = "f32" if dtype == FLOAT16 else SHORT[dtype.name]
        return fn.call(f"gp_square_{kind}", x)

    return squared


@rule("isnan", "isinf", "isfinite", "signbit")
def _predicate(fn: Function, node: Node) -> Array | Expr:
    dtype = node.inputs[0].type.dtype
    if dtype.kind != "f":
        if node.op == "signbit":
            return elementwise(fn, node, lambda x: infix("<", x, ZERO) if dtype.kind == "i" else Expr("false"))
        return elementwise(fn, node, lambda x: Expr("true" if node.op == "isfinite" else "false", 0, x.reads))
    fn.include("math.h")
    return elementwise(fn, node, lambda x: infix("!=", call(node.op, x), Expr("0")))


@rule("where")
def _where(fn: Function, node: Node) -> Array | Expr:
    undefined = [value in fn.placeholders for value in node.inputs]
    value = node.outputs[0]
    if not value.type.rank and (undefined[1] or undefined[2]):
        return fn.number(node.inputs[2 if undefined[1] else 1])
    if HELD in node.attrs and fn.in_process:
        kind = SHORT[value.type.dtype.name]
        return elementwise(fn, node, lambda *operands: fn.call(f"gp_held_{kind}", choice(*operands)))
    for x in node.inputs[1:]:
        if value.type.rank and x.type.rank and is_for_vectors(fn, fn.array(x)):
            fn.stored(x)
    return elementwise(fn, node, choice)


@rule("cast")
def _cast(fn: Function, node: Node) -> Array | Expr:
    source, target = node.inputs[0].type.dtype, node.outputs[0].type.dtype
    return elementwise(fn, node, lambda x: converted(fn, source, target, x), int(source != target))


def converted(fn: Function, source: np.dtype[Any], target: np.dtype[Any], x: Expr) -> Expr:
    """A number as another element type, as NumPy converts it."""
    if source == target:
        return x
    if target.kind == "b":
        return infix("!=", x, literal(source, 0))
    if target.name in HALVES:
        return rounded(target, x if local_type(source) == "float" else cast("float", x))
    if source.name in HALVES and target == np.float32:
        return x
    if source.kind == "f" and target.kind in "iu":
        kind = "f64" if source == np.float64 else "f32"
        return fn.call(f"gp_{SHORT[target.name]}_from_{kind}", x)
    if x.text.isdigit() and target.kind == "f":
        return literal(target, int(x.text))
    made = cast(local_type(target), x)
    if source.kind not in "biu" or target.kind not in "iu":
        return made
    limits = x.limits or limits_of(source)
    return replace(made, limits=limits) if fits(limits, target) else made


def added_to(fn: Function, dtype: np.dtype[Any], a: Expr, b: Expr) -> Expr:
    """The sum of two numbers of an element type; integers wrap."""
    return combined(fn, "+", dtype, a, b)


def combined(fn: Function, operator: str, dtype: np.dtype[Any], a: Expr, b: Expr) -> Expr:
    """The sum or product of two numbers of an element type; integers wrap."""
    if dtype.kind == "b":
        return infix("||" if operator == "+" else "&&", a, b)
    if (dtype.kind in "fu" and dtype.itemsize >= 4) or dtype == FLOAT16:
        return infix(operator, a, b)
    if dtype.itemsize < 4:
        return cast(local_type(dtype), infix(operator, a, b))
    return fn.call(f"gp_{'add' if operator == '+' else 'multiply'}_{SHORT[dtype.name]}", a, b)


NAMES = {*MATH, *ARITHMETIC, *BITS, *HELPED, *SHIFTS, "divide", "negative", "invert", "where", "cast"}
NAMES |= {"isnan", "isinf", "isfinite", "signbit"}
READS_ONCE |= NAMES
BROADCASTING |= NAMES
