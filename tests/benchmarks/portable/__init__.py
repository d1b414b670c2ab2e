"""What other runtimes make of exported models: a sample of the programs of the tests, in several forms.

Each program is exported plain, portable, in several versions of the operators, and for each runtime that is a target
(docs/targets.md): there, what it is known not to take or to get wrong is written in other words, or refused.  Each
model is loaded and run on the arguments of its test, and compared with onnxruntime on the plain model.  What a
runtime computes in fewer bits is compared to as many.

    python -m tests.benchmarks portable                       the matrix of one test of ten; and why not, by message
    python -m tests.benchmarks portable --every 1 --rows      of all tests; and a line for each program
    python -m tests.benchmarks portable --every 12 --from 3   of the fourth of twelve parts
    ... --kept FOLDER        keeps what is collected and what runtimes make of it, and takes what is there; without
                             `--every`, of all that is there, so that parts that were done one by one are one matrix
    ... --targets            collects of each program the plain form, and what is made for each runtime, only
    ... --runtimes NAME ...  some runtimes; `onnxslim` and `reference`, which are slow, are asked by name only

A verdict is one of

    right               what onnxruntime gives
    raises              the same, but that some calls which raise in Python end in an error of the runtime's own
    wrong, and named    not, but the summary of the export says of this output that fewer bits may do that
    wrong
    refused             by the export, at a line
    does not load, does not run, ends the process, takes too long
    not compared        no arguments of the test are for the model, or only such as have no elements, where its summary
                        says that these are not for the runtime; or they have more than 24 bits, and a runtime that
                        computes in as many gives something else
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

EVERY = 10
"""Of so many tests, one is tried, if nobody says otherwise."""


def tables(
    quick: bool,
    corpus: bool,
    every: int | None = None,
    start: int = 0,
    kept: str | None = None,
    runtimes: Sequence[str] = (),
    rows: bool = False,
    targets: bool = False,
) -> list[str]:
    """The matrix, and tables of reasons."""
    from tests.benchmarks.portable import kept as folders
    from tests.benchmarks.portable.compared import tables_of

    with tempfile.TemporaryDirectory() as name:
        root = Path(kept or name)
        if kept and not every and not quick:
            return tables_of(folders.all_in(root), runtimes, rows)
        parts = [folders.FEW] if quick else [folders.OF_SAMPLES, folders.part_of_tests(every or EVERY, start)]
        return tables_of([folders.collected_in(root, part, targets) for part in parts], runtimes, rows)
