"""The bar of a stream: there where it can be seen, and without any say in the results."""

from __future__ import annotations

import io
import sys
from typing import Any

import pytest

from graph_program import graph_program


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def doubled(n):
    if n == 9:
        raise ValueError("nine")
    return n * 2


program = graph_program(doubled)


def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """A terminal as the standard error stream; no fixture, as pytest has another stream for the test itself."""
    monkeypatch.setenv("TERM", "xterm")
    made = Terminal()
    monkeypatch.setattr(sys, "stderr", made)
    return made


def test_a_bar_says_how_many_results_there_are(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("rich")
    shown = terminal(monkeypatch)
    assert list(program.session().run_many([1, 2, 3, 4])) == [2, 4, 6, 8]
    assert "doubled" in shown.getvalue() and "4/4" in shown.getvalue()


def test_a_stream_of_unknown_length(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("rich")
    shown = terminal(monkeypatch)
    assert list(program.session().run_many(iter(n for n in (1, 2)))) == [2, 4]
    assert "2/?" in shown.getvalue()


def test_exceptions_go_through_the_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal(monkeypatch)
    results = program.session().run_many([1, 9])
    assert next(results) == 2
    with pytest.raises(ValueError, match="nine"):
        next(results)


@pytest.mark.parametrize("how", ["no terminal", "no rich", "not asked for"])
def test_nothing_is_shown(how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    stream: Any = io.StringIO() if how == "no terminal" else Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    if how == "no rich":
        monkeypatch.setitem(sys.modules, "rich", None)
        monkeypatch.setitem(sys.modules, "rich.progress", None)
    assert list(program.session().run_many([1, 2], progress=how != "not asked for")) == [2, 4]
    assert stream.getvalue() == ""
