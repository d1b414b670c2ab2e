"""Many random programs: counts per verdict and code of refusal, rates, and what differs."""

from __future__ import annotations

import gc
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from itertools import islice

from tests.fuzz.array_chains import chain
from tests.fuzz.check import Checked, Verdict, check
from tests.fuzz.documented import Deviation
from tests.fuzz.files import check_file
from tests.fuzz.fixed_sizes import with_fixed_sizes
from tests.fuzz.generator import Program, program
from tests.fuzz.leaks import alive, left_behind
from tests.fuzz.smaller import smaller

CRASHES = (ArithmeticError, AssertionError, AttributeError, LookupError, NameError, RuntimeError, TypeError, ValueError)
BATCH = 20
PROGRESS = 300.0
"""Seconds from one table to the next."""


@dataclass
class Report:
    verdicts: Counter[Verdict] = field(default_factory=Counter)
    codes: Counter[str] = field(default_factory=Counter)
    deviations: Counter[Deviation] = field(default_factory=Counter)
    failing: list[int] = field(default_factory=list)
    """Seeds."""
    leaks: list[str] = field(default_factory=list)

    def add(self, seed: int, checked: Checked) -> None:
        self.verdicts[checked.verdict] += 1
        if checked.code:
            self.codes[checked.code] += 1
        self.deviations.update(checked.deviations)
        if checked.verdict is Verdict.DIFFERENT:
            self.failing.append(seed)

    def table(self, seconds: float) -> str:
        """The counts, each with its share."""
        total = max(1, sum(self.verdicts.values()))
        lines = [f"{total} programs in {seconds:.0f} s, {total / max(seconds, 1e-9):.1f} per second"]
        lines += [
            f"{verdict.value:<50}{self.verdicts[verdict]:>7}{_share(self.verdicts[verdict], total)}"
            for verdict in Verdict
        ]
        lines += [
            f"  refused with {code:<35}{count:>7}{_share(count, total)}" for code, count in self.codes.most_common()
        ]
        lines += [f"  documented: {d.value} ({count})" for d, count in self.deviations.most_common()]
        return "\n".join(lines)


def _share(count: int, total: int) -> str:
    return f"{100 * count / total:>7.1f} %"


@dataclass(frozen=True)
class Forms:
    """What is made of the seeds: `chains` of array operations, and programs with declared sizes (`fixed`).

    With `native`, they run as machine code, too; with `files`, as exported files instead.
    """

    chains: bool = False
    fixed: bool = False
    native: bool = False
    files: bool = False

    def source(self, seed: int) -> str:
        """The program of a seed."""
        source = chain(seed) if self.chains else program(seed).source
        return with_fixed_sizes(source) if self.fixed else source


def check_seed(seed: int, forms: Forms | None = None) -> Checked:
    """The verdict on the program of a seed; what crashes is a mismatch."""
    forms = forms or Forms()
    return check_source(forms.source(seed), forms)


def check_source(source: str, forms: Forms | None = None) -> Checked:
    """The verdict on a program's text."""
    forms = forms or Forms()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return check_file(Program(source)) if forms.files else check(Program(source), forms.native)
        except CRASHES as error:
            place = traceback.extract_tb(error.__traceback__)[-1]
            return Checked(
                Verdict.DIFFERENT, f"crash: {type(error).__name__}: {error} ({place.filename}:{place.lineno})"
            )


def _check_all(seeds: list[int], forms: Forms) -> list[tuple[int, Checked]]:
    found = [(seed, check_seed(seed, forms)) for seed in seeds]
    gc.collect()
    return found


def run(
    seeds: Iterable[int],
    *,
    minutes: float | None = None,
    jobs: int = 1,
    shrink: bool = False,
    refusals: bool = False,
    forms: Forms | None = None,
) -> Report:
    """Check programs, in several processes if asked, until the seeds or the minutes are over."""
    report, start, before = Report(), time.monotonic(), alive()
    forms = forms or Forms()
    shown = start
    for seed, checked in _results(seeds, jobs, forms):
        report.add(seed, checked)
        if checked.verdict is Verdict.DIFFERENT:
            print(f"seed {seed}: {checked.detail}", flush=True)
            if shrink:
                print(smaller(forms.source(seed), fails_like(checked, forms)), flush=True)
        if checked.code and refusals:
            print(f"seed {seed}: refused: {checked.detail.splitlines()[0]}", flush=True)
        now = time.monotonic()
        if now - shown > PROGRESS:
            shown = now
            print(f"up to seed {seed}: {report.table(now - start)}", flush=True)
        if minutes is not None and now - start > 60 * minutes:
            break
    print(report.table(time.monotonic() - start))
    report.leaks = left_behind(before)
    print(*report.leaks, sep="\n", end="\n" if report.leaks else "")
    return report


def collect_rarely() -> None:
    """Only what programs leave behind is looked through, batch by batch: what is loaded would cost a fifth."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(100_000, 20, 20)


def fails_like(checked: Checked, forms: Forms):  # type: ignore[no-untyped-def]
    """Whether a program fails as another one did, as far as the kind of difference goes."""

    def fails(source: str) -> bool:
        found = check_source(source, forms)
        return found.verdict is checked.verdict and kind_of(found.detail) == kind_of(checked.detail)

    return fails


def kind_of(detail: str) -> str:
    """What a difference is about, without its numbers."""
    words = detail.split(":", 1)[-1] if detail.startswith("call") else detail
    return words.split("(")[0][:20].rstrip("0123456789.[]- ")


def _results(seeds: Iterable[int], jobs: int, forms: Forms) -> Iterator[tuple[int, Checked]]:
    remaining = iter(seeds)
    if jobs == 1:
        collect_rarely()
        while batch := list(islice(remaining, BATCH)):
            yield from _check_all(batch, forms)
        return
    with ProcessPoolExecutor(jobs, initializer=collect_rarely) as pool:
        batches = (list(islice(remaining, BATCH)) for _ in range(2 * jobs))
        waiting = [pool.submit(_check_all, batch, forms) for batch in batches if batch]
        while waiting:
            done = waiting.pop(0)
            batch = list(islice(remaining, BATCH))
            if batch:
                waiting.append(pool.submit(_check_all, batch, forms))
            yield from done.result()
