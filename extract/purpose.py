"""What an extraction is for: a call in process, or a file, which meets other arguments and has no caller."""

from __future__ import annotations

from graph_program.extract.records import dataclass


@dataclass(frozen=True)
class Purpose:
    """What differs between a program that is called and one that is written to a file.

    Attributes
    ----------
    identities : bool
        Give the caller's own objects back where that takes tables of objects; a model has none.
    any_length : bool
        Let lists of the caller and of the state have any length; else each has the one that it has.
    any_number : bool
        Compute what can be computed of a number of the caller (`gains[level]`, `[0.0] * n`); else its value is known
        there, and another value is another extraction, which a file does not have.
    reports : bool
        Do what only tells of the run, `print` and logging; a file has nobody to tell.
    """

    identities: bool = True
    any_length: bool = True
    any_number: bool = False
    reports: bool = True


FOR_A_CALL = Purpose()


__all__ = ["FOR_A_CALL", "Purpose"]
