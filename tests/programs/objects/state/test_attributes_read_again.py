"""Attributes of modules, classes and functions that a program reads are looked at again at the next call."""

from __future__ import annotations

import contextlib
import io
import sys
import time
import types
import warnings
from collections.abc import Callable
from typing import Any
from unittest import mock

import numpy as np
import pytest

from graph_program import GraphProgramError, graph_program, host_function

X = np.array([1.0, 2.0, 3.0])
settings = types.ModuleType("settings")


class Base:
    base = 1.0

    def method(self, x: Any) -> Any:
        return x + 1


class Model(Base):
    gain = 1.0
    levels = [1.0]  # noqa: RUF012
    table = {"a": 1.0}  # noqa: RUF012

    def __init__(self) -> None:
        self.act: Any = np.tanh

    def method(self, x: Any) -> Any:
        return super().method(x)

    @property
    def rate(self) -> float:
        return 2.0

    @classmethod
    def scaled(cls, x: Any) -> Any:
        return x * cls.gain

    @staticmethod
    def plain(x: Any) -> Any:
        return x

    def __call__(self, x: Any) -> Any:
        return x

    def __add__(self, x: Any) -> Any:
        return x


MODEL = Model()


def scaled_by(x, k=1.0):
    return x * k


def module_number(x):
    return x * settings.RATE


def module_array(x):
    return x * settings.W


def module_containers(x):
    return x * len(settings.NAMES) + settings.TABLE["a"]


def module_function(x):
    return settings.read() * x


def module_imported_from(x):
    from settings import RATE  # type: ignore[import-not-found]

    return x * RATE


def module_has(x):
    return x * (2 if hasattr(settings, "NEW") else 1) + getattr(settings, "NEWER", 0)


def class_number(x):
    return x * Model.gain + Model.base


def class_containers(x):
    return x * Model.levels[0] + len(Model.levels) + Model.table["a"]


def captured_object(x):
    return MODEL.method(x) + MODEL.rate + MODEL.scaled(x) + MODEL.plain(x) + MODEL(x) + (MODEL + x) + MODEL.gain


def made_object(x):
    made = Model()
    return made.method(x) + made.rate + made.scaled(x) + made.plain(x) + made(x) + (made + x) + made.gain


def callable_field(x):
    return MODEL.act(x)


def defaults(x):
    return scaled_by(x)


CHANGES: list[tuple[Any, str, Any, tuple[Callable[..., Any], ...]]] = [
    (settings, "RATE", 2.0, (module_number, module_imported_from)),
    (settings, "W", np.arange(3.0), (module_array,)),
    (settings, "NAMES", ["a", "b"], (module_containers,)),
    (settings, "read", lambda: 9.0, (module_function,)),
    (settings, "NEW", 1, (module_has,)),
    (settings, "NEWER", 1, (module_has,)),
    (Model, "gain", 3.0, (class_number, captured_object, made_object)),
    (Base, "base", 3.0, (class_number,)),
    (Model, "levels", [3.0], (class_containers,)),
    (Base, "method", lambda self, x: x * 10, (captured_object, made_object)),
    (Model, "method", lambda self, x: x * 10, (captured_object, made_object)),
    (Model, "rate", property(lambda self: 5.0), (captured_object, made_object)),
    (Model, "scaled", classmethod(lambda cls, x: x * 10), (captured_object, made_object)),
    (Model, "plain", staticmethod(lambda x: x * 10), (captured_object, made_object)),
    (Model, "__call__", lambda self, x: x * 10, (captured_object, made_object)),
    (Model, "__add__", lambda self, x: x * 10, (captured_object, made_object)),
    (MODEL, "method", lambda x: x * 10, (captured_object,)),
    (MODEL, "act", np.negative, (callable_field,)),
    (scaled_by, "__defaults__", (4.0,), (defaults,)),
]


@pytest.fixture(autouse=True)
def fresh_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "settings", settings)
    for name, value in {"RATE": 0.5, "W": np.ones(3), "NAMES": ["a"], "TABLE": {"a": 1.0}}.items():
        monkeypatch.setattr(settings, name, value, raising=False)
    monkeypatch.setattr(settings, "read", lambda: 3.0, raising=False)


