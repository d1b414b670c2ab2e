"""Ways to use operators that runtimes may not take or get wrong, though each operator alone is right: a model of each.

They are named as in `backends/onnx/avoided`, and probed with the operators.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import onnx

from graph_program.backends.onnx.avoided import (
    ADDED,
    BYTES,
    CAST_CHAINS,
    CASTS,
    CONSTANT_SIDE,
    DIVIDENDS,
    EMPTY,
    LARGE,
    LAST_PLACES,
    LOG_SUMS,
    LOOPS,
    MAGNITUDES,
    MEAN_SQUARES,
    NANS,
    OPEN_RESULTS,
    OPEN_SIDES,
    OTHER_SIDES,
    OUTER_WRITES,
    QUANTIZED_SOFTMAX,
    REMAINDERS,
    ROUND_SIZES,
    SHORTS,
    SIZES,
    SMALL_CASTS,
    SQUARES,
    STRETCHED,
    TIES,
    TO_NUMBERS,
    TWO_BRANCHES,
    VECTORS,
    WIDE_SUMS,
)
from graph_program.backends.onnx.versions import OPSET

MODELS = {
    CONSTANT_SIDE: """
        (double[n] x) => (int64 y) <int64 first = {0}, double one = {1}, int64 two = {2}> {
            v = Gather <axis = 0> (x, first)
            below = Less (v, one)
            w, is = If (below) <
                then_branch = then () => (double a, bool b) {
                    a = Constant <value = double {0}> ()
                    b = Constant <value = bool {1}> ()
                },
                else_branch = else () => (double c, bool d) {
                    c = Add (v, v)
                    d = Less (c, one)
                }>
            y = Where (is, first, two)
        }""",
    CASTS: """
        (double[n] x) => (int64[n] y) <int64 three = {-3}> {
            whole = Cast <to = 7> (x)
            y = Mod (whole, three)
        }""",
    LAST_PLACES: """
        (double[n] x) => (double[n] y) <int64[1] last = {-1}, double one = {1}> {
            y = ScatterND (x, last, one)
        }""",
    SMALL_CASTS: """
        (double[n] x) => (uint8[n] y) {
            y = Cast <to = 2> (x)
        }""",
    CAST_CHAINS: """
        (double[n] x) => (uint8[n] y) <int64 one = {1}> {
            whole = CastLike (x, one)
            y = Cast <to = 2> (whole)
        }""",
    LOOPS: """
        (double[n] x) => (double[n] y) <int64 three = {3}, bool on = {1}> {
            y = Loop (three, on, x) <
                body = round (int64 k, bool go, double[n] a) => (bool again, double[n] b) {
                    again = Identity (go)
                    b = Add (a, x)
                }>
        }""",
    SIZES: """
        (double[n] x) => (int64 y, int64 z) <int64 first = {0}, int64 two = {-2}, double one = {1}> {
            size = Size (x)
            y = Mod (size, two)
            v = Gather <axis = 0> (x, first)
            below = Less (v, one)
            z = If (below) <
                then_branch = then () => (int64 a) { a = Mul (size, two) },
                else_branch = else () => (int64 b) { b = Constant <value = int64 {7}> () }>
        }""",
    SQUARES: """
        (double[n] x) => (int64[n] y) <int64 one = {1}> {
            whole = CastLike (x, one)
            y = Mul (whole, whole)
        }""",
    DIVIDENDS: """
        (double[n] x) => (double[m] y) <int64[3] places = {2, 0, 1}, double eleven = {11}> {
            known = Gather <axis = 0> (x, places)
            y = Mod <fmod = 1> (eleven, known)
        }""",
    STRETCHED: """
        (double[n] x) => (double[m] y) <int64[2] sizes = {1, 3}, int64[1] first = {0}> {
            number = Gather <axis = 0> (x, first)
            row = Expand (number, sizes)
            less = Neg (row)
            y = MatMul (less, x)
        }""",
    VECTORS: """
        (double[n] x) => (double y) { y = MatMul (x, x) }""",
    TO_NUMBERS: """
        (double[n] x) => (double y) <int64[2] wide = {1, 3}, int64[2] high = {3, 1}, int64[0] none = {}> {
            row = Reshape (x, wide)
            column = Reshape (x, high)
            product = MatMul (row, column)
            y = Reshape (product, none)
        }""",
    WIDE_SUMS: """
        (double[n] x) => (int64 y) <int64 one = {1}, int64 many = {1152921504606846976}> {
            whole = CastLike (x, one)
            large = Mul (whole, many)
            y = ReduceSum <keepdims = 0> (large)
        }""",
    ADDED: """
        (double[n] x) => (double[m, k] y) <int64[2] wide = {1, 3}, int64[2] high = {3, 1}, double[1, 1] one = {1}> {
            row = Reshape (x, wide)
            column = Reshape (x, high)
            y = Gemm (row, column, one)
        }""",
    MEAN_SQUARES: """
        (double[n] x) => (bool[m] y) <int64[1] first = {0}, double part = {1.1}> {
            some = Mul (x, part)
            squares = Mul (some, some)
            mean = ReduceMean <keepdims = 1> (squares, first)
            other = Neg (some)
            less = Mul (some, other)
            below = ReduceMean <keepdims = 1> (less, first)
            above = Neg (below)
            y = Equal (mean, above)
        }""",
    LOG_SUMS: """
        (double[n] x) => (double[m] y, double[n] z) <int64[2] high = {3, 1}, int64[1] one = {1}, double many = {300}> {
            large = Mul (x, many)
            column = Reshape (large, high)
            y = ReduceLogSumExp <keepdims = 0> (column, one)
            z = LogSoftmax <axis = 0> (large)
        }""",
    NANS: """
        (double[n] x) => (bool[n] y, bool[n] z, bool[n] u, bool[n] v, bool[n] w) <double one = {1}> {
            none = Sub (x, x)
            nan = Div (none, none)
            most = Max (nan, one)
            y = Equal (most, most)
            least = Min (one, nan)
            z = Equal (least, least)
            ramp = Relu (nan)
            u = Equal (ramp, ramp)
            power = Exp (nan)
            v = Equal (power, power)
            bounded = Tanh (nan)
            w = Equal (bounded, bounded)
        }""",
    TIES: """
        (double[n] x) => (int64[m] y) <int64[1] three = {3}> {
            same = Sub (x, x)
            values, y = TopK (same, three)
        }""",
    TWO_BRANCHES: """
        (double[n] x) => (double y, double z) <int64 first = {0}, double one = {1}> {
            v = Gather <axis = 0> (x, first)
            below = Less (v, one)
            y = If (below) <
                then_branch = then () => (double a) { a = Add (v, v) },
                else_branch = else () => (double b) { b = Mul (v, v) }>
            above = Less (one, v)
            z = If (above) <
                then_branch = then2 () => (double c) { c = Add (v, v) },
                else_branch = else2 () => (double d) { d = Mul (v, v) }>
        }""",
    OPEN_SIDES: """
        (double[n] x) => (double y) <int64 first = {0}, double one = {1}> {
            above = Less (one, x)
            places = NonZero (above)
            row = Gather <axis = 0> (places, first)
            taken = Gather <axis = 0> (x, row)
            v = Gather <axis = 0> (x, first)
            below = Less (v, one)
            y = If (below) <
                then_branch = then () => (double a) { a = ReduceSum <keepdims = 0> (taken) },
                else_branch = else () => (double b) { b = ReduceMax <keepdims = 0> (taken) }>
        }""",
    OPEN_RESULTS: """
        (double[n] x) => (double[m] y) <int64 first = {0}, double one = {1}> {
            v = Gather <axis = 0> (x, first)
            below = Less (v, one)
            w = If (below) <
                then_branch = then () => (double[n] a) { a = Neg (x) },
                else_branch = else () => (double[n] b) { b = Add (x, x) }>
            both = Concat <axis = 0> (x, w)
            y = Neg (both)
        }""",
    OTHER_SIDES: """
        (double[n] x) => (double[m] y) <int64 first = {0}, double one = {1}> {
            v = Gather <axis = 0> (x, first)
            below = Less (v, one)
            y = If (below) <
                then_branch = then () => (double[m1] a) { a = Concat <axis = 0> (x, x) },
                else_branch = else () => (double[m2] b) { b = Add (x, x) }>
        }""",
    MAGNITUDES: """
        (double[n] x) => (double[m] y, bool[m] z) <double zero = {0}> {
            less = Neg (x)
            both = Concat <axis = 0> (x, less)
            y = Abs (both)
            z = Less (both, zero)
        }""",
    BYTES: """
        (double[n] x) => (uint8[n] y, uint8[n] z) <uint8 most = {252}, uint8 one = {1}> {
            whole = Cast <to = 6> (x)
            size = Abs (whole)
            byte = Cast <to = 2> (size)
            y = Add (byte, most)
            z = BitShift <direction = "RIGHT"> (byte, one)
        }""",
    SHORTS: """
        (double[n] x) => (int32[n] y, int32[n] z) <int16 most = {10000}, int32 many = {20000}> {
            whole = Cast <to = 6> (x)
            short = Cast <to = 5> (whole)
            product = Mul (short, most)
            y = Cast <to = 6> (product)
            large = Mul (whole, many)
            part = Cast <to = 4> (large)
            z = Cast <to = 6> (part)
        }""",
    OUTER_WRITES: """
        (double[n] x) => (double[m, n] y) <int64 three = {3}, bool on = {1}, int64[1] axis = {0}, double[1] one = {1}> {
            z = Sub (x, x)
            y = Loop (three, on) <
                body = round (int64 k, bool go) => (bool again, double[n] b) {
                    again = Identity (go)
                    place = Unsqueeze (k, axis)
                    places = Unsqueeze (place, axis)
                    b = ScatterND (z, places, one)
                }>
        }""",
    ROUND_SIZES: """
        (double[n] x) => (int64[n] y) {
            y = Scan <num_scan_inputs = 1,
                body = round (double v) => (int64 size) {
                    above = Less (v, x)
                    places = NonZero (above)
                    size = Size (places)
                }> (x)
        }""",
    QUANTIZED_SOFTMAX: """
        (double[n] x) => (double[n] y) <float s = {0.5}, int8 z = {1}, float fine = {0.0078125}, int8 low = {-128}> {
            w = Cast <to = 1> (x)
            q = QuantizeLinear (w, s, z)
            d = DequantizeLinear (q, s, z)
            p = Softmax <axis = 0> (d)
            r = QuantizeLinear (p, fine, low)
            v = DequantizeLinear (r, fine, low)
            y = CastLike (v, x)
        }""",
    EMPTY: """
        (double[n] x) => (double y) <int64[1] first = {0}> {
            none = Slice (x, first, first)
            y = ReduceSum <keepdims = 0> (none)
        }""",
    LARGE: """
        (double[n] x) => (int64 y, bool z) <int64 much = {16777217}, int64 one = {1}> {
            whole = CastLike (x, one)
            large = Mul (whole, much)
            y = ReduceMax <keepdims = 0> (large)
            next = Add (y, one)
            z = Equal (y, next)
        }""",
    REMAINDERS: """
        (double[n] x) => (int64 y, double[n] z) <int64 three = {3}, int64 five = {5}, int64 eleven = {11}> {
            y, z = Scan <num_scan_inputs = 1,
                body = round (int64 a, double v) => (int64 b, double w) {
                    c = Add (a, five)
                    b = Mod (c, eleven)
                    w = Add (v, v)
                }> (three, x)
        }""",
}
X = np.array([3.0, 5.0, -4.0])
OUTPUTS: dict[str, dict[str, Any]] = {
    CONSTANT_SIDE: {"y": np.array(2)},
    CASTS: {"y": np.array([0, -1, -1])},
    LAST_PLACES: {"y": np.array([3.0, 5.0, 1.0])},
    SMALL_CASTS: {"y": np.array([3, 5, 252], np.uint8)},
    CAST_CHAINS: {"y": np.array([3, 5, 252], np.uint8)},
    LOOPS: {"y": 4 * X},
    SIZES: {"y": np.array(-1), "z": np.array(7)},
    SQUARES: {"y": np.array([9, 25, 16])},
    DIVIDENDS: {"y": np.array([3.0, 2.0, 1.0])},
    STRETCHED: {"y": np.array([-12.0])},
    VECTORS: {"y": np.array(50.0)},
    TO_NUMBERS: {"y": np.array(50.0)},
    WIDE_SUMS: {"y": np.array(2**62)},
    ADDED: {"y": np.array([[51.0]])},
    MEAN_SQUARES: {"y": np.array([True])},
    LOG_SUMS: {"y": 300 * X, "z": 300 * (X - 5)},
    NANS: dict.fromkeys("yzuvw", np.zeros(3, bool)),
    TIES: {"y": np.array([0, 1, 2])},
    TWO_BRANCHES: {"y": np.array(9.0), "z": np.array(6.0)},
    OPEN_SIDES: {"y": np.array(5.0)},
    OPEN_RESULTS: {"y": np.array([*-X, *(-2 * X)])},
    OTHER_SIDES: {"y": X + X},
    MAGNITUDES: {"y": np.abs([*X, *X]), "z": np.array([*X, *-X]) < 0},
    BYTES: {"y": np.array([255, 1, 0], np.uint8), "z": np.array([1, 2, 2], np.uint8)},
    SHORTS: {"y": np.array([30000, -15536, 25536], np.int32), "z": np.array([60000, 34464, 51072], np.int32)},
    OUTER_WRITES: {"y": np.eye(3)},
    ROUND_SIZES: {"y": np.array([1, 0, 2])},
    QUANTIZED_SOFTMAX: {"y": np.array([0.1171875, 0.8828125, 0.0])},
    EMPTY: {"y": np.array(0.0)},
    LARGE: {"y": np.array(5 * 16777217), "z": np.array(False)},
    REMAINDERS: {"y": np.array(7), "z": X + X},
}


def form_models(floats: str = "float64") -> Iterator[tuple[str, onnx.ModelProto, dict[str, Any], dict[str, Any]]]:
    """Each form by its name, with inputs and outputs; of float32, for runtimes that have no float64."""
    for name, text in MODELS.items():
        written = text if floats == "float64" else text.replace("double", "float")
        arrays = ({"x": X}, OUTPUTS[name])
        given, made = ({n: a.astype(floats) if a.dtype.kind == "f" else a for n, a in each.items()} for each in arrays)
        head = f'<ir_version: 10, opset_import: ["": {OPSET}]> {name.replace(" ", "_")}'
        yield name, onnx.parser.parse_model(f"{head} {written}"), given, made


__all__ = ["form_models"]
