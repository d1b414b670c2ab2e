"""Compilers and emulators: found on the path, or said to be absent."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

FLAGS = ("-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-ffp-contract=off")
"""Without the last one, some compilers round a product and a sum once where Python rounds twice."""


class Absent(Exception):
    """A tool is not there; the message says which one, and what has it."""


def tool(package: str, *names: str) -> str:
    """The first of some commands that is there; `package` is what has them."""
    found = next((path for path in map(shutil.which, names) if path), None)
    if found is None:
        raise Absent(f"there is no {' or '.join(names)} ({package})")
    return found


def python_tool(package: str, *arguments: str) -> list[str]:
    """The command of a tool that is a package of Python."""
    if importlib.util.find_spec(package) is None:
        raise Absent(f"there is no {package} (pip install {package})")
    return [sys.executable, "-m", package, *arguments]


def compiled(compiler: Sequence[str], sources: Sequence[Path], target: Path) -> Path:
    """An executable of C files, by a compiler with its flags; headers are beside the target."""
    printed([*compiler, *FLAGS, f"-I{target.parent}", *map(str, sources), "-o", str(target), "-lm"])
    return target


def printed(command: Sequence[str], given: str = "") -> str:
    """What a command prints; RuntimeError with what it says where it fails."""
    done = subprocess.run(command, input=given, capture_output=True, text=True, check=False, timeout=100)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    return done.stdout


__all__ = ["FLAGS", "Absent", "compiled", "printed", "python_tool", "tool"]
