"""Programs in C on other processors: flash, memory, stack, whether results are Python's; and the size of many objects.

python -m tests.benchmarks devices
"""

from __future__ import annotations

import statistics
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from graph_program import GraphProgramError, graph_program
from graph_program.backends.c.compiler import STANDARD
from tests.benchmarks.measure import aligned
from tests.devices import build
from tests.devices.programs import PROGRAMS
from tests.devices.stack import bound, sizes
from tests.devices.targets import CORTEX_M4, SMALL, TARGETS, Absent, tool
from tests.native import alias_programs, programs

HEAD = ["program", "flash", "RAM", "stack", "at most"]
LIMIT = 8192


def tables(quick: bool, corpus: bool) -> list[str]:
    """The table of device programs, and the sizes of the test programs."""
    with tempfile.TemporaryDirectory() as folder:
        sources = build.exported(Path(folder))
        ran = {target.name: _printed(target.name, sources, Path(folder)) for target in TARGETS}
        names = [target.name for target in TARGETS]
        lines = [[name, *_costs(name, sources, ran, Path(folder)), *_equal(name, names, ran)] for name in PROGRAMS]
    title = "flash, RAM and stack in bytes on a Cortex-M4 (-Os, code and constants of the program alone; "
    title += "state and workspace; measured, and as computed before); whether results are Python's"
    found = [f"{title}\n{aligned([[*HEAD, *names], *lines])}"]
    return [*found, _corpus(quick)]


def _printed(name: str, sources: list[Path], folder: Path) -> dict[str, build.Printed] | str:
    target = next(target for target in TARGETS if target.name == name)
    return target.absent() or build.on(target, sources, folder)


def _costs(name: str, sources: list[Path], ran: dict[str, dict[str, build.Printed] | str], folder: Path) -> list[str]:
    """Flash, memory and stack on the board, as far as its tools are there."""
    try:
        command = [tool("gcc-arm-none-eabi", "arm-none-eabi-gcc"), *CORTEX_M4, *SMALL, *STANDARD]
    except Absent:
        return ["-"] * 4
    source = next(path for path in sources if path.stem == name)
    flash, ram, graph = sizes(command, source, folder)
    printed = ran[TARGETS[-1].name]
    stack = "-" if isinstance(printed, str) else str(printed[name].stack)
    return [
        str(flash),
        str(ram + _structures(source, command, folder)),
        stack,
        str(bound([graph], build.function_of(source))),
    ]


def _structures(source: Path, command: list[str], folder: Path) -> int:
    """The bytes of the structures that a caller gives."""
    header = source.with_suffix(".h").read_text()
    kinds = [
        kind for end in ("state", "workspace") for kind in [f"{build.function_of(source)}_{end}"] if kind in header
    ]
    text = "\n".join([f'#include "{source.stem}.h"', *(f"{kind} of_{kind};" for kind in kinds), ""])
    path = folder / f"structures_{source.stem}.c"
    path.write_text(text)
    return sizes([*command, f"-I{source.parent}"], path, folder)[1]


def _equal(name: str, targets: list[str], ran: dict[str, dict[str, build.Printed] | str]) -> Iterator[str]:
    want = build.in_python(PROGRAMS[name])
    for target in targets:
        printed = ran[target]
        if isinstance(printed, str):
            yield "-"
        elif printed[name].error or not want:
            yield "error, too" if printed[name].error and not want else "no"
        else:
            apart = build.difference(want, printed[name].lines)
            yield "same bits" if not apart else f"to {apart:.0e}" if apart <= PROGRAMS[name].rounding else "no"


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
