"""Programs exported as C: the files, what the summary says of them, and what is refused."""

from __future__ import annotations

import ctypes
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from graph_program import Float64, GraphProgramError, Shaped, Tensor, graph_program
from graph_program.backends.c.compiler import STANDARD, STRICT, compiled, compiler
from graph_program.cli import main
from tests.runtime.native_programs import Vector, needs_compiler


@dataclass
class Gains:
    proportional: float
    integral: float


@graph_program
def controlled(gains: Gains, target: float, seen: Vector, dt: float) -> Any:
    total = 0.0
    out = np.zeros(len(seen))
    for i in range(len(seen)):
        error = target - seen[i]
        total = min(max(total + error * dt, -10.0), 10.0)
        out[i] = gains.proportional * error + gains.integral * total
    return out, total


@graph_program
def smoothed(x: Vector, width: int) -> Vector:
    if width < 1:
        raise ValueError(f"a width of {width} is too small")
    sums = np.cumsum(np.concatenate([np.zeros(1), x]))
    return (sums[width:] - sums[:-width]) / width


@graph_program
def above(x: Vector, limit: float) -> Any:
    found = []
    for i in range(len(x)):
        if x[i] > limit:
            found.append(i)
    return np.array(found, dtype=np.int64)


PRINTED = """
#include <stdio.h>
#include "controlled.h"

int main(void) {
    const double seen[3] = {0.0, 0.5, 1.0};
    double out[3], total;
    if (controlled(2.0, 0.5, 1.0, 3, seen, 0.1, out, &total)) return 1;
    printf("%g %g %g %g\\n", out[0], out[1], out[2], total);
    return 0;
}
"""


@needs_compiler
def test_the_files_are_a_library_of_their_own(tmp_path: Path) -> None:
    summary = controlled.export(tmp_path / "controlled.c")
    assert [Path(file).name for file in summary.files] == ["controlled.c", "controlled.h"]
    (tmp_path / "main.c").write_text(PRINTED)
    command = [*(compiler() or ()), *STANDARD, *STRICT, "main.c", "controlled.c", "-o", "main", "-lm"]
    subprocess.run(command, cwd=tmp_path, check=True)
    done = subprocess.run([tmp_path / "main"], capture_output=True, text=True, check=True)
    out, total = controlled.python(Gains(2.0, 0.5), 1.0, np.array([0.0, 0.5, 1.0]), 0.1)
    assert done.stdout == f"{out[0]:g} {out[1]:g} {out[2]:g} {total:g}\n"


@needs_compiler
def test_what_the_summary_says(tmp_path: Path) -> None:
    text = str(controlled.export(tmp_path / "controlled.c", (Gains(2.0, 0.5), 1.0, np.ones(4), 0.1)))
    assert "int controlled(double gains_proportional, double gains_integral, double target, int64_t n" in text
    assert "no malloc" in text and "stands alone" in text and "node" not in text
    assert "compiled without warnings, and gives what Python gives for the example arguments" in text
    assert "memory from malloc" in str(above.export(tmp_path / "above.c"))


def test_the_summary_has_all_results(tmp_path: Path) -> None:
    """Those that are known before the call, too."""

    @graph_program
    def known(s: int) -> Any:
        return s + 1, np.int32(0), 5, np.arange(3), 2.5

    summary = known.export(tmp_path / "known.c", (1,), verify=False)
    assert [port.python for port in summary.outputs] == [f"result[{k}]" for k in range(5)]
    assert [port.type for port in summary.outputs] == ["int", "np.int32", "int", "int64 [3]", "float"]
    assert summary.function.count(" *result_") == 5
    narrow = known.export(tmp_path / "known.c", (1,), verify=False, float="float32")
    assert narrow.outputs[4].type == "np.float32" and "float *result_4" in narrow.function


