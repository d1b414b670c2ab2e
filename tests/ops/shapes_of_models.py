"""Does what a model says of its values hold?  Types and shapes of all values, in all inner graphs, as they run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any
from unittest.mock import patch

import numpy as np
import onnx
import onnxruntime
from onnx.reference import ReferenceEvaluator

from graph_program.extract.types.dims.parsing import parse_dim

Info = Mapping[str, onnx.ValueInfoProto]


def graphs(graph: onnx.GraphProto) -> Iterator[onnx.GraphProto]:
    """A graph and all inside it."""
    yield graph
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.HasField("g"):
                yield from graphs(attribute.g)


def infos(graph: onnx.GraphProto) -> dict[str, onnx.ValueInfoProto]:
    """What one graph says of its values."""
    return {info.name: info for info in (*graph.input, *graph.value_info, *graph.output)}


def dims_of(info: onnx.ValueInfoProto) -> list[int | str | None]:
    dims = info.type.tensor_type.shape.dim
    return [d.dim_value if d.HasField("dim_value") else d.dim_param or None for d in dims]


def untold(model: onnx.ModelProto) -> list[str]:
    """The values without element type or shape, after onnx's own checks."""
    onnx.checker.check_model(model, full_check=True)
    onnx.shape_inference.infer_shapes(model, check_type=True, strict_mode=True, data_prop=True)
    missing = []
    for graph in graphs(model.graph):
        told = infos(graph)
        for node in graph.node:
            for name in node.output:
                tensor = told[name].type.tensor_type if name in told else None
                if tensor is None or not tensor.elem_type or not tensor.HasField("shape"):
                    missing.append(f"{node.op_type} {name}")
    return missing


class Untrue(AssertionError):
    """A value with another type or shape than the model says."""


class _Scope:
    """Checks the values of one run of one graph; names of dims mean one size in it."""

    def __init__(self, told: Info, sizes: dict[str, int]):
        self.told = told
        self.sizes = sizes

    def check(self, values: Mapping[str, Any]) -> None:
        for name, info in self.told.items():
            if isinstance(values.get(name), np.ndarray | np.generic):
                self.value(name, info, np.asarray(values[name]))

    def value(self, name: str, info: onnx.ValueInfoProto, array: np.ndarray) -> None:
        tensor, dims = info.type.tensor_type, dims_of(info)
        if tensor.elem_type != onnx.helper.np_dtype_to_tensor_dtype(array.dtype):
            raise Untrue(f"{name} is {array.dtype}, not {onnx.helper.tensor_dtype_to_np_dtype(tensor.elem_type)}")
        if tensor.HasField("shape") and not (len(dims) == array.ndim and all(map(self.fits, dims, array.shape))):
            raise Untrue(f"{name} has shape {array.shape}, not {dims}, where {self.sizes}")

    def fits(self, told: int | str | None, size: int) -> bool:
        if isinstance(told, str):
            d = parse_dim(told)
            unknown = d.symbols - self.sizes.keys()
            if unknown == {told}:
                self.sizes[told] = size
            return bool(unknown) or d.evaluate(self.sizes) == size
        return told is None or told == size


def check_with_onnxruntime(model: onnx.ModelProto, feed: Mapping[str, np.ndarray]) -> None:
    """Run, asking for every value of the main graph."""
    told = infos(model.graph)
    probed = onnx.ModelProto()
    probed.CopyFrom(model)
    asked = {output.name for output in model.graph.output}
    made = [name for node in model.graph.node for name in node.output if name not in asked]
    probed.graph.output.extend(told[name] for name in made)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(probed.SerializeToString(), options, providers=["CPUExecutionProvider"])
    names = [output.name for output in session.get_outputs()]
    found = dict(zip(names, session.run(None, dict(feed)), strict=True))
    if found.get("error"):  # then results are not what the program says
        found = {name: value for name, value in found.items() if name not in asked}
    _Scope(told, {}).check({**feed, **found})


def check_inner_graphs(model: onnx.ModelProto, feed: Mapping[str, np.ndarray]) -> None:
    """Run in onnx's reference evaluator, looking at every value of every run of every graph."""
    scopes: list[dict[str, int]] = []
    results = {output.name for output in model.graph.output}

    class Watching(ReferenceEvaluator):
        def run(self, output_names: Any, feed_inputs: Any, *args: Any, **kwargs: Any) -> Any:
            sizes = dict(scopes[-1]) if scopes else {}
            scope = _Scope(infos(self.proto_), sizes) if isinstance(self.proto_, onnx.GraphProto) else None
            scope = scope or _Scope(infos(self.proto_.graph), sizes)
            scope.check(feed_inputs)
            scopes.append(sizes)
            kwargs["intermediate"] = True
            try:
                found = super().run(None, feed_inputs, *args, **kwargs)
            finally:
                scopes.pop()
            failed = not scopes and found.get("error", 0)
            scope.check({name: value for name, value in found.items() if not (failed and name in results)})
            return [found[name] for name in output_names or self.output_names]

    with patch.object(np, "vstack", np.stack):  # with which the evaluator's Loop puts what it collects together
        Watching(model).run(None, dict(feed))
