"""Strings that become longer in every round, of alternatives that are known: carried on the host."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from graph_program import graph_program
from tests.programs.plain import Cases, check

pytestmark = [
    pytest.mark.usefixtures("host_way"),
    pytest.mark.filterwarnings("ignore::graph_program.ImplicitCopyWarning"),
]
MARKS = (np.array([1, 0, 1, 1]),), (np.array([], int),), (np.zeros(2, int),)
cases = Cases()


@dataclass
class Pen:
    text: str = ""

    def put(self, text: str) -> None:
        self.text += text


@cases(*MARKS)
def conditional(v: Any) -> Any:
    line = ""
    for k in v:
        line = line + ("a" if k else "b")
    return line


@cases(*MARKS)
def indexed(v: Any) -> Any:
    line = ">"
    for k in v:
        line += "ab"[k]
    return line, len(line), line.endswith("b")


@cases(*MARKS)
def one_constant(v: Any) -> Any:
    line = ""
    for _ in v:
        line += "#"
    return line


@cases((10,), (0,), (1,))
def to_binary(n: Any) -> Any:
    s = ""
    while n:
        s = ("1" if n % 2 else "0") + s
        n //= 2
    return s or "0"


@cases((np.array([[1, 0], [2, -1]]),), (np.zeros((0, 2)),))
def nested(m: Any) -> Any:
    out = ""
    for row in m:
        for v in row:
            out += "#" if v > 0 else "."
        out += "\n"
    return out


@cases(*MARKS)
def on_sides(v: Any) -> Any:
    s = ""
    for k in v:
        if k > 0:
            s = s + "x"
        elif s.endswith("x"):
            s = s[:-1]
        else:
            s += "yz"
    return s


@cases(*MARKS)
def in_structures(v: Any) -> Any:
    pen, rows, pair, kept = Pen(), ["", ""], ("", ""), {"a": ""}
    for i, k in enumerate(v):
        mark = "x" if k > 0 else "-"
        pen.put(mark)
        rows[i % 2] += mark
        pair = (pair[1], pair[0] + mark)
        kept["a"] += mark
    return pen.text, rows, pair, kept


@cases(*MARKS)
def two_of_each_other(v: Any) -> Any:
    a = b = ""
    for k in v:
        a, b = b + "x", a + ("y" if k > 0 else "z")
    return a, b


@cases(*MARKS)
def put_to_the_test(v: Any) -> Any:
    s, found = "", 0
    for k in v:
        s += "a" if k > 0 else "b"
        if s == "ab":
            found += 1
        if len(s) > 3:
            raise ValueError(f"too long: {s}")
    return s, found


@cases(*MARKS)
def by_tail_calls(v: Any) -> Any:
    def go(i: Any, text: Any) -> Any:
        return text if i == len(v) else go(i + 1, text + ("a" if v[i] > 0 else "b"))

    return go(0, "")


@cases(*MARKS)
def last_ten(v: Any) -> Any:
    w = "." * 10
    for k in v:
        w = w[1:] + ("x" if k > 0 else "y")
    return w


@cases(*MARKS)
def of_bytes(v: Any) -> Any:
    s = b""
    for k in v:
        s += b"a" if k > 0 else b"b"
    return s


@cases(*MARKS)
def elements_of_a_list(v: Any) -> Any:
    rows = [""]
    for k in v:
        rows.append(rows[-1] + ("a" if k > 0 else "b"))
    return rows


@cases(*MARKS)
def elements_of_one_kind(v: Any) -> Any:
    rows, pairs, first, last = [""], [("", 0)], ["", "z"], ("a",)
    for k in v:
        rows.append(rows[-1] + "a")
        pairs.append((pairs[-1][0] + "ab"[k], int(k)))
        first[0] += "#"
        first.append("x")
        last = (last[0] + "b", *last)
    return rows, pairs, first, last


@cases((np.array([1, 0, 2]),), (np.array([0, 0, -1]),))
def without_a_loop(v: Any) -> Any:
    s = t = ""
    for i in (0, 1, 2) * 5:
        s += "x" if v[i] > 0 else "-"
        if v[i] > 1:
            t = t + "xy"
            continue
        t = t + "-"
    return s, t


@cases.each
def test_growing(fn: Any, inputs: Any) -> None:
    check(fn, *inputs)


def test_sets_of_known_things_stay_in_the_graph() -> None:
    def program(v: Any) -> Any:
        seen = frozenset()
        for k in v:
            seen = seen | {"a" if k > 0 else "b"}
        return "a" in seen, len(seen)

    check(program, *MARKS)


def test_a_chain_of_states_stays_in_the_graph() -> None:
    def program(v: Any) -> Any:
        state = "s0"
        for k in v:
            if state == "s0" and k > 0:
                state = "s1"
            elif state == "s1":
                state = "s2"
            elif state == "s2":
                state = "s3"
            elif state == "s3":
                state = "s4"
            elif state == "s4":
                state = "s0"
        return state

    check(program, *MARKS)
    compiled = graph_program(program)
    compiled(MARKS[0][0])
    assert not compiled.host_source