@needs_compiler
def test_errors_are_numbers_with_what_their_messages_say(tmp_path: Path) -> None:
    smoothed.export(tmp_path / "smoothed.c")
    header = (tmp_path / "smoothed.h").read_text()
    assert "1: ValueError: a width of {value_0} is too small" in header
    library = ctypes.CDLL(str(compiled(tmp_path / "smoothed.c")))

    class Error(ctypes.Structure):
        _fields_ = [("number", ctypes.c_int), ("value_0", ctypes.c_int64), ("value_1", ctypes.c_int64)]

    x, out, size, error = (ctypes.c_double * 4)(1, 2, 3, 4), ctypes.c_void_p(), ctypes.c_int64(), Error()
    arguments = ctypes.c_int64(4), x, ctypes.c_int64(-2), ctypes.byref(out), ctypes.byref(size), ctypes.byref(error)
    assert library.smoothed(*arguments) == error.number == 1 and error.value_0 == -2


@needs_compiler
def test_sizes_that_are_known_need_no_heap(tmp_path: Path) -> None:
    @graph_program(dims={"n": 400})
    def ordered(x: Vector) -> Any:
        y = np.sort(np.cumsum(x))
        return y[:3], y.mean()

    summary = ordered.export(tmp_path / "ordered.c", (np.arange(400.0)[::-1].copy(),))
    text, header = ((tmp_path / f"ordered.{end}").read_text() for end in "ch")
    assert (
        "malloc" not in text and "ordered_workspace *workspace" in header and "that the caller gives" in summary.memory
    )


@needs_compiler
def test_captured_arrays_are_constants(tmp_path: Path) -> None:
    weights = np.array([0.25, 0.5, 0.25])

    @graph_program
    def weighted(x: Float64[Tensor, "3"]) -> Any:
        return float(np.sum(x * weights))

    weighted.export(tmp_path / "weighted.c", (np.ones(3),))
    assert "[3] = {0.25, 0.5, 0.25};" in (tmp_path / "weighted.c").read_text()


STEPPED = """
#include <stdio.h>
#include "mean.h"

int main(void) {
    mean_step_state one, other;
    double result = 0;
    mean_step_init(&one);
    mean_step_init(&other);
    for (int i = 0; i < 3; i++) {
        printf("%d ", mean_step(&one, i, &result));
        printf("%g %g ", result, one.window[one.now][1]);
    }
    const int failed = mean_step(&one, -1.0, &result);
    printf("%s; %g ", mean_step_message(failed), one.window[one.now][1]);
    mean_step(&one, 9, &result);
    printf("%g ", result);
    mean_step(&other, 5, &result);
    printf("%g\\n", result);
    return 0;
}
"""


class Mean:
    def __init__(self) -> None:
        self.total, self.count, self.window = 1.0, 0, np.array([1.0, 2.0])

    @graph_program
    def step(self, x: float) -> float:
        self.window[0] = self.window[1]
        self.window[1] = x
        self.total += x
        if x < 0:
            raise ValueError(f"{x} is negative")
        self.count += 1
        return self.total / self.count


@needs_compiler
def test_state_is_in_a_structure(tmp_path: Path) -> None:
    """Of which there may be several; a call that ends with an error leaves it as it is."""
    summary = Mean().step.export(tmp_path / "mean.c", (1.0,))
    assert summary.function == (
        "int mean_step(mean_step_state *state, double x, double *result, mean_step_error *error);"
    )
    assert [port.name for port in summary.inputs] == ["x"] and "of state" in summary.memory
    told = printed(tmp_path, STEPPED.replace("&result)", "&result, NULL)"), "mean")
    text = "ValueError: {value_1} is negative"
    assert re.sub(r" \(line \d+\)", "", told) == f"0 1 0 0 1 1 0 1.33333 2 {text}; 2 3.25 6\n"


@needs_compiler
def test_state_that_grows_goes_in_and_out(tmp_path: Path) -> None:
    class Log:
        def __init__(self) -> None:
            self.seen: list[float] = [1.0]

        @graph_program
        def step(self, x: float) -> int:
            self.seen.append(x)
            return len(self.seen)

    summary = Log().step.export(tmp_path / "log.c", (1.0,))
    assert "const double *self_seen" in summary.function and "double *self_seen_1" in summary.function


