"""Versions of operators that only added to the one before: element types, and attributes that keep what was by default.

    Constant-21(value: float32)      ->      Constant-13        it has not the integers of 4 bits that 21 brought
    Cast-19(to: int64, saturate=1)   ->      Cast-13            saturate is for floats of 8 bits, and 1 by default

Read from the operators' changelog.  What is not listed may mean something else: poolings of opset 19 and 22 count their
windows in another way, `GroupNormalization` of 21 scales each channel.  Whether a model has element types that an older
version lacks is left to type inference.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import onnx

MOVING = "Flatten Identity If Loop Pad Reshape Scan Shape Size Squeeze Transpose Unsqueeze Constant ConstantOfShape"
"""What takes all element types, and got each new one."""
ADDED: dict[int, frozenset[str]] = {
    version: frozenset(names.split())
    for version, names in {
        14: "Add CumSum Div GRU Identity LSTM Mul RNN Relu Reshape Sub",
        15: "Pow Shape",
        16: "GreaterOrEqual Identity If LeakyRelu LessOrEqual Loop PRelu Scan ScatterElements ScatterND Where",
        18: "ScatterElements ScatterND",
        19: "Cast CastLike Constant DequantizeLinear Equal Identity If Loop Pad QuantizeLinear Reshape Scan Shape Size",
        20: "ConstantOfShape IsInf IsNaN ReduceMax ReduceMin",
        21: f"{MOVING} Cast CastLike DequantizeLinear QLinearMatMul QuantizeLinear",
        22: "Acos Acosh Asin Asinh Atan Atanh Conv ConvTranspose Cos Cosh Det Dropout Elu EyeLike GRU "
        "GlobalAveragePool GlobalLpPool GlobalMaxPool GridSample HardSigmoid HardSwish InstanceNormalization LSTM "
        "LpNormalization Mish RNN Round Selu Sin Sinh Softplus Softsign Tan ThresholdedRelu",
        23: f"{MOVING} Cast CastLike DequantizeLinear QuantizeLinear",
        24: f"{MOVING} Cast CastLike DequantizeLinear QuantizeLinear SplitToSequence TopK",
        25: f"{MOVING} Cast CastLike DequantizeLinear QuantizeLinear",
    }.items()
}
NEW_VALUES = {
    ("ScatterElements", 18): ("reduction", (b"max", b"min")),
    ("ScatterND", 18): ("reduction", (b"max", b"min")),
    ("Pad", 19): ("mode", (b"wrap",)),
}
"""Values of attributes that an operator has from a version on."""


def is_the_same(node: onnx.NodeProto, old: int, new: int) -> bool:
    """Whether a standard operator means the same in two versions, if both have its element types."""
    low, high = min(old, new), max(old, new)
    steps = [version for version in _versions().get(node.op_type, ()) if low < version <= high]
    if not all(node.op_type in ADDED.get(version, ()) for version in steps):
        return False
    if any(_has_new_value(node, version) for version in steps):
        return False
    known = _schema(node, low).attributes
    unknown = {attribute.name for attribute in node.attribute if attribute.name not in known}
    return unknown == set(needless_attributes(node, high, low))


def needless_attributes(node: onnx.NodeProto, own: int, version: int) -> Iterator[str]:
    """The attributes that another version of a standard operator lacks, and that say what goes without saying."""
    known, defaults = _schema(node, version).attributes, _schema(node, own).attributes
    for attribute in node.attribute:
        if attribute.name not in known and attribute.name in defaults:
            default = defaults[attribute.name].default_value
            if default.type and _value(attribute) == _value(default):
                yield attribute.name


def _value(attribute: onnx.AttributeProto) -> tuple[object, ...]:
    return attribute.type, attribute.i, attribute.f, attribute.s


def _has_new_value(node: onnx.NodeProto, version: int) -> bool:
    name, values = NEW_VALUES.get((node.op_type, version), ("", ()))
    return any(attribute.name == name and attribute.s in values for attribute in node.attribute)


def _schema(node: onnx.NodeProto, version: int) -> onnx.defs.OpSchema:
    import onnx

    return onnx.defs.get_schema(node.op_type, version)


@cache
def _versions() -> dict[str, tuple[int, ...]]:
    """The versions in which each standard operator has changed."""
    import onnx

    found: dict[str, list[int]] = {}
    for schema in onnx.defs.get_all_schemas_with_history():
        if not schema.domain:
            found.setdefault(schema.name, []).append(schema.since_version)
    return {name: tuple(sorted(versions)) for name, versions in found.items()}


__all__ = ["is_the_same", "needless_attributes"]
