"""Files are checked, loaded and compared with Python before they get their names."""

from __future__ import annotations

import copy
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnx_ir as ir
import pytest

from graph_program import CallError, ExportError, IntegerLimitError, LimitError, graph_program, load
from graph_program.exports import compared, export, verify
from graph_program.exports.for_model import extraction_for_model
from graph_program.exports.models import made_model
from graph_program.exports.options import ModelOptions
from graph_program.exports.plain import NotRunAgain, PlainCall
from tests.native.compilers import needs_compiler


def scaled(x: Any, k: float) -> Any:
    if k < 0:
        raise ValueError("negative")
    return x * k, k


@dataclass
class Filter:
    level: float
    seen: int = 0

    def step(self, x: Any) -> Any:
        self.seen += 1
        self.level = 0.5 * self.level + 0.5 * float(x.mean())
        x -= self.level
        return self.level


def other_model(monkeypatch: pytest.MonkeyPatch, change: Any) -> None:
    """Have another model written than the right one."""
    save = export.save

    def changed(model: ir.Model, *places: Any) -> Any:
        change(model)
        return save(model, *places)

    monkeypatch.setattr(export, "save", changed)


def refused(program: Any, path: Path, args: Any) -> str:
    with pytest.raises(ExportError) as error:
        program.export(path, args)
    assert error.value.code == "GP505"
    assert "verify=False" in str(error.value)
    assert not list(path.parent.iterdir())
    message: str = error.value.diagnostic.message
    return message


def first(model: ir.Model, operator: str) -> ir.Node:
    return next(node for node in model.graph.all_nodes() if node.op_type == operator)


def replaced(operator: str, other: str) -> Any:
    def change(model: ir.Model) -> None:
        first(model, operator).op_type = other

    return change


X = np.arange(4.0)


