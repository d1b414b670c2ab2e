"""What is known of integers: on the sides of branches, of elements of arrays, and what must not be concluded."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from graph_program import graph_program
from graph_program.backends.models.walks import nodes_of
from graph_program.backends.reference.interpreter import run
from graph_program.extract.ir.graph import Graph, GraphProgram, Node, Value
from graph_program.extract.transform import optimize
from graph_program.extract.transform.integer_ranges import Ranges
from graph_program.extract.transform.ranges import ranges
from graph_program.extract.types.dims import dim, symbol
from graph_program.extract.types.tensors.tensor_type import PY_BOOL, PY_INT, TensorType
from tests.transform.test_passes import VECTOR, Builder, ops

COMPARISONS = {"Less", "LessOrEqual", "Greater", "GreaterOrEqual"}
LIMITS = np.iinfo(np.int64)
INTS = TensorType(np.dtype(np.int64), (symbol("n"),))
FLAGS = TensorType(np.dtype(np.bool_), (symbol("n"),))


def overflows(b: Builder, x: Value, y: Value, op: str) -> Value:
    """Whether a sum or difference of two integers is none of 64 bits."""
    result = b.op(op, PY_INT, x, y)
    first = b.op("bitwise_xor", PY_INT, x, y if op == "subtract" else result)
    second = b.op("bitwise_xor", PY_INT, x if op == "subtract" else y, result)
    return b.op("less", PY_BOOL, b.op("bitwise_and", PY_INT, first, second), b.const(0))


def asked(compare: str, bound: int, op: str, step: int, holds: bool) -> GraphProgram:
    """Whether `x op step` overflows on one side of a comparison of x."""
    b, side = Builder(), Builder()
    x, number, other = b.input(PY_INT), b.const(bound), b.const(True)
    test = b.op(compare, PY_BOOL, x, number)
    answer = overflows(side, x, side.const(step), op)
    for node in side.graph.nodes:
        node.outputs[0].name = f"side.{node.outputs[0].name}"
    sides = [Graph([], side.graph.nodes, [answer]), Graph([], [], [other])]
    return b.finish(b.add("if", PY_BOOL, [test], {}, sides if holds else sides[::-1]))


@pytest.mark.parametrize(
    ("compare", "bound", "op", "step", "holds", "decided"),
    [
        ("greater", 0, "subtract", 1, True, True),
        ("greater_equal", 1, "subtract", 1, True, True),
        ("less", 1, "subtract", 1, False, True),
        ("less_equal", 0, "subtract", 1, False, True),
        ("greater", 0, "add", 1, True, False),
        ("greater", 0, "subtract", 1, False, False),
        ("less", 5, "subtract", 1, True, False),
        ("equal", 5, "add", 1, True, True),
        ("equal", 5, "add", 1, False, False),
    ],
)
def test_what_a_branch_has_asked(compare: str, bound: int, op: str, step: int, holds: bool, decided: bool) -> None:
    program = asked(compare, bound, op, step, holds)
    assert ("bitwise_or" not in ops(program)) == decided
    for x in (LIMITS.min, LIMITS.min + 1, -1, 0, 1, 2, 5, LIMITS.max):
        assert run(optimize(program), [x]) == run(program, [x]), x


@pytest.mark.parametrize(("number", "decided"), [(0, True), (1, False)])
def test_sizes_that_are_not_a_number(number: int, decided: bool) -> None:
    b = Builder()
    x, one = b.input(VECTOR), b.const(1)
    size = b.op("dim", PY_INT, x, axis=0)
    test = b.op("equal", PY_BOOL, size, b.const(number))
    empty = Value("empty", PY_BOOL)
    sides = [Graph([], [], [test]), Graph([], [Node("greater", [one, size], [empty])], [empty])]
    program = b.finish(b.add("if", PY_BOOL, [test], {}, sides))
    assert ("greater" not in ops(program)) == decided
    for n in (0, 1, 2):
        assert run(optimize(program), [np.ones(n)]) == run(program, [np.ones(n)])


def test_what_is_known_on_one_side_is_not_behind_the_branch() -> None:
    b = Builder()
    x, zero = b.input(PY_INT), b.const(0)
    test = b.op("greater", PY_BOOL, x, zero)
    double = Value("double", PY_INT)
    sides = [Graph([], [Node("add", [x, x], [double])], [double]), Graph([], [], [x])]
    chosen = b.add("if", PY_INT, [test], {}, sides)
    program = b.finish(chosen, b.op("less", PY_BOOL, x, b.const(1)))
    for x_ in (-3, 0, 1, 8):
        assert run(optimize(program), [x_]) == run(program, [x_]) == [2 * x_ if x_ > 0 else x_, x_ < 1]


def test_the_larger_of_two() -> None:
    b = Builder()
    byte = b.input(TensorType(np.dtype(np.uint8)))
    least = b.const(256)
    count = b.op("add", PY_INT, b.op("cast", PY_INT, byte, dtype=np.dtype(np.int64)), b.const(1))
    larger = b.op("where", PY_INT, b.op("greater", PY_BOOL, least, count), least, count)
    assert ops(b.finish(larger)) == []
    assert [run(optimize(b.finish(larger)), [np.uint8(x)]) for x in (0, 255)] == [[256], [256]]


def elements(source: str) -> GraphProgram:
    """Whether the k-th element of an order, or of an input, is a place of a vector."""
    b = Builder()
    x, k, given = b.input(VECTOR), b.input(PY_INT), b.input(INTS)
    places = b.op("argsort", INTS, x, axis=0) if source == "order" else given
    place = b.op("take", PY_INT, places, k, axis=0)
    size = b.op("dim", PY_INT, x, axis=0)
    return b.finish(b.op("greater_equal", PY_BOOL, place, size), b.op("less", FLAGS, places, b.const(0)))


@pytest.mark.parametrize(("source", "asks"), [("order", False), ("given", True)])
def test_elements_of_arrays(source: str, asks: bool) -> None:
    program = elements(source)
    assert ("greater_equal" in ops(program)) == asks
    assert "less" in ops(program)  # an answer for each element, and not one
    for given in ([0, 1, 2], [5, -1, 3]):
        arguments = [np.array([3.0, np.nan, -1.0]), 1, np.array(given)]
        want, found = run(program, arguments), run(optimize(program), arguments)
        assert [np.asarray(x).tolist() for x in found] == [np.asarray(x).tolist() for x in want]


def test_numbers_that_would_wrap_around_have_no_range() -> None:
    b = Builder()
    x = b.input(PY_INT)
    large = b.const(LIMITS.max - 1)
    total = b.op("add", PY_INT, x, b.const(2))
    test = b.op("greater", PY_BOOL, x, large)
    chosen = b.add(
        "if", PY_BOOL, [test], {}, [Graph([], [], [b.op("greater", PY_BOOL, total, large)]), Graph([], [], [test])]
    )
    program = b.finish(chosen)
    for x_ in (LIMITS.max, LIMITS.max - 1, 0):
        assert run(optimize(program), [x_]) == run(program, [x_])


def test_what_stands_where_nobody_reads_counts_where_it_may_be_used() -> None:
    b = Builder()
    test, five = b.input(PY_BOOL), b.const(5)
    nothing = b.op("placeholder", PY_INT)
    chosen = b.add("if", PY_INT, [test], {}, [Graph([], [], [five]), Graph([], [], [nothing])])
    for only_read, want in ((True, (dim(5), dim(5))), (False, None)):
        ranges = Ranges(lambda value: value.type.shape, only_read=only_read)
        for node in b.graph.nodes:
            ranges.note(node)
        assert ranges.of(chosen) == want


@pytest.mark.parametrize(
    ("compare", "bound", "of_size", "holds", "number"),
    [
        ("greater_equal", 0, True, True, 0),  # a size that is at most 0
        ("greater", 1, True, True, 0),
        ("equal", 3, True, True, 3),
        ("greater_equal", 1, True, True, None),
        ("greater_equal", 0, True, False, None),
        ("greater_equal", 0, False, True, None),
        ("equal", 3, False, True, 3),
        ("not_equal", 3, False, False, 3),
    ],
)
def test_what_a_side_gives_that_is_one_number_there(
    compare: str, bound: int, of_size: bool, holds: bool, number: int | None
) -> None:
    b = Builder()
    n = b.op("dim", PY_INT, b.input(VECTOR), axis=0) if of_size else b.input(PY_INT)
    test = b.op(compare, PY_BOOL, b.const(bound), n)
    sides = [Graph([], [], [n]), Graph([], [], [b.const(7)])]
    program = b.finish(b.add("if", PY_INT, [test], {}, sides if holds else sides[::-1]), n)
    ranges(program)
    (node,) = (node for node in program.graph.walk() if node.op == "if")
    given = node.regions[0 if holds else 1].outputs[0]
    known = {node.outputs[0]: node.attrs["value"] for node in program.graph.nodes if node.op == "constant"}
    assert (int(known[given]) if given in known else None) == number


def cut(start: int | None, n: int | None = None) -> GraphProgram:
    """A loop over `range(start, n)` with care of a range that has no numbers; where None, of any number."""
    b = Builder()
    given = b.input(PY_INT)
    low = given if start is None else b.const(start)
    high = b.op("dim", PY_INT, b.input(VECTOR), axis=0) if n is None else b.input(PY_INT)
    trips = b.op("subtract", PY_INT, b.op("maximum", PY_INT, high, low), low)
    k, total = Value("k", PY_INT), Value("total", PY_INT)
    more = Value("more", PY_INT)
    true, zero = b.const(True), b.const(0)
    body = Graph([k, total], [Node("add", [total, k], [more])], [true, more])
    return b.finish(b.add("loop", PY_INT, [trips, true, zero], {}, [body]))


@pytest.mark.parametrize(("start", "n", "decided"), [(1, None, True), (None, None, False), (1, 0, False)])
def test_ends_that_are_near(start: int | None, n: int | None, decided: bool) -> None:
    program = cut(start, n)
    assert ("maximum" not in ops(optimize(program, frozenset({"vectorize"})))) is decided
    others = (np.ones(4), np.ones(0)) if n is None else (LIMITS.min, 0, 5)
    for other in others:
        assert run(optimize(program), [3, other]) == run(program, [3, other])


@pytest.mark.parametrize(
    ("compare", "more", "answer"),
    [("equal", 0, True), ("not_equal", 0, False), ("less", 0, False), ("not_equal", 1, True), ("less", 1, None)],
)
def test_numbers_that_are_one_sum(compare: str, more: int, answer: bool | None) -> None:
    """Sums that differ by 1 may be on either side of the largest integer."""
    b = Builder()
    n, k = b.input(PY_INT), b.input(PY_INT)
    left = b.op("subtract", PY_INT, n, b.op("add", PY_INT, k, b.const(1)))
    right = b.op("add", PY_INT, b.op("subtract", PY_INT, n, k), b.const(more - 1))
    program = b.finish(b.op(compare, PY_BOOL, left, right))
    known = optimize(program).graph
    (node,) = (node for node in known.nodes if known.outputs[0] in node.outputs)
    assert (bool(node.attrs["value"]) if node.op == "constant" else None) is answer
    assert run(optimize(program), [7, 2]) == run(program, [7, 2])


def above(bound: int | None) -> GraphProgram:
    """In a loop of n rounds, the greater one of n and of `k + bound`; of `k + n` where that is None."""
    b = Builder()
    n, true, zero = b.input(PY_INT), b.const(True), b.const(0)
    step = n if bound is None else b.const(bound)
    k, total = Value("k", PY_INT), Value("total", PY_INT)
    place, most, more = (Value(name, PY_INT) for name in ("place", "most", "more"))
    nodes = [Node("add", [k, step], [place]), Node("maximum", [n, place], [most]), Node("add", [total, most], [more])]
    return b.finish(b.add("loop", PY_INT, [n, true, zero], {}, [Graph([k, total], nodes, [true, more])]))


@pytest.mark.parametrize(("bound", "decided"), [(1, True), (0, True), (-3, True), (2, False), (None, False)])
def test_what_a_counter_is_not_above(bound: int | None, decided: bool) -> None:
    program = above(bound)
    assert ("maximum" not in ops(optimize(program, frozenset({"vectorize"})))) is decided
    for n in (-1, 0, 1, 4):
        assert run(optimize(program), [n]) == run(program, [n])


def triangle(n: int) -> Any:
    """Each index is inside for what the loops count."""
    t = np.zeros((n, n))
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            for k in range(i + 1, j):
                t[i, j] = np.sin(t[i, j]) + t[i, k] * t[k + 1, j]
            t[i, j] += t[i + 1, j - 1] + 1.0
    return t


def farther(n: int) -> Any:
    """One index is not."""
    t = np.zeros((n, n))
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            t[i, j] = t[i + 2, j - 1] + 1.0
    return t


@pytest.mark.parametrize(("function", "checked"), [(triangle, False), (farther, True)])
def test_indices_that_are_sums_of_counters(function: Callable[..., Any], checked: bool) -> None:
    program = graph_program(function)
    nodes = nodes_of(program.model((4,)))
    assert (sum(node.op_type in COMPARISONS for node in nodes) > 1) is checked, "one is whether n is negative"
    for n in (4, 1, 0, 2, 7, -1):
        assert_same(program, function, n)


def rounds_that_wrap(x: Any) -> int:
    """Differences of NumPy's integers may be any number."""
    count = 0
    for k in range(x[1] - x[0]):
        count += 1 if x[0] + k < x[1] else 0
        count += 10 if x[0] + k - 1 < x[1] else 0
    return count


