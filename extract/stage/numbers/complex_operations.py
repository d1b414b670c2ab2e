"""Operations of complex numbers, in terms of their real and imaginary parts.

z * w       ->      re = real(z) * real(w) - imag(z) * imag(w)
                    im = real(z) * imag(w) + imag(z) * real(w)
                    complex(re, im)

`emission.operation` asks here for every operation with a complex operand, so that none is done another way.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from graph_program.extract import diagnostics
from graph_program.extract.ir.complex_parts import COMPLEX, IMAG, PARTWISE, REAL
from graph_program.extract.ir.residual import Const
from graph_program.extract.library import complex_numbers as complex_programs
from graph_program.extract.stage.machine import emission
from graph_program.extract.stage.machine.declared import entries
from graph_program.extract.stage.numbers.complex_functions import FUNCTIONS, Complex
from graph_program.extract.stage.numbers.real_terms import Term
from graph_program.extract.stage.values.values import Static, Tensor, Value, type_of
from graph_program.extract.types.tensors.tensor_type import BOOL, Kind, TensorType, part_dtype

if TYPE_CHECKING:
    from graph_program.extract.stage.machine.machine import Machine


def concerns(name: str, operands: Sequence[Value], attrs: Mapping[str, Any]) -> bool:
    """Whether an operation is to be done here."""
    if name == "cast" and np.dtype(attrs["dtype"]).kind == "c":
        return True
    return name not in PARTWISE and name != "dim" and any(type_of(v).is_complex for v in operands)


@emission.of_complex.given
def operation(
    m: Machine, name: str, operands: Sequence[Value], attrs: Mapping[str, Any], kind: Kind, hint: str
) -> Tensor | None:
    if not concerns(name, operands, attrs):
        return None
    if name in _STRUCTURAL:
        result: Complex | Term = _STRUCTURAL[name](m, operands, attrs)
    elif name in _PROGRAMS:
        return m.reclassed(_PROGRAMS[name](m, operands[0], **attrs), kind)
    elif name in FUNCTIONS:
        result = FUNCTIONS[name](*(taken_apart(m, v) for v in operands))
    else:
        raise m.error(
            "GP565",
            f"'{name}' of complex numbers has no graph form",
            cls=diagnostics.DTypeError,
            hint="write it with z.real, z.imag and abs(z)",
        )
    if isinstance(result, Term):
        return m.reclassed(result.tensor, kind)
    return put_together(m, *result, kind, hint)


# ---------------------------------------------------------------- parts


def taken_apart(m: Machine, value: Value) -> Complex:
    """The real and the imaginary part."""
    return Complex(Term(m, part(m, value, REAL)), Term(m, part(m, value, IMAG)))


def part(m: Machine, value: Value, name: str, kind: Kind = Kind.ARRAY) -> Tensor:
    """One part of a complex number or array."""
    operand, type_ = m.operand(value), m.facts.resolve_type(type_of(value))
    assert type_.is_complex
    if isinstance(operand, Const):
        return m.constant(np.ascontiguousarray(getattr(operand.value, name)).reshape(operand.value.shape), kind)
    return emission.emit_op(m, name, (operand,), {}, TensorType(part_dtype(type_.dtype), type_.shape, kind))


def put_together(m: Machine, re: Term, im: Term, kind: Kind, hint: str = "") -> Tensor:
    """The complex array with these parts."""
    dtype = np.result_type(re.dtype, np.complex64)
    if isinstance(re.tensor.operand, Const) and isinstance(im.tensor.operand, Const):
        both = np.empty(np.broadcast_shapes(re.tensor.operand.value.shape, im.tensor.operand.value.shape), dtype)
        both.real, both.imag = re.tensor.operand.value, im.tensor.operand.value
        return m.constant(both, kind)
    first, second = _same_rank(m, re.tensor, im.tensor)
    args = (m.operand(first), m.operand(second))
    return emission.emit_op(m, COMPLEX, args, {}, TensorType(dtype, first.type.shape, kind), hint)


def of_parts(m: Machine, x: Tensor, change: Callable[[Tensor], Tensor]) -> Tensor:
    """The complex array whose parts are changed ones; a NumPy scalar where nothing is left of the shape."""
    re, im = (change(p.tensor) for p in taken_apart(m, x))
    return put_together(m, Term(m, re), Term(m, im), Kind.ARRAY if re.rank else Kind.NUMPY)


def _same_rank(m: Machine, first: Tensor, second: Tensor) -> tuple[Tensor, Tensor]:
    """Both as large as the larger one."""
    if first.rank < second.rank:
        return _stretched(m, first, second), second
    return first, _stretched(m, second, first) if second.rank < first.rank else second


def _stretched(m: Machine, x: Tensor, like: Tensor) -> Tensor:
    return m.op("broadcast_to", x, *(m.dimension(like, axis) for axis in range(like.rank)))


# ---------------------------------------------------------------- conversions and products


def _cast(m: Machine, operands: Sequence[Value], attrs: Mapping[str, Any]) -> Complex | Term:
    (value,), dtype = operands, np.dtype(attrs["dtype"])
    if dtype.kind == "c" and not type_of(value).is_complex:
        re = Term(m, m.cast(value, part_dtype(dtype), Kind.ARRAY))
        return Complex(re, re.like(0))
    re, im = taken_apart(m, value)
    if dtype == BOOL:
        return ~(re.equal(0) & im.equal(0))
    emission.require_complex(m, type_of(value).dtype, dtype)
    wanted = part_dtype(dtype)
    return Complex(*(Term(m, m.cast(p.tensor, wanted)) for p in (re, im)))


def _matmul(m: Machine, operands: Sequence[Value], attrs: Mapping[str, Any]) -> Complex:
    (a, b), (c, d) = (taken_apart(m, v) for v in operands)
    return Complex(
        a.op("matmul", c) - b.op("matmul", d),
        a.op("matmul", d) + b.op("matmul", c),
    )


def _einsum(m: Machine, operands: Sequence[Value], attrs: Mapping[str, Any]) -> Complex:
    """The sum over the parts that each factor gives: `i` to the number of imaginary ones is their factor."""
    parts = [taken_apart(m, v) for v in operands]
    sums: list[Term | None] = [None, None]
    for chosen in itertools.product((0, 1), repeat=len(parts)):
        power = sum(chosen) % 4
        term = Term(m, m.op("einsum", *(p[i].tensor for p, i in zip(parts, chosen, strict=True)), **attrs))
        before = sums[power % 2]
        if before is None:
            sums[power % 2] = -term if power > 1 else term
        else:
            sums[power % 2] = before - term if power > 1 else before + term
    re, im = sums
    assert re is not None and im is not None
    return Complex(re, im)


# ---------------------------------------------------------------- by programs


def _run(m: Machine, program: Any, *args: Value) -> Tensor:
    return entries.tensor(m, entries.run(m, program, *args))


def _along_axis(program: Any) -> Callable[..., Tensor]:
    return lambda m, x, axis, **attrs: _run(m, program, x, Static(axis), *map(Static, attrs.values()))


def _of_axes(program: Any, message: str = "") -> Callable[..., Tensor]:
    """A reduction over axes, by a program that reduces the last one; with a message for no elements at all."""

    def run(m: Machine, x: Tensor, axes: tuple[int, ...], keepdims: bool) -> Tensor:
        kept = [i for i in range(x.rank) if i not in axes]
        sizes = [m.dimension(x, i) for i in kept]
        if message and any(x.type.shape[i].constant == 0 for i in axes):
            m.raise_(ValueError, (message,))
        moved = m.op("transpose", x, perm=(*kept, *axes)) if x.rank else x
        count: Value = Static(1)
        for i in axes:
            count = entries.arithmetic(m, "*", count, m.dimension(x, i))
        result = _run(m, program, m.op("reshape", moved, *sizes, count))
        return m.op("expand_dims", result, axes=axes) if keepdims and axes else result

    return run


_EMPTY = "zero-size array to reduction operation {} which has no identity"
_PROGRAMS: dict[str, Callable[..., Tensor]] = {
    "sort": _along_axis(complex_programs.sort),
    "argsort": _along_axis(complex_programs.argsort),
    "argmax": _along_axis(complex_programs.argmax),
    "argmin": _along_axis(complex_programs.argmin),
    "cumprod": _along_axis(complex_programs.running_product),
    "prod": _of_axes(complex_programs.product),
    "max": _of_axes(complex_programs.largest, _EMPTY.format("maximum")),
    "min": _of_axes(complex_programs.smallest, _EMPTY.format("minimum")),
}
"""Operations along axes that are written in the language itself."""

_STRUCTURAL: dict[str, Callable[..., Complex | Term]] = {"cast": _cast, "matmul": _matmul, "einsum": _einsum}
"""Operations that need more than the parts of their operands."""
