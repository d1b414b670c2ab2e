"""The scripts of a page read descriptions as `load` does: structures, lists, writes, exceptions and state."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from graph_program import ExportError
from tests.loading import test_kinds_of_lists, test_parameters, test_programs_of_devices, test_results
from tests.pages import programs
from tests.pages.differential import compare

CASES: dict[str, tuple[Any, list[Any]]] = {
    **{f"result: {name}": case for name, case in test_results.CASES.items()},
    **{f"given list: {name}": case for name, case in test_kinds_of_lists.GIVEN.items()},
    **{f"written list: {name}": case for name, case in test_kinds_of_lists.WRITTEN.items()},
    **{f"parameter: {name}": case for name, case in test_parameters.CASES.items()},
    **{f"device: {name}": case for name, case in test_programs_of_devices.CASES.items()},
    "object of the state": (programs.Bank().pay, [(10.0,), (20.0,)]),
    "the object itself": (programs.Previous().itself, [(np.array([1.0, 2.0]),), (np.zeros(2),)]),
    "keys that come": (programs.more_keys, [([1, 2], {"a": 1.0}), ([], {"a": 2.0})]),
    "exceptions": (test_results.fails, [(test_results.A, n) for n in range(12)]),
}
REFUSED = "lists of any length in a list"


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("name", CASES)
def test_as_python(name: str, tmp_path: Path) -> None:
    if shutil.which("node") is None:
        pytest.skip("there is no node")
    program, calls = CASES[name]
    if any(hasattr(call, "kwargs") for call in calls):
        pytest.skip("its calls have arguments by keyword, which pages do not")
    try:
        compare(program, calls, tmp_path)
    except ExportError as error:
        assert error.code == "GP550" and REFUSED in str(error)
        pytest.skip(f"is refused: {REFUSED}")
