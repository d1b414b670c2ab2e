"""`program.extractions`: what called for each extraction, and what is said where there are too many."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

from graph_program import CallError, ExtractionWarning, graph_program
from graph_program.calls.extractions import MOST


def listed(x: Any, n: int) -> Any:
    return x + len([0] * n)


def scaled(x: Any, k: Any) -> Any:
    return x * k


class Filter:
    def __init__(self, gain: float):
        self.gain, self.x = gain, 0.0

    @graph_program
    def step(self, z: float) -> float:
        self.x = self.gain * self.x + z
        return self.x


def reasons(program: Any) -> list[str]:
    return [record.reason for record in program.extractions]


def test_reasons() -> None:
    program = graph_program(scaled)
    assert len(program.extractions) == 0
    for args in (
        (np.ones(3), 2),
        (np.ones(4), 3),
        (np.ones(3, np.float32), 2),
        (np.ones((2, 2)), 2),
        (np.ones(3), 2.0),
    ):
        program(*args)
    assert reasons(program) == [
        "first call",
        "x is float32 [x_0], was float64 [x_0]",
        "x is float64 [x_0, x_1], was float32 [x_0]",
        "k is float, was int",
    ]
    assert [record.parameter for record in program.extractions] == ["", "x", "x", "k"]
    assert all(record.seconds > 0 for record in program.extractions)
    assert str(program.extractions).splitlines()[-1].startswith("4 in ")


def test_a_value_that_a_line_needs() -> None:
    program = graph_program(listed)
    program(np.ones(3), 1)
    program(np.ones(3), 2)
    assert program.extractions[1].kind == "value"
    assert program.extractions[1].reason.startswith("n is 2, was 1, which test_extractions.py:16 needs")


def test_a_model_is_an_extraction_of_its_own() -> None:
    def kept(rows: list[float]) -> Any:
        rows.append(1.0)
        return rows

    program = graph_program(kept)
    program([1.0])
    program.model(([1.0],))
    assert len(program.extractions) == 1 or reasons(program)[-1] == "for a model"


def test_other_objects_and_their_attributes() -> None:
    first, second = Filter(0.25), Filter(0.5)
    for _ in range(3):
        first.step(1.0)
        second.step(1.0)
    assert reasons(Filter.step)[:2] == ["first call", "self.gain is 0.5, was 0.25"]
    assert reasons(first.step) == reasons(Filter.step)


def test_more_than_enough_for_one_reason_is_told_once() -> None:
    program = graph_program(listed)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for n in range(MOST + 1):
            program(np.ones(2), n)
    with pytest.warns(ExtractionWarning, match=r"extracted 9 times because 'n' was another one.*Static") as told:
        program(np.ones(2), 50)
    assert told[0].lineno == 16
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        program(np.ones(2), 51)


def test_errors_and_silence() -> None:
    program = graph_program(listed, extractions="error")
    for n in range(MOST + 1):
        program(np.ones(2), n)
    with pytest.raises(CallError, match=r"GP406.*'n'"):
        program(np.ones(2), 50)
    assert program(np.ones(2), 3).tolist() == [4, 4]
    silent = graph_program(listed, extractions="ignore")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for n in range(MOST + 5):
            silent(np.ones(2), n)
    with pytest.raises(ValueError, match="extractions must be 'warn', 'error' or 'ignore', not 'never'"):
        graph_program(listed, extractions="never")
