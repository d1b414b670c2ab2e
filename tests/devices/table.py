"""The table of programs in C on other processors: flash, memory, stack, and whether results are Python's."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from graph_program.backends.c.compiler import STANDARD
from graph_program.samples.devices import Absent, tool
from tests.devices import build
from tests.devices.programs import PROGRAMS
from tests.devices.stack import bound, sizes
from tests.devices.targets import CORTEX_M4, SMALL, TARGETS

HEAD = ["program", "flash", "RAM", "stack", "at most", *(target.name for target in TARGETS)]


@cache
def rows() -> tuple[tuple[str, ...], ...]:
    """A line for each program, as `HEAD` says."""
    with tempfile.TemporaryDirectory() as folder:
        sources = build.exported(Path(folder))
        ran = {target.name: _printed(target.name, sources, Path(folder)) for target in TARGETS}
        names = [target.name for target in TARGETS]
        return tuple(
            (program.title, *_costs(name, sources, ran, Path(folder)), *_equal(name, names, ran))
            for name, program in PROGRAMS.items()
        )


def absent() -> str:
    """What is not there to make the whole table; "" where all is."""
    return next(filter(None, (target.absent() for target in TARGETS)), "")


def version() -> str:
    """The compiler that sizes are by, and its version."""
    command = [tool("gcc-arm-none-eabi", "arm-none-eabi-gcc"), "-dumpfullversion"]
    return f"gcc {subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()}"


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
            apart, bound = build.difference(want, printed[name].lines), PROGRAMS[name].rounding
            yield "same bits" if not apart else f"within {bound:.0e}" if apart <= bound else "no"


__all__ = ["HEAD", "absent", "rows", "version"]
