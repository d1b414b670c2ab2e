"""What a model has to be before anything of it is used: well formed, without cycles, of known operators.

What ONNX's own checker looks at, it does; functions that call each other in circles, or each other twice many times
over, it lets pass, and whoever inlines them never ends.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING

from graph_program.backends.models.opsets import versions_of
from graph_program.backends.models.refusals import BROKEN, RUNTIME, first_line, refused
from graph_program.backends.models.walks import inner_graphs, nodes_of, standard

if TYPE_CHECKING:
    import onnx

MOST_NODES = 2**20
"""Nodes of a model whose functions are inlined."""
RANDOM = frozenset(
    {"RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike", "Multinomial", "Bernoulli"}
)
Key = tuple[str, str, str]


def require_well_formed(model: onnx.ModelProto, path: str) -> None:
    """Refuse what is no graph of operators in an order in which they can be computed.

    Raises
    ------
    ModelError
        GP611.
    """
    import onnx

    require_finite(model, path)
    with_shapes = onnx.ModelProto()
    with_shapes.CopyFrom(model)
    for value in with_shapes.graph.output:  # of unknown rank, which the checker calls an error and runtimes take
        if value.type.WhichOneof("value") == "tensor_type":
            value.type.tensor_type.shape.SetInParent()
    try:
        onnx.checker.check_model(with_shapes)
    except (onnx.checker.ValidationError, ValueError, RuntimeError) as error:
        raise refused(BROKEN, path, first_line(error)) from None


def require_known_operators(model: onnx.ModelProto, path: str) -> None:
    """Refuse operators that the installed onnxruntime does not have (GP614)."""
    import onnx

    newest, own_version = onnx.defs.onnx_opset_version(), versions_of(model).get("", 1)
    if own_version > newest:
        text = f"its operators are of opset {own_version}, and the installed onnx knows none after {newest}"
        raise refused(RUNTIME, path, text, f"export it with an opset up to {newest}")
    known, own = _runtime_operators(), {(f.domain, f.name) for f in model.functions}
    for node in nodes_of(model):
        name = standard(node.domain), node.op_type
        if name not in known and (node.domain, node.op_type) not in own:
            domain = node.domain or "ai.onnx"
            hint = "" if not node.domain else "export the model with standard operators, or with a function of its own"
            raise refused(RUNTIME, path, f"onnxruntime has no operator {node.op_type!r} of domain {domain!r}", hint)


def random_operator(model: onnx.ModelProto) -> str:
    """An operator that gives something else in each run; empty where there is none."""
    for node in nodes_of(model):
        if not standard(node.domain) and (node.op_type in RANDOM or _is_training_dropout(node)):
            return node.op_type
    return ""


def _is_training_dropout(node: onnx.NodeProto) -> bool:
    """Whether a dropout drops: it is told so by its third operand, which inference leaves out."""
    return node.op_type == "Dropout" and len(node.input) > 2 and bool(node.input[2])


@cache
def _runtime_operators() -> frozenset[tuple[str, str]]:
    from onnxruntime.capi import onnxruntime_pybind11_state as state

    return frozenset((standard(schema.domain), schema.name) for schema in state.get_all_operator_schema())


# ---------------------------------------------------------------- functions


def require_finite(model: onnx.ModelProto, path: str) -> None:
    """Refuse functions that call themselves, and models that are absurdly large when they are inlined.

    Raises
    ------
    ModelError
        GP611.
    """
    functions: dict[Key, onnx.FunctionProto] = {(f.domain, f.name, f.overload): f for f in model.functions}
    sizes: dict[Key, int] = {}
    waiting: list[Key] = []

    def size_of(nodes: Iterator[onnx.NodeProto]) -> int:
        total = 0
        for node in nodes:
            key = (node.domain, node.op_type, node.overload)
            total += sizes[key] if key in functions else 1
        return total

    for start in functions:
        waiting.append(start)
        open_: dict[Key, None] = {}
        while waiting:
            key = waiting[-1]
            if key in sizes:
                waiting.pop()
                open_.pop(key, None)
                continue
            open_[key] = None
            called = {(n.domain, n.op_type, n.overload) for n in _all(functions[key].node)} & functions.keys()
            left = [other for other in called if other not in sizes]
            if any(other in open_ for other in left):
                raise refused(BROKEN, path, f"its function {key[1]!r} calls itself")
            if left:
                waiting += left
            else:
                sizes[key] = size_of(_all(functions[key].node))
    if size_of(_all(model.graph.node)) > MOST_NODES:
        raise refused(BROKEN, path, f"it has more than {MOST_NODES} nodes when its functions are inlined")


def _all(nodes: list[onnx.NodeProto]) -> Iterator[onnx.NodeProto]:
    yield from nodes
    for graph in inner_graphs(nodes):
        yield from graph.node


__all__ = ["random_operator", "require_finite", "require_known_operators", "require_well_formed"]
