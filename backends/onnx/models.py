"""Calls of trained models: nodes that call a function each, until the program's own nodes are done.

call = model_call(x, model=net)         y = net(x, net.weight)          h = MatMul(x, net.weight)
y = model_result(call, number=0)   ->                              ->   y = Relu(h)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import onnx_ir as ir

from graph_program.backends.models.functions import DOMAIN, ModelFunction, function_of
from graph_program.backends.models.moved_batches import keep_apart, moved_batches
from graph_program.backends.models.opsets import merged, needed_version
from graph_program.backends.models.refusals import placed
from graph_program.backends.models.walks import nodes_of
from graph_program.backends.onnx.avoided import EMPTY, NOTHING
from graph_program.backends.onnx.builder import Builder, Tensor
from graph_program.backends.onnx.constants import initializer
from graph_program.backends.onnx.versions import OPSET
from graph_program.backends.onnx.written_models import can_be_written, written
from graph_program.extract.diagnostics import ModelError
from graph_program.extract.ir.models import CALL, Known

if TYPE_CHECKING:
    from graph_program.backends.models.loaded import OnnxModel
    from graph_program.extract.diagnostics import Loc
    from graph_program.extract.ir.graph import GraphProgram, Node, Value


KNOWN = 1024
"""Bytes of a weight whose content other words may hang on, as places and sizes."""


def opset_of(program: GraphProgram) -> int:
    """The version of the operators to write a program in, where nobody asks for one: that of its newest model."""
    return needed_version(called_models(program), OPSET)


def called_models(program: GraphProgram) -> dict[OnnxModel, Loc]:
    """The models that a program calls, each with the place of its first call."""
    places: dict[OnnxModel, Loc] = {}
    for node in program.graph.walk():
        if node.op == CALL:
            places.setdefault(node.attrs["model"], node.loc)
    return places


def operators_of_models(program: GraphProgram) -> frozenset[str]:
    """The names of the operators that the models have which a program calls."""
    return frozenset(node.op_type for model in called_models(program) for node in nodes_of(model.message))


def require_models_that_run(program: GraphProgram) -> None:
    """Refuse a model that the program calls and that onnxruntime does not run by itself either (GP614)."""
    for model, loc in called_models(program).items():
        try:
            model.session()
        except ModelError as error:
            raise placed(error, loc) from None


class ModelCalls:
    """The models of a program, and what their calls have given so far.

    Attributes
    ----------
    functions : dict of str to onnx_ir.Function
        Of the models whose calls are nodes, by name.
    domains : dict of str to int
        The versions of the operators that they have besides the standard ones.
    """

    def __init__(self, program: GraphProgram, builder: Builder):
        self._builder = builder
        self._made: dict[Any, tuple[ModelFunction, list[Tensor]]] = {}
        self._weights: dict[tuple[OnnxModel, str], list[tuple[Any, Tensor]]] = {}
        """By model and name, arrays and their constants: calls of one model share what they have in common."""
        self._results: dict[Value, list[Tensor]] = {}
        self.functions: dict[str, ir.Function] = {}
        self.domains = merged(called_models(program))

    @property
    def are_there(self) -> bool:
        """Whether a model is called."""
        return bool(self._results)

    def call(self, node: Node, operands: list[Tensor]) -> None:
        """Add the node of a call."""
        model = node.attrs["model"]
        known = tuple(Known.of(v.type, x.known) for v, x in zip(node.inputs, operands, strict=True))
        if (model, known) not in self._made:
            self._made[model, known] = self._start(node, known)
        made, weights = self._made[model, known]
        given = [*(_rounded(operands[place]) for place in made.reads), *weights]
        self._results[node.outputs[0]] = [*map(_rounded, self._called(made.function, model, given))]

    def _called(self, function: ir.Function, model: OnnxModel, given: list[Tensor]) -> list[Tensor]:
        """What a model gives: node by node for runtimes that do not take all, else of one node that is its function."""
        if self._builder.avoided is not NOTHING and can_be_written(function):
            return written(self._builder, function, given)
        self.functions[function.name] = function
        dtypes = [port.dtype for port in model.outputs]
        return self._builder.ops(function.name, *given, dtypes=dtypes, domain=DOMAIN)

    def result(self, node: Node) -> Tensor:
        """One of the results of a call."""
        found: Tensor = self._results[node.inputs[0]][node.attrs["number"]]
        return found

    def _start(self, node: Node, known: tuple[Known, ...]) -> tuple[ModelFunction, list[Tensor]]:
        """The function of a model that is so met for the first time, and its weights as constants."""
        builder, model = self._builder, node.attrs["model"]
        try:
            made = function_of(model, builder.opset, known, EMPTY not in builder.avoided.forms)
        except ModelError as error:
            raise placed(error, node.loc) from None
        return made, [self._weight(model, name, array) for name, array in made.weights.items()]

    def _weight(self, model: OnnxModel, name: str, array: np.ndarray) -> Tensor:
        """A weight as a constant of the whole model."""
        same = self._weights.setdefault((model, name), [])
        for other, tensor in same:
            if other is array or (other.dtype == array.dtype and np.array_equal(other, array)):
                return tensor
        builder = self._builder
        value = initializer(builder.unique(f"{model.name}.{name}"), array)
        builder.initializers.append(value)
        known = array if array.nbytes <= KNOWN else None
        same.append((array, Tensor(builder, value, array.dtype, known)))
        return same[-1][1]


def _rounded(x: Tensor) -> Tensor:
    """What goes into or comes out of a model; of float16, as an operator gives it that takes elements as they are.

    onnxruntime computes most operators in float32 for these, with casts around that it leaves out beside others, and
    the rounding with them.  In plain Python a model has a session of its own, at whose borders there is one.
    """
    return x.op("Reshape", x.op("Shape", dtype=np.dtype(np.int64))) if x.dtype == np.float16 else x


def inline_models(model: ir.Model, calls: ModelCalls) -> bool:
    """Put the nodes of called models in place of the calls, in place; whether there are any."""
    from onnx_ir.passes.common import InlinePass

    if calls.functions:
        for function in calls.functions.values():
            model.functions[function.identifier()] = function
        for function in model.functions.values():
            function.opset_imports.update(calls.domains)
        InlinePass(lambda function: function.domain == DOMAIN)(model)
    if calls.are_there:
        keep_apart(moved_batches(model.graph))
    return calls.are_there


__all__ = ["ModelCalls", "called_models", "inline_models", "opset_of", "require_models_that_run"]
