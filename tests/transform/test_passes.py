"""Each pass on a small graph, before and after."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from graph_program.backends.reference.interpreter import run
from graph_program.extract.extraction import ExtractOptions
from graph_program.extract.ir.graph import Graph, GraphProgram, Node, Value
from graph_program.extract.ir.verifier import verify_graph
from graph_program.extract.passes import Pass, PassError, run_passes
from graph_program.extract.transform import PASSES
from graph_program.extract.transform import optimize as optimize_all
from graph_program.extract.types.dims import dim, symbol
from graph_program.extract.types.tensors.tensor_type import PY_BOOL, PY_FLOAT, PY_INT, TensorType

MATRIX = TensorType(np.dtype(np.float32), (symbol("m"), symbol("n")))
WIDE = TensorType(np.dtype(np.float64), (symbol("m"), symbol("n")))


def optimize(program: GraphProgram, disabled: frozenset[str] = frozenset()) -> GraphProgram:
    """All passes but the one that makes array operations of loops, which has tests of its own."""
    return optimize_all(program, disabled | {"vectorize"})


class Builder:
    """Writes graphs a node at a time."""

    def __init__(self) -> None:
        self.graph = Graph([], [], [])
        self.count = 0

    def input(self, type: TensorType) -> Value:
        value = Value(f"in{len(self.graph.inputs)}", type)
        self.graph.inputs.append(value)
        return value

    def op(self, name: str, type: TensorType, *inputs: Value, **attrs: Any) -> Value:
        return self.add(name, type, list(inputs), attrs, [])

    def const(self, value: Any) -> Value:
        array = np.asarray(value)
        return self.op("constant", TensorType(array.dtype), value=array)

    def add(self, name: str, type: TensorType, inputs: list[Value], attrs: Any, regions: list[Graph]) -> Value:
        self.count += 1
        value = Value(f"v{self.count}", type)
        self.graph.nodes.append(Node(name, inputs, [value], attrs, regions))
        return value

    def finish(self, *outputs: Value) -> GraphProgram:
        self.graph.outputs = list(outputs)
        program = GraphProgram("f", self.graph, [f"out{i}" for i in range(len(outputs))])
        verify_graph(program)
        return program


def ops(program: GraphProgram) -> list[str]:
    result = optimize(program)
    verify_graph(result)
    return [node.op for node in result.graph.walk() if node.op != "constant"]


def test_fold() -> None:
    b = Builder()
    six = b.op("multiply", PY_INT, b.const(2), b.const(3))
    program = b.finish(six, b.op("add", PY_INT, b.input(PY_INT), six))
    assert ops(program) == ["add"]
    assert run(optimize(program), [1]) == [6, 7]


def test_fold_leaves_failing_operations() -> None:
    b = Builder()
    power = b.op("power", PY_INT, b.const(2), b.const(-1))
    assert ops(b.finish(power)) == ["power"]


def test_fold_of_sizes_whose_values_nobody_knows() -> None:
    b = Builder()
    x = b.input(TensorType(np.dtype(np.float32), (symbol("n"), dim(6))))
    known, open_ = (b.op("dim", PY_INT, b.op("sin", x.type, x), axis=axis) for axis in (1, 0))
    half = b.op("floor_divide", PY_INT, known, b.const(2))
    program = b.finish(half, open_)
    assert ops(program) == ["dim"]
    assert run(optimize(program), [np.ones((4, 6), np.float32)]) == [3, 4]


def test_cse_and_dce() -> None:
    b = Builder()
    x = b.input(PY_INT)
    first, second = b.op("add", PY_INT, x, x), b.op("add", PY_INT, x, x)
    b.op("negative", PY_INT, first)
    assert ops(b.finish(b.op("multiply", PY_INT, first, second))) == ["add", "multiply"]


TRUTHS = TensorType(np.dtype(np.bool_), (symbol("n"),))


@pytest.mark.parametrize("name", ["bitwise_and", "bitwise_or"])
def test_what_two_of_three_have_come_to_is_there(name: str) -> None:
    b = Builder()
    x, y, z = (b.input(TRUTHS) for _ in range(3))
    first = b.op(name, TRUTHS, x, y)
    program = b.finish(first, b.op(name, TRUTHS, b.op(name, TRUTHS, z, x), y))
    assert ops(program).count(name) == 2
    given = [np.array(t, np.bool_) for t in ([0, 0, 1, 1, 0], [0, 1, 0, 1, 1], [1, 0, 1, 1, 1])]
    for found, expected in zip(run(optimize(program), given), run(program, given), strict=True):
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize(("outer", "is_read"), [("bitwise_xor", False), ("bitwise_and", False), ("bitwise_or", True)])
def test_what_is_joined_otherwise_or_read_is_joined_so(outer: str, is_read: bool) -> None:
    b = Builder()
    x, y, z = (b.input(TRUTHS) for _ in range(3))
    first, inner = b.op("bitwise_or", TRUTHS, x, y), b.op("bitwise_or", TRUTHS, x, z)
    program = b.finish(first, b.op(outer, TRUTHS, inner, y), *([inner] if is_read else []))
    assert len(ops(program)) == 3
    last = optimize(program).graph.nodes[-1]
    assert last.inputs[0].name == inner.name


def test_exact_identities() -> None:
    b = Builder()
    x = b.input(MATRIX)
    wide = b.op("cast", WIDE, x, dtype=np.dtype(np.float64))
    back = b.op("cast", MATRIX, wide, dtype=np.dtype(np.float32))
    turned = b.op("transpose", MATRIX, back, perm=(1, 0))
    same = b.op("transpose", MATRIX, turned, perm=(1, 0))
    assert ops(b.finish(b.op("multiply", MATRIX, same, b.const(np.float32(1))))) == []


@pytest.mark.parametrize(("name", "number"), [("add", 0.0), ("subtract", -0.0), ("divide", 2.0)])
def test_identities_that_are_not_exact_stay(name: str, number: float) -> None:
    b = Builder()
    assert ops(b.finish(b.op(name, PY_FLOAT, b.input(PY_FLOAT), b.const(number)))) == [name]


def test_inexact_casts_stay() -> None:
    b = Builder()
    wide = b.op("cast", PY_FLOAT, b.input(PY_INT), dtype=np.dtype(np.float64))
    assert ops(b.finish(b.op("cast", PY_INT, wide, dtype=np.dtype(np.int64)))) == ["cast", "cast"]


def test_comparison_of_floats_is_not_inverted() -> None:
    b = Builder()
    less = b.op("less", PY_BOOL, b.input(PY_FLOAT), b.input(PY_FLOAT))
    assert ops(b.finish(b.op("invert", PY_BOOL, less))) == ["less", "invert"]


def test_if_without_work_is_where() -> None:
    b = Builder()
    t, x, y = b.input(PY_BOOL), b.input(PY_INT), b.input(PY_INT)
    program = b.finish(b.add("if", PY_INT, [t], {}, [Graph([], [], [x]), Graph([], [], [y])]))
    assert ops(program) == ["where"]


def loop(taken: str) -> GraphProgram:
    """A loop that adds, in each iteration, an invariant `taken(a, b)`."""
    b = Builder()
    n, start, a = b.input(PY_INT), b.input(PY_INT), b.input(PY_INT)
    i, x, unchanged = Value("i", PY_INT), Value("x", PY_INT), Value("u", PY_INT)
    step, result, last = Value("step", PY_INT), Value("result", PY_INT), Value("last", PY_INT)
    true = b.const(True)
    body = Graph(
        [i, x, unchanged],
        [Node(taken, [unchanged, a], [step]), Node("add", [x, step], [result])],
        [true, result, unchanged],
    )
    out = Value("out", PY_INT)
    b.graph.nodes.append(Node("loop", [n, true, start, a], [out, last], {}, [body]))
    return b.finish(out, last)


def test_hoist_and_loop_values() -> None:
    program = optimize(loop("subtract"))
    verify_graph(program)
    nodes = [node for node in program.graph.nodes if node.op != "constant"]
    assert [node.op for node in nodes] == ["subtract", "loop"]
    assert len(nodes[1].outputs) == 1
    assert run(program, [3, 1, 5]) == [1, 5]


def test_hoist_leaves_what_may_fail() -> None:
    program = optimize(loop("power"), frozenset({"fission"}))
    nodes = [node.op for node in program.graph.walk() if node.op != "constant"]
    assert nodes == ["loop", "power", "add"]


def test_input_is_left_alone_and_passes_can_be_disabled() -> None:
    program = loop("subtract")
    before = [node.op for node in program.graph.walk()]
    everything = frozenset(item.name for item in PASSES)
    unchanged = optimize(program, disabled=everything)
    optimize(program)
    assert before == [node.op for node in program.graph.walk()] == [node.op for node in unchanged.graph.walk()]


def test_a_failing_pass_names_those_before_it() -> None:
    def fail(program: GraphProgram) -> None:
        raise ValueError("no")

    with pytest.raises(PassError, match="pass b failed; ran before: a"):
        run_passes(loop("add"), [Pass("a", lambda program: None), Pass("b", fail)])
    with pytest.raises(PassError, match="requires types"):
        run_passes(loop("add"), [Pass("c", fail, requires=frozenset({"types"}))])


def counted(trips: int, condition: bool = True, again: bool = True) -> GraphProgram:
    """A loop that adds to a number its counter and an input."""
    b = Builder()
    start, a = b.input(PY_INT), b.input(PY_INT)
    i, x = Value("i", PY_INT), Value("x", PY_INT)
    more, result = Value("more", PY_INT), Value("result", PY_INT)
    proceed, goes_on = b.const(condition), b.const(again)
    body = Graph([i, x], [Node("add", [i, a], [more]), Node("add", [x, more], [result])], [goes_on, result])
    out = Value("out", PY_INT)
    b.graph.nodes.append(Node("loop", [b.const(trips), proceed, start], [out], {}, [body]))
    return b.finish(out, b.op("negative", PY_INT, out))


@pytest.mark.parametrize(
    ("program", "left"),
    [
        (counted(1), ["add", "negative"]),
        (counted(5, again=False), ["add", "negative"]),
        (counted(0), ["negative"]),
        (counted(-2), ["negative"]),
        (counted(3, condition=False), ["negative"]),
    ],
)
def test_loops_of_one_round_and_of_none(program: GraphProgram, left: list[str]) -> None:
    result = optimize(program)
    assert ops(program) == left
    assert run(result, [7, 2]) == run(program, [7, 2])
    assert "loop" in [node.op for node in optimize(program, disabled=frozenset({"rounds"})).graph.walk()]


def test_loops_of_more_rounds_stay() -> None:
    program = counted(2)
    assert ops(program) == ["loop", "add", "add", "negative"]
    assert run(optimize(program), [7, 2]) == [12, -12]


def test_loops_of_an_unknown_number_of_rounds_stay() -> None:
    """Also if they end after one: there may be none."""
    b = Builder()
    trips, start, a = b.input(PY_INT), b.input(PY_INT), b.input(PY_INT)
    i, x, result = Value("i", PY_INT), Value("x", PY_INT), Value("result", PY_INT)
    body = Graph([i, x], [Node("add", [x, a], [result])], [b.const(False), result])
    out = Value("out", PY_INT)
    b.graph.nodes.append(Node("loop", [trips, b.const(True), start], [out], {}, [body]))
    program = b.finish(out)
    assert ops(program) == ["loop", "add"]
    assert [run(optimize(program), [n, 1, 5]) for n in (0, 1, 2)] == [[1], [6], [6]]


def test_loops_of_one_round_in_loops_and_of_an_unknown_condition() -> None:
    b = Builder()
    trips, test, start = b.input(PY_INT), b.input(PY_BOOL), b.input(PY_INT)
    true, one = b.const(True), b.const(1)
    i, k, x, y = (Value(name, PY_INT) for name in ("i", "k", "x", "y"))
    inner, result, found, once = (Value(name, PY_INT) for name in ("inner", "result", "found", "once"))
    single = Graph([k, y], [Node("add", [y, i], [found])], [true, found])
    body = Graph([i, x], [Node("loop", [one, true, x], [inner], {}, [single])], [true, inner])
    b.graph.nodes.append(Node("loop", [trips, true, start], [result], {}, [body]))
    j, z, last = Value("j", PY_INT), Value("z", PY_INT), Value("last", PY_INT)
    tested = Graph([j, z], [Node("negative", [z], [last])], [true, last])
    b.graph.nodes.append(Node("loop", [one, test, result], [once], {}, [tested]))
    program = b.finish(once)
    assert ops(program) == ["loop", "add", "loop", "negative"]
    assert run(optimize(program), [4, True, 10]) == [-16]
    assert run(optimize(program), [4, False, 10]) == [16]


def sliced(b: Builder, x: Value, stop: Value, size: str) -> Value:
    """The first elements of a vector, in number of a size that has a symbol."""
    row = TensorType(x.type.dtype, (symbol(size),))
    return b.op("slice", row, x, b.const(0), stop, axes=(0,), steps=(1,))


def test_sizes_that_constants_decide_become_known() -> None:
    b = Builder()
    x = b.input(TensorType(np.dtype(np.float64), (dim(9),)))
    first = sliced(b, x, b.op("multiply", PY_INT, b.const(2), b.const(2)), "?a")
    n = b.op("dim", PY_INT, first, axis=0)
    ones = b.op("full", first.type, b.const(1.0), n)
    fits = b.op("equal", PY_BOOL, b.op("dim", PY_INT, ones, axis=0), b.const(4))
    program = b.finish(b.op("add", first.type, first, ones), n, fits)
    result = optimize(program)
    assert "dim" not in [node.op for node in result.graph.walk()]
    assert [str(value.type) for value in result.graph.outputs] == ["float64 [4]", "int64 []", "bool []"]
    assert [found.tolist() for found in map(np.asarray, run(result, [np.arange(9.0)]))] == [[1, 2, 3, 4], 4, True]
    assert "dim" in [
        node.op for node in optimize(program, disabled=frozenset({"known_sizes", "slice_sizes"})).graph.walk()
    ]


def test_symbols_that_are_met_before_their_size_is_known_stay() -> None:
    """That an input's size is a number may be known on one path only."""
    b = Builder()
    x = b.input(TensorType(np.dtype(np.float64), (symbol("n"),)))
    y = b.input(TensorType(np.dtype(np.float64), (dim(9),)))
    same = b.op("equal", PY_BOOL, b.op("dim", PY_INT, x, axis=0), b.const(4))
    part = Value("part", x.type)
    start, stop = b.const(0), b.const(4)
    then = Graph([], [Node("slice", [y, start, stop], [part], {"axes": (0,), "steps": (1,)})], [part])
    chosen = b.add("if", x.type, [same], {}, [then, Graph([], [], [x])])
    program = b.finish(b.op("dim", PY_INT, chosen, axis=0))
    assert [run(optimize(program), [np.ones(n), np.ones(9)]) for n in (4, 6)] == [[4], [6]]
    assert "dim" in ops(program)


