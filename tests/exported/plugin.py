"""The pytest plugin: what `check` has compared in process is compared once more as an exported file."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.programs.observed import add_options, observed

EVERY = 40
"""Of so many programs, one is tried in the sample."""


def pytest_addoption(parser: pytest.Parser) -> None:
    add_options(parser, "exported", "exported files")


@pytest.fixture(autouse=True)
def _exported(request: pytest.FixtureRequest) -> Iterator[None]:
    """Try the programs of a test, or of the sample, as files."""

    def exported(function: Callable[..., Any], program: Any, inputs: Any, is_all: bool) -> Any:
        from tests.exported.harness import tried

        return tried(program, inputs)

    with observed(request, "exported", EVERY, exported):
        yield
