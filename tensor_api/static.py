"""`Static[T]`, the annotation of what is known at extraction; fields of layers have it, too."""

from __future__ import annotations

from typing import Annotated, TypeVar


class StaticMarker:
    """The mark that `Static[T]` leaves on an annotation."""


T = TypeVar("T")
Static = Annotated[T, StaticMarker()]
"""`Static[T]`: a parameter that is known at extraction; each value gets a graph of its own."""
