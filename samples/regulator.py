"""A heater on a Cortex-M4: a low-pass filter for its sensor, and a PID controller behind it.

In Python the regulator runs against a simulated oven. Exported as C it is a structure and a function, without a
heap, that `devices/regulator_main.c` calls on the bare board; an emulator runs the image with the same readings, and
what the heater is set to is the same, bit by bit.

Run with `python samples/regulator.py`. The image needs gcc-arm-none-eabi and qemu-system-arm.
"""

from __future__ import annotations

import struct
import tempfile
from pathlib import Path

import numpy as np

from graph_program import graph_program
from graph_program.samples.devices import Absent, compiled, printed, tool

DEVICES = Path(__file__).with_name("devices")
INTERVAL = 0.1
WANTED = 180.0
CORTEX_M4 = ("-mcpu=cortex-m4", "-mthumb", "-mfpu=fpv4-sp-d16", "-mfloat-abi=hard", "-Os")
MEMORY = ("-nostartfiles", "-Wl,--section-start=.vectors=0", "-Wl,-Ttext=0x100", "-Wl,-Tdata=0x20000000")
"""Code from 0 on, variables where the board has its memory."""
BOARD = ("-M", "mps2-an386", "-nographic", "-monitor", "none", "-serial", "none")


class Regulator:
    """Sets the power of a heater by the temperature that a sensor reads.

    The filter is a Butterworth of second order at a tenth of the sampling rate, in its transposed direct form II; the
    integral stops where the heater is at its end.
    """

    def __init__(self) -> None:
        self.delay = np.zeros(2)
        self.integral = 0.0
        self.before = 0.0

    @graph_program
    def step(self, read: float, wanted: float) -> float:
        """Take a reading, give the power in watts."""
        smooth = 0.0675 * read + float(self.delay[0])
        self.delay[0] = 0.1349 * read + 1.143 * smooth + self.delay[1]
        self.delay[1] = 0.0675 * read - 0.4128 * smooth
        error = wanted - smooth
        slope = (error - self.before) / INTERVAL
        self.before = error
        power = 12.0 * error + 0.8 * self.integral + 2.0 * slope
        if 0 < power < 1000:
            self.integral += error * INTERVAL
        return min(max(power, 0.0), 1000.0)


def simulated(rounds: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """What the sensor of an oven reads, and the power that the regulator sets in Python."""
    noise = np.random.default_rng(seed).normal(0, 0.5, rounds)
    regulator, oven = Regulator(), 20.0
    readings, powers = np.zeros(rounds), np.zeros(rounds)
    for k in range(rounds):
        readings[k] = oven + noise[k]
        powers[k] = Regulator.step.python(regulator, readings[k], WANTED)
        oven += INTERVAL * (powers[k] / 100 - (oven - 20) / 40)
    return readings, powers


def on_the_board(readings: np.ndarray, folder: Path) -> np.ndarray:
    """The power that the regulator sets on an emulated board, given the readings.

    Raises
    ------
    Absent
        Where the compiler or the emulator is not there.
    """
    compiler = tool("gcc-arm-none-eabi and libnewlib-arm-none-eabi", "arm-none-eabi-gcc")
    emulator = tool("qemu-system-arm", "qemu-system-arm")
    Regulator().step.export(folder / "regulator.c", (readings[0], WANTED))
    numbers = ", ".join(map(float.hex, readings.tolist()))
    (folder / "readings.h").write_text(
        f"#define WANTED {WANTED}\n#define READINGS {len(readings)}\nstatic const double readings[] = {{{numbers}}};\n"
    )
    sources = [DEVICES / "cortex_m4.c", DEVICES / "regulator_main.c", folder / "regulator.c"]
    image = compiled([compiler, *CORTEX_M4, *MEMORY, f"-I{DEVICES}"], sources, folder / "regulator.elf")
    hosted = ("-semihosting-config", "enable=on,target=native", "-kernel", str(image))
    shown = printed(["sh", "-c", 'exec "$@" 2>&1 </dev/null', "sh", emulator, *BOARD, *hosted])
    return np.array([struct.unpack(">d", bytes.fromhex(line))[0] for line in shown.split()])


def main() -> None:
    """Heat an oven in Python and on the board."""
    readings, powers = simulated(600)
    print(f"{readings[-50:].mean():.1f} degrees after a minute, with {powers[-50:].mean():.0f} W")
    with tempfile.TemporaryDirectory() as folder:
        try:
            same = np.array_equal(on_the_board(readings, Path(folder)), powers)
        except Absent as absent:
            print(f"no image is made: {absent}")
        else:
            print(f"on a Cortex-M4, {'the same' if same else 'not the same'} power in {len(powers)} steps, bit by bit")


if __name__ == "__main__":
    main()
