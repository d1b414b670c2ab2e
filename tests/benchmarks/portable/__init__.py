"""What other runtimes make of exported models: a sample of the programs of the tests, in several forms.

Each program is exported plain, portable, in several versions of the operators, and for each runtime that is a target
(docs/targets.md): there, what it is known not to take or to get wrong is written in other words, or refused.  Each
model is loaded and run on the arguments of its test, and compared with onnxruntime on the plain model.  What a
runtime computes in fewer bits is compared to as many.

    python -m tests.benchmarks portable                     the matrix of one test of ten; and why not, by message
    python -m tests.benchmarks portable --every 1 --rows    of all tests; and a line for each program

A verdict is one of

    right               what onnxruntime gives
    wrong, and named    not, but the summary of the export says of this output that fewer bits may do that
    wrong
    refused             by the export, at a line
    does not load, does not run, ends the process
"""

from __future__ import annotations

EVERY = 10
"""Of so many tests, one is tried, if nobody says otherwise."""


def tables(quick: bool, corpus: bool, every: int | None = None, rows: bool = False) -> list[str]:
    """The matrix, and tables of reasons."""
    from tests.benchmarks.portable.compared import tables_of

    return tables_of(quick, every or EVERY, rows)