def test_what_is_known_in_a_branch_is_not_known_behind_it() -> None:
    b = Builder()
    x = b.input(TensorType(np.dtype(np.float64), (dim(9),)))
    test, stop = b.input(PY_BOOL), b.input(PY_INT)
    row = TensorType(x.type.dtype, (symbol("?a"),))
    start, four, one = b.const(0), b.const(4), b.const(1)
    part, size, whole = Value("part", row), Value("size", PY_INT), {"axes": (0,), "steps": (1,)}
    then = Graph([], [Node("slice", [x, start, four], [part], whole), Node("dim", [part], [size], {"axis": 0})], [size])
    chosen = b.add("if", PY_INT, [test], {}, [then, Graph([], [], [one])])
    later = b.op("slice", row, x, start, stop, **whole)
    program = b.finish(chosen, b.op("dim", PY_INT, b.op("exp", row, later), axis=0))
    assert [run(optimize(program), [np.ones(9), True, 7]), run(optimize(program), [np.ones(9), False, 2])] == [
        [4, 7],
        [1, 2],
    ]


# ---------------------------------------------------------------- ranges, if-conversion

BYTE = TensorType(np.dtype(np.uint8))
NUMBER = TensorType(np.dtype(np.int64))
VECTOR = TensorType(np.dtype(np.float64), (symbol("n"),))
FLOAT = TensorType(np.dtype(np.float64))


