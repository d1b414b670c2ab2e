"""Host code in a handler: the exception being handled is the current one there, and the context of what is raised."""

from __future__ import annotations

import contextlib
import functools
import gc
import io
import logging
import sys
import traceback
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from graph_program import graph_program, host_function
from graph_program.backends.host import exchange
from tests.programs.host.test_host_export import export, module_at

pytestmark = pytest.mark.filterwarnings("ignore::graph_program.ImplicitCopyWarning")
LOG: list[Any] = []
log = logging.getLogger("tests.current_exception")


@host_function
def get(k: int) -> float:
    if k == 2:
        raise KeyError("two")
    if k == 3:
        raise ValueError("three")
    return k * 1.5


@host_function
def note(*what: Any) -> None:
    LOG.append((repr(what), chain(sys.exc_info()[1]), "Error: " in traceback.format_exc()))


@host_function
def fail() -> None:
    raise RuntimeError("fail")


def chain(error: BaseException | None) -> Any:
    """An exception with its lines in this file, its cause and its context."""
    if error is None:
        return None
    places = [(f.name, f.lineno) for f in traceback.extract_tb(error.__traceback__) if f.filename == __file__]
    places = [place for place in places if place[0] != "outcome"]
    behind = chain(error.__cause__), chain(error.__context__), error.__suppress_context__
    return type(error).__name__, str(error), places, *behind


def reading(k):
    return get(k)


def of_the_host(k, x):
    try:
        x = x + reading(k)
    except KeyError as error:
        note("in", error)
        log.exception("lost %d", k)
    note("after")
    return x


def of_the_program(k, x):
    try:
        x = x + x[k + 3]
        if k == 1:
            raise ValueError(f"one of {x[0]}")
    except (IndexError, ValueError) as error:
        note("in", error)
        log.exception("lost")
        log.warning("shown", exc_info=True)
    note("after")
    return x


def raised_by_the_host_in_a_handler(k, x):
    try:
        x = x + reading(k)
    except (KeyError, ValueError):
        fail()
    return x


def raised_by_the_program_in_a_handler(k, x):
    try:
        x = x + reading(k)
    except KeyError:
        raise RuntimeError("no key")  # noqa: B904
    except ValueError:
        return x[k + 4]
    return x


def all_of_the_graph(k, x):
    try:
        if k == 1:
            raise KeyError("one")
        x = x + x[k + 3]
    except (IndexError, KeyError):
        raise ValueError(f"at {k}")  # noqa: B904
    return x


def all_of_the_graph_from(k, x):
    try:
        if k == 1:
            raise KeyError("one")
        x = x + x[k + 3]
    except KeyError:
        raise ValueError(f"at {k}") from None
    except IndexError as error:
        raise ValueError(f"at {k}") from error
    return x


def a_failing_check_in_a_handler(k, x):
    try:
        x = x + x[k + 3]
    except IndexError:
        x = x + x[np.array([k + 4])]
    return x


def chained(k, x):
    try:
        try:
            x = x * get(k)
        except KeyError as error:
            raise LookupError("no key") from error
        except ValueError:
            raise LookupError("no value")  # noqa: B904
    except LookupError as error:
        note("chained", error)
        log.exception("lost")
        raise
    return x


def nested(k, x):
    try:
        try:
            x = x * get(k)
        except KeyError:
            note("a")
            try:
                x = x + x[k + 5]
            except IndexError:
                note("b")
                fail()
            note("never")
    except RuntimeError as error:
        note("c", error)
    note("d")
    return x


def back_in_the_outer_handler(k, x):
    try:
        x = x * get(k)
    except (KeyError, ValueError):
        try:
            fail()
        except RuntimeError:
            note("inner")
        note("outer")
        raise
    return x


def in_a_loop(k, x):
    for i in range(k, k + 3):
        try:
            x = x + get(i)
        except KeyError:
            note("key", i)
            continue
        except ValueError:
            note("value", i)
            break
        else:
            note("else", i)
        finally:
            note("round", i)
    return x


def on_the_way_out(k, x):
    try:
        x = x * reading(k)
    finally:
        note("finally")
    return x


def return_on_the_way_out(k, x):
    try:
        x = x * get(k)
    finally:
        note("finally")
        return x  # noqa: B012


def inner(k, x):
    try:
        return x * get(k)
    except KeyError:
        note("inner")
        raise
    except ValueError as error:
        raise error


