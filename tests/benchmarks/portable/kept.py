"""Folders of collected programs: one for each sample of the tests, and one for the programs of `samples`."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from typing import NamedTuple

from tests.benchmarks.graphs.corpus import FEW_TESTS, TESTS, observe
from tests.benchmarks.portable import collected

UNFINISHED = ".unfinished"
"""How the name of a folder ends whose programs are being collected."""


class Part(NamedTuple):
    """Tests whose programs are collected together: of each `every`, the one with the number `start`."""

    name: str
    paths: str
    every: int = 1
    start: int = 0


OF_SAMPLES = Part("samples", "tests/test_samples.py")
FEW = Part("few", FEW_TESTS)


def part_of_tests(every: int, start: int) -> Part:
    """One of the `every` parts that all tests come in."""
    if not 0 <= start < every:
        raise ValueError(f"--from {start}: the parts of --every {every} are 0 to {every - 1}")
    return Part(f"{every}-{start}", TESTS, every, start)


def collected_in(root: Path, part: Part, targets: bool = False) -> Path:
    """The folder with the programs of a part, which are collected where they are not there; `targets`: in few forms."""
    folder = root / part.name
    if not folder.is_dir():
        root.mkdir(parents=True, exist_ok=True)
        unfinished = Path(tempfile.mkdtemp(UNFINISHED, part.name, root))
        os.environ[collected.FEW_FORMS] = "targets" if targets else ""
        os.environ[collected.FIRST_CALLS] = "samples" if part is OF_SAMPLES else ""
        observe(collected.__name__, part.every, part.paths, unfinished, part.start)
        try:
            unfinished.rename(folder)
        except OSError:  # another process was first
            shutil.rmtree(unfinished)
    return folder


def all_in(root: Path) -> list[Path]:
    """The folders that are there, of parts of which no two have programs of the same tests."""
    folders = sorted(path for path in root.glob("*") if path.is_dir() and path.suffix != UNFINISHED)
    divided = {folder.name.partition("-")[0] for folder in folders if "-" in folder.name}
    if not folders or len(divided) > 1:
        raise ValueError(f"--kept {root}: there is nothing, or tests that were divided in several ways; say --every")
    return folders


__all__ = ["FEW", "OF_SAMPLES", "all_in", "collected_in", "part_of_tests"]
