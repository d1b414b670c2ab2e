"""Exceptions that are kept beyond their handler: in loops, raised later, told apart."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.programs.plain import check

I3 = np.array([1, 2, 3])
F3 = np.array([1.0, 2.0, 3.0])
M = np.arange(6.0).reshape(3, 2)


Z = np.array([0, 5, -1, 0, 7])


class Bad(Exception):
    pass


def first_err(x: Any) -> Any:
    err = None
    for v in x:
        try:
            if v == 0:
                raise ValueError(f"bad {v}")
            if v < 0:
                raise KeyError(int(v))
        except (ValueError, KeyError) as e:
            if err is None:
                err = e
    if err is not None:
        raise err
    return x.sum()


def last_err(x: Any) -> Any:
    err = None
    for i, v in enumerate(x):
        try:
            if v == 0:
                raise ValueError(f"bad {v} at {i}")
            if v < 0:
                raise KeyError(int(v))
        except (ValueError, KeyError) as e:
            err = e
    if err is None:
        return "ok"
    return str(err), type(err).__name__


def err_args(x: Any) -> Any:
    err = None
    for i, v in enumerate(x):
        try:
            if v == 0:
                raise ValueError("bad", i)
        except ValueError as e:
            err = e
    return None if err is None else err.args[1]


def zero_div(x: Any) -> Any:
    err = None
    t = 0
    for _i, v in enumerate(x):
        try:
            t += 10 // int(v)
        except ZeroDivisionError as e:
            err = e
    if err:
        raise err
    return t


def own_cls(x: Any) -> Any:
    err = None
    t = 0
    for _i, v in enumerate(x):
        try:
            if v < 0:
                raise Bad(f"neg {v}")
        except Bad as e:
            err = e
    if err:
        raise err
    return t


def raise_none(x: Any) -> Any:
    err = None
    for _i, v in enumerate(x):
        try:
            if v == 0:
                raise ValueError("zero")
        except ValueError as e:
            err = e
    raise err


def isinst(x: Any) -> Any:
    err = None
    for _i, v in enumerate(x):
        try:
            if v == 0:
                raise ValueError("zero")
            if v < 0:
                raise IndexError("neg")
        except Exception as e:
            err = e
    if isinstance(err, ValueError):
        return 1
    if isinstance(err, IndexError):
        return 2
    return 0


def chain(x: Any) -> Any:
    last = None
    for k in range(len(x)):
        try:
            if x[k] <= 5:
                raise ValueError(f"{x[k]} too small")
            return x[k]
        except ValueError as e:
            last = e
    raise RuntimeError(f"gave up: {last}") from last


def errs_list(x: Any) -> Any:
    errs = []
    for v in x:
        try:
            if v == 0:
                raise ValueError("zero")
        except ValueError as e:
            errs.append(str(e))
    return len(errs)


def while_retry(x: Any) -> Any:
    tries = 0
    err = None
    while tries < 3:
        tries += 1
        try:
            if x[0] + tries < 3:
                raise ValueError(f"try {tries}")
            break
        except ValueError as e:
            err = e
    else:
        raise err
    return tries, err is None


def path_err(x: Any) -> Any:
    if x[0] == 0:
        err = ValueError("zero")
    elif x[0] < 0:
        err = KeyError("neg")
    else:
        err = None
    if err is not None:
        raise err
    return 1


def path_cls(x: Any) -> Any:
    cls = ValueError if x[0] == 0 else KeyError
    if x.sum() < 8:
        raise cls("oops")
    return 1


def err_obj_loop(x: Any) -> Any:
    err = None
    for v in x:
        if v == 0:
            err = ValueError(f"zero {v}")
    if err is not None:
        raise err
    return 1


def nested_try(x: Any) -> Any:
    total = 0
    fails = 0
    for v in x:
        try:
            try:
                total += 12 // int(v)
            except ZeroDivisionError:
                fails += 1
                if fails > 1:
                    raise ValueError("too many") from None
                continue
            finally:
                total += 1
        except ValueError as e:
            return str(e), total
        else:
            total += 100
    return total, fails


def dtype_try(x: Any) -> Any:
    y = x
    for _k in range(3):
        try:
            if y[0] == 0:
                raise ValueError
            y = y / 2
        except ValueError:
            y = y + 1
    return y


def newton_retry(x: Any, h: Any) -> Any:
    for attempt in range(5):
        try:
            y = x - h * x**3
            if np.any(y < 0):
                raise ValueError("negative")
            return y, attempt
        except ValueError:
            h /= 2
    raise RuntimeError("failed")


def res_after(x: Any, h: Any) -> Any:
    for attempt in range(5):  # noqa: B007 (read afterwards)
        try:
            y = x - h * x**3
            if np.any(y < 0):
                raise ValueError("negative")
        except ValueError:
            h /= 2
        else:
            break
    else:
        raise RuntimeError("failed")
    return y * 2, attempt


def res_none(x: Any, h: Any) -> Any:
    result = None
    for _attempt in range(5):
        try:
            y = x - h * x**3
            if np.any(y < 0):
                raise ValueError("negative")
            result = y
            break
        except ValueError:
            h /= 2
            continue
        finally:
            h += 0.01
    return result, h


def assert_catch(x: Any, h: Any) -> Any:
    n = 0
    for v in x:
        try:
            if v * h >= 1e9:
                raise AssertionError("big")
            n += 1
        except AssertionError as e:
            msg = str(e)
            break
    else:
        msg = "fine"
    return msg, n


def two_errs(x: Any) -> Any:
    a = b = None
    for v in x:
        try:
            if v == 0:
                raise ValueError(f"v{v}")
            if v < 0:
                raise TypeError(f"t{v}")
        except ValueError as e:
            a = e
        except TypeError as e:
            b = e
    if a is not None and b is not None:
        return f"{a}/{b}"
    return "none"


CASES: list[tuple[Callable[..., Any], list[tuple[Any, ...]]]] = [
    (first_err, [(I3,), (Z,), (np.array([0, 1, 0]),)]),
    (last_err, [(I3,), (Z,), (np.array([0, 1, 0]),)]),
    (err_args, [(I3,), (Z,), (np.array([0, 1, 0]),)]),
    (zero_div, [(I3,), (Z,), (np.array([0, 1, 0]),)]),
    (own_cls, [(I3,), (Z,), (np.array([0, 1, 0]),)]),
    (raise_none, [(I3,), (Z,), (np.array([0, 1, 0]),)]),
    (isinst, [(I3,), (Z,), (np.array([0, 1, 0]),)]),
    (chain, [(I3,), (Z,), (np.array([0, 1, 0]),)]),
    (errs_list, [(I3,), (Z,), (np.array([0, 1, 0]),)]),
    (while_retry, [(I3,), (Z,), (np.array([0, 1, 0]),)]),
    (path_err, [(I3,), (Z,), (np.array([0, 1, 0]),)]),
    (path_cls, [(I3,), (Z,), (np.array([0, 1, 0]),)]),
    (err_obj_loop, [(I3,), (Z,), (np.array([0, 1, 0]),)]),
    (nested_try, [(I3,), (Z,), (np.array([0, 1, 0]),)]),
    (dtype_try, [(I3,), (Z,), (np.array([0, 1, 0]),)]),
    (newton_retry, [(F3, 0.1), (F3, 100.0)]),
    (res_after, [(F3, 0.1), (F3, 1e9)]),
    (res_none, [(F3, 0.1), (F3, 1e9)]),
    (assert_catch, [(F3, 0.1), (F3, 1e9)]),
    (two_errs, [(I3,), (Z,)]),
]


@pytest.mark.parametrize(("program", "inputs"), CASES, ids=lambda v: getattr(v, "__name__", ""))
def test_like_python(program: Callable[..., Any], inputs: list[tuple[Any, ...]]) -> None:
    check(program, *inputs)