def through_calls(k, x):
    try:
        return inner(k, x)
    except (KeyError, ValueError) as error:
        note("outer", error)
    return x


def retry(times):
    def decorated(function):
        @functools.wraps(function)
        def retrying(*args):
            for i in range(times):
                try:
                    return function(*args)
                except ValueError as error:
                    log.warning("try %d: %s", i, error, exc_info=error)
                    last = error
            raise RuntimeError("gave up") from last

        return retrying

    return decorated


@retry(2)
def flaky(k):
    return get(k)


@retry(2)
def too_large(k, x):
    if x.sum() + k > 6:
        raise ValueError(f"sum {x.sum()}")
    return x


def retried(k, x):
    return too_large(k, x) * flaky(k)


class SensorError(Exception):
    def __init__(self, k, level):
        super().__init__(f"sensor {k} at {level}")
        self.k, self.level = k, level


def with_fields(k, x):
    try:
        if x.sum() > 3:
            raise SensorError(k, x[0] * 2)
    except SensorError as error:
        note("fields", error.k, error.level)
        log.exception("sensor %d", error.k)
        return x * error.level
    return x


class Guard:
    def __enter__(self):
        return self

    def __exit__(self, cls, error, place):
        note("exit", cls is not None)
        return False


class HostGuard:
    def __enter__(self) -> int:
        return 3

    def __exit__(self, cls: Any, error: Any, place: Any) -> bool:
        LOG.append((chain(error), error is sys.exc_info()[1]))
        return cls is ValueError


@host_function
def opened() -> HostGuard:
    return HostGuard()


def with_guards(k, x):
    with Guard(), opened():
        x = x * get(k)
        if k == 1:
            raise LookupError("one")
    return x


@host_function
def made(k: int) -> Exception:
    return OSError(k, "made")


def made_by_the_host(k, x):
    try:
        x = x + get(k)
    except ValueError as error:
        raise made(k) from error
    except KeyError:
        raise made(k) from None
    if k == 1:
        raise made(k)
    return x


def logged_in_finally(k, x):
    with contextlib.suppress(KeyError):
        try:
            x = x * get(k)
        finally:
            log.info("done %s", float(x.sum()), exc_info=True)
            warnings.warn("done", stacklevel=1)
    return x


PROGRAMS = [
    of_the_host,
    of_the_program,
    raised_by_the_host_in_a_handler,
    raised_by_the_program_in_a_handler,
    all_of_the_graph,
    all_of_the_graph_from,
    a_failing_check_in_a_handler,
    chained,
    nested,
    back_in_the_outer_handler,
    in_a_loop,
    on_the_way_out,
    return_on_the_way_out,
    through_calls,
    retried,
    with_fields,
    with_guards,
    made_by_the_host,
    logged_in_finally,
]


def outcome(function: Any, *args: Any) -> Any:
    """What a call gives or raises; what the host, the log and the warnings have of it."""
    LOG.clear()
    shown = io.StringIO()
    handler = logging.StreamHandler(shown)
    handler.setFormatter(logging.Formatter("%(filename)s:%(lineno)d %(funcName)s %(message)s"))
    log.handlers[:], log.propagate, log.level = [handler], False, logging.DEBUG
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            result = repr(function(*args))
        except Exception as error:
            result = chain(error)
    found = [(str(w.message), w.filename, w.lineno) for w in said if w.category is UserWarning]
    return result, list(LOG), shown.getvalue(), found


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_as_python(function: Any, host_way: str) -> None:
    program = graph_program(copies="ignore")(function)
    for k in range(4):
        assert outcome(program, k, np.ones(4)) == outcome(function, k, np.ones(4)), k
    assert not exchange._active


@pytest.mark.parametrize("form", ["operators", "segments"])
@pytest.mark.parametrize("function", [of_the_program, chained, nested, with_fields], ids=lambda f: f.__name__)
def test_exported(function: Any, form: str, tmp_path: Path) -> None:
    def without_places(found: Any) -> Any:
        if isinstance(found, tuple):
            return tuple(without_places(part) for part in found if not isinstance(part, list))
        return [without_places(part) for part in found] if isinstance(found, list) else found

    program = module_at(export(graph_program(function), tmp_path, form, (2, np.ones(4)))).load()
    for k in (0, 2, 3):
        found, expected = outcome(program, k, np.ones(4)), outcome(function, k, np.ones(4))
        assert without_places(found[0]) == without_places(expected[0])
        assert without_places(found[1]) == without_places(expected[1])


