"""Live names, written in comments at the end of the lines they hold after."""

from __future__ import annotations

import linecache
import random
import re
from types import FunctionType
from typing import Any

import pytest

from graph_program.extract.ir import tree
from graph_program.extract.source.liveness import live_after
from graph_program.extract.source.load import load_function
from graph_program.extract.source.names_read import children, free_names
from tests.source.programs import CASES
from tests.source.texts import from_text

TEXTS = {
    "straight": """
        def f(a, b):
            c = a + b  # a c
            d = c  # a d
            a, d = d, a  # a
            d = 3  # a d
            return a, d  # -
    """,
    "branches": """
        def f(a, b):
            if a:  # c
                c = b  # c
            else:
                b = 1  # -
                c = 2  # c
            return c  # -
    """,
    "loop": """
        def f(rows):
            total = 0  # total rows
            last = 1  # total rows last
            for row in rows:  # total
                new = total + row + last  # new row
                last = row  # new last
                total = new  # total last
            return total  # -
    """,
    "while": """
        def f(n):
            steps = 0  # n steps
            while n > 1:  # steps
                t = n // 2  # t steps
                n = t  # n steps
                steps += 1  # n steps
            return steps  # -
    """,
    "break and else": """
        def f(xs, d):
            for x in xs:  # d
                y = x  # x y d
                if y:  # d
                    break  # x
            else:
                x = d  # x
            return x  # -
    """,
    "walrus": """
        def f(g):
            while (chunk := g()) and chunk > 1:  # size
                size = chunk  # g size
            b = size  # b
            return (c := b) + c  # -
    """,
    "try": """
        def f(a, b):
            x = a  # x a b
            try:
                x = a + b  # x a
                y = x  # x a
                a = 2  # x a
            except ValueError as e:  # x a
                x = (x, e)  # x a
            return x, a  # -
    """,
    "finally": """
        def f(a, b):
            c = 1  # a b c
            try:
                c = a  # b c
                return b  # b c
            finally:
                print(c)  # b
            return b  # -
    """,
    "with": """
        def f(a, b):
            with a as m:  # b
                b = m  # b
                m = 1  # b
            return b  # -
    """,
    "captured": """
        def f(a, b, k):
            g = lambda: a + b  # g k a b
            a = 1  # g k a b
            def h(c=k): return c  # g h a b
            a = 2  # g h a b
            h = (b for _ in h())  # g h a b
            return g, h  # a b
    """,
    "comprehension": """
        def f(xs, k):
            y = [x * k for x in xs if x]  # y
            x = 1  # x y
            return [x for x in y], x  # -
    """,
    "delete and augmented": """
        def f(a, b):
            a += 1  # a b
            b[a] += 1  # a b
            del a  # b
            a = b  # a b
            b.x, b[a] = 1, 2  # a
            return a  # -
    """,
    "raise": """
        def f(a, b):
            if a:  # b
                c = b  # c
                raise c  # -
            return b  # -
    """,
}


def statements(node: tree.Node) -> list[tree.Stmt]:
    """All statements of a function, nested functions aside."""
    found: list[tree.Stmt] = []
    for child in children(node):
        if isinstance(child, tree.Stmt):
            found.append(child)
        if not isinstance(child, (tree.Function, tree.Expr)):
            found += statements(child)
    return found


@pytest.mark.parametrize("title", TEXTS)
def test_live_names(title: str) -> None:
    function = load_function(from_text(TEXTS[title], "f"))
    live = live_after(function)
    lines = linecache.getlines(function.loc.file)
    found: dict[int, set[str]] = {}
    for stmt in statements(function):
        if not isinstance(stmt, tree.Block):
            found[stmt.loc.line] = set(live[id(stmt)])
    for line, names in found.items():
        written = re.search(r"# (.*)", lines[line - 1])
        if written is not None:
            assert names == set(written[1].replace("-", "").split()), lines[line - 1]


def test_every_statement_has_an_entry() -> None:
    for fn, _ in CASES:
        assert isinstance(fn, FunctionType)
        function = load_function(fn)
        live = live_after(function)
        for stmt in statements(function):
            assert live[id(stmt)] <= function.locals


