"""A model without functions of its own: their nodes stand in place of the calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graph_program.backends.models.opsets import changed, versions_of
from graph_program.backends.models.refusals import BROKEN, OPSETS, first_line, refused
from graph_program.backends.models.walks import inner_graphs, standard

if TYPE_CHECKING:
    import onnx


def without_functions(model: onnx.ModelProto, path: str) -> onnx.ModelProto:
    """The model with its functions in place of their calls.

    Raises
    ------
    ModelError
        GP615 where a function is written in another version of the operators than the model, and means something else.
    """
    import onnx_ir as ir
    from onnx_ir.passes.common import InlinePass

    if not model.functions:
        return model
    own = versions_of(model)
    for function in model.functions:
        _to_versions(function, own, path)
    try:
        made = ir.from_proto(model)
        InlinePass()(made)
        found: onnx.ModelProto = ir.to_proto(made)
    except (ValueError, RuntimeError, ir.passes.PassError) as error:
        raise refused(BROKEN, path, f"its functions: {first_line(error)}") from None
    return found


def _to_versions(function: onnx.FunctionProto, own: dict[str, int], path: str) -> None:
    """Have a function say the versions of its model, in place, where its operators are the same in these."""
    nodes = [*function.node, *(node for graph in inner_graphs(function.node) for node in graph.node)]
    for entry in function.opset_import:
        domain = standard(entry.domain)
        version = own.get(domain, entry.version)
        is_older = version < entry.version  # whose element types nobody has looked at
        other = next(changed(nodes, domain, entry.version, version, exact=is_older), None)
        if other is not None:
            text = f"its function {function.name!r} has {other} of opset {entry.version}, and the model has {version}"
            raise refused(OPSETS, path, text, "export it with one version of the operators")
        entry.version = version


__all__ = ["without_functions"]
