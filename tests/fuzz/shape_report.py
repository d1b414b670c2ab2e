"""Many random programs about shapes: `python -m tests.fuzz --facts 2000 [--seed 0] [--shrink]`."""

from __future__ import annotations

import traceback
import warnings
from collections.abc import Iterable

from tests.fuzz.shape_check import Report, check_program
from tests.fuzz.shape_programs import ShapeProgram, shape_program
from tests.fuzz.shape_texts import HEADER
from tests.fuzz.shrink import shrink

KINDS = {
    "crash": "the extractor or the emitter failed",
    "broken model": "the model cannot be made, loaded or run",
    "wrong type": "an inferred type that a value does not have",
    "refused though it runs": "refused as an error of Python's that some sizes do not have",
    "error though it runs": "raises where Python does not",
    "no error": "Python raises, the program does not",
    "another error": "another class or text than Python's",
    "differs from Python": "another value",
    "reached onnxruntime": "onnxruntime found the error first",
    "class of a merge": "a number that is NumPy's throughout (documented)",
}
DOCUMENTED = frozenset({"class of a merge"})


def check(program: ShapeProgram) -> Report:
    """What is seen of one program."""
    report = Report()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            check_program(program, report)
        except (
            ArithmeticError,
            AssertionError,
            AttributeError,
            LookupError,
            RuntimeError,
            TypeError,
            ValueError,
        ) as error:
            place = traceback.extract_tb(error.__traceback__)[-1]
            report.found("crash", f"{type(error).__name__}: {error} ({place.filename}:{place.lineno})")
    return report


def run(seeds: Iterable[int], smaller: bool = False) -> Report:
    """Check the programs of these seeds, print each finding and a table of the counts."""
    total = Report()
    for seed in seeds:
        program = shape_program(seed)
        report = check(program)
        total.counts.update(report.counts)
        total.findings += report.findings
        for kind in dict.fromkeys(kind for kind, _ in report.findings if kind not in DOCUMENTED):
            print(f"seed {seed}: {kind}: {_first(report, kind)}", flush=True)
            if smaller:
                _print_small(program, kind)
    print(table(total))
    return total


def _print_small(program: ShapeProgram, kind: str) -> None:
    small = shrink(program, lambda p: any(k == kind for k, _ in check(p).findings))
    print(small.source[len(HEADER) :].strip())
    print("  ", _first(check(small), kind), flush=True)


def _first(report: Report, kind: str) -> str:
    return next(text for k, text in report.findings if k == kind)


def table(report: Report) -> str:
    """The counts: what was run, then each kind of finding."""
    counts = report.counts
    lines = [(name, str(counts[name]), "") for name in sorted(counts.keys() - KINDS.keys(), key=_order)]
    lines += [(kind, str(counts[kind]), meaning) for kind, meaning in KINDS.items()]
    return "\n".join(f"{name:<28}{count:>9}  {meaning}".rstrip() for name, count, meaning in lines)


ORDER = ("programs", "accepted", "refused, and Python fails", "refused as unsupported")


def _order(name: str) -> tuple[int, str]:
    if name.startswith("  "):
        return ORDER.index("refused as unsupported") + 1, name
    return (ORDER.index(name) if name in ORDER else len(ORDER) + 1), name
