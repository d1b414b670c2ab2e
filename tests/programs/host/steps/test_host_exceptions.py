"""Exceptions of host code: caught, raised again, unchanged on their way out, and effects in Python's order."""

from __future__ import annotations

import contextlib
import traceback
from typing import Any

import numpy as np
import pytest

from graph_program import graph_program, host_function
from graph_program.backends.host import exchange

pytestmark = pytest.mark.filterwarnings("ignore::graph_program.ImplicitCopyWarning")
LOG: list[Any] = []


@host_function
def get(k: int) -> float:
    LOG.append(("get", k))
    if k == 2:
        raise KeyError("two")
    if k == 3:
        raise ValueError("three")
    return k * 1.5


@host_function
def note(*what: Any) -> None:
    LOG.append(what)


def all_clauses(k, x):
    try:
        v = get(k)
        x = x * v
        v = get(k + 1)
    except KeyError as error:
        note("caught", str(error), repr(error), error.args)
        return x * 0
    except (ValueError, TypeError):
        note("value")
        x = x + 100
    else:
        note("else")
    finally:
        note("finally")
    return x


def in_a_loop(k, x):
    s = np.float64(0)
    for i in range(k, 6):
        try:
            s = s + get(i) * x[i]
        except KeyError as error:
            note("k", str(error))
            continue
        except ValueError:
            break
        finally:
            note("round", i)
    return s


def only_finally(k, x):
    try:
        get(k)
    finally:
        note("finally")
    return x


def nested(k, x):
    try:
        try:
            get(k)
        except KeyError:
            note("inner")
            raise
        finally:
            note("between")
    except Exception as error:
        note("outer", type(error).__name__)
        if isinstance(error, KeyError):
            raise error
        raise RuntimeError("other")  # noqa: B904
    return x


def with_own_errors(k, x):
    try:
        y = x[k + 4]
        get(k)
        if k == 1:
            raise KeyError("own")
    except (KeyError, IndexError) as error:
        note("caught", str(error), type(error).__name__)
        return str(error)
    return y


def bare(k, x):
    while True:
        try:
            get(k)
            k += 1
        except:  # noqa: E722
            note("bare")
            k += 1
        if k > 5:
            break
    return k


def suppressed(k, x):
    with contextlib.suppress(KeyError):
        get(k)
        note("not raised")
    return k


def kept(k, x):
    last = None
    for i in range(k, k + 3):
        try:
            get(i)
        except (KeyError, ValueError) as error:
            last = error
    if last is not None:
        note(repr(last))
    return x


def with_a_cause(k, x):
    try:
        get(k)
    except KeyError as error:
        raise RuntimeError("because") from error
    return x


def host_values_in_messages(k, x):
    name = str(get(k))
    if k == 1:
        raise ValueError(f"bad {name}")
    return x


def failing_handler(k, x):
    try:
        get(k)
    except KeyError:
        get(3)
    finally:
        note("finally")
    return x


def cut_short_by_an_error(k, x):
    values = []
    for i in range(3):
        values.append(x[i] * (1 // (k - i)))
        note(i)
    note("sum", float(sum(values)))
    return values[2]


PROGRAMS = [
    all_clauses,
    in_a_loop,
    only_finally,
    nested,
    with_own_errors,
    bare,
    suppressed,
    kept,
    with_a_cause,
    host_values_in_messages,
    failing_handler,
    cut_short_by_an_error,
]


def run(function: Any, args: tuple[Any, ...]) -> tuple[Any, list[Any]]:
    """What a call gives or raises, with what stands behind it, and what the host has seen."""
    LOG.clear()
    try:
        result: Any = repr(function(*args))
    except Exception as error:
        result = type(error), str(error), repr(error.__cause__)
    return result, list(LOG)


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_as_python(function: Any) -> None:
    program = graph_program(function)
    for k in range(4):
        assert run(program, (k, np.ones(6))) == run(function, (k, np.ones(6))), k
    assert not exchange._active


@pytest.mark.parametrize("function", [only_finally, nested, failing_handler], ids=lambda f: f.__name__)
def test_tracebacks(function: Any) -> None:
    def lines(call: Any) -> list[Any]:
        try:
            call(2, np.ones(6))
        except Exception as error:
            found = traceback.extract_tb(error.__traceback__)
        return [(frame.name, frame.lineno) for frame in found if frame.filename == __file__][1:]

    assert lines(graph_program(function))[-2:] == lines(function)[-2:]


def test_identity() -> None:
    mine = KeyError("mine")

    @host_function
    def fail() -> None:
        raise mine

    @graph_program
    def program(x):
        try:
            fail()
        except ValueError:
            return x
        finally:
            note("finally")
        return x + 1

    with pytest.raises(KeyError) as caught:
        program(np.ones(2))
    assert caught.value is mine


class Camera:
    def __init__(self, error: BaseException) -> None:
        self.error, self.count, self.shown = error, 0, []  # type: ignore[var-annotated]

    def read(self) -> float:
        self.count += 1
        if self.count > 4:
            raise self.error
        return self.count * 1.0

    def show(self, value: Any) -> None:
        self.shown.append(float(value))


def endless(camera, x):
    s = x.sum()
    while True:
        s = s + camera.read()
        camera.show(s)


def endless_inside(camera, x):
    s = x.sum()
    try:
        while True:
            s = s + camera.read()
            camera.show(s)
    except EOFError:
        pass
    return s


def handled_inside(camera, x):
    while True:
        try:
            camera.show(camera.read())
        except EOFError:
            camera.show(-1.0)
            camera.error = ValueError("over")


@pytest.mark.parametrize("error", [EOFError("over"), KeyboardInterrupt(), StopIteration()])
@pytest.mark.parametrize("function", [endless, endless_inside, handled_inside], ids=lambda f: f.__name__)
def test_loops_that_the_host_ends(function: Any, error: BaseException) -> None:
    outcomes = []
    for call in (function, graph_program(function)):
        camera = Camera(error)
        try:
            result: Any = call(camera, np.ones(3))
        except BaseException as raised:
            result = repr(raised)
        outcomes.append((result, camera.shown))
    assert outcomes[0] == outcomes[1]
    assert not exchange._active