def compared(op: str, dtype: str, bound: int) -> list[str]:
    b = Builder()
    x = b.input(TensorType(np.dtype(dtype)))
    wide = b.op("cast", NUMBER, x, dtype=np.dtype(np.int64))
    return ops(b.finish(b.op(op, PY_BOOL, wide, b.const(bound))))


@pytest.mark.parametrize(
    ("op", "dtype", "bound", "decided"),
    [
        ("greater_equal", "uint8", 256, True),
        ("greater_equal", "uint8", 255, False),
        ("less", "uint8", 0, True),
        ("less", "uint8", 1, False),
        ("less_equal", "int8", 127, True),
        ("not_equal", "int16", 40_000, True),
        ("equal", "int16", 4_000, False),
        ("less", "int32", 0, False),
    ],
)
def test_ranges_of_element_types(op: str, dtype: str, bound: int, decided: bool) -> None:
    assert compared(op, dtype, bound) == ([] if decided else ["cast", op])


def test_ranges_of_counters() -> None:
    b = Builder()
    x = b.input(VECTOR)
    n = b.op("dim", PY_INT, x, axis=0)
    body = Builder()
    k, total = Value("k", PY_INT), Value("total", PY_INT)
    last = body.op("subtract", PY_INT, n, body.const(1))
    back = body.op("subtract", PY_INT, last, k)
    outside = body.op("greater_equal", PY_BOOL, back, n)
    perhaps = body.op("less", PY_BOOL, back, body.const(1))
    both = body.op("bitwise_or", PY_BOOL, outside, perhaps)
    count = body.op("add", PY_INT, total, body.op("cast", PY_INT, both, dtype=np.dtype(np.int64)))
    body.graph.inputs, body.graph.outputs = [k, total], [body.const(True), count]
    for node in body.graph.nodes:
        node.outputs[0].name = f"body.{node.outputs[0].name}"
    found = b.add("loop", PY_INT, [n, b.const(True), b.const(0)], {}, [body.graph])
    assert "greater_equal" not in ops(b.finish(found))
    assert "less" in ops(b.finish(found))