@pytest.mark.parametrize(
    "change, k, text",
    [
        (replaced("Mul", "Add"), 2.0, "another result than Python for the example arguments: result[0][0] is 2.0"),
        (replaced("Less", "Greater"), 2.0, "the model raises ValueError where Python gives a result"),
        (replaced("Less", "Greater"), -2.0, "the model gives a result where Python raises ValueError"),
        (replaced("Mul", "Exp"), 2.0, "onnx's checker refuses the model"),
        (replaced("Less", "Equal"), 1.0, ""),
    ],
)  # fmt: skip
def test_what_differs_from_python(
    change: Any, k: float, text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other_model(monkeypatch, change)
    program = graph_program(scaled)
    if text:
        assert text in refused(program, tmp_path / "m.onnx", (X, k))
    program.export(tmp_path / "m.onnx", (X, k), verify=not text)
    assert (tmp_path / "m.onnx").exists()


@pytest.mark.parametrize("k", [2.0, -2.0])
def test_models_that_tell_of_no_errors(k: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = graph_program(scaled)
    program.export(tmp_path / "m.onnx", (X, k), include_errors=False)
    (tmp_path / "m.onnx").unlink()
    other_model(monkeypatch, replaced("Mul", "Add"))
    if k > 0:
        with pytest.raises(ExportError, match="another result"):
            program.export(tmp_path / "m.onnx", (X, k), include_errors=False)


def test_without_example_arguments_nothing_is_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = graph_program(scaled)
    program(X, 2.0)
    monkeypatch.setattr(verify, "compare", None)
    program.export(tmp_path / "m.onnx")


def test_what_onnxruntime_does_not_load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def change(model: ir.Model) -> None:
        first(model, "Mul").domain = "nobody"
        model.graph.opset_imports["nobody"] = 1

    other_model(monkeypatch, change)
    assert "does not load the model" in refused(graph_program(scaled), tmp_path / "m.onnx", (X, 2.0))


def test_arrays_of_a_data_file_are_read_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    weights = np.arange(1000.0)
    program = graph_program(lambda x: x + weights)
    program.export(tmp_path / "m.onnx", (np.ones(1000),), external_data=True)
    for file in tmp_path.iterdir():
        file.unlink()
    monkeypatch.setattr(verify, "is_as_written", lambda arrays, data: False)
    with pytest.raises(ExportError, match="other bytes than were written"):
        program.export(tmp_path / "m.onnx", (np.ones(1000),), external_data=True)


def test_objects_and_arguments_are_as_they_were(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    thing, x = Filter(1.0), np.arange(3.0)
    before = copy.deepcopy((thing, x))
    program = graph_program(thing.step)
    program.export(tmp_path / "m.onnx", (x,))
    assert thing == before[0] and np.array_equal(x, before[1])
    other_model(monkeypatch, replaced("Sub", "Add"))
    (tmp_path / "m.onnx").unlink()
    assert "x[0] is" in refused(program, tmp_path / "m.onnx", (x,))
    assert thing == before[0] and np.array_equal(x, before[1])


SHARED = Filter(1.0)


def with_global_state(x: Any) -> Any:
    SHARED.seen += 1
    return x + SHARED.seen


def with_prints(x: Any) -> Any:
    print(x.shape[0])
    return x * 2


def with_an_inner_program(x: Any) -> Any:
    return inner(x) + 1


@graph_program
def inner(x: Any) -> Any:
    return x * 2


@pytest.mark.parametrize("function, operator", [(with_global_state, "Add"), (with_prints, "Mul")])
def test_calls_that_do_more_than_compute_are_not_made(
    function: Any, operator: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    program, args = graph_program(function), (np.ones(2),)
    with warnings.catch_warnings(action="ignore", category=UserWarning):
        program.export(tmp_path / "m.onnx", args)
        assert not capsys.readouterr().out and SHARED.seen == 0
        (tmp_path / "m.onnx").unlink()
        other_model(monkeypatch, replaced(operator, "Div"))
        assert "another result than NumPy" in refused(program, tmp_path / "m.onnx", args)


def test_example_arguments_that_are_one_array(tmp_path: Path) -> None:
    @graph_program
    def add_to(x: Any, y: Any) -> None:
        x += y

    with pytest.raises(CallError, match=r"GP405.*share memory"):
        add_to.export(tmp_path / "add.onnx", (one := np.ones(2), one))
    assert not list(tmp_path.iterdir())


def test_programs_inside_are_run_as_python(tmp_path: Path) -> None:
    program = graph_program(with_an_inner_program)
    program.export(tmp_path / "m.onnx", (X,))
    assert inner._calls is None or inner._calls.last is None


def test_large_arrays_that_are_only_read_are_not_copied(tmp_path: Path) -> None:
    class Layer:
        def __init__(self) -> None:
            self.w = np.ones((3, 3))
            self.count = 0

        def call(self, x: Any) -> Any:
            self.count += 1
            return x @ self.w

    layer = Layer()
    program = graph_program(layer.call)
    calls = program._ready()
    args = (np.ones(3),)
    extraction = extraction_for_model(calls, args, calls.options.dims)
    made = made_model(calls, extraction, ModelOptions(), lambda: extraction)
    call = PlainCall(calls, extraction.interface, made, {"x": args[0]})
    copies, _ = call._copied()
    assert copies["self"] is not layer and copies["self"].w is layer.w and copies["x"] is args[0]
    assert call.python().arguments["self"].count == 1 and layer.count == 0


def test_what_cannot_be_copied_is_not_run_again(tmp_path: Path) -> None:
    class Single:
        def __deepcopy__(self, memo: Any) -> Any:
            raise TypeError("there is only one")

        def twice(self, x: Any) -> Any:
            return x * 2

    program = graph_program(Single().twice)
    calls = program._ready()
    extraction = extraction_for_model(calls, (X,), calls.options.dims)
    made = made_model(calls, extraction, ModelOptions(), lambda: extraction)
    with pytest.raises(NotRunAgain):
        PlainCall(calls, extraction.interface, made, {"x": X})
    program.export(tmp_path / "m.onnx", (X,))


@pytest.mark.parametrize(
    "expected, found, text",
    [
        (1.0, 1.0 + 1e-12, ""),
        (1.0, 1.1, " is 1.1 instead of 1.0"),
        (1, 1.0, " is a float instead of a int"),
        (np.float32(1), np.float32(1.0001), ""),
        (np.array([1e6, 0.0]), np.array([1e6, 1e-3]), ""),
        (np.array([[1, 2]]), np.array([[1, 3]]), "[0, 1] is 3 instead of 2"),
        (np.array([np.nan, 1]), np.array([np.nan, np.nan]), "[1] is nan instead of 1.0"),
        (np.array([np.inf, 1]), np.array([np.inf, 1]), ""),
        (np.zeros(2), np.zeros(3), " is float64[3] instead of float64[2]"),
        (np.zeros(2), np.zeros(2, np.float32), " is float32[2] instead of float64[2]"),
        ([1, (2, 3)], [1, (2, 4)], "[1][1] is 4 instead of 3"),
        ({"a": 1}, {"b": 1}, " has 1 elements instead of 1"),
        ({"a": {"b": "c"}}, {"a": {"b": "d"}}, "['a']['b'] is 'd' instead of 'c'"),
        (Filter(1.0), Filter(1.0, 2), ".seen is 2 instead of 0"),
        ((1,), [1], " is a list instead of a tuple"),
        (1.5, np.float64(1.5), ""),
        (1.5, np.float64(2.5), " is 2.5 instead of 1.5"),
        (0, np.float32(0), ""),
        (np.nan, np.float32(np.nan), ""),
        (0.1, np.float32(0.1), " is a float32 instead of a float"),
        (1, np.bool_(True), " is a bool instead of a int"),
        (np.float64(1.5), 1.5, " is a float instead of a float64"),
        (1.5, np.array(1.5), " is a ndarray instead of a float"),
    ],
)
def test_differences_are_named(expected: Any, found: Any, text: str) -> None:
    assert compared.difference(expected, found) == text


def test_what_the_rounding_of_a_call_allows() -> None:
    narrow, wide = compared.Rounding(np.finfo(np.float32).eps), compared.Rounding(largest=50.0)
    expected, found = (0.10288998484611511, np.arange(2.0)), (0.10288997739553452, np.arange(2.0))
    assert compared.difference(expected, found) == "[0] is 0.10288997739553452 instead of 0.10288998484611511"
    assert compared.difference(expected, found, narrow) == ""
    assert compared.difference(expected, found, wide) != ""
    assert compared.difference(expected, (0.104, np.arange(2.0)), narrow) != ""
    assert compared.difference(1e-16, 3e-16) == " is 3e-16 instead of 1e-16"
    assert compared.difference(1e-16, 3e-16, wide) == ""
    assert compared.difference(1e-11, 3e-11, wide) != ""


def test_a_residual_that_is_rounding(tmp_path: Path) -> None:
    @graph_program
    def residual(a: Any, x: Any) -> Any:
        solved = np.linalg.solve(a, a @ x)
        return float(np.linalg.norm(solved - x)), float(np.sqrt(np.mean((a @ solved - a @ x) ** 2)))

    numbers = np.random.default_rng(1)
    for _ in range(5):
        residual.export(tmp_path / "m.onnx", (numbers.normal(size=(9, 9)) + 5 * np.eye(9), numbers.normal(size=9)))


@pytest.mark.parametrize("name", ["m.onnx", pytest.param("m.c", marks=needs_compiler)])
def test_floats_of_float32(name: str, tmp_path: Path) -> None:
    """What a sum in another order changes in float32 is more than float64 has for rounding."""

    @graph_program
    def scores(x: Any) -> Any:
        shares = np.exp(x) / np.exp(x).sum()
        return [float(v) for v in shares], {"best": float(shares.max()) * 2}

    numbers = np.random.default_rng(1)
    for _ in range(5):
        scores.export(tmp_path / name, (numbers.normal(size=17).astype(np.float32),))


def test_what_a_program_cannot_do_is_told_as_by_a_call(tmp_path: Path) -> None:
    @graph_program
    def levels(bits: int) -> Any:
        return 2**bits - 1

    with pytest.raises(IntegerLimitError, match="GP591") as in_export:
        levels.export(tmp_path / "m.onnx", (70,))
    with pytest.raises(IntegerLimitError) as in_a_call:
        levels(70)
    assert str(in_export.value) == str(in_a_call.value).partition("\n  note")[0]
    with pytest.raises(LimitError, match="GP592"):
        levels.export(tmp_path / "m.onnx", (-2,))


@dataclass
class Part:
    x: np.ndarray[Any, Any]
    hits: int = 0


@dataclass
class Group:
    parts: list[Part]


def parts() -> list[Part]:
    return [Part(np.array([k, 5.0 - k])) for k in (0.0, 1.0, 3.0)]


def nearest(ps: list[Part], z: float) -> Any:
    best = None
    for p in ps:
        if best is None or abs(p.x[0] - z) < abs(best.x[0] - z):
            best = p
    best.hits += 1
    best.x += 0.5
    return best


def kept(ps: list[Part], z: float) -> Any:
    ps[:] = [p for p in ps if p.x[0] > z]
    best = min(ps, key=lambda p: p.x[1])
    best.hits += 1
    best.x = best.x * 2
    return best


def in_groups(groups: list[Group], z: float) -> Any:
    best = groups[0].parts[0]
    for group in groups:
        for p in group.parts:
            if abs(p.x[0] - z) < abs(best.x[0] - z):
                best = p
    best.hits += 1
    return best


@pytest.mark.parametrize(
    "function, args", [(nearest, (parts(), 0.9)), (kept, (parts(), 0.9)), (in_groups, ([Group(parts())], 2.5))]
)
def test_objects_of_the_caller_that_are_given_back(function: Any, args: Any, tmp_path: Path) -> None:
    """The model has their columns; what they have become is what the result has."""
    program = graph_program(function)
    program.export(tmp_path / "m.onnx", args)
    changed = load(tmp_path / "m.onnx", classes=[Part, Group])(*copy.deepcopy(args))
    expected = function(*copy.deepcopy(args))
    assert changed.hits == expected.hits == 1
    assert np.array_equal(changed.x, expected.x)


def test_numbers_that_are_merged_on_paths(tmp_path: Path) -> None:
    @graph_program
    def chosen(x: Any) -> Any:
        if x[0] > 0:
            return float(x[0]), 0
        return x[1], x[0]

    for first in (1.0, -1.0):
        x = np.array([first, 2.0])
        assert type(chosen(x)[0]) is np.float64
        chosen.export(tmp_path / "m.onnx", (x,))


def test_an_opset_without_a_kernel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What onnxruntime only reads in the opset of the file is no mistake of ours: another opset is named."""
    other_model(monkeypatch, replaced("Abs", "GlobalLpPool"))
    program, file = graph_program(lambda x: np.abs(x)), tmp_path / "model.onnx"
    x = np.ones((2, 1, 1), np.float32)
    with pytest.raises(ExportError, match="has no kernel for GlobalLpPool of opset 22") as error:
        program.export(file, (x,), opset=22, dims={"x_1": 1, "x_2": 1})
    assert error.value.code == "GP615" and error.value.diagnostic.hint.startswith("export it with opset=21; ")
    program.export(file, (x,), opset=21, dims={"x_1": 1, "x_2": 1})
