"""Building the project's distributions, and environments that they are installed into.

Without the network: the dependencies are those of the environment that runs the tests, shared with the new one
file by file, and no others.  `pip check` says whether they are all that the wheel's metadata asks for.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import venv
import zipfile
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from email.parser import Parser
from importlib.metadata import distribution
from pathlib import Path
from shutil import copy2, copytree

from packaging.requirements import Requirement

from tests.tools.checkout import copy_to

BUILD = "import sys; from setuptools import build_meta; print(build_meta.build_{}(sys.argv[1]))"
LONGEST = 900
"""Seconds."""


@dataclass(frozen=True)
class Built:
    """The distributions, and what `pip install` is told."""

    sdist: Path
    wheel: Path

    def requirements(self) -> list[Requirement]:
        """What the wheel's metadata asks for, extras included."""
        with zipfile.ZipFile(self.wheel) as archive:
            name = next(name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
            metadata = Parser().parsestr(archive.read(name).decode())
        return [Requirement(text) for text in metadata.get_all("Requires-Dist", [])]


def build(folder: Path) -> Built:
    """Build the sdist from the files of the checkout, and the wheel from the sdist's."""
    source = copy_to(folder / "checkout")
    sdist = folder / _built("sdist", source, folder)
    with tarfile.open(sdist) as archive:
        archive.extractall(folder, filter="data")
    return Built(sdist, folder / _built("wheel", folder / sdist.name.removesuffix(".tar.gz"), folder))


def _built(kind: str, source: Path, folder: Path) -> str:
    return run([sys.executable, "-c", BUILD.format(kind), str(folder)], source).splitlines()[-1]


def run(command: list[str], folder: Path, path: Iterable[Path] = ()) -> str:
    """What a command prints; an AssertionError with all of it where it fails."""
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "GRAPH_PROGRAM", "PYTEST"))
    }
    given = {**kept, "PYTHONPATH": os.pathsep.join(map(str, path)), "PYTHONIOENCODING": "utf-8"}
    done = subprocess.run(
        command, cwd=folder, env=given, capture_output=True, encoding="utf-8", errors="replace", timeout=LONGEST
    )
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout}{done.stderr}"
    return done.stdout


def environment(folder: Path, built: Built) -> Path:
    """The Python of a new environment with the wheel and its core dependencies alone."""
    python = _empty(folder)
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", str(python)]
    run([*pip, "install", "--quiet", "--no-deps", "--no-index", str(built.wheel)], folder)
    share(built.requirements(), Path(run([str(python), "-c", SITE], folder).strip()))
    run([*pip, "check"], folder)
    return python


SITE = "import sysconfig; print(sysconfig.get_path('purelib'))"


def _empty(folder: Path) -> Path:
    venv.EnvBuilder(symlinks=os.name != "nt").create(folder)
    return python_of(folder)


def from_index(folder: Path, base: str, what: Iterable[str]) -> Path:
    """The Python of a new environment of some interpreter, with what pip installs from the network's index."""
    folder.mkdir()
    run([base, "-m", "venv", str(folder)], folder)
    python = python_of(folder)
    run([str(python), "-m", "pip", "--disable-pip-version-check", "install", "--quiet", *what], folder)
    return python


def lowest(requirements: Iterable[Requirement]) -> list[str]:
    """The first version of each core dependency that is allowed."""
    core = [r for r in requirements if r.marker is None or r.marker.evaluate({"extra": ""})]
    return [f"{r.name}=={spec.version}" for r in core for spec in r.specifier if spec.operator == ">="]


def interpreter(version: str) -> str | None:
    """A Python of that version, `3.12`, on this machine."""
    versions = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    names = [f"python{version}", *map(str, versions.glob(f"{version}.*/bin/python"))]
    return next((name for name in names if _is_version(name, version)), None)


def _is_version(python: str, version: str) -> bool:
    code = "import sys, venv, ensurepip; print('%d.%d' % sys.version_info[:2])"
    with suppress(OSError):
        done = subprocess.run([python, "-c", code], capture_output=True, text=True, check=False)
        return done.returncode == 0 and done.stdout.strip() == version
    return False


def python_of(folder: Path) -> Path:
    """The interpreter of an environment."""
    return folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def share(requirements: Iterable[Requirement], folder: Path) -> None:
    """Let a folder have the distributions that are asked for, and those that these ask for."""
    folder.mkdir(parents=True, exist_ok=True)
    waiting, seen = list(requirements), set[str]()
    while waiting:
        asked = waiting.pop()
        if asked.name.lower() in seen or not (asked.marker is None or asked.marker.evaluate({"extra": ""})):
            continue
        seen.add(asked.name.lower())
        found = distribution(asked.name)
        waiting += map(Requirement, found.requires or ())
        for name in {file.parts[0] for file in found.files or ()} - {"..", "__pycache__"}:
            _link(Path(str(found.locate_file(name))), folder / name)


def _link(target: Path, place: Path) -> None:
    if place.exists() or not target.exists():
        return
    if os.name != "nt":  # where links need a permission
        place.symlink_to(target)
    elif target.is_dir():
        copytree(target, place)
    else:
        copy2(target, place)


__all__ = ["Built", "build", "environment", "from_index", "interpreter", "lowest", "python_of", "run", "share"]