def checked(side: Builder, value: Value, fails: bool = True) -> GraphProgram:
    """A program whose first input is a check that has failed, and what a side gives where it has not."""
    b = Builder()
    bad = b.input(PY_BOOL)
    bad.name = "bad"
    b.graph.inputs += side.graph.inputs
    failed = Builder()
    nothing = failed.op("placeholder", value.type)
    nothing.name = "nothing"
    failed.graph.outputs, side.graph.outputs = [nothing], [value]
    side.graph.inputs = []
    for node in side.graph.nodes:
        node.outputs[0].name = f"side.{node.outputs[0].name}"
    attrs = {"fails": 0} if fails else {}
    return b.finish(b.add("if", value.type, [bad], attrs, [failed.graph, side.graph]))


def test_what_cannot_fail_is_computed_behind_a_failed_check() -> None:
    side = Builder()
    x = side.input(VECTOR)
    squares = side.op("multiply", VECTOR, x, x)
    assert ops(checked(side, side.op("sum", FLOAT, squares, axes=(0,), keepdims=False))) == ["multiply", "sum"]


def test_an_index_is_safe_behind_a_failed_check() -> None:
    side = Builder()
    x, k = side.input(TensorType(np.dtype(np.float64), (dim(4),))), side.input(PY_INT)
    program = checked(side, side.op("take", FLOAT, x, k, axis=0))
    assert ops(program) == ["where", "take"]
    values = np.arange(4.0)
    optimized = optimize(program)
    assert run(optimized, [np.array(False), values, np.array(2)])[0] == 2
    run(optimized, [np.array(True), values, np.array(99)])