@pytest.mark.filterwarnings("ignore:overflow")
def test_rounds_that_wrap_around() -> None:
    for x in ([1, 4], [LIMITS.max, -LIMITS.max], [4, 1]):
        assert_same(graph_program(rounds_that_wrap), rounds_that_wrap, np.array(x))


def assert_same(program: Any, function: Callable[..., Any], *args: Any) -> None:
    """A program in process and a function give the same, or raise the same."""
    try:
        wanted = function(*args)
    except Exception as error:
        with pytest.raises(type(error), match=re.escape(str(error))):
            program(*args)
        return
    np.testing.assert_array_equal(program(*args), wanted)


FIVE = TensorType(np.dtype(np.float32), (dim(5),))


def stopped(number: int | None, more: int, of_a_place: bool) -> GraphProgram:
    """The first elements of an array, up to a number that is at most another one, or as many as there are, and more."""
    b = Builder()
    x = b.input(FIVE)
    given = b.op("argmax", PY_INT, x, axis=0, keepdims=False) if of_a_place else b.input(PY_INT)
    least = b.op("dim", PY_INT, x, axis=0) if number is None else b.const(number)
    stop = b.op("minimum", PY_INT, b.op("add", PY_INT, given, b.const(1)) if of_a_place else given, least)
    stop = b.op("add", PY_INT, stop, b.const(more)) if more else stop
    part = TensorType(FIVE.dtype, (symbol("m"),))
    return b.finish(b.op("slice", part, x, b.const(0), stop, axes=(0,), steps=(1,)))


