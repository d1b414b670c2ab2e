"""Captured `np.load("w.npz")`: the arrays in it are captured arrays."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from graph_program import GraphProgramError, graph_program

x = np.arange(3.0)


@pytest.fixture
def archive(tmp_path: Path) -> Any:
    np.savez(tmp_path / "w.npz", wte=np.arange(12.0).reshape(4, 3), b=np.arange(4.0))
    return np.load(tmp_path / "w.npz")


class Model:
    def __init__(self, weights: Any):
        self.weights = weights

    def __call__(self, x: Any) -> Any:
        return x @ self.weights["wte"].T


def programs(n: Any) -> list[Any]:
    return [
        lambda x: x @ n["wte"].T,
        lambda x: x @ n["wte"].T + n["b"],
        lambda x: x @ n.f.wte.T,
        lambda x: sum(x @ n[k].T for k in n if k != "b"),
        lambda x: {k: v.sum() + x[0] for k, v in n.items()},
        lambda x: (list(n.files), "b" in n, "c" in n, len(n), list(n.keys())),
        lambda x: dict(n)["b"] + x[0],
        lambda x: n.get("c", x),
        lambda x: (n["b"].copy(), n["b"] * 2),
        lambda x: n["b"],
        lambda x: (isinstance(n, dict), isinstance(n, np.lib.npyio.NpzFile), type(n).__name__),
        Model(n),
    ]


@pytest.mark.parametrize("number", range(12))
def test_as_python(archive: Any, number: int) -> None:
    function = programs(archive)[number]
    program = graph_program(function)
    for _ in range(2):
        assert repr(program(x)) == repr(function(x))


def test_they_are_constants_of_a_model(archive: Any) -> None:
    assert [i.name for i in graph_program(lambda x: x @ archive["wte"].T).model((x,)).graph.input] == ["x"]


def test_the_archive_itself_is_given_back(archive: Any) -> None:
    assert graph_program(lambda x: (archive, x))(x)[0] is archive


def test_another_archive_of_the_name(archive: Any, tmp_path: Path) -> None:
    model = Model(archive)
    program = graph_program(model)
    first = program(x)
    np.savez(tmp_path / "v.npz", wte=np.ones((2, 3)))
    model.weights = np.load(tmp_path / "v.npz")
    assert np.array_equal(first, x @ archive["wte"].T)
    assert program(x).tolist() == [3.0, 3.0]


def test_what_is_written_would_be_gone(archive: Any) -> None:
    def written(x: Any) -> Any:
        w = archive["b"]
        w[0] = 7.0
        return w

    with pytest.raises(GraphProgramError) as error:
        graph_program(written)(x)
    assert error.value.code == "GP335" and ".copy()" in str(error.value)
