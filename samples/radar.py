"""A tracker on aarch64: a Kalman filter of place and velocity that leaves out measurements too far from its track.

Its state is in the object; exported as C it is in a structure of the caller's. `devices/radar_main.c` reads
measurements from its input and prints the track; compiled for aarch64 and run in an emulator, or on a Raspberry Pi, it
prints the numbers that Python computes, bit by bit.

Run with `python samples/radar.py`. The program needs gcc-aarch64-linux-gnu (or `pip install ziglang`) and
qemu-user-static.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import numpy as np

from graph_program import Float64, Tensor, graph_program
from graph_program.samples.devices import Absent, compiled, printed, python_tool, tool

DEVICES = Path(__file__).with_name("devices")
GATE = 9.21
"""The distance of Mahalanobis, squared, within which 99 of 100 measurements are (two degrees of freedom)."""


class Radar:
    """Follows a target in the plane that moves with almost constant velocity.

    Parameters
    ----------
    interval : float
        Seconds between two measurements.
    pull, noise : float
        Variances of the acceleration and of a measurement.
    """

    def __init__(self, interval: float = 1.0, pull: float = 0.05, noise: float = 4.0):
        self.motion = np.eye(4) + interval * np.eye(4, k=2)
        moved = np.concatenate([interval**2 / 2 * np.eye(2), interval * np.eye(2)])
        self.spread_of_motion = pull * moved @ moved.T
        self.noise = noise * np.eye(2)
        self.state = np.zeros(4)
        self.spread = 1e4 * np.eye(4)
        self.missed = 0

    @graph_program
    def measure(self, measured: Float64[Tensor, "2"]) -> Float64[Tensor, "4"]:
        """Take a measurement, give place and velocity."""
        self.state[:] = self.motion @ self.state
        self.spread[:] = self.motion @ self.spread @ self.motion.T + self.spread_of_motion
        residual = measured - self.state[:2]
        a, b = self.spread[0, 0] + self.noise[0, 0], self.spread[0, 1] + self.noise[0, 1]
        c, d = self.spread[1, 0] + self.noise[1, 0], self.spread[1, 1] + self.noise[1, 1]
        size = a * d - b * c
        if size == 0:
            raise ArithmeticError("the spread of measurements has no inverse")
        inverse = np.array([[d, -b], [-c, a]]) / size
        if residual @ inverse @ residual < GATE:
            gain = self.spread[:, :2] @ inverse
            self.state[:] = self.state + gain @ residual
            self.spread[:] = self.spread - gain @ self.spread[:2]
            self.missed = 0
        else:
            self.missed += 1
        return self.state.copy()


def flight(rounds: int, seed: int = 0) -> np.ndarray:
    """Measurements of a target that flies a curve; one of ten is clutter."""
    rng = np.random.default_rng(seed)
    angle = np.linspace(0, 2, rounds)
    track = np.stack([300 * np.sin(angle), 300 * np.cos(angle)], axis=1)
    clutter = rng.random(rounds)[:, None] < 0.1
    found: np.ndarray = np.where(clutter, rng.uniform(-300, 300, track.shape), track + rng.normal(0, 2, track.shape))
    return found


def in_python(measured: np.ndarray) -> np.ndarray:
    """Place and velocity at each measurement."""
    radar = Radar()
    return np.array([Radar.measure.python(radar, point) for point in measured])


def on_aarch64(measured: np.ndarray, folder: Path) -> np.ndarray:
    """The same by a program for aarch64.

    Raises
    ------
    Absent
        Where there is no compiler for it, or no emulator.
    """
    emulator = tool("qemu-user-static", "qemu-aarch64-static", "qemu-aarch64")
    own = shutil.which("aarch64-linux-gnu-gcc")
    compiler = [own, "-static"] if own else python_tool("ziglang", "cc", "-target", "aarch64-linux-musl")
    Radar().measure.export(folder / "radar.c", (measured[0],))
    program = compiled([*compiler, "-O2"], [DEVICES / "radar_main.c", folder / "radar.c"], folder / "radar")
    given = "".join(f"{x!r} {y!r}\n" for x, y in measured.tolist())
    shown = printed([emulator, str(program)], given)
    return np.array([[float.fromhex(word) for word in line.split()] for line in shown.splitlines()])


def main() -> None:
    """Follow a target in Python and on aarch64."""
    measured = flight(100)
    track = in_python(measured)
    print(f"at the end at {track[-1, :2].round(1)}, {np.hypot(*track[-1, 2:]):.2f} m/s")
    with tempfile.TemporaryDirectory() as folder:
        try:
            same = np.array_equal(on_aarch64(measured, Path(folder)), track)
        except Absent as absent:
            print(f"no program is made: {absent}")
        else:
            print(f"on aarch64, {'the same' if same else 'not the same'} track of {len(track)} points, bit by bit")


if __name__ == "__main__":
    main()
