"""The stack that a C function needs at most, by what the compiler says of each function and who calls whom."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

LIBRARY = 320
"""Bytes that a function of C's library or of the compiler's is taken to need: nothing says it."""
NODE = re.compile(r'node: \{ title: "([^"]+)" label: "([^"]*)"')
EDGE = re.compile(r'edge: \{ sourcename: "([^"]+)" targetname: "([^"]+)"')


def sizes(command: Sequence[str], source: Path, folder: Path) -> tuple[int, int, Path]:
    """Bytes of code and constants, and of variables, of a C file; and the file with who calls whom."""
    target = folder / f"{source.stem}.o"
    subprocess.run([*command, "-fcallgraph-info=su", "-c", str(source), "-o", str(target)], check=True, cwd=folder)
    size = str(command[0]).replace("gcc", "size")
    done = subprocess.run([size, str(target)], capture_output=True, text=True, check=True)
    text, data, bss = map(int, done.stdout.splitlines()[1].split()[:3])
    return text + data, data + bss, target.with_suffix(".ci")


def bound(graphs: Iterable[Path], function: str) -> int:
    """The largest stack of a call of a function, by files that `-fcallgraph-info=su` has written."""
    own: dict[str, int] = {}
    calls: dict[str, set[str]] = {}
    for graph in graphs:
        text = graph.read_text()
        for name, label in NODE.findall(text):
            found = re.search(r"(\d+) bytes \((\w+)", label)
            if found is not None:
                assert found[2] == "static", f"{name} has no fixed stack"
                own[_plain(name)] = int(found[1])
        for caller, called in EDGE.findall(text):
            calls.setdefault(_plain(caller), set()).add(_plain(called))

    @cache
    def needed(name: str) -> int:
        if name not in own:
            return LIBRARY
        return own[name] + max((needed(called) for called in calls.get(name, ())), default=0)

    return needed(function)


def _plain(name: str) -> str:
    return name.rpartition(":")[2]


__all__ = ["bound", "sizes"]
