"""Streams of calls: order, laziness, exceptions, and the same in several processes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from graph_program import Float64, GraphProgramError, Tensor, graph_program, host_function
from graph_program.sessions import processes as pools
from tests.programs.plain import differs
from tests.runtime.native_programs import needs_compiler

offset = np.array([1.0, -1.0, 0.5])


def measured(x: Float64[Tensor, "n 3"], limit: float) -> tuple[Float64[Tensor, "3"], int]:
    """Loops, raises, prints, and reads what it captures."""
    total, rows = offset.copy(), 0
    for row in x:
        total = total * 0.5 + row
        rows += 1
        if total[0] > limit:
            raise ValueError(f"row {rows - 1}: {total[0]} is more than {limit}")
    print("rows", rows)
    return total, rows


program = graph_program(measured, backend="onnxruntime")


def arguments(count: int = 9) -> list[tuple[Any, ...]]:
    made = np.random.default_rng(3)
    return [(made.random((2 + i % 3, 3)), 2.5) for i in range(count)]


def told(capsys: pytest.CaptureFixture[str], results: Any) -> tuple[list[Any], str, str]:
    """The results up to an exception, the exception, and what was printed."""
    found: list[Any] = []
    error = ""
    try:
        for result in results:
            found.append(result)
            print("got", len(found))
    except Exception as raised:
        error = repr(raised)
    return found, error, capsys.readouterr().out


def loop(function: Any, stream: Any) -> Iterator[Any]:
    for args in stream:
        yield function(*args)


@pytest.mark.parametrize("backend", ["onnxruntime", "auto", pytest.param("native", marks=needs_compiler)])
@pytest.mark.parametrize("processes", [1, 2])
def test_a_stream_is_a_loop(processes: int, backend: str, capsys: pytest.CaptureFixture[str]) -> None:
    session = graph_program(measured, backend=backend).session()
    good, calls = arguments(), arguments()
    calls[4] = (np.full((5, 3), 2.0), 2.5)
    for stream in (good, calls, [*good[:2], (np.zeros((1, 2)), 1.0)], [*good[:1], (good[0][0],)], []):
        expected = told(capsys, loop(measured, stream))
        found = told(capsys, session.run_many(iter(stream), processes=processes))
        assert not differs(found[0], expected[0]) and found[2] == expected[2]
        if stream is not calls:  # where sizes do not fit, the program has words of its own
            assert bool(found[1]) == bool(expected[1])
        else:
            assert found[1] == expected[1]


def test_arguments_by_name_and_single_ones() -> None:
    with program.session() as session:
        x = arguments()[0][0]
        by_name = list(session.run_many([{"x": x, "limit": 9.0}, {"limit": 9.0, "x": x}]))
        assert not differs(by_name, [measured(x, 9.0)] * 2)
    with graph_program(lambda x: x + 1).session() as single:
        assert list(single.run_many([1, 2, [3.0]][:2])) == [2, 3]
        assert list(single.run_many(range(4), processes=2)) == [1, 2, 3, 4]


def test_one_process_asks_for_arguments_when_their_turn_comes() -> None:
    asked: list[int] = []

    def stream() -> Iterator[Any]:
        for i in range(5):
            asked.append(i)
            yield i

    results = graph_program(lambda n: n * 2).session().run_many(stream())
    assert asked == [] and next(results) == 0 and asked == [0]


def test_an_exception_of_the_stream_comes_in_its_turn() -> None:
    def stream() -> Iterator[Any]:
        yield from arguments(3)
        raise KeyError("no more")

    found = []
    with pytest.raises(KeyError, match="no more"):
        for result in program.session().run_many(stream(), processes=2):
            found.append(result)
    assert len(found) == 3


def test_arguments_and_captured_arrays_may_change_once_they_are_given() -> None:
    x = np.zeros((2, 3))

    def stream() -> Iterator[Any]:
        for i in range(8):
            x[:], offset[0] = i, -i
            yield x, 1e9

    try:
        expected = [measured(*args) for args in stream()]
        assert not differs(list(program.session().run_many(stream(), processes=2)), expected)
    finally:
        offset[0] = 1.0


class Counter:
    def __init__(self) -> None:
        self.calls, self.total = 0, np.zeros(2)

    @graph_program
    def add(self, x):
        self.calls += 1
        self.total = self.total + x
        return self.calls

    @graph_program
    def scaled(self, x):
        return x * self.total


def test_a_result_does_not_wait_for_a_later_call_that_takes_long() -> None:
    def turned(n: int) -> int:
        total = 0
        for k in range(n):
            total = (total * 3 + k) % 1000003
        return total

    with graph_program(turned, backend="onnxruntime").session() as session:
        results = session.run_many([5, 6, 7, 2**40], processes=1)
        assert [next(results) for _ in range(3)] == [turned(n) for n in (5, 6, 7)]
        results.close()


@pytest.mark.parametrize("processes", [1, 2])
def test_a_stream_ends_with_its_session(processes: int) -> None:
    before, session = children(), program.session()
    results = session.run_many(arguments(), processes=processes)
    next(results)
    session.close()
    with pytest.raises(GraphProgramError, match="closed") as ended:
        next(results)
    assert ended.value.code == "GP560"
    if processes > 1:
        waited(lambda: children() <= before)


@host_function
def sensor(k: int) -> float:
    return 2.0 * k


def fill(x: Float64[Tensor, "n"]) -> None:
    x[:] = 1


def asking(x: Float64[Tensor, "n"]) -> Any:
    return x * sensor(3)


@pytest.mark.parametrize(
    ("function", "code", "text"),
    [
        (fill, "GP561", "a call of `fill` writes to `x`, which the next one may read"),
        (asking, "GP562", "`asking` needs Python in the middle of a call"),
        (Counter().add, "GP561", "a call of `add` writes to `self.calls`"),
    ],
)
def test_what_needs_this_process_is_refused_in_others(function: Any, code: str, text: str) -> None:
    session = graph_program(function, copies="ignore").session()
    with pytest.raises(GraphProgramError) as refused:
        list(session.run_many([np.zeros(2)] * 3, processes=2))
    assert refused.value.code == code and text in refused.value.diagnostic.message
    assert "leave out `processes`" in str(refused.value)
    assert len(list(session.run_many([np.zeros(2)] * 3))) == 3


def test_state_is_carried_along_a_stream_and_methods_without_go_to_processes() -> None:
    counter = Counter()
    assert list(counter.add.session().run_many([np.ones(2)] * 4)) == [1, 2, 3, 4]
    found = list(counter.scaled.session().run_many([np.ones(2)] * 4, processes=2))
    assert [row.tolist() for row in found] == [[4, 4]] * 4


@pytest.mark.parametrize("processes", [0, -1, 1.5, True, None])
def test_processes_is_a_number(processes: Any) -> None:
    with pytest.raises((TypeError, ValueError), match="processes must be"):
        program.session().run_many([], processes=processes)


def children() -> set[int]:
    """Other tests may have left some, such as the tracker of resources of `multiprocessing`."""
    found = Path(f"/proc/self/task/{os.getpid()}/children")
    return set(map(int, found.read_text().split())) if found.exists() else set()


def test_no_process_is_left() -> None:
    before = children()
    results = program.session().run_many(arguments(200), processes=2)
    next(results)
    results.close()  # type: ignore[attr-defined]
    assert children() <= before
    with pytest.raises(ValueError, match="row 0"):
        list(program.session().run_many([(np.full((1, 3), 1e9), 1.0)] * 3, processes=2))
    assert children() <= before


@pytest.mark.skipif(os.name == "nt", reason="processes are ended by another signal there")
def test_a_process_that_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[pools.Processes] = []

    def pool(count: int) -> pools.Processes:
        made.append(pools.Processes(count))
        return made[0]

    monkeypatch.setattr("graph_program.sessions.streams.Processes", pool)
    results = program.session().run_many(arguments(2000), processes=2)
    next(results)
    for worker in made[0]._workers:
        worker._process.kill()
    with pytest.raises(GraphProgramError, match="has ended with SIGKILL") as ended:
        list(results)
    assert ended.value.code == "GP563"


SLOW = """
    import numpy as np
    from graph_program import graph_program

    @graph_program(backend="onnxruntime")
    def endless(x):
        while x.min() < 1e9:
            x = np.sin(x)
        return x

    print("ready", flush=True)
    for _ in endless.session().run_many([np.ones(3)] * 4, processes=2):
        pass
"""


@pytest.mark.skipif(not Path("/proc").exists() or os.name == "nt", reason="looks for processes as Linux has them")
@pytest.mark.parametrize("how", ["SIGINT", "SIGKILL"])
def test_ctrl_c_ends_a_stream_and_its_processes(how: str, tmp_path: Path) -> None:
    file = tmp_path / "slow.py"
    file.write_text(textwrap.dedent(SLOW))
    process = subprocess.Popen(
        [sys.executable, str(file)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    assert process.stdout is not None and process.stdout.readline() == "ready\n"
    found = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    workers = waited(lambda: found.read_text().split() if len(found.read_text().split()) == 2 else [])
    time.sleep(0.5)
    process.send_signal(getattr(signal, how))
    said = process.communicate(timeout=60)[1]
    assert how == "SIGKILL" or said.rstrip().endswith("KeyboardInterrupt")
    waited(lambda: not any(Path(f"/proc/{pid}/cmdline").exists() and is_alive(pid) for pid in workers))


def is_alive(pid: str) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def waited(look: Any) -> Any:
    until = time.monotonic() + 60
    while not (found := look()):
        assert time.monotonic() < until
        time.sleep(0.05)
    return found
