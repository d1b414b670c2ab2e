"""The long runs; each exits with 1 on a mismatch.

`python -m tests.fuzz --programs 5000 [--seed 0]` compares random programs with plain Python;
`python -m tests.fuzz --facts 2000 [--seed 0] [--shrink]` checks the types of every value of programs about shapes.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter

import numpy as np

from tests.fuzz import shape_report
from tests.fuzz.check import Verdict, check
from tests.fuzz.generator import ARRAYS, Generator, Program


def program(seed: int) -> Program:
    """The random program of a seed, with its arguments."""
    choose = random.Random(seed)
    source = Generator(choose.choice).program()
    args = (np.array(choose.choice(ARRAYS)), choose.randint(-3, 9), choose.choice([0.0, 1.5, -2.0, 10.0]))
    return Program(source, args)


def main() -> int:
    """Run programs with consecutive seeds and print how they compare."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--programs", type=int, default=5000)
    parser.add_argument("--facts", type=int, help="this many programs about shapes instead")
    parser.add_argument("--shrink", action="store_true", help="make each failing program about shapes small")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    if options.facts is not None:
        seeds = range(options.seed, options.seed + options.facts)
        report = shape_report.run(seeds, options.shrink)
        return 1 if any(kind not in shape_report.DOCUMENTED for kind, _ in report.findings) else 0
    verdicts: Counter[Verdict] = Counter()
    for seed in range(options.seed, options.seed + options.programs):
        checked = check(program(seed))
        verdicts[checked.verdict] += 1
        if checked.verdict is Verdict.DIFFERENT:
            print(f"seed {seed}: {checked.detail}")
    print(", ".join(f"{verdicts[v]} {v.value}" for v in Verdict))
    return 1 if verdicts[Verdict.DIFFERENT] else 0


if __name__ == "__main__":
    sys.exit(main())
