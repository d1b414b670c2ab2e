"""Residual programs and graphs as readable text.

def f(n: int):                          f(n: int):
    x = 0                                   int_0: int64[] = 0
    block L1:                               x_1: int = loop(trips=..., while=t) with x: int = int_0:
        loop:                                   x2: int = add(x, int_1)
            t = less(x, n)                      t_1: bool = less(x2, n)
            if t:                               give t_1, x2
                ...                         return x = x_1
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from graph_program.extract.diagnostics import UNKNOWN, Loc
from graph_program.extract.ir import errors, residual
from graph_program.extract.ir.graph import Graph, GraphProgram, Node, Value
from graph_program.extract.ir.loops import told
from graph_program.extract.ir.residual import Const, Operand, Program

INDENT = "    "
LONGEST_ARRAY = 16
"""Elements of a constant that are printed."""


def print_residual(program: Program, places: bool = False) -> str:
    """A residual program as Python-like text; with `places`, each line ends in its `file:line`."""
    inputs = ", ".join(f"{name}: {program.types[name]}" for name in program.inputs)
    lines = [_placed(f"def {program.name}({inputs}):", program.loc, places)]
    lines += _statements(program.body, INDENT, places)
    outputs = zip(program.output_names, program.outputs, strict=True)
    lines.append(f"{INDENT}return {', '.join(f'{name}={_operand(value)}' for name, value in outputs)}")
    lines += [f"# error {i}: {_error(info)}" for i, info in enumerate(program.errors)]
    lines += [f"# host {i}: {step.text or step.kind}" for i, step in enumerate(program.host)]
    lines += [f"# {note}" for note in program.notes]
    return "\n".join(lines)


def print_graph(program: GraphProgram, places: bool = False) -> str:
    """A graph as indented text with the type of every value; `places` as above."""
    inputs = ", ".join(map(_typed, program.graph.inputs))
    lines = [f"{program.name}({inputs}):", *_nodes(program.graph, INDENT, places)]
    count = len(program.output_names)
    outputs = program.graph.outputs
    results = zip(program.output_names, outputs[:count], strict=True)
    lines.append(f"{INDENT}return {', '.join(f'{name}={value.name}' for name, value in results)}")
    if program.errors:
        lines.append(f"{INDENT}error {outputs[count].name}")
    for i, info in enumerate(program.errors):
        args = ", ".join(outputs[k].name for k in program.error_args[i])
        lines.append(f"# error {i + 1}: {_error(info)}({args})")
    lines += [f"# {report.place} is {report.text}" for report in told(program.loops)]
    return "\n".join(lines)


def _placed(text: str, loc: Loc, places: bool) -> str:
    return f"{text:<60}  # {loc.file}:{loc.line}" if places and loc != UNKNOWN else text


def _error(info: errors.ErrorInfo) -> str:
    if info.replayed:
        return "of an operation, which the run is repeated for to tell"
    pieces = (piece if isinstance(piece, str) else f"{{{piece[0]}}}" for piece in errors.message_pieces(info))
    return f"{info.exception.__name__} {''.join(pieces)}".rstrip()


def _array(array: np.ndarray) -> str:
    if array.size > LONGEST_ARRAY:
        return f"<{array.dtype}{list(array.shape)}>"
    text = repr(array.tolist())
    weak = array.ndim == 0 and array.dtype.name in ("bool", "int64", "float64")
    return text if weak else f"{array.dtype.name}({text})"


def _operand(operand: Operand) -> str:
    return _array(operand.value) if isinstance(operand, Const) else operand


def _operands(operands: Iterable[Operand]) -> str:
    return ", ".join(map(_operand, operands))


def _attrs(attrs: Mapping[str, Any]) -> list[str]:
    return [f"{name}={value}" for name, value in attrs.items()]


def _statements(body: list[residual.Stmt], indent: str, places: bool) -> Iterator[str]:
    if not body:
        yield f"{indent}pass"
    for stmt in body:
        yield _placed(indent + _statement(stmt), stmt.loc, places)
        match stmt:
            case residual.If():
                yield from _statements(stmt.body or stmt.orelse, indent + INDENT, places)
                if stmt.body and stmt.orelse:
                    yield f"{indent}else:"
                    yield from _statements(stmt.orelse, indent + INDENT, places)
            case residual.Loop() | residual.Block():
                yield from _statements(stmt.body, indent + INDENT, places)


def _statement(stmt: residual.Stmt) -> str:
    """The first line of a statement."""
    match stmt:
        case residual.Op():
            return f"{stmt.target} = {stmt.op}({', '.join([*map(_operand, stmt.args), *_attrs(stmt.attrs)])})"
        case residual.Copy():
            return f"{', '.join(stmt.targets)} = {_operands(stmt.sources)}"
        case residual.If():
            return f"if {'' if stmt.body else 'not '}{_operand(stmt.test)}:"
        case residual.Effect():
            return f"reach {', '.join(stmt.targets)} = {_operands(stmt.sources)}"
        case residual.Loop(trips=None):
            return "loop:"
        case residual.Loop():
            assert stmt.trips is not None
            return f"for {stmt.counter or '_'} in range({_operand(stmt.trips)}):"
        case residual.Block():
            return f"block {stmt.label}:"
        case residual.Leave():
            return f"leave {stmt.label}"
        case residual.Check():
            return f"check {_operand(stmt.bad)}, error {_call(stmt.error, stmt.args)}"
        case residual.SizeCheck():
            clauses = (" or ".join(map(str, clause)) for clause in stmt.test.clauses)
            when = f" where {' and '.join(f'{d} > 0' for d in stmt.test.when)}" if stmt.test.when else ""
            return f"require {', '.join(clauses)}{when}, error {_call(stmt.error, stmt.args)}"
        case residual.OperationCheck():
            return f"require that {stmt.operation or 'it'} can be computed, error {_call(stmt.error, stmt.args)}"
        case residual.Host():
            told = f"{', '.join([*stmt.results, *stmt.receives])} = " if stmt.results or stmt.receives else ""
            return f"{told}host[{stmt.step}]({_operands([*stmt.objects, *stmt.sends])})"
        case residual.Raise():
            return f"raise error {_call(stmt.error, stmt.args)}"
    raise TypeError(f"not a residual statement: {type(stmt).__name__}")


def _call(error: int, args: tuple[Operand, ...]) -> str:
    return f"{error}({_operands(args)})" if args else str(error)


def _typed(value: Value) -> str:
    return f"{value.name}: {value.type}"


def _names(values: Iterable[Value]) -> str:
    return ", ".join(value.name for value in values)


def _nodes(graph: Graph, indent: str, places: bool) -> Iterator[str]:
    for node in graph.nodes:
        left = ", ".join(map(_typed, node.outputs))
        yield _placed(f"{indent}{left} = {_node(node)}" if left else indent + _node(node), node.loc, places)
        for i, region in enumerate(node.regions):
            if i:
                yield f"{indent}else:"
            yield from _nodes(region, indent + INDENT, places)
            yield f"{indent}{INDENT}give {_names(region.outputs)}"


def _node(node: Node) -> str:
    """The right-hand side of a node's first line."""
    if node.op == "constant":
        return _array(node.attrs["value"])
    if node.op == "if":
        return f"if {node.inputs[0].name}:"
    if node.op == "loop":
        iteration, *params = node.regions[0].inputs
        trips, condition, *initial = node.inputs
        carried = ", ".join(f"{_typed(p)} = {v.name}" for p, v in zip(params, initial, strict=False))
        head = f"loop({iteration.name} < {trips.name}, while {condition.name})"
        return f"{head} with {carried}:" if carried else f"{head}:"
    return f"{node.op}({', '.join([*(value.name for value in node.inputs), *_attrs(node.attrs)])})"
