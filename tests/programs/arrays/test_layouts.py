"""`reshape` and `ravel` of arrays of all memory layouts, written through: views or copies as in NumPy."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import pytest

from graph_program import Float64, GraphProgramError, graph_program
from tests.programs.plain import differs

Array = np.ndarray[Any, Any]
LAYOUTS: dict[str, Callable[[Array], Array]] = {
    "C": lambda a: a,
    "Fortran": lambda a: a.T,
    "strided": lambda a: a[:, ::2],
    "one row": lambda a: a[:1],
    "one column": lambda a: a[:, :1],
    "backwards": lambda a: a[::-1],
    "empty": lambda a: a[:0],
}


def same(function: Callable[..., Any], layout: str, *more: Any) -> None:
    """The program does to an array of this layout, and to what it is a view of, what plain Python does."""
    program = graph_program(function)
    found = []
    for call in (function, program):
        base = np.arange(12.0).reshape(3, 4)
        try:
            result = call(LAYOUTS[layout](base), *more)
        except IndexError as error:
            result = str(error)
        found.append((base, result))
    assert not differs(*found), f"{found[0]} in Python, {found[1]} as a graph"


def written_ravel(x: Array) -> Array:
    y = x.ravel()
    y[0] = 50.0
    return y


def written_base(x: Array) -> Array:
    y = x.ravel()
    x[0, 0] = 50.0
    return y


def written_transpose(x: Array) -> None:
    y = x.T.ravel()
    y[0] = 7.0


def written_in_a_loop(x: Array) -> Array:
    for i in range(x.shape[1]):
        v = x.ravel()
        v[i] = -i
    return x


def written_in_fortran_order(x: Array) -> Array:
    x.ravel("F")[0] = 5.0
    return x


def orders(x: Array) -> tuple[Array, ...]:
    a, b, c, d = x.ravel("F"), x.ravel("A"), x.flatten("F"), x.reshape(-1, 1, order="F")
    return a * 1, b * 2, c, d * 3


def made_contiguous(x: Array) -> Array:
    y = np.ascontiguousarray(x)
    y[0, 0] = 9.0
    return y


def made_fortran(x: Array) -> Array:
    y = np.asarray(x, order="F")
    y[0, 0] = 9.0
    z = y * 2
    z.ravel("F")[0] = 4.0
    return z


def flat(x: Array) -> None:
    x.flat[0] = 2.0


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("function", [written_ravel, written_base, written_transpose, written_in_a_loop, orders, flat])
def test_every_layout(function: Callable[..., Any], layout: str) -> None:
    same(function, layout)


@pytest.mark.parametrize("layout", ["C", "Fortran", "strided", "one row"])
@pytest.mark.parametrize("function", [written_in_fortran_order, made_contiguous])
def test_copies_where_numpy_makes_them(function: Callable[..., Any], layout: str) -> None:
    same(function, layout)


def written_result(x: Array) -> Array:
    y = x * 2 + 1
    y.ravel()[1] = 1.0
    return y


def written_like(x: Array) -> Array:
    out = np.zeros_like(x)
    out.reshape(-1)[2] = 3.0
    return out


def overwritten(x: Array) -> Array:
    x[:] = np.ones(x.shape)
    y = x * 2
    y.ravel()[1] = 0.0
    return y


def in_memory_order(x: Array) -> tuple[Array, ...]:
    return x.ravel("K"), (x.T * 2).ravel(order="K"), x.reshape(-1, order="A") * 1


@pytest.mark.parametrize("layout", ["C", "Fortran"])
@pytest.mark.parametrize("function", [written_result, written_like, overwritten, in_memory_order, made_fortran])
def test_new_arrays_lie_as_their_operands_do(function: Callable[..., Any], layout: str) -> None:
    same(function, layout)


def copied(x: Array) -> tuple[Array, ...]:
    y, z, w = np.copy(x), np.array(x, order="C"), x.astype(np.float32)
    y[0, 0] = 3.0
    w[0, 0] = 2.0
    return y.ravel() * 1, z, w, y


@pytest.mark.parametrize("layout", LAYOUTS)
def test_copies(layout: str) -> None:
    same(copied, layout)


def test_a_copy_of_an_array_with_gaps_has_none() -> None:
    def program(x: Array) -> Array:
        y = np.copy(x)
        y.ravel()[1] = 3.0
        return y

    for layout in ("C", "Fortran"):
        same(program, layout)
    with pytest.raises(GraphProgramError, match="layout"):
        graph_program(program)(np.zeros((3, 4))[:, ::2])


def fortran_zeros(s: float) -> Array:
    a = np.zeros((3, 4), order="F")
    a.ravel()[0] = s
    b = np.asfortranarray(np.ones((3, 4))) * 2
    b.reshape(-1)[0] = s
    return a + b


def test_arrays_made_in_fortran_order() -> None:
    assert np.array_equal(graph_program(fortran_zeros)(3.0), fortran_zeros(3.0))


def rows(x: Array) -> None:
    x[1:].reshape(-1)[0] = 4.0
    for row in x:
        row.ravel()[1] = 5.0


def test_rows_of_a_contiguous_array_are_contiguous() -> None:
    same(rows, "C")


@dataclass
class Grid:
    u: Array
    parts: list[Array]


def step(g: Grid) -> None:
    g.u.ravel()[0] = 1.0
    g.parts[1].reshape(-1)[2] = 2.0


def test_parts_of_arguments() -> None:
    program = graph_program(step)
    for u in (np.zeros((2, 3)), np.zeros((3, 2)).T, np.zeros((2, 6))[:, ::2]):
        both = [Grid(u.copy("K") if u.flags.forc else u, [np.zeros(2), np.zeros((2, 2))]) for _ in range(2)]
        both[1] = Grid(u.copy("K"), copy.deepcopy(both[1].parts)) if u.flags.forc else both[1]
        if not u.flags.forc:
            program(both[1])
            assert not u.any()
            continue
        step(both[0])
        program(both[1])
        assert not differs(both[0], both[1])


class Field:
    def __init__(self, order: Any) -> None:
        self.u = np.zeros((2, 3), order=order)

    def step(self, s: float) -> Array:
        self.u.ravel()[1] = s
        return self.u * 1


def test_state() -> None:
    for order in "CF":
        plain, field = Field(order), Field(order)
        program = graph_program(field.step)
        for _ in range(2):
            assert np.array_equal(plain.step(2.0), program(2.0))
            plain.u, field.u = np.zeros((2, 3)), np.zeros((2, 3))


def test_each_layout_is_a_signature_of_its_own() -> None:
    program = graph_program(written_ravel)
    for layout in [*LAYOUTS, *LAYOUTS]:
        if layout == "empty":
            continue
        base, expected = np.arange(12.0).reshape(3, 4), np.arange(12.0).reshape(3, 4)
        program(LAYOUTS[layout](base))
        written_ravel(LAYOUTS[layout](expected))
        assert np.array_equal(base, expected), layout


def test_without_arguments_arrays_are_in_c_order(tmp_path: Path) -> None:
    @graph_program
    def program(x: Float64[np.ndarray, "n m"], s: float) -> Array:
        x.ravel()[0] = s
        return x * 1

    assert program.signature == "program: (float64 [n, m] in C order, float) -> float64 [n, m]"
    program.export(str(tmp_path / "m.onnx"))
    session = onnxruntime.InferenceSession(str(tmp_path / "m.onnx"))
    outputs = session.run(None, {"x": np.zeros((2, 2)), "s": np.array(3.0)})
    assert all(o.tolist() == [[3, 0], [0, 0]] for o in outputs[:2])
    x = np.zeros((2, 3)).T
    program(x, 4.0)
    assert not x.any()
    x = np.zeros((2, 3))
    program(x, 4.0)
    assert x[0, 0] == 4


def test_reading_does_not_ask_for_a_layout() -> None:
    @graph_program
    def program(x: Float64[np.ndarray, "n m"]) -> Array:
        return x.ravel() * 2

    assert "order" not in program.signature


def reshaped(x: Array) -> None:
    x.reshape(-1)[0] = 1.0


def test_what_numpy_may_do_either_way_is_refused() -> None:
    with pytest.raises(GraphProgramError, match="layout of the array that was reshaped") as error:
        graph_program(reshaped)(np.zeros((3, 4))[:, ::2])
    assert "pass 'x' as np.ascontiguousarray makes it" in str(error.value)
