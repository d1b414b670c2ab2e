"""The pytest plugin: what `check` has compared call by call is compared once more through a session."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from tests.programs.observed import add_options, observed

EVERY = 15
"""Of so many programs, one is tried in the sample."""
TIMES = 4
"""From the third call of the same sizes on, there is memory."""


@dataclass
class Report:
    """What became of a program."""

    differences: list[str] = field(default_factory=list)


def pytest_addoption(parser: pytest.Parser) -> None:
    add_options(parser, "sessions", "sessions")


@pytest.fixture(autouse=True)
def _sessions(request: pytest.FixtureRequest) -> Iterator[None]:
    """Try the programs of a test, or of the sample, through sessions."""
    with observed(request, "sessions", EVERY, _tried):
        yield


def _tried(function: Callable[..., Any], program: Any, inputs: Any, is_all: bool) -> Report:
    from tests.programs.plain import differs, outcome

    report = Report()
    with program.session() as session:
        for args in [args for args in inputs for _ in range(TIMES)]:
            expected, found = outcome(function, args), outcome(session, args)
            if differs(expected, found):
                report.differences.append(f"{args!r}: {expected!r} in Python, {found!r} through a session")
    return report
