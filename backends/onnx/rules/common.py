"""What all rules share: the type of a rule, the element types it takes, computing in another type."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from graph_program.backends.onnx.builder import FLOAT32, INT32, INT64, Builder, Tensor
from graph_program.extract.diagnostics import Diagnostic, UnsupportedError
from graph_program.extract.ir.graph import Node
from graph_program.extract.records import dataclass
from graph_program.extract.types.dims import Dim

Rule: TypeAlias = Callable[..., Tensor]
"""`rule(builder, node, *operands)` adds ONNX nodes and returns the result."""


@dataclass(frozen=True)
class Lowering:
    """How an operation becomes ONNX nodes.

    Attributes
    ----------
    kinds : str
        NumPy kinds (`b`, `i`, `u`, `f`) of the last tensor operand that NumPy computes without
        changing its type.
    rule : callable
        Adds the nodes.
    operand : int
        Which operand's type `kinds` is about.
    """

    kinds: str
    rule: Rule
    operand: int = 0


def unsupported(node: Node, dtype: np.dtype) -> UnsupportedError:
    """The refusal of an operation for an element type."""
    message = f"{node.op} of {dtype.name} has no ONNX form"
    return UnsupportedError(Diagnostic("GP601", message, node.loc, hint="convert the operand with astype"))


def carried(operators: str, *, wraps: bool = True) -> Callable[[Rule], Rule]:
    """Run a rule in the narrowest type that has kernels of `operators`, and cast its result back."""
    names = tuple(operators.split())

    def decorate(compute: Rule) -> Rule:
        def rule(builder: Builder, node: Node, *operands: Tensor) -> Tensor:
            dtype = operands[0].dtype
            carrier = builder.kernels.carrier(names, dtype, wraps=wraps)
            if carrier is None:
                raise unsupported(node, dtype)
            result = compute(builder, node, *(x.cast(carrier) for x in operands))
            return result.cast(dtype) if node.outputs[0].type.dtype == dtype else result

        return rule

    return decorate


def single(operator: str, *, wraps: bool = True) -> Rule:
    """The rule that is one ONNX operator."""

    @carried(operator, wraps=wraps)
    def rule(builder: Builder, node: Node, *operands: Tensor) -> Tensor:
        return builder.op(operator, *operands)

    return rule


def floating(formula: Callable[..., Tensor]) -> Rule:
    """The rule for a formula over float32 or float64 tensors; float16 is computed as float32."""

    def rule(builder: Builder, node: Node, *operands: Tensor) -> Tensor:
        dtype = operands[0].dtype
        wide = FLOAT32 if dtype.itemsize < FLOAT32.itemsize else dtype
        result = formula(*(x.cast(wide) for x in operands))
        return result.cast(dtype) if result.dtype == wide else result

    return rule


def by_kind(**rules: Rule) -> Rule:
    """Choose the rule by the kind of the first operand's element type."""

    def rule(builder: Builder, node: Node, *operands: Tensor) -> Tensor:
        return rules[operands[0].dtype.kind](builder, node, *operands)

    return rule


def as_signed(rule: Rule, *, back: bool = True) -> Rule:
    """A rule that depends on order, for wide unsigned integers: run on signed ones.

    Flipping the top bit keeps order.  `back` says whether the result is of the operand's type.
    """

    def wrapped(builder: Builder, node: Node, x: Tensor) -> Tensor:
        if x.dtype.itemsize < INT32.itemsize:
            return rule(builder, node, x)
        signed = INT32 if x.dtype.itemsize == INT32.itemsize else INT64
        top = int(np.iinfo(signed).min)
        result = rule(builder, node, x.cast(signed) ^ top)
        return (result ^ top).cast(x.dtype) if back else result

    return wrapped


def unchanged(builder: Builder, node: Node, x: Tensor) -> Tensor:
    """The rule of an operation that gives back its operand."""
    return x


def axis_of(node: Node) -> int:
    """The node's axis, counted from the front."""
    axis: int = node.attrs["axis"]
    return axis % node.inputs[0].type.rank


def is_positive(size: Dim) -> bool:
    """Whether a dim is known not to be 0."""
    return size.lower is not None and size.lower > 0


def may_have_nan(x: Tensor) -> Tensor:
    """Whether the sum of all elements is NaN; it is where one of them is, and may be where some are infinite."""
    return x.op("ReduceSum", keepdims=0).op("IsNaN")


def holds_nan(x: Tensor, keepdims: int = 0) -> Tensor:
    """Whether an element is NaN: a sum of squares is NaN only then."""
    return x.op("ReduceSumSquare", keepdims=keepdims).op("IsNaN")


def any_true(x: Tensor) -> Tensor:
    """Whether any element of a boolean tensor, which may be empty, is true; a scalar."""
    return x.cast(INT32).op("ReduceSum", keepdims=0).cast(x.dtype)
