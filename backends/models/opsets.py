"""Models in another version of the standard operators than theirs.

Most operators are the same in neighbouring versions, or have only got element types and attributes that the model does
not have: then it only says another one.  Where one of its operators has changed, ONNX's converter rewrites it; what
that cannot do is refused, for wrong values would be the alternative.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING

from graph_program.backends.models.additions import is_the_same, needless_attributes
from graph_program.backends.models.corrections import correct, wrongly_converted
from graph_program.backends.models.implemented import newest_with_kernels, without, without_kernel
from graph_program.backends.models.refusals import OPSETS, first_line, refused
from graph_program.backends.models.walks import nodes_of, standard
from graph_program.backends.onnx.versions import OLDEST_OPSET
from graph_program.extract.diagnostics import Loc, ModelError

if TYPE_CHECKING:
    import onnx

    from graph_program.backends.models.loaded import OnnxModel


def versions_of(message: onnx.ModelProto) -> dict[str, int]:
    """The version of each domain's operators."""
    return {standard(entry.domain): entry.version for entry in message.opset_import}


def drop_unused_domains(message: onnx.ModelProto) -> None:
    """Leave out versions of operators that a model does not have, in place."""
    used = {standard(node.domain) for node in nodes_of(message)} | {""}
    kept = [entry for entry in message.opset_import if standard(entry.domain) in used]
    del message.opset_import[:]
    message.opset_import.extend(kept)


def at_version(model: OnnxModel, version: int) -> onnx.ModelProto:
    """The message of a model in a version of the standard operators.

    Raises
    ------
    ModelError
        GP615 where it cannot be converted.
    """
    import onnx

    message = onnx.ModelProto()
    message.CopyFrom(model.message)
    own = versions_of(message).get("", version)
    made = _converted(message, own, version, model.path)
    if own != version:
        _require_kernels(made, own, version, model.path)
    return made


def _converted(message: onnx.ModelProto, own: int, version: int, path: str) -> onnx.ModelProto:
    """A model of one version in another one; it may be changed in place."""
    import onnx.version_converter

    other = next(changed(nodes_of(message), "", own, version), None)
    if other is None:
        return _saying(message, own, version, path)
    wrong = other if version < own else wrongly_converted(message, own, version)  # nobody has tried it backwards
    if wrong is not None:
        said = "means something else in" if _has(wrong, version) else "is not in"
        why = f"its {wrong} of opset {own} {said} opset {version}"
        raise refused(OPSETS, path, why, _hint(own, version))
    try:
        converted = onnx.version_converter.convert_version(message, version)
        correct(converted, own, version)
        onnx.checker.check_model(converted)
    except (RuntimeError, ValueError, onnx.checker.ValidationError) as error:
        why = f"its {other} of opset {own} cannot be written for opset {version}: {first_line(error)}"
        raise refused(OPSETS, path, why, _hint(own, version)) from None
    return converted


def _require_kernels(message: onnx.ModelProto, own: int, version: int, path: str) -> None:
    """Refuse a version in which the installed onnxruntime has no kernel of an operator that has one in the model's."""
    nodes = [node for node in nodes_of(message) if not standard(node.domain)]
    before = set(without_kernel(nodes, {"": own}))
    missing = [key for key in without_kernel(nodes, {"": version}) if key not in before]
    if missing:
        newest = newest_with_kernels(nodes, {"": version}, max(own, OLDEST_OPSET)) or own
        why, _ = without(*missing[0], version)
        raise refused(OPSETS, path, why, f"export the program with opset={newest}")


def _saying(message: onnx.ModelProto, own: int, version: int, path: str) -> onnx.ModelProto:
    """A model that says another version, in place; refused where that has not the model's element types (GP615)."""
    import onnx

    for entry in message.opset_import:
        if not standard(entry.domain):
            entry.version = version
    if version >= own or not any(_since(n, own) != _since(n, version) for n in nodes_of(message)):
        return message
    for node in nodes_of(message):
        needless = [] if standard(node.domain) else list(needless_attributes(node, own, version))
        for attribute in [a for a in node.attribute if a.name in needless]:
            node.attribute.remove(attribute)
    try:
        onnx.shape_inference.infer_shapes(message, check_type=True)
    except onnx.shape_inference.InferenceError as error:
        why = f"its operators of opset {own} cannot be written for opset {version}: {first_line(error)}"
        raise refused(OPSETS, path, why, _hint(own, version)) from None
    return message


def _hint(own: int, version: int) -> str:
    return f"export the model with opset {version}" if own < version else f"export the program with opset={own}"


def needed_version(models: Iterable[OnnxModel], least: int) -> int:
    """The least version from `least` on in which models of a newer one are as they are."""
    found = least
    for model in models:
        own = versions_of(model.message).get("", least)
        if own > found and not _is_the_same_at(model, found):
            found = own
    return found


@lru_cache(64)
def _is_the_same_at(model: OnnxModel, version: int) -> bool:
    """Whether a model of a newer version only has to say an older one."""
    try:
        at_version(model, version)
    except ModelError:
        return False
    return True


def merged(models: Mapping[OnnxModel, Loc]) -> dict[str, int]:
    """The versions of all domains but the standard one that some models share.

    Raises
    ------
    ModelError
        GP615 where two models mean something else by one operator.
    """
    newest: dict[str, int] = {}
    for model in models:
        for domain, version in versions_of(model.message).items():
            if domain:
                newest[domain] = max(version, newest.get(domain, 0))
    for model, loc in models.items():
        own = versions_of(model.message)
        for node in nodes_of(model.message):
            domain = standard(node.domain)
            if domain and _since(node, own[domain]) != _since(node, newest[domain]):
                text = f"its {node.op_type} is of version {own[domain]} of {domain}, and another model's of a newer one"
                raise refused(OPSETS, model.path, text, f"export both with version {newest[domain]}", loc)
    return newest


def changed(nodes: Iterable[onnx.NodeProto], domain: str, old: int, new: int, exact: bool = False) -> Iterator[str]:
    """The operators of a domain that do not mean the same in two versions; an older one may lack element types.

    With `exact`, also those that one of the versions has only added to.
    """
    if old != new:
        for node in nodes:
            if standard(node.domain) != domain or _since(node, old) == _since(node, new):
                continue
            if domain or exact or not is_the_same(node, old, new):
                yield node.op_type


def _has(operator: str, version: int) -> bool:
    import onnx

    return bool(onnx.defs.has(operator)) and _since(onnx.NodeProto(op_type=operator), version) is not None


def _since(node: onnx.NodeProto, version: int) -> int | None:
    """The version in which an operator became what it is; None for one that ONNX does not know."""
    import onnx

    try:
        found: int = onnx.defs.get_schema(node.op_type, version, standard(node.domain)).since_version
    except onnx.defs.SchemaError:
        return None
    return found


__all__ = ["at_version", "changed", "drop_unused_domains", "merged", "needed_version", "versions_of"]
