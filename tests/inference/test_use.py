"""What inferred types are used for: exports without examples, errors, and never a narrower call."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import pytest

from graph_program import Float, Float32, GraphProgramError, ShapeError, Tensor, graph_program
from tests.programs.plain import check

WEIGHTS = np.linspace(-1, 1, 12, dtype=np.float32).reshape(4, 3)
OFFSET = np.arange(3, dtype=np.float32)


@dataclass
class Layer:
    w: Float32[Tensor, "d h"]
    b: Float32[Tensor, "h"]


@graph_program
def classify(x):
    scores = x @ WEIGHTS + OFFSET
    return scores.argmax(axis=-1), scores


@graph_program
def layer(x, p: Layer):
    return np.maximum(x @ p.w + p.b, 0)


@graph_program
def scale(x, k):
    return x * k


@graph_program
def normalised(x: Float[Tensor, "n"]):
    return x / np.sqrt((x * x).sum())


@graph_program
def solved(a, b) -> Float32[Tensor, "2 2"]:
    return np.stack([a, b])


def both_ways(x, y, swap):
    if swap:
        return y @ x
    return x @ y


def generic(x, i):
    return twice(x), twice(i), twice(2)


def twice(v):
    return v + v


def steps(x, w):
    h = np.zeros(3)
    for row in x:
        h = h + row @ w
    return h


def test_weights_make_an_export_possible(tmp_path: Path) -> None:
    assert classify.signature == "classify: float32 [a, 4] -> (int64 [a], float32 [a, 3])"
    classify.export(tmp_path / "classify.onnx")
    session = onnxruntime.InferenceSession(tmp_path / "classify.onnx")
    (given,) = session.get_inputs()
    assert (given.name, given.shape, given.type) == ("x", ["a", 4], "tensor(float)")
    x = np.eye(4, dtype=np.float32)[:2]
    for found, expected in zip(session.run(None, {"x": x}), classify.python(x), strict=False):
        np.testing.assert_allclose(found, expected)


def test_fields_of_a_dataclass_make_an_export_possible() -> None:
    assert layer.signature == "layer: (float32 [a, d], Layer(w: float32 [d, h], b: float32 [h])) -> float32 [a, h]"
    assert [i.name for i in layer.model().graph.input] == ["x", "p.w", "p.b"]


def test_an_annotated_result_says_what_the_parameters_are() -> None:
    assert solved.signature == "solved: (float32 [2], float32 [2]) -> float32 [2, 2]"


@pytest.mark.parametrize(("program", "names"), [(scale, "'x', 'k'"), (normalised, "'x'")])
def test_what_stays_open_is_asked_for(program: Any, names: str) -> None:
    with pytest.raises(GraphProgramError) as error:
        program.model()
    assert error.value.code == "GP502"
    assert names in str(error.value)


def test_an_annotation_that_leaves_an_element_type_open_is_not_guessed_at() -> None:
    @graph_program
    def product(x: Float[Tensor, "n"], y: Float32[Tensor, "n"]):
        return x * y

    with pytest.raises(GraphProgramError) as error:
        product.model()
    assert error.value.code == "GP502"
    assert "'x'" in str(error.value)


class Mode(Enum):
    IDLE = 1


@dataclass
class Pack:
    mode: Mode
    cells: np.ndarray
    soc: float = 0.5


def test_fields_that_stay_open_are_named() -> None:
    @graph_program
    def balanced(pack: Pack, k: float):
        return pack.cells * k if pack.mode is Mode.IDLE else pack.cells

    with pytest.raises(GraphProgramError) as error:
        balanced.model()
    text = str(error.value)
    assert "ndarray leaves the element type and the rank of 'pack.cells' open" in text
    assert "'pack.mode' is fixed to its value, which an annotation does not say" in text
    assert 'annotate the fields, such as `cells: Float32[Tensor, "n"]`, give example arguments' in text


def test_a_contradiction_names_its_place() -> None:
    @graph_program
    def wrong(x, w):
        _a, _b = x.shape
        return x @ w[:, :, 0].T + x[0, 0, 0]

    with pytest.raises(ShapeError, match="too many indices") as error:
        _ = wrong.signature
    assert error.value.diagnostic.loc.line == wrong.python.__code__.co_firstlineno + 3


def test_a_branch_narrows_no_call() -> None:
    x, y = np.ones((2, 3)), np.ones((3, 4))
    check(both_ways, (x, y, False), (y.T.copy(), x.T.copy(), True), (x, y, True))


def test_helpers_are_generic() -> None:
    check(generic, (np.ones((2, 3), np.float32), np.arange(3)), (np.float64(2), np.ones(0, bool)))


def test_a_loop_that_does_not_run_narrows_no_call() -> None:
    check(steps, (np.ones((2, 4)), np.ones((4, 3))), (np.ones((0, 7)), np.ones((4, 5))))
