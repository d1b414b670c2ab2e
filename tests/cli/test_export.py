"""`graph-program export`: types, values and objects that are typed, and every option that a message advises."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest

from graph_program.cli import main
from graph_program.command_line.advice import as_typed

SOURCE = """
import numpy as np
from dataclasses import dataclass
from graph_program import Float32, Tensor, graph_program

@graph_program
def scaled(x, k):
    return x * k

@graph_program
def repeated(x, k):
    return x.reshape((1,) * k + x.shape)

@graph_program
def halves(x: Float32[Tensor, "n"], by=2):
    return x / by

@dataclass
class Settings:
    gain: float = 1.0
    taps: int = 1

@graph_program
def gained(x, settings):
    return x * settings.gain * len([0] * settings.taps)

class Tracker:
    def __init__(self, rate: float):
        self.rate = rate
        self.place = np.zeros(2)

    @graph_program
    def step(self, seen):
        self.place = self.place + self.rate * (seen - self.place)
        return self.place

    def plain(self):
        return 1

@graph_program
def hosted(x):
    return x.sum() + float(input())
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "prog.py").write_text(SOURCE)
    np.save(tmp_path / "x.npy", np.ones((2, 3), np.float32))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def exported(*arguments: str) -> onnx.ModelProto:
    assert main(["export", *arguments, "-o", "out.onnx"]) == 0
    return onnx.load("out.onnx")


def inputs(model: onnx.ModelProto) -> dict[str, tuple[str, tuple[int | str, ...]]]:
    """Element types and shapes of the inputs."""
    found = {}
    for value in model.graph.input:
        type_ = value.type.tensor_type
        shape = tuple(d.dim_param or d.dim_value for d in type_.shape.dim)
        found[value.name] = onnx.helper.tensor_dtype_to_np_dtype(type_.elem_type).name, shape
    return found


@pytest.mark.parametrize(
    "given, wanted",
    [
        (["x=float32[n, 3]", "k=3"], {"x": ("float32", ("n", 3)), "k": ("int64", ())}),
        (["x=float32[n, 2 * n]", "k=int"], {"x": ("float32", ("n", "2*n")), "k": ("int64", ())}),
        (["x=float64[n]", "k=float64[n]"], {"x": ("float64", ("n",)), "k": ("float64", ("n",))}),
        (["x=x.npy", "k=2.5"], {"x": ("float32", ("x_0", "x_1")), "k": ("float64", ())}),
        (["x=np.ones(3) + 1", "k=True"], {"x": ("float64", ("x_0",)), "k": ("bool", ())}),
        (["x=float32", "k=float"], {"x": ("float32", ()), "k": ("float64", ())}),
    ],
)
def test_types_and_values(folder: Path, given: list[str], wanted: dict[str, object]) -> None:
    arguments = [part for text in given for part in ("--arg", text)]
    assert inputs(exported("prog.py:scaled", *arguments)) == wanted


def test_a_value_for_one_of_the_parameters(folder: Path) -> None:
    assert inputs(exported("prog.py:halves", "--arg", "by=3.0"))["by"] == ("float64", ())
    assert inputs(exported("prog.py:halves", "--arg", "x=float32[m]"))["x"] == ("float32", ("m",))


def test_values_of_classes_of_the_module(folder: Path) -> None:
    for x in ("x=x.npy", "x=float32[n]"):
        given = ["--arg", x, "--arg", "settings=Settings(2.0, 4)"]
        model = exported("prog.py:gained", *given, "--static", "settings.taps")
        assert set(inputs(model)) == {"x", "settings.gain"}


def test_the_method_of_an_object(folder: Path) -> None:
    model = exported("prog.py:Tracker.step", "--object", "Tracker(0.3)", "--arg", "seen=float64[2]")
    assert inputs(model)["seen"] == ("float64", (2,))


