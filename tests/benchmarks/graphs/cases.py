"""The programs, and the models of the same that were written by hand, in ONNX's text form."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnx.parser

BY_HAND = Path(__file__).parent / "by_hand"
ENDING = ".onnxtxt"


@dataclass(frozen=True)
class Case:
    """A program beside one model of the same.

    Attributes
    ----------
    name : str
        The file's, `by_hand/NAME.onnxtxt`.
    of_operator : bool
        Whether ONNX has an operator for the whole program, which the model uses; the others are what a program can
        become statement by statement.
    """

    name: str
    of_operator: bool = False

    @property
    def module(self) -> Any:
        """The program's module: it, `arguments`, and the `SIZES` to compare for, of which the first is measured."""
        return importlib.import_module(f"tests.benchmarks.graphs.programs.{self.name.removesuffix('_operator')}")

    @property
    def program(self) -> Any:
        """The program, which is named like its module."""
        return getattr(self.module, self.name.removesuffix("_operator"))

    @property
    def sizes(self) -> tuple[int, ...]:
        """The sizes to compare for."""
        sizes: tuple[int, ...] = self.module.SIZES
        return sizes

    def arguments(self, size: int) -> dict[str, Any]:
        """Arguments of a size, the same ones each time."""
        arguments: dict[str, Any] = self.module.arguments(size, np.random.default_rng(size))
        return arguments

    def by_hand(self) -> onnx.ModelProto:
        """The model that was written by hand."""
        return onnx.parser.parse_model((BY_HAND / f"{self.name}{ENDING}").read_text(encoding="utf-8"))


CASES = [
    Case("kalman"),
    Case("nms"),
    Case("nms_operator", of_operator=True),
    Case("ctc"),
    Case("viterbi"),
    Case("lstm"),
    Case("lstm_operator", of_operator=True),
    Case("ekf"),
    Case("otsu"),
    Case("kmeans"),
    Case("vad"),
    Case("pid"),
    Case("attitude"),
    Case("beam"),
]
