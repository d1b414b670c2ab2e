"""The inputs and outputs of a model: what it says of them, and what follows from the inputs.

What a model says of the sizes of its outputs may be wrong: runtimes only warn of that.  So types are inferred anew,
from the inputs alone; where that finds nothing, what the model says is a promise, which each call checks.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from graph_program.backends.models.refusals import BROKEN, PORTS, first_line, refused
from graph_program.backends.models.walks import graphs_of
from graph_program.extract.ir.models import Port

if TYPE_CHECKING:
    import onnx

    Sizes = tuple[int | str | None, ...]

OPEN = frozenset(["None", "unknown", "-1"])
"""What converters write, besides signs as `?`, in place of the name of a size."""
KINDS = "biuf"
"""Kinds of element types that inputs and outputs have, of NumPy's own."""


def ports(model: onnx.ModelProto, weights: Collection[str], path: str) -> tuple[tuple[Port, ...], tuple[Port, ...]]:
    """The inputs and the outputs of a model without its functions, whose weights stand among the inputs.

    Sizes of inputs that have no name get one, in place: `x.0`.

    Raises
    ------
    ModelError
        GP613 for what is no array of numbers; GP611 where element types contradict each other.
    """
    _name_sizes(model)
    hidden = {*weights, *(tensor.name for tensor in model.graph.initializer)}
    inputs = [value for value in model.graph.input if value.name not in hidden]
    inferred = {value.name: value for value in _inferred(model, path).graph.output}
    taken = tuple(_port(value, path, "input", _sizes(value)) for value in inputs)
    given = []
    for value in model.graph.output:
        _require_type(value, inferred[value.name], path)
        said, found = _sizes(value), _sizes(inferred[value.name])
        port = _port(value, path, "output", *_joined(said, found))
        given.append(replace(port, has_rank=found is not None))
    return taken, tuple(given)


def _require_type(value: onnx.ValueInfoProto, found: onnx.ValueInfoProto, path: str) -> None:
    """Refuse an output that says another element type than its operators give."""
    import onnx

    said, given = value.type.tensor_type.elem_type, found.type.tensor_type.elem_type
    if said and given and said != given:
        names = [onnx.TensorProto.DataType.Name(kind).lower() for kind in (said, given)]
        raise refused(
            BROKEN, path, f"its output {value.name!r} is declared as {names[0]}, and its operators give {names[1]}"
        )


def _joined(said: Sizes | None, found: Sizes | None) -> tuple[Sizes | None, tuple[bool, ...]]:
    """Sizes by what follows, and where nothing does, by what the model says.

    A 1 that nothing shows is as a rule the number of rows that the model was tried on.
    """
    if said is not None:
        said = tuple(None if size == 1 else size for size in said)
    if found is None or said is None or len(said) != len(found):
        sizes = said if found is None else found
        return sizes, tuple(found is not None and size is not None for size in sizes or ())
    return tuple(s if f is None else f for s, f in zip(said, found, strict=True)), tuple(f is not None for f in found)


def _port(value: onnx.ValueInfoProto, path: str, what: str, sizes: Sizes | None, sure: tuple[bool, ...] = ()) -> Port:
    import onnx

    kind = value.type.WhichOneof("value")
    if kind != "tensor_type":
        text = f"its {what} {value.name!r} is {_KINDS.get(kind or '', 'of no known type')}, and a program has arrays"
        hint = "export a scikit-learn classifier with options={'zipmap': False}" if kind == "sequence_type" else ""
        raise refused(PORTS, path, text, hint)
    element = value.type.tensor_type.elem_type
    try:
        dtype = np.dtype(onnx.helper.tensor_dtype_to_np_dtype(element))
    except (KeyError, ValueError, TypeError):
        dtype = np.dtype(object)
    if dtype.kind not in KINDS or dtype.isbuiltin != 1:
        name = (
            onnx.TensorProto.DataType.Name(element).lower()
            if element in onnx.TensorProto.DataType.values()
            else f"type {element}"
        )
        text = f"its {what} {value.name!r} has elements of {name}, which arrays of a program have not"
        raise refused(PORTS, path, text, "take and give floats, integers or booleans there, and convert inside")
    if sizes is None:
        text = f"how many dimensions its {what} {value.name!r} has is not known"
        hint = "say its shape in the model, with names for sizes that vary: `value.type.tensor_type.shape`"
        raise refused(PORTS, path, text, hint)
    return Port(value.name, dtype, sizes, sure)


_KINDS = {
    "sequence_type": "a sequence",
    "map_type": "a map",
    "optional_type": "optional",
    "sparse_tensor_type": "a sparse array",
    "opaque_type": "opaque",
}


def _sizes(value: onnx.ValueInfoProto) -> Sizes | None:
    """The sizes that a value says, None for each of which it says nothing; None where it has no rank."""
    if not value.type.tensor_type.HasField("shape"):
        return None
    found: list[int | str | None] = []
    for size in value.type.tensor_type.shape.dim:
        known = size.dim_value if size.HasField("dim_value") and size.dim_value >= 0 else None
        found.append(known if known is not None else _name(size))
    return tuple(found)


def _name(size: onnx.TensorShapeProto.Dimension) -> str | None:
    """The name of a size; None where it has none, or what converters write for sizes that are open."""
    name: str = size.dim_param
    return name if any(map(str.isalnum, name)) and name not in OPEN else None


def _inferred(model: onnx.ModelProto, path: str) -> onnx.ModelProto:
    """The model with the shapes, and the types of its outputs, that follow from those of its inputs."""
    import onnx

    bare = onnx.ModelProto()
    bare.CopyFrom(model)
    for value in _said(bare):
        if value.type.WhichOneof("value") == "tensor_type":
            value.type.tensor_type.ClearField("shape")
    for value in bare.graph.output:
        value.ClearField("type")
    try:
        return onnx.shape_inference.infer_shapes(bare, check_type=True, data_prop=True)
    except (onnx.shape_inference.InferenceError, ValueError, RuntimeError) as error:
        raise refused(BROKEN, path, first_line(error)) from None


def _said(model: onnx.ModelProto) -> Iterator[onnx.ValueInfoProto]:
    """What is said of values other than the inputs."""
    for graph in graphs_of(model):
        yield from graph.value_info
        yield from graph.output
        if graph is not model.graph:
            yield from graph.input


def _name_sizes(model: onnx.ModelProto) -> None:
    """Give each size of an input that has no name one of its own, so that what follows from it is seen, in place."""
    for value in model.graph.input:
        if value.type.WhichOneof("value") == "tensor_type":
            for axis, size in enumerate(value.type.tensor_type.shape.dim):
                if _name(size) is None and not (size.HasField("dim_value") and size.dim_value >= 0):
                    size.ClearField("value")
                    size.dim_param = f"{value.name}.{axis}"


__all__ = ["ports"]
