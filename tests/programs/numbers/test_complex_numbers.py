"""Complex numbers and arrays in programs: arguments, state, control flow, views, writes, results."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from graph_program import (
    Complex,
    Complex64,
    Complex128,
    GraphProgramError,
    Tensor,
    graph_program,
    host_function,
    to_host,
)
from tests.programs.plain import check, check_or_refused

RNG = np.random.default_rng(7)


def numbers(*shape: int, dtype: Any = np.complex128) -> Any:
    return (RNG.normal(size=shape) + 1j * RNG.normal(size=shape)).astype(dtype)


@dataclasses.dataclass
class Signal:
    samples: Any
    gain: complex

    def scaled(self) -> Any:
        return self.samples * self.gain


def test_loops_carry_complex_arrays_and_numbers() -> None:
    def program(z: Any, n: int) -> Any:
        total, last = np.zeros(z.shape[1], complex), 0j
        for i in range(z.shape[0]):
            if z[i, 0].real > 0:
                total += z[i]
            else:
                total = total - z[i].conj()
            last = last * 0.5 + z[i, n]
        return total, last

    check(program, (numbers(4, 3), 1), (numbers(1, 3), 2))


def test_a_while_loop_over_complex_numbers() -> None:
    def program(c: complex, limit: int) -> Any:
        z, n = 0j, 0
        while abs(z) <= 2 and n < limit:
            z = z * z + c
            n += 1
        return z, n

    check(program, (0.3 + 0.5j, 30), (1 + 1j, 30), (2j, 0))


def test_mandelbrot() -> None:
    def program(xs: Any, ys: Any, limit: int) -> Any:
        c = xs + ys[:, None] * 1j
        counts = np.zeros(c.shape, dtype=np.int64)
        z = np.zeros(c.shape, dtype=np.complex128)
        for n in range(limit):
            inside = np.less(abs(z), 2.0)
            counts[inside] = n
            z[inside] = z[inside] ** 2 + c[inside]
        counts[counts == limit - 1] = 0
        return z, counts

    check(program, (np.linspace(-2, 0.5, 7), np.linspace(-1, 1, 5), 12))


def test_a_number_that_becomes_complex() -> None:
    def program(z: Any) -> Any:
        total = 0
        for i in range(len(z)):
            total = total + z[i]
        return total

    check(program, (numbers(3),))


def test_parts_are_views() -> None:
    def program(z: Any) -> Any:
        re = z.real
        re[0] = 7
        z.imag[...] = re[::-1]
        z.imag *= 2
        re += 1
        z[1] += 1j
        row = z[1:]
        row.real = 0.5
        z.imag = re
        row.imag += 1
        return re, z.imag.sum(), np.real(z)[1]

    check(program, (numbers(3),), (numbers(2, dtype=np.complex64),))


def test_arguments_are_written() -> None:
    def program(z: Any, w: Any) -> None:
        z[1:] *= w
        z[0] = 1.5
        w[...] = z[::-1]

    check(program, (numbers(3), numbers(1)))


def test_structures_of_complex_numbers() -> None:
    def program(s: Signal, parts: list[Any], named: dict[str, Any]) -> Any:
        s.gain = s.gain * 2
        s.samples[0] = 1j
        named["new"] = parts[0] + named["z"]
        return Signal(s.scaled(), s.gain - 1), [p.conjugate() for p in parts], (parts[1], named)

    check(program, (Signal(numbers(3), 1 + 2j), [numbers(2), 3j], {"z": 1 + 0j}))


def test_classes_of_results() -> None:
    def program(z: Any, s: Any, p: complex, x: float) -> Any:
        return z[0], s, p, p * x, s * x, z[0] * p, x * p, complex(x), complex(x, p.imag), s.real, p.real, s.item()

    check(program, (numbers(2), np.complex64(1 + 2j), 3 - 1j, 0.5))


def test_promotion() -> None:
    def program(z: Any, c: Any, x: Any, n: Any) -> Any:
        return z + c, c * 2.5, c * 1j, x * 1j, n * 1j, c + x, c * np.float32(2), c / n, x.astype(np.complex64), z == x

    check(program, (numbers(3), numbers(3, dtype=np.complex64), np.arange(3.0), np.arange(3, dtype=np.int32)))
    check(program, (numbers(3), numbers(3, dtype=np.complex64), np.arange(3, dtype=np.float32), np.array([True] * 3)))


@pytest.mark.parametrize("n", [2, -1, 0.5])
def test_python_arithmetic(n: float) -> None:
    def program(a: complex, b: complex, n: float) -> Any:
        return a + b, a - b, a * b, a / b, a**2, a**n, -a, +a, abs(a), a.conjugate(), a == b, a != n, bool(a), n - a

    check(program, (3 + 4j, 1 - 2j, n), (0.5j, 2 + 0j, n))


def test_exceptions_of_python_numbers() -> None:
    def quotient(a: complex, b: complex) -> complex:
        return a / b

    def root(a: complex, n: complex) -> complex:
        return a**n

    def size(a: complex) -> float:
        return abs(a)

    check(quotient, (1j, 0j), (1j, 2 + 0j))
    check(root, (0j, -1 + 0j), (0j, 1j), (2j, 1j), (0j, 0j), (1e200j, 3 + 0j))
    check(size, (complex(1.7e308, 1.7e308),), (3 + 4j,))
    check_or_refused(lambda a: float(a), (1j,))
    check_or_refused(lambda a: a < 1j, (1j,))
    check_or_refused(lambda a: a // 2, (1j,))


CAPTURED = numbers(3)


def test_captured_arrays() -> None:
    def program(z: Any) -> Any:
        return z * CAPTURED

    fn = graph_program(program)
    z = numbers(3)
    np.testing.assert_allclose(fn(z), z * CAPTURED)
    CAPTURED[1] = 5j
    np.testing.assert_allclose(fn(z), z * CAPTURED)


def test_lists_of_computed_length() -> None:
    def program(z: Any) -> Any:
        kept = []
        for v in z:
            if v.real > 0:
                kept.append(v * 2)
        return kept, np.array(kept)

    def arrays(z: Any, n: int) -> Any:
        rows = []
        for i in range(n):
            rows.append(z * i)
        return rows

    def numbers_of(z: Any) -> Any:
        return [complex(v) for v in z if abs(v) > 0.5]

    check(program, (numbers(5),))
    check(arrays, (numbers(2), 3), (numbers(2), 0))
    check(numbers_of, (numbers(5),))


def test_choices_and_optional_values() -> None:
    def program(z: Any, test: bool) -> Any:
        found = None
        if test:
            found = z * 1j
        w = z if test else z.conj()
        return found, w

    check(program, (numbers(2), True), (numbers(2), False))


def test_shapes_and_errors() -> None:
    def program(a: Any, b: Any, i: int) -> Any:
        return (a + b)[i], a @ b

    check(program, (numbers(3), numbers(3), 1), (numbers(3), numbers(2), 1), (numbers(3), numbers(3), 4))


def test_the_model_has_two_inputs_and_outputs() -> None:
    @graph_program
    def program(z: Any, x: Any) -> Any:
        return z * x

    graph = program.model((numbers(3), np.ones(3))).graph
    assert [i.name for i in graph.input] == ["z.real", "z.imag", "x"]
    assert [o.name for o in graph.output][:2] == ["result.real", "result.imag"]


@pytest.mark.parametrize(
    ("code", "program"),
    [
        ("GP565", lambda z: np.median(z)),
        ("GP566", lambda z: z.astype(float)),
        ("GP566", lambda z: float(z[0])),
        ("GP302", lambda z: z // 2),
        ("GP322", lambda z: z.astype(np.clongdouble)),
    ],
)
def test_refused(code: str, program: Any) -> None:
    with pytest.raises(GraphProgramError, match=code):
        graph_program(program)(numbers(3))


def test_types_are_inferred_beside_complex_numbers() -> None:
    def program(x: Any, y: Any) -> Any:
        w = np.exp(x + 1j * y)
        if abs(w).sum() > 1:
            w = w * 2
        return w.real

    def captured(x: Any) -> Any:
        return x * CAPTURED

    for function in (program, captured):
        assert "[" in str(graph_program(function).signature)


def test_host_code_is_given_complex_numbers() -> None:
    seen: list[Any] = []

    @host_function
    def note(value: Any) -> None:
        seen.append(value)

    @graph_program(copies="ignore")
    def program(z: Any) -> Any:
        w = z * 2
        note(to_host(w))
        note(to_host(w[0]))
        print(w[0], f"{w[1]}")
        return w

    z = numbers(3)
    program(z)
    assert type(seen[1]) is np.complex128
    np.testing.assert_allclose(seen[0], z * 2)


def test_a_model_with_host_code_is_exported(tmp_path: Path) -> None:
    @graph_program(copies="ignore")
    def program(z: Any, p: complex) -> Any:
        w = z * CAPTURED * p
        shown(w)
        z[0] = p
        return w, p * 2

    program.export(tmp_path / "program.onnx", (numbers(3), 2j), host="operators")
    text = (tmp_path / "program_host.py").read_text(encoding="utf-8")
    (head,) = (line for line in text.splitlines() if line.startswith("def load("))
    assert head.count(",") == 3  # one parameter for the array with two inputs


@host_function
def shown(value: Any) -> None: ...


def real_imag_written(z: Any) -> Any:
    z.imag[0] = 3
    return z


def real_imag_named(z: Any) -> Any:
    y = np.imag(z)
    y[...] = 2
    return y


def real_imag_filled(z: Any) -> Any:
    z.imag.fill(1)
    return z


def real_imag_read(z: Any) -> Any:
    return z.imag + z.real, np.imag(z)[0], z[0].imag


@pytest.mark.parametrize("program", [real_imag_written, real_imag_named, real_imag_filled, real_imag_read])
def test_imaginary_parts_of_real_arrays_cannot_be_written(program: Any) -> None:
    check(program, (np.array([1.0, 2.0]),), (np.array([1, 2]),))


OF_EDGES = [np.sinh, np.cosh, np.tanh, np.sin, np.cos, np.tan, np.exp, np.expm1, np.log, np.sqrt]
OF_EDGES += [np.arccos, np.arcsin, np.arctan, np.arccosh, np.arcsinh, np.arctanh]


@pytest.mark.parametrize("function", OF_EDGES, ids=lambda f: f.__name__)
def test_functions_of_what_is_not_finite(function: Any) -> None:
    parts = [0.0, -0.0, 1.0, -2.0, 30.0, 1000.0, np.inf, -np.inf, np.nan]
    z = np.array([complex(re, im) for re in parts for im in parts])
    with np.errstate(all="ignore"):
        expected = function(z)
    found = graph_program(lambda z: function(z))(z)
    for part in ("real", "imag"):  # the sign of an infinity at no angle is left open
        np.testing.assert_allclose(abs(getattr(found, part)), abs(getattr(expected, part)), rtol=1e-13)


@graph_program
def turned(z: Complex128[Tensor, "n"]) -> Complex128[Tensor, "n"]:
    return z * 2j


def test_annotations_of_complex_arrays(tmp_path: Path) -> None:
    z = numbers(3)
    assert np.array_equal(turned(z), turned.python(z))
    with pytest.raises(GraphProgramError, match=r"expected complex128 \[n\], got an array of float64"):
        turned(np.ones(3))
    assert [port.name for port in turned.export(tmp_path / "turned.onnx").inputs] == ["z.real", "z.imag"]

    @graph_program
    def either(z: Complex[Tensor, "n"], small: Complex64[Tensor, "n"]) -> Any:
        return z.real + small.imag

    assert np.array_equal(either(z, z.astype(np.complex64)), z.real + z.astype(np.complex64).imag)
