"""What a quantization has made: size, speed, and how far what it computes is from the float model."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass

from graph_program.quantized.deviations import Decision, Deviation

FORMAT = 1
SHOWN = 12
"""Lines that the text has, and decisions; `json` has all."""


@dataclass(frozen=True)
class LineError:
    """How far what a line computes is from float32, where it is given the same.

    Attributes
    ----------
    place : str
        As in `encoder.py:30`.
    operations : tuple of str
        The operators that were quantized there, as `MatMul`.
    largest, scale : float
        The largest difference over all rounds of loops, and the largest number, of the operation where the difference
        is the largest part of the number; NaN where nothing was run, the first infinite where numbers are not finite.
    worst : str
        The name of that operation.
    """

    place: str
    operations: tuple[str, ...]
    largest: float = math.nan
    scale: float = math.nan
    worst: str = ""

    @property
    def relative(self) -> float:
        """The error in parts of the largest number; 0 where nothing was run, infinite where it is not finite."""
        if math.isinf(self.largest):
            return math.inf
        return self.largest / self.scale if self.scale > 0 else 0.0

    def __str__(self) -> str:
        names = dict.fromkeys(self.operations)
        counted = (f"{self.operations.count(name)} {name}" for name in names)
        text = ", ".join(counted)
        if math.isnan(self.largest):
            return text
        if math.isinf(self.largest):
            return f"{text}: not finite"
        of = f", {self.relative:.2%} of the largest number" if self.scale else ""
        part = f" ({self.worst})" if "/" in self.worst else ""  # of a network, all of which is called in one line
        return f"{text}: {self.largest:.1e}{of}{part}"


@dataclass(frozen=True)
class QuantizationReport:
    """What a quantization has made; `print` shows it as a table.

    Attributes
    ----------
    kind : str
        As `int8, calibrated, per channel`.
    bytes, float_bytes : int
        The sizes of the model, and of the float model.
    seconds, float_seconds : float
        The median processor time of a run on the example arguments, in turns, on one thread; NaN where nothing was run.
    outputs : tuple of Deviation
    lines : tuple of LineError
        Those with the largest errors first.
    decisions : tuple of Decision
    number : int
        How many branches and loops there are.
    examples : int
        How many arguments the ranges come from; 0 where nothing that is quantized has a fixed range.
    kept : tuple of str
        The lines of operations that could have been quantized, and were not, as no example reaches them, or their
        numbers are not finite.
    failed : str
        Why there is nothing to compare; empty where there is, or where nothing was run.
    """

    kind: str
    bytes: int
    float_bytes: int
    seconds: float = math.nan
    float_seconds: float = math.nan
    outputs: tuple[Deviation, ...] = ()
    lines: tuple[LineError, ...] = ()
    decisions: tuple[Decision, ...] = ()
    number: int = 0
    examples: int = 0
    kept: tuple[str, ...] = ()
    failed: str = ""

    def json(self) -> str:
        """The same for machines; what is not known, and what is infinite, is null."""
        return json.dumps(_plain({"format": FORMAT} | asdict(self)), indent=2)

    def rows(self) -> Iterator[tuple[str, str]]:
        """The rows of a table."""
        yield "kind", self.kind + (f"; {_counted(self.examples)}" if self.examples else "")
        yield "size", f"{self.bytes:,} bytes, {self.bytes / self.float_bytes:.2f} of the float model"
        if not math.isnan(self.seconds):
            faster = self.float_seconds / self.seconds
            yield "run", f"{self.seconds * 1e3:.3g} ms, float model {self.float_seconds * 1e3:.3g} ms ({faster:.2f}x)"
        if self.failed:
            yield "run", self.failed
        yield from ((output.name, str(output)) for output in self.outputs)
        yield from ((line.place, str(line)) for line in self.lines[:SHOWN])
        if len(self.lines) > SHOWN:
            yield "...", f"{len(self.lines) - SHOWN} more lines, in `lines`"
        yield from (
            (place, "stays float32: no example reaches it with finite numbers other than 0") for place in self.kept
        )
        yield from ((one.place, one.text) for one in self.decisions[:SHOWN])
        if len(self.decisions) > SHOWN:
            yield "...", f"{len(self.decisions) - SHOWN} more, in `decisions`"
        if self.number and not self.decisions and self.outputs:
            yield "branches and loops", "as in the float model"

    def __str__(self) -> str:
        rows = list(self.rows())
        width = max(len(name) for name, _ in rows)
        return "\n".join(f"{name.ljust(width)}  {text}" for name, text in rows)


def _counted(examples: int) -> str:
    return f"{examples:,} example{'' if examples == 1 else 's'}"


def _plain(value: object) -> object:
    if isinstance(value, dict):
        return {name: _plain(part) for name, part in value.items()}
    if isinstance(value, tuple | list):
        return [_plain(part) for part in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


__all__ = ["LineError", "QuantizationReport"]