@needs_compiler
def test_state_that_is_set_in_a_branch(tmp_path: Path) -> None:
    class Latch:
        def __init__(self) -> None:
            self.value, self.table = 3.0, np.zeros(2)

        @graph_program
        def step(self, x: float) -> float:
            if x > 0:
                self.value = x
                self.table[:] = x + self.value
            return self.value + self.table[0]

    Latch().step.export(tmp_path / "latch.c", (1.0,), example=True)
    main = (tmp_path / "latch_main.c").read_text().replace("&state, 1.0", "&state, 1.0 - k")
    values = [line.split()[1] for line in printed(tmp_path, main, "latch").splitlines()]
    one = Latch()
    assert list(map(float, values)) == [one.step.python(1.0 - k) for k in range(3)]


def printed(folder: Path, main: str, stem: str) -> str:
    """What a `main` prints, linked with an exported file."""
    (folder / "main.c").write_text(main)
    command = [*(compiler() or ()), *STANDARD, *STRICT, "main.c", f"{stem}.c", "-o", "main", "-lm"]
    subprocess.run(command, cwd=folder, check=True)
    return subprocess.run([folder / "main"], capture_output=True, text=True, check=True).stdout


@needs_compiler
def test_an_example_prints_the_results(tmp_path: Path) -> None:
    x = np.array([1.0, 5.0, 2.0, 7.0])
    summary = above.export(tmp_path / "above.c", (x, 1.5), example=True)
    assert [Path(file).name for file in summary.files] == ["above.c", "above.h", "above_main.c"]
    assert printed(tmp_path, (tmp_path / "above_main.c").read_text(), "above") == "found 1 2 3\n"


@needs_compiler
def test_an_example_with_what_is_no_number_and_without_elements(tmp_path: Path) -> None:
    smoothed.export(tmp_path / "smoothed.c", (np.array([1.0, np.nan, np.inf]), 1), example=True)
    assert printed(tmp_path, (tmp_path / "smoothed_main.c").read_text(), "smoothed") == "result 1 nan nan\n"
    controlled.export(tmp_path / "controlled.c", (Gains(1.0, 1.0), np.inf, np.zeros(0), 0.5), example=True)
    assert printed(tmp_path, (tmp_path / "controlled_main.c").read_text(), "controlled") == "result_0\nresult_1 0\n"


@needs_compiler
@pytest.mark.parametrize("name", ["float16", "bfloat16"])
def test_an_example_prints_numbers_of_16_bits(name: str, tmp_path: Path) -> None:
    @graph_program
    def halves(x: Shaped[f"{name} [n]"]) -> Any:
        return x * x, x[x > 1], x[0]

    x = np.array([1.5, 2.0, -0.5, np.inf]).astype(ml_dtypes.bfloat16 if name == "bfloat16" else np.float16)
    halves.export(tmp_path / "halves.c", (x,), example=True)
    text = printed(tmp_path, (tmp_path / "halves_main.c").read_text(), "halves")
    assert text == "result_0 2.25 4 0.25 inf\nresult_1 1.5 2 inf\nresult_2 1.5\n"
    halves.export(tmp_path / "halves", (x,), layout="arduino")
    sketch = (tmp_path / "halves" / "examples" / "halves" / "halves.ino").read_text()
    assert "Serial.print(read_" in sketch and "static inline float read_" in sketch


@needs_compiler
def test_a_program_that_prints_is_compared_with_numpy(tmp_path: Path) -> None:
    @graph_program
    def checked(x: Vector, limit: float) -> Any:
        if limit < 0:
            raise ValueError("a negative limit")
        print("at most", x.max())
        return x.max() > limit

    with pytest.warns(UserWarning, match=r"print\(...\) runs on the host"):
        summary = checked.export(tmp_path / "checked.c", (np.ones(3), 1.5))
    assert "gives what Python gives" in summary.tried


def test_an_example_needs_arguments(tmp_path: Path) -> None:
    with pytest.raises(GraphProgramError, match=r"GP515.*needs example arguments"):
        above.export(tmp_path / "above.c", example=True)
    assert not list(tmp_path.iterdir())


def test_the_source_without_a_file() -> None:
    assert "int above(int64_t n, const double *x, double limit, int64_t **found, int64_t *found_n)" in above.c_source()


