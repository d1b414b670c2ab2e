"""The pytest plugin: what `check` has compared in onnxruntime is compared once more as machine code."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.programs.observed import add_options, observed

EVERY = 30
"""Of so many programs, one is tried in the sample."""


def pytest_addoption(parser: pytest.Parser) -> None:
    add_options(parser, "native", "machine code")
    parser.addoption("--native-sanitized", action="store_true", help="with every wrong access to memory found")


@pytest.fixture(autouse=True)
def _native(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Try the programs of a test, or of the sample, as machine code."""

    def compiled(function: Callable[..., Any], program: Any, inputs: Any, is_all: bool) -> Any:
        from graph_program.backends.c.compiler import compiler
        from tests.native.compilers import QUICK, SANITIZED, compiler_with
        from tests.native.harness import tried

        if compiler() is None:
            return None
        flags = SANITIZED if request.config.getoption("--native-sanitized") else QUICK
        with compiler_with(tmp_path_factory.getbasetemp(), flags):
            return tried(function, program, inputs, varied=is_all)

    with observed(request, "native", EVERY, compiled):
        yield
