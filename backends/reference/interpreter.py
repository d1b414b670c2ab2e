"""NumPy interpreter of graph programs: the oracle that other back ends are compared with."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

import graph_program.tensor_api.ops  # noqa: F401  (fills OPS)
from graph_program.backends.host import exchange
from graph_program.extract.diagnostics import Loc
from graph_program.extract.ir import libraries, models
from graph_program.extract.ir.graph import Graph, GraphProgram, Node, Value
from graph_program.extract.ir.host import HOST_OPS
from graph_program.extract.types.tensors.tensor_type import TensorType
from graph_program.tensor_api.opdef import OPS


class Environment(dict[Value, np.ndarray]):
    """The values computed so far, of a graph and of the graphs around it."""

    def __init__(self, program: GraphProgram | None = None):
        super().__init__()
        self.program = program

    def decided(self, node: Node, choice: int) -> None:
        """Which region of an `if` was taken, or how many rounds a `loop` had; for whoever wants to know."""

    def has_error(self) -> bool:
        """Whether the program has recorded an error: what comes after is not reached in Python."""
        return self.program is not None and has_error(self.program, self)


class OperationError(RuntimeError):
    """An operation that cannot be computed on the values it was given.

    Attributes
    ----------
    loc : Loc
        The place of the operation in the source.
    original : Exception
        What NumPy raised.
    """

    def __init__(self, loc: Loc, original: Exception):
        super().__init__(f"{loc}: {type(original).__name__}: {original}")
        self.loc = loc
        self.original = original


def run(
    program: GraphProgram, feeds: Mapping[str, Any] | Sequence[Any], environment: Environment | None = None
) -> list[np.ndarray]:
    """Evaluate a graph program.

    Parameters
    ----------
    program : GraphProgram
    feeds : mapping or sequence of array_like
        Inputs by name, or in order; each is converted to the element type of its input.
    environment : Environment, optional
        Where values are kept; by default one for this run.

    Returns
    -------
    list of ndarray
        `program.graph.outputs` in order: results, error number, error arguments.

    Raises
    ------
    OperationError
        Where an operation raises.
    """
    inputs = program.graph.inputs
    values = [feeds[value.name] for value in inputs] if isinstance(feeds, Mapping) else list(feeds)
    arrays = [np.asarray(array, value.type.dtype) for value, array in zip(inputs, values, strict=True)]
    with np.errstate(all="ignore"):
        return evaluate(program.graph, arrays, environment if environment is not None else Environment(program))


def evaluate(graph: Graph, inputs: Sequence[np.ndarray], outer: Environment) -> list[np.ndarray]:
    """The outputs of a graph; `outer` holds the values of the enclosing graphs."""
    environment = outer
    environment.update(zip(graph.inputs, inputs, strict=True))
    for node in graph.nodes:
        results = _evaluate_node(node, environment)
        environment.update(zip(node.outputs, results, strict=True))
    return [environment[value] for value in graph.outputs]


def reference_of(op: str) -> Callable[..., Any]:
    """What NumPy computes for an operation."""
    return models.OPERATIONS.get(op) or libraries.OPERATIONS.get(op) or OPS[op].reference


def _evaluate_node(node: Node, environment: Environment) -> list[np.ndarray]:
    match node.op:
        case "constant":
            return [np.asarray(node.attrs["value"])]
        case "placeholder":
            sizes = [int(environment[size]) for size in node.inputs]
            return [np.zeros(sizes, node.outputs[0].type.dtype) if sizes else placeholder(node.outputs[0].type)]
        case "if":
            choice = 0 if bool(environment[node.inputs[0]]) else 1
            environment.decided(node, choice)
            return evaluate(node.regions[choice], [], environment)
        case "loop":
            return _evaluate_loop(node, environment)
        case op if op in HOST_OPS:
            return exchange.OPERATIONS[op](*(environment[v] for v in node.inputs), **node.attrs)
    args = [environment[value] for value in node.inputs]
    try:
        result = np.asarray(reference_of(node.op)(*args, **node.attrs))
    except (ArithmeticError, IndexError, MemoryError, RuntimeError, TypeError, ValueError) as error:
        if environment.has_error():
            return [placeholder(node.outputs[0].type)]
        raise OperationError(node.loc, error) from error
    dtype = node.outputs[0].type.dtype
    if result.dtype != dtype:
        raise OperationError(node.loc, TypeError(f"{node.op} gave {result.dtype}, not {dtype}"))
    return [result]


def _evaluate_loop(node: Node, environment: Environment) -> list[np.ndarray]:
    trips, condition, *carried = (environment[value] for value in node.inputs)
    iteration = 0
    while iteration < int(trips) and bool(condition):
        condition, *carried = evaluate(node.regions[0], [np.asarray(iteration, np.int64), *carried], environment)
        iteration += 1
    environment.decided(node, iteration)
    return carried


def placeholder(type: TensorType) -> np.ndarray:
    """Some array of a type: zeros, with dims that are not known of size 0."""
    return np.zeros([dim.constant or 0 for dim in type.shape], type.dtype)


def has_error(program: GraphProgram, known: Mapping[Value, np.ndarray]) -> bool:
    """Whether a check has found an error, by what is known of the values so far.

    The number itself is no evidence: where control goes on behind a `raise` that was not reached, nobody
    reads it, and it may be any.  So it is followed from the program's end to where it has been chosen.
    """
    for _, node, producers in _versions_of_error(program, known):
        if node is not None and node.op == "where":
            test = known.get(node.inputs[0])
            if test is not None and test.item() and _is_number(node.inputs[1], producers):
                return True
    return False


def error_numbers(program: GraphProgram) -> set[Value]:
    """All versions of the program's error variable."""
    return {value for value, _, _ in _versions_of_error(program, {})}