def test_an_index_stays_behind_its_check_where_there_may_be_no_elements() -> None:
    side = Builder()
    x, k = side.input(VECTOR), side.input(PY_INT)
    assert "if" in ops(checked(side, side.op("take", FLOAT, x, k, axis=0)))


def test_sizes_that_only_a_check_has_told_do_not_count() -> None:
    side = Builder()
    x, y = side.input(VECTOR), side.input(TensorType(VECTOR.dtype, (symbol("m"),)))
    assert "if" in ops(checked(side, side.op("add", VECTOR, x, y)))
    side = Builder()
    x, k = side.input(VECTOR), side.input(PY_INT)
    size = TensorType(VECTOR.dtype, (symbol("k"),))  # behind a check of k
    some = side.op("slice", size, x, side.const(0), k, axes=(0,), steps=(1,))
    other = side.op("slice", size, x, k, side.op("add", PY_INT, k, k), axes=(0,), steps=(1,))
    assert "if" in ops(checked(side, side.op("add", size, some, other)))


def test_what_a_failed_check_leaves_undefined_is_no_work() -> None:
    """However many values there are."""
    b = Builder()
    bad, x = b.input(PY_BOOL), b.input(VECTOR)
    failed, goes_on = Builder(), Builder()
    failed.graph.outputs = [failed.op("placeholder", VECTOR) for _ in range(9)]
    goes_on.graph.outputs = [goes_on.op("multiply", VECTOR, x, x) for _ in range(9)]
    for name, side in (("failed", failed), ("goes_on", goes_on)):
        for value in side.graph.outputs:
            value.name = f"{name}.{value.name}"
    outputs = [Value(f"out{i}", VECTOR) for i in range(9)]
    b.graph.nodes.append(Node("if", [bad], outputs, {"fails": 0}, [failed.graph, goes_on.graph]))
    program = b.finish(*outputs)
    assert ops(program) == ["multiply"]
    assert [array.tolist() for array in run(optimize(program), [False, np.array([3.0])])] == [[9.0]] * 9


def test_choices_by_an_opposite() -> None:
    b = Builder()
    test, x, y = b.input(PY_BOOL), b.input(PY_FLOAT), b.input(PY_FLOAT)
    program = b.finish(b.op("where", PY_FLOAT, b.op("invert", PY_BOOL, test), x, y))
    assert ops(program) == ["where"]
    assert [run(optimize(program), [test, 1.0, 2.0]) for test in (True, False)] == [[2.0], [1.0]]


def test_work_stays_behind_a_branch_that_is_no_check() -> None:
    side = Builder()
    x = side.input(VECTOR)
    assert "if" in ops(checked(side, side.op("sqrt", VECTOR, x), fails=False))


def test_a_pass_that_there_is_not_cannot_be_disabled() -> None:
    with pytest.raises(
        ValueError, match=r"there is no pass 'unroll'; the passes are .*cse, dce, .*exit_values, fission, flags, fold"
    ):
        ExtractOptions(disabled=frozenset({"fold", "unroll"}))
