"""A graph program as an ONNX model.

    model = emit(program)                   onnx_ir.Model
    onnx.save(to_proto(model), "model.onnx")

Values keep their names (`Value.name`), nodes are named after operator and result, and each node says in
its `source` metadata which line it comes from.  Constants are initializers of the main graph, shared
between equal ones.  What an operation becomes is in `rules/`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import onnx
import onnx_ir as ir

from graph_program.backends.onnx import host
from graph_program.backends.onnx.argument_sizes import ArgumentSizes
from graph_program.backends.onnx.avoided import NOTHING, Avoided
from graph_program.backends.onnx.builder import BOOL, FLOAT32, Builder, Tensor, node_name
from graph_program.backends.onnx.call_sites import note_calls
from graph_program.backends.onnx.collecting import appended, collected, declare_shapes, only_read_in_rounds
from graph_program.backends.onnx.constants import initializer
from graph_program.backends.onnx.error_table import error_table
from graph_program.backends.onnx.first_places import FirstPlaces, first_places
from graph_program.backends.onnx.implicit_inputs import keep_apart
from graph_program.backends.onnx.kept_places import keep_places
from graph_program.backends.onnx.kernels import kernels
from graph_program.backends.onnx.local_functions import make_local_functions
from graph_program.backends.onnx.merging import merge_branches
from graph_program.backends.onnx.models import ModelCalls, inline_models
from graph_program.backends.onnx.negations import without_negations
from graph_program.backends.onnx.older import without_metadata_of_nodes
from graph_program.backends.onnx.one_element import numbers_as_vectors
from graph_program.backends.onnx.portable import make_portable, rounds
from graph_program.backends.onnx.pruning import used_initializers, used_nodes
from graph_program.backends.onnx.rules import RULES
from graph_program.backends.onnx.rules.common import unsupported
from graph_program.backends.onnx.rules.movement import dims_vector
from graph_program.backends.onnx.rules.sorting import first_of_order
from graph_program.backends.onnx.sinking import sink_into_branches
from graph_program.backends.onnx.splitting import Pieces, cut_into_pieces
from graph_program.backends.onnx.value_info import annotate, written
from graph_program.backends.onnx.versions import IR_VERSION, OPSET
from graph_program.extract.diagnostics import UNKNOWN, Diagnostic, UnsupportedError
from graph_program.extract.ir.graph import Graph, GraphProgram, Node, Value
from graph_program.extract.ir.models import CALL, RESULT
from graph_program.extract.transform.carried_ranges import carried_ranges
from graph_program.extract.transform.rewrite import uses_of
from graph_program.extract.transform.sizes_read import sizes_read
from graph_program.extract.transform.totality import Totality
from graph_program.extract.types.dims import Dim, provably_less_equal

PRODUCER = "graph-program"

LARGEST_PLACEHOLDER = 256
"""Elements of a value that only fills a place."""


def emit(
    program: GraphProgram,
    *,
    initializers: Mapping[str, np.ndarray] | None = None,
    opset: int = OPSET,
    ir_version: int = IR_VERSION,
    include_errors: bool = True,
    onnxruntime: str | None = None,
    value_info: bool = True,
    local_functions: bool = False,
    wide: bool = False,
    call_sites: bool = True,
    portable: bool = False,
    avoided: Avoided = NOTHING,
) -> ir.Model:
    """Write a graph program as an ONNX model.

    Parameters
    ----------
    program : GraphProgram
        The program; it is not changed.
    initializers : mapping of str to numpy.ndarray, optional
        Graph inputs, by name, that become constants of the model.  The arrays are referred to, not
        copied.
    opset : int
        Version of the standard operators, at least 17.
    ir_version : int
        Version of the file format.  Before 10, nodes say where they come from in their doc strings.
    include_errors : bool
        Whether the error number (`error`) and the arguments of its message (`error_arg.0`, ...) are
        outputs.
    onnxruntime : str, optional
        The onnxruntime version that will run the model; default is any supported one.  A newer one
        has more kernels, so that fewer operations are written as formulas.
    value_info : bool
        Whether all values say their shapes, not only inputs and outputs; a model that is made to be run at
        once, by a session that logs nothing, is made faster without.
    local_functions : bool
        Whether what repeated calls of a function have made becomes a function of the model, where the model
        gets smaller by it.
    wide : bool
        Whether outputs of bfloat16 are float32 with the same numbers.
    portable : bool
        Whether other runtimes than onnxruntime take the model, too; then it has no local functions.
    avoided : Avoided
        What is written in other words where there are any, as runtimes that are to take the model do not take it.
    call_sites : bool
        Whether nodes say in their metadata `calls` through which calls they were inlined.

    Returns
    -------
    onnx_ir.Model
        Inputs and outputs are in the program's order.  An output whose name is an input's gets `_out`
        appended.  `metadata_props["errors"]` is a JSON list of the program's errors,
        and `error_output` the name of the output that tells which.

    Raises
    ------
    UnsupportedError
        GP601: an operation has no ONNX form for its element type.
    """
    emitter = _Emitter(program, initializers or {}, Builder(kernels(onnxruntime), opset, portable, avoided), wide)
    model = emitter.model(ir_version, include_errors)
    if not portable:
        without_negations(model.graph, emitter.builder)
        merge_branches(model.graph, emitter.shapes, emitter.builder.places)
        sink_into_branches(model.graph, emitter.telling)
    keep_apart(model, emitter.builder.unique, emitter.shapes, heard=value_info)
    if value_info:
        annotate(model.graph, emitter.shapes, emitter.builder.placeholders)
        if not portable:
            keep_places(model.graph, emitter.builder)
            numbers_as_vectors(model.graph, emitter.builder)
            keep_apart(model, emitter.builder.unique, emitter.shapes)  # vectors that both are read now
    places = emitter.builder.places
    chains = make_local_functions(model, places) if local_functions and not portable else None
    if call_sites:
        note_calls(chains or {node: place.chain[::-1] for node, place in places.items() if place.call is not None})
    if inline_models(model, emitter.models) or model.functions:
        keep_apart(model, emitter.builder.unique, emitter.shapes, heard=value_info)
    if portable:
        make_portable(model.graph, emitter.builder.unique, avoided, emitter.builder.placeholders)
    if ir_version < IR_VERSION:
        without_metadata_of_nodes(model)
    return model


def to_proto(model: ir.Model) -> onnx.ModelProto:
    """The model as a protobuf message."""
    return ir.to_proto(model)


class _Emitter:
    """Walks the graph and keeps the tensor that stands for each value."""

    def __init__(
        self, program: GraphProgram, initializers: Mapping[str, np.ndarray], builder: Builder, wide: bool = False
    ):
        self.program = program
        self.wide = wide
        self.builder = builder
        builder.uses = uses_of(program.graph)
        builder.argument_sizes = ArgumentSizes(value.type.shape for value in program.graph.inputs)
        builder.foldable.sizes.update(builder.argument_sizes.bounded)
        for value, found in carried_ranges(program.graph).items():
            builder.ranges.keep(value, found)
        self.given = initializers
        self.models = ModelCalls(program, builder)
        self.tensors: dict[Value, Tensor] = {}
        self.shapes: dict[ir.Value, tuple[Dim, ...]] = {}
        """Shapes by the program's types."""
        self.wanted: dict[Value, str] = {}
        self.totality = Totality(program.graph) if program.leaves_checks else None
        self.telling: set[ir.Node] = set()
        """Nodes that may fail, of whose errors nothing else tells."""

    def model(self, ir_version: int, include_errors: bool) -> ir.Model:
        graph, opset = self.program.graph, self.builder.opset
        names, results = self._outputs(include_errors)
        names = self._reserved_names(names, results)
        inputs = [self._input(value) for value in graph.inputs if value.name not in self.given]
        with self.builder.scope() as scope:
            self._constants()
            self._nodes(graph.nodes)
            outputs = self._named_outputs(results, names)
            nodes = used_nodes(scope.nodes, outputs)
        imports = {"": opset, **self.models.domains, **({host.DOMAIN: 1} if self.program.host else {})}
        main = ir.Graph(
            inputs,
            outputs,
            nodes=nodes,
            initializers=used_initializers(self.builder.initializers, nodes, outputs),
            opset_imports=imports,
            name=self.program.name,
        )
        model = ir.Model(main, ir_version=ir_version, producer_name=PRODUCER)
        if self.program.errors:
            model.metadata_props["errors"] = error_table(self.program.errors, self.program.error_args)
            if include_errors:
                model.metadata_props["error_output"] = names[len(self.program.output_names)]
        return model

    def _outputs(self, include_errors: bool) -> tuple[list[str], list[Value]]:
        """Names and values of the model's outputs."""
        names, values = list(self.program.output_names), self.program.graph.outputs
        order = ["host"] if self.program.host else []
        if not self.program.errors or not include_errors:
            return [*names, *order], [*values[: len(names)], *(values[-1:] if order else [])]
        arguments = len(values) - len(names) - 1 - bool(self.program.host)
        return [*names, "error", *(f"error_arg.{i}" for i in range(arguments)), *order], values

    def _reserved_names(self, names: Sequence[str], results: Sequence[Value]) -> list[str]:
        """Inputs have their names first, then outputs; each output's value takes over its name."""
        for value in self.program.graph.inputs:
            self.builder.unique(value.name)
        made = {v for node in self.program.graph.nodes if node.op not in _CONSTANTS for v in node.outputs}
        inputs = {value.name for value in self.program.graph.inputs}
        reserved = [self.builder.unique(f"{name}_out" if name in inputs else name) for name in names]
        for value, name in zip(results, reserved, strict=True):
            if value in made:
                self.wanted.setdefault(value, name)
        return reserved

    def _input(self, value: Value) -> ir.Value:
        return self._parameter(value, value.name).value

    def _constants(self) -> None:
        for value in self.program.graph.inputs:
            if value.name in self.given:
                array = self.given[value.name]
                made = initializer(value.name, array)
                self.builder.initializers.append(made)
                known = None if value.type.is_bfloat16 else array  # such a constant stays as small as it is
                self.tensors[value] = Tensor(self.builder, made, array.dtype, known)

    def _named_outputs(self, results: Sequence[Value], names: Sequence[str]) -> list[ir.Value]:
        """The outputs as values of their own, named and typed."""
        self.builder.prefix, self.builder.loc = "output", UNKNOWN
        outputs = self.builder.own_outputs([self._result(value) for value in results])
        for output, value, name in zip(outputs, results, names, strict=True):
            output.shape = written(value.type.shape)
            self.shapes[output] = value.type.shape
            _rename(output, name)
        return outputs

    def _result(self, value: Value) -> Tensor:
        """The tensor that is given back for a value."""
        result = self.tensors[value]
        if not self.wide or not value.type.is_bfloat16:
            return result
        if result.value.producer() is not None:
            _rename(result.value, self.builder.unique(f"{result.value.name}.bfloat16"))
        return result.cast(FLOAT32)

    def _nodes(self, nodes: Sequence[Node]) -> None:
        pieces = cut_into_pieces(nodes, self._number)
        firsts = first_places(nodes, self._number, self.builder.uses)
        for node in nodes:
            self.builder.ranges.note(node)
            self.builder.never_nan.note(node)
        here, outside = self.builder.ranges.here, self.builder.slice_lengths
        self.builder.slice_lengths = outside.within(nodes)
        for node in nodes:
            if node.outputs and node.outputs[0] in self.tensors:
                pass  # made with another one
            elif node in pieces:
                self._split(node, pieces[node])
            elif node not in firsts or not self._first(firsts[node]):
                self._node(node)
            self.builder.ranges.note_positive(sizes_read(node))
        self.builder.ranges.here, self.builder.slice_lengths = here, outside

    def _number(self, value: Value) -> int | None:
        """The content of a number that is known by now."""
        tensor = self.tensors.get(value)
        return None if tensor is None or tensor.known is None else int(tensor.known)

    def _split(self, first: Node, pieces: Pieces) -> None:
        """Slices that are pieces of one array."""
        made = {i: node.outputs[0] for i, (_, node) in enumerate(pieces) if node is not None}
        names = {i: self.wanted.get(value) or self.builder.unique(value.name) for i, value in made.items()}
        self.builder.prefix, self.builder.loc = next(iter(names.values())), first.loc
        x, sizes = self.tensors[first.inputs[0]], self.builder.ints(*(size for size, _ in pieces))
        results = self.builder.ops("Split", x, sizes, dtypes=[x.dtype] * len(pieces), axis=first.attrs["axes"][0])
        for i, value in made.items():
            self._made(value, results[i], names[i])

    def _first(self, first: FirstPlaces) -> bool:
        """The first places of an order, with the elements there; whether there is an operator for them."""
        read = [first.places, *([first.elements] if first.elements else [])]
        names = [self.wanted.get(node.outputs[0]) or self.builder.unique(node.outputs[0].name) for node in read]
        self.builder.prefix, self.builder.loc = names[0], first.order.loc
        x = self.tensors[first.order.inputs[0]]
        results = first_of_order(self.builder, first.order, x, first.count, len(read) > 1)
        for node, result, name in zip(read, results or (), names, strict=results is not None):
            self._made(node.outputs[0], result, name)
        return results is not None

    def _made(self, value: Value, result: Tensor, name: str) -> None:
        """Note what a new node has made of a value."""
        self.tensors[value] = result
        result.sizes = _known_sizes(value)
        _rename(result.value, name)
        self.shapes[result.value] = value.type.shape

    def _node(self, node: Node) -> None:
        builder = self.builder
        if node.op in _CONSTANTS and not node.inputs:
            output = node.outputs[0]
            is_loose = node.op == "placeholder" and output.type.rank > 0
            make = builder.placeholder if is_loose else builder.constant
            self.tensors[output] = make(_CONSTANTS[node.op](node), output.name)
            return
        names = [self.wanted.get(v) or builder.unique(v.name) for v in node.outputs]
        builder.prefix = names[0] if names else node.op
        builder.loc = node.loc
        if node.op == CALL:
            self.models.call(node, [self.tensors[value] for value in node.inputs])
            return
        write = _STRUCTURED.get(node.op)
        start = len(builder.nodes)
        results = write(self, node) if write else [self._operation(node)]
        if not write and self.totality is not None and not self.totality.is_total(node):
            self.telling.update(builder.nodes[start:])
        fresh = {value for made in builder.nodes[start:] for value in made.outputs}
        for value, result, name in zip(node.outputs, results, names, strict=True):
            self.tensors[value] = result
            if result.value in fresh:
                fresh.discard(result.value)
                self._made(value, result, name)

    def _operation(self, node: Node) -> Tensor:
        lowering = RULES.get(node.op)
        if lowering is None:
            raise UnsupportedError(Diagnostic("GP601", f"{node.op} has no ONNX form", node.loc))
        operands = [self.tensors[value] for value in node.inputs]
        dtype = operands[lowering.operand].dtype
        if dtype.kind not in lowering.kinds:
            raise unsupported(node, dtype)
        return lowering.rule(self.builder, node, *operands)

    def _if(self, node: Node) -> list[Tensor]:
        prefix = self.builder.prefix
        branches = {}
        for name, holds, region in zip(("then", "else"), (True, False), node.regions, strict=True):
            with self.builder.compared.where(node.inputs[0], holds):
                branches[f"{name}_branch"] = self._region(f"{prefix}.{name}", region, [])
        return self._structured("If", node, prefix, branches)

    def _loop(self, node: Node) -> list[Tensor]:
        prefix, body, found = self.builder.prefix, node.regions[0], collected(node)
        dropped = {id(one.node) for one in found.values()}
        carried = [i for i in range(len(node.outputs)) if i not in found]
        values = [body.inputs[0], *(body.inputs[i + 1] for i in carried)]
        parameters = [self._parameter(value, self.builder.unique(value.name)) for value in values]
        self.builder.foldable.carries(
            parameter.value
            for value, parameter in zip(values[1:], parameters[1:], strict=True)
            if value.type.rank and value.type.shape[0].constant is None
        )
        condition = self.builder.parameter(self.builder.unique(f"{prefix}.condition"), BOOL, ir.Shape(()))
        parameters.insert(1, condition)
        outputs = [body.outputs[0], *(body.outputs[i + 1] for i in carried), *(one.value for one in found.values())]
        nodes = [inner for inner in body.nodes if id(inner) not in dropped]
        with self.builder.compared.in_round(node):
            region = self._region(f"{prefix}.body", Graph(values, nodes, outputs), parameters, len(found))
        declare_shapes(region, list(found.values()))
        self.builder.prefix, self.builder.loc = prefix, node.loc
        begins = (node.inputs[1], *(node.inputs[i + 2] for i in carried))
        inputs = [self._trips(node.inputs[0]), *(self.tensors[value] for value in begins)]
        dtypes = [value.type.dtype for value in outputs[1:]]
        results = self.builder.ops("Loop", *inputs, dtypes=dtypes, body=region)
        made = dict(zip((*carried, *found), results, strict=True))
        runs = self._has_a_round(node)
        for i, one in found.items():
            initial = node.inputs[i + 2]
            empty = initial.type.shape[0].constant == 0
            fine = runs or only_read_in_rounds(self.program.graph, node.outputs[i], node.inputs[0])
            made[i] = appended(self.tensors[initial], made[i], one, initial.type.rank, empty, fine)
        return [made[i] for i in range(len(node.outputs))]

    def _has_a_round(self, loop: Node) -> bool:
        """Whether a loop is known to begin."""
        begin, trips = self.tensors[loop.inputs[1]].known, self.builder.ranges.of(loop.inputs[0])
        return begin is not None and bool(begin) and trips is not None and provably_less_equal(1, trips[0])

    def _trips(self, value: Value) -> Tensor:
        """A number of rounds; a vector of one size does as well, but for runtimes that are not known to take that."""
        trips, found = self.tensors[value], self.builder.ranges.of(value)
        if not self.builder.is_portable:
            return self.builder.vector_of(trips) or trips
        return trips if found is not None and provably_less_equal(0, found[0]) else rounds(trips)

    def _sized_placeholder(self, node: Node) -> list[Tensor]:
        """A placeholder of given sizes, which is as large as what is put in its place on other paths."""
        dtype = node.outputs[0].type.dtype
        sizes = dims_vector(self.builder, node, [self.tensors[size] for size in node.inputs])
        return [sizes.op("ConstantOfShape", dtype=dtype, value=np.zeros(1, dtype))]

    def _host(self, node: Node) -> list[Tensor]:
        """An operation on the host, as operators of ours that Python implements."""
        steps = self.program.host
        return host.RULES[node.op](self.builder, node, steps, [self.tensors[value] for value in node.inputs])

    def _model_result(self, node: Node) -> list[Tensor]:
        """What a call of a model has given; it has its name from here on."""
        result = self.models.result(node)
        self._made(node.outputs[0], result, self.builder.prefix)
        return [result]

    def _structured(self, operator: str, node: Node, prefix: str, regions: Mapping[str, Any]) -> list[Tensor]:
        """The node that holds the regions, after the names and places of inner nodes."""
        self.builder.prefix, self.builder.loc = prefix, node.loc
        inputs = [self.tensors[value] for value in node.inputs]
        dtypes = [value.type.dtype for value in node.outputs]
        return self.builder.ops(operator, *inputs, dtypes=dtypes, **regions)

    def _parameter(self, value: Value, name: str) -> Tensor:
        """An input of a graph."""
        tensor = self.builder.parameter(name, value.type.dtype, written(value.type.shape))
        tensor.sizes = _known_sizes(value)
        self.tensors[value] = tensor
        self.shapes[tensor.value] = value.type.shape
        return tensor

    def _region(self, name: str, region: Graph, parameters: Sequence[Tensor], collected: int = 0) -> ir.Graph:
        def write() -> list[Tensor]:
            self._nodes(region.nodes)
            self.builder.prefix = name
            return [self.tensors[value] for value in region.outputs]

        return self.builder.graph(self.builder.unique(name), parameters, write, collected)


def _placeholder(node: Node) -> np.ndarray:
    """Zeros; a dim that is not known is 1, which fits most others, and others are as small as need be."""
    kind = node.outputs[0].type
    sizes = [1 if size.constant is None else size.constant for size in kind.shape]
    if math.prod(sizes) > LARGEST_PLACEHOLDER:
        sizes = [min(size, 1) for size in sizes]
    return np.zeros(sizes, kind.dtype)


_CONSTANTS = {"constant": lambda node: np.asarray(node.attrs["value"]), "placeholder": _placeholder}
_STRUCTURED = {
    "if": _Emitter._if,
    "loop": _Emitter._loop,
    "placeholder": _Emitter._sized_placeholder,
    RESULT: _Emitter._model_result,
    **dict.fromkeys(host.RULES, _Emitter._host),
}


def _known_sizes(value: Value) -> tuple[int | None, ...]:
    return tuple(size.constant for size in value.type.shape)


def _rename(value: ir.Value, name: str) -> None:
    """Give a value its name, and the node that makes it."""
    value.name = name
    node = value.producer()
    if node is not None and node.outputs[0] is value:
        node.name = node_name(node.op_type, value)


__all__ = ["IR_VERSION", "OPSET", "emit", "to_proto"]
