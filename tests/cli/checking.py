"""Files with programs, and what `graph-program check` says of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from graph_program.cli import main

HEAD = """
import numpy as np
from dataclasses import dataclass
from graph_program import Float32, Int64, Tensor, graph_program, reveal

@dataclass
class Pair:
    a: np.ndarray
    b: np.ndarray

"""
START = HEAD.count("\n") + 2
"""The line before a body's first."""


def program(body: str) -> str:
    """A program of two arrays of shapes [3, 4] and [3, 5], and a number."""
    lines = "".join(f"    {line}\n" for line in body.strip("\n").split("\n"))
    return f'@graph_program\ndef p(x: Float32[Tensor, "3 4"], y: Float32[Tensor, "3 5"], n: int):\n{lines}'


def written(folder: Path, text: str, name: str = "programs.py") -> str:
    """A file with the usual imports and this text."""
    path = folder / name
    path.write_text(HEAD + text)
    return str(path)


def findings(folder: Path, capsys: pytest.CaptureFixture[str], text: str, *options: str) -> list[dict[str, Any]]:
    """What a check says about a file with this text."""
    main(["check", "--format", "json", written(folder, text), *options])
    result: list[dict[str, Any]] = json.loads(capsys.readouterr().out)
    return result
