"""What `export` says of the file that it has written."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest

from graph_program import Float32, Static, Tensor, graph_program, host_function
from graph_program.exports.for_model import extraction_for_model
from graph_program.exports.specialised import shown_path

WEIGHTS = np.ones((3, 2))
SCALE = 0.5
x = np.arange(3.0)


@dataclass
class Filter:
    taps: int
    gain: float


@graph_program
def newton(a: Float32[Tensor, "n 3"]) -> Float32[Tensor, "n 3"]:
    return 0.5 * (a + 1 / a)


@graph_program
def filtered(x: Any, f: Any, mode: Any, k: Static[int], after: Any = None) -> Any:
    padded = np.concatenate([x[:1]] * f.taps + [x * f.gain])
    if k < 0 or padded[0] < 0:
        raise ValueError(f"negative: {padded[0]}")
    return {"y": padded * SCALE, "z": (padded.sum() + 1j, x @ WEIGHTS)}


class Counter:
    def __init__(self, step: float):
        self.step = step
        self.count = 0.0

    @graph_program
    def add(self, x: Any) -> Any:
        self.count += self.step
        x[0] = self.count
        return [v for v in x if v > 1]


def test_a_file_that_stands_alone(tmp_path: Path) -> None:
    summary = newton.export(tmp_path / "newton.onnx")
    path = os.fspath(tmp_path / "newton.onnx")
    assert summary.files == (path,) and summary.stands_alone
    assert summary.bytes == os.path.getsize(path)
    assert summary.nodes == len(onnx.load(path).graph.node)
    assert str(summary).splitlines() == [
        f"{path}: {summary.bytes} bytes, {summary.nodes} nodes, stands alone",
        "inputs",
        "  a  float32 [n, 3]  a",
        "outputs",
        "  result  float32 [n, 3]  result",
    ]


def test_what_belongs_to_what_and_what_is_fixed(tmp_path: Path) -> None:
    summary = filtered.export(tmp_path / "m.onnx", (x, Filter(2, 0.5), "same", 3), static=("f.taps",))
    line = filtered.python.__code__.co_firstlineno + 2
    space = " " * (len(f"{__name__}.SCALE") - len("f.taps"))
    head, *lines = str(summary).splitlines()
    assert head.endswith(f"{summary.nodes} nodes, 1 captured array, stands alone")
    assert lines == [
        "inputs",
        "  x       float64 [x_0]  x",
        "  f.gain  float64        f.gain",
        "outputs",
        "  result.y         float64 [2*min(1,x_0)+x_0]  result['y']",
        "  result.z.0.real  float64                     result['z'][0].real",
        "  result.z.0.imag  float64                     result['z'][0].imag",
        "  result.z.1       float64 [2]                 result['z'][1]",
        "  error            int64                       the number of an error, or 0",
        "  error_arg.0      int64                       for its message",
        "  error_arg.1      float64                     for its message",
        "fixed",
        f"  f.taps{space}  2       {Path(__file__).name}:{line}: the repeat count of a sequence must be known when the "
        "program is extracted",
        f"  mode  {space}  'same'  static by its kind",
        f"  k     {space}  3       as annotated",
        f"  after {space}  None    static by its kind",
        f"  {__name__}.SCALE  0.5     captured",
    ]


def test_what_is_named_and_not_needed(tmp_path: Path) -> None:
    summary = filtered.export(tmp_path / "m.onnx", (x, Filter(2, 0.5), "same", 3), static=("f",))
    taps, gain, *_ = summary.fixed
    assert (taps.name, taps.value) == ("f.taps", 2) and taps.place
    assert (gain.name, gain.value, gain.place, gain.reason) == ("f.gain", 0.5, "", "as named")


def test_state_and_written_arguments(tmp_path: Path) -> None:
    summary = Counter(1.5).add.export(tmp_path / "m.onnx", (x,))
    assert [(port.name, port.python) for port in summary.inputs] == [("x", "x"), ("self.count", "self.count")]
    said = {port.name: port.python for port in summary.outputs}
    assert said["x_out"] == "x, written" and said["self.count_out"] == "self.count" and said["result"] == "result[:]"
    assert [(f.name, f.value, f.reason) for f in summary.fixed] == [("self.step", 1.5, "captured")]


def test_captured_arrays_that_are_inputs(tmp_path: Path) -> None:
    args = (x, Filter(2, 0.5), "same", 3)
    summary = filtered.export(tmp_path / "m.onnx", args, static=("f",), freeze=False)
    assert summary.constants == 0 and "WEIGHTS, captured" in str(summary)


def test_a_fixed_size(tmp_path: Path) -> None:
    @graph_program
    def parts(x: Any) -> Any:
        return dict(enumerate(x))[1]

    summary = parts.export(tmp_path / "m.onnx", (x,), dims={"x_0": 3})
    assert "  x  float64 [3]  x" in str(summary)


def test_a_list_with_an_input_for_each_element_has_a_length(tmp_path: Path) -> None:
    @graph_program
    def sums(parts: Any) -> Any:
        return [part.sum() for part in parts]

    summary = sums.export(tmp_path / "m.onnx", ([x, x[:1]],))
    assert [(f.name, f.value, f.reason) for f in summary.fixed] == [("len(parts)", 2, "an input for each element")]


@host_function
def measured(k: float) -> float:
    return k


@pytest.mark.parametrize("host", ["operators", "segments"])
def test_what_needs_python(host: str, tmp_path: Path) -> None:
    @graph_program(copies="ignore")
    def program(x: Any) -> Any:
        return x * measured(x.sum())

    summary = program.export(tmp_path / "m.onnx", (x,), host=host)
    assert summary.host == host and not summary.stands_alone and summary.nodes > 1
    assert summary.inputs[0].name == "x" and summary.outputs[0].python == "result"
    beside = "m_host.py, graph_program_runtime.py" if host == "operators" else "Python"
    assert str(summary).splitlines()[0].endswith(f"needs {beside}")


def test_a_folder_of_segments_without_host_code(tmp_path: Path) -> None:
    summary = newton.export(tmp_path / "parts", host="segments")
    assert summary.bytes == sum(file.stat().st_size for file in (tmp_path / "parts").iterdir())


def test_long_values_are_cut(tmp_path: Path) -> None:
    @graph_program
    def program(x: Any, names: Any) -> Any:
        return x if names else -x

    summary = program.export(tmp_path / "m.onnx", (x, "n" * 200))
    assert max(map(len, str(summary).splitlines()[1:])) < 120


def test_a_list_of_a_known_length(tmp_path: Path) -> None:
    """There is an input for each element, which the caller sees: the length is told, and not refused."""

    @graph_program
    def spread(ks: Any, x: Any) -> Any:
        return max(*ks) * x

    extraction = extraction_for_model(spread._ready(), ([1.0, 2.0], x), spread._options.dims)
    assert [(shown_path(f.path), f.value) for f in extraction.fixed] == [("len(ks)", 2)]
    assert [i.name for i in extraction.interface.inputs] == ["ks.0", "ks.1", "x"]


class Scaled:
    def __init__(self) -> None:
        self.weights = np.ones(3)

    @graph_program
    def apply(self, x: Any) -> Any:
        return x * self.weights


def test_an_array_of_an_object_is_fixed_where_it_is_no_input(tmp_path: Path) -> None:
    summary = Scaled().apply.export(tmp_path / "m.onnx", (x,))
    assert [(f.name, f.reason) for f in summary.fixed] == [("self.weights", "captured")]
    assert "  self.weights  float64 [3]  captured" in str(summary)
    assert not Scaled().apply.export(tmp_path / "m.onnx", (x,), freeze=False).fixed


class Watched:
    def __init__(self) -> None:
        self.last: Any = np.float64(1.0)

    @graph_program
    def watch(self, x: Any) -> Any:
        self.last = x[0] * 2 if x[0] > 0 else None
        return x, {"weights": WEIGHTS}


@pytest.mark.filterwarnings("ignore:.*gives back the state")
def test_labels_are_the_places_of_values(tmp_path: Path) -> None:
    summary = Watched().watch.export(tmp_path / "m.onnx", (x,))
    said = {port.name: port.python for port in summary.outputs}
    assert said["self.last.is_none"] == "self.last is None" and said["self.last_out"] == "self.last"
    assert said["result.0"] == "result[0]" and said["result.1.weights"] == "result[1]['weights']"


def test_constants_of_our_own_functions_are_not_listed(tmp_path: Path) -> None:
    @graph_program
    def inverse(x: Any) -> Any:
        return np.linalg.inv(x) * SCALE

    summary = inverse.export(tmp_path / "m.onnx", (np.eye(3),))
    assert [f.name for f in summary.fixed] == [f"{__name__}.SCALE"]


class Fault(Exception):
    made = 0

    def __init__(self, channel: int):
        Fault.made += 1
        super().__init__(f"channel {channel}, fault {Fault.made}")


class Known(Exception):
    def __init__(self, channel: int):
        super().__init__(f"channel {channel}")


class Plain(ValueError):
    pass


def test_exceptions_that_make_their_own_text(tmp_path: Path) -> None:
    @graph_program
    def checked(x: Any) -> Any:
        if x[0] > 2:
            raise Plain("large")
        if x[0] < -2:
            raise Fault(len(x))
        if x[0] == 0:
            raise Known(len(x))
        return x

    summary = checked.export(tmp_path / "m.onnx", (x,))
    assert summary.classes == ("Fault",)
    assert "their texts are made by their own code: load(..., classes=[Fault])" in str(summary)
    assert "exceptions" not in str(newton.export(tmp_path / "newton.onnx")).splitlines()
