"""Models run in sessions with default options, whose optimizer ends the process where it meets some forms."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest

from graph_program import graph_program
from tests.programs.numpy.products.test_shapes_that_are_empty import contracted, scores
from tests.programs.program.test_findings_of_random_programs import largest_sums


def count(model: onnx.ModelProto, operator: str) -> int:
    """How many nodes of an operator there are, inner graphs included."""
    return str(model).count(f'op_type: "{operator}"')


def run_apart(model: onnx.ModelProto, folder: Path, **feed: Any) -> list[Any]:
    """The outputs of a session in a process of its own."""
    onnx.save(model, folder / "m.onnx")
    np.savez(folder / "in.npz", **feed)
    code = """
import sys, numpy, onnxruntime
outputs = onnxruntime.InferenceSession("m.onnx").run(None, dict(numpy.load("in.npz")))
numpy.savez("out.npz", *outputs)
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return list(np.load(folder / "out.npz").values())


def test_branches_that_the_optimizer_could_decide(tmp_path: Path) -> None:
    found = run_apart(graph_program(largest_sums).model((7, 2.0)), tmp_path, n=7, t=2.0)
    expected = largest_sums(7, 2.0)
    assert [found[2], found[5]] == list(expected)


W = np.arange(3.0)


def with_known_numbers(x: Any) -> Any:
    if W.sum() > 2:
        x = x * W.max()
    return x


def by_sizes_of_arguments(x: Any) -> Any:
    y = x * 2
    return y + 1 if y.shape[0] > 3 else y


def test_only_what_could_be_computed_before_is_kept_from_it() -> None:
    args = (np.ones(3),)
    assert count(graph_program(with_known_numbers).model(args), "Loop") == 1
    assert not count(graph_program(by_sizes_of_arguments).model(args), "Loop")


@pytest.mark.parametrize("function", [scores, contracted])
def test_products_of_no_matrices(function: Any, tmp_path: Path) -> None:
    q, k = np.zeros((0, 3, 2), np.float32), np.zeros((2, 0, 2), np.float32)
    model = graph_program(function).model((q, k))
    (result, *_) = run_apart(model, tmp_path, q=q, k=k)
    assert result.shape == function(q, k).shape
    assert count(model, "Sum") == 1


def of_heads(q: Any, k: Any) -> Any:
    return q @ np.swapaxes(k, 1, 2)


def test_products_that_the_optimizer_may_fuse_are_left_alone() -> None:
    array = np.zeros((2, 3, 4), np.float32)
    assert not count(graph_program(of_heads).model((array, array)), "Sum")
    two = graph_program(scores, dims={"q_0": 3, "k_1": 3}).model((array.swapaxes(0, 1), array))
    assert not count(two, "Sum")


def by_a_known_scale(x: Any, s: float) -> Any:
    return (x * 1.1) @ x


def by_a_size(x: Any, s: float) -> Any:
    return x @ (x / (3.0 * len(x)))


def by_a_given_scale(x: Any, s: float) -> Any:
    return (s * x) @ x


def by_a_row(x: Any, s: float) -> Any:
    return (x * x[0] * s) @ x


@pytest.mark.parametrize("function", [by_a_known_scale, by_a_size, by_a_given_scale, by_a_row])
def test_products_of_scaled_matrices(function: Any, tmp_path: Path) -> None:
    """onnxruntime reads a scale that it knows as float32, and puts it into the product."""
    x, s = np.random.default_rng(1).random((7, 7)), 1 / 3
    model = graph_program(function).model((x, s))
    given = {"x": x, "s": np.array(s)}
    (result, *_) = run_apart(model, tmp_path, **{one.name: given[one.name] for one in model.graph.input})
    np.testing.assert_allclose(result, function(x, s), rtol=1e-14)
    assert count(model, "Sum") == (function in (by_a_known_scale, by_a_size))
