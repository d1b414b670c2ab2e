"""One program for each name that docs/operations.md lists: `python -m tests.wheel.run_names operations.md [1/2]`.

Needs the core dependencies alone.  Prints what differs from Python or went to the host, and then how many did not.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

from graph_program import graph_program
from tests.fuzz import compare
from tests.numpy.inputs import SIZES, arguments, program_of
from tests.wheel.names import is_known, listed, programs


def difference(expression: str, dtype: str) -> str | None:
    """How the program of an expression differs from Python, in two sizes."""
    function, names = program_of(expression)
    program = graph_program(function)
    for sizes in SIZES:
        given = arguments(dtype, sizes)
        args = tuple(given[name] for name in names)
        want, got = compare.call(function, args), compare.call(program, args)
        found = compare.difference(want, got)
        if found is not None:
            return f"sizes {sizes}: {found}"
    return f"runs on the host:\n{program.host_source}" if program.copies or program.host_source else None


def main(page: str, part: str = "1/1") -> int:
    warnings.simplefilter("ignore")
    number, of = map(int, part.split("/"))
    found = programs(list(filter(is_known, listed(Path(page)))))
    chosen = sorted(found)[number - 1 :: of]
    wrong = 0
    for name in chosen:
        differs = difference(*found[name])
        if differs is not None:
            wrong += 1
            print(f"{name} in {found[name][0]}: {differs}")
    print(f"{len(chosen) - wrong} of {len(chosen)} names as in Python")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
