"""Which field an input gets."""

from __future__ import annotations

from typing import Any

import pytest

from graph_program.extract.diagnostics import Loc
from graph_program.pages.fields import control

LOC = Loc("play.py", 1, 1, 1, 1, "play")


def field(name: str, dtype: str, *shape: Any, asked: str | None = None) -> tuple[str, dict[str, Any]]:
    text = f"{dtype} {[*shape]}"
    found = control(name, {"dtype": dtype, "shape": [*shape], "text": text}, asked, LOC)
    return found["control"], found["options"]


HW = {"layout": "hw", "channels": 1, "batch": False}
HWC = {"layout": "hwc", "channels": 3, "batch": False}
CHW = {"layout": "chw", "channels": 3, "batch": False}


@pytest.mark.parametrize(
    ("name", "dtype", "shape", "expected"),
    [
        ("k", "int64", (), ("number", {})),
        ("k", "bool", (), ("truth", {})),
        ("x", "uint8", ("h", "w"), ("image", {**HW, "top": 255})),
        ("x", "uint8", ("h", "w", 3), ("image", {**HWC, "top": 255})),
        ("x", "uint8", (3, "h", "w"), ("image", {**CHW, "top": 255})),
        ("x", "uint8", ("h", "w", "c"), ("image", {**HWC, "top": 255})),
        ("x", "uint8", ("n", 3), ("values", {})),
        ("x", "uint8", ("n", 4, 4), ("values", {})),
        ("x", "float32", ("h", "w", 3), ("image", {**HWC, "top": 1})),
        ("x", "float32", (1, 3, 224, 224), ("image", {**CHW, "batch": True, "top": 1})),
        ("x", "float32", ("n", 3, 224, 224), ("image", {**CHW, "batch": True, "top": 1})),
        ("x", "float32", (8, 3, 224, 224), ("values", {})),
        ("x", "float32", ("n", "m"), ("values", {})),
        ("x", "float64", ("n", 3, 3), ("values", {})),
        ("x", "float64", ("a", "b", "c"), ("values", {})),
        ("x", "float32", (28, 28), ("image", {**HW, "top": 1})),
        ("x", "float32", (8, 8), ("values", {})),
        ("picture", "float32", (8, 8), ("image", {**HW, "top": 1})),
        ("left_photos", "float64", ("n", "m"), ("image", {**HW, "top": 1})),
        ("mask", "bool", ("n", "m"), ("image", {**HW, "top": 1})),
        ("x", "bool", ("n", "m"), ("values", {})),
        ("x", "int16", ("n",), ("audio", {})),
        ("sound", "float32", ("n",), ("audio", {})),
        ("sound", "float32", (1, "n"), ("audio", {})),
        ("settings.voice", "float64", (16000,), ("audio", {})),
        ("x", "float32", ("n",), ("values", {})),
        ("sound", "float32", ("n", 2), ("values", {})),
        ("text", "uint8", ("n",), ("text", {})),
        ("lines", "int64", ("n",), ("text", {})),
        ("text", "float32", ("n",), ("values", {})),
        ("x", "uint8", ("n",), ("values", {})),
    ],
)
def test_by_type_and_name(name: str, dtype: str, shape: tuple[Any, ...], expected: Any) -> None:
    assert field(name, dtype, *shape) == expected


@pytest.mark.parametrize(
    ("dtype", "shape", "asked", "expected"),
    [
        ("float32", ("n", "m"), "image:255", ("image", {**HW, "top": 255})),
        ("float32", ("n", "m", "c"), "image", ("image", {**HWC, "top": 1})),
        ("float32", ("n",), "audio:44100", ("audio", {"rate": 44100})),
        ("float32", ("n",), "audio", ("audio", {})),
        ("int64", ("n",), "text", ("text", {})),
        ("uint8", ("h", "w"), "values", ("values", {})),
    ],
)
def test_as_asked_for(dtype: str, shape: tuple[Any, ...], asked: str, expected: Any) -> None:
    assert field("x", dtype, *shape, asked=asked) == expected
