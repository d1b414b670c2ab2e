"""Hand-written residual programs: what their graphs compute and what they look like."""

from __future__ import annotations

import numpy as np
import pytest
from residual_programs import block, check, const, copy, count, if_, leave, loop, op, program, raise_

from graph_program.backends.reference.interpreter import OperationError, run
from graph_program.backends.reference.residual import interpret
from graph_program.extract.control import residual_to_graph
from graph_program.extract.ir.graph import Graph, GraphProgram, Node
from graph_program.extract.ir.residual import Program
from graph_program.extract.ir.verifier import verify_graph, verify_residual
from graph_program.extract.transform import optimize


def graph_of(source: Program) -> GraphProgram:
    verify_residual(source)
    graph = residual_to_graph(source)
    verify_graph(graph, unread=True)
    return graph


def same_for(source: Program, values: range) -> None:
    graph = graph_of(source)
    improved = optimize(graph)
    verify_graph(improved)
    for value in values:
        expected = interpret(source, [np.asarray(value)])
        for candidate in (graph, improved):
            results = run(candidate, [value])
            error = int(results[len(source.outputs)]) if candidate.errors else 0
            assert error == (0 if expected.error is None else expected.error + 1)
            if expected.error is None:
                assert results[: len(source.outputs)] == expected.outputs
            else:
                assert [results[i] for i in candidate.error_args[expected.error]] == expected.error_args


def only(graph: Graph, op_name: str) -> Node:
    (node,) = (node for node in graph.nodes if node.op == op_name)
    return node


def depth(graph: Graph) -> int:
    return max((1 + depth(region) for node in graph.nodes for region in node.regions), default=0)


COUNT_UP = [
    op("bt", "less", "i", "i_in"),
    if_("bt", [], [leave("out")]),
    op("it", "add", "i", const(2)),
    copy(i="it"),
]


def test_while_is_rotated() -> None:
    source = program("i_in", [copy(i=const(0)), block("out", loop(*COUNT_UP))], ["i"])
    node = only(graph_of(source).graph, "loop")
    assert [inner.op for inner in node.regions[0].nodes] == ["add", "less"]
    assert len(node.outputs) == 1
    same_for(source, range(-1, 6))


def test_counted_loop_has_no_condition_and_no_invariants() -> None:
    body = [op("it", "add", "i", "i_in"), copy(i="it", i_same="i_same")]
    source = program("i_in", [copy(i=const(0), i_same="i_in"), count("ik", "i_in", *body)], ["i", "i_same"])
    graph = graph_of(source).graph
    node = only(graph, "loop")
    assert [inner.op for inner in node.regions[0].nodes] == ["add"]
    assert len(node.outputs) == 1
    assert graph.outputs[1] is graph.inputs[0]
    same_for(source, range(-1, 4))


def test_do_while_has_no_if() -> None:
    body = [
        op("it", "add", "i", const(3)),
        op("bt", "less", "i_in", "it"),
        if_("bt", [leave("out")]),
        copy(i="it"),
    ]
    source = program("i_in", [copy(i=const(0)), block("out", loop(*body))], ["it"])
    node = only(graph_of(source).graph, "loop")
    assert "if" not in [inner.op for inner in node.regions[0].nodes]
    assert len(node.outputs) == 1
    same_for(source, range(-1, 9))


def test_a_program_without_errors_has_no_error_output() -> None:
    graph = graph_of(program("i_in", [op("it", "add", "i_in", const(1))], ["it"]))
    assert len(graph.graph.outputs) == 1
    assert graph.error_args == []


def test_check_in_a_counted_loop_stops_it_without_an_if() -> None:
    body = [
        op("bt", "equal", "ik", const(3)),
        check("bt", 0, "ik"),
        op("it", "add", "i", "ik"),
        copy(i="it"),
    ]
    source = program("i_in", [copy(i=const(0)), count("ik", "i_in", *body)], ["i"], "i")
    node = only(graph_of(source).graph, "loop")
    assert "if" not in [inner.op for inner in node.regions[0].nodes]
    same_for(source, range(-1, 7))
    assert run(graph_of(source), [10**12])[1:] == [1, 3]


def test_recorded_error_ends_a_while_and_the_first_one_wins() -> None:
    source = program(
        "i_in",
        [
            op("bz", "equal", "i_in", const(0)),
            check("bz", 1),
            copy(i=const(0)),
            block("out", loop(op("bt", "less_equal", "i", const(10**9)), if_("bt", [], [leave("out")]),
                              op("bq", "equal", "i", "i_in"), check("bq", 0, "i"),
                              op("it", "add", "i", const(1)), copy(i="it"))),
            raise_(1),
        ],
        ["i"],
        "i -",
    )  # fmt: skip
    same_for(source, range(6))


def test_endless_loop_with_a_check() -> None:
    body = [op("bt", "equal", "i", "i_in"), check("bt", 0, "i"), op("it", "add", "i", const(1)), copy(i="it")]
    source = program("i_in", [copy(i=const(0)), loop(*body)], ["i"], "i")
    same_for(source, range(4))


