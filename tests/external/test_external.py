"""Parts of the external suites; all of them: `python -m tests.external.numba_programs` and `.packages`."""

from __future__ import annotations

import argparse

import pytest

from tests.external import numba_programs, packages
from tests.external.package_functions import SUBJECTS

OPTIONS = argparse.Namespace(name="", verbose=False, all=False)


@pytest.mark.parametrize("module", ["test_flow_control", "test_range"])
def test_numba_programs(module: str) -> None:
    pytest.importorskip("numba")
    findings = numba_programs.run_module(module, OPTIONS)
    assert findings
    assert not [f.name for f in findings if f.verdict in ("refused", "wrong")]


@pytest.mark.parametrize("name", ["filterpy.gh.GHFilter.update", "pymap3d.geodetic2ecef", "numpy_financial.pmt"])
def test_package_function(name: str) -> None:
    row = packages.measured(next(s for s in SUBJECTS if s.name == name))
    assert row.verdict in (packages.EQUAL, packages.MISSING), row.detail