@pytest.mark.parametrize(
    "option", [{"opset": 17}, {"portable": True}, {"host": "operators"}, {"include_errors": False}]
)
def test_options_of_onnx_files_are_refused(option: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(GraphProgramError, match=f"GP515.*{next(iter(option))}=.* is for ONNX files, not for C"):
        above.export(tmp_path / "above.c", **option)
    assert not list(tmp_path.iterdir())


def test_host_code_is_refused(tmp_path: Path) -> None:
    @graph_program
    def asks(x: float) -> float:
        return x + float(input())

    with pytest.raises(GraphProgramError, match="GP512"):
        asks.export(tmp_path / "asks.c")


@needs_compiler
def test_without_checks(tmp_path: Path) -> None:
    @graph_program
    def picked(x: Vector, i: int) -> float:
        return float(x[i])

    summary = picked.export(tmp_path / "picked.c", checks="none")
    assert "left out; what C does where one fails is undefined" in str(summary)
    assert "undefined" not in str(picked.export(tmp_path / "picked.onnx", checks="none"))
    assert [line.exceptions for line in summary.unchecked] == [("IndexError",)]
    assert "status" not in (tmp_path / "picked.c").read_text()


@needs_compiler
def test_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program = tmp_path / "halves.py"
    program.write_text(
        "from graph_program import graph_program\n\n@graph_program\ndef half(x: float):\n    return x / 2\n"
    )
    assert main(["export", f"{program}:half", "-o", str(tmp_path / "half.c")]) == 0
    assert "int half(double x, double *result);" in capsys.readouterr().out
    assert "*result = x / 2.0;" in (tmp_path / "half.c").read_text()


def test_the_target_of_a_name_without_an_end(tmp_path: Path) -> None:
    above.export(tmp_path / "above", target="c", verify=False)
    above.export(tmp_path / "above", (np.ones(3), 0.5), target="onnx")
    assert {path.name for path in tmp_path.iterdir()} == {"above.c", "above.h", "above.onnx"}
    above.export(tmp_path / "other.c", target="c", verify=False)
    for target, name, said in (
        ("c", "above.onnx", r"above\.onnx' is no file for `target='c'`"),
        ("onnx", "above.c", r"above\.c' is no file for `target='onnx'`"),
        ("onx", "above", "target must be 'onnx', 'c', .* not 'onx'"),
    ):
        with pytest.raises(GraphProgramError, match=f"GP515.*{said}"):
            above.export(tmp_path / name, target=target)


def test_without_a_compiler_nothing_is_tried(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from graph_program.exports import c_files

    monkeypatch.setattr(c_files, "compiler", lambda: None)
    assert "not compiled: there is no C compiler here" in str(above.export(tmp_path / "above.c"))


@pytest.mark.parametrize("size", [2**33, 2**62])
def test_sizes_that_c_cannot_count(size: int, tmp_path: Path) -> None:
    @graph_program
    def least(x: Vector) -> float:
        return float(np.sort(np.outer(x, x))[0, 0])

    with pytest.raises(GraphProgramError, match=r"GP519.*needs [\d,]+ bytes for these sizes"):
        least.export(tmp_path / "least.c", dims={"n": size})
    assert not list(tmp_path.iterdir())


def test_host_code_is_refused_with_its_lines(tmp_path: Path) -> None:
    @graph_program
    def asks(x: float) -> float:
        y = x + float(input())
        return y + float(input())

    with pytest.raises(GraphProgramError, match=r"GP512.*a C file of `asks` needs Python") as raised:
        asks.export(tmp_path / "asks.c")
    text = str(raised.value)
    assert "y = x + float(input())" in text and "return y + float(input())" in text and "host=" not in text


def test_a_string_that_is_made_on_the_host_is_called_one(tmp_path: Path) -> None:
    @graph_program
    def keys(rows: Any) -> str:
        found = ""
        for row in rows:
            found += ["123A", "456B"][row][0]
        return found

    with pytest.raises(GraphProgramError, match=r"GP512.*a C file of `keys` needs Python beside it, for a string"):
        keys.export(tmp_path / "keys.c", (np.array([0, 1]),))
