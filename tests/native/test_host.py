"""Programs with host code as machine code: the same values, prints, order and exceptions as in Python."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

from graph_program import Float32, Float64, ImplicitCopyWarning, Tensor, graph_program, host_function
from graph_program.backends.c.host_steps import _array
from graph_program.backends.host import exchange
from graph_program.extract.types.dims import dim
from graph_program.extract.types.tensors.tensor_type import TensorType
from tests.native.compilers import needs_compiler
from tests.programs.host import test_host_segments
from tests.programs.host.steps import test_host_code, test_host_exceptions
from tests.programs.host.values import test_host_contents

pytestmark = [needs_compiler, pytest.mark.filterwarnings("ignore", category=ImplicitCopyWarning)]
PROGRAMS = [*test_host_segments.PROGRAMS, *test_host_code.PROGRAMS]
PROGRAMS += [(test_host_contents.in_a_list_with_another_type, (test_host_contents.X,))]
"""The last has a list whose size its type tells wrong, where a branch gives it."""


@pytest.mark.parametrize(("function", "args"), PROGRAMS, ids=lambda v: getattr(v, "__name__", ""))
def test_as_python(function: Any, args: tuple[Any, ...], capsys: pytest.CaptureFixture[str]) -> None:
    outcomes = []
    for call in (function, program := graph_program(function, backend="native")):
        test_host_code.LOG.clear()
        outcomes.append((test_host_segments.run(call, args), list(test_host_code.LOG), capsys.readouterr().out))
    assert outcomes[0] == outcomes[1]
    assert program.extractions[-1].backend == "native"


@pytest.mark.parametrize("error", [EOFError("over"), KeyboardInterrupt(), StopIteration()])
def test_what_a_step_raises_is_raised(error: BaseException) -> None:
    camera = test_host_exceptions.Camera(error)
    with pytest.raises(type(error)) as raised:
        graph_program(test_host_exceptions.endless, backend="native")(camera, np.ones(3))
    assert raised.value is error
    assert not exchange._active


@host_function
def doubled(x: np.ndarray, k: int) -> Float32[np.ndarray, "m"]:
    return np.repeat(x[: k + 1] * 2, 2).astype(np.float32)[::2]


def arrays_both_ways(x: Float64[Tensor, "n"], n: int) -> Any:
    kept = x.copy()
    total = np.zeros(2)
    for k in range(n):
        y = doubled(kept, k)
        kept[k] = y.sum()
        total = total + y[k]
        if y.sum() > 40:
            raise ValueError(f"{y} of {kept[k]}")
    return kept, total


@pytest.mark.parametrize("n", [0, 1, 3, 5, 9])
def test_arrays(n: int) -> None:
    outcomes = []
    for call in (arrays_both_ways, graph_program(arrays_both_ways, backend="native", copies="ignore")):
        x = np.arange(6.0)
        try:
            outcomes.append((repr(call(x, n)), x.tolist()))
        except (ValueError, IndexError) as error:
            outcomes.append((repr(error), x.tolist()))
    assert outcomes[0] == outcomes[1]


def test_an_array_of_another_type_is_no_answer() -> None:
    row = TensorType(np.dtype(np.float32), (dim(3),))
    assert _array([1, 2, 3], row).dtype == np.float32
    assert _array(np.arange(6.0)[::2], row).flags.c_contiguous
    for wrong in (np.zeros(4), np.zeros((3, 1)), 0.0):
        with pytest.raises(AssertionError, match="not of type"):
            _array(wrong, row)


def test_threads_and_calls_inside_calls() -> None:
    @graph_program(backend="native", copies="ignore")
    def inner(x: float) -> float:
        return x * 2 + float(host_part(x))

    @host_function
    def host_part(x: float) -> float:
        return x + 1

    @host_function
    def calls(x: float) -> float:
        return float(inner(x))

    @graph_program(backend="native", copies="ignore")
    def outer(x: float, n: int) -> float:
        for _ in range(n):
            x = calls(x) % 7
        return x

    def in_python(x: float, n: int) -> float:
        for _ in range(n):
            x = (x * 2 + x + 1) % 7
        return x

    found: dict[int, float] = {}
    threads = [threading.Thread(target=lambda k=k: found.update({k: outer(float(k), 50)})) for k in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {k: in_python(float(k), 50) for k in range(6)}
