"""The tables that classify NumPy's names fit the installed NumPy."""

from __future__ import annotations

import numpy as np
import pytest

from tests.external import numpy_coverage, numpy_doctests


def test_every_name_is_classified() -> None:
    missing = [n.name for n in numpy_coverage.names() if n.kind == numpy_coverage.ON_ARRAYS and not n.known]
    assert [name for name in missing if not any(k.split()[0] == name for k in numpy_coverage.OUT_OF_REACH)] == []


@pytest.mark.skipif(np.lib.NumpyVersion(np.__version__) < "2.3.0", reason="the tables have names of NumPy 2.3")
def test_tables_name_what_there_is() -> None:
    assert numpy_coverage.unknown_names() == []


def test_what_is_out_of_reach_has_no_other_class() -> None:
    assert not set(numpy_coverage.OUT_OF_REACH) & set(numpy_coverage.CLASS_OF)


@pytest.mark.parametrize("name", ["delete", "choose", "geomspace", "unwrap", "tril_indices", "partition", "pad"])
def test_examples_of_the_documentation(name: str) -> None:
    found = list(numpy_doctests.findings(name, getattr(np, name)))
    assert found
    assert [f for f in found if f.verdict != numpy_doctests.EQUAL] == []
