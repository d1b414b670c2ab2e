"""What a model does without, as a runtime that is to take it does not take it, or gets it wrong."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

CONSTANT_SIDE = "constant side"
"""A branch whose result is a constant on its first side, and is computed with."""
CASTS = "casts to int64"
"""Whole numbers that were cast, as dividends below zero."""
LAST_PLACES = "places from the end"
"""Constants below zero as places that `ScatterND` writes to."""
LOOPS = "loops"
"""Any."""
SIZES = "sizes"
"""Sizes as other whole numbers: as dividends, beside constants in branches."""
SMALL_CASTS = "casts to small integers"
"""Floats that were cast to integers which hold only part of their digits: others take the nearest one."""
CAST_CHAINS = "chains of casts"
"""Casts to small integers of what was cast to int64 before: WebAssembly makes one of both, which gives zeros."""
SQUARES = "squares of int64"
"""Whole numbers times themselves, also of 16 and 8 bits."""
TWO_BRANCHES = "two branches"
"""Two of them in one graph, with conditions that only a run knows."""
OPEN_SIDES = "sides that read open sizes"
"""A branch, or a loop, that reads an array whose sizes only a run knows."""
OTHER_SIDES = "sides of other sizes"
"""A branch whose sides give arrays of other sizes."""
ROUND_SIZES = "open sizes in rounds"
"""The size of an array that only a run knows, in a `Scan`."""
REMAINDERS = "remainders in rounds"
"""Whole numbers that a `Scan` carries, as dividends of constants; also times these, and divided by them."""
MAGNITUDES = "magnitudes of joined arrays"
"""`Abs` of what `Concat` gives, where others read it, too: OpenVINO writes one in the place of the other."""
OPEN_RESULTS = "open sizes of branches"
"""What a branch gives in sizes that only a run knows, before larger arrays: OpenVINO loses it as it makes room."""
QUANTIZED_SOFTMAX = "softmax of quantized arrays"
"""`Softmax` between `DequantizeLinear` and `QuantizeLinear`: tract makes one operation of them, which gives ones."""
BYTES = "arithmetic of bytes"
"""Sums, products and shifts of 8 bits, which wrap: OpenVINO gives the nearest number that fits."""
SHORTS = "arithmetic of 16 bits"
"""Sums, products and casts that wrap at 16 bits: OpenVINO keeps 32 until they come out of the model."""
LOG_SUMS = "logarithms of sums"
"""`ReduceLogSumExp` and `LogSoftmax` of large numbers, which tract has no exponentials of."""
NANS = "operators of NaN"
"""`Max`, `Min`, `Relu`, `Exp`, `Tanh` of it, and casts to a truth: OpenVINO gives a number, or false, or tract does."""
TIES = "order of ties"
"""`TopK` of elements that are equal: OpenVINO gives them in any order."""
OUTER_WRITES = "writes into outer arrays"
"""`ScatterND` into an array of an outer graph: OpenVINO writes to it, and so for all rounds of a loop."""
LARGE = "integers beyond 24 bits"
"""OpenVINO compares, sums and divides them in float32.  Files are written as they are, and name what may be wrong."""
DIVIDENDS = "constant dividends"
"""A constant number divided for its remainder by an array of known sizes: tract divides the other way around."""
STRETCHED = "products of stretched arrays"
"""`MatMul` of what `Expand` gives, or a function of it: tract takes one element of an axis, or does not load it."""
VECTORS = "products of two vectors"
"""`MatMul` of one by the other, neither of which is a matrix."""
TO_NUMBERS = "products as numbers"
"""`Reshape` of a product to a number: OpenVINO ends the process that loads it."""
WIDE_SUMS = "sums beyond 32 bits"
"""`ReduceSum` of int64, which tract does in int32."""
ADDED = "products plus constants"
"""`Gemm` of float64 and a constant, which tract multiplies with 1 in float32: it does not load that."""
MEAN_SQUARES = "means of squares"
"""`ReduceMean` of float64 times itself, or such a sum divided by the size of its axis: tract does both in float32."""
EMPTY = "arrays of no elements"
"""Sums of them, and rounds over them: tract ends the process.  Files are written as they are, and say so."""
FOR_ALL = frozenset([CAST_CHAINS, CONSTANT_SIDE, MAGNITUDES, SMALL_CASTS])
"""Those without which portable files do, whichever their target: the other words are fine everywhere."""
FOR_NONE = FOR_ALL | {BYTES, LOG_SUMS, NANS, OPEN_RESULTS, OUTER_WRITES, SHORTS, TIES, TO_NUMBERS}
"""Those without which portable files for no target by name do."""


class Avoided(NamedTuple):
    """Operators and forms.

    Attributes
    ----------
    operators : collection of (str, str)
        Each with the element type of its first input.
    forms : collection of str
        Ways to use operators, by the names above.
    """

    operators: Collection[tuple[str, str]] = ()
    forms: Collection[str] = ()

    @property
    def wide_sums(self) -> bool:
        """Whether sums of int64 have other words: those that are wrong for all larger numbers stay as they are."""
        return WIDE_SUMS in self.forms and LARGE not in self.forms


NOTHING = Avoided()

__all__ = [
    "ADDED",
    "BYTES",
    "CASTS",
    "CAST_CHAINS",
    "CONSTANT_SIDE",
    "DIVIDENDS",
    "EMPTY",
    "FOR_ALL",
    "FOR_NONE",
    "LARGE",
    "LAST_PLACES",
    "LOG_SUMS",
    "LOOPS",
    "MAGNITUDES",
    "MEAN_SQUARES",
    "NANS",
    "NOTHING",
    "OPEN_RESULTS",
    "OPEN_SIDES",
    "OTHER_SIDES",
    "OUTER_WRITES",
    "REMAINDERS",
    "ROUND_SIZES",
    "SHORTS",
    "SIZES",
    "SMALL_CASTS",
    "SQUARES",
    "STRETCHED",
    "TIES",
    "TO_NUMBERS",
    "TWO_BRANCHES",
    "VECTORS",
    "WIDE_SUMS",
    "Avoided",
]
