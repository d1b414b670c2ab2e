"""How operations read their operands: each element once, so that it is written where it is read, or not."""

from __future__ import annotations

from graph_program.extract.ir.graph import Node, Value

READS_ONCE: set[str] = set()
"""The operations that read each element of their operands at most once, filled by `rules`."""
GATHERS = ("take", "gather_nd")
BROADCASTING: set[str] = set()
"""Of these, the ones whose operands broadcast."""


def is_square(node: Node | None) -> bool:
    """Whether floats are multiplied with themselves, for which each is read once."""
    return (
        node is not None
        and node.op == "multiply"
        and node.inputs[0] is node.inputs[1]
        and node.inputs[0].type.dtype.kind == "f"
    )


def reads_once(reader: Node, value: Value) -> bool:
    """Whether an operation reads each element of an operand at most once."""
    if reader.op in GATHERS:
        return _are_all_positions(reader, value)
    if meets_a_vector(reader, value):
        return True
    return reader.op in READS_ONCE and (reader.op not in BROADCASTING or _covers(value, reader))


def meets_a_vector(reader: Node, value: Value) -> bool:
    """Whether a matrix is multiplied with a vector."""
    if reader.op != "matmul" or value.type.rank != 2 or value.type.dtype.name not in ("float32", "float64"):
        return False
    return any(other.type.rank == 1 for other in reader.inputs)


def _are_all_positions(reader: Node, value: Value) -> bool:
    """Whether each element of an operand says where one element of a result is."""
    array, *positions = reader.inputs
    is_each = value.type.shape == reader.outputs[0].type.shape
    return value is not array and positions.count(value) == 1 and is_each and array.type.rank == len(positions)


def _covers(value: Value, reader: Node) -> bool:
    """Whether an operand has as many elements as the result, as far as is known."""
    own, result = value.type.shape, reader.outputs[0].type.shape
    return len(own) == len(result) and all(
        size == other or size.constant != 1 for size, other in zip(own, result, strict=True)
    )


__all__ = ["BROADCASTING", "READS_ONCE", "is_square", "meets_a_vector", "reads_once"]