def test_exits_of_nested_loops() -> None:
    """`return`, `break`, `continue` of the outer loop and `raise`, from the inner loop."""
    inner = [
        op("ip", "multiply", "ia", "ib"),
        op("b1", "equal", "ip", "i_in"),
        if_("b1", [copy(i_out="ib"), leave("return")]),
        op("b2", "equal", "ip", const(6)),
        if_("b2", [leave("break")]),
        op("b3", "equal", "ip", const(2)),
        if_("b3", [leave("continue")]),
        op("b4", "less", const(11), "ip"),
        if_("b4", [raise_(0, "ia", "ip")]),
        op("it", "add", "i", "ip"),
        copy(i="it"),
    ]
    outer = [block("continue", count("ib", const(5), *inner), op("iu", "add", "i", const(100)), copy(i="iu"))]
    source = program(
        "i_in",
        [
            copy(i=const(0), i_out=const(-1)),
            block("return", block("break", count("ia", "i_in", *outer)), copy(i_out="i")),
        ],
        ["i_out", "i"],
        "ii",
    )
    same_for(source, range(-1, 20))


def test_shared_joins() -> None:
    """Two branches that both may jump to one of two places, as in short-circuit conditions."""
    source = program(
        "i_in",
        [
            op("b1", "less", "i_in", const(2)),
            op("b2", "less", "i_in", const(4)),
            block("end",
                block("no",
                    block("yes",
                        if_("b1", [leave("yes")], [op("b3", "equal", "i_in", const(3)), if_("b3", [leave("no")])]),
                        if_("b2", [copy(i=const(7)), leave("end")]),
                    ),
                    copy(i=const(1)), leave("end")),
                copy(i=const(2))),
        ],
        ["i"],
    )  # fmt: skip
    same_for(source, range(7))


def test_unset_variable_is_a_placeholder() -> None:
    source = program("i_in", [op("b1", "less", "i_in", const(2)), if_("b1", [copy(i="i_in")])], ["i"])
    graph = graph_of(source)
    assert "placeholder" in [node.op for node in graph.graph.walk()] or graph.graph.outputs[0].name == "i_in"
    assert run(graph, [1]) == [1]


def test_copies_are_parallel() -> None:
    body = [copy(i="i_b", i_b="i")]
    source = program("i_in", [copy(i=const(1), i_b=const(2)), count("ik", "i_in", *body)], ["i", "i_b"])
    same_for(source, range(4))


@pytest.mark.parametrize("length", [3, 200])
def test_chain_of_returns_stays_flat(length: int) -> None:
    body = []
    for k in range(length):
        body += [
            op(f"b{k}", "equal", "i_in", const(k)),
            op(f"i{k}", "multiply", "i_in", const(k)),
            if_(f"b{k}", [copy(i=f"i{k}"), leave("return")]),
        ]
    source = program("i_in", [copy(i=const(-1)), block("return", *body)], ["i"])
    graph = graph_of(source)
    assert depth(graph.graph) <= 12
    assert sum(1 for _ in graph.graph.walk()) <= 6 * length
    for value in (0, 2, length - 1, length):
        assert run(graph, [value]) == [value * value if value < length else -1]


def test_ten_thousand_operations() -> None:
    body = [op("i0", "add", "i_in", const(1))]
    body += [op(f"i{k}", "add", f"i{k - 1}", "i_in") for k in range(1, 10_000)]
    graph = graph_of(program("i_in", body, ["i9999"]))
    assert run(optimize(graph), [1]) == [10_001]


def test_a_failing_operation_names_its_place() -> None:
    source = program("v_in i_in", [op("f", "take", "v_in", "i_in", axis=0)], ["f"])
    with pytest.raises(OperationError) as caught:
        run(residual_to_graph(source), [np.arange(3.0), 3])
    assert isinstance(caught.value.original, IndexError)


def test_stages_are_shown_to_the_hook() -> None:
    seen: list[str] = []
    source = program("i_in", [copy(i=const(0)), block("out", loop(*COUNT_UP))], ["i"])
    residual_to_graph(source, lambda stage, result: seen.append(f"{stage}\n{result}"))
    assert [text.split("\n")[0] for text in seen] == ["cfg", "ssa", "regions", "graph"]
    assert "branch bt" in seen[1]
    assert "loop b" in seen[2]


def test_raise_in_nested_counted_loops_is_not_lost() -> None:
    """The inner loop's count leads to the outer head, whose count leads where `raise` does."""
    inner = [op("b1", "equal", "ib", "i_in"), if_("b1", [raise_(0, "ia", "ib")])]
    body = [count("ia", const(3), count("ib", const(3), *inner), copy(i="ia"))]
    same_for(program("i_in", [copy(i=const(0)), *body], ["i"], "ii"), range(-1, 5))
