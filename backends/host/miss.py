"""`MISS`: what a shim gives back for arguments of another signature (its own file: it costs no import)."""

from __future__ import annotations

from enum import Enum


class Miss(Enum):
    """The class of `MISS`, which no program can return."""

    MISS = "no match"


MISS = Miss.MISS
