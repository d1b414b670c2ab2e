"""Options and fixtures that all tests share: golden files and how they are updated."""

from __future__ import annotations

import os
from types import FunctionType
from typing import Never

import pytest
from hypothesis import settings

from graph_program.calls.kept_programs.reached import NotKept, Reached
from tests.goldens import Case
from tests.passes import without

pytest_plugins = ["tests.exported.plugin", "tests.native.plugin", "tests.sessions.plugin"]

os.environ.setdefault("GRAPH_PROGRAM_BACKEND", "onnxruntime")  # what a call runs never depends on the time

settings.register_profile("same", derandomize=True, deadline=None)
settings.load_profile("same")  # others each time: --hypothesis-profile=default


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write what the tests see into the golden files")


@pytest.fixture(autouse=True)
def nothing_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Programs are extracted, whatever earlier runs of the tests have kept of them."""

    def none(reached: Reached, function: FunctionType) -> Never:
        raise NotKept

    monkeypatch.setattr(Reached, "__init__", none)


@pytest.fixture
def loops_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the pass that makes array operations of loops, which would leave none of them."""
    without(monkeypatch, "vectorize")


@pytest.fixture
def check_golden(request: pytest.FixtureRequest) -> object:
    """Compare a text with what a golden case expects, or make it what the case expects."""

    def check(case: Case, text: str) -> None:
        if request.config.getoption("--update-golden"):
            case.update(text)
        else:
            assert text == case.expected, f"differs from {case.path.name}; to accept it: pytest --update-golden"

    return check
