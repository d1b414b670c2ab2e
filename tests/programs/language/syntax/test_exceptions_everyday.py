"""Everyday programs with exceptions, as NumPy users write them.

PYTEST_DONT_REWRITE: the programs here have `assert`s, which must mean what Python makes of them.
"""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest

from graph_program import graph_program
from tests.programs.plain import check


def validate(a, lo):
    if a.ndim != 2:
        raise ValueError("need 2-D")
    if a.shape[0] < lo:
        raise ValueError(f"too few rows: {a.shape[0]} < {lo}")
    return a


def validated(x, lo):
    try:
        y = validate(x, lo)
    except ValueError as e:
        return np.zeros(1), str(e)
    return y.sum(axis=0), ""


def safe_quotients(x, y):
    out = np.zeros(x.shape[0])
    errors = 0
    for i in range(x.shape[0]):
        try:
            out[i] = int(x[i]) // int(y[i])
        except ZeroDivisionError:
            out[i] = np.nan
            errors += 1
    return out, errors


def smaller_steps(x, n):
    step = 1.0
    for attempt in range(5):
        try:
            y = x * step
            if y.sum() > n:
                raise OverflowError("too big")
        except OverflowError:
            step /= 2
            continue
        else:
            return attempt, y
        finally:
            step += 0.25
    raise RuntimeError(f"no success after {attempt + 1}")


class Acc:
    def __init__(self, cap):
        self.total = 0.0
        self.cap = cap

    def add(self, v):
        if self.total + v > self.cap:
            raise OverflowError(self.total)
        self.total += v


def a_method_that_raises(x, cap):
    a = Acc(cap)
    try:
        for v in x:
            a.add(float(v))
    except OverflowError as e:
        return a.total, e.args[0]
    return a.total, -1.0


def a_default_for_what_is_outside(x):
    def get(i):
        try:
            return x[i]
        except IndexError:
            return np.float64(0.0)

    return get(0) + get(1) + get(5) + get(-9)


def all_ways_out_of_a_while(n):
    s = 0
    while n > 0:
        n -= 1
        try:
            if n % 3 == 0:
                raise ValueError
            if n % 5 == 0:
                break
        except ValueError:
            s += 1
            continue
        s += 10
    else:
        s += 1000
    return s


def written_before_and_after(x, n):
    try:
        x[0] = 10 // n
    finally:
        x[1] = 99
    return x


class AppError(Exception):
    pass


def translated(n):
    try:
        return 1 // n
    except ZeroDivisionError as e:
        raise AppError(f"app: {e}") from e


def builtin_hierarchy(n):
    try:
        if n == 0:
            raise FileNotFoundError("f")
        if n == 1:
            raise PermissionError("p")
        if n == 2:
            raise TimeoutError
        if n == 3:
            raise LookupError("l")
        if n == 4:
            raise AppError("a", 1)
    except FileNotFoundError:
        r = 1
    except OSError:
        r = 2
    except (LookupError, ArithmeticError):
        r = 3
    except:  # noqa: E722
        r = 4
    else:
        r = 5
    return r


def which_class(n):
    try:
        if n == 0:
            raise ValueError(n, "v")
        if n == 1:
            raise KeyError("k")
        if n == 2:
            raise IndexError("i")
    except Exception as e:
        if isinstance(e, LookupError):
            return "lookup", str(e), type(e).__name__
        if isinstance(e, ValueError):
            return "value", str(e.args[1]), "x"
        return "other", "", ""
    return "none", "", ""


@dataclasses.dataclass
class Bad(Exception):
    code: int
    where: float = 2.0


def a_dataclass(n):
    try:
        if n > 1:
            raise Bad(n)
        if n > 0:
            raise Bad(n, where=n / 2)
    except Bad as b:
        return b.code, b.where
    return 0, 0.0


def a_dataclass_uncaught(n):
    if n > 1:
        raise Bad(n)
    if n > 0:
        raise Bad(n, where=n / 2)
    return n


def singular(a, b):
    try:
        return np.linalg.solve(a, b)
    except np.linalg.LinAlgError:
        return np.full_like(b, np.nan)


def overflow(n):
    total = 1
    try:
        for i in range(1, n):
            total *= i
    except OverflowError:
        return -1
    return total


def order_of_finals(n):
    log = 0
    try:
        try:
            try:
                log = log * 10 + 1
                if n == 1:
                    raise ValueError
                if n == 2:
                    return log
            finally:
                log = log * 10 + 2
        except ValueError:
            log = log * 10 + 3
        finally:
            log = log * 10 + 4
    finally:
        log = log * 10 + 5
    return log


