"""`backend="native"`: programs that this machine's C compiler has compiled, their cache, and what is refused."""

from __future__ import annotations

import errno
import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from graph_program import Float64, GraphProgramError, Tensor, graph_program
from graph_program.backends.c import cache, direct
from graph_program.backends.c import compiler as compilers
from graph_program.backends.c import folder as folders
from graph_program.backends.c.libraries import LARGE, flags
from graph_program.extract import steps
from tests.programs.plain import differs, outcome
from tests.runtime.native_programs import Vector, filtered, needs_compiler, steps_to_one


def printed(x: Vector, limit: float) -> float:
    total = float(x.sum())
    print("the total is", total)
    if total > limit:
        raise ValueError(f"too much: {x}")
    print("enough")
    return total


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of the test's own."""
    monkeypatch.setenv(folders.VARIABLE, str(tmp_path / "cache"))
    return tmp_path / "cache"


def libraries(folder: Path) -> list[Path]:
    return sorted(folder.glob(f"*{folders.END}"))


@needs_compiler
@pytest.mark.parametrize(
    ("function", "inputs"),
    [
        (steps_to_one, ((27,), (1,), (0,))),
        (filtered, ((np.array([0.5, 1, 2, 3]), 0.5), (np.array([1.0]), 0.1), (np.zeros(0), 1.0))),
    ],
)
def test_a_call_does_what_python_does(function: Any, inputs: tuple[tuple[Any, ...], ...]) -> None:
    program = graph_program(function, backend="native")
    for args in inputs:
        expected, found = outcome(function, args), outcome(program, args)
        assert not differs(expected, found), (expected, found)


@needs_compiler
def test_what_is_printed_before_an_exception(capsys: pytest.CaptureFixture[str]) -> None:
    program = graph_program(printed, backend="native")
    for limit in (10.0, 2.0):
        args = np.array([1.0, 2.0, 3.0]), limit
        expected, shown = outcome(printed, args), capsys.readouterr()
        assert not differs(expected, outcome(program, args))
        assert capsys.readouterr() == shown


@needs_compiler
def test_a_library_is_made_once(folder: Path) -> None:
    graph_program(steps_to_one, backend="native")(3)
    (made,) = libraries(folder)
    written = made.stat().st_ino
    graph_program(steps_to_one, backend="native")(5)
    assert [path.stat().st_ino for path in libraries(folder)] == [written]


