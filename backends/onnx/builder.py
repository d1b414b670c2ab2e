"""Writing ONNX nodes the way one writes arithmetic: `Builder` collects nodes, `Tensor` has the operators."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import onnx_ir as ir

from graph_program.backends.onnx import doubles, equivalents, fusions, older, portable
from graph_program.backends.onnx.argument_sizes import ArgumentSizes
from graph_program.backends.onnx.attributes import made_attribute
from graph_program.backends.onnx.avoided import NOTHING, Avoided
from graph_program.backends.onnx.compared_sizes import ComparedSizes
from graph_program.backends.onnx.constants import constant_name, initializer, tensor_type
from graph_program.backends.onnx.kernels import Kernels
from graph_program.backends.onnx.pruning import used_nodes
from graph_program.backends.onnx.scopes import Scope, Sizes, in_order
from graph_program.backends.onnx.sharing import same_work
from graph_program.backends.onnx.slice_lengths import SliceLengths
from graph_program.extract.diagnostics import UNKNOWN, Loc
from graph_program.extract.ir.graph import Value
from graph_program.extract.transform.integer_ranges import Ranges
from graph_program.extract.transform.never_nan import NeverNan

BOOL = np.dtype(np.bool_)
INT32 = np.dtype(np.int32)
INT64 = np.dtype(np.int64)
FLOAT32 = np.dtype(np.float32)
FLOAT64 = np.dtype(np.float64)

Operand: TypeAlias = "Tensor | float | bool"

_LARGE = 1024
"""Constants of more bytes are shared by identity, not by content."""
_WRITTEN_OUT = 64
"""Bytes of a constant that a subgraph may have of its own, to give it back."""

_BOOL_RESULTS = frozenset(["Equal", "Less", "LessOrEqual", "Greater", "GreaterOrEqual", "IsNaN", "IsInf"])
_INT64_RESULTS = frozenset(["Shape", "ArgMax", "ArgMin", "Size", "NonZero"])


@dataclass(eq=False, slots=True)
class Tensor:
    """A value of the model with its element type, and its content where that is known.

    Python's operators add nodes; a number on the other side becomes a constant of the same type.
    `~`, `&` and `|` are logical on booleans and bitwise on integers.
    """

    builder: Builder
    value: ir.Value
    dtype: np.dtype
    known: np.ndarray | None = None
    sizes: tuple[int | None, ...] | None = None
    """The known ones of its dims."""
    made_of: Sequence[Tensor] = ()
    """Its dims as numbers, where it was made of these."""

    def op(self, operator: str, *others: Operand, dtype: np.dtype | None = None, **attrs: Any) -> Tensor:
        """The first output of `operator(self, *others)`; numbers among the others get this type."""
        return self.builder.op(operator, self, *map(self.like, others), dtype=dtype, **attrs)

    def like(self, operand: Operand) -> Tensor:
        """A number as a constant of this tensor's type; a tensor unchanged."""
        if isinstance(operand, Tensor):
            return operand
        return self.builder.constant(np.asarray(operand, self.dtype))

    def cast(self, dtype: np.dtype) -> Tensor:
        """The same values as another type; no node where it is the same type or the values are known."""
        if dtype == self.dtype:
            return self
        if self.known is not None and self.known.nbytes <= _LARGE:
            with np.errstate(all="ignore"):
                return self.builder.constant(self.known.astype(dtype))
        result = self.op("Cast", dtype=dtype, to=ir.DataType.from_numpy(dtype).value)
        result.sizes = self.sizes
        return result

    def where(self, x: Tensor, y: Operand) -> Tensor:
        """`x` where this boolean tensor holds, else `y`."""
        return self.builder.op("Where", self, x, x.like(y), dtype=x.dtype)

    def shape(self, start: int = 0, end: int | None = None) -> Tensor:
        """The sizes of axes `start` to `end`, as a vector; a constant where they are known."""
        sizes = self.known.shape if self.sizes is None and self.known is not None else self.sizes
        known = [None] if sizes is None else sizes[start:end]
        if None not in known:
            return self.builder.ints(*(size for size in known if size is not None))
        if self.made_of:
            return self.builder.vector(self.made_of[start:end])
        attrs: dict[str, Any] = {"start": start} if start else {}
        if end is not None:
            attrs["end"] = end
        return self.op("Shape", **attrs)

    def __add__(self, other: Operand) -> Tensor:
        return self.op("Add", other)

    def __radd__(self, other: float) -> Tensor:
        return self.like(other).op("Add", self)

    def __sub__(self, other: Operand) -> Tensor:
        return self.op("Sub", other)

    def __rsub__(self, other: float) -> Tensor:
        return self.like(other).op("Sub", self)

    def __mul__(self, other: Operand) -> Tensor:
        return self.op("Mul", other)

    def __rmul__(self, other: float) -> Tensor:
        return self.like(other).op("Mul", self)

    def __truediv__(self, other: Operand) -> Tensor:
        return self.op("Div", other)

    def __rtruediv__(self, other: float) -> Tensor:
        return self.like(other).op("Div", self)

    def __neg__(self) -> Tensor:
        return self.op("Neg")

    def __abs__(self) -> Tensor:
        return self.op("Abs")

    def __lt__(self, other: Operand) -> Tensor:
        return self.op("Less", other)

    def __gt__(self, other: Operand) -> Tensor:
        return self.op("Greater", other)

    def __ge__(self, other: Operand) -> Tensor:
        return self.op("GreaterOrEqual", other)

    def __invert__(self) -> Tensor:
        return self.op("Not" if self.dtype == BOOL else "BitwiseNot")

    def __and__(self, other: Operand) -> Tensor:
        return self.op("And" if self.dtype == BOOL else "BitwiseAnd", other)

    def __or__(self, other: Operand) -> Tensor:
        return self.op("Or" if self.dtype == BOOL else "BitwiseOr", other)

    def __xor__(self, other: Operand) -> Tensor:
        return self.op("Xor" if self.dtype == BOOL else "BitwiseXor", other)

    def equals(self, other: Operand) -> Tensor:
        """Element by element equality."""
        return self.op("Equal", other)


