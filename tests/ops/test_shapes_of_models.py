"""Every value of the models of all operations has a type and a shape, and they hold when the models run."""

from __future__ import annotations

import random

import pytest

from graph_program.backends.onnx.emit import emit, to_proto
from tests.ops.onnx_run import program_of, session_of
from tests.ops.rows import ROWS
from tests.ops.shapes_of_models import check_inner_graphs, check_with_onnxruntime, untold
from tests.ops.test_onnx_ops import trials_of

TRIALS = 30


@pytest.mark.parametrize("name", ROWS)
def test_shapes_hold(name: str, capfd: pytest.CaptureFixture[str]) -> None:
    trials = [trial for dtype in ROWS[name].dtypes for trial in trials_of(name, dtype)]
    random.Random(name).shuffle(trials)
    program, feed = program_of(trials[:TRIALS])
    model = to_proto(emit(program))
    assert not untold(model)
    session_of(model, warnings=True).run(None, feed)
    assert not capfd.readouterr().err, "onnxruntime warns"
    check_with_onnxruntime(model, feed)


@pytest.mark.parametrize("name", ["prod", "sort", "argsort"])
def test_shapes_hold_in_inner_graphs(name: str) -> None:
    trials = [t for t in trials_of(name, ROWS[name].dtypes[-1]) if t.want.size]
    program, feed = program_of(trials[:TRIALS])
    check_inner_graphs(to_proto(emit(program)), feed)