@pytest.mark.parametrize(
    ("number", "more", "of_a_place", "is_cut"),
    [
        (None, 0, False, False),
        (5, 0, False, False),
        (4, 0, False, True),
        (4, 1, False, True),  # a sum that may have more than 64 bits
        (2, 1, True, True),
        (4, 1, True, False),
        (6, -1, True, False),
        (4, -1, True, True),
    ],
)
def test_slices_stop_at_the_end_by_themselves(number: int | None, more: int, of_a_place: bool, is_cut: bool) -> None:
    program = stopped(number, more, of_a_place)
    optimized = optimize(program)
    assert ("minimum" in ops(optimized)) is is_cut
    if of_a_place and not is_cut:
        assert ops(optimized).count("add") == (more + 1 != 0)
    for place in range(5) if of_a_place else (LIMITS.min, -5, -1, 0, 3, 4, 5, 6, LIMITS.max):
        x = np.arange(5, dtype=np.float32)
        x[place if of_a_place else 0] = 9
        args = [x] if of_a_place else [x, place]
        np.testing.assert_array_equal(run(optimized, args)[0], run(program, args)[0])


def test_what_others_ask_for_is_cut() -> None:
    program = stopped(5, 0, False)
    (cut,) = (node.outputs[0] for node in program.graph.nodes if node.op == "minimum")
    program.graph.outputs.append(cut)
    program.output_names.append("out1")
    (part,) = (node for node in optimize(program).graph.walk() if node.op == "slice")
    assert part.inputs[2].name == cut.name


@pytest.mark.parametrize(("more", "is_read"), [(0, False), (-1, True)])
def test_elements_of_as_many_numbers_as_there_are_rounds(more: int, is_read: bool) -> None:
    b = Builder()
    n = b.input(PY_INT)
    counted = b.op("iota", INTS, n)
    k, total = Value("k", PY_INT), Value("total", PY_INT)
    index, element, new = (Value(name, PY_INT) for name in ("index", "element", "new"))
    true, zero, step = b.const(True), b.const(0), b.const(more)
    nodes = [
        Node("add", [k, step], [index]),
        Node("take", [counted, index], [element], {"axis": 0}),
        Node("bitwise_xor", [total, element], [new]),
    ]
    body = Graph([k, total], nodes, [true, new])
    program = b.finish(b.add("loop", PY_INT, [n, true, zero], {}, [body]))
    optimized = optimize(program, frozenset({"vectorize"}))
    assert ("take" in ops(optimized)) is is_read
    for number in (0, 1, 7):
        assert run(optimized, [number]) == run(program, [number])