def test_source() -> None:
    program = graph_program(copies="ignore")(of_the_host)
    outcome(program, 2, np.ones(4))
    text = program.host_source
    assert "    except BaseException:\n        as_before(" in text
    assert "        exception(Logger, 'lost %d', " in text
    compile(text, "host.py", "exec")


def only_shown(k, x):
    try:
        x = x + x[k + 3]
    except IndexError:
        print("caught")
    note("done")
    return x


def test_nothing_crosses_where_nobody_asks() -> None:
    program = graph_program(copies="error")(only_shown)
    assert outcome(program, 2, np.ones(4)) == outcome(only_shown, 2, np.ones(4))
    assert "IndexError" not in program.host_source


def test_in_a_handler_of_the_caller(host_way: str) -> None:
    """What is current when the program is called is behind all of it, and nothing of it is lost."""

    def called(function: Any, k: int) -> Any:
        try:
            raise OSError("before")
        except OSError:
            return outcome(function, k, np.ones(4))

    for function in (of_the_host, on_the_way_out, raised_by_the_host_in_a_handler, back_in_the_outer_handler):
        assert called(graph_program(copies="ignore")(function), 2)[0] == called(function, 2)[0], function


def many(k, x):
    for i in range(k):
        try:
            if x[0] * i >= 0:
                raise SensorError(i, x[0])
        except SensorError as error:
            log.warning("again", exc_info=error)
            shown(error)
    return x


class Counted:
    most = 0


@host_function
def shown(error: Any) -> None:
    Counted.most = max(Counted.most, sum(type(o) is SensorError for o in gc.get_objects()))


def test_exceptions_go_without_a_search_for_cycles() -> None:
    program = graph_program(copies="ignore")(many)
    outcome(program, 2, np.ones(2))
    gc.collect()
    gc.disable()
    try:
        Counted.most = 0
        outcome(program, 30, np.ones(2))
    finally:
        gc.enable()
    assert 0 < Counted.most <= 3


def in_a_row(k, x):
    y = x * 2
    log.warning("sum %s", y.sum())
    warnings.warn("careful", stacklevel=1)
    return below(y) + below(y)


def below(x):
    warnings.warn("below", stacklevel=2)
    log.info("first %s", x[0], stacklevel=2)
    log.info("here")
    return x


def below_a_step(k, x):
    return below(x) * get(k)


def of_the_caller(k, x):
    warnings.warn("caller", UserWarning, 2)
    warnings.warn("its caller", stacklevel=3)
    log.info("caller %d", k, stacklevel=2)
    return x


def of_the_caller_of_a_step(k, x):
    return of_the_caller(k, x) * get(k)


IN_A_ROW = [in_a_row, below_a_step, of_the_caller, of_the_caller_of_a_step]


@pytest.mark.parametrize("function", IN_A_ROW, ids=lambda f: f.__name__)
def test_reports_are_at_their_lines(function: Any, host_way: str) -> None:
    assert outcome(graph_program(copies="ignore")(function), 1, np.ones(2)) == outcome(function, 1, np.ones(2))


def warned_twice(k, x):
    warnings.warn("twice", stacklevel=1)
    return x


def warned_twice_at_a_step(k, x):
    warnings.warn("twice", stacklevel=1)
    return x * get(k)


@pytest.mark.parametrize("function", [warned_twice, warned_twice_at_a_step], ids=lambda f: f.__name__)
def test_a_warning_is_once_for_each_place(function: Any) -> None:
    def count(call: Any) -> int:
        with warnings.catch_warnings(record=True) as said:
            warnings.filterwarnings("default", "twice", module=__name__.replace(".", r"\."))
            warnings.filterwarnings("ignore", "twice", module="(?!tests)")
            call(1, np.ones(2))
            call(1, np.ones(2))
        return len(said)

    assert count(graph_program(copies="ignore")(function)) == count(function) == 1


@pytest.mark.parametrize("function", [in_a_row, warned_twice_at_a_step], ids=lambda f: f.__name__)
def test_warnings_as_errors(function: Any) -> None:
    def raised(call: Any) -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with pytest.raises(UserWarning) as error:
                call(1, np.ones(2))
        return chain(error.value)[:2], chain(error.value)[2][-1]

    assert raised(graph_program(copies="ignore")(function)) == raised(function)
