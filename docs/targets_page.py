"""The page of targets: what each runtime makes of each operator, as it was probed, or as its documentation says."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import onnx

from graph_program.backends.onnx.avoided import (
    ADDED,
    BYTES,
    CAST_CHAINS,
    CASTS,
    CONSTANT_SIDE,
    DIVIDENDS,
    LAST_PLACES,
    LOG_SUMS,
    LOOPS,
    MAGNITUDES,
    MEAN_SQUARES,
    NANS,
    OPEN_RESULTS,
    OTHER_SIDES,
    OUTER_WRITES,
    SHORTS,
    SIZES,
    SMALL_CASTS,
    SQUARES,
    STRETCHED,
    TIES,
    TO_NUMBERS,
    VECTORS,
    WIDE_SUMS,
)
from graph_program.targets.limits import Limits
from graph_program.targets.support import REFUSED, RIGHT, WRONG, Support, targets
from graph_program.targets.verdicts import LISTED

WORDS = {
    ADDED: "`x @ y`, and then `+ z`",
    BYTES: "32 bits, of which the last eight are kept",
    CASTS: "`CastLike` makes numbers of them",
    CONSTANT_SIDE: "the other side gives it, or a truth that a run knows; both sides are done where constants decide",
    DIVIDENDS: "`where(x == x, 10, 10) % x`",
    LAST_PLACES: "the size is added to known places; places that only a run knows stay",
    CAST_CHAINS: "`-(-x)` between them",
    SMALL_CASTS: "`CastLike` makes whole numbers of them before",
    LOG_SUMS: "`log(sum(exp(x - m))) + m`, where `m` is the greatest",
    LOOPS: "`Scan`, or the rounds one after the other",
    OTHER_SIDES: "both sides are done, where sizes of arguments decide and one is not used",
    SHORTS: "32 bits, of which the last sixteen are kept",
    SIZES: "`CastLike` makes numbers of them",
    MAGNITUDES: "`abs(-x)`",
    MEAN_SQUARES: "0 less that of `-(x * x)`",
    NANS: "`where(x < y, y, x)`; those in trained models stay",
    TO_NUMBERS: "`Squeeze`",
    OUTER_WRITES: "a copy is written to",
    OPEN_RESULTS: "`Tile`, once: a number that is computed",
    SQUARES: "`-(x * -x)`",
    STRETCHED: "`max(x, x)` of them",
    TIES: "all are sorted, and then by their places",
    VECTORS: "one of them is made a matrix",
    WIDE_SUMS: "the last of `cumsum(x)`",
}
"""What is written for a form, where there are other words."""
Table = tuple[list[str], list[tuple[str, ...]]]
"""A head, and rows."""


def operators() -> Table:
    """The head of the table of what was probed, and a row for each operator."""
    return _operators(_probed())


def documented() -> Table:
    """The same of what was read."""
    return _operators(_read())


def _operators(supports: list[Support]) -> Table:
    listed = ((name, support) for support in supports for name in support.operators)
    names = sorted(
        {name for name, support in listed if not support.document or LISTED in support.operators[name].values()}
    )
    head = ["operator", *map(_title, supports)]
    return head, [(f"`{name}`", *(_cell(support, name) for support in supports)) for name in names]


def documents() -> Table:
    """Where what was read stands."""
    return ["target", "version", "read in"], [(s.runtime, s.version, s.document) for s in _read()]


def limits() -> Table:
    """What documents say beside operators and element types."""
    rows = [(support.runtime, *row) for support in _read() for row in _limits(support.limits)]
    return ["target", "limit", "of"], rows


def _limits(said: Limits) -> Iterator[tuple[str, str]]:
    if said.opsets:
        yield "versions of the operators", f"opset {said.opsets[0]} to {said.opsets[1]}"
    if said.fixed_sizes:
        yield "sizes", "all of them are known: `dims=`"
    if said.same_sizes:
        yield "loops", "what they carry keeps its sizes"
    if said.counted_results:
        yield "loops that collect results", "how many rounds they do is known before"
    inputs = (
        f"`{name}` ({', '.join(onnx.defs.get_schema(name).inputs[place].name for place in places)})"
        for name, places in said.known.items()
    )
    values = (
        f"`{name}` ({attribute}: {', '.join(map(str, allowed))})"
        for name, attributes in said.attributes.items()
        for attribute, allowed in attributes.items()
    )
    ranks = (f"`{name}` ({' or '.join(map(str, each))})" for name, each in said.ranks.items())
    counts = (
        f"`{name}` ({most} {word}{'s' * (most > 1)})"
        for word, each in (("input", said.inputs), ("output", said.outputs))
        for name, most in each.items()
    )
    kinds = {
        "inputs that are known before a run": inputs,
        "attributes": values,
        "axes of the first input": ranks,
        "at most": counts,
    }
    found = ((kind, ", ".join(each)) for kind, each in kinds.items())
    yield from (row for row in found if row[1])


def _probed() -> list[Support]:
    return [support for support in targets().values() if not support.document]


def _read() -> list[Support]:
    return [support for support in targets().values() if support.document]


def _title(support: Support) -> str:
    return support.runtime if support.document else f"{support.runtime} {support.version}".strip()


def sized() -> Table:
    """The operators whose sizes, axes and the like a target has to know before a run."""
    supports = [support for support in _probed() if support.portable]
    head = ["target", "operators"]
    return head, [(support.runtime, ", ".join(f"`{name}`" for name in _sized(support))) for support in supports]


def _sized(support: Support) -> Iterable[str]:
    for name, by_type in sorted(support.given.items()):
        known = support.known[name]
        if any(verdict in (REFUSED, WRONG) and known.get(dtype) == RIGHT for dtype, verdict in by_type.items()):
            yield name


def forms() -> Table:
    """What each runtime makes of ways to use operators."""
    supports = _probed()
    names = sorted({name for support in supports for name in support.forms})
    head = ["form", *map(_title, supports), "in other words"]
    return head, [(name, *(support.forms.get(name, "") for support in supports), WORDS.get(name, "")) for name in names]


def _cell(support: Support, name: str) -> str:
    """One word where all types are alike, else the types by what becomes of them.

    Types are those that were asked of some runtime, and where none was, those that a document lists.
    """
    found = support.operators.get(name)
    if found is None:
        return support.verdict(name, None) or ""
    asked = {dtype for each in _probed() for dtype in each.operators.get(name, {})}
    by_verdict = _by_verdict({dtype: verdict for dtype, verdict in found.items() if not asked or dtype in asked})
    if len(by_verdict) == 1:
        return next(iter(by_verdict))
    parts = ((verdict, types) for verdict, types in by_verdict.items() if verdict not in (RIGHT, LISTED))
    return "; ".join(f"{verdict}: {', '.join(types)}" for verdict, types in parts)


def _by_verdict(by_type: Mapping[str, str]) -> dict[str, Iterable[str]]:
    found: dict[str, list[str]] = {}
    for dtype, verdict in by_type.items():
        found.setdefault(verdict, []).append(dtype or "none")
    return dict(found)


__all__ = ["documented", "documents", "forms", "limits", "operators", "sized"]
