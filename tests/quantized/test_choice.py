"""What is quantized is named by lines, functions and networks; what cannot be is refused with what to write instead."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from graph_program import Float32, GraphProgramError, Quantization, Tensor, graph_program
from tests.quantized.subjects import (
    TOKENS,
    XS,
    counted,
    line,
    normal,
    operators,
    plain,
    recurrent,
    wide,
)

WEIGHTS, SMALL = normal(32, 24), normal(4, 4)


def first(x: Any) -> Any:
    return inner(x) @ WEIGHTS.T


def inner(x: Any) -> Any:
    return x @ WEIGHTS  # inner


@graph_program
def program(x: Float32[Tensor, "n 32"]) -> Any:
    y = first(x)  # first
    return inner(y)  # second


X = normal(3, 32)


@pytest.mark.parametrize(
    ("only", "exclude", "count"),
    [
        ((), (), 3),
        (("inner",), (), 2),
        (("first",), (), 2),
        (("program",), ("first",), 1),
        ((), ("inner",), 1),
        (("test_choice.py:{first}",), (), 2),
        (("tests/quantized/test_choice.py:{second}",), (), 1),
        (("test_choice.py:{inner}",), ("test_choice.py:{first}",), 1),
    ],
)
def test_lines_and_functions(only: Any, exclude: Any, count: int, tmp_path: Path) -> None:
    lines = Path(__file__).read_text(encoding="utf-8").splitlines()
    marks = {mark: k for k, text in enumerate(lines, 1) for mark in [text.rpartition("  # ")[2]]}
    names = ([name.format_map(marks) for name in given] for given in (only, exclude))
    path = tmp_path / "program.onnx"
    program.export(path, (X,), quantize=Quantization("int8", None, True, *names))
    assert operators(path)["MatMulInteger"] == count


def test_small_matrices_are_quantized_where_they_are_named(tmp_path: Path) -> None:
    path = tmp_path / "small.onnx"
    few.export(path, (normal(2, 4),), quantize=Quantization("int8", only=("few",)))
    assert operators(path)["MatMulInteger"] == 1


@graph_program
def few(x: Float32[Tensor, "n 4"]) -> Any:
    return x @ SMALL


@graph_program
def unknown(x: Float32[Tensor, "n m"], y: Float32[Tensor, "m k"]) -> Any:
    return x @ y


def refusal(subject: Any, args: Any, quantize: Any, **options: Any) -> str:
    """The text of a refusal, without the place and the source."""
    with pytest.raises(GraphProgramError) as caught:
        subject.export("/nowhere/x.onnx", args, quantize=quantize, **options)
    shown = caught.value.diagnostic
    assert caught.value.code in ("GP515", "GP548") and shown.loc.line
    return f"{shown.code} {shown.message}" + (f"; {shown.hint}" if shown.hint else "")


def asked(**options: Any) -> Quantization:
    return Quantization("int8", **options)


def test_refusals_of_names() -> None:
    near = f"GP548 nothing in the model comes from 'cel'; perhaps 'cell' is meant"  # noqa: F541
    assert refusal(recurrent, (XS,), asked(only=("cel",))) == near
    lines = f"lines with something to quantize are {line('row')}, {line('mixed')}"
    assert refusal(counted, (TOKENS, 1), asked(only=("nobody at all",))) == (
        f"GP548 nothing in the model comes from 'nobody at all'; {lines}"
    )
    assert refusal(counted, (TOKENS, 1), asked(exclude=("looked_up",))) == (
        f"GP548 nothing that int8 quantizes is named; {lines}"
    )
    assert refusal(recurrent, (XS,), Quantization("float16", exclude=("recurrent",))) == (
        "GP548 nothing of float32 is named; name other lines or functions"
    )


def test_refusals_where_nothing_is_quantized() -> None:
    assert refusal(few, (normal(2, 4),), "int8") == (
        "GP548 the largest matrix has 16 numbers, and smaller ones than 256 stay float32; "
        "name its line in `only`, or give `smallest=16`"
    )
    known = "captured arrays are known, and parameters that are named in `static`"
    nothing = "GP548 there is nothing to quantize: no product of float32 numbers with a matrix that is known at export"
    nothing = f"{nothing}; {known}"
    assert refusal(unknown, (normal(2, 3), normal(3, 2)), "int8") == nothing
    assert refusal(plain, (TOKENS,), "int8") == nothing
    assert refusal(plain, (TOKENS,), "float16") == (
        "GP548 there is nothing to quantize: nothing is computed in float32; export it as it is"
    )
    assert refusal(program, (X,), "int8", freeze=False) == nothing


def test_refusals_of_float64() -> None:
    text = (
        "GP548 this computes in float64, of which nothing is quantized; "
        "export it with `float='float32'` besides, or write it with float32 arrays"
    )
    x = normal(3, 16)
    assert refusal(wide, (x,), "int8") == text
    with pytest.raises(GraphProgramError) as caught:
        wide.export("/nowhere/x.onnx", (x,), quantize="int8")
    assert f"subjects.py:{caught.value.loc.line}" == line("here")
    assert refusal(doubled, (x.astype(np.float64),), "float16") == text


@graph_program
def doubled(x: Any) -> Any:
    return np.exp(x)


def test_float64_and_float32_together(tmp_path: Path) -> None:
    path = tmp_path / "wide.onnx"
    wide.export(path, (normal(3, 16),), quantize="int8", float="float32")
    assert operators(path)["MatMulInteger"] == 1


def test_convolutions_want_a_calibration() -> None:
    from graph_program.tensor_api import nn

    kernel = normal(16, 3, 3, 3)

    @graph_program
    def convolved(x: Float32[Tensor, "1 3 8 8"]) -> Any:
        return nn.conv2d(x, kernel)

    assert refusal(convolved, (normal(1, 3, 8, 8),), "int8") == (
        "GP548 there is nothing to quantize but convolutions, which are slower with the ranges of each run; "
        "give a calibration set, or name their lines in `only`"
    )


def test_refusals_of_options(tmp_path: Path) -> None:
    kinds = "GP515 quantize must be 'int8' or 'float16', not 'int4'; write `quantize='int8'`"
    assert refusal(recurrent, (XS,), "int4") == kinds
    assert refusal(recurrent, (XS,), Quantization("float16", calibration=[])) == (
        "GP515 `quantize='float16'` has no `calibration`"
    )
    assert refusal(recurrent, (XS,), Quantization("float16", per_channel=False)) == (
        "GP515 `quantize='float16'` has no `per_channel`"
    )
    assert refusal(recurrent, (XS,), asked(keep_types=False)) == (
        "GP515 `quantize='int8'` keeps the types of inputs and outputs"
    )
    assert refusal(recurrent, (XS,), asked(smallest=-1)) == "GP515 `smallest` must not be negative, got -1"
    hint = "a quantized model is an ONNX file for onnxruntime; `graph-program verify` tells what others make of it"
    for options, text in (
        ({"target": "openvino"}, "`target='openvino'`"),
        ({"target": "onnxruntime"}, "`target='onnxruntime'`"),
        ({"portable": True}, "`portable=True`"),
        ({"host": "operators"}, "`host='operators'`"),
        ({"layout": "arduino"}, "C files"),
    ):
        assert (
            refusal(recurrent, (XS,), "int8", **options) == f"GP515 `quantize='int8'` does not go with {text}; {hint}"
        )
    with pytest.raises(GraphProgramError, match="does not go with C files"):
        recurrent.export(tmp_path / "x.c", (XS,), quantize="int8")


@pytest.mark.parametrize(
    ("quantize", "text"),
    [
        (8, "quantize must be 'int8', 'float16' or a Quantization, not 8"),
        (asked(only="cell"), "only must be a sequence of lines and functions"),
        (asked(exclude=(3,)), "exclude must be a sequence of lines and functions"),
        (asked(calibration=3), "calibration must be an iterable of arguments"),
        (asked(smallest="all"), "smallest must be a number of elements"),
    ],
)
def test_values_of_other_types(quantize: Any, text: str) -> None:
    with pytest.raises(TypeError, match=text):
        recurrent.export("/nowhere/x.onnx", (XS,), quantize=quantize)