@needs_compiler
@pytest.mark.parametrize(
    "damage", [lambda data: data[: len(data) // 2], lambda data: data[:-1] + b"x", lambda data: b""]
)
def test_a_library_with_other_bytes_is_made_anew(damage: Any, folder: Path) -> None:
    graph_program(steps_to_one, backend="native")(3)
    (made,) = libraries(folder)
    good = made.read_bytes()
    made.unlink()  # the one that is loaded stays
    made.write_bytes(damage(good))
    assert graph_program(steps_to_one, backend="native")(27) == 111
    assert [path.name for path in libraries(folder)] == [made.name] and made.read_bytes() == good


@needs_compiler
@pytest.mark.skipif(not hasattr(__import__("os"), "getuid"), reason="no such permissions here")
def test_a_folder_that_others_can_write_to_is_not_used(folder: Path) -> None:
    folder.mkdir()
    folder.chmod(stat.S_IRWXU | stat.S_IWOTH | stat.S_IXOTH)
    assert graph_program(steps_to_one, backend="native")(27) == 111
    assert not libraries(folder)


@needs_compiler
def test_a_folder_that_may_not_be_written_to_is_left_alone(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder.mkdir()
    monkeypatch.setattr(os, "access", lambda path, mode: False)  # for who is root, everything may be
    assert graph_program(steps_to_one, backend="native")(27) == 111
    assert not list(folder.iterdir())


@needs_compiler
@pytest.mark.parametrize("failing", ["copyfile", "replace"])
def test_a_full_disk_leaves_nothing_behind(failing: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*given: Any) -> None:
        if failing == "copyfile":
            Path(given[1]).write_bytes(b"part")
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(cache.shutil if failing == "copyfile" else Path, failing, full)
    assert graph_program(steps_to_one, backend="native")(27) == 111
    assert not list(folder.iterdir())


@needs_compiler
def test_writers_at_once_do_no_harm(folder: Path) -> None:
    text = """
import sys
from tests.runtime.native_programs import steps_to_one
from graph_program import graph_program
sys.exit(graph_program(steps_to_one, backend="native")(27) != 111)
"""
    begun = [subprocess.Popen([sys.executable, "-c", text]) for _ in range(3)]
    assert [process.wait(timeout=120) for process in begun] == [0, 0, 0]
    assert sorted(path.suffix for path in folder.iterdir()) == [folders.RECORD, folders.END]


@needs_compiler
def test_functions_of_cs_library_may_have_the_programs_name() -> None:
    @graph_program(backend="native")
    def step(x: Vector) -> Vector:
        return x + 1

    @graph_program(backend="native")
    def exp(x: Vector) -> Vector:
        return np.exp(x)

    assert step(np.ones(2)).tolist() == [2, 2] and np.allclose(exp(np.ones(2)), np.exp(np.ones(2)))


@needs_compiler
def test_the_first_array_that_is_printed() -> None:
    """NumPy imports what writes it, for which it looks into the globals of the code that prints."""
    text = """
from tests.runtime.test_native_backend import printed
from graph_program import graph_program
import numpy as np
try:
    graph_program(printed, backend="native")(np.ones(2), 1.0)
except ValueError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
    assert done.stdout == "the total is 2.0\ntoo much: [1. 1.]\n"


def test_large_files_are_optimized_less() -> None:
    assert flags("GP_VECTORS")[:2] == ("-DGP_VECTORS", "-fopenmp-simd")
    assert flags("GP_VECTORS" * LARGE)[:2] == ("-O1", "-DGP_VECTORS")


@needs_compiler
def test_arrays_in_any_layout() -> None:
    def sums(a: Float64[Tensor, "n m"], k: int) -> Any:
        return a * k, a.sum(), a[0]

    program, whole = graph_program(sums, backend="native"), np.arange(24.0).reshape(4, 6)
    unaligned = np.frombuffer(b"x" + whole.tobytes(), np.uint8)[1:].view(np.float64).reshape(4, 6)
    read_only = whole.copy()
    read_only.flags.writeable = False
    for a in (whole, whole.T, whole[::2, ::-1], whole[:, :0], unaligned, read_only):
        assert not differs(outcome(sums, (a, 3)), outcome(program, (a, 3)))


@needs_compiler
def test_without_pythons_interface_ctypes_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(direct, "is_usable", lambda: False)
    for function, args in ((steps_to_one, (27,)), (steps_to_one, (0,)), (filtered, (np.array([0.5, 1, 2, 3]), 0.5))):
        expected = outcome(function, args)
        assert not differs(expected, outcome(graph_program(function, backend="native"), args))


@needs_compiler
def test_the_oldest_libraries_go(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    graph_program(steps_to_one, backend="native")(3)
    (first,) = libraries(folder)
    monkeypatch.setattr(folders, "LARGEST", first.stat().st_size + 10)
    graph_program(filtered, backend="native")(np.ones(3), 0.5)
    assert len(libraries(folder)) == 1 and first not in libraries(folder)


@needs_compiler
def test_the_graph_for_a_runtime_is_not_made(monkeypatch: pytest.MonkeyPatch) -> None:
    made = []
    whole = steps.finished
    monkeypatch.setattr(steps, "finished", lambda *given: made.append(given) or whole(*given))
    assert graph_program(steps_to_one, backend="native")(27) == 111 and not made
    assert graph_program(steps_to_one, backend="onnxruntime")(27) == 111 and len(made) == 1


@needs_compiler
def test_the_environment_chooses_for_all_programs(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRAPH_PROGRAM_BACKEND", "native")
    assert graph_program(steps_to_one)(27) == 111 and libraries(folder)


def test_without_a_compiler_it_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compilers, "compiler", lambda: None)
    with pytest.raises(GraphProgramError, match=r"GP603.*there is no C compiler") as refused:
        graph_program(steps_to_one, backend="native")(3)
    assert "pip install ziglang" in str(refused.value)


def test_a_compiler_that_fails_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    for command in (("no-such-compiler",), ("false",)):
        monkeypatch.setattr(compilers, "compiler", lambda command=command: command)
        with pytest.raises(GraphProgramError, match=r"GP603.*does not"):
            graph_program(steps_to_one, backend="native")(3)


def test_host_code_needs_functions_of_python_by_address(monkeypatch: pytest.MonkeyPatch) -> None:
    def asks(x: float) -> float:
        return x + float(input())

    monkeypatch.setattr("graph_program.backends.c.python_api.is_usable", lambda: False)
    with pytest.raises(GraphProgramError, match=r'GP516.*backend="native" has no host code with this Python'):
        graph_program(asks, backend="native")(1.0)


def test_another_back_end_is_refused() -> None:
    with pytest.raises(ValueError, match="backend must be 'onnxruntime', 'native' or 'auto', not 'c'"):
        graph_program(steps_to_one, backend="c")