class Builder:
    """Collects the nodes of the graph being written, and the model's constants.

    Attributes
    ----------
    kernels : Kernels
        What the rules may count on.
    opset : int
        Version of the standard operators.
    is_portable : bool
        Whether other runtimes take the model, too.
    avoided : Avoided
        What is written in other words, as others do not take it.
    prefix : str
        What names of new values start with.
    loc : Loc
        The source position noted on new nodes.
    places : dict of onnx_ir.Node to Loc
        Where each node comes from, with the calls through which it was inlined.
    initializers : list of onnx_ir.Value
        Constants of the whole model; inner graphs use them from outside.
    foldable : Foldable
        What onnxruntime may compute before it runs.
    placeholders : list of onnx_ir.Value
        Constants that are of the right rank only; what is computed from them is not used.
    ranges : Ranges
        What is known of the program's integers where they are read.
    never_nan : NeverNan
        Which of the program's arrays hold no NaN.
    uses : Counter of Value
        How often the program reads each of its values.
    """

    def __init__(self, kernels: Kernels, opset: int, is_portable: bool = False, avoided: Avoided = NOTHING):
        self.kernels, self.opset = kernels, opset
        self.is_portable = is_portable
        self.avoided = avoided
        self.prefix = ""
        self.loc = UNKNOWN
        self.places: dict[ir.Node, Loc] = {}
        self.initializers: list[ir.Value] = []
        self.foldable = fusions.Foldable()
        self.placeholders: list[ir.Value] = []
        self.ranges = Ranges(lambda value: value.type.shape)
        self.compared = ComparedSizes(self.ranges)
        self.argument_sizes, self.slice_lengths = ArgumentSizes(), SliceLengths()
        self.never_nan = NeverNan()
        self.uses: Counter[Value] = Counter()
        self._scopes: list[Scope] = []
        self._constants: dict[Any, Tensor] = {}
        self._names: set[str] = set()

    def op(
        self, operator: str, *inputs: Tensor, dtype: np.dtype | None = None, domain: str = "", **attrs: Any
    ) -> Tensor:
        """Add a node of one output; its element type follows from the operator or the first input."""
        if self.avoided is not NOTHING and not domain:
            written = equivalents.operation(self.avoided, operator, inputs, attrs)
            if written is not None:
                return written
        if not domain and self.opset < older.MORE_TYPES:
            written = older.operation(self.opset, operator, inputs, attrs)
            if written is not None:
                return written
        if operator in doubles.OPERATORS and inputs[0].dtype.kind == "f":
            operator, inputs = doubles.guarded(operator, inputs)
            if operator == "MatMul":
                inputs = fusions.matrices_apart(inputs)
        return self.ops(operator, *inputs, dtypes=(dtype,), domain=domain, **attrs)[0]

    def ops(
        self,
        operator: str,
        *inputs: Tensor | None,
        dtypes: Sequence[np.dtype | None],
        domain: str = "",
        **attrs: Any,
    ) -> list[Tensor]:
        """Add a node with one output per element type (None: follows from it); inputs of None are left out."""
        if operator == "If" and inputs[0] is not None and inputs[0].value in self.foldable:
            inputs = (self._condition(inputs[0]),)
        given = tuple(x for x in inputs if x is not None)
        types = [dtype or _result_dtype(operator, given) for dtype in dtypes]
        values = [None if x is None else x.value for x in inputs]
        key = None if domain else same_work(operator, values, attrs, types, self.loc)
        found = None if key is None else self._computed(key)
        if found is not None:
            return found
        results = [self._result(operator, dtype) for dtype in types]
        node = ir.Node(
            domain,
            operator,
            values,
            [made_attribute(name, value) for name, value in attrs.items()],
            outputs=[result.value for result in results],
            name=node_name(operator, results[0].value) if results else None,
        )
        if self.loc is not UNKNOWN:
            node.metadata_props["source"] = self.loc.where
            self.places[node] = self.loc
        self._scopes[-1].nodes.append(node)
        self.foldable.add(node)
        if operator == "Loop" and self.is_portable:
            return portable.loop_results(self, given, attrs["body"], results)
        if key is not None:
            self._scopes[-1].computed[key] = results
        return results

    def _computed(self, key: Hashable) -> list[Tensor] | None:
        """The results of a node that is visible and computes the same."""
        return next((scope.computed[key] for scope in reversed(self._scopes) if key in scope.computed), None)

    def _condition(self, condition: Tensor) -> Tensor:
        """A condition that could be computed beforehand, so that it is not."""
        for scope in reversed(self._scopes):
            if condition.value in scope.conditions:
                return scope.conditions[condition.value]
        made = self._scopes[-1].conditions[condition.value] = fusions.not_folded(self, condition)
        return made

    def _result(self, operator: str, dtype: np.dtype) -> Tensor:
        name = self.unique(f"{self.prefix}.{operator.lower()}")
        return Tensor(self, ir.Value(name=name, type=tensor_type(dtype)), dtype)

    def constant(self, array: np.ndarray, name: str | None = None) -> Tensor:
        """An initializer with this content; equal small constants are one."""
        array = np.asarray(array)
        small = array.nbytes <= _LARGE
        return self._initializer((array.dtype.str, array.shape, array.tobytes()) if small else id(array), array, name)

    def placeholder(self, array: np.ndarray, name: str) -> Tensor:
        """An initializer of which nothing is used, which no constant with the same content is."""
        made = self._initializer((array.dtype.str, array.shape, "placeholder"), array, name)
        self.placeholders.append(made.value)
        return made

    def _initializer(self, key: Any, array: np.ndarray, name: str | None) -> Tensor:
        found = self._constants.get(key)
        if found is None:
            value = initializer(self.unique(name or constant_name(array)), array)
            self.initializers.append(value)
            found = self._constants[key] = Tensor(self, value, array.dtype, array)
        return found

    def vector(self, scalars: Sequence[Tensor]) -> Tensor:
        """Int64 scalars as one vector; runs of known ones become constants."""
        if all(s.known is not None for s in scalars):
            return self.constant(np.array([int(s.known) for s in scalars if s.known is not None], np.int64))
        if (axes := in_order([self.sizes_of(s) for s in scalars])) is not None:
            return Tensor(self, axes.of, scalars[0].dtype).op("Shape", **axes.attributes)
        parts = list(self._vector_parts(scalars))
        return parts[0] if len(parts) == 1 else self.op("Concat", *parts, axis=0)

    def _vector_parts(self, scalars: Iterable[Tensor]) -> Iterator[Tensor]:
        run: list[int] = []
        for scalar in scalars:
            if scalar.known is not None:
                run.append(int(scalar.known))
                continue
            if run:
                yield self.constant(np.array(run, np.int64))
                run = []
            yield self._single(scalar)
        if run:
            yield self.constant(np.array(run, np.int64))

    def _single(self, scalar: Tensor) -> Tensor:
        vector = self.vector_of(scalar)
        if vector is None:
            vector = scalar.op("Unsqueeze", self.ints(0))
            self.remember_vector(scalar, vector)
        return vector

    def vector_of(self, scalar: Tensor) -> Tensor | None:
        """The vector that holds the one element `scalar`, if there is one."""
        return next((s.vectors[scalar.value] for s in reversed(self._scopes) if scalar.value in s.vectors), None)

    def remember_vector(self, scalar: Tensor, vector: Tensor) -> None:
        """Say that `vector` holds the one element `scalar`."""
        self._scopes[-1].vectors[scalar.value] = vector

    def sizes_of(self, scalar: Tensor) -> Sizes | None:
        """Of which sizes a scalar is the product, where that is known."""
        return next((s.sizes[scalar.value] for s in reversed(self._scopes) if scalar.value in s.sizes), None)

    def remember_sizes(self, scalar: Tensor, sizes: Sizes) -> None:
        """Say that `scalar` is the product of these sizes."""
        self._scopes[-1].sizes[scalar.value] = sizes

    def ints(self, *values: int) -> Tensor:
        """A constant int64 vector."""
        return self.constant(np.array(values, np.int64))

    def unique(self, name: str) -> str:
        """This name, or it with a number where it is taken."""
        candidate, number = name, 1
        while candidate in self._names:
            number += 1
            candidate = f"{name}_{number}"
        self._names.add(candidate)
        return candidate

    @property
    def nodes(self) -> list[ir.Node]:
        """The nodes of the graph being written."""
        return self._scopes[-1].nodes

    @property
    def in_rounds(self) -> bool:
        """Whether the graph being written may be run in the rounds of a loop."""
        return self._scopes[-1].in_rounds

    def parameter(self, name: str, dtype: np.dtype, shape: ir.Shape | None = None) -> Tensor:
        """An input of a graph."""
        return Tensor(self, ir.Value(name=name, type=tensor_type(dtype), shape=shape), dtype)

    @contextmanager
    def scope(self, in_rounds: bool = False) -> Iterator[Scope]:
        """Collect nodes for a graph, which may be run in the rounds of a loop."""
        self._scopes.append(Scope(in_rounds=in_rounds))
        try:
            yield self._scopes[-1]
        finally:
            self._scopes.pop()

    def graph(
        self, name: str, parameters: Sequence[Tensor], write: Callable[[], Sequence[Tensor]], collected: int = 0
    ) -> ir.Graph:
        """An inner graph: `write` adds its nodes and gives its outputs; the last ones may be what a loop collects."""
        with self.scope(self.in_rounds or bool(parameters)) as scope:
            outputs = self.own_outputs(write(), parameters, collected)
            nodes = used_nodes(scope.nodes, outputs)
            return ir.Graph([p.value for p in parameters], outputs, nodes=nodes, name=name)

    def own_outputs(
        self, outputs: Sequence[Tensor], parameters: Sequence[Tensor] = (), collected: int = 0
    ) -> list[ir.Value]:
        """Outputs as distinct values made by nodes of the current graph, as ONNX demands.

        The body of a loop, which has parameters, gives back the condition that it was run for where it always goes on.
        What it collects may be what it carries, and that what it goes on by, but for runtimes that are not known to
        take that.
        """
        made = {value for node in self.nodes for value in node.outputs}
        own = set(made)
        result: list[ir.Value] = []
        for place, output in enumerate(outputs):
            value = output.value
            if place >= len(outputs) - collected and not self.is_portable:
                own = made
            condition = bool(parameters) and not place and not self.is_portable
            if condition and output.known is not None and bool(output.known):
                value = parameters[1].value
            elif value not in own and not self._is_kept(value, parameters[place + 1 : place + 2]):
                value = self._own(output)
            own = own if condition else own - {value}
            result.append(value)
        return result

    def _is_kept(self, value: ir.Value, carried: Sequence[Tensor]) -> bool:
        """Whether a loop that does nothing gives back what it carries as it is.

        Others copy: where values were given back as they are in any place, an error's argument was wrong once in
        onnxruntime 1.32 (`triangle` of tests/transform/test_moving_slices.py); why is not known.
        """
        return not self.is_portable and not self.nodes and any(parameter.value is value for parameter in carried)

    def _own(self, output: Tensor) -> ir.Value:
        """A value from outside, or one that is given back twice, as one that the current graph makes."""
        most = _LARGE if output.value in self.placeholders else _WRITTEN_OUT
        if output.known is None or output.known.nbytes > most:
            return output.op("Identity").value
        (made,) = self.ops("Constant", dtypes=(output.dtype,), value=output.known)
        made.sizes = output.sizes
        if output.value in self.placeholders:
            self.placeholders.append(made.value)
        return made.value

    def branch(
        self,
        condition: Tensor,
        then: Callable[[], list[Tensor]],
        otherwise: Callable[[], list[Tensor]],
        dtypes: Sequence[np.dtype],
    ) -> list[Tensor]:
        """An If whose branches are written by functions; `dtypes` are those of its outputs."""
        graphs = [
            self.graph(self.unique(f"{self.prefix}.{n}"), [], w) for n, w in (("then", then), ("else", otherwise))
        ]
        return self.ops("If", condition, dtypes=dtypes, then_branch=graphs[0], else_branch=graphs[1])

    def loop(
        self,
        trips: Tensor,
        condition: Tensor,
        initial: Sequence[Tensor],
        body: Callable[[Tensor, list[Tensor]], tuple[Tensor | None, list[Tensor]]],
        collected: Sequence[np.dtype] = (),
    ) -> list[Tensor]:
        """A Loop whose body is written by a function.

        Parameters
        ----------
        trips, condition : Tensor
            An int64 and a bool scalar.
        initial : sequence of Tensor
            Values carried into the first iteration.
        body : callable
            `body(iteration, carried)` gives whether to go on (None: yes), and the carried values
            followed by the values to collect.
        collected : sequence of numpy.dtype
            Element types of the collected values, which are stacked along a new first axis.

        Returns
        -------
        list of Tensor
            The final carried values, then the stacks.
        """
        name = self.unique(f"{self.prefix}.body")
        iteration = self.parameter(self.unique(f"{name}.iteration"), INT64, ir.Shape(()))
        again = self.parameter(self.unique(f"{name}.condition"), BOOL, ir.Shape(()))
        carried = [self.parameter(self.unique(f"{name}.carried"), x.dtype) for x in initial]
        self.foldable.carries(x.value for x in carried)

        def write() -> list[Tensor]:
            go_on, results = body(iteration, carried)
            return [go_on or again, *results]

        graph = self.graph(name, [iteration, again, *carried], write)
        dtypes = [*(x.dtype for x in initial), *collected]
        return self.ops("Loop", trips, condition, *initial, dtypes=dtypes, body=graph)


def node_name(operator: str, output: ir.Value) -> str:
    """The name of the node of an operator with this first output."""
    return f"{operator}_{output.name}"


def _result_dtype(operator: str, inputs: tuple[Tensor, ...]) -> np.dtype:
    if operator in _BOOL_RESULTS:
        return BOOL
    return INT64 if operator in _INT64_RESULTS else inputs[0].dtype
