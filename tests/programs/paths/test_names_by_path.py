"""Names that are never set where one path reads them: that path raises, the others work."""

# ruff: noqa: F841, RET503, RET504, SIM108 (the programs are wrong on purpose)

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from graph_program import ProgramNameError, ShapeWarning, graph_program
from tests.programs.plain import Cases, check

pytestmark = pytest.mark.filterwarnings("ignore::graph_program.ShapeWarning")
cases = Cases()
X = np.array([1.0, 2.0, 3.0])


@cases((1,), (-1,), (0,))
def read_before_set(c: Any) -> Any:
    if c > 0:
        y = 1
    else:
        y = z
    z = 2
    return y + z


@cases((X, 1), (X, 0))
def set_behind_the_return(x: Any, c: Any) -> Any:
    if c > 0:
        return x
    return y + 1
    y = 2


@cases((X, 1), (X, 0))
def deleted_on_one_path(x: Any, c: Any) -> Any:
    if c > 0:
        del x
    return x


@cases((X, 1), (X, 0))
def deleted_where_it_is_not_set(x: Any, c: Any) -> Any:
    if c > 0:
        del y
    else:
        y = x
    return y * 2


@cases((X, 0), (X, 2), (X, 3))
def deleted_in_a_round(x: Any, n: Any) -> Any:
    for i in range(n):
        if i == 2:
            del x
            return x
    return x


@cases((X, 1), (X, 0))
def read_by_an_inner_function(x: Any, c: Any) -> Any:
    def scaled() -> Any:
        return k * x

    if c > 0:
        return scaled()
    k = 2
    return scaled()


@cases((X, 1), (X, 0))
def caught(x: Any, c: Any) -> Any:
    try:
        if c > 0:
            y = x
        else:
            y = z
        z = 1
    except UnboundLocalError as error:
        return str(error)
    return y + z


@cases((1,), (0,))
def in_an_expression(c: Any) -> Any:
    return 1 if c > 0 else w
    w = 2


@cases((X, 1), (X, 0))
def what_was_written_before_stays(x: Any, c: Any) -> Any:
    x[0] = 5.0
    if c > 0:
        x[1] = b
    b = 2
    return b


@cases((X, 0), (X, 1), (X, 3))
def augmented_in_a_loop(x: Any, n: Any) -> Any:
    while n > 0:
        n -= 1
        if n == 1:
            s += x
        s = x
    return n


def _chosen(x: Any, c: Any) -> Any:
    if c > 0:
        u = x
    else:
        u = v
    v = 2
    return u * v


@cases((X, 1), (X, 0))
def in_a_called_function(x: Any, c: Any) -> Any:
    return _chosen(x, c) + 1


@cases.each
def test_only_the_path_that_reads_it_raises(fn: Any, inputs: Any) -> None:
    check(fn, *inputs)


def test_the_call_warns_of_the_line() -> None:
    program = graph_program(read_before_set)
    with pytest.warns(ShapeWarning, match="GP306.*'z' where it is not associated"):
        assert program(1) == 3


def test_what_every_run_reads_is_refused() -> None:
    @graph_program
    def program(x: Any) -> Any:
        y = z + x
        z = 2
        return y + z

    with pytest.raises(ProgramNameError, match="GP306"):
        program(X)


def test_an_exported_model_says_so_in_its_error_output() -> None:
    ort = pytest.importorskip("onnxruntime")
    model = graph_program(read_before_set).model((1,))
    session = ort.InferenceSession(model.SerializeToString())
    outputs = [o.name for o in session.get_outputs()]

    def run(c: int) -> Any:
        return dict(zip(outputs, session.run(None, {"c": np.array(c)}), strict=True))

    fine, failed = run(1), run(-1)
    assert fine["result"] == 3
    assert fine["error"] == 0
    assert failed["error"] != 0
