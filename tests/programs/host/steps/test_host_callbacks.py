"""Functions made in a program, as arguments of host code."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from graph_program import GraphProgramError, graph_program, host_function
from tests.programs.host.test_host_export import FORMS, export, module_at

SHOWN: list[Any] = []
SCALE = 3.0


@host_function
def table(n: int) -> dict[str, float]:
    return {f"k{i}": float((i * 7) % 5) for i in range(n)}


@host_function
def call_with(function: Any, *args: Any) -> float:
    return float(function(*args))


@host_function
def each(n: int, function: Any) -> None:
    for i in range(n):
        function(i)


def show(*values: Any) -> None:
    SHOWN.append(copy.deepcopy(values))


def keys(x, n):
    found = table(n)
    sign = -2
    best = sorted(found.items(), key=lambda kv: -kv[1])
    worst = min(found, key=lambda k, w=3: found[k] * sign + w)
    return best, worst, max(found.items(), key=lambda kv: (kv[1], kv[0]))


def two_on_a_line(x, n):
    return [call_with(lambda v: v + 1, 1.0), call_with((lambda v: v + 2), 1.0), call_with(lambda v: v * SCALE, n)]


def parameters(x, n):
    return call_with(lambda v, *rest, w=4.0: np.sqrt(v) * w + sum(rest), float(x.sum()) + n, 2, 3)


def definition(x, n):
    y = x * 2

    def on_step(i: int, label: str = "step") -> None:
        show(label, i, y, n)

    each(n, on_step)
    return y.sum() + call_with(lambda v: v * n, 1.5)


def of_a_helper(x, n):
    def with_offset(offset: float) -> Any:
        return call_with(lambda v: v + offset, 1.0)

    return with_offset(2.0) + with_offset(x[0])


def inner_functions(x, n):
    def double(v: float) -> float:
        return 2 * v

    return call_with(lambda v: double(v) + 1, n)


def in_a_loop(x, n):
    total = 0.0
    for k in range(n):
        total += call_with(lambda v, k=k: v * k, 2.0)
        show(sorted(table(n), key=lambda name: (len(name) + k) % 2))
    return total


PROGRAMS = [keys, two_on_a_line, parameters, definition, of_a_helper, inner_functions, in_a_loop]


@pytest.mark.parametrize("function", PROGRAMS)
def test_as_python(function: Any, host_way: str) -> None:
    program = graph_program(copies="ignore")(function)
    for n in (3, 1):
        outcomes = []
        for run in (function, program):
            SHOWN.clear()
            outcomes.append((repr(run(np.array([1.0, 2.5]), n)), repr(SHOWN)))
        assert outcomes[0] == outcomes[1]


def assigned_later(x, n):
    step = 1
    add = lambda i: show(i + step)  # noqa: E731
    step = 2
    each(n, add)
    return x


def changed_by_both(x, n):
    found: list[int] = []
    each(n, lambda i: found.append(i))
    return found


def loop_variable(x, n):
    for k in range(n):
        each(k, lambda i: show(i, k))  # noqa: B023
    return x


def assigns(x, n):
    count = 0

    def on_step(i):
        nonlocal count
        count += 1

    each(n, on_step)
    return count


def calls_itself(x, n):
    def down(i):
        return 0 if i == 0 else down(i - 1)

    return call_with(down, n)


@pytest.mark.parametrize("function", [assigned_later, changed_by_both, loop_variable, assigns, calls_itself])
def test_what_would_not_be_the_same_is_refused(function: Any) -> None:
    with pytest.raises(GraphProgramError, match="GP529"):
        graph_program(copies="ignore")(function)(np.ones(2), 3)


@pytest.mark.parametrize("form", FORMS)
def test_exported(form: str, tmp_path: Path) -> None:
    program = graph_program(copies="ignore")(keys)
    args = (np.array([1.0, 2.5]), 4)
    made = module_at(export(program, tmp_path, form, args)).load(table=table)
    assert repr(made(*args)) == repr(keys(*args))
    with pytest.raises(GraphProgramError, match=r"GP529.*cannot be written into a file"):
        export(graph_program(copies="ignore")(definition), tmp_path / "other", form, args)
