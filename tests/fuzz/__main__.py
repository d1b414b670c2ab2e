"""The long runs; each exits with 1 on a mismatch.

`python -m tests.fuzz --programs 5000 [--seed 0] [--jobs 4] [--minutes 30] [--shrink] [--refusals]` compares random
programs with plain Python; `--show 17` prints the program of a seed; `--chains` makes programs of a few array
operations each, `--fixed` declares the sizes of array parameters, `--native` runs them as machine code, too, `--files`
as exported files instead; `python -m tests.fuzz --facts 2000 [--seed 0] [--shrink]` checks the types of every value of
programs about shapes.
"""

from __future__ import annotations

import argparse
import sys

from graph_program.extract.slice import work
from tests.fuzz import report, shape_report
from tests.fuzz.check import Verdict
from tests.fuzz.generator import HOST_SEEDS


def main() -> int:
    """Run programs with consecutive seeds and print how they compare."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--programs", type=int, default=5000)
    parser.add_argument("--facts", type=int, help="this many programs about shapes instead")
    parser.add_argument("--shrink", action="store_true", help="make each failing program small")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1, help="how many processes")
    parser.add_argument("--minutes", type=float, help="stop after this time")
    parser.add_argument("--refusals", action="store_true", help="print the first line of each refusal")
    parser.add_argument("--show", type=int, help="print the program of this seed")
    parser.add_argument("--host", action="store_true", help="programs that call host code as well")
    parser.add_argument("--beside", action="store_true", help="run all that can be beside each other so")
    parser.add_argument("--fixed", action="store_true", help="declare the sizes of array parameters")
    parser.add_argument("--chains", action="store_true", help="a few array operations each")
    parser.add_argument("--native", action="store_true", help="run all as machine code, too")
    parser.add_argument("--files", action="store_true", help="run all as exported files")
    options = parser.parse_args()
    forms = report.Forms(options.chains, options.fixed, options.native, options.files)
    work.LITTLE = 0 if options.beside else work.LITTLE
    first = options.seed + (HOST_SEEDS if options.host else 0)
    if options.show is not None:
        print(forms.source(options.show + first - options.seed))
        return 0
    if options.facts is not None:
        seeds = range(options.seed, options.seed + options.facts)
        found = shape_report.run(seeds, options.shrink)
        return 1 if any(kind not in shape_report.DOCUMENTED for kind, _ in found.findings) else 0
    seeds = range(first, first + options.programs)
    seen = report.run(
        seeds,
        minutes=options.minutes,
        jobs=options.jobs,
        shrink=options.shrink,
        refusals=options.refusals,
        forms=forms,
    )
    return 1 if seen.verdicts[Verdict.DIFFERENT] or seen.leaks else 0


if __name__ == "__main__":
    sys.exit(main())
