"""How many numbers a range has, with integers of 64 bits that may be any: no step of the arithmetic loses anything.

    range(low, high, step)      d = maximum(high, low) - low            negative where it is 2**63 or more
                                (d - minimum(d, 1)) // step + minimum(d, 1)

Where operands are known to be near each other less is written.  A length of 2**63 or more comes out negative, as the
number that has its bits; `at_most_largest` gives loops the greatest number instead, as nobody waits for so many rounds.
"""

from __future__ import annotations

from typing import Generic, Protocol, TypeVar

from graph_program.extract.records import dataclass

SMALLEST, LARGEST = -(2**63), 2**63 - 1
Number = TypeVar("Number")
"""An integer that is computed."""


class Writer(Protocol[Number]):
    """Writes operations; those on constants are computed by whoever asks."""

    def op(self, name: str, *operands: Number | int) -> Number:
        """An operation on integers, which wraps around; comparisons give a bool."""

    def ends(self, number: Number | int) -> tuple[int, int]:
        """Between which numbers an integer lies."""


@dataclass(frozen=True)
class Length(Generic[Number]):
    """How many numbers a range has.

    Attributes
    ----------
    number : Number or int
        Where a range is known to be near, what is less than 0 is none.
    may_be_none : bool
        Whether it may be less than 0 for that reason.
    may_be_huge : bool
        Whether it may be less than 0 as it is 2**63 or more.
    """

    number: Number | int
    may_be_none: bool = False
    may_be_huge: bool = False


def ends_of(write: Writer[Number], number: Number | int) -> tuple[int, int]:
    return (number, number) if isinstance(number, int) else write.ends(number)


def applied(write: Writer[Number], name: str, a: Number | int, b: Number | int) -> Number | int:
    """A sum, a difference or the greater or smaller one of two numbers, of which both may be known."""
    if isinstance(a, int) and isinstance(b, int):
        return {"add": a + b, "subtract": a - b, "maximum": max(a, b), "minimum": min(a, b)}[name]
    if b == 0 and isinstance(b, int) and name in ("add", "subtract"):
        return a
    return write.op(name, a, b)


def distance(write: Writer[Number], low: Number | int, high: Number | int) -> Length[Number]:
    """How far a number is above another one."""
    (least, most), (others_least, others_most) = ends_of(write, low), ends_of(write, high)
    may_be_huge = others_most - least > LARGEST
    is_cut = may_be_huge or others_least - most < SMALLEST
    upper = high
    if is_cut:
        upper = applied(write, "maximum", high, low)
    number = applied(write, "subtract", upper, low)
    return Length(number, not is_cut and others_least < most, may_be_huge)


def length(write: Writer[Number], low: Number | int, high: Number | int, step: int) -> Length[Number]:
    """How many numbers `low`, `low + step`, ... are less than `high`; `step` is at least 1 and less than 2**63."""
    if isinstance(low, int) and isinstance(high, int):
        return Length(len(range(low, high, step)))
    (least, _), (_, most) = ends_of(write, low), ends_of(write, high)
    found = distance(write, low, high)
    if step == 1 or isinstance(found.number, int):
        return found
    if not found.may_be_huge and found.may_be_none and most - least + step - 1 <= LARGEST:
        raised = applied(write, "add", found.number, step - 1)
        return Length(write.op("floor_divide", raised, step), may_be_none=True)
    d = write.op("maximum", found.number, 0) if found.may_be_none else found.number
    first: Number | int = write.op("minimum", d, 1)
    if not found.may_be_huge:
        return Length(write.op("add", write.op("floor_divide", write.op("subtract", d, first), step), first))
    # where d is less than 0 the distance is 2**64 more, so that one less than it is whole * step + (rest + d)
    whole, rest = divmod(2**64 - 1, step)
    far = write.op("less", d, 0)
    wholes = whole + 1 if step > 2 else SMALLEST  # which has the bits of 2**63
    less, more = write.op("where", far, -rest, first), write.op("where", far, wholes, first)
    number = write.op("add", write.op("floor_divide", write.op("subtract", d, less), step), more)
    return Length(number, may_be_huge=step == 2)


def rounds(write: Writer[Number], low: Number | int, high: Number | int, step: int) -> Number | int:
    """The length of a range for a loop: at most the greatest number, and none where it is less than 0."""
    (least, _), (_, most) = ends_of(write, low), ends_of(write, high)
    if step == 1 and most - least > LARGEST:
        if isinstance(low, int):
            return applied(write, "subtract", write.op("minimum", high, LARGEST + low), low)
        if isinstance(high, int):
            return applied(write, "subtract", high, write.op("maximum", low, high - LARGEST))
    return at_most_largest(write, length(write, low, high, step))


def at_most_largest(write: Writer[Number], found: Length[Number]) -> Number | int:
    """A length, or the greatest number where it is more than that."""
    if not found.may_be_huge or isinstance(found.number, int):
        return found.number
    return write.op("where", write.op("less", found.number, 0), LARGEST, found.number)


__all__ = ["LARGEST", "SMALLEST", "Length", "Writer", "applied", "at_most_largest", "distance", "length", "rounds"]