def _versions_of_error(
    program: GraphProgram, known: Mapping[Value, np.ndarray]
) -> Iterator[tuple[Value, Node | None, dict[Value, Node]]]:
    """The versions of the error variable that may have been chosen, each with what makes it, and what makes others.

    What a branch in a loop has asked is known of the last round alone: one before may have gone the other way.
    """
    producers: dict[Value, Node] = {}
    carried: dict[Value, tuple[Node, int]] = {}
    _collect(program.graph, producers, carried)
    in_rounds = {node for loop in program.graph.walk() if loop.op == "loop" for node in loop.regions[0].walk()}
    seen: set[Value] = set()
    waiting = [program.graph.outputs[len(program.output_names)]] if program.errors else []
    while waiting:
        value = waiting.pop()
        if value in seen:
            continue
        seen.add(value)
        node = producers.get(value)
        yield value, node, producers
        if value in carried:
            waiting += _carried_versions(*carried[value])
        elif node is not None:
            is_told = node.op == "where" or (node.op == "if" and node not in in_rounds)
            test = known.get(node.inputs[0]) if is_told else None
            waiting += _earlier_versions(node, value, test)


def _is_number(value: Value, producers: Mapping[Value, Node]) -> bool:
    """Whether a value is the number of an error."""
    node = producers.get(value)
    return node is not None and node.op == "constant" and bool(node.attrs["value"])


def _collect(graph: Graph, producers: dict[Value, Node], carried: dict[Value, tuple[Node, int]]) -> None:
    """What makes each value, and the loop and place of each that a loop carries."""
    for node in graph.nodes:
        producers.update(dict.fromkeys(node.outputs, node))
        for region in node.regions:
            if node.op == "loop":
                carried.update((value, (node, place)) for place, value in enumerate(region.inputs[1:]))
            _collect(region, producers, carried)


def _carried_versions(node: Node, place: int) -> list[Value]:
    """The values that a loop begins with and goes on with."""
    return [node.inputs[place + 2], node.regions[0].outputs[place + 1]]


def _earlier_versions(node: Node, value: Value, test: np.ndarray | None) -> list[Value]:
    """The values that a version of a variable was chosen from, or the chosen one where the test is known."""
    place = node.outputs.index(value)
    match node.op:
        case "where":
            sides = node.inputs[1:]
        case "if":
            sides = [region.outputs[place] for region in node.regions]
        case "loop":
            return _carried_versions(node, place)
        case _:
            return []
    return sides if test is None else [sides[0 if test.item() else 1]]
