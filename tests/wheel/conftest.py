"""One build and one environment for all workers of a run of the tests."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from tests.tools.checkout import ROOT, copy_to
from tests.wheel.environments import Built, build, environment, python_of, run, share

TESTING = ("pytest", "hypothesis")
PATIENCE = 600
"""Seconds for the worker that makes what the others wait for."""


@dataclass(frozen=True)
class Installed:
    """An environment, a folder outside the checkout to work in, and where pytest lies for what needs it."""

    python: Path
    folder: Path
    pytest: Path

    def run(self, *arguments: str, with_pytest: bool = False) -> str:
        """What the environment's Python prints; it must not fail."""
        return run([str(self.python), *arguments], self.folder, [self.pytest] if with_pytest else [])


def once(folder: Path, make: Callable[[Path], None]) -> Path:
    """A folder that the first worker makes, and the others wait for."""
    done = folder.with_suffix(".done")
    try:
        folder.mkdir()
    except FileExistsError:
        until = time.monotonic() + PATIENCE
        while not done.exists():
            assert time.monotonic() < until, f"nothing has made {folder}"
            time.sleep(0.1)
        assert done.read_text() == "", done.read_text()
        return folder
    try:
        make(folder)
    except BaseException as error:
        done.write_text(f"another worker could not make it: {error}", encoding="utf-8")
        raise
    done.touch()
    return folder


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that all workers have."""
    own = tmp_path_factory.getbasetemp()
    return own.parent if "PYTEST_XDIST_WORKER" in os.environ else own


@pytest.fixture(scope="session")
def built(shared: Path) -> Built:
    """The sdist, and the wheel made of it."""

    def make(folder: Path) -> None:
        build(folder)

    folder = once(shared / "built", make)
    return Built(next(folder.glob("*.tar.gz")), next(folder.glob("*.whl")))


@pytest.fixture(scope="session")
def installed(shared: Path, built: Built) -> Installed:
    """The wheel with its core dependencies alone, and the tests' sources in a folder of their own."""

    def make(folder: Path) -> None:
        environment(folder / "environment", built)
        share(map(Requirement, TESTING), folder / "pytest")
        outside(folder / "outside")

    folder = once(shared / "installed", make)
    return Installed(python_of(folder / "environment"), folder / "outside", folder / "pytest")


def outside(folder: Path) -> Path:
    """The sources of the tests, and the page that lists names, away from the checkout."""
    copy_to(folder, "tests/")
    (folder / "operations.md").write_bytes((ROOT / "docs" / "operations.md").read_bytes())
    return folder
