"""`backend="auto"`: which back end runs a signature, when calls go from one to the other, and what may fail in it."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from graph_program import Float32, Float64, ImplicitCopyWarning, Tensor, graph_program, host_function
from graph_program.backends.c import compiler as compilers
from graph_program.backends.c import cost
from graph_program.backends.c import folder as folders
from graph_program.calls import back_end
from tests.programs.plain import differs, outcome
from tests.runtime.native_programs import Vector, filtered, needs_compiler, steps_to_one

Matrix = Float64[Tensor, "n n"]


def product(a: Matrix, b: Matrix) -> Matrix:
    return np.tanh(a @ b)


@graph_program(backend="auto")
def doubled(x: Vector) -> Vector:
    return x * 2


@pytest.fixture(autouse=True)
def at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Any call is worth a compiler, and there is a cache of the test's own."""
    monkeypatch.setenv(folders.VARIABLE, str(tmp_path / "cache"))
    monkeypatch.delenv(back_end.VARIABLE, raising=False)
    monkeypatch.setattr(back_end, "SECONDS", 0)


def decided(program: Any) -> tuple[str, str]:
    """The back end of the first extraction, once it is known, and why."""
    until = time.monotonic() + 60
    while program.extractions[0].backend == "auto" and time.monotonic() < until:
        time.sleep(0.01)
    return program.extractions[0].backend, program.extractions[0].why


@needs_compiler
@pytest.mark.parametrize(
    ("function", "inputs"),
    [
        (steps_to_one, ((27,), (1,), (0,), (2**40 + 1,))),
        (filtered, ((np.array([0.5, 1, 2, 3]), 0.5), (np.array([1.0]), 0.1), (np.zeros(0), 1.0))),
    ],
)
def test_calls_before_and_behind_the_change_do_what_python_does(function: Any, inputs: Any) -> None:
    program = graph_program(function)
    for args in inputs:
        assert not differs(outcome(function, args), outcome(program, args))
    assert decided(program)[0] == "native"
    for args in inputs:
        assert not differs(outcome(function, args), outcome(program, args))
    assert str(program.extractions).splitlines()[0].endswith("first call; native")
    assert "# back end\n\nnative: " in program.explain()


@needs_compiler
def test_products_stay_in_onnxruntime() -> None:
    program, a = graph_program(product), np.random.default_rng(1).random((300, 300))
    program(a, a)
    backend, why = decided(program)
    assert backend == "onnxruntime" and "by the model of costs" in why
    assert np.allclose(program(a, a), product(a, a))


@needs_compiler
@pytest.mark.parametrize(("cache", "backend"), [(cost.CACHE, "onnxruntime"), (0, "native")])
def test_few_rows_wait_for_what_is_too_large_for_the_caches(
    cache: int, backend: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cost, "CACHE", cache)

    @graph_program
    def layer(x: Float32[Tensor, "n k"], w: Float32[Tensor, "k m"]) -> Any:
        return x @ w

    layer(np.ones((8, 300), np.float32), np.ones((300, 300), np.float32))
    assert decided(layer)[0] == backend


