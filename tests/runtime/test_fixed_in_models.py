"""What a model is fixed to: the refusals, the names that allow it, and what such a model gives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import onnxruntime
import pytest

from graph_program import Float64, GraphProgramError, Static, Tensor, graph_program, static_range


@dataclass
class Filter:
    taps: int
    gain: float


@graph_program
def counted(x: Any, n: Any) -> Any:
    for k in static_range(n):
        x = x + k
    return x


@graph_program
def filtered(x: Any, f: Any) -> Any:
    return x.reshape((1,) * f.taps + x.shape) * f.gain


class Turning:
    def __init__(self) -> None:
        self.axis = 1
        self.count = 0

    @graph_program
    def step(self, x: Any) -> Any:
        axis = self.axis
        self.axis, self.count = 0, self.count + 1
        return x.sum(axis)


x = np.arange(4.0)


def run(model: Any, **given: Any) -> list[Any]:
    session = onnxruntime.InferenceSession(model.SerializeToString())
    assert [i.name for i in session.get_inputs()] == list(given)
    return list(session.run(None, {name: np.asarray(value) for name, value in given.items()}))


def refusal(program: Any, args: Any, **options: Any) -> GraphProgramError:
    with pytest.raises(GraphProgramError) as error:
        program.model(args, **options)
    return error.value


def test_a_number_is_not_fixed_in_silence() -> None:
    error = refusal(counted, (x, 3))
    assert error.code == "GP510"
    assert error.loc.line == counted.python.__code__.co_firstlineno + 2
    assert "right for n = 3 only" in str(error)
    assert '`static=("n",)`, or annotate `n: Static[int]`' in str(error)
    assert np.array_equal(counted(x, 3), counted.python(x, 3))  # a call has no such limit


def test_a_number_that_is_named() -> None:
    model = counted.model((x, 3), static=("n",))
    assert np.array_equal(run(model, x=-x)[0], counted.python(-x, 3))


def test_a_number_that_is_annotated() -> None:
    @graph_program
    def annotated(x: Any, n: Static[int]) -> Any:
        return x + ([1] * n)[0] + n

    assert np.array_equal(run(annotated.model((x, 3)), x=x)[0], x + 4)


def test_a_number_that_is_named_needs_no_line_that_needs_it() -> None:
    @graph_program
    def scaled(x: Any, k: Any, w: Any) -> Any:
        return x * k + w

    w = np.ones(4)
    assert np.array_equal(run(scaled.model((x, 2, w), static=("k",)), x=x, w=w)[0], x * 2 + 1)
    assert np.array_equal(run(scaled.model((x, 2, w), static=("k", "w")), x=x)[0], x * 2 + 1)


def test_a_field() -> None:
    error = refusal(filtered, (x, Filter(2, 0.5)))
    assert error.code == "GP510" and 'static=("f.taps",)' in str(error)
    model = filtered.model((x, Filter(2, 0.5)), static=["f.taps"])
    assert np.array_equal(run(model, **{"x": x, "f.gain": 3.0})[0], filtered.python(x, Filter(2, 3.0)))
    assert np.array_equal(run(filtered.model((x, Filter(2, 0.5)), static=["f"]), x=x)[0], x.reshape(1, 1, 4) * 0.5)


GAINS = [0.5, 1.0, 2.0]


def chosen(x: Any, n: int) -> Any:
    return x * GAINS[n]


def looked_up(x: Any, n: int) -> Any:
    return x * {0: 0.5, 1: 1.0, 2: 4.0}[n]


def repeated(x: Any, n: int) -> Any:
    values = [0.0] * n
    for i in range(n):
        values[i] = x[i % len(x)] * i
    return np.array(values)


def set_at(x: Any, n: int) -> Any:
    found = [np.inf] * 3
    found[n] = x[0]
    return np.array(found)


def doubled(x: Any) -> Any:
    return x * 2


def called(x: Any, n: int) -> Any:
    return [np.abs, doubled, np.negative][n](x)


@pytest.mark.parametrize("fn", [chosen, looked_up, repeated, set_at, called])
def test_a_number_that_can_be_computed_is_an_input(fn: Any) -> None:
    model = graph_program(fn).model((x, 1))
    for n in (1, 0, 2):
        assert np.array_equal(run(model, x=x + 1, n=n)[0], fn(x + 1, n))


def test_one_number_is_computed_beside_one_that_is_known() -> None:
    @graph_program
    def summed(x: Any, axis: Any, n: Any) -> Any:
        return x.sum(axis) * GAINS[n]

    assert "right for axis = 0 only" in str(refusal(summed, (x, 0, 1)))  # and of the other there is nothing to say
    model = summed.model((x, 0, 1), static=("axis",))
    assert [float(run(model, x=x, n=n)[0]) for n in (0, 2)] == [3.0, 12.0]


def test_a_number_that_can_be_computed_is_fixed_where_it_is_named() -> None:
    model = graph_program(chosen).model((x, 2), static=("n",))
    assert np.array_equal(run(model, x=x)[0], x * 2)


def test_what_the_number_chooses_has_to_be_known() -> None:
    @graph_program
    def summed(x: Any, k: Any) -> Any:
        return x.sum((0, -1)[k])

    error = refusal(summed, (x, 0))
    assert error.code == "GP510" and "right for k = 0 only" in str(error)


def test_a_part_of_a_tuple() -> None:
    @graph_program
    def summed(x: Any, where: Any) -> Any:
        return x.sum(where[0]) + where[1]

    pair = (0, 7)
    assert 'static=("where[0]",)' in str(refusal(summed, (x, pair)))
    for name in ("where[0]", "where.0"):
        assert run(summed.model((x, pair), static=[name]), **{"x": x, "where.1": 1})[0] == 7.0


@pytest.mark.filterwarnings("ignore:.*gives back the state")
def test_an_attribute_that_is_state() -> None:
    y = np.ones((2, 3))
    assert 'static=("self.axis",)' in str(refusal(Turning().step, (y,)))
    model = Turning().step.model((y,), static=("self.axis",))
    result, *_ = run(model, **{"x": y, "self.count": 4})
    assert result.tolist() == [3.0, 3.0]


def test_a_size() -> None:
    @graph_program
    def parts(x: Any) -> Any:
        return dict(enumerate(x))[1]

    error = refusal(parts, (x,))
    assert error.code == "GP510" and '`dims={"x_0": 4}`' in str(error)
    assert run(parts.model((x,), dims={"x_0": 4}), x=x)[0] == 1.0


def test_the_last_call_is_an_example() -> None:
    @graph_program
    def turned(x: Any, axis: Any) -> Any:
        return x.sum(axis)

    turned(np.ones((2, 3)), 1)
    assert refusal(turned, None).code == "GP510"
    assert run(turned.model(static=("axis",)), x=np.ones((5, 3)))[0].tolist() == [3.0] * 5


def test_a_default_is_an_example() -> None:
    @graph_program
    def turned(x: Float64[Tensor, "n m"], axis: int = 1) -> Any:
        return x.sum(axis)

    assert run(turned.model(static=("axis",)), x=np.ones((5, 3)))[0].tolist() == [3.0] * 5


@pytest.mark.parametrize("name", ["m", "n.m", "N", ""])
def test_a_name_that_means_nothing(name: str) -> None:
    error = refusal(counted, (x, 3), static=(name,))
    assert error.code == "GP511" and "its parameters are x, n" in str(error)


def test_names_are_a_sequence() -> None:
    with pytest.raises(TypeError, match=r"such as static=\['taps'\]"):
        counted.model((x, 3), static="taps")
    with pytest.raises(TypeError, match="static must be"):
        counted.model((x, 3), static=[3])  # type: ignore[list-item]


def test_what_is_static_by_its_kind_needs_no_name() -> None:
    @graph_program
    def mapped(x: Any, f: Any, mode: Any, nothing: Any = None) -> Any:
        return f(x) if mode == "f" and nothing is None else x

    assert np.allclose(run(mapped.model((x, np.sin, "f")), x=x)[0], np.sin(x))
