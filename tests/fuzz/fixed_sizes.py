"""Random programs whose array parameters have declared sizes: onnxruntime rewrites more where it knows shapes."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from tests.fuzz.compare import load

HEADER = re.compile(r"^def program\((.*)\):$", re.MULTILINE)
CALLS = re.compile(r"^def (arguments_\d+)\(\):$", re.MULTILINE)
SCALARS = {"float64": "Float64", "float32": "Float32", "int64": "Int64", "int32": "Int32", "bool": "Bool"}


def with_fixed_sizes(source: str) -> str:
    """The program with the element types and sizes of its first call in its annotations, and calls with these only."""
    given = load(source).__globals__
    calls = {name: given[name]()[0] for name in CALLS.findall(source)}
    first = calls["arguments_0"]
    header = HEADER.search(source)
    assert header is not None
    parameters = [p.strip() for p in header[1].split(",")]
    annotated = [_annotated(name, value) for name, value in zip(parameters, first, strict=True)]
    others = [name for name, args in calls.items() if list(map(_kind, args)) != list(map(_kind, first))]
    changed = f"{source[: header.start()]}def program({', '.join(annotated)}):{source[header.end() :]}"
    return "\n".join(["import jaxtyping", changed, *(f"del {name}" for name in others), ""])


def _kind(value: Any) -> Any:
    return (value.dtype, value.shape) if isinstance(value, np.ndarray) else None


def _annotated(name: str, value: Any) -> str:
    if not isinstance(value, np.ndarray) or value.dtype.name not in SCALARS:
        return name
    return f'{name}: jaxtyping.{SCALARS[value.dtype.name]}[np.ndarray, "{" ".join(map(str, value.shape))}"]'


__all__ = ["with_fixed_sizes"]
