"""What is asked for of a quantized export: the kind, examples to calibrate with, and which lines."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from graph_program.extract.diagnostics import Diagnostic, Loc, ProgramValueError

KINDS = ("int8", "float16")
SMALLEST = 256
"""Of which number of elements on a matrix is quantized."""
ONLY_INT8 = {"calibration": None, "per_channel": True, "smallest": SMALLEST}
"""What floats of 16 bits do not have, with what it is by default."""


@dataclass(frozen=True)
class Quantization:
    """How `export(..., quantize=...)` makes a model smaller.

    Attributes
    ----------
    kind : {"int8", "float16"}
        "int8": products with float32 matrices that are known (MatMul, Gemm, LSTM; Conv where there is a calibration),
        and tables from which rows are taken, have integers of 8 bits.  "float16": what is float32 has 16 bits.
    calibration : iterable, optional
        For "int8": tuples, lists or dicts of arguments, as `args` of `export`.  The program is run with each of them,
        and the numbers that go into products are scaled by the largest and smallest ones that were seen; without it,
        by those of each run ("dynamic").
    per_channel : bool
        Whether each column of a matrix (each filter of a convolution) has a scale of its own.
    only : sequence of str
        Lines (`"encoder.py:30"`) and names of functions: what is quantized, with all that is called from there;
        everything, where nothing is named.  In a network of `load_onnx`, its file and its parts (`"vad/encoder/0"`).
    exclude : sequence of str
        Lines and names of functions that stay in float32.
    smallest : int
        For "int8": matrices with fewer numbers stay as they are, unless `only` names their line.
    keep_types : bool
        For "float16": whether inputs and outputs stay float32.
    """

    kind: str
    calibration: Iterable[Any] | None = None
    per_channel: bool = True
    only: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    smallest: int = SMALLEST
    keep_types: bool = True

    @property
    def text(self) -> str:
        """As in the report: `int8, calibrated, per channel`."""
        if self.kind != "int8":
            return self.kind
        how = "dynamic" if self.calibration is None else "calibrated"
        return f"int8, {how}, {'per channel' if self.per_channel else 'per array'}"


def read_quantization(given: Any, loc: Loc) -> Quantization | None:
    """What was given as `quantize`: None, a kind, or a `Quantization`.

    Raises
    ------
    ProgramValueError
        GP515 for another kind, or for what a kind does not have.
    TypeError
        For anything but these.
    """
    if given is None:
        return None
    asked = Quantization(given) if isinstance(given, str) else given
    if not isinstance(asked, Quantization):
        raise TypeError(f"quantize must be 'int8', 'float16' or a Quantization, not {given!r}")
    if asked.kind not in KINDS:
        text = f"quantize must be 'int8' or 'float16', not {asked.kind!r}"
        raise ProgramValueError(Diagnostic("GP515", text, loc, hint="write `quantize='int8'`"))
    for name, default in ONLY_INT8.items():
        if asked.kind != "int8" and getattr(asked, name) != default:
            raise ProgramValueError(Diagnostic("GP515", f"`quantize='{asked.kind}'` has no `{name}`", loc))
    if asked.kind != "float16" and not asked.keep_types:
        raise ProgramValueError(
            Diagnostic("GP515", f"`quantize='{asked.kind}'` keeps the types of inputs and outputs", loc)
        )
    if not isinstance(asked.smallest, int) or isinstance(asked.smallest, bool):
        raise TypeError(f"smallest must be a number of elements, such as smallest=256, not {asked.smallest!r}")
    if asked.smallest < 0:
        raise ProgramValueError(Diagnostic("GP515", f"`smallest` must not be negative, got {asked.smallest}", loc))
    if asked.calibration is not None and not isinstance(asked.calibration, Iterable):
        raise TypeError(f"calibration must be an iterable of arguments, as [(x,), (y,)], not {asked.calibration!r}")
    return replace(asked, only=_names("only", asked.only), exclude=_names("exclude", asked.exclude))


def _names(option: str, given: Any) -> tuple[str, ...]:
    names = () if isinstance(given, str) or not isinstance(given, Iterable) else tuple(given)
    if (not names and given != () and given != []) or not all(isinstance(name, str) for name in names):
        raise TypeError(f"{option} must be a sequence of lines and functions, such as {option}=['model.py:30', 'head']")
    return names


__all__ = ["SMALLEST", "Quantization", "read_quantization"]
