"""Twenty programs for devices, exported once and stepped with other sizes, branches and errors than exported with.

Each row: the object, its method, the calls; the first call is the one that the file is exported with.
"""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np
import pytest

from graph_program import graph_program
from tests.exported.device_signals import Calibration, Debouncer, Otsu, Parser, Quantizer, Ring, Runs, Spectrum
from tests.exported.device_trackers import (
    CTC,
    MPC,
    PID,
    Bang,
    BeamSearch,
    Complementary,
    Detector,
    Gains,
    Huffman,
    Kalman,
    Particles,
    Tracker,
    Viterbi,
    frame,
)
from tests.loading.agreement import Arguments, in_python, same, same_outcome
from tests.loading.device import Device, plain

RNG = np.random.default_rng(11)
NAN = float("nan")


def floats(*values: float) -> list[tuple[float]]:
    return [(float(v),) for v in values]


def arrays(*values: Any, dtype: Any = float) -> list[tuple[Any]]:
    return [(np.array(v, dtype=dtype),) for v in values]


TABLE = np.log(np.random.default_rng(2).dirichlet(np.ones(4), 4))
PACKETS = ([1, 0x7E, 2], [5, 6, 11, 9], [], [0x7E, 1, 4, 5], [0x7E, 0, 0, 0x7E, 3, 1], [1, 1, 3])
IMU = [([0, 0, 0], 0.01), ([0, 0, 1], 0.01), ([1, 0, 1], 0.1), ([0.0, -1, 0], 1.0), ([NAN, 0, 1], 0.1)]

WARM = {"detector": 1, "tracker": 1, "PID": 1, "packets": 2, "calibration": 2, "Otsu": 1}
"""So many calls are made before the export, where the state starts with None or an empty list."""
PROGRAMS: dict[str, tuple[Callable[[], Any], list[tuple[Any, ...]]]] = {
    "detector": (
        Detector,
        [frame(4), frame(9), frame(0), (*frame(3), 2.0), (*frame(6), 0.9), (frame(2)[0], frame(3)[1])],
    ),
    "CTC": (CTC, [(RNG.random((n, 4)),) for n in (5, 1, 0, 17)]),
    "beam search": (lambda: BeamSearch(TABLE), [(1, 3), (2, 0), (3, 6), (0, 1), (-1, 2), (9, 2)]),
    "Viterbi": (Viterbi, arrays([0, 1, 3], [2], [], [3, 3, 0, 1, 2], [4], dtype=int)),
    "Huffman": (Huffman, arrays([0, 1, 0], [1], [1, 0, 1, 1], [], [0, 2], [0], dtype=int)),
    "tracker": (
        Tracker,
        [
            (np.array(p, float).reshape(-1, 2), g)
            for p, g in (
                ([[0, 0], [3, 3]], 1.0),
                ([[0.5, 0]], 1.0),
                ([], 1.0),
                ([[0.6, 0], [9, 9], [9, 9.5]], 2.0),
                ([], 1.0),
                ([], 0.0),
                ([[NAN, 0]], 1.0),
            )
        ],
    ),
    "Kalman": (Kalman, floats(0.5, 0.6, NAN, 0.8, 99, -99, NAN, 0.1)),
    "particles": (Particles, [(0.1, 0.5), (0.0, 0.0), (0.1, 90.0), (-0.5, NAN), (0.0, 1.0)]),
    "complementary": (
        Complementary,
        [(np.array([0.1, -0.2], np.float32), np.array(a, np.float32), dt) for a, dt in IMU],
    ),
    "PID": (lambda: PID(Gains()), [(1.0,), (0.5, 0.2), (-3.0, 0.1), (0.1, 0.0), (NAN, 0.1), (0.2, -1.0)]),
    "MPC": (MPC, [(np.array([0.0, 0.0]), 1.0), (np.array([0.1, 0.5]), -1.0, 0.2, 3), (np.zeros(2), 0.0, 1.0, 0)]),
    "bang-bang": (Bang, floats(18, 19, 21, 17, 17, 17, 25, 25, 25, 25, NAN)),
    "packets": (Parser, arrays(*PACKETS, dtype=np.uint8)),
    "debouncer": (Debouncer, arrays([1, 0, 0], [1, 0, 1], [1, 1, 0], [1, 1, 0], [0, 1, 0], [0, 0, 0], [0], dtype=int)),
    "ring": (
        Ring,
        [(np.array(s, np.float32), r) for s, r in (([1, 2], 2), ([], 0), ([3], 9), ([4, 5, 6], 4), ([], 5))],
    ),
    "spectrum": (Spectrum, [(np.sin(np.arange(n) * 0.7) * a,) for n, a in ((32, 1), (8, 2), (9, 1), (64, 0), (7, 1))]),
    "runs": (
        Runs,
        [
            (np.array(d, np.int64), f)
            for d, f in (
                ([1, 1, 2], False),
                ([2, 2], False),
                ([], True),
                ([], True),
                ([5] * 300, True),
                ([-1, -1, 0], False),
            )
        ],
    ),
    "calibration": (Calibration, [(1.0, 2.0), (2.0, 4.5), (3.0, 5.0), (NAN, 1.0)]),
    "Otsu": (
        Otsu,
        [
            (RNG.integers(0, h, s).astype(np.uint8),)
            for h, s in ((256, (6, 7)), (9, (3, 3)), (1, (2, 2)), (255, (1, 9)))
        ],
    ),
    "quantizer": (Quantizer, arrays([1, -2, 0.5], [], [1.0], [NAN], [100, 1e-9], dtype=np.float32)),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_stepped(name: str, device: Device) -> None:
    """The same results, errors and state as Python's, step by step, where graph_program is not installed."""
    make, calls = PROGRAMS[name]
    one = make()
    program = graph_program(one.step)
    with warnings.catch_warnings(action="ignore"), np.errstate(all="ignore"):
        for args in copy.deepcopy(calls[: WARM.get(name, 0)]):
            with suppress(LookupError):
                program(*args)
        model = program.model(calls[0])
        for outcome, args in zip(device.run(model.SerializeToString(), calls), copy.deepcopy(calls), strict=True):
            before = copy.deepcopy(one)
            same_outcome(outcome, in_python(one.step, Arguments(args)))
            one = before if outcome.error else one  # a file keeps the state that it had
            state, wanted = outcome.state["self"][2], plain(one)[2]
            same(state, {name: wanted[name] for name in state})
