"""Methods of lists, tuples, dicts and strings inside programs, against Python."""

from __future__ import annotations

import numpy as np
import pytest

from graph_program.backends.host.errors import make_exception
from graph_program.extract.diagnostics import GraphProgramError
from tests.stage.oracle import same, stage

CAPTURED = [1, 2]
TABLE = {"a": 1}


def test_list_methods():
    def f(x, y):
        items = [x]
        items.append(y)
        items.extend((1.0, 2.0))
        items.insert(1, x * 2)
        last = items.pop()
        first = items.pop(0)
        copy = items.copy()
        copy.reverse()
        items.clear()
        items.append(last)
        return items, copy, first, len(copy)

    same(f, 1.0, 2.0)


def test_list_sort_remove():
    def f(x):
        names = ["b", "c", "a"]
        names.sort()
        names.remove("b")
        pairs = [(2, x), (1, x + 1)]
        pairs.sort(key=lambda p: p[0], reverse=True)
        return names, pairs

    same(f, 1.0)


@pytest.mark.parametrize("x", [1, 2, 3, 9])
def test_search(x):
    def index(x):
        return [1, 2, 3, 2].index(x)

    def index_from(x):
        return (1, 2, 3, 2).index(x, 2)

    def count(x):
        return [1, 2, 3, 2].count(x), (1, 2).count(x), ["a"].count("a")

    for f in (index, index_from, count):
        same(f, x)


@pytest.mark.parametrize(
    "fn",
    [
        lambda: [].pop(),
        lambda: [1].pop(3),
        lambda: [1].remove(2),
        lambda: {}.pop("a"),
        lambda: {}.popitem(),
        lambda: [1].index(2),
        lambda: ("a",).index("b"),
        lambda: "abc".index("z"),
    ],
)
def test_errors(fn):
    got, expected = None, None
    try:
        fn()
    except (LookupError, ValueError) as error:
        expected = error
    staged = stage(fn)
    info = staged.program.errors[0]
    got = make_exception(info, ())
    assert type(got) is type(expected) and str(got) == str(expected)


def test_dict_methods():
    def f(x, d):
        made = {"p": x}
        made.update({"q": x + 1}, r=x + 2)
        made.setdefault("p", 0.0)
        made.setdefault("s", 9.0)
        p = made.pop("p")
        z = made.get("zz", 5.0)
        total = 0.0
        for k, v in made.items():
            total = total + v * len(k)
        copy = dict(made)
        copy.clear()
        key, value = made.copy().popitem()
        return total, p, z, list(made.keys()), list(d.values()), d.get("b"), copy, key, value

    same(f, 1.5, {"b": 2.0, "c": np.ones(2)})


def test_dict_key_of_some_paths():
    def f(x):
        d = {"a": x}
        if x > 0:
            d["b"] = x * 2
        return d.get("b", -1.0)

    same(f, 1.0)
    same(f, -1.0)


def test_captured_containers():
    def read(x):
        return x * CAPTURED.index(2), CAPTURED.count(1), TABLE.get("a"), list(TABLE.items()), CAPTURED.copy()

    same(read, 2.0)

    def write(x):
        CAPTURED.append(x)

    with pytest.raises(GraphProgramError, match=r"GP333.*CAPTURED"):
        stage(write, 1.0)


def test_strings():
    def f():
        name = f"conv_{3}_x"
        return name.upper(), name.split("_"), name.partition("_"), ",".join(["a", "b"]), name.startswith("conv")

    same(f)


def test_tuple_of_numbers():
    def f(x):
        return (x, 1).count(1), (x, 1).index(x)

    same(f, 3)


def test_lists_in_loops():
    def f(x):
        items = [x, x]
        for _ in range(3):
            items.reverse()
            items.insert(0, items.pop() + 1)
        return items

    same(f, 1.0)
