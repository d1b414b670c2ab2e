"""Programs as C files with one `main` for all of them, what these print, and what Python gives."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from graph_program.backends.c.example import STEPS
from tests.devices.programs import PROGRAMS, DeviceProgram
from tests.devices.targets import BOARD, Target

HEAD = "== "
DRIVER = """#include <stdio.h>
{declared}
int main(void) {{
{calls}
    return 0;
}}
"""


@dataclass(frozen=True)
class Printed:
    """What a program has printed: the numbers of each line, its error, and how much stack a call has used."""

    lines: list[np.ndarray[Any, Any]]
    error: int
    stack: int


def exported(folder: Path, programs: Mapping[str, DeviceProgram] = PROGRAMS) -> list[Path]:
    """The C files of all programs, and one that calls the `main` of each."""
    found = []
    for name, program in programs.items():
        path = folder / f"{name}.c"
        options = {"dims": program.dims, "example": True, "verify": False, **program.options}
        program.make().export(path, program.arguments, **options)
        main = folder / f"{name}_main.c"
        text = main.read_text().replace("int main(void)", f"int main_{name}(void);\nint main_{name}(void)")
        main.write_text(text)
        found += [path, main]
    driver = folder / "all.c"
    calls = "\n".join(f'    printf("{HEAD}{name}\\n");\n    main_{name}();' for name in programs)
    declared = "\n".join(f"int main_{name}(void);" for name in programs)
    driver.write_text(DRIVER.format(declared=declared, calls=calls))
    return [driver, *found]


def on(target: Target, sources: list[Path], folder: Path) -> dict[str, Printed]:
    """What the programs print on a processor, by name."""
    if not target.has_heap:
        sources = [BOARD / "board.c", *(_measured(source, folder) for source in sources)]
    return read(target.run(target.built(sources, folder / f"all-{target.name}")))


def _measured(source: Path, folder: Path) -> Path:
    """A file with an example that says how much stack its call has used."""
    text = source.read_text()
    if not source.stem.endswith("_main"):
        return source
    lines = []
    for line in text.splitlines():
        is_call = "const int status = " in line
        lines += ["board_paint();"] * is_call + [line] + ["board_measure();"] * is_call
    path = folder / f"measured_{source.name}"
    path.write_text("\n".join(lines) + "\n")
    return path


def function_of(source: Path) -> str:
    """The name of the function that a file is of."""
    heads = re.findall(r"^int (\w+)\(", source.with_suffix(".h").read_text(), re.MULTILINE)
    assert len(heads) == 1, heads
    return str(heads[0])


def read(text: str) -> dict[str, Printed]:
    """What was printed, by program."""
    found = {}
    for part in text.split(HEAD)[1:]:
        name, *lines = part.splitlines()
        words = [line.split(" ") for line in lines]
        errors = [int(line[1].rstrip(":")) for line in words if line[0] == "error"]
        stacks = [int(line[1]) for line in words if line[0] == "stack"]
        numbers = [np.array(list(map(_number, line[1:]))) for line in words if line[0] not in ("error", "stack")]
        found[name] = Printed(numbers, next(iter(errors), 0), max(stacks, default=0))
    return found


def _number(word: str) -> Any:
    """A number as the example prints it; a float as its bits, where that is how it is printed."""
    if word.startswith("0x"):
        return struct.unpack("d", int(word, 16).to_bytes(8, "little"))[0]
    return int(word) if word.lstrip("-").isdigit() else float(word)


def in_python(program: DeviceProgram) -> list[np.ndarray[Any, Any]]:
    """What Python gives for the calls of the example; [] where it raises."""
    function = program.make()
    has_state = hasattr(function.python, "__self__")
    found = []
    for _ in range(STEPS if has_state else 1):
        try:
            found += list(_leaves(function.python(*program.arguments)))
        except (ValueError, ArithmeticError, LookupError):
            return []
    return found


def _leaves(result: Any) -> Iterable[np.ndarray[Any, Any]]:
    if isinstance(result, tuple):
        for part in result:
            yield from _leaves(part)
    else:
        yield np.asarray(result).ravel()


def difference(want: list[np.ndarray[Any, Any]], got: list[np.ndarray[Any, Any]]) -> float:
    """The largest difference, relative to the largest number of its array; 0 where all are the same numbers."""
    assert [a.size for a in want] == [a.size for a in got], (want, got)
    largest = 0.0
    for a, b in zip(want, got, strict=True):
        if a.dtype.kind == "f":
            a, b = a.astype(float), b.astype(a.dtype).astype(float)
            with np.errstate(all="ignore"):
                apart = np.where((a == b) | (np.isnan(a) & np.isnan(b)), 0.0, np.abs(a - b))
            largest = max(largest, float(apart.max(initial=0.0)) / (float(np.abs(a).max(initial=0.0)) or 1.0))
        else:
            largest = max(largest, float(np.count_nonzero(a.astype(object) != b.astype(object))))
    return largest


__all__ = ["Printed", "difference", "exported", "function_of", "in_python", "on"]
