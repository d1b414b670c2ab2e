"""Whose code a function is: the project's by its record, in a checkout as in a wheel; a user's by where it lies."""

from __future__ import annotations

import importlib
from pathlib import Path

import numpy as np

from graph_program.extract import own_modules
from graph_program.extract.diagnostics import Loc
from graph_program.extract.library import heaps
from graph_program.extract.library.arrays import sets as set_programs
from graph_program.extract.pipeline import extract
from graph_program.extract.stage.machine.machine import Machine
from graph_program.extract.stage.machine.options import Options
from graph_program.extract.stage.operations.code_ownership import is_installed, is_own


def machine() -> Machine:
    return Machine(Options())


def test_what_is_declared_is_there() -> None:
    for name in own_modules.LANGUAGE + own_modules.PROGRAMS:
        assert importlib.import_module(name)


def test_the_project_is_known_by_its_record() -> None:
    assert is_own(machine(), set_programs.unique) and not is_installed(set_programs.unique)
    assert is_own(machine(), heaps.heappush)
    assert not is_own(machine(), extract) and is_installed(extract), "as in a wheel, though it lies in a checkout"


def test_a_folder_with_a_name_such_as_ours_is_the_users() -> None:
    root = Path(heaps.__file__).parents[2]
    assert not Loc(str(root / "extract_features.py"), 1, 1, 1, 2).is_library
    assert Loc(heaps.__file__, 1, 1, 1, 2).is_library


def test_the_users_code_is_known_by_where_it_lies() -> None:
    assert is_own(machine(), machine) and not is_installed(machine)
    assert not is_own(machine(), np.linalg.norm.__wrapped__) and is_installed(np.linalg.norm.__wrapped__)
