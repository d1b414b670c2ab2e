"""Exceptions that a program raises and catches: `try`, `except`, `else`, and what a handler can ask.

PYTEST_DONT_REWRITE: the programs here have `assert`s, which must mean what Python makes of them.
"""

from __future__ import annotations

import numpy as np
import pytest

from tests.programs.plain import check


class Coded(Exception):
    """With fields of its own."""

    def __init__(self, code, text="x"):
        super().__init__(f"{text}: {code}")
        self.code = code


class Base(Exception):
    pass


class Low(Base):
    code = 7


class High(Base):
    def __init__(self, value, *, weight=3):
        self.value = value
        self.weight = weight

    def __str__(self):
        return f"High<{self.value}, {self.weight}>"

    @property
    def both(self):
        return self.value + self.weight


def zero_divisor(x, n):
    try:
        y = float(x.sum()) + 10 // n
    except ZeroDivisionError:
        return np.inf
    return y


def retry(n):
    tries = 0
    while True:
        try:
            if n < 3:
                raise ValueError(f"small {n}", n)
            tries += 1
            break
        except ValueError as e:
            n += 1
            tries += len(e.args) * 10
    return n, tries


def several(n):
    try:
        if n == 0:
            raise KeyError(n)
        if n == 1:
            raise ValueError("one")
        if n == 2:
            raise OverflowError
        r = 7 // (n - 3)
    except (KeyError, ValueError) as e:
        return str(e), repr(e)
    except ArithmeticError as e:
        return f"arith {e} {type(e).__name__}", ""
    else:
        return f"fine {r}", ""


def fields(n):
    try:
        if n > 3:
            raise Coded(n * 2)
        if n > 1:
            raise Coded(n * 3, text="abc")
        return n, "", 0
    except Coded as e:
        return e.code, str(e), len(e.args)


def hierarchy(n):
    try:
        if n == 0:
            raise Low("l", 3)
        if n == 1:
            raise High(n, weight=8)
        if n == 2:
            raise High(n)
        if n == 3:
            raise Base
    except Low as e:
        return e.code, str(e)
    except High as e:
        return e.both, str(e)
    except Base as e:
        return -1, str(e)
    return -2, ""


def uncaught(n):
    if n == 0:
        raise Low("l", 3, n)
    if n == 1:
        raise High(n, weight=8)
    if n == 2:
        raise Coded(n)
    if n == 3:
        raise Base
    raise ValueError("several", (n, "a"), [n], None, 2.5)


def replaced(n):
    try:
        try:
            if n > 3:
                raise Coded(n * 2)
            10 // n
        except Coded as e:
            if e.code > 10:
                raise
            raise ValueError(f"bad {e}") from e
    finally:
        n += 1
    return n


def state_at_the_failure(x, n):
    try:
        x[0] = 5
        if n > 3:
            raise RuntimeError("stop")
        x[1] = 6
    except RuntimeError:
        x[2] = 7
    return x.sum()


def asserted(x):
    try:
        assert x > 0, "must be positive"
        assert x < 10
    except AssertionError as e:
        return str(e)
    return "ok"


def unset_behind(x, n):
    try:
        if n > 0:
            v = x[0]
        else:
            raise ValueError("no")
    except ValueError:
        pass
    return v


def text_of_either(n):
    try:
        1 // n
    except ZeroDivisionError as e:
        text = str(e)
    else:
        text = "fine"
    return text


def root(v):
    if v < 0:
        raise ValueError(f"negative: {v}")
    return v**0.5


def in_a_loop(x):
    total = 0.0
    bad = 0
    for v in x:
        try:
            total += root(float(v))
        except ValueError:
            bad += 1
    return total, bad


def from_the_loop(x):
    total = 0.0
    try:
        for v in x:
            total += root(float(v))
    except ValueError as e:
        return total, str(e)
    return total, ""


def again():
    try:
        raise ValueError("a")
    except ValueError:
        raise


def in_an_iterable(q):
    try:
        found = [k for k in range(int(apply(lambda r: r + 1.0, q) / q) % 4)]  # noqa: C416
    except ZeroDivisionError:
        return None
    return found


def apply(function, *args):
    return function(*args)


def from_a_comprehension(x, q):
    k = 0
    while k < 3 and in_an_iterable(q - k) is not None:
        x = x / 2
        k += 1
    return x


X = np.array([1.0, -1, 4])


@pytest.mark.parametrize(
    "function, inputs",
    [
        (zero_divisor, [(X, 2), (X, 0)]),
        (retry, [(0,), (5,)]),
        (several, [(n,) for n in range(5)]),
        (fields, [(5,), (2,), (0,)]),
        (hierarchy, [(n,) for n in range(5)]),
        (uncaught, [(n,) for n in range(5)]),
        (replaced, [(5,), (6,), (2,), (0,)]),
        (state_at_the_failure, [(np.zeros(4), 2), (np.zeros(4), 5)]),
        (asserted, [(1,), (-1,), (11,)]),
        (unset_behind, [(X, 1), (X, 0)]),
        (text_of_either, [(1,), (0,)]),
        (in_a_loop, [(X,), (np.zeros(0),)]),
        (from_the_loop, [(X,), (np.zeros(2),)]),
        (again, [()]),
        (from_a_comprehension, [(X, 1.0), (X, 0.0), (X, 5.0)]),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_like_python(function, inputs) -> None:
    check(function, *inputs)