def test_deeply_nested_loops_stay_cheap() -> None:
    depth = 18
    lines = ["def f(x):"]
    for level in range(depth):
        lines.append("    " * (level + 1) + f"while x > {level}:")
        lines.append("    " * (level + 2) + f"v{level} = x")
    lines.append("    " * (depth + 1) + "x = " + " + ".join(f"v{level}" for level in range(depth)))
    function = load_function(from_text("\n".join(lines), "f"))
    live = live_after(function)
    innermost = statements(function)[-1]
    assert live[id(innermost)] >= {f"v{level}" for level in range(depth - 1)} | {"x"}


def test_free_names_of_nested_functions() -> None:
    text = """
    def f(a, b, c, d):
        def g(x=a):
            nonlocal b
            y = [c for c in x]
            return lambda: d + y
    """
    (stmt,) = load_function(from_text(text, "f")).body
    assert isinstance(stmt, tree.FunctionDef)
    assert free_names(stmt.function) == {"b", "d"}


# ---------------------------------------------------------------- against execution


def random_body(rng: random.Random, depth: int, in_loop: bool) -> list[str]:
    """A random block over the names a to d, all assigned, whose loops end."""
    lines: list[str] = []
    for _ in range(rng.randint(1, 4)):
        kind = rng.choice(["assign", "assign", "if", "while", "try", "leave"])
        if kind == "leave" and in_loop:
            lines += ["if tick(): " + rng.choice(["break", "continue"])]
        elif kind == "assign" or depth == 0 or kind == "leave":
            lines.append(f"{rng.choice('abcd')} = {rng.choice('abcd')} + {rng.choice('abcd')}")
        elif kind == "try":
            lines += ["try:", *indented(random_body(rng, depth - 1, in_loop))]
            lines += ["    fail()", "except ValueError:"]
            lines += indented(random_body(rng, depth - 1, in_loop))
        else:
            lines += [f"{kind} tick():", *indented(random_body(rng, depth - 1, kind == "while" or in_loop))]
            lines += ["else:", *indented(random_body(rng, depth - 1, in_loop))]
    return lines


def indented(lines: list[str]) -> list[str]:
    return ["    " + line for line in lines]


@pytest.mark.parametrize("seed", range(60))
def test_forgetting_a_dead_name_changes_nothing(seed: int) -> None:
    """Delete every name after every statement where it is dead: the result stays the same."""
    rng = random.Random(seed)
    lines = ["def f(a, b, c, d):", *indented(random_body(rng, 3, False)), "    return a, b"]
    function = load_function(from_text("\n".join(lines), "f", tick=None, fail=None))
    live = live_after(function)
    for run in range(8):
        assert execute(function, live, seed * 31 + run) == execute(function, None, seed * 31 + run)


def execute(function: tree.Function, live: dict[int, frozenset[str]] | None, seed: int) -> Any:
    """Run `function` with random outcomes of `tick` and `fail`, forgetting what `live` calls dead."""
    from tests.source import evaluator

    rng = random.Random(seed)
    steps = 0

    def tick() -> bool:
        nonlocal steps
        steps += 1
        return steps < 60 and rng.random() < 0.6

    def fail() -> None:
        if rng.random() < 0.5:
            raise ValueError

    root = FunctionType((lambda: None).__code__, {"tick": tick, "fail": fail, "ValueError": ValueError})
    frame = evaluator.Frame(function, root, None, {"a": 1, "b": 10, "c": 100, "d": 1000})

    def block(stmts: tuple[tree.Stmt, ...], frame: evaluator.Frame) -> None:
        for stmt in stmts:
            evaluator.RUN[type(stmt)](stmt, frame)
            if live is not None:
                frame.values = {k: v for k, v in frame.values.items() if k in live[id(stmt)]}

    original, evaluator.block = evaluator.block, block
    try:
        block(function.body, frame)
    except evaluator.Returning as returning:
        return returning.value
    finally:
        evaluator.block = original
    return None
