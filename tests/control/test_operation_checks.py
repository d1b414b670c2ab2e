"""Checks of what an operation would fail with, made branches or left out."""

from __future__ import annotations

import numpy as np

from graph_program.extract.control.operation_checks import with_operation_checks, without_operation_checks
from graph_program.extract.diagnostics import UNKNOWN
from graph_program.extract.ir.residual import If, Op, OperationCheck, Program, Raise
from graph_program.extract.types.tensors.tensor_type import PY_BOOL
from tests.programs.plain import check


def nested(used: bool) -> Program:
    """A check whose body has a check of its own; `used` is whether anything needs the operations."""
    inner = OperationCheck([], "bad", [], 1, (), "t", loc=UNKNOWN)
    body = [
        Op("bad", "isnan", ("x",), {}, loc=UNKNOWN),
        OperationCheck([inner, Op("t", "reshape", ("x",), {}, loc=UNKNOWN)], "bad", [inner], 0, (), "y", loc=UNKNOWN),
        Op("y", "reshape", ("t",), {}, loc=UNKNOWN),
    ]
    return Program("p", ["x"], body, ["y"] if used else [], ["y"] if used else [], {"bad": PY_BOOL}, [], UNKNOWN)


def kinds(body) -> list[str]:
    found = []
    for stmt in body:
        found.append(f"raise {stmt.error}" if isinstance(stmt, Raise) else type(stmt).__name__)
        if isinstance(stmt, If):
            found += kinds(stmt.body)
    return found


def test_checks_in_a_check_are_made_branches_as_well():
    assert "OperationCheck" not in kinds(with_operation_checks(nested(True)).body)
    assert kinds(with_operation_checks(nested(True)).body).count("raise 1") == 2
    assert "OperationCheck" not in kinds(without_operation_checks(nested(False)).body)


def test_what_only_decides_about_a_known_test_is_checked():
    def known_elements(x, n: int, k: int):
        return any(bool(np.all(np.array([False, False]))) for _ in range(k) if x[n] > 0)

    def known_branch(x, n: int, k: int):
        found = 0
        for _ in range(k):
            if x[n] > 0 and bool(np.any(np.array([False]))):
                found = 1
        return found

    x = np.array([1.0, 2.0, 3.0])
    for function in (known_elements, known_branch):
        check(function, (x, 3, 3), (x, 1, 2), (x, 7, 0))


def test_what_decides_between_values_that_are_one_is_checked():
    def loop_of_no_rounds(x, n: int):
        s = np.float64(0.0)
        if x[n] < 0.0:
            for k in range(0):
                s += x[k]
        return s

    def in_a_loop(x, n: int):
        s = np.float64(1.0)
        while n > 0:
            if x[n] < 0.0:
                for k in range(0):
                    s += x[k]
            n -= 1
        return s

    def same_choice(x, n: int):
        return np.where(x[n] > 0, n, n)

    def other_choice(x, n: int):
        s = np.float64(0.0)
        if x[n] > 2.0:
            for k in range(2):
                s += x[k]
        return s

    x = np.array([1.0, -2.0, 3.0])
    for function in (loop_of_no_rounds, in_a_loop, same_choice, other_choice):
        check(function, (x, 3), (x, 1), (x, 2), (x, 7), (x, 0))
