"""The page of targets: what each runtime that was probed makes of each operator."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from graph_program.backends.onnx.avoided import (
    CASTS,
    CONSTANT_SIDE,
    LAST_PLACES,
    LOOPS,
    MAGNITUDES,
    OPEN_RESULTS,
    OTHER_SIDES,
    SIZES,
    SMALL_CASTS,
    SQUARES,
)
from graph_program.targets.support import REFUSED, RIGHT, WRONG, Support, targets

WORDS = {
    CASTS: "`CastLike` makes numbers of them",
    CONSTANT_SIDE: "the other side gives it, or a truth that a run knows; both sides are done where constants decide",
    LAST_PLACES: "the size is added to known places; places that only a run knows stay",
    SMALL_CASTS: "`CastLike` makes whole numbers of them before",
    LOOPS: "`Scan`, or the rounds one after the other",
    OTHER_SIDES: "both sides are done, where sizes of arguments decide and one is not used",
    SIZES: "`CastLike` makes numbers of them",
    MAGNITUDES: "`abs(-x)`",
    OPEN_RESULTS: "`Expand` by a size that is computed",
    SQUARES: "`-(x * -x)`",
}
"""What is written for a form, where there are other words."""


def operators() -> tuple[list[str], list[tuple[str, ...]]]:
    """The head of the table, and a row for each operator."""
    supports = list(targets().values())
    names = sorted({name for support in supports for name in support.operators})
    head = ["operator", *(f"{support.runtime} {support.version}".strip() for support in supports)]
    return head, [(f"`{name}`", *(_cell(support, name) for support in supports)) for name in names]


def sized() -> tuple[list[str], list[tuple[str, ...]]]:
    """The operators whose sizes, axes and the like a target has to know before a run."""
    supports = [support for support in targets().values() if support.portable]
    head = ["target", "operators"]
    return head, [(support.runtime, ", ".join(f"`{name}`" for name in _sized(support))) for support in supports]


def _sized(support: Support) -> Iterable[str]:
    for name, by_type in sorted(support.given.items()):
        known = support.known[name]
        if any(verdict in (REFUSED, WRONG) and known.get(dtype) == RIGHT for dtype, verdict in by_type.items()):
            yield name


def forms() -> tuple[list[str], list[tuple[str, ...]]]:
    """What each runtime makes of ways to use operators."""
    supports = list(targets().values())
    names = sorted({name for support in supports for name in support.forms})
    head = ["form", *(f"{support.runtime} {support.version}" for support in supports), "in other words"]
    return head, [(name, *(support.forms.get(name, "") for support in supports), WORDS.get(name, "")) for name in names]


def _cell(support: Support, name: str) -> str:
    """One word where all types are alike, else the types by what becomes of them."""
    overall = support.overall(name)
    if overall is None:
        return ""
    by_verdict = _by_verdict(support.operators[name])
    if len(by_verdict) == 1:
        return overall
    return "; ".join(f"{verdict}: {', '.join(types)}" for verdict, types in by_verdict.items() if verdict != RIGHT)


def _by_verdict(by_type: Mapping[str, str]) -> dict[str, Iterable[str]]:
    found: dict[str, list[str]] = {}
    for dtype, verdict in by_type.items():
        found.setdefault(verdict, []).append(dtype or "none")
    return dict(found)


__all__ = ["forms", "operators", "sized"]
