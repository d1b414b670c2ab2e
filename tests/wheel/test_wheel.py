"""A wheel in an environment of its own does what the checkout does: the demo, the samples, NumPy's names, programs."""

from __future__ import annotations

import os
import re
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from tests.test_layout import FOLDERS
from tests.tools.checkout import ROOT, files
from tests.wheel.conftest import TESTING, Installed, outside
from tests.wheel.environments import Built, from_index, interpreter, lowest, run
from tests.wheel.names import listed, programs

PARTS = 2
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
PYTEST = ("-q", "-p", "tests.wheel.chosen", "-p", "no:cacheprovider")
NIGHTLY = os.environ.get("GRAPH_PROGRAM_NIGHTLY") == "1"
nightly = pytest.mark.skipif(not NIGHTLY, reason="installs from the network; GRAPH_PROGRAM_NIGHTLY=1 runs it")
PROGRAMS = 100
SAMPLES = sorted(path.stem for path in (ROOT / "samples").glob("*.py") if path.stem != "__init__")
RUN_SAMPLES = """
import importlib, sys
for name in sys.argv[1:]:
    print(f"== {name}")
    importlib.import_module(f"graph_program.samples.{name}").main()
"""


def packaged() -> set[str]:
    """The files of the packages, by where they lie in a wheel."""
    homes = {folder: package.replace(".", "/") for package, folder in FOLDERS.items()}
    found = (name.partition("/") for name in files())
    return {f"{homes[folder]}/{rest}" for folder, _, rest in found if folder in homes}


def test_the_wheel_has_every_file_of_the_packages(built: Built) -> None:
    with zipfile.ZipFile(built.wheel) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}
        entries = archive.read(next(n for n in archive.namelist() if n.endswith("entry_points.txt"))).decode()
    assert names == packaged()
    assert {"graph_program/errors.toml", "graph_program/py.typed"} <= names
    assert "graph-program = graph_program.cli:main" in entries


def test_the_sdist_has_what_a_build_needs(built: Built) -> None:
    with tarfile.open(built.sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"pyproject.toml", "README.md", "LICENSE", "graph_program/errors.toml", "graph_program/py.typed"} <= names
    assert {name for name in files() if name.partition("/")[0] in FOLDERS.values()} <= names


def test_no_more_than_the_core_dependencies(installed: Installed) -> None:
    code = "import sys, importlib.util as u; print([n for n in sys.argv[1:] if u.find_spec(n)])"
    extras = ("pytest", "skimage", "PIL", "gymnasium", "rich", "hypothesis", "tests.none", "torch")
    assert installed.run("-c", code, *(n for n in extras if "." not in n)).strip() == "[]"
    place = Path(installed.run("-c", "import graph_program; print(graph_program.__file__)").strip())
    assert place.is_relative_to(installed.python.parents[1]) and not place.is_relative_to(ROOT)


def demo(installed: Installed) -> None:
    printed = installed.run("-m", "graph_program", "demo")
    assert "onnxruntime 24 coins" in printed
    assert "same count, labels and outlines" in printed


def every_sample(installed: Installed) -> None:
    printed = installed.run("-W", "error::graph_program.ImplicitCopyWarning", "-c", RUN_SAMPLES, *SAMPLES)
    shown = dict(zip(*[iter(re.split(r"^== (\w+)\n", printed, flags=re.MULTILINE)[1:])] * 2, strict=True))
    assert {name for name in SAMPLES if shown[name].strip()} == set(SAMPLES)


def listed_names(installed: Installed, part: int, parts: int) -> None:
    printed = installed.run("-m", "tests.wheel.run_names", "operations.md", f"{part}/{parts}")
    assert re.fullmatch(r"(\d+) of \1 names as in Python", printed.strip()), printed


def some_programs(installed: Installed, part: int, parts: int) -> None:
    every = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "tests" / "programs").rglob("test_*.py"))
    chosen = every[:: len(every) // PROGRAMS][part - 1 :: parts]
    printed = installed.run("-m", "pytest", *PYTEST, *chosen, with_pytest=True)
    counted = re.search(r"^(\d+) passed", printed, re.MULTILINE)
    assert counted is not None and int(counted[1]) >= PROGRAMS // parts, printed


def test_the_demo(installed: Installed) -> None:
    demo(installed)


def test_every_sample(installed: Installed) -> None:
    every_sample(installed)


def test_every_listed_name_has_a_program() -> None:
    names = listed(ROOT / "docs" / "operations.md")
    assert len(names) > 400
    found = programs(names)
    assert not [name for name in names if name not in found], (
        "give it a row in tests/numpy/program_tables.py or tables.py, or an expression in tests/wheel/names.py"
    )


@pytest.mark.parametrize("part", range(1, PARTS + 1))
def test_every_listed_name(installed: Installed, part: int) -> None:
    listed_names(installed, part, PARTS)


@pytest.mark.parametrize("part", range(1, PARTS + 1))
def test_programs(installed: Installed, part: int) -> None:
    some_programs(installed, part, PARTS)


@nightly
@pytest.mark.parametrize("version", PYTHONS)
def test_each_python(version: str, built: Built, tmp_path: Path) -> None:
    base = interpreter(version)
    if base is None:
        pytest.skip(f"there is no Python {version} with venv and pip")
    try_all(built, tmp_path, base, [])


@nightly
def test_the_lowest_versions(built: Built, tmp_path: Path) -> None:
    try_all(built, tmp_path, sys.executable, lowest(built.requirements()))


def try_all(built: Built, folder: Path, base: str, versions: list[str]) -> None:
    """Install the wheel as a user does, with some versions of its dependencies, and try everything."""
    python = from_index(folder / "environment", base, [str(built.wheel), *versions])
    pip = [str(python), "-m", "pip", "--disable-pip-version-check", "install", "--quiet", "--target"]
    run([*pip, str(folder / "pytest"), *TESTING], folder)
    installed = Installed(python, outside(folder / "outside"), folder / "pytest")
    demo(installed)
    every_sample(installed)
    listed_names(installed, 1, 1)
    some_programs(installed, 1, 1)
