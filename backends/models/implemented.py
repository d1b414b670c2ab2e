"""Operators without a kernel in the installed onnxruntime: those of an opset that it only reads.

It has the definitions of more versions of an operator than it has kernels of: of old ones (`Relu` of opset 1), and of
ones that have just come (`QuantizeLinear` of opset 28).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING

from graph_program.backends.models.walks import standard

if TYPE_CHECKING:
    import onnx

Key = tuple[str, str]

OPEN = 2**31 - 1
"""The last version of a kernel that is for all versions that change nothing."""
ELSEWHERE = frozenset([("", "Constant")])
"""What onnxruntime makes an array of, before it looks for kernels."""


def without_kernel(nodes: Iterable[onnx.NodeProto], versions: Mapping[str, int]) -> Iterator[Key]:
    """The operators among some nodes, each with its domain, that onnxruntime has no kernel of for any element type.

    Operators that it does not know at all, and those that ONNX defines by others, are not among them.

    Parameters
    ----------
    nodes : iterable of NodeProto
    versions : mapping of str to int
        The version of each domain's operators.
    """
    for key in dict.fromkeys((standard(node.domain), node.op_type) for node in nodes):
        since = _since(key, versions.get(key[0], 1))
        if since is not None and key not in ELSEWHERE and not _has_kernel(key, since) and not _is_function(key, since):
            yield key


def newest_with_kernels(nodes: Sequence[onnx.NodeProto], versions: Mapping[str, int], oldest: int) -> int | None:
    """The newest opset before that of some nodes in which all of them have kernels, from an oldest one on, if any."""
    before = range(versions.get("", oldest) - 1, oldest - 1, -1)
    return next((v for v in before if not any(without_kernel(nodes, {**versions, "": v}))), None)


def without(domain: str, operator: str, version: int) -> tuple[str, str]:
    """What is said of an operator without a kernel, and what to do about it."""
    import onnxruntime

    if domain:
        text = f"onnxruntime {onnxruntime.__version__} has no kernel for {domain}.{operator} on the CPU"
        return text, "export the model with standard operators"
    text = f"onnxruntime {onnxruntime.__version__} has no kernel for {operator} of opset {version}"
    return text, "export the model with another opset, or convert it with `onnx.version_converter`"


def _since(key: Key, version: int) -> int | None:
    """The version in which an operator became what it is in a version, as onnxruntime has it."""
    return max((since for since in _definitions().get(key, ()) if since <= version), default=None)


def _has_kernel(key: Key, since: int) -> bool:
    """By the rule of onnxruntime: a kernel without an end is for the definition that it begins with."""
    return any(first == since or first < since <= last < OPEN for first, last in _kernels().get(key, ()))


def _is_function(key: Key, since: int) -> bool:
    """Whether ONNX defines an operator by others."""
    import onnx

    try:
        schema = onnx.defs.get_schema(key[1], since, key[0])
    except onnx.defs.SchemaError:
        return False
    return bool(schema.has_function or schema.has_context_dependent_function)  # type: ignore[attr-defined]


@cache
def _definitions() -> Mapping[Key, frozenset[int]]:
    from onnxruntime.capi import onnxruntime_pybind11_state as state

    found: dict[Key, set[int]] = defaultdict(set)
    for schema in state.get_all_operator_schema():
        found[standard(schema.domain), schema.name].add(schema.since_version)
    return {key: frozenset(versions) for key, versions in found.items()}


@cache
def _kernels() -> Mapping[Key, frozenset[tuple[int, int]]]:
    """The versions that kernels of the processor are for, the first one and the last one."""
    from onnxruntime.capi import onnxruntime_pybind11_state as state

    found: dict[Key, set[tuple[int, int]]] = defaultdict(set)
    for kernel in state.get_all_opkernel_def():
        if kernel.provider == "CPUExecutionProvider":
            first, last = kernel.version_range
            found[standard(kernel.domain), kernel.op_name].add((first, last))
    return {key: frozenset(versions) for key, versions in found.items()}


__all__ = ["newest_with_kernels", "without", "without_kernel"]
