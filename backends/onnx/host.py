"""Host steps as operators: small values packed into two vectors, large ones handed over apart.

The operators are in `backends/host/operators`, which Python implements through onnxruntime-extensions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from graph_program.backends.host.packing import Packing
from graph_program.backends.onnx.builder import BOOL, FLOAT64, INT64, Builder, Tensor
from graph_program.extract.ir.graph import Node
from graph_program.extract.ir.host import EXCHANGE, FAILED, START, WAIT, HostStep

DOMAIN = "ai.onnx.contrib"
"""Where onnxruntime-extensions looks for operators that Python implements."""


def exchange(builder: Builder, node: Node, steps: Sequence[HostStep], values: Sequence[Tensor]) -> list[Tensor]:
    """`host_exchange`: hand over what is large, do the step, read what is large; the rest goes with the step."""
    number = node.attrs["step"]
    host, *vectors = builder.ops("GraphProgramExchange", *_sent(builder, node, steps, values), **VECTORS)
    return [host, *_told(builder, host, number, steps[number], vectors)]


def start(builder: Builder, node: Node, steps: Sequence[HostStep], values: Sequence[Tensor]) -> list[Tensor]:
    """`host_start`: the same, without reading anything."""
    return [builder.op("GraphProgramStart", *_sent(builder, node, steps, values), dtype=INT64, domain=DOMAIN)]


def wait(builder: Builder, node: Node, steps: Sequence[HostStep], values: Sequence[Tensor]) -> list[Tensor]:
    """`host_wait`: read what the step tells; it depends on an element of all that is to be computed before."""
    number = node.attrs["step"]
    host, *behind = values
    first = [_flat(builder, v).op("Slice", builder.ints(0), builder.ints(1)).cast(FLOAT64) for v in behind]
    which = builder.constant(np.array(number, np.int64))
    host, *vectors = builder.ops("GraphProgramWait", host, which, _joined(builder, first, FLOAT64), **VECTORS)
    return _told(builder, host, number, steps[number], vectors)


def _sent(builder: Builder, node: Node, steps: Sequence[HostStep], values: Sequence[Tensor]) -> list[Tensor]:
    """What the operator of a step takes, behind the operators that hand over what is large."""
    step = steps[node.attrs["step"]]
    host, *rest = values
    objects, sent = rest[: len(rest) - len(step.sends)], rest[len(rest) - len(step.sends) :]
    vectors: dict[str, list[Tensor]] = {"ints": [], "floats": []}
    for value, place in zip(sent, Packing(step.sends).places, strict=True):
        if place.vector == "apart":
            host = builder.op(f"GraphProgramSend_{value.dtype.name}", host, value, dtype=INT64, domain=DOMAIN)
        else:
            vectors[place.vector].append(_flat(builder, value).cast(INT64 if place.vector == "ints" else FLOAT64))
    ints = [builder.ints(node.attrs["step"]), *vectors["ints"], *([builder.vector(objects)] if objects else [])]
    return [host, _joined(builder, ints, INT64), _joined(builder, vectors["floats"], FLOAT64)]


def _told(builder: Builder, host: Tensor, number: int, step: HostStep, vectors: Sequence[Tensor]) -> list[Tensor]:
    """The values that a step tells."""
    results = []
    for type_, place in zip(step.receives, Packing(step.receives).places, strict=True):
        if place.vector == "apart":
            which, operator = builder.ints(number, place.start), f"GraphProgramReceive_{type_.dtype.name}"
            results.append(builder.op(operator, host, which, dtype=type_.dtype, domain=DOMAIN))
        else:
            vector = vectors[0 if place.vector == "ints" else 1]
            sizes = [size.constant or 0 for size in type_.shape]
            results.append(_part(builder, vector, place.start, sizes).cast(type_.dtype))
    return results


def _flat(builder: Builder, value: Tensor) -> Tensor:
    return value.op("Reshape", builder.ints(-1))


def _joined(builder: Builder, parts: Sequence[Tensor], dtype: np.dtype) -> Tensor:
    if not parts:
        return builder.constant(np.zeros(0, dtype))
    return parts[0] if len(parts) == 1 else builder.op("Concat", *parts, axis=0)


def _part(builder: Builder, vector: Tensor, start: int, sizes: Sequence[int]) -> Tensor:
    """Elements of a vector from a place on, as an array of these sizes."""
    if not sizes:
        return vector.op("Gather", builder.constant(np.array(start, np.int64)))
    end = start + int(np.prod(sizes))
    part = builder.op("Slice", vector, builder.ints(start), builder.ints(end))
    return part if len(sizes) == 1 else part.op("Reshape", builder.ints(*sizes))


def failed(builder: Builder, node: Node, steps: Sequence[HostStep], values: Sequence[Tensor]) -> list[Tensor]:
    """`host_failed`."""
    return [builder.op("GraphProgramFailed", *values, dtype=BOOL, domain=DOMAIN)]


VECTORS: dict[str, Any] = {"dtypes": (INT64, INT64, FLOAT64), "domain": DOMAIN}
"""What operators give that tell something: `host`, and the two vectors."""
Rule = Callable[[Builder, Node, Sequence[HostStep], Sequence[Tensor]], list[Tensor]]
RULES: dict[str, Rule] = {EXCHANGE: exchange, START: start, WAIT: wait, FAILED: failed}


__all__ = ["DOMAIN", "RULES"]
