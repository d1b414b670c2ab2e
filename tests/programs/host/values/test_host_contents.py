"""The types of what is in containers on the host: found from what is put in, and open where that is not certain."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Any

import numpy as np
import pytest

from graph_program import GraphProgramError, graph_program, host_function
from tests.programs.plain import check

pytestmark = [
    pytest.mark.usefixtures("host_way"),
    pytest.mark.filterwarnings("ignore::graph_program.ImplicitCopyWarning"),
]
X = np.array([1.5, 2.0, 1.2])


@host_function
def fill(table) -> None:
    table["x"] = "y"


@host_function
def fill_each(table) -> None:
    for items in table.values():
        items.append("s")


class Box:
    def __init__(self):
        self.table = {}

    def put(self, key, value):
        self.table[key] = value


def filled_by_others(x):
    table, lists = {}, {}
    for i in range(len(x)):
        table[int(x[i])] = 1
        lists.setdefault(int(x[i]), []).append(i)
    fill(table)
    fill_each(lists)
    return [table[k] for k in table], [lists[k] for k in lists]


def values_of_two_types(x):
    table = {}
    for i in range(len(x)):
        if x[i] > 1.3:
            table[i] = 1
        else:
            table[i] = 2.5
    return [table[k] for k in table]


def by_another_name(x):
    table = {}
    other = table
    for v in x:
        table[int(v)] = 1
    other["k"] = "s"
    return [table[k] for k in table]


def one_of_two(x):
    a, b = {}, {}
    for v in x:
        a[int(v)] = 1
        b[int(v)] = 2
    chosen = a if x[0] > 1 else b
    chosen[7] = 8
    y = np.zeros(10)
    for k in a:
        y[k] = a[k]
    for k in b:
        y[k] += 10 * b[k]
    return y


def swapped(x):
    a, b = {}, {}
    for i in range(len(x)):
        a[i] = float(x[i])
        a, b = b, a
    y = np.zeros(len(x))
    for k in a:
        y[k] = a[k]
    for k in b:
        y[k] += 10 * b[k]
    return y


def one_of_two_gets_another_type(x):
    a, b = {}, {}
    for v in x:
        a[int(v)] = 1
        b[int(v)] = 2
    chosen = a if x[0] > 1 else b
    chosen["s"] = 8.5
    return [a[k] for k in a], [b[k] for k in b]


def method_in_a_variable(x):
    found = set()
    add = found.add
    for v in x:
        add(int(v))
    y = np.zeros(10)
    for k in found:
        y[k] = 1
    return y


def in_a_list(x):
    tables = []
    for v in x:
        table = {}
        table[int(v)] = float(v)
        tables.append(table)
    total = 0.0
    for table in tables:
        for k in table:
            total += table[k] * x[k % 2]
    return total


def in_a_list_with_another_type(x):
    tables = []
    for v in x:
        table = {}
        table[int(v)] = float(v)
        tables.append(table)
    tables[0]["a"] = "b"
    return tables, [k for table in tables for k in table]


def read_before_it_is_written(x):
    last = {}
    y = np.zeros(len(x))
    for i in range(len(x)):
        k = int(x[i])
        if k in last:
            y[i] = last[k]
        last[k] = i
    return y


def never_filled(x):
    table = {}
    y = np.zeros(3)
    for k in table:
        y[k] = 1
    return y


def missing_key(x):
    table = {}
    for v in x:
        table[int(v)] = 1
    return x * table[99]


def bools(x):
    table = {}
    for i in range(len(x)):
        table[i] = bool(x[i] > 1.3)
    y = np.zeros(len(x))
    for k, v in table.items():
        if v:
            y[k] = 1
    return y, [table[k] for k in table]


def keys_of_numpy(x):
    table = {}
    for k in x.astype(int):
        table[k] = table.get(k, 0) + 1
    y = np.zeros(5)
    for k, n in table.items():
        y[k] = n
    return y, [type(k).__name__ for k in table]


def sums_of_numpy(x):
    table = {}
    for v in x:
        table[int(v)] = table.get(int(v), 0.0) + v
    y = np.zeros(4)
    for k, v in table.items():
        y[k] = v
    return y, table


def none_or_a_number(x):
    table = {}
    for i in range(len(x)):
        table[i] = None
    for i in range(len(x)):
        if x[i] > 1.3:
            table[i] = i
    y = np.zeros(len(x))
    for k, v in table.items():
        if v is not None:
            y[k] = v
    return y


def in_functions_and_objects(x):
    def put(table, k, v):
        table[k] = v

    table, names, box = {}, {}, Box()
    for i in range(len(x)):
        put(table, i, float(x[i]))
        put(names, str(i), "t")
        box.put(int(x[i]), i)
    y = np.zeros(4)
    for k in box.table:
        y[k] = box.table[k]
    return y, names


def moved(x):
    a, b = {int(v) for v in x}, set()
    while a:
        b.add(a.pop())
    y = np.zeros(5)
    for k in b:
        y[k] = 1
    return y


def inner_found_by_get(x):
    tables = {}
    for v in x:
        tables.setdefault(int(v), {})[0] = float(v)
    one = tables.get(1)
    if one is not None:
        one["s"] = "z"
    return [tables[k][0] for k in tables]


def sorted_by_what_is_in_it(x):
    table = {1: [], 2: []}
    for v in x:
        table[int(v)].append(float(v))
    return x[sorted(table, key=lambda k: len(table[k]))], table


def factories(x):
    counts, tables = defaultdict(lambda: 0), defaultdict(lambda: defaultdict(int))
    for i, v in enumerate(x):
        counts[int(v)] += 1
        tables[int(v)][i] += 1
    y = np.zeros((4, 6))
    for a in tables:
        for b in tables[a]:
            y[a, b] = tables[a][b] + counts[a]
    return y


def slices_are_lists_of_their_own(x):
    found = sorted({int(v) for v in x})
    rest = found[1:]
    rest.append("s")
    first, *others = found
    others.append(2.5)
    return x * first, rest, others, found


def sets_for_each(x):
    found, lists = {}, [set() for _ in range(len(x))]
    for i in range(len(x)):
        found.setdefault(int(x[i]), set()).add(i)
        lists[int(x[i])].add(i)
    return found, lists


def of_generators(x):
    counts = Counter(int(v) for v in x)
    table = dict((int(v), float(v)) for v in x)  # noqa: C402
    pairs = dict(zip([int(v) for v in x], x, strict=True))
    return x * counts.total() + counts[1], "".join(str(k) for k in counts), table, pairs


def given_to_methods(x):
    found, counts = set(), Counter()
    found.update(int(v) for v in x)
    counts.update(int(v) for v in x)
    return x * max(found) + counts[2], max((len(str(k)) for k in counts), default=0)


def numbers_of_two_types(x):
    least, lists = {}, {}
    for v in x:
        k = int(v)
        least[k] = min(least.get(k, 9.5), v)
        lists.setdefault(k, []).append(float(v))
    y = np.zeros(4)
    for k in least:
        y[k] = least[k]
    for k, values in lists.items():
        y[k] += np.mean(values) + sum(values) / len(values)
    return y, x * sum(least.values())


def arrays_stay_where_they_are(x):
    table = {}
    k = int(x[0])
    table[k] = x * 2
    table[k] += 1
    other = table[k]
    other *= 2
    return table, other


PROGRAMS = [v for k, v in list(globals().items()) if callable(v) and getattr(v, "__code__", None) and k[0] != "_"]
PROGRAMS = [v for v in PROGRAMS if v.__module__ == __name__ and v.__code__.co_varnames[:1] == ("x",)]


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_as_python(function: Any) -> None:
    check(function, (X,), (X[:1] + 1,))


def test_two_types_are_refused_where_the_graph_computes() -> None:
    def program(x):
        table = {}
        for i in range(len(x)):
            table[i] = 1 if i == 0 else "s"
        return x * table[0]

    with pytest.raises(GraphProgramError, match="GP520"):
        graph_program(program)(X)


def test_what_a_host_function_has_had_is_open() -> None:
    def program(x):
        table = {}
        for i in range(len(x)):
            table[i] = i
        fill(table)
        return x * table[0]

    with pytest.raises(GraphProgramError, match="GP520"):
        graph_program(program)(X)


def test_copies_are_told_at_their_lines() -> None:
    def program(x):
        counts = {}
        for v in x:
            k = int(v)
            counts[k] = counts.get(k, 0) + 1
        y = np.zeros(4)
        for k in counts:
            y[k] = counts[k]
        return y

    compiled = graph_program(program)
    assert np.array_equal(compiled(X), program(X))
    first = program.__code__.co_firstlineno
    assert {(copy.line - first, copy.to) for copy in compiled.copies} == {(4, "host"), (7, "graph")}
