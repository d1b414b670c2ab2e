"""`MISS`: what a shim gives for arguments of another signature; how many are tried (a file that costs no import)."""

from __future__ import annotations

from enum import Enum


class Miss(Enum):
    """The class of `MISS`, which no program can return."""

    MISS = "no match"


MISS = Miss.MISS
SHIMS = 8
"""How many signatures are tried one after the other before a call looks its types up."""
