"""The page of targets: what each runtime that was probed makes of each operator."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from graph_program.targets.support import RIGHT, Support, targets


def operators() -> tuple[list[str], list[tuple[str, ...]]]:
    """The head of the table, and a row for each operator."""
    supports = list(targets().values())
    names = sorted({name for support in supports for name in support.operators})
    head = ["operator", *(f"{support.runtime} {support.version}".strip() for support in supports)]
    return head, [(f"`{name}`", *(_cell(support, name) for support in supports)) for name in names]


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


__all__ = ["operators"]