def raised_in_else(n):
    try:
        try:
            pass
        except ValueError:
            return 1
        else:
            if n:
                raise ValueError
        return 3
    except ValueError:
        return 2


def break_in_final(n):
    c = 0
    for i in range(n):
        try:
            if i == 2:
                raise ValueError
            c += 1
        finally:
            if i == 2:
                break  # noqa: B012
    return c


def the_name_is_deleted(n):
    e = 5
    try:  # noqa: SIM105
        1 // n
    except ZeroDivisionError as e:  # noqa: F841
        pass
    return e


def unset(x, n):
    try:
        if n:
            y = x.sum()
        return y + 1
    except UnboundLocalError as e:
        return str(e)


def number_of_a_text(s):
    try:
        return float(s)
    except ValueError:
        return math.nan


def missing_keys(n):
    d = {"a": 1.0, "b": 2.0}
    total = 0.0
    for k in ("a", "c", "b"):
        try:
            total += d[k] * n
        except KeyError as e:
            total -= len(e.args)
    return total


def assert_with_a_text(x, n):
    assert x.shape[0] == n, f"expected {n}, got {x.shape[0]}"
    return x.sum()


def no_attribute(x):
    try:
        return x.foo
    except AttributeError as e:
        return str(e)


def no_length(x):
    try:
        return len(5)
    except TypeError as e:
        return str(e)


def unpacked_array(x):
    try:
        a, b = x
    except ValueError as e:
        return str(e)
    return a + b


def unpacked_tuple(x):
    try:
        a, b = (1, 2, 3)
    except ValueError as e:
        return str(e)
    return a + b


def position_in_a_list(x, v):
    try:
        i = [1, 2, 3].index(v)
    except ValueError as e:
        return str(e)
    return i


CASES = [
    (validated, [(np.ones((3, 2)), 2), (np.ones((3, 2)), 5), (np.ones(3), 1)]),
    (safe_quotients, [(np.array([4.0, 5, 6]), np.array([2.0, 0, 3]))]),
    (smaller_steps, [(np.ones(4), 3), (np.ones(4), 100), (np.ones(4), -1)]),
    (a_method_that_raises, [(np.ones(4), 10.0), (np.ones(4), 2.5)]),
    (a_default_for_what_is_outside, [(np.arange(3.0) + 1,), (np.zeros(0),)]),
    (all_ways_out_of_a_while, [*[(k,) for k in range(14)]]),
    (written_before_and_after, [(np.zeros(3), 2), (np.zeros(3), 0)]),
    (translated, [(1,), (0,)]),
    (builtin_hierarchy, [*[(k,) for k in range(6)]]),
    (which_class, [*[(k,) for k in range(4)]]),
    (a_dataclass, [(0,), (1,), (2,)]),
    (a_dataclass_uncaught, [(0,), (1,), (2,)]),
    (singular, [(np.eye(2) * 3, np.ones(2)), (np.ones((2, 2)), np.ones(2))]),
    (overflow, [(5,), (20,)]),
    (order_of_finals, [(0,), (1,), (2,)]),
    (raised_in_else, [(0,), (1,)]),
    (break_in_final, [(1,), (2,), (5,)]),
    (the_name_is_deleted, [(1,), (0,)]),
    (unset, [(np.ones(2), 1), (np.ones(2), 0)]),
    (number_of_a_text, [("1.5",), ("abc",)]),
    (missing_keys, [(2.0,)]),
    (assert_with_a_text, [(np.ones(2), 2), (np.ones(2), 3)]),
    (no_attribute, [(np.ones(2),)]),
    (no_length, [(np.ones(2),)]),
    (unpacked_array, [(np.ones(2),), (np.ones(3),)]),
    (unpacked_tuple, [(np.ones(2),)]),
    (position_in_a_list, [(np.ones(2), 3), (np.ones(2), 7)]),
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("function, inputs", CASES, ids=lambda value: getattr(value, "__name__", ""))
def test_like_python(function, inputs) -> None:
    check(function, *inputs)


def test_the_cause_of_an_exception() -> None:
    with pytest.raises(AppError) as found:
        graph_program(translated)(0)
    assert repr(found.value.__cause__) == "ZeroDivisionError('integer division or modulo by zero')"


def test_a_caught_exception_is_printed(capsys) -> None:
    @graph_program
    def program(n):
        try:
            10 // n
        except ZeroDivisionError as e:
            print("caught", e, n)
        finally:
            print("done", n)
        return n

    program(0)
    program(2)
    assert capsys.readouterr().out == "caught integer division or modulo by zero 0\ndone 0\ndone 2\n"