@pytest.mark.parametrize(("owner", "name", "value", "functions"), CHANGES, ids=[c[1] for c in CHANGES])
def test_a_rebound_attribute_is_seen(
    owner: Any, name: str, value: Any, functions: tuple[Callable[..., Any], ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    programs = [graph_program(f, copies="ignore") for f in functions]
    before = [p(X) for p in programs]
    assert all(np.allclose(found, p.python(X)) for found, p in zip(before, programs, strict=True))
    with monkeypatch.context() as change:
        change.setattr(owner, name, value, raising=False)
        assert all(np.allclose(p(X), p.python(X)) for p in programs)
        assert not any(np.allclose(p(X), found) for found, p in zip(before, programs, strict=True))
    assert all(np.allclose(p(X), found) for found, p in zip(before, programs, strict=True))


def test_changes_in_place_are_seen() -> None:
    for function, change in (
        (module_containers, lambda: settings.NAMES.append("c")),
        (module_containers, lambda: settings.TABLE.update(a=7.0)),
        (class_containers, lambda: Model.table.update(a=Model.table["a"] + 1)),
        (class_containers, lambda: Model.levels.append(1.0)),
    ):
        program = graph_program(function)
        program(X)
        change()
        assert np.allclose(program(X), function(X))


def test_functions_of_the_standard_library_may_be_patched() -> None:
    program = graph_program(lambda x: x * time.time(), copies="ignore")
    for now in (1.0, 2.0):
        with mock.patch("time.time", lambda now=now: now):
            assert np.array_equal(program(X), X * now)


def test_what_host_code_changes_in_the_middle_of_a_call_is_an_error() -> None:
    @host_function
    def change() -> None:
        settings.RATE = 7.0  # type: ignore[attr-defined]

    @graph_program
    def program(x):
        change()
        return x * settings.RATE

    with pytest.raises(GraphProgramError, match=r"has changed 'settings\.RATE'"):
        program(X)


# ---------------------------------------------------------------- standard streams


def printed(x):
    print("max", x.max(), file=sys.stderr)
    return x * 2


def printed_in_a_function(x):
    def report(file):
        print("max", x.max(), file=file)

    report(sys.stderr)
    for k in range(2):
        print(k, file=sys.stderr)
    return x


def written(x):
    sys.stderr.write("hello\n")
    sys.stderr.flush()
    return x


def redirected(x):
    caught = io.StringIO()
    with contextlib.redirect_stderr(caught):
        print("inside", file=sys.stderr)
    print("outside", file=sys.stderr)
    return caught.getvalue()


@pytest.mark.parametrize("function", [printed, printed_in_a_function, written, redirected])
def test_the_stream_that_is_there_now_is_used(function: Callable[..., Any]) -> None:
    program = graph_program(function, copies="ignore")
    for _ in range(3):
        shown = []
        for run in (function, program):
            with contextlib.redirect_stderr(io.StringIO()) as stream:
                result = run(X)
            shown.append((stream.getvalue(), str(result)))
        assert shown[0] == shown[1]
        assert shown[0][0]


def test_a_print_to_a_standard_stream_is_no_copy(capsys: pytest.CaptureFixture[str]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        graph_program(printed)(X)
    assert capsys.readouterr().err == "max 3.0\n"


def test_a_stream_that_is_given_back_is_the_one_that_is_there_now() -> None:
    program = graph_program(lambda x: (x, sys.stdout))
    with contextlib.redirect_stdout(io.StringIO()) as stream:
        assert program(X)[1] is stream
    assert program(X)[1] is sys.stdout


def test_a_file_that_is_a_parameter_may_be_printed_to() -> None:
    @graph_program(copies="ignore")
    def program(x, file):
        print("max", x.max(), file=file)
        return x

    program(X, stream := io.StringIO())
    assert stream.getvalue() == "max 3.0\n"
