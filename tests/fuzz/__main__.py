"""The long run: `python -m tests.fuzz --programs 5000 [--seed 0]`; exits with 1 on a mismatch."""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter

import numpy as np

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
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
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
