"""Programs in C on other processors: flash, memory, stack, whether results are Python's; and the size of many objects.

python -m tests.benchmarks devices
"""

from __future__ import annotations

import statistics
import subprocess
import tempfile
from pathlib import Path

from graph_program import GraphProgramError, graph_program
from graph_program.backends.c.compiler import STANDARD
from graph_program.samples.devices import Absent, tool
from tests.benchmarks.measure import aligned
from tests.devices.stack import sizes
from tests.devices.table import HEAD, rows
from tests.devices.targets import CORTEX_M4, SMALL
from tests.native import alias_programs, programs

LIMIT = 8192


def tables(quick: bool, corpus: bool) -> list[str]:
    """The table of device programs, and the sizes of the test programs."""
    title = "flash, RAM and stack in bytes on a Cortex-M4 (-Os, code and constants of the program alone; "
    title += "state and workspace; measured, and as computed before); whether results are Python's"
    found = [f"{title}\n{aligned([HEAD, *rows()])}"]
    return [*found, _corpus(quick)]


def _corpus(quick: bool) -> str:
    """The sizes of the objects of the programs of the tests."""
    try:
        command = [tool("gcc-arm-none-eabi", "arm-none-eabi-gcc"), *CORTEX_M4, *SMALL, *STANDARD]
    except Absent as absent:
        return str(absent)
    cases = [*alias_programs.cases.found, *programs.cases.found]
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for number, (function, inputs) in enumerate(cases[:: 10 if quick else 1]):
            path = Path(folder) / f"program_{number}.c"
            try:
                graph_program(function).export(path, inputs[0], verify=False)
            except GraphProgramError:
                continue
            try:
                found.append(sizes(command, path, Path(folder))[0])
            except subprocess.CalledProcessError:
                found.append(-1)
    found.sort()
    over = sum(size > LIMIT for size in found)
    return (
        f"objects of {len(found)} test programs, -Os for Cortex-M4, sizes as they come: median "
        f"{statistics.median(found):.0f} bytes, smallest {found[0]}, largest {found[-1]}, {over} over {LIMIT}"
    )
