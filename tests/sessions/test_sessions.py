"""Sessions: the meaning of a call, memory that stays, results that stay valid, threads."""

from __future__ import annotations

import functools
import os
import subprocess
import sys
import textwrap
import threading
import time
import tracemalloc
import weakref
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from graph_program import Float32, Float64, GraphProgramError, Tensor, graph_program
from graph_program.backends.c import folder as folders
from graph_program.calls import back_end
from tests.programs.plain import differs, outcome
from tests.runtime.native_programs import needs_compiler

Vector = Float64[Tensor, "n"]
LARGE = 5000
"""Elements of an array that is read where it lies."""


@graph_program(backend="onnxruntime")
def scaled(x: Vector, k: float) -> Vector:
    return x * k + 1


@dataclass
class Cell:
    h: np.ndarray
    weights: np.ndarray
    calls: int = 0

    @graph_program(backend="onnxruntime")
    def step(self, x):
        self.h = np.tanh(self.weights @ self.h + x)
        self.calls += 1
        return self.h.sum()


def cell(n: int) -> Cell:
    return Cell(np.zeros(n), np.eye(n) * 0.5)


@graph_program(backend="onnxruntime")
def told(x, n):
    """Prints, structures, numbers of every class, and two kinds of exceptions."""
    if n < 0:
        raise ValueError(f"negative: {n}")
    print("n is", n)
    return {"row": x[n], "sum": x.sum(), "next": n + 1, "same": x}, (x > 1, float(x[0]))


@graph_program(backend="onnxruntime")
def written(x, y):
    x[1:] += y[:-1]
    return x.max()


@graph_program(backend="onnxruntime")
def chosen(x):
    return x[x > 0]


CALLS: list[tuple[Any, list[tuple[Any, ...]]]] = [
    (scaled, [(np.arange(n, dtype=float), k) for n in (3, LARGE, 0) for k in (2.0, -1.0, 0.5)]),
    (told, [(np.array([1.0, 2.0, 3.0]), n) for n in (0, 1, 2, 5, -1, 2)]),
    (told, [(np.arange(4, dtype=t), 1) for t in (np.float32, np.int64, np.uint8, np.float64)]),
    (written, [(np.arange(n, dtype=float), np.ones(n)) for n in (4, 4, 4, LARGE, LARGE, LARGE)]),
    (chosen, [(np.array(v),) for v in ([1.0, -1.0], [1.0, 2.0], [-1.0, -1.0], [3.0, 0.0])]),
]


@pytest.mark.parametrize("backend", ["onnxruntime", pytest.param("native", marks=needs_compiler)])
@pytest.mark.parametrize(("program", "calls"), CALLS)
def test_a_call_of_a_session_is_a_call_of_the_function(program: Any, calls: Any, backend: str) -> None:
    program = graph_program(program.python, backend=backend)
    with program.session() as session:
        for _ in range(4):
            for args in calls:
                assert not differs(outcome(program.python, args), outcome(session, args))


@pytest.mark.parametrize("size", [3, LARGE])
def test_results_stay_as_they_are(size: int) -> None:
    with scaled.session() as session:
        kept = [session(np.full(size, float(i)), 2.0) for i in range(20)]
        views = [session(np.full(size, float(i)), 2.0)[1:] for i in range(20)]
    for i in range(20):
        assert (kept[i] == 2 * i + 1).all() and (views[i] == 2 * i + 1).all()


def test_results_that_nobody_has_give_their_memory_to_others() -> None:
    x = np.arange(LARGE, dtype=float)
    with scaled.session() as session:
        places = {session(x, 2.0).ctypes.data for _ in range(50)}
        assert len(places) <= 5
        y = x
        places = set()
        for _ in range(50):
            y = session(y, 1.0)  # to and fro
            places.add(y.ctypes.data)
        assert len(places) <= 5
        assert (y == x + 50).all()


def test_calls_of_known_sizes_allocate_nothing() -> None:
    x = np.arange(100_000, dtype=float)
    with scaled.session() as session:
        for _ in range(5):
            session(x, 2.0)
        tracemalloc.start()
        for _ in range(20):
            session(x, 2.0)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert peak < x.nbytes / 10


def test_arguments_are_the_callers_alone_between_calls() -> None:
    x = np.arange(LARGE, dtype=float)
    with scaled.session() as session:
        for _ in range(4):
            session(np.arange(LARGE, dtype=float), 2.0)
        session(x, 2.0)
        gone = weakref.ref(x)
        del x
        assert gone() is None


@pytest.mark.parametrize("layout", ["rows", "columns", "reversed", "every second"])
def test_arrays_of_any_layout(layout: str) -> None:
    square = np.arange(200.0 * 200).reshape(200, 200)
    x = {"rows": square, "columns": square.T, "reversed": square[::-1], "every second": square[:, ::2]}[layout]
    program = graph_program(lambda x: x * 2, backend="onnxruntime")
    with program.session() as session:
        for _ in range(4):
            np.testing.assert_array_equal(session(x), x * 2)
            x[0, 0] += 1


