"""Python's and NumPy's words for complex numbers: their parts as views, `complex(a, b)`, Python's own arithmetic."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from graph_program.extract.ir.complex_parts import IMAG, REAL
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.numbers.complex_functions import Complex, divide_exactly, power
from graph_program.extract.stage.numbers.complex_operations import part, put_together, taken_apart
from graph_program.extract.stage.numbers.real_terms import Term
from graph_program.extract.stage.values.exception_values import python_text
from graph_program.extract.stage.values.values import Tensor, Value, View, type_of
from graph_program.extract.types.tensors.tensor_type import COMPLEX128, FLOAT64, Kind


def part_of(m: Machine, x: Tensor, name: str) -> Tensor:
    """`x.real` or `x.imag`: of an array, a view."""
    found = part(m, x, name, x.type.kind)
    if x.is_array:
        found.view = View(x, lambda base: part(m, base, name), _writer(m, name), m.contents(x))
    return found


def _writer(m: Machine, name: str) -> Callable[[Tensor, Tensor], Tensor]:
    def write(base: Tensor, contents: Tensor) -> Tensor:
        other = Term(m, part(m, base, IMAG if name == REAL else REAL))
        new = Term(m, contents)
        return put_together(m, *((new, other) if name == REAL else (other, new)), Kind.ARRAY)

    return write


def conjugate(m: Machine, x: Tensor, kind: Kind) -> Tensor:
    """`x.conj()`."""
    z = taken_apart(m, x)
    return put_together(m, z.re, -z.im, kind)


def is_python_complex(value: Value) -> bool:
    """Whether a number is a Python complex."""
    return type_of(value).kind is Kind.PYTHON and type_of(value).is_complex


# ---------------------------------------------------------------- Python's own numbers


def beside(m: Machine, a: Value, b: Value) -> Value:
    """The right operand as `a` takes it: a Python complex takes NumPy's float64 for the Python float that it is."""
    is_float = type_of(b).kind is Kind.NUMPY and type_of(b).dtype == FLOAT64
    return m.cast(b, FLOAT64, Kind.PYTHON) if is_float and is_python_complex(a) else b


def complex_of(m: Machine, re: Value, im: Value | None = None) -> Value:
    """`complex(re, im)` of numbers, either of which may be complex."""
    x = m.cast(re, COMPLEX128, Kind.PYTHON)
    if im is None:
        return x
    if not any(type_of(v).is_complex for v in (re, im)):
        a, b = (Term(m, m.cast(v, FLOAT64, Kind.ARRAY)) for v in (re, im))
        return put_together(m, a, b, Kind.PYTHON)
    z, w = taken_apart(m, x), taken_apart(m, m.cast(im, COMPLEX128, Kind.PYTHON))
    a = z.re - w.im if type_of(im).is_complex else z.re
    return put_together(m, a, z.im + w.re if type_of(re).is_complex else w.re, Kind.PYTHON)


ARITHMETIC = {"+": "add", "-": "subtract", "*": "multiply"}


def arithmetic(m: Machine, op: str, a: Value, b: Value) -> Value:
    """Python's `a op b`, at least one of them complex."""
    if op not in (*ARITHMETIC, "/", "**"):
        raise _type_error(m, getattr(operator, _NAMES[op]), a, b)
    x, y = (m.cast(v, COMPLEX128, Kind.PYTHON) for v in (a, b))
    if op in ARITHMETIC:
        return m.op(ARITHMETIC[op], x, y, kind=Kind.PYTHON)
    z, w = taken_apart(m, x), taken_apart(m, y)
    if op == "/":
        _check(m, w.re.equal(0) & w.im.equal(0), lambda: 1j / 0j)
        return put_together(m, *divide_exactly(z, w), Kind.PYTHON)
    return _power(m, z, w)


_NAMES = {
    "//": "floordiv",
    "%": "mod",
    "@": "matmul",
    "&": "and_",
    "|": "or_",
    "^": "xor",
    "<<": "lshift",
    ">>": "rshift",
}


def _power(m: Machine, z: Complex, w: Complex) -> Value:
    """`z ** w`: 0 to a negative or complex power raises."""
    below = Term(m, w.re.tensor) < 0
    bad = z.re.equal(0) & z.im.equal(0) & (below | w.im.op("not_equal", 0.0))
    _check(m, bad, lambda: 0j ** (-1 + 0j))
    found = power(z, w)
    finite = [p.op("isfinite") for p in (*z, *w)]
    operands = finite[0] & finite[1] & finite[2] & finite[3]
    _check(m, operands & (found.re.op("isinf") | found.im.op("isinf")), lambda: (1e300 + 0j) ** 2)
    return put_together(m, *found, Kind.PYTHON)


def _check(m: Machine, bad: Term, example: Callable[[], Any]) -> None:
    """Raise where `bad` holds what `example` raises."""
    error, text = python_text(example)
    if getattr(bad.tensor.operand, "value", None) is None:
        m.check(m.reclassed(bad.tensor, Kind.PYTHON), error, text)
    elif bad.tensor.operand.value:  # type: ignore[union-attr]
        m.raise_(error, (text,))


def compare(m: Machine, op: str, a: Value, b: Value) -> Value:
    """Python's `a == b` or `a != b`; complex numbers have no order."""
    if op not in ("==", "!="):
        names = [type_of(v).python_class.__name__ for v in (a, b)]
        text = f"'{op}' not supported between instances of '{names[0]}' and '{names[1]}'"
        raise m.error("GP302", text, hint="compare abs(z), z.real or z.imag")
    x, y = (m.cast(v, COMPLEX128, Kind.PYTHON) for v in (a, b))
    return m.op("equal" if op == "==" else "not_equal", x, y, kind=Kind.PYTHON)


def absolute(m: Machine, value: Tensor) -> Value:
    """`abs(z)` of a Python number."""
    z = taken_apart(m, value)
    size = z.re.op("hypot", z.im)
    finite = z.re.op("isfinite") & z.im.op("isfinite")
    _check(m, size.op("isinf") & finite, lambda: abs(complex(1.7e308, 1.7e308)))
    return m.reclassed(size.tensor, Kind.PYTHON)


def _type_error(m: Machine, function: Callable[[Any, Any], Any], a: Value, b: Value) -> Exception:
    """The TypeError of an operator that complex numbers do not have, in Python's words."""
    _, text = python_text(lambda: function(*(type_of(v).python_class(1) for v in (a, b))))
    return m.error("GP302", text)
