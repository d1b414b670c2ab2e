"""`python -m tests.seeded [--samples] [--every N] [--show]`: break programs, and say where that is found."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterable, Iterator

from tests.seeded.check import Found, Verdict, judge
from tests.seeded.mutations import RULES, mutants
from tests.seeded.subjects import Subject, of_tables, samples

COLUMNS = (
    "mistakes",
    "refused",
    "warned",
    "required",
    "of these at the line",
    "at the call",
    "otherwise",
    "unnoticed",
    "crashed",
)
"""Refused and warned of when extracted; `required`: it then wants more of its dims than the annotations say."""


def verdicts(subjects: Iterable[Subject], every: int = 1, first: int = 0) -> Iterator[tuple[Subject, Verdict]]:
    """Judge every n-th mutant of each subject."""
    number = first
    for subject in subjects:
        for mutant in mutants(subject.source, subject.skip):
            number += 1
            if number % every == 0:
                yield subject, judge(subject, mutant)


def row(found: Iterable[Verdict]) -> list[int]:
    """The counts of `COLUMNS`."""
    known = [v for v in found if v.found is not Found.NO_MISTAKE]
    counts = Counter(v.found for v in known)
    lines = sum(v.right_line for v in known)
    late = [counts[v] for v in (Found.CALL, Found.CALL_OTHERWISE, Found.UNNOTICED, Found.CRASHED)]
    return [len(known), counts[Found.EXTRACTION], counts[Found.WARNING], counts[Found.REQUIREMENT], lines, *late]


def table(found: list[tuple[Subject, Verdict]]) -> str:
    """Counts by kind of mistake, and by group of programs."""
    groups: dict[str, list[Verdict]] = {}
    for _, verdict in found:
        assert verdict.mutant is not None
        groups.setdefault(verdict.mutant.kind, []).append(verdict)
    for subject, verdict in found:
        name = (
            "programs of the tables"
            if subject.title.startswith("np:")
            else subject.title
            if subject.title.startswith("model ")
            else f"sample {subject.title}"
        )
        groups.setdefault(name, []).append(verdict)
    order = [*RULES, *(name for name in groups if name not in RULES)]
    lines = [f"{'':<26}" + "".join(f"{name:>22}" for name in COLUMNS)]
    lines += [_line(name, row(groups[name])) for name in order if name in groups]
    return "\n".join([*lines, _line("all", row(v for _, v in found))])


def _line(name: str, counts: list[int]) -> str:
    shares = ["" if i == 0 or not counts[0] else f" ({n / counts[0]:.1%})" for i, n in enumerate(counts)]
    return f"{name:<26}" + "".join(f"{f'{n}{share}':>22}" for n, share in zip(counts, shares, strict=True))


def main() -> int:
    """Exit with 1 if a mistake is not noticed."""
    parser = argparse.ArgumentParser(prog="python -m tests.seeded", description=__doc__)
    parser.add_argument("--samples", action="store_true", help="the samples only")
    parser.add_argument("--every", type=int, default=1, help="only every n-th mutant")
    parser.add_argument("--show", action="store_true", help="print those that are found late, or at another line")
    options = parser.parse_args()
    found = []
    for subject, verdict in verdicts([*samples(), *([] if options.samples else of_tables())], options.every):
        found.append((subject, verdict))
        if options.show and not verdict.right_line and verdict.found is not Found.NO_MISTAKE:
            print(f"{subject.title}: {verdict.mutant}: {verdict.found.value}\n    {verdict.python}\n    {verdict.ours}")
    print(table(found))
    return 1 if any(v.found in (Found.UNNOTICED, Found.CRASHED) for _, v in found) else 0


if __name__ == "__main__":
    sys.exit(main())