@needs_compiler
def test_what_takes_no_time_is_not_compiled(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(back_end, "SECONDS", 60)
    program = graph_program(steps_to_one)
    assert program(27) == 111
    assert program.extractions[0].backend == "auto" and not (tmp_path / "cache").exists()


@needs_compiler
def test_a_long_first_call_has_it_made_meanwhile(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(back_end, "SECONDS", 0.01)

    @graph_program
    def counted(n: int) -> int:
        total = 0
        while n > 0:
            total = (total * 31 + n) % 1000003
            n -= 1
        return total

    found: list[int] = []
    call = threading.Thread(target=lambda: found.append(counted(100000)))
    call.start()
    while not counted.extractions:
        time.sleep(0.01)
    assert decided(counted)[0] == "native"
    call.join()
    assert found == [counted(100000)]


def with_host_code(x: Float64[np.ndarray, "n"], n: int) -> Any:
    for k in range(n):
        x = x * 0.5 + noted(k)
    if x[0] > 100:
        raise ValueError(f"{n} rounds")
    return x


@host_function
def noted(k: int) -> float:
    NOTED.append(k)
    return float(k)


NOTED: list[int] = []


@needs_compiler
@pytest.mark.filterwarnings("ignore::graph_program.ImplicitCopyWarning")
def test_host_code_is_called_by_what_costs_less() -> None:
    program = graph_program(with_host_code)
    calls = [(np.arange(3.0), 4), (np.arange(2.0), 0), (np.full(2, 1e9), 1)]
    seen = []
    for _ in range(2):
        for args in calls:
            NOTED.clear()
            expected, wanted = outcome(with_host_code, args), list(NOTED)
            NOTED.clear()
            assert not differs(expected, outcome(program, args)) and wanted == NOTED
        backend, why = decided(program)
        assert backend == "native" and "by the model of costs" in why
        seen.append(sum(copy.times for copy in program.copies))
    assert seen[0] > 0 and seen[1] == 2 * seen[0]


@needs_compiler
@pytest.mark.filterwarnings("ignore::graph_program.ImplicitCopyWarning")
def test_host_code_that_works_beside_the_graph_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("graph_program.extract.slice.work.LITTLE", 0)

    def beside(x: Float64[np.ndarray, "n n"], n: int) -> Any:
        y = x
        for k in range(n):
            factor = noted(k)
            y = y @ y
            x = x * factor
        return x, y

    program, x = graph_program(beside), np.eye(64)
    assert not differs(beside(x, 3), program(x, 3))
    assert decided(program) == ("onnxruntime", "host and graph work at the same time")


def test_host_code_needs_functions_of_python_by_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("graph_program.backends.c.python_api.is_usable", lambda: False)

    def shown(x: float) -> float:
        for _ in range(3):
            x = x + float(len(str(os.getpid())) > 0)
        return x

    with pytest.warns(ImplicitCopyWarning):
        program = graph_program(shown)
        assert program(1.0) == 4.0
    backend, why = decided(program)
    assert backend == "onnxruntime" and "needs Python" in why


def test_without_a_compiler_it_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compilers, "compiler", lambda: None)
    program = graph_program(steps_to_one)
    assert program(27) == 111
    assert decided(program) == ("onnxruntime", "there is no C compiler")


@pytest.mark.parametrize("command", [("no-such-compiler",), ("false",)])
def test_a_compiler_that_fails_is_noted(command: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compilers, "compiler", lambda: command)
    program = graph_program(steps_to_one)
    assert program(27) == 111
    backend, why = decided(program)
    assert backend == "onnxruntime" and f"{command[0]} does not" in why
    assert program(27) == 111


@needs_compiler
@pytest.mark.skipif(os.name == "nt", reason="the compiler is a script of the shell")
def test_a_compiler_that_takes_too_long_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told = tmp_path / "process"
    (tmp_path / "slow").write_text(f"#!/bin/sh\nsleep 600 &\necho $! > {told}\nwait\n", encoding="utf-8")
    (tmp_path / "slow").chmod(0o755)
    monkeypatch.setattr(compilers, "compiler", lambda: (str(tmp_path / "slow"),))
    monkeypatch.setattr(compilers, "SECONDS", 1.5)
    program = graph_program(steps_to_one)
    assert program(27) == 111
    backend, why = decided(program)
    assert backend == "onnxruntime" and why.endswith(f"the C compiler {tmp_path / 'slow'} was ended after 1.5 s")
    assert program(27) == 111
    assert not is_alive(int(told.read_text(encoding="utf-8")))


def is_alive(process: int) -> bool:
    """Whether a process runs, where the system says that."""
    state = Path(f"/proc/{process}/stat")
    return state.exists() and state.read_text(encoding="utf-8").rpartition(")")[2].split()[0] != "Z"


def test_providers_are_onnxruntimes() -> None:
    program = graph_program(steps_to_one, providers=["CPUExecutionProvider"])
    assert program(27) == 111
    assert decided(program)[0] == "onnxruntime"


@needs_compiler
def test_the_environment_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("native", "onnxruntime"):
        monkeypatch.setenv(back_end.VARIABLE, name)
        program = graph_program(steps_to_one)
        assert program(27) == 111
        assert decided(program) == (name, f"{back_end.VARIABLE}={name}")
    monkeypatch.setenv(back_end.VARIABLE, "fast")
    with pytest.raises(ValueError, match=r"GRAPH_PROGRAM_BACKEND must be .* not 'fast'"):
        graph_program(steps_to_one)(27)
    assert graph_program(steps_to_one, backend="onnxruntime")(27) == 111


@needs_compiler
def test_threads_may_call_while_it_changes() -> None:
    program, wrong = graph_program(filtered), list[Any]()
    inputs = [(np.random.default_rng(k).random(50), 0.3) for k in range(4)]

    def call(args: tuple[Any, ...]) -> None:
        for _ in range(300):
            if differs(outcome(filtered, args), outcome(program, args)):
                wrong.append(args)

    threads = [threading.Thread(target=call, args=(args,)) for args in inputs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong and decided(program)[0] == "native"


@needs_compiler
def test_a_program_is_pickled_whatever_runs_it() -> None:
    doubled(np.ones(3))
    decided(doubled)
    copied = pickle.loads(pickle.dumps(doubled))
    assert copied(np.ones(3)).tolist() == [2, 2, 2]


def run(text: str, folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """A program in a process of its own."""
    (folder / "main.py").write_text(textwrap.dedent(text), encoding="utf-8")
    environment = {**os.environ, folders.VARIABLE: str(folder / "cache"), **variables}
    environment.pop(back_end.VARIABLE, None)
    command = [sys.executable, "main.py"]
    return subprocess.run(command, env=environment, cwd=folder, capture_output=True, text=True, timeout=120)


BEGIN = """
    import os, signal, sys, threading, time
    from graph_program import graph_program
    from graph_program.calls import back_end
    back_end.SECONDS = 0

    @graph_program
    def counted(n: int) -> int:
        total = 0
        while n > 0:
            total = (total * 31 + n) % 1000003
            n -= 1
        return total
"""


@needs_compiler
@pytest.mark.skipif(os.name == "nt", reason="the compiler is a script of the shell")
def test_the_end_of_the_process_does_not_wait_for_the_compiler(tmp_path: Path) -> None:
    (tmp_path / "slow").write_text('#!/bin/sh\necho $$ > "$(dirname "$0")/started"\nexec sleep 60\n', encoding="utf-8")
    (tmp_path / "slow").chmod(0o755)
    compiler = str(tmp_path / "slow")
    text = """
    counted(5)
    while not os.path.exists("started"):
        time.sleep(0.01)
    """
    began = time.monotonic()
    done = run(BEGIN + text, tmp_path, CC=compiler)
    assert (done.returncode, done.stderr) == (0, "") and time.monotonic() - began < 50


@needs_compiler
@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_child_process_goes_on(tmp_path: Path) -> None:
    text = """
    expected = counted(3000)
    for _ in range(3):
        child = os.fork()
        if not child:
            same = all(counted(3000) == expected for _ in range(50))
            os._exit(0 if same else 1)
        assert os.waitpid(child, 0)[1] == 0
        while counted.extractions[0].backend == "auto":
            time.sleep(0.01)
    print(counted.extractions[0].backend)
    """
    done = run(BEGIN + text, tmp_path)
    assert (done.returncode, done.stdout) == (0, "native\n"), done.stderr


SIGNALS = """
    from graph_program import graph_program

    @graph_program(backend="native")
    def endless(x: float, y: float) -> float:
        while x > 0:
            x = x + y
        return x

    @graph_program(backend="native")
    def far(n: int) -> float:
        total = 0.0
        for k in range(n):
            total = total * 0.5 + k
        return total
"""


@needs_compiler
@pytest.mark.skipif(os.name == "nt", reason="no such signals here")
def test_signals_end_native_loops(tmp_path: Path) -> None:
    text = """
    class Late(Exception):
        pass

    def late(*_):
        raise Late

    seen = []
    far(3), endless(1.0, -1.0)  # what is compiled by then is what a signal ends
    signal.signal(signal.SIGALRM, lambda *_: seen.append(1))
    signal.setitimer(signal.ITIMER_REAL, 0.05, 0.05)
    threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    try:
        endless(1.0, 0.5)
    except KeyboardInterrupt:
        print("interrupted", len(seen) > 2)
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, late)
    for call in (lambda: far(10**17), lambda: endless(1.0, 0.5)):
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        try:
            call()
        except Late:
            print("late")
    print(far(3), endless(1.0, -1.0))
    """
    done = run(BEGIN + SIGNALS + text, tmp_path)
    assert (done.returncode, done.stdout) == (0, "interrupted True\nlate\nlate\n2.5 0.0\n"), done.stderr
