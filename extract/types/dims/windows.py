"""How many windows fit along an axis, over symbolic dims."""

from __future__ import annotations

from collections.abc import Sequence

from graph_program.extract.types.dims import Dim, maximum


def window_counts(
    sizes: Sequence[Dim],
    taps: Sequence[Dim],
    strides: Sequence[int],
    pads: Sequence[int],
    dilations: Sequence[int] | None = None,
) -> tuple[Dim, ...]:
    """The number of windows along each axis; `pads` are what is before each, then what is behind each."""
    rank = len(strides)
    lengths = (d * (k - 1) + 1 for k, d in zip(taps, dilations or (1,) * rank, strict=True))
    margins = zip(pads[:rank], pads[rank:], strict=True)
    return tuple(
        maximum(0, (n + (before + after) - length) // s + 1)
        for n, length, s, (before, after) in zip(sizes, lengths, strides, margins, strict=True)
    )


def spread_sizes(
    sizes: Sequence[Dim],
    taps: Sequence[Dim],
    strides: Sequence[int],
    pads: Sequence[int],
    output_padding: Sequence[int],
    dilations: Sequence[int],
) -> tuple[Dim, ...]:
    """The sizes of a transposed convolution's result."""
    rank = len(strides)
    margins = zip(pads[:rank], pads[rank:], output_padding, strict=True)
    return tuple(
        maximum(0, (n - 1) * s + d * (k - 1) + 1 - before - after + more)
        for n, k, s, d, (before, after, more) in zip(sizes, taps, strides, dilations, margins, strict=True)
    )
