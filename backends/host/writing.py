"""What a call does to the caller's objects, and refuses to do."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NoReturn

import numpy as np

from graph_program.extract.diagnostics import UNKNOWN, CallError, Diagnostic

Array = np.ndarray[Any, Any]
WORK: Any = 100_000
"""How hard NumPy looks for an overlap (an NP-hard question) before one is assumed."""


def refuse_overlap(written: Array, other: Array, written_text: str, other_text: str) -> None:
    """Refuse arrays that share memory where the program writes one of them."""
    if np.may_share_memory(written, other) and _shares_memory(written, other):
        raise CallError(
            Diagnostic(
                "GP405",
                f"arguments '{written_text}' and '{other_text}' share memory, and the program writes to "
                f"'{written_text}'",
                UNKNOWN,
                hint="pass a copy of one of them",
            )
        )


def refuse_overlaps(written_text: str, written: Sequence[Array], others: Sequence[tuple[str, Sequence[Array]]]) -> None:
    """The same for the arrays at a place in a list, which may share no memory with one another either."""
    spans = sorted((*np.lib.array_utils.byte_bounds(array), i) for i, array in enumerate(written))
    for (_, end, i), (start, _, j) in pairwise(spans):
        if start < end:
            refuse_overlap(written[i], written[j], written_text, written_text)
    for text, arrays in others:
        for array in written:
            for other in arrays:
                refuse_overlap(array, other, written_text, text)


def refuse_repeats(written: Array, text: str) -> None:
    """Refuse to write an array that may have several of its own elements in one place (`as_strided`)."""
    reach = written.itemsize
    for stride, size in sorted((abs(s), n) for s, n in zip(written.strides, written.shape, strict=True) if n > 1):
        if stride < reach and written.size and written.flags.writeable:
            raise CallError(
                Diagnostic(
                    "GP405",
                    f"elements of argument '{text}' share memory with one another, and the program writes to it",
                    UNKNOWN,
                    hint="pass a copy",
                )
            )
        reach += stride * (size - 1)


def _shares_memory(a: Array, b: Array) -> bool:
    try:
        return np.shares_memory(a, b, max_work=WORK)
    except np.exceptions.TooHardError:
        return True


def refuse_same(changed_text: str, other_text: str) -> NoReturn:
    """Refuse one object in two places where the program changes it."""
    raise CallError(
        Diagnostic(
            "GP405",
            f"arguments '{changed_text}' and '{other_text}' are one object, and the program changes it",
            UNKNOWN,
            hint="pass a copy in one of the two places",
        )
    )


def require_writable(array: Array, new: Array) -> None:
    """Raise NumPy's error for a read-only array; one that the call leaves as it was is let through.

    The program may not have reached its assignment, in which case Python would not have complained.
    """
    if not array.flags.writeable and array.tobytes() != new.tobytes():
        raise ValueError("assignment destination is read-only")
