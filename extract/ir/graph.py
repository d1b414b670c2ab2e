"""The graph: the functional form, with structured `if` and `loop` nodes.

A `Graph` is a list of `Node`s over `Value`s; each value has one definition.  A node may have inner
graphs (`regions`), which may read any value defined before the node in an enclosing graph, so only
what a region *gives back* is spelled out:

    if    inputs [condition]; regions [then, else], no parameters; both give the node's outputs.
          `attrs["fails"]`, where it is there, is the number of the region behind which the program ends
          with an error.
    loop  inputs [trips, condition, *initial]; region [body] with parameters
          [iteration, *carried] giving [again, *carried]; outputs are the final carried values.
          `trips` is an int64 scalar (INT64_MAX: no limit; negative counts as 0); `condition` and
          `again` are bool scalars; the body runs while the iteration number is below `trips` and
          the condition holds.
    op    any `OpDef` name; static attributes in `attrs`.
    constant   no inputs; `attrs["value"]` is an ndarray.
    placeholder   a value of the right type that no path reads (see control/); its sizes as inputs, or none.

Values of one graph are in definition order, so walking `nodes` evaluates the program.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field
from typing import Any

from graph_program.extract.diagnostics import UNKNOWN, Loc
from graph_program.extract.ir.errors import ErrorInfo
from graph_program.extract.ir.host import HostStep
from graph_program.extract.ir.loops import LoopReport
from graph_program.extract.records import dataclass
from graph_program.extract.types.tensors.tensor_type import TensorType


@dataclass(eq=False)
class Value:
    """One tensor; identity is the object, `name` is unique in the program and comes from the source."""

    name: str
    type: TensorType

    def __repr__(self) -> str:
        return f"%{self.name}: {self.type}"


@dataclass(eq=False)
class Node:
    op: str
    inputs: list[Value]
    outputs: list[Value]
    attrs: Mapping[str, Any] = field(default_factory=dict)
    regions: list[Graph] = field(default_factory=list)
    loc: Loc = UNKNOWN


@dataclass(eq=False)
class Graph:
    inputs: list[Value]
    nodes: list[Node]
    outputs: list[Value]

    def walk(self) -> Iterator[Node]:
        """Every node, inner graphs included, outer before inner."""
        around = [iter(self.nodes)]
        while around:  # not by recursion, in which each node would come out of every graph around it
            for node in around[-1]:
                yield node
                if node.regions:
                    around.extend(iter(region.nodes) for region in reversed(node.regions))
                    break
            else:
                around.pop()

    def graphs(self) -> Iterator[Graph]:
        """This graph, and the inner ones."""
        yield self
        for node in self.walk():
            yield from node.regions

    def values(self) -> Iterator[Value]:
        """Every value that is given or made, inner graphs included."""
        yield from self.inputs
        for node in self.walk():
            yield from node.outputs
            for region in node.regions:
                yield from region.inputs

    def makers(self) -> dict[Value, Node]:
        """The node that makes each value, in inner graphs too."""
        return {value: node for node in self.walk() for value in node.outputs}


@dataclass(eq=False)
class GraphProgram:
    """A whole program as a graph.

    `graph.outputs` are the results named by `output_names`, then, if `errors` is not empty, the
    int64 scalar error number (0: none; k: `errors[k - 1]`), then the arguments of the error messages
    (`error_args[k - 1]` are indices into `graph.outputs`).  A program with `host` steps has one more input
    and one more output, the last ones: the int64 scalar that keeps them in order (see `ir/host`).
    """

    name: str
    graph: Graph
    output_names: list[str]
    errors: list[ErrorInfo] = field(default_factory=list)
    error_args: list[tuple[int, ...]] = field(default_factory=list)
    host: list[HostStep] = field(default_factory=list)
    keeps_writes: bool = False
    """Whether results mean something where the error number is not 0: they say what was written before."""
    is_checked: bool = True
    """Whether failures are told, and numbers that are not finite are Python's; False for whoever needs neither."""
    leaves_checks: bool = False
    """Whether operations that fail tell of some errors by themselves, without a check before them."""
    loops: list[LoopReport] = field(default_factory=list)
    """What became of loops, as far as somebody has looked."""