def test_what_is_asked_to_be_fixed_is(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = ["--arg", "x=x.npy", "--arg", "k=3"]
    assert main(["export", "prog.py:repeated", *given, "-o", "out.onnx"]) == 1
    assert "write `--static k`" in capsys.readouterr().err
    assert set(inputs(exported("prog.py:repeated", *given, "--static", "k"))) == {"x"}
    types = ["--arg", "x=float32[n]", "--arg", "k=3"]
    assert main(["export", "prog.py:repeated", *types, "-o", "out.onnx"]) == 1
    assert "`--static NAME`" in capsys.readouterr().err
    assert inputs(exported("prog.py:repeated", *types, "--static", "k")) == {"x": ("float32", ("n",))}


def test_versions_and_other_options(folder: Path) -> None:
    options = ["--opset", "19", "--no-errors", "--no-verify", "--no-local-functions", "--external-data", "off"]
    model = exported("prog.py:halves", *options)
    assert [(entry.domain, entry.version) for entry in model.opset_import if not entry.domain] == [("", 19)]
    assert "error" not in [output.name for output in model.graph.output]
    assert exported("prog.py:halves", "--ir-version", "9", "--opset", "19").ir_version == 9


def test_host_code_is_asked_for(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["export", "prog.py:hosted", "--arg", "x=float64[n]", "-o", "out.onnx"]) == 1
    assert "`--host operators`" in capsys.readouterr().err
    assert main(["export", "prog.py:hosted", "--arg", "x=float64[n]", "-o", "out", "--host", "segments"]) == 0
    assert (folder / "out").is_dir()


@pytest.mark.parametrize(
    "arguments, code, words",
    [
        (["scaled", "--arg", "x"], 2, "expected NAME=TYPE or NAME=VALUE"),
        (["scaled", "--arg", "y=1"], 2, "scaled has no parameter 'y'; its parameters: x, k"),
        (["scaled", "--arg", "x=float32[n"], 2, "is not an expression of Python"),
        (["scaled", "--arg", "x=unknown"], 2, "NameError: name 'unknown' is not defined"),
        (["scaled", "--arg", "x=none.npy"], 2, "cannot read none.npy"),
        (["scaled", "--arg", "x=exit()"], 2, "raised SystemExit"),
        (["scaled"], 1, "`--arg NAME=TYPE`"),
        (["halves", "--arg", "x=float64[n]"], 2, "it is annotated as float32 [n], not float64 [n]"),
        (["halves", "--arg", "x=float32[n, 2]"], 2, "it is annotated as float32 [n], not float32 [n, 2]"),
        (["halves", "--static", "z"], 1, "GP511"),
        (["halves", "--opset", "3"], 2, "opset must be between"),
        (["halves", "--opset", "new"], 2, "invalid int value"),
        (["halves", "--host", "none"], 2, "invalid choice"),
        (["Tracker.step", "--object", "Tracker()"], 2, "--object: Tracker() raised TypeError"),
        (["Tracker.step", "--object", "Tracker("], 2, "is not an expression of Python"),
        (["Tracker.stop", "--object", "Tracker(1.0)"], 2, "there is no stop in Tracker object Tracker(1.0)"),
        (["Tracker.plain", "--object", "Tracker(1.0)"], 2, "is not a program"),
    ],
)
def test_mistakes(
    arguments: list[str], code: int, words: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["export", f"prog.py:{arguments[0]}", *arguments[1:], "-o", "out.onnx"]) == code
    err = capsys.readouterr().err
    assert words in err
    assert "Traceback" not in err
    assert not (folder / "out.onnx").exists()


@pytest.mark.parametrize(
    "said, typed",
    [
        ('write `static=("n",)`', "write `--static n`"),
        ('write `static=("n", "c.taps")`', "write `--static n --static c.taps`"),
        ('write `dims={"n": 128, "batch": (1, 8), "m": (2, None)}`', "write `--dim n=128 --dim batch=1:8 --dim m=2:`"),
        ('`host="segments"`', "`--host segments`"),
        ("`verify=False`", "`--no-verify`"),
        ('`checks="none"`', "`--checks none`"),
        ("`portable=True`", "`--portable`"),
        ("`include_errors=False` and `freeze=False`", "`--no-errors` and `--no-freeze`"),
        ('`opset=17` or `external_data="w.data"`', "`--opset 17` or `--external-data w.data`"),
        ("`external_data=True`", "`--external-data on`"),
        ("`args=(...)`", "`--arg NAME=TYPE` or `--arg NAME=VALUE`"),
        ("`target='page'`, `target='c'`", "`--page`, `--target c`"),
        ("`page=Page(...)`", "`--show NAME=VIEW` or `--onnxruntime-web FOLDER`"),
        ("`quantize=Quantization(...)`", "`quantize=Quantization(...)`"),
        ("`dims={...}`", "`dims={...}`"),
        ("error[GP548]: `only`, `smallest=48`", "error[GP548]: `--quantize-only`, `--quantize-smallest 48`"),
        ("error[GP515]: no `calibration`, no `per_channel`", "error[GP515]: no `--calibrate`, no `--per-array`"),
        ("as `calibration=[(x,), (y,)]`", "as `--calibrate EXPRESSION`"),
        ("error[GP200]: `only` is not known", "error[GP200]: `only` is not known"),
        ('  7 |     f(x, static=("n",))', '  7 |     f(x, static=("n",))'),
    ],
)
def test_advice_is_what_can_be_typed(said: str, typed: str) -> None:
    assert as_typed(said) == typed


def test_c_by_target_and_the_programs_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "program.py").write_text(SOURCE)
    monkeypatch.chdir(tmp_path)
    assert main(["export", "program.py:halves", "--target", "c", "--no-verify"]) == 0
    assert (tmp_path / "halves.c").exists() and (tmp_path / "halves.h").exists()
    assert main(["export", "program.py:halves", "--layout", "zephyr", "--no-verify"]) == 0
    assert (tmp_path / "halves/zephyr/module.yml").exists()


def test_a_file_that_is_not_of_the_target(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "program.py").write_text(SOURCE)
    assert main(["export", f"{tmp_path}/program.py:halves", "-o", "halves.onnx", "--target", "c"]) == 1
    assert "'halves.onnx' is no file for `--target c`" in capsys.readouterr().err


def test_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "program.py").write_text(SOURCE)
    assert main(["show", f"{tmp_path}/program.py:halves"]) == 0
    assert "divide(" in capsys.readouterr().out
    assert main(["show", f"{tmp_path}/program.py:halves", "--c"]) == 0
    assert "int halves(int64_t n, const float *x" in capsys.readouterr().out
