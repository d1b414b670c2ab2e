"""Element by element operations."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import onnx_ir as ir

from graph_program.backends.onnx.builder import BOOL, FLOAT32, FLOAT64, INT32, INT64, Builder, Tensor
from graph_program.backends.onnx.rules import floats, integers
from graph_program.backends.onnx.rules import transcendental as t
from graph_program.backends.onnx.rules.common import (
    Lowering,
    Rule,
    by_kind,
    floating,
    single,
    unchanged,
)
from graph_program.backends.onnx.scopes import Sizes
from graph_program.extract.ir.graph import Node

Formula = Callable[..., Tensor]
DEEPEST = 4
"""So many operations are looked through."""
_SUMMED = (FLOAT32, FLOAT64)
"""Element types of which onnxruntime adds several terms at once."""
_LATEST = 64
"""So many nodes of a graph are looked through for the one that has made a sum."""
_STEPS = frozenset(["Add", "Sub", "BitwiseOr", "BitwiseXor"])
"""Operators that leave a number as it is where the other one is 0."""


def _plain(formula: Formula) -> Rule:
    """The rule for a formula that needs no other type."""

    def rule(builder: Builder, node: Node, *operands: Tensor) -> Tensor:
        return formula(*operands)

    return rule


def _where(builder: Builder, node: Node, condition: Tensor, x: Tensor, y: Tensor) -> Tensor:
    """Choosing copies, so any type of the same width serves.

    onnxruntime gives 0.0 for a -0.0 that is chosen by a true condition, or is repeated.  So what has no such zero
    goes first; of two that may have one, each is chosen over 1, and the two are multiplied.  For two numbers, a
    branch is less than half of that.
    """
    carrier = builder.kernels.carrier(("Where",), x.dtype, wraps=True)
    assert carrier is not None
    x, y = x.cast(carrier), y.cast(carrier)
    tests, x_whole, y_whole = _are_whole(node)
    x_whole, y_whole = x_whole or tests, y_whole or tests
    if (stepped := _stepped(node, condition, x, y)) is not None:
        chosen = stepped
    elif x.dtype.kind != "f" or (_has_no_negative_zero(x) and (y_whole or _has_no_negative_zero(y))):
        chosen = condition.where(x, y)
    elif y_whole and x.known is not None and _has_no_negative_zero(builder.constant(-x.known)):
        chosen = -condition.where(builder.constant(-x.known), -y)
    elif (quotient := _quotient(node, x)) is not None and (y_whole or _has_no_negative_zero(y)):
        above, below = quotient
        chosen = condition.where(above, y) / condition.where(below, below.like(1))
    else:
        # not `Not`, which onnxruntime would fuse with the Where
        otherwise = condition ^ builder.constant(np.asarray(True))
        if x_whole and _has_no_negative_zero(y):
            chosen = otherwise.where(y, x)
        elif all(not value.type.rank for value in node.inputs):
            chosen = builder.branch(condition, lambda: [x], lambda: [y], (carrier,))[0]
        else:
            chosen = otherwise.where(x.like(1), x) * condition.where(y.like(1), y)
    return chosen.cast(node.outputs[0].type.dtype)


def _stepped(node: Node, condition: Tensor, x: Tensor, y: Tensor) -> Tensor | None:
    """Of one integer that may take a step from y to x, y and the step times a truth, half the work of a choice."""
    if x.builder.is_portable or node.outputs[0].type.shape or x.dtype.kind != "i":
        return None
    found = _step(node, x, y)
    if found is None:
        return None
    operator, step = found
    taken = condition.cast(x.dtype)
    if step.known is None or step.known not in (1, -1):
        taken *= step
    elif step.known == -1:
        operator = "Sub"
    return taken if operator == "Add" and y.known is not None and not y.known else y.op(operator, taken)


def _step(node: Node, x: Tensor, y: Tensor) -> tuple[str, Tensor] | None:
    """What x makes of y, and with which number, where that is one operator that none but the choice reads.

    In a loop, which makes up for the one node more, also from one constant to another.
    """
    builder, made = x.builder, x.value.producer()
    if builder.in_rounds and x.known is not None and y.known is not None:
        with np.errstate(over="ignore"):
            return "Add", builder.constant(x.known - y.known)
    if made is None or made.op_type not in _STEPS or builder.uses[node.inputs[1]] > 1:
        return None
    others = [value for value in made.inputs if value is not None and value is not y.value]
    if len(others) != 1 or (made.op_type == "Sub" and made.inputs[0] is not y.value):
        return None
    known = None if others[0].const_value is None else others[0].const_value.numpy()
    return made.op_type, Tensor(builder, others[0], x.dtype, known)


def _quotient(node: Node, x: Tensor) -> tuple[Tensor, Tensor] | None:
    """Of what a quotient is that is only chosen, if neither can be -0.0, which the quotient may be all the same."""
    made = x.value.producer()
    if made is None or made.op_type != "Div" or x.builder.uses[node.inputs[1]] > 1:
        return None
    above, below = (Tensor(x.builder, value, x.dtype) for value in made.inputs if value is not None)
    return (above, below) if _has_no_negative_zero(above) and _has_no_negative_zero(below) else None


def _are_whole(node: Node) -> list[bool]:
    """Of each operand, whether it has the shape of the result."""
    return [value.type.shape == node.outputs[0].type.shape for value in node.inputs]


def _has_no_negative_zero(x: Tensor) -> bool:
    if x.known is not None:
        return not np.any((x.known == 0) & np.signbit(x.known))
    return _is_no_negative_zero(x.value, DEEPEST)


def _is_no_negative_zero(value: ir.Value | None, depth: int) -> bool:
    """Whether a value cannot be -0.0, by what computes it: a sum is not, if one of its terms is not."""
    node = value.producer() if value is not None else None
    if value is not None and node is None and value.const_value is not None:
        array = value.const_value.numpy()
        return not np.any((array == 0) & np.signbit(array))
    if node is None or not depth:
        return False
    inputs = list(node.inputs)
    match node.op_type:
        case "Abs" | "Exp" | "Sigmoid":
            return True
        case "Cast":
            dtype = inputs[0].dtype if inputs[0] is not None else None
            return dtype is not None and not dtype.is_floating_point()
        case "Mul":
            return inputs[0] is inputs[1]
        case "Add" | "Sum" if len(inputs) > 1:
            return any(_is_no_negative_zero(x, depth - 1) for x in inputs)
        case (
            "Sub"
            | "Sum"
            | "ReduceSum"
            | "Sqrt"
            | "Squeeze"
            | "Unsqueeze"
            | "Reshape"
            | "Transpose"
            | "Slice"
            | "Gather"
            | "Expand"
        ):
            return _is_no_negative_zero(inputs[0], depth - 1)
        case "Where":
            return all(_is_no_negative_zero(x, depth - 1) for x in inputs[1:])
        case "Max" | "Min" | "Concat" | "ScatterND":
            return all(_is_no_negative_zero(x, depth - 1) for x in inputs[:: 2 if node.op_type == "ScatterND" else 1])
        case "ConstantOfShape":
            content = node.attributes["value"].as_tensor().numpy() if "value" in node.attributes else np.zeros(1)
            return not np.any((content == 0) & np.signbit(content))
    return False


def _cast(builder: Builder, node: Node, x: Tensor) -> Tensor:
    return x.cast(np.dtype(node.attrs["dtype"]))


_root = floating(t.sqrt)


def _sqrt(builder: Builder, node: Node, x: Tensor) -> Tensor:
    """The root of a sum of squares that nobody else reads is one operator."""
    made = x.value.producer()
    if made is None or made.op_type != "ReduceSumSquare" or builder.uses[node.inputs[0]] > 1 or builder.is_portable:
        return _root(builder, node, x)
    inputs = [Tensor(builder, value, x.dtype) for value in made.inputs if value is not None]
    return builder.op("ReduceL2", *inputs, keepdims=made.attributes["keepdims"].as_int())


_mul = single("Mul")


def _multiply(builder: Builder, node: Node, x: Tensor, y: Tensor) -> Tensor:
    """A product of all sizes of an array is its number of elements."""
    a, b = builder.sizes_of(x), builder.sizes_of(y)
    if a is None or b is None or a.of is not b.of or a.axes & b.axes:
        return _mul(builder, node, x, y)
    sizes = Sizes(a.of, a.axes | b.axes, a.rank)
    whole = len(sizes.axes) == sizes.rank
    product = Tensor(builder, a.of, x.dtype).op("Size") if whole else _mul(builder, node, x, y)
    if x.value not in builder.foldable and y.value not in builder.foldable:
        builder.foldable.differs(product.value)
    builder.remember_sizes(product, sizes)
    return product


_add = single("Add")


def _added(builder: Builder, node: Node, x: Tensor, y: Tensor) -> Tensor:
    """What is added to a sum that nobody else reads is one more of its terms: onnxruntime adds them in order.

    A product of matrices keeps what is added to it, as onnxruntime makes one operator of the two.
    """
    for value, total, other in ((node.inputs[0], x, y), (node.inputs[1], y, x)):
        terms = [] if builder.uses[value] > 1 else _terms(total)
        if terms:
            return builder.op("Sum", *terms, other)
    return _add(builder, node, x, y)


def _terms(total: Tensor) -> list[Tensor]:
    """The terms of a sum of floats that the graph being written has just made."""
    made, builder = total.value.producer(), total.builder
    if made is None or made.op_type not in ("Add", "Sum") or builder.is_portable or total.dtype not in _SUMMED:
        return []
    terms = [Tensor(builder, value, total.dtype) for value in made.inputs if value is not None]
    makers = [term.value.producer() for term in terms]
    is_fused = any(maker is not None and maker.op_type in ("Gemm", "MatMul") for maker in makers)
    is_here = any(other is made for other in builder.nodes[-_LATEST:])
    return terms if len(terms) > 1 and is_here and not is_fused else []


_equal = single("Equal", wraps=False)


def _not_equal(builder: Builder, node: Node, x: Tensor, y: Tensor) -> Tensor:
    """Of numbers and 0, whether they are true; a NaN is, but runtimes may differ about what is between 0 and 1."""
    if x.dtype.kind == "b":
        return x ^ y
    for number, other, value in ((x, y, node.inputs[0]), (y, x, node.inputs[1])):
        is_zero = other.known is not None and other.known.ndim == 0 and not other.known.any()
        is_asked = x.dtype.kind in "iu" or (x.dtype.kind == "f" and not builder.is_portable)
        if is_zero and is_asked and value.type.shape == node.outputs[0].type.shape:
            return number.cast(BOOL)
    return ~_equal(builder, node, x, y)


def _invert(builder: Builder, node: Node, x: Tensor) -> Tensor:
    """Of a truth that a number has been asked for, whether that is 0."""
    made = x.value.producer() if x.dtype == BOOL else None
    source = made.inputs[0] if made is not None and made.op_type == "Cast" else None
    dtype = None if source is None or source.dtype is None else source.dtype.numpy()
    if source is None or dtype not in (INT32, INT64, FLOAT32, FLOAT64):
        return ~x
    return Tensor(builder, source, np.dtype(dtype)).equals(0)


def _connective(formula: Formula, dual: str) -> Rule:
    """Of truths that are the opposites of others, and read here only, the opposite of what the dual makes of these."""

    def rule(builder: Builder, node: Node, x: Tensor, y: Tensor) -> Tensor:
        a, b = (None if builder.uses[value] > 1 else _opposite(t) for value, t in zip(node.inputs, (x, y), strict=True))
        return formula(x, y) if a is None or b is None else ~a.op(dual, b)

    return rule


def _opposite(x: Tensor) -> Tensor | None:
    """What a truth is the opposite of."""
    made = x.value.producer()
    source = made.inputs[0] if made is not None and made.op_type == "Not" else None
    return None if source is None else Tensor(x.builder, source, BOOL)


def _never(x: Tensor) -> Tensor:
    return x.op("Xor", x) if x.dtype.kind == "b" else ~x.equals(x)


def _operator(operator: str) -> Lowering:
    """One ONNX operator on numbers; integers may wrap."""
    return Lowering("iuf", single(operator))


def _real(formula: Formula) -> Lowering:
    """A formula over floats."""
    return Lowering("f", floating(formula))


def _whole(formula: Formula) -> Lowering:
    """Rounding, which integers and booleans need not."""
    return Lowering("biuf", by_kind(b=unchanged, i=unchanged, u=unchanged, f=floating(formula)))


_max = single("Max")


def _maximum(builder: Builder, node: Node, x: Tensor, y: Tensor) -> Tensor:
    """The larger, where 0 is the other one by the operator that onnxruntime fuses with what is before it."""
    for a, b in ((x, y), (y, x)):
        if b.known is not None and b.known.shape == () and b.known == 0 and a.dtype.itemsize > 2:
            return a.op("Relu")
    return _max(builder, node, x, y)


def _with_logical(numeric: Rule, logical: str, real: Rule | None = None) -> Lowering:
    """A logical operator on booleans, another rule on numbers."""
    return Lowering("biuf", by_kind(b=single(logical), i=numeric, u=numeric, f=real or numeric))


def _compare(operator: str, logical: Formula) -> Lowering:
    numeric = single(operator, wraps=False)
    return Lowering("biuf", by_kind(b=_plain(logical), i=numeric, u=numeric, f=numeric))


def _split(signed: Rule, unsigned: Rule, real: Rule | None = None) -> Lowering:
    """A rule for each of signed integers, unsigned integers and floats."""
    if real is None:
        return Lowering("iu", by_kind(i=signed, u=unsigned))
    return Lowering("iuf", by_kind(i=signed, u=unsigned, f=real))


def _class_test(real: Rule, of_integers: Formula) -> Lowering:
    """A test for NaN and infinities, which all integers answer alike."""
    same = _plain(of_integers)
    return Lowering("biuf", by_kind(b=same, i=same, u=same, f=real))


RULES: dict[str, Lowering] = {
    "negative": _split(single("Neg"), _plain(lambda x: 0 - x), single("Neg")),
    "absolute": Lowering("biuf", by_kind(b=unchanged, i=single("Abs"), u=unchanged, f=single("Abs"))),
    "sign": _split(integers.sign, integers.sign, single("Sign")),
    "floor": _whole(lambda x: x.op("Floor")),
    "ceil": _whole(lambda x: x.op("Ceil")),
    "trunc": _whole(t.trunc),
    "rint": Lowering("f", single("Round")),
    "sqrt": Lowering("f", _sqrt),
    "cbrt": _real(t.cbrt),
    "reciprocal": _split(integers.reciprocal, integers.reciprocal, single("Reciprocal")),
    "exp": _real(t.exp),
    "exp2": _real(t.exp2),
    "expm1": _real(t.expm1),
    "log": _real(t.log),
    "log2": _real(t.log2),
    "log10": _real(t.log10),
    "log1p": _real(t.log1p),
    "sin": _real(lambda x: x.op("Sin")),
    "cos": _real(t.cos),
    "tan": _real(t.tan),
    "arcsin": _real(t.arcsin),
    "arccos": _real(t.arccos),
    "arctan": _real(t.arctan),
    "sinh": _real(t.sinh),
    "cosh": _real(t.cosh),
    "tanh": _real(lambda x: x.op("Tanh")),
    "arcsinh": _real(t.arcsinh),
    "arccosh": _real(t.arccosh),
    "arctanh": _real(t.arctanh),
    "invert": Lowering("biu", _invert),
    "isnan": _class_test(single("IsNaN"), _never),
    "isinf": _class_test(single("IsInf"), _never),
    "isfinite": _class_test(_plain(t.is_finite), lambda x: ~_never(x)),
    "signbit": Lowering(
        "biuf",
        by_kind(b=_plain(_never), i=_plain(lambda x: x < 0), u=_plain(_never), f=floating(t.negative_sign)),
    ),
    "add": _with_logical(_add, "Or", real=_added),
    "subtract": _operator("Sub"),
    "multiply": _with_logical(_multiply, "And"),
    "divide": Lowering("f", single("Div")),
    "floor_divide": _split(integers.floor_divide_signed, integers.floor_divide_unsigned, floating(floats.floor_divide)),
    "remainder": _split(integers.remainder_signed, integers.remainder_unsigned, floating(floats.remainder)),
    "fmod": _split(integers.fmod_signed, integers.remainder_unsigned, floating(floats.fmod)),
    "power": _split(integers.power, integers.power, single("Pow")),
    "maximum": _with_logical(integers.maximum, "Or", real=_maximum),
    "minimum": _with_logical(integers.minimum, "And", real=single("Min")),
    "fmax": _with_logical(integers.maximum, "Or", real=floating(t.fmax)),
    "fmin": _with_logical(integers.minimum, "And", real=floating(t.fmin)),
    "arctan2": _real(t.arctan2),
    "hypot": _real(t.hypot),
    "copysign": _real(t.copysign),
    "logaddexp": _real(t.logaddexp),
    "bitwise_and": Lowering("biu", _connective(lambda x, y: x & y, "Or")),
    "bitwise_or": Lowering("biu", _connective(lambda x, y: x | y, "And")),
    "bitwise_xor": Lowering("biu", _plain(lambda x, y: x ^ y)),
    "left_shift": _split(integers.left_shift, integers.left_shift),
    "right_shift": _split(integers.right_shift_signed, integers.right_shift_unsigned),
    "equal": Lowering("biuf", _equal),
    "not_equal": Lowering("biuf", _not_equal),
    "less": _compare("Less", lambda x, y: ~x & y),
    "less_equal": _compare("LessOrEqual", lambda x, y: ~x | y),
    "greater": _compare("Greater", lambda x, y: x & ~y),
    "greater_equal": _compare("GreaterOrEqual", lambda x, y: x | ~y),
    "where": Lowering("biuf", _where, operand=1),
    "cast": Lowering("biufV", _cast),
}
