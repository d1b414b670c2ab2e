"""What a target says of operators beside their element types: inputs to be known, values of attributes, ranks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import onnx

from graph_program.targets.known import Known

Ranks = Mapping[str, int]
"""The numbers of axes of values, by their name, where they are known."""


@dataclass(frozen=True)
class Limits:
    """As a document says them, by operator.

    Attributes
    ----------
    known : mapping of str to sequence of int
        Inputs, by their place, that have to be known when a file is loaded.
    attributes : mapping of str to mapping of str to sequence
        The values that attributes may have; of lists, the elements.
    inputs, outputs : mapping of str to int
        At most so many.
    ranks : mapping of str to sequence of int
        The numbers of axes that the first input may have.
    opsets : sequence of int
        The first version of the standard operators, and the last one; empty where nothing is said.
    fixed_sizes : bool
        Whether all sizes have to be known.  What follows from them is computed before anything is asked.
    same_sizes : bool
        Whether what loops carry has to keep its sizes.
    counted_results : bool
        Whether loops that collect results have to do as many rounds as are known before.
    """

    known: Mapping[str, Sequence[int]] = field(default_factory=dict)
    attributes: Mapping[str, Mapping[str, Sequence[Any]]] = field(default_factory=dict)
    inputs: Mapping[str, int] = field(default_factory=dict)
    outputs: Mapping[str, int] = field(default_factory=dict)
    ranks: Mapping[str, Sequence[int]] = field(default_factory=dict)
    opsets: Sequence[int] = ()
    fixed_sizes: bool = False
    same_sizes: bool = False
    counted_results: bool = False

    def beyond(self, node: onnx.NodeProto, known: Known, ranks: Ranks) -> Iterator[str]:
        """In which ways an operation is none that a target takes, as words behind the operator's name."""
        operator = node.op_type
        open_inputs = (i for i in self.known.get(operator, ()) if not known.all_known(node.input[i : i + 1]))
        yield from (f" whose {_input(operator, i)} only a run knows" for i in open_inputs)
        for attribute in node.attribute:
            allowed = self.attributes.get(operator, {}).get(attribute.name)
            found = None if allowed is None else _value(attribute)
            if allowed is not None and not set(found if isinstance(found, list) else [found]) <= set(allowed):
                yield f" with {attribute.name}={found!r}"
        for ports, most, word in ((node.input, self.inputs, "inputs"), (node.output, self.outputs, "outputs")):
            count = sum(map(bool, ports))
            if count > most.get(operator, count):
                yield f" with {count} {word}"
        rank = ranks.get(node.input[0]) if operator in self.ranks and node.input else None
        if rank is not None and rank not in self.ranks[operator]:
            yield f" of {rank} {'axis' if rank == 1 else 'axes'}"
        if operator == "Loop" and self.counted_results and not _is_counted(node, known):
            yield " whose rounds give elements, of which only a run knows how many there are"


def _input(operator: str, place: int) -> str:
    return f"`{onnx.defs.get_schema(operator).inputs[place].name}`"


def _value(attribute: onnx.AttributeProto) -> Any:
    found = onnx.helper.get_attribute_value(attribute)
    if isinstance(found, bytes):
        return found.decode()
    return found if isinstance(found, int | float) else [*found]


def _is_counted(node: onnx.NodeProto, known: Known) -> bool:
    """Whether a loop collects nothing, or does as many rounds as are known before it."""
    body = node.attribute[0].g
    if len(body.output) == len(body.input) - 1:
        return True
    copies = {inner.output[0]: inner.input[0] for inner in body.node if inner.op_type == "Identity"}
    again = body.output[0].name
    for _ in islice(body.node, len(copies)):
        again = copies.get(again, again)
    goes_on = again == body.input[1].name or again in known.values
    return goes_on and bool(node.input[0]) and known.all_known(node.input[:2])


NO_LIMITS = Limits()

__all__ = ["NO_LIMITS", "Limits", "Ranks"]
