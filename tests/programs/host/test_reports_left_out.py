"""Files without host code: what only tells of the run is left out, and nothing else."""

from __future__ import annotations

import datetime
import json
import logging
import random
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import pytest

from graph_program import GraphProgramError, graph_program, host_function

log = logging.getLogger(__name__)
Program = Callable[[Any], Any]


def printed(x: Any) -> Any:
    print("sum", x.sum())
    return x * 2


def printed_in_a_loop(x: Any) -> Any:
    for i in range(len(x)):
        print(i, x[i], file=sys.stderr, flush=True)
        x = x * 2
    return x


def logged(x: Any) -> Any:
    log.info("sum %s", x.sum())
    while x[0] < 100:
        if x[1] > 50:
            logging.warning("large: %s", x)
        x = x + 20
    return x


def warned(x: Any) -> Any:
    if x[0] < 100:
        warnings.warn("small", stacklevel=1)
    return x + 1


def timed(x: Any) -> Any:
    start = time.perf_counter()
    y = x * 2
    print(f"{(time.perf_counter() - start) * 1000:.2f} ms")
    return y


def timed_in_a_loop(x: Any) -> Any:
    for _ in range(3):
        begin, since = time.time(), datetime.datetime.now()
        x = x * 2
        took = round((time.time() - begin) * 1000, 2)
        print(format(took, ".2f"), str(took), datetime.datetime.now() - since)
        sys.stdout.flush()
    return x


def told_by_a_handler(x: Any) -> Any:
    try:
        return x + x[100]
    except IndexError as error:
        log.exception("no element")
        print(error)
        return x


LINES = {
    printed: [1],
    printed_in_a_loop: [2],
    logged: [1, 4],
    warned: [2],
    timed: [3],
    timed_in_a_loop: [5, 6],
    told_by_a_handler: [4, 5],
}


def run(path: Path, x: Any) -> Any:
    session = onnxruntime.InferenceSession(path)
    return session.run(None, {session.get_inputs()[0].name: x})[0]


@pytest.mark.parametrize("function", LINES)
def test_it_is_left_out_with_a_warning(
    function: Program, tmp_path: Path, capfd: pytest.CaptureFixture[str], recwarn: pytest.WarningsRecorder
) -> None:
    path = tmp_path / "m.onnx"
    graph_program(function).export(path, (np.ones(3),))
    told = [w.lineno - function.__code__.co_firstlineno for w in recwarn if "the model does not have it" in str(w)]
    assert told == LINES[function]
    found = run(path, np.arange(3.0))
    assert capfd.readouterr() == ("", "")
    with warnings.catch_warnings(action="ignore"):
        assert np.array_equal(found, function(np.arange(3.0)))


def timed_result(x: Any) -> Any:
    start = time.perf_counter()
    y = x * 2
    took: float = time.perf_counter() - start
    return y, took


def timed_limit(x: Any) -> Any:
    start = time.perf_counter()
    while x[0] < 10 and time.perf_counter() - start < 100:
        x = x + 1
    return x


def random_reports(x: Any) -> Any:
    print(random.random())  # others get the next number
    return x


@host_function
def noted(k: int) -> int:
    return k


def noted_and_printed(x: Any) -> Any:
    print(noted(1))
    return x


def of_a_file(x: Any) -> Any:
    print(x.sum(), file=open("numbers.txt", "a"))  # noqa: SIM115
    return x


def decoded(x: Any) -> Any:
    gain: float = json.loads("2.0")
    print(gain)
    return x * gain


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("function", "line"),
    [(timed_result, 1), (timed_limit, 1), (random_reports, 1), (noted_and_printed, 1), (of_a_file, 1), (decoded, 1)],
)
def test_what_more_depends_on_needs_the_host(function: Program, line: int, tmp_path: Path) -> None:
    with pytest.raises(GraphProgramError, match="needs Python beside it") as error:
        graph_program(function).export(tmp_path / "m.onnx", (np.ones(3),))
    assert error.value.code == "GP512"
    assert error.value.loc.line - function.__code__.co_firstlineno == line
    assert list(tmp_path.iterdir()) == []


@pytest.mark.filterwarnings("ignore")
def test_each_line_is_told_once(tmp_path: Path) -> None:
    def program(x: Any) -> Any:
        k: int = noted(noted(1))
        for _ in range(3):
            other: int = noted(k)
            x = x + other
        return x

    with pytest.raises(GraphProgramError) as error:
        graph_program(program).export(tmp_path / "m.onnx", (np.ones(3),))
    first = program.__code__.co_firstlineno
    diagnostic = error.value.diagnostic
    assert [diagnostic.loc.line, *(label.loc.line for label in diagnostic.labels)] == [first + 1, first + 3]


@pytest.mark.filterwarnings("ignore")
def test_who_asks_for_the_host_gets_all_of_it(tmp_path: Path) -> None:
    graph_program(printed_in_a_loop).export(tmp_path / "m.onnx", (np.ones(3),), host="operators")
    assert (tmp_path / "m_host.py").exists()


def test_a_call_still_tells(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    program = graph_program(copies="ignore")(printed_in_a_loop)
    with warnings.catch_warnings(action="ignore"):
        program.export(tmp_path / "m.onnx", (np.ones(3),))
    program(np.ones(3))
    assert capfd.readouterr().err == "0 1.0\n1 2.0\n2 4.0\n"
