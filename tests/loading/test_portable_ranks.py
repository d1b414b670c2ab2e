"""Portable files say a rank for what loops carry, also where sizes are hidden; nothing is logged."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from graph_program import Float64, Tensor, graph_program, load
from tests.programs.plain import differs


def cepstrum(signal: Float64[Tensor, "n"], win: int, hop: int, bands: int, count: int):
    edges, hz = np.linspace(0.0, 4.0, bands + 2), np.linspace(0.0, 4.0, win // 2 + 1)
    bank = np.zeros((bands, len(hz)))
    for m in range(bands):
        low, middle, high = edges[m], edges[m + 1], edges[m + 2]
        for k, f in enumerate(hz):
            if middle < f <= high:
                bank[m, k] = (high - f) / (high - middle)
            elif low < f <= middle:
                bank[m, k] = 1.0
    out = np.zeros((len(signal) // hop, count))
    for i in range(len(out)):
        e = bank @ np.abs(np.fft.rfft(signal[i * hop : i * hop + win]))
        for c in range(count):
            total = 0.0
            for m in range(bands):
                total += e[m] * math.cos(c * m)
            out[i, c] = total
    return out


def test_no_line_is_logged_where_a_loop_has_no_round(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    graph_program(cepstrum).export(tmp_path / "m.onnx", (np.arange(32.0), 8, 8, 4, 3), portable=True)
    program = load(tmp_path / "m.onnx")
    for count in (0, 3):
        args = (np.arange(32.0), 8, 8, 4, count)
        assert not differs(cepstrum(*args), program(*args))
    assert not capfd.readouterr().err
