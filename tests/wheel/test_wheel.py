"""A wheel in an environment of its own does what the checkout does: the demo, the samples, NumPy's names, programs."""

from __future__ import annotations

import re
import tarfile
import zipfile
from pathlib import Path

import pytest

from tests.test_layout import FOLDERS
from tests.tools.checkout import ROOT, files
from tests.wheel.conftest import Installed
from tests.wheel.environments import Built
from tests.wheel.names import listed, programs

PARTS = 2
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


def test_the_demo(installed: Installed) -> None:
    printed = installed.run("-m", "graph_program", "demo")
    assert "onnxruntime 24 coins" in printed
    assert "same count, labels and outlines" in printed


def test_every_sample(installed: Installed) -> None:
    printed = installed.run("-W", "error::graph_program.ImplicitCopyWarning", "-c", RUN_SAMPLES, *SAMPLES)
    shown = dict(zip(*[iter(re.split(r"^== (\w+)\n", printed, flags=re.MULTILINE)[1:])] * 2, strict=True))
    assert {name for name in SAMPLES if shown[name].strip()} == set(SAMPLES)


def test_every_listed_name_has_a_program() -> None:
    names = listed(ROOT / "docs" / "operations.md")
    assert len(names) > 400
    found = programs(names)
    assert not [name for name in names if name not in found], "give it an expression in tests/wheel/names.py"


@pytest.mark.parametrize("part", range(1, PARTS + 1))
def test_every_listed_name(installed: Installed, part: int) -> None:
    printed = installed.run("-m", "tests.wheel.run_names", "operations.md", f"{part}/{PARTS}")
    assert re.fullmatch(r"(\d+) of \1 names as in Python", printed.strip()), printed


@pytest.mark.parametrize("part", range(1, PARTS + 1))
def test_programs(installed: Installed, part: int) -> None:
    every = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "tests" / "programs").glob("test_*.py"))
    chosen = every[part - 1 :: PARTS][:: len(every) // PROGRAMS][: PROGRAMS // PARTS + 2]
    pytest_options = ("-q", "-p", "tests.wheel.chosen", "-p", "no:cacheprovider")
    printed = installed.run("-m", "pytest", *pytest_options, *chosen, with_pytest=True)
    counted = re.search(r"^(\d+) passed", printed, re.MULTILINE)
    assert counted is not None and int(counted[1]) >= PROGRAMS // PARTS, printed
