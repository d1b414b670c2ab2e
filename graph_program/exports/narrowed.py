"""Which outputs of a model a runtime may get wrong that computes in fewer bits than the model says.

There are runtimes in which float64 and float16 are float32, infinity is the greatest float32, and most of what is done
with integers is done in float32, too: OpenVINO holds them in 32 bits, and compares, chooses, sums and divides the 24 of
a float32 (2026.4).  Arguments are taken to fit, and so are sizes: what is asked is whether the arithmetic on them
leaves these types.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from graph_program.extract.diagnostics import UNKNOWN, Loc
from graph_program.extract.ir.graph import Graph, GraphProgram, Node, Value
from graph_program.extract.transform.integer_ranges import Range, Ranges

if TYPE_CHECKING:
    import onnx

METADATA = "graph_program.narrowed"
"""Where a model says it: a JSON object of reasons by the name of the output."""
FLOATS = "float64 is float32 there, infinity 3.4e38"
HALVES = "float16 is float32 there, and not rounded"
INTEGERS = "integers may not fit 24 bits"
ARGUMENT = "integers of more than 24 bits are taken for others"
LARGEST = 2**24
"""A float32 has all integers of this size, and not the next one."""
WIDE = frozenset(map(np.dtype, (np.int64, np.uint64, np.int32, np.uint32)))
MOVES = frozenset(
    [
        *("absolute", "argmax", "argmin", "argsort", "bitwise_and", "broadcast_to", "cast", "concatenate", "dim"),
        *("expand_dims", "floor_divide", "full", "gather_nd", "iota", "max", "max_pool", "maximum", "min", "minimum"),
        *("nonzero", "placeholder", "remainder", "reshape", "right_shift", "scatter_nd", "set_index", "set_slice"),
        *("sign", "slice", "sort", "squeeze", "take", "top_k", "transpose", "where"),
    ]
)
"""Operations whose integers are sizes, positions, or no greater than those that they get."""
SLICES = frozenset(["slice", "set_slice"])
"""Operations whose constant limits may be beyond any size."""
Reasons = Mapping[str, Loc]
"""Why a value may be wrong, each with the first place that makes it so."""
NOTHING: Reasons = {}


def narrowed_ports(program: GraphProgram, inputs: Sequence[str], names: Sequence[str]) -> dict[str, str]:
    """Why outputs may be wrong, by the names that they have in the model; and which inputs are taken to fit."""
    walk = _Walk(frozenset(s for value in program.graph.inputs for d in value.type.shape for s in d.symbols))
    for value in program.graph.inputs:
        walk.found[value] = {FLOATS: UNKNOWN} if value.type.dtype == np.float64 else NOTHING
    walk.graph(program.graph)
    told = len(program.output_names) + bool(program.errors)  # behind them are numbers for messages
    pairs = zip(names[:told], program.graph.outputs, strict=False)
    named = {name: _text(walk.found[value]) for name, value in pairs if walk.found[value]}
    wide = (value.name for value in program.graph.inputs if value.type.dtype in WIDE and value.name in inputs)
    return {**dict.fromkeys(wide, ARGUMENT), **named}


def _text(reasons: Reasons) -> str:
    places = {reason: loc.in_program.where.rpartition(":")[0] for reason, loc in reasons.items()}
    return "; ".join(f"{reason} ({place})" if place else reason for reason, place in sorted(places.items()))


class _Walk:
    """Follows reasons from values to those that are computed from them, through branches and loops."""

    def __init__(self, given: frozenset[str]) -> None:
        self.given = given
        """Names of sizes of arguments."""
        self.found: dict[Value, Reasons] = {}
        self.ranges = Ranges(lambda value: value.type.shape)

    def graph(self, graph: Graph) -> None:
        for node in graph.nodes:
            self.ranges.note(node)
            self._node(node)

    def of(self, values: Iterable[Value]) -> Reasons:
        """The reasons of any of several values."""
        return _merged(self.found.get(value, NOTHING) for value in values)

    def _node(self, node: Node) -> None:
        if node.op == "if":
            for region in node.regions:
                self.graph(region)
            for i, value in enumerate(node.outputs):
                self.found[value] = self.of([node.inputs[0], *(region.outputs[i] for region in node.regions)])
        elif node.op == "loop":
            self._loop(node)
        elif node.op == "dim" and node.inputs[0].type.shape[node.attrs["axis"]].symbols <= self.given:
            self.found[node.outputs[0]] = NOTHING
        else:
            limits = node.op in SLICES
            reasons = self.of(v for i, v in enumerate(node.inputs) if not (limits and i and self.ranges.is_constant(v)))
            for value in node.outputs:
                self.found[value] = _merged([reasons, self._own(node, value)])

    def _loop(self, node: Node) -> None:
        """Until a round finds no more reasons than the one before."""
        body = node.regions[0]
        limits = [value for value in node.inputs[:2] if not self.ranges.is_constant(value)]
        carried: list[Reasons] = [self.of([value, *limits]) for value in node.inputs[2:]]
        while True:
            self.found.update(zip(body.inputs[1:], carried, strict=True))
            self.graph(body)
            again = body.outputs[0]
            after: list[Reasons] = [
                _merged([had, self.of([value, again])]) for value, had in zip(body.outputs[1:], carried, strict=True)
            ]
            if [set(reasons) for reasons in after] == [set(reasons) for reasons in carried]:
                break
            carried = after
        self.found.update(zip(node.outputs, carried, strict=True))

    def _own(self, node: Node, value: Value) -> Reasons:
        """Why the operation itself may be wrong."""
        dtype = value.type.dtype
        if node.op == "constant":
            return _of_constant(np.asarray(node.attrs["value"]), node.loc)
        if dtype == np.float64:
            return {FLOATS: node.loc}
        if dtype == np.float16 and (node.op == "cast" or node.op not in MOVES):
            return {HALVES: node.loc}
        if dtype not in WIDE or not self._may_leave(node, value):
            return NOTHING
        return {INTEGERS: node.loc}

    def _may_leave(self, node: Node, value: Value) -> bool:
        """Whether integers may be none of 24 bits."""
        if node.op == "cast":
            return node.inputs[0].type.dtype.kind == "f"
        return node.op not in MOVES and not _fits(self.ranges.of(value))


def _merged(parts: Iterable[Reasons]) -> Reasons:
    """All reasons, with the first places that are known."""
    found: dict[str, Loc] = {}
    for reasons in parts:
        for reason, loc in reasons.items():
            if found.get(reason, UNKNOWN) is UNKNOWN:
                found[reason] = loc
    return found


def _of_constant(array: np.ndarray, loc: Loc) -> Reasons:
    if array.dtype == np.float64:
        with np.errstate(all="ignore"):
            same = np.isfinite(array).all() and (array.astype(np.float32) == array).all()
        return NOTHING if same else {FLOATS: loc}
    if array.dtype in WIDE and array.size and not _inside(int(array.min()), int(array.max())):
        return {INTEGERS: loc}
    return NOTHING


def _fits(found: Range | None) -> bool:
    """Whether integers of a range have 24 bits; what depends on sizes is a size, which has."""
    if found is None:
        return False
    low, high = (end.constant for end in found)
    return _inside(0 if low is None else low, 0 if high is None else high)


def _inside(low: int, high: int) -> bool:
    return low >= -LARGEST and high <= LARGEST


def written(narrowed: Mapping[str, str]) -> str:
    """As the metadata of a model have it."""
    return json.dumps(narrowed)


def narrowed_of(model: onnx.ModelProto) -> dict[str, str]:
    """What a model says of its outputs; nothing where it does not say."""
    found = {prop.key: prop.value for prop in model.metadata_props}.get(METADATA)
    return {} if found is None else dict(json.loads(found))


__all__ = ["LARGEST", "METADATA", "narrowed_of", "narrowed_ports", "written"]
