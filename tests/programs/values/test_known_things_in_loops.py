"""Strings, enum members and functions that a loop of the graph carries."""

from __future__ import annotations

import enum
from typing import Any

import numpy as np

from tests.programs.plain import check

SIGNALS = [(np.array([0.0, 2, 3, 0, 5]),), (np.array([2.0, 0.0]),), (np.array([]),), (np.zeros(3),)]


class Mode(enum.Enum):
    IDLE = 0
    RUN = 1
    STOP = 2


def test_strings() -> None:
    def program(x: Any) -> Any:
        state, running = "idle", 0
        for v in x:
            if state == "idle" and v > 1:
                state = "run"
            elif state == "run" and v == 0:
                state = "stop"
            running += state == "run"
        return state, running

    check(program, *SIGNALS)


def test_enum_members_and_match() -> None:
    def program(x: Any) -> Any:
        mode = Mode.IDLE
        for v in x:
            match mode:
                case Mode.IDLE:
                    if v > 1:
                        mode = Mode.RUN
                case Mode.RUN if v == 0:
                    mode = Mode.STOP
        return mode, mode is Mode.STOP, mode.name

    check(program, *SIGNALS)


def test_functions() -> None:
    def program(x: Any) -> Any:
        def slow(v: Any) -> Any:
            return v + total

        def fast(v: Any) -> Any:
            return v * 2.0

        step, total = slow, 0.0
        for v in x:
            total += step(float(v))
            step = fast if v > 2 else slow
        return total

    check(program, *SIGNALS)


def test_none_or_one_of_several() -> None:
    def program(x: Any) -> Any:
        mode, last = None, "none"
        for v in x:
            if mode is None and v > 0:
                mode = "up"
            elif mode == "up" and v > 2:
                mode = "top"
            last = mode if mode is not None else last
        return mode, last

    check(program, *SIGNALS)


def test_numbers_of_a_table() -> None:
    def program(x: Any) -> Any:
        gains = {"low": 1.0, "high": 3.0}
        level, out = "low", np.zeros(len(x))
        for i, v in enumerate(x):
            out[i] = v * gains[level]
            if v > 2:
                level = "high"
        return out

    check(program, *SIGNALS)


def test_exchanged_in_nested_loops() -> None:
    def program(n: int) -> Any:
        a, b, c = "a", "b", "c"
        for i in range(n):
            j = 0
            while j < i:
                a, b = b, a
                j += 1
            if i % 3 == 2:
                a, b, c = c, a, b
        return a, b, c

    check(program, *((n,) for n in range(7)))


def test_texts_in_messages() -> None:
    def program(x: Any) -> Any:
        state = "start"
        for v in x:
            if v > 2:
                raise ValueError(f"{v:.1f} in state {state}")
            state = "on" if v > 0 else "off"
        return state

    check(program, *SIGNALS)