@pytest.mark.parametrize("n", [2, LARGE // 100])
def test_state_goes_from_call_to_call(n: int) -> None:
    found, expected = cell(n), cell(n)
    x, known = np.linspace(-1, 1, n), 0
    with found.step.session() as session:
        for i in range(12):
            known = len(found.step.extractions) if i == 1 else known
            if i == 6:
                found.h, expected.h = np.ones(n), np.ones(n)  # others may set it between two calls
            if i == 8:
                found.weights[0] = expected.weights[0] = 3
            assert session(x) == pytest.approx(expected.step.python(x))
            np.testing.assert_allclose(found.h, expected.h)
    assert found.calls == expected.calls == 12
    assert len(found.step.extractions) == known


def test_an_exception_leaves_the_state() -> None:
    class Counter:
        def __init__(self) -> None:
            self.total = np.zeros(3)

        @graph_program(backend="onnxruntime")
        def add(self, x):
            if x.min() < 0:
                raise ValueError("negative")
            self.total = self.total + x

    counter = Counter()
    with counter.add.session() as session:
        for _ in range(5):
            session(np.ones(3))
            with pytest.raises(ValueError, match="negative"):
                session(-np.ones(3))
    assert counter.total.tolist() == [5, 5, 5]


def test_captured_arrays_are_what_they_are_at_the_call() -> None:
    weights = np.zeros((300, 300)) + 1j
    real = np.arange(5.0)[::2]
    program = graph_program(lambda x: (x * real, (weights * x[0]).sum()), backend="onnxruntime")
    with program.session() as session:
        for i in range(6):
            weights[0, 0], real[0] = i, -i
            x = np.full(3, 2.0)
            for found, expected in zip(session(x), program.python(x), strict=True):
                np.testing.assert_allclose(found, expected)


def test_threads_share_a_session() -> None:
    wrong: list[int] = []
    session = scaled.session()

    def work(number: int) -> None:
        x = np.full(50 + number % 2, float(number))
        for k in range(300):
            y = session(x, float(k))
            time.sleep(0)
            if not (y == number * k + 1).all():
                wrong.append(number)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_sizes_may_change_all_the_time() -> None:
    with scaled.session() as session:
        for n in [*range(40), *range(20), 3, 3, 3]:
            x = np.arange(n, dtype=float)
            np.testing.assert_array_equal(session(x, 3.0), x * 3 + 1)


def test_a_closed_session() -> None:
    with scaled.session() as session:
        y = session(np.ones(2), 2.0)
    assert repr(session) == "<session of scaled, closed>" and y.tolist() == [3, 3]
    with pytest.raises(GraphProgramError, match="GP560") as refused:
        session(np.ones(2), 2.0)
    assert isinstance(refused.value, ValueError)
    with pytest.raises(GraphProgramError, match="GP560"):
        session.run_many([])


def test_a_session_of_a_partial() -> None:
    program = graph_program(functools.partial(scaled.python, k=3.0), backend="onnxruntime")
    with program.session() as session:
        assert session(np.ones(1)).tolist() == [4]
        assert session(np.ones(1), k=5.0).tolist() == [6]


def test_plain_python(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRAPH_PROGRAM_DISABLE", "1")
    program = graph_program(lambda x: type(x).__name__)
    assert program.session()(3) == "int"
    assert cell(2).step.session()(np.ones(2)) == pytest.approx(2 * np.tanh(1))


@needs_compiler
def test_machine_code_takes_the_place_of_onnxruntime(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(back_end, "SECONDS", 0)
    monkeypatch.delenv(back_end.VARIABLE, raising=False)

    @graph_program(backend="auto")
    def steps(n: int) -> int:
        count = 0
        while n > 1:
            n = n // 2 if n % 2 == 0 else 3 * n + 1
            count += 1
        return count

    with steps.session() as session:
        until = time.monotonic() + 60
        while steps.extractions[:1] in ([], ()) or steps.extractions[0].backend == "auto":
            assert session(27) == 111 and time.monotonic() < until
        assert steps.extractions[0].backend == "native"
        assert session(27) == 111 and session(1) == 0


KEPT = """
    import numpy as np
    from graph_program import graph_program

    @graph_program(backend="native")
    def decayed(x, k: float):
        y = 0.0
        for v in x:
            y = y * k + v
        return y

    x = np.ones(4)
    with decayed.session() as session:
        print(session(x, 0.5), session(x, 0.25), list(session.run_many([(x, 0.5)] * 3)))
        print(len(decayed.extractions))
        print(list(session.run_many([(x, 0.5)] * 3, processes=2)))
"""


@needs_compiler
def test_machine_code_of_earlier_processes(tmp_path: Path) -> None:
    file = tmp_path / "decaying.py"
    file.write_text(textwrap.dedent(KEPT))
    environment = {**os.environ, folders.VARIABLE: str(tmp_path / "cache")}
    for extractions in (1, 0):
        done = subprocess.run([sys.executable, file], capture_output=True, text=True, check=True, env=environment)
        values = "[np.float64(1.875), np.float64(1.875), np.float64(1.875)]"
        assert done.stdout.splitlines() == [f"1.875 1.328125 {values}", str(extractions), values]


def test_other_providers_run_without_memory_of_their_own() -> None:
    program = graph_program(scaled.python, backend="onnxruntime", providers=[("CPUExecutionProvider", {})])
    with program.session() as session:
        for _ in range(4):
            assert session(np.ones(2), 2.0).tolist() == [3, 3]


def test_float32_and_a_name_for_each_dim() -> None:
    @graph_program(backend="onnxruntime")
    def product(a: Float32[Tensor, "n m"], b: Float32[Tensor, "m"]) -> Float32[Tensor, "n"]:
        return a @ b

    with product.session() as session:
        for n, m in [(2, 3), (2, 3), (2, 3), (3, 2), (3, 2), (3, 2), (200, 300), (200, 300), (200, 300)]:
            a, b = np.random.default_rng(n).random((n, m), np.float32), np.ones(m, np.float32)
            np.testing.assert_allclose(session(a, b), a @ b, rtol=1e-5)
